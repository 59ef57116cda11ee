//! `dots serve`: the server of Dots & Boxes.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use command_line::{Failure, read_text, shown};
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::{ConfigError, Parameters, Seed};
use reference_gm::dots::master::{RestoreError, Totals};
use reference_gm::dots::page::{self, Room};
use reference_gm::dots::{Config, Master, PARAMETERS, Record, Settings, bots, config_txt};
use reference_gm::server::bots::Bots;
use reference_gm::server::page::Offer;
use reference_gm::server::{DrawToken, ServerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;
use wire::dots::{Name, Token};

use super::Result;
use super::serving::{self, Served, Sources, draw_token, find_bots};

/// The server of Dots & Boxes.
#[derive(Subcommand)]
pub(crate) enum DotsTask {
    /// Serve games until Ctrl-C or SIGTERM; games that are not over go on after a restart with the same folder.
    Serve(ServeFlags),
}

#[derive(Args)]
pub(crate) struct ServeFlags {
    /// A `config.txt` of the original of 2023: an address on the first line, a port on the second.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    config_txt: Option<PathBuf>,
    #[command(flatten)]
    sources: Sources<Config>,
}

impl ServeFlags {
    fn config(&self) -> Result<Config> {
        let Some(path) = &self.config_txt else { return self.sources.config() };
        let unusable = |why: String| {
            let why = format!("cannot read {}: {why}", shown(path));
            Failure::misuse(why, "a whole file is\n  127.0.0.1\n  10000")
        };
        let text = read_text(path, config_txt::LONGEST_FILE).map_err(|error| unusable(error.to_string()))?;
        self.sources.over(&config_txt::read(&text).map_err(|error| unusable(error.to_string()))?)
    }
}

/// The server's own players, each with its name and its token.
pub(crate) struct Own {
    bots: Bots,
    players: Vec<(Name, Token)>,
}

impl Served for Config {
    type Room = Room;
    type Own = Own;

    const PARAMETERS: &'static [Parameter] = &PARAMETERS;
    const GAME: &'static str = "dots";
    const WORDS: [&'static str; 2] = ["game", "games"];

    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        Self::layered(file, flags)
    }

    fn server(&self) -> &ServerConfig {
        &self.server
    }

    fn replays(&self) -> PathBuf {
        self.server.folder.join("games")
    }

    fn own(&self, server: SocketAddr) -> Result<Option<Own>> {
        let Some(strategy) = &self.bot else { return Ok(None) };
        let bots = find_bots(Self::GAME, strategy, &["rows=2", "cols=2"], server)?;
        let names = bots::names(strategy, self.bots).into_iter();
        let players = names.map(|name| Ok((name, draw_token()?))).collect::<Result<_>>()?;
        Ok(Some(Own { bots, players }))
    }

    fn restore(
        &self,
        seed: Seed,
        own: Option<&Own>,
        tokens: DrawToken,
        records: Vec<Record>,
    ) -> Result<Master, RestoreError> {
        let bots = own.map(|own| own.players.clone()).unwrap_or_default();
        Master::restore(Settings { seed, bots, ..self.settings.clone() }, tokens, records)
    }

    fn unfinished(totals: &Totals) -> usize {
        totals.games
    }

    fn room(&self) -> (Room, Offer) {
        (Room, page::offer(self.bot.as_deref()))
    }

    fn keep(own: Own, _totals: watch::Receiver<Totals>, playing: &mut JoinSet<()>) {
        for (name, token) in own.players {
            playing.spawn(bots::keep(own.bots.clone(), name, token));
        }
    }
}

pub(crate) fn run(task: &DotsTask) -> Result<ExitCode> {
    let DotsTask::Serve(flags) = task;
    serving::run(&flags.config()?)
}
