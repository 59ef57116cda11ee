//! Pieces, and the shams among them.

/// A piece that agents carry. Nobody sees its kind until it is checked or put into a goal area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Piece {
    /// Covers a goal.
    Real,
    /// Looks like a real piece and covers nothing.
    Sham,
}

impl Piece {
    /// Returns whether it is a sham.
    pub const fn is_sham(self) -> bool {
        matches!(self, Self::Sham)
    }

    /// Returns a sham or a real piece.
    pub const fn from_sham(sham: bool) -> Self {
        if sham { Self::Sham } else { Self::Real }
    }

    /// Returns the letter that stands for it in the text of boards.
    pub const fn letter(self) -> char {
        match self {
            Self::Real => 'p',
            Self::Sham => 's',
        }
    }

    /// Returns the piece that this letter stands for.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'p' => Some(Self::Real),
            's' => Some(Self::Sham),
            _ => None,
        }
    }
}
