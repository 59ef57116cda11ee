//! What a player sees.

use game_env::{AgentId, Options};

use crate::action::Action;
use crate::table::Table;

/// What a player sees: the whole table. The order of the bag is on nobody's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Observation {
    /// The player itself.
    pub player: AgentId,
    /// Everything on the table.
    pub table: Table,
}

impl Options<Action> for Observation {
    #[inline]
    fn options(&self, out: &mut Vec<Action>) {
        out.clear();
        // The table of no game, which a buffer holds before its first observation, has no players.
        if self.table.round > 0 {
            self.table.options(self.player, out);
        }
    }
}
