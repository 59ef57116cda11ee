//! The fields of the board: agents, goals that are not covered, and pieces.

use game_env::{ByTeam, Digest};

use crate::geometry::{Area, Distance, Geometry, Position, Surroundings};
use crate::nearest::{self, Index, Pieces};
use crate::piece::Piece;
use crate::team::Team;

/// The contents of all fields, without the ids of agents: two bits a field, and the pieces.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    geometry: Geometry,
    occupied: Fields,
    open_goals: Fields,
    goals_left: ByTeam<u32>,
    /// The memory for all of them is allocated at the start.
    covered: ByTeam<Vec<Position>>,
    pieces: Index,
}

impl Board {
    /// Creates an empty board for this many pieces, and this many goals of each team.
    pub(crate) fn new(geometry: Geometry, pieces: u32, goals: u32) -> Self {
        Self {
            geometry,
            occupied: Fields::new(geometry),
            open_goals: Fields::new(geometry),
            goals_left: ByTeam::default(),
            covered: ByTeam::new(Team::ALL.map(|_| Vec::with_capacity(goals as usize))),
            pieces: Index::new(geometry, pieces),
        }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    pub(crate) fn is_occupied(&self, at: Position) -> bool {
        self.occupied.has(self.geometry.index(at))
    }

    pub(crate) fn enter(&mut self, at: Position) {
        self.occupied.set(self.geometry.index(at), true);
    }

    pub(crate) fn leave(&mut self, at: Position) {
        self.occupied.set(self.geometry.index(at), false);
    }

    pub(crate) fn is_open_goal(&self, at: Position) -> bool {
        self.open_goals.has(self.geometry.index(at))
    }

    /// Hides a goal.
    ///
    /// # Panics
    ///
    /// Outside goal areas.
    pub(crate) fn hide_goal(&mut self, at: Position) {
        let Area::Goal(team) = self.geometry.area(at) else { panic!("{at} is no field of a goal area") };
        if !self.is_open_goal(at) {
            self.open_goals.set(self.geometry.index(at), true);
            self.goals_left[team] += 1;
        }
    }

    /// Covers a goal; returns whether there was one to cover.
    pub(crate) fn cover_goal(&mut self, at: Position) -> bool {
        let Area::Goal(team) = self.geometry.area(at) else { return false };
        let open = self.is_open_goal(at);
        if open {
            self.open_goals.set(self.geometry.index(at), false);
            self.goals_left[team] -= 1;
            self.covered[team].push(at);
        }
        open
    }

    /// Returns the goals that a team has covered, in the order in which it covered them.
    pub(crate) fn covered(&self, team: Team) -> &[Position] {
        &self.covered[team]
    }

    pub(crate) fn goals_left(&self, team: Team) -> u32 {
        self.goals_left[team]
    }

    pub(crate) fn lay(&mut self, at: Position, piece: Piece) {
        self.pieces.lay(at, piece);
    }

    pub(crate) fn take(&mut self, at: Position) -> Option<Piece> {
        self.pieces.take(at)
    }

    #[inline]
    pub(crate) fn nearest_piece(&self, from: Position) -> Distance {
        self.pieces.nearest(from)
    }

    pub(crate) fn has_piece(&self, at: Position) -> bool {
        self.nearest_piece(at) == Distance::new(0)
    }

    #[inline]
    pub(crate) fn discover(&self, from: Position) -> Surroundings {
        nearest::readings(self.geometry, from, self.pieces.around(from))
    }

    /// Every piece on the board; pieces of one field from bottom to top.
    pub(crate) fn for_each_piece(&self, visit: impl FnMut(Position, Piece)) {
        self.pieces.for_each(visit);
    }

    /// Removes all pieces and goals.
    #[cfg(test)]
    pub(crate) fn clear(&mut self, pieces: u32) {
        self.open_goals = Fields::new(self.geometry);
        self.goals_left = ByTeam::default();
        self.pieces = Index::new(self.geometry, pieces);
    }

    pub(crate) fn digest(&self, digest: &mut Digest) {
        self.occupied.digest(digest);
        self.open_goals.digest(digest);
        for at in self.covered.iter().flatten() {
            digest.u16(at.x);
            digest.u16(at.y);
        }
        self.for_each_piece(|at, piece| {
            digest.u64(u64::from(at.x) | u64::from(at.y) << 16 | u64::from(piece.is_sham()) << 32);
        });
    }
}

/// A set of fields, a bit each: a board of a million fields stays in the processor's cache.
#[derive(Clone, Debug)]
struct Fields(Vec<u64>);

impl Fields {
    fn new(geometry: Geometry) -> Self {
        Self(vec![0; (geometry.fields() as usize).div_ceil(64)])
    }

    #[inline]
    fn has(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    #[inline]
    fn set(&mut self, index: usize, value: bool) {
        let word = &mut self.0[index / 64];
        *word = *word & !(1 << (index % 64)) | u64::from(value) << (index % 64);
    }

    fn digest(&self, digest: &mut Digest) {
        // Most words of a large board are empty; the place and the value of each other word are enough.
        for (place, word) in self.0.iter().enumerate().filter(|(_, word)| **word != 0) {
            digest.length(place);
            digest.u64(*word);
        }
        digest.length(self.0.len());
    }
}
