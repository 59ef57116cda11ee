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

use self::arguments::{Arguments, Task};

/// Runs the program with the flags of this process.
pub fn main() -> ExitCode {
    // The guard of an agent's program is this program as well.
    child_process::run_if_asked().unwrap_or_else(|| exit_code(start(Arguments::parse().task)))
}

fn start(task: Task) -> Result<(), Failure> {
    match task {
        Task::Run(running) => run::start(&running),
        Task::Check(checking) => check::start(&checking),
        Task::Resume(resuming) => resume::start(&resuming),
        Task::Report(reporting) => report::start(&reporting),
        Task::Compare(comparing) => compare::start(&comparing),
        Task::Play(playing) => play::start(&playing),
        Task::Plan(planning) => plan::start(&planning),
        Task::Collect(collecting) => collect::start(&collecting),
        Task::Replay(replaying) => replay::start(&replaying),
        Task::Export(exporting) => export::start(&exporting),
        Task::Log(logging) => log::start(&logging),
        Task::Verify(verifying) => verify::start(&verifying),
        Task::Generate(generate) => Ok(generate.run(Arguments::command())?),
    }
}
