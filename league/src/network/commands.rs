//! Programs as entrants.
//!
//! A program is started once for each agent of its team. In a game with a server, it receives its team and the address
//! of its server: as words of its command line in the place of `{host}`, `{port}`, `{address}` and `{team}`, and as the
//! variables `AGENT_HOST`, `AGENT_PORT` and `AGENT_TEAM` of its environment. In other games it speaks on its standard
//! input and output.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use child_process::{Command, Confinement, Isolation, Limits, Stream};
use game_env::text::parser_message;
use serde::{Deserialize, Serialize};

/// Prefix of a program in matches, before its JSON.
const PREFIX: &str = "command ";

/// The words that are replaced in a command line.
pub(crate) const PLACEHOLDERS: [&str; 4] = ["{host}", "{port}", "{address}", "{team}"];

/// Number of the last bytes of standard error, and of standard output, that are kept of an agent.
pub const KEPT_BYTES: usize = 64 * 1024;

const MIB: u64 = 1024 * 1024;

/// A program as an entrant, as matches name it: `command {"run":["python3","agent.py","{port}"]}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandEntrant {
    /// The program and its arguments.
    pub run: Vec<String>,
    /// The folder in which it runs; a relative one begins at the folder of the league file.
    #[serde(default = "here")]
    pub folder: String,
    /// Whether it may reach nothing but its folder, the system's programs and libraries, and the server.
    #[serde(default)]
    pub confine: Confine,
    /// Paths that it may read beside these if it is confined; relative ones begin at the folder of the league file too.
    #[serde(default)]
    pub may_read: Vec<String>,
    /// The most memory of an agent, in MiB.
    #[serde(default = "usual_memory")]
    pub memory_mib: u64,
    /// The most processes of an agent.
    #[serde(default = "usual_processes")]
    pub processes: u16,
}

/// Whether a program is confined; written `false`, `true` or `"namespaces"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum Confine {
    /// It has all rights of the user who runs the league.
    #[default]
    No,
    /// In namespaces if the system allows them, otherwise by Landlock and seccomp alone.
    Yes,
    /// In namespaces; its matches are not played if the system does not allow them.
    Namespaces,
}

impl Confine {
    /// The value of a file that means [`Confine::Namespaces`].
    pub(crate) const NAMESPACES: &str = "namespaces";
}

/// [`Confine`] as it is written.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected true, false or \"namespaces\" for `confine`")]
enum Written {
    Flag(bool),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Namespaces,
}

impl From<Written> for Confine {
    fn from(written: Written) -> Self {
        match written {
            Written::Flag(is_confined) => is_confined.into(),
            Written::Word(Word::Namespaces) => Self::Namespaces,
        }
    }
}

impl From<Confine> for Written {
    fn from(confine: Confine) -> Self {
        match confine {
            Confine::No => Self::Flag(false),
            Confine::Yes => Self::Flag(true),
            Confine::Namespaces => Self::Word(Word::Namespaces),
        }
    }
}

impl From<bool> for Confine {
    fn from(is_confined: bool) -> Self {
        if is_confined { Self::Yes } else { Self::No }
    }
}

/// The folder of a program unless the league file names one.
pub const HERE: &str = ".";

fn here() -> String {
    HERE.to_owned()
}

fn usual_memory() -> u64 {
    Limits::default().memory_bytes / MIB
}

fn usual_processes() -> u16 {
    u16::try_from(Limits::default().processes).unwrap_or(u16::MAX)
}

impl CommandEntrant {
    /// Creates a program without confinement, with the usual limits.
    pub fn new(run: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let run = run.into_iter().map(Into::into).collect();
        Self {
            run,
            folder: here(),
            confine: Confine::No,
            may_read: Vec::new(),
            memory_mib: usual_memory(),
            processes: usual_processes(),
        }
    }

    /// The least memory that an agent may be given, in MiB.
    pub(crate) const LEAST_MEMORY_MIB: u64 = Limits::LEAST_MEMORY_BYTES / MIB;

    /// Returns the program with this name in matches; none if the name is that of a strategy.
    ///
    /// # Errors
    ///
    /// If the name is that of a program, and has a fault; the error names the fault.
    pub fn find(name: &str) -> Option<Result<Self, String>> {
        name.starts_with(PREFIX).then(|| name.parse())
    }

    /// Returns the placeholder in these words that does not exist, if there is one: a word of small letters in braces.
    pub(crate) fn unknown_placeholder<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let unknown = |word: &'a str| {
            word.match_indices('{').find_map(|(start, _)| {
                let inner = word[start + 1..].split('}').next()?;
                let found = word.get(start..start + inner.len() + 2)?;
                let is_one = !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_lowercase());
                (is_one && !PLACEHOLDERS.contains(&found)).then_some(found)
            })
        };
        words.into_iter().find_map(unknown)
    }

    /// Returns the first placeholder in these words, for programs that have no server.
    pub fn placeholder<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<&'static str> {
        let find = |word: &'a str| PLACEHOLDERS.into_iter().find(|name| word.contains(name));
        words.into_iter().find_map(find)
    }

    /// Returns the program of one agent with its place on a server, or of one that speaks on its standard input and
    /// output;
    /// `isolation` says how it is confined, if it is.
    pub(super) fn command(
        &self,
        base: &Path,
        place: Option<(SocketAddr, &str)>,
        grace: Duration,
        isolation: Option<Isolation>,
    ) -> Command {
        let told = place.map(|(address, team)| {
            [address.ip().to_string(), address.port().to_string(), address.to_string(), team.to_owned()]
        });
        let fill = |word: &String| {
            let filled = PLACEHOLDERS.iter().zip(told.iter().flatten());
            OsString::from(filled.fold(word.clone(), |word, (name, value)| word.replace(name, value)))
        };
        let mut words = self.run.iter().map(fill);
        let variables = told.iter().flat_map(|[host, port, _, team]| {
            [("AGENT_HOST", host), ("AGENT_PORT", port), ("AGENT_TEAM", team)]
        });
        let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        // Output that nobody reads is kept for logs.
        let (input, output) =
            if place.is_some() { (Stream::Kept, Stream::Kept) } else { (Stream::Piped, Stream::Piped) };
        Command {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: base.join(&self.folder),
            environment: child_process::usual_environment().into_iter().chain(variables).collect(),
            limits: Limits {
                memory_bytes: self.memory_mib.saturating_mul(MIB),
                processes: self.processes.into(),
                ..Limits::default()
            },
            confinement: isolation.map(|isolation| Confinement {
                isolation,
                port: place.map(|(address, _)| address.port()),
                may_read: self.may_read.iter().map(|path| base.join(path)).collect(),
            }),
            input,
            output,
            kept_bytes: KEPT_BYTES,
            shows_errors: false,
            grace,
        }
    }
}

/// As matches name it.
impl fmt::Display for CommandEntrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for CommandEntrant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let json = text.strip_prefix(PREFIX).unwrap_or(text);
        let read: Self =
            serde_json::from_str(json).map_err(|error| format!("no command: {}", parser_message(error)))?;
        if read.run.is_empty() {
            return Err("no command: `run` is empty: expected a program and its arguments".to_owned());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_read_as_they_are_written() {
        let plain = CommandEntrant::new(["python3", "agent.py"]);
        let may_read = vec!["/opt/x".to_owned()];
        let confined = CommandEntrant { confine: Confine::Yes, may_read, ..plain.clone() };
        let in_namespaces = CommandEntrant { confine: Confine::Namespaces, ..plain.clone() };
        for (entrant, written) in
            [(plain.clone(), "false"), (confined, "true"), (in_namespaces, "\"namespaces\"")]
        {
            let text = entrant.to_string();
            assert!(text.contains(&format!("\"confine\":{written},")), "{text}");
            assert_eq!(CommandEntrant::find(&text), Some(Ok(entrant)));
        }
        let fault = CommandEntrant::find(r#"command {"run":["a"],"confine":"always"}"#).unwrap().unwrap_err();
        assert!(fault.contains("expected true, false or \"namespaces\" for `confine`"), "{fault}");
        assert_eq!(CommandEntrant::find(r#"command {"run":["python3","agent.py"]}"#), Some(Ok(plain)));
        assert_eq!(CommandEntrant::find("greedy"), None);
        for text in ["command", "command {}", r#"command {"run":[]}"#, r#"command {"run":["a"],"colour":1}"#]
        {
            assert!(!matches!(CommandEntrant::find(text), Some(Ok(_))), "{text}");
        }
    }

    #[test]
    fn placeholders_are_filled() {
        let entrant = CommandEntrant::new(["run", "--to={host}:{port}", "{address}", "{team}", "{\"a\":1}"]);
        let address = "127.0.0.1:4000".parse().unwrap();
        let command = entrant.command(Path::new("/base"), Some((address, "blue")), Duration::ZERO, None);
        assert_eq!(command.arguments, ["--to=127.0.0.1:4000", "127.0.0.1:4000", "blue", "{\"a\":1}"]);
        assert!(command.environment.contains(&("AGENT_TEAM".into(), "blue".into())));
        assert_eq!(command.folder, Path::new("/base/."));
        assert_eq!(command.confinement, None);
    }

    #[test]
    fn a_program_without_a_server_speaks_on_its_standard_streams() {
        let entrant = CommandEntrant::new(["run", "{port}"]);
        let isolation = Some(Isolation::Filters);
        let command = entrant.command(Path::new("/base"), None, Duration::ZERO, isolation);
        assert_eq!(command.arguments, ["{port}"]);
        assert!(!command.environment.iter().any(|(name, _)| name.to_string_lossy().starts_with("AGENT_")));
        assert_eq!((command.input, command.output), (Stream::Piped, Stream::Piped));
        assert_eq!(command.confinement.map(|confinement| confinement.port), Some(None));
        assert_eq!(CommandEntrant::placeholder(["run", "--to={port}"]), Some("{port}"));
        assert_eq!(CommandEntrant::placeholder(["run", "{depth}"]), None);
    }

    #[test]
    fn unknown_placeholders_are_found() {
        let find = |word: &'static str| CommandEntrant::unknown_placeholder([word]);
        assert_eq!(find("--port={prot}"), Some("{prot}"));
        assert_eq!(find("{port}{x}"), Some("{x}"));
        for word in ["{port}", "{", "{port", "{\"a\":{}}", "{}", "{A}", "żółw{"] {
            assert_eq!(find(word), None, "{word}");
        }
    }
}
