//! A table of standings over several matches, e.g. of a tournament.
//!
//! It counts nothing: a host writes every cell, and the page draws the table above its list of matches.

use serde_json::json;

/// A table that concerns more than one match.
///
/// ```
/// use viewer::matches::{Column, Standings};
///
/// let standings = Standings {
///     title: "Standings".to_owned(),
///     columns: vec![Column::text("player"), Column::number("won")],
///     rows: vec![vec!["Ada".to_owned(), "2".to_owned()], vec!["Bob".to_owned(), "0".to_owned()]],
///     note: "2 of 2 matches".to_owned(),
/// };
/// # let _ = standings;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standings {
    /// What is being played.
    pub title: String,
    /// The columns from left to right.
    pub columns: Vec<Column>,
    /// The rows from the first place to the last, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// What there is to say below the table: how much was played, what signs in it mean.
    pub note: String,
}

/// A column of [`Standings`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    heading: &'static str,
    is_number: bool,
}

impl Column {
    /// A column of names or signs.
    pub const fn text(heading: &'static str) -> Self {
        Self { heading, is_number: false }
    }

    /// A column of numbers.
    pub const fn number(heading: &'static str) -> Self {
        Self { heading, is_number: true }
    }
}

/// The message of the feed that shows these standings, or takes them away.
pub(crate) fn message(standings: Option<&Standings>) -> String {
    let table = standings.map(|Standings { title, columns, rows, note }| {
        let column =
            |Column { heading, is_number }: &Column| json!({ "heading": heading, "number": is_number });
        let columns: Vec<_> = columns.iter().map(column).collect();
        json!({ "title": title, "columns": columns, "rows": rows, "note": note })
    });
    json!({ "kind": "standings", "table": table }).to_string()
}
