//! Values of many matches: their mean and median.

use crate::statistics::Interval;

/// The most values that are kept for a median: of 20 metrics of two line-ups, 32 MB.
const MOST_VALUES: usize = 100_000;

/// Values of matches, one for each.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    sum: f64,
    count: u64,
    /// The first of them.
    kept: Vec<f64>,
}

impl Sample {
    /// Adds a value.
    pub(super) fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
        if self.kept.len() < MOST_VALUES {
            self.kept.push(value);
        }
    }

    /// Returns the mean of all values; 0 without any.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Returns the median of the first 100,000 values with its 95 % interval, from the ranks around the middle. 0
    /// without values.
    ///
    /// Values come in pairs that may depend on each other: the interval is as wide as if each pair were one value.
    pub fn median(&self) -> Interval {
        let mut values = self.kept.clone();
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let Some(last) = count.checked_sub(1) else { return Interval { value: 0.0, low: 0.0, high: 0.0 } };
        let middle = last as f64 / 2.0;
        let apart = 1.96 / 2.0 * count as f64 / (count as f64 / 2.0).sqrt();
        // Ranks stay within the values: both bounds are clamped.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank of a value")]
        let at = |rank: f64| values[(rank.max(0.0) as usize).min(last)];
        Interval {
            value: f64::midpoint(at(middle.floor()), at(middle.ceil())),
            low: at((middle - apart).floor()),
            high: at((middle + apart).ceil()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: impl IntoIterator<Item = u32>) -> Sample {
        let mut sample = Sample::default();
        values.into_iter().for_each(|value| sample.add(value.into()));
        sample
    }

    #[test]
    fn a_median_is_in_the_middle_whatever_is_at_the_ends() {
        assert_eq!(sample([]).median().value, 0.0);
        let one = sample([9, 1, 1_000]);
        assert_eq!((one.median().value, one.mean()), (9.0, 1_010.0 / 3.0));
        assert_eq!(sample([4, 1, 2, 1_000]).median().value, 3.0);
    }

    /// Of 200 values that are pairs, the ranks are those of 100: ± 10 of 100, so ± 20 of 200.
    #[test]
    fn the_interval_of_a_median_follows_from_ranks() {
        let Interval { value, low, high } = sample((0..200).rev()).median();
        assert_eq!(value, 99.5);
        assert!((79.0..=80.0).contains(&low) && (119.0..=120.0).contains(&high), "{low} to {high}");
        let Interval { low, high, .. } = sample([3, 5]).median();
        assert_eq!((low, high), (3.0, 5.0));
    }
}
