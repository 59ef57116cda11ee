//! Settings of agents that join a game on a server: defaults, a JSON file over them (specification, section 7), flags
//! over the file. If a value is missing, the program asks a user at a terminal.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use bots::project::line_up::EntrantLineUp;
use bots::project::parameters::PARAMETERS;
use command_line::{Failure, read_parameters, shown, tell};
use game_env::parameter::{self, Parameter, Reading};
use game_env::{ConfigError, Parameters, Value};
use game_project::Team;
use strategies::project::registry::names;
use strategies::room::DEFAULT_STRATEGY;

use super::joining::Flags;
use super::questions::{ask, expecting};
use crate::program::address::{read_port, read_server, read_with_port};
use crate::program::arguments::Joining;

/// Values from a file or a user; those that are not given are none.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PartialSettings {
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) team: Option<Team>,
    pub(crate) line_up: Option<EntrantLineUp>,
}

/// Settings of agents that join a game.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct JoinSettings {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) team: Team,
    pub(crate) line_up: EntrantLineUp,
}

/// A file with all values.
const EXAMPLE: &str = r#"{"CsIP": "127.0.0.1", "CsPort": 3727, "teamID": "red", "strategy": "greedy"}"#;

const DEFAULT_HOST: &str = "127.0.0.1";
pub(crate) const DEFAULT_PORT: u16 = 3727;

/// Returns a team of agents of the strategy that is played if none is named.
pub(super) fn default_line_up() -> EntrantLineUp {
    DEFAULT_STRATEGY.parse().expect("the registry has it")
}

/// A user at a terminal.
pub(crate) struct User<I, O> {
    pub(crate) input: I,
    pub(crate) out: O,
}

/// The file that is read if no flag names one.
pub(crate) const DEFAULT_FILE: &str = "agent.json";

impl JoinSettings {
    /// Reads flags and file. Asks the user at the terminal, if there is one, for the values that they do not give,
    /// unless a flag names the server: then they have defaults, as they have without a terminal.
    pub(crate) fn new(joining: &Joining, flags: &Flags) -> Result<Self, Failure> {
        let user = io::stdin().is_terminal().then(|| User { input: io::stdin().lock(), out: io::stderr() });
        Self::resolve(joining, flags, user)
    }

    fn resolve<I: io::BufRead, O: io::Write>(
        joining: &Joining,
        flags: &Flags,
        user: Option<User<I, O>>,
    ) -> Result<Self, Failure> {
        let path = flags.config.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
        let file = read_file(&path)?;
        let (has_file, is_file_missing) = (file.is_some(), flags.config.is_some() && file.is_none());
        let has_server = joining.server.is_some() || flags.port.is_some();
        let mut said = PartialSettings::of_flags(joining, flags)?.over(file.unwrap_or_default());
        // `--port` alone means this machine, unless the file names a host.
        if flags.port.is_some() {
            said.host.get_or_insert_with(|| DEFAULT_HOST.to_owned());
        }
        // A script names the team itself, and a file need not name a strategy.
        let needs_team = flags.script.is_none();
        if has_file || !needs_team {
            said.line_up.get_or_insert_with(default_line_up);
        }
        let lacks_some = said.lacks_some(needs_team);
        let shown_path = shown(&path);
        let why = if has_file { "does not say everything" } else { "not found" };
        match user {
            Some(mut user) if (!has_server || is_file_missing) && lacks_some => {
                let _ = writeln!(user.out, "{shown_path} {why}; Enter takes the value in brackets");
                let answers = PartialSettings::of_user(&said, needs_team, &mut user.input, &mut user.out);
                said = said.over(answers.map_err(|error| {
                    Failure::misuse(
                        format!("no answer: {error}"),
                        "give HOST:PORT, --team and --strategy instead",
                    )
                })?);
            }
            None if is_file_missing || !has_server && lacks_some => {
                tell(&format!("{shown_path} {why}; other values without a flag have their defaults"));
            }
            _ => {}
        }
        Ok(Self {
            host: said.host.unwrap_or_else(|| DEFAULT_HOST.to_owned()),
            port: said.port.unwrap_or(DEFAULT_PORT),
            team: said.team.unwrap_or(Team::Red),
            line_up: said.line_up.unwrap_or_else(default_line_up),
        })
    }

    /// Returns the address as one text.
    pub(crate) fn server(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl PartialSettings {
    fn of_flags(joining: &Joining, flags: &Flags) -> Result<Self, Failure> {
        let line_up = joining.strategy.as_deref().map(str::parse).transpose();
        let line_up =
            line_up.map_err(|error: String| Failure::misuse(error, "`bots list` shows the strategies"))?;
        let mut partial = Self { host: None, port: flags.port, team: flags.team, line_up };
        if let Some(address) = &joining.server {
            let (host, port) = read_with_port(address, "e.g. 127.0.0.1:3727")?;
            (partial.host, partial.port) = (Some(host), Some(port));
        }
        Ok(partial)
    }

    /// Returns these values, and those of `below` in place of missing ones.
    fn over(self, below: Self) -> Self {
        Self {
            host: self.host.or(below.host),
            port: self.port.or(below.port),
            team: self.team.or(below.team),
            line_up: self.line_up.or(below.line_up),
        }
    }

    /// Returns whether a value is missing.
    const fn lacks_some(&self, needs_team: bool) -> bool {
        self.host.is_none()
            || self.port.is_none()
            || needs_team && self.team.is_none()
            || self.line_up.is_none()
    }

    /// Reads the values of these parameters.
    fn of_parameters(parameters: &Parameters) -> Result<Self, ConfigError> {
        let Reading { values, mut faults } = parameter::read(&PARAMETERS, parameters);
        let asked: Vec<Parameter> =
            PARAMETERS.into_iter().filter(|known| values.get(known.name).is_some()).collect();
        let (values, unfit) = parameter::check(&asked, &values);
        faults.extend(unfit);
        if !faults.is_empty() {
            return Err(ConfigError::new(faults));
        }
        let text = |name: &str| values.get(name).map(Value::text);
        Ok(Self {
            host: text("CsIP"),
            port: text("CsPort").and_then(|port| port.parse().ok()),
            team: text("teamID").and_then(|team| team.parse().ok()),
            line_up: text("strategy").and_then(|line_up| line_up.parse().ok()),
        })
    }

    /// Asks a user for all values that are not given yet.
    fn of_user(
        said: &Self,
        asks_how: bool,
        input: &mut impl io::BufRead,
        out: &mut impl io::Write,
    ) -> io::Result<Self> {
        let mut partial = Self::default();
        if said.host.is_none() {
            let question = "address of the communication server, HOST or HOST:PORT";
            let (host, port) = ask(input, out, question, DEFAULT_HOST, expecting(read_server))?;
            partial.host = Some(host);
            partial.port = port.filter(|_| said.port.is_none());
        }
        if said.port.is_none() && partial.port.is_none() {
            let default = DEFAULT_PORT.to_string();
            partial.port = Some(ask(input, out, "its port for agents", &default, expecting(read_port))?);
        }
        if said.team.is_none() && asks_how {
            partial.team = Some(ask(input, out, "team, red or blue", "red", expecting(read_team))?);
        }
        if said.line_up.is_none() && asks_how {
            let default = default_line_up().to_string();
            let question = format!("strategy, by name or number ({})", names());
            partial.line_up = Some(ask(input, out, &question, &default, str::parse)?);
        }
        Ok(partial)
    }
}

/// Reads the values of a file; none if there is no such file.
fn read_file(path: &Path) -> Result<Option<PartialSettings>, Failure> {
    let parameters = match read_parameters(path, tell) {
        Ok(parameters) => parameters,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error.failure(EXAMPLE)),
    };
    PartialSettings::of_parameters(&parameters).map(Some).map_err(|faults| {
        let why = format!("the configuration in {} cannot be used\n{faults}", shown(path));
        Failure::misuse(why, format!("e.g. {EXAMPLE}"))
    })
}

// The error of each of these names the allowed values, or the fault of the text.

fn read_team(text: &str) -> Result<Team, String> {
    text.parse().map_err(|_| "red or blue".to_owned())
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn read(text: &str) -> Result<PartialSettings, String> {
        let parameters = serde_json::from_str(text).unwrap();
        PartialSettings::of_parameters(&parameters).map_err(|error| error.to_string())
    }

    #[test]
    fn strategies_are_read_by_name_and_by_number() {
        for (text, name) in [(r#""coordinated""#, "coordinated"), ("3", "greedy"), (r#""3""#, "greedy")] {
            let partial =
                read(&format!(r#"{{"strategy": {text}, "CsPort": "4000", "teamID": "blue"}}"#)).unwrap();
            assert_eq!(partial.line_up.unwrap().to_string(), name);
            assert_eq!((partial.port, partial.team, partial.host), (Some(4000), Some(Team::Blue), None));
        }
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let text = r#"{"CsIp": "a", "CsPort": 0, "teamID": "green", "strategy": 99, "CsIP": true, "CsIP": "b c", "colour": 1}"#;
        assert_snapshot!(read(text).unwrap_err().replace(&names(), "NAMES"), @r#"
        CsIp = "a": unknown parameter; allowed: perhaps `CsIP`
        CsIP = true: wrong type; allowed: a name or an address
        CsIP = "b c": it is given twice; allowed: one value
        colour = 1: unknown parameter; allowed: CsIP, CsPort, teamID, strategy
        CsPort = 0: it is too small; allowed: a whole number from 1 to 65535
        teamID = "green": there is no such team; allowed: red or blue
        strategy = 99: unknown strategy `99`: expected one of NAMES; examples/e04_compare_strategies.rs plays a strategy of your own; allowed: the name or the number of a strategy
        "#);
    }

    #[test]
    fn a_user_is_asked_again_until_the_answer_makes_sense() {
        let mut asked = Vec::new();
        let mut input = &b"\n70000\n4000\ngreen\n blue \n99\n\n"[..];
        let partial =
            PartialSettings::of_user(&PartialSettings::default(), true, &mut input, &mut asked).unwrap();
        assert_eq!(partial.host.as_deref(), Some("127.0.0.1"));
        assert_eq!((partial.port, partial.team), (Some(4000), Some(Team::Blue)));
        assert_eq!(partial.line_up, Some(default_line_up()));
        assert_snapshot!(String::from_utf8(asked).unwrap().replace(&names(), "NAMES"), @"
        address of the communication server, HOST or HOST:PORT [127.0.0.1]: its port for agents [3727]: invalid `70000`: expected a port from 1 to 65535
        its port for agents [3727]: team, red or blue [red]: invalid `green`: expected red or blue
        team, red or blue [red]: strategy, by name or number (NAMES) [greedy]: unknown strategy `99`: expected one of NAMES; examples/e04_compare_strategies.rs plays a strategy of your own
        strategy, by name or number (NAMES) [greedy]:
        ");
    }

    /// Returns the result for these flags and this file, and the questions to a user who gives these answers.
    fn resolved(flags: Flags, file: Option<&str>, answers: Option<&str>) -> (Result<String, String>, String) {
        join(&Joining::default(), flags, file, answers)
    }

    fn join(
        joining: &Joining,
        flags: Flags,
        file: Option<&str>,
        answers: Option<&str>,
    ) -> (Result<String, String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.json");
        if let Some(text) = file {
            std::fs::write(&path, text).unwrap();
        }
        let flags = Flags { config: Some(path.clone()), ..flags };
        let mut asked = Vec::new();
        let user = answers.map(|answers| User { input: answers.as_bytes(), out: &mut asked });
        let settings = JoinSettings::resolve(joining, &flags, user);
        let told = settings
            .map(|settings| format!("{} {} {}", settings.server(), settings.team, settings.line_up))
            .map_err(|failure| failure.to_string().replace(&shown(&path), "FILE"));
        (told, String::from_utf8(asked).unwrap().replace(&shown(&path), "FILE"))
    }

    #[test]
    fn an_agent_asks_for_what_neither_flags_nor_file_say() {
        let whole = r#"{"CsIP": "host", "CsPort": 4000, "teamID": "blue"}"#;
        // Nothing is missing: nothing is asked.
        let (told, asked) = resolved(Flags::default(), Some(whole), Some(""));
        assert_eq!((told.unwrap().as_str(), asked.as_str()), ("host:4000 blue greedy", ""));
        // Flags go before the file.
        let flags = Flags { port: Some(5), team: Some(Team::Red), ..Flags::default() };
        assert_eq!(resolved(flags, Some(whole), None).0.unwrap(), "host:5 red greedy");
        let joining = Joining { strategy: Some("idle".to_owned()), ..Joining::default() };
        assert_eq!(join(&joining, Flags::default(), Some(whole), None).0.unwrap(), "host:4000 blue idle");
        // Only what is missing is asked.
        let (told, asked) = resolved(Flags::default(), Some(r#"{"CsIP": "host"}"#), Some("\nblue\n"));
        assert_eq!(told.unwrap(), "host:3727 blue greedy");
        assert_snapshot!(asked, @"
        FILE does not say everything; Enter takes the value in brackets
        its port for agents [3727]: team, red or blue [red]: 
        ");
        let (told, asked) = resolved(Flags::default(), None, Some("\n\n\n4\n"));
        assert_eq!(told.unwrap(), "127.0.0.1:3727 red climber");
        assert!(
            asked.starts_with("FILE not found; Enter takes the value in brackets\naddress of"),
            "{asked}"
        );
    }

    #[test]
    fn a_port_alone_is_one_of_this_machine_unless_the_file_names_a_host() {
        let flags = || Flags { port: Some(5), team: Some(Team::Blue), ..Flags::default() };
        for answers in [None, Some("\n")] {
            assert_eq!(resolved(flags(), None, answers).0.unwrap(), "127.0.0.1:5 blue greedy");
            let file = Some(r#"{"CsIP": "host", "CsPort": 4000}"#);
            assert_eq!(resolved(flags(), file, answers).0.unwrap(), "host:5 blue greedy");
        }
    }

    #[test]
    fn a_server_is_named_with_its_port_in_every_place() {
        let told = |text: &str, file: Option<&str>| {
            let joining = Joining { server: Some(text.to_owned()), ..Joining::default() };
            join(&joining, Flags::default(), file, None).0
        };
        for (text, server) in
            [("host:4000", "host:4000"), ("[::1]:4000", "[::1]:4000"), ("10.0.0.7:1", "10.0.0.7:1")]
        {
            let expected = format!("{server} blue greedy");
            let file = Some(r#"{"teamID": "blue"}"#);
            assert_eq!(told(text, file).unwrap(), expected);
            let (asked, _) = resolved(Flags::default(), file, Some(&format!("{text}\n")));
            assert_eq!(asked.unwrap(), expected);
        }
        // An address without a port is asked for one, and one with a port is not.
        let file = Some(r#"{"teamID": "blue"}"#);
        assert_eq!(resolved(Flags::default(), file, Some("::1\n5\n")).0.unwrap(), "[::1]:5 blue greedy");
        let (_, asked) = resolved(Flags::default(), file, Some("host:70000\nhost:4000\n"));
        assert!(asked.contains("invalid `host:70000`: expected a port from 1 to 65535"), "{asked}");
        assert!(!asked.contains("its port"), "{asked}");
        for (text, expected) in [
            ("host", "expected HOST:PORT"),
            ("::1", "expected HOST:PORT"),
            ("http://host:1", "expected HOST:PORT without the name of a protocol"),
            ("a b:1", "expected a name or an address"),
            ("host:0", "expected a port from 1 to 65535"),
        ] {
            let error = told(text, file).unwrap_err();
            assert!(error.contains(&format!("invalid server `{text}`: {expected}")), "{error}");
        }
        let file = Some(r#"{"CsIP": "host:4000", "teamID": "blue"}"#);
        let error = resolved(Flags::default(), file, None).0.unwrap_err();
        assert!(error.contains(r#"CsIP = "host:4000": it is no name of a host"#), "{error}");
    }

    /// Specification, section 7.
    #[test]
    fn without_a_terminal_missing_values_have_their_defaults() {
        let resolved = |flags, file| resolved(flags, file, None).0.unwrap();
        assert_eq!(resolved(Flags::default(), None), "127.0.0.1:3727 red greedy");
        assert_eq!(resolved(Flags::default(), Some(r#"{"teamID": "blue"}"#)), "127.0.0.1:3727 blue greedy");
        let flags = Flags { port: Some(4000), ..Flags::default() };
        assert_eq!(resolved(flags, None), "127.0.0.1:4000 red greedy");
    }

    #[test]
    fn a_user_is_not_asked_what_flags_say() {
        let flags = PartialSettings {
            host: Some("h".to_owned()),
            port: Some(1),
            team: Some(Team::Red),
            line_up: Some(default_line_up()),
        };
        let partial = PartialSettings::of_user(&flags, true, &mut &b""[..], &mut io::sink()).unwrap();
        assert_eq!(partial, PartialSettings::default());
        let end =
            PartialSettings::of_user(&PartialSettings::default(), true, &mut &b"x\n"[..], &mut io::sink())
                .unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn addresses_of_six_and_four_parts_are_written_as_they_are_read() {
        let settings = |host: &str| JoinSettings {
            host: host.to_owned(),
            port: 3727,
            team: Team::Red,
            line_up: default_line_up(),
        };
        assert_eq!(settings("::1").server(), "[::1]:3727");
        assert_eq!(settings("example.org").server(), "example.org:3727");
    }
}
