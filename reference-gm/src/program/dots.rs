//! `dots serve`: the server of Dots & Boxes.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::Guard;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use command_line::{Asked, FileError, LevelFilter, LogFilter, flags};
use game_env::{ConfigError, Seed};
use reference_gm::dots::archive::Archive;
use reference_gm::dots::journal::Journal;
use reference_gm::dots::master::DrawToken;
use reference_gm::dots::page::Page;
use reference_gm::dots::server::{Limits, Server};
use reference_gm::dots::{Config, Master, PARAMETERS, Settings, bots};
use reference_gm::signals;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use wire::dots::Token;

use super::{complain, print, take_place};

/// The server of Dots & Boxes.
#[derive(Subcommand)]
pub(crate) enum DotsTask {
    /// Serve games until Ctrl-C or SIGTERM; games that are not over go on after a restart with the same folder.
    Serve(Serve),
}

/// Where the configuration comes from: a flag for each parameter, and a file.
pub(crate) struct Serve(Asked);

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// The file cannot be read as one JSON object.
    #[error("{0}\nhint: it is one JSON object, e.g. {{\"port\": 10000}}")]
    File(FileError),
    /// Values are faulty.
    #[error("the configuration cannot be used\n{0}")]
    Faulty(ConfigError),
    /// There is no such strategy, or nothing to play it with.
    #[error("the strategy `{bot}` cannot play: {why}\nhint: {hint}")]
    Bot { bot: String, why: String, hint: &'static str },
}

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 4096;

pub(crate) fn run(task: &DotsTask) -> Result<ExitCode> {
    let DotsTask::Serve(serve) = task;
    let config = serve.config()?;
    let filter: Option<LogFilter> = serve.log(&config);
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(filter.as_ref(), LevelFilter::INFO))
        .with(layer().with_ansi(false).with_writer(io::stderr))
        .init();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(host(config))
}

impl Serve {
    fn config(&self) -> Result<Config, Unusable> {
        let Self(asked) = self;
        let file = asked.content(|notice| complain(&notice)).map_err(Unusable::File)?;
        Config::layered(&file, &asked.flags).map_err(Unusable::Faulty)
    }

    fn log(&self, config: &Config) -> Option<LogFilter> {
        config.log.as_ref().and_then(|text| text.parse().ok())
    }
}

async fn host(config: Config) -> Result<ExitCode> {
    let stopped = signals::stop().context("signals cannot be listened to")?;
    let listener = listen(SocketAddr::new(config.listen, config.port))?;
    let page = config.page.as_deref().map(take_place).transpose()?;
    let address = listener.local_addr().context("the port is unknown")?;
    if let Err(error) = tcp::allow(config.connections) {
        tracing::warn!("{error}");
    }
    let (journal, past) = Journal::open(&config.folder, config.sync)
        .map_err(|error| anyhow!("{error}\nhint: {}", error.hint()))?;
    if let Some(cut) = &past.cut {
        complain(&format!("warning: {cut}"));
    }
    let bots = match &config.bot {
        Some(strategy) => Bots::find(strategy, config.bots)?,
        None => Bots::default(),
    };
    let seed = match config.seed {
        Some(seed) => seed,
        None => drawn_seed()?,
    };
    let own = bots.names.iter().map(|name| Ok((name.clone(), draw_token()?)));
    let own: Vec<_> = own.collect::<Result<_, getrandom::Error>>().context("there are no random bits")?;
    let settings = Settings { seed, bots: own.clone(), ..config.settings.clone() };
    // Tokens are drawn all the time: if the system has no random bits any more, nobody may guess what comes then.
    let tokens: DrawToken = Box::new(|| draw_token().expect("the system has random bits, as at the start"));
    let journal_name = journal.path().display().to_string();
    let mut master = Master::restore(settings, tokens, past.records).map_err(|error| {
        anyhow!("{journal_name}: {error}\nhint: move the journal away: its games are then forgotten")
    })?;
    let replays = config.folder.join("games");
    let archive = Archive::start(&replays)
        .map_err(|error| anyhow!("replays cannot be written to {}: {error}", replays.display()))?;
    archive_past(&mut master, &archive);
    let mut journal = journal;
    journal.replace(&master.snapshot()).with_context(|| format!("{journal_name} cannot be written anew"))?;
    let totals = master.totals();
    let limits = Limits { connections: config.connections, buffer_bytes: config.buffer_bytes };
    let mut server = Server::new(master, journal, archive, limits);
    if let Some(place) = page {
        let page = Page::start(place, config.bot.as_deref()).context("the page cannot be served")?;
        complain(&format!("the page is at {}", page.url()));
        server = server.with_page(page);
    }
    print(&format!("dots: players on {address}, seed {seed}, folder {}\n", config.folder.display()))?;
    if totals.games > 0 {
        complain(&format!("{} games go on as soon as their players come back", totals.games));
    }
    let mut playing = JoinSet::new();
    for (name, token) in own {
        let guard = Guard::of_this_program().context("this program is not known")?;
        playing.spawn(bots::keep(guard, bots.program.clone(), bots.strategy.clone(), address, name, token));
    }
    server.run(listener, stopped).await.with_context(|| format!("{journal_name} cannot be written"))?;
    playing.shutdown().await;
    let folder = config.folder.display();
    complain(&format!("dots: stopped; a server with the folder {folder} goes on with all unfinished games"));
    Ok(ExitCode::SUCCESS)
}

/// Replays of games that ended when the process before could not write them any more.
fn archive_past(master: &mut Master, archive: &Archive) {
    while let Some(output) = master.poll_output() {
        if let reference_gm::dots::Output::Ended(game) = output {
            archive.keep(game);
        }
    }
}

/// The server's own players.
#[derive(Default)]
struct Bots {
    program: PathBuf,
    strategy: String,
    names: Vec<wire::dots::Name>,
}

impl Bots {
    fn find(strategy: &str, count: usize) -> Result<Self, Unusable> {
        let failed = |why: String, hint| Unusable::Bot { bot: strategy.to_owned(), why, hint };
        let program = bots::program().map_err(|error| {
            failed(error.to_string(), "build it with `cargo build --package bots`, beside this program")
        })?;
        let names = bots::names(strategy, count);
        // The program knows its strategies: one that it cannot play is told before anybody waits for it.
        let words = [
            "--game",
            "dots",
            "--strategy",
            strategy,
            "--virtual",
            "--seed",
            "0",
            "--set",
            "rows=2",
            "--set",
            "cols=2",
        ];
        let tried = std::process::Command::new(&program).args(words).output();
        let tried =
            tried.map_err(|error| failed(error.to_string(), "it has to be a program of this system"))?;
        if !tried.status.success() {
            let told = String::from_utf8_lossy(&tried.stderr);
            let told = told.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            return Err(failed(told, "`bots list` shows the strategies"));
        }
        Ok(Self { program, strategy: strategy.to_owned(), names })
    }
}

/// A listener at this address, whose port is free again at once when the program ends.
pub(super) fn listen(address: SocketAddr) -> Result<TcpListener> {
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bind().map_err(|error| {
        let hint = tcp::listen_hint(address, "--port", &error);
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

impl Args for Serve {
    fn augment_args(command: Command) -> Command {
        command.args(flags(&PARAMETERS))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Serve {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(Asked::of(&PARAMETERS, matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
