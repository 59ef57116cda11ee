//! Memory that a crowd of connections needed and that is given back when they have gone.

/// Returns the capacity to shrink to: twice the length, if less than an eighth of the capacity is in use.
pub(crate) fn capacity_after(length: usize, capacity: usize) -> Option<usize> {
    (length < capacity / 8).then_some(2 * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_shrinks_when_less_than_an_eighth_is_in_use() {
        for (length, capacity, smaller) in [
            (100, 800, None),
            (99, 800, Some(198)),
            (1, 8, None),
            (0, 8, Some(0)),
            (0, 7, None),
            (0, 0, None),
        ] {
            assert_eq!(capacity_after(length, capacity), smaller, "{length} of {capacity}");
        }
    }
}
