//! `greedy`: takes the action with the greatest immediate [value](super::worth).
//!
//! It plays each action on a copy of the table and computes the value of the table then, with the best move of Mother
//! Nature that is still ahead in its turn. It makes draws from the bag itself: one draw, which is as likely as any
//! other.

use game_env::{AgentId, Chance, Choice, Environment as _, Options as _, Policy, Seed, SimTime};
use game_eriantys::{Action, Assistant, Observation, Play, State, Table};

use super::worth::{best_conquest, prospects};

/// Actions whose values differ by less are equally good.
const EQUAL: f64 = 1e-9;

/// Deduction for each value of an assistant: of two with the same gain, the lower one acts earlier.
const ASSISTANT: f64 = 0.02;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Greedy {
    chance: Chance,
    options: Vec<Action>,
}

impl Greedy {
    /// Creates one that draws among equally good actions from this source.
    pub const fn new(chance: Chance) -> Self {
        Self { chance, options: Vec::new() }
    }
}

impl Policy<State> for Greedy {
    fn choose(&mut self, _: SimTime, player: AgentId, seen: &Observation) -> Choice<Action> {
        seen.options(&mut self.options);
        let state = State::resume(seen.table, Seed::new(0).game());
        let mut best = (f64::NEG_INFINITY, 0);
        for index in 0..self.options.len() {
            let value = value(&state, player, self.options[index]);
            if value > best.0 + EQUAL {
                best = (value, 0);
            }
            // Those that are as good as the best so far move to the front.
            if value > best.0 - EQUAL {
                self.options.swap(best.1, index);
                best.1 += 1;
            }
        }
        match best.1 {
            0 => Choice::Wait(SimTime::NEVER),
            count => Choice::Act(self.options[self.chance.index(count)]),
        }
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// Returns the value of an action for the team of the mover.
pub(super) fn value(state: &State, player: AgentId, action: Action) -> f64 {
    let table = state.table();
    if let Action::Assistant(assistant) = action {
        return value_of_assistant(table, player, assistant);
    }
    let mut next = state.clone();
    next.step(SimTime::START, player, action, &mut ());
    prospects(next.table(), table.team(player))
}

fn value_of_assistant(table: &Table, player: AgentId, assistant: Assistant) -> f64 {
    best_conquest(table, table.team(player), assistant.steps()) - ASSISTANT * f64::from(assistant.value())
}

/// Returns whether an action is considered in a game that is played on quickly: students go to islands that Mother
/// Nature can reach, and no students are exchanged.
pub(super) fn is_quick(table: &Table, action: Action) -> bool {
    match action {
        Action::ToIsland(_, island) => {
            let count = table.islands().len();
            let distance = (island.index() + count - table.mother_nature().index()) % count;
            (1..=usize::from(table.most_steps())).contains(&distance)
        }
        Action::Character(play) => !matches!(play, Play::Jester(_) | Play::Minstrel(_)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Rollout, TeamId};
    use game_eriantys::Config;

    use super::*;
    use crate::eriantys::ROOM;

    /// Returns the number of games that the first strategy wins for a team, of this many with either side.
    fn wins(config: Config, strategies: [&str; 2], games: u64) -> usize {
        let mut won = 0;
        for game in 0..games {
            for side in 0..config.teams() {
                let mut state = State::new(&config, Seed::new(game));
                let policy = |player: AgentId| {
                    let is_own = state.team(player).index() == side;
                    let name = strategies[usize::from(!is_own)];
                    ROOM.policy(name, Seed::new(game).agent(player), None).unwrap()
                };
                let mut policies: Vec<_> = AgentId::all(config.players())
                    .map(policy)
                    .map(|policy| policy as Box<dyn Policy<State>>)
                    .collect();
                let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
                let own = TeamId::new(u8::try_from(side).unwrap());
                won += usize::from(episode.outcome.winner() == Some(own));
            }
        }
        won
    }

    #[test]
    fn it_beats_random_play_with_every_number_of_players() {
        for (players, is_expert) in [(2, false), (2, true), (3, true), (4, true)] {
            let config = Config::new(players, is_expert).unwrap();
            let (games, sides) = (10, config.teams());
            let won = wins(config, ["greedy", "random"], games);
            assert!(won * 10 >= 9 * sides * 10, "{won} of {} with {players} players", 10 * sides);
        }
    }

    #[test]
    fn it_takes_an_island_that_it_can_take() {
        let config = Config::new(2, false).unwrap();
        for seed in 0..20 {
            let mut state = State::new(&config, Seed::new(seed));
            let mut greedy = Greedy::new(Seed::new(seed).latency());
            let mut seen = Observation::default();
            while state.table().outcome.is_none() {
                let player = state.table().mover();
                state.observe(player, &mut seen);
                let Choice::Act(action) = greedy.choose(SimTime::START, player, &seen) else {
                    panic!("it acts")
                };
                let (before, team) = (*state.table(), state.team(player).index());
                state.step(SimTime::START, player, action, &mut ());
                if let Action::Steps(_) = action {
                    let could = best_conquest(&before, state.team(player), before.most_steps()) >= 1.0;
                    let left = |table: &Table| table.towers_left[team];
                    assert_eq!(could, left(state.table()) < left(&before), "seed {seed}");
                }
            }
        }
    }
}
