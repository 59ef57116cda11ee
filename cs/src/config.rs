//! What whoever runs the server may choose: defaults, a JSON file over them, flags over the file.
//!
//! One table, [`Config::parameters`], is behind the file, the flags and the help, so that they cannot differ.
//! A configuration is checked whole: every fault is named at once, and none falls back to a default.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use command_line::LogFilter;
use game_env::configuration::File;
use game_env::names::nearest;
use game_env::notation::escape_hidden;
use game_env::notation::{fit_for_a_log, list_faults};
use serde_json::{Map, Value};
use thiserror::Error;

/// A configuration that the server can run with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// `listen`: the address of both ports.
    pub listen: IpAddr,
    /// `portAgentow`: the port for agents; 0 for any that is free.
    pub port_agents: u16,
    /// `portGM`: the port for the game master; 0 for any that is free.
    pub port_gm: u16,
    /// The bounds on what peers may do.
    pub limits: Limits,
    /// `logDirectory`: where to write log files, if anywhere.
    pub log_directory: Option<PathBuf>,
    /// `log`: the lines that are logged; `None` for those that `RUST_LOG` names.
    pub log: Option<LogFilter>,
    /// `metricsPort`: the port for Prometheus on the loopback address, if any.
    pub metrics_port: Option<u16>,
}

/// The bounds on what peers may do.
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
    /// `gmWaitMs`: how long agents wait for a game master.
    pub gm_wait: Duration,
    /// `gmAnswerMs`: how long a connection to the game master's port may take for its first answer while another waits.
    pub gm_answer: Duration,
    /// `firstMessageMs`: how long an agent may take to ask to join once a game master is there.
    pub first_message: Duration,
    /// `messageMs`: how long a message may take from its first byte to its last.
    pub message: Duration,
    /// `stallMs`: how long a peer may read nothing while something waits for it.
    pub stall: Duration,
    /// `farewellMs`: how long a peer may take to close its end when the server ends.
    pub farewell: Duration,
    /// `maxLogLinesPerSecond`: how many lines in the log peers may cause.
    pub log_lines_per_second: u32,
    /// `reportLostAgents`: whether the game master is told (906) when an agent's connection ends.
    pub report_lost_agents: bool,
}

/// What there is to say of one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name in files; flags spell it with hyphens.
    pub name: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// Its value unless given.
    pub default: Default,
    /// What it may be.
    pub range: Range,
}

/// A default value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    /// A number.
    Whole(u64),
    /// Yes or no.
    Flag(bool),
    /// A text; empty for nothing.
    Text(&'static str),
}

/// The values that a parameter may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// A whole number between these, both included.
    Whole(u64, u64),
    /// Yes or no.
    Flag,
    /// An IPv4 or IPv6 address.
    Address,
    /// The path of a folder, or nothing.
    Folder,
    /// What a [`LogFilter`] reads, or nothing.
    Log,
}

/// What one turn of the server can read for an agent from the game master is far less; below this an agent
/// that reads as fast as it can might be taken for a slow one.
const LEAST_BUFFER: u64 = 256 * 1024;

const HOUR_MS: u64 = 3_600_000;

const TABLE: [Parameter; 19] = {
    const fn whole(
        name: &'static str,
        meaning: &'static str,
        default: u64,
        least: u64,
        most: u64,
    ) -> Parameter {
        Parameter { name, meaning, default: Default::Whole(default), range: Range::Whole(least, most) }
    }
    const fn text(
        name: &'static str,
        meaning: &'static str,
        default: &'static str,
        range: Range,
    ) -> Parameter {
        Parameter { name, meaning, default: Default::Text(default), range }
    }
    [
        whole("portAgentow", "the port for agents; 0 for any that is free", 3727, 0, 65_535),
        whole("portGM", "the port for the game master; 0 for any that is free", 3728, 0, 65_535),
        text("listen", "the address of both ports", "127.0.0.1", Range::Address),
        whole("maxConnections", "agents connected at once", 16_384, 1, 1_000_000),
        whole("maxMessageBytes", "the longest message, without its two bytes of length", 8192, 64, 65_535),
        whole("maxInvalidMessages", "invalid messages that end a connection", 100, 1, 1_000_000_000),
        whole(
            "maxBytesForAgent",
            "bytes that may wait for an agent before it is dropped as a slow reader",
            1 << 20,
            LEAST_BUFFER,
            1 << 30,
        ),
        whole(
            "maxBytesForGM",
            "bytes that may wait for the game master before agents are not read",
            4 << 20,
            LEAST_BUFFER,
            1 << 30,
        ),
        whole("gmWaitMs", "how long agents wait for a game master, ms", 60_000, 1, HOUR_MS),
        whole(
            "gmAnswerMs",
            "how long a connection to the game master's port may take for its first answer while another waits, ms",
            2000,
            1,
            HOUR_MS,
        ),
        whole(
            "firstMessageMs",
            "how long an agent may take to ask to join once a game master is there, ms",
            60_000,
            1,
            HOUR_MS,
        ),
        whole(
            "messageMs",
            "how long a message may take from its first byte to its last, ms",
            10_000,
            1,
            HOUR_MS,
        ),
        whole(
            "stallMs",
            "how long a peer may read nothing while something waits for it, ms",
            30_000,
            1,
            HOUR_MS,
        ),
        whole(
            "farewellMs",
            "how long a peer may take to close its end when the server ends, ms",
            1000,
            1,
            60_000,
        ),
        whole("maxLogLinesPerSecond", "lines in the log that peers may cause in a second", 50, 1, 100_000),
        Parameter {
            name: "reportLostAgents",
            meaning: "whether the game master is told (message 906) when an agent's connection ends",
            default: Default::Flag(true),
            range: Range::Flag,
        },
        text("logDirectory", "the folder for log files; empty for none", "logs", Range::Folder),
        text(
            "log",
            "what is logged: error, warn, info, debug, trace; empty: as in RUST_LOG, or info",
            "",
            Range::Log,
        ),
        whole("metricsPort", "the port for Prometheus on the loopback address; 0 for none", 0, 0, 65_535),
    ]
};

/// Why there is no configuration: every fault there is.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct ConfigError {
    /// The faults, in the order in which they were found.
    pub faults: Vec<Fault>,
}

/// One thing wrong with a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The key that is wrong.
    pub field: String,
    /// Its value.
    pub value: String,
    /// Why it cannot be.
    pub why: &'static str,
    /// What would be allowed.
    pub allowed: String,
}

impl Config {
    /// Every parameter there is, in the order of files.
    pub fn parameters() -> impl ExactSizeIterator<Item = &'static Parameter> {
        TABLE.iter()
    }

    /// The configuration with these values, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every key that is unknown, with the one that may be meant, and every value that cannot be.
    pub fn new(values: &Map<String, Value>) -> Result<Self, ConfigError> {
        Self::checked(values, Vec::new())
    }

    /// The configuration with the values of a file, these over them, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// As [`Config::new`], and names every key that the file has twice.
    pub fn layered(
        file: &File,
        flags: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Self, ConfigError> {
        let twice = |(key, value): &(String, Value)| Fault::new(key, value, "it is given twice", "one value");
        let faults = file.repeated().map(twice).collect();
        let values: Map<String, Value> = file.members.iter().cloned().chain(flags).collect();
        Self::checked(&values, faults)
    }

    /// The configuration with these values; `faults` are those found before.
    fn checked(values: &Map<String, Value>, faults: Vec<Fault>) -> Result<Self, ConfigError> {
        let mut reader = Reader { values, faults };
        reader.refuse_unknown();
        let port_agents = reader.short("portAgentow");
        let port_gm = reader.short("portGM");
        let listen = reader.address("listen");
        let limits = Limits {
            connections: reader.size("maxConnections"),
            message_bytes: reader.short("maxMessageBytes"),
            invalid_messages: reader.long("maxInvalidMessages"),
            agent_buffer_bytes: reader.size("maxBytesForAgent"),
            gm_buffer_bytes: reader.size("maxBytesForGM"),
            gm_wait: reader.milliseconds("gmWaitMs"),
            gm_answer: reader.milliseconds("gmAnswerMs"),
            first_message: reader.milliseconds("firstMessageMs"),
            message: reader.milliseconds("messageMs"),
            stall: reader.milliseconds("stallMs"),
            farewell: reader.milliseconds("farewellMs"),
            log_lines_per_second: reader.long("maxLogLinesPerSecond"),
            report_lost_agents: reader.flag("reportLostAgents"),
        };
        let folder = reader.text("logDirectory");
        let log_directory = (!folder.is_empty()).then(|| folder.into());
        let log = reader.filter("log");
        let metrics_port = Some(reader.short("metricsPort")).filter(|port| *port != 0);
        let mut faults = reader.faults;
        if faults.is_empty() {
            for (name, port) in [("portGM", Some(port_gm)), ("metricsPort", metrics_port)] {
                if port.is_some_and(|port| port != 0 && port == port_agents) {
                    faults.push(Fault::new(name, port_agents, "portAgentow has it", "another port"));
                }
            }
            if metrics_port.is_some_and(|port| port == port_gm) {
                faults.push(Fault::new("metricsPort", port_gm, "portGM has it", "another port"));
            }
        }
        if !faults.is_empty() {
            return Err(ConfigError { faults });
        }
        Ok(Self { listen, port_agents, port_gm, limits, log_directory, log, metrics_port })
    }
}

impl std::default::Default for Config {
    fn default() -> Self {
        Self::new(&Map::new()).expect("the defaults are allowed")
    }
}

impl Parameter {
    /// Its name as a flag: `portAgentow` is `port-agentow`, `portGM` is `port-gm`.
    pub fn flag(&self) -> String {
        let mut flag = String::new();
        let mut last_was_small = false;
        for letter in self.name.chars() {
            if letter.is_uppercase() && last_was_small {
                flag.push('-');
            }
            last_was_small = letter.is_lowercase();
            flag.push(letter.to_ascii_lowercase());
        }
        flag
    }

    /// The value that a flag's text stands for: a number or a truth where one is wanted, else the text itself,
    /// for [`Config::new`] to find fault with.
    pub fn read(&self, text: &str) -> Value {
        match self.range {
            Range::Whole(..) => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
            Range::Flag => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
            Range::Address | Range::Folder | Range::Log => text.into(),
        }
    }
}

/// Reads values by name and collects what is wrong with them.
struct Reader<'a> {
    values: &'a Map<String, Value>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn refuse_unknown(&mut self) {
        for (key, value) in self.values {
            if !TABLE.iter().any(|known| known.name == key) {
                let nearest = nearest(key, TABLE.iter().map(|known| known.name));
                let nearest = nearest.expect("the table is not empty");
                let allowed = format!("perhaps `{}`", nearest.name);
                self.faults.push(Fault::new(key, value, "there is no such key", allowed));
            }
        }
    }

    /// A parameter's value, if one is given that `read` takes; a fault if it does not take it.
    fn given<T>(&mut self, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let value = self.values.get(name)?;
        let read = read(value);
        if read.is_none() {
            let (why, range) = ("it is not allowed", parameter(name).range.to_string());
            self.faults.push(Fault::new(name, value, why, range));
        }
        read
    }

    fn whole(&mut self, name: &str) -> u64 {
        let &Parameter { default: Default::Whole(default), range: Range::Whole(least, most), .. } =
            parameter(name)
        else {
            unreachable!("{name} is not a number")
        };
        self.given(name, |value| value.as_u64().filter(|number| (least..=most).contains(number)))
            .unwrap_or(default)
    }

    fn short(&mut self, name: &str) -> u16 {
        u16::try_from(self.whole(name)).expect("the table's range fits")
    }

    fn long(&mut self, name: &str) -> u32 {
        u32::try_from(self.whole(name)).expect("the table's range fits")
    }

    fn size(&mut self, name: &str) -> usize {
        usize::try_from(self.whole(name)).expect("the table's range fits")
    }

    fn milliseconds(&mut self, name: &str) -> Duration {
        Duration::from_millis(self.whole(name))
    }

    fn flag(&mut self, name: &str) -> bool {
        let Default::Flag(default) = parameter(name).default else { unreachable!("{name} is no flag") };
        self.given(name, Value::as_bool).unwrap_or(default)
    }

    fn text(&mut self, name: &str) -> String {
        let Default::Text(default) = parameter(name).default else { unreachable!("{name} is no text") };
        self.given(name, |value| value.as_str().map(str::to_owned)).unwrap_or_else(|| default.to_owned())
    }

    fn filter(&mut self, name: &str) -> Option<LogFilter> {
        let read = |value: &Value| match value.as_str()? {
            "" => Some(None),
            filter => filter.parse().ok().map(Some),
        };
        self.given(name, read).flatten()
    }

    fn address(&mut self, name: &str) -> IpAddr {
        let Default::Text(default) = parameter(name).default else { unreachable!("{name} is no text") };
        self.given(name, |value| value.as_str()?.parse().ok())
            .unwrap_or_else(|| default.parse().expect("the default is an address"))
    }
}

fn parameter(name: &str) -> &'static Parameter {
    TABLE.iter().find(|parameter| parameter.name == name).expect("every name read is in the table")
}

impl Fault {
    fn new(field: &str, value: impl fmt::Display, why: &'static str, allowed: impl Into<String>) -> Self {
        // Keys and values come from files, and are read on terminals.
        let [field, value] = [field, &value.to_string()].map(fit_for_a_log);
        Self { field, value, why, allowed: allowed.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Both come from a file or a command line, and go to a terminal.
        let (field, value) = (escape_hidden(&self.field), escape_hidden(&self.value));
        write!(f, "`{field}` is {value}: {}; allowed: {}", self.why, self.allowed)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration cannot be used\n")?;
        list_faults(f, "  ", &self.faults)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Flag => f.write_str("true or false"),
            Self::Address => f.write_str("an IPv4 or IPv6 address in quotes"),
            Self::Folder => f.write_str("the path of a folder in quotes"),
            Self::Log => f.write_str(
                "\"error\", \"warn\", \"info\", \"debug\", \"trace\" or \"off\", or directives, e.g. \"cs=debug\"",
            ),
        }
    }
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(values: Value) -> Result<Config, String> {
        let Value::Object(values) = values else { panic!("{values} is no object") };
        Config::new(&values).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_specification() {
        let config = read(json!({})).unwrap();
        assert_eq!((config.port_agents, config.port_gm), (3727, 3728));
        assert_eq!(config.listen.to_string(), "127.0.0.1");
        assert_eq!((config.limits.message_bytes, config.limits.invalid_messages), (8192, 100));
        assert!(config.limits.report_lost_agents);
    }

    #[test]
    fn every_parameter_can_be_set_to_its_own_default() {
        let all: Map<String, Value> = Config::parameters()
            .map(|known| (known.name.to_owned(), known.read(&known.default.to_string())))
            .collect();
        assert_eq!(read(Value::Object(all)), Ok(Config::default()));
    }

    #[test]
    fn flags_spell_names_with_hyphens() {
        let flags: Vec<String> = Config::parameters().map(Parameter::flag).collect();
        assert_eq!(flags[..4], ["port-agentow", "port-gm", "listen", "max-connections"]);
        assert!(flags.contains(&"max-bytes-for-gm".to_owned()));
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
          `portgm` is 1: there is no such key; allowed: perhaps `portGM`
          `portAgentow` is 65536: it is not allowed; allowed: a whole number from 0 to 65535
          `listen` is "localhost": it is not allowed; allowed: an IPv4 or IPv6 address in quotes
          `maxMessageBytes` is -1: it is not allowed; allowed: a whole number from 64 to 65535
          `maxInvalidMessages` is "many": it is not allowed; allowed: a whole number from 1 to 1000000000
          `reportLostAgents` is 1: it is not allowed; allowed: true or false
          `logDirectory` is null: it is not allowed; allowed: the path of a folder in quotes
        "#
        );
    }

    #[test]
    fn two_ports_cannot_be_one() {
        insta::assert_snapshot!(
            read(json!({"portAgentow": 3728, "metricsPort": 3728})).unwrap_err(),
            @r"
        the configuration cannot be used
          `portGM` is 3728: portAgentow has it; allowed: another port
          `metricsPort` is 3728: portAgentow has it; allowed: another port
          `metricsPort` is 3728: portGM has it; allowed: another port
        "
        );
        assert!(read(json!({"portAgentow": 0, "portGM": 0})).is_ok());
    }
}
