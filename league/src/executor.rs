//! Executors play matches: in this process, or over the network. They keep no standings.

use game_env::matches::{Failed, MatchRecord, MatchSpec};
use game_env::{AgentId, SimTime};

use contests::text;
use wire::agent::FaultReport;

/// Plays matches. The results of different executors never share a standing.
pub trait Executor: Sync {
    /// Returns the name that distinguishes its results from those of other executors, e.g. `in-process`.
    fn name(&self) -> &'static str;

    /// Returns the name and version of the program that plays, as records have it.
    fn program(&self) -> &str;

    /// Plays a match, and records its replay if asked for.
    ///
    /// # Errors
    ///
    /// Fails if the match cannot be played at all: no such game or strategy, a faulty configuration. A failure while it
    /// is played is the match's termination.
    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay>;
}

/// A match that was played.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The record of the match.
    pub record: MatchRecord,
    /// Its replay, compressed, if it was asked for.
    pub replay: Option<Vec<u8>>,
    /// Logs of programs and of the host while it was played. In process, the record has the reports about programs.
    pub logs: Vec<Log>,
    /// The agents that failed although the others could play on, in the order of agent ids.
    pub failures: Vec<Failure>,
}

impl Played {
    /// Returns a match that was played in process: its record names the agents that failed.
    pub fn in_process(record: MatchRecord, replay: Option<Vec<u8>>, logs: Vec<Log>) -> Self {
        let failure = |Failed { agent, at, how }: &Failed| {
            let report = record.first_blunders.iter().find_map(|report| FaultReport::read(report, *agent));
            // A strategy that panics has another report, and those of many failures are not all kept.
            let (how, last_line) = report
                .map_or_else(|| (how.to_string(), ""), |report| (report.fault.to_owned(), report.last_line));
            Failure { agent: *agent, at: Some(*at), how, last_line: last_line.to_owned() }
        };
        let mut failures: Vec<Failure> = record.failed.iter().map(failure).collect();
        failures.sort_by_key(|failure| failure.agent);
        Self { record, replay, logs, failures }
    }

    /// Returns why this machine has failed the match, if it has and a log says so.
    pub fn host_fault(&self) -> Option<&str> {
        self.logs.iter().find(|log| log.source == HOST_FAULT).map(|log| log.text.as_str())
    }
}

/// A report of an agent or the host, beside the game: the end of a program with the end of its standard error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// Author of the log: `agent #2 (red)`, `host`.
    pub source: String,
    /// Content of the log, as text that a terminal shows as it is.
    pub text: String,
}

impl Log {
    /// Returns the number of bytes of both.
    pub(crate) fn bytes(&self) -> usize {
        self.source.len() + self.text.len()
    }
}

/// The source of the log that says why this machine has failed a match.
pub(crate) const HOST_FAULT: &str = "fault of the host";

/// An agent that failed in a match: its program crashed, did not join, left, or was disconnected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The agent.
    pub agent: AgentId,
    /// The game time of the failure; none if there was no game.
    pub at: Option<SimTime>,
    /// The failure, as words after the agent's name: `ended with exit code 1`.
    pub how: String,
    /// The last line that its program has written: of standard error, or of standard output if there is none. Empty if
    /// there is neither.
    pub last_line: String,
}

/// Reason why a match cannot be played.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CannotPlay(pub String);

/// Returns the difference between two records of one match, apart from the program that played it; none if they are
/// equal.
pub fn difference(stored: &MatchRecord, played: &MatchRecord) -> Option<String> {
    let played = MatchRecord { program: stored.program.clone(), ..played.clone() };
    if *stored == played {
        return None;
    }
    let told = |record: &MatchRecord| {
        format!(
            "{} after {} with state {:016x}",
            record.outcome.termination,
            text::counted(record.steps, "action", "actions"),
            record.hash
        )
    };
    let (before, now) = (told(stored), told(&played));
    Some(if before == now {
        format!("it ends the same way ({now}) with other metrics or blunders")
    } else {
        format!("it took another course: stored {before}, played {now}")
    })
}
