//! The search for the nearest piece by the distances that the agent read.
//!
//! A distance has two meanings: no piece is nearer, and at least one piece is at exactly this distance. [`PieceSearch`]
//! has a list of the fields on which the nearest piece can be. Every further reading makes the list shorter. If the
//! readings no longer fit one board, because an agent took the piece or a nearer piece appeared, the search begins
//! anew.

use game_project::{Area, Distance, Geometry, Position};

/// A reading: a distance that the agent received for one field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    /// The field.
    pub at: Position,
    /// The number of moves to the nearest piece.
    pub moves: u16,
}

/// The search for the nearest piece.
///
/// ```
/// use sdk::prelude::*;
/// use sdk::testing::Situation;
///
/// let situation = Situation::new("
///     .  g  .
///     p  R0 .
///     .  .  B1
///     .  g  .");
/// situation.after(&["discover", "move E"]).see(|view| {
///     let search = view.knowledge.piece_search();
///     assert!(search.may_hold_piece(Position::new(0, 2)));
///     assert_eq!(search.last().map(|reading| (reading.at, reading.moves)), Some((Position::new(2, 2), 2)));
/// });
/// ```
#[derive(Clone, Debug)]
pub struct PieceSearch {
    geometry: Geometry,
    /// The reading of the field where the agent stands, as long as it holds.
    last: Option<Reading>,
    /// `true` if the last reading said that there is no piece on the board.
    is_bare: bool,
    /// Earlier readings that still hold, the oldest first: no piece is nearer than these say.
    readings: Vec<Reading>,
    candidates: Vec<Position>,
    /// `true` if the agent has gone away from the candidates since they were searched for.
    has_strayed: bool,
}

/// Number of readings that are remembered. More would be older than the pieces that they speak of.
const READINGS: usize = 12;

impl PieceSearch {
    pub(super) fn new(geometry: Geometry) -> Self {
        Self {
            geometry,
            last: None,
            is_bare: false,
            readings: Vec::with_capacity(READINGS),
            candidates: Vec::new(),
            has_strayed: false,
        }
    }

    /// Returns the fields on which the nearest piece probably lies. Empty if the agent has read nothing since it found
    /// the last piece.
    ///
    /// On a board that does not change, every nearest piece lies on one of these fields or of the
    /// [unlikely](PieceSearch::unlikely) fields.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert!(situation.see(|view| view.knowledge.piece_search().candidates().is_empty()), "nothing was read yet");
    /// let told = situation.after(&["discover"]);
    /// assert_eq!(told.see(|view| view.knowledge.piece_search().candidates().to_vec()), [Position::new(0, 2)]);
    /// ```
    pub fn candidates(&self) -> &[Position] {
        &self.candidates
    }

    /// Returns further fields on which the nearest piece can lie, but only if there is another piece than the one of
    /// the first reading: an agent that moves away from one piece comes nearer to others.
    ///
    /// If there are no candidates, these fields are as likely as any other field that fits the readings. They are
    /// computed only on this call.
    pub fn unlikely(&self) -> impl Iterator<Item = Position> + '_ {
        let around = self.last.filter(|_| self.has_strayed).into_iter();
        let fits = |at: &Position| self.may_hold_piece(*at) && !self.candidates.contains(at);
        around.flat_map(|last| ring(self.geometry, last)).filter(fits)
    }

    /// Returns the last reading, for the field on which the agent stands.
    pub fn last(&self) -> Option<Reading> {
        self.last
    }

    /// Returns `true` if the last reading said that no piece lies on the board.
    ///
    /// ```
    /// use sdk::testing::Situation;
    ///
    /// let empty = Situation::new("
    ///     .  g  .
    ///     .  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert!(empty.after(&["discover"]).see(|view| view.knowledge.piece_search().is_bare()));
    /// ```
    pub fn is_bare(&self) -> bool {
        self.is_bare
    }

    /// Returns the readings that probably still hold, the oldest first.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let told = situation.after(&["discover"]);
    /// assert!(!told.see(|view| view.knowledge.piece_search().readings().is_empty()));
    /// ```
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Returns `true` if a piece can lie on a field, by the readings that still hold.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// situation.after(&["discover"]).see(|view| {
    ///     let search = view.knowledge.piece_search();
    ///     assert!(search.may_hold_piece(Position::new(0, 2)));
    ///     assert!(!search.may_hold_piece(Position::new(2, 2)), "a nearer piece would have been read there");
    /// });
    /// ```
    pub fn may_hold_piece(&self, at: Position) -> bool {
        self.geometry.area(at) == Area::Task
            && self.readings.iter().all(|reading| at.moves_to(reading.at) >= reading.moves)
    }

    pub(super) fn bounds(&self, at: Position) -> (u16, Option<u16>) {
        let least = |reading: &Reading| reading.moves.saturating_sub(at.moves_to(reading.at));
        let most = |reading: &Reading| reading.moves + at.moves_to(reading.at);
        let low = self.readings.iter().map(least).max().unwrap_or(0);
        (low, self.last.as_ref().map(most))
    }

    pub(super) fn forget(&mut self) {
        self.last = None;
        self.is_bare = false;
        self.readings.clear();
        self.candidates.clear();
        self.has_strayed = false;
    }

    /// Notes that the agent has taken the piece on its field. The distances around it no longer hold; the earlier
    /// readings that exclude nearer pieces still do.
    pub(super) fn picked_up(&mut self) {
        self.last = None;
        self.candidates.clear();
        self.has_strayed = false;
        self.is_bare = false;
    }

    /// A reading where the agent stands now.
    pub(super) fn moved(&mut self, at: Position, distance: Distance) {
        let Some(reading) = self.take(at, distance) else { return };
        let before = self.last.replace(reading);
        self.remember(reading);
        match before {
            Some(last) if last.at.moves_to(at) == 1 && last.moves.abs_diff(reading.moves) == 1 => {
                self.follow(last, reading);
            }
            _ => self.candidates.clear(),
        }
        if self.candidates.is_empty() {
            self.search(reading);
        }
    }

    /// Goes on from the candidates of the field next to it, which know of readings that are forgotten by now.
    fn follow(&mut self, last: Reading, reading: Reading) {
        self.candidates.retain(|candidate| candidate.moves_to(reading.at) == reading.moves);
        // One step farther from the nearest piece is one step nearer to those beyond it: a piece two moves farther away
        // than that is as near now, and after the next step perhaps nearer.
        self.has_strayed |= reading.moves > last.moves;
    }

    /// Nine readings at once, of which the one at `at` is where the agent stands.
    pub(super) fn discovered(&mut self, at: Position, readings: &[Option<(Position, Distance)>; 9]) {
        let mut own = None;
        for (field, distance) in readings.iter().flatten() {
            let Some(reading) = self.take(*field, *distance) else { return };
            self.remember(reading);
            if *field == at {
                own = Some(reading);
            }
        }
        self.last = own;
        match own {
            Some(own) => self.search(own),
            None => {
                self.candidates.clear();
                self.has_strayed = false;
            }
        }
    }

    /// Returns the distance as a reading; none if there is no piece on the board.
    fn take(&mut self, at: Position, distance: Distance) -> Option<Reading> {
        self.is_bare = distance.moves().is_none();
        let Some(moves) = distance.moves() else {
            self.forget();
            self.is_bare = true;
            return None;
        };
        Some(Reading { at, moves })
    }

    /// Keeps a reading, and drops those that cannot hold beside it: a distance changes by at most one from a
    /// field to its neighbour. Where the older one is the larger, a piece has appeared nearer; where it is the
    /// smaller, that piece is gone, and no piece being nearer still holds.
    fn remember(&mut self, reading: Reading) {
        self.readings.retain(|older| {
            older.at != reading.at && older.moves <= reading.moves + older.at.moves_to(reading.at)
        });
        if self.readings.len() == READINGS {
            self.readings.remove(0);
        }
        self.readings.push(reading);
    }

    /// All fields of the task area at this distance where a piece may lie.
    fn search(&mut self, reading: Reading) {
        self.has_strayed = false;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        candidates.extend(ring(self.geometry, reading).filter(|at| self.may_hold_piece(*at)));
        // Pieces come and go: where nothing fits all readings, only the last is believed.
        if candidates.is_empty() {
            self.readings.clear();
            self.readings.push(reading);
            candidates
                .extend(ring(self.geometry, reading).filter(|at| self.geometry.area(*at) == Area::Task));
        }
        self.candidates = candidates;
    }
}

/// Returns the fields of the board at a distance, row by row from the south.
fn ring(geometry: Geometry, reading: Reading) -> impl Iterator<Item = Position> {
    let Reading { at, moves } = reading;
    let (bottom, top) = (at.y.saturating_sub(moves), (at.y + moves).min(geometry.rows() - 1));
    (bottom..=top).flat_map(move |y| {
        let aside = moves - y.abs_diff(at.y);
        let west = at.x.checked_sub(aside).map(|x| Position::new(x, y));
        let east = (aside > 0).then(|| Position::new(at.x + aside, y));
        west.into_iter().chain(east).filter(move |field| geometry.contains(*field))
    })
}
