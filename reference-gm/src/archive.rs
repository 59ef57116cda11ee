//! Replays of games that have ended after at least one move, written by a thread of its own, so that no game waits for
//! a disk.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SendError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::{fs, io};

use game_env::replay::{Header, Player, Reader, Writer};
use game_env::{Disruption, Environment, Notation, Seed, SimTime, Turn, Witness as _};

use crate::PROGRAM;
use crate::journal::make_folder;

/// Number of games that may wait to be written; a further one makes the server wait for the disk. Of the games whose
/// replays could not be written, no more than these are tried again while the server runs.
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
    /// Returns the names that the replay may have in this folder, the first choice first: `game-000007-1234.replay` is
    /// that of game 7 with the seed 1234, or of another one, from a journal that was moved away; then
    /// `game-000007-1234-2.replay` follows.
    fn paths(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let name = folder.join(format!("{}-{:06}-{}", self.kind, self.id, self.seed));
        let ends = std::iter::once(String::new()).chain((2_u64..).map(|number| format!("-{number}")));
        ends.map(move |end| {
            let mut path = name.clone().into_os_string();
            path.push(end + ".replay");
            path.into()
        })
    }

    /// Returns the bytes of the replay.
    ///
    /// # Errors
    ///
    /// If it cannot be compressed.
    pub fn replay(&self) -> io::Result<Vec<u8>> {
        self.replay_of(PROGRAM)
    }

    /// Returns the bytes of the replay as this program writes it.
    fn replay_of(&self, program: &str) -> io::Result<Vec<u8>> {
        let mut state = G::new(&self.config, self.seed);
        let players = Player::all(&state, |agent| &self.names[agent.index()]);
        let header = Header::new::<G>(&self.config, self.seed, players, program);
        let mut writer = Writer::new(Vec::new(), &header)?;
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
        writer.finish()
    }

    /// Returns whether these bytes are the replay as another program has written it, e.g. an earlier version.
    fn is_by_another_program(&self, present: &[u8]) -> bool {
        let program = Reader::open(present).map(|reader| reader.header().program.clone());
        program.is_ok_and(|program| self.replay_of(&program).is_ok_and(|replay| replay == present))
    }

    /// Writes the replay to a file in this folder, unless it is there, and brings its name to the disk: after that, the
    /// journal from which it could be made again may be replaced.
    fn write(&self, folder: &Path) -> Result<(), UnwrittenReplay> {
        let (mut paths, mut path) = (self.paths(folder), folder.to_owned());
        let mut write = || {
            make_folder(folder)?;
            let replay = self.replay()?;
            for next in &mut paths {
                path = next;
                match fs::read(&path) {
                    Ok(present) if present == replay || self.is_by_another_program(&present) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        whole_file::write(&path, |out| out.write_all(&replay))?;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            whole_file::sync_name(&path)
        };
        write().map_err(|error| UnwrittenReplay { path, error })
    }
}

/// A replay that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the replay {}: {error}", path.display())]
pub struct UnwrittenReplay {
    path: PathBuf,
    error: io::Error,
}

/// Writes the replays of ended games on a thread of its own.
#[derive(Debug)]
pub struct Archive<G: Environment> {
    folder: PathBuf,
    games: SyncSender<Box<EndedGame<G>>>,
    /// The number of games whose replays are not on disk.
    unwritten: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl<G: Notation<Config: Send, Action: Send> + 'static> Archive<G> {
    /// Writes to this folder, which is created. A replay that cannot be written is logged as a warning, and tried again
    /// after a replay that can, and at the end.
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
            let mut failed: VecDeque<Box<EndedGame<G>>> = VecDeque::new();
            let is_written = |game: &EndedGame<G>| match game.write(&into) {
                Ok(()) => {
                    count.fetch_sub(1, Ordering::Release);
                    true
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    false
                }
            };
            for game in ended {
                if !is_written(&game) {
                    if failed.len() < WAITING {
                        failed.push_back(game);
                    }
                    continue;
                }
                // A game that fails alone keeps no other from being tried.
                while let Some(game) = failed.pop_front() {
                    if !is_written(&game) {
                        failed.push_back(game);
                        break;
                    }
                }
            }
            failed.iter().for_each(|game| _ = is_written(game));
        })?;
        Ok(Self { folder, games, unwritten, thread })
    }

    /// Writes the replay of a game of a journal before this function returns, unless it is there already.
    ///
    /// # Errors
    ///
    /// Fails if the replay cannot be written.
    pub fn keep_now(&self, game: &EndedGame<G>) -> Result<(), UnwrittenReplay> {
        game.write(&self.folder)
    }

    /// Queues the replay of a game that has just ended.
    pub fn keep(&self, game: Box<EndedGame<G>>) {
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        match self.games.try_send(game) {
            Ok(()) => {}
            // The queue is full: the disk is too slow.
            Err(TrySendError::Full(game)) => {
                if let Err(SendError(game)) = self.games.send(game) {
                    warn_of_end(game.id);
                }
            }
            Err(TrySendError::Disconnected(game)) => warn_of_end(game.id),
        }
    }

    /// Returns whether the replay of every game is on disk.
    pub fn is_complete(&self) -> bool {
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

fn warn_of_end(game: u64) {
    tracing::warn!("the replay of game {game} is not written: its thread has ended");
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_dots::{Config, Edge, State};

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
            let reader = Reader::open(fs::File::open(folder.path().join(name)).unwrap()).unwrap();
            reader.header().players[0].name.clone()
        };
        for first in ["one", "two", "three"] {
            let archive = Archive::start(folder.path()).unwrap();
            archive.keep(Box::new(game(first)));
            archive.finish();
        }
        let names = ["game-000000-7.replay", "game-000000-7-2.replay", "game-000000-7-3.replay"];
        assert_eq!(names.map(first_player), ["one", "two", "three"]);
        // A game of a journal may have its replay already, under any of its names.
        let archive = Archive::start(folder.path()).unwrap();
        archive.keep_now(&game("two")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        archive.keep_now(&game("four")).unwrap();
        assert_eq!(first_player("game-000000-7-4.replay"), "four");
        archive.finish();
    }

    #[test]
    fn a_replay_that_cannot_be_written_is_never_taken_for_written() {
        let folder = tempfile::tempdir().unwrap();
        let replays = folder.path().join("replays");
        let archive = Archive::start(&replays).unwrap();
        // A file is where the folder was.
        fs::remove_dir(&replays).unwrap();
        fs::write(&replays, "").unwrap();
        let refused = archive.keep_now(&game("one")).unwrap_err().to_string();
        assert!(
            refused.starts_with(&format!("cannot write the replay {}: ", replays.display())),
            "{refused}"
        );
        let unwritten = Arc::clone(&archive.unwritten);
        archive.keep(Box::new(game("one")));
        assert!(!archive.is_complete());
        // The next one tries it again, in a new folder.
        fs::remove_file(&replays).unwrap();
        archive.keep(Box::new(game("two")));
        archive.finish();
        assert_eq!(unwritten.load(Ordering::Acquire), 0);
        assert_eq!(fs::read_dir(&replays).unwrap().count(), 2);
    }

    #[test]
    fn a_replay_that_cannot_be_written_stops_no_other() {
        let folder = tempfile::tempdir().unwrap();
        // A folder has the name of its file.
        fs::create_dir(folder.path().join("game-000000-7.replay")).unwrap();
        let archive = Archive::start(folder.path()).unwrap();
        let unwritten = Arc::clone(&archive.unwritten);
        archive.keep(Box::new(game("one")));
        for id in 1..=3 {
            archive.keep(Box::new(EndedGame { id, ..game("two") }));
        }
        archive.finish();
        assert_eq!(unwritten.load(Ordering::Acquire), 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_replay_of_an_earlier_version_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game-000000-7.replay");
        fs::write(&path, game("one").replay_of("reference-gm 0.0.1").unwrap()).unwrap();
        let archive = Archive::start(folder.path()).unwrap();
        archive.keep_now(&game("one")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        archive.keep_now(&game("two")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        archive.finish();
    }
}
