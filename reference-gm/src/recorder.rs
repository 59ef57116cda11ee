//! Writes the replay of a game while it is played.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, ByTeam, Disruption, Environment, Seed, SimTime, Witness};
use game_project::{Action, State, Team};
use wire::project::Seats;

/// A [`Witness`] that writes a replay file, or nothing.
///
/// The file is opened at once, so that a path that cannot be written is found before anybody joins; its
/// header is written when the game begins. Without a game everything is as before: a file that was there
/// keeps what is in it, and one that was not there is gone again.
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
    Waiting(PathBuf, File, Unused),
    Running(PathBuf, Box<Writer<File>>),
    /// An error was reported already.
    Broken(RecorderError),
}

/// The path of a file that was made only to try it, which goes again with this value.
#[derive(Default)]
struct Unused(Option<PathBuf>);

/// Who plays, in the order of agent ids: the strategies as far as they are known, each team's in the order in which
/// it joined, and the numbers by which agents, servers and their logs know each other.
pub fn player_names(state: &State, seats: &Seats, strategies: &ByTeam<Vec<String>>) -> Vec<String> {
    let mut known = [Team::Red, Team::Blue].map(|team| strategies[team].iter());
    let name = |agent| {
        let number = seats.number(agent);
        match known[state.team(agent).index()].next() {
            Some(strategy) => format!("{strategy}, agent {number}"),
            None => format!("agent {number}"),
        }
    };
    AgentId::all(state.agents()).map(name).collect()
}

/// A replay that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the replay {path}", path = path.display())]
pub struct RecorderError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl RecorderError {
    /// The same, to be told once more.
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
        let made = File::options().write(true).create_new(true).open(path);
        let opened = match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                File::options().write(true).open(path).map(|file| (file, Unused::default()))
            }
            made => made.map(|file| (file, Unused(Some(path.to_owned())))),
        };
        match opened {
            Ok((file, unused)) => Ok(Self(RecorderState::Waiting(path.to_owned(), file, unused))),
            Err(source) => Err(RecorderError { path: path.to_owned(), source }),
        }
    }

    /// Writes the header of a game that begins, and brings it to the file at once: what breaks off in its
    /// first second is a replay as well. The names are those of [`player_names`].
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn begin(&mut self, state: &State, seed: Seed, names: Vec<String>) -> Result<(), RecorderError> {
        let RecorderState::Waiting(path, file, mut unused) = std::mem::take(&mut self.0) else {
            return Ok(());
        };
        unused.0 = None;
        let player = |(agent, name)| Player { team: state.team(agent), name };
        let players = AgentId::all(state.agents()).zip(names).map(player).collect();
        let program = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));
        let header = Header::new::<State>(state.config(), seed, players, program);
        let is_file = file.metadata().is_ok_and(|found| found.is_file());
        let begun = emptied(file).and_then(|file| Writer::new(file, &header));
        let begun = begun.and_then(|mut writer| writer.flush().map(|()| writer));
        match begun {
            Ok(writer) => {
                self.0 = RecorderState::Running(path, Box::new(writer));
                Ok(())
            }
            Err(source) => {
                if is_file {
                    // What cannot be removed is no replay either.
                    let _ = fs::remove_file(&path);
                }
                Err(self.breaks(RecorderError { path, source }))
            }
        }
    }

    /// Brings all that was written so far to the file, so that it survives the end of this process.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; the game goes on without a recording.
    pub fn flush(&mut self) -> Result<(), RecorderError> {
        let RecorderState::Running(path, writer) = &mut self.0 else { return Ok(()) };
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

    /// Ends the file; the path where a whole replay is now, if there was a game.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or could not be before.
    pub fn finish(self) -> Result<Option<PathBuf>, RecorderError> {
        let (path, writer) = match self.0 {
            RecorderState::Running(path, writer) => (path, writer),
            RecorderState::Broken(error) => return Err(error),
            RecorderState::Nothing | RecorderState::Waiting(..) => return Ok(None),
        };
        match writer.finish().and_then(|file| file.sync_all()) {
            Ok(()) => Ok(Some(path)),
            Err(source) => Err(RecorderError { path, source }),
        }
    }
}

/// The file with nothing in it, if it is one that can hold anything: not a terminal, say.
fn emptied(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

impl Drop for Unused {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // What cannot be removed is an empty file, and harms nobody.
            let _ = fs::remove_file(path);
        }
    }
}

impl Witness<State> for Recorder {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if let RecorderState::Running(_, writer) = &mut self.0 {
            writer.action(state, now, agent, action);
        }
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        if let RecorderState::Running(_, writer) = &mut self.0 {
            writer.disruption(state, now, disruption);
        }
    }

    fn end(&mut self, state: &State, now: SimTime) {
        if let RecorderState::Running(_, writer) = &mut self.0 {
            writer.end(state, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use game_project::RawConfig;
    use wire::project::AgentNumber;

    use super::*;
    use viewer::names::{known_number, known_seats};

    #[test]
    fn players_have_their_strategies_and_the_numbers_of_their_seats() {
        let raw = RawConfig { team_size: 2, ..RawConfig::default() };
        let state = State::new(&raw.check().unwrap(), Seed::new(1));
        let seats = Seats::new([3, 5, 2, 9].map(AgentNumber).to_vec());
        let strategies = ByTeam::new([vec!["greedy".to_owned(), "liar".to_owned()], Vec::new()]);
        let names = player_names(&state, &seats, &strategies);
        assert_eq!(names, ["greedy, agent 3", "liar, agent 5", "agent 2", "agent 9"]);
        let known: Vec<_> = names.iter().map(|name| known_number(name)).collect();
        let number = |number| Some(AgentNumber(number));
        assert_eq!(
            known,
            [("greedy", number(3)), ("liar", number(5)), ("agent 2", number(2)), ("agent 9", number(9))]
        );
        assert_eq!(known_seats(&names), Some(seats));
        assert_eq!(known_seats(&["agent 1", "greedy, agent 1"].map(str::to_owned)), None);
        for name in ["greedy", "agent", "agent x", "two, agent", ""] {
            assert_eq!(known_number(name), (name, None));
        }
    }
}
