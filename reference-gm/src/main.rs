//! The game master as a program.
//!
//! Exit codes: 0 when the game is over or was stopped, 1 when it cannot be hosted or the communication server
//! was lost, 2 for a faulty configuration; `verify` ends with 1 if a replay is not what it should be.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::{Args, Parser, Subcommand};
use game_env::replay::{Completeness, Playback};
use game_env::{Millis, Parameters, Seed, Value};
use game_project::State;
use jiff::Timestamp;
use reference_gm::config::{HostConfig, HostConfigError};
use reference_gm::console::{Console, document, table, told_outcome};
use reference_gm::keyboard::Keyboard;
use reference_gm::link::{Command, Ending, Order, dial, host};
use reference_gm::recorder::Recorder;
use reference_gm::viewer::page;
use reference_gm::viewer::recording::Recording;
use reference_gm::viewer::server::{Board, Manners, Operator, Place};
use reference_gm::{Master, Settings, signals};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// The reference game master of The Project Game.
#[derive(Parser)]
#[command(name = "reference-gm", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    hosting: Hosting,
}

#[derive(Subcommand)]
enum Task {
    /// Play a replay again and compare it with its hashes.
    Verify {
        /// The replay.
        file: PathBuf,
    },
    /// Show a replay on a page, until q or Ctrl-C.
    View {
        /// The replay.
        file: PathBuf,
        /// Where the page is to be; port 0 for any that is free.
        #[arg(long, value_name = "ADDR:PORT", default_value = OWN_MACHINE)]
        board: String,
    },
    /// Make one file of a replay that anybody can look at: it opens from disk and needs nothing else.
    Export {
        /// The replay.
        file: PathBuf,
        /// Where to write the page with the game in it.
        #[arg(long, value_name = "OUT", required_unless_present = "feed")]
        html: Option<PathBuf>,
        /// Where to write what the page draws the game from, as JSON.
        #[arg(long, value_name = "OUT")]
        feed: Option<PathBuf>,
    },
    /// Print the configuration in force, and where each value comes from.
    Config {
        #[command(flatten)]
        hosting: Hosting,
    },
}

#[derive(Args)]
struct Hosting {
    /// The configuration, a JSON file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where the communication server is.
    #[arg(long, value_name = "HOST:PORT")]
    cs: Option<String>,
    /// Any parameter of the file, e.g. `--set boardX=20`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Read no commands from the terminal.
    #[arg(long)]
    headless: bool,
    /// Start as soon as both teams are full.
    #[arg(long)]
    start_when_full: bool,
    /// Start after this time with whoever is there, once both teams have somebody.
    #[arg(long, value_name = "SECONDS")]
    start_after: Option<f64>,
    /// What agents are told in: spec or union.
    #[arg(long)]
    dialect: Option<String>,
    /// A team whose agents wait for acknowledgements (112, 113); again for the other.
    #[arg(long, value_name = "TEAM")]
    ack: Vec<String>,
    /// What decides all chance of the game.
    #[arg(long)]
    seed: Option<String>,
    /// Where to write the replay.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Where the board is to be seen; port 0 for any that is free. A headless game has none unless it is named.
    #[arg(long, value_name = "ADDR:PORT")]
    board: Option<String>,
    /// Show no board.
    #[arg(long, conflicts_with = "board")]
    no_board: bool,
    /// Keep the board after the end of the game until a signal comes, as with a keyboard.
    #[arg(long)]
    stay: bool,
    /// Print the statistics as JSON on standard output, and everything else on standard error.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.task {
        Some(Task::Verify { file }) => verify(file),
        Some(Task::View { file, board }) => view(file, board),
        Some(Task::Export { file, html, feed }) => export(file, html.as_deref(), feed.as_deref()),
        Some(Task::Config { hosting }) => show_config(hosting),
        None => play(&arguments.hosting),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<HostConfigError>() || error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

/// Any free port, for nobody but this machine.
const OWN_MACHINE: &str = "127.0.0.1:0";

/// A flag that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Misuse(String);

impl Hosting {
    fn load(&self) -> Result<HostConfig> {
        let flags = self.flags()?;
        Ok(HostConfig::load(self.config.as_deref(), &flags)?)
    }

    /// The flags that stand for parameters.
    fn flags(&self) -> Result<Parameters, Misuse> {
        let mut flags = Parameters::new();
        if let Some(address) = &self.cs {
            let (host, port) = address.rsplit_once(':').ok_or_else(|| {
                Misuse(format!("--cs {address}: no port; allowed: a name or an address, a colon, a port"))
            })?;
            flags.push("CsIP", Value::Text(host.trim_matches(['[', ']']).to_owned()));
            flags.push("CsPort", scalar(port));
        }
        let texts = [("dialect", &self.dialect), ("seed", &self.seed)];
        for (name, text) in texts {
            if let Some(text) = text {
                flags.push(name, Value::Text(text.clone()));
            }
        }
        if !self.ack.is_empty() {
            flags.push("acknowledge", Value::Text(self.ack.join(",")));
        }
        for pair in &self.set {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Misuse(format!("--set {pair}: no value; allowed: a name, an equals sign, a value"))
            })?;
            flags.push(name, scalar(value));
        }
        Ok(flags)
    }

    /// Where the board is to be, if there is to be one.
    fn board(&self) -> Result<Option<Place>> {
        match (&self.board, self.no_board || self.headless) {
            (Some(address), _) => take_place(address).map(Some),
            (None, false) => take_place(OWN_MACHINE).map(Some),
            (None, true) => Ok(None),
        }
    }

    fn start_after(&self) -> Result<Option<Millis>, Misuse> {
        let Some(seconds) = self.start_after else { return Ok(None) };
        if !(0.0..=86_400.0).contains(&seconds) {
            return Err(Misuse(format!(
                "--start-after {seconds}: allowed: a number of seconds from 0 to 86400"
            )));
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

fn take_place(address: &str) -> Result<Place> {
    Place::take(address).map_err(|error| {
        anyhow!("the board cannot be at {address}: {error}\nhint: name another address with --board ADDR:PORT, or port 0 for any that is free")
    })
}

/// A value as it would stand in the file: a number or a flag if it reads like one.
fn scalar(text: &str) -> Value {
    let whole = || text.parse().ok().map(Value::Whole);
    let real = || text.parse().ok().map(Value::Real);
    let flag = || text.parse().ok().map(Value::Flag);
    whole().or_else(real).or_else(flag).unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn play(hosting: &Hosting) -> Result<ExitCode> {
    let config = hosting.load()?;
    let start_after = hosting.start_after()?;
    let place = hosting.board()?;
    let recorder = match &hosting.replay {
        Some(path) => Recorder::create(path)
            .map_err(|error| anyhow!(error).context("nothing was started"))
            .map_err(|error| anyhow!("{error:#}\nhint: choose another file with --replay"))?,
        None => Recorder::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(serve(hosting, config, start_after, recorder, place))
}

async fn serve(
    hosting: &Hosting,
    config: HostConfig,
    start_after: Option<Millis>,
    recorder: Recorder,
    place: Option<Place>,
) -> Result<ExitCode> {
    // Drawn from the clock of this program's start, and told, so that the game can be repeated.
    let now = Timestamp::now();
    let drawn = drawn_seed(now);
    let (server, port) = config.server.clone();
    let server = server.as_str();
    let mut stopped = Box::pin(signals::stop().context("signals cannot be listened to")?);
    let connected = tokio::select! {
        connected = dial((server, port)) => connected,
        () = &mut stopped => {
            eprintln!("stopped before the communication server was reached");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let stream = match connected {
        Ok(stream) => stream,
        Err(error) => {
            let hint = "start one with `cargo run -p cs`, or name another with --cs HOST:PORT";
            return Err(anyhow!("no communication server at {server}:{port}: {error}\nhint: {hint}"));
        }
    };
    let settings = Settings {
        config: config.game.clone(),
        seed: config.seed.unwrap_or(drawn),
        dialect: config.dialect,
        longest_message: config.longest_message,
        acknowledge: config.acknowledge.clone(),
        start_when_full: hosting.start_when_full,
        start_after,
        epoch: now,
    };
    let out: Box<dyn Write> = if hosting.json { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    let mut console = Console::new(out, recorder);
    let (orders, inbox) = mpsc::channel(16);
    let (pressed, keys) = mpsc::channel(16);
    let keyboard = if !hosting.headless && io::stdin().is_terminal() {
        let keyboard = Keyboard::open(pressed.clone()).context("the keyboard cannot be read")?;
        Some(keyboard)
    } else {
        None
    };
    greet(hosting, &config, keyboard.as_ref(), place.is_some());
    let board = match place {
        Some(place) => {
            let operator = Operator { orders: orders.clone(), settings: settings.clone(), drawn };
            let board = Board::live(place, config, operator, Manners::default());
            let board = board.context("the board cannot be shown")?;
            eprintln!("the board is at {}", board.url());
            Some(board)
        }
        None => None,
    };
    let quit = pass_on(keys, orders);
    let (leave, left) = watch::channel(false);
    tokio::spawn(async move {
        stopped.await;
        leave.send_replace(true);
        // The game is over already if nobody listens.
        let _ = pressed.send(Command::Stop.into()).await;
    });
    let master = Master::new(settings);
    let (master, ending) = match &board {
        Some(board) => host(stream, master, inbox, &mut (&mut console, board.tap())).await,
        None => host(stream, master, inbox, &mut console).await,
    };
    report(hosting, &master)?;
    if let Some(path) = console.into_recorder().finish()? {
        eprintln!("the replay is {}; check it with `reference-gm verify`", path.display());
    }
    if let Some(board) = board {
        if master.game().is_some() && (keyboard.is_some() || hosting.stay) && !*left.borrow() {
            eprintln!("the game is over; the board stays at {} until q or Ctrl-C", board.url());
            wait_for_end(quit, left).await;
        }
        board.close("the game master has ended");
    }
    drop(keyboard);
    match ending {
        Ending::Done => Ok(ExitCode::SUCCESS),
        Ending::ServerLost(error) => {
            let why = error.map_or_else(|| "it closed the connection".to_owned(), |error| error.to_string());
            Err(anyhow!(
                "the communication server at {server}:{port} was lost: {why}\nhint: if it was never one, check that this is its port for the game master, and that no other game master has it"
            ))
        }
        Ending::NoServer(sent) => Err(anyhow!(
            "this is no communication server: {server}:{port} sent `{}`\nhint: name the communication server's port for the game master with --cs HOST:PORT",
            sent.escape_ascii()
        )),
    }
}

/// Passes on what keys ask for, until the game is over; the next wish to stop is one to end the program then.
fn pass_on(mut keys: mpsc::Receiver<Order>, orders: mpsc::Sender<Order>) -> JoinHandle<()> {
    tokio::spawn(async move {
        while let Some(order) = keys.recv().await {
            let unheard = orders.send(order).await.is_err_and(|unsent| is_stop(&unsent.0));
            if unheard {
                return;
            }
        }
    })
}

fn is_stop(order: &Order) -> bool {
    *order == Order::Command(Command::Stop)
}

/// Waits for a key or a signal.
async fn wait_for_end(quit: JoinHandle<()>, mut left: watch::Receiver<bool>) {
    tokio::select! {
        _ = quit => {}
        _ = left.wait_for(|left| *left) => {}
    }
}

/// A seed that nobody chose: the microseconds of the calendar.
fn drawn_seed(now: Timestamp) -> Seed {
    Seed::new(now.as_microsecond().unsigned_abs())
}

fn greet(hosting: &Hosting, config: &HostConfig, keyboard: Option<&Keyboard>, has_board: bool) {
    let (server, port) = (&config.server.0, config.server.1);
    let geometry = config.game.geometry();
    let size = config.game.team_size();
    let start = match (keyboard, hosting.start_when_full, hosting.start_after) {
        (Some(keyboard), ..) => keyboard.hint().to_owned(),
        (_, true, _) => "starts when both teams are full".to_owned(),
        (_, _, Some(seconds)) => format!("starts after {seconds} s"),
        _ if has_board => "starts from its board".to_owned(),
        _ => "waits for a signal to stop: nothing starts it".to_owned(),
    };
    eprintln!(
        "game master at {server}:{port}: {}×{}, up to {size} agents a team, {} dialect; {start}",
        geometry.columns(),
        geometry.rows(),
        config.dialect
    );
}

fn report(hosting: &Hosting, master: &Master) -> Result<()> {
    let seed = master.settings().seed;
    let (Some(state), Some(statistics)) = (master.game(), master.statistics()) else { return Ok(()) };
    let text = if hosting.json {
        serde_json::to_string_pretty(&document(state, statistics, seed, master.seats()))? + "\n"
    } else {
        table(state, statistics, seed, master.seats())
    };
    io::stdout().write_all(text.as_bytes()).context("standard output is closed")
}

fn show_config(hosting: &Hosting) -> Result<ExitCode> {
    let config = hosting.load()?;
    let lines: Vec<_> =
        config.origins.iter().map(|(name, value, origin)| (name, value.to_string(), origin)).collect();
    let name_width = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let value_width = lines.iter().map(|(_, value, _)| value.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, value, origin) in &lines {
        text += &format!("{name:<name_width$}  {value:<value_width$}  {origin}\n");
    }
    io::stdout().write_all(text.as_bytes()).context("standard output is closed")?;
    Ok(ExitCode::SUCCESS)
}

fn view(path: &Path, address: &str) -> Result<ExitCode> {
    let recording = read_recording(path)?;
    let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let place = take_place(address)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(async {
        let stopped = signals::stop().context("signals cannot be listened to")?;
        let (pressed, mut keys) = mpsc::channel(16);
        let keyboard = if io::stdin().is_terminal() {
            Some(Keyboard::open(pressed.clone()).context("the keyboard cannot be read")?)
        } else {
            None
        };
        let board = Board::replay(place, &shown_name(path), recording, file);
        let board = board.context("the board cannot be shown")?;
        eprintln!("the board is at {}", board.url());
        let quit = async {
            // Whoever presses nothing may still send a signal.
            let _pressed = pressed;
            while !keys.recv().await.is_none_or(|order| is_stop(&order)) {}
        };
        tokio::select! {
            () = stopped => {}
            () = quit => {}
        }
        drop(keyboard);
        board.close("the viewer has ended");
        Ok(ExitCode::SUCCESS)
    })
}

fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn export(path: &Path, html: Option<&Path>, feed: Option<&Path>) -> Result<ExitCode> {
    let recording = read_recording(path)?;
    let json = recording.feed();
    let write = |to: &Path, text: &str| {
        std::fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))
    };
    if let Some(to) = html {
        write(to, &page::exported(&json))?;
    }
    if let Some(to) = feed {
        write(to, &json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A replay to be looked at. If it breaks off, whoever looks is told why here as well.
fn read_recording(path: &Path) -> Result<Recording> {
    let shown = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let recording =
        Recording::read(file, &shown_name(path)).with_context(|| format!("{shown} cannot be shown"))?;
    if let Some(why) = &recording.truncated {
        eprintln!("warning: {shown}: {why}; it is shown up to there");
    }
    Ok(recording)
}

fn verify(path: &Path) -> Result<ExitCode> {
    let shown = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut playback = Playback::<State>::open(file).with_context(|| format!("{shown} cannot be played"))?;
    let summary = playback.run(&mut ()).with_context(|| format!("{shown} is not what was played"))?;
    let outcome = summary.outcome.map_or_else(|| "not over".to_owned(), |outcome| told_outcome(&outcome));
    let header = playback.reader().header();
    println!("{shown}: seed {}, {} actions, {}, {outcome}", header.seed, summary.count, summary.time);
    match summary.completeness {
        Completeness::Complete => {
            println!("every hash is as recorded");
            Ok(ExitCode::SUCCESS)
        }
        Completeness::Truncated { line, reason } => {
            println!(
                "the file breaks off after line {line}: {reason}; up to there every hash is as recorded"
            );
            Ok(ExitCode::FAILURE)
        }
    }
}
