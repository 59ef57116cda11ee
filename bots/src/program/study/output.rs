//! The result of a study: printed for people or programs, and on the game page over its replay.

use std::path::{Path, PathBuf};

use clap::Args;
use command_line::{Failure, chain, print, shown, write_file};
use contests::statistics::Interval;
use game_env::SimTime;
use game_env::rollout::Input;
use strategies::recorded_game::RecordedGame;
use study::curve::{Curve, Point};
use study::futures::Chance;
use viewer::findings::{ChanceAt, Findings, Mark, Remark};
use viewer::page;
use viewer::recording::Recording;
use viewer::room::Room;

use super::super::screen::Screen;
use super::Record;

/// The flags for the result of a study.
#[derive(Args)]
pub(crate) struct Output {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Write the game page with the result to this file, which opens in any browser.
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
}

/// A result in its three forms.
pub(super) trait Report {
    /// Returns the result for people.
    fn text(&self) -> String;

    /// Returns the result for programs.
    fn document(&self) -> serde_json::Value;

    /// Returns the result for the page.
    fn findings(&self) -> Findings;
}

impl Output {
    /// Checks the flags before the study.
    ///
    /// # Errors
    ///
    /// If the page would replace the replay.
    pub(super) fn check(&self, record: &Record) -> Result<(), Failure> {
        record.spare(self.html.as_deref())
    }

    /// Returns the file for the page.
    pub(super) fn html(&self) -> Option<&Path> {
        self.html.as_deref()
    }

    /// Prints a result, and writes the page with it if the flags say so.
    ///
    /// # Errors
    ///
    /// If it cannot be printed, or the file cannot be written.
    pub(super) fn give(&self, record: &Record, report: &dyn Report, screen: &Screen) -> Result<(), Failure> {
        let printed = if self.json { format!("{:#}\n", report.document()) } else { report.text() };
        print(&printed)?;
        let Some(to) = &self.html else { return Ok(()) };
        let mut recording = record.recording()?;
        recording.add(&report.findings());
        let html = page::exported(&recording.feed());
        write_file(to, html, "name a file in a folder that exists")?;
        screen.say(&format!("the page is {}; it opens in any browser", shown(to)));
        Ok(())
    }
}

impl Record {
    /// Returns the messages by which the page shows the game.
    ///
    /// # Errors
    ///
    /// If the page cannot show it.
    pub(super) fn recording(&self) -> Result<Recording, Failure> {
        Recording::read(&self.replay[..], &self.file_name()).map_err(|error| {
            Failure::undone(
                format!("{}: {}", self.name, chain(&error)),
                "the page can show no part of this game",
            )
        })
    }

    /// Returns the name of the file without its folder.
    pub(super) fn file_name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| shown(Path::new(name)))
    }
}

impl Marks {
    /// Returns the moments of this game.
    pub(super) fn of(game: &dyn RecordedGame) -> Self {
        let mut steps = 0;
        let after = game.inputs().into_iter().map(|input| {
            steps += u64::from(matches!(input, Input::Action { .. }));
            Mark { steps, at: input.at() }
        });
        let marks = [Mark { steps: 0, at: SimTime::START }].into_iter().chain(after).collect();
        Self { marks, room: Room::named(&game.header().game) }
    }
}

/// The moments of a recorded game, as the page counts them: the first before all inputs, and one after each.
pub(super) struct Marks {
    marks: Vec<Mark>,
    /// None if no page shows the game.
    room: Option<&'static Room>,
}

impl Marks {
    /// Returns the moment after this number of inputs.
    ///
    /// # Panics
    ///
    /// If the game has fewer inputs.
    pub(super) fn after(&self, inputs: usize) -> Mark {
        self.marks[inputs]
    }

    /// Returns the number of inputs up to and including a moment of the page.
    pub(super) fn inputs_at(&self, t: u64) -> usize {
        let moment =
            |mark: &Mark| self.room.map_or(mark.at.as_millis(), |room| room.moment(mark.steps, mark.at));
        self.marks.partition_point(|mark| moment(mark) <= t).saturating_sub(1)
    }

    /// Returns the chances of a team.
    pub(super) fn chances(&self, curve: &Curve, team: usize) -> Vec<ChanceAt> {
        let chance = |point: &Point| {
            let Chance(Interval { value, low, high }) = point.futures.chances()[team];
            ChanceAt { mark: self.after(point.inputs), value, low, high }
        };
        curve.points().iter().map(chance).collect()
    }
}

/// Returns a remark about the first of these blunders of players, if there is one.
pub(super) fn blunder(blunders: &[String]) -> Option<Remark> {
    let text = blunders.first()?.trim_end().to_owned();
    Some(Remark { text, mark: None })
}

/// Returns a remark that leads to a moment.
pub(super) fn remark(text: String, mark: Mark) -> Remark {
    Remark { text, mark: Some(mark) }
}
