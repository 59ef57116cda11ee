//! Beliefs about the place of a player and its home: a probability for each pair of them, from its own requests and
//! their answers.
//!
//! Each answer multiplies the probability of a pair by how well it fits:
//!
//! - a refusal says that the field ahead lies off the board;
//! - a hint says on which side the home lies (where two directions fit, each is given half the time);
//! - any answer but the end of the game says that the place is not the home;
//! - an inner field may be the start of a conveyor, which no answer tells: then the player may be anywhere.
//!
//! The last point is why no pair is excluded for good: a player that was carried finds out when answers stop to fit.

use game_conveyor::{Action, Answer, Config, Direction, Place};

use super::offset::{Offset, offset};

/// The most pairs, each with a direction of the player, that are worth their time: some milliseconds for each answer.
pub const MOST_PAIRS: usize = 1 << 20;

/// The share of the belief that each answer spreads over all pairs again, so that nothing is excluded for good.
const DOUBT: f64 = 0.002;

/// Beliefs of a player. See the [module](self).
#[derive(Clone, Debug)]
pub struct Belief {
    config: Config,
    /// The directions in which the player may look; one that steps in any direction has none, and one table.
    headings: usize,
    /// The places of the player, for each direction in which it may look, for each home.
    pairs: Vec<f64>,
    places: Vec<Place>,
    /// The probability that a field is a hint, and that an inner field is the start of a conveyor.
    hint: f64,
    start: f64,
}

/// Returns the probabilities that a field is a hint, and that an inner field is the start of a conveyor.
pub(super) fn shares(config: Config) -> (f64, f64) {
    let inner = f64::from(config.columns().saturating_sub(2)) * f64::from(config.rows().saturating_sub(2));
    let start = if inner > 0.0 { f64::from(config.conveyors()) / inner } else { 0.0 };
    (f64::from(config.hints()) / f64::from(config.fields()), start)
}

/// Returns whether a conveyor may start at a place.
pub(super) fn is_inner(config: Config, place: Place) -> bool {
    place.column > 1 && place.column < config.columns() && place.row > 1 && place.row < config.rows()
}

impl Belief {
    /// Nothing is known but that the player is not at home; none if there are more than [`MOST_PAIRS`].
    ///
    /// `turns` is for the player that turns and goes ahead.
    pub fn new(config: Config, turns: bool) -> Option<Self> {
        let fields = usize::from(config.fields());
        let headings = if turns { Direction::ALL.len() } else { 1 };
        if fields * fields * headings > MOST_PAIRS {
            return None;
        }
        let (hint, start) = shares(config);
        let mut belief = Self {
            config,
            headings,
            pairs: vec![1.0; fields * fields * headings],
            places: config.places().collect(),
            hint,
            start,
        };
        belief.leave_home();
        belief.normalise();
        Some(belief)
    }

    /// Returns the probability that the player is at a place.
    ///
    /// # Panics
    ///
    /// Off the board.
    pub fn at(&self, place: Place) -> f64 {
        let index = self.index(place);
        self.pairs.iter().skip(index).step_by(self.places.len()).sum()
    }

    /// Returns the probability that the home is at a place.
    ///
    /// # Panics
    ///
    /// Off the board.
    pub fn home(&self, place: Place) -> f64 {
        let size = self.places.len() * self.headings;
        self.pairs[self.index(place) * size..][..size].iter().sum()
    }

    fn index(&self, place: Place) -> usize {
        assert!(self.config.has(place), "the board has no field {place}");
        self.config.index(place)
    }

    /// Calls a function with each pair that has at least this share of the greatest probability: the home, the
    /// direction in which the player may look, its place, and the probability.
    pub(super) fn likeliest(&self, share: f64, mut call: impl FnMut(Place, Direction, Place, f64)) {
        let fields = self.places.len();
        let least = share * self.pairs.iter().copied().fold(0.0, f64::max);
        for (home, pairs) in self.places.iter().zip(self.pairs.chunks(fields * self.headings)) {
            for (heading, table) in Direction::ALL.into_iter().zip(pairs.chunks(fields)) {
                for (place, weight) in self.places.iter().zip(table) {
                    if *weight >= least && place != home {
                        call(*home, heading, *place, *weight);
                    }
                }
            }
        }
    }

    /// The answer to an action has come, and the game goes on. `knows_field` says whether the player has come to a
    /// field that it visited before, and got the same answer there: then the hint, or that there is none, tells nothing
    /// new, and no conveyor starts there.
    pub fn answered(&mut self, action: Action, answer: Answer, knows_field: bool) {
        match (action, answer) {
            // A player learns nothing from a request that only the other one may make.
            (Action::Turn(_), Answer::Refused | Answer::Hint(_)) => return,
            (Action::Turn(direction), Answer::Done) => self.turned(direction),
            (Action::Step(direction), Answer::Refused) => self.refused(Some(direction), 1),
            (Action::Ahead(steps), Answer::Refused) => self.refused(None, steps.fields()),
            (Action::Step(direction), answer) => self.landed(Some(direction), 1, answer, knows_field),
            (Action::Ahead(steps), answer) => self.landed(None, steps.fields(), answer, knows_field),
        }
        self.leave_home();
        self.normalise();
    }

    fn turned(&mut self, direction: Direction) {
        let (fields, headings) = (self.places.len(), self.headings);
        for pairs in self.pairs.chunks_mut(fields * headings) {
            for place in 0..fields {
                let sum = (0..headings).map(|heading| pairs[heading * fields + place]).sum();
                for (heading, other) in Direction::ALL.into_iter().enumerate().take(headings) {
                    pairs[heading * fields + place] = if other == direction { sum } else { 0.0 };
                }
            }
        }
    }

    /// `direction` is that of a step; a player that goes ahead moves as it looks.
    fn refused(&mut self, direction: Option<Direction>, steps: u8) {
        let (fields, config) = (self.places.len(), self.config);
        for pairs in self.pairs.chunks_mut(fields * self.headings) {
            for (heading, table) in Direction::ALL.into_iter().zip(pairs.chunks_mut(fields)) {
                for (weight, place) in table.iter_mut().zip(&self.places) {
                    if config.ahead(*place, direction.unwrap_or(heading), steps).is_some() {
                        *weight = 0.0;
                    }
                }
            }
        }
    }

    fn landed(&mut self, direction: Option<Direction>, steps: u8, answer: Answer, knows_field: bool) {
        let (fields, config) = (self.places.len(), self.config);
        // For each place and each direction in which the player may look: the field reached, and the probability that a
        // conveyor starts there.
        let ways: Vec<Vec<Option<(usize, f64)>>> = Direction::ALL[..self.headings]
            .iter()
            .map(|heading| {
                let way = |place: &Place| {
                    let field = config.ahead(*place, direction.unwrap_or(*heading), steps)?;
                    let start = if is_inner(config, field) && !knows_field { self.start } else { 0.0 };
                    Some((self.index(field), start))
                };
                self.places.iter().map(way).collect()
            })
            .collect();
        let mut landed = vec![0.0; fields * self.headings];
        for (home, pairs) in self.places.iter().zip(self.pairs.chunks_mut(fields * self.headings)) {
            landed.fill(0.0);
            let mut carried = 0.0;
            for (heading, ways) in ways.iter().enumerate() {
                let tables = heading * fields..(heading + 1) * fields;
                for (weight, way) in pairs[tables.clone()].iter().zip(ways) {
                    let (Some((field, start)), true) = (way, *weight > 0.0) else { continue };
                    let fits = match answer {
                        _ if knows_field => 1.0,
                        Answer::Hint(to) => self.hint * points(offset(self.places[*field], *home), to),
                        _ => 1.0 - self.hint,
                    };
                    carried += weight * start;
                    landed[tables.start + field] += weight * (1.0 - start) * fits;
                }
            }
            // A player that was carried gets no hint, wherever it comes to.
            let everywhere = if answer == Answer::Done { carried / landed.len() as f64 } else { 0.0 };
            pairs.iter_mut().zip(&landed).for_each(|(pair, landed)| *pair = landed + everywhere);
        }
    }

    /// A player at home has won, and is asked for nothing more.
    fn leave_home(&mut self) {
        let fields = self.places.len();
        for (home, pairs) in self.pairs.chunks_mut(fields * self.headings).enumerate() {
            pairs.iter_mut().skip(home).step_by(fields).for_each(|weight| *weight = 0.0);
        }
    }

    /// The sum becomes 1 again, some of it spread evenly.
    fn normalise(&mut self) {
        let total: f64 = self.pairs.iter().sum();
        let even = 1.0 / self.pairs.len() as f64;
        // Below the smallest normal numbers a division would lose all digits.
        let scale = if total > f64::MIN_POSITIVE { (1.0 - DOUBT) / total } else { 0.0 };
        let doubt = if scale > 0.0 { DOUBT * even } else { even };
        self.pairs.iter_mut().for_each(|weight| *weight = *weight * scale + doubt);
    }
}

/// Returns the probability that a hint gives this direction if the home lies at this offset from it.
pub(super) fn points((right, up): Offset, direction: Direction) -> f64 {
    let (lies_there, is_straight) = match direction {
        Direction::Up => (up > 0, right == 0),
        Direction::Down => (up < 0, right == 0),
        Direction::Left => (right < 0, up == 0),
        Direction::Right => (right > 0, up == 0),
    };
    match (lies_there, is_straight) {
        (false, _) => 0.0,
        (true, false) => 0.5,
        (true, true) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use game_conveyor::Steps;

    use super::*;

    fn table(belief: &Belief, of: impl Fn(&Belief, Place) -> f64) -> String {
        let mut text = String::new();
        for row in (1..=belief.config.rows()).rev() {
            for column in 1..=belief.config.columns() {
                write!(text, "{:4.0}", 100.0 * of(belief, Place::new(column, row))).unwrap();
            }
            text.push('\n');
        }
        text
    }

    /// Percent, the upper row first.
    fn both(belief: &Belief) -> String {
        format!("at\n{}home\n{}", table(belief, Belief::at), table(belief, Belief::home))
    }

    fn begun(turns: bool) -> Belief {
        Belief::new(Config::new(5, 4).unwrap(), turns).unwrap()
    }

    #[test]
    fn refusals_tell_where_the_player_is() {
        let mut belief = begun(false);
        belief.answered(Action::Step(Direction::Up), Answer::Refused, false);
        belief.answered(Action::Step(Direction::Left), Answer::Refused, false);
        assert!(belief.at(Place::new(1, 4)) > 0.99, "{}", both(&belief));
    }

    #[test]
    fn a_hint_narrows_place_and_home() {
        let mut belief = begun(false);
        belief.answered(Action::Step(Direction::Left), Answer::Refused, false);
        belief.answered(Action::Step(Direction::Right), Answer::Hint(Direction::Right), false);
        insta::assert_snapshot!(both(&belief));
    }

    /// The place of the player is not known, but its home is none of the places that it came by.
    #[test]
    fn what_the_player_walked_over_is_not_home() {
        let mut belief = begun(false);
        let (right, left) = (Action::Step(Direction::Right), Action::Step(Direction::Left));
        for action in [right, left, right, left] {
            belief.answered(action, Answer::Done, false);
        }
        let mut beside = 0.0;
        belief.likeliest(0.0, |home, _, place, weight| {
            if home.row == place.row && (home.column == place.column || home.column == place.column + 1) {
                beside += weight;
            }
        });
        assert!(beside < 0.01, "{beside}");
    }

    #[test]
    fn a_known_field_tells_nothing_new() {
        let [up, down] = [Direction::Up, Direction::Down].map(Action::Step);
        let hint = Answer::Hint(Direction::Left);
        let mut once = begun(false);
        once.answered(Action::Step(Direction::Left), Answer::Refused, false);
        once.answered(down, Answer::Done, false);
        once.answered(up, hint, false);
        let apart = |knows_field| {
            let mut again = once.clone();
            for (action, answer) in [(down, Answer::Done), (up, hint)] {
                again.answered(action, answer, knows_field);
            }
            let places = again.places.clone().into_iter();
            places.map(|home| (again.home(home) - once.home(home)).abs()).sum::<f64>()
        };
        assert!(apart(true) < 0.01 && apart(false) > 0.1, "{} {}", apart(true), apart(false));
    }

    /// A player that looks in an unknown direction learns both from refusals.
    #[test]
    fn turning_makes_the_direction_known() {
        let mut belief = begun(true);
        belief.answered(Action::Turn(Direction::Left), Answer::Done, false);
        belief.answered(Action::Ahead(Steps::One), Answer::Refused, false);
        let first: f64 = (1..=4).map(|row| belief.at(Place::new(1, row))).sum();
        assert!(first > 0.99, "{}", both(&belief));
        let mut left = 0.0;
        belief.likeliest(0.0, |_, heading, _, weight| {
            if heading == Direction::Left {
                left += weight;
            }
        });
        assert!(left > 0.99, "{left}");
    }

    /// The player has counted its steps along the wall and is refused too soon: it was carried.
    #[test]
    fn a_carried_player_finds_out() {
        let config = Config::new(7, 5).unwrap().with_conveyors(2).unwrap();
        let mut belief = Belief::new(config, false).unwrap();
        for (direction, answer) in [
            (Direction::Left, Answer::Refused),
            (Direction::Down, Answer::Refused),
            (Direction::Up, Answer::Done),
            (Direction::Right, Answer::Done),
        ] {
            belief.answered(Action::Step(direction), answer, false);
        }
        assert!(belief.at(Place::new(2, 2)) > 0.8, "{}", both(&belief));
        belief.answered(Action::Step(Direction::Down), Answer::Refused, false);
        assert!(belief.at(Place::new(2, 2)) < 0.01, "{}", both(&belief));
        let lowest: f64 = (1..=7).map(|column| belief.at(Place::new(column, 1))).sum();
        assert!(lowest > 0.9, "{}", both(&belief));
    }

    #[test]
    fn boards_with_too_many_pairs_have_none() {
        assert!(Belief::new(Config::new(32, 32).unwrap(), false).is_some());
        assert!(Belief::new(Config::new(33, 32).unwrap(), false).is_none());
        assert!(Belief::new(Config::new(32, 32).unwrap(), true).is_none());
    }
}
