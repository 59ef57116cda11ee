//! How a game is to be hosted: defaults, a JSON file over them, flags over the file.
//!
//! Names are those of the specification's section 7. Every value remembers where it came from, and every
//! fault of file and flags is named at once.

use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use game_env::{Parameters, Seed, Value};
use game_project::{Config, ConfigError, Fault, RawConfig, Team};
use wire::project::Dialect;

/// How a game is to be hosted.
#[derive(Clone, PartialEq, Debug)]
pub struct HostConfig {
    /// `CsIP` and `CsPort`: where the communication server is.
    pub server: (String, u16),
    /// The game.
    pub game: Config,
    /// `dialect` of what agents are told.
    pub dialect: Dialect,
    /// `acknowledge`: the teams whose agents wait for messages 112 and 113.
    pub acknowledge: Vec<Team>,
    /// `maxMessageBytes`: the longest message.
    pub longest_message: u16,
    /// `seed` of the game; none to draw one.
    pub seed: Option<Seed>,
    /// Every parameter with its value, and where that came from.
    pub origins: Vec<(String, Value, Origin)>,
}

/// Where a value came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nothing else was said.
    Default,
    /// The file.
    File,
    /// A flag.
    Flag,
    /// The union dialect, whose agents expect it so.
    Dialect,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Flag => "flag",
            Self::Dialect => "union dialect",
        })
    }
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}", path = .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file is no JSON object of numbers, flags and texts.
    #[error("{path} is no configuration", path = .0.display())]
    Senseless(PathBuf, #[source] serde_json::Error),
    /// Values are faulty; each fault is one line.
    #[error(transparent)]
    Faulty(#[from] ConfigError),
}

/// The parameters beside those of the rules, with their defaults; an empty text is no value.
const OWN: [(&str, OwnDefault); 6] = [
    ("CsIP", OwnDefault::Text("127.0.0.1")),
    ("CsPort", OwnDefault::Whole(3728)),
    ("dialect", OwnDefault::Text("spec")),
    ("acknowledge", OwnDefault::Text("")),
    ("maxMessageBytes", OwnDefault::Whole(8192)),
    ("seed", OwnDefault::Text("")),
];

#[derive(Clone, Copy)]
enum OwnDefault {
    Whole(i64),
    Text(&'static str),
}

impl HostConfig {
    /// The configuration of this file, if there is one, with flags over it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no JSON; else every fault of all parameters.
    pub fn load(file: Option<&Path>, flags: &Parameters) -> Result<Self, HostConfigError> {
        let file = match file {
            None => Parameters::new(),
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| HostConfigError::Unreadable(path.to_owned(), error))?;
                serde_json::from_str(&text)
                    .map_err(|error| HostConfigError::Senseless(path.to_owned(), error))?
            }
        };
        Ok(Self::layered(&file, flags)?)
    }

    /// The configuration with these values from a file and from flags, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn layered(file: &Parameters, flags: &Parameters) -> Result<Self, ConfigError> {
        let own_names = OWN.map(|(name, _)| name);
        let mut faults = Vec::new();
        let mut rules = RawConfig::default();
        // Each layer is read by itself, so that a name given twice in one is a fault and in both is none.
        for layer in [file, flags] {
            let (read, faulty) = RawConfig::read_among(layer, &own_names);
            overlay(&mut rules, &read, layer);
            faults.extend(faulty);
        }
        let own = Own { file, flags };
        let dialect = own.read("dialect", "spec or union", |text| text.parse().ok(), &mut faults);
        let named = |parameters: &Parameters| parameters.get("landingPickUp").is_some();
        let landing_by_dialect = dialect == Some(Dialect::Union) && !named(file) && !named(flags);
        if landing_by_dialect {
            rules.landing_pick_up = false;
        }
        let game = rules.check().map_err(|error| faults.extend_from_slice(error.faults())).ok();
        let host = own.read("CsIP", "a name or an address", |text| Some(text.to_owned()), &mut faults);
        let port = own.read(
            "CsPort",
            "a port from 1 to 65535",
            |text| text.parse().ok().filter(|port| *port > 0),
            &mut faults,
        );
        let acknowledge =
            own.read("acknowledge", "teams joined by commas, or nothing", read_teams, &mut faults);
        let longest = own.read(
            "maxMessageBytes",
            "a whole number from 1024 to 65535",
            |text| text.parse().ok().filter(|bytes| *bytes >= 1024),
            &mut faults,
        );
        let read_seed = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
        let seed = own.read("seed", "a whole number from 0 to 18446744073709551615", read_seed, &mut faults);
        let (Some(host), Some(port), Some(game), Some(dialect)) = (host, port, game, dialect) else {
            return Err(ConfigError::new(faults));
        };
        let (Some(acknowledge), Some(longest_message), Some(seed)) = (acknowledge, longest, seed) else {
            return Err(ConfigError::new(faults));
        };
        if !faults.is_empty() {
            return Err(ConfigError::new(faults));
        }
        let mut origins: Vec<_> =
            own_names.iter().map(|name| ((*name).to_owned(), own.value(name), own.origin(&[name]))).collect();
        for ((name, value), description) in rules.parameters().iter().zip(RawConfig::descriptions()) {
            let names: Vec<&str> = std::iter::once(name).chain(description.aliases.iter().copied()).collect();
            let origin = match name {
                "landingPickUp" if landing_by_dialect => Origin::Dialect,
                _ => own.origin(&names),
            };
            origins.push((name.to_owned(), value.clone(), origin));
        }
        Ok(Self { server: (host, port), game, dialect, acknowledge, longest_message, seed, origins })
    }
}

/// Takes over the values that a layer names.
fn overlay(rules: &mut RawConfig, read: &RawConfig, layer: &Parameters) {
    let named =
        |name: &str, aliases: &[&str]| layer.iter().any(|(own, _)| own == name || aliases.contains(&own));
    let mut merged = Parameters::new();
    let (below, above) = (rules.parameters(), read.parameters());
    for description in RawConfig::descriptions() {
        let source = if named(description.name, description.aliases) { &above } else { &below };
        let value = source.get(description.name).expect("every parameter has a value");
        merged.push(description.name, value.clone());
    }
    *rules = RawConfig::read(&merged).expect("values keep their kinds");
}

fn read_teams(text: &str) -> Option<Vec<Team>> {
    text.split(',').filter(|name| !name.is_empty()).map(|name| name.trim().parse().ok()).collect()
}

/// The parameters beside those of the rules, in their layers.
struct Own<'a> {
    file: &'a Parameters,
    flags: &'a Parameters,
}

impl Own<'_> {
    fn value(&self, name: &str) -> Value {
        let default = || {
            let (_, default) = OWN.iter().find(|(own, _)| *own == name).expect("a parameter of the table");
            match default {
                OwnDefault::Whole(number) => Value::Whole((*number).into()),
                OwnDefault::Text(text) => Value::Text((*text).to_owned()),
            }
        };
        self.flags.get(name).or(self.file.get(name)).cloned().unwrap_or_else(default)
    }

    fn origin(&self, names: &[&str]) -> Origin {
        let named = |parameters: &Parameters| names.iter().any(|name| parameters.get(name).is_some());
        if named(self.flags) {
            Origin::Flag
        } else if named(self.file) {
            Origin::File
        } else {
            Origin::Default
        }
    }

    /// What `read` makes of a value's text; numbers may be written as text and the other way round.
    fn read<T>(
        &self,
        name: &'static str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
        faults: &mut Vec<Fault>,
    ) -> Option<T> {
        let value = self.value(name);
        let found = match &value {
            Value::Text(text) => read(text),
            Value::Whole(number) => read(&number.to_string()),
            Value::Real(_) | Value::Flag(_) => None,
        };
        if found.is_none() {
            faults.push(Fault::new(name, &value, "it makes no sense", allowed));
        }
        found
    }
}
