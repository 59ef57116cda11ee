//! Prints how many games a league plays in a second, beside bare rollouts of the same matches: `cargo xtask bench
//! league`.
//!
//! The games are 4 v 4, `greedy` against `coordinated`, on the preset `quick`. A league measures every match, writes its
//! record into the store before its worker begins another, and counts it. A bare rollout has rules and strategies alone.
//! Both are measured in turns, so that a noisy machine slows both alike; the table has the median of all rounds.
//!
//! Arguments: the number of matches of a round (default: 2,000) and the number of rounds (default: 5).

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, process, thread};

use bots::project::registry::Shipped;
use game_env::matches::MatchSpec;
use game_env::{Environment as _, Notation as _, Rollout};
use game_project::State;
use league::executor::Executor as _;
use league::file::League;
use league::in_process::InProcess;
use league::progress::{Next, Progress};
use league::runner;
use league::store::{Origin, Store};
use sdk::local::Seat;

/// What the league is to reach with two cores.
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
    let file = format!(
        "game = \"project\"\npreset = \"quick\"\n[configuration]\nteamSize = 4\n[schedule]\nsets = {}\n\
         [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"coordinated\"\n",
        matches.div_ceil(2)
    );
    let executor = InProcess::new("bench 1.0");
    let league = League::read("bench", &file, &executor).expect("the bench's league can be played");
    let specs = specs(&league);
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut jobs = vec![1, cores];
    jobs.dedup();
    println!(
        "\n{} matches a round, 4 v 4, greedy against coordinated on the preset quick; the median of {rounds} rounds\n",
        specs.len()
    );
    println!("{:>5}  {:>15}  {:>15}  {:>9}", "cores", "bare games/s", "league games/s", "overhead");
    for jobs in jobs {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            times[0].push(bare(&specs, jobs));
            times[1].push(stored(&league, &file, &executor, jobs));
        }
        let [bare, stored] = times.map(median);
        let rate = |time: Duration| specs.len() as f64 / time.as_secs_f64();
        let overhead = stored.as_secs_f64() / bare.as_secs_f64() - 1.0;
        println!("{jobs:>5}  {:>15.0}  {:>15.0}  {:>7.1} %", rate(bare), rate(stored), 100.0 * overhead);
    }
    println!("\nGoal with two cores: {GOAL:.0} games/s, and an overhead of at most 10 %.");
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

/// How long bare rollouts of these matches take by this number of threads.
fn bare(specs: &[MatchSpec], jobs: usize) -> Duration {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(spec) = specs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let config = State::read_config(&spec.config).expect("the league has checked it");
                    let mut state = State::new(&config, spec.seed);
                    let mut seats = Seat::all(&state, spec.seed, |agent, _| {
                        let shipped: Shipped = spec.entrants[agent.index()].parse().expect("likewise");
                        shipped.construct()
                    });
                    let rollout = Rollout { limits: spec.limits.into(), ..Rollout::default() };
                    rollout.play(&mut state, &mut seats, &mut ());
                }
            });
        }
    });
    begun.elapsed()
}

/// How long the league takes with a new store.
fn stored(league: &League, file: &str, executor: &InProcess, jobs: usize) -> Duration {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let origin = Origin {
        name: league.name.clone(),
        file: file.to_owned(),
        executor: executor.name().to_owned(),
        program: executor.program().to_owned(),
        folder: String::new(),
    };
    let jobs = NonZeroUsize::new(jobs).expect("there is at least one core");
    let begun = Instant::now();
    let mut store = Store::create(folder.path(), &origin).expect("the folder is empty");
    let progress = runner::run(league, executor, &mut store, jobs, &()).expect("every match can be played");
    let elapsed = begun.elapsed();
    assert_eq!(store.count().expect("the store can be read"), progress.counted());
    elapsed
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
