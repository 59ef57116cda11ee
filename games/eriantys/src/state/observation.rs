//! The observation of a player.

use game_env::{AgentId, Options};

use crate::action::Action;
use crate::table::Table;

/// The observation of a player: the whole table. The order of the bag is not on the table.
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
        // Before its first observation, a buffer holds an empty table without players.
        if self.table.round > 0 {
            self.table.options(self.player, out);
        }
    }
}
