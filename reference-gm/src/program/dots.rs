//! `dots serve`: the server of Dots & Boxes.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::Guard;
use clap::{Args, Subcommand};
use command_line::read_text;
use game_env::configuration::File;
use game_env::parameter::Parameter;
use game_env::text::escape_hidden;
use game_env::{ConfigError, Parameters};
use reference_gm::dots::archive::Archive;
use reference_gm::dots::journal::Journal;
use reference_gm::dots::master::DrawToken;
use reference_gm::dots::page::Page;
use reference_gm::dots::server::{Limits, Server};
use reference_gm::dots::{Config, Master, PARAMETERS, Settings, bots, config_txt};
use reference_gm::server::Master as _;
use reference_gm::signals;
use tokio::task::JoinSet;

use super::serving::{self, Configured, Sources, Unusable, draw_token, drawn_seed, find_bot, listen};
use super::{complain, print, take_place};

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
    fn config(&self) -> Result<Config, Unusable> {
        let Some(path) = &self.config_txt else { return self.sources.config() };
        let unusable = |why: String| Unusable::Txt { path: escape_hidden(&path.display().to_string()), why };
        let text = read_text(path, config_txt::LONGEST_FILE).map_err(|error| unusable(error.to_string()))?;
        self.sources.over(&config_txt::read(&text).map_err(|error| unusable(error.to_string()))?)
    }
}

impl Configured for Config {
    const PARAMETERS: &'static [Parameter] = &PARAMETERS;

    fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        Self::layered(file, flags)
    }
}

pub(crate) fn run(task: &DotsTask) -> Result<ExitCode> {
    let DotsTask::Serve(flags) = task;
    let config = flags.config()?;
    serving::run(config.log.clone().as_deref(), host(config))
}

async fn host(config: Config) -> Result<ExitCode> {
    let stopped = signals::stop().context("signals cannot be listened to")?;
    let listener = listen(SocketAddr::new(config.listen, config.port), "--port")?;
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
    master.archive_past(&archive);
    let mut journal = journal;
    journal.replace(&master.snapshot()).with_context(|| format!("{journal_name} cannot be written anew"))?;
    let totals = master.totals();
    let limits = Limits {
        connections: config.connections,
        connections_of_origin: config.connections_of_address,
        buffer_bytes: config.buffer_bytes,
    };
    let mut server = Server::new(master, journal, archive, limits);
    if let Some(place) = page {
        let page = Page::start(place, config.bot.as_deref()).context("the page cannot be served")?;
        complain(&format!("the page is at {}", page.url()));
        server = server.with_page(page);
    }
    print(&format!("dots: players on {address}, seed {seed}, folder {}\n", config.folder.display()))?;
    if totals.games > 0 {
        complain(&serving::resumed(totals.games, "game goes on", "games go on"));
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

/// The server's own players.
#[derive(Default)]
struct Bots {
    program: PathBuf,
    strategy: String,
    names: Vec<wire::dots::Name>,
}

impl Bots {
    fn find(strategy: &str, count: usize) -> Result<Self, Unusable> {
        let program = find_bot("dots", strategy, &["rows=2", "cols=2"])?;
        let names = bots::names(strategy, count);
        Ok(Self { program, strategy: strategy.to_owned(), names })
    }
}
