//! Hosts a game, from the connection to the last line of its statistics.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow};
use game_env::{Millis, Seed};
use jiff::Timestamp;
use reference_gm::config::HostConfig;
use reference_gm::console::{Console, called_off, document, table};
use reference_gm::keyboard::Keyboard;
use reference_gm::link::{Command, Ending, Order, host};
use reference_gm::printer::Printer;
use reference_gm::recorder::Recorder;
use reference_gm::viewer::server::{Board, Manners, Operator, Place};
use reference_gm::{Master, Settings, signals};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::arguments::Hosting;
use super::{is_stop, told};

/// All that hosting needs and that is sound already.
struct Plan<'a> {
    hosting: &'a Hosting,
    config: HostConfig,
    start_after: Option<Millis>,
    recorder: Recorder,
    place: Option<Place>,
}

pub(crate) fn play(hosting: &Hosting) -> Result<ExitCode> {
    let Some(config) = hosting.load()? else { return Ok(ExitCode::from(2)) };
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
    let plan = Plan { hosting, config, start_after, recorder, place };
    let code = runtime.block_on(serve(plan));
    // A name that the system still looks up is nothing to wait for.
    runtime.shutdown_background();
    code
}

/// How long whoever reads may take for what is said last, when the program is to end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where lines go, and whether the program is to end.
struct Voices {
    out: Printer,
    err: Printer,
    left: watch::Receiver<bool>,
    /// Whether somebody wanted the program to end while nobody read.
    gave_up: Cell<bool>,
}

impl Voices {
    /// Waits until both have said what they have to say: as long as their readers take, unless somebody wants the
    /// program to end.
    async fn finish(&self) {
        let said = async { tokio::join!(self.out.drained(), self.err.drained()) };
        let mut left = self.left.clone();
        let cut_off = async {
            let _ = left.wait_for(|left| *left).await;
            sleep(LAST_WORDS).await;
        };
        if self.gave_up.get() {
            let _ = timeout(LAST_WORDS, self.err.drained()).await;
            return;
        }
        tokio::select! {
            _ = said => {}
            () = cut_off => self.gave_up.set(true),
        }
    }
}

async fn serve(plan: Plan<'_>) -> Result<ExitCode> {
    let mut stopped = Box::pin(signals::stop().context("signals cannot be listened to")?);
    let threads = "there is no room for another thread";
    let (out, err) =
        (Printer::new(io::stdout()).context(threads)?, Printer::new(io::stderr()).context(threads)?);
    let (leave, left) = watch::channel(false);
    let voices = Voices { out, err, left, gave_up: Cell::new(false) };
    let mut failures = match connect(&plan.config.server, &mut stopped).await {
        Ok(Some(stream)) => play_out(plan, stream, stopped, leave, &voices).await?,
        Ok(None) => {
            voices.err.say("stopped before the communication server was reached");
            leave.send_replace(true);
            Vec::new()
        }
        Err(error) => vec![error],
    };
    voices.finish().await;
    if let Err(error) = voices.out.check() {
        failures.push(anyhow!(error).context("standard output does not take all that is to be printed"));
    }
    for failure in &failures {
        voices.err.say(told(failure));
    }
    voices.finish().await;
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Connects to the communication server; nothing if the program is to end before.
async fn connect<S>((server, port): &(String, u16), stopped: &mut Pin<Box<S>>) -> Result<Option<TcpStream>>
where
    S: Future<Output = ()>,
{
    let connected = tokio::select! {
        connected = tcp::dial((server.as_str(), *port)) => connected,
        () = stopped => return Ok(None),
    };
    match connected {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => {
            let hint = "start one with `cargo run -p cs`, or name another with --cs HOST:PORT";
            Err(anyhow!("no communication server at {server}:{port}: {error}\nhint: {hint}"))
        }
    }
}

/// Hosts the game over this connection, and tells how it went; what went wrong.
async fn play_out(
    plan: Plan<'_>,
    stream: TcpStream,
    stopped: Pin<Box<impl Future<Output = ()> + Send + 'static>>,
    leave: watch::Sender<bool>,
    voices: &Voices,
) -> Result<Vec<Error>> {
    let Plan { hosting, config, start_after, recorder, place } = plan;
    // Told at the start, so that the game can be repeated.
    let drawn = drawn_seed(Timestamp::now());
    let settings =
        Settings { start_when_full: hosting.start_when_full, start_after, ..config.settings(drawn) };
    let (server, port) = config.server.clone();
    let lines = if hosting.json { &voices.err } else { &voices.out };
    let mut console = Console::new(lines.clone(), recorder).awaiting(format!("{server}:{port}"));
    let (orders, inbox) = mpsc::channel(16);
    let (pressed, keys) = mpsc::channel(16);
    let keyboard = match hosting.headless {
        true => None,
        false => Keyboard::open(pressed.clone()).context("the keyboard cannot be read")?,
    };
    voices.err.say(greeting(hosting, &config, keyboard.as_ref(), place.is_some()));
    let board = match place {
        Some(place) => {
            let operator = Operator { orders: orders.clone(), settings: settings.clone(), drawn };
            let board = Board::live(place, config, operator, Manners::default());
            let board = board.context("the board cannot be shown")?;
            voices.err.say(format!("the board is at {}", board.url()));
            Some(board)
        }
        None => None,
    };
    tokio::spawn(pass_on(keys, orders, leave.clone()));
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
    let mut failures = Vec::new();
    // The replay first: it is whole, whatever becomes of what is printed.
    let recorded = console.into_recorder().finish();
    voices.out.print(report(hosting, &master)?);
    // On a terminal the lines below stand below.
    voices.finish().await;
    match recorded {
        Ok(Some(path)) => {
            voices.err.say(format!("the replay is {}; check it with `reference-gm verify`", path.display()));
        }
        Ok(None) => {}
        Err(error) => failures.push(anyhow!(error)),
    }
    if let Some(board) = board {
        let mut left = voices.left.clone();
        if master.game().is_some() && (keyboard.is_some() || hosting.stay) && !*left.borrow() {
            voices.err.say(format!("the game is over; the board stays at {} until q or Ctrl-C", board.url()));
            let _ = left.wait_for(|left| *left).await;
        }
        board.close("the game master has ended");
    }
    drop(keyboard);
    failures.extend(failure(ending, &server, port, &master));
    Ok(failures)
}

/// Why the game could not be hosted to its end, if so.
fn failure(ending: Ending, server: &str, port: u16, master: &Master) -> Option<Error> {
    match ending {
        Ending::Done => None,
        Ending::ServerLost(error) => {
            let why = error.map_or_else(|| "it closed the connection".to_owned(), |error| error.to_string());
            // Whoever has served a game is one.
            let hint = match master.game() {
                Some(_) => "",
                None => {
                    "\nhint: if it was never one, check that this is its port for the game master, and that no other game master has it"
                }
            };
            Some(anyhow!("the communication server at {server}:{port} was lost: {why}{hint}"))
        }
        Ending::NoServer(sent) => Some(anyhow!(
            "this is no communication server: {server}:{port} sent `{}`\nhint: name the communication server's port for the game master with --cs HOST:PORT",
            sent.escape_ascii()
        )),
    }
}

/// Passes on what keys ask for, until the game is over; the next wish to stop is one to end the program then.
async fn pass_on(mut keys: mpsc::Receiver<Order>, orders: mpsc::Sender<Order>, leave: watch::Sender<bool>) {
    while let Some(order) = keys.recv().await {
        let unheard = orders.send(order).await.is_err_and(|unsent| is_stop(&unsent.0));
        if unheard {
            leave.send_replace(true);
            return;
        }
    }
}

/// A seed that nobody chose: the microseconds of the calendar.
fn drawn_seed(now: Timestamp) -> Seed {
    Seed::new(now.as_microsecond().unsigned_abs())
}

/// One line: where and what is hosted, and all that starts it.
fn greeting(hosting: &Hosting, config: &HostConfig, keyboard: Option<&Keyboard>, has_board: bool) -> String {
    let (server, port) = (&config.server.0, config.server.1);
    let geometry = config.game.geometry();
    let size = config.game.team_size();
    let mut starts = Vec::new();
    if hosting.start_when_full {
        starts.push("starts when both teams are full".to_owned());
    }
    if let Some(seconds) = hosting.start_after {
        starts.push(format!("starts after {seconds} s with whoever is there"));
    }
    match keyboard {
        Some(keyboard) => starts.push(keyboard.hint().to_owned()),
        None if !starts.is_empty() => {}
        None if has_board => starts.push("starts from its board".to_owned()),
        None => starts.push("waits for a signal to stop: nothing starts it".to_owned()),
    }
    format!(
        "game master at {server}:{port}: {}×{}, up to {size} agents a team, {} dialect; {}",
        geometry.columns(),
        geometry.rows(),
        config.dialect,
        starts.join("; ")
    )
}

/// The statistics, if a game was played.
fn report(hosting: &Hosting, master: &Master) -> Result<String> {
    let seed = master.settings().seed;
    let game = master.game().zip(master.statistics()).zip(master.seats());
    Ok(match game {
        Some(((state, statistics), seats)) if hosting.json => {
            serde_json::to_string_pretty(&document(state, statistics, Some(seats), seed))? + "\n"
        }
        Some(((state, statistics), seats)) => table(state, statistics, Some(seats), seed),
        None if hosting.json => serde_json::to_string_pretty(&called_off(seed))? + "\n",
        None => String::new(),
    })
}
