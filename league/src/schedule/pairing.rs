//! Pairings of entrants. Schedules decide which pairings are played.

use std::fmt;

use game_env::TeamId;

use contests::entrant::EntrantId;

/// The entrants that meet: one for each side of the game, in ascending order.
///
/// Which of them plays which side follows from the rotation, so that the same entrants are always the same pairing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pairing(Vec<EntrantId>);

impl Pairing {
    /// Returns the pairing of these entrants, given in any order.
    ///
    /// # Panics
    ///
    /// If one is named twice, or there are fewer than two or more than [`TeamId::MAX`].
    pub fn new(entrants: impl IntoIterator<Item = EntrantId>) -> Self {
        let mut entrants: Vec<_> = entrants.into_iter().collect();
        entrants.sort_unstable();
        assert!((2..=TeamId::MAX).contains(&entrants.len()), "{} entrants cannot meet", entrants.len());
        assert!(entrants.windows(2).all(|two| two[0] != two[1]), "an entrant meets itself: {entrants:?}");
        Self(entrants)
    }

    /// Entrants of the pairing, in ascending order.
    pub fn entrants(&self) -> &[EntrantId] {
        &self.0
    }

    /// Returns the number of sides.
    pub fn sides(&self) -> usize {
        self.0.len()
    }

    /// Entrants by side in this rotation, the first side's entrant first. In rotation 0 it is the ascending order; each
    /// further one moves every entrant to the side before.
    pub fn seated(&self, rotation: usize) -> impl ExactSizeIterator<Item = EntrantId> {
        (0..self.0.len()).map(move |side| self.0[(side + rotation) % self.0.len()])
    }
}

/// The numbers of the entrants: `1-3`.
impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, entrant) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { "-" };
            write!(f, "{gap}{entrant}")?;
        }
        Ok(())
    }
}
