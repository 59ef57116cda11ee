//! The ten assistants of each player, and hands of them.

/// An assistant: its value decides the order of turns, and how far Mother Nature may go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Assistant(u8);

impl Assistant {
    /// The number of assistants.
    pub const COUNT: u8 = 10;

    /// Returns the assistant of this value, from 1 to [`Assistant::COUNT`].
    pub const fn new(value: u8) -> Option<Self> {
        if value >= 1 && value <= Self::COUNT { Some(Self(value)) } else { None }
    }

    /// Returns every assistant, in rising order.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::COUNT).map(Self)
    }

    /// Returns its value: the player with the lowest one acts first.
    pub const fn value(self) -> u8 {
        self.0
    }

    /// Returns the most steps of Mother Nature.
    pub const fn steps(self) -> u8 {
        self.0.div_ceil(2)
    }
}

/// A set of assistants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Hand(u16);

impl Hand {
    /// No assistant.
    pub const EMPTY: Self = Self(0);

    /// All ten assistants.
    pub const FULL: Self = Self((1 << Assistant::COUNT) - 1);

    const fn bit(assistant: Assistant) -> u16 {
        1 << (assistant.0 - 1)
    }

    /// Returns whether it has this assistant.
    #[inline]
    pub const fn has(self, assistant: Assistant) -> bool {
        self.0 & Self::bit(assistant) != 0
    }

    /// Returns whether it has none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the assistants in rising order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Assistant> {
        Assistant::all().filter(move |assistant| self.has(*assistant))
    }

    /// Returns the same with this assistant.
    #[must_use]
    pub const fn with(self, assistant: Assistant) -> Self {
        Self(self.0 | Self::bit(assistant))
    }

    /// Returns the same without these assistants.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns one bit for each assistant, that of the lowest first.
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }
}

impl FromIterator<Assistant> for Hand {
    fn from_iter<I: IntoIterator<Item = Assistant>>(assistants: I) -> Self {
        assistants.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_assistants_each_allow_one_more_step() {
        let steps: Vec<u8> = Assistant::all().map(Assistant::steps).collect();
        assert_eq!(steps, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!([0, 11].map(Assistant::new), [None, None]);
    }

    #[test]
    fn a_hand_has_what_was_put_into_it() {
        let [three, ten] = [3, 10].map(|value| Assistant::new(value).unwrap());
        let hand = Hand::EMPTY.with(ten).with(three);
        assert_eq!(hand.iter().collect::<Vec<_>>(), [three, ten]);
        assert_eq!(hand.without(Hand::EMPTY.with(ten)).iter().collect::<Hand>(), Hand::EMPTY.with(three));
        assert_eq!((Hand::FULL.iter().count(), Hand::FULL.without(Hand::FULL).is_empty()), (10, true));
    }
}
