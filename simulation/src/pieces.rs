//! Many runs in pieces, and the record of the finished ones, so that a million runs can be stopped and resumed.
//!
//! A record is a text. Its first line names the game. Each further line is a piece: the number of its first run, how
//! many runs it has, their requests and events, their virtual time in milliseconds, and the numbers of the runs that
//! failed.
//!
//! ```
//! use simulation::pieces::{Counts, Record};
//!
//! let text = "simulation of go\n100 100 5200 91000 60000 -\n200 100 5100 90000 60000 207,250\n";
//! let record = Record::read(text, "go")?;
//! assert_eq!(record.pieces[&200].failed, [207, 250]);
//! assert_eq!(record.to_string(), text);
//! # Ok::<(), String>(())
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::run::Summary;

/// The runs of a piece; the last one may have fewer.
pub const PIECE: u64 = 100;

/// Counts of some runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The number of runs.
    pub runs: u64,
    /// The requests that were served.
    pub requests: u64,
    /// The events of the networks.
    pub events: u64,
    /// The time that has passed on the virtual clocks.
    pub time: Duration,
    /// The numbers of the runs that failed.
    pub failed: Vec<u64>,
}

impl Counts {
    /// Adds a run; without a summary, it has failed.
    pub fn add(&mut self, number: u64, summary: Option<Summary>) {
        self.runs += 1;
        match summary {
            Some(summary) => {
                self.requests += summary.requests;
                self.events += summary.events;
                self.time += summary.time;
            }
            None => self.failed.push(number),
        }
    }

    /// Adds all runs of others.
    pub fn merge(&mut self, others: &Self) {
        self.runs += others.runs;
        self.requests += others.requests;
        self.events += others.events;
        self.time += others.time;
        self.failed.extend(&others.failed);
    }
}

/// Returns the first numbers of the pieces of these runs, each with its number of runs.
pub fn pieces(from: u64, runs: u64) -> impl Iterator<Item = (u64, u64)> {
    let last = from.saturating_add(runs);
    (0..(last - from).div_ceil(PIECE)).map(move |place| {
        let first = from + place * PIECE;
        (first, PIECE.min(last - first))
    })
}

/// The finished pieces of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    game: String,
    /// The counts of each piece, by the number of its first run.
    pub pieces: BTreeMap<u64, Counts>,
}

impl Record {
    /// Creates a record without pieces.
    pub fn new(game: &str) -> Self {
        Self { game: game.to_owned(), pieces: BTreeMap::new() }
    }

    /// Reads a record of this game. Of two lines of a piece, the one of more runs counts. A last line without its end
    /// is left out: the program was killed while it wrote it.
    ///
    /// # Errors
    ///
    /// If the text is no record, or one of another game; the error names the line.
    pub fn read(text: &str, game: &str) -> Result<Self, String> {
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let own = head(game);
        match lines.next() {
            Some(line) if line == own => {}
            Some(line) => return Err(format!("line 1: `{line}`: expected `{own}`")),
            None => return Ok(Self::new(game)),
        }
        let mut record = Self::new(game);
        for (number, line) in (2..).zip(lines) {
            let (first, counts) = piece(line).ok_or_else(|| {
                format!("line {number}: `{line}`: expected five numbers, then the runs that failed or `-`")
            })?;
            // The last piece of fewer runs is played again, whole, when there are more.
            if record.pieces.get(&first).is_none_or(|before| before.runs <= counts.runs) {
                record.pieces.insert(first, counts);
            }
        }
        Ok(record)
    }

    /// Returns the counts of the piece with these runs, if it is finished.
    pub fn piece(&self, first: u64, runs: u64) -> Option<&Counts> {
        self.pieces.get(&first).filter(|counts| counts.runs == runs)
    }
}

/// The whole text of the record.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", head(&self.game))?;
        self.pieces.iter().try_for_each(|(first, counts)| writeln!(f, "{}", line(*first, counts)))
    }
}

fn head(game: &str) -> String {
    format!("simulation of {game}")
}

/// Returns the line of a piece, without its end.
pub fn line(first: u64, counts: &Counts) -> String {
    let Counts { runs, requests, events, time, failed } = counts;
    let failed: Vec<String> = failed.iter().map(u64::to_string).collect();
    let failed = if failed.is_empty() { "-".to_owned() } else { failed.join(",") };
    format!("{first} {runs} {requests} {events} {} {failed}", time.as_millis())
}

fn piece(line: &str) -> Option<(u64, Counts)> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    let [first, runs, requests, events, millis] = [number()?, number()?, number()?, number()?, number()?];
    let failed = match words.next()? {
        "-" => Vec::new(),
        numbers => numbers.split(',').map(|number| number.parse().ok()).collect::<Option<_>>()?,
    };
    let counts = Counts { runs, requests, events, time: Duration::from_millis(millis), failed };
    words.next().is_none().then_some((first, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_piece_may_be_shorter() {
        assert_eq!(pieces(7, 250).collect::<Vec<_>>(), [(7, 100), (107, 100), (207, 50)]);
        assert_eq!(pieces(7, 0).count(), 0);
        assert_eq!(pieces(u64::MAX - 1, 5).collect::<Vec<_>>(), [(u64::MAX - 1, 1)]);
    }

    #[test]
    fn counts_are_sums() {
        let summary = Summary { requests: 2, events: 30, time: Duration::from_millis(400) };
        let mut counts = Counts::default();
        counts.add(5, Some(summary));
        counts.add(6, None);
        let mut twice = counts.clone();
        twice.merge(&counts);
        assert_eq!(line(5, &twice), "5 4 4 60 800 6,6");
    }

    #[test]
    fn a_line_that_is_not_whole_is_played_again() {
        let record = Record::read("simulation of go\n0 100 1 2 3 -\n100 100 1 2", "go").unwrap();
        assert!(record.piece(0, 100).is_some());
        assert_eq!(record.piece(0, 50), None, "other runs");
        assert_eq!(record.pieces.len(), 1);
        for lines in ["0 30 1 2 3 -\n0 100 1 2 3 -\n", "0 100 1 2 3 -\n0 30 1 2 3 -\n"] {
            let longer = Record::read(&format!("simulation of go\n{lines}"), "go").unwrap();
            assert!(longer.piece(0, 100).is_some(), "{longer}");
        }
        assert_eq!(Record::read("simulation of g", "go"), Ok(Record::new("go")));
    }

    #[test]
    fn other_texts_are_refused_by_their_lines() {
        let refused = |text: &str| Record::read(text, "go").unwrap_err();
        assert_eq!(
            refused("simulation of chess\n"),
            "line 1: `simulation of chess`: expected `simulation of go`"
        );
        for wrong in ["1 2 3 4 5", "1 2 3 4 5 x", "1 2 3 4 5 - 6", "-1 2 3 4 5 -", ""] {
            let told = refused(&format!("simulation of go\n{wrong}\n"));
            assert!(told.starts_with(&format!("line 2: `{wrong}`: expected five")), "{told}");
        }
    }
}
