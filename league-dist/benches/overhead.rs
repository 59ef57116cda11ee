//! Prints how many games a second four workers play on a queue in an SQLite file, beside one process with four jobs:
//! `cargo xtask bench league --dist`.
//!
//! The league is `greedy` against `climber`, 4 v 4 on the preset `quick`: games of about a millisecond, so that all
//! that is done for a game beside playing it counts most. The time of the workers is that of the coordinator's process,
//! from its start to its end; it includes the writing of the standings. Both are measured in turns. Their results must
//! be the same bytes.
//!
//! Arguments: the number of matches of a round (default: 20,000) and the number of rounds (default: 3).

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::time::{Duration, Instant};

use league::begin::PROGRAM;
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::standings::Standings;
use league::store::{Origin, Store};

const WORKERS: usize = 4;

/// The most that workers may be slower.
const GOAL: f64 = 10.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = |place: usize, default: usize| {
        words.get(place).map_or(default, |word| {
            word.parse().ok().filter(|number| *number > 0).unwrap_or_else(|| {
                eprintln!("error: `{word}`: expected the number of matches of a round, then that of rounds");
                process::exit(2)
            })
        })
    };
    let (matches, rounds) = (number(0, 20_000), number(1, 3));
    let file = format!(
        "game = \"project\"\npreset = \"quick\"\n[configuration]\nteamSize = 4\n[schedule]\nsets = {}\n\
         [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"climber\"\n",
        matches.div_ceil(2)
    );
    println!("{matches} matches a round, 4 v 4, greedy against climber on the preset quick\n");
    println!("{:>14} {:>14} {:>10}", "one process", "four workers", "slower by");
    let mut slower = Vec::new();
    for _ in 0..rounds {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        fs::write(folder.path().join("bench.toml"), &file).expect("the folder can be written");
        let alone = play_alone(folder.path(), &file).as_secs_f64();
        let many = play_by_workers(folder.path()).as_secs_f64();
        for name in ["standings.json", "standings.csv", "matches.jsonl"] {
            let [one, other] =
                ["one", "many"].map(|out| fs::read(folder.path().join(out).join(name)).expect("a file"));
            assert!(one == other, "{name} differs");
        }
        let percent = 100.0 * (many / alone - 1.0);
        let rate = |seconds: f64| format!("{:.0} games/s", matches as f64 / seconds);
        println!("{:>14} {:>14} {percent:>8.1} %", rate(alone), rate(many));
        slower.push(percent);
    }
    slower.sort_by(f64::total_cmp);
    println!("\nThe median is {:.1} %; the goal is at most {GOAL:.0} %.", slower[slower.len() / 2]);
}

/// Plays the league in this process with four jobs.
fn play_alone(folder: &Path, file: &str) -> Duration {
    let begun = Instant::now();
    let executor = InProcess::new(PROGRAM);
    let league = League::read("bench", file, &executor).expect("the bench's league can be played");
    let origin = Origin {
        name: "bench".to_owned(),
        file: file.to_owned(),
        executor: InProcess::NAME.to_owned(),
        program: PROGRAM.to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    let mut store =
        Store::create(&folder.join("one"), &origin, &ProgramFiles::default()).expect("the folder is empty");
    let jobs = NonZeroUsize::new(WORKERS).expect("some workers");
    let progress = league::runner::run(&league, &executor, &mut store, jobs, &()).expect("it can be played");
    Standings::new(&league, &origin, &progress).write(&league, &store).expect("the folder can be written");
    begun.elapsed()
}

/// Plays it with a coordinator and four workers, each a process.
fn play_by_workers(folder: &Path) -> Duration {
    let start = |words: &[&str]| -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_league-dist"));
        let command = command.args(words).current_dir(folder).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
    };
    let worker = ["worker", "--queue", "sqlite://queue.db", "--jobs", "1"];
    let mut workers: Vec<Child> = (0..WORKERS).map(|_| start(&worker)).collect();
    let begun = Instant::now();
    let mut run = start(&["run", "bench.toml", "--queue", "sqlite://queue.db", "--out", "many"]);
    let status = run.wait().expect("the coordinator ends");
    let took = begun.elapsed();
    for worker in &mut workers {
        worker.kill().expect("it can be killed");
        worker.wait().expect("it has ended");
    }
    assert!(status.success(), "the coordinator failed");
    took
}
