//! `dots serve`: the server of Dots & Boxes.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::Guard;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use command_line::{LevelFilter, LogFilter};
use game_env::parameter::Parameter;
use game_env::{ConfigError, Parameters, Seed, configuration};
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
pub(crate) struct Serve {
    file: Option<PathBuf>,
    flags: Parameters,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// The file cannot be read as one JSON object.
    #[error(
        "the configuration file `{}` cannot be used: {why}\nhint: it is one JSON object, e.g. {{\"port\": 10000}}",
        path.display()
    )]
    File { path: PathBuf, why: String },
    /// Values are faulty.
    #[error("the configuration cannot be used\n{0}")]
    Faulty(ConfigError),
    /// There is no such strategy, or nothing to play it with.
    #[error("the strategy `{bot}` cannot play: {why}\nhint: {hint}")]
    Bot { bot: String, why: String, hint: &'static str },
}

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 4096;

/// Files that are open beside the connections.
const OTHER_FILES: u64 = 64;

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
        let file = match &self.file {
            None => configuration::File::default(),
            Some(path) => {
                let unusable = |why: String| Unusable::File { path: path.clone(), why };
                let file = std::fs::File::open(path).map_err(|error| unusable(error.to_string()))?;
                let file = configuration::read(file).map_err(|error| unusable(error.to_string()))?;
                file.notice(&path.display().to_string()).iter().for_each(|notice| complain(notice));
                file
            }
        };
        Config::layered(&file, &self.flags).map_err(Unusable::Faulty)
    }

    fn log(&self, config: &Config) -> Option<LogFilter> {
        config.log.as_ref().and_then(|text| text.parse().ok())
    }
}

async fn host(config: Config) -> Result<ExitCode> {
    let stopped = signals::stop().context("signals cannot be listened to")?;
    let listener = listen(&config)?;
    let page = config.page.as_deref().map(take_place).transpose()?;
    let address = listener.local_addr().context("the port is unknown")?;
    make_room_for(config.connections as u64);
    let (journal, past) = Journal::open(&config.folder, config.sync).map_err(|error| {
        let hint =
            "choose another folder with --folder, or move the journal away: its games are then forgotten";
        anyhow!("{error}\nhint: {hint}")
    })?;
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

fn listen(config: &Config) -> Result<TcpListener> {
    let address = SocketAddr::new(config.listen, config.port);
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    bind().map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!("end the program that has port {}, or choose another with --port", address.port())
            }
            io::ErrorKind::AddrNotAvailable => {
                "this machine has no such address; --listen 0.0.0.0 takes all that it has".to_owned()
            }
            _ => "choose another port with --port".to_owned(),
        };
        anyhow!("cannot listen on {address}: {error}\nhint: {hint}")
    })
}

fn draw_token() -> Result<Token, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(Token::new(bits))
}

fn drawn_seed() -> Result<Seed> {
    Ok(Seed::new(u64::from(getrandom::u32().context("there are no random bits")?)))
}

/// Asks the system for as many open files as there may be connections, and says so if it gives fewer.
#[cfg(unix)]
fn make_room_for(connections: u64) {
    let wanted = connections + OTHER_FILES;
    match rlimit::increase_nofile_limit(wanted) {
        Ok(limit) if limit >= wanted => {}
        Ok(limit) => tracing::warn!(
            "the system allows {limit} open files: about {} of maxConnections = {connections}",
            limit.saturating_sub(OTHER_FILES)
        ),
        Err(error) => tracing::warn!("the limit on open files is unknown: {error}"),
    }
}

#[cfg(not(unix))]
fn make_room_for(_connections: u64) {}

impl Args for Serve {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .help("A JSON file with any of the parameters below");
        PARAMETERS.iter().fold(command.arg(file), |command, known| {
            let help = format!("{} [file: {}; default: {}]", known.description(), known.name, known.default);
            command.arg(
                Arg::new(known.name)
                    .long(flag(known))
                    .value_name("VALUE")
                    .allow_hyphen_values(true)
                    .help(help),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Serve {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |parameter: &Parameter| {
            let text = matches.get_one::<String>(parameter.name)?;
            Some((parameter.name, parameter.parse(text)))
        };
        let file = matches.get_one::<String>("config").map(PathBuf::from);
        Ok(Self { file, flags: PARAMETERS.iter().filter_map(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The name of a parameter as a flag: `botWaitMs` is `bot-wait-ms`.
fn flag(parameter: &Parameter) -> String {
    let mut flag = String::new();
    for letter in parameter.name.chars() {
        if letter.is_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
    }
    flag
}
