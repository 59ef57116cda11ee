//! `eriantys serve`: the server of Eriantys.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use command_line::{Asked, LevelFilter, LogFilter, flags};
use reference_gm::eriantys::archive::Archive;
use reference_gm::eriantys::master::DrawToken;
use reference_gm::eriantys::server::{Journal, Limits, serve};
use reference_gm::eriantys::{Config, Master, Output, PARAMETERS, Settings};
use reference_gm::signals;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::dots::{Unusable, draw_token, drawn_seed, listen};
use super::{complain, print};

/// The server of Eriantys.
#[derive(Subcommand)]
pub(crate) enum EriantysTask {
    /// Serve matches until Ctrl-C or SIGTERM; matches that are not over go on after a restart with the same folder.
    Serve(Serve),
}

/// Where the configuration comes from: a flag for each parameter, and a file.
pub(crate) struct Serve(Asked);

pub(crate) fn run(task: &EriantysTask) -> Result<ExitCode> {
    let EriantysTask::Serve(Serve(asked)) = task;
    let file = asked.content(|notice| complain(&notice)).map_err(Unusable::File)?;
    let config = Config::layered(&file, &asked.flags).map_err(Unusable::Faulty)?;
    let filter: Option<LogFilter> = config.log.as_ref().and_then(|text| text.parse().ok());
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(filter.as_ref(), LevelFilter::INFO))
        .with(layer().with_ansi(false).with_writer(io::stderr))
        .init();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("the runtime cannot start")?.block_on(host(config))
}

async fn host(config: Config) -> Result<ExitCode> {
    let stopped = signals::stop().context("cannot install signal handlers")?;
    let listener = listen(SocketAddr::new(config.listen, config.port))?;
    let address = listener.local_addr().context("the port is unknown")?;
    if let Err(error) = tcp::allow(config.connections) {
        tracing::warn!("{error}");
    }
    let (mut journal, past) = Journal::open(&config.folder, config.sync)
        .map_err(|error| anyhow!("{error}\nhint: {}", error.hint()))?;
    if let Some(cut) = &past.cut {
        complain(&format!("warning: {cut}"));
    }
    let seed = match config.seed {
        Some(seed) => seed,
        None => drawn_seed()?,
    };
    draw_token().context("the system has no random bits")?;
    // Tokens are drawn all the time: if the system has no random bits any more, nobody may guess what comes then.
    let tokens: DrawToken = Box::new(|| draw_token().expect("the system has random bits, as at the start"));
    let journal_name = journal.path().display().to_string();
    let settings = Settings { seed, ..config.settings.clone() };
    let mut master = Master::restore(settings, tokens, past.records).map_err(|error| {
        anyhow!("{journal_name}: {error}\nhint: move the journal away: its matches are then forgotten")
    })?;
    let archive = Archive::start(&config.replays)
        .map_err(|error| anyhow!("cannot write replays to {}: {error}", config.replays.display()))?;
    // Replays of matches that ended when the process before could not write them any more.
    while let Some(output) = master.poll_output() {
        if let Output::Ended(game) = output {
            archive.keep(game);
        }
    }
    journal.replace(&master.snapshot()).with_context(|| format!("cannot write {journal_name} anew"))?;
    print(&format!("eriantys: players on {address}, seed {seed}, folder {}\n", config.folder.display()))?;
    let saved = master.totals().matches;
    if saved > 0 {
        complain(&format!("{saved} matches go on as soon as their players come back"));
    }
    let limits = Limits { connections: config.connections, buffer_bytes: config.buffer_bytes };
    let served = serve(master, journal, archive, limits, listener, stopped).await;
    served.with_context(|| format!("cannot write {journal_name}"))?;
    let folder = config.folder.display();
    complain(&format!(
        "eriantys: stopped; a server with the folder {folder} goes on with all unfinished matches"
    ));
    Ok(ExitCode::SUCCESS)
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
