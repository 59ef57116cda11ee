//! Many runs of the simulated system, on all cores: `cargo xtask simulate`.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Parser;
use command_line::{Jobs, tell};
use simulation::pieces::{Counts, Record, line, pieces};
use simulation::{GAMES, Log, Room, repeat, run};

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
    /// Print everything that happens, of one run after the other.
    #[arg(long)]
    log: bool,
    /// Write the finished runs to this file, and leave out those that it has already.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Number of runs at a time; no effect on the results [default: the number of processor cores].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<Jobs>,
}

fn room(name: &str) -> Result<Room, String> {
    let known: Vec<&str> = GAMES.iter().map(|room| room.game).collect();
    let found = GAMES.iter().find(|room| room.game == name);
    found.copied().ok_or_else(|| format!("no such game; there are: {}", known.join(", ")))
}

/// Number of failed runs after which the program stops: further ones seldom say more.
const ENOUGH: usize = 10;

fn main() -> ExitCode {
    match simulate(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Plays all runs; returns whether none failed.
fn simulate(arguments: &Arguments) -> Result<bool, String> {
    let Arguments { game, seeds, from, log, record: path, jobs } = arguments;
    // A panic is part of the report; its backtrace is wanted with the log.
    if !log {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let mut file = RecordFile::open(path.as_deref(), game.game)?;
    let mut total = Counts::default();
    let mut open = Vec::new();
    for (first, runs) in pieces(*from, *seeds) {
        match file.record.piece(first, runs) {
            Some(counts) => total.merge(counts),
            None => open.push((first, runs)),
        }
    }
    let earlier = total.clone();
    if earlier.runs > 0 {
        tell(&format!(
            "{} of {seeds} runs were finished before, {} failed",
            earlier.runs,
            earlier.failed.len()
        ));
    }
    let jobs = if *log { 1 } else { jobs.unwrap_or_default().count().get() };
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let began = Instant::now();
    let mut progress = Progress { shown: began, is_terminal: io::stderr().is_terminal() };
    thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        for _ in 0..jobs {
            let (send, open, next, stop) = (send.clone(), &open, &next, &stop);
            scope.spawn(move || {
                while let Some((first, runs)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut counts = Counts::default();
                    for number in *first..*first + *runs {
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let result = run(game, number, if *log { Log::Printed } else { Log::Nothing });
                        counts.add(number, result.as_ref().ok().copied());
                        if let Err(failure) = result {
                            println!("{failure}");
                        }
                    }
                    // Nobody listens any more if the record cannot be written.
                    if send.send((*first, counts)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (first, counts) in results {
            let written = file.add(first, &counts);
            total.merge(&counts);
            progress.show(&earlier, &total, *seeds, began);
            if written.is_err() || total.failed.len() >= ENOUGH {
                stop.store(true, Ordering::Relaxed);
                written?;
            }
        }
        Ok::<(), String>(())
    })?;
    report(game, *from, &earlier, &total, began.elapsed());
    Ok(total.failed.is_empty())
}

/// Prints the totals; the rates are those of this time alone.
fn report(game: &Room, from: u64, earlier: &Counts, total: &Counts, passed: Duration) {
    if total.failed.len() >= ENOUGH {
        println!("{} runs failed: that is enough", total.failed.len());
    }
    for number in &earlier.failed {
        println!("seed {number} failed before: {}", repeat(game.game, *number));
    }
    let Counts { runs, requests, events, time, failed } = total;
    let seconds = passed.as_secs_f64();
    let (new, played) = (*runs - earlier.runs, (*time - earlier.time).as_secs_f64());
    println!(
        "{runs} runs from number {from} on, {} failed: {requests} requests, {events} events, {:.0} h of virtual time; \
         {new} of them now in {seconds:.1} s, {:.0} runs a second, {:.0} times as fast as the clock",
        failed.len(),
        time.as_secs_f64() / 3_600.0,
        new as f64 / seconds,
        played / seconds
    );
}

/// The record, and the file to which further pieces are added.
struct RecordFile<'a> {
    record: Record,
    file: Option<(&'a Path, File)>,
}

impl<'a> RecordFile<'a> {
    /// Without a path nothing is written.
    fn open(path: Option<&'a Path>, game: &str) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self { record: Record::new(game), file: None }) };
        let named = |error: io::Error| format!("{}: {error}", path.display());
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(named(error)),
        };
        let record = Record::read(&text, game).map_err(|error| format!("{}: {error}", path.display()))?;
        // A line that is not whole goes.
        whole_file::write(path, |out| write!(out, "{record}")).map_err(named)?;
        let file = File::options().append(true).open(path).map_err(named)?;
        Ok(Self { record, file: Some((path, file)) })
    }

    /// Adds a finished piece.
    fn add(&mut self, first: u64, counts: &Counts) -> Result<(), String> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let text = format!("{}\n", line(first, counts));
        file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Progress that is shown while the runs take long.
struct Progress {
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    fn show(&mut self, earlier: &Counts, total: &Counts, of: u64, began: Instant) {
        // A terminal's line is written over, a file's lines stay: fewer of them.
        let pause = Duration::from_secs(if self.is_terminal { 1 } else { 10 });
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let (start, end) = if self.is_terminal { ("\r", "") } else { ("", "\n") };
        let rate = (total.runs - earlier.runs) as f64 / began.elapsed().as_secs_f64();
        eprint!(
            "{start}{} of {of} runs, {} failed, {rate:.0} a second {end}",
            total.runs,
            total.failed.len()
        );
        // Whether anybody sees it is of no matter to the runs.
        let _ = io::stderr().flush();
    }
}
