//! The replays of this server, see [`crate::archive`].

use std::io;
use std::path::{Path, PathBuf};

use game_dots::State;
use game_env::replay::{Header, Player};
use game_env::{AgentId, Environment as _, TeamId};

use super::master::Ended;
use crate::archive::Replayable;

/// An archive of a server of Dots & Boxes.
pub type Archive = crate::archive::Archive<Ended>;

impl Replayable for Ended {
    fn number(&self) -> u64 {
        self.id
    }

    fn path(&self, folder: &Path) -> PathBuf {
        path(folder, self)
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        write(path, self)
    }
}

/// Returns the path of a game's replay: `game-000007-1234.replay` is that of game 7 with the seed 1234.
pub fn path(folder: &Path, game: &Ended) -> PathBuf {
    folder.join(format!("game-{:06}-{}.replay", game.id, game.seed))
}

/// Writes the replay of a game to a file.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn write(path: &Path, game: &Ended) -> io::Result<()> {
    let teams = AgentId::all(2).map(TeamId::of_lone_agent);
    let players = teams.zip(&game.names).map(|(team, name)| Player::new(team, name.as_str())).collect();
    let program = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));
    let header = Header::new::<State>(&game.grid, game.seed, players, program);
    crate::archive::write(path, &header, State::new(&game.grid, game.seed), &game.moves, game.disruption)
}
