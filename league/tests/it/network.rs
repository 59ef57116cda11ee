//! Matches over the network: programs that play, and programs that do anything else.

#![cfg(target_os = "linux")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use child_process::Guard;
use game_env::matches::MatchSpec;
use game_env::{Outcome, Termination};
use league::executor::{Executor as _, Played};
use league::file::League;
use league::in_process::InProcess;
use league::network::commands::CommandEntrant;
use league::network::host::HostLimits;
use league::network::{Network, Rules};
use league::progress::Task;
use league::runner::{MOST_REPETITIONS, Observer, RunError, run};
use league::schedule::ScheduledMatch;
use league::store::{Origin, Store};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// One agent against one, on a board on which games last about a second.
const GAME: &str = r#"
game = "project"
executor = "network"
[configuration]
teamSize = 1
boardX = 4
boardY = 6
goalAreaHeight = 1
numberOfGoals = 1
numberOfPieces = 4
shamPieceProbability = 0.0
movePenalty = 20
informationExchangePenalty = 10
discoveryPenalty = 10
putPenalty = 10
checkForShamPenalty = 10
[schedule]
sets = 1
[[entrant]]
strategy = "greedy"
[[entrant]]
name = "other"
strategy = "random"
"#;

/// What agents in Python begin with.
const AGENT: &str = "
import json, os, socket, sys, time
def connect():
    return socket.create_connection((os.environ['AGENT_HOST'], int(os.environ['AGENT_PORT'])))
def send(s, message, payload):
    body = json.dumps({'messageID': message, 'agentID': 0, 'payload': payload}).encode()
    s.sendall(len(body).to_bytes(2, 'little') + body)
def take(s, size):
    data = b''
    while len(data) < size:
        part = s.recv(size - len(data))
        if not part: return None
        data += part
    return data
def read(s):
    head = take(s, 2)
    body = head and take(s, int.from_bytes(head, 'little'))
    return body and json.loads(body)['messageID']
def join(s, team=os.environ['AGENT_TEAM']):
    send(s, 6, {'teamID': team})
    while read(s) != 107: pass
def begin(s):
    while read(s) != 105: pass
";

const ALWAYS: HostLimits =
    HostLimits { late: Duration::ZERO, late_beats: 2.0, longest: Duration::MAX, pressure: f64::INFINITY };

fn rules() -> Rules {
    // On a busy machine the interpreter alone takes seconds to start.
    Rules { join: Duration::from_secs(30), grace: Duration::from_secs(30), checks_host: true }
}

fn network(rules: Rules) -> Network {
    let guard = Guard::new(env!("CARGO_BIN_EXE_league"));
    Network::new("tests 1.0", guard, workspace(), rules).with_limits(ALWAYS)
}

fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The interpreter itself: what is called `python3` may be a script that chooses one.
static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let code = "import sys; print(sys.executable)";
    let output = std::process::Command::new("python3").args(["-I", "-S", "-c", code]).output();
    let output = output.expect("Python can be started: install Python 3.9 or newer").stdout;
    String::from_utf8(output).expect("a path in UTF-8").trim().to_owned()
});

fn python(code: &str) -> CommandEntrant {
    CommandEntrant::new([PYTHON.as_str(), "-I", "-S", "-B", "-u", "-c", code])
}

fn agent(code: &str) -> CommandEntrant {
    python(&(AGENT.to_owned() + code))
}

fn league(file: &str) -> League {
    League::read("tests", file, &InProcess::new("tests 1.0")).expect("the league is sound")
}

/// A match of a program as blue against `greedy`.
fn spec(program: &CommandEntrant) -> MatchSpec {
    let league = league(GAME);
    let id = "1-2/1/0".parse().expect("a match of the league");
    let ScheduledMatch { id, seed } = league.seeds().schedule(id);
    let mut spec = league.spec(&ScheduledMatch { id, seed });
    spec.entrants[1] = program.to_string();
    spec
}

fn play_with(rules: Rules, program: &CommandEntrant) -> Played {
    network(rules).play(&spec(program), true).expect("a match that can be played")
}

fn play(program: &CommandEntrant) -> Played {
    play_with(rules(), program)
}

fn log<'a>(played: &'a Played, source: &str) -> &'a str {
    let found = played.logs.iter().find(|log| log.source == source);
    found.map_or_else(|| panic!("{source} has no log: {:?}", played.logs), |log| log.text.as_str())
}

/// The program is at fault for this, and has lost.
#[track_caller]
fn check_lost(played: &Played, termination: Termination) {
    let Outcome { ranking, termination: found, fault, .. } = played.record.outcome;
    assert_eq!(found, termination, "{:?}", played.logs);
    assert_eq!((ranking.places(), fault.map(|agent| agent.index())), (&[1, 2][..], Some(1)));
}

/// The process of this id is gone; what is asked for first has ended already.
#[track_caller]
fn check_gone(id: &str) {
    let pid = Pid::from_raw(id.trim().parse().expect("the id of a process")).expect("ids are above 0");
    assert_eq!(test_kill_process(pid), Err(Errno::SRCH), "process {pid:?} stays");
}

#[test]
fn a_program_that_does_not_exist_never_joins() {
    let played = play(&CommandEntrant::new(["no-such-program-anywhere"]));
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "agent 2 (blue)").contains("could not be started: `no-such-program-anywhere`"));
    assert_eq!((played.record.steps, played.replay), (0, None));
    let mut nowhere = CommandEntrant::new(["true"]);
    nowhere.folder = "/no/such/folder".to_owned();
    let played = play(&nowhere);
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "lobby").contains("cannot enter the folder /no/such/folder"));
}

#[test]
fn a_program_that_ends_at_once_never_joins_and_its_last_words_are_kept() {
    let played = play(&python("import sys; print('no \\x1b[2J idea', file=sys.stderr); sys.exit(3)"));
    check_lost(&played, Termination::CannotStart);
    assert_eq!(
        log(&played, "agent 2 (blue)"),
        "its program ended with exit code 3\nstandard error:\nno \\u{1b}[2J idea"
    );
    assert_eq!(played.record.blunders, 1);
}

#[test]
fn a_program_that_never_joins_is_not_waited_for() {
    let rules = Rules { join: Duration::from_millis(300), grace: Duration::ZERO, ..rules() };
    let played =
        play_with(rules, &python("while True: input() if False else __import__('time').sleep(1000)"));
    check_lost(&played, Termination::CannotStart);
    assert_eq!(log(&played, "lobby"), "agent 2 (blue) did not join within 300ms");
    assert!(log(&played, "agent 2 (blue)").starts_with("its program was stopped"));
}

#[test]
fn a_program_that_prints_without_end_fills_nothing() {
    let played = play(&python("for _ in range(100): print('x' * 100_000)"));
    check_lost(&played, Termination::CannotStart);
    let text = log(&played, "agent 2 (blue)");
    assert!(text.contains("standard output:\n[9934564 bytes before this are not kept]\nxxx"), "{text:.200}");
    assert!(text.len() < 70_000);
}

#[test]
fn a_program_that_wants_too_much_memory_is_refused_it() {
    let mut greedy = python("data = bytearray(10**9)");
    greedy.memory_mib = 64;
    let played = play(&greedy);
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "agent 2 (blue)").contains("MemoryError"));
}

#[test]
fn a_program_that_floods_is_disconnected() {
    let code = "
s = connect()
join(s)
try:
    while True: s.sendall(b'\\x02\\x00[]' * 1000)
except OSError: pass
";
    let played = play(&agent(code));
    check_lost(&played, Termination::Protocol);
}

#[test]
fn a_program_that_joins_the_other_team_breaks_the_protocol() {
    let played = play(&agent("s = connect(); join(s, 'red'); read(s)"));
    // Whether the seat was free or taken.
    check_lost(&played, Termination::Protocol);
    let text = log(&played, "lobby");
    assert!(
        text == "agent 2 (blue) has joined red" || text == "agent 2 (blue) asked for a team that is full",
        "{text}"
    );
}

#[test]
fn a_program_that_fails_in_the_game_has_crashed_and_leaves_nothing_behind() {
    let code = "
s = connect(); join(s); begin(s)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        s.close()
        while True: time.sleep(1000)
    os._exit(0)
os.wait()
raise SystemExit(5)
";
    let played = play(&agent(code));
    check_lost(&played, Termination::Crash);
    let text = log(&played, "agent 2 (blue)");
    // The second child may have been killed before it could tell its id.
    assert!(text.starts_with("its program ended with exit code 5"), "{text}");
    if let Some((_, id)) = text.split_once("standard output:\n") {
        check_gone(id);
    }
    assert!(played.record.first_blunders[0].contains("the program of agent 2 (blue) ended with exit code 5"));
    assert!(played.replay.is_some());
}

#[test]
fn a_program_that_leaves_in_order_is_lost() {
    check_lost(&play(&agent("s = connect(); join(s); begin(s)")), Termination::AgentLost);
}

#[test]
fn a_program_that_does_not_end_is_killed_and_its_match_counts() {
    let code = "
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
s = connect(); join(s)
while read(s): pass
while True: time.sleep(1000)
";
    let played = play_with(Rules { grace: Duration::from_millis(100), ..rules() }, &agent(code));
    assert_eq!(played.record.outcome.termination, Termination::Normal);
    assert_eq!(played.record.outcome.ranking.places(), [1, 2]);
    let text = log(&played, "agent 2 (blue)");
    assert!(
        text.starts_with("its program was stopped and did not end in time (SIGTERM): it was killed"),
        "{text}"
    );
    assert_eq!(played.record.blunders, 0);
}

#[test]
fn a_match_in_which_nothing_happens_is_given_up() {
    let idle = agent("s = connect(); join(s)\nwhile read(s): pass");
    let mut spec = spec(&idle);
    spec.entrants = vec![idle.to_string(); 2];
    spec.limits.time = game_env::SimTime::from_millis(100);
    let played = network(rules()).play(&spec, true).expect("a match that can be played");
    let Outcome { ranking, termination, .. } = played.record.outcome;
    assert_eq!((ranking.places(), termination), (&[1, 1][..], Termination::Stall));
}

/// The agent in Python against a shipped strategy, and beside both a program that fails: a whole league, in which the
/// matches of the others take their course.
#[test]
fn an_agent_in_another_language_plays_in_a_league() {
    let python = PYTHON.as_str();
    let file = GAME.replace("[schedule]", "[network]\ncheck_host = false\n[schedule]")
        + &format!(
            "[[entrant]]\nname = \"python\"\n\
             command = [\"{python}\", \"agent.py\", \"--host\", \"{{host}}\", \"--port\", \"{{port}}\", \"--team\", \"{{team}}\"]\n\
             folder = \"examples/python\"\n\
             [[entrant]]\nname = \"broken\"\ncommand = [\"{python}\", \"-c\", \"import os; os._exit(9)\"]\n"
        );
    let folder = tempfile::tempdir().expect("a folder");
    let text = |text: &str| text.to_owned();
    let origin = Origin {
        name: text("tests"),
        file: file.clone(),
        executor: text(Network::NAME),
        program: text("tests 1.0"),
        folder: String::new(),
    };
    let league = league(&file);
    assert!(league.keeps_replays);
    let mut store = Store::create(folder.path(), &origin).expect("a store");
    let rules = Rules { checks_host: league.network.checks_host, ..rules() };
    let jobs = NonZeroUsize::new(3).expect("some jobs");
    let progress = run(&league, &network(rules), &mut store, jobs, &()).expect("a league that can be played");
    assert_eq!(progress.counted(), 12);
    let mut normal = 0;
    store
        .for_each(u64::MAX, |stored, _| {
            let sides = stored.id.pairing.seated(stored.id.rotation.into());
            let broken = sides.into_iter().position(|entrant| entrant.index() == 3);
            let Outcome { termination, ranking, .. } = stored.record.outcome;
            let expected = if broken.is_some() { Termination::CannotStart } else { Termination::Normal };
            assert_eq!(termination, expected, "{}: {:?}", stored.id, store.logs(stored.number));
            match broken {
                Some(side) => assert_eq!(ranking.places()[side], 2, "{}", stored.id),
                None => normal += 1,
            }
            Ok::<(), league::store::StoreError>(())
        })
        .expect("a store that can be read");
    assert_eq!(normal, 6);
}

#[derive(Default)]
struct Failures(std::sync::Mutex<Vec<String>>);

impl Observer for Failures {
    fn match_ended(&self, _: &league::progress::Progress) {}

    fn host_failed(&self, _: &Task, played: &Played) {
        let told = played.logs.last().map(|log| log.text.clone());
        self.0.lock().expect("one thread at a time").extend(told);
    }
}

/// A host that is always too slow: nothing is scored, and what was measured is told and kept.
#[test]
fn matches_that_the_host_failed_are_repeated_and_never_scored() {
    let limits = HostLimits { longest: Duration::ZERO, ..ALWAYS };
    let folder = tempfile::tempdir().expect("a folder");
    let league = league(&GAME.replace("[schedule]", "[limits]\nsteps = 3\n[schedule]"));
    let origin = Origin {
        name: "tests".to_owned(),
        file: String::new(),
        executor: Network::NAME.to_owned(),
        program: "tests 1.0".to_owned(),
        folder: String::new(),
    };
    let mut store = Store::create(folder.path(), &origin).expect("a store");
    let network = network(rules()).with_limits(limits);
    let failures = Failures::default();
    let failed = run(&league, &network, &mut store, NonZeroUsize::MIN, &failures);
    assert!(matches!(failed, Err(RunError::Host { number: 1, .. })), "{failed:?}");
    assert_eq!(store.count().expect("a store that can be read"), 0);
    let told = failures.0.into_inner().expect("one thread at a time");
    assert_eq!(told.len(), MOST_REPETITIONS as usize);
    assert!(told[0].starts_with("this machine did not run the match for "), "{told:?}");
    let logs = store.logs(1).expect("a store that can be read");
    assert_eq!(logs.last().map(|(attempt, _)| *attempt), Some(MOST_REPETITIONS.into()));
}
