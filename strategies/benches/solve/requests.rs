//! Conveyor: how many requests `hints` needs, beside the least that any strategy needs.

use std::time::Instant;

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Config, State};
use game_env::{Disruption, Environment as _, Rollout, Seed, SimTime};
use strategies::conveyor::hints::Hints;
use strategies::conveyor::optimal::Optimal;

use super::{clock, head};

/// Rows and columns.
pub(crate) type Board = (u8, u8);

/// The boards, which have as few hints as the rules allow.
pub(crate) const BOARDS: [Board; 7] = [(1, 4), (1, 8), (2, 2), (2, 3), (2, 4), (2, 5), (3, 3)];
pub(crate) const LONG_BOARDS: [Board; 1] = [(3, 4)];

/// The number of games of `hints` on each board.
const GAMES: u64 = 20_000;

/// The most positions of the search: their table takes some gigabytes.
const MOST_POSITIONS: u64 = 20_000_000;

pub(crate) fn name((rows, columns): &Board) -> String {
    format!("{rows}×{columns}")
}

pub(crate) fn title() {
    head(
        "Conveyor: mean requests of the player that steps in any direction, alone, without conveyors",
        &["board", "least", "positions", "seconds", "`hints`", "more than the least"],
    );
}

/// Prints a row. Returns whether `hints` needs no fewer requests than the least number, up to four standard errors.
pub(crate) fn row(board: Board) -> bool {
    let (rows, columns) = board;
    let config = Config::new(columns, rows).expect("a board of the table");
    let start = Instant::now();
    let mut search = Optimal::new(config, clock(name(&board)));
    search.allow(MOST_POSITIONS);
    let least = search.least_requests();
    let seconds = start.elapsed().as_secs_f64();
    let counts: Vec<f64> = (0..GAMES).map(|seed| requests(config, Seed::new(seed)) as f64).collect();
    let mean = counts.iter().sum::<f64>() / GAMES as f64;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / GAMES as f64;
    let error = (variance / GAMES as f64).sqrt();
    let (value, more, is_possible) = match least {
        Ok(least) => {
            // Rounded, and never -0.0.
            let more = (1_000.0 * (mean / least - 1.0)).round() / 10.0 + 0.0;
            (format!("{least:.3}"), format!("{more:.1} %"), mean > least - 4.0 * error)
        }
        Err(_) => ("unknown".to_owned(), "unknown".to_owned(), true),
    };
    let wrong = if is_possible { "" } else { " (wrong: fewer than the least)" };
    println!(
        "| {} | {value} | {} | {seconds:.2} | {mean:.3} ± {:.3}{wrong} | {more} |",
        name(&board),
        search.positions(),
        1.96 * error
    );
    is_possible
}

/// The requests of `hints` until it is at home.
fn requests(config: Config, seed: Seed) -> u64 {
    let mut state = State::new(&config, seed);
    state.disrupt(SimTime::START, Disruption::AgentLost(TURNER), &mut ());
    let mut policies = [STEPPER, TURNER].map(|player| Hints::new(seed.agent(player)));
    Rollout::default().play(&mut state, &mut policies, &mut ()).steps
}
