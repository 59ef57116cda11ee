//! `eriantys serve`: the server of Eriantys.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::Guard;
use clap::Subcommand;
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::{ConfigError, Parameters};
use reference_gm::eriantys::archive::Archive;
use reference_gm::eriantys::bots::Bots;
use reference_gm::eriantys::master::{self, DrawToken};
use reference_gm::eriantys::page::Page;
use reference_gm::eriantys::server::{Journal, Limits, Server};
use reference_gm::eriantys::{Config, Master, PARAMETERS, Settings};
use reference_gm::server::Master as _;
use reference_gm::server::bots::short_name;
use reference_gm::signals;
use tokio::task::JoinSet;

use super::serving::{self, Configured, Sources, draw_token, drawn_seed, find_bot, listen};
use super::{complain, print, take_place};

/// The server of Eriantys.
#[derive(Subcommand)]
pub(crate) enum EriantysTask {
    /// Serve matches until Ctrl-C or SIGTERM; matches that are not over go on after a restart with the same folder.
    Serve(Sources<Config>),
}

impl Configured for Config {
    const PARAMETERS: &'static [Parameter] = &PARAMETERS;

    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        Self::layered(file, flags)
    }
}

pub(crate) fn run(task: &EriantysTask) -> Result<ExitCode> {
    let EriantysTask::Serve(sources) = task;
    let config = sources.config()?;
    serving::run(config.log.clone().as_deref(), host(config))
}

async fn host(config: Config) -> Result<ExitCode> {
    let stopped = signals::stop().context("cannot install signal handlers")?;
    let listener = listen(SocketAddr::new(config.listen, config.port), "--port")?;
    let place = config.page.as_deref().map(take_place).transpose()?;
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
    let token = draw_token().context("the system has no random bits")?;
    let bots = match config.bots {
        0 => None,
        most => Some((
            Bots {
                guard: Guard::of_this_program().context("cannot find this program")?,
                program: find_bot("eriantys", &config.bot, &[])?,
                strategy: config.bot.clone(),
                server: address,
                token,
                most: config.bot_processes,
            },
            most,
        )),
    };
    // Tokens are drawn all the time: if the system has no random bits any more, nobody may guess what comes then.
    let tokens: DrawToken = Box::new(|| draw_token().expect("the system has random bits, as at the start"));
    let journal_name = journal.path().display().to_string();
    let settings = Settings {
        seed,
        bots: bots.as_ref().map(|(_, most)| master::Bots {
            name: short_name(&config.bot),
            token,
            most: *most,
            wait: config.bot_wait,
        }),
        ..config.settings.clone()
    };
    let mut master = Master::restore(settings, tokens, past.records).map_err(|error| {
        anyhow!("{journal_name}: {error}\nhint: move the journal away: its matches are then forgotten")
    })?;
    let archive = Archive::start(&config.replays)
        .map_err(|error| anyhow!("cannot write replays to {}: {error}", config.replays.display()))?;
    master.archive_past(&archive);
    journal.replace(&master.snapshot()).with_context(|| format!("cannot write {journal_name} anew"))?;
    print(&format!("eriantys: players on {address}, seed {seed}, folder {}\n", config.folder.display()))?;
    let saved = master.totals().matches;
    if saved > 0 {
        complain(&serving::resumed(saved, "match goes on", "matches go on"));
    }
    let limits = Limits {
        connections: config.connections,
        connections_of_origin: config.connections_of_address,
        buffer_bytes: config.buffer_bytes,
    };
    let mut server = Server::new(master, journal, archive, limits);
    if let Some(place) = place {
        let bots = bots.as_ref().map(|(bots, most)| (bots.strategy.as_str(), *most));
        let page = Page::start(place, bots).context("cannot serve the page")?;
        complain(&format!("the page is at {}", page.url()));
        server = server.with_page(page);
    }
    let mut playing = JoinSet::new();
    if let Some((bots, _)) = bots {
        playing.spawn(bots.keep(server.totals()));
    }
    server.run(listener, stopped).await.with_context(|| format!("cannot write {journal_name}"))?;
    playing.shutdown().await;
    let folder = config.folder.display();
    complain(&format!(
        "eriantys: stopped; a server with the folder {folder} goes on with all unfinished matches"
    ));
    Ok(ExitCode::SUCCESS)
}
