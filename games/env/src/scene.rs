//! A board as a picture: a grid of cells for viewers, and plain text for terminals and tests.
//!
//! A scene holds the places and kinds of things, not their looks: viewers choose colours and shapes.

use std::fmt;

use crate::ids::{AgentId, TeamId};

/// A grid of cells with a few lines of caption.
///
/// Cell (0, 0) is at the bottom left; `x` grows to the right and `y` upwards.
///
/// ```
/// use game_env::scene::{Cell, Mark, Scene};
///
/// let mut scene = Scene::new(3, 2, Cell::ground("field", "."));
/// scene.cell_mut(1, 0).marks.push(Mark::new("pebble", "o"));
/// assert_eq!(scene.to_string(), ". . .\n. o .\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
    /// Horizontal rules: each lies below the row of this `y`.
    pub rules: Vec<usize>,
    /// Lines to show with the board: points, time, whose turn it is.
    pub caption: Vec<String>,
}

/// One field of a scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The kind of the field, e.g. `dot` or `edge`.
    pub kind: &'static str,
    /// The text of an empty field of this kind.
    pub blank: &'static str,
    /// The team to which the field belongs.
    pub team: Option<TeamId>,
    /// The marks on the field, from bottom to top.
    pub marks: Vec<Mark>,
}

impl Cell {
    /// Returns an empty field of this kind, which belongs to no team.
    pub fn ground(kind: &'static str, blank: &'static str) -> Self {
        Self { kind, blank, team: None, marks: Vec::new() }
    }
}

/// A thing on a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The kind of the thing, e.g. `stone` or `agent`.
    pub kind: &'static str,
    /// Its form in text.
    pub text: String,
    /// The team to which it belongs.
    pub team: Option<TeamId>,
    /// The agent that it is, or to which it belongs.
    pub agent: Option<AgentId>,
}

impl Mark {
    /// Creates a thing of this kind, which belongs to no team and no agent.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), team: None, agent: None }
    }

    /// Returns the same thing, of this team.
    pub fn of(self, team: impl Into<TeamId>) -> Self {
        Self { team: Some(team.into()), ..self }
    }

    /// Returns the same thing, being this agent or belonging to it.
    pub fn by(self, agent: AgentId) -> Self {
        Self { agent: Some(agent), ..self }
    }
}

impl Scene {
    /// Creates a grid of equal cells.
    pub fn new(columns: usize, rows: usize, cell: Cell) -> Self {
        Self { columns, rows, cells: vec![cell; columns * rows], rules: Vec::new(), caption: Vec::new() }
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the cell in this column and row.
    ///
    /// # Panics
    ///
    /// Off the grid.
    pub fn cell(&self, x: usize, y: usize) -> &Cell {
        &self.cells[self.place(x, y)]
    }

    /// Returns the cell in this column and row.
    ///
    /// # Panics
    ///
    /// Off the grid.
    pub fn cell_mut(&mut self, x: usize, y: usize) -> &mut Cell {
        let place = self.place(x, y);
        &mut self.cells[place]
    }

    fn place(&self, x: usize, y: usize) -> usize {
        assert!(
            x < self.columns && y < self.rows,
            "({x}, {y}) lies off a {}×{} grid",
            self.columns,
            self.rows
        );
        y * self.columns + x
    }
}

/// The grid with the upper row first, columns aligned, a line of dashes for each rule; then the caption.
impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.cells.iter().map(Cell::to_string).collect();
        let width =
            |x: usize| (0..self.rows).map(|y| texts[self.place(x, y)].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns).map(width).collect();
        for y in (0..self.rows).rev() {
            let row: Vec<String> =
                (0..self.columns).map(|x| format!("{:1$}", texts[self.place(x, y)], widths[x])).collect();
            writeln!(f, "{}", row.join(" ").trim_end())?;
            if self.rules.contains(&y) {
                writeln!(f, "{}", "-".repeat(widths.iter().sum::<usize>() + self.columns.saturating_sub(1)))?;
            }
        }
        self.caption.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// The marks from bottom to top, or the blank of an empty field.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.marks.is_empty() {
            return f.write_str(self.blank);
        }
        self.marks.iter().try_for_each(|mark| f.write_str(&mark.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut scene = Scene::new(3, 2, Cell::ground("field", "."));
        scene.cell_mut(0, 1).marks.extend([Mark::new("stone", "s"), Mark::new("agent", "R10")]);
        scene.cell_mut(2, 0).marks.push(Mark::new("agent", "B1"));
        scene.rules.push(1);
        scene.caption.push("first 0, second 0".to_owned());
        assert_eq!((scene.columns(), scene.rows()), (3, 2));
        assert_eq!(scene.to_string(), "sR10 . .\n---------\n.    . B1\nfirst 0, second 0\n");
    }
}
