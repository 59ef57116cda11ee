//! `hints`: keeps the places and homes that agree with every answer, and goes to the likely ones.
//!
//! It knows the probability of each pair of a place and a home ([`Belief`]). It searches for the request that brings it
//! home soonest, over the answers that it may get (`Lookahead`). On large boards, which have too many pairs, it knows
//! no more than its `Marginals`.
//!
//! A player that steps in any direction can be carried away by the same conveyor again and again, on the likeliest way
//! home. So if it has been under way for long, it sometimes makes any request.

use game_conveyor::state::TURNER;
use game_conveyor::{Action, Answer, Config, Observation, State};
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime};

use super::belief::Belief;
use super::lookahead::Lookahead;
use super::marginals::Marginals;
use super::visited::Visited;

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
    Pairs(Box<Pairs>),
    Apart(Marginals),
}

/// Knowledge of a board that has few enough pairs of places.
#[derive(Clone, Debug)]
struct Pairs {
    belief: Belief,
    visited: Visited,
    lookahead: Lookahead,
}

impl Knowledge {
    fn new(config: Config, turns: bool) -> Self {
        let pairs = |belief| Pairs {
            belief,
            visited: Visited::new(config),
            lookahead: Lookahead::new(config, turns),
        };
        match Belief::new(config, turns) {
            Some(belief) => Self::Pairs(Box::new(pairs(belief))),
            None => Self::Apart(Marginals::new(config, turns)),
        }
    }

    fn answered(&mut self, action: Action, answer: Answer) {
        match self {
            Self::Pairs(pairs) => {
                let knows_field = pairs.visited.answered(action, answer);
                pairs.belief.answered(action, answer, knows_field);
            }
            Self::Apart(marginals) => marginals.answered(action, answer),
        }
    }

    fn best(&mut self) -> Action {
        match self {
            Self::Pairs(pairs) => pairs.lookahead.best(&pairs.belief, &pairs.visited),
            Self::Apart(marginals) => marginals.best(),
        }
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
            knowledge.answered(asked, answer);
        }
        self.answered = seen.requests;
        if is_lost(seen) && self.chance.happens(ANY) {
            let mut options = Vec::new();
            seen.options(&mut options);
            return Choice::Act(options[self.chance.index(options.len())]);
        }
        Choice::Act(knowledge.best())
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

    /// On these boards a conveyor starts beside the home, on the way that is the likeliest again and again: without
    /// random requests, the games do not end.
    #[test]
    fn no_conveyor_carries_it_away_for_ever() {
        let config = Config::new(7, 5).unwrap().with_conveyors(2).unwrap();
        for seed in [232, 254] {
            let requests = requests(config, STEPPER, seed, hints);
            assert!(requests < 1_000, "seed {seed}: {requests} requests");
        }
    }

    #[test]
    fn it_comes_home_on_boards_of_any_size() {
        for (columns, rows, conveyors) in
            [(2, 2, 0), (1, 9, 0), (9, 1, 0), (3, 3, 1), (9, 9, 16), (40, 30, 40)]
        {
            let config = Config::new(columns, rows).unwrap().with_conveyors(conveyors).unwrap();
            for player in [0, 1].map(AgentId::new) {
                for seed in 0..3 {
                    let requests = requests(config, player, seed, hints);
                    assert!(requests < 3_000, "{player} on {config}, seed {seed}");
                }
            }
        }
    }
}
