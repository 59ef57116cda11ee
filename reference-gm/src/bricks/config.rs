//! The configuration of a referee: defaults, those of the dialect over them, a JSON file over these, flags over the
//! file.
//!
//! The table holds the referee's own parameters and those of the game. Command line, file and page read the same table.

use std::sync::LazyLock;
use std::time::Duration;

use child_process::Limits;
use game_bricks::notation::PARAMETERS as RULES;
use game_bricks::{Config, State};
use game_env::parameter::{Checked, Form, Parameter};
use game_env::{ConfigError, Environment as _, Notation as _, Parameters, Seed, Value};
use wire::bricks::{Compat, Dialect, Settings};

use crate::layers::{Layer, LayeredValues, with_page};
use crate::server::config::SEED;

/// The configuration of the referee: how duels are conducted.
#[derive(Clone, PartialEq, Debug)]
pub struct BricksConfig {
    /// The game.
    pub game: Config,
    /// The seed of the filled cells; `None` for a random one.
    pub seed: Option<Seed>,
    /// The conversation.
    pub settings: Settings,
    /// The resources that players' programs may use.
    pub programs: ProgramRules,
    /// The event that starts the next move.
    pub mode: Mode,
    /// Whether a loss by time on a machine that was too slow is in doubt.
    pub checks_host: bool,
    /// Every parameter with its value, and where that came from.
    pub origins: Vec<(String, Value, Layer)>,
    layers: Vec<(Layer, Parameters)>,
}

/// The resources that players' programs may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramRules {
    /// Time that they have to end after the game, and the same time again after they were asked to end (SIGTERM).
    pub grace: Duration,
    /// Memory, processes and files.
    pub limits: Limits,
    /// Whether they reach nothing but their own folders and the system's programs.
    pub confine: Confine,
    /// Paths that they may read beside that.
    pub may_read: Vec<String>,
}

/// Whether programs are confined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confine {
    /// If the system can do it.
    Auto,
    /// Nothing is played where it cannot.
    Always,
    /// Nothing is played where programs cannot have namespaces of their own.
    Namespaces,
    /// They are not.
    Never,
}

/// The event that starts the next move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// No operator: each move waits for this time at least, counted from the one before.
    Automatic(Duration),
    /// A key, on the keyboard or on the page.
    ByHand,
}

/// Returns every parameter: the referee's own, then those of the rules.
pub fn parameters() -> &'static [Parameter] {
    static TABLE: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
        [SEED_OF_CELLS].into_iter().chain(CONVERSATION).chain(HOSTING).chain(RULES).collect()
    });
    &TABLE
}

const MIB: u64 = 1024 * 1024;

/// The parameters of the conversation between referee and players.
pub const CONVERSATION: [Parameter; 5] = [
    Parameter::one_of("dialect", "the dialect of the lines between referee and players", &["2018", "2017", "2019"]),
    Parameter::one_of(
        "compat",
        "whether lines, bricks and `info.txt` are read as the referee of 2018 or of 2019 read them, with its mistakes",
        &["none", "2018", "2019"],
    ),
    Parameter::whole("answerLimitMs", "time for the answer to the opening", 1000, 1, 3_600_000).unit("ms"),
    Parameter::whole(
        "silenceLimitMs",
        "time after a question; a player without an answer by then is silent, not late; 0 to count nobody as silent",
        5000,
        0,
        3_600_000,
    )
    .unit("ms"),
    Parameter::whole("wakeMs", "time between the start of a program and the first line", 0, 0, 3_600_000)
        .unit("ms"),
];

/// Returns the settings of a conversation about games of this configuration. `read` has values of [`CONVERSATION`],
/// perhaps among others.
///
/// # Errors
///
/// If the dialect has no words for the boards, or the reading of lines belongs to another dialect.
///
/// # Panics
///
/// If a parameter of [`CONVERSATION`] was not read.
pub fn conversation(read: &Checked, game: &Config) -> Result<Settings, ConfigError> {
    let (dialect, compat): (Dialect, Compat) = (read.parsed("dialect"), read.parsed("compat"));
    if let Some(own) = compat.dialect().filter(|own| *own != dialect) {
        let why = format!("the dialect is {dialect}: expected the dialect {own}");
        return Err(read.fault("compat", why));
    }
    // Which cells are filled is known when the seed is; whether there are any does not depend on it.
    if let Err(error) = Dialect::opening(dialect, State::new(game, Seed::new(0)).board()) {
        return Err(read.fault("dialect", error));
    }
    Ok(Settings {
        dialect,
        compat,
        answer_limit: read.millis("answerLimitMs"),
        silence_limit: read.millis("silenceLimitMs"),
        wake: read.millis("wakeMs"),
        newline: if cfg!(windows) { "\r\n" } else { "\n" },
    })
}

const SEED_OF_CELLS: Parameter = Parameter::text(
    "seed",
    "seed of the cells that are filled at random; drawn at random if absent",
    "",
    SEED,
);

const HOSTING: [Parameter; 8] = [
    Parameter::one_of(
        "mode",
        "whether the next move begins by itself (auto) or when a key is pressed (hand)",
        &["auto", "hand"],
    ),
    Parameter::whole("paceMs", "the shortest time from one move to the next, to watch", 0, 0, 60_000)
        .unit("ms"),
    Parameter::whole(
        "graceMs",
        "time in which a program may end after the game, and again after SIGTERM, before it is killed",
        300,
        0,
        60_000,
    )
    .unit("ms"),
    Parameter::flag(
        "checkHost",
        "whether a duel that a player has lost by its time is played again if this machine was too slow",
        true,
    ),
    Parameter::whole("memoryMib", "memory of a player with all its processes", 1024, 32, 1 << 20).unit("MiB"),
    Parameter::whole("processes", "processes of a player at a time", 32, 1, 10_000),
    Parameter::one_of(
        "confine",
        "whether programs can read only their own folders and the system's programs, and write nothing: where the system can do it, always, always in namespaces of their own, or never",
        &["auto", "always", "namespaces", "never"],
    ),
    Parameter::list(
        "mayRead",
        "files and folders that confined programs may read as well, joined by commas",
        Form { allowed: "paths joined by commas, or nothing", check: |_| Ok(()) },
    ),
];

impl BricksConfig {
    /// Returns the configuration with these values of a file and of flags.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn layered(file: Parameters, flags: Parameters) -> Result<Self, ConfigError> {
        Self::of(vec![(Layer::File, file), (Layer::Flag, flags)])
    }

    /// Returns the configuration with what a page asks for over everything else. What the page has asked for before
    /// stays, unless it is named again.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn changed(&self, asked: &Parameters) -> Result<Self, ConfigError> {
        Self::of(with_page(parameters(), self.layers.clone(), &self.origins, asked))
    }

    fn of(layers: Vec<(Layer, Parameters)>) -> Result<Self, ConfigError> {
        let (mut named, faults) = LayeredValues::read(parameters(), &layers);
        add_values_of_dialect(&mut named);
        let read = named.checked(faults)?;
        let of_rules = |name: &str| RULES.iter().any(|known| known.name == name);
        let rules = read.values().iter().filter(|(name, _)| of_rules(name));
        let rules: Parameters = rules.map(|(name, value)| (name, value.clone())).collect();
        let game = State::read_config(&rules).map_err(|error| named.traced_all(error))?;
        let settings = conversation(&read, &game).map_err(|error| named.traced_all(error))?;
        let programs = ProgramRules {
            grace: read.millis("graceMs").into(),
            limits: Limits {
                memory_bytes: read.whole::<u64>("memoryMib") * MIB,
                processes: read.whole("processes"),
                ..Limits::default()
            },
            confine: match read.text("confine").as_str() {
                "always" => Confine::Always,
                "namespaces" => Confine::Namespaces,
                "never" => Confine::Never,
                _ => Confine::Auto,
            },
            may_read: read
                .text("mayRead")
                .split(',')
                .map(str::trim)
                .filter(|path| !path.is_empty())
                .map(str::to_owned)
                .collect(),
        };
        let mode = match read.text("mode").as_str() {
            "hand" => Mode::ByHand,
            _ => Mode::Automatic(read.millis("paceMs").into()),
        };
        let seed = read.filled("seed").map(|_| read.parsed("seed"));
        let origins = named.origins(&read);
        let checks_host = read.flag("checkHost");
        Ok(Self { game, seed, settings, programs, mode, checks_host, origins, layers })
    }
}

/// Adds the values by which the dialect and the referee of its year go, where no layer names another one.
fn add_values_of_dialect(named: &mut LayeredValues) {
    let is = |name: &str, text: &str| named.get(name).is_some_and(|value| value.text().trim() == text);
    let mut usual = Vec::new();
    let is_of_2019 = is("compat", "2019");
    if is_of_2019 {
        usual.push(("dialect", Value::Text("2019".to_owned())));
    }
    if is("compat", "2018") {
        usual.push(("loose", Value::Flag(true)));
    }
    if is("dialect", "2019") || is_of_2019 && named.get("dialect").is_none() {
        usual.push(("torus", Value::Flag(true)));
        let size = match named.get("size") {
            None => Some(i128::from(Config::default().size())),
            Some(Value::Whole(size)) => Some(*size).filter(|size| (1..1000).contains(size)),
            Some(_) => None,
        };
        // One cell in ten. A faulty size is reported as a fault of the size.
        usual.extend(size.map(|size| ("filled", Value::Whole(size * size / 10))));
    }
    for (name, value) in usual {
        // Cells that are named are all that are filled.
        if name != "filled" || named.get("filledCells").is_none() {
            named.add_of_dialect(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Millis, parameter};

    use super::*;

    fn flags(pairs: &[(&str, &str)]) -> Parameters {
        pairs.iter().map(|(name, text)| (*name, parameter::parse(parameters(), name, text))).collect()
    }

    fn read(pairs: &[(&str, &str)]) -> Result<BricksConfig, String> {
        BricksConfig::layered(Parameters::new(), flags(pairs)).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_those_of_the_original() {
        let config = read(&[]).unwrap();
        assert_eq!(config.settings, Settings { newline: config.settings.newline, ..Settings::default() });
        assert_eq!(config.game.limit(), Some(Millis::new(500)));
        assert_eq!((config.seed, config.mode), (None, Mode::Automatic(Duration::ZERO)));
        assert_eq!(config.origins.len(), parameters().len());
        assert!(config.origins.iter().all(|(.., origin)| *origin == Layer::Default));
    }

    #[test]
    fn a_dialect_brings_the_board_of_its_year() {
        let of = |pairs: &[(&str, &str)]| {
            let config = read(pairs).unwrap();
            (config.game.is_torus(), config.game.count_at_random(), config.game.is_loose())
        };
        assert_eq!(of(&[("dialect", "2019")]), (true, 12, false));
        assert_eq!(of(&[("dialect", "2019"), ("size", "15")]), (true, 22, false));
        assert_eq!(of(&[("dialect", "2019"), ("torus", "false"), ("filled", "0")]), (false, 0, false));
        assert_eq!(of(&[("dialect", "2019"), ("filledCells", "1x1")]), (true, 0, false));
        assert_eq!(of(&[("compat", "2018")]), (false, 0, true));
        assert_eq!(of(&[("compat", "2018"), ("loose", "false")]), (false, 0, false));
        assert_eq!(of(&[("compat", "2019")]), (true, 12, false));
        let config = read(&[("compat", "2019")]).unwrap();
        assert_eq!((config.settings.dialect, config.settings.compat), (Dialect::Year2019, Compat::Year2019));
        let config = read(&[("dialect", "2019")]).unwrap();
        let torus = config.origins.iter().find(|(name, ..)| name == "torus").unwrap();
        assert_eq!((&torus.1, torus.2), (&Value::Flag(true), Layer::Dialect));
    }

    #[test]
    fn every_fault_is_told_with_its_origin() {
        let told = BricksConfig::layered(
            flags(&[("sise", "3"), ("memoryMib", "1")]),
            flags(&[("size", "4"), ("compat", "2017")]),
        );
        let told = told.unwrap_err().to_string();
        let expected = [
            "sise = 3: unknown parameter (in the file); allowed: perhaps `size`",
            "compat = \"2017\": unknown value (in a flag); allowed: none, 2018 or 2019",
            "memoryMib = 1: it is too small (in the file); allowed: a whole number from 32 to 1048576",
        ];
        assert_eq!(told.lines().collect::<Vec<_>>(), expected);
        assert_eq!(
            read(&[("size", "4")]).unwrap_err(),
            "size = 4: a board of 4×4 cells (in a flag); allowed: an odd number from 3 to 999"
        );
        assert_eq!(
            read(&[("dialect", "2018"), ("compat", "2019")]).unwrap_err(),
            "compat = \"2019\": the dialect is 2018 (in a flag); allowed: the dialect 2019"
        );
        assert_eq!(
            read(&[("dialect", "2017"), ("filled", "3")]).unwrap_err(),
            "dialect = \"2017\": the dialect 2017 cannot name filled cells (in a flag); \
             allowed: a board without any, or another dialect"
        );
    }

    #[test]
    fn a_page_changes_what_flags_have_said() {
        let config = read(&[("size", "9"), ("filled", "3")]).unwrap();
        let changed = config.changed(&flags(&[("size", "21")])).unwrap();
        assert_eq!((changed.game.size(), changed.game.count_at_random()), (21, 3));
        let again = changed.changed(&flags(&[("filled", "5")])).unwrap();
        assert_eq!((again.game.size(), again.game.count_at_random()), (21, 5));
    }
}
