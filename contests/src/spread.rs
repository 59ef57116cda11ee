//! Samples that are evenly spread.

/// Returns at most this number of the values, evenly spread, in their order.
pub fn spread<T>(values: Vec<T>, most: usize) -> Vec<T> {
    let count = values.len();
    if count <= most {
        return values;
    }
    // The values at which the share of those that are kept reaches the next whole number.
    let is_kept = |place: &usize| (place + 1) * most / count > place * most / count;
    values.into_iter().enumerate().filter(|(place, _)| is_kept(place)).map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spread_evenly() {
        assert_eq!(spread((0..10).collect(), 3), [3, 6, 9]);
        assert_eq!(spread((0..3).collect(), 3), [0, 1, 2]);
        assert_eq!(spread((0..3).collect::<Vec<u32>>(), 0), [0; 0]);
    }
}
