//! Chance: a [`Seed`] decides every number that is drawn in an episode.
//!
//! The generator is ChaCha with 8 rounds, an algorithm specified outside this project. [`Chance`] specifies how numbers
//! of a range and events of a probability are drawn from its words, since a library's own sampling may change from one
//! release to the next. Together, both specifications make a seed mean the same game on every machine, for as long as
//! the rules stay the same.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng, TryRng};

use crate::digest::Digest;
use crate::ids::AgentId;
use crate::text::NotationError;

/// The number that decides all chance of an episode. Printed wherever a game is reported, so that it can be repeated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seed(u64);

impl Seed {
    /// Returns the seed of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the chance that the game itself uses: set-up, and everything that its rules draw later.
    pub fn game(self) -> Chance {
        Chance::new(self, 0)
    }

    /// Returns the chance that outside delays are drawn from (see [`Latency`](crate::Latency)).
    pub fn latency(self) -> Chance {
        Chance::new(self, 1)
    }

    /// Returns the chance that belongs to one agent's policy. No draw of another agent or of the game moves it.
    pub fn agent(self, agent: AgentId) -> Chance {
        Chance::new(self, (1 << 32) + agent.index() as u64)
    }

    /// Returns the seed of the `index`-th of many episodes that one seed decides.
    ///
    /// ```
    /// use game_env::Seed;
    ///
    /// let league = Seed::new(7);
    /// assert_ne!(league.child(0), league.child(1));
    /// assert_eq!(league.child(1), Seed::new(7).child(1));
    /// ```
    pub fn child(self, index: u64) -> Self {
        let mut chance = Chance::new(self, 2);
        chance.generator.set_word_pos(u128::from(index) * 2);
        Self(chance.generator.next_u64())
    }
}

/// The plain number.
impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Seed {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(Self)
            .map_err(|_| NotationError::new("seed", text, "a whole number from 0 to 18446744073709551615"))
    }
}

/// The one generator that rules and seeded policies may use.
///
/// It implements [`rand_core::Rng`], so that authors of strategies can use all of the `rand` crate with it;
/// rules use only the methods below, whose results are fixed.
#[derive(Clone, Debug)]
pub struct Chance {
    generator: ChaCha8Rng,
    /// The source of the numbers from the next one on, if it is not `generator`.
    later: Option<Later>,
}

impl Chance {
    fn new(seed: Seed, stream: u64) -> Self {
        // The key is the seed's number and a name of 24 bytes, not an expansion that a library may change.
        let mut key = *b"........the-project-game-env-rng";
        key[..8].copy_from_slice(&seed.0.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Self { generator, later: None }
    }

    /// Starts again, with the numbers of `seed.child(path[0]).child(path[1])…` and so on, for this agent.
    ///
    /// The numbers are computed when the first of them is drawn: for a policy that is given its own numbers at each
    /// moment and draws none, this costs next to nothing.
    ///
    /// ```
    /// use game_env::{AgentId, Seed};
    ///
    /// let (seed, agent) = (Seed::new(7), AgentId::new(0));
    /// let mut chance = seed.agent(agent);
    /// chance.start_again(seed, &[5, 2], agent);
    /// assert_eq!(chance, seed.child(5).child(2).agent(agent));
    /// ```
    ///
    /// # Panics
    ///
    /// If the path is longer than four.
    pub fn start_again(&mut self, seed: Seed, path: &[u64], agent: AgentId) {
        let mut later = Later { seed, path: [0; LONGEST_PATH], length: path.len(), agent };
        later.path[..path.len()].copy_from_slice(path);
        self.later = Some(later);
    }

    /// Returns the generator of the next number.
    #[inline]
    fn generator(&mut self) -> &mut ChaCha8Rng {
        if let Some(later) = self.later.take() {
            self.generator = later.generator();
        }
        &mut self.generator
    }

    /// Returns the generator of the next number, for a caller that draws nothing.
    fn settled(&self) -> Cow<'_, ChaCha8Rng> {
        match &self.later {
            Some(later) => Cow::Owned(later.generator()),
            None => Cow::Borrowed(&self.generator),
        }
    }

    /// Draws a whole number from 0 to `bound - 1`, all equally likely.
    ///
    /// It takes the high half of a 32 by 32 bit product, and refuses the few products that would favour some results
    /// (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0 to draw");
        let mut product = u64::from(self.generator().next_u32()) * u64::from(bound);
        let low = |product: u64| product & u64::from(u32::MAX);
        if low(product) < u64::from(bound) {
            let refused = u64::from(bound.wrapping_neg() % bound);
            while low(product) < refused {
                product = u64::from(self.generator().next_u32()) * u64::from(bound);
            }
        }
        u32::try_from(product >> 32).expect("the high half of a 64-bit product")
    }

    /// Draws a place in a table of `length`.
    ///
    /// # Panics
    ///
    /// If `length` is 0 or past `u32::MAX`.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).expect("tables are shorter than 2^32")) as usize
    }

    /// Returns true with this probability: never for 0, always for 1.
    pub fn happens(&mut self, probability: f64) -> bool {
        // 53 bits fill a double exactly.
        let unit = (self.generator().next_u64() >> 11) as f64 * (0.5_f64).powi(53);
        unit < probability
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// Feeds all that decides future draws into a digest.
    pub fn digest(&self, digest: &mut Digest) {
        let generator = self.settled();
        digest.bytes(&generator.get_seed());
        digest.u64(generator.get_stream());
        digest.bytes(&generator.get_word_pos().to_le_bytes());
    }
}

/// Equal if all numbers to come are equal.
impl PartialEq for Chance {
    fn eq(&self, other: &Self) -> bool {
        self.settled() == other.settled()
    }
}

impl Eq for Chance {}

/// Numbers that are computed when the first of them is drawn.
#[derive(Clone, Copy, Debug)]
struct Later {
    seed: Seed,
    path: [u64; LONGEST_PATH],
    length: usize,
    agent: AgentId,
}

const LONGEST_PATH: usize = 4;

impl Later {
    #[cold]
    fn generator(&self) -> ChaCha8Rng {
        let seed = self.path[..self.length].iter().fold(self.seed, |seed, index| seed.child(*index));
        seed.agent(self.agent).generator
    }
}

impl TryRng for Chance {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.generator().next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.generator().next_u64())
    }

    fn try_fill_bytes(&mut self, into: &mut [u8]) -> Result<(), Infallible> {
        self.generator().fill_bytes(into);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers are computed separately, from the definition of ChaCha8. If this test fails, every seed
    /// that a user noted means another game.
    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut chance = Seed::new(7).game();
        let drawn: Vec<u32> = (0..8).map(|_| chance.below(1000)).collect();
        assert_eq!(drawn, [587, 374, 440, 714, 527, 994, 266, 725]);
        assert_eq!(Seed::new(7).child(3).get(), 11_542_818_311_999_803_872);
        let of_agents = [0, 1, 2].map(|agent| Seed::new(7).agent(AgentId::new(agent)).below(1000));
        assert_eq!(of_agents, [977, 435, 277]);
    }

    /// Powers of two are even without refusing any draw: the first bits are the same for each of them.
    #[test]
    fn a_power_of_two_takes_one_draw() {
        let [mut fine, mut coarse] = [(); 2].map(|()| Seed::new(7).game());
        for _ in 0..100 {
            assert_eq!(fine.below(1 << 31) >> 15, coarse.below(1 << 16));
        }
    }

    #[test]
    fn streams_are_apart() {
        let first = |mut chance: Chance| chance.next_u64();
        let seed = Seed::new(1);
        let all = [
            first(seed.game()),
            first(seed.latency()),
            first(seed.agent(AgentId::new(0))),
            first(seed.agent(AgentId::new(1))),
            seed.child(0).get(),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b), "streams {all:?} repeat");
        }
    }

    #[test]
    fn ranges_are_even_and_complete() {
        let mut chance = Seed::new(3).game();
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[chance.below(6) as usize] += 1;
        }
        // Five standard deviations of a binomial with n = 60,000 and p = 1/6 are 456.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 456), "{counts:?}");
        assert_eq!(chance.below(1), 0);
    }

    #[test]
    fn probabilities_keep_their_ends() {
        let mut chance = Seed::new(5).game();
        assert!((0..1000).all(|_| !chance.happens(0.0)));
        assert!((0..1000).all(|_| chance.happens(1.0)));
        let quarter = (0..40_000).filter(|_| chance.happens(0.25)).count();
        // Five standard deviations of a binomial with n = 40,000 and p = 1/4 are 433.
        assert!(quarter.abs_diff(10_000) < 433, "{quarter}");
    }

    #[test]
    fn numbers_that_are_worked_out_later_are_the_same_numbers() {
        let (seed, agent) = (Seed::new(4), AgentId::new(2));
        let path = [3, u64::MAX, 0, 9];
        for length in 0..=path.len() {
            let at_once = path[..length].iter().fold(seed, |seed, index| seed.child(*index)).agent(agent);
            let mut chance = seed.game();
            chance.below(5);
            chance.start_again(seed, &path[..length], agent);
            assert_eq!(chance, at_once);
            let digest = |chance: &Chance| {
                let mut digest = Digest::new();
                chance.digest(&mut digest);
                digest.finish()
            };
            assert_eq!(digest(&chance), digest(&at_once));
            let drawn = |mut chance: Chance| [(); 5].map(|()| chance.next_u64());
            assert_eq!(drawn(chance.clone()), drawn(at_once.clone()));
            chance.next_u32();
            assert_ne!(chance, at_once, "a drawn number is gone");
        }
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Seed::new(9).game().shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
