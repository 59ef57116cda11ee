//! Tables over several matches, sans-IO, e.g. the standings of a league and the faults in it.
//!
//! They count nothing: a host writes every cell, and the page draws the table in its place.

use serde_json::json;

/// A table that concerns more than one match.
///
/// ```
/// use viewer::matches::{Column, Table};
///
/// let standings = Table {
///     title: "Standings".to_owned(),
///     columns: vec![Column::text("player"), Column::number("won")],
///     rows: vec![vec!["Ada".to_owned(), "2".to_owned()], vec!["Bob".to_owned(), "0".to_owned()]],
///     note: "2 of 2 matches".to_owned(),
/// };
/// # let _ = standings;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The contest that is played.
    pub title: String,
    /// The columns from left to right.
    pub columns: Vec<Column>,
    /// The rows from the first place to the last, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// The text below the table: the number of games, the meaning of signs.
    pub note: String,
}

/// A column of a [`Table`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    heading: &'static str,
    kind: &'static str,
}

impl Column {
    /// Returns a column of names or signs.
    pub const fn text(heading: &'static str) -> Self {
        Self { heading, kind: "text" }
    }

    /// Returns a column of numbers.
    pub const fn number(heading: &'static str) -> Self {
        Self { heading, kind: "number" }
    }

    /// Returns a column of texts that are shown as they are, with their line ends and in a font of fixed width.
    pub const fn verbatim(heading: &'static str) -> Self {
        Self { heading, kind: "verbatim" }
    }
}

/// The place of a table on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TablePlace {
    /// Above the list of matches.
    Standings,
    /// On a tab of its own.
    Faults,
}

impl TablePlace {
    /// Returns the kind of the message that shows a table there.
    const fn word(self) -> &'static str {
        match self {
            Self::Standings => "standings",
            Self::Faults => "faults",
        }
    }
}

/// Returns the message of the feed that shows this table, or takes the one in its place away.
pub(crate) fn message(place: TablePlace, table: Option<&Table>) -> String {
    let table = table.map(|Table { title, columns, rows, note }| {
        let column = |Column { heading, kind }: &Column| json!({ "heading": heading, "kind": kind });
        let columns: Vec<_> = columns.iter().map(column).collect();
        json!({ "title": title, "columns": columns, "rows": rows, "note": note })
    });
    json!({ "kind": place.word(), "table": table }).to_string()
}
