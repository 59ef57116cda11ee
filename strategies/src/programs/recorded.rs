//! The lines that a program would have read in a recorded game.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use game_env::replay::{self, Playback, Reader, ReplayError};
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
    /// The agent answered a question there, and a program is not asked for answers unless it wishes to be.
    #[error("action {action} of agent {agent} is an answer: a program reads no line for it")]
    NoLine {
        /// The agent.
        agent: AgentId,
        /// The number of the action.
        action: usize,
    },
    /// The lines cannot be written.
    #[error("cannot write the lines: {0}")]
    Write(#[from] io::Error),
}

/// Writes the lines that a program in the place of this agent would have read: `hello`, a `decide` for each action of
/// the agent, and `end`; or those up to the `decide` for the agent's action with the number `last`, counted from 0.
///
/// A replay has no decisions to wait, so there are no lines for them. `seat` returns the agent's seat, given the first
/// state and the program.
pub(crate) fn recorded<E: Notation, P: Policy<E>>(
    recording: Reader<'_>,
    agent: AgentId,
    last: Option<usize>,
    out: &mut dyn Write,
    seat: impl FnOnce(&E, Box<dyn Peer>) -> P,
) -> Result<(), RecordedError> {
    let mut playback = Playback::<E>::of(recording)?;
    let agents = playback.state().agents();
    if agent.index() >= agents {
        return Err(RecordedError::Agent { agent, agents });
    }
    let lines = Lines::default();
    let seat = seat(playback.state(), Box::new(lines.clone()));
    let team = playback.state().team(agent);
    let observation = E::Observation::default();
    let mut replaying = Replaying { agent, team, seat, lines, observation, last, actions: 0, is_over: false };
    while !replaying.is_over && playback.advance(&mut replaying)? != replay::Progress::Finished {}
    let summary = playback.summary();
    if let Some(outcome) = summary.outcome.as_ref().filter(|_| last.is_none()) {
        replaying.seat.end(summary.time, outcome);
    }
    let repeated = replaying.lines.repeated();
    if let Some(action) = last.filter(|_| repeated.length_before == repeated.written.len()) {
        return Err(RecordedError::NoLine { agent, action });
    }
    out.write_all(&repeated.written)?;
    Ok(())
}

/// A program that repeats the actions of a replay.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Repeated>>);

#[derive(Default)]
struct Repeated {
    /// The lines that were read so far.
    written: Vec<u8>,
    /// Their length before the last action.
    length_before: usize,
    /// The action that comes next.
    action: String,
}

impl Lines {
    fn repeated(&self) -> MutexGuard<'_, Repeated> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer for Lines {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let mut repeated = self.repeated();
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
    /// The number of the agent's last action that is shown; none if all are.
    last: Option<usize>,
    /// The number of the agent's actions so far.
    actions: usize,
    is_over: bool,
}

impl<E: Notation, P: Policy<E>> Witness<E> for Replaying<E, P> {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        if agent == self.agent && !self.is_over {
            let mut repeated = self.lines.repeated();
            repeated.action = action.to_string();
            repeated.length_before = repeated.written.len();
            drop(repeated);
            self.is_over = self.last == Some(self.actions);
            self.actions += 1;
            state.observe(agent, &mut self.observation);
            let _ = self.seat.choose(now, agent, &self.observation);
            self.seat.sent(now, agent, action);
        }
    }

    fn event(&mut self, now: SimTime, event: &E::Event) {
        if !self.is_over && event.audience().includes(self.agent, self.team) {
            self.seat.hear(now, self.agent, event);
        }
    }
}
