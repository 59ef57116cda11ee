//! Prints how fast the strategies decide: `cargo xtask bench bots`.
//!
//! Rates are those of whole rollouts on one core: rules, knowledge and strategy together. Single decisions, each with
//! the messages before it, are timed in games of their own, because reading the clock costs about as much as some
//! decisions. The rates of all rows are measured in turns, so a noisy machine slows all of them alike.

use std::time::{Duration, Instant};

use game_env::{Environment, Limits, Policy, Rollout, Seed, Timed};
use game_project::{Config, RawConfig, State};
use sdk::local::Seat;
use sdk::strategy::Strategy;
use strategies::project::registry::LineUp;

const ROUNDS: u64 = 5;

/// A strategy on a board.
struct Row {
    strategy: &'static str,
    board: &'static str,
    config: Config,
    /// Number of steps that are played in each round.
    steps: u64,
    rates: Vec<f64>,
}

fn rows() -> Vec<Row> {
    let source = RawConfig { team_size: 4, ..RawConfig::default() };
    let large = RawConfig {
        board_x: 1000,
        board_y: 1000,
        goal_area_height: 100,
        number_of_goals: 1000,
        number_of_pieces: 1000,
        team_size: 20,
        ..RawConfig::default()
    };
    let narrow = RawConfig {
        board_x: 6,
        board_y: 16,
        goal_area_height: 3,
        number_of_goals: 6,
        number_of_pieces: 8,
        ..source.clone()
    };
    let sparse = RawConfig { number_of_pieces: 50, ..large.clone() };
    let boards = [
        ("6×16, 8 pieces", narrow, 400_000),
        ("40×40, 10 pieces", source, 400_000),
        ("1000×1000, 1,000 pieces", large, 200_000),
        ("1000×1000, 50 pieces", sparse, 100_000),
    ];
    let mut rows = Vec::new();
    for (board, raw, steps) in boards {
        for strategy in ["random", "greedy", "climber", "coordinated", "leader", "liar"] {
            let config = raw.check().expect("the bench's boards can be played");
            // Strategies that weigh all pieces need many times as long.
            let steps =
                if ["coordinated", "leader", "liar"].contains(&strategy) { steps / 10 } else { steps };
            rows.push(Row { strategy, board, config, steps, rates: Vec::new() });
        }
    }
    rows
}

/// Plays games from this seed on until this many steps were served; returns their time, the number of steps served, and
/// the seats.
fn play<P: Policy<State>>(
    config: &Config,
    strategy: &str,
    seed: u64,
    steps: u64,
    mut seat: impl FnMut(Seat<Box<dyn Strategy + Send>>) -> P,
) -> (Duration, u64, Vec<P>) {
    let line_up: LineUp = strategy.parse().expect("a strategy of the registry");
    let (mut time, mut served, mut kept) = (Duration::ZERO, 0, Vec::new());
    for game in 0.. {
        let seed = Seed::new(seed).child(game);
        let mut state = State::new(config, seed);
        let seats = Seat::all(&state, seed, |agent, _| line_up.construct(agent.index()));
        let mut seats: Vec<P> = seats.into_iter().map(&mut seat).collect();
        let rollout =
            Rollout { limits: Limits { steps: steps - served, ..Limits::default() }, ..Rollout::default() };
        let begun = Instant::now();
        served += rollout.play(&mut state, &mut seats, &mut ()).steps;
        time += begun.elapsed();
        kept.extend(seats);
        if served >= steps {
            break;
        }
    }
    (time, served, kept)
}

fn main() {
    let mut rows = rows();
    for round in 0..ROUNDS {
        for row in &mut rows {
            let (time, steps, _) = play(&row.config, row.strategy, round, row.steps, |seat| seat);
            row.rates.push(steps as f64 / time.as_secs_f64());
        }
    }
    println!("\nDecisions in rollouts, one core; 4 v 4 on 6×16 and 40×40, 20 v 20 on 1000×1000\n");
    println!(
        "{:<26} {:<12} {:>16} {:>9} {:>9} {:>10} {:>9}",
        "board", "strategy", "decisions/s", "p50 µs", "p99 µs", "p99.9 µs", "most µs"
    );
    for row in &mut rows {
        row.rates.sort_by(f64::total_cmp);
        let begun = Instant::now();
        let timed = |seat| Timed::new(seat, || begun.elapsed());
        let (.., seats) = play(&row.config, row.strategy, 0, row.steps, timed);
        let mut times: Vec<Duration> = seats.iter().flat_map(Timed::times).copied().collect();
        times.sort_unstable();
        let at = |per_mille: usize| times[(times.len() - 1) * per_mille / 1000].as_secs_f64() * 1e6;
        let rate = row.rates[row.rates.len() / 2];
        println!(
            "{:<26} {:<12} {:>16.0} {:>9.2} {:>9.2} {:>10.2} {:>9.1}",
            row.board,
            row.strategy,
            rate,
            at(500),
            at(990),
            at(999),
            at(1000)
        );
    }
}
