//! Locks: the cost of every accepted request.

use game_env::AgentId;

use crate::action::ActionKind;
use crate::state::State;

impl State {
    /// Locks the agent for the penalty of this action, whether the request succeeds or fails (specification,
    /// section 3).
    #[inline]
    pub(super) fn charge(&mut self, agent: AgentId, kind: ActionKind) {
        let until = self.config().penalties().lock_end(self.clock, kind);
        self.cooldowns.serve(agent, until);
    }
}
