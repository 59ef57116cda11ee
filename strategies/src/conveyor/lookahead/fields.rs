//! The fields of a board and the distances between them as numbers, in tables for the inner loop of the search.

use game_conveyor::{Config, Direction, Place, Steps};

use crate::conveyor::belief::{is_inner, points, shares};
use crate::conveyor::offset::Offset;

/// Index of a field: see [`Config::index`].
pub(super) type FieldIndex = u16;

/// Index of a distance.
pub(super) type Distance = usize;

/// A limit of the probability that a conveyor starts on a field, for the worth of homes far away: with 1, none of them
/// would be worth anything.
const MOST_STARTS: f64 = 0.7;

/// The tables of a board.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    /// By direction, steps and field: the field that a move leads to.
    targets: [[Vec<Option<FieldIndex>>; 3]; 4],
    /// By field: a number such that the difference of two of them tells their distance.
    numbers: Vec<usize>,
    /// Index of the distance 0.
    zero: Distance,
    /// By field: the probability that no conveyor starts there.
    stays: Vec<f32>,
    /// By the direction in which the player looks, the last for an unknown one, and by distance: the worth of a home
    /// there.
    worth: [Vec<f32>; 5],
    /// By distance of the home: the probability of each direction in a hint.
    points: Vec<[f32; 4]>,
}

impl Fields {
    /// Creates the tables of a board. Each request on the way to a home multiplies its worth by `discount`, and each
    /// move by the probability that no conveyor starts on an inner field. `turns` is for the player that turns and
    /// goes ahead.
    #[expect(clippy::cast_possible_truncation, reason = "as exact as a guess has to be")]
    pub(super) fn new(config: Config, discount: f32, turns: bool) -> Self {
        let places: Vec<Place> = config.places().collect();
        let (_, start) = shares(config);
        let stays = |place: &Place| if is_inner(config, *place) { 1.0 - start as f32 } else { 1.0 };
        // Every field counts as a possible start. Otherwise a player would gain by waiting beside an inner one.
        let stays_anywhere = 1.0 - start.min(MOST_STARTS) as f32;
        let (columns, rows) = (i16::from(config.columns()), i16::from(config.rows()));
        let powers = |factor: f32| -> Vec<f32> {
            std::iter::successors(Some(1.0), |power| Some(power * factor)).take(places.len() + 2).collect()
        };
        let (after_moves, after_turns) = (powers(discount * stays_anywhere), powers(discount));
        let worth = |heading: Option<Direction>, way: Offset| {
            let turns_first = if turns { turns_on_the_way(heading, way) } else { 0 };
            after_moves[usize::from(moves(way, turns))] * after_turns[turns_first]
        };
        let distances =
            || (1 - rows..rows).flat_map(move |up| (1 - columns..columns).map(move |right| (right, up)));
        let width = 2 * usize::from(config.columns()) - 1;
        let numbers: Vec<usize> =
            places.iter().map(|place| usize::from(place.row) * width + usize::from(place.column)).collect();
        let target = |direction, steps: Steps| -> Vec<Option<FieldIndex>> {
            let target = |place: &Place| config.ahead(*place, direction, steps.fields());
            places.iter().map(|place| target(place).map(|place| index(config, place))).collect()
        };
        Self {
            targets: Direction::ALL.map(|direction| Steps::ALL.map(|steps| target(direction, steps))),
            zero: numbers[numbers.len() - 1] - numbers[0],
            numbers,
            stays: places.iter().map(stays).collect(),
            worth: std::array::from_fn(|heading| {
                let heading = Direction::ALL.get(heading).copied();
                distances().map(|way| worth(heading, way)).collect()
            }),
            points: distances().map(|way| Direction::ALL.map(|to| points(way, to) as f32)).collect(),
        }
    }

    /// Returns the number of distances.
    pub(super) fn distances(&self) -> usize {
        self.points.len()
    }

    /// Returns the field that a move leads to; none if it is refused.
    pub(super) fn target(&self, from: FieldIndex, direction: Direction, steps: Steps) -> Option<FieldIndex> {
        self.targets[direction as usize][steps as usize][usize::from(from)]
    }

    /// Returns the distance from a field to a home.
    pub(super) fn distance(&self, from: FieldIndex, home: FieldIndex) -> Distance {
        self.numbers[usize::from(home)] + self.zero - self.numbers[usize::from(from)]
    }

    /// Returns the probability that a move to this field leaves the player there.
    pub(super) fn stays(&self, field: FieldIndex) -> f32 {
        self.stays[usize::from(field)]
    }

    /// Returns the worth of a home at this distance to a player that looks there, as far as that is known.
    pub(super) fn worth(&self, heading: Option<Direction>, distance: Distance) -> f32 {
        self.worth[heading.map_or(Direction::ALL.len(), |heading| heading as usize)][distance]
    }

    /// Returns the probability of each direction in a hint for a home at this distance.
    pub(super) fn points(&self, distance: Distance) -> [f32; 4] {
        self.points[distance]
    }
}

/// Returns the least number of moves to a field.
fn moves((right, up): Offset, turns: bool) -> u16 {
    let longest = u16::from(if turns { Steps::Three.fields() } else { Steps::One.fields() });
    right.unsigned_abs().div_ceil(longest) + up.unsigned_abs().div_ceil(longest)
}

/// Returns the least number of turns on the way to a field. A way has at most two directions; the player turns to each
/// of them, unless it looks there already.
fn turns_on_the_way(heading: Option<Direction>, way: Offset) -> usize {
    let leads = |to: &Direction| {
        let ((right, up), (east, north)) = (way, to.offset());
        right * east > 0 || up * north > 0
    };
    Direction::ALL.into_iter().filter(leads).filter(|to| heading != Some(*to)).count()
}

/// Returns the index of a field.
#[expect(clippy::cast_possible_truncation, reason = "a board has at most 99×99 fields")]
pub(super) fn index(config: Config, place: Place) -> FieldIndex {
    config.index(place) as FieldIndex
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conveyor::offset::offset;

    #[test]
    fn a_distance_tells_where_the_home_lies_and_what_it_is_worth() {
        for (columns, rows) in [(5, 4), (1, 6), (6, 1), (1, 3)] {
            let config = Config::new(columns, rows).unwrap();
            let fields = Fields::new(config, 0.5, false);
            for (place, home) in
                config.places().flat_map(|place| config.places().map(move |home| (place, home)))
            {
                let way = offset(place, home);
                let distance = fields.distance(index(config, place), index(config, home));
                assert_eq!(distance == fields.zero, place == home);
                let worth = 0.5_f32.powi((way.0.abs() + way.1.abs()).into());
                assert_eq!(fields.worth(None, distance), worth, "{place} to {home}");
                let points = Direction::ALL.map(|to| points(way, to));
                assert_eq!(fields.points(distance).map(f64::from), points, "{place} to {home}");
            }
        }
    }

    /// Turns count, and so do the fields on which a conveyor may start.
    #[test]
    fn a_home_is_worth_less_for_each_turn_and_conveyor_on_the_way() {
        let config = Config::new(6, 6).unwrap().with_conveyors(4).unwrap();
        let fields = Fields::new(config, 0.5, true);
        let [corner, home] = [Place::new(1, 1), Place::new(5, 2)].map(|place| index(config, place));
        // Two moves to the right and one up; a quarter of the inner fields are starts.
        let moves = (0.5_f32 * 0.75).powi(3);
        for (heading, turns) in [(Some(Direction::Up), 1), (Some(Direction::Left), 2), (None, 2)] {
            let worth = fields.worth(heading, fields.distance(corner, home));
            assert!((worth - moves * 0.5_f32.powi(turns)).abs() < 1e-6, "{heading:?}: {worth}");
        }
        assert_eq!([corner, home].map(|field| fields.stays(field)), [1.0, 0.75]);
    }
}
