//! Identifiers of entrants, the participants of a league.

use std::fmt;

/// An entrant: its place in the league file, from 0.
///
/// Written from 1 on, as people count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntrantId(u16);

impl EntrantId {
    /// The most entrants of a league.
    pub const MAX: usize = 1_000;

    /// Returns the entrant at this place.
    ///
    /// # Panics
    ///
    /// At or past [`EntrantId::MAX`].
    pub fn from_index(index: usize) -> Self {
        assert!(index < Self::MAX, "a league has at most {} entrants", Self::MAX);
        Self(u16::try_from(index).expect("the most entrants fit"))
    }

    /// Returns the place in a table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every entrant of a league with this number of them, in order.
    pub fn all(entrants: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..entrants).map(Self::from_index)
    }
}

impl fmt::Display for EntrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0 + 1).fmt(f)
    }
}
