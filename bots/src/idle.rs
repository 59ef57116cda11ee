//! `idle`: does nothing but answer who must be answered.
//!
//! The baseline against which every point counts, and company for a game that is to be watched.

use sdk::prelude::*;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Idle;

impl Strategy for Idle {
    fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
        Choice::Wait(SimTime::NEVER)
    }
}
