//! What the program does, apart from playing: reads flags and files, tells people, and chooses the exit code.
//!
//! Every subcommand has a file of its own.

mod arguments;

mod cancel;
mod run;
mod status;
mod worker;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use command_line::{Failure, shown};
use league::file::League;
use league::in_process::InProcess;
use league::store::Origin;
use league_dist::origin::Address;
use league_dist::sqlite::Sqlite;

use self::arguments::{Arguments, Task};

/// Name and version of the program that plays the matches: that of the package `league`, whose results are the same.
const PROGRAM: &str = concat!("league ", env!("CARGO_PKG_VERSION"));

pub(crate) fn run() -> ExitCode {
    match start(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.code())
        }
    }
}

fn start(task: Task) -> Result<(), Failure> {
    match task {
        Task::Run(running) => run::start(&running),
        Task::Worker(working) => worker::start(&working),
        Task::Status(asking) => status::start(&asking),
        Task::Cancel(asking) => cancel::start(&asking),
        Task::Generate(generate) => Ok(generate.run(Arguments::command())?),
    }
}

fn in_process() -> InProcess {
    InProcess::new(PROGRAM)
}

/// Opens a queue, which is made if it is not there.
fn open(queue: &Address) -> Result<Sqlite, Failure> {
    Ok(Sqlite::open_file(queue.file())?)
}

/// Opens a queue that is there.
fn open_existing(queue: &Address) -> Result<Sqlite, Failure> {
    if !queue.file().is_file() {
        return Err(Failure::undone(
            format!("there is no queue {queue}"),
            "somebody has moved or deleted it: begin the league anew",
        ));
    }
    open(queue)
}

/// Reads the league of a store or a file at this path.
fn read(origin: &Origin, path: &Path) -> Result<League, Failure> {
    League::read(&origin.name, &origin.file, &in_process()).map_err(|error| {
        Failure::misuse(
            format!("{} cannot be played\n{error}", shown(path)),
            "the book's page \"Leagues\" has every key with its default; examples/league.toml is a league",
        )
    })
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        Failure::undone(format!("standard output is closed: {error}"), "write to a file instead")
    })
}
