//! Writes the replay of a game while it is played.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Disruption, Environment, Seed, SimTime, Sink, Witness};
use game_project::{Action, Event, State};
use wire::project::Seats;

/// A [`Witness`] that writes a replay file, or nothing.
///
/// The file is created at once, so that a path that cannot be written is found before anybody joins; its
/// header is written when the game begins. A full disk does not stop the game: the first error is reported
/// by [`Recorder::flush`] and [`Recorder::finish`].
#[derive(Default)]
pub struct Recorder(Tape);

#[derive(Default)]
enum Tape {
    #[default]
    Nothing,
    Empty(PathBuf, File),
    Running(PathBuf, Box<Writer<File>>),
    /// An error was reported already.
    Broken,
}

/// A replay that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the replay {path}", path = path.display())]
pub struct RecorderError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl Recorder {
    /// Writes to this path.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path) -> Result<Self, RecorderError> {
        match File::create(path) {
            Ok(file) => Ok(Self(Tape::Empty(path.to_owned(), file))),
            Err(source) => Err(RecorderError { path: path.to_owned(), source }),
        }
    }

    /// Writes the header of a game that begins, and brings it to the file at once: what breaks off in its
    /// first second is a replay as well.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn begin(&mut self, state: &State, seed: Seed, seats: &Seats) -> Result<(), RecorderError> {
        let Tape::Empty(path, file) = std::mem::take(&mut self.0) else { return Ok(()) };
        let player =
            |agent| Player { team: state.team(agent), name: format!("agent {}", seats.number(agent)) };
        let players = AgentId::all(state.agents()).map(player).collect();
        let program = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));
        let header = Header::new::<State>(state.config(), seed, players, program);
        let begun = Writer::new(file, &header).and_then(|mut writer| writer.flush().map(|()| writer));
        match begun {
            Ok(writer) => {
                self.0 = Tape::Running(path, Box::new(writer));
                Ok(())
            }
            Err(source) => {
                self.0 = Tape::Broken;
                Err(RecorderError { path, source })
            }
        }
    }

    /// Brings all that was written so far to the file, so that it survives the end of this process.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; the game goes on without a recording.
    pub fn flush(&mut self) -> Result<(), RecorderError> {
        let Tape::Running(path, writer) = &mut self.0 else { return Ok(()) };
        if let Err(source) = writer.flush() {
            let path = std::mem::take(path);
            self.0 = Tape::Broken;
            return Err(RecorderError { path, source });
        }
        Ok(())
    }

    /// Ends the file; the path where a whole replay is now.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(self) -> Result<Option<PathBuf>, RecorderError> {
        match self.0 {
            Tape::Running(path, writer) => match writer.finish().and_then(|file| file.sync_all()) {
                Ok(()) => Ok(Some(path)),
                Err(source) => Err(RecorderError { path, source }),
            },
            // No game, no replay: the file that was only to try the path goes again.
            Tape::Empty(path, _) => match fs::remove_file(&path) {
                Ok(()) => Ok(None),
                Err(source) => Err(RecorderError { path, source }),
            },
            Tape::Nothing | Tape::Broken => Ok(None),
        }
    }
}

impl Sink<Event> for Recorder {
    fn event(&mut self, _: SimTime, _: Event) {}
}

impl Witness<State> for Recorder {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if let Tape::Running(_, writer) = &mut self.0 {
            writer.action(state, now, agent, action);
        }
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        if let Tape::Running(_, writer) = &mut self.0 {
            writer.disruption(state, now, disruption);
        }
    }

    fn end(&mut self, state: &State, now: SimTime) {
        if let Tape::Running(_, writer) = &mut self.0 {
            writer.end(state, now);
        }
    }
}
