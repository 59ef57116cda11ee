//! Looks at games that were played: verifies, shows and exports their replays.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use game_env::replay::{Completeness, Playback, Progress};
use game_env::{AgentId, Disruption, SimTime, Sink, Witness};
use game_project::{Action, Event, State};
use reference_gm::console::told_outcome;
use reference_gm::keyboard::Keyboard;
use reference_gm::signals;
use reference_gm::viewer::page;
use reference_gm::viewer::recording::Recording;
use reference_gm::viewer::server::Board;
use tokio::sync::mpsc;

use super::{complain, is_stop, print, take_place};

pub(crate) fn view(path: &Path, address: &str) -> Result<ExitCode> {
    let recording = read_recording(path)?;
    let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let place = take_place(address)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(async {
        let stopped = signals::stop().context("signals cannot be listened to")?;
        let (pressed, mut keys) = mpsc::channel(16);
        let keyboard = Keyboard::open(pressed.clone()).context("the keyboard cannot be read")?;
        let board = Board::replay(place, &shown_name(path), recording, file);
        let board = board.context("the board cannot be shown")?;
        complain(&format!("the board is at {}", board.url()));
        let quit = async {
            // Whoever presses nothing may still send a signal.
            let _pressed = pressed;
            while !keys.recv().await.is_none_or(|order| is_stop(&order)) {}
        };
        tokio::select! {
            () = stopped => {}
            () = quit => {}
        }
        drop(keyboard);
        board.close("the viewer has ended");
        Ok(ExitCode::SUCCESS)
    })
}

fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn export(path: &Path, html: Option<&Path>, feed: Option<&Path>) -> Result<ExitCode> {
    let recording = read_recording(path)?;
    let json = recording.feed();
    let write = |to: &Path, text: &str| {
        std::fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))
    };
    if let Some(to) = html {
        write(to, &page::exported(&json))?;
    }
    if let Some(to) = feed {
        write(to, &json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A replay to be looked at. If it breaks off, whoever looks is told why here as well.
fn read_recording(path: &Path) -> Result<Recording> {
    let shown = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let recording =
        Recording::read(file, &shown_name(path)).with_context(|| format!("{shown} cannot be shown"))?;
    if let Some(why) = &recording.truncated {
        complain(&format!("warning: {shown}: {why}; it is shown up to there"));
    }
    Ok(recording)
}

pub(crate) fn verify(path: &Path) -> Result<ExitCode> {
    let shown = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut playback = Playback::<State>::open(file).with_context(|| format!("{shown} cannot be played"))?;
    let mut tally = Tally::default();
    let mut hashes: u64 = 0;
    loop {
        let progress = playback.advance(&mut tally);
        match progress.with_context(|| format!("{shown} is not what was played"))? {
            Progress::Played => {}
            Progress::Verified => hashes += 1,
            Progress::Finished => break,
        }
    }
    let summary = playback.summary();
    let outcome = summary.outcome.map_or_else(|| "not over".to_owned(), |outcome| told_outcome(&outcome));
    let Tally { actions, lost } = tally;
    let lost = match lost {
        0 => String::new(),
        1 => ", one agent lost".to_owned(),
        lost => format!(", {lost} agents lost"),
    };
    let seed = playback.reader().header().seed;
    let (verdict, code) = match summary.completeness {
        Completeness::Complete if playback.has_more() => (
            "every hash is as recorded, but something stands behind the end of the game".to_owned(),
            ExitCode::FAILURE,
        ),
        Completeness::Complete => ("every hash is as recorded".to_owned(), ExitCode::SUCCESS),
        Completeness::Truncated { line, reason } => {
            let compared = match hashes {
                0 => "there is no hash to compare up to there",
                _ => "up to there every hash is as recorded",
            };
            (format!("the file breaks off after line {line}: {reason}; {compared}"), ExitCode::FAILURE)
        }
    };
    let time = summary.time;
    print(&format!("{shown}: seed {seed}, {actions} actions{lost}, {time}, {outcome}\n{verdict}\n"))?;
    Ok(code)
}

/// Counts what agents did, and which of them went away.
#[derive(Default)]
struct Tally {
    actions: u64,
    lost: u64,
}

impl Sink<Event> for Tally {
    fn event(&mut self, _: SimTime, _: Event) {}
}

impl Witness<State> for Tally {
    fn action(&mut self, _: &State, _: SimTime, _: AgentId, _: &Action) {
        self.actions += 1;
    }

    fn disruption(&mut self, _: &State, _: SimTime, disruption: Disruption) {
        self.lost += u64::from(matches!(disruption, Disruption::AgentLost(_)));
    }
}
