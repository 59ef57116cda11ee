//! The program apart from playing: reads flags and files, prints messages, and chooses the exit code.

mod address;
mod agent_protocol;
mod arguments;
mod bricks;
mod conveyor;
mod decisions;
mod dots;
mod eriantys;
mod lists;
mod programs;
mod project;
mod rooms;
mod screen;
mod series;
mod served;
mod starter;
mod study;

use std::ffi::OsString;
use std::process::ExitCode;

use command_line::{Failure, Generate, LevelFilter, LogFilter, exit_code, print};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::arguments::{Arguments, Task};
use self::rooms::Room;
use self::screen::Screen;

pub(crate) fn run() -> ExitCode {
    // Programs that play are started through this program.
    child_process::run_if_asked().unwrap_or_else(play)
}

fn play() -> ExitCode {
    // Panics of strategies are reported as blunders.
    sdk::quiet_hook();
    let words: Vec<OsString> = std::env::args_os().collect();
    exit_code(rooms::find(arguments::asked_game(&words)).and_then(|room| {
        let (arguments, flags) = arguments::read(&words, room).unwrap_or_else(|error| error.exit());
        start(&arguments, room, &flags)
    }))
}

/// Does what the arguments say with this game. `flags` are those of the command.
fn start(arguments: &Arguments, room: &'static dyn Room, flags: &clap::ArgMatches) -> Result<(), Failure> {
    let screen = Screen::default();
    let playing = &arguments.playing;
    match &arguments.task {
        Some(Task::List { json }) => lists::strategies(*json),
        Some(Task::New(new)) => starter::write(new, room.game()),
        Some(Task::Presets { json, .. }) => lists::presets(room.game(), *json),
        Some(Task::AgentProtocol(speaking)) => agent_protocol::speak(speaking, room),
        Some(Task::Decisions(deciding)) => decisions::decisions(deciding),
        Some(Task::Study(studying)) => study::study(studying, &screen),
        Some(Task::Fork(forking)) => study::fork(forking, flags, &screen),
        Some(Task::Curve(curving)) => study::curve(curving, flags, &screen),
        Some(Task::Diff(diffing)) => study::diff(diffing, &screen),
        Some(Task::Why(asking)) => study::why(asking, &screen),
        Some(Task::Generate(Generate::Reference)) => print(&arguments::reference()),
        Some(Task::Generate(generate)) => Ok(generate.run(arguments::command(room))?),
        Some(Task::Join(joining)) => {
            start_log(joining.log.as_ref(), &screen);
            room.join(joining, flags, &screen)
        }
        None => {
            start_log(playing.log.as_ref(), &screen);
            series::play(playing, room, &screen)
        }
    }
}

/// Sends log lines to the screen.
fn start_log(flag: Option<&LogFilter>, screen: &Screen) {
    let screen = screen.clone();
    let is_terminal = screen.is_terminal();
    tracing_subscriber::registry()
        .with(LogFilter::or_environment(flag, LevelFilter::WARN))
        .with(layer().with_ansi(is_terminal).with_writer(move || screen.clone()))
        .init();
}

/// Any port that is free, for this machine alone.
const ANY_PORT: &str = "127.0.0.1:0";

/// The game page cannot be shown at this address.
fn no_page(address: &str, error: &std::io::Error) -> Failure {
    let hint = "name another address with --page ADDR:PORT, or port 0 for any free port";
    Failure::undone(format!("the game page cannot be at {address}: {error}"), hint)
}

/// Returns a runtime for servers and agents side by side: an agent that thinks for long delays no other.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::undone(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })
}
