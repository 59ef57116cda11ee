//! Prints how fast the rules are, as a table: `cargo xtask bench rules --game bricks`.
//!
//! Whole episodes on one core, with a random policy that draws from the options of its observation. Each figure is
//! the median of several rounds. The rows are measured in turns, so a noisy machine slows all of them alike.

use std::hint::black_box;
use std::time::Instant;

use game_bricks::{Config, State};
use game_env::examples::pebbles::Pebbles;
use game_env::{AgentId, Environment, RandomPolicy, Rollout, Seed};

/// How many times each row is measured.
const ROUNDS: u64 = 7;

/// How many moves a measurement makes at least.
const MOVES: u64 = 1_000_000;

fn main() {
    // `cargo test --benches` and `cargo bench` hand over arguments of their own; none is needed here.
    let sizes: [u16; 4] = [5, 11, 21, 99];
    let mut rows: Vec<(String, Vec<f64>)> =
        sizes.iter().map(|size| (format!("{size}×{size} cells"), Vec::new())).collect();
    rows.push(("pebbles, 1000".to_owned(), Vec::new()));
    for round in 0..ROUNDS {
        for (size, (_, rates)) in sizes.iter().zip(&mut rows) {
            let config = Config::new(*size).expect("the rows of the table can be played");
            rates.push(rate::<State>(&config, round));
        }
        rows.last_mut().expect("it was pushed").1.push(rate::<Pebbles>(&1000, round));
    }
    println!("\nRollouts, random options, complete rules, one core\n");
    println!("{:>14} {:>16} {:>9}", "game", "million moves/s", "ns/move");
    for (name, mut rates) in rows {
        rates.sort_by(f64::total_cmp);
        let median = rates[rates.len() / 2] / 1e6;
        println!("{name:>14} {median:>16.1} {:>9.0}", 1e3 / median);
    }
}

/// Moves per second of whole episodes, one after the other.
fn rate<E: Environment>(config: &E::Config, round: u64) -> f64 {
    let mut seed = Seed::new(round);
    let mut moves = 0;
    let mut policies: Vec<_> = AgentId::all(E::new(config, seed).agents())
        .map(|agent| RandomPolicy::<E::Action>::new(seed.agent(agent)))
        .collect();
    let start = Instant::now();
    while moves < MOVES {
        let mut state = E::new(config, seed);
        moves += Rollout::default().play(&mut state, &mut policies, &mut ()).steps;
        black_box(&state);
        seed = seed.child(0);
    }
    moves as f64 / start.elapsed().as_secs_f64()
}
