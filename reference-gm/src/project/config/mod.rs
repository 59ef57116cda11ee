//! The configuration of a hosted game: defaults, a preset over them, a JSON file over it, flags over the file.
//!
//! Names are those of the specification's section 7. Every value keeps its origin, and one report names every fault
//! of file and flags.

mod beginning;
mod own;

use std::str::FromStr;
use std::sync::LazyLock;

use game_env::configuration::File;
use game_env::parameter::{self, Parameter};
use game_env::{ConfigError, Fault, Millis, Parameters, Seed, Value};
use game_project::{Config, RawConfig};
use jiff::Timestamp;
use wire::project::Dialect;

use crate::layers::{Layer, LayeredValues, traced, with_page};
use crate::project::agent_set::AgentSet;
use crate::project::master::Settings;

/// The configuration of a hosted game.
#[derive(Clone, PartialEq, Debug)]
pub struct HostConfig {
    /// `CsIP` and `CsPort`: the address of the communication server.
    pub server: (String, u16),
    /// The game.
    pub game: Config,
    /// `dialect` of the messages to agents; [`Dialect::Both`] for `auto`.
    pub dialect: Dialect,
    /// The game if agents of other implementations play; none unless `dialect` is `auto`.
    pub foreign_game: Option<Config>,
    /// `ackAgents`: the agents that wait for messages 112 and 113.
    pub acknowledge: AgentSet,
    /// `maxGameSeconds`: the longest game; none where it is 0.
    pub time_limit: Option<Millis>,
    /// `longAnswerAgents`: the agents that can read answers as long as the longest message, in the union dialect.
    pub long_answers: AgentSet,
    /// `neverAskedAgents`: the agents that are never asked.
    pub never_asked: AgentSet,
    /// `maxMessageBytes`: the longest message.
    pub longest_message: u16,
    /// `seed` of the game; none to draw one.
    pub seed: Option<Seed>,
    /// Every parameter with its value, and where that came from.
    pub origins: Vec<(String, Value, Layer)>,
    /// The given values, each layer over those before it.
    layers: Vec<(Layer, Parameters)>,
}

/// Returns every parameter of a game master, in the order of [`HostConfig::origins`]: its own, then those of the rules.
pub fn parameters() -> &'static [Parameter] {
    static TABLE: LazyLock<Vec<Parameter>> =
        LazyLock::new(|| own::PARAMETERS.into_iter().chain(game_project::config::PARAMETERS).collect());
    &TABLE
}

impl HostConfig {
    /// Returns the configuration with the parameters of a preset, those of this file over them, and flags over the
    /// file.
    ///
    /// # Errors
    ///
    /// Every fault of all parameters.
    pub fn over_preset(preset: &Parameters, file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        let (file, faults) = file.values(parameters());
        let faults = faults.into_iter().map(|fault| traced(fault, Layer::File)).collect();
        let preset = (Layer::Preset, preset.clone());
        Self::of(vec![preset, (Layer::File, file), (Layer::Flag, flags.clone())], faults)
    }

    /// Returns the configuration with these values from a file and from flags, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn layered(file: &Parameters, flags: &Parameters) -> Result<Self, ConfigError> {
        Self::of(vec![(Layer::File, file.clone()), (Layer::Flag, flags.clone())], Vec::new())
    }

    /// Returns the configuration with the values of a settings page over everything else. A value that is in force
    /// already changes nothing: a page may send all values that it shows, and only the edited ones count.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn changed(&self, asked: &Parameters) -> Result<Self, ConfigError> {
        let layers = with_page(parameters(), self.layers.clone(), &self.origins, asked);
        Self::of(layers, Vec::new())
    }

    /// Returns the settings of the game master; `drawn` is the seed if none is named. The game starts by nothing but
    /// an operator.
    pub fn settings(&self, drawn: Seed) -> Settings {
        Settings {
            dialect: self.dialect,
            foreign_config: self.foreign_game.clone(),
            longest_message: self.longest_message,
            acknowledge: self.acknowledge.clone(),
            long_answers: self.long_answers.clone(),
            time_limit: self.time_limit,
            never_asked: self.never_asked.clone(),
            ..Settings::new(self.game.clone(), self.seed.unwrap_or(drawn), Timestamp::UNIX_EPOCH)
        }
    }

    /// Returns every parameter with its value, as a file holds them.
    pub fn parameters(&self) -> Parameters {
        self.origins.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect()
    }

    /// Returns the configuration of these layers; `faults` are those of what did not come into them.
    fn of(layers: Vec<(Layer, Parameters)>, mut faults: Vec<Fault>) -> Result<Self, ConfigError> {
        let (named, of_layers) = LayeredValues::read(parameters(), &layers);
        faults.extend(of_layers);
        let mut rules = RawConfig::of(&named.values());
        let asked: Option<AskedDialect> = read_own(&named, "dialect", &mut faults);
        let dialect = asked.map(|asked| asked.0.unwrap_or(Dialect::Both));
        let is_auto = asked.is_some_and(|asked| asked.0.is_none());
        let by_dialect = |name: &str| dialect == Some(Dialect::Union) && named.origin(name) == Layer::Default;
        let mut foreign = rules.clone();
        foreign.landing_pick_up &= named.origin("landingPickUp") != Layer::Default;
        foreign.leader_binds &= named.origin("leaderBinds") != Layer::Default;
        if dialect == Some(Dialect::Union) {
            rules = foreign.clone();
        }
        let game = rules.check().map_err(|error| faults.extend(named.traced_all(error).into_faults())).ok();
        let foreign_game = foreign.check().ok().filter(|_| is_auto);
        let host: Option<String> = read_own(&named, "CsIP", &mut faults);
        let port: Option<u16> = read_own(&named, "CsPort", &mut faults);
        let acknowledge: Option<AgentSet> = read_own(&named, "ackAgents", &mut faults);
        let long_answers: Option<AgentSet> = read_own(&named, "longAnswerAgents", &mut faults);
        let never_asked: Option<AgentSet> = read_own(&named, "neverAskedAgents", &mut faults);
        let longest: Option<u16> = read_own(&named, "maxMessageBytes", &mut faults);
        // A fault elsewhere does not hide that the message with which the game begins is too long.
        let is_sound = |name: &str| faults.iter().all(|fault| fault.field != name);
        let sound = || {
            let values = named.values();
            let values = values.iter().filter(|(name, _)| is_sound(name));
            RawConfig::of(&values.map(|(name, value)| (name, value.clone())).collect()).check().ok()
        };
        let begun = game.clone().or_else(sound);
        if let (Some(game), Some(dialect), Some(longest)) = (&begun, dialect, longest) {
            // With `auto` an agent may receive the union dialect, in which the message is longest.
            let longer = if is_auto { Dialect::Union } else { dialect };
            faults.extend(beginning::fault(game, longer, longest).map(|fault| named.traced(fault)));
        }
        let seconds: Option<u32> = read_own(&named, "maxGameSeconds", &mut faults);
        let seed: Option<SeedOrNone> = read_own(&named, "seed", &mut faults);
        let (Some(host), Some(port), Some(game), Some(dialect)) = (host, port, game, dialect) else {
            return Err(ConfigError::new(faults));
        };
        let (Some(acknowledge), Some(longest_message), Some(seed)) = (acknowledge, longest, seed) else {
            return Err(ConfigError::new(faults));
        };
        let (Some(long_answers), Some(never_asked), Some(seconds)) = (long_answers, never_asked, seconds)
        else {
            return Err(ConfigError::new(faults));
        };
        if !faults.is_empty() {
            return Err(ConfigError::new(faults));
        }
        // As they are played: penalties are rounded by now.
        let played = game.parameters();
        let shown = |known: &Parameter| {
            let origin = match known.name {
                name @ ("landingPickUp" | "leaderBinds") if by_dialect(name) => Layer::Dialect,
                name => named.origin(name),
            };
            let value = played.get(known.name).cloned().unwrap_or_else(|| named.value(known));
            (known.name.to_owned(), value, origin)
        };
        let origins = parameters().iter().map(shown).collect();
        let server = (host, port);
        let seed = seed.0;
        Ok(Self {
            server,
            game,
            dialect,
            foreign_game,
            acknowledge,
            time_limit: (seconds > 0).then(|| Millis::new(seconds * 1000)),
            long_answers,
            never_asked,
            longest_message,
            seed,
            origins,
            layers,
        })
    }
}

/// A dialect; none for `auto`.
#[derive(Clone, Copy)]
struct AskedDialect(Option<Dialect>);

impl FromStr for AskedDialect {
    type Err = <Dialect as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" { Ok(Self(None)) } else { text.parse().map(|dialect| Self(Some(dialect))) }
    }
}

/// A seed, or an empty text.
struct SeedOrNone(Option<Seed>);

impl FromStr for SeedOrNone {
    type Err = <Seed as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() { Ok(Self(None)) } else { text.parse().map(|seed| Self(Some(seed))) }
    }
}

/// Returns a parameter beside those of the rules, if it is sound.
fn read_own<T: FromStr>(named: &LayeredValues, name: &'static str, faults: &mut Vec<Fault>) -> Option<T> {
    let known = parameter::find(&own::PARAMETERS, name).expect("a parameter of the table");
    match known.check(&named.value(known)) {
        Ok(value) => {
            let read = value.text().trim().parse();
            Some(read.unwrap_or_else(|_| unreachable!("{name} was checked")))
        }
        Err(fault) => {
            faults.push(named.traced(fault));
            None
        }
    }
}
