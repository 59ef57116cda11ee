//! What the program does, apart from playing: reads flags and files, tells people, and chooses the exit code.

mod arguments;
mod failure;

mod agent_file;
mod game;
mod lists;
mod questions;

mod network;
mod over_tcp;
mod virtual_clock;

mod blunders;
mod report;
mod screen;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use self::arguments::{Arguments, Task};
use self::failure::Failure;
use self::screen::Screen;

pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match start(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.code())
        }
    }
}

fn start(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.task {
        Some(Task::List { json }) => return lists::strategies(json),
        Some(Task::Presets { json }) => return lists::presets(json),
        None => {}
    }
    let playing = &arguments.playing;
    let screen = Screen::default();
    start_log(playing.log.as_deref(), &screen)?;
    if playing.is_networked() {
        network::play(playing, &screen)
    } else if playing.r#virtual {
        virtual_clock::play(playing, &screen)
    } else {
        over_tcp::play(playing, &screen)
    }
}

/// Sends what is logged to the screen.
fn start_log(flag: Option<&str>, screen: &Screen) -> Result<(), Failure> {
    let builder = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into());
    let filter = match flag {
        None => builder.from_env_lossy(),
        Some(level) => {
            let misuse = |why: String| {
                let hint = "e.g. `--log info`, or `--log sdk=debug` for one crate";
                Failure::misuse(format!("--log {level}: {why}"), hint)
            };
            // A word alone that is no level would be taken for the name of a crate, of which nobody hears again.
            let is_level = |part: &str| part.contains(['=', '[']) || part.parse::<LevelFilter>().is_ok();
            if let Some(word) = level.split(',').find(|part| !is_level(part.trim())) {
                return Err(misuse(format!(
                    "`{word}` is no level; there are error, warn, info, debug, trace, off"
                )));
            }
            builder.parse(level).map_err(|error| misuse(error.to_string()))?
        }
    };
    let screen = screen.clone();
    let is_terminal = screen.is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(is_terminal)
        .with_writer(move || screen.clone())
        .init();
    Ok(())
}

/// A runtime for servers and agents side by side: an agent that thinks for long holds nobody up.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        Failure::unplayable(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        Failure::unplayable(format!("standard output is closed: {error}"), "write to a file instead")
    })
}
