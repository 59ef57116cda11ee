//! Situations of recorded games.

use std::io::Read;

use game_env::replay::{Playback, Progress, ReplayError};
use game_env::{AgentId, Environment as _, Seed, SimTime, Witness};
use game_project::{Action, Event, State};

use super::{Nobody, Situation, is_told};
use crate::driver::actor::Actor;
use crate::local::Seat;
use crate::strategy::Strategy;

impl Situation {
    /// Returns the situation of an agent of a recorded game before its action with this number, counted from 0.
    ///
    /// The strategy that is asked receives all messages that the agent received, and decides wherever the agent acted.
    /// If it played the game, its fields have the values of that moment. A replay does not hold decisions to wait: the
    /// strategy is not asked for them.
    ///
    /// `bots decisions FILE --agent NUMBER --at MOMENT --rust` prints such a test.
    ///
    /// ```no_run
    /// use std::fs::File;
    ///
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// struct Lookout;
    /// impl Strategy for Lookout {
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice {
    ///         view.discover()
    ///     }
    /// }
    ///
    /// let lost = Situation::recorded(File::open("lost.replay")?, AgentId::new(2), 57)?;
    /// assert_eq!(lost.choose(&mut Lookout), Choice::Act("discover".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the replay cannot be read or played.
    ///
    /// # Panics
    ///
    /// If no such agent plays in the replay, or it has fewer actions.
    pub fn recorded(replay: impl Read, agent: AgentId, action: usize) -> Result<Self, ReplayError> {
        let (mut playback, seat) = open(replay, agent)?;
        let past = Past { start: seat.clone(), moments: Vec::new() };
        let mut search = Search { agent, seat, past, actions: 0, action, found: None };
        while search.found.is_none() && playback.advance(&mut search)? != Progress::Finished {}
        let Search { found, actions, .. } = search;
        Ok(found.unwrap_or_else(|| {
            let last = actions.saturating_sub(1);
            panic!("agent {agent} has no action {action} in this replay: expected 0 to {last}")
        }))
    }
}

/// Opens a replay, and the seat of an agent in it.
///
/// # Errors
///
/// If the replay cannot be read.
///
/// # Panics
///
/// If no such agent plays in it.
pub(super) fn open<'a>(
    replay: impl Read + 'a,
    agent: AgentId,
) -> Result<(Playback<'a, State>, Seat<Nobody>), ReplayError> {
    let playback = Playback::<State>::open(replay)?;
    let agents = playback.state().agents();
    assert!(agent.index() < agents, "no agent {agent} plays in this replay: expected #0 to #{}", agents - 1);
    let seed = playback.reader().header().seed;
    let seat = Seat::new(playback.state(), agent, seed, Nobody).with_notes();
    Ok((playback, seat))
}

/// The history of an agent of a recorded game before a situation.
#[derive(Clone, Debug)]
pub(super) struct Past {
    start: Seat<Nobody>,
    moments: Vec<Moment>,
}

/// An event of that history.
#[derive(Clone, Debug)]
enum Moment {
    Told(SimTime, Event),
    Acted(SimTime, Action),
    /// Everything after this was drawn from this seed.
    Reseeded(Seed),
}

impl Past {
    pub(super) fn told(&mut self, now: SimTime, event: &Event) {
        self.moments.push(Moment::Told(now, event.clone()));
    }

    pub(super) fn acted(&mut self, now: SimTime, action: &Action) {
        self.moments.push(Moment::Acted(now, action.clone()));
    }

    /// Takes a strategy through the history, and returns the agent at its end.
    pub(super) fn replay_to(&self, strategy: &mut impl Strategy) -> Actor {
        let mut seat = self.start.clone();
        for moment in &self.moments {
            match moment {
                Moment::Told(now, event) => seat.tell(*now, event),
                Moment::Acted(now, action) => {
                    let actor = seat.actor_mut();
                    actor.decide(*now, strategy);
                    // The note belongs to that decision.
                    actor.take_note();
                    actor.sent(action);
                }
                Moment::Reseeded(seed) => seat.actor_mut().reseed(*seed),
            }
        }
        let mut actor = seat.actor().clone();
        // The blunders belong to decisions before this one.
        actor.take_blunders();
        actor
    }
}

/// Follows an agent up to one of its actions.
struct Search {
    agent: AgentId,
    seat: Seat<Nobody>,
    past: Past,
    /// The number of its actions so far.
    actions: usize,
    /// The number of the action.
    action: usize,
    found: Option<Situation>,
}

impl Witness<State> for Search {
    fn event(&mut self, now: SimTime, event: &Event) {
        if is_told(&self.seat, self.agent, event) {
            self.seat.tell(now, event);
            self.past.told(now, event);
        }
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if agent != self.agent {
            return;
        }
        if self.actions == self.action {
            let (game, seat, past) = (state.clone(), self.seat.clone(), Some(Box::new(self.past.clone())));
            self.found = Some(Situation { game, seat, agent, at: now, past });
        }
        self.actions += 1;
        self.past.acted(now, action);
        self.seat.actor_mut().sent(action);
    }

    fn reseed(&mut self, _: &State, _: SimTime, seed: Seed) {
        self.past.moments.push(Moment::Reseeded(seed));
        self.seat.actor_mut().reseed(seed);
    }
}
