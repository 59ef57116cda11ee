//! Tunes the parameters of simulated strategies, whose best values are known, and prints how often the intervals hold
//! them: `cargo xtask bench tunes`.
//!
//! The strength of a strategy falls with the distance of its parameters from the best ones. Its games against an
//! opponent are drawn; with common seeds, the chance of a game is partly the same for both points of a sample.
//!
//! Arguments: `--runs N` (default: 100) and `--samples N` (default: 8,000). The exit code is 1 if the intervals of all
//! parameters together hold the best values in fewer than 95 % of the runs by more than chance.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::{env, process, thread};

use contests::in_order::in_order;
use contests::statistics::score_of_elo;
use contests::text::columns;
use contests::tune::{Parameter, Size, Tuner};
use game_env::{Chance, Seed};

/// The share of runs that is asked for.
const ASKED: f64 = 0.95;

/// The confidence of the intervals of a run.
const CONFIDENCE: f64 = 0.98;

/// The loss of strength, in Elo, at a distance of half of the range.
const LOSS: f64 = 70.0;

/// The share of the chance of a game that is the same for both points of a sample.
const COMMON: f64 = 0.3;

/// A simulated strategy.
struct Toy {
    name: &'static str,
    parameters: &'static [&'static str],
    /// The best place, in units; none for one that is drawn anew for each run.
    best: Option<f64>,
    /// The strength at a distance from the best place, as a multiple of [`LOSS`].
    shape: fn(&[f64]) -> f64,
}

fn bowl(off: &[f64]) -> f64 {
    off.iter().map(|off| 4.0 * off * off).sum()
}

const TOYS: [Toy; 8] = [
    Toy { name: "one parameter", parameters: &["a=0..1.0"], best: None, shape: bowl },
    Toy {
        name: "three parameters",
        parameters: &["a=0..1.0", "b=1..100:log", "c=-5..5.0"],
        best: None,
        shape: bowl,
    },
    Toy {
        name: "six parameters",
        parameters: &["a=0..1.0", "b=0..1.0", "c=0..1.0", "d=0..1.0", "e=0..1.0", "f=0..1.0"],
        best: None,
        shape: bowl,
    },
    Toy {
        name: "three that depend on each other",
        parameters: &["a=0..1.0", "b=0..1.0", "c=0..1.0"],
        best: None,
        shape: |off| bowl(off) + 4.0 * off[0] * off[1],
    },
    Toy {
        name: "one of three does not matter",
        parameters: &["a=0..1.0", "b=0..1.0", "c=0..1.0"],
        best: None,
        shape: |off| bowl(&off[..2]),
    },
    Toy { name: "best at the bound", parameters: &["a=0..1.0", "b=0..1.0"], best: Some(1.2), shape: bowl },
    Toy { name: "whole numbers", parameters: &["a=0..8", "b=0..20", "c=0..1.0"], best: None, shape: bowl },
    Toy {
        name: "steeper on one side",
        parameters: &["a=0..1.0", "b=0..1.0"],
        best: None,
        shape: |off| off.iter().map(|off| 4.0 * off * off * if *off > 0.0 { 2.0 } else { 0.7 }).sum(),
    },
];

/// The result of a run.
struct Run {
    holds_all: bool,
    /// For all parameters together: the width of the intervals as a share of the range, and the distance from the best
    /// value.
    width: f64,
    distance: f64,
    /// The loss of strength at the values that were found, in Elo, and that at the start.
    loss: f64,
    loss_at_start: f64,
}

fn main() -> ExitCode {
    let (runs, samples) = arguments();
    let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    println!("\n{runs} runs of {samples} samples each, confidence {:.0} %\n", 100.0 * CONFIDENCE);
    let heading = ["strategy", "all within", "width", "off", "Elo lost", "at the start"];
    let mut table = vec![heading.map(str::to_owned)];
    let mut is_kept = true;
    for (toy, seed) in TOYS.iter().zip(1_u64..) {
        let (mut within, mut sums) = (0_u64, [0.0; 4]);
        let run = |number| Ok::<_, Infallible>(toy.run(samples, Seed::new(seed).child(number)));
        let Ok(_) = in_order(runs, jobs, run, |_, run| {
            within += u64::from(run.holds_all);
            let own = [run.width, run.distance, run.loss, run.loss_at_start];
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            ControlFlow::Continue(())
        });
        let share = within as f64 / runs as f64;
        // Three standard deviations of a share that is exactly the one asked for.
        is_kept &= share >= ASKED - 3.0 * (ASKED * (1.0 - ASKED) / runs as f64).sqrt();
        let [width, distance, loss, at_start] = sums.map(|sum| sum / runs as f64);
        table.push([
            toy.name.to_owned(),
            format!("{:.0} %", 100.0 * share),
            format!("{width:.2}"),
            format!("{distance:.3}"),
            format!("{loss:.1}"),
            format!("{at_start:.1}"),
        ]);
    }
    print!("{}", columns(&table));
    ExitCode::from(u8::from(!is_kept))
}

impl Toy {
    fn run(&self, samples: u64, seed: Seed) -> Run {
        let mut chance = seed.game();
        let parameters: Vec<Parameter> =
            self.parameters.iter().map(|text| text.parse().expect("it is a parameter")).collect();
        let best: Vec<f64> =
            parameters.iter().map(|_| self.best.unwrap_or_else(|| 0.15 + 0.7 * unit(&mut chance))).collect();
        let strength = |values: &[f64]| {
            let off =
                parameters.iter().zip(values).zip(&best).map(|((own, value), best)| own.unit(*value) - best);
            -LOSS * (self.shape)(&off.collect::<Vec<_>>())
        };
        let start: Vec<f64> = parameters.iter().map(|own| own.value(unit(&mut chance), 0.5)).collect();
        let mut tuner = Tuner::new(
            parameters.clone(),
            &start,
            Size { samples, confidence: CONFIDENCE, held_out: 0, seed: seed.child(1) },
        );
        loop {
            let batch = tuner.batch();
            if batch.is_empty() {
                break;
            }
            let results: Vec<Option<f64>> = batch
                .iter()
                .map(|sample| {
                    let scores = sample.values.each_ref().map(|values| score_of_elo(strength(values)));
                    Some(difference(scores, &mut chance))
                })
                .collect();
            tuner.add(&results);
        }
        let tuned = tuner.found().expect("it has ended").parameters;
        let found: Vec<f64> = tuned.iter().map(|own| own.value.value).collect();
        let parameters = &parameters;
        let within = tuned.iter().zip(parameters).zip(&best).map(|((tuned, own), best)| {
            let true_best = own.value(*best, 0.5);
            tuned.value.low <= true_best && true_best <= tuned.value.high
        });
        let mean = |of: &dyn Fn(usize) -> f64| (0..found.len()).map(of).sum::<f64>() / found.len() as f64;
        let highest: Vec<f64> =
            parameters.iter().zip(&best).map(|(own, best)| own.value(*best, 0.5)).collect();
        Run {
            // Every value of a parameter that does not matter is the best.
            holds_all: within.enumerate().all(|(own, holds)| holds || self.is_dead(own, found.len())),
            width: mean(&|own| {
                parameters[own].unit(tuned[own].value.high) - parameters[own].unit(tuned[own].value.low)
            }),
            distance: mean(&|own| (parameters[own].unit(found[own]) - best[own].clamp(0.0, 1.0)).abs()),
            loss: strength(&highest) - strength(&found),
            loss_at_start: strength(&highest) - strength(&start),
        }
    }

    /// Returns whether the strength does not depend on this one of the parameters.
    fn is_dead(&self, own: usize, parameters: usize) -> bool {
        let mut off = vec![0.0; parameters];
        let here = (self.shape)(&off);
        off[own] = 0.3;
        (self.shape)(&off) == here
    }
}

/// A number from 0 to below 1.
fn unit(chance: &mut Chance) -> f64 {
    f64::from(chance.below(u32::MAX)) / f64::from(u32::MAX)
}

/// The difference of the scores of two points in a mirrored pair each.
fn difference(scores: [f64; 2], chance: &mut Chance) -> f64 {
    let mut points = [0.0; 2];
    for _ in 0..2 {
        let common = unit(chance);
        for (points, score) in points.iter_mut().zip(scores) {
            let drawn = if chance.happens(COMMON.sqrt()) { common } else { unit(chance) };
            *points += if drawn < score { 0.5 } else { 0.0 };
        }
    }
    points[0] - points[1]
}

/// The number of runs, and of the samples of each.
fn arguments() -> (u64, u64) {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let (mut runs, mut samples) = (100, 8_000);
    for pair in words.chunks(2) {
        let number = pair.get(1).and_then(|text| text.parse().ok());
        match (pair[0].as_str(), number) {
            ("--runs", Some(number @ 1..)) => runs = number,
            ("--samples", Some(number)) if number >= Size::LEAST_SAMPLES => samples = number,
            _ => {
                let least = Size::LEAST_SAMPLES;
                eprintln!("error: expected `--runs N` and `--samples N`, from 1 and from {least} on");
                process::exit(2);
            }
        }
    }
    (runs, samples)
}
