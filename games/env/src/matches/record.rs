//! The record of a match.

use std::fmt;
use std::io::Read;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::VERSION;
use super::json::{self, MatchFileError};
use super::spec::MatchSpec;
use crate::digest::hash_as_text;
use crate::ids::AgentId;
use crate::metrics::Metrics;
use crate::outcome::{Outcome, Termination};
use crate::text::{NotationError, fit_for_a_log};
use crate::time::SimTime;

/// The name of the format of records.
pub const RECORD_FORMAT: &str = "match-record";

const WHAT: &str = "match record";

/// The record of a match: its result and its figures. As text it is one line of JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "File", into = "File")]
pub struct MatchRecord {
    /// The match.
    pub spec: MatchSpec,
    /// Name and version of the program that played it.
    pub program: String,
    /// The version of the game's rules.
    pub rules: u32,
    /// The places of the teams, the reason of the end, and the agent at fault.
    pub outcome: Outcome,
    /// The moment of the end, in game time.
    pub time: SimTime,
    /// The number of actions served.
    pub steps: u64,
    /// The number of decisions of all agents, those to wait included.
    pub decisions: u64,
    /// The metrics of the game.
    pub metrics: Metrics,
    /// The hash of the last state.
    pub hash: u64,
    /// The number of blunders of entrants: panics, and whatever else their game's strategies report as one.
    pub blunders: u64,
    /// The first blunders in words.
    pub first_blunders: Vec<String>,
    /// The agents that failed in process, in the order of their failures. Over the network, the host keeps them
    /// elsewhere.
    pub failed: Vec<Failed>,
}

/// An agent that gave the game up because it failed: its strategy panicked, or its program ended or broke a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The agent.
    pub agent: AgentId,
    /// The moment, in game time.
    pub at: SimTime,
    /// The kind of the failure.
    pub how: Termination,
}

impl MatchRecord {
    /// Reads a record from a file of at most [`LONGEST_FILE`](super::LONGEST_FILE) bytes.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is something else, or has a fault.
    pub fn read(file: impl Read) -> Result<Self, MatchFileError> {
        json::text(file, WHAT)?.parse()
    }

    /// Checks that it has a place for each team of its match, which has this number of them. A record that was written
    /// by others may have more or fewer: only the game knows its teams.
    ///
    /// # Errors
    ///
    /// Names both numbers.
    pub fn check_teams(&self, teams: usize) -> Result<(), String> {
        match self.outcome.ranking.places().len() {
            places if places == teams => Ok(()),
            places => Err(format!("it has places for {places} teams: expected {teams}")),
        }
    }
}

/// One line of JSON.
impl fmt::Display for MatchRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for MatchRecord {
    type Err = MatchFileError;

    fn from_str(text: &str) -> Result<Self, MatchFileError> {
        json::parse(text, WHAT, RECORD_FORMAT)
    }
}

/// A record as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    #[serde(rename = "match")]
    spec: MatchSpec,
    program: String,
    rules: u32,
    outcome: OutcomeFile,
    #[serde(rename = "time_ms", with = "crate::time::as_millis")]
    time: SimTime,
    steps: u64,
    decisions: u64,
    metrics: MetricsFile,
    #[serde(with = "hash_as_text")]
    hash: u64,
    blunders: u64,
    first_blunders: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failed: Vec<FailedFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FailedFile {
    agent: u16,
    at_ms: u64,
    how: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeFile {
    places: Vec<u8>,
    termination: String,
    fault: Option<u16>,
    returns: Vec<i32>,
}

impl From<MatchRecord> for File {
    fn from(record: MatchRecord) -> Self {
        let MatchRecord { spec, program, rules, outcome, time, steps, decisions, metrics, hash, .. } = record;
        let outcome = OutcomeFile {
            places: outcome.ranking.places().to_vec(),
            termination: outcome.termination.to_string(),
            fault: outcome.fault.map(number),
            returns: outcome.returns.points().to_vec(),
        };
        Self {
            format: RECORD_FORMAT.to_owned(),
            version: VERSION,
            spec,
            program,
            rules,
            outcome,
            time,
            steps,
            decisions,
            metrics: MetricsFile(metrics),
            hash,
            blunders: record.blunders,
            first_blunders: record.first_blunders,
            failed: record.failed.into_iter().map(FailedFile::from).collect(),
        }
    }
}

fn number(agent: AgentId) -> u16 {
    u16::try_from(agent.index()).expect("ids have 16 bits")
}

impl From<Failed> for FailedFile {
    fn from(Failed { agent, at, how }: Failed) -> Self {
        Self { agent: number(agent), at_ms: at.as_millis(), how: how.to_string() }
    }
}

impl FailedFile {
    /// Returns the failure, if the game has this number of agents.
    fn read(&self, agents: usize) -> Result<Failed, String> {
        let agent = AgentId::new(self.agent);
        if agent.index() >= agents {
            return Err(format!("failed agent {}: there are {agents} agents", self.agent));
        }
        let how = self.how.parse().map_err(|error: NotationError| error.to_string())?;
        Ok(Failed { agent, at: SimTime::from_millis(self.at_ms), how })
    }
}

impl TryFrom<File> for MatchRecord {
    type Error = String;

    fn try_from(file: File) -> Result<Self, String> {
        if file.format != RECORD_FORMAT {
            return Err(format!("format `{}`: expected `{RECORD_FORMAT}`", fit_for_a_log(&file.format)));
        }
        if file.version != VERSION {
            return Err(format!("version {} of the record: expected {VERSION}", file.version));
        }
        let OutcomeFile { places, termination, fault, returns } = file.outcome;
        let outcome = Outcome::from_parts(&places, &termination, fault, &returns)?;
        if let Some(agent) = outcome.fault.filter(|agent| agent.index() >= file.spec.entrants.len()) {
            return Err(format!("fault {}: there are {} agents", agent.index(), file.spec.entrants.len()));
        }
        let MetricsFile(metrics) = file.metrics;
        if let Some(metric) = metrics.iter().find(|metric| metric.values.len() != returns.len()) {
            let (name, values) = (fit_for_a_log(&metric.name), metric.values.len());
            return Err(format!("metric `{name}` has {values} values: expected {}", returns.len()));
        }
        if file.first_blunders.len() as u64 > file.blunders {
            return Err(format!("{} first blunders of {}", file.first_blunders.len(), file.blunders));
        }
        let agents = file.spec.entrants.len();
        let failed = file.failed.iter().map(|failed| failed.read(agents)).collect::<Result<_, _>>()?;
        Ok(Self {
            spec: file.spec,
            program: file.program,
            rules: file.rules,
            outcome,
            time: file.time,
            steps: file.steps,
            decisions: file.decisions,
            metrics,
            hash: file.hash,
            blunders: file.blunders,
            first_blunders: file.first_blunders,
            failed,
        })
    }
}

/// An object of arrays, in its order.
struct MetricsFile(Metrics);

impl Serialize for MetricsFile {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|metric| (&metric.name, &metric.values)))
    }
}

impl<'de> Deserialize<'de> for MetricsFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Metrics;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of arrays of numbers")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Metrics, A::Error> {
                use serde::de::Error as _;

                let mut metrics = Metrics::new();
                while let Some((name, values)) = map.next_entry::<String, Vec<f64>>()? {
                    metrics.try_push(name, values).map_err(A::Error::custom)?;
                }
                Ok(metrics)
            }
        }

        deserializer.deserialize_map(Members).map(Self)
    }
}
