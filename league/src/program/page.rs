//! The page on which the matches of a league are watched while they are played.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use command_line::{Failure, shown, tell};
use contests::text;
use game_env::text::{escape_hidden, or_list};
use viewer::matches::{Column, Table};
use viewer::server::Place;

use super::arguments::Watching;
use super::interruption::Announced;
use super::screen::Screen;
use crate::executor::Played;
use crate::file::{ExecutorKind, League};
use crate::network;
use crate::network::page::Page;
use crate::progress::{Progress, Task};
use crate::runner::Observer;
use crate::standings::{SoFar, so_far};

/// Opens the page of a league, if it was asked for, and prints its address.
pub(super) fn open(watching: &Watching, league: &League) -> Result<Option<Arc<dyn Page>>, Failure> {
    let Some(address) = &watching.page else { return Ok(None) };
    let open = network::page_of(&league.game).filter(|_| league.executor == ExecutorKind::Network);
    let open = open.ok_or_else(|| {
        let known = or_list(network::watched_games());
        Failure::misuse(
            format!(
                "the matches of this league cannot be watched: expected a league of {known} over the network"
            ),
            "leave out `--page`",
        )
    })?;
    let failed = |error| {
        let why = format!("the page cannot be at {}: {error}", shown(address.as_ref()));
        Failure::undone(why, "name another address with --page ADDR:PORT, or port 0 for any free port")
    };
    let place = Place::take(address).map_err(failed)?;
    let page = open(place, names(league)).map_err(failed)?;
    tell(&format!("the page is at {}", page.url()));
    Ok(Some(page))
}

/// Returns the names of entrants in standings, by their names in matches. Entrants of one name in matches share the
/// page's name.
fn names(league: &League) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for entrant in &league.entrants {
        for strategy in &entrant.strategies {
            let name = names.entry(strategy.clone()).or_default();
            if !name.is_empty() {
                *name += " or ";
            }
            *name += &entrant.name;
        }
    }
    names
}

/// Keeps the page until a signal ends the program.
pub(super) fn stay(page: &dyn Page, announced: &Announced) {
    announced.finish();
    tell(&format!("the page stays at {} until Ctrl-C or SIGTERM", page.url()));
    loop {
        thread::park();
    }
}

/// The screen, and the page if there is one.
pub(super) struct Shown<'a> {
    league: &'a League,
    screen: Screen<'a>,
    page: Option<Arc<dyn Page>>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(league: &'a League, screen: Screen<'a>, page: Option<Arc<dyn Page>>) -> Self {
        Self { league, screen, page }
    }

    /// Removes the progress bar.
    pub(super) fn finish(&self) {
        self.screen.finish();
    }
}

impl Observer for Shown<'_> {
    fn match_begins(&self, task: &Task) {
        self.screen.match_begins(task);
    }

    fn match_ended(&self, task: &Task, progress: &Progress) {
        self.screen.match_ended(task, progress);
        if let Some(page) = &self.page {
            page.show(standings(self.league, progress));
        }
    }

    fn host_failed(&self, task: &Task, played: &Played) {
        self.screen.host_failed(task, played);
    }
}

/// The columns, from left to right.
const COLUMNS: [Column; 5] = [
    Column::number("place"),
    Column::text("entrant"),
    Column::number("matches"),
    Column::number("points"),
    Column::number("share"),
];

/// Returns the standings so far.
fn standings(league: &League, progress: &Progress) -> Table {
    let row = |own: SoFar| {
        vec![
            own.place.to_string(),
            escape_hidden(&league.entrants[own.entrant].name),
            own.matches.to_string(),
            own.points.to_string(),
            format!("{:.1} %", 100.0 * own.share),
        ]
    };
    let rows = so_far(progress).into_iter().map(row).collect();
    let note = format!("{} of {}", text::with_commas(progress.counted()), text::matches(progress.expected()));
    Table { title: escape_hidden(&league.name), columns: COLUMNS.to_vec(), rows, note }
}

#[cfg(test)]
mod tests {
    use game_env::{Outcome, Ranking, Returns, TeamId, Termination};

    use super::*;
    use crate::in_process::InProcess;
    use crate::progress::Next;

    const LEAGUE: &str = r#"
name = "Cup"
game = "bricks"
[schedule]
sets = 1
[[entrant]]
name = "Ada"
command = ["./run"]
folder = "ada"
[[entrant]]
name = "Bob"
command = ["./run"]
folder = "same"
[[entrant]]
name = "Cy"
command = ["./run"]
folder = "same"
"#;

    #[test]
    fn standings_have_places_points_and_shares() {
        let league = League::read("tests", LEAGUE, &InProcess::new("tests 1.0")).unwrap();
        let mut progress = Progress::new(&league);
        // The first of each pair wins both of its matches; Bob and Cy draw theirs.
        for ranking in [0, 1, 0, 1, 2, 2] {
            let Next::Play(task) = progress.next_task() else { panic!("six matches") };
            let ranking = match ranking {
                2 => Ranking::tied(2),
                winner => Ranking::lost_by(TeamId::new(1 - winner), 2),
            };
            let (termination, returns) = (Termination::Normal, Returns::new(&[0, 0]));
            progress.end(task.number, &Outcome { ranking, termination, fault: None, returns });
        }
        let table = standings(&league, &progress);
        let rows: Vec<String> = table.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["1 Ada 4 4 100.0 %", "2 Bob 4 1 25.0 %", "2 Cy 4 1 25.0 %"]);
        assert_eq!((table.title.as_str(), table.note.as_str()), ("Cup", "6 of 6 matches"));
        assert_eq!(table.columns.len(), table.rows[0].len());
        // Nobody can say which of two equal programs plays.
        let names: Vec<String> = names(&league).into_values().collect();
        assert_eq!(names, ["Ada", "Bob or Cy"]);
    }
}
