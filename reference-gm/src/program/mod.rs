//! The program: hosts a game, or reads a replay.

mod arguments;
mod bricks;
mod conveyor;
mod dots;
mod eriantys;
mod project;
mod replays;
mod serving;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Error, Result, anyhow};
use clap::{CommandFactory as _, Parser};
use command_line::signals;
use command_line::{Generate, chain};
use game_env::text::escape_hidden_in_lines;
use reference_gm::project::config::HostConfigError;
use reference_gm::server::page::Served;
use viewer::room::Shown;
use viewer::server::{Place, ServerLimits, ViewerServer};

use self::arguments::{Arguments, Task};
use self::bricks::BricksMisuse;
use self::conveyor::ConveyorMisuse;
use self::project::arguments::Misuse;
use self::project::{configuration, hosting};
use self::serving::Unusable;

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
    match done {
        Ok(code) => code,
        Err(error) => {
            complain(&told(&error));
            let is_misuse = error.is::<HostConfigError>()
                || error.is::<Misuse>()
                || error.is::<BricksMisuse>()
                || error.is::<ConveyorMisuse>()
                || error.is::<Unusable>();
            ExitCode::from(if is_misuse { 2 } else { 1 })
        }
    }
}

fn generate_files(generate: &Generate) -> Result<ExitCode> {
    generate.run(Arguments::command()).map_err(|error| {
        let hint = error.hint();
        anyhow!("{error}\nhint: {hint}")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Writes lines to standard error, without characters that a terminal obeys: they may have text of files. Ignores
/// errors: standard error may be closed.
fn complain(lines: &str) {
    let _ = writeln!(io::stderr(), "{}", escape_hidden_in_lines(lines));
}

/// A text on standard output.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

fn told(error: &Error) -> String {
    format!("error: {}", chain(error.as_ref()))
}

/// Ready when a signal asks the program to end.
fn stop_signal() -> Result<impl Future<Output = ()>> {
    signals::stop().context("cannot install signal handlers")
}

fn take_place(address: &str) -> Result<Place> {
    Place::take(address).map_err(|error| {
        anyhow!("the game page cannot be at {address}: {error}\nhint: name another address with --page ADDR:PORT, or port 0 for any free port")
    })
}

/// Serves a page of matches at this place, and reports its address to the operator.
fn serve_page<E>(place: Place) -> Result<Served<E>>
where
    E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
{
    let served = ViewerServer::matches(place, ServerLimits::default()).context("cannot serve the page")?;
    complain(&format!("the page is at {}", served.0.url()));
    Ok(served)
}
