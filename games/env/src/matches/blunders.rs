//! The blunders of a match: their number, and the first ones in words.

/// The most blunders that a record describes in words.
const MOST_TOLD: usize = 5;

/// The longest text of a blunder in a record, in characters.
const LONGEST: usize = 2_000;

/// The blunders of the agents of a match, as its record has them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Blunders {
    count: u64,
    first: Vec<String>,
}

impl Blunders {
    /// Counts a blunder, and keeps its description if it is among the first five, up to 2,000 characters of it.
    pub fn add(&mut self, description: &str) {
        self.count += 1;
        self.describe(description);
    }

    /// Returns this number of blunders, the first of which have these descriptions.
    #[cfg(feature = "replay")]
    pub(super) fn counted(count: u64, descriptions: impl Iterator<Item = String>) -> Self {
        let mut blunders = Self { count, first: Vec::new() };
        descriptions.take(MOST_TOLD).for_each(|description| blunders.describe(&description));
        blunders
    }

    fn describe(&mut self, description: &str) {
        if self.first.len() < MOST_TOLD {
            self.first.push(description.chars().take(LONGEST).collect());
        }
    }

    /// Returns the number of blunders, and the descriptions of the first ones.
    pub fn into_parts(self) -> (u64, Vec<String>) {
        (self.count, self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_blunders_are_counted_and_the_first_ones_described_up_to_a_length() {
        let mut blunders = Blunders::default();
        blunders.add(&"ä".repeat(LONGEST + 1));
        (1..=MOST_TOLD).for_each(|number| blunders.add(&format!("blunder {number}")));
        let (count, first) = blunders.into_parts();
        assert_eq!(count, MOST_TOLD as u64 + 1);
        assert_eq!(first.iter().map(|text| text.chars().count()).collect::<Vec<_>>(), [LONGEST, 9, 9, 9, 9]);
        assert_eq!(first.last().map(String::as_str), Some("blunder 4"));
    }
}
