//! Plays a match in process on the virtual clock: the same way for every game.

use std::io::{self, Write};

use super::{Blunders, Failed, MatchLimits, MatchRecord, MatchSpec};
use crate::environment::{Disruption, Environment};
use crate::ids::AgentId;
use crate::metrics::Measured;
use crate::notation::Notation;
use crate::parameter::ConfigError;
use crate::policy::Policy;
use crate::replay::{Header, Player, Writer};
use crate::rollout::{Limits, Rollout};
use crate::seat::ReportsBlunders;
use crate::sink::Witness;
use crate::text::{NotationError, fit_for_a_log};
use crate::time::SimTime;

/// The reason why a match cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// It is a match of another game.
    #[error("the match is one of `{found}`, not of `{expected}`", found = fit_for_a_log(.found))]
    OtherGame {
        /// The game of the match.
        found: String,
        /// The game asked for.
        expected: String,
    },
    /// Its configuration has faults.
    #[error("the configuration of the match is faulty: {0}")]
    Config(ConfigError),
    /// The game has another number of agents.
    #[error("the match has {found} entrants, and the game has {expected} agents with this configuration")]
    Entrants {
        /// The number of entrants.
        found: usize,
        /// The number of agents.
        expected: usize,
    },
    /// There is no such strategy.
    #[error("entrant {place} of the match: {reason}")]
    Entrant {
        /// Its place, from 1.
        place: usize,
        /// The fault, and the expected value.
        reason: String,
    },
    /// A choice of an agent is replaced by a text that is no action.
    #[error(transparent)]
    Action(NotationError),
    /// The replay cannot be written.
    #[error("cannot write the replay: {0}")]
    Replay(#[source] io::Error),
}

impl From<MatchLimits> for Limits {
    fn from(limits: MatchLimits) -> Self {
        let MatchLimits { time, steps, decisions, refusals, thinking: _ } = limits;
        Self { steps, decisions, time, refusals, ..Self::default() }
    }
}

/// Plays a match.
///
/// `seat` returns the policy of an agent, given the state, its id and its entrant; or the reason why there is no such
/// entrant. `program` is the name and version of the program for the record and the replay. The replay is written to
/// `replay`, if there is one.
///
/// # Errors
///
/// Fails if the match is one of another game, has faults, or names strategies that do not exist; and if the replay
/// cannot be written.
pub fn play<E, P>(
    spec: &MatchSpec,
    program: &str,
    mut seat: impl FnMut(&E, AgentId, &str) -> Result<P, String>,
    replay: Option<&mut dyn Write>,
) -> Result<MatchRecord, PlayError>
where
    E: Notation + Measured,
    P: Policy<E> + ReportsBlunders,
{
    if spec.game != E::GAME {
        return Err(PlayError::OtherGame { found: spec.game.clone(), expected: E::GAME.to_owned() });
    }
    let config = E::read_config(&spec.config).map_err(PlayError::Config)?;
    let mut state = E::new(&config, spec.seed);
    if spec.entrants.len() != state.agents() {
        return Err(PlayError::Entrants { found: spec.entrants.len(), expected: state.agents() });
    }
    let mut seats = Vec::with_capacity(spec.entrants.len());
    for (agent, entrant) in AgentId::all(state.agents()).zip(&spec.entrants) {
        let seated = seat(&state, agent, entrant);
        seats.push(seated.map_err(|reason| PlayError::Entrant { place: agent.index() + 1, reason })?);
    }
    let mut writer = match replay {
        None => None,
        Some(out) => {
            let players = Player::all(&state, |agent| &spec.entrants[agent.index()]);
            let mut header = Header::new::<E>(&config, spec.seed, players, program);
            (header.limits, header.thinking) = (spec.limits.into(), spec.limits.thinking);
            Some(Writer::new(out, &header).map_err(PlayError::Replay)?)
        }
    };
    let (mut meter, mut failures) = (state.meter(), Failures::default());
    let rollout = Rollout { limits: spec.limits.into(), ..Rollout::default() };
    let episode = rollout.play(&mut state, &mut seats, &mut (&mut meter, writer.as_mut(), &mut failures));
    if let Some(writer) = writer {
        let out = writer.finish().map_err(PlayError::Replay)?;
        out.flush().map_err(PlayError::Replay)?;
    }
    let count = seats.iter().map(ReportsBlunders::blunder_count).sum();
    let descriptions = seats.iter_mut().flat_map(ReportsBlunders::take_blunders);
    let (blunders, first_blunders) = Blunders::counted(count, descriptions).into_parts();
    Ok(MatchRecord {
        spec: spec.clone(),
        program: program.to_owned(),
        rules: E::RULES,
        outcome: episode.outcome,
        time: episode.time,
        steps: episode.steps,
        decisions: episode.decisions,
        metrics: state.metrics(&meter),
        hash: state.hash(),
        blunders,
        first_blunders,
        failed: failures.0,
    })
}

/// Notes the agents that give the game up.
#[derive(Default)]
struct Failures(Vec<Failed>);

impl<E: Environment> Witness<E> for Failures {
    fn disruption(&mut self, _: &E, at: SimTime, disruption: Disruption) {
        if let Disruption::Forfeited(agent, how) = disruption {
            self.0.push(Failed { agent, at, how });
        }
    }
}
