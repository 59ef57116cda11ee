//! Prints how many operations a second a queue carries: `cargo bench -p league-dist --bench queue -- [ADDRESS]`.
//!
//! Workers, each a thread with its own connection, do one kind of operation as fast as they can. From the figures
//! follows how many workers the queue carries: each of a worker's jobs reports once a second and leases once a chunk,
//! and a worker sends a heartbeat every five seconds.
//!
//! Arguments: the address of the queue (default: an SQLite file in a temporary folder), and the seconds of a
//! measurement (default: 2). A Postgres database is left with the results of this bench: use an empty one.

use std::process;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use game_env::SimTime;
use league::schedule::MatchId;
use league_dist::chunk::{Chunk, LeagueId};
use league_dist::dispatch::{Dispatch, DispatchError, Ending, MatchResult, OpenLeague, WorkerName};
use league_dist::origin::Address;

const WORKERS: [usize; 3] = [1, 4, 16];

/// About the length of a record of a small game.
const RECORD: usize = 700;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let default = format!("sqlite://{}", folder.path().join("queue.db").display());
    let address: Address =
        words.first().unwrap_or(&default).parse().unwrap_or_else(|error: String| refuse(&error));
    let seconds = words.get(1).map_or(Ok(2.0), |word| word.parse::<f64>());
    let seconds = seconds.ok().filter(|seconds| (0.01..=600.0).contains(seconds));
    let seconds = seconds.unwrap_or_else(|| refuse("expected 0.01 to 600 seconds"));
    let time = Duration::from_secs_f64(seconds);
    println!("operations a second on {address}, of all workers together\n");
    println!("{:<28} {:>10} {:>10} {:>10}", "", "1 worker", "4 workers", "16 workers");
    let mut league = 0;
    for (name, operation) in OPERATIONS {
        let mut line = format!("{name:<28}");
        for workers in WORKERS {
            league += 1;
            let rate = measure(
                &address,
                LeagueId::new(u64::from(process::id()) << 32 | league),
                workers,
                time,
                operation,
            );
            let rate = rate.unwrap_or_else(|error| refuse(&error.to_string()));
            line += &format!(" {rate:>10.0}");
        }
        println!("{line}");
    }
}

fn refuse(why: &str) -> ! {
    eprintln!("error: {why}");
    process::exit(2)
}

/// The `n`th operation of a worker.
type Operation = fn(&mut dyn Dispatch, &WorkerName, LeagueId, u64) -> Result<(), DispatchError>;

const OPERATIONS: [(&str, Operation); 4] = [
    ("heartbeat", |queue, worker, _, _| queue.heartbeat(SimTime::START, worker)),
    ("lease and finish of a chunk", |queue, worker, league, n| {
        // Those that were submitted before may be gone.
        let lease = loop {
            if let Some(lease) = queue.lease(worker, league)? {
                break lease;
            }
            queue.submit(&[chunk(league, n)])?;
        };
        queue.finish(worker, &lease)
    }),
    ("report of one result", |queue, worker, league, n| report(queue, worker, league, n, 1)),
    ("report of 100 results", |queue, worker, league, n| report(queue, worker, league, n, 100)),
];

/// A league that is open, with some chunks; returns the operations a second.
fn measure(
    address: &Address,
    league: LeagueId,
    workers: usize,
    time: Duration,
    operation: Operation,
) -> Result<f64, DispatchError> {
    let mut queue = address.open()?;
    let open = OpenLeague {
        id: league,
        name: "bench".to_owned(),
        file: String::new(),
        program: "bench".to_owned(),
        game: "dots".to_owned(),
        rules: 1,
    };
    queue.open(&open)?;
    queue.submit(&(0..200).map(|n| chunk(league, n)).collect::<Vec<_>>())?;
    let ready = Barrier::new(workers);
    let counts: Vec<Result<u64, DispatchError>> = thread::scope(|scope| {
        let work = |place: usize| {
            let ready = &ready;
            move || {
                let name = WorkerName::new("bench", process::id(), u32::try_from(place).unwrap_or(0));
                let name = WorkerName::from(format!("{name}-{league}"));
                let queue = address.open();
                let queue =
                    queue.and_then(|mut queue| queue.join(SimTime::START, &name, "bench", 1).map(|()| queue));
                ready.wait();
                let (mut queue, begun, mut count) = (queue?, Instant::now(), 0);
                while begun.elapsed() < time {
                    let n = place as u64 * 1_000_000_000 + count;
                    operation(&mut *queue, &name, league, n)?;
                    count += 1;
                }
                Ok(count)
            }
        };
        let threads: Vec<_> = (0..workers).map(|place| scope.spawn(work(place))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no worker panics")).collect()
    });
    let count: u64 = counts.into_iter().sum::<Result<u64, DispatchError>>()?;
    queue.close(league)?;
    Ok(count as f64 / time.as_secs_f64())
}

fn chunk(league: LeagueId, n: u64) -> Chunk {
    Chunk { league, matches: (0..100).map(|place| (100 * n + place + 1, id(100 * n + place))).collect() }
}

fn report(
    queue: &mut dyn Dispatch,
    worker: &WorkerName,
    league: LeagueId,
    n: u64,
    results: u64,
) -> Result<(), DispatchError> {
    let result = |place: u64| {
        let number = results * n + place + 1;
        let ending = Ending::Played { record: "x".repeat(RECORD), replay: None };
        MatchResult { number, id: id(number), ending, took_us: 1_000 }
    };
    let results: Vec<MatchResult> = (0..results).map(result).collect();
    queue.report(worker, league, &results).map(drop)
}

fn id(number: u64) -> MatchId {
    format!("1-2/{}/{}", 1 + number % 1_000_000, number % 2).parse().expect("an id")
}
