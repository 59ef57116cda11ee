//! Replays of games that have ended after at least one move, written by a thread of its own, so that no game waits for
//! a disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SendError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Disruption, Environment, Notation, Seed, SimTime, Turn, Witness as _};
use whole_file::WholeFile;

use crate::journal::make_folder;

/// Name and version of this program in replays.
const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// Number of games that may wait to be written; a further one makes the server wait for the disk.
const WAITING: usize = 4096;

/// A game that has ended: all that a replay needs.
#[derive(Clone, PartialEq, Debug)]
pub struct EndedGame<G: Environment> {
    /// The server's word for it, with which the name of its replay begins: `game` or `match`.
    pub kind: &'static str,
    /// Its number on the server.
    pub id: u64,
    /// Its configuration.
    pub config: G::Config,
    /// The seed of all that was drawn.
    pub seed: Seed,
    /// The players, in the order of their ids.
    pub names: Vec<String>,
    /// Their actions, in order.
    pub actions: Vec<G::Action>,
    /// The event that ended the game, if that was not the last action.
    pub disruption: Option<Disruption>,
}

impl<G: Notation + 'static> EndedGame<G> {
    /// Returns the path of the replay in this folder: `game-000007-1234.replay` is that of game 7 with the seed 1234.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{:06}-{}.replay", self.kind, self.id, self.seed))
    }

    /// Writes the replay to a file, and brings its name to the disk: after that, the journal from which it could be
    /// made again may be replaced.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut state = G::new(&self.config, self.seed);
        let agents = AgentId::all(self.names.len()).zip(&self.names);
        let players = agents.map(|(agent, name)| Player::new(state.team(agent), name)).collect();
        let header = Header::new::<G>(&self.config, self.seed, players, PROGRAM);
        let mut writer = Writer::new(WholeFile::create(path)?, &header)?;
        let now = SimTime::START;
        for action in &self.actions {
            let Turn::Act { agent, .. } = state.turn() else { break };
            writer.action(&state, now, agent, action);
            state.step(now, agent, action.clone(), &mut ());
        }
        if let Some(disruption) = self.disruption {
            writer.disruption(&state, now, disruption);
            state.disrupt(now, disruption, &mut ());
        }
        writer.end(&state, now);
        writer.finish()?.finish()?;
        whole_file::sync_name(path)
    }
}

/// Writes the replays of ended games on a thread of its own.
#[derive(Debug)]
pub struct Archive<G: Environment> {
    folder: PathBuf,
    games: SyncSender<Box<EndedGame<G>>>,
    /// The number of games whose replays are not on disk yet.
    unwritten: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl<G: Notation<Config: Send, Action: Send> + 'static> Archive<G> {
    /// Writes to this folder, which is created. A replay that cannot be written is logged as a warning.
    ///
    /// # Errors
    ///
    /// Fails if there can be no such folder, or no thread.
    pub fn start(folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        let (games, ended) = sync_channel::<Box<EndedGame<G>>>(WAITING);
        let folder = folder.to_owned();
        let into = folder.clone();
        let unwritten = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&unwritten);
        let thread = std::thread::Builder::new().name("replays".to_owned()).spawn(move || {
            for game in ended {
                write_replay(&*game, &free(game.path(&into)));
                count.fetch_sub(1, Ordering::Release);
            }
        })?;
        Ok(Self { folder, games, unwritten, thread })
    }

    /// Writes the replay of a game of a journal before this function returns, unless it is there already.
    pub fn keep_now(&self, game: &EndedGame<G>) {
        let path = game.path(&self.folder);
        if !path.exists() {
            write_replay(game, &path);
        }
    }

    /// Queues the replay of a game that has just ended. If its file exists, it is of another game, from a journal that
    /// was moved away: this replay gets a number after its name.
    pub fn keep(&self, game: Box<EndedGame<G>>) {
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        match self.games.try_send(game) {
            Ok(()) => {}
            // The queue is full: the disk is too slow.
            Err(TrySendError::Full(game)) => {
                if let Err(SendError(game)) = self.games.send(game) {
                    self.give_up(&*game);
                }
            }
            Err(TrySendError::Disconnected(game)) => self.give_up(&*game),
        }
    }

    /// Says that the replay of a game is not written; nobody waits for it.
    fn give_up(&self, game: &EndedGame<G>) {
        self.unwritten.fetch_sub(1, Ordering::Release);
        tracing::warn!("the replay of game {} is not written: its thread has ended", game.id);
    }

    /// Returns whether every replay is written, except those that cannot be written.
    pub fn is_idle(&self) -> bool {
        self.unwritten.load(Ordering::Acquire) == 0
    }

    /// Waits until every replay is written.
    pub fn finish(self) {
        drop(self.games);
        if self.thread.join().is_err() {
            tracing::warn!("the thread that writes replays has panicked");
        }
    }
}

fn write_replay<G: Notation + 'static>(game: &EndedGame<G>, path: &Path) {
    if let Err(error) = game.write(path) {
        tracing::warn!("cannot write the replay {}: {error}", path.display());
    }
}

/// Returns this path, or the first with a number behind its name that is free: `game-000007-1234-2.replay`.
fn free(path: PathBuf) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let further = (2_u32..).map(|number| path.with_file_name(format!("{stem}-{number}.replay")));
    std::iter::once(path.clone()).chain(further).find(|path| !path.exists()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use game_dots::{Config, Edge, State};
    use game_env::replay::Reader;

    use super::*;

    fn game(first: &str) -> EndedGame<State> {
        let config = Config::new(2, 2).unwrap();
        let actions = config.all_edges().collect::<Vec<Edge>>();
        let names = [first, "the other"].map(str::to_owned).into();
        EndedGame { kind: "game", id: 0, config, seed: Seed::new(7), names, actions, disruption: None }
    }

    #[test]
    fn no_game_loses_its_replay_to_another_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let first_player = |name: &str| {
            let reader = Reader::open(std::fs::File::open(folder.path().join(name)).unwrap()).unwrap();
            reader.header().players[0].name.clone()
        };
        for first in ["one", "two", "three"] {
            let archive = Archive::start(folder.path()).unwrap();
            archive.keep(Box::new(game(first)));
            archive.finish();
        }
        let names = ["game-000000-7.replay", "game-000000-7-2.replay", "game-000000-7-3.replay"];
        assert_eq!(names.map(first_player), ["one", "two", "three"]);
        // A game of a journal has its replay already.
        let archive = Archive::start(folder.path()).unwrap();
        archive.keep_now(&game("one again"));
        assert_eq!(first_player(names[0]), "one");
        archive.finish();
    }
}
