//! The faults of players as the page shows them: the letter, the line as it came, and the end of standard error.

use std::collections::VecDeque;

use child_process::Ended;
use game_env::text::{escape_hidden, escape_hidden_in_lines};
use viewer::matches::{Column, Table};
use wire::bricks::{Letter, Line};

use super::duel::Played;

/// The columns, from left to right.
const COLUMNS: [Column; 7] = [
    Column::number("duel"),
    Column::text("player"),
    Column::text("opponent"),
    Column::text("letter"),
    Column::text("fault"),
    Column::verbatim("line"),
    Column::verbatim("end of standard error"),
];

/// The most faults in a table: each change of it is sent to every viewer as a whole.
const MOST_SHOWN: usize = 100;

/// The most of a program's standard error in a table, in characters.
const LONGEST_END: usize = 1000;

/// A duel that a player has lost by a fault of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The number of the duel, from 1.
    pub duel: u64,
    /// The player's name, as a terminal can show it.
    pub player: String,
    /// The name of its opponent, as a terminal can show it.
    pub opponent: String,
    /// The letter of the loss.
    pub letter: Letter,
    /// The reason of the loss.
    pub reason: String,
    /// The line for which the player has lost, with every character visible; empty if it lost without a line.
    pub line: String,
    /// The end of what its program has written to standard error.
    pub errors: String,
}

impl Fault {
    /// Returns the fault that ended the duel of this number between players of these names; none if no fault did.
    pub fn find(duel: u64, played: &Played, nicks: [&str; 2]) -> Option<Self> {
        let letter = played.verdict.reason.letter().filter(|letter| *letter != Letter::Normal)?;
        let winner = played.verdict.outcome.winner()?.index();
        let loser = 1 - winner;
        Some(Self {
            duel,
            player: escape_hidden(nicks[loser]),
            opponent: escape_hidden(nicks[winner]),
            letter,
            reason: escape_hidden(&played.verdict.reason.to_string()),
            line: played.verdict.line.as_ref().and_then(Line::text).unwrap_or_default(),
            errors: played.programs[loser].as_ref().map(end_of_errors).unwrap_or_default(),
        })
    }
}

/// The faults of all duels so far: their number, and the last of them.
#[derive(Clone, Default, Debug)]
pub struct Faults {
    count: usize,
    last: VecDeque<Fault>,
}

impl Extend<Fault> for Faults {
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        for fault in faults {
            self.count += 1;
            self.last.truncate(MOST_SHOWN - 1);
            self.last.push_front(fault);
        }
    }
}

impl Faults {
    /// Returns the table of the last faults, the last one first; none if nobody has made one.
    pub fn table(&self) -> Option<Table> {
        let Self { count, last } = self;
        if last.is_empty() {
            return None;
        }
        let row = |fault: &Fault| {
            let Fault { duel, player, opponent, letter, reason, line, errors } = fault.clone();
            vec![duel.to_string(), player, opponent, letter.to_string(), reason, line, errors]
        };
        let rows: Vec<Vec<String>> = last.iter().map(row).collect();
        let shown = match rows.len() {
            all if all == *count => String::new(),
            some => format!("The last {some} of {count} faults. "),
        };
        let note = format!("{shown}In a line, ␣ is a space, and characters that cannot be seen are escapes.");
        Some(Table { title: "Faults".to_owned(), columns: COLUMNS.to_vec(), rows, note })
    }
}

/// Returns the last characters that a program wrote to standard error.
fn end_of_errors(ended: &Ended) -> String {
    let text = ended.errors.to_string();
    let text = text.trim_end();
    let cut = text.chars().count().saturating_sub(LONGEST_END);
    let end: String = text.chars().skip(cut).collect();
    escape_hidden_in_lines(&if cut > 0 { format!("…{end}") } else { end })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use child_process::{How, Tail};
    use game_bricks::{Config, State};
    use game_env::{AgentId, Disruption, Environment as _, Seed, SimTime, Termination, Turn};
    use wire::bricks::{Reason, Verdict};

    use super::*;

    /// Returns a duel that this player has lost.
    fn duel(loser: u16, reason: Reason, line: Option<&str>, errors: &str) -> Played {
        let mut tail = Tail::new(10_000);
        tail.push(errors.as_bytes());
        let ended =
            Ended { how: How::Exited(0), stop: None, left_behind: 0, errors: tail, output: Tail::default() };
        let mut state = State::new(&Config::new(3).unwrap(), Seed::new(0));
        let lost = Disruption::Forfeited(AgentId::new(loser), Termination::Protocol);
        state.disrupt(SimTime::START, lost, &mut ());
        let Turn::Over(outcome) = state.turn() else { panic!("the duel is over") };
        let line = line.map(|line| Line::from(Ok(line.as_bytes().to_vec())));
        let verdict = Verdict { outcome, reason, line };
        Played { state, verdict, programs: [Some(ended.clone()), Some(ended)], took: Duration::ZERO }
    }

    fn find(number: u64, played: &Played) -> Option<Fault> {
        Fault::find(number, played, ["Ada", "B\u{202e}b"])
    }

    #[test]
    fn each_fault_has_its_line_and_the_end_of_standard_error() {
        let ahead = Reason::Ahead(Line::from(Ok(b"OK ".to_vec())));
        let duels = [
            duel(1, Reason::Normal, None, ""),
            duel(0, ahead, Some("OK "), "Traceback:\n\tline 7\n"),
            duel(1, Reason::Gone("ended".to_owned()), None, "\u{1b}[2J"),
        ];
        let mut faults = Faults::default();
        assert_eq!(faults.table(), None, "without a fault there is no table");
        faults.extend((1..).zip(&duels).filter_map(|(number, played)| find(number, played)));
        let table = faults.table().unwrap();
        assert_eq!(
            table.rows,
            [
                ["3", "B\\u{202e}b", "Ada", "D", "does not answer: its program ended", "", "\\u{1b}[2J"],
                [
                    "2",
                    "Ada",
                    "B\\u{202e}b",
                    "P",
                    "wrote `OK␣` before it was asked",
                    "OK␣",
                    "Traceback:\n\tline 7"
                ],
            ]
        );
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    }

    #[test]
    fn a_table_has_the_last_faults_and_the_end_of_what_is_long() {
        let gone = duel(1, Reason::Gone("ended".to_owned()), None, &"ż".repeat(1001));
        let mut faults = Faults::default();
        faults.extend((1..=103).filter_map(|number| find(number, &gone)));
        let table = faults.table().unwrap();
        assert_eq!(
            (table.rows.len(), table.rows[0][0].as_str(), table.rows[99][0].as_str()),
            (100, "103", "4")
        );
        assert!(table.note.starts_with("The last 100 of 103 faults. "), "{}", table.note);
        assert_eq!(table.rows[0][6], format!("…{}", "ż".repeat(1000)));
    }
}
