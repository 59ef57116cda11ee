//! The faults of players as the page shows them: the letter, the line as it came, and the end of standard error.

use child_process::Ended;
use game_env::text::{escape_hidden, escape_hidden_in_lines};
use viewer::matches::{Column, Table};
use wire::bricks::{Letter, Line};

use super::entrants::Entrant;
use super::results::Duel;

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

/// The faults in these duels under this title, the last one first; none if nobody has made one.
pub fn faults(title: String, duels: &[Duel], entrants: &[Entrant]) -> Option<Table> {
    let faulty: Vec<(usize, &Duel)> =
        duels.iter().enumerate().filter(|(_, duel)| duel.result.letter() != Letter::Normal).collect();
    if faulty.is_empty() {
        return None;
    }
    let nick = |player: usize| escape_hidden(&entrants[player].nick);
    let row = |(place, duel): &(usize, &Duel)| {
        let result = &duel.result;
        vec![
            (place + 1).to_string(),
            nick(result.loser()),
            nick(result.winner()),
            result.letter().to_string(),
            escape_hidden(&result.reason.to_string()),
            duel.line.as_ref().and_then(Line::text).unwrap_or_default(),
            duel.programs[result.loser_id().index()].as_ref().map(end_of_errors).unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = faulty.iter().rev().take(MOST_SHOWN).map(row).collect();
    let count = faulty.len();
    let shown = match rows.len() {
        all if all == count => String::new(),
        some => format!("The last {some} of {count} faults. "),
    };
    let note = format!("{shown}In a line, ␣ is a space, and characters that cannot be seen are escapes.");
    Some(Table { title, columns: COLUMNS.to_vec(), rows, note })
}

/// The last characters that a program wrote to standard error.
fn end_of_errors(ended: &Ended) -> String {
    let text = ended.errors.to_string();
    let text = text.trim_end();
    let cut = text.chars().count().saturating_sub(LONGEST_END);
    let end: String = text.chars().skip(cut).collect();
    escape_hidden_in_lines(&if cut > 0 { format!("…{end}") } else { end })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use child_process::{How, Tail};
    use game_env::Metrics;
    use wire::bricks::Reason;

    use super::*;
    use crate::bricks::results::Check;
    use crate::bricks::standings::Result;

    fn duel(winner: usize, reason: Reason, line: Option<&str>, errors: &str) -> Duel {
        let mut tail = Tail::new(10_000);
        tail.push(errors.as_bytes());
        let ended =
            Ended { how: How::Exited(0), stop: None, left_behind: 0, errors: tail, output: Tail::default() };
        Duel {
            result: Result { players: [0, 1], winner, reason },
            line: line.map(|line| Line::from(Ok(line.as_bytes().to_vec()))),
            opening: "3".to_owned(),
            bricks: Vec::new(),
            metrics: Metrics::new(),
            programs: [Some(ended.clone()), Some(ended)],
            took: Duration::ZERO,
            hash: 0,
            check: Check::default(),
        }
    }

    fn shown(duels: &[Duel]) -> Option<Table> {
        let entrant = |nick: &str| Entrant {
            nick: nick.to_owned(),
            words: vec!["./player".to_owned()],
            folder: PathBuf::from("/players"),
        };
        faults("Faults".to_owned(), duels, &[entrant("Ada"), entrant("B\u{202e}b")])
    }

    #[test]
    fn each_fault_has_its_line_and_the_end_of_standard_error() {
        let ahead = Reason::Ahead(Line::from(Ok(b"OK ".to_vec())));
        let duels = [
            duel(0, Reason::Normal, None, ""),
            duel(1, ahead, Some("OK "), "Traceback:\n\tline 7\n"),
            duel(0, Reason::Gone("ended".to_owned()), None, "\u{1b}[2J"),
        ];
        let table = shown(&duels).unwrap();
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
        assert_eq!(shown(&duels[..1]), None, "a loss by the rules is not a fault");
    }

    #[test]
    fn a_table_has_the_last_faults_and_the_end_of_what_is_long() {
        let gone = || Reason::Gone("ended".to_owned());
        let duels: Vec<Duel> = (0..103).map(|_| duel(0, gone(), None, &"ż".repeat(1001))).collect();
        let table = shown(&duels).unwrap();
        assert_eq!(
            (table.rows.len(), table.rows[0][0].as_str(), table.rows[99][0].as_str()),
            (100, "103", "4")
        );
        assert!(table.note.starts_with("The last 100 of 103 faults. "), "{}", table.note);
        assert_eq!(table.rows[0][6], format!("…{}", "ż".repeat(1000)));
    }
}
