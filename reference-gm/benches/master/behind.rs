//! The game master behind a communication server: agents, server and game master are a process each, over loopback
//! and on the same two cores.
//!
//! Each agent waits for its answer before it sends another request. The rates of all boards, and those of the game
//! master alone, are measured in turns, so a noisy machine slows all of them alike. A service time is that of the
//! game master alone, from the end of a read from the server to the beginning of the write to it, over the whole
//! run; requests that arrive together are answered together, and share the time.

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use wire::project::Dialect;

use crate::bare::{bodies, master, rate};
use crate::load::{Load, Round};
use crate::process::Child;
use crate::{AGENTS, Arguments};

/// Number of messages that the game master alone gets in a round.
const MESSAGES: usize = 300_000;

/// A game under way.
struct Game {
    side: i64,
    pieces: i64,
    load: Load,
    gm: Child,
    /// Ends when the game does.
    _cs: Child,
    rounds: Vec<Round>,
    bare: Vec<f64>,
}

/// Prints the table.
pub(crate) fn compare(arguments: &Arguments) -> Result<()> {
    let cores = confine();
    let bodies = bodies(MESSAGES);
    let mut games = [begin(40, 10)?, begin(1000, 1_000)?];
    for _ in 0..arguments.rounds {
        for game in &mut games {
            game.rounds.push(game.load.round(Duration::from_secs_f64(arguments.seconds))?);
            game.bare.push(rate(&mut master(game.side, game.pieces, Dialect::Spec), &bodies));
        }
    }
    println!("\nBehind the communication server: {AGENTS} agents, one request each under way, {cores}\n");
    println!(
        "{:>11} {:>8} {:>11} {:>9} {:>9} {:>14} {:>9} {:>18} {:>8}",
        "board",
        "pieces",
        "answers/s",
        "p50 µs",
        "p99 µs",
        "service p50 µs",
        "p99 µs",
        "without sockets/s",
        "ratio"
    );
    for Game { side, pieces, load, mut gm, mut rounds, mut bare, .. } in games {
        // Everybody leaves, and the game master says how it was.
        drop(load);
        let [median, slow] = gm.line::<u32>()?[..] else { bail!("two service times were expected") };
        rounds.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        let Round { rate, p50, p99 } = rounds.swap_remove(rounds.len() / 2);
        bare.sort_by(f64::total_cmp);
        let bare = bare[bare.len() / 2];
        let [p50, p99] = [p50, p99].map(|time| time.as_secs_f64() * 1e6);
        let [median, slow] = [median, slow].map(|nanoseconds| f64::from(nanoseconds) / 1e3);
        println!(
            "{:>11} {pieces:>8} {rate:>11.0} {p50:>9.0} {p99:>9.0} {median:>14.1} {slow:>9.1} {bare:>18.0} {:>7.1}%",
            format!("{side}×{side}"),
            100.0 * rate / bare
        );
    }
    Ok(())
}

fn begin(side: i64, pieces: i64) -> Result<Game> {
    let mut cs = Child::start(&["--serve-cs"])?;
    let [to_agents, to_gm] = cs.line::<SocketAddr>()?[..] else { bail!("two ports were expected") };
    let gm = Child::start(&[
        "--host",
        &to_gm.to_string(),
        "--side",
        &side.to_string(),
        "--pieces",
        &pieces.to_string(),
    ])?;
    let load = Load::join(to_agents, AGENTS).context("the agents")?;
    Ok(Game { side, pieces, load, gm, _cs: cs, rounds: Vec::new(), bare: Vec::new() })
}

/// Keeps this process and those it starts to two cores; returns their names.
pub(crate) fn confine() -> &'static str {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let own = std::process::id().to_string();
    let taskset = || Command::new("taskset").args(["-c", "-p", "0,1", &own]).stdout(Stdio::null()).status();
    match cores {
        1 => "on one core",
        2 => "on two cores",
        _ if taskset().is_ok_and(|status| status.success()) => "on two cores",
        _ => "on all cores (no taskset)",
    }
}
