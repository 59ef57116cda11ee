//! Faults of a league file with their places. Reading the file is the task of the parent module.

use std::fmt;
use std::ops::Range;

use game_env::names::did_you_mean;
use game_env::text::{fit_for_a_log, list_faults, or_list};

/// A fault of a league file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// The line, from 1 on.
    pub line: usize,
    /// The character of the line, from 1 on.
    pub column: usize,
    /// The fault, and the expected value.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.text)
    }
}

/// All faults of a league file, in the order of its lines.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct LeagueFileError(Vec<Fault>);

impl LeagueFileError {
    /// Returns the faults; there is at least one.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }
}

/// One fault a line.
impl fmt::Display for LeagueFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list_faults(f, "  ", &self.0)
    }
}

/// Collects the faults of a file.
pub(super) struct Faults<'a> {
    text: &'a str,
    /// The place of each, in bytes, and its text.
    found: Vec<(usize, String)>,
}

impl<'a> Faults<'a> {
    /// Creates a list without faults, for the file with this text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, found: Vec::new() }
    }

    /// Adds a fault at this place of the file, in bytes.
    pub(super) fn add(&mut self, at: &Range<usize>, text: impl Into<String>) {
        let start = if self.text.is_char_boundary(at.start) { at.start } else { self.text.len() };
        self.found.push((start, text.into()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the error of all faults, in the order of the file.
    pub(super) fn into_error(mut self) -> LeagueFileError {
        self.found.sort();
        self.found.dedup();
        let (mut passed, mut line, mut column) = (0, 1, 1);
        let place = |(start, text): (usize, String)| {
            for letter in self.text[passed..start].chars() {
                (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            passed = start;
            Fault { line, column, text }
        };
        LeagueFileError(self.found.into_iter().map(place).collect())
    }
}

/// ``unknown game `doots`: expected dots or project; did you mean `dots`?``
pub(super) fn unknown<'n>(
    what: &str,
    asked: &str,
    names: impl IntoIterator<Item = &'n str> + Clone,
) -> String {
    let likely = did_you_mean(asked, names.clone());
    format!("unknown {what} `{}`: expected {}{likely}", fit_for_a_log(asked), or_list(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_in_the_order_of_the_file_with_columns_in_characters() {
        let text = "a = 1\nżółw = 2\n";
        let mut faults = Faults::new(text);
        faults.add(&(text.find('2').unwrap()..0), "later");
        faults.add(&(0..1), "first");
        faults.add(&(1_000..1_000), "past the end");
        let error = faults.into_error();
        assert_eq!(
            error.to_string(),
            "  line 1, column 1: first\n  line 2, column 8: later\n  line 3, column 1: past the end"
        );
    }

    #[test]
    fn what_is_unknown_is_told_with_the_nearest_name() {
        let games = ["dots", "project"];
        assert_eq!(
            unknown("game", "doots\u{1b}", games),
            "unknown game `doots\\u{1b}`: expected dots or project; did you mean `dots`?"
        );
        assert_eq!(unknown("game", "chess", games), "unknown game `chess`: expected dots or project");
    }
}
