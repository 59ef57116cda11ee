//! The least number of requests that any strategy needs on average, by an exact search: the measure of a strategy on
//! small boards.
//!
//! It is that of the player that steps in any direction (KITTEH), alone, on a board without conveyors, before the seed
//! draws anything.
//!
//! A player knows the answers to its requests and nothing else. So a position of the search is what they say: the
//! fields that the player has visited, seen from its place, with the hints there, and the edges of the board that it
//! has met. Steps over visited fields tell nothing new. A move of the search is therefore the shortest way over these
//! to one step whose answer is not known, so that the player knows more after each move and the search ends.
//!
//! All pairs of a place and a home that agree with the answers are kept, each with its probability. The other player's
//! home needs no place: the hints are equally likely on all fields but the own home.
//!
//! ```
//! use game_conveyor::Config;
//! use strategies::budget::Budget;
//! use strategies::conveyor::optimal::Optimal;
//!
//! let config = Config::new(2, 2)?;
//! let mut search = Optimal::new(config, Budget::until(|| false));
//! search.allow(1_000);
//! let requests = search.least_requests().expect("a small board");
//! assert!((requests - 2.639).abs() < 0.001, "{requests}");
//! # Ok::<(), game_conveyor::ConfigError>(())
//! ```

use game_conveyor::{Config, Direction, Place};
use rustc_hash::FxHashMap;

use super::belief::points;
use super::offset::{Offset, further, offset};
use super::visited::probability_of_hint;
use crate::budget::{Budget, Exhausted, Meter};

/// The search on one board, with its table. See the [module](self).
#[derive(Clone, Debug)]
pub struct Optimal {
    config: Config,
    values: FxHashMap<Known, f64>,
    meter: Meter,
}

/// The knowledge of a player.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Known {
    /// The fields whose answers it knows, sorted, each with its hint if it has one.
    seen: Vec<(Offset, Option<Direction>)>,
    /// The field where it began, as long as it does not know whether there is a hint.
    start: Option<Offset>,
    /// In each direction, the last row or column, if it has met the edge there.
    edges: [Option<i16>; 4],
}

impl Known {
    /// Returns the same as seen from another field.
    fn from(&self, (right, up): Offset) -> Self {
        let moved = |(x, y): Offset| (x - right, y - up);
        let along = |direction: Direction| if is_vertical(direction) { up } else { right };
        Self {
            seen: self.seen.iter().map(|(at, hint)| (moved(*at), *hint)).collect(),
            start: self.start.map(moved),
            edges: Direction::ALL
                .map(|direction| self.edges[direction as usize].map(|edge| edge - along(direction))),
        }
    }

    /// Returns the knowledge after a step on this field.
    fn landed(&self, at: Offset, hint: Option<Direction>) -> Self {
        let mut known = self.from(at);
        if known.start == Some((0, 0)) {
            known.start = None;
        }
        known.seen.push(((0, 0), hint));
        known.seen.sort_unstable_by_key(|(at, _)| *at);
        known
    }

    /// Returns the knowledge after a refusal on this field.
    fn refused(&self, at: Offset, direction: Direction) -> Self {
        let mut known = self.from(at);
        known.edges[direction as usize] = Some(0);
        known
    }

    /// Returns the fields that it can walk to over those that it has seen, the nearest first, each with the number of
    /// steps.
    fn ways(&self) -> Vec<(Offset, u16)> {
        let mut ways: Vec<(Offset, u16)> = vec![((0, 0), 0)];
        let mut next = 0;
        while let Some((from, steps)) = ways.get(next).copied() {
            next += 1;
            for to in Direction::ALL.map(|direction| further(from, direction, 1)) {
                if self.has_seen(to) && ways.iter().all(|(reached, _)| *reached != to) {
                    ways.push((to, steps + 1));
                }
            }
        }
        ways
    }

    fn has_seen(&self, field: Offset) -> bool {
        self.seen.iter().any(|(at, _)| *at == field)
    }
}

fn is_vertical(direction: Direction) -> bool {
    matches!(direction, Direction::Up | Direction::Down)
}

/// A place of the player and a home that agree with all answers.
struct Pair {
    place: Place,
    home: Place,
    weight: f64,
}

impl Optimal {
    /// Creates a search of this board; it also ends when the time of the budget is over.
    ///
    /// # Panics
    ///
    /// If the board has conveyors.
    pub fn new(config: Config, clock: Budget) -> Self {
        assert_eq!(config.conveyors(), 0, "the search knows no conveyors");
        Self { config, values: FxHashMap::default(), meter: Meter::new(clock) }
    }

    /// Lets the search look at this many positions from now on.
    pub fn allow(&mut self, positions: u64) {
        self.meter.allow(positions);
    }

    /// Returns the number of positions that it has computed so far.
    pub fn positions(&self) -> usize {
        self.values.len()
    }

    /// Returns the least mean number of requests from a random place to a random home.
    ///
    /// # Errors
    ///
    /// If the positions or the time do not suffice. What was computed stays for the next call.
    pub fn least_requests(&mut self) -> Result<f64, Exhausted> {
        self.value(Known { start: Some((0, 0)), ..Known::default() })
    }

    fn value(&mut self, known: Known) -> Result<f64, Exhausted> {
        if let Some(value) = self.values.get(&known) {
            return Ok(*value);
        }
        self.meter.spend()?;
        let pairs = self.pairs(&known);
        let mut least = f64::INFINITY;
        for (from, steps) in known.ways() {
            for direction in Direction::ALL {
                let to = further(from, direction, 1);
                let along = if is_vertical(direction) { from.1 } else { from.0 };
                if !known.has_seen(to) && known.edges[direction as usize] != Some(along) {
                    let walk = f64::from(steps) + 1.0;
                    least = least.min(walk + self.after(&known, &pairs, from, direction)?);
                }
            }
        }
        self.values.insert(known, least);
        Ok(least)
    }

    /// Returns the requests after a step of which the player does not know the answer; infinite if it tells nothing.
    fn after(
        &mut self,
        known: &Known,
        pairs: &[Pair],
        from: Offset,
        direction: Direction,
    ) -> Result<f64, Exhausted> {
        let to = further(from, direction, 1);
        // Of each answer: no hint, a hint in each direction.
        let (mut refused, mut landed, mut hints) = (0.0, 0.0, [0.0; 4]);
        for Pair { place, home, weight } in pairs {
            match self.field(*place, to) {
                None => refused += weight,
                Some(field) if field == *home => {}
                Some(field) => {
                    landed += weight;
                    for (hint, to) in hints.iter_mut().zip(Direction::ALL) {
                        *hint += weight * points(offset(field, *home), to);
                    }
                }
            }
        }
        let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
        if refused >= total {
            return Ok(f64::INFINITY);
        }
        let mut sum = 0.0;
        if refused > 0.0 {
            sum += refused * self.value(known.refused(from, direction))?;
        }
        // The hints that the player has not met yet lie on fields that it has not seen, its home excepted.
        let met = known.seen.iter().filter(|(_, hint)| hint.is_some()).count();
        let share = probability_of_hint(self.config, known.seen.len(), met);
        if landed > 0.0 && share < 1.0 {
            sum += landed * (1.0 - share) * self.value(known.landed(to, None))?;
        }
        for (hint, direction) in hints.into_iter().zip(Direction::ALL) {
            if hint * share > 0.0 {
                sum += hint * share * self.value(known.landed(to, Some(direction)))?;
            }
        }
        Ok(sum / total)
    }

    /// Returns the pairs that agree with all answers.
    fn pairs(&self, known: &Known) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for place in self.config.places().filter(|place| self.agrees(known, *place)) {
            let visited = |home: Place| {
                let offsets = known.seen.iter().map(|(at, _)| *at).chain(known.start);
                offsets.into_iter().any(|at| self.field(place, at) == Some(home))
            };
            for home in self.config.places().filter(|home| !visited(*home)) {
                let fits = known.seen.iter().filter_map(|(at, hint)| self.field(place, *at).zip(*hint));
                let weight = fits.map(|(field, hint)| points(offset(field, home), hint)).product();
                if weight > 0.0 {
                    pairs.push(Pair { place, home, weight });
                }
            }
        }
        pairs
    }

    /// Returns whether all visited fields and edges are where they have to be, for a player at this place.
    fn agrees(&self, known: &Known, place: Place) -> bool {
        let mut offsets = known.seen.iter().map(|(at, _)| *at).chain(known.start);
        offsets.all(|at| self.field(place, at).is_some())
            && known.edges.iter().zip(Direction::ALL).all(|(edge, direction)| {
                edge.is_none_or(|edge| {
                    let last = if is_vertical(direction) { (0, edge) } else { (edge, 0) };
                    self.field(place, last).is_some()
                        && self.field(place, further(last, direction, 1)).is_none()
                })
            })
    }

    /// Returns the field at this offset, if it is on the board.
    fn field(&self, place: Place, (right, up): Offset) -> Option<Place> {
        let column = u8::try_from(i16::from(place.column) + right).ok()?;
        let row = u8::try_from(i16::from(place.row) + up).ok()?;
        let field = Place::new(column, row);
        self.config.has(field).then_some(field)
    }
}

#[cfg(test)]
mod tests {
    use game_conveyor::State;
    use game_conveyor::state::{STEPPER, TURNER};
    use game_env::{Disruption, Environment as _, Rollout, Seed, SimTime};

    use super::*;
    use crate::conveyor::hints::Hints;

    fn least(columns: u8, rows: u8) -> f64 {
        let mut search = Optimal::new(Config::new(columns, rows).unwrap(), Budget::nodes(0));
        search.allow(200_000);
        search.least_requests().unwrap()
    }

    /// A world of the plain search: nothing is left to chance.
    #[derive(Clone, PartialEq, Debug)]
    struct World {
        place: Place,
        home: Place,
        hints: Vec<(Place, Direction)>,
        weight: f64,
    }

    /// Every world of a board, each with its probability.
    fn worlds(config: Config) -> Vec<World> {
        let mut worlds = Vec::new();
        for home in config.places() {
            let others: Vec<Place> = config.places().filter(|place| *place != home).collect();
            for set in 0_u32..1 << others.len() {
                if set.count_ones() != u32::from(config.hints()) {
                    continue;
                }
                let mut ways = vec![(Vec::new(), 1.0)];
                for (_, place) in (0..).zip(&others).filter(|(bit, _)| set >> bit & 1 == 1) {
                    ways = ways
                        .iter()
                        .flat_map(|(hints, weight): &(Vec<(Place, Direction)>, f64)| {
                            Direction::ALL.map(|direction| {
                                let hints = [hints.as_slice(), &[(*place, direction)]].concat();
                                (hints, weight * points(offset(*place, home), direction))
                            })
                        })
                        .filter(|(_, weight)| *weight > 0.0)
                        .collect();
                }
                for place in &others {
                    let world = |(hints, weight): &(Vec<(Place, Direction)>, f64)| World {
                        place: *place,
                        home,
                        hints: hints.clone(),
                        weight: *weight,
                    };
                    worlds.extend(ways.iter().map(world));
                }
            }
        }
        worlds
    }

    /// Returns the least requests of all worlds of a weight, if a player may make this many and then is at home.
    fn plain(config: Config, worlds: &[World], depth: u32) -> f64 {
        if worlds.is_empty() || depth == 0 {
            return 0.0;
        }
        let total: f64 = worlds.iter().map(|world| world.weight).sum();
        let after = |direction: Direction| {
            let mut answers: Vec<(Option<Option<Direction>>, Vec<World>)> = Vec::new();
            for world in worlds {
                let target = config.ahead(world.place, direction, 1);
                if target == Some(world.home) {
                    continue;
                }
                let hint = |field| world.hints.iter().find(|(at, _)| *at == field).map(|(_, hint)| *hint);
                let answer = target.map(hint);
                let next = World { place: target.unwrap_or(world.place), ..world.clone() };
                match answers.iter_mut().find(|(other, _)| *other == answer) {
                    Some((_, all)) => all.push(next),
                    None => answers.push((answer, vec![next])),
                }
            }
            answers.iter().map(|(_, worlds)| plain(config, worlds, depth - 1)).sum::<f64>()
        };
        total + Direction::ALL.map(after).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// A search that tries every request, also useless ones, in every world of its own; it ends after as many requests
    /// as any best way needs.
    #[test]
    fn a_plain_search_finds_the_same() {
        for (columns, rows, depth) in [(2, 2, 7), (3, 1, 7), (1, 4, 9)] {
            let config = Config::new(columns, rows).unwrap();
            let worlds = worlds(config);
            let total: f64 = worlds.iter().map(|world| world.weight).sum();
            let [before, found] = [depth - 1, depth].map(|depth| plain(config, &worlds, depth) / total);
            assert!((before - found).abs() < 1e-9, "{columns}×{rows}: {before}, then {found}");
            assert!((found - least(columns, rows)).abs() < 1e-9, "{columns}×{rows}: {found}");
        }
    }

    /// A player that goes for the best distance without regard to answers needs 5 % more requests.
    #[test]
    fn hints_needs_hardly_more_and_no_fewer() {
        let config = Config::new(4, 2).unwrap();
        let games = 2_000;
        let mut requests = 0;
        for seed in 0..games {
            let mut state = State::new(&config, Seed::new(seed));
            state.disrupt(SimTime::START, Disruption::AgentLost(TURNER), &mut ());
            let mut policies = [STEPPER, TURNER].map(|player| Hints::new(Seed::new(seed).agent(player)));
            requests += Rollout::default().play(&mut state, &mut policies, &mut ()).steps;
        }
        let (mean, least) = (requests as f64 / games as f64, least(4, 2));
        assert!(mean > least - 0.1 && mean < 1.03 * least, "{mean}, and {least} at least");
    }

    #[test]
    fn too_few_positions_are_no_answer() {
        let mut search = Optimal::new(Config::new(3, 3).unwrap(), Budget::nodes(0));
        search.allow(100);
        assert_eq!(search.least_requests(), Err(Exhausted));
        assert!(search.positions() < 100);
    }
}
