//! `eriantys serve`: the server of Eriantys.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::{ConfigError, Parameters, Seed};
use reference_gm::eriantys::master::{self, RestoreError, Totals};
use reference_gm::eriantys::page::{self, Room};
use reference_gm::eriantys::{Config, Master, PARAMETERS, Record, Settings, bots};
use reference_gm::server::bots::{Bots, short_name};
use reference_gm::server::page::Offer;
use reference_gm::server::{DrawToken, ServerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;
use wire::eriantys::Token;

use super::Result;
use super::serving::{self, Served, Sources, draw_token, find_bots};

/// The server of Eriantys.
#[derive(Subcommand)]
pub(crate) enum EriantysTask {
    /// Serve matches until Ctrl-C or SIGTERM; matches that are not over go on after a restart with the same folder.
    Serve(Sources<Config>),
}

/// The server's own players, which share a token.
pub(crate) struct Own {
    bots: Bots,
    token: Token,
    /// The most processes at once.
    most: usize,
}

impl Served for Config {
    type Room = Room;
    type Own = Own;

    const PARAMETERS: &'static [Parameter] = &PARAMETERS;
    const GAME: &'static str = "eriantys";
    const WORDS: [&'static str; 2] = ["match", "matches"];

    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        Self::layered(file, flags)
    }

    fn server(&self) -> &ServerConfig {
        &self.server
    }

    fn replays(&self) -> PathBuf {
        self.replays.clone()
    }

    fn own(&self, server: SocketAddr) -> Result<Option<Own>> {
        if self.bots == 0 {
            return Ok(None);
        }
        let bots = find_bots(Self::GAME, &self.bot, &[], server)?;
        Ok(Some(Own { bots, token: draw_token()?, most: self.bot_processes }))
    }

    fn restore(
        &self,
        seed: Seed,
        own: Option<&Own>,
        tokens: DrawToken,
        records: Vec<Record>,
    ) -> Result<Master, RestoreError> {
        let bots = own.map(|own| master::Bots {
            name: short_name(&self.bot),
            token: own.token,
            most: self.bots,
            wait: self.bot_wait,
            at_once: self.bot_processes,
            patience: self.bot_patience,
        });
        Master::restore(Settings { seed, bots, ..self.settings.clone() }, tokens, records)
    }

    fn unfinished(totals: &Totals) -> usize {
        totals.matches
    }

    fn room(&self) -> (Room, Offer) {
        let bots = (self.bots > 0).then_some((self.bot.as_str(), self.bots));
        (Room::default(), page::offer(bots))
    }

    fn keep(own: Own, totals: watch::Receiver<Totals>, playing: &mut JoinSet<()>) {
        playing.spawn(bots::keep(own.bots, own.token, own.most, totals));
    }
}

pub(crate) fn run(task: &EriantysTask) -> Result<ExitCode> {
    let EriantysTask::Serve(sources) = task;
    serving::run(&sources.config()?)
}
