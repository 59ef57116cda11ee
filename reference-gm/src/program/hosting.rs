//! Hosts a game, from the connection to the last line of its statistics.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use game_env::{Millis, Seed};
use jiff::Timestamp;
use reference_gm::config::HostConfig;
use reference_gm::console::{Console, document, table};
use reference_gm::keyboard::Keyboard;
use reference_gm::link::{Command, Ending, Order, host};
use reference_gm::recorder::Recorder;
use reference_gm::viewer::server::{Board, Manners, Operator, Place};
use reference_gm::{Master, Settings, signals};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::arguments::Hosting;
use super::is_stop;

pub(crate) fn play(hosting: &Hosting) -> Result<ExitCode> {
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

/// How long the communication server may take to accept the connection: systems would wait for minutes.
const PATIENCE: Duration = Duration::from_secs(10);

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
        connected = timeout(PATIENCE, TcpStream::connect((server, port))) => connected,
        () = &mut stopped => {
            eprintln!("stopped before the communication server was reached");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let stream = match connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Ok(stream) => stream,
        Err(error) => {
            let hint = "start one with `cargo run -p cs`, or name another with --cs HOST:PORT";
            return Err(anyhow!("no communication server at {server}:{port}: {error}\nhint: {hint}"));
        }
    };
    stream.set_nodelay(true).context("the connection cannot be set up")?;
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
        serde_json::to_string_pretty(&document(state, statistics, seed))? + "\n"
    } else {
        table(state, statistics, seed)
    };
    io::stdout().write_all(text.as_bytes()).context("standard output is closed")
}
