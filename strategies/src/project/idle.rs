//! `idle`: takes no action of its own. It answers every question of its team, and no question of the other team.
//!
//! It is a baseline for points, and an opponent for games that people watch.

use sdk::prelude::*;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Idle;

impl Strategy for Idle {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.wait_for_message()
    }
}
