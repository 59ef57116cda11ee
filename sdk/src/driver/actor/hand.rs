//! The signs that the hand does not hold what the strategy takes it to hold.

use game_project::Position;

use crate::quirks::KeptSham;

/// Refusals that say something about the hand.
#[derive(Clone, Default, Debug)]
pub(super) struct HandDoubts {
    /// Number of refusals in a row (message 905) of requests that need a piece: to put, check or destroy it.
    pub(super) refused_uses: u32,
    /// Number of refused puts since the content of the hand was last certain.
    pub(super) refused_puts: u32,
    /// Position at which it was refused a piece for a reason that only full hands explain, though its hands seemed
    /// empty.
    pub(super) refused_at: Option<Position>,
    /// The sham that may still be in the hand that the strategy takes for empty.
    pub(super) kept_sham: KeptSham,
}
