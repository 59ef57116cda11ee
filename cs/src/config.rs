//! The parameters that the operator of the server may choose: defaults, a JSON file over them, flags over the file.
//!
//! One table, [`PARAMETERS`], is behind the file, the flags and the help, so that they cannot differ.
//! A configuration is checked whole: every fault is named at once, and none falls back to a default.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use command_line::{ADDRESS, LogFilter};
use game_env::configuration::File;
use game_env::parameter::{Checked, Form, Parameter};
use game_env::text::list_faults;
use game_env::{Fault, Millis, Parameters, Value};
use thiserror::Error;

/// A configuration that the server can run with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// `listen`: the address of both ports.
    pub listen: IpAddr,
    /// `portAgentow`: the port for agents; 0 for any free port.
    pub port_agents: u16,
    /// `portGM`: the port for the game master; 0 for any free port.
    pub port_gm: u16,
    /// The limits on peers.
    pub limits: Limits,
    /// `logDirectory`: where to write log files, if anywhere.
    pub log_directory: Option<PathBuf>,
    /// `log`: the lines that are logged; `None` for those that `RUST_LOG` names.
    pub log: Option<LogFilter>,
    /// `metricsPort`: the port for Prometheus on the loopback address, if any.
    pub metrics_port: Option<u16>,
}

/// The limits on peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// `maxConnections`: agents connected at once.
    pub connections: usize,
    /// `maxMessageBytes`: the longest body.
    pub message_bytes: u16,
    /// `maxInvalidMessages`: how many invalid messages end a connection.
    pub invalid_messages: u32,
    /// `maxBytesForAgent`: how much may wait for an agent that reads slowly.
    pub agent_buffer_bytes: usize,
    /// `maxBytesForGM`: how much may wait for the game master before agents are not read.
    pub gm_buffer_bytes: usize,
    /// `gmWaitMs`: time limit of agents that wait for a game master.
    pub gm_wait: Millis,
    /// `gmAnswerMs`: time limit for the first answer of a connection to the game master's port while another one waits.
    pub gm_answer: Millis,
    /// `firstMessageMs`: time limit for an agent's join while a game master is connected.
    pub first_message: Millis,
    /// `messageMs`: time limit for a message, from its first byte to its last.
    pub message: Millis,
    /// `stallMs`: time limit for a peer that reads nothing although data waits for it.
    pub stall: Millis,
    /// `farewellMs`: time limit for a peer to close its end when the server ends.
    pub farewell: Millis,
    /// `maxLogLinesPerSecond`: how many lines in the log peers may cause.
    pub log_lines_per_second: u32,
    /// `reportLostAgents`: whether the game master is told (906) when an agent's connection ends.
    pub report_lost_agents: bool,
}

/// Smallest buffer for an agent, in bytes: far more than one turn of the server can read for it from the game master.
/// With a smaller buffer, an agent that reads as fast as it can might be taken for a slow one.
const LEAST_BUFFER: i64 = 256 * 1024;

const HOUR_MS: i64 = 3_600_000;

/// Every parameter of the server, in the order of files.
pub const PARAMETERS: [Parameter; 19] = {
    const fn span(name: &'static str, meaning: &'static str, default: i64, most: i64) -> Parameter {
        Parameter::whole(name, meaning, default, 1, most).unit("ms")
    }
    use Parameter as P;
    [
        P::whole("portAgentow", "the port for agents; 0 for any free port", 3727, 0, 65_535).source(
            &["portAgentow"],
            FILE,
            "3727",
        ),
        P::whole("portGM", "the port for the game master; 0 for any free port", 3728, 0, 65_535).source(
            &["portGM"],
            FILE,
            "3728",
        ),
        P::text("listen", "the address of both ports", "127.0.0.1", ADDRESS),
        P::whole("maxConnections", "agents connected at once", 16_384, 1, 1_000_000),
        P::whole(
            "maxMessageBytes",
            "the longest message, without its two bytes of length",
            65_535,
            64,
            65_535,
        ),
        P::whole(
            "maxInvalidMessages",
            "number of invalid messages after which a connection is closed",
            100,
            1,
            1_000_000_000,
        ),
        P::whole(
            "maxBytesForAgent",
            "limit in bytes for data that waits for an agent; beyond it, the agent is disconnected",
            1 << 20,
            LEAST_BUFFER,
            1 << 30,
        ),
        P::whole(
            "maxBytesForGM",
            "limit in bytes for data that waits for the game master; beyond it, agents are not read",
            4 << 20,
            LEAST_BUFFER,
            1 << 30,
        ),
        span("gmWaitMs", "time limit of agents that wait for a game master", 60_000, HOUR_MS),
        span(
            "gmAnswerMs",
            "time limit for the first answer of a connection to the game master's port while another one waits",
            2000,
            HOUR_MS,
        ),
        span(
            "firstMessageMs",
            "time limit for an agent's join while a game master is connected",
            60_000,
            HOUR_MS,
        ),
        span("messageMs", "time limit for a message, from its first byte to its last", 10_000, HOUR_MS),
        span(
            "stallMs",
            "time limit for a peer that reads nothing although data waits for it",
            30_000,
            HOUR_MS,
        ),
        span("farewellMs", "time limit for a peer to close its end when the server ends", 800, 60_000),
        P::whole("maxLogLinesPerSecond", "limit for log lines in a second that peers cause", 50, 1, 100_000),
        P::flag(
            "reportLostAgents",
            "whether the server reports lost agents to the game master (message 906)",
            true,
        ),
        P::text("logDirectory", "the folder for log files; empty for none", "logs", FOLDER),
        LogFilter::PARAMETER,
        P::whole("metricsPort", "the port for Prometheus on the loopback address; 0 for none", 0, 0, 65_535),
    ]
};

/// The section of the source that has the communication server's file.
const FILE: &str = "7.1";

const FOLDER: Form = Form { allowed: "the path of a folder in quotes", check: |_| Ok(()) };

/// The faults because of which there is no configuration.
#[derive(Clone, PartialEq, Debug, Error)]
pub struct ConfigError {
    /// The faults, in the order in which they were found.
    pub faults: Vec<Fault>,
}

impl Config {
    /// Returns the configuration with these values, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every key that is unknown, with the one that may be meant, every key that is there twice, and every value
    /// that cannot be.
    pub fn new(values: &Parameters) -> Result<Self, ConfigError> {
        Self::layered(&File::default(), values)
    }

    /// Returns the configuration with the values of a file, these over them, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// As [`Config::new`].
    pub fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        let checked = Checked::layered(&PARAMETERS, file, flags);
        Self::checked(&checked.map_err(|error| ConfigError { faults: error.into_faults() })?)
    }

    /// Returns the configuration with these values, each of which is in its range.
    fn checked(reader: &Checked) -> Result<Self, ConfigError> {
        let port_agents = reader.whole("portAgentow");
        let port_gm = reader.whole("portGM");
        let listen = reader.parsed("listen");
        let limits = Limits {
            connections: reader.whole("maxConnections"),
            message_bytes: reader.whole("maxMessageBytes"),
            invalid_messages: reader.whole("maxInvalidMessages"),
            agent_buffer_bytes: reader.whole("maxBytesForAgent"),
            gm_buffer_bytes: reader.whole("maxBytesForGM"),
            gm_wait: reader.millis("gmWaitMs"),
            gm_answer: reader.millis("gmAnswerMs"),
            first_message: reader.millis("firstMessageMs"),
            message: reader.millis("messageMs"),
            stall: reader.millis("stallMs"),
            farewell: reader.millis("farewellMs"),
            log_lines_per_second: reader.whole("maxLogLinesPerSecond"),
            report_lost_agents: reader.flag("reportLostAgents"),
        };
        let log_directory = reader.filled("logDirectory").map(PathBuf::from);
        let log = reader.filled("log").map(|_| reader.parsed("log"));
        let metrics_port = Some(reader.whole("metricsPort")).filter(|port| *port != 0);
        let mut faults = Vec::new();
        let mut taken = |name: &str, port: u16, by: &str| {
            let why = format!("{by} has it");
            faults.push(Fault::new(name, &Value::Whole(port.into()), why, "another port"));
        };
        for (name, port) in [("portGM", Some(port_gm)), ("metricsPort", metrics_port)] {
            if port.is_some_and(|port| port != 0 && port == port_agents) {
                taken(name, port_agents, "portAgentow");
            }
        }
        if metrics_port.is_some_and(|port| port == port_gm) {
            taken("metricsPort", port_gm, "portGM");
        }
        if !faults.is_empty() {
            return Err(ConfigError { faults });
        }
        Ok(Self { listen, port_agents, port_gm, limits, log_directory, log, metrics_port })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new(&Parameters::new()).expect("the defaults are allowed")
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration cannot be used\n")?;
        list_faults(f, "  ", &self.faults)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn read(values: Json) -> Result<Config, String> {
        let file = game_env::configuration::read(values.to_string().as_bytes()).unwrap();
        Config::layered(&file, &Parameters::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_specification() {
        let config = read(json!({})).unwrap();
        assert_eq!((config.port_agents, config.port_gm), (3727, 3728));
        assert_eq!(config.listen.to_string(), "127.0.0.1");
        assert_eq!((config.limits.message_bytes, config.limits.invalid_messages), (65_535, 100));
        assert!(config.limits.report_lost_agents);
    }

    #[test]
    fn every_parameter_can_be_set_to_its_own_default() {
        let all = PARAMETERS.iter().map(|known| (known.name, known.parse(&known.default.to_string())));
        assert_eq!(Config::new(&all.collect()), Ok(Config::default()));
    }

    #[test]
    fn every_fault_is_named_at_once() {
        insta::assert_snapshot!(
            read(json!({
                "portAgentow": 65536, "portgm": 1, "maxMessageBytes": -1, "maxInvalidMessages": "many",
                "listen": "localhost", "reportLostAgents": 1, "logDirectory": null,
            }))
            .unwrap_err(),
            @r#"
        the configuration cannot be used
          logDirectory = null: wrong type; allowed: the path of a folder in quotes
          maxInvalidMessages = "many": wrong type; allowed: a whole number from 1 to 1000000000
          portgm = 1: unknown parameter; allowed: perhaps `portGM`
          reportLostAgents = 1: wrong type; allowed: true or false
          portAgentow = 65536: it is too large; allowed: a whole number from 0 to 65535
          listen = "localhost": it is no address; allowed: an IPv4 or IPv6 address in quotes
          maxMessageBytes = -1: it is too small; allowed: a whole number from 64 to 65535
        "#
        );
    }

    #[test]
    fn two_ports_cannot_be_one() {
        insta::assert_snapshot!(
            read(json!({"portAgentow": 3728, "metricsPort": 3728})).unwrap_err(),
            @r"
        the configuration cannot be used
          portGM = 3728: portAgentow has it; allowed: another port
          metricsPort = 3728: portAgentow has it; allowed: another port
          metricsPort = 3728: portGM has it; allowed: another port
        "
        );
        assert!(read(json!({"portAgentow": 0, "portGM": 0})).is_ok());
    }
}
