//! Notes of an agent for viewers of the game: remarks and drawings.
//!
//! Notes have no effect on the game, and no other agent sees them.

/// A remark, a drawing, or both, left by an agent with a decision.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Note {
    /// The words; empty for a drawing alone.
    pub text: String,
    /// The drawing, in this order.
    pub shapes: Vec<Shape>,
}

/// A cell of the game's [`Scene`](crate::Scene).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The column, from the left.
    pub x: u16,
    /// The row, from the bottom.
    pub y: u16,
}

/// One stroke of a drawing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// A cell that matters.
    Field(Place),
    /// A line from the middle of one cell to that of another.
    Line(Place, Place),
    /// Words on a cell.
    Label(Place, String),
}
