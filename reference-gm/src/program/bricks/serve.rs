//! `bricks serve`: duels that an operator starts on the page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, mem};

use command_line::{Failure, shown};
use game_env::Parameters;
use reference_gm::bricks::choice::Choice;
use reference_gm::bricks::faults::Faults;
use reference_gm::recorder::Recorder;

use super::host::{Duel, Host, runtime};
use super::options::unusable;
use super::session::{Session, Steering};
use crate::program::{Result, print, take_place, tell, without_replay};

/// The end of the help, behind the flags.
pub(super) const HELP: &str = "`reference-gm bricks config` lists the parameters for --set and --config. Further ones: \
                               players, and first and second, the folders of a duel's players.\n\
                               Exit codes: 0 a signal or q has ended it; 1 the page could not be served; \
                               2 faulty flags or configuration";

/// Serves the page until a signal comes, or q on the keyboard.
pub(super) fn run(choice: Choice, replays: Option<&Path>, page: &str) -> Result<ExitCode> {
    if let Some(folder) = replays {
        fs::create_dir_all(folder).map_err(|error| {
            let why = format!("cannot write replays to {}: {error}", shown(folder));
            Failure::undone(why, "choose another folder with --replays")
        })?;
    }
    let place = take_place(page)?;
    runtime()?.block_on(async {
        let mut session = Session::open(Some(place))?;
        session.offer(&choice);
        if let Some(error) = choice.names_players().then(|| choice.entrants().err()).flatten() {
            tell(&format!("warning: no duel can start with these settings: {error}"));
        }
        tell("start duels on the page's Settings tab; Ctrl-C ends the referee");
        serve(choice, replays, &mut session).await?;
        session.close();
        Ok(ExitCode::SUCCESS)
    })
}

async fn serve(mut choice: Choice, replays: Option<&Path>, session: &mut Session) -> Result<()> {
    let mut faults = Faults::default();
    let (mut number, mut last_replay) = (0, 0);
    while let Some((asked, answer)) = session.next_start().await {
        let mut started = match Started::new(&choice, &asked, replays, last_replay) {
            Ok(started) => started,
            Err(error) => {
                tell(&error.to_string());
                answer.refuse(error.why());
                continue;
            }
        };
        number += 1;
        choice = started.choice.clone();
        session.offer(&choice);
        tell(&format!("duel {number}: {}", started.host.about()));
        let duel = async |mut steering: Steering| {
            let duel = started.play(number, &mut steering).await?;
            faults.extend(started.host.fault(number, &duel));
            if let Some(matches) = &steering.matches {
                matches.faults(faults.table());
            }
            Ok::<_, Failure>(duel)
        };
        let (outcome, goes_on) = session.conduct(choice.referee.mode, Some(answer), duel).await;
        match outcome {
            Ok(duel) => {
                if let Some((own, _)) = &started.replay {
                    last_replay = *own;
                }
                duel.tell_replay();
                print(&format!("duel {number}: {}\n", started.host.line(&duel)))?;
            }
            // The next duel may do better, e.g. with room on the disk.
            Err(failure) => {
                tell(&failure.to_string());
                tell(&format!("duel {number} was not played to its end"));
            }
        }
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// A duel that is about to be played.
struct Started {
    choice: Choice,
    host: Host,
    /// The number and the path of its replay, if replays are kept.
    replay: Option<(u64, PathBuf)>,
    recorder: Recorder,
}

impl Started {
    /// Returns the duel that a page asks for; `last` is the number of the last replay.
    fn new(choice: &Choice, asked: &Parameters, replays: Option<&Path>, last: u64) -> Result<Self> {
        let choice = choice.changed(asked).map_err(|error| unusable(&error))?;
        let entrants = choice.entrants().map_err(|error| unusable(&error))?;
        let host = Host::new(choice.referee.clone(), entrants)?;
        // A file that cannot be written is found before anybody starts.
        let replay = replays.map(|folder| next_replay(folder, last)).transpose()?;
        let (replay, recorder) = match replay {
            Some((number, path, recorder)) => (Some((number, path)), recorder),
            None => (None, Recorder::default()),
        };
        Ok(Self { choice, host, replay, recorder })
    }

    async fn play(&mut self, number: u64, steering: &mut Steering) -> Result<Duel> {
        let replay = self.replay.as_ref().map(|(_, path)| path.as_path());
        let recorder = mem::take(&mut self.recorder);
        self.host.play(&format!("Duel {number}"), steering, replay, recorder).await
    }
}

/// Returns the next number whose file was not there yet, the path of the file, and its recorder. No other referee takes
/// the same file.
fn next_replay(folder: &Path, last: u64) -> Result<(u64, PathBuf, Recorder)> {
    let mut number = last;
    loop {
        number += 1;
        let path = folder.join(format!("{number}.replay"));
        if let Some(recorder) = Recorder::create_new(&path).map_err(|error| without_replay(&error))? {
            return Ok((number, path, recorder));
        }
    }
}
