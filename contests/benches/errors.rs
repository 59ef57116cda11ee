//! Simulates whole comparisons and prints how often their decisions are wrong: `cargo xtask bench errors`.
//!
//! The sequential test of `league compare` states two error rates: how often equals are called different, and how often
//! a difference of the margin is missed. Here its pairs of games are drawn from known distributions, and it looks after
//! each pair, as it does in a comparison. Runs that reach the most pairs of a comparison count as wrong.
//!
//! Arguments: the number of runs (default: 10,000), and the margin in Elo (default: 10, that of `league compare`). The
//! exit code is 1 if a rate is above the stated one by more than chance.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process, thread};

use contests::statistics::{Decision, Pentanomial, SequentialComparison, score_of_elo};
use game_env::Seed;

/// The default error rates of `league compare`.
const RATE: f64 = 0.05;

/// The default of the most pairs of a comparison.
const MOST_PAIRS: u64 = 50_000;

/// Games between two entrants. In every pair one side of the board is better, by chance of the seed.
struct Games {
    name: &'static str,
    /// The share of drawn games.
    drawn: f64,
    /// Increase of the expected share of the points by the better side.
    side: f64,
}

const GAMES: [Games; 3] = [
    Games { name: "no draws, even sides", drawn: 0.0, side: 0.0 },
    Games { name: "40 % draws, uneven sides", drawn: 0.4, side: 0.1 },
    Games { name: "no draws, the side decides", drawn: 0.0, side: 0.35 },
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (runs, margin) = match &words[..] {
        [] => (Some(10_000), Some(10.0)),
        [runs] => (runs.parse().ok(), Some(10.0)),
        [runs, margin, ..] => (runs.parse().ok(), margin.parse().ok()),
    };
    let (Some(runs @ 1..), Some(margin @ 0.1..=1_000.0)) = (runs, margin) else {
        eprintln!("error: expected the number of runs, then a margin from 0.1 to 1000 Elo");
        process::exit(2);
    };
    println!("\n{runs} comparisons each, margin {margin} Elo, stated error rates {:.0} %\n", 100.0 * RATE);
    println!(
        "{:<28} {:<12} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "games", "difference", "first", "second", "equal", "wrong", "pairs"
    );
    let mut is_kept = true;
    for (games, seed) in GAMES.iter().zip(1_u64..) {
        for (elo, right) in [(0.0, Decision::Equal), (margin, Decision::First)] {
            let shares = games.shares(score_of_elo(elo));
            let (decisions, pairs) = simulate(runs, margin, &shares, Seed::new(seed));
            let share = |decision: Decision| decisions[decision as usize] as f64 / runs as f64;
            let wrong = 1.0 - share(right);
            // Three standard deviations of a rate that is exactly the stated one.
            is_kept &= wrong <= RATE + 3.0 * (RATE * (1.0 - RATE) / runs as f64).sqrt();
            let [first, second, equal] =
                [Decision::First, Decision::Second, Decision::Equal].map(|decision| 100.0 * share(decision));
            println!(
                "{:<28} {:<12} {first:>6.2} % {second:>6.2} % {equal:>6.2} % {:>6.2} % {:>9.0}",
                games.name,
                format!("{elo} Elo"),
                100.0 * wrong,
                pairs as f64 / runs as f64
            );
        }
    }
    ExitCode::from(u8::from(!is_kept))
}

impl Games {
    /// The shares of pairs that bring the first entrant 0, ½, 1, 1½ and 2 points, if it expects this share of all
    /// points.
    fn shares(&self, score: f64) -> [f64; 5] {
        // Lost, drawn, won: the rest of the score is for decided games.
        let game = |score: f64| {
            let won = score - self.drawn / 2.0;
            [1.0 - self.drawn - won, self.drawn, won]
        };
        let mut shares = [0.0; 5];
        for side in [self.side, -self.side] {
            for (one, chance) in game(score + side).into_iter().enumerate() {
                for (other, further) in game(score - side).into_iter().enumerate() {
                    shares[one + other] += chance * further / 2.0;
                }
            }
        }
        shares
    }
}

/// The number of runs with each decision, and of all pairs.
fn simulate(runs: u64, margin: f64, shares: &[f64; 5], seed: Seed) -> ([u64; 3], u64) {
    let (next, all) = (AtomicU64::new(0), Mutex::new(([0; 3], 0)));
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= runs {
                        return;
                    }
                    let (decision, pairs) = compare(margin, shares, seed.child(run));
                    let mut all = all.lock().expect("no thread panics with it");
                    if let Some(decision) = decision {
                        all.0[decision as usize] += 1;
                    }
                    all.1 += pairs;
                }
            });
        }
    });
    all.into_inner().expect("no thread panics with it")
}

/// Runs one comparison: returns its decision, if it reaches one, and the number of its pairs.
fn compare(margin: f64, shares: &[f64; 5], seed: Seed) -> (Option<Decision>, u64) {
    let mut chance = seed.game();
    let mut comparison = SequentialComparison::new(margin, RATE, RATE);
    let mut counts = [0; 5];
    for pairs in 1..=MOST_PAIRS {
        let mut left = f64::from(chance.below(u32::MAX)) / f64::from(u32::MAX);
        let place = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        counts[place.unwrap_or(4)] += 1;
        let decision = comparison.observe(&Pentanomial::new(counts));
        if decision.is_some() {
            return (decision, pairs);
        }
    }
    (None, MOST_PAIRS)
}
