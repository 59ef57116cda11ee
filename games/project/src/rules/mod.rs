//! The rules of all actions: admission, penalties, dispatch, the end. Each family of actions has a file.
//!
//! Every rule follows the specification's section 4. If that leaves a point open, a comment at the code that
//! decides it names the book's page.

mod discovery;
mod exchange;
mod movement;
mod penalty;
mod pieces;

use std::cmp::Ordering;
use std::sync::Arc;

use game_env::{AgentId, Sink, Termination};

use crate::action::Action;
use crate::event::{Event, Refusal};
use crate::geometry::Direction;
use crate::information::Information;
use crate::state::State;
use crate::team::Team;

impl State {
    /// Serves one request, from admission to the end of the game.
    #[inline]
    pub(crate) fn serve(&mut self, agent: AgentId, action: Action, sink: &mut impl Sink<Event>) {
        let kind = action.kind();
        let granted = self.admit(agent, &action).and_then(|()| {
            self.charge(agent, kind);
            match action {
                Action::Move(direction) => self.walk(agent, direction, sink),
                Action::Discover => self.discover(agent, sink),
                Action::PickUp => self.pick_up(agent, sink),
                Action::Put => self.put(agent, sink),
                Action::Check => self.check(agent, sink),
                Action::Destroy => self.destroy(agent, sink),
                Action::Ask(asked) => self.ask(agent, asked, sink),
                Action::Answer { to, information } => self.answer(agent, to, information, sink),
            }
        });
        match granted {
            Ok(()) => self.announce_end(sink),
            Err(refusal) => sink.event(self.clock, Event::Refused { agent, action: kind, refusal }),
        }
    }

    /// Refuses requests that cost nothing: of an agent that does not play, is locked, or must answer its leader.
    #[inline]
    fn admit(&self, agent: AgentId, action: &Action) -> Result<(), Refusal> {
        let own = &self.agents[agent.index()];
        let Some(ready) = self.cooldowns.of(agent).filter(|_| self.outcome.is_none()) else {
            return Err(Refusal::NotPlaying);
        };
        if self.clock < ready.at {
            return Err(Refusal::TooEarly(ready.at));
        }
        match own.questions.iter().find(|question| question.must_answer) {
            Some(question) if !matches!(action, Action::Answer { to, .. } if *to == question.by) => {
                Err(Refusal::LeaderWaits(question.by))
            }
            _ => Ok(()),
        }
    }

    /// Adds every action that would be granted once the lock has ended.
    pub(crate) fn list_legal(&self, agent: AgentId, example: &Arc<Information>, out: &mut Vec<Action>) {
        let own = &self.agents[agent.index()];
        let answer = |to: AgentId| Action::Answer { to, information: example.clone() };
        if let Some(question) = own.questions.iter().find(|question| question.must_answer) {
            return out.push(answer(question.by));
        }
        let may_walk = |direction: &Direction| self.destination(agent, *direction).is_ok();
        out.extend(Direction::ALL.into_iter().filter(may_walk).map(Action::Move));
        out.push(Action::Discover);
        if self.may_pick_up(agent).is_ok() {
            out.push(Action::PickUp);
        }
        if own.hand.is_some() {
            out.extend([Action::Put, Action::Check, Action::Destroy]);
        }
        let may_ask = |asked: &AgentId| self.may_ask(agent, *asked).is_ok();
        out.extend(AgentId::all(self.agents.len()).filter(may_ask).map(Action::Ask));
        out.extend(own.questions.iter().map(|question| answer(question.by)));
    }

    /// Removes an agent that goes away (specification, section 5.4).
    pub(crate) fn lose(&mut self, agent: AgentId, sink: &mut impl Sink<Event>) {
        let own = &mut self.agents[agent.index()];
        if std::mem::replace(&mut own.gone, true) {
            return;
        }
        own.questions.clear();
        own.asked.clear();
        let (position, hand) = (own.position, own.hand.take());
        self.board.leave(position);
        self.cooldowns.remove(agent);
        for other in &mut self.agents {
            other.questions.retain(|question| question.by != agent);
            other.asked.retain(|asked| *asked != agent);
        }
        sink.event(self.clock, Event::Left { agent });
        if let Some(piece) = hand {
            self.drop_piece(position, piece, sink);
        }
        // "No agent left on either side": as long as one team plays, it can win. See the book's page
        // "When nobody is left".
        if self.cooldowns.first().is_none() {
            self.end(None, Termination::AgentLost, Some(agent));
        }
    }

    /// Ends the game from outside. See the book's page "Who wins a game that was stopped".
    pub(crate) fn stop(&mut self, termination: Termination) {
        let greater = |[red, blue]: [u32; 2]| match red.cmp(&blue) {
            Ordering::Greater => Some(Team::Red),
            Ordering::Less => Some(Team::Blue),
            Ordering::Equal => None,
        };
        let is_left = |team: Team| self.agents.iter().any(|own| own.briefing.team == team && !own.gone);
        let winner = match termination {
            Termination::Stopped | Termination::Time | Termination::Stall => {
                greater(self.points().into_inner())
            }
            Termination::AgentLost => greater(Team::ALL.map(is_left).map(u32::from)),
            _ => None,
        };
        self.end(winner, termination, None);
    }

    /// Reports the end to all, if the last event ended the game.
    #[inline]
    pub(crate) fn announce_end(&self, sink: &mut impl Sink<Event>) {
        if let Some(outcome) = self.outcome {
            sink.event(self.clock, Event::Over(outcome));
        }
    }
}
