//! How a game is to be hosted: defaults, a JSON file over them, flags over the file.
//!
//! Names are those of the specification's section 7. Every value remembers where it came from, and every
//! fault of file and flags is named at once.

mod beginning;

use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use game_env::{Parameters, Seed, Value};
use game_project::{Config, ConfigError, Fault, RawConfig, Team};
use jiff::Timestamp;
use wire::project::Dialect;

use crate::master::Settings;

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
    /// What was said, each layer over those before it.
    layers: Vec<(Origin, Parameters)>,
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
    /// The settings page.
    Page,
    /// The union dialect, whose agents expect it so.
    Dialect,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Flag => "flag",
            Self::Page => "page",
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

/// The parameters beside those of the rules; an empty text is no value.
const OWN: [Own; 6] = [
    Own {
        name: "CsIP",
        meaning: "the communication server's name or address",
        default: OwnDefault::Text("127.0.0.1"),
    },
    Own {
        name: "CsPort",
        meaning: "its port for the game master",
        default: OwnDefault::Whole(3728, 1, 65_535),
    },
    Own {
        name: "dialect",
        meaning: "the dialect of what agents are told",
        default: OwnDefault::OneOf(&["spec", "union"]),
    },
    Own {
        name: "acknowledge",
        meaning: "the teams whose agents wait for messages 112 and 113, joined by a comma",
        default: OwnDefault::Text(""),
    },
    Own {
        name: "maxMessageBytes",
        meaning: "the longest message, bytes",
        default: OwnDefault::Whole(8192, 1024, 65_535),
    },
    Own {
        name: "seed",
        meaning: "what decides all chance of the game; drawn if there is none",
        default: OwnDefault::Text(""),
    },
];

/// A parameter beside those of the rules.
#[derive(Clone, Copy)]
struct Own {
    name: &'static str,
    meaning: &'static str,
    default: OwnDefault,
}

/// The default of such a parameter, and what else it may be.
#[derive(Clone, Copy)]
enum OwnDefault {
    /// A whole number between the other two.
    Whole(i64, i64, i64),
    /// Any text.
    Text(&'static str),
    /// The first of these texts.
    OneOf(&'static [&'static str]),
}

impl OwnDefault {
    fn value(self) -> Value {
        match self {
            Self::Whole(number, ..) => Value::Whole(number.into()),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::OneOf(texts) => Value::Text(texts.first().copied().unwrap_or_default().to_owned()),
        }
    }
}

/// What there is to say of a parameter, whatever its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    /// Its name in files.
    pub name: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// Its value if nothing is said.
    pub default: Value,
    /// What it may be, other parameters aside.
    pub range: Range,
}

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Range {
    /// A value in the range of a parameter of the rules.
    Rules(game_project::config::Range),
    /// A text, one of these if there are any.
    Text(&'static [&'static str]),
}

/// Every parameter there is, in the order of [`HostConfig::origins`].
pub fn descriptions() -> impl Iterator<Item = Description> {
    let own = OWN.into_iter().map(|Own { name, meaning, default }| {
        let range = match default {
            OwnDefault::Whole(_, least, most) => {
                Range::Rules(game_project::config::Range::Whole(least, most))
            }
            OwnDefault::Text(_) => Range::Text(&[]),
            OwnDefault::OneOf(texts) => Range::Text(texts),
        };
        Description { name, meaning, default: default.value(), range }
    });
    let defaults = RawConfig::default().parameters();
    let rules = RawConfig::descriptions().map(move |description| Description {
        name: description.name,
        meaning: description.meaning,
        default: defaults.get(description.name).expect("every parameter has a value").clone(),
        range: Range::Rules(description.range),
    });
    own.chain(rules)
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
        Self::of(vec![(Origin::File, file.clone()), (Origin::Flag, flags.clone())])
    }

    /// The configuration with what a settings page asks for over everything else. A value that is in force
    /// already changes nothing: a page that sends all it shows has changed what was edited.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn changed(&self, asked: &Parameters) -> Result<Self, ConfigError> {
        let mut layers = self.layers.clone();
        let below = layers.iter().position(|(origin, _)| *origin == Origin::Page);
        let page = below.map(|place| layers.remove(place).1).unwrap_or_default();
        let in_force = |name: &str, value: &Value| {
            self.origins.iter().any(|(own, present, _)| own == name && same(present, value))
        };
        let news: Parameters =
            asked.iter().filter(|(name, value)| !in_force(name, value)).map(owned).collect();
        // A parameter has several names, and only one of them may stand in a layer.
        let kept =
            page.iter().filter(|(name, _)| !news.iter().any(|(new, _)| canonical(new) == canonical(name)));
        let page = kept.chain(news.iter()).map(owned).collect();
        layers.push((Origin::Page, page));
        Self::of(layers)
    }

    /// How to host the game by this; `drawn` is the seed where none is named. It starts by nothing but an operator.
    pub fn settings(&self, drawn: Seed) -> Settings {
        Settings {
            config: self.game.clone(),
            seed: self.seed.unwrap_or(drawn),
            dialect: self.dialect,
            longest_message: self.longest_message,
            acknowledge: self.acknowledge.clone(),
            start_when_full: false,
            start_after: None,
            epoch: Timestamp::UNIX_EPOCH,
        }
    }

    /// Every parameter with its value, as a file holds them.
    pub fn parameters(&self) -> Parameters {
        self.origins.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect()
    }

    fn of(layers: Vec<(Origin, Parameters)>) -> Result<Self, ConfigError> {
        let own_names = OWN.map(|own| own.name);
        let mut faults = Vec::new();
        let mut rules = RawConfig::default();
        // Each layer is read by itself, so that a name given twice in one is a fault and in both is none.
        for (_, layer) in &layers {
            let (read, faulty) = RawConfig::read_among(layer, &own_names);
            overlay(&mut rules, &read, layer);
            faults.extend(faulty);
        }
        let own = Layers(&layers);
        let dialect = own.read("dialect", "spec or union", |text| text.parse().ok(), &mut faults);
        let is_named = own.origin(&["landingPickUp"]) != Origin::Default;
        let landing_by_dialect = dialect == Some(Dialect::Union) && !is_named;
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
        if let (Some(game), Some(dialect), Some(longest)) = (&game, dialect, longest) {
            faults.extend(beginning::fault(game, dialect, longest));
        }
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
        Ok(Self { server: (host, port), game, dialect, acknowledge, longest_message, seed, origins, layers })
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

fn owned((name, value): (&str, &Value)) -> (String, Value) {
    (name.to_owned(), value.clone())
}

/// Whether two values mean the same: numbers may be written as text, and whole ones with decimals.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Whole(whole), Value::Real(real)) | (Value::Real(real), Value::Whole(whole)) => {
            *whole as f64 == *real
        }
        (Value::Text(text), Value::Whole(whole)) | (Value::Whole(whole), Value::Text(text)) => {
            *text == whole.to_string()
        }
        _ => one == other,
    }
}

/// The name of a parameter that may be called by another one.
fn canonical(name: &str) -> &str {
    RawConfig::descriptions()
        .find(|description| description.aliases.contains(&name))
        .map_or(name, |description| description.name)
}

/// What was said, each layer over those before it; asked for the parameters beside those of the rules.
struct Layers<'a>(&'a [(Origin, Parameters)]);

impl Layers<'_> {
    fn value(&self, name: &str) -> Value {
        let default = || {
            let own = OWN.iter().find(|own| own.name == name).expect("a parameter of the table");
            own.default.value()
        };
        self.0.iter().rev().find_map(|(_, layer)| layer.get(name)).cloned().unwrap_or_else(default)
    }

    fn origin(&self, names: &[&str]) -> Origin {
        let named = |layer: &Parameters| names.iter().any(|name| layer.get(name).is_some());
        self.0.iter().rev().find(|(_, layer)| named(layer)).map_or(Origin::Default, |(origin, _)| *origin)
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
