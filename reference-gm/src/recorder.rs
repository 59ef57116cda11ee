//! Writes the replay of a game while it is played.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use game_env::replay::{Header, Writer};
use game_env::{AgentId, Disruption, Notation, Note, SimTime, Witness};

#[cfg(unix)]
use crate::journal::for_the_user_alone;

/// A [`Witness`] of any game that writes a replay file, or nothing.
///
/// The file is opened at once, so that a path that cannot be written is found before anybody joins; its header is
/// written when the game begins. Without a game everything is as before: a file that was there keeps its content, and
/// a file that was not there is removed.
///
/// Until then, other users of the machine cannot open the file: it has what agents must not know, such as the goals.
/// Afterwards the file has the permissions that it had before, or those of other new files, unless the process was
/// killed. On Windows, and where the file belongs to another user, it keeps its permissions all the time.
///
/// A full disk does not stop the game: the first error is reported when it happens, by [`Recorder::begin`] or
/// [`Recorder::flush`], and by [`Recorder::finish`] again. If not even the beginning could be written, there is no
/// file.
#[derive(Default)]
pub struct Recorder(RecorderState);

#[derive(Default)]
enum RecorderState {
    #[default]
    Nothing,
    /// A file for a game that has not begun.
    Waiting(PathBuf, File, Unused, Option<Hidden>),
    Running(PathBuf, Box<Writer<File>>, Option<Hidden>),
    /// An error was reported already.
    Broken(RecorderError),
}

/// The path of a file that was made only to try it, which goes again with this value.
#[derive(Default)]
struct Unused(Option<PathBuf>);

/// A replay that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}", path = path.display())]
pub struct RecorderError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl RecorderError {
    /// Returns the same error, to be reported once more.
    fn again(&self) -> Self {
        let Self { path, source } = self;
        Self { path: path.clone(), source: io::Error::new(source.kind(), source.to_string()) }
    }
}

impl Recorder {
    /// Writes to this path, and over what is there when the game begins.
    ///
    /// # Errors
    ///
    /// If the file cannot be created or opened.
    pub fn create(path: &Path) -> Result<Self, RecorderError> {
        if let Some(recorder) = Self::create_new(path)? {
            return Ok(recorder);
        }
        let file = File::options().write(true).open(path);
        let file = file.map_err(|source| RecorderError { path: path.to_owned(), source })?;
        let hidden = Hidden::hide(&file);
        Ok(Self(RecorderState::Waiting(path.to_owned(), file, Unused::default(), hidden)))
    }

    /// Writes to a new file at this path; none if there is a file already.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create_new(path: &Path) -> Result<Option<Self>, RecorderError> {
        match create_hidden(path) {
            Ok((file, hidden)) => {
                let unused = Unused(Some(path.to_owned()));
                Ok(Some(Self(RecorderState::Waiting(path.to_owned(), file, unused, hidden))))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(source) => Err(RecorderError { path: path.to_owned(), source }),
        }
    }

    /// Writes the header of a game that begins, and brings it to the file at once: a game that breaks
    /// off in its first second has a replay too.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn begin(&mut self, header: &Header) -> Result<(), RecorderError> {
        let RecorderState::Waiting(path, file, mut unused, hidden) = std::mem::take(&mut self.0) else {
            return Ok(());
        };
        unused.0 = None;
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        let begun = emptied(file).and_then(|file| Writer::new(file, header));
        let begun = begun.and_then(|mut writer| writer.flush().map(|()| writer));
        match begun {
            Ok(writer) => {
                self.0 = RecorderState::Running(path, Box::new(writer), hidden);
                Ok(())
            }
            Err(source) => {
                if is_file {
                    // A file that cannot be removed is no replay either.
                    let _ = fs::remove_file(&path);
                }
                Err(self.breaks(RecorderError { path, source }))
            }
        }
    }

    /// Brings everything written so far to the file, so that it survives the end of this process.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; the game goes on without a recording.
    pub fn flush(&mut self) -> Result<(), RecorderError> {
        let RecorderState::Running(path, writer, _) = &mut self.0 else { return Ok(()) };
        if let Err(source) = writer.flush() {
            let path = std::mem::take(path);
            return Err(self.breaks(RecorderError { path, source }));
        }
        Ok(())
    }

    fn breaks(&mut self, error: RecorderError) -> RecorderError {
        let again = error.again();
        self.0 = RecorderState::Broken(error);
        again
    }

    /// Ends the file; returns the path of the whole replay, if there was a game.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or could not be before.
    pub fn finish(self) -> Result<Option<PathBuf>, RecorderError> {
        let (path, writer, _hidden) = match self.0 {
            RecorderState::Running(path, writer, hidden) => (path, writer, hidden),
            RecorderState::Broken(error) => return Err(error),
            RecorderState::Nothing | RecorderState::Waiting(..) => return Ok(None),
        };
        match writer.finish().and_then(|file| file.sync_all()) {
            Ok(()) => Ok(Some(path)),
            Err(source) => Err(RecorderError { path, source }),
        }
    }
}

/// Returns the file with nothing in it, if it is one that can hold anything: not a terminal, say.
fn emptied(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// A file that only its owner can open. When this value is dropped, the file gets the permissions back.
struct Hidden {
    file: File,
    usual: Permissions,
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // The file is complete; its owner can change the permissions.
        let _ = self.file.set_permissions(self.usual.clone());
    }
}

#[cfg(unix)]
impl Hidden {
    /// Hides a file that is there. None if it cannot be hidden: it is no regular file, or belongs to another user.
    fn hide(file: &File) -> Option<Self> {
        use std::os::unix::fs::PermissionsExt as _;
        let usual = file.metadata().ok().filter(fs::Metadata::is_file)?.permissions();
        let hidden = Self { file: file.try_clone().ok()?, usual };
        file.set_permissions(Permissions::from_mode(hidden.usual.mode() & 0o700)).ok()?;
        Some(hidden)
    }
}

#[cfg(not(unix))]
impl Hidden {
    fn hide(_: &File) -> Option<Self> {
        None
    }
}

/// Creates a file that nobody but this user can open at any time.
#[cfg(unix)]
fn create_hidden(path: &Path) -> io::Result<(File, Option<Hidden>)> {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::Mode;
    use rustix::process::umask;

    let mut options = File::options();
    for_the_user_alone(options.write(true).create_new(true));
    let file = options.open(path)?;
    // The system says the mask only when it is set. A file that is made meanwhile is hidden, too.
    let mask = umask(Mode::RWXG | Mode::RWXO);
    umask(mask);
    let usual = Permissions::from_mode(0o666 & !mask.as_raw_mode());
    let hidden = file.try_clone().ok().map(|file| Hidden { file, usual });
    Ok((file, hidden))
}

#[cfg(not(unix))]
fn create_hidden(path: &Path) -> io::Result<(File, Option<Hidden>)> {
    File::options().write(true).create_new(true).open(path).map(|file| (file, None))
}

impl Drop for Unused {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // A file that cannot be removed is empty, and harms nobody.
            let _ = fs::remove_file(path);
        }
    }
}

impl<E: Notation> Witness<E> for Recorder {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        if let RecorderState::Running(_, writer, _) = &mut self.0 {
            writer.action(state, now, agent, action);
        }
    }

    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        if let RecorderState::Running(_, writer, _) = &mut self.0 {
            Witness::<E>::disruption(&mut **writer, state, now, disruption);
        }
    }

    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        if let RecorderState::Running(_, writer, _) = &mut self.0 {
            Witness::<E>::note(&mut **writer, state, now, agent, note);
        }
    }

    fn end(&mut self, state: &E, now: SimTime) {
        if let RecorderState::Running(_, writer, _) = &mut self.0 {
            Witness::<E>::end(&mut **writer, state, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use game_dots::State;
    use game_env::replay::{Playback, Player};
    use game_env::{Environment, RandomPolicy, Rollout, Seed};

    use super::*;

    #[cfg(unix)]
    #[test]
    fn other_users_cannot_open_the_replay_before_the_end_of_its_game() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dots.replay");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let header = Header::new::<State>(&game_dots::Config::default(), Seed::new(3), vec![], "tests 1.0");
        fs::write(folder.path().join("another file"), "").unwrap();
        let usual = fs::metadata(folder.path().join("another file")).unwrap().permissions().mode() & 0o777;

        let mut recorder = Recorder::create(&path).unwrap();
        assert_eq!(mode(), 0o600, "before the game");
        recorder.begin(&header).unwrap();
        assert_eq!(mode(), 0o600, "in the game");
        recorder.finish().unwrap();
        assert_eq!(mode(), usual, "after the game");

        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let mut recorder = Recorder::create(&path).unwrap();
        assert_eq!(mode(), 0o600, "an older file");
        recorder.begin(&header).unwrap();
        drop(recorder);
        assert_eq!(mode(), 0o640, "a game that breaks off");
    }

    /// Another game than the one that this program hosts.
    #[test]
    fn a_recorder_writes_the_replay_of_any_game() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("dots.replay");
        let mut recorder = Recorder::create(&path).unwrap();
        let (config, seed) = (game_dots::Config::default(), Seed::new(3));
        let mut state = State::new(&config, seed);
        let players = AgentId::all(2).map(|agent| Player::new(state.team(agent), "random").with_number(7));
        recorder.begin(&Header::new::<State>(&config, seed, players.collect(), "tests 1.0")).unwrap();
        let mut policies = [1, 2].map(|seed| RandomPolicy::new(Seed::new(seed).game()));
        let episode = Rollout::default().play(&mut state, &mut policies, &mut recorder);
        assert_eq!(recorder.finish().unwrap(), Some(path.clone()));
        let mut playback = Playback::<State>::open(File::open(&path).unwrap()).unwrap();
        assert_eq!(playback.reader().header().players[1].number, Some(7));
        let summary = playback.run(&mut ()).unwrap();
        assert_eq!((summary.outcome, summary.count), (Some(episode.outcome), episode.steps));
        assert!(summary.completeness.is_complete());
    }
}
