//! The common parts of the programs that serve games of turns: configuration, log, port, tokens and bots.

use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use child_process::Guard;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use command_line::{Asked, Failure, LevelFilter, LogFilter, chain, drawn_seed, flags, shown};
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::text::counted;
use game_env::{ConfigError, Parameters, Seed};
use reference_gm::archive::Archive;
use reference_gm::journal::Journal;
use reference_gm::server::bots::{self, Bots};
use reference_gm::server::page::Offer;
use reference_gm::server::{DrawToken, Limits, Master, Page, RestoreError, Room, Server, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use viewer::guard;
use wire::token::Token;

use super::{Result, print, runtime, serve_page, stop_signal, take_place, tell};

/// The configuration of a server, and the parts of its program that differ between games.
pub(crate) trait Served: Sized {
    /// The master and the page of the game.
    type Room: Room<Master: Master<Totals: Send + Sync + 'static>>;
    /// The server's own players.
    type Own;

    /// Every parameter, in the order of files.
    const PARAMETERS: &'static [Parameter];
    /// The name of the game.
    const GAME: &'static str;
    /// The word for one game on the server, and for several.
    const WORDS: [&'static str; 2];

    /// Returns the configuration with the values of a file, and of flags over them.
    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError>;

    /// Returns the part that all servers have.
    fn server(&self) -> &ServerConfig;

    /// Returns the folder for replays.
    fn replays(&self) -> PathBuf;

    /// Returns the server's own players, which connect to this address; none if it has none.
    fn own(&self, server: SocketAddr) -> Result<Option<Self::Own>>;

    /// Returns the master of a server that ended, from its records.
    fn restore(
        &self,
        seed: Seed,
        own: Option<&Self::Own>,
        tokens: DrawToken,
        records: Vec<RecordOf<Self>>,
    ) -> Result<MasterOf<Self>, RestoreError<RecordOf<Self>>>;

    /// Returns the number of games that are not over.
    fn unfinished(totals: &TotalsOf<Self>) -> usize;

    /// Returns the game's part of the page, and the offer that stays there.
    fn room(&self) -> (Self::Room, Offer);

    /// Keeps the server's own players running in tasks.
    fn keep(own: Self::Own, totals: watch::Receiver<TotalsOf<Self>>, playing: &mut JoinSet<()>);
}

/// The master of a server, its records and its counts.
pub(crate) type MasterOf<S> = <<S as Served>::Room as Room>::Master;
pub(crate) type RecordOf<S> = <MasterOf<S> as Master>::Record;
pub(crate) type TotalsOf<S> = <MasterOf<S> as Master>::Totals;

/// Sources of a server's configuration: a flag for each parameter, and a file.
pub(crate) struct Sources<C>(Asked, PhantomData<C>);

impl<C: Served> Sources<C> {
    /// Returns the configuration.
    pub(super) fn config(&self) -> Result<C> {
        let file = self.0.content(tell).map_err(|error| error.failure(r#"{"port": 10000}"#))?;
        self.over(&file)
    }

    /// Returns the configuration with the values of this file instead of the one that is named.
    pub(super) fn over(&self, file: &File) -> Result<C> {
        C::layered(file, &self.0.flags).map_err(|error| {
            let hint = format!("`reference-gm {} serve --help` lists all parameters", C::GAME);
            Failure::misuse(format!("the configuration cannot be used\n{error}"), hint)
        })
    }
}

/// Runs a server in this thread, until Ctrl-C or SIGTERM.
pub(super) fn run<S: Served>(config: &S) -> Result<ExitCode> {
    let filter: Option<LogFilter> = config.server().log.as_deref().and_then(|text| text.parse().ok());
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(filter.as_ref(), LevelFilter::INFO))
        .with(layer().with_ansi(false).with_writer(io::stderr))
        .init();
    runtime()?.block_on(host(config))
}

async fn host<S: Served>(config: &S) -> Result<ExitCode> {
    let (game, [one, many]) = (S::GAME, S::WORDS);
    let common = config.server();
    let stopped = stop_signal()?;
    let listener = listen(SocketAddr::new(common.listen, common.port), "--port")?;
    let place = common.page.as_deref().map(take_place).transpose()?;
    let address = listener.local_addr().map_err(|error| {
        Failure::undone(format!("the system does not say at which port it listens: {error}"), "try again")
    })?;
    if let Err(error) = tcp::allow(common.connections) {
        tracing::warn!("{error}");
    }
    let (mut journal, past) = Journal::open(&common.folder, common.sync)
        .map_err(|error| Failure::undone(chain(&error), error.hint()))?;
    if let Some(cut) = &past.cut {
        tell(&format!("warning: {cut}"));
    }
    let own = config.own(tcp::within(address))?;
    let seed = match common.seed {
        Some(seed) => seed,
        None => drawn_seed()?,
    };
    // Tokens are drawn all the time: if the system has no random bits any more, nobody may guess what comes then.
    draw_token()?;
    let tokens: DrawToken = Box::new(|| draw_token().expect("the system has random bits, as at the start"));
    let journal_name = journal.path().display().to_string();
    let unwritable = |error: io::Error| {
        let hint = "free disk space, then start the server again: it goes on with its journal";
        Failure::undone(format!("cannot write {journal_name}: {error}"), hint)
    };
    let mut master = config.restore(seed, own.as_ref(), tokens, past.records).map_err(|error| {
        let hint = format!("move the journal away: its {many} are then forgotten");
        Failure::undone(format!("{journal_name}: {error}"), hint)
    })?;
    let replays = config.replays();
    let no_replays =
        |why: String| Failure::undone(why, "choose another folder for replays, or free disk space");
    let archive = Archive::start(&replays)
        .map_err(|error| no_replays(format!("cannot write replays to {}: {error}", shown(&replays))))?;
    master.archive_past(&archive).map_err(|error| no_replays(error.to_string()))?;
    journal.replace(&master.snapshot()).map_err(&unwritable)?;
    let unfinished = S::unfinished(&master.totals());
    let limits = Limits {
        connections: common.connections,
        connections_of_origin: common.connections_of_address,
        buffer_bytes: common.buffer_bytes,
    };
    let mut server: Server<S::Room> = Server::new(master, journal, archive, limits);
    if let Some(place) = place {
        let (room, offer) = config.room();
        server = server.with_page(Page::new(serve_page(place)?, room, offer));
    }
    let folder = shown(&common.folder);
    print(&format!("{game}: players on {address}, seed {seed}, folder {folder}\n"))?;
    if unfinished > 0 {
        tell(&resumed(unfinished, one, many));
    }
    let mut playing = JoinSet::new();
    if let Some(own) = own {
        S::keep(own, server.totals(), &mut playing);
    }
    server.run(listener, stopped).await.map_err(&unwritable)?;
    playing.shutdown().await;
    tell(&format!("{game}: stopped; a server with the folder {folder} goes on with all unfinished {many}"));
    Ok(ExitCode::SUCCESS)
}

/// Returns a listener at this address, whose port is free again at once when the program ends. `flag` is the one that
/// chooses the port.
pub(super) fn listen(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    tcp::listen(address).map_err(|error| {
        let hint = tcp::listen_hint(address, flag, &error);
        Failure::undone(format!("cannot listen on {address}: {error}"), hint)
    })
}

pub(super) fn draw_token() -> Result<Token> {
    guard::draw_token().map_err(|error| {
        Failure::undone(format!("the system has no random bits: {error}"), "try again when it has started")
    })
}

/// Returns the bots with this strategy of a game, once it has played the game with these settings.
pub(super) fn find_bots(
    game: &'static str,
    strategy: &str,
    settings: &[&str],
    server: SocketAddr,
) -> Result<Bots> {
    let failed = |why: String, hint: &str| {
        Failure::misuse(format!("the strategy `{strategy}` cannot play: {why}"), hint)
    };
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
    let guard = Guard::of_this_program().map_err(|error| Failure::without_own_path(&error))?;
    Ok(Bots { guard, program, game, strategy: strategy.to_owned(), server })
}

impl<C: Served> Args for Sources<C> {
    fn augment_args(command: Command) -> Command {
        command.args(flags(C::PARAMETERS))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Served> FromArgMatches for Sources<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(Asked::of(C::PARAMETERS, matches), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the line that a server prints after a restart if games were not over.
fn resumed(count: usize, one: &str, many: &str) -> String {
    let games = counted(count as u64, &format!("{one} goes on"), &format!("{many} go on"));
    format!("{games} as soon as the players come back")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_game_goes_on_and_two_go_on() {
        let told = |count| resumed(count, "game", "games");
        assert_eq!(told(1), "1 game goes on as soon as the players come back");
        assert_eq!(told(2), "2 games go on as soon as the players come back");
    }
}
