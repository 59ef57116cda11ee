//! The program without the matches: reads flags and files, prints results, and chooses the exit code.
//!
//! Every subcommand has a file of its own.

mod arguments;
mod screen;

mod check;
mod collect;
mod compare;
mod export;
mod interruption;
mod log;
mod plan;
mod play;
mod replay;
mod report;
mod resume;
mod run;
mod site;
mod trust;
mod verify;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use command_line::{Failure, exit_code};
use strategies::room::Rooms;

use self::arguments::{Arguments, Task};
use crate::begin;
use crate::in_process::InProcess;

/// Runs the program with the flags of this process, and with the strategies of these rooms.
///
/// The program `league` has those that are shipped. The program of an author has own strategies as well: every
/// subcommand knows them, and plays them in process.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use strategies::room::Rooms;
///
/// fn main() -> ExitCode {
///     league::program::main(Rooms::shipped()) // `with` adds rooms with own strategies
/// }
/// ```
pub fn main(rooms: Rooms) -> ExitCode {
    // The guard of an agent's program is this program as well.
    child_process::run_if_asked().unwrap_or_else(|| {
        let plays = begin::in_process().with(rooms);
        exit_code(start(Arguments::parse().task, &plays))
    })
}

fn start(task: Task, plays: &InProcess) -> Result<(), Failure> {
    match task {
        Task::Run(running) => run::start(&running, plays),
        Task::Check(checking) => check::start(&checking, plays),
        Task::Resume(resuming) => resume::start(&resuming, plays),
        Task::Report(reporting) => report::start(&reporting, plays),
        Task::Compare(comparing) => compare::start(&comparing, plays),
        Task::Play(playing) => play::start(&playing, plays),
        Task::Plan(planning) => plan::start(&planning, plays),
        Task::Collect(collecting) => collect::start(&collecting, plays),
        Task::Replay(replaying) => replay::start(&replaying, plays),
        Task::Export(exporting) => export::start(&exporting, plays),
        Task::Log(logging) => log::start(&logging, plays),
        Task::Verify(verifying) => verify::start(&verifying, plays),
        Task::Generate(generate) => Ok(generate.run(Arguments::command())?),
    }
}
