//! `conveyor board` and `conveyor controller`: the two sides of Conveyor.

mod board;
mod controller;

use std::future::pending;
use std::io;
use std::process::ExitCode;

use clap::Subcommand;
use tokio::runtime::Runtime;
use viewer::matches::Matches;
use viewer::room::Shown;
use viewer::server::ViewerServer;

use self::board::{BOARD_CODES, BoardFlags, hold};
use self::controller::{CONTROLLER_CODES, ControllerFlags, control};
use super::{Result, printer, serve_page, take_place};

/// Board and controller of Conveyor.
#[derive(Subcommand)]
pub(crate) enum ConveyorTask {
    /// Pass the requests of two players on to a board, for one game.
    #[command(after_help = CONTROLLER_CODES)]
    Controller(ControllerFlags),
    /// Hold the true state of one game, and answer a controller.
    #[command(after_help = BOARD_CODES)]
    Board(BoardFlags),
}

pub(crate) fn run(task: &ConveyorTask) -> Result<ExitCode> {
    match task {
        ConveyorTask::Controller(flags) => control(flags),
        ConveyorTask::Board(flags) => hold(flags),
    }
}

/// A page on which the game is watched: there before the game, and as long as the program.
struct Page(ViewerServer);

impl Page {
    /// Serves the page at this address, if there is one, and reports its address to the operator.
    fn serve<E>(address: Option<&str>) -> Result<Option<(Self, Matches<E>)>>
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
    {
        let Some(place) = address.map(take_place).transpose()? else { return Ok(None) };
        // Nobody plays on the page, so no requests come.
        let (server, matches, _) = serve_page(place)?;
        Ok(Some((Self(server), matches)))
    }

    /// Keeps the page until the signal, unless that has ended the game, and closes it with this message. `signal` has
    /// listened since the game began, so that none is lost between the game and this wait.
    fn leave(self, runtime: &Runtime, signal: impl Future<Output = ()>, is_stopped: bool, last: &str) {
        if !is_stopped {
            runtime.block_on(async {
                let stays = async {
                    // By a thread of its own: where nobody reads the output, the signal is heard all the same.
                    if let Ok(err) = printer(io::stderr()) {
                        err.say("the page stays until Ctrl-C");
                    }
                    pending::<()>().await;
                };
                tokio::select! {
                    biased;
                    () = signal => {}
                    () = stays => {}
                }
            });
        }
        self.0.close(last);
    }
}
