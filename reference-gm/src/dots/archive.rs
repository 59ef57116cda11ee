//! Replays of games that have ended after at least one move, written by a thread of its own, so that no game waits for a disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use game_dots::State;
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Environment as _, SimTime, TeamId, Witness};
use whole_file::WholeFile;

use super::master::Ended;

/// How many games may wait to be written before the server waits for the disk.
const WAITING: usize = 4096;

/// The thread, and the way to it.
#[derive(Debug)]
pub struct Archive {
    games: SyncSender<Box<Ended>>,
    thread: JoinHandle<()>,
}

impl Archive {
    /// Writes to this folder, which is created. A replay that cannot be written is told as a warning.
    ///
    /// # Errors
    ///
    /// Fails if there can be no such folder, or no thread.
    pub fn start(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let (games, ended) = sync_channel::<Box<Ended>>(WAITING);
        let folder = folder.to_owned();
        let thread = std::thread::Builder::new().name("replays".to_owned()).spawn(move || {
            for game in ended {
                let path = path(&folder, &game);
                if path.exists() {
                    continue;
                }
                if let Err(error) = write(&path, &game) {
                    tracing::warn!("cannot write the replay {}: {error}", path.display());
                }
            }
        })?;
        Ok(Self { games, thread })
    }

    /// Writes the replay of a game soon, unless it is there already.
    pub fn keep(&self, game: Box<Ended>) {
        match self.games.try_send(game) {
            Ok(()) => {}
            Err(TrySendError::Full(game)) => {
                // Only a disk that is far too slow leads here.
                let _ = self.games.send(game);
            }
            Err(TrySendError::Disconnected(game)) => {
                tracing::warn!("the replay of game {} is not written: its thread has ended", game.id);
            }
        }
    }

    /// Waits until every replay is written.
    pub fn finish(self) {
        drop(self.games);
        if self.thread.join().is_err() {
            tracing::warn!("the thread that writes replays has panicked");
        }
    }
}

/// Where the replay of a game is: `game-000007-1234.replay` is that of game 7 with the seed 1234.
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
    let mut writer = Writer::new(WholeFile::create(path)?, &header)?;
    let mut state = State::new(&game.grid, game.seed);
    let now = SimTime::START;
    for edge in &game.moves {
        let mover = state.mover();
        writer.action(&state, now, mover, edge);
        state.step(now, mover, *edge, &mut ());
    }
    if let Some(disruption) = game.disruption {
        Witness::<State>::disruption(&mut writer, &state, now, disruption);
        state.disrupt(now, disruption, &mut ());
    }
    writer.end(&state, now);
    writer.finish()?.finish()
}
