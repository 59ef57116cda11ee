//! Replays of games that have ended after at least one move, written by a thread of its own, so that no game waits for
//! a disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SendError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use game_env::replay::{Header, Writer};
use game_env::{Disruption, Notation, SimTime, Turn, Witness as _};
use whole_file::WholeFile;

use crate::journal::make_folder;

/// Number of games that may wait to be written; a further one makes the server wait for the disk.
const WAITING: usize = 4096;

/// A game that has ended, as far as an archive needs it.
pub trait Replayable: Send + 'static {
    /// Returns the number of the game on its server.
    fn number(&self) -> u64;

    /// Returns the path of the game's replay in this folder.
    fn path(&self, folder: &Path) -> PathBuf;

    /// Writes the replay to a file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    fn write(&self, path: &Path) -> io::Result<()>;
}

/// Writes the replays of ended games on a thread of its own.
#[derive(Debug)]
pub struct Archive<G> {
    folder: PathBuf,
    games: SyncSender<Box<G>>,
    /// The number of games whose replays are not on disk yet.
    unwritten: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl<G: Replayable> Archive<G> {
    /// Writes to this folder, which is created. A replay that cannot be written is logged as a warning.
    ///
    /// # Errors
    ///
    /// Fails if there can be no such folder, or no thread.
    pub fn start(folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        let (games, ended) = sync_channel::<Box<G>>(WAITING);
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
    pub fn keep_now(&self, game: &G) {
        let path = game.path(&self.folder);
        if !path.exists() {
            write_replay(game, &path);
        }
    }

    /// Queues the replay of a game that has just ended. If its file exists, it is of another game, from a journal that
    /// was moved away: this replay gets a number after its name.
    pub fn keep(&self, game: Box<G>) {
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
    fn give_up(&self, game: &G) {
        self.unwritten.fetch_sub(1, Ordering::Release);
        tracing::warn!("the replay of game {} is not written: its thread has ended", game.number());
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

fn write_replay<G: Replayable>(game: &G, path: &Path) {
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

/// Writes the replay of a game of turns to a file, and brings its name to the disk: after that, the journal from which
/// it could be made again may be replaced.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub fn write<'a, G>(
    path: &Path,
    header: &Header,
    mut state: G,
    actions: impl IntoIterator<Item = &'a G::Action>,
    disruption: Option<Disruption>,
) -> io::Result<()>
where
    G: Notation + 'static,
    G::Action: 'a,
{
    let mut writer = Writer::new(WholeFile::create(path)?, header)?;
    let now = SimTime::START;
    for action in actions {
        let Turn::Act { agent, .. } = state.turn() else { break };
        writer.action(&state, now, agent, action);
        state.step(now, agent, action.clone(), &mut ());
    }
    if let Some(disruption) = disruption {
        writer.disruption(&state, now, disruption);
        state.disrupt(now, disruption, &mut ());
    }
    writer.end(&state, now);
    writer.finish()?.finish()?;
    whole_file::sync_name(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Game(&'static str);

    impl Replayable for Game {
        fn number(&self) -> u64 {
            0
        }

        fn path(&self, folder: &Path) -> PathBuf {
            folder.join("game-000000-7.replay")
        }

        fn write(&self, path: &Path) -> io::Result<()> {
            std::fs::write(path, self.0)
        }
    }

    #[test]
    fn no_game_loses_its_replay_to_another_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        for game in ["one", "two", "three"] {
            let archive = Archive::start(folder.path()).unwrap();
            archive.keep(Box::new(Game(game)));
            archive.finish();
        }
        let names = ["game-000000-7.replay", "game-000000-7-2.replay", "game-000000-7-3.replay"];
        assert_eq!(names.map(read), ["one", "two", "three"]);
        // A game of a journal has its replay already.
        let archive = Archive::start(folder.path()).unwrap();
        archive.keep_now(&Game("one again"));
        assert_eq!(read(names[0]), "one");
        archive.finish();
    }
}
