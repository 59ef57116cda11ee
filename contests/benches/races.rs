//! Simulates whole races and prints how often they keep the strongest variant, and for how many games: `cargo xtask
//! bench races`.
//!
//! Beside each race all pairs of its variants are compared, as `league compare` does it, with the same margin and error
//! rate. The results are drawn: a variant wins a game against an opponent with the probability of its strength, and
//! with common seeds the chance of a game is partly the same for all variants.
//!
//! Arguments: `--races N` (default: 1,000). The exit code is 1 if a race drops the strongest variant, or ends with a
//! variant outside the margin, more often than stated by more than chance.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::{env, process, thread};

use contests::in_order::in_order;
use contests::statistics::{Elimination, Ending, Pentanomial, SequentialComparison, score_of_elo};
use contests::text::columns;
use game_env::{Chance, Seed};

/// The error rate of each race.
const RATE: f64 = 0.05;

/// The least difference that matters, in Elo.
const MARGIN: f64 = 10.0;

/// The most pairs of a variant in a race, and of a comparison.
const MOST_PAIRS: u64 = 50_000;

/// The strengths of the variants, drawn anew for each race.
#[derive(Clone, Copy)]
enum Strengths {
    /// This many Elo from each to the next.
    Even(f64),
    /// One is this much stronger, all others are equal.
    One(f64),
    /// About normal, with this standard deviation.
    Drawn(f64),
}

/// Kind of race.
struct Kind {
    name: &'static str,
    strengths: Strengths,
    /// Number of opponents. With several each variant is better against some: by 50 Elo, which even out.
    opponents: usize,
    /// The share of the chance of a game that is the same for all variants.
    common: f64,
}

const KINDS: [Kind; 7] = [
    Kind { name: "10 Elo apart", strengths: Strengths::Even(10.0), opponents: 1, common: 0.3 },
    Kind { name: "20 Elo apart", strengths: Strengths::Even(20.0), opponents: 1, common: 0.3 },
    Kind {
        name: "20 Elo apart, nothing common",
        strengths: Strengths::Even(20.0),
        opponents: 1,
        common: 0.0,
    },
    Kind { name: "20 Elo apart, 4 opponents", strengths: Strengths::Even(20.0), opponents: 4, common: 0.3 },
    Kind { name: "one is 30 Elo stronger", strengths: Strengths::One(30.0), opponents: 1, common: 0.3 },
    Kind { name: "drawn, deviation of 30 Elo", strengths: Strengths::Drawn(30.0), opponents: 1, common: 0.3 },
    Kind { name: "all equal", strengths: Strengths::One(0.0), opponents: 1, common: 0.3 },
];

/// The number of variants.
const VARIANTS: usize = 8;

/// The result of a race.
struct Raced {
    keeps_best: bool,
    /// Whether it ends with a variant that is the strongest or within the margin of it.
    is_right: bool,
    is_decided: bool,
    games: u64,
    /// The games of all comparisons of two variants.
    games_of_all: u64,
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let races: u64 = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => 1_000,
        ["--races", number] if number.parse::<u64>().is_ok_and(|number| number > 0) => {
            number.parse().expect("it was read")
        }
        _ => {
            eprintln!("error: expected `--races N`, with a number above 0");
            process::exit(2);
        }
    };
    let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    println!(
        "\n{races} races of {VARIANTS} variants each, margin {MARGIN} Elo, stated error rate {:.0} %\n",
        100.0 * RATE
    );
    let heading = ["variants", "keeps the best", "right", "decided", "games", "of comparing all"];
    let mut table = vec![heading.map(str::to_owned)];
    let mut is_kept = true;
    for (kind, seed) in KINDS.iter().zip(1_u64..) {
        let mut sums = [0_u64; 5];
        let race = |number| Ok::<_, Infallible>(kind.race(Seed::new(seed).child(number)));
        let Ok(_) = in_order(races, jobs, race, |_, raced| {
            let counts = [raced.keeps_best, raced.is_right, raced.is_decided].map(u64::from);
            let games = [raced.games, raced.games_of_all];
            sums.iter_mut().zip(counts.into_iter().chain(games)).for_each(|(sum, more)| *sum += more);
            ControlFlow::Continue(())
        });
        let share = |count: u64| count as f64 / races as f64;
        // Three standard deviations of a rate that is exactly the stated one.
        let limit = |rate: f64| rate + 3.0 * (rate * (1.0 - rate) / races as f64).sqrt();
        let [keeps, right, decided, games, games_of_all] = sums;
        is_kept &= 1.0 - share(keeps) <= limit(RATE) && 1.0 - share(right) <= limit(2.0 * RATE);
        let percent = |count| format!("{:.1} %", 100.0 * share(count));
        table.push([
            kind.name.to_owned(),
            percent(keeps),
            percent(right),
            percent(decided),
            format!("{:.0}", share(games)),
            format!("{:.1} %", 100.0 * games as f64 / games_of_all as f64),
        ]);
    }
    print!("{}", columns(&table));
    ExitCode::from(u8::from(!is_kept))
}

/// A number from 0 to below 1.
fn unit(chance: &mut Chance) -> f64 {
    f64::from(chance.below(u32::MAX)) / f64::from(u32::MAX)
}

impl Kind {
    fn race(&self, seed: Seed) -> Raced {
        let mut chance = seed.game();
        let strengths = self.strengths(&mut chance);
        let most = strengths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut test = Elimination::new(VARIANTS, MARGIN, RATE);
        let mut games = 0;
        while test.ending().is_none() && test.blocks() * (self.opponents as u64) < MOST_PAIRS {
            let block = self.block(&strengths, test.left(), &mut chance);
            games += 2 * (block.len() * self.opponents) as u64;
            test.add(&block);
        }
        let is_best = |variant: &usize| strengths[*variant] == most;
        let best = test.ending().map(Ending::best);
        Raced {
            keeps_best: test.left().iter().any(is_best),
            is_right: best.is_none_or(|best| most - strengths[best] < MARGIN),
            is_decided: best.is_some(),
            games,
            games_of_all: games_of_all(&strengths, &mut chance),
        }
    }

    /// The strengths of the variants in Elo, in no order.
    fn strengths(&self, chance: &mut Chance) -> Vec<f64> {
        let mut strengths: Vec<f64> = (0..VARIANTS)
            .map(|place| match self.strengths {
                Strengths::Even(step) => step * place as f64,
                Strengths::One(more) => {
                    if place == 0 {
                        more
                    } else {
                        0.0
                    }
                }
                // The sum of twelve uniform numbers has the variance 1.
                Strengths::Drawn(deviation) => deviation * ((0..12).map(|_| unit(chance)).sum::<f64>() - 6.0),
            })
            .collect();
        chance.shuffle(&mut strengths);
        strengths
    }

    /// The half points of these variants in a block.
    fn block(&self, strengths: &[f64], left: &[usize], chance: &mut Chance) -> Vec<Vec<u8>> {
        let mut block = vec![vec![0; self.opponents]; left.len()];
        for opponent in 0..self.opponents {
            for _ in 0..2 {
                let common = unit(chance);
                for (results, variant) in block.iter_mut().zip(left) {
                    // A variant likes every other opponent.
                    let likes = if self.opponents > 1 && (opponent + variant) % 2 == 0 { 50.0 } else { 0.0 };
                    let dislikes = if self.opponents > 1 { 25.0 } else { 0.0 };
                    let score = score_of_elo(strengths[*variant] + likes - dislikes);
                    let drawn = if chance.happens(self.common.sqrt()) { common } else { unit(chance) };
                    results[opponent] += if drawn < score { 2 } else { 0 };
                }
            }
        }
        block
    }
}

/// The number of games that the comparisons of all pairs of these variants take.
fn games_of_all(strengths: &[f64], chance: &mut Chance) -> u64 {
    let mut games = 0;
    for (place, one) in strengths.iter().enumerate() {
        for other in &strengths[place + 1..] {
            let score = score_of_elo(one - other);
            let mut comparison = SequentialComparison::new(MARGIN, RATE, RATE);
            let mut pairs = Pentanomial::default();
            while pairs.pairs() < MOST_PAIRS && comparison.decision().is_none() {
                let points: f64 = (0..2).map(|_| f64::from(u8::from(unit(chance) < score))).sum();
                pairs.add_points(points, 1);
                comparison.observe(&pairs);
            }
            games += 2 * pairs.pairs();
        }
    }
    games
}
