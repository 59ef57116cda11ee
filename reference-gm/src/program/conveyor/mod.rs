//! `conveyor board` and `conveyor controller`: the two sides of Conveyor.

mod board;
mod controller;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Subcommand;
use tokio::runtime::{Builder, Runtime};

use self::board::{BOARD_CODES, BoardFlags, hold};
use self::controller::{CONTROLLER_CODES, ControllerFlags, control};

/// Board and controller of Conveyor.
#[derive(Subcommand)]
pub(crate) enum ConveyorTask {
    /// Pass on what two players want to a board, for one game.
    #[command(after_help = CONTROLLER_CODES)]
    Controller(ControllerFlags),
    /// Hold the truth of one game, and answer a controller.
    #[command(after_help = BOARD_CODES)]
    Board(BoardFlags),
}

/// A flag or a file that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ConveyorMisuse(String);

pub(crate) fn run(task: &ConveyorTask) -> Result<ExitCode> {
    match task {
        ConveyorTask::Controller(flags) => control(flags),
        ConveyorTask::Board(flags) => hold(flags),
    }
}

fn runtime() -> Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("the runtime cannot start")
}
