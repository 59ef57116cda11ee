//! Picking up, putting, checking and destroying pieces, and the new pieces that replace them.

use game_env::{AgentId, Sink, Termination};

use crate::event::{Event, PutResult, Refusal};
use crate::geometry::{Area, Position};
use crate::piece::Piece;
use crate::state::State;

impl State {
    pub(super) fn pick_up(&mut self, agent: AgentId, sink: &mut impl Sink<Event>) -> Result<(), Refusal> {
        self.may_pick_up(agent)?;
        let own = &mut self.agents[agent.index()];
        // Which of several is taken is open: the one laid last. See the book's page "Piles".
        own.hand = self.board.take(own.position);
        sink.event(self.clock, Event::PickedUp { agent });
        Ok(())
    }

    pub(super) fn may_pick_up(&self, agent: AgentId) -> Result<(), Refusal> {
        let own = &self.agents[agent.index()];
        if own.hand.is_some() {
            return Err(Refusal::HandsFull);
        }
        if self.board.geometry().area(own.position) != Area::Task {
            return Err(Refusal::InGoalArea);
        }
        if !self.board.has_piece(own.position) {
            return Err(Refusal::NothingThere);
        }
        Ok(())
    }

    pub(super) fn put(&mut self, agent: AgentId, sink: &mut impl Sink<Event>) -> Result<(), Refusal> {
        let piece = self.empty_hand(agent)?;
        let at = self.agents[agent.index()].position;
        // Nobody stands in the other team's goal area, so a goal area is the own one.
        let Area::Goal(team) = self.board.geometry().area(at) else {
            self.board.lay(at, piece);
            sink.event(self.clock, Event::Put { agent, result: PutResult::OnTaskField });
            return Ok(());
        };
        let result = match piece {
            Piece::Sham => PutResult::WasSham,
            Piece::Real if self.board.cover_goal(at) => PutResult::OnGoal,
            Piece::Real => PutResult::OnNoGoal,
        };
        sink.event(self.clock, Event::Put { agent, result });
        self.replace_piece(sink);
        if result == PutResult::OnGoal && self.board.goals_left(team) == 0 {
            self.end(Some(team), Termination::Normal, None);
        }
        Ok(())
    }

    pub(super) fn check(&mut self, agent: AgentId, sink: &mut impl Sink<Event>) -> Result<(), Refusal> {
        let own = &mut self.agents[agent.index()];
        let sham = own.hand.ok_or(Refusal::EmptyHanded)?.is_sham();
        if sham {
            own.hand = None;
        }
        sink.event(self.clock, Event::Checked { agent, sham });
        if sham {
            self.replace_piece(sink);
        }
        Ok(())
    }

    pub(super) fn destroy(&mut self, agent: AgentId, sink: &mut impl Sink<Event>) -> Result<(), Refusal> {
        self.empty_hand(agent)?;
        sink.event(self.clock, Event::Destroyed { agent });
        self.replace_piece(sink);
        Ok(())
    }

    /// Lays the piece of an agent that went away on its field; in a goal area a new one takes its place (specification,
    /// section 5.4).
    pub(super) fn drop_piece(&mut self, at: Position, piece: Piece, sink: &mut impl Sink<Event>) {
        if self.board.geometry().area(at) == Area::Task {
            self.board.lay(at, piece);
            sink.event(self.clock, Event::Appeared { at, piece });
        } else {
            self.replace_piece(sink);
        }
    }

    fn empty_hand(&mut self, agent: AgentId) -> Result<Piece, Refusal> {
        self.agents[agent.index()].hand.take().ok_or(Refusal::EmptyHanded)
    }

    /// Replaces a piece that has left the game: a new one appears on a random task field.
    fn replace_piece(&mut self, sink: &mut impl Sink<Event>) {
        let geometry = self.board.geometry();
        let field = self.chance.below(geometry.task_fields());
        let at = geometry.position(geometry.goal_fields() + field);
        let piece = Piece::from_sham(self.chance.happens(self.config().sham_probability()));
        if self.config().landing_pick_up() && self.board.is_occupied(at) {
            let here = self.agents.iter_mut().find(|agent| !agent.gone && agent.position == at);
            let lucky = here.expect("somebody stands on an occupied field");
            if lucky.hand.is_none() {
                lucky.hand = Some(piece);
                return sink.event(self.clock, Event::Landed { agent: lucky.briefing.agent });
            }
        }
        self.board.lay(at, piece);
        sink.event(self.clock, Event::Appeared { at, piece });
    }
}
