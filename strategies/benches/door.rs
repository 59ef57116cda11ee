//! Prints how fast programs decide over the agent protocol: `cargo xtask bench door`.
//!
//! Each worker thread and its programs are pinned to one core: otherwise the scheduler is measured, because waking a
//! process on another core takes up to ten times as long as an answer. The rows of raw pipes, two system calls a
//! message on each side, are measured in the same run: an echo, and as many processes of the program in Python as the
//! game has, asked in turns, all with the same decision. They are the limit. The game's rules and the host's knowledge
//! are part of the other rates.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::process::{Command as Starter, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use child_process::Guard;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{Parameters, Seed, Value};
use rustix::thread::{CpuSet, sched_setaffinity};
use strategies::programs::{Command, Processes, Programs};
use strategies::room;
use wire::agent::{Lost, Peer, Progress};

/// Number of decisions of one measurement.
const DECISIONS: u64 = 40_000;

/// Number of decisions, of which the one of median length is sent over raw pipes.
const LINES: usize = 401;

/// Number of measurements of each row, of which the best counts.
const ROUNDS: u64 = 3;

/// A program in Python that takes the options one after the other.
const PYTHON: &str = r#"
import json, sys
count = 0
read, write = sys.stdin.buffer.readline, sys.stdout.buffer.write
while line := read():
    message = json.loads(line)
    kind = message["type"]
    if kind == "decide":
        count += 7
        options = message["options"]
        write(json.dumps({"do": options[count % len(options)]}).encode() + b"\n")
    elif kind == "hello":
        write(b'{"type":"ready","protocol":1}\n')
    else:
        continue
    sys.stdout.buffer.flush()
"#;

fn main() -> ExitCode {
    if let Some(code) = child_process::run_if_asked() {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("--echo") => echo(),
        Some("--agent") => agent(),
        _ => measure(words.first().is_some_and(|word| word == "--quick")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes what it reads.
fn echo() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut buffer = vec![0; 1 << 16];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            read => {
                output.write_all(&buffer[..read])?;
                output.flush()?;
            }
        }
    }
}

/// Takes the options one after the other, and looks for them as text: the host's work is measured, and not a reader of
/// JSON.
fn agent() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut line, mut answer, mut count) = (String::new(), String::new(), 0_usize);
    while input.read_line(&mut line)? > 0 {
        answer.clear();
        if line.starts_with(r#"{"type":"decide""#) {
            let options = line.rsplit_once(r#""options":["#).map_or("", |(_, list)| list);
            let options: Vec<&str> = options.split('"').skip(1).step_by(2).collect();
            count += 7;
            let option = options.get(count % options.len().max(1)).unwrap_or(&"");
            let _ = writeln!(answer, "{{\"do\":\"{option}\"}}");
        } else if line.starts_with(r#"{"type":"hello""#) {
            answer += "{\"type\":\"ready\",\"protocol\":1}\n";
        }
        output.write_all(answer.as_bytes())?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

/// A game whose agents are all programs.
struct Row {
    name: &'static str,
    game: &'static str,
    config: Parameters,
}

fn rows() -> Vec<Row> {
    let project = |name, preset: &str, agents: i128| {
        let presets = room::find("project").expect("a game").game().presets();
        let preset = presets.iter().find(|own| own.name == preset).expect("a preset");
        let size: Parameters = [("teamSize", Value::Whole(agents / 2))].into_iter().collect();
        Row { name, game: "project", config: size.over(&preset.parameters) }
    };
    vec![
        Row { name: "Dots & Boxes 5x5, 2 programs", game: "dots", config: Parameters::new() },
        project("project quick, 4 programs", "quick", 4),
        project("project 40x40, 4 programs", "spec", 4),
        project("project 40x40, 32 programs", "spec", 32),
    ]
}

/// Programs whose exchanges are timed.
#[derive(Clone, Debug)]
struct Timed {
    programs: Arc<dyn Programs>,
    times: Arc<Mutex<Times>>,
}

#[derive(Default, Debug)]
struct Times {
    exchanges: Vec<Duration>,
    bytes: u64,
    /// The first decisions.
    lines: Vec<Vec<u8>>,
}

struct TimedPeer {
    peer: Box<dyn Peer>,
    times: Arc<Mutex<Times>>,
}

impl Programs for Timed {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        Box::new(TimedPeer { peer: self.programs.start(command), times: Arc::clone(&self.times) })
    }
}

impl Peer for TimedPeer {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let took = self.peer.exchange(line, limit, read)?;
        if line.starts_with(br#"{"type":"decide""#) {
            let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
            times.exchanges.push(took);
            times.bytes += line.len() as u64;
            if times.lines.len() < LINES {
                times.lines.push(line.to_owned());
            }
        }
        Ok(took)
    }

    fn told(&mut self) -> String {
        self.peer.told()
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        self.peer.finish(is_reusable);
    }
}

/// A program in this process that answers at once: what is left is the work of the host.
#[derive(Debug)]
struct AtOnce;

impl Programs for AtOnce {
    fn start(&self, _: &Command) -> Box<dyn Peer> {
        Box::new(AtOncePeer(0))
    }
}

struct AtOncePeer(usize);

impl Peer for AtOncePeer {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        const READY: &[u8] = b"{\"type\":\"ready\",\"protocol\":1}\n";
        const MOVES: [&[u8]; 5] = [
            b"{\"do\":\"move N\"}\n",
            b"{\"do\":\"move E\"}\n",
            b"{\"do\":\"discover\"}\n",
            b"{\"do\":\"move S\"}\n",
            b"{\"do\":\"move W\"}\n",
        ];
        if line.starts_with(br#"{"type":"hello""#) {
            read(READY);
        } else if line.starts_with(br#"{"type":"decide""#) {
            self.0 += 1;
            read(MOVES[self.0 % MOVES.len()]);
        }
        Ok(Duration::ZERO)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// Rate of decisions, and the times of single ones.
#[derive(Clone, Copy)]
struct Measured {
    rate: f64,
    median: Duration,
    p99: Duration,
    bytes: u64,
}

fn measure(is_quick: bool) -> io::Result<()> {
    let decisions = if is_quick { DECISIONS / 20 } else { DECISIONS };
    let own = std::env::current_exe()?;
    let own = own.to_string_lossy();
    let python = std::env::temp_dir().join(format!("door-bench-{}.py", std::process::id()));
    std::fs::write(&python, PYTHON)?;
    let python_command = format!("python3 '{}'", python.display());
    let has_python = Starter::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok();
    println!("decisions/s of one core, worker and programs pinned; median and 99 % of single exchanges");
    println!("{:<34} {:>10} {:>10} {:>9} {:>9} {:>7}", "", "program", "/s", "median", "99 %", "bytes");
    for bytes in [300, 1_900] {
        let line = format!("{}\n", "x".repeat(bytes - 1));
        let measured = best(|| raw_pipes(&[&own, "--echo"], 1, &line, decisions))?;
        print_row(&format!("raw pipe echo, {bytes} bytes"), "rust", measured);
    }
    let agent_command = format!("'{own}' --agent");
    let mut programs = vec![("rust", agent_command.as_str())];
    if has_python {
        programs.push(("python", &python_command));
    } else {
        println!("python3 is not installed: its rows are left out");
    }
    for row in rows() {
        for (name, command) in &programs {
            let measured = best(|| games(&row, command, decisions, 0).map(|(measured, _)| measured))?;
            print_row(row.name, name, measured);
        }
        if has_python {
            let (_, line) = games(&row, &python_command, LINES as u64, 0)?;
            let words = ["python3", &python.to_string_lossy()];
            let programs = spec(&row, "", 0).entrants.len();
            let measured = best(|| raw_pipes(&words, programs, &line, decisions))?;
            print_row("  one of its decisions, raw pipes", "python", measured);
        }
    }
    if let (Some((name, command)), 2..) = (programs.last(), thread::available_parallelism()?.get()) {
        let row = &rows()[1];
        let measured = best(|| two_cores(row, command, decisions))?;
        print_row("project quick, two games, two cores", name, measured);
    }
    println!("\nthe host alone, with programs in the same process that answer at once");
    for row in &rows()[1..] {
        let strategies = room::find(row.game).expect("a game");
        let played = |entrant: &str, programs: Arc<dyn Programs>| -> io::Result<f64> {
            let spec = spec(row, entrant, decisions * 4);
            let start = Instant::now();
            let record = strategies.with_programs(programs).play(&spec, "bench", None);
            let record = record.map_err(io::Error::other)?;
            Ok(start.elapsed().as_secs_f64() * 1e6 / record.decisions as f64)
        };
        let host = played("\"at once\"", Arc::new(AtOnce))?;
        println!("{:<34} {host:>8.2} us a decision, rules and knowledge included", row.name);
    }
    std::fs::remove_file(&python)
}

fn print_row(name: &str, program: &str, measured: Measured) {
    let Measured { rate, median, p99, bytes } = measured;
    let us = |time: Duration| format!("{:.1} us", time.as_secs_f64() * 1e6);
    println!("{name:<34} {program:>10} {rate:>10.0} {:>9} {:>9} {bytes:>7}", us(median), us(p99));
}

fn best(mut measure: impl FnMut() -> io::Result<Measured>) -> io::Result<Measured> {
    let mut best: Option<Measured> = None;
    for _ in 0..ROUNDS {
        let measured = measure()?;
        if best.is_none_or(|best| measured.rate > best.rate) {
            best = Some(measured);
        }
    }
    best.ok_or_else(|| io::Error::other("nothing was measured"))
}

/// Pins this thread, and all that it starts, to a core.
fn pin(core: usize) -> io::Result<()> {
    let mut cores = CpuSet::new();
    cores.set(core);
    Ok(sched_setaffinity(None, &cores)?)
}

/// Sends one line again and again to these programs in turns, and reads a line each time.
fn raw_pipes(words: &[&str], programs: usize, line: &str, exchanges: u64) -> io::Result<Measured> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let line = line.to_owned();
    on_core(0, move || {
        let start = || {
            let mut starter = Starter::new(&words[0]);
            let mut child = starter.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
            let streams = child.stdin.take().zip(child.stdout.take());
            let (input, output) = streams.ok_or_else(|| io::Error::other("there are no pipes"))?;
            Ok((child, input, io::BufReader::new(output)))
        };
        let mut children = (0..programs).map(|_| start()).collect::<io::Result<Vec<_>>>()?;
        let mut answer = Vec::new();
        let mut exchange = |place: usize| {
            let (_, input, output) = &mut children[place];
            answer.clear();
            let sent = Instant::now();
            input.write_all(line.as_bytes())?;
            output.read_until(b'\n', &mut answer)?;
            Ok::<_, io::Error>(sent.elapsed())
        };
        // The programs are started before the clock.
        (0..programs).try_for_each(|place| exchange(place).map(|_| ()))?;
        let mut times = Times { bytes: line.len() as u64 * exchanges, ..Times::default() };
        let start = Instant::now();
        for place in (0..programs).cycle().take(usize::try_from(exchanges).unwrap_or(usize::MAX)) {
            times.exchanges.push(exchange(place)?);
        }
        let took = start.elapsed();
        for (mut child, input, _) in children {
            drop(input);
            child.wait()?;
        }
        times.measured(took)
    })
}

/// Runs this in a thread that is pinned to a core.
fn on_core<T: Send + 'static>(
    core: usize,
    run: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let pinned = thread::spawn(move || {
        pin(core)?;
        run()
    });
    pinned.join().map_err(|_| io::Error::other("the measurement panicked"))?
}

fn spec(row: &Row, entrant: &str, decisions: u64) -> MatchSpec {
    let game = room::find(row.game).expect("a game").game();
    let config = game.complete(&row.config).expect("the rows are valid");
    let agents = game.teams(&config).expect("the rows are valid").len();
    MatchSpec {
        game: row.game.to_owned(),
        config,
        seed: Seed::new(7),
        entrants: vec![entrant.to_owned(); agents],
        limits: MatchLimits { decisions, ..MatchLimits::default() },
    }
}

/// Plays games of this row until there are enough decisions. Returns one of the first decisions as well.
fn games(row: &Row, command: &str, decisions: u64, core: usize) -> io::Result<(Measured, String)> {
    let spec = spec(row, &format!("\"{command}\""), decisions);
    on_core(core, move || {
        let processes: Arc<dyn Programs> =
            Arc::new(Processes::new(Guard::of_this_program()?, std::env::temp_dir()));
        let timed = Timed { programs: processes, times: Arc::default() };
        let room = room::find(&spec.game).expect("a game").with_programs(Arc::new(timed.clone()));
        // The programs are started before the clock.
        let first = MatchSpec { limits: MatchLimits { decisions: 1, ..spec.limits }, ..spec.clone() };
        room.play(&first, "bench", None).map_err(io::Error::other)?;
        *timed.times.lock().unwrap_or_else(PoisonError::into_inner) = Times::default();
        let start = Instant::now();
        let mut seed = 0;
        loop {
            seed += 1;
            let spec = MatchSpec { seed: Seed::new(seed), ..spec.clone() };
            let record = room.play(&spec, "bench", None).map_err(io::Error::other)?;
            if let Some(blunder) = record.first_blunders.first() {
                return Err(io::Error::other(blunder.clone()));
            }
            let times = timed.times.lock().unwrap_or_else(PoisonError::into_inner);
            if times.exchanges.len() as u64 >= decisions {
                let mut lines = times.lines.clone();
                lines.sort_by_key(Vec::len);
                let line = lines.get(lines.len() / 2).map(|line| String::from_utf8_lossy(line).into_owned());
                let line = line.unwrap_or_default();
                return Ok((times.measured(start.elapsed())?, line));
            }
        }
    })
}

/// Plays two games at the same time, each on a core of its own. The rate is that of both.
fn two_cores(row: &Row, command: &str, decisions: u64) -> io::Result<Measured> {
    thread::scope(|scope| {
        let other = scope.spawn(|| games(row, command, decisions, 1));
        let (one, _) = games(row, command, decisions, 0)?;
        let (other, _) = other.join().map_err(|_| io::Error::other("the measurement panicked"))??;
        Ok(Measured { rate: one.rate + other.rate, ..one })
    })
}

impl Times {
    fn measured(&self, took: Duration) -> io::Result<Measured> {
        let mut times = self.exchanges.clone();
        times.sort_unstable();
        let count = times.len();
        let at = |share: usize| times.get(count * share / 100).copied();
        let (Some(median), Some(p99)) = (at(50), at(99)) else {
            return Err(io::Error::other("nothing was measured"));
        };
        let rate = count as f64 / took.as_secs_f64();
        Ok(Measured { rate, median, p99, bytes: self.bytes / count as u64 })
    }
}
