//! The program: hosts a game, or reads a replay.

mod arguments;
mod bricks;
mod conveyor;
mod dots;
mod eriantys;
mod project;
mod replays;
mod serving;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;
use std::{error, result};

use clap::{CommandFactory as _, Parser};
use command_line::{Failure, Generate, chain, exit_code, print, signals, tell};
use reference_gm::keyboard::{Key, Keyboard};
use reference_gm::printer::Printer;
use reference_gm::server::page::Served;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use viewer::room::Shown;
use viewer::server::{Place, ServerLimits, ViewerServer};

use self::arguments::{Arguments, Task};
use self::project::{configuration, hosting};

/// The result of a part of the program.
type Result<T, E = Failure> = result::Result<T, E>;

pub(crate) fn run() -> ExitCode {
    // Players' programs run below a guard, which is this program once more.
    if let Some(code) = child_process::run_if_asked() {
        return code;
    }
    let arguments = Arguments::parse();
    let done = match &arguments.task {
        Some(Task::Verify { file }) => replays::verify(file),
        Some(Task::View { file, page, port: None }) => replays::view(file, page),
        Some(Task::View { file, port: Some(port), .. }) => replays::view(file, &format!("127.0.0.1:{port}")),
        Some(Task::Export { file, html, feed }) => replays::export(file, html.as_deref(), feed.as_deref()),
        Some(Task::Config { sources, json }) => configuration::show(sources, *json),
        Some(Task::Bricks { task }) => bricks::run(task),
        Some(Task::Conveyor { task }) => conveyor::run(task),
        Some(Task::Dots { task }) => dots::run(task),
        Some(Task::Eriantys { task }) => eriantys::run(task),
        Some(Task::Generate(generate)) => generate_files(generate),
        None => hosting::play(&arguments.hosting),
    };
    done.unwrap_or_else(|failure| exit_code(Err(failure)))
}

fn generate_files(generate: &Generate) -> Result<ExitCode> {
    generate.run(Arguments::command())?;
    Ok(ExitCode::SUCCESS)
}

/// Ready when a signal asks the program to end.
fn stop_signal() -> Result<impl Future<Output = ()>> {
    signals::stop().map_err(|error| Failure::without_signals(&error))
}

/// Takes keys of a user at a terminal; none if there is no terminal.
fn open_keyboard(pressed: mpsc::Sender<Key>) -> Result<Option<Keyboard>> {
    Keyboard::open(pressed).map_err(|error| {
        Failure::undone(
            format!("the keyboard cannot be read: {error}"),
            "`< /dev/null` starts the program without a keyboard",
        )
    })
}

/// Returns a runtime on this thread.
fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().map_err(|error| without_runtime(&error))
}

fn without_runtime(error: &io::Error) -> Failure {
    Failure::undone(format!("the runtime cannot start: {error}"), FEW_THREADS)
}

/// Returns a printer of lines to one of the outputs.
fn printer(out: impl Write + Send + 'static) -> Result<Printer> {
    let without_thread = |error| Failure::undone(format!("cannot start a thread: {error}"), FEW_THREADS);
    Printer::new(out).map_err(without_thread)
}

/// The time that the readers of the program's output have for its last lines, when the program is to end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The hint if the system has no thread for this program.
const FEW_THREADS: &str = "end other programs, or raise the limits on open files and threads";

/// A replay cannot be written.
fn without_replay(error: &dyn error::Error) -> Failure {
    Failure::undone(chain(error), "choose another place for replays, or free disk space")
}

/// The hint if the page cannot be at its address.
const OTHER_ADDRESS: &str = "name another address with --page ADDR:PORT, or port 0 for any free port";

/// The page cannot be served.
fn without_page(error: &io::Error) -> Failure {
    Failure::undone(format!("the page cannot be served: {error}"), OTHER_ADDRESS)
}

fn take_place(address: &str) -> Result<Place> {
    Place::take(address).map_err(|error| {
        Failure::undone(format!("the game page cannot be at {address}: {error}"), OTHER_ADDRESS)
    })
}

/// Serves a page of matches at this place, and reports its address to the operator.
fn serve_page<E>(place: Place) -> Result<Served<E>>
where
    E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
{
    let served =
        ViewerServer::matches(place, ServerLimits::default()).map_err(|error| without_page(&error))?;
    tell(&format!("the page is at {}", served.0.url()));
    Ok(served)
}
