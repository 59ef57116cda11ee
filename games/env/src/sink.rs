//! Receivers of events, and the audience of each event.
//!
//! A rule reports to a [`Sink`] instead of returning a list, so that a rollout without
//! a viewer pays nothing for its events.
//! A [`Witness`] hears the actions of a driver as well, which a recorder needs. Witnesses compose: a pair of witnesses,
//! an `Option` of one and a mutable reference to one are witnesses.

use std::marker::PhantomData;

use crate::environment::{Disruption, Environment};
use crate::ids::{AgentId, TeamId};
use crate::note::Note;
use crate::seed::Seed;
use crate::time::SimTime;

/// The agents that may hear an event. The referee (recorder, viewer, statistics) hears all of them.
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
    /// Returns whether this agent, of this team, belongs to the audience.
    pub fn includes(self, agent: AgentId, team: TeamId) -> bool {
        match self {
            Self::Agent(one) => one == agent,
            Self::Team(side) => side == team,
            Self::All => true,
            Self::Referee => false,
        }
    }
}

/// An event with an audience.
pub trait Addressed {
    /// Returns the agents that may hear it.
    fn audience(&self) -> Audience;

    /// Returns whether it reports that a request was refused.
    fn is_refusal(&self) -> bool;
}

/// Takes events as they happen.
///
/// `()` drops them, a `Vec` keeps them with their times, [`Listen`] shows them to a closure, and
/// [`Witness::sink`] shows them to a witness.
pub trait Sink<E> {
    /// Takes one event.
    fn event(&mut self, now: SimTime, event: E);
}

/// Hears everything that a driver does to the game, and every event in it: enough to record or to draw the game.
///
/// Each method does nothing unless it is implemented. Witnesses compose: a tuple of up to four witnesses passes
/// everything to each of them, in order; an `Option` may be none of them; `()` hears nothing; a `Vec` keeps the events
/// with their times, and [`Listen`] shows them to a closure.
///
/// ```
/// use game_env::examples::pebbles::{Event, Pebbles, Take};
/// use game_env::{AgentId, Environment, Policy, RandomPolicy, Rollout, Seed, SimTime, Witness};
///
/// /// Counts actions.
/// #[derive(Default)]
/// struct Count(u64);
///
/// impl Witness<Pebbles> for Count {
///     fn action(&mut self, _: &Pebbles, _: SimTime, _: AgentId, _: &Take) {
///         self.0 += 1;
///     }
/// }
///
/// let mut game = Pebbles::new(&21, Seed::new(7));
/// let mut policies = [1, 2].map(|seed| RandomPolicy::new(Seed::new(seed).game()));
/// let mut count = Count::default();
/// let mut events: Vec<(SimTime, Event)> = Vec::new();
/// let episode = Rollout::default().play(&mut game, &mut policies, &mut (&mut count, Some(&mut events)));
/// assert_eq!(count.0, episode.steps);
/// assert!(!events.is_empty());
/// ```
pub trait Witness<E: Environment> {
    /// Called after each event, also after those of a refused request.
    #[inline]
    fn event(&mut self, now: SimTime, event: &E::Event) {
        let _ = (now, event);
    }

    /// Called before an action is served.
    #[inline]
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        let _ = (state, now, agent, action);
    }

    /// Called before a disruption is applied.
    #[inline]
    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        let _ = (state, now, disruption);
    }

    /// Called before everything that follows is drawn from this seed.
    #[inline]
    fn reseed(&mut self, state: &E, now: SimTime, seed: Seed) {
        let _ = (state, now, seed);
    }

    /// Called with the note that an agent has left with its next decision.
    #[inline]
    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        let _ = (state, now, agent, note);
    }

    /// Called when the driver is done with the game.
    #[inline]
    fn end(&mut self, state: &E, now: SimTime) {
        let _ = (state, now);
    }

    /// Returns the sink that shows events to this witness, for [`Environment::step`] and [`Environment::disrupt`].
    #[inline]
    fn sink(&mut self) -> WitnessSink<'_, E, Self>
    where
        Self: Sized,
    {
        WitnessSink { witness: self, game: PhantomData }
    }
}

/// A sink that shows events to a witness; see [`Witness::sink`].
pub struct WitnessSink<'a, E, W> {
    witness: &'a mut W,
    game: PhantomData<fn(E)>,
}

impl<E: Environment, W: Witness<E>> Sink<E::Event> for WitnessSink<'_, E, W> {
    #[inline]
    fn event(&mut self, now: SimTime, event: E::Event) {
        self.witness.event(now, &event);
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

impl<E: Environment> Witness<E> for Vec<(SimTime, E::Event)>
where
    E::Event: Clone,
{
    fn event(&mut self, now: SimTime, event: &E::Event) {
        self.push((now, event.clone()));
    }
}

/// A closure of time and event as a sink, and as a witness of events alone.
pub struct Listen<F>(pub F);

impl<E, F: FnMut(SimTime, &E)> Sink<E> for Listen<F> {
    fn event(&mut self, now: SimTime, event: E) {
        (self.0)(now, &event);
    }
}

impl<E: Environment, F: FnMut(SimTime, &E::Event)> Witness<E> for Listen<F> {
    fn event(&mut self, now: SimTime, event: &E::Event) {
        (self.0)(now, event);
    }
}

impl<E, S: Sink<E> + ?Sized> Sink<E> for &mut S {
    #[inline]
    fn event(&mut self, now: SimTime, event: E) {
        (**self).event(now, event);
    }
}

/// The methods of a witness that passes everything on to others, each an `Option` of a reference.
macro_rules! tell {
    ($self:ident: $($witness:expr),+) => {
        #[inline]
        fn event(&mut $self, now: SimTime, event: &E::Event) {
            $(if let Some(witness) = $witness {
                witness.event(now, event);
            })+
        }

        #[inline]
        fn action(&mut $self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
            $(if let Some(witness) = $witness {
                witness.action(state, now, agent, action);
            })+
        }

        #[inline]
        fn disruption(&mut $self, state: &E, now: SimTime, disruption: Disruption) {
            $(if let Some(witness) = $witness {
                witness.disruption(state, now, disruption);
            })+
        }

        #[inline]
        fn reseed(&mut $self, state: &E, now: SimTime, seed: Seed) {
            $(if let Some(witness) = $witness {
                witness.reseed(state, now, seed);
            })+
        }

        #[inline]
        fn note(&mut $self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
            $(if let Some(witness) = $witness {
                witness.note(state, now, agent, note);
            })+
        }

        #[inline]
        fn end(&mut $self, state: &E, now: SimTime) {
            $(if let Some(witness) = $witness {
                witness.end(state, now);
            })+
        }
    };
}

impl<E: Environment, A: Witness<E>, B: Witness<E>> Witness<E> for (A, B) {
    tell!(self: Some(&mut self.0), Some(&mut self.1));
}

impl<E: Environment, A: Witness<E>, B: Witness<E>, C: Witness<E>> Witness<E> for (A, B, C) {
    tell!(self: Some(&mut self.0), Some(&mut self.1), Some(&mut self.2));
}

impl<E: Environment, A: Witness<E>, B: Witness<E>, C: Witness<E>, D: Witness<E>> Witness<E> for (A, B, C, D) {
    tell!(self: Some(&mut self.0), Some(&mut self.1), Some(&mut self.2), Some(&mut self.3));
}

impl<E: Environment, W: Witness<E>> Witness<E> for Option<W> {
    tell!(self: self);
}

impl<E: Environment, W: Witness<E> + ?Sized> Witness<E> for &mut W {
    tell!(self: Some(&mut **self));
}

impl<E: Environment, W: Witness<E> + ?Sized> Witness<E> for Box<W> {
    tell!(self: Some(&mut **self));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_listens_as_a_sink() {
        let mut heard = Vec::new();
        Sink::event(&mut Listen(|now, event: &u8| heard.push((now, *event))), SimTime::from_millis(3), 7);
        assert_eq!(heard, [(SimTime::from_millis(3), 7)]);
    }
}
