//! The rules of discovering.

use game_env::{AgentId, Sink};

use crate::event::{Event, Refusal};
use crate::state::State;

impl State {
    #[inline]
    pub(super) fn discover(&self, agent: AgentId, sink: &mut impl Sink<Event>) -> Result<(), Refusal> {
        let distances = self.board.discover(self.agents[agent.index()].position);
        sink.event(self.clock, Event::Discovered { agent, distances });
        Ok(())
    }
}
