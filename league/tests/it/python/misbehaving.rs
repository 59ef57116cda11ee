//! Programs of the agent protocol that misbehave, in process: the verdict on each, the report of its fault, the game of
//! the other agents, and the processes that are left.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use child_process::Guard;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::{Reader, Record};
use game_env::{AgentId, Disruption, Parameters, Seed, TeamId, Termination, Thinking, Value};
use league::executor::{Executor as _, Played};
use league::games::Games as _;
use league::in_process::InProcess;
use strategies::programs::{Command, Processes, Programs};
use wire::agent::{Lost, Peer, Progress};

use super::PYTHON;
use crate::run::PROGRAM;

/// The first lines of each program.
const PRELUDE: &str = r#"
import json, os, sys, time
def send(value): print(json.dumps(value))
def read():
    line = sys.stdin.readline()
    if not line: os._exit(0)
    return json.loads(line)
def begin():
    hello = read()
    send({'type': 'ready'})
    return hello
def decide():
    while True:
        message = read()
        if message['type'] == 'hello': send({'type': 'ready'})
        elif message['type'] == 'decide': return message
def answer(): send({'do': decide()['options'][0]})
def play():
    while True: answer()
def sleep():
    while True: time.sleep(1000)
"#;

/// A program that misbehaves, and the judgement on it.
struct Row {
    name: &'static str,
    runs: Runs,
    /// The wall time that is waited for its answers, in place of a minute.
    patience: Patience,
    thinking: Thinking,
    dots: Verdict,
    project: Verdict,
    /// A part of the first report in the record; empty if nothing is reported.
    report: &'static str,
}

enum Runs {
    /// Code in Python, after [`PRELUDE`].
    Python(&'static str),
    /// Code of the shell.
    Shell(&'static str),
    /// A command. The file `agent.py` is there, and is not executable.
    Command(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Patience {
    /// As in every match.
    Whole,
    /// Short for answers to `decide`.
    ShortForAnswers,
    /// For each message, short from the moment at which the program writes something.
    ShortOnceItWrites,
    /// Short for `ready` too.
    Short,
}

/// The fault of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    PlaysOn,
    Lost(Termination),
}

use Patience::{Short, ShortForAnswers, ShortOnceItWrites};
use Runs::{Python, Shell};
use Termination::{AgentLost, CannotStart, Crash, Illegal, Protocol, Silence, Time};
use Verdict::{Lost as Loses, PlaysOn};

const SHORT: Duration = Duration::from_millis(500);

/// A row of a program that is judged alike in both games.
const fn row(name: &'static str, runs: Runs, verdict: Verdict, report: &'static str) -> Row {
    Row {
        name,
        runs,
        patience: Patience::Whole,
        thinking: Thinking::Free,
        dots: verdict,
        project: verdict,
        report,
    }
}

impl Row {
    const fn waits(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    const fn limited(self) -> Self {
        Self { thinking: Thinking::LimitMs(200), ..self }
    }

    const fn in_project(self, project: Verdict) -> Self {
        Self { project, ..self }
    }
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // No answer.
    row("never ready", Python("sleep()"), Loses(Silence), "has never answered for").waits(Short),
    row("never answers", Python("begin(); sleep()"), Loses(Silence), "has not answered for").waits(ShortForAnswers),
    row("never answers under a limit", Python("begin(); sleep()"), Loses(Time), "has not answered within 200 ms").limited(),
    row("answers after the limit", Python("begin(); decide(); time.sleep(60); send({'do': 'discover'}); play()"), Loses(Time), "has not answered within 200 ms").limited(),
    row("never flushes", Python("sys.stdout = open(1, 'w', buffering=65536, closefd=False); begin(); play()"), Loses(Silence), "does it flush its output after each line?").waits(Short),
    row("half a line, then silence", Python("begin(); decide(); sys.stdout.write('{\"do\":'); sleep()"), Loses(Silence), "has not answered for").waits(ShortForAnswers),
    row("reads nothing and answers without end", Python("begin()\nwhile True: send({'wait': 0})"), Loses(Silence), "").waits(ShortForAnswers),
    // Ends.
    row("exits at once with 0", Python("sys.exit()"), Loses(Crash), "ended with exit code 0"),
    row("exits at once with 3", Shell("exit 3"), Loses(Crash), "ended with exit code 3"),
    row("killed by a signal", Python("begin(); os.kill(os.getpid(), 9)"), Loses(Crash), "was ended by signal 9"),
    row("dies in the middle of the game", Python("begin(); answer(); answer(); decide(); os._exit(4)"), Loses(Crash), "ended with exit code 4"),
    row("raises an exception", Python("begin(); decide(); raise ValueError('no idea')"), Loses(Crash), "ValueError: no idea"),
    row("an exception after long remarks", Python("print('remark\\n' * 9999, file=sys.stderr); begin(); decide(); raise ValueError('no idea')"), Loses(Crash), "ValueError: no idea"),
    row("half a line, then exit", Python("begin(); decide(); sys.stdout.write('{\"do\":'); sys.exit(5)"), Loses(Crash), "ended with exit code 5"),
    row("an answer without a line end, then exit", Python("begin(); sys.stdout.write(json.dumps({'do': decide()['options'][0]}))"), Loses(Crash), "ended with exit code 0"),
    row("allocates 4 GB", Python("begin(); decide(); bytearray(4 << 30); play()"), Loses(Crash), "MemoryError"),
    row("starts 64 processes", Python("begin()\nfor _ in range(64):\n    if os.fork() == 0: sleep()\nsleep()"), Loses(Crash), "it had more processes than it may"),
    row("leaves a process behind", Shell("sleep 300 & exit 3"), Loses(Crash), "it left 1 process behind, which was killed"),
    row("missing program", Runs::Command("./no-such-program"), Loses(CannotStart), "cannot be started: `./no-such-program`: No such file"),
    row("not executable", Runs::Command("./agent.py"), Loses(CannotStart), "cannot be started: `./agent.py`: Permission denied"),
    // Closes its streams.
    row("closes its output", Python("begin(); os.close(1); sleep()"), Loses(AgentLost), "has closed its standard input or output and still runs"),
    row("closes its input", Python("begin(); answer(); os.close(0); sleep()"), Loses(AgentLost), "has closed its standard input or output and still runs"),
    // Writes too much.
    row("2,000 log lines", Python("begin(); decide()\nfor _ in range(2000): print('log')\nplay()"), Loses(Protocol), "more than 1000 lines"),
    row("log lines without end", Shell("yes"), Loses(Protocol), "more than 1000 lines"),
    row("a line of 2 MB", Python("begin(); decide(); print('x' * 2000000); play()"), Loses(Protocol), "a line of more than 1048576 bytes"),
    row("a note of 1 MB", Python("begin(); send({'do': decide()['options'][0], 'note': 'n' * 1000000}); play()"), PlaysOn, ""),
    row("binary garbage, then an answer", Python("begin(); sys.stdout.buffer.write(bytes(range(256)) * 9 + b'\\n'); play()"), PlaysOn, ""),
    // Answers that are none.
    row("an unknown action", Python("begin(); decide(); send({'do': 'jump'}); play()"), Loses(Illegal), "has answered with an invalid action"),
    row("an action of another kind", Python("begin(); decide(); send({'do': 7}); play()"), Loses(Silence), "expected a string").waits(ShortOnceItWrites),
    row("a refused action again and again", Python("action = {'dots': '0-1'}.get(begin()['game'], 'put')\nwhile True: decide(); send({'do': action})"), Loses(Illegal), "").in_project(PlaysOn),
    row("`tell` without a question", Python("begin(); decide(); send({'tell': None}); play()"), Loses(Illegal), "has answered with `"),
    row("an empty answer", Python("begin(); decide(); send({}); play()"), Loses(Silence), "it has no answer: expected `do`").waits(ShortOnceItWrites),
    row("the number of another message", Python("begin(); send({'do': decide()['options'][0], 'id': 999}); play()"), Loses(Silence), "it answers message 999: expected the answer to message 1").waits(ShortOnceItWrites),
    row("invalid UTF-8 in a note", Python("begin(); decide(); sys.stdout.buffer.write(b'{\"do\":\"0-1\",\"note\":\"\\xff\"}\\n'); play()"), Loses(Silence), "invalid unicode code point").waits(ShortOnceItWrites),
    row("200 levels, then an answer", Python("begin(); options = decide()['options']; print('{\"tell\":' + '[' * 200 + ']' * 200 + '}'); send({'do': options[0]}); play()"), PlaysOn, "recursion limit exceeded"),
    row("two answers at once", Python("begin(); options = decide()['options']; print(json.dumps({'do': options[0]}) + '\\n' + json.dumps({'do': options[1]})); play()"), PlaysOn, ""),
    row("writes before it reads", Python("send({'type': 'ready'}); send({'do': '0-1' if read()['game'] == 'dots' else 'discover'}); play()"), PlaysOn, ""),
    row("waits 0 ms again and again", Python("begin()\nwhile True: decide(); send({'wait': 0})"), Loses(Silence), "has answered `wait` in a game without time: expected `do`").in_project(PlaysOn),
    row("waits without end again and again", Python("begin()\nwhile True: decide(); send({'wait': None})"), Loses(Silence), "has answered `wait` in a game without time: expected `do`").in_project(PlaysOn),
    // `ready` that is none.
    row("a newer version", Python("read(); send({'type': 'ready', 'protocol': 99, 'news': [1]}); play()"), PlaysOn, ""),
    row("version 0", Python("read(); send({'type': 'ready', 'protocol': 0}); play()"), Loses(Protocol), "knows version 0 of the agent protocol: expected 1 or more"),
    row("`ready` in a list", Python("read(); send(['ready']); play()"), Loses(Silence), "has never answered for").waits(Short),
    row("a version that is a text", Python("read(); send({'type': 'ready', 'protocol': 'one'}); play()"), Loses(Silence), "expected u32").waits(ShortOnceItWrites),
    // Harmless, apart from the processes.
    row("starts a process that lives on", Python("import subprocess; subprocess.Popen(['sleep', '300']); begin(); play()"), PlaysOn, ""),
];

/// Processes that are waited for a short time.
#[derive(Debug)]
struct Impatient(Processes, Patience);

struct ImpatientPeer(Box<dyn Peer>, Patience);

impl Programs for Impatient {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        Box::new(ImpatientPeer(self.0.start(command), self.1))
    }
}

impl Peer for ImpatientPeer {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let is_short = match self.1 {
            Patience::Whole => false,
            ShortForAnswers => line.starts_with(br#"{"type":"decide""#),
            Short => true,
            ShortOnceItWrites => {
                let mut progress = Progress::More;
                let took = self.0.exchange(line, limit, &mut |bytes| {
                    progress = read(bytes);
                    if bytes.is_empty() { progress } else { Progress::Done }
                })?;
                if progress == Progress::Done {
                    return Ok(took);
                }
                return Ok(took + self.0.exchange(&[], limit.saturating_sub(took).min(SHORT), read)?);
            }
        };
        self.0.exchange(line, if is_short { limit.min(SHORT) } else { limit }, read)
    }

    fn told(&mut self) -> String {
        self.0.told()
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        self.0.finish(is_reusable);
    }
}

/// The ids of the processes that run in this folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("Linux has it").flatten();
    let is_in = |entry: &fs::DirEntry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder);
    entries.filter(is_in).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Plays a match of the program of this row as agent 0 against `greedy`; when this returns, its processes are dropped.
fn play(row: &Row, game: &str, preset: &str, config: &[(&str, Value)]) -> Played {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a folder");
    let write = |name: &str, code: String| fs::write(path.join(name), code).expect("a program");
    let command = match row.runs {
        Python(code) => {
            write("agent.py", format!("{PRELUDE}{code}\n"));
            format!("{} -S -B agent.py", *PYTHON)
        }
        Shell(code) => {
            write("agent.sh", code.to_owned());
            "sh agent.sh".to_owned()
        }
        Runs::Command(command) => {
            write("agent.py", format!("#!{}\n", *PYTHON));
            command.to_owned()
        }
    };
    let guard = Guard::new(PROGRAM);
    let programs: Arc<dyn Programs> = Arc::new(Impatient(Processes::new(guard, &path), row.patience));
    let executor = InProcess::new("tests 1.0").with_programs(&programs).without_host_check();
    let values: Parameters = config.iter().cloned().collect();
    let configured = executor.configure(game, Some(preset), &values).expect("it is valid");
    let mut entrants = vec!["greedy".to_owned(); configured.teams.len()];
    entrants[0] = executor.line_up(game, &format!("\"{command}\"")).expect("it is a command").remove(0);
    let spec = MatchSpec {
        game: game.to_owned(),
        config: configured.config,
        seed: Seed::new(5),
        entrants,
        limits: MatchLimits { thinking: row.thinking, ..MatchLimits::default() },
    };
    let played = executor.play(&spec, true).expect("a match that can be played");
    drop((executor, programs));
    assert_eq!(processes_in(&path), [""; 0], "{}: processes are left", row.name);
    played
}

/// The agents that gave up, with the reasons.
fn forfeits(played: &Played) -> Vec<(AgentId, Termination)> {
    let mut reader = Reader::open(played.replay.as_deref().expect("a replay")).expect("a replay");
    let mut forfeits = Vec::new();
    while let Some(record) = reader.next_record().expect("a replay") {
        if let Record::Disruption { disruption: Disruption::Forfeited(agent, reason), .. } = record {
            forfeits.push((agent, reason));
        }
    }
    forfeits
}

fn check(row: &Row, game: &str, played: &Played, verdict: Verdict) -> Result<(), String> {
    let record = &played.record;
    let expected = match verdict {
        PlaysOn => vec![],
        Loses(reason) => vec![(AgentId::new(0), reason)],
    };
    let found = forfeits(played);
    if found != expected {
        return Err(format!("{expected:?} expected, but {found:?}"));
    }
    // In The Project Game the others play on, and one team wins. In Dots & Boxes the opponent wins.
    let end = (record.outcome.termination, record.outcome.fault.map(AgentId::index));
    let expected = match verdict {
        Loses(reason) if game == "dots" => (reason, Some(0)),
        _ => (Termination::Normal, None),
    };
    let has_winner = record.outcome.winner().is_some() || game == "dots";
    if end != expected || !has_winner {
        return Err(format!("the end {expected:?} expected, but {}", record.outcome));
    }
    if end.1.is_some() && record.outcome.winner() != Some(TeamId::new(1)) {
        return Err(format!("the opponent has not won: {}", record.outcome));
    }
    let reports = &record.first_blunders;
    let report = if verdict == PlaysOn && row.dots != PlaysOn { "" } else { row.report };
    let is_reported = reports.iter().any(|found| found.contains(report));
    // The SDK reports senseless actions in The Project Game too.
    let is_at_fault = reports.iter().any(|found| found.starts_with("the program of agent #0 "));
    if !is_reported && !report.is_empty() || report.is_empty() && verdict == PlaysOn && is_at_fault {
        return Err(format!("the report {report:?} expected, but {reports:?}"));
    }
    Ok(())
}

/// Plays with all programs of the table, some at a time.
fn check_all(game: &'static str, preset: &str, config: &[(&str, Value)], verdict: fn(&Row) -> Verdict) {
    let rows = Mutex::new(TABLE.iter());
    let faults = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(row) = { rows.lock().expect("no thread panics").next() } {
                    let played = play(row, game, preset, config);
                    if let Err(fault) = check(row, game, &played, verdict(row)) {
                        faults.lock().expect("no thread panics").push(format!("{}: {fault}", row.name));
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().expect("no thread panics");
    assert!(faults.is_empty(), "{game}:\n{}", faults.join("\n"));
}

#[test]
fn a_program_that_misbehaves_loses_its_game_of_dots() {
    check_all("dots", "small", &[], |row| row.dots);
}

#[test]
fn a_program_that_misbehaves_is_gone_from_the_project_game_and_the_others_play_on() {
    check_all("project", "quick", &[("teamSize", Value::Whole(2))], |row| row.project);
}
