//! The command line of the game master of The Project Game.

use std::io;
use std::path::PathBuf;

use clap::Args;
use command_line::{Failure, LOG_HELP, LogFilter, read_configuration, settings};
use game_catalogue::UnknownPreset;
use game_env::parameter::{self, canonical};
use game_env::{ConfigError, Millis, Notation as _, Parameters, Preset, Value};
use game_project::State;
use reference_gm::keyboard::Keyboard;
use reference_gm::project::config::{HostConfig, parameters};
use viewer::server::Place;

use crate::program::arguments::OWN_MACHINE;
use crate::program::{Result, take_place, tell};

/// Flags for the configuration of a game.
#[derive(Args)]
pub(crate) struct Sources {
    /// The game by name: quick, spec or large; `config --preset NAME` shows its values [default: spec].
    #[arg(long, value_name = "NAME", value_parser = find_preset)]
    pub(crate) preset: Option<Preset>,
    /// The configuration, a JSON file; overrides the preset.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The communication server [default: 127.0.0.1:3728].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) cs: Option<String>,
    /// The communication server's port for the game master; overrides CsPort of the file.
    #[arg(long, conflicts_with = "cs")]
    pub(crate) port: Option<String>,
    /// Any parameter of the file, e.g. `--set boardX=20`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// The message dialect: auto, which all known agents understand, spec or union.
    #[arg(long)]
    pub(crate) dialect: Option<String>,
    /// A team, a habit or the number of an agent that waits for acknowledgements (112, 113); again for more.
    #[arg(long, value_name = "TEAM|HABIT|AGENT")]
    pub(crate) ack: Vec<String>,
    /// A team, a habit or the number of an agent that is never asked; again for more.
    #[arg(long, value_name = "TEAM|HABIT|AGENT")]
    pub(crate) never_ask: Vec<String>,
    /// The seed of all random numbers of the game; drawn at random if not given.
    #[arg(long)]
    pub(crate) seed: Option<String>,
}

#[derive(Args)]
pub(crate) struct Hosting {
    #[command(flatten)]
    pub(crate) sources: Sources,
    /// Read no commands from the terminal.
    #[arg(long)]
    pub(crate) headless: bool,
    /// Start as soon as both teams are full.
    #[arg(long)]
    pub(crate) start_when_full: bool,
    /// Start after this time with the agents that have joined, once both teams have an agent.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) start_after: Option<f64>,
    /// The file for the replay.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// The address of the game page; port 0 for any free one. A headless game has no page unless this is given.
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) page: Option<String>,
    /// Serve no game page.
    #[arg(long, conflicts_with = "page")]
    pub(crate) no_page: bool,
    /// Keep the game page until a signal: after the end of the game, and while the communication server cannot be
    /// reached.
    #[arg(long, conflicts_with = "no_page")]
    pub(crate) stay: bool,
    /// Print the statistics as JSON on standard output, and everything else on standard error.
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, value_name = "LEVEL", help = format!("{LOG_HELP}; debug shows every message [default: warn]"))]
    pub(crate) log: Option<LogFilter>,
}

impl Sources {
    pub(crate) fn load(&self) -> Result<HostConfig> {
        self.read(&self.flags()?).map_err(|unusable| unusable.failure)
    }

    /// Returns the same, but a user at a terminal may correct a faulty file and have it read again; `None` if they give
    /// up. Flags cannot be corrected any more.
    pub(crate) fn load_with_patience(&self) -> Result<Option<HostConfig>> {
        let flags = self.flags()?;
        loop {
            let Unusable { failure, is_of_flags } = match self.read(&flags) {
                Ok(config) => return Ok(Some(config)),
                Err(unusable) => unusable,
            };
            let Some(path) = self.config.as_ref().filter(|_| !is_of_flags) else { return Err(failure) };
            tell(&format!("error: {}", failure.why()));
            tell(&format!(
                "correct {} and press Enter to read it again; q and Enter to give up",
                path.display()
            ));
            let mut answer = String::new();
            let length = io::stdin().read_line(&mut answer).map_err(|error| {
                Failure::undone(
                    format!("the keyboard cannot be read: {error}"),
                    "correct the file, and start again",
                )
            })?;
            if length == 0 || answer.trim().eq_ignore_ascii_case("q") {
                return Ok(None);
            }
        }
    }

    /// Returns the configuration of preset, file and flags.
    fn read(&self, flags: &Parameters) -> Result<HostConfig, Unusable> {
        let preset = self.preset.as_ref().map(|preset| preset.parameters.clone()).unwrap_or_default();
        let file = self.config.as_deref().map(|path| read_configuration(path, tell)).transpose();
        let file = file
            .map_err(|error| Unusable { failure: error.failure("{\"boardX\": 20}"), is_of_flags: false })?;
        HostConfig::over_preset(&preset, &file.unwrap_or_default(), flags).map_err(|error| Unusable {
            failure: Failure::misuse(error.to_string(), "`reference-gm config` lists all parameters"),
            is_of_flags: concerns(&error, flags),
        })
    }

    /// Returns the flags that stand for parameters.
    fn flags(&self) -> Result<Parameters> {
        let mut flags = Parameters::new();
        if let Some(address) = &self.cs {
            let (host, port) = address.rsplit_once(':').ok_or_else(|| {
                Failure::misuse(
                    format!("invalid --cs `{address}`: expected HOST:PORT"),
                    "e.g. `--cs 127.0.0.1:3728`",
                )
            })?;
            flags.push("CsIP", Value::Text(host.trim_matches(['[', ']']).to_owned()));
            flags.push("CsPort", parameter::parse(parameters(), "CsPort", port));
        }
        if let Some(port) = &self.port {
            flags.push("CsPort", parameter::parse(parameters(), "CsPort", port));
        }
        let texts = [("dialect", &self.dialect), ("seed", &self.seed)];
        for (name, text) in texts {
            if let Some(text) = text {
                flags.push(name, Value::Text(text.clone()));
            }
        }
        if !self.ack.is_empty() {
            flags.push("ackAgents", Value::Text(self.ack.join(",")));
        }
        if !self.never_ask.is_empty() {
            flags.push("neverAskedAgents", Value::Text(self.never_ask.join(",")));
        }
        flags.extend(settings("--set", &self.set, parameters(), "e.g. `--set boardX=20`")?);
        Ok(flags)
    }
}

/// A configuration that cannot be used.
struct Unusable {
    failure: Failure,
    /// Whether a parameter of a flag has a fault, which an edit of the file cannot cure.
    is_of_flags: bool,
}

/// Returns whether one of these parameters has a fault.
fn concerns(error: &ConfigError, flags: &Parameters) -> bool {
    let table = parameters();
    let is_named =
        |field: &str| flags.iter().any(|(name, _)| canonical(table, name) == canonical(table, field));
    error.faults().iter().any(|fault| is_named(&fault.field))
}

impl Hosting {
    /// Returns the configuration; nothing if a faulty one is not to be corrected.
    pub(crate) fn load(&self) -> Result<Option<HostConfig>> {
        match !self.headless && Keyboard::is_at_hand() {
            true => self.sources.load_with_patience(),
            false => self.sources.load().map(Some),
        }
    }

    /// Returns the place of the game page, if there is to be one.
    pub(crate) fn page(&self) -> Result<Option<Place>> {
        match (&self.page, self.no_page || self.headless) {
            (Some(address), _) => take_place(address).map(Some),
            (None, false) => take_place(OWN_MACHINE).map(Some),
            (None, true) if self.stay => Err(Failure::misuse(
                "`--stay` keeps the game page, and a headless game has none without `--page`",
                "add e.g. `--page 127.0.0.1:0`, or leave out `--stay`",
            )),
            (None, true) => Ok(None),
        }
    }

    pub(crate) fn start_after(&self) -> Result<Option<Millis>> {
        let Some(seconds) = self.start_after else { return Ok(None) };
        if !(0.0..=86_400.0).contains(&seconds) {
            return Err(Failure::misuse(
                format!("invalid --start-after `{seconds}`: expected seconds from 0 to 86400"),
                "e.g. `--start-after 30`",
            ));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range was looked at"
        )]
        let milliseconds = (seconds * 1000.0) as u32;
        Ok(Some(Millis::new(milliseconds)))
    }
}

fn find_preset(name: &str) -> Result<Preset, UnknownPreset> {
    let game = game_catalogue::find(State::GAME).expect("the catalogue has this game");
    game_catalogue::preset(game, name)
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected seconds from 0 to 86400, e.g. 30".to_owned())
}
