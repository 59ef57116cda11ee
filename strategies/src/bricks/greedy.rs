//! `greedy`: leaves the opponent as few replies as it can, but none that ends the game.

use game_bricks::{Board, Brick, Observation, State};
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime};

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Greedy {
    chance: Chance,
    bricks: Vec<Brick>,
}

impl Greedy {
    /// Draws among equally good bricks from this source.
    pub fn new(chance: Chance) -> Self {
        Self { chance, bricks: Vec::new() }
    }
}

impl Policy<State> for Greedy {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Brick> {
        seen.options(&mut self.bricks);
        // Whether it loses at once goes before the number of bricks that it blocks.
        let value = |brick: Brick| (!lets_end(&seen.board, brick), blocked(&seen.board, brick));
        let best = self.bricks.iter().map(|brick| value(*brick)).max();
        self.bricks.retain(|brick| Some(value(*brick)) == best);
        match self.bricks.len() {
            0 => Choice::Wait(SimTime::NEVER),
            count => Choice::Act(self.bricks[self.chance.index(count)]),
        }
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// The most bricks that a brick can block: itself, and one beside each other side of its two cells.
const MOST_BLOCKED: usize = 7;

/// Returns whether the opponent has a reply behind this brick after which no brick fits.
fn lets_end(board: &Board, brick: Brick) -> bool {
    let left = board.brick_count() as usize - blocked(board, brick);
    if left > MOST_BLOCKED {
        return false;
    }
    let mut after = board.clone();
    after.put(brick);
    let mut replies = Vec::new();
    after.list(&mut replies);
    replies.into_iter().any(|reply| blocked(&after, reply) == left)
}

/// Returns the number of bricks that do not fit any more behind this one, itself included.
pub(super) fn blocked(board: &Board, brick: Brick) -> usize {
    let free = |cell| board.neighbours(cell).filter(|near| board.is_free(*near)).count();
    // Both cells count the brick itself.
    brick.cells().into_iter().map(free).sum::<usize>() - 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use game_bricks::Config;
    use game_env::{Environment as _, RandomPolicy, Rollout, Seed, TeamId};

    use super::*;
    use crate::bricks::position;

    /// Returns every brick that it puts for some random numbers.
    fn choices(text: &str) -> BTreeSet<String> {
        let state = position(text);
        let mut seen = Observation::default();
        state.observe(state.mover(), &mut seen);
        let choose = |seed| Greedy::new(Seed::new(seed).game()).choose(SimTime::START, seen.player, &seen);
        (0..60)
            .map(|seed| match choose(seed) {
                Choice::Act(brick) => brick.to_string(),
                Choice::Wait(_) => "none".to_owned(),
            })
            .collect()
    }

    #[test]
    fn it_leaves_the_fewest_replies() {
        // A row of five cells: behind the second or the third brick one is left, behind the others two.
        let row = "5_0x1_1x1_2x1_3x1_4x1_0x2_1x2_2x2_3x2_4x2_0x3_1x3_2x3_3x3_4x3_0x4_1x4_2x4_3x4_4x4";
        let bricks = ["1x0_2x0", "2x0_3x0"].map(str::to_owned);
        assert_eq!(choices(row), bricks.into_iter().collect());
        let found = choices("5");
        assert!(
            found.len() == 12 && found.iter().all(|brick| !brick.contains(['0', '4'])),
            "not at the edge: {found:?}"
        );
    }

    #[test]
    fn it_ends_the_game_if_it_can_and_leaves_no_reply_that_does() {
        // Two rows of two cells and one of three: two bricks, for every brick in the last row.
        let two = "5_4x0_2x0_0x1_1x1_2x1_3x1_4x1_0x2_1x2_2x2_3x2_4x2_0x3_1x3_2x3_3x3_4x3_0x4_1x4_2x4_3x4_4x4";
        assert_eq!(choices(two).len(), 1);
        // A row of four cells: the middle ends the game, although it leaves no more replies than it must.
        let four = "5_4x0_0x1_1x1_2x1_3x1_4x1_0x2_1x2_2x2_3x2_4x2_0x3_1x3_2x3_3x3_4x3_0x4_1x4_2x4_3x4_4x4";
        assert_eq!(choices(four), ["1x0_2x0".to_owned()].into_iter().collect());
    }

    #[test]
    fn it_counts_what_a_brick_blocks() {
        for text in ["5", "5_2x2", "7_0x0_3x4_5x5"] {
            let board = position(text).board().clone();
            let mut bricks = Vec::new();
            board.list(&mut bricks);
            for brick in bricks {
                let mut after = board.clone();
                after.put(brick);
                let fewer = board.brick_count() - after.brick_count();
                assert_eq!(blocked(&board, brick), fewer as usize, "{text} {brick}");
            }
        }
    }

    /// On larger boards, few replies alone win no more games than chance.
    #[test]
    fn it_beats_random_play_on_small_boards() {
        let wins = (0..1000)
            .filter(|number| {
                let seed = Seed::new(*number);
                let mut state = State::new(&Config::new(5).unwrap(), seed);
                let [one, other] = [0, 1].map(|place| seed.agent(AgentId::new(place)));
                let (greedy, random) = (Greedy::new(one), RandomPolicy::<Brick>::new(other));
                let mut policies: [Box<dyn Policy<State>>; 2] = [Box::new(greedy), Box::new(random)];
                let place = u8::try_from(number % 2).unwrap();
                policies.rotate_right(place.into());
                let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
                episode.outcome.winner() == Some(TeamId::new(place))
            })
            .count();
        assert!(wins >= 560, "greedy won {wins} of 1000 games");
    }
}
