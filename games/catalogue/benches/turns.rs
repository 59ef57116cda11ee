//! Prints the speed of the rules of a small game as a table: `cargo xtask bench rules --game dots`, or `bricks`,
//! `conveyor` or `eriantys`.
//!
//! Whole episodes on one core, with a random policy that draws from the options of its observation. Each figure is
//! the median of several rounds. The rows are measured in turns, so a noisy machine slows all of them alike.

use std::hint::black_box;
use std::time::Instant;
use std::{env, process};

use game_env::examples::pebbles::Pebbles;
use game_env::{AgentId, Environment, RandomPolicy, Rollout, Seed};

/// Number of measurements of each row.
const ROUNDS: u64 = 7;

/// Least number of moves in a measurement.
const MOVES: u64 = 1_000_000;

/// A configuration of a game, and its speed in each round.
struct Row {
    name: String,
    /// Returns the moves per second of a round.
    measure: Box<dyn Fn(u64) -> f64>,
    rates: Vec<f64>,
}

impl Row {
    fn new<E: Environment>(name: String, config: E::Config) -> Self
    where
        E::Config: 'static,
    {
        Self { name, measure: Box::new(move |round| rate::<E>(&config, round)), rates: Vec::new() }
    }
}

fn main() {
    // `cargo test --benches` and `cargo bench` hand over arguments of their own, which begin with dashes.
    let game = env::args().skip(1).find(|word| !word.starts_with("--"));
    let dots = || [2, 4, 8, 20].map(dots);
    let bricks = || [5, 11, 21, 99].map(bricks);
    let conveyor = || [(5, 4, 1), (12, 9, 4), (99, 99, 400)].map(conveyor);
    let eriantys = || [(2, false), (2, true), (3, true), (4, true)].map(eriantys);
    let mut rows: Vec<Row> = match game.as_deref() {
        None => dots().into_iter().chain(bricks()).chain(conveyor()).chain(eriantys()).collect(),
        Some("dots") => dots().into(),
        Some("bricks") => bricks().into(),
        Some("conveyor") => conveyor().into(),
        Some("eriantys") => eriantys().into(),
        Some(other) => {
            eprintln!(
                "error: `{other}` is no small game: expected dots, bricks, conveyor or eriantys, or nothing for all"
            );
            process::exit(2);
        }
    };
    rows.push(Row::new::<Pebbles>("pebbles, 1000".to_owned(), 1000));
    for round in 0..ROUNDS {
        for row in &mut rows {
            row.rates.push((row.measure)(round));
        }
    }
    println!("\nRollouts, random options, complete rules, one core\n");
    println!("{:>17} {:>16} {:>9}", "game", "million moves/s", "ns/move");
    for Row { name, mut rates, .. } in rows {
        rates.sort_by(f64::total_cmp);
        let median = rates[rates.len() / 2] / 1e6;
        println!("{name:>17} {median:>16.1} {:>9.0}", 1e3 / median);
    }
}

fn dots(side: u16) -> Row {
    let config = game_dots::Config::new(side + 1, side + 1).expect("the rows of the table can be played");
    Row::new::<game_dots::State>(format!("{side}×{side} boxes"), config)
}

fn bricks(size: u16) -> Row {
    let config = game_bricks::Config::new(size).expect("the rows of the table can be played");
    Row::new::<game_bricks::State>(format!("{size}×{size} cells"), config)
}

fn conveyor((columns, rows, conveyors): (u8, u8, u16)) -> Row {
    let config =
        game_conveyor::Config::new(columns, rows).and_then(|config| config.with_conveyors(conveyors));
    let config = config.expect("the rows of the table can be played");
    Row::new::<game_conveyor::State>(format!("{columns}×{rows} fields"), config)
}

fn eriantys((players, is_expert): (u8, bool)) -> Row {
    let config = game_eriantys::Config::new(players, is_expert).expect("the rows of the table can be played");
    let mode = if is_expert { "expert" } else { "simple" };
    Row::new::<game_eriantys::State>(format!("{players} players, {mode}"), config)
}

/// Returns the moves per second of whole episodes, one after the other.
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
