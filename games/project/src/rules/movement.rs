//! Moving to a neighbouring field.

use game_env::{AgentId, Sink};

use crate::event::{Event, Refusal};
use crate::geometry::{Area, Direction, Position};
use crate::state::State;

impl State {
    #[inline]
    pub(super) fn walk(
        &mut self,
        agent: AgentId,
        direction: Direction,
        sink: &mut impl Sink<Event>,
    ) -> Result<(), Refusal> {
        let to = self.destination(agent, direction)?;
        let own = &mut self.agents[agent.index()];
        self.board.leave(own.position);
        self.board.enter(to);
        own.position = to;
        let distance = self.board.nearest_piece(to);
        sink.event(self.clock, Event::Moved { agent, to, distance });
        Ok(())
    }

    /// Returns the field to which a move would lead, or the reason of a refusal.
    #[inline]
    pub(super) fn destination(&self, agent: AgentId, direction: Direction) -> Result<Position, Refusal> {
        let own = &self.agents[agent.index()];
        let geometry = self.board.geometry();
        let to = geometry.neighbour(own.position, direction).ok_or(Refusal::OffBoard)?;
        if geometry.area(to) == Area::Goal(own.briefing.team.opponent()) {
            return Err(Refusal::EnemyGoalArea);
        }
        if self.board.is_occupied(to) {
            return Err(Refusal::Occupied);
        }
        Ok(to)
    }
}
