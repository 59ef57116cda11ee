//! The rooms of the games with a server: what `--connect` needs of each.

use clients::ClientSession;
use command_line::Failure;
use game_env::Notation;

use super::screen::Screen;
use super::series::AnyGame;
use super::served::{Room, connect};
use super::{conveyor, dots, eriantys};

/// A game with a server.
pub(super) struct Server {
    /// The name of the game.
    game: &'static str,
    /// Plays there as the flags say.
    pub(super) connect: fn(&AnyGame, &str, &Screen) -> Result<(), Failure>,
}

impl Server {
    const fn of<R: Room>() -> Self {
        Self { game: <<R::Session as ClientSession>::Game as Notation>::GAME, connect: connect::<R> }
    }
}

static SERVERS: [Server; 3] =
    [Server::of::<dots::Room>(), Server::of::<conveyor::Room>(), Server::of::<eriantys::Room>()];

/// The server of this game, if it has one.
pub(super) fn server(game: &str) -> Option<&'static Server> {
    SERVERS.iter().find(|server| server.game == game)
}
