//! The board: cells, bricks of two cells, and the set of free cells.

use game_env::{Chance, Millis};
use thiserror::Error;

/// A cell by its column and row, both from 0 at the top left. Cells are ordered row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The row.
    pub row: u16,
    /// The column.
    pub column: u16,
}

impl Cell {
    /// Returns the cell in this column and row.
    pub const fn new(column: u16, row: u16) -> Self {
        Self { row, column }
    }
}

/// Two cells on which a player wants to put a brick.
///
/// The smaller cell comes first. Whether the cells are neighbours depends on the board: see [`Board::are_neighbours`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Brick {
    from: Cell,
    to: Cell,
}

impl Brick {
    /// Creates the brick on these two cells, in either order.
    pub fn new(one: Cell, other: Cell) -> Self {
        Self { from: one.min(other), to: one.max(other) }
    }

    /// Returns both cells, the smaller one first.
    pub const fn cells(self) -> [Cell; 2] {
        [self.from, self.to]
    }
}

/// The configuration of a game, chosen by its host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    size: u16,
    is_torus: bool,
    is_loose: bool,
    filled: Vec<Cell>,
    filled_at_random: u32,
    move_limit: Option<Millis>,
}

/// A board that cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ConfigError {
    /// The size is even, too small or too large.
    #[error(
        "a board of {0}×{0} cells: expected an odd number from {least} to {most}",
        least = Config::SMALLEST,
        most = Config::LARGEST
    )]
    Size(u16),
    /// A cell to be filled is not on the board.
    #[error("cell {0} is not on the board: expected columns and rows from 0 to {last}", last = .1 - 1)]
    Outside(Cell, u16),
    /// A cell is to be filled twice.
    #[error("cell {0} is filled twice: expected every cell once")]
    Twice(Cell),
    /// There are fewer cells left than are to be filled.
    #[error("{asked} more cells to fill: expected at most {free}, the number of cells that are left")]
    TooMany {
        /// The number of cells to fill.
        asked: u32,
        /// The number of cells that are not filled.
        free: u32,
    },
}

impl Config {
    /// The smallest board, in cells of a side.
    pub const SMALLEST: u16 = 3;

    /// The largest board, in cells of a side.
    pub const LARGEST: u16 = 999;

    /// The time for a move, unless the host chooses another one.
    pub const MOVE_LIMIT: Millis = Millis::new(500);

    /// Creates a board of this many cells a side, all of them free, without wrap at the edges, and with the default
    /// time for a move.
    ///
    /// # Errors
    ///
    /// Fails unless the size is odd, and from [`Config::SMALLEST`] to [`Config::LARGEST`].
    pub fn new(size: u16) -> Result<Self, ConfigError> {
        if !(Self::SMALLEST..=Self::LARGEST).contains(&size) || size.is_multiple_of(2) {
            return Err(ConfigError::Size(size));
        }
        let move_limit = Some(Self::MOVE_LIMIT);
        let filled = Vec::new();
        Ok(Self { size, is_torus: false, is_loose: false, filled, filled_at_random: 0, move_limit })
    }

    /// Returns the same board with exactly these cells filled from the beginning, besides those that are filled at
    /// random.
    ///
    /// # Errors
    ///
    /// Fails if a cell is not on the board or is given twice, or if too few are left for those that are filled at
    /// random.
    pub fn filled(self, cells: impl IntoIterator<Item = Cell>) -> Result<Self, ConfigError> {
        let mut filled: Vec<Cell> = cells.into_iter().collect();
        let size = self.size;
        if let Some(cell) = filled.iter().find(|cell| cell.row.max(cell.column) >= size) {
            return Err(ConfigError::Outside(*cell, size));
        }
        filled.sort_unstable();
        if let Some(twice) = filled.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ConfigError::Twice(twice[0]));
        }
        let at_random = self.filled_at_random;
        Self { filled, ..self }.filled_at_random(at_random)
    }

    /// Returns the same board; the seed fills this many more cells.
    ///
    /// # Errors
    ///
    /// Fails if fewer cells than that are left.
    pub fn filled_at_random(self, count: u32) -> Result<Self, ConfigError> {
        let filled = u32::try_from(self.filled.len()).expect("every cell of the board at most once");
        let free = u32::from(self.size) * u32::from(self.size) - filled;
        if count > free {
            return Err(ConfigError::TooMany { asked: count, free });
        }
        Ok(Self { filled_at_random: count, ..self })
    }

    /// Returns the same board; on a torus the first and the last cell of a row or column are neighbours.
    #[must_use]
    pub fn torus(self, is_torus: bool) -> Self {
        Self { is_torus, ..self }
    }

    /// Returns the same board; a brick may also lie [loosely](Board::are_loose), as in a referee of 2018.
    #[must_use]
    pub fn loose(self, is_loose: bool) -> Self {
        Self { is_loose, ..self }
    }

    /// Returns the same board with this time for a move; `None` for no limit.
    #[must_use]
    pub fn move_limit(self, limit: Option<Millis>) -> Self {
        Self { move_limit: limit, ..self }
    }

    /// Returns the number of cells of a side.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// Returns whether the first and the last cell of a row or column are neighbours.
    pub fn is_torus(&self) -> bool {
        self.is_torus
    }

    /// Returns whether a brick may also lie [loosely](Board::are_loose).
    pub fn is_loose(&self) -> bool {
        self.is_loose
    }

    /// Returns the cells that are filled from the beginning with every seed, in their order.
    pub fn filled_cells(&self) -> &[Cell] {
        &self.filled
    }

    /// Returns the number of cells that the seed fills.
    pub fn count_at_random(&self) -> u32 {
        self.filled_at_random
    }

    /// Returns the time for a move.
    pub fn limit(&self) -> Option<Millis> {
        self.move_limit
    }

    /// Returns the board at the beginning of a game.
    pub(crate) fn board(&self, chance: &mut Chance) -> Board {
        let mut board = Board::new(self.size, self.is_torus);
        self.filled.iter().for_each(|cell| board.fill(*cell));
        let mut free: Vec<Cell> =
            if self.filled_at_random > 0 { board.free_cells().collect() } else { vec![] };
        for place in 0..self.filled_at_random as usize {
            let drawn = place + chance.index(free.len() - place);
            free.swap(place, drawn);
            board.fill(free[place]);
        }
        board
    }
}

/// Eleven by eleven cells, all of them free.
impl Default for Config {
    fn default() -> Self {
        Self::new(11).expect("an odd size within the limits")
    }
}

/// The set of free cells. The default has no cells.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Board {
    size: u16,
    is_torus: bool,
    /// A bit for each cell, 1 if it is free. Each row begins with a word of its own.
    rows: Vec<u64>,
    /// The number of bricks that fit.
    bricks: u32,
}

impl Board {
    /// Creates a board of free cells.
    fn new(size: u16, is_torus: bool) -> Self {
        let words = usize::from(size).div_ceil(64);
        let row = (0..words).map(|word| match usize::from(size) - 64 * word {
            width @ 0..64 => (1 << width) - 1,
            _ => u64::MAX,
        });
        let rows = (0..size).flat_map(|_| row.clone()).collect();
        let side = u32::from(size);
        let bricks = 2 * side * if is_torus { side } else { side - 1 };
        Self { size, is_torus, rows, bricks }
    }

    /// Returns the number of cells of a side.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// Returns whether the first and the last cell of a row or column are neighbours.
    pub fn is_torus(&self) -> bool {
        self.is_torus
    }

    /// Returns the number of bricks on neighbouring cells that fit. Without [loose](Config::loose) bricks, it is the
    /// number of moves of the next player.
    pub fn brick_count(&self) -> u32 {
        self.bricks
    }

    /// Returns whether there is such a cell.
    pub fn has(&self, cell: Cell) -> bool {
        cell.row.max(cell.column) < self.size
    }

    /// Returns whether there is such a cell and it is free.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.has(cell) && self.rows[self.word(cell)] >> (cell.column % 64) & 1 == 1
    }

    /// Returns whether these are two cells of the board that have a side in common.
    pub fn are_neighbours(&self, brick: Brick) -> bool {
        let Brick { from, to } = brick;
        let last = self.size.saturating_sub(1);
        let is_step = |one: u16, other: u16| {
            one.abs_diff(other) == 1 || (self.is_torus && one.min(other) == 0 && one.max(other) == last)
        };
        self.has(from)
            && self.has(to)
            && ((from.row == to.row && is_step(from.column, to.column))
                || (from.column == to.column && is_step(from.row, to.row)))
    }

    /// Returns whether these are two cells of the board whose columns or whose rows are one apart, at any distance in
    /// the other direction.
    ///
    /// A referee of 2018 accepts a brick on such cells by mistake. The game accepts it with [`Config::loose`].
    pub fn are_loose(&self, brick: Brick) -> bool {
        let Brick { from, to } = brick;
        self.has(from)
            && self.has(to)
            && (from.column.abs_diff(to.column) == 1 || from.row.abs_diff(to.row) == 1)
    }

    /// Returns whether the brick lies on neighbouring cells, and both are free.
    pub fn fits(&self, brick: Brick) -> bool {
        self.are_neighbours(brick) && brick.cells().into_iter().all(|cell| self.is_free(cell))
    }

    /// Returns the cells that have a side in common with a cell of the board.
    #[inline]
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        let Cell { row, column } = cell;
        let last = self.size - 1;
        let before = |at: u16| if at > 0 { Some(at - 1) } else { self.is_torus.then_some(last) };
        let after = |at: u16| if at < last { Some(at + 1) } else { self.is_torus.then_some(0) };
        [
            before(row).map(|row| Cell { row, column }),
            before(column).map(|column| Cell { row, column }),
            after(column).map(|column| Cell { row, column }),
            after(row).map(|row| Cell { row, column }),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns every cell, in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| Cell { row, column }))
    }

    /// Returns every free cell, in order.
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> {
        self.cells().filter(|cell| self.is_free(*cell))
    }

    /// Replaces `out` by every brick that fits, row by row: first the horizontal ones of the row, then those to the row
    /// below.
    pub fn list(&self, out: &mut Vec<Brick>) {
        out.clear();
        let words = self.words();
        let last = self.size.saturating_sub(1);
        for row in 0..self.size {
            let own = &self.rows[usize::from(row) * words..][..words];
            let cell = |column: u16| Cell { row, column };
            for (word, free) in own.iter().enumerate() {
                let next = own.get(word + 1).map_or(0, |next| next << 63);
                let fits = free & (free >> 1 | next);
                places(word, fits, |column| out.push(Brick { from: cell(column), to: cell(column + 1) }));
            }
            let wraps = self.is_torus && self.is_free(cell(0)) && self.is_free(cell(last));
            out.extend(wraps.then(|| Brick { from: cell(0), to: cell(last) }));
            let below = match row + 1 {
                below if below < self.size => below,
                _ if self.is_torus => 0,
                _ => continue,
            };
            for (word, free) in own.iter().enumerate() {
                let fits = free & self.rows[usize::from(below) * words + word];
                places(word, fits, |column| {
                    out.push(Brick::new(cell(column), Cell { row: below, column }));
                });
            }
        }
    }

    /// Puts a brick that fits, or lies [loosely](Board::are_loose) on free cells.
    ///
    /// # Panics
    ///
    /// If it does neither.
    pub fn put(&mut self, brick: Brick) {
        let is_free = brick.cells().into_iter().all(|cell| self.is_free(cell));
        assert!(self.fits(brick) || is_free && self.are_loose(brick), "{brick} does not fit");
        brick.cells().into_iter().for_each(|cell| self.fill(cell));
    }

    /// Fills a free cell.
    #[inline]
    fn fill(&mut self, cell: Cell) {
        let free = self.neighbours(cell).filter(|near| self.is_free(*near)).count();
        self.bricks -= u32::try_from(free).expect("a cell has four neighbours");
        let word = self.word(cell);
        self.rows[word] &= !(1 << (cell.column % 64));
    }

    /// Returns all rows as bits, for digests.
    pub(crate) fn bits(&self) -> &[u64] {
        &self.rows
    }

    /// Returns the number of words of a row.
    fn words(&self) -> usize {
        usize::from(self.size).div_ceil(64)
    }

    #[inline]
    fn word(&self, cell: Cell) -> usize {
        usize::from(cell.row) * self.words() + usize::from(cell.column / 64)
    }
}

/// The columns whose bits are set in this word of a row.
#[inline]
fn places(word: usize, mut bits: u64, mut visit: impl FnMut(u16)) {
    while bits != 0 {
        #[expect(clippy::cast_possible_truncation, reason = "the longest row has 999 cells")]
        visit((64 * word) as u16 + bits.trailing_zeros() as u16);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    fn brick(text: &str) -> Brick {
        text.parse().unwrap()
    }

    fn board(config: &Config) -> Board {
        config.board(&mut Seed::new(7).game())
    }

    #[test]
    fn sizes_are_odd_and_have_limits() {
        for size in [3, 5, 63, 65, 999] {
            assert_eq!(Config::new(size).map(|config| config.size()), Ok(size));
        }
        for size in [0, 1, 2, 4, 998, 1000, 1001] {
            assert_eq!(Config::new(size), Err(ConfigError::Size(size)));
        }
        let told = ConfigError::Size(4).to_string();
        assert_eq!(told, "a board of 4×4 cells: expected an odd number from 3 to 999");
    }

    #[test]
    fn cells_are_filled_once_on_the_board() {
        let told = |cells: &[(u16, u16)]| {
            let cells = cells.iter().map(|(column, row)| Cell::new(*column, *row));
            Config::new(3).unwrap().filled(cells).unwrap_err().to_string()
        };
        let outside = told(&[(0, 0), (3, 1)]);
        assert_eq!(outside, "cell 3x1 is not on the board: expected columns and rows from 0 to 2");
        assert_eq!(told(&[(1, 2), (0, 0), (1, 2)]), "cell 1x2 is filled twice: expected every cell once");
        let eight = Config::new(3).unwrap().filled_at_random(8).unwrap();
        let error = eight.filled([Cell::new(0, 0), Cell::new(1, 1)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "8 more cells to fill: expected at most 7, the number of cells that are left"
        );
    }

    #[test]
    fn the_seed_fills_as_many_cells_as_are_asked_for() {
        let config = Config::new(21).unwrap().filled([Cell::new(4, 5)]).unwrap();
        let config = config.filled_at_random(40).unwrap();
        let filled = |seed| config.board(&mut Seed::new(seed).game());
        let [one, other] = [1, 2].map(filled);
        for board in [&one, &other] {
            assert_eq!(board.free_cells().count(), 400);
            assert!(!board.is_free(Cell::new(4, 5)));
        }
        assert_eq!(one, filled(1));
        assert_ne!(one, other);
        let all = Config::new(3).unwrap().filled_at_random(9).unwrap();
        assert_eq!(board(&all).free_cells().count(), 0);
    }

    #[test]
    fn cells_at_the_edge_are_neighbours_on_a_torus_only() {
        let plain = board(&Config::new(5).unwrap());
        let torus = board(&Config::new(5).unwrap().torus(true));
        for (text, on_plain, on_torus) in [
            ("0x0_1x0", true, true),
            ("2x3_2x2", true, true),
            ("0x0_4x0", false, true),
            ("3x4_3x0", false, true),
            ("4x0_0x1", false, false), // the end of a row and the beginning of the next
            ("0x0_1x1", false, false),
            ("0x0_2x0", false, false),
            ("0x0_4x4", false, false),
            ("2x2_2x2", false, false),
            ("4x4_5x4", false, false),
            ("0x5_0x0", false, false),
            ("65535x0_0x0", false, false),
        ] {
            let found = [&plain, &torus].map(|board| board.fits(brick(text)));
            assert_eq!(found, [on_plain, on_torus], "{text}");
        }
    }

    /// Compares the list and the count with all bricks on a free cell and one of its neighbours.
    #[test]
    fn the_list_has_exactly_the_bricks_that_fit() {
        for (size, is_torus, filled) in
            [(3, false, 0), (3, true, 2), (7, false, 9), (7, true, 9), (65, false, 900), (65, true, 900)]
        {
            let config = Config::new(size).unwrap().torus(is_torus).filled_at_random(filled).unwrap();
            let mut board = board(&config);
            let mut listed = vec![brick("0x0_0x0")];
            let mut chance = Seed::new(3).game();
            for _ in 0..3 {
                board.list(&mut listed);
                assert_eq!(listed.len(), board.brick_count() as usize, "{size} {is_torus}");
                let mut fit: Vec<Brick> = board
                    .free_cells()
                    .flat_map(|cell| board.neighbours(cell).map(move |near| Brick::new(cell, near)))
                    .filter(|brick| board.fits(*brick))
                    .collect();
                fit.sort_unstable();
                fit.dedup();
                let mut sorted = listed.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, fit, "{size} {is_torus}");
                board.put(listed[chance.index(listed.len())]);
            }
        }
    }
}
