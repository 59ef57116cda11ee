//! Compares the chances of `bots fork` with the results of the games: `cargo xtask bench calibration`.
//!
//! In each game a moment is drawn, and the chance of the first team there is the share of its futures. Of the moments
//! whose chance is between 70 and 80 %, about as many should belong to games that this team has won. The games are
//! mirrored pairs of two line-ups, so that chances of all sizes occur.
//!
//! Arguments: the number of games (default: 2,000), the number of futures of each moment (default: 50), and two
//! line-ups (default: `greedy coordinated`), which may be commands of programs. Exit code 1: a bin is off by more than
//! five points and by more than chance explains.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, process, thread};

use contests::in_order::in_order;
use contests::statistics::Interval;
use game_env::matches::{MatchLimits, MatchSpec, entrants};
use game_env::replay::Reader;
use game_env::{AgentId, Seed};
use strategies::programs::{Processes, Programs};
use strategies::room::{self, Room};
use study::futures::{CONFIDENCE, Futures, Question};

const BINS: usize = 10;

/// The largest difference between chance and result that is not looked into, as a share.
const TOLERANCE: f64 = 0.05;

/// The games between two lines about the progress.
const PROGRESS: u64 = 100;

/// Program and version in the records.
const PROGRAM: &str = concat!("study ", env!("CARGO_PKG_VERSION"));

/// The moments of a bin: their number, the sum of their chances, and the number of those whose team has won.
#[derive(Clone, Copy, Default)]
struct Bin {
    moments: u64,
    chances: f64,
    won: f64,
}

fn main() -> ExitCode {
    // Programs that play are started through this program.
    child_process::run_if_asked().unwrap_or_else(measure)
}

fn measure() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let number =
        |place: usize, default: u64| words.get(place).map_or(Some(default), |word| word.parse().ok());
    let (Some(games @ 1..), Some(futures @ 1..)) = (number(0, 2_000), number(1, 50)) else {
        eprintln!("error: expected the number of games, then the number of futures of each moment");
        process::exit(2);
    };
    let line_up = |place: usize, default: &str| words.get(place).map_or(default, String::as_str).to_owned();
    let names = [line_up(2, "greedy"), line_up(3, "coordinated")];
    let programs: Arc<dyn Programs> = match Processes::of_this_program() {
        Ok(processes) => Arc::new(processes),
        Err(error) => {
            eprintln!("error: the system does not say where this program is: {error}");
            process::exit(1);
        }
    };
    let room = room::rooms()[0].with_programs(programs);
    let line_ups = names.each_ref().map(|name| {
        room.line_up(name).unwrap_or_else(|error| {
            eprintln!("error: {error}");
            process::exit(2);
        })
    });
    let mut bins = [Bin::default(); BINS];
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let sample = |number| Ok::<_, Infallible>(sampled(&*room, &line_ups, number, futures));
    let Ok(_) = in_order(games, cores, sample, |number, (chance, won)| {
        // The last bin has 100 % too.
        let place = (0..BINS - 1).find(|place| chance < (place + 1) as f64 / BINS as f64).unwrap_or(BINS - 1);
        let bin = &mut bins[place];
        bin.moments += 1;
        bin.chances += chance;
        bin.won += won;
        let done = number + 1;
        if done.is_multiple_of(PROGRESS) {
            eprintln!("{done} of {games} games");
        }
        ControlFlow::Continue(())
    });
    println!("\n{} against {}, preset quick: {games} games, {futures} futures each\n", names[0], names[1]);
    println!("{:>12} {:>8} {:>8} {:>24}", "chance", "moments", "mean", "won (95 %)");
    let mut is_off = false;
    for (place, bin) in bins.iter().enumerate().filter(|(_, bin)| bin.moments > 0) {
        let mean = bin.chances / bin.moments as f64;
        let won = Interval::wilson(bin.won, bin.moments, CONFIDENCE);
        let off = (won.value - mean).abs() > TOLERANCE && (mean < won.low || mean > won.high);
        is_off |= off;
        let [low, high] = [place, place + 1].map(|place| 100 * place / BINS);
        let won = won.map(|share| 100.0 * share);
        let (bounds, share) = (format!("{low} to {high} %"), format!("{:.1} %", 100.0 * mean));
        let interval = format!("{:.1} % ({:.1} to {:.1})", won.value, won.low, won.high);
        println!(
            "{bounds:>12} {:>8} {share:>8} {interval:>24}{}",
            bin.moments,
            if off { "  off" } else { "" }
        );
    }
    if is_off { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The chance of the first team at a drawn moment of a game, and its share of the win: 1, ½ or 0. In odd games the
/// line-ups have changed sides.
fn sampled(room: &dyn Room, line_ups: &[Vec<String>; 2], number: u64, futures: u64) -> (f64, f64) {
    let game = room.game();
    let quick = game_catalogue::preset(game, "quick").expect("there is a preset quick");
    let config = game.complete(&quick.parameters).expect("presets are valid");
    let teams = game.teams(&config).expect("presets are valid");
    let [first, second] = line_ups.clone();
    let sides = if number.is_multiple_of(2) { [first, second] } else { [second, first] };
    let seed = Seed::new(number / 2);
    let entrants = entrants(&teams, &sides);
    let limits = MatchLimits::default();
    let spec = MatchSpec { game: game.name().to_owned(), config, seed, entrants, limits };
    let mut replay = Vec::new();
    room.play(&spec, PROGRAM, Some(&mut replay)).expect("the line-ups play");
    let recorded = Reader::open(&replay[..]).and_then(|reader| room.recorded_game(reader));
    let recorded = recorded.expect("what was written is read");
    let mut chance = Seed::new(number).child(2).agent(AgentId::new(0));
    let inputs = chance.index(recorded.moments().len());
    let seed = Seed::new(number).child(1);
    let question = Question { game: &*recorded, inputs, entrants: recorded.players(), seed };
    let played = Futures::play(&question, futures, NonZeroUsize::MIN, |_| ControlFlow::Continue(()));
    let played = played.expect("the recorded players play");
    let outcome = recorded.outcome().expect("a whole game has an outcome");
    let won = match outcome.winner() {
        Some(winner) => f64::from(u8::from(winner.index() == 0)),
        None => 0.5,
    };
    (played.chances()[0].0.value, won)
}
