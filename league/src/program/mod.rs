//! What the program does, apart from playing: reads flags and files, tells people, and chooses the exit code.
//!
//! Every subcommand has a file of its own.

mod arguments;
mod screen;

mod compare;
mod interruption;
mod log;
mod play;
mod replay;
mod report;
mod resume;
mod run;
mod site;
mod verify;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use command_line::Failure;
use league::in_process::InProcess;

use self::arguments::{Arguments, Task};

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
        Task::Resume(resuming) => resume::start(&resuming),
        Task::Report(reporting) => report::start(&reporting),
        Task::Compare(comparing) => compare::start(&comparing),
        Task::Play(playing) => play::start(&playing),
        Task::Replay(replaying) => replay::start(&replaying),
        Task::Log(logging) => log::start(&logging),
        Task::Verify(verifying) => verify::start(&verifying),
        Task::Generate(generate) => Ok(generate.run(Arguments::command())?),
    }
}

/// Name and version of this program.
const PROGRAM: &str = concat!("league ", env!("CARGO_PKG_VERSION"));

/// Plays matches in this process, in the name of this program.
fn in_process() -> InProcess {
    InProcess::new(PROGRAM)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        Failure::undone(format!("standard output is closed: {error}"), "write to a file instead")
    })
}
