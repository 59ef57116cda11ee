//! `bricks serve`: contests that an operator starts on the page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use command_line::chain;
use game_env::Parameters;
use reference_gm::bricks::choice::{Choice, Contest};
use reference_gm::bricks::results::{Results, table};
use reference_gm::bricks::standings::schedule;

use super::host::{Host, runtime};
use super::session::{Session, Steering};
use crate::program::{complain, print, take_place};

/// The end of the help, behind the flags.
pub(super) const HELP: &str = "`reference-gm bricks config` lists the parameters for --set and --config. Further ones: \
                               contest (tournament or duel), players, leaveOutFaulty, and first and second, the folders of a duel's players.\n\
                               Exit codes: 0 a signal or q has ended it; 1 the page could not be served; \
                               2 faulty flags or configuration";

/// Serves the page until a signal comes, or q on the keyboard.
pub(super) fn run(choice: Choice, results: &Path, page: &str) -> Result<ExitCode> {
    let place = take_place(page)?;
    runtime()?.block_on(async {
        let mut session = Session::open(Some(place))?;
        session.offer(&choice);
        if let Some(error) = choice.names_players().then(|| choice.entrants().err()).flatten() {
            complain(&format!("warning: nothing can be started with these settings: {error}"));
        }
        complain("its settings start duels and tournaments; Ctrl-C ends the referee");
        serve(choice, results, &mut session).await?;
        session.close();
        Ok(ExitCode::SUCCESS)
    })
}

async fn serve(mut choice: Choice, folder: &Path, session: &mut Session) -> Result<()> {
    let mut number = 0;
    while let Some((asked, answer)) = session.next_start().await {
        let started = match Started::new(&choice, &asked, folder, number) {
            Ok(started) => started,
            Err(error) => {
                answer.refuse(chain(error.as_ref()));
                continue;
            }
        };
        choice = started.choice.clone();
        number = started.number;
        session.offer(&choice);
        let contest = async |steering: Steering| started.play(steering).await;
        let (outcome, goes_on) = session.conduct(choice.referee.mode, Some(answer), contest).await;
        match outcome {
            Ok(text) => print(&text)?,
            // The next contest may do better, e.g. with room on the disk.
            Err(error) => complain(&format!("error: contest {number}: {}", chain(error.as_ref()))),
        }
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// A contest that is about to be played.
struct Started {
    choice: Choice,
    number: usize,
    host: Host,
    folder: PathBuf,
    results: Results,
}

impl Started {
    /// The contest that a page asks for; `last` is the number of the one before.
    fn new(choice: &Choice, asked: &Parameters, folder: &Path, last: usize) -> Result<Self> {
        let choice = choice.changed(asked)?;
        let host = Host::new(choice.referee.clone(), choice.entrants()?)?;
        let number = next_number(folder, last)?;
        let folder = folder.join(number.to_string());
        let results = host.results(&folder)?;
        Ok(Self { choice, number, host, folder, results })
    }

    /// Plays it; what to print of it.
    async fn play(mut self, mut steering: Steering) -> Result<String> {
        let (name, duels) = match self.choice.contest {
            Contest::Duel => ("duel", vec![[0, 1]]),
            Contest::Tournament => ("tournament", schedule(self.host.players.entrants.len()).collect()),
        };
        let number = self.number;
        complain(&format!("contest {number}: a {name}"));
        self.host.play_all(&duels, Some(number), &self.folder, &mut self.results, &mut steering).await?;
        Ok(table(&self.results.standings(), &self.host.players.entrants))
    }
}

/// The next number whose folder is not there yet.
fn next_number(folder: &Path, last: usize) -> Result<usize> {
    let mut number = last + 1;
    let exists = |number: usize| {
        let path = folder.join(number.to_string());
        path.try_exists().with_context(|| format!("cannot read {}", path.display()))
    };
    while exists(number)? {
        number += 1;
    }
    Ok(number)
}
