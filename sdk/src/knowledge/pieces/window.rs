//! The part of the task area that the worlds describe.

use game_env::Chance;
use game_project::{Geometry, Position};

use super::super::Reading;

/// The number of pieces that the window is made for.
pub(super) const USUAL: f64 = 12.0;

/// The part of the task area that the worlds describe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) west: u16,
    pub(super) south: u16,
    pub(super) columns: u16,
    pub(super) rows: u16,
}

impl Window {
    /// Returns the whole task area, or where that would hold too many pieces, a square around the agent.
    pub(super) fn around(geometry: Geometry, here: Position, pieces: f64) -> Self {
        let (columns, rows) = (f64::from(geometry.columns()), f64::from(geometry.task_rows()));
        let fields = columns * rows * (USUAL / pieces.max(1.0)).min(1.0);
        // A strip where the board is narrow.
        let side = fields.sqrt().max(fields / columns).max(fields / rows).max(8.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float narrows by saturating"
        )]
        let side = side.ceil() as u16;
        let (columns, rows) = (side.min(geometry.columns()), side.min(geometry.task_rows()));
        let first = geometry.goal_rows();
        let west = here.x.saturating_sub(columns / 2).min(geometry.columns() - columns);
        let south = here.y.saturating_sub(rows / 2).clamp(first, first + geometry.task_rows() - rows);
        Self { west, south, columns, rows }
    }

    pub(super) fn contains(self, at: Position) -> bool {
        at.x.wrapping_sub(self.west) < self.columns && at.y.wrapping_sub(self.south) < self.rows
    }

    /// Returns `true` if the agent has at least a quarter of the window on every side on which the task area goes on.
    pub(super) fn is_middle(self, geometry: Geometry, here: Position) -> bool {
        let first = geometry.goal_rows();
        let is_inner = |at: u16, start: u16, length: u16, low: u16, high: u16| {
            (start == low || at >= start.saturating_add(length / 4))
                && (start + length == high || at + length / 4 < start + length)
        };
        is_inner(here.x, self.west, self.columns, 0, geometry.columns())
            && is_inner(here.y, self.south, self.rows, first, first + geometry.task_rows())
    }

    /// Returns a random field in it.
    pub(super) fn draw(self, chance: &mut Chance) -> Position {
        let narrow = |number: u32| u16::try_from(number).expect("below the size of the board");
        let x = narrow(chance.below(self.columns.into()));
        let y = narrow(chance.below(self.rows.into()));
        Position::new(self.west + x, self.south + y)
    }

    /// Returns a random field at the distance of the reading; none if the one that was drawn is outside.
    pub(super) fn draw_at(self, reading: Reading, chance: &mut Chance) -> Option<Position> {
        let Reading { at, moves } = reading;
        if moves == 0 {
            return self.contains(at).then_some(at);
        }
        let step = chance.below(4 * u32::from(moves));
        let (quarter, along) = (step / u32::from(moves), step % u32::from(moves));
        let along = u16::try_from(along).ok()?;
        let aside = moves - along;
        let (x, y) = match quarter {
            0 => (at.x.checked_add(aside), at.y.checked_add(along)),
            1 => (at.x.checked_sub(along), at.y.checked_add(aside)),
            2 => (at.x.checked_sub(aside), at.y.checked_sub(along)),
            _ => (at.x.checked_add(along), at.y.checked_sub(aside)),
        };
        x.zip(y).map(|(x, y)| Position::new(x, y)).filter(|field| self.contains(*field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_window_ends_a_quarter_before_its_sides() {
        let geometry = Geometry::new(60, 60, 5).unwrap();
        let is_middle = |west, at| {
            let window = Window { west, south: 10, columns: 20, rows: 20 };
            window.is_middle(geometry, Position::new(at, 20))
        };
        assert_eq!([14, 15, 24, 25].map(|at| is_middle(10, at)), [false, true, true, false]);
        assert_eq!([0, 14, 15].map(|at| is_middle(0, at)), [true, true, false], "the board ends in the west");
        assert_eq!([44, 45, 59].map(|at| is_middle(40, at)), [false, true, true], "and in the east");
    }
}
