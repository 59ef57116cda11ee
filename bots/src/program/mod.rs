//! The program apart from playing: reads flags and files, prints messages, and chooses the exit code.

mod address;
mod arguments;
mod bricks;
mod conveyor;
mod dots;
mod eriantys;
mod lists;
mod project;
mod repetition;
mod rooms;
mod screen;
mod series;
mod served;
mod starter;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser};
use command_line::{Failure, Generate, LevelFilter, LogFilter, exit_code, print};
use game_env::Notation as _;
use game_project::State;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::arguments::{Arguments, Task};
use self::project::agent_file::Missing;
use self::project::joining;
use self::screen::Screen;
use self::series::AnyGame;

pub(crate) fn run() -> ExitCode {
    // Panics of strategies are reported as blunders.
    sdk::quiet_hook();
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let done = match series::asked(words).filter(|game| game != State::GAME) {
        Some(game) => {
            series::find(&game).and_then(|room| series::play(&AnyGame::parse(), room, &Screen::default()))
        }
        None => start(&Arguments::parse()),
    };
    exit_code(done)
}

fn start(arguments: &Arguments) -> Result<(), Failure> {
    let screen = Screen::default();
    let playing = &arguments.playing;
    match &arguments.task {
        Some(Task::List { json }) => lists::strategies(*json),
        Some(Task::New(new)) => starter::write(new),
        Some(Task::Presets { json }) => lists::presets(*json),
        Some(Task::Generate(Generate::Reference)) => {
            // The flags of the other games are a command line of their own.
            let other_games = AnyGame::command().name("bots --game NAME").bin_name("bots");
            print(&command_line::reference([Arguments::command(), other_games]))
        }
        Some(Task::Generate(generate)) => Ok(generate.run(Arguments::command())?),
        Some(Task::Join(joining)) => {
            start_log(joining.log.as_ref(), &screen);
            joining::play(joining, Missing::Asked, &screen)
        }
        None => {
            start_log(playing.log.as_ref(), &screen);
            if playing.is_networked() {
                if playing.second().is_some() {
                    return Err(Failure::misuse(
                        "agents on a server play for one team: two line-ups are given",
                        "leave one out, and choose the team with --team",
                    ));
                }
                joining::play(&playing.joining(), Missing::Defaults, &screen)
            } else {
                project::play(playing, &screen)
            }
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

/// Returns a runtime for servers and agents side by side: an agent that thinks for long delays no other.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::undone(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })
}
