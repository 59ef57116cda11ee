//! The cost of viewers for the game master.
//!
//! Games without a game page, with a page that has no viewers, and with some viewers (`--viewers`) are played in turns:
//! once by agents that wait for 10 ms after each answer, and once by agents that do not wait. The second load needs
//! more than two cores for all processes, including viewers. Viewers are a process of their own, and read all messages.
//! The memory is that of the game master after the first round and after the last one.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Result, bail};
use game_env::text::counted;

use crate::behind::confine;
use crate::load::{Load, Round};
use crate::process::Child;
use crate::{AGENTS, Arguments};

/// A game under way, and its viewers.
struct Game {
    shown: String,
    load: Load,
    gm: Child,
    _cs: Child,
    _viewers: Option<Child>,
    rounds: Vec<Round>,
    /// The memory of the game master after each round, in MiB.
    memory: Vec<f64>,
}

/// Prints the tables.
pub(crate) fn compare(arguments: &Arguments) -> Result<()> {
    let cores = confine();
    println!("\nWith viewers of the board: {AGENTS} agents on 40×40, {cores}");
    for (gap, told) in [(10, "that wait for 10 ms after each answer"), (0, "that wait for nothing")] {
        println!("\nAgents {told}\n");
        let header =
            ["board", "answers/s", "p50 µs", "service p50 µs", "of unseen", "p99 µs", "of unseen", "MiB"];
        let [board, rate, p50, median, of_unseen, slow, also, memory] = header;
        println!(
            "{board:>14} {rate:>10} {p50:>7} {median:>15} {of_unseen:>10} {slow:>7} {also:>10} {memory:>14}"
        );
        measure(arguments, Duration::from_millis(gap))?;
    }
    Ok(())
}

fn measure(arguments: &Arguments, gap: Duration) -> Result<()> {
    let viewers = arguments.viewers;
    let some = counted(viewers, "viewer", "viewers");
    let mut games = [begin("none", None)?, begin("nobody looks", Some(0))?, begin(&some, Some(viewers))?];
    for _ in 0..arguments.rounds {
        for game in &mut games {
            game.rounds.push(game.load.round_with(Duration::from_secs_f64(arguments.seconds), gap)?);
            game.memory.extend(game.gm.memory());
        }
    }
    let mut rows = Vec::new();
    for Game { shown, load, mut gm, mut rounds, memory, .. } in games {
        // Everybody leaves, and the game master says how it was.
        drop(load);
        let [median, slow] = gm.line::<u32>()?[..] else { bail!("two service times were expected") };
        rounds.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        let Round { rate, p50, .. } = rounds.swap_remove(rounds.len() / 2);
        let memory = memory.first().zip(memory.last());
        let memory = memory.map_or_else(String::new, |(first, last)| format!("{first:.1} to {last:.1}"));
        rows.push((shown, rate, p50, [median, slow].map(|nanoseconds| f64::from(nanoseconds) / 1e3), memory));
    }
    let unseen = rows[1].3;
    for (shown, rate, p50, service, memory) in rows {
        let [median, slow] = service;
        let [of_median, of_slow] = [0, 1].map(|place| 100.0 * service[place] / unseen[place]);
        println!(
            "{shown:>14} {rate:>10.0} {:>7.0} {median:>15.2} {of_median:>9.1}% {slow:>7.1} {of_slow:>9.1}% {memory:>14}",
            p50.as_secs_f64() * 1e6
        );
    }
    Ok(())
}

/// A game, with a board if a number of viewers is given.
fn begin(shown: &str, viewers: Option<u16>) -> Result<Game> {
    let mut cs = Child::start(&["--serve-cs"])?;
    let [to_agents, to_gm] = cs.line::<SocketAddr>()?[..] else { bail!("two ports were expected") };
    let to_gm = to_gm.to_string();
    let mut words = vec!["--host", &to_gm, "--side", "40", "--pieces", "10"];
    words.extend(viewers.map(|_| "--board"));
    let mut gm = Child::start(&words)?;
    let mut watching = None;
    if let Some(count) = viewers {
        let [board] = gm.line::<SocketAddr>()?[..] else { bail!("the board's address was expected") };
        if count > 0 {
            let mut child = Child::start(&["--watch", &board.to_string(), &count.to_string()])?;
            child.line::<usize>()?;
            watching = Some(child);
        }
    }
    let load = Load::join(to_agents, AGENTS)?;
    let (shown, rounds, memory) = (shown.to_owned(), Vec::new(), Vec::new());
    Ok(Game { shown, load, gm, _cs: cs, _viewers: watching, rounds, memory })
}
