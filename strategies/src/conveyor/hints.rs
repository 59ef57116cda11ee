//! `hints`: keeps the places and homes that agree with every answer, and goes to the likely ones.
//!
//! It knows no more than its [`Belief`]; on large boards, which have too many pairs of places, no more than its
//! `Marginals`. Its choice depends on the distance and the direction of the home: all pairs of place and home with the
//! same distance are one. A distance that is one request away counts its probability, and each further request takes a
//! share off. Of all actions it takes the one after which the best distance counts most. So it searches near places
//! first, and places that it has walked over count nothing any more.
//!
//! A player that steps in any direction can be carried away by the same conveyor again and again, on the likeliest way
//! home. So if it has been under way for long, it sometimes makes any request.

use game_conveyor::state::TURNER;
use game_conveyor::{Action, Config, Direction, Observation, Place, State, Steps};
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime};

use super::belief::Belief;
use super::marginals::Marginals;

/// Factor by which the worth of a home falls with each request that it is further away.
const SHARE: f64 = 0.85;

/// The number of requests for each row and column after which a player is lost.
const LONG: u32 = 3;

/// The probability that a lost player does anything instead of the best.
const ANY: f64 = 0.3;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Hints {
    chance: Chance,
    knowledge: Option<Knowledge>,
    /// The number of answers so far, and the action requested since.
    answered: u32,
    asked: Option<Action>,
}

#[derive(Clone, Debug)]
enum Knowledge {
    Pairs(Belief),
    Apart(Marginals),
}

impl Knowledge {
    fn new(config: Config, turns: bool) -> Self {
        Belief::new(config, turns).map_or_else(|| Self::Apart(Marginals::new(config, turns)), Self::Pairs)
    }
}

impl Hints {
    /// Knows nothing yet; draws from this source.
    pub const fn new(chance: Chance) -> Self {
        Self { chance, knowledge: None, answered: 0, asked: None }
    }
}

impl Policy<State> for Hints {
    fn choose(&mut self, _: SimTime, player: AgentId, seen: &Observation) -> Choice<Action> {
        let turns = player == TURNER;
        let knowledge = self.knowledge.get_or_insert_with(|| Knowledge::new(seen.config, turns));
        let answer = self.asked.take().zip(seen.last).filter(|_| seen.requests > self.answered);
        if let Some((asked, answer)) = answer {
            match knowledge {
                Knowledge::Pairs(belief) => belief.answered(asked, answer),
                Knowledge::Apart(belief) => belief.answered(asked, answer),
            }
        }
        self.answered = seen.requests;
        if is_lost(seen) && self.chance.happens(ANY) {
            let mut options = Vec::new();
            seen.options(&mut options);
            return Choice::Act(options[self.chance.index(options.len())]);
        }
        let action = match knowledge {
            Knowledge::Pairs(belief) => best(belief, seen.config, turns),
            Knowledge::Apart(belief) => belief.best(),
        };
        Choice::Act(action)
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }

    fn sent(&mut self, _: SimTime, _: AgentId, action: &Action) {
        self.asked = Some(*action);
    }
}

/// Returns whether a player should have been at home for long. A conveyor may then carry it away again and again: no
/// answer says where one starts, and the player comes back on the same way. The player that turns does not, because it
/// looks in a random direction after each conveyor.
fn is_lost(seen: &Observation) -> bool {
    let sides = u32::from(seen.config.columns()) + u32::from(seen.config.rows());
    seen.player != TURNER && seen.config.conveyors() > 0 && seen.requests > LONG * sides
}

/// The probability of each distance from the player to its home.
struct Distances {
    columns: usize,
    rows: usize,
    weights: Vec<f64>,
}

impl Distances {
    fn new(config: Config) -> Self {
        let (columns, rows) = (usize::from(config.columns()), usize::from(config.rows()));
        Self { columns, rows, weights: vec![0.0; (2 * columns - 1) * (2 * rows - 1)] }
    }

    fn add(&mut self, place: Place, home: Place, weight: f64) {
        let across = usize::from(home.column) + self.columns - 1 - usize::from(place.column);
        let along = usize::from(home.row) + self.rows - 1 - usize::from(place.row);
        self.weights[along * (2 * self.columns - 1) + across] += weight;
    }

    /// Returns the worth of the best distance, and the sum of the worths of all, if a request leads at most this many
    /// fields far.
    fn worth(&self, longest: usize) -> (f64, f64) {
        let worth = |to: usize| -> Vec<f64> {
            let requests = (0..=2 * to).map(|from| from.abs_diff(to).div_ceil(longest));
            requests.map(|requests| SHARE.powi(i32::try_from(requests).expect("boards are small"))).collect()
        };
        let (worth_across, worth_along) = (worth(self.columns - 1), worth(self.rows - 1));
        let mut most = (0.0, 0.0);
        for (row, along) in self.weights.chunks(2 * self.columns - 1).zip(worth_along) {
            for (weight, across) in row.iter().zip(&worth_across) {
                let worth = weight * across * along;
                most = (f64::max(most.0, worth), most.1 + worth);
            }
        }
        most
    }
}

/// Returns the action after which the best distance counts most; of equal ones that after which all distances count
/// most.
fn best(belief: &Belief, config: Config, turns: bool) -> Action {
    let mut best = ((f64::NEG_INFINITY, 0.0), Action::Turn(Direction::Up));
    let mut consider = |worth: (f64, f64), action: Action| {
        let is_more = worth.0 > best.0.0 * 1.000_001;
        if is_more || (worth.0 * 1.000_001 >= best.0.0 && worth.1 > best.0.1) {
            best = (worth, action);
        }
    };
    let longest = if turns { usize::from(Steps::Three.fields()) } else { 1 };
    let after = |direction: Option<Direction>, steps: u8| {
        let mut distances = Distances::new(config);
        belief.for_each(|home, heading, place, weight| {
            if let Some(field) = config.ahead(place, direction.unwrap_or(heading), steps) {
                distances.add(field, home, weight);
            }
        });
        distances.worth(longest)
    };
    if !turns {
        for direction in Direction::ALL {
            consider(after(Some(direction), 1), Action::Step(direction));
        }
        return best.1;
    }
    for steps in Steps::ALL {
        consider(after(None, steps.fields()), Action::Ahead(steps));
    }
    for direction in Direction::ALL {
        for steps in Steps::ALL {
            let (most, all) = after(Some(direction), steps.fields());
            consider((SHARE * most, SHARE * all), Action::Turn(direction));
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use game_conveyor::state::STEPPER;
    use game_env::{Disruption, Environment as _, Limits, RandomPolicy, Rollout, Seed};

    use super::*;

    /// Returns the number of requests that a player needs to come home alone; at most 3,000.
    fn requests(
        config: Config,
        player: AgentId,
        seed: u64,
        policy: fn(u64) -> Box<dyn Policy<State>>,
    ) -> u64 {
        let mut state = State::new(&config, Seed::new(seed));
        let other = AgentId::from_index(1 - player.index());
        state.disrupt(SimTime::START, Disruption::AgentLost(other), &mut ());
        let mut policies = [policy(2 * seed), policy(2 * seed + 1)];
        let limits = Limits { steps: 3_000, ..Limits::default() };
        let rollout = Rollout { limits, ..Rollout::default() };
        rollout.play(&mut state, &mut policies, &mut ()).steps
    }

    /// Returns the median of the [`requests`] of some seeds.
    fn median(config: Config, player: AgentId, seeds: u64, policy: fn(u64) -> Box<dyn Policy<State>>) -> u64 {
        let mut counts: Vec<u64> = (0..seeds).map(|seed| requests(config, player, seed, policy)).collect();
        counts.sort_unstable();
        counts[counts.len() / 2]
    }

    fn hints(seed: u64) -> Box<dyn Policy<State>> {
        Box::new(Hints::new(Seed::new(seed).game()))
    }

    #[test]
    fn it_needs_a_fifth_of_the_requests_of_random_play() {
        for player in [0, 1].map(AgentId::new) {
            // Random play needs more seeds for a median than play by hints, which takes more time.
            let of = |seeds, policy| median(Config::default(), player, seeds, policy);
            let random = of(41, |seed| Box::new(RandomPolicy::<Action>::new(Seed::new(seed).game())));
            let hints = of(21, hints);
            assert!(5 * hints <= random, "player {player}: {hints} requests, {random} at random");
        }
    }

    /// On these boards a conveyor starts beside the home, on the way that is the likeliest again and again.
    #[test]
    fn no_conveyor_carries_it_away_for_ever() {
        let config = Config::new(7, 5).unwrap().with_conveyors(2).unwrap();
        for seed in [63, 103] {
            let requests = requests(config, STEPPER, seed, hints);
            assert!(requests < 1_000, "seed {seed}: {requests} requests");
        }
    }

    #[test]
    fn it_comes_home_on_boards_of_any_size() {
        for (columns, rows, conveyors) in [(2, 2, 0), (1, 9, 0), (9, 9, 16), (40, 30, 40)] {
            let config = Config::new(columns, rows).unwrap().with_conveyors(conveyors).unwrap();
            for player in [0, 1].map(AgentId::new) {
                let requests = median(config, player, 3, hints);
                assert!(requests < 3_000, "{player} on {config}");
            }
        }
    }
}
