//! The game master without its sockets: reads bodies, checks them, plays, and writes bodies.
//!
//! The rates of all rows are measured in turns, so a noisy machine slows all of them alike. Single service times are
//! measured in a run of their own, because reading the clock costs about as much as some answers.

use std::hint::black_box;
use std::time::Instant;

use game_env::{Environment, Seed, SimTime};
use game_project::State;
use reference_gm::project::{Input, Master};
use wire::project::{AgentNumber, Dialect, Seats, Writer};

use crate::{AGENTS, any_request, settings};

const MESSAGES: usize = 500_000;

/// Prints the table.
pub(crate) fn compare(rounds: u16) {
    let rows = [
        (40, 10, Dialect::Spec),
        (40, 10, Dialect::Union),
        (1000, 1_000, Dialect::Spec),
        (1000, 100_000, Dialect::Spec),
    ];
    let bodies = bodies(MESSAGES);
    let mut rates = vec![Vec::new(); rows.len()];
    for _ in 0..rounds {
        for ((side, pieces, dialect), rates) in rows.into_iter().zip(&mut rates) {
            rates.push(rate(&mut master(side, pieces, dialect), &bodies));
        }
    }
    println!("\nThe game master without sockets: bytes in, answers out, {AGENTS} agents, one core\n");
    println!(
        "{:>11} {:>8} {:>8} {:>18} {:>10} {:>9} {:>9}",
        "board", "pieces", "dialect", "million messages/s", "of first", "p50 ns", "p99 ns"
    );
    let mut first = None;
    for ((side, pieces, dialect), rates) in rows.into_iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        let rate = rates[rates.len() / 2] / 1e6;
        let ratio = 100.0 * rate / *first.get_or_insert(rate);
        let (median, slow) = service_times(&mut master(side, pieces, dialect), &bodies);
        let board = format!("{side}×{side}");
        println!("{board:>11} {pieces:>8} {dialect:>8} {rate:>18.2} {ratio:>9.0}% {median:>9} {slow:>9}");
    }
}

/// A game master whose game has begun.
pub(crate) fn master(side: i64, pieces: i64, dialect: Dialect) -> Master {
    let settings = settings(side, pieces, dialect);
    let seats = Seats::new((1..=i64::from(AGENTS)).map(AgentNumber).collect());
    let state = State::new(&settings.config, settings.seed);
    Master::take_over(settings, state, seats, SimTime::START)
}

/// This number of requests of all agents, as the communication server hands them over.
pub(crate) fn bodies(count: usize) -> Vec<Vec<u8>> {
    let mut chance = Seed::new(2).game();
    let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
    (0..count)
        .map(|_| {
            let agent = AgentNumber(1 + i64::from(chance.below(AGENTS.into())));
            let request = any_request(&mut chance);
            let mut body = Vec::new();
            writer.request(&mut body, agent, &request);
            body
        })
        .collect()
}

/// Messages per second, the output taken after every 32 of them.
pub(crate) fn rate(master: &mut Master, bodies: &[Vec<u8>]) -> f64 {
    let start = Instant::now();
    for batch in bodies.chunks(32) {
        for body in batch {
            master.handle(SimTime::START, Input::Body(body), &mut ());
        }
        drain(master);
    }
    bodies.len() as f64 / start.elapsed().as_secs_f64()
}

/// The median and the 99th percentile of single service times, in nanoseconds.
fn service_times(master: &mut Master, bodies: &[Vec<u8>]) -> (u128, u128) {
    let mut times: Vec<u128> = bodies
        .iter()
        .map(|body| {
            let start = Instant::now();
            master.handle(SimTime::START, Input::Body(body), &mut ());
            drain(master);
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

fn drain(master: &mut Master) {
    while let Some(output) = master.poll_output() {
        black_box(output);
    }
}
