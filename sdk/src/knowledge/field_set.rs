//! Sets of fields that find their nearest field.

use game_project::{Geometry, Position};

/// A set of fields in some neighbouring rows. It finds the nearest field in almost no time.
///
/// The default has no rows.
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
/// situation.see(|view| {
///     // The fields of red's goal area: its agent has tried none of them.
///     let open = view.knowledge.open();
///     assert_eq!((open.len(), open.contains(Position::new(0, 3))), (3, true));
///     assert_eq!(open.nearest(Position::new(2, 1)), Some(Position::new(2, 3)));
///
///     // A set of one's own: the western column.
///     let mut western = FieldSet::new(view.geometry(), 3, 1);
///     western.insert(Position::new(0, 3));
///     assert_eq!(open.nearest_in(Position::new(2, 1), &western), Some(Position::new(0, 3)));
/// });
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FieldSet {
    columns: u16,
    first_row: u16,
    rows: u16,
    /// The words of a row.
    words: usize,
    bits: Vec<u64>,
    size: u32,
}

impl FieldSet {
    /// Creates an empty set for the fields of `rows` rows from `first_row` on.
    pub fn new(geometry: Geometry, first_row: u16, rows: u16) -> Self {
        let words = usize::from(geometry.columns()).div_ceil(64);
        let bits = vec![0; words * usize::from(rows)];
        Self { columns: geometry.columns(), first_row, rows, words, bits, size: 0 }
    }

    /// Returns the number of fields in the set.
    pub fn len(&self) -> u32 {
        self.size
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Inserts every field that the set can hold.
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
    /// situation.see(|view| {
    ///     let mut task_area = FieldSet::new(view.geometry(), 1, 2);
    ///     task_area.fill();
    ///     assert_eq!(task_area.len(), 6);
    ///     task_area.remove(view.position());
    ///     assert_eq!(task_area.iter().count(), 5);
    /// });
    /// ```
    pub fn fill(&mut self) {
        for y in self.first_row..self.first_row + self.rows {
            for x in 0..self.columns {
                self.insert(Position::new(x, y));
            }
        }
    }

    /// Returns `true` if the set contains this field.
    pub fn contains(&self, at: Position) -> bool {
        self.place(at).is_some_and(|(word, bit)| self.bits[word] & bit != 0)
    }

    /// Inserts a field. Ignores fields outside the rows of the set.
    pub fn insert(&mut self, at: Position) {
        if let Some((word, bit)) = self.place(at) {
            self.size += u32::from(self.bits[word] & bit == 0);
            self.bits[word] |= bit;
        }
    }

    /// Removes a field.
    pub fn remove(&mut self, at: Position) {
        if let Some((word, bit)) = self.place(at) {
            self.size -= u32::from(self.bits[word] & bit != 0);
            self.bits[word] &= !bit;
        }
    }

    /// Returns the fields of the set, row by row from the south, each row from the west.
    pub fn iter(&self) -> impl Iterator<Item = Position> + '_ {
        let narrow = |number: usize| u16::try_from(number).expect("a board has less than 2^16 columns");
        self.bits.iter().enumerate().flat_map(move |(index, word)| {
            let y = self.first_row + narrow(index / self.words);
            let west = index % self.words * 64;
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(Position::new(narrow(west + bit), y))
            })
        })
    }

    /// Returns the field of the set with the fewest moves from `from`. If several fields are equally near, the one in
    /// the nearest row.
    pub fn nearest(&self, from: Position) -> Option<Position> {
        self.nearest_masked(from, None)
    }

    /// As [`FieldSet::nearest`], among the fields that are in both sets.
    ///
    /// # Panics
    ///
    /// If the two sets have different rows or belong to different boards.
    pub fn nearest_in(&self, from: Position, other: &Self) -> Option<Position> {
        self.nearest_masked(from, Some(other))
    }

    fn nearest_masked(&self, from: Position, mask: Option<&Self>) -> Option<Position> {
        if let Some(mask) = mask {
            let same = (mask.first_row, mask.rows, mask.columns) == (self.first_row, self.rows, self.columns);
            assert!(same, "sets of different rows");
        }
        let last_row = self.first_row + self.rows.checked_sub(1)?;
        let start = from.y.clamp(self.first_row, last_row);
        let mut best: Option<(u16, Position)> = None;
        for step in 0..self.rows {
            let aside = start.abs_diff(from.y) + step;
            if best.is_some_and(|(moves, _)| moves <= aside) {
                break;
            }
            let rows = [start.checked_add(step), start.checked_sub(step).filter(|_| step > 0)];
            for y in rows.into_iter().flatten().filter(|y| (self.first_row..=last_row).contains(y)) {
                let Some(x) = self.nearest_in_row(from.x, y, mask) else { continue };
                let at = Position::new(x, y);
                let distance = from.moves_to(at);
                if best.is_none_or(|(moves, _)| distance < moves) {
                    best = Some((distance, at));
                }
            }
        }
        best.map(|(_, at)| at)
    }

    fn nearest_in_row(&self, x: u16, y: u16, mask: Option<&Self>) -> Option<u16> {
        let row = usize::from(y - self.first_row) * self.words;
        let word =
            |index: usize| self.bits[row + index] & mask.map_or(u64::MAX, |mask| mask.bits[row + index]);
        let (home, bit) = (usize::from(x) / 64, u32::from(x) % 64);
        let column = |index: usize, bit: u32| index * 64 + bit as usize;
        let upper = word(home) & (u64::MAX << bit);
        let lower = word(home) & (u64::MAX >> (63 - bit));
        let east = match upper {
            0 => (home + 1..self.words)
                .find(|index| word(*index) != 0)
                .map(|index| column(index, word(index).trailing_zeros())),
            bits => Some(column(home, bits.trailing_zeros())),
        };
        let west = match lower {
            0 => (0..home)
                .rev()
                .find(|index| word(*index) != 0)
                .map(|index| column(index, 63 - word(index).leading_zeros())),
            bits => Some(column(home, 63 - bits.leading_zeros())),
        };
        let near = |column: usize| column.abs_diff(usize::from(x));
        let column = match (west, east) {
            (Some(west), Some(east)) => Some(if near(west) <= near(east) { west } else { east }),
            (west, east) => west.or(east),
        };
        column.map(|column| u16::try_from(column).expect("a board has less than 2^16 columns"))
    }

    fn place(&self, at: Position) -> Option<(usize, u64)> {
        let row = at.y.checked_sub(self.first_row).filter(|row| *row < self.rows)?;
        (at.x < self.columns)
            .then(|| (usize::from(row) * self.words + usize::from(at.x) / 64, 1 << (at.x % 64)))
    }
}
