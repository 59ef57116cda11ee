//! The structure for few pieces.

use super::Pieces;
use super::block::{Block, Gather, LANES, Nine, One, distance};
use crate::geometry::{Distance, Position};
use crate::piece::Piece;

/// Compares all pieces.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The pieces in the order in which they were laid.
    pieces: Vec<Piece>,
    /// The fields of the pieces, eight to a block.
    blocks: Vec<Block>,
}

impl Scan {
    /// Creates an empty structure with room for this many pieces.
    pub fn new(pieces: u32) -> Self {
        let pieces = pieces as usize;
        Self { pieces: Vec::with_capacity(pieces), blocks: Vec::with_capacity(pieces.div_ceil(LANES)) }
    }

    fn position(&self, place: usize) -> Position {
        self.blocks[place / LANES].position(place % LANES)
    }
}

impl Pieces for Scan {
    fn lay(&mut self, at: Position, piece: Piece) {
        let place = self.pieces.len();
        self.pieces.push(piece);
        if place.is_multiple_of(LANES) {
            self.blocks.push(Block::EMPTY);
        }
        self.blocks[place / LANES].set(place % LANES, at);
    }

    fn take(&mut self, at: Position) -> Option<Piece> {
        let place = (0..self.pieces.len()).rev().find(|place| self.position(*place) == at)?;
        let taken = self.pieces.remove(place);
        let last = self.pieces.len();
        for place in place..last {
            let next = self.position(place + 1);
            self.blocks[place / LANES].set(place % LANES, next);
        }
        self.blocks[last / LANES].clear(last % LANES);
        self.blocks.truncate(last.div_ceil(LANES));
        Some(taken)
    }

    #[inline]
    fn nearest(&self, from: Position) -> Distance {
        let mut one = One::new(from);
        self.blocks.iter().for_each(|block| one.add(block));
        distance(one.least)
    }

    #[inline]
    fn around(&self, from: Position) -> [Distance; 9] {
        let mut nine = Nine::new(from);
        self.blocks.iter().for_each(|block| nine.add(block));
        nine.least.map(distance)
    }

    fn for_each(&self, mut visit: impl FnMut(Position, Piece)) {
        for (place, piece) in self.pieces.iter().enumerate() {
            visit(self.position(place), *piece);
        }
    }
}
