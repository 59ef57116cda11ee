//! Hosts a game, from the connection to the last line of its statistics.

use std::cell::Cell;
use std::future::pending;
use std::io::{self, IsTerminal as _};
use std::pin::Pin;
use std::process::ExitCode;

use command_line::{Failure, LevelFilter, LogFilter, chain, drawn_seed, shown};
use game_env::text::counted;
use game_env::{ByTeam, Millis};
use reference_gm::keyboard::{Key, Keyboard};
use reference_gm::printer::Printer;
use reference_gm::project::config::HostConfig;
use reference_gm::project::console::{Console, called_off, table};
use reference_gm::project::link::{Command, Ending, Order, host_with, prepare};
use reference_gm::project::page::{MasterPage, Operated, PageObserver};
use reference_gm::project::{Master, Settings};
use reference_gm::recorder::Recorder;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use viewer::games::project::document::document;
use viewer::games::project::feed::{USUAL_AGENTS_PORT, USUAL_PORT};
use viewer::games::project::lobby::{Contact, Server, Starts};
use viewer::server::{Place, ServerLimits};

use super::arguments::Hosting;
use crate::program::{
    LAST_WORDS, Result, open_keyboard, printer, runtime, stop_signal, without_page, without_replay,
};

/// Everything that hosting needs, checked.
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
    let place = hosting.page()?;
    let recorder = match &hosting.replay {
        Some(path) => Recorder::create(path).map_err(|error| {
            let why = format!("nothing was started: {}", chain(&error));
            Failure::undone(why, "choose another file with --replay")
        })?,
        None => Recorder::default(),
    };
    let runtime = runtime()?;
    let plan = Plan { hosting, config, start_after, recorder, place };
    let code = runtime.block_on(serve(plan));
    // A name that the system still looks up is nothing to wait for.
    runtime.shutdown_background();
    code
}

/// The outputs for lines, and whether the program is to end.
struct Outputs {
    out: Printer,
    err: Printer,
    left: watch::Receiver<bool>,
    /// Whether the operator wanted the program to end while nobody read.
    gave_up: Cell<bool>,
}

impl Outputs {
    /// Waits until both outputs have written everything: as long as their readers take, unless the operator wants the
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
    let stopped = stop_signal()?;
    let (out, err) = (printer(io::stdout())?, printer(io::stderr())?);
    start_log(plan.hosting.log.as_ref(), &err);
    let (leave, left) = watch::channel(false);
    let outputs = Outputs { out, err, left, gave_up: Cell::new(false) };
    let mut failures = play_out(plan, Box::pin(stopped), leave, &outputs).await?;
    outputs.finish().await;
    if let Err(error) = outputs.out.check() {
        let why = format!("cannot write all output to standard output: {error}");
        outputs.err.say(Failure::undone(why, "free disk space, or close no pipe before the end").to_string());
        failures += 1;
    }
    outputs.finish().await;
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Sends the log to standard error.
fn start_log(flag: Option<&LogFilter>, err: &Printer) {
    let err = err.clone();
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(flag, LevelFilter::WARN))
        .with(layer().with_ansi(io::stderr().is_terminal()).with_writer(move || err.clone()))
        .init();
}

/// Hosts the game and prints how it went; returns the number of failures, which are printed.
async fn play_out(
    plan: Plan<'_>,
    stopped: Pin<Box<impl Future<Output = ()> + Send + 'static>>,
    leave: watch::Sender<bool>,
    outputs: &Outputs,
) -> Result<u32> {
    let Plan { hosting, config, start_after, recorder, place } = plan;
    // Told at the start, so that the game can be repeated.
    let drawn = drawn_seed()?;
    let settings =
        Settings { start_when_full: hosting.start_when_full, start_after, ..config.settings(drawn) };
    let server = config.server.clone();
    let lines = if hosting.json { &outputs.err } else { &outputs.out };
    let mut console = Console::new(lines.clone(), recorder);
    let (orders, mut inbox) = mpsc::channel(16);
    let (pressed, keys) = mpsc::channel(16);
    let keyboard = match hosting.headless {
        true => None,
        false => open_keyboard(pressed.clone())?,
    };
    let page = match place {
        Some(place) => {
            let starts = Starts { when_full: hosting.start_when_full, after: start_after };
            let operated = Operated { config, orders: orders.clone(), starts, drawn };
            let page = MasterPage::serve(place, ServerLimits::default(), operated);
            let (page_server, page) = page.map_err(|error| without_page(&error))?;
            outputs.err.say(format!("the game page is at {}", page_server.url()));
            Some((page_server, page))
        }
        None => None,
    };
    tokio::spawn(pass_on(keys, orders, leave.clone()));
    tokio::spawn(async move {
        stopped.await;
        leave.send_replace(true);
        // The game is over already if nobody listens.
        let _ = pressed.send(Key::Stop).await;
    });
    let (page_server, page) = page.unzip();
    let stage = Stage { hosting, keyboard: keyboard.as_ref(), page: page.as_ref(), outputs };
    let Hosted { master, failure } = stage.host(server, settings, &mut inbox, &mut console).await;
    // From now on, the stop command ends the program.
    drop(inbox);
    let mut failures = u32::from(failure.is_some());
    // Completes the replay first: a failed print must not damage it.
    let recorded = console.into_recorder().finish();
    if let Some(master) = &master {
        outputs.out.print(report(hosting, master));
    }
    // Standard output first: on a terminal, the next lines follow the statistics.
    outputs.finish().await;
    match recorded {
        Ok(Some(path)) => {
            outputs.err.say(format!("the replay is {}; check it with `reference-gm verify`", shown(&path)));
        }
        Ok(None) => {}
        Err(error) => {
            outputs.err.say(without_replay(&error).to_string());
            failures += 1;
        }
    }
    let stays = stage.stays();
    if let Some(page_server) = page_server {
        let mut left = outputs.left.clone();
        if master.is_some_and(|master| master.game().is_some()) && stays && !*left.borrow() {
            let until = match &keyboard {
                Some(_) => "q or Ctrl-C",
                None => "Ctrl-C or SIGTERM",
            };
            outputs
                .err
                .say(format!("the game is over; the game page stays at {} until {until}", page_server.url()));
            let _ = left.wait_for(|left| *left).await;
        }
        page_server.close(failure.as_deref().unwrap_or("the game master has ended"));
    }
    drop(keyboard);
    Ok(failures)
}

/// The parts of a hosted game that do not depend on the server.
struct Stage<'a> {
    hosting: &'a Hosting,
    keyboard: Option<&'a Keyboard>,
    page: Option<&'a MasterPage>,
    outputs: &'a Outputs,
}

/// The result of hosting.
struct Hosted {
    /// The game master, if there was a server.
    master: Option<Master>,
    /// The last failure, in one line; it is printed already.
    failure: Option<String>,
}

/// An address as the page has it.
type Address = (String, u16);

impl Stage<'_> {
    /// Returns whether the game page outlives a game and a lost server: a user is there, or asked for it.
    fn stays(&self) -> bool {
        self.page.is_some() && (self.keyboard.is_some() || self.hosting.stay)
    }

    /// Connects and hosts. If the server cannot be reached, or is lost before the game begins, the person at the
    /// page may name another one.
    async fn host(
        &self,
        mut server: Address,
        settings: Settings,
        orders: &mut mpsc::Receiver<Order>,
        console: &mut Console<Printer>,
    ) -> Hosted {
        let mut master = Master::new(settings);
        let mut shown = self.page.map(|page| PageObserver::new(page.clone(), ByTeam::default()));
        loop {
            self.show(&server, Contact::Connecting);
            let dial = tcp::dial((server.0.as_str(), server.1));
            let observer = &mut (&mut *console, shown.as_mut());
            let (failure, contact) = match prepare(dial, &mut master, orders, observer).await {
                Ok(Ok(stream)) => {
                    self.show(&server, Contact::Connected);
                    self.outputs.err.say(greeting(self.hosting, &server, master.settings(), self));
                    if server.1 == USUAL_AGENTS_PORT {
                        self.outputs.err.say(format!(
                            "hint: {USUAL_AGENTS_PORT} is usually the communication server's port for agents; if no \
                             agent comes, use its port for the game master: --cs HOST:{USUAL_PORT}"
                        ));
                    }
                    let (hosted, ending) = host_with(stream, master, orders, observer).await;
                    let failed = failure(ending, &server, &hosted);
                    if hosted.game().is_some() || failed.is_none() || !self.stays() {
                        let failure = failed.map(|(failure, contact)| self.fail(&server, &failure, contact));
                        return Hosted { master: Some(hosted), failure };
                    }
                    master = Master::new(hosted.settings().clone());
                    match failed {
                        Some(failed) => failed,
                        None => continue,
                    }
                }
                Ok(Err(error)) => unreachable_server(&server, &error),
                Err(order) => match next(order, server) {
                    Some(next) => {
                        server = next;
                        continue;
                    }
                    None => return self.leave(None),
                },
            };
            let failure = self.fail(&server, &failure, contact);
            if !self.stays() {
                return Hosted { master: None, failure: Some(failure) };
            }
            let keys = if self.keyboard.is_some() { "; Enter tries again, q ends" } else { "" };
            self.outputs.err.say(format!("choose the server on the game page and connect{keys}"));
            let order: Order =
                prepare(pending(), &mut master, orders, observer).await.unwrap_or_else(|order| order);
            match next(order, server) {
                Some(next) => server = next,
                None => return self.leave(Some(failure)),
            }
        }
    }

    /// Ends the hosting, if the operator stops it before the server was reached.
    fn leave(&self, failure: Option<String>) -> Hosted {
        self.outputs.err.say("stopped before the communication server was reached");
        Hosted { master: None, failure }
    }

    /// Prints a failure and shows it on the page; returns its first line.
    fn fail(&self, server: &Address, failure: &Failure, contact: Contact) -> String {
        self.show(server, contact);
        self.outputs.err.say(failure.to_string());
        failure.why().lines().next().unwrap_or_default().to_owned()
    }

    fn show(&self, (host, port): &Address, contact: Contact) {
        if let Some(page) = self.page {
            page.server(Server { host: host.clone(), port: *port, contact });
        }
    }
}

/// Returns the server to connect to next by this order; none if hosting is to end.
fn next(order: Order, server: Address) -> Option<Address> {
    match order {
        Order::Connect(host, port) => Some((host, port)),
        Order::Command(Command::Stop | Command::End(_)) => None,
        // Settings are changed elsewhere.
        Order::Command(Command::Start) | Order::Settings(_) => Some(server),
    }
}

/// Returns the error of a connection that could not be made, for the console and for the page.
fn unreachable_server((server, port): &Address, error: &io::Error) -> (Failure, Contact) {
    let start = command_line::command("cs", "");
    let hint = format!("start one with `{start}`, or name another with --cs HOST:PORT");
    let failure = Failure::undone(format!("no communication server at {server}:{port}: {error}"), hint);
    // If the connection was refused, the host is there, but does not listen on this port.
    let field = if error.kind() == io::ErrorKind::ConnectionRefused { "CsPort" } else { "CsIP" };
    (failure, Contact::Failed(field, error.to_string()))
}

/// Returns the error that ended the hosting early, if there is one, for the console and for the page.
fn failure(ending: Ending, (server, port): &Address, master: &Master) -> Option<(Failure, Contact)> {
    match ending {
        Ending::Done => None,
        Ending::ServerLost(error) => {
            let why = error.map_or_else(|| "it closed the connection".to_owned(), |error| error.to_string());
            // A server that has passed on a game is certainly one.
            let hint = match master.game() {
                Some(_) => "start the server again, then this game master: a game cannot go on",
                None => {
                    "if it was never one, check that this is its port for the game master, and that no other game master has it"
                }
            };
            let failure =
                Failure::undone(format!("the communication server at {server}:{port} was lost: {why}"), hint);
            Some((failure, Contact::Lost(why)))
        }
        Ending::Refused(reason) => {
            // Our communication server ends some reasons with a hint of its own.
            let (why, hint) =
                reason.split_once("; hint: ").unwrap_or((&reason, "the output of the server may say more"));
            let failure = Failure::undone(
                format!("the communication server at {server}:{port} rejected this game master: {why}"),
                hint,
            );
            Some((failure, Contact::Failed("CsPort", reason)))
        }
        Ending::NoServer(sent) => {
            let sent = sent.escape_ascii();
            let failure = Failure::undone(
                format!("this is no communication server: {server}:{port} sent `{sent}`"),
                "name the communication server's port for the game master with --cs HOST:PORT",
            );
            let why = format!("this is no communication server, it sent `{sent}`");
            Some((failure, Contact::Failed("CsPort", why)))
        }
    }
}

/// Passes the commands of keys on until the game is over; the next stop command then ends the program.
async fn pass_on(mut keys: mpsc::Receiver<Key>, orders: mpsc::Sender<Order>, leave: watch::Sender<bool>) {
    while let Some(key) = keys.recv().await {
        let is_heard = orders.send(key.into()).await.is_ok();
        if !is_heard && key == Key::Stop {
            leave.send_replace(true);
            return;
        }
    }
}

/// Returns one line: the game, its server, and the events that start it.
fn greeting(hosting: &Hosting, (server, port): &Address, settings: &Settings, stage: &Stage<'_>) -> String {
    let geometry = settings.config.geometry();
    let size = counted(settings.config.team_size(), "agent", "agents");
    let mut starts = Vec::new();
    if hosting.start_when_full {
        starts.push("starts when both teams are full".to_owned());
    }
    if let Some(seconds) = hosting.start_after {
        starts.push(format!("starts after {seconds} s with the agents that have joined"));
    }
    match stage.keyboard {
        Some(keyboard) => starts.push(keyboard.hint().to_owned()),
        None if !starts.is_empty() => {}
        None if stage.page.is_some() => starts.push("starts from the game page".to_owned()),
        None => starts.push(
            "nothing starts this game: use --start-after, a terminal or --page; a signal stops it".to_owned(),
        ),
    }
    let dialect = match settings.foreign_config {
        Some(_) => "auto".to_owned(),
        None => settings.dialect.to_string(),
    };
    format!(
        "connected to {server}:{port}; board {}×{}, up to {size} a team, {dialect} dialect; {}",
        geometry.columns(),
        geometry.rows(),
        starts.join("; ")
    )
}

/// Returns the statistics, if a game was played.
fn report(hosting: &Hosting, master: &Master) -> String {
    let seed = master.settings().seed;
    let game = master.game().zip(master.statistics()).zip(master.seats());
    match game {
        Some(((state, statistics), seats)) if hosting.json => {
            format!("{:#}\n", document(state, statistics, Some(seats), seed))
        }
        Some(((state, statistics), seats)) => table(state, statistics, Some(seats), seed),
        None if hosting.json => format!("{:#}\n", called_off(seed)),
        None => String::new(),
    }
}
