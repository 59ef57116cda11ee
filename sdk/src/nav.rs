//! Paths over the known board: distances, steps around other agents, sweeps over an area, and sets of fields with their
//! nearest field.

use game_env::{Choice, Millis, SimTime};
use game_project::{Action, ActionKind, Area, Direction, Geometry, Position, Team};

use crate::knowledge::Knowledge;
use crate::view::View;

/// The number of moves between two fields on an empty board.
///
/// ```
/// use sdk::nav;
/// use sdk::prelude::*;
///
/// assert_eq!(nav::moves(Position::new(1, 1), Position::new(0, 5)), 5);
/// ```
pub fn moves(from: Position, to: Position) -> u16 {
    from.x.abs_diff(to.x) + from.y.abs_diff(to.y)
}

/// The directions that lead nearer to a field. The direction with the longer distance comes first.
///
/// ```
/// use sdk::nav::towards;
/// use sdk::prelude::*;
///
/// let (from, to) = (Position::new(1, 1), Position::new(0, 5));
/// assert_eq!(towards(from, to).collect::<Vec<_>>(), [Direction::North, Direction::West]);
/// ```
pub fn towards(from: Position, to: Position) -> impl Iterator<Item = Direction> {
    let upright = match () {
        () if to.y > from.y => Some(Direction::North),
        () if to.y < from.y => Some(Direction::South),
        () => None,
    };
    let level = match () {
        () if to.x > from.x => Some(Direction::East),
        () if to.x < from.x => Some(Direction::West),
        () => None,
    };
    let (first, second) =
        if from.y.abs_diff(to.y) >= from.x.abs_diff(to.x) { (upright, level) } else { (level, upright) };
    first.into_iter().chain(second)
}

/// The first step of a shortest path to a field, around agents that were met a moment ago. `None` if there is no path,
/// if the agent stands on the field, or if it stands next to the field and another agent was met there. [`walk_to`]
/// handles these cases.
///
/// Only the neighbourhood of the agent is searched. Fields further away count as free, because agents that are there
/// now will have moved.
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
/// let step = situation.see(|view| nav::step_to(view, Position::new(1, 3)));
/// assert_eq!(step, Some(Direction::North));
/// assert_eq!(situation.see(|view| nav::step_to(view, view.position())), None);
/// ```
pub fn step_to(view: &View<'_>, to: Position) -> Option<Direction> {
    let from = view.position();
    let is_free = |direction: &Direction| is_free(view, *direction);
    // With nobody in the way every step towards the field is on a shortest way.
    if let Some(direction) = towards(from, to).find(is_free) {
        return Some(direction);
    }
    let near = near_point(from, to);
    let is_near = |at: Position| at.x.abs_diff(from.x).max(at.y.abs_diff(from.y)) <= AHEAD + ASIDE;
    let path = search(view.knowledge, view.now, view.own.team, (from, near), is_near)?;
    let next = path.get(1).filter(|next| !view.knowledge.is_occupied(**next, view.now))?;
    Direction::ALL.into_iter().find(|direction| view.geometry().neighbour(from, *direction) == Some(*next))
}

/// A step to a field, around other agents. If there is no such step, the result of [`give_way`].
///
/// A strategy that uses only [`step_to`] can stay in front of another agent without end: both agents wait for each
/// other, or both step aside and back at the same time.
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
/// let choice = situation.see(|view| nav::walk_to(view, Position::new(0, 3)));
/// assert!([Direction::North, Direction::West].map(|way| Choice::Act(Action::Move(way))).contains(&choice));
/// ```
pub fn walk_to(view: &mut View<'_>, to: Position) -> Choice<Action> {
    let here = view.position();
    if let Some(direction) = towards(here, to).find(|direction| is_free(view, *direction)) {
        return Action::Move(direction).into();
    }
    let detour = step_to(view, to);
    give_way(view, detour)
}

/// The shortest time to stand still, for boards on which moves cost nothing.
const SHORTEST_PAUSE: Millis = Millis::new(10);

/// Chooses at random what to do if another agent is in the way: a step aside (on the detour, if there is one) or a
/// short wait. Without this random choice, two agents that meet would repeat the same moves without end.
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
/// let choice = situation.see(|view| nav::give_way(view, Some(Direction::South)));
/// assert!(matches!(choice, Choice::Act(Action::Move(Direction::South)) | Choice::Wait(_)));
/// ```
pub fn give_way(view: &mut View<'_>, detour: Option<Direction>) -> Choice<Action> {
    let free: Vec<Direction> =
        Direction::ALL.into_iter().filter(|direction| is_free(view, *direction)).collect();
    if free.is_empty() || view.chance.below(2) == 0 {
        let pause = Millis::new(view.penalty(ActionKind::Move).as_millis() / 2).max(SHORTEST_PAUSE);
        return Choice::Wait(view.now + pause);
    }
    let direction = detour.unwrap_or_else(|| free[view.chance.index(free.len())]);
    Action::Move(direction).into()
}

/// Number of columns and rows that a search for a way around others looks ahead: on a large board the search for the
/// whole way would take long.
const AHEAD: u16 = 6;

/// Number of columns and rows by which a way around others may go beyond that.
const ASIDE: u16 = 3;

/// The field at most [`AHEAD`] columns and rows away from which the way goes on to `to`.
fn near_point(from: Position, to: Position) -> Position {
    let towards = |from: u16, to: u16| to.clamp(from.saturating_sub(AHEAD), from + AHEAD);
    Position::new(towards(from.x, to.x), towards(from.y, to.y))
}

/// Whether the rules allow a step in this direction, and no agent was met there a moment ago.
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
/// assert!(situation.see(|view| nav::is_free(view, Direction::East)));
/// // A refused move tells that somebody is there.
/// let met = situation.after(&["#1 move N", "move E?"]);
/// assert!(!met.see(|view| nav::is_free(view, Direction::East)));
/// ```
pub fn is_free(view: &View<'_>, direction: Direction) -> bool {
    let next = view.geometry().neighbour(view.position(), direction);
    view.is_passable(direction) && next.is_some_and(|next| !view.knowledge.is_occupied(next, view.now))
}

/// A shortest path from one field to another, both included, around the other team's goal area and agents that were met
/// a moment ago. `None` if there is no path. The last field may be occupied.
///
/// The search takes longer for distant fields and for many agents in the way. If there is no path, it searches the
/// whole board. A strategy that needs one step should use [`step_to`].
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
/// let way = situation.see(|view| {
///     nav::path(view.knowledge, view.now, view.own.team, view.position(), Position::new(0, 3))
/// });
/// assert_eq!(way.map(|way| way.len()), Some(3), "both ends are part of it");
/// ```
pub fn path(
    knowledge: &Knowledge,
    now: SimTime,
    team: Team,
    from: Position,
    to: Position,
) -> Option<Vec<Position>> {
    search(knowledge, now, team, (from, to), |_| true)
}

/// As [`path`], by way of fields for which this holds.
fn search(
    knowledge: &Knowledge,
    now: SimTime,
    team: Team,
    (from, to): (Position, Position),
    is_near: impl Fn(Position) -> bool,
) -> Option<Vec<Position>> {
    let geometry = knowledge.geometry();
    let forbidden = Area::Goal(team.opponent());
    let is_near = &is_near;
    let is_free = move |at: Position| at == to || !knowledge.is_occupied(at, now);
    let neighbours = |at: &Position| {
        let at = *at;
        Direction::ALL
            .into_iter()
            .filter_map(move |direction| geometry.neighbour(at, direction))
            .filter(move |next| geometry.area(*next) != forbidden && is_near(*next) && is_free(*next))
            .map(|next| (next, 1))
            .collect::<Vec<_>>()
    };
    let found = pathfinding::directed::astar::astar(&from, neighbours, |at| moves(*at, to), |at| *at == to);
    found.map(|(path, _)| path)
}

/// The fields of an area in the order of a sweep: row by row, in alternating directions, from the corner nearest to
/// `from`.
///
/// `rows` and `columns` are half-open ranges.
///
/// ```
/// use sdk::nav;
/// use sdk::prelude::*;
///
/// let fields: Vec<String> = nav::sweep(Position::new(0, 0), 0..2, 0..2).map(|at| at.to_string()).collect();
/// assert_eq!(fields, ["0,0", "1,0", "1,1", "0,1"]);
/// ```
pub fn sweep(
    from: Position,
    columns: std::ops::Range<u16>,
    rows: std::ops::Range<u16>,
) -> impl Iterator<Item = Position> {
    let starts_low = from.y < rows.start + rows.end.saturating_sub(rows.start) / 2;
    let starts_west = from.x < columns.start + columns.end.saturating_sub(columns.start) / 2;
    let count = rows.end.saturating_sub(rows.start);
    let (first, last) = (rows.start, rows.end.saturating_sub(1));
    (0..count).flat_map(move |step| {
        let y = if starts_low { first + step } else { last - step };
        let eastward = starts_west == (step % 2 == 0);
        let (west, east) = (columns.start, columns.end);
        (west..east).map(move |x| Position::new(if eastward { x } else { west + (east - 1 - x) }, y))
    })
}

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
///     let mut western = nav::FieldSet::new(view.geometry(), 3, 1);
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

    /// The number of fields in the set.
    pub fn len(&self) -> u32 {
        self.size
    }

    /// Whether the set is empty.
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
    ///     let mut task_area = nav::FieldSet::new(view.geometry(), 1, 2);
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

    /// Whether the set contains this field.
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

    /// The fields of the set, row by row from the south, each row from the west.
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

    /// The field of the set with the fewest moves from `from`. If several fields are equally near, the one in the
    /// nearest row.
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
                let distance = moves(from, at);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_visits_every_field_once_step_by_step() {
        for from in [Position::new(0, 0), Position::new(9, 0), Position::new(0, 9), Position::new(9, 9)] {
            let fields: Vec<_> = sweep(from, 2..6, 3..6).collect();
            assert_eq!(fields.len(), 12);
            assert!(fields.windows(2).all(|pair| moves(pair[0], pair[1]) == 1), "{fields:?}");
            let corner =
                [2, 5].into_iter().flat_map(|x| [3, 5].map(|y| moves(from, Position::new(x, y)))).min();
            assert_eq!(Some(moves(from, fields[0])), corner);
        }
        assert_eq!(sweep(Position::new(0, 0), 2..2, 3..6).count(), 0);
        assert_eq!(sweep(Position::new(0, 0), 2..5, 3..3).count(), 0);
    }
}
