//! The items that an agent has learnt of a field, and tables of all fields.
//!
//! An agent sees few of a million fields: a table takes memory for those of which it has learnt something, a page of 16
//! by 16 at a time.

use std::ops::Range;

use game_env::{AgentId, SimTime};
use game_project::{Geometry, Position};

/// An item of knowledge, with its time and its source.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Believes only what is less than ten seconds old, or what the agent read itself.
/// fn is_fresh<T>(learnt: &Learnt<T>, now: SimTime) -> bool {
///     learnt.from == Source::Own || now < learnt.at + Millis::new(10_000)
/// }
///
/// let told = Learnt { value: Distance::new(3), at: SimTime::START, from: Source::Told(AgentId::new(1)) };
/// assert!(is_fresh(&told, SimTime::from_millis(9_000)) && !is_fresh(&told, SimTime::from_millis(11_000)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Learnt<T> {
    /// The content.
    pub value: T,
    /// The game time at which the agent learnt it.
    pub at: SimTime,
    /// The source.
    pub from: Source,
}

/// The source of a belief.
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
/// let from = told.see(|view| view.knowledge.distance(view.position()).map(|learnt| learnt.from));
/// assert_eq!(from, Some(Source::Own), "the agent measured it itself");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The agent itself, from the game master's messages.
    Own,
    /// The statement of another agent.
    Told(AgentId),
}

/// An item of knowledge, packed: boards are large and agents are many.
#[derive(Clone, Copy, Debug)]
struct Packed<T> {
    value: T,
    from: u16,
    at: u32,
}

/// The source that stands for the agent itself: no game has this many agents.
const OWN: u16 = u16::MAX;

/// The source of an item that is not known.
const NOBODY: u16 = u16::MAX - 1;

impl<T: Copy> Packed<T> {
    #[inline]
    fn learnt(&self) -> Option<Learnt<T>> {
        let from = match self.from {
            NOBODY => return None,
            OWN => Source::Own,
            agent => Source::Told(AgentId::new(agent)),
        };
        Some(Learnt { value: self.value, at: SimTime::from_millis(self.at.into()), from })
    }
}

impl<T> From<Learnt<T>> for Packed<T> {
    fn from(Learnt { value, at, from }: Learnt<T>) -> Self {
        let from = match from {
            Source::Own => OWN,
            Source::Told(agent) => u16::try_from(agent.index()).expect("ids of agents have 16 bits"),
        };
        // Of a game of more than 49 days everything was learnt on its last day.
        Self { value, from, at: u32::try_from(at.as_millis()).unwrap_or(u32::MAX) }
    }
}

/// The items that were learnt of each field; the table takes memory where something was written.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    across: usize,
    pages: Vec<Option<Box<[Packed<T>; SIDE * SIDE]>>>,
}

/// The side of a page, in fields.
const SIDE: usize = 16;

impl<T: Copy> Table<T> {
    pub(super) fn new(geometry: Geometry) -> Self {
        let across = usize::from(geometry.columns()).div_ceil(SIDE);
        let up = usize::from(geometry.rows()).div_ceil(SIDE);
        Self { across, pages: vec![None; across * up] }
    }

    /// The field must be on the board: off it lie other fields' places, or none.
    ///
    /// # Panics
    ///
    /// If the field is off the board by more than a page.
    #[inline]
    pub(super) fn get(&self, at: Position) -> Option<Learnt<T>> {
        let (page, place) = self.place(at);
        self.pages[page].as_ref()?[place].learnt()
    }

    /// # Panics
    ///
    /// As [`Table::get`].
    #[inline]
    pub(super) fn set(&mut self, at: Position, learnt: Learnt<T>) {
        let (page, place) = self.place(at);
        let unknown = Packed { value: learnt.value, from: NOBODY, at: 0 };
        self.pages[page].get_or_insert_with(|| Box::new([unknown; SIDE * SIDE]))[place] = learnt.into();
    }

    /// # Panics
    ///
    /// As [`Table::get`].
    #[inline]
    pub(super) fn forget(&mut self, at: Position) {
        let (page, place) = self.place(at);
        if let Some(page) = &mut self.pages[page] {
            page[place].from = NOBODY;
        }
    }

    /// Calls `each` for the fields of these columns of a row of which something is known, from the west.
    #[inline]
    pub(super) fn row(&self, y: u16, columns: Range<u16>, mut each: impl FnMut(u16, Learnt<T>)) {
        let (first, end) = (usize::from(columns.start), usize::from(columns.end));
        let y = usize::from(y);
        for across in first / SIDE..end.div_ceil(SIDE) {
            let Some(page) = &self.pages[y / SIDE * self.across + across] else { continue };
            let start = across * SIDE;
            let part = first.max(start)..end.min(start + SIDE);
            let row = &page[y % SIDE * SIDE..][..SIDE];
            for (x, field) in (narrow(part.start)..).zip(&row[part.start - start..part.end - start]) {
                if let Some(learnt) = field.learnt() {
                    each(x, learnt);
                }
            }
        }
    }

    fn place(&self, at: Position) -> (usize, usize) {
        let (x, y) = (usize::from(at.x), usize::from(at.y));
        (y / SIDE * self.across + x / SIDE, y % SIDE * SIDE + x % SIDE)
    }
}

fn narrow(number: usize) -> u16 {
    u16::try_from(number).expect("a board has less than 2^16 columns")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(geometry: Geometry, takes: impl Fn(Position) -> bool) -> Table<u32> {
        let mut table = Table::new(geometry);
        for (value, at) in (1..).zip(geometry.positions()) {
            if takes(at) {
                table.set(at, Learnt { value, at: SimTime::START, from: Source::Own });
            }
        }
        table
    }

    #[test]
    fn rows_have_the_known_fields_of_their_columns() {
        let geometry = Geometry::new(40, 35, 5).unwrap();
        let table = numbered(geometry, |at| (!(16..32).contains(&at.x) || at.y < 16) && at.x % 3 != 0);
        for (y, columns) in [(3, 0..40), (20, 0..40), (34, 5..39), (34, 33..34), (7, 31..33), (20, 16..32)] {
            let mut row = Vec::new();
            table.row(y, columns.clone(), |x, learnt| row.push((x, learnt.value)));
            let all = columns.filter_map(|x| Some((x, table.get(Position::new(x, y))?.value)));
            assert_eq!(row, all.collect::<Vec<_>>(), "row {y}");
        }
    }

    #[test]
    fn every_field_of_a_board_of_many_pages_has_its_own_place() {
        let geometry = Geometry::new(40, 35, 5).unwrap();
        let mut table = numbered(geometry, |_| true);
        for (number, at) in (1..).zip(geometry.positions()) {
            assert_eq!(table.get(at).map(|learnt| learnt.value), Some(number), "{at}");
            table.forget(at);
            assert_eq!(table.get(at), None, "{at}");
        }
    }

    #[test]
    fn packed_items_keep_their_time_and_their_source() {
        let learnt = |at, from| Learnt { value: 7, at, from };
        let late = SimTime::from_millis(u32::MAX.into());
        for (given, kept) in [
            (learnt(SimTime::from_millis(5), Source::Own), None),
            (learnt(SimTime::START, Source::Told(AgentId::new(0))), None),
            (learnt(SimTime::from_millis(1 << 40), Source::Own), Some(learnt(late, Source::Own))),
        ] {
            assert_eq!(Packed::from(given).learnt(), Some(kept.unwrap_or(given)));
        }
    }
}
