//! The request that brings a player home soonest: a search over the answers to its next requests.
//!
//! A home that the player reaches with the n-th request from now is worth the n-th power of [`DISCOUNT`], times its
//! probability. The next answer (a refusal, no hint, a hint in one of four directions) divides the pairs of a place and
//! a home, and the player makes the best request for each of these parts. After the last request of the search, each
//! answer counts the best distance only.
//!
//! The search is as deep as the number of pairs allows: on large boards it looks one move ahead until most pairs are
//! improbable, on small ones several from the start.
//!
//! Pairs in which a conveyor carries the player away count 0.

mod fields;

use game_conveyor::{Action, Config, Direction, Steps};

use self::fields::{FieldIndex, Fields, index};
use super::belief::Belief;
use super::offset::{Offset, further};
use super::visited::Visited;

/// Factor by which the worth of a home falls with each request that it is further away.
const DISCOUNT: f32 = 0.9;

/// The most pairs that a search of more than one move visits.
const MOST_VISITS: usize = 200_000;

/// The most answers that agree with a pair: no hint, and the hints that can point to the home.
const ANSWERS: usize = 3;

/// The least probability of a pair that is searched, as a share of the greatest one.
const LEAST: f64 = 0.05;

/// A place of the player and of its home.
#[derive(Clone, Copy, Debug)]
struct Pair {
    place: FieldIndex,
    home: FieldIndex,
    heading: Direction,
    weight: f32,
}

/// A move of the search: a request, and the turn before it if one is needed.
#[derive(Clone, Copy, Debug)]
struct Request {
    /// The direction of the move; `None`: the direction in which the player looks.
    direction: Option<Direction>,
    steps: Steps,
    /// Discount of its actions.
    discount: f32,
    /// The action to begin with.
    first: Action,
}

/// The place and the direction of the player at a point of the search, as far as it knows them.
#[derive(Clone, Copy, Debug)]
struct Stand {
    /// Its place as seen from where the search began; none after a move in an unknown direction.
    at: Option<Offset>,
    /// The direction in which it looks, if it turns and that is known.
    heading: Option<Direction>,
}

/// The search on one board. See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Lookahead {
    config: Config,
    fields: Fields,
    /// Whether the player turns and goes ahead.
    turns: bool,
    requests: Vec<Request>,
    /// The probability of a hint on a field that was not visited.
    hint: f32,
    /// The fields that were visited, as seen from where the search began.
    visited: Vec<Offset>,
    /// Sums for [`Self::last`], by distance: weights of the pairs after the move, and of the refused pairs. All are 0
    /// between calls.
    landed: Vec<f32>,
    refused: Vec<f32>,
}

impl Lookahead {
    /// Creates the search of a board. `turns` is for the player that turns and goes ahead.
    pub(super) fn new(config: Config, turns: bool) -> Self {
        let fields = Fields::new(config, DISCOUNT, turns);
        let sums = vec![0.0; fields.distances()];
        Self {
            config,
            fields,
            turns,
            requests: if turns { of_turner() } else { of_stepper() },
            hint: 0.0,
            visited: Vec::new(),
            landed: sums.clone(),
            refused: sums,
        }
    }

    /// Returns the best action.
    pub(super) fn best(&mut self, belief: &Belief, visited: &Visited) -> Action {
        let mut pairs = Vec::new();
        #[expect(clippy::cast_possible_truncation, reason = "as exact as a guess has to be")]
        belief.likeliest(LEAST, |home, heading, place, weight| {
            let (place, home) = (index(self.config, place), index(self.config, home));
            pairs.push(Pair { place, home, heading, weight: weight as f32 });
        });
        self.visited.clear();
        self.visited.extend(visited.offsets());
        self.hint = visited.probability_of_hint();
        let heading = pairs.first().map(|pair| pair.heading).filter(|_| self.turns);
        let heading = heading.filter(|heading| pairs.iter().all(|pair| pair.heading == *heading));
        let stand = Stand { at: Some((0, 0)), heading };
        self.choose(&pairs, stand, self.depth(pairs.len())).1
    }

    /// Returns the number of moves that it looks ahead with this many pairs.
    fn depth(&self, pairs: usize) -> u32 {
        let more = self.requests.len() * ANSWERS;
        let (mut depth, mut visits) = (1, pairs.max(1) * self.requests.len() * more);
        while visits < MOST_VISITS {
            visits *= more;
            depth += 1;
        }
        depth
    }

    /// Returns the worth of the best request for these pairs, and its first action.
    fn choose(&mut self, pairs: &[Pair], stand: Stand, depth: u32) -> (f32, Action) {
        let mut best = (f32::NEG_INFINITY, Action::Turn(Direction::Up));
        for place in 0..self.requests.len() {
            let request = self.requests[place];
            // A turn to where it looks already.
            if stand.heading.is_some() && request.direction == stand.heading {
                continue;
            }
            let worth = request.discount * self.after(pairs, stand, request, depth);
            // The first of equal ones, whatever the rounding.
            if worth > best.0 * 1.000_001 {
                best = (worth, request.first);
            }
        }
        best
    }

    /// Returns the worth of these pairs with the best requests.
    fn worth(&mut self, pairs: &[Pair], stand: Stand, depth: u32) -> f32 {
        if pairs.is_empty() { 0.0 } else { self.choose(pairs, stand, depth).0 }
    }

    /// Returns the worth of these pairs after a request, without its discount; 0 if it is surely refused, so that the
    /// player never waits.
    fn after(&mut self, pairs: &[Pair], stand: Stand, request: Request, depth: u32) -> f32 {
        if pairs.iter().all(|pair| self.target(pair, request).is_none()) {
            return 0.0;
        }
        let direction = request.direction.or(stand.heading);
        let at = direction.zip(stand.at).map(|(to, at)| further(at, to, request.steps.fields()));
        // A second visit tells nothing.
        let is_new = at.is_none_or(|at| !self.visited.contains(&at));
        let hint = if is_new { self.hint } else { 0.0 };
        let heading = direction.filter(|_| self.turns);
        if depth == 1 {
            return self.last(pairs, request, heading, hint);
        }
        let (mut home, mut landed, mut refused) = (0.0, Vec::new(), Vec::new());
        for pair in pairs {
            let heading = request.direction.unwrap_or(pair.heading);
            match self.target(pair, request) {
                None => refused.push(Pair { heading, ..*pair }),
                Some(place) if place == pair.home => home += pair.weight,
                Some(place) => {
                    let weight = pair.weight * self.fields.stays(place);
                    landed.push(Pair { place, heading, weight, ..*pair });
                }
            }
        }
        let mut worth = home + self.worth(&refused, Stand { heading, ..stand }, depth - 1);
        let stand = Stand { at, heading };
        let before = self.visited.len();
        self.visited.extend(at.filter(|_| is_new));
        let mut hinted = Vec::with_capacity(landed.len());
        for to in 0..Direction::ALL.len() {
            hinted.clear();
            hinted.extend(landed.iter().filter_map(|pair| {
                let share = hint * self.fields.points(self.fields.distance(pair.place, pair.home))[to];
                (share > 0.0).then_some(Pair { weight: pair.weight * share, ..*pair })
            }));
            worth += self.worth(&hinted, stand, depth - 1);
        }
        landed.iter_mut().for_each(|pair| pair.weight *= 1.0 - hint);
        worth += self.worth(&landed, stand, depth - 1);
        self.visited.truncate(before);
        worth
    }

    /// Returns the same as [`Self::after`] for the last request: after each answer, the best distance counts.
    fn last(&mut self, pairs: &[Pair], request: Request, heading: Option<Direction>, hint: f32) -> f32 {
        let mut home = 0.0;
        for pair in pairs {
            match self.target(pair, request) {
                None => self.refused[self.fields.distance(pair.place, pair.home)] += pair.weight,
                Some(place) if place == pair.home => home += pair.weight,
                Some(place) => {
                    let weight = pair.weight * self.fields.stays(place);
                    self.landed[self.fields.distance(place, pair.home)] += weight;
                }
            }
        }
        // Each sum is looked at once, and is 0 again.
        let (mut refused, mut landed, mut hinted) = (0.0_f32, 0.0_f32, [0.0_f32; 4]);
        for pair in pairs {
            let Some(place) = self.target(pair, request) else {
                let distance = self.fields.distance(pair.place, pair.home);
                let weight = std::mem::take(&mut self.refused[distance]);
                refused = refused.max(weight * self.fields.worth(heading, distance));
                continue;
            };
            let distance = self.fields.distance(place, pair.home);
            let worth = std::mem::take(&mut self.landed[distance]) * self.fields.worth(heading, distance);
            landed = landed.max(worth);
            for (most, share) in hinted.iter_mut().zip(self.fields.points(distance)) {
                *most = most.max(worth * share);
            }
        }
        home + refused + (1.0 - hint) * landed + hint * hinted.iter().sum::<f32>()
    }

    fn target(&self, pair: &Pair, request: Request) -> Option<FieldIndex> {
        self.fields.target(pair.place, request.direction.unwrap_or(pair.heading), request.steps)
    }
}

/// Returns the requests of a player that steps in any direction.
fn of_stepper() -> Vec<Request> {
    let step = |direction| Request {
        direction: Some(direction),
        steps: Steps::One,
        discount: DISCOUNT,
        first: Action::Step(direction),
    };
    Direction::ALL.map(step).into()
}

/// Returns the requests of a player that turns and goes ahead.
fn of_turner() -> Vec<Request> {
    let ahead = |steps| Request { direction: None, steps, discount: DISCOUNT, first: Action::Ahead(steps) };
    let turned = |direction| {
        let first = Action::Turn(direction);
        Steps::ALL.map(|steps| Request {
            direction: Some(direction),
            steps,
            discount: DISCOUNT * DISCOUNT,
            first,
        })
    };
    Steps::ALL.into_iter().map(ahead).chain(Direction::ALL.into_iter().flat_map(turned)).collect()
}

#[cfg(test)]
mod tests {
    use game_conveyor::Place;

    use super::*;

    /// Returns the search of a board without conveyors, and a pair on it.
    fn search(turns: bool, place: Place, home: Place, heading: Direction) -> (Lookahead, Pair) {
        let config = Config::new(4, 4).unwrap();
        let pair = Pair { place: index(config, place), home: index(config, home), heading, weight: 1.0 };
        (Lookahead::new(config, turns), pair)
    }

    /// Otherwise the player could wait: after a refusal, the same home is still as near.
    #[test]
    fn a_request_that_is_surely_refused_is_never_the_best() {
        let (mut lookahead, pair) = search(true, Place::new(2, 4), Place::new(2, 1), Direction::Up);
        let stand = Stand { at: Some((0, 0)), heading: Some(Direction::Up) };
        for depth in 1..=3 {
            let (worth, action) = lookahead.choose(&[pair], stand, depth);
            assert_eq!(action, Action::Turn(Direction::Down), "{depth} moves ahead");
            assert!((worth - DISCOUNT.powi(2)).abs() < 1e-6, "a turn, and three steps: {worth}");
        }
    }

    /// Each turn is a request of its own, also after the search: the player puts none off.
    #[test]
    fn a_player_that_knows_its_home_goes_there() {
        let (mut lookahead, pair) = search(true, Place::new(1, 3), Place::new(4, 1), Direction::Up);
        let stand = Stand { at: Some((0, 0)), heading: Some(Direction::Up) };
        for depth in 1..=3 {
            let (worth, action) = lookahead.choose(&[pair], stand, depth);
            assert!(matches!(action, Action::Turn(Direction::Down | Direction::Right)), "{action:?}");
            assert!((worth - DISCOUNT.powi(4)).abs() < 1e-6, "two turns and two moves: {worth}");
        }
    }

    #[test]
    fn the_likelier_of_two_homes_is_tried_first() {
        let (mut lookahead, east) = search(false, Place::new(2, 2), Place::new(3, 2), Direction::Up);
        let (_, west) = search(false, Place::new(2, 2), Place::new(1, 2), Direction::Up);
        let west = Pair { weight: 1.1, ..west };
        let stand = Stand { at: Some((0, 0)), heading: None };
        for depth in 1..=4 {
            let (_, action) = lookahead.choose(&[east, west], stand, depth);
            assert_eq!(action, Action::Step(Direction::Left), "{depth} moves ahead");
        }
        assert!(lookahead.landed.iter().chain(&lookahead.refused).all(|sum| *sum == 0.0));
    }

    #[test]
    fn a_deep_search_visits_no_more_pairs_than_it_may() {
        for (turns, deepest) in [(false, 5), (true, 3)] {
            let (lookahead, _) = search(turns, Place::new(1, 1), Place::new(2, 2), Direction::Up);
            let requests = lookahead.requests.len();
            assert_eq!(lookahead.depth(1), deepest);
            assert_eq!(lookahead.depth(MOST_VISITS / (requests * requests * ANSWERS) + 1), 1);
        }
    }
}
