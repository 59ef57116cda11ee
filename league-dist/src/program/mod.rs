//! The program without the matches: reads flags and files, prints results, and chooses the exit code.
//!
//! Every subcommand has a file of its own.

mod arguments;

mod cancel;
mod run;
mod status;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use command_line::{Failure, exit_code};
use league::{alone, begin};
use league_dist::dispatch::Dispatch;
use league_dist::origin::Address;

use self::arguments::{Arguments, Task};

pub(crate) fn run() -> ExitCode {
    // Programs that play are started through this program, and so is a match that is played alone.
    child_process::run_if_asked()
        .or_else(|| alone::run_if_asked(&begin::in_process()))
        .unwrap_or_else(|| exit_code(start(Arguments::parse().task)))
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

/// Opens a queue that is there.
fn open_existing(queue: &Address) -> Result<Box<dyn Dispatch>, Failure> {
    match queue {
        Address::Sqlite(file) if !file.is_file() => Err(Failure::undone(
            format!("there is no queue {queue}"),
            "somebody has moved or deleted it: begin the league anew",
        )),
        _ => Ok(queue.open()?),
    }
}
