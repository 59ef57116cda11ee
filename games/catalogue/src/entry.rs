//! Any game with a notation as a [`Game`].

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use game_env::environment::teams;
use game_env::messages::Message;
use game_env::parameter::Parameter;
use game_env::replay::{Playback, Progress, Reader, ReplayError};
use game_env::{
    Addressed as _, AgentId, ConfigError, Description, Disruption, Measured, Notation, Parameters, Preset,
    SimTime, TeamId, Witness,
};

use crate::game::{Game, PlayedBack};

/// A game by its type.
pub(crate) struct Entry<E>(PhantomData<fn() -> E>);

impl<E> Entry<E> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E: Notation<Event: Clone> + Measured> Game for Entry<E> {
    fn name(&self) -> &'static str {
        E::GAME
    }

    fn rules(&self) -> u32 {
        E::RULES
    }

    fn description(&self) -> Description {
        E::DESCRIPTION
    }

    fn team_names(&self) -> &'static [&'static str] {
        E::TEAM_NAMES
    }

    fn meaning(&self, metric: &str) -> Option<&'static str> {
        E::meaning(metric)
    }

    fn parameters(&self) -> &'static [Parameter] {
        E::parameters()
    }

    fn presets(&self) -> Vec<Preset> {
        E::presets()
    }

    fn complete(&self, config: &Parameters) -> Result<Parameters, ConfigError> {
        Ok(E::write_config(&E::read_config(config)?))
    }

    fn teams(&self, config: &Parameters) -> Result<Vec<TeamId>, ConfigError> {
        Ok(teams::<E>(&E::read_config(config)?))
    }

    fn verify(&self, replay: Reader<'_>) -> Result<PlayedBack, ReplayError> {
        let mut playback = Playback::<E>::of(replay)?;
        let (mut tally, mut hashes) = (Tally::default(), 0);
        loop {
            match playback.advance(&mut tally)? {
                Progress::Played => {}
                Progress::Verified => hashes += 1,
                Progress::Finished => break,
            }
        }
        let summary = playback.summary();
        Ok(PlayedBack {
            seed: playback.reader().header().seed,
            actions: tally.actions,
            gone: tally.gone.len(),
            time: summary.time,
            outcome: summary.outcome,
            hashes,
            has_more: summary.completeness.is_complete() && playback.has_more(),
            completeness: summary.completeness,
        })
    }

    fn events(
        &self,
        replay: Reader<'_>,
        each: &mut dyn FnMut(SimTime, &dyn fmt::Display, bool),
    ) -> Result<(), ReplayError> {
        Playback::<E>::of(replay)?.run(&mut Events(each)).map(|_| ())
    }

    fn has_messages(&self) -> bool {
        E::JUDGE.is_some()
    }

    fn messages(
        &self,
        replay: Reader<'_>,
        each: &mut dyn FnMut(Message, [TeamId; 2]),
    ) -> Result<(), ReplayError> {
        let mut playback = Playback::<E>::of(replay)?;
        let Some(judge) = E::JUDGE else { return Ok(()) };
        let (mut judge, mut heard) = (judge(playback.state()), Heard::<E>(Vec::new()));
        loop {
            let progress = playback.advance(&mut heard)?;
            let state = playback.state();
            for (now, event) in heard.0.drain(..) {
                judge.hear(state, now, &event, &mut |message| {
                    let teams = [message.from, message.to].map(|agent| state.team(agent));
                    each(message, teams);
                });
            }
            if progress == Progress::Finished {
                return Ok(());
            }
        }
    }
}

/// The events of one record of a replay.
struct Heard<E: Notation>(Vec<(SimTime, E::Event)>);

impl<E: Notation<Event: Clone>> Witness<E> for Heard<E> {
    fn event(&mut self, now: SimTime, event: &E::Event) {
        self.0.push((now, event.clone()));
    }
}

/// Passes on events as text.
struct Events<'e>(&'e mut dyn FnMut(SimTime, &dyn fmt::Display, bool));

impl<E: Notation> Witness<E> for Events<'_> {
    fn event(&mut self, now: SimTime, event: &E::Event) {
        (self.0)(now, event, event.is_refusal());
    }
}

/// Counts the actions, and notes the agents that are gone.
#[derive(Default)]
struct Tally {
    actions: u64,
    gone: BTreeSet<AgentId>,
}

impl<E: Notation> Witness<E> for Tally {
    fn action(&mut self, _: &E, _: SimTime, _: AgentId, _: &E::Action) {
        self.actions += 1;
    }

    fn disruption(&mut self, _: &E, _: SimTime, disruption: Disruption) {
        if let Disruption::AgentLost(agent) | Disruption::Forfeited(agent, _) = disruption {
            self.gone.insert(agent);
        }
    }
}
