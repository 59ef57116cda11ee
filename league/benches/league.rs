//! Prints how many games a league plays in a second, beside bare rollouts of the same matches: `cargo xtask bench
//! league`.
//!
//! The games are 4 v 4 on the preset `quick`: `greedy` against `climber`, which decide within a microsecond, so that
//! the league's own work counts most, and `greedy` against `coordinated`, which searches. A bare rollout has rules and
//! strategies alone. Each further step adds a part of what a league does with every match: measure it, make its record,
//! and write the record into the store before the worker begins another match. All steps are measured in turns, so that
//! a noisy machine slows all alike. The overhead is the median over the rounds, each compared with the bare rollouts of
//! the same round.
//!
//! Arguments: the number of matches of a round (default: 2,000; a tenth of them with `coordinated`) and the number of
//! rounds (default: 5).

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use game_env::matches::MatchSpec;
use game_env::{Environment as _, Measured as _, Notation as _, Rollout, Witness};
use game_project::State;
use league::executor::Executor as _;
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::progress::{Next, Progress};
use league::runner;
use league::store::{Origin, Store};
use sdk::local::Seat;
use strategies::project::registry::Shipped;

/// Target with two cores, in matches a second.
const GOAL: f64 = 1_000.0;

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = |place: usize, default: usize| {
        words.get(place).map_or(default, |word| {
            word.parse().ok().filter(|number| *number > 0).unwrap_or_else(|| {
                eprintln!("error: `{word}`: expected the number of matches of a round, then that of rounds");
                process::exit(2)
            })
        })
    };
    let (matches, rounds) = (number(0, 2_000), number(1, 5));
    compare("climber", matches, rounds);
    compare("coordinated", matches.div_ceil(10), rounds);
    println!("\nGoal with two cores: {GOAL:.0} games/s, and an overhead of at most 10 %.");
}

/// Prints the table of `greedy` against one strategy.
fn compare(opponent: &str, matches: usize, rounds: usize) {
    let file = format!(
        "game = \"project\"\npreset = \"quick\"\n[configuration]\nteamSize = 4\n[schedule]\nsets = {}\n\
         [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"{opponent}\"\n",
        matches.div_ceil(2)
    );
    let executor = InProcess::new("bench 1.0");
    let league = League::read("bench", &file, &executor).expect("the bench's league can be played");
    let specs = specs(&league);
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut jobs = vec![1, cores];
    jobs.dedup();
    println!(
        "\n{} matches a round, 4 v 4, greedy against {opponent} on the preset quick; {rounds} rounds\n",
        specs.len()
    );
    println!("{:>5}  {:<20}  {:>9}  {:>9}", "cores", "step", "games/s", "overhead");
    for jobs in jobs {
        let steps: [(&str, &dyn Fn() -> Duration); 4] = [
            ("bare rollouts", &|| each(&specs, jobs, |spec| drop(bare(spec, &mut ())))),
            ("and metrics", &|| each(&specs, jobs, measured)),
            ("and records", &|| each(&specs, jobs, |spec| recorded(spec, &executor))),
            ("a league", &|| stored(&league, &file, &executor, jobs)),
        ];
        let mut times = steps.map(|_| Vec::new());
        for _ in 0..rounds {
            for (times, (_, step)) in times.iter_mut().zip(&steps) {
                times.push(step().as_secs_f64());
            }
        }
        for ((name, _), own) in steps.iter().zip(&times) {
            let rate = specs.len() as f64 / median(own.clone());
            let overhead = own.iter().zip(&times[0]).map(|(own, bare)| own / bare - 1.0).collect();
            println!("{jobs:>5}  {name:<20}  {rate:>9.0}  {:>7.1} %", 100.0 * median(overhead));
        }
    }
}

/// All matches of a league of one round.
fn specs(league: &League) -> Vec<MatchSpec> {
    let mut progress = Progress::new(league);
    let mut specs = Vec::new();
    while let Next::Play(task) = progress.next_task() {
        specs.push(league.spec(&task.scheduled));
    }
    specs
}

/// Returns the time that this number of threads take to do this with each match.
fn each(specs: &[MatchSpec], jobs: usize, play: impl Fn(&MatchSpec) + Sync) -> Duration {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play(spec);
                }
            });
        }
    });
    begun.elapsed()
}

/// Plays a match with rules and strategies alone.
fn bare(spec: &MatchSpec, witness: &mut impl Witness<State>) -> State {
    let config = State::read_config(&spec.config).expect("the league has checked it");
    let mut state = State::new(&config, spec.seed);
    let mut seats = Seat::all(&state, spec.seed, |agent, _| {
        let shipped: Shipped = spec.entrants[agent.index()].parse().expect("likewise");
        shipped.construct()
    });
    let rollout = Rollout { limits: spec.limits.into(), ..Rollout::default() };
    rollout.play(&mut state, &mut seats, witness);
    state
}

fn measured(spec: &MatchSpec) {
    let config = State::read_config(&spec.config).expect("the league has checked it");
    let mut meter = State::new(&config, spec.seed).meter();
    let state = bare(spec, &mut meter);
    black_box(state.metrics(&meter));
}

fn recorded(spec: &MatchSpec, executor: &InProcess) {
    let played = executor.play(spec, false).expect("every match can be played");
    black_box(played.record.to_string());
}

/// Returns the time that the league takes with a new store, until its file is closed.
fn stored(league: &League, file: &str, executor: &InProcess, jobs: usize) -> Duration {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let origin = Origin {
        name: league.name.clone(),
        file: file.to_owned(),
        executor: executor.name().to_owned(),
        program: executor.program().to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    let jobs = NonZeroUsize::new(jobs).expect("there is at least one core");
    let begun = Instant::now();
    let mut store =
        Store::create(folder.path(), &origin, &ProgramFiles::default()).expect("the folder is empty");
    let progress = runner::run(league, executor, &mut store, jobs, &()).expect("every match can be played");
    assert_eq!(store.count().expect("the store can be read"), progress.counted());
    drop(store);
    begun.elapsed()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
