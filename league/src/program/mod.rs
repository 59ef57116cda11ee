//! The program without the matches: reads flags and files, prints results, and chooses the exit code.
//!
//! Every subcommand has a file of its own.

mod arguments;
mod screen;

mod check;
mod collect;
mod compare;
mod contest;
mod export;
mod habits;
mod import;
mod interruption;
mod log;
mod page;
mod plan;
mod play;
mod race;
mod replay;
mod report;
mod resume;
mod run;
mod site;
mod times;
mod tune;
mod verify;
mod workers;

use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _};
use command_line::{Failure, exit_code};
use strategies::room::Rooms;

use self::arguments::{Arguments, Task};
use crate::alone;
use crate::begin::PROGRAM;
use crate::in_process::InProcess;
use crate::invocation;

/// Runs the program of this name and version with the flags of this process, and with the strategies of these rooms.
///
/// The program `league` has the strategies that are shipped. The program of an author has own strategies as well: every
/// subcommand knows them, and plays them in process.
///
/// Stores and records have `program`, e.g. `my-league 0.1.0`, and a league goes on only with the program that has begun
/// it. An author gives the program a name of its own, and another version when the play of a strategy changes. Messages
/// name the command with which this program was started.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use strategies::room::Rooms;
///
/// fn main() -> ExitCode {
///     // `with` adds rooms with own strategies.
///     league::program::main("my-league 0.1.0", Rooms::shipped())
/// }
/// ```
pub fn main(program: &'static str, rooms: Rooms) -> ExitCode {
    let plays = InProcess::new(program).with(rooms);
    // The guard of an agent's program is this program as well, and so is a match that is played alone.
    child_process::run_if_asked().or_else(|| alone::run_if_asked(&plays)).unwrap_or_else(|| {
        let command = command_line(program);
        if program != PROGRAM {
            invocation::set_own(command.get_name());
        }
        let task = match Arguments::from_arg_matches(&command.clone().get_matches()) {
            Ok(arguments) => arguments.task,
            Err(error) => error.format(&mut command.clone()).exit(),
        };
        exit_code(start(task, command, &plays))
    })
}

/// Returns the command line of the program with this name and version.
fn command_line(program: &'static str) -> Command {
    let (name, version) = program.rsplit_once(' ').unwrap_or((program, ""));
    Arguments::command().name(name).version(version)
}

fn start(task: Task, command: Command, plays: &InProcess) -> Result<(), Failure> {
    match task {
        Task::Run(running) => run::start(&running, plays),
        Task::Import(importing) => import::start(&importing, plays),
        Task::Check(checking) => check::start(&checking, plays),
        Task::Resume(resuming) => resume::start(&resuming, plays),
        Task::Report(reporting) => report::start(&reporting, plays),
        Task::Compare(comparing) => compare::start(&comparing, plays),
        Task::Race(racing) => race::start(&racing, plays),
        Task::Tune(tuning) => tune::start(&tuning, plays),
        Task::Play(playing) => play::start(&playing, plays),
        Task::Plan(planning) => plan::start(&planning, plays),
        Task::Collect(collecting) => collect::start(&collecting, plays),
        Task::Replay(replaying) => replay::start(&replaying, plays),
        Task::Export(exporting) => export::start(&exporting, plays),
        Task::Log(logging) => log::start(&logging, plays),
        Task::Habits(asking) => habits::start(&asking, plays),
        Task::Verify(verifying) => verify::start(&verifying, plays),
        Task::Generate(generate) => Ok(generate.run(command)?),
    }
}
