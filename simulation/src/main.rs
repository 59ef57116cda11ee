//! Runs of the simulated system, one after the other: `cargo xtask simulate`.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use simulation::{GAMES, Log, Room, run};

/// Plays the whole networked system on a virtual clock, with faults that each number decides.
#[derive(Parser)]
#[command(name = "cargo xtask simulate")]
struct Arguments {
    /// The game whose system is simulated.
    #[arg(long, default_value = "project", value_parser = room)]
    game: Room,
    /// Number of runs.
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The number of the first.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Print everything that happens.
    #[arg(long)]
    log: bool,
}

fn room(name: &str) -> Result<Room, String> {
    let known: Vec<&str> = GAMES.iter().map(|room| room.game).collect();
    let found = GAMES.iter().find(|room| room.game == name);
    found.copied().ok_or_else(|| format!("no such game; there are: {}", known.join(", ")))
}

/// Number of failed runs after which the program stops: further ones seldom say more.
const ENOUGH: usize = 10;

fn main() -> ExitCode {
    let Arguments { game, seeds, from, log } = Arguments::parse();
    // A panic is part of the report; its backtrace is wanted with the log.
    if !log {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let began = Instant::now();
    let mut progress = Progress { shown: began, is_terminal: std::io::stderr().is_terminal() };
    let (mut requests, mut events, mut failed, mut done) = (0, 0, 0, 0);
    for number in (from..).take(usize::try_from(seeds).unwrap_or(usize::MAX)) {
        match run(&game, number, if log { Log::Printed } else { Log::Nothing }) {
            Ok(summary) => {
                requests += summary.requests;
                events += summary.events;
            }
            Err(failure) => {
                failed += 1;
                println!("{failure}");
            }
        }
        done += 1;
        progress.show(done, seeds, failed, began);
        if failed == ENOUGH {
            println!("{failed} runs failed: that is enough");
            break;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{done} runs from number {from} on, {failed} failed: {requests} requests, {events} events in {seconds:.1} s, \
         {:.0} runs a second",
        done as f64 / seconds
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Progress that is shown while the runs take long.
struct Progress {
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    fn show(&mut self, done: u64, of: u64, failed: usize, began: Instant) {
        // A terminal's line is written over, a file's lines stay: fewer of them.
        let pause = Duration::from_secs(if self.is_terminal { 1 } else { 10 });
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let (start, end) = if self.is_terminal { ("\r", "") } else { ("", "\n") };
        let rate = done as f64 / began.elapsed().as_secs_f64();
        eprint!("{start}{done} of {of} runs, {failed} failed, {rate:.0} a second {end}");
        // Whether anybody sees it is of no matter to the runs.
        let _ = std::io::stderr().flush();
    }
}
