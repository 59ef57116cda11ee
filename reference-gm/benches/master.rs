//! Prints how fast the game master answers, sockets aside: `cargo xtask bench gm`.
//!
//! Random requests of 40 agents without penalties: bodies in, checked, played, bodies out. The rates of all
//! rows are taken in turns, so that a noisy machine slows all of them alike. Single service times are taken
//! in a run of their own, since reading the clock costs about as much as some answers.

use std::hint::black_box;
use std::time::Instant;

use game_env::{Environment, Seed, SimTime};
use game_project::{RawConfig, State};
use reference_gm::{Input, Master, Output, Settings};
use wire::project::{AgentNumber, Dialect, Seats};

const AGENTS: i64 = 40;
const MESSAGES: usize = 500_000;
const ROUNDS: usize = 5;

fn master(side: i64, pieces: i64, dialect: Dialect) -> Master {
    let raw = RawConfig {
        board_x: side,
        board_y: side,
        number_of_pieces: pieces,
        team_size: AGENTS / 2,
        move_penalty: 0,
        information_exchange_penalty: 0,
        discovery_penalty: 0,
        put_penalty: 0,
        check_for_sham_penalty: 0,
        destroy_piece_penalty: 0,
        number_of_goals: 5 * side, // enough for no game to end here
        ..RawConfig::default()
    };
    let config = raw.check().expect("the bench's boards can be played");
    let settings = Settings {
        config: config.clone(),
        seed: Seed::new(1),
        dialect,
        longest_message: 8192,
        acknowledge: Vec::new(),
        start_when_full: false,
        start_after: None,
        epoch: jiff::Timestamp::UNIX_EPOCH,
    };
    let seats = Seats::new((1..=AGENTS).map(AgentNumber).collect());
    Master::take_over(settings, State::new(&config, Seed::new(1)), seats, SimTime::START)
}

/// Requests of all kinds but questions and answers, half of them moves.
fn bodies() -> Vec<Vec<u8>> {
    let mut chance = Seed::new(2).game();
    (0..MESSAGES)
        .map(|_| {
            let agent = 1 + chance.below(AGENTS.unsigned_abs().try_into().expect("few agents"));
            let (id, payload) = match chance.below(10) {
                kind @ 0..5 => ([1, 2, 3, 8, 9][kind as usize], "{}".to_owned()),
                way => (7, format!(r#"{{"direction":"{}"}}"#, ["N", "E", "S", "W", "N"][way as usize - 5])),
            };
            format!(r#"{{"messageID":{id},"agentID":{agent},"payload":{payload}}}"#).into_bytes()
        })
        .collect()
}

fn drain(master: &mut Master) {
    loop {
        match master.poll_output() {
            Output::Wait(_) | Output::Done => return,
            output => {
                black_box(output);
            }
        }
    }
}

/// Messages per second, the output taken after every 32 of them.
fn rate(master: &mut Master, bodies: &[Vec<u8>]) -> f64 {
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

fn main() {
    let rows = [
        (40, 10, Dialect::Spec),
        (40, 10, Dialect::Union),
        (1000, 1_000, Dialect::Spec),
        (1000, 100_000, Dialect::Spec),
    ];
    let bodies = bodies();
    let mut rates = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
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
