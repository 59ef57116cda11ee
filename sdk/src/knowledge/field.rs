//! A belief about one field, and the store of all fields.
//!
//! An agent sees few of a million fields: the store takes memory for those it has learnt something of, a page
//! of 16 by 16 at a time.

use std::ops::Range;

use game_env::{AgentId, SimTime};
use game_project::{Distance, Geometry, GoalBelief, Position};

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

pub(super) type Belief<T> = Learnt<T>;

/// The knowledge of one field, packed: boards are large and agents are many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    distance: Option<Distance>,
    distance_from: u16,
    distance_at: u32,
    goal_at: u32,
    goal_from: u16,
    goal: GoalBelief,
    met_at: u32,
}

/// The source that stands for the agent itself: no game has this many agents.
const OWN: u16 = u16::MAX;

/// A moment that no game reaches.
const NEVER: u32 = u32::MAX;

impl Default for Field {
    fn default() -> Self {
        Self {
            distance: None,
            distance_from: OWN,
            distance_at: 0,
            goal_at: 0,
            goal_from: OWN,
            goal: GoalBelief::Unknown,
            met_at: NEVER,
        }
    }
}

impl Field {
    pub(super) fn goal(&self) -> Option<Belief<GoalBelief>> {
        let known = self.goal != GoalBelief::Unknown;
        known.then(|| Belief { value: self.goal, at: moment(self.goal_at), from: source(self.goal_from) })
    }

    pub(super) fn set_goal(&mut self, belief: Belief<GoalBelief>) {
        (self.goal, self.goal_at, self.goal_from) = (belief.value, pack(belief.at), number(belief.from));
    }

    pub(super) fn distance(&self) -> Option<Belief<Distance>> {
        let value = self.distance?;
        Some(Belief { value, at: moment(self.distance_at), from: source(self.distance_from) })
    }

    pub(super) fn set_distance(&mut self, belief: Belief<Distance>) {
        self.distance = Some(belief.value);
        (self.distance_at, self.distance_from) = (pack(belief.at), number(belief.from));
    }

    pub(super) fn forget_distance(&mut self) {
        self.distance = None;
    }

    /// Returns the time at which another agent was met here.
    pub(super) fn met(&self) -> Option<SimTime> {
        (self.met_at != NEVER).then(|| moment(self.met_at))
    }

    pub(super) fn meet(&mut self, now: SimTime) {
        self.met_at = pack(now);
    }

    pub(super) fn forget_meeting(&mut self) {
        self.met_at = NEVER;
    }
}

fn moment(packed: u32) -> SimTime {
    SimTime::from_millis(packed.into())
}

/// Of a game of more than 49 days everything was learnt on its last day.
fn pack(moment: SimTime) -> u32 {
    u32::try_from(moment.as_millis()).unwrap_or(NEVER - 1)
}

fn source(number: u16) -> Source {
    if number == OWN { Source::Own } else { Source::Told(AgentId::new(number)) }
}

fn number(source: Source) -> u16 {
    match source {
        Source::Own => OWN,
        Source::Told(agent) => u16::try_from(agent.index()).expect("ids of agents have 16 bits"),
    }
}

/// A table of all fields that takes memory where something was written.
#[derive(Clone, Debug)]
pub(super) struct Pages<T> {
    across: usize,
    pages: Vec<Option<Box<[T; SIDE * SIDE]>>>,
}

/// The side of a page, in fields.
const SIDE: usize = 16;

impl<T: Copy + Default> Pages<T> {
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
    pub(super) fn get(&self, at: Position) -> Option<&T> {
        let (page, place) = self.place(at);
        self.pages[page].as_ref().map(|page| &page[place])
    }

    /// # Panics
    ///
    /// As [`Pages::get`].
    #[inline]
    pub(super) fn get_mut(&mut self, at: Position) -> &mut T {
        let (page, place) = self.place(at);
        &mut self.pages[page].get_or_insert_with(|| Box::new([T::default(); SIDE * SIDE]))[place]
    }

    /// The fields of these columns of a row, without those of pages on which nothing was written.
    pub(super) fn row(&self, y: u16, columns: Range<u16>) -> impl Iterator<Item = (u16, &T)> {
        let (first, end) = (usize::from(columns.start), usize::from(columns.end));
        let y = usize::from(y);
        let pages = first / SIDE..end.div_ceil(SIDE);
        pages.flat_map(move |across| {
            let start = across * SIDE;
            let part = first.max(start)..end.min(start + SIDE);
            let fields = self.pages[y / SIDE * self.across + across].as_ref().map(|page| {
                let row = &page[y % SIDE * SIDE..][..SIDE];
                (columns.start.max(narrow(start))..).zip(&row[part.start - start..part.end - start])
            });
            fields.into_iter().flatten()
        })
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

    #[test]
    fn rows_have_the_fields_of_their_columns() {
        let geometry = Geometry::new(40, 35, 5).unwrap();
        let mut pages = Pages::<u32>::new(geometry);
        for (number, at) in (1..).zip(geometry.positions()) {
            if !(16..32).contains(&at.x) || at.y < 16 {
                *pages.get_mut(at) = number;
            }
        }
        for (y, columns) in [(3, 0..40), (20, 0..40), (34, 5..39), (34, 33..34), (7, 31..33), (20, 16..32)] {
            let row: Vec<_> = pages.row(y, columns.clone()).map(|(x, number)| (x, *number)).collect();
            let all = columns.filter_map(|x| Some((x, *pages.get(Position::new(x, y))?)));
            assert_eq!(row, all.collect::<Vec<_>>(), "row {y}");
        }
    }

    #[test]
    fn every_field_of_a_board_of_many_pages_has_its_own_place() {
        let geometry = Geometry::new(40, 35, 5).unwrap();
        let mut pages = Pages::<u32>::new(geometry);
        for (number, at) in (1..).zip(geometry.positions()) {
            *pages.get_mut(at) = number;
        }
        for (number, at) in (1..).zip(geometry.positions()) {
            assert_eq!(pages.get(at), Some(&number), "{at}");
        }
    }
}
