//! Prints the speed of the rules as a table: `cargo xtask bench rules`.
//!
//! Rollouts of uniformly random requests under the complete rules, on one core. Every figure is the median of
//! several rounds. The rows are measured in turns, so a noisy machine slows all of them alike; compare the ratios.

use std::hint::black_box;
use std::time::{Duration, Instant};

use game_env::{AgentId, Environment, Limits, Rollout, Seed};
use game_project::nearest::{Grid, Pieces, Scan};
use game_project::policy::Random;
use game_project::{Geometry, Piece, RawConfig, State};

/// Number of measurements of each row.
const ROUNDS: usize = 7;

/// One row of the table of rollouts.
struct Row {
    side: i64,
    pieces: i64,
    agents: i64,
}

impl Row {
    fn config(&self) -> game_project::Config {
        let raw = RawConfig {
            board_x: self.side,
            board_y: self.side,
            number_of_pieces: self.pieces,
            team_size: self.agents / 2,
            ..RawConfig::default()
        };
        raw.check().expect("the rows of the table can be played")
    }
}

fn main() {
    // `cargo test --benches` and `cargo bench` hand over arguments of their own; none is needed here.
    println!("\nRollouts, uniformly random requests, complete rules, one core\n");
    rollouts();
    println!("\nSet-up of an episode\n");
    setups();
    println!("\nThe nearest piece, nanoseconds per call\n");
    nearest();
}

fn rollouts() {
    const ROWS: [Row; 6] = [
        Row { side: 40, pieces: 10, agents: 4 },
        Row { side: 40, pieces: 10, agents: 32 },
        Row { side: 1000, pieces: 10, agents: 4 },
        Row { side: 1000, pieces: 1_000, agents: 4 },
        Row { side: 1000, pieces: 1_000, agents: 32 },
        Row { side: 1000, pieces: 100_000, agents: 4 },
    ];
    const STEPS: u64 = 2_000_000;
    let mut times = vec![Vec::new(); ROWS.len()];
    for round in 0..ROUNDS as u64 {
        for (row, times) in ROWS.iter().zip(&mut times) {
            times.push(time_rollouts(row, STEPS, round).as_secs_f64());
        }
    }
    let rates: Vec<f64> = times.iter_mut().map(|times| STEPS as f64 / median(times) / 1e6).collect();
    println!(
        "{:>11} {:>8} {:>7} {:>16} {:>9} {:>10}",
        "board", "pieces", "agents", "million steps/s", "ns/step", "of 40×40"
    );
    for (row, rate) in ROWS.iter().zip(&rates) {
        let board = format!("{0}×{0}", row.side);
        // Against the small board with as many agents.
        let base = ROWS.iter().position(|other| other.agents == row.agents).expect("a row is like itself");
        let ratio = 100.0 * rate / rates[base];
        println!(
            "{board:>11} {:>8} {:>7} {rate:>16.1} {:>9.0} {ratio:>9.0}%",
            row.pieces,
            row.agents,
            1e3 / rate
        );
    }
}

/// Plays whole episodes, one after the other, until this many steps are made.
fn time_rollouts(row: &Row, steps: u64, round: u64) -> Duration {
    let config = row.config();
    let mut seed = Seed::new(round);
    let mut state = State::new(&config, seed);
    let mut policies: Vec<Random> =
        AgentId::all(state.agents()).map(|agent| Random::new(seed, agent)).collect();
    let mut left = steps;
    let start = Instant::now();
    while left > 0 {
        let limits = Limits { steps: left, ..Limits::default() };
        let episode = Rollout { limits, ..Rollout::default() }.play(&mut state, &mut policies, &mut ());
        left -= episode.steps;
        if left > 0 {
            seed = seed.child(0);
            state = State::new(&config, seed);
        }
    }
    black_box(&state);
    start.elapsed()
}

fn setups() {
    println!("{:>11} {:>8} {:>7} {:>12}", "board", "pieces", "agents", "µs/set-up");
    for row in [
        Row { side: 12, pieces: 4, agents: 4 },
        Row { side: 40, pieces: 10, agents: 4 },
        Row { side: 40, pieces: 10, agents: 40 },
        Row { side: 1000, pieces: 1_000, agents: 32 },
        Row { side: 1000, pieces: 100_000, agents: 200 },
    ] {
        let config = row.config();
        let mut times: Vec<f64> = (0..200)
            .map(|seed| {
                let start = Instant::now();
                black_box(State::new(&config, Seed::new(seed)));
                start.elapsed().as_secs_f64()
            })
            .collect();
        let board = format!("{0}×{0}", row.side);
        println!("{board:>11} {:>8} {:>7} {:>12.1}", row.pieces, row.agents, 1e6 * median(&mut times));
    }
}

fn nearest() {
    println!(
        "{:>11} {:>8} {:>22} {:>22} {:>22}",
        "board", "pieces", "move: scan / grid", "discover: scan / grid", "update: scan / grid"
    );
    for (side, pieces) in [
        (40, 10),
        (40, 24),
        (40, 48),
        (40, 96),
        (40, 1_000),
        (1000, 10),
        (1000, 24),
        (1000, 48),
        (1000, 96),
        (1000, 1_000),
        (1000, 100_000),
    ] {
        let geometry = Geometry::new(side, side, 5).expect("a board with all areas");
        let calls = if pieces > 10_000 { 2_000 } else { 50_000 };
        let mut scan = Vec::new();
        let mut grid = Vec::new();
        for round in 0..ROUNDS as u64 {
            scan.push(time_calls(Scan::new(pieces), geometry, pieces, calls, round));
            grid.push(time_calls(Grid::new(geometry, pieces), geometry, pieces, calls, round));
        }
        let pair = |place: usize| {
            let [scan, grid] =
                [&scan, &grid].map(|times| median(&mut times.iter().map(|t| t[place]).collect::<Vec<_>>()));
            format!("{scan:.0} / {grid:.0}")
        };
        println!(
            "{:>11} {pieces:>8} {:>22} {:>22} {:>22}",
            format!("{side}×{side}"),
            pair(0),
            pair(1),
            pair(2)
        );
    }
}

/// Nanoseconds per call of `nearest`, of `around`, and of taking a piece and laying it elsewhere.
fn time_calls(mut index: impl Pieces, geometry: Geometry, pieces: u32, calls: u32, round: u64) -> [f64; 3] {
    let mut chance = Seed::new(round).game();
    let mut task_field = || geometry.position(geometry.goal_fields() + chance.below(geometry.task_fields()));
    let mut lying: Vec<_> = (0..pieces).map(|_| task_field()).collect();
    lying.iter().for_each(|at| index.lay(*at, Piece::Real));
    let from: Vec<_> = (0..calls).map(|_| task_field()).collect();
    let per_call = |start: Instant| start.elapsed().as_secs_f64() * 1e9 / f64::from(calls);
    let start = Instant::now();
    from.iter().for_each(|from| {
        black_box(index.nearest(*from));
    });
    let moves = per_call(start);
    let start = Instant::now();
    from.iter().for_each(|from| {
        black_box(index.around(*from));
    });
    let discoveries = per_call(start);
    let start = Instant::now();
    for (to, place) in from.iter().zip((0..lying.len()).cycle()) {
        index.take(lying[place]);
        index.lay(*to, Piece::Real);
        lying[place] = *to;
    }
    [moves, discoveries, per_call(start)]
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
