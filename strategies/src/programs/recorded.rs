//! The lines that a program would have read in a recorded game.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use game_env::replay::{Playback, Reader, ReplayError};
use game_env::{Addressed as _, AgentId, Notation, Policy, SimTime, TeamId, Witness};
use wire::agent::message::Answer;
use wire::agent::{Lost, Peer, Progress};

/// Reasons why the lines of an agent cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The replay cannot be played.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There is no such agent.
    #[error("no agent {agent} plays in this replay: expected #0 to #{last}", last = .agents - 1)]
    Agent {
        /// The agent.
        agent: AgentId,
        /// The number of agents.
        agents: usize,
    },
    /// The lines cannot be written.
    #[error("cannot write the lines: {0}")]
    Write(#[from] io::Error),
}

/// Writes the lines that a program in the place of this agent would have read: `hello`, a `decide` for each action of the
/// agent, and `end`.
///
/// A replay has no decisions to wait, so there are no lines for them. `seat` returns the agent's seat, given the first
/// state and the program.
pub(crate) fn recorded<E: Notation, P: Policy<E>>(
    replay: Reader<'_>,
    agent: AgentId,
    out: &mut dyn Write,
    seat: impl FnOnce(&E, Box<dyn Peer>) -> P,
) -> Result<(), RecordedError> {
    let mut playback = Playback::<E>::of(replay)?;
    let agents = playback.state().agents();
    if agent.index() >= agents {
        return Err(RecordedError::Agent { agent, agents });
    }
    let lines = Lines::default();
    let seat = seat(playback.state(), Box::new(lines.clone()));
    let team = playback.state().team(agent);
    let mut replaying = Replaying { agent, team, seat, lines, observation: E::Observation::default() };
    let summary = playback.run(&mut replaying)?;
    if let Some(outcome) = &summary.outcome {
        replaying.seat.end(summary.time, outcome);
    }
    out.write_all(&replaying.lines.0.lock().unwrap_or_else(PoisonError::into_inner).written)?;
    Ok(())
}

/// A program that repeats the actions of a replay.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Repeated>>);

#[derive(Default)]
struct Repeated {
    /// The lines that were read so far.
    written: Vec<u8>,
    /// The action that comes next.
    action: String,
}

impl Peer for Lines {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let mut repeated = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        repeated.written.extend_from_slice(line);
        let answer = if line.starts_with(br#"{"type":"hello""#) {
            "{\"type\":\"ready\"}".to_owned()
        } else {
            serde_json::to_string(&Answer::act(&repeated.action)).unwrap_or_default()
        };
        read(format!("{answer}\n").as_bytes());
        Ok(Duration::ZERO)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// Shows an agent's seat the game, and asks it wherever the agent acted.
struct Replaying<E: Notation, P> {
    agent: AgentId,
    team: TeamId,
    seat: P,
    lines: Lines,
    observation: E::Observation,
}

impl<E: Notation, P: Policy<E>> Witness<E> for Replaying<E, P> {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        if agent == self.agent {
            self.lines.0.lock().unwrap_or_else(PoisonError::into_inner).action = action.to_string();
            state.observe(agent, &mut self.observation);
            let _ = self.seat.choose(now, agent, &self.observation);
            self.seat.sent(now, agent, action);
        }
    }

    fn event(&mut self, now: SimTime, event: &E::Event) {
        if event.audience().includes(self.agent, self.team) {
            self.seat.hear(now, self.agent, event);
        }
    }
}
