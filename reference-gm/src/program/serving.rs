//! The common parts of the programs that serve games of turns: configuration, log, port, tokens and bots.

use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use command_line::{Asked, FileError, LevelFilter, LogFilter, flags};
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::text::counted;
use game_env::{ConfigError, Parameters, Seed};
use reference_gm::server::bots;
use tokio::net::{TcpListener, TcpSocket};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use wire::token::Token;

use super::complain;

/// Number of connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// The configuration of a server.
pub(crate) trait Configured: Sized {
    /// Every parameter, in the order of files.
    const PARAMETERS: &'static [Parameter];

    /// The configuration with the values of a file, and of flags over them.
    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError>;
}

/// Sources of a server's configuration: a flag for each parameter, and a file.
pub(crate) struct Sources<C>(Asked, PhantomData<C>);

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// The file cannot be read as one JSON object.
    #[error("{0}\nhint: it is one JSON object, e.g. {{\"port\": 10000}}")]
    File(FileError),
    /// Values are faulty.
    #[error("the configuration cannot be used\n{0}")]
    Faulty(ConfigError),
    /// The file of the original cannot be read, or names no address and port.
    #[error(
        "the configuration file `{path}` cannot be used: {why}\nhint: a whole file is\n  127.0.0.1\n  10000"
    )]
    Txt { path: String, why: String },
    /// There is no such strategy, or nothing to play it with.
    #[error("the strategy `{bot}` cannot play: {why}\nhint: {hint}")]
    Bot { bot: String, why: String, hint: &'static str },
}

impl<C: Configured> Sources<C> {
    /// The configuration.
    pub(super) fn config(&self) -> Result<C, Unusable> {
        self.over(&self.0.content(|notice| complain(&notice)).map_err(Unusable::File)?)
    }

    /// The configuration with the values of this file instead of the one that is named.
    pub(super) fn over(&self, file: &File) -> Result<C, Unusable> {
        C::layered(file, &self.0.flags).map_err(Unusable::Faulty)
    }
}

/// Runs a server in this thread, with this log.
pub(super) fn run(log: Option<&str>, host: impl Future<Output = Result<ExitCode>>) -> Result<ExitCode> {
    let filter: Option<LogFilter> = log.and_then(|text| text.parse().ok());
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(filter.as_ref(), LevelFilter::INFO))
        .with(layer().with_ansi(false).with_writer(io::stderr))
        .init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot start")?.block_on(host)
}

/// A listener at this address, whose port is free again at once when the program ends. `flag` is the one that chooses
/// the port.
pub(super) fn listen(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bind().map_err(|error| {
        let hint = tcp::listen_hint(address, flag, &error);
        anyhow!("cannot listen on {address}: {error}\nhint: {hint}")
    })
}

pub(super) fn draw_token() -> Result<Token, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(Token::new(bits))
}

pub(super) fn drawn_seed() -> Result<Seed> {
    Ok(Seed::new(u64::from(getrandom::u32().context("there are no random bits")?)))
}

/// The program that plays this strategy in a game, once it has played it there with these settings.
pub(super) fn find_bot(game: &str, strategy: &str, settings: &[&str]) -> Result<PathBuf, Unusable> {
    let failed = |why: String, hint| Unusable::Bot { bot: strategy.to_owned(), why, hint };
    let program = bots::program().map_err(|error| {
        failed(error.to_string(), "build it with `cargo build --package bots`, beside this program")
    })?;
    // The program knows its strategies: a strategy that it cannot play is reported before anybody waits for it.
    let mut words = vec!["--game", game, "--strategy", strategy, "--virtual", "--seed", "0"];
    words.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let tried = std::process::Command::new(&program).args(words).output();
    let tried = tried.map_err(|error| failed(error.to_string(), "it has to be a program of this system"))?;
    if !tried.status.success() {
        let told = String::from_utf8_lossy(&tried.stderr);
        let told = told.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return Err(failed(told, "`bots list` shows the strategies"));
    }
    Ok(program)
}

impl<C: Configured> Args for Sources<C> {
    fn augment_args(command: Command) -> Command {
        command.args(flags(C::PARAMETERS))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Configured> FromArgMatches for Sources<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(Asked::of(C::PARAMETERS, matches), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The line that a server prints after a restart if games were not over.
pub(super) fn resumed(count: usize, one: &str, many: &str) -> String {
    format!("{} as soon as the players come back", counted(count as u64, one, many))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_game_goes_on_and_two_go_on() {
        let told = |count| resumed(count, "game goes on", "games go on");
        assert_eq!(told(1), "1 game goes on as soon as the players come back");
        assert_eq!(told(2), "2 games go on as soon as the players come back");
    }
}
