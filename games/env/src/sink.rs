//! Where events go, and who may hear which.
//!
//! A rule reports to a [`Sink`] instead of returning a list, so that a rollout which nobody watches pays
//! nothing for its events.
//! A [`Witness`] hears the actions of a driver as well: what a recorder needs.

use crate::environment::{Disruption, Environment};
use crate::ids::{AgentId, TeamId};
use crate::note::Note;
use crate::time::SimTime;

/// Who may hear an event. The referee (recorder, viewer, statistics) hears all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Audience {
    /// One agent.
    Agent(AgentId),
    /// All agents of one side.
    Team(TeamId),
    /// Every agent.
    All,
    /// No agent.
    Referee,
}

impl Audience {
    /// Whether this agent, of this team, is among them.
    pub fn includes(self, agent: AgentId, team: TeamId) -> bool {
        match self {
            Self::Agent(one) => one == agent,
            Self::Team(side) => side == team,
            Self::All => true,
            Self::Referee => false,
        }
    }
}

/// An event that says who may hear it.
pub trait Addressed {
    /// Who may hear it.
    fn audience(&self) -> Audience;

    /// Whether it says that a request was not granted.
    fn is_refusal(&self) -> bool;
}

/// Takes events as they happen.
///
/// `()` drops them, a `Vec` keeps them with their times, [`Listen`] hands them to a closure, and a pair serves
/// both of its halves.
pub trait Sink<E> {
    /// Takes one event.
    fn event(&mut self, now: SimTime, event: E);
}

/// Takes events, and hears of everything that a driver does to the game: enough to record or to draw it.
///
/// All methods do nothing unless written otherwise.
pub trait Witness<E: Environment>: Sink<E::Event> {
    /// An action is about to be served.
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        let _ = (state, now, agent, action);
    }

    /// A disruption is about to be taken in.
    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        let _ = (state, now, disruption);
    }

    /// An agent has left a note with what it does next.
    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        let _ = (state, now, agent, note);
    }

    /// The driver is done with the game.
    fn end(&mut self, state: &E, now: SimTime) {
        let _ = (state, now);
    }
}

impl<E> Sink<E> for () {
    #[inline]
    fn event(&mut self, _: SimTime, _: E) {}
}

impl<E: Environment> Witness<E> for () {}

impl<E> Sink<E> for Vec<(SimTime, E)> {
    fn event(&mut self, now: SimTime, event: E) {
        self.push((now, event));
    }
}

impl<E: Environment> Witness<E> for Vec<(SimTime, E::Event)> {}

/// A closure of time and event as a sink.
pub struct Listen<F>(pub F);

impl<E, F: FnMut(SimTime, E)> Sink<E> for Listen<F> {
    fn event(&mut self, now: SimTime, event: E) {
        (self.0)(now, event);
    }
}

impl<E: Environment, F: FnMut(SimTime, E::Event)> Witness<E> for Listen<F> {}

impl<E: Clone, A: Sink<E>, B: Sink<E>> Sink<E> for (A, B) {
    fn event(&mut self, now: SimTime, event: E) {
        self.0.event(now, event.clone());
        self.1.event(now, event);
    }
}

impl<E: Environment, A: Witness<E>, B: Witness<E>> Witness<E> for (A, B)
where
    E::Event: Clone,
{
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        self.0.action(state, now, agent, action);
        self.1.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        self.0.disruption(state, now, disruption);
        self.1.disruption(state, now, disruption);
    }

    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        self.0.note(state, now, agent, note);
        self.1.note(state, now, agent, note);
    }

    fn end(&mut self, state: &E, now: SimTime) {
        self.0.end(state, now);
        self.1.end(state, now);
    }
}

impl<E, S: Sink<E> + ?Sized> Sink<E> for &mut S {
    fn event(&mut self, now: SimTime, event: E) {
        (**self).event(now, event);
    }
}

impl<E: Environment, W: Witness<E> + ?Sized> Witness<E> for &mut W {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        (**self).action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        (**self).disruption(state, now, disruption);
    }

    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        (**self).note(state, now, agent, note);
    }

    fn end(&mut self, state: &E, now: SimTime) {
        (**self).end(state, now);
    }
}
