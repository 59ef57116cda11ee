//! Matches over the network: programs that play, and programs that misbehave.

use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use child_process::Guard;
use game_env::matches::MatchSpec;
use game_env::{Outcome, Termination};
use league::executor::{Executor as _, Played};
use league::file::League;
use league::in_process::InProcess;
use league::network::commands::{CommandEntrant, Confine};
use league::network::host::HostLimits;
use league::network::joining::JoiningEntrant;
use league::network::{Network, Rules};
use league::progress::Task;
use league::runner::{MOST_REPETITIONS, Observer, RunError, run};
use league::schedule::ScheduledMatch;
use league::store::Store;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::PYTHON;
use crate::leagues::create_store;
use crate::run::{self, PROGRAM, command, text};

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

/// The first lines of agents in Python.
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

const ALWAYS: HostLimits = HostLimits { late: Duration::ZERO, late_beats: 2.0, longest: Duration::MAX };

fn rules() -> Rules {
    // On a busy machine the interpreter alone takes seconds to start.
    Rules { join: Duration::from_secs(30), grace: Duration::from_secs(30), ..Rules::default() }
}

fn network(rules: Rules) -> Network {
    let guard = Guard::new(PROGRAM);
    Network::new("tests 1.0", guard, workspace(), rules).with_limits(ALWAYS)
}

fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

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

/// Plays against an agent that joins and does nothing: no game is over before the program has done what is tested.
fn play_against_nobody(program: &CommandEntrant) -> Played {
    let mut spec = spec(program);
    spec.entrants[0] = agent("s = connect(); join(s)\nwhile read(s): pass").to_string();
    let rules = Rules { alone: Duration::from_millis(20), ..rules() };
    network(rules).play(&spec, true).expect("a match that can be played")
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

/// Checks that the process of this id is gone.
#[track_caller]
fn check_gone(id: &str) {
    let pid = Pid::from_raw(id.trim().parse().expect("the id of a process")).expect("ids are above 0");
    assert_eq!(test_kill_process(pid), Err(Errno::SRCH), "process {pid:?} stays");
}

#[test]
fn a_program_that_does_not_exist_never_joins() {
    let played = play(&CommandEntrant::new(["no-such-program-anywhere"]));
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "agent #1 (blue)").contains("could not be started: `no-such-program-anywhere`"));
    assert_eq!((played.record.steps, played.replay), (0, None));
    let mut nowhere = CommandEntrant::new(["true"]);
    nowhere.folder = "/no/such/folder".to_owned();
    let played = play(&nowhere);
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "lobby").contains("cannot enter the folder /no/such/folder"));
}

/// Which of two programs fails first is a matter of chance, and decides nothing.
#[test]
fn a_match_in_which_both_programs_fail_is_a_draw() {
    let mut nowhere = CommandEntrant::new(["true"]);
    nowhere.folder = "/no/such/folder".to_owned();
    for first in [nowhere, python("raise SystemExit(3)"), CommandEntrant::new(["no-such-program-anywhere"])] {
        let mut spec = spec(&python("import time; time.sleep(0.2); raise SystemExit(4)"));
        spec.entrants[0] = first.to_string();
        let played = network(rules()).play(&spec, true).expect("a match that can be played");
        let Outcome { ranking, termination, .. } = played.record.outcome;
        assert_eq!(termination, Termination::CannotStart, "{:?}", played.logs);
        assert_eq!(ranking.places(), [1, 1], "{:?}", played.logs);
        let lobby = log(&played, "lobby");
        assert!(lobby.contains("agent #0 (red)") && lobby.contains("agent #1 (blue)"), "{lobby}");
    }
}

/// A program that is sent away because its opponent does not come may end in any way.
#[test]
fn a_program_whose_match_is_called_off_has_not_crashed() {
    let mut nowhere = CommandEntrant::new(["true"]);
    nowhere.folder = "/no/such/folder".to_owned();
    let mut spec = spec(&agent("s = connect(); join(s)\nwhile read(s): pass\nraise SystemExit(7)"));
    spec.entrants[0] = nowhere.to_string();
    let played = network(rules()).play(&spec, true).expect("a match that can be played");
    assert!(log(&played, "agent #1 (blue)").starts_with("its program ended with exit code 7\n"));
    let crashed = played.record.metrics.get("crashed_programs").expect("it is counted");
    assert_eq!((crashed, played.record.blunders), (&[0.0, 0.0][..], 0));
    let failed: Vec<usize> = played.failures.iter().map(|failure| failure.agent.index()).collect();
    assert_eq!(failed, [0]);
}

/// The failure of the one excuses the other as little as it does among programs that cannot start.
#[test]
fn a_program_that_breaks_the_protocol_does_not_win_by_a_missing_opponent() {
    let mut nowhere = CommandEntrant::new(["true"]);
    nowhere.folder = "/no/such/folder".to_owned();
    let mut spec = spec(&agent("s = connect(); join(s, 'red'); read(s)"));
    spec.entrants[0] = nowhere.to_string();
    let played = network(rules()).play(&spec, true).expect("a match that can be played");
    let Outcome { ranking, termination, .. } = played.record.outcome;
    assert_eq!(termination, Termination::Protocol, "{:?}", played.logs);
    assert_eq!(ranking.places(), [1, 1], "{:?}", played.logs);
}

#[test]
fn a_program_that_ends_at_once_never_joins_and_its_last_words_are_kept() {
    let played = play(&python("import sys; print('no \\x1b[2J idea', file=sys.stderr); sys.exit(3)"));
    check_lost(&played, Termination::CannotStart);
    assert_eq!(
        log(&played, "agent #1 (blue)"),
        "its program ended with exit code 3\nbefore the game; 0 messages from it; 0 messages to it\n\
         standard error:\nno \\u{1b}[2J idea"
    );
    let [failure] = &played.failures[..] else { panic!("{:?}", played.failures) };
    assert_eq!((failure.agent.index(), failure.at), (1, None));
    assert_eq!(failure.how, "has not joined: its program ended with exit code 3");
    assert_eq!(failure.last_line, "no \\u{1b}[2J idea");
    assert_eq!(played.record.blunders, 1);
}

#[test]
fn a_program_that_never_joins_is_not_waited_for() {
    let rules = Rules { join: Duration::from_secs(5), grace: Duration::ZERO, ..rules() };
    let played =
        play_with(rules, &python("while True: input() if False else __import__('time').sleep(1000)"));
    check_lost(&played, Termination::CannotStart);
    assert_eq!(log(&played, "lobby"), "agent #1 (blue) did not join within 5 s");
    assert!(log(&played, "agent #1 (blue)").starts_with("its program was stopped"));
}

#[test]
fn a_program_that_prints_without_end_fills_nothing() {
    let played = play(&python("for _ in range(100): print('x' * 100_000)"));
    check_lost(&played, Termination::CannotStart);
    let text = log(&played, "agent #1 (blue)");
    assert!(text.contains("standard output:\n[9934564 bytes before this are not kept]\nxxx"), "{text:.200}");
    assert!(text.len() < 70_000);
}

#[test]
fn a_program_that_wants_too_much_memory_is_refused_it() {
    let mut greedy = python("data = bytearray(10**9)");
    greedy.memory_mib = 64;
    let played = play(&greedy);
    check_lost(&played, Termination::CannotStart);
    assert!(log(&played, "agent #1 (blue)").contains("MemoryError"));
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
    let played = play_against_nobody(&agent(code));
    check_lost(&played, Termination::Protocol);
}

#[test]
fn a_program_that_joins_the_other_team_breaks_the_protocol() {
    let played = play(&agent("s = connect(); join(s, 'red'); read(s)"));
    // Whether the seat was free or taken.
    check_lost(&played, Termination::Protocol);
    let text = log(&played, "lobby");
    assert!(
        text == "agent #1 (blue) has joined red" || text == "agent #1 (blue) asked for a team that is full",
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
    let played = play_against_nobody(&agent(code));
    check_lost(&played, Termination::Crash);
    let text = log(&played, "agent #1 (blue)");
    // The second child may have been killed before it could tell its id.
    assert!(text.starts_with("its program ended with exit code 5"), "{text}");
    if let Some((_, id)) = text.split_once("standard output:\n") {
        check_gone(id);
    }
    assert!(
        played.record.first_blunders[0].contains("the program of agent #1 (blue) ended with exit code 5")
    );
    assert!(played.replay.is_some());
}

#[test]
fn a_program_that_leaves_in_order_is_lost() {
    let played = play_against_nobody(&agent("s = connect(); join(s); begin(s)"));
    check_lost(&played, Termination::AgentLost);
    assert_eq!(played.failures[0].how, "left the game");
}

/// The agent of red does nothing, so that blue's crash would otherwise have no consequences.
#[test]
fn a_team_whose_agents_are_gone_loses_also_if_the_other_cannot_win() {
    let crash = agent(
        "s = connect(); join(s); begin(s); send(s, 7, {'direction': 'N'}); read(s)\n\
         raise ValueError('no plan')",
    );
    let played = play_against_nobody(&crash);
    check_lost(&played, Termination::Crash);
    let text = log(&played, "agent #1 (blue)");
    assert!(text.starts_with("its program ended with exit code 1\n"), "{text}");
    let second = text.lines().nth(1).expect("a second line");
    let parts: Vec<&str> = second.split("; ").collect();
    assert!(parts[0].ends_with(" s into the game"), "{text}");
    assert!(parts[1].starts_with("2 messages from it, the last `move` (7), "), "{text}");
    assert!(parts[1].ends_with(" s into the game"), "{text}");
    assert!(
        log(&played, "game").starts_with("blue had no agents left; the game ended after "),
        "{:?}",
        played.logs
    );
    let [failure] = &played.failures[..] else { panic!("{:?}", played.failures) };
    assert!(failure.agent.index() == 1 && failure.at.is_some(), "{failure:?}");
    assert_eq!(
        (failure.how.as_str(), failure.last_line.as_str()),
        ("ended with exit code 1", "ValueError: no plan")
    );
}

/// Two programs with the same mistake: chance decides which one ends first, and not who wins.
#[test]
fn two_teams_that_fail_within_the_time_of_one_alone_have_a_draw() {
    let crash = agent("s = connect(); join(s); begin(s)\nraise ValueError('no plan')");
    let mut spec = spec(&crash);
    spec.entrants[0] = crash.to_string();
    let rules = Rules { alone: Duration::from_secs(300), ..rules() };
    let played = network(rules).play(&spec, true).expect("a match that can be played");
    let Outcome { ranking, termination, .. } = played.record.outcome;
    assert_eq!((ranking.places(), termination), (&[1, 1][..], Termination::Crash), "{:?}", played.logs);
    assert_eq!(played.failures.len(), 2);
}

/// The length in the wrong byte order: the server waits for the rest of a long message.
#[test]
fn a_length_in_the_wrong_byte_order_is_named() {
    let code = "
s = connect()
body = json.dumps({'messageID': 6, 'agentID': 0, 'payload': {'teamID': 'blue'}}).encode()
s.sendall(len(body).to_bytes(2, 'big') + body)
s.shutdown(socket.SHUT_WR)
while take(s, 1): pass
";
    let played = play(&agent(code));
    check_lost(&played, Termination::CannotStart);
    let expected = "it sent 63 bytes, no complete message: the first two say 15,616 bytes; \
                    the length is little-endian";
    for text in [log(&played, "lobby"), log(&played, "agent #1 (blue)"), &played.failures[0].how] {
        assert!(text.contains(expected), "{text}");
    }
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
    let text = log(&played, "agent #1 (blue)");
    assert!(
        text.starts_with("its program was stopped and did not end in time (SIGTERM): it was killed"),
        "{text}"
    );
    assert_eq!(played.record.blunders, 0);
}

#[test]
fn a_match_in_which_nothing_happens_is_given_up() {
    let idle = agent("s = connect(); join(s)\nwhile read(s): pass\nraise SystemExit(1)");
    let mut spec = spec(&idle);
    spec.entrants = vec![idle.to_string(); 2];
    spec.limits.time = game_env::SimTime::from_millis(100);
    let played = network(rules()).play(&spec, true).expect("a match that can be played");
    let Outcome { ranking, termination, .. } = played.record.outcome;
    assert_eq!((ranking.places(), termination), (&[1, 1][..], Termination::Stall));
    // Without a winner there is no message 104: to an agent the end looks like a lost server.
    let crashed = played.record.metrics.get("crashed_programs").expect("it is counted");
    assert_eq!((crashed, &played.failures[..]), (&[0.0, 0.0][..], &[][..]));
}

/// The answer to a request arrives later by the delay of both directions, and the match starts.
#[test]
fn messages_are_delayed() {
    let delay = Duration::from_millis(40);
    let code = "
s = connect()
begun = time.monotonic()
join(s)
print('joined after', round((time.monotonic() - begun) * 1000), 'ms', file=sys.stderr)
while read(s): pass
";
    let mut spec = spec(&agent(code));
    spec.limits.time = game_env::SimTime::from_millis(300);
    let played = network(Rules { delay, ..rules() }).play(&spec, true).expect("a match that can be played");
    let waited = |text: &str| {
        let number = text.split("joined after ").nth(1)?.split(' ').next()?;
        number.parse::<u128>().ok()
    };
    let waited: Vec<u128> = played.logs.iter().filter_map(|log| waited(&log.text)).collect();
    assert!(matches!(waited[..], [ms] if ms >= 2 * delay.as_millis()), "{:?}", played.logs);
    assert_ne!(played.record.outcome.termination, Termination::CannotStart, "{:?}", played.logs);
}

/// The agent in Python, confined, against a shipped strategy, and beside both a program that fails: a whole league, in
/// which the matches of the others take their course.
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
    let league = league(&file);
    assert!(league.keeps_replays);
    let rules = Rules { checks_host: league.network.checks_host, ..rules() };
    let jobs = NonZeroUsize::new(3).expect("some jobs");
    let network = network(rules);
    // If the system allows it: a confined agent needs nothing else.
    let is_possible = child_process::check_confinement().is_ok();
    let network = if is_possible { network.with_confinement() } else { network };
    let mut store = create_store(folder.path(), "tests", &file, &network);
    let progress = run(&league, &network, &mut store, jobs, &()).expect("a league that can be played");
    assert_eq!(progress.counted(), 12);
    let mut normal = 0;
    store
        .for_each(u64::MAX, |stored, _| {
            let sides = stored.id.seated();
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

/// Each program plays one short match, and the output of one that fails is shown.
#[test]
fn programs_are_checked_before_a_league() {
    let python = PYTHON.as_str();
    let own = workspace().join("examples/python");
    let file = GAME.replace("[schedule]", "[network]\njoin_ms = 30000\n[schedule]")
        + &format!(
            "[[entrant]]\nname = \"python\"\nfolder = {own:?}\n\
             command = [\"{python}\", \"agent.py\", \"--host\", \"{{host}}\", \"--port\", \"{{port}}\", \"--team\", \"{{team}}\"]\n\
             [[entrant]]\nname = \"broken\"\ncommand = [\"sh\", \"-c\", \"echo no plan >&2; exit 9\"]\n\
             [[entrant]]\nname = \"guests\"\njoin = true\n"
        );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("class.toml"), file).expect("a league file");
    let output = run::league(folder.path(), &["check", "class.toml"]);
    let (told, errors) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{told}{errors}");
    assert!(
        told.starts_with("python: 1 agent played for ") && told.contains(" requests granted, "),
        "{told}"
    );
    let broken = "broken: failed: agent #0 (red), before the game: has not joined: its program ended with exit code 9\n";
    assert!(told.contains(broken) && told.contains("\n  no plan\n"), "{told}");
    assert!(told.ends_with("guests: not checked, its agents join from outside\n"), "{told}");
    assert!(errors.contains("1 of 2 programs failed"), "{errors}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1, "no store is begun");
}

/// A league of `greedy`, of a program called `ada` that joins and does nothing, and of one that cannot be started;
/// played in this folder to `class`.
fn play_class(folder: &std::path::Path) {
    std::fs::write(folder.join("idle.py"), format!("{AGENT}\ns = connect(); join(s)\nwhile read(s): pass\n"))
        .expect("a program");
    let python = PYTHON.as_str();
    let file = GAME
        .replace(
            "[schedule]",
            "[network]\njoin_ms = 30000\ncheck_host = false\n[limits]\ntime_ms = 600000\n[schedule]",
        )
        .replace(
            "name = \"other\"\nstrategy = \"random\"",
            "name = \"ada\"\ncommand = [\"PYTHON\", \"idle.py\"]",
        )
        .replace("PYTHON", python)
        + "[[entrant]]\nname = \"absent\"\ncommand = [\"no-such-program-anywhere\"]\n";
    std::fs::write(folder.join("class.toml"), file).expect("a league file");
    run_league(folder, &["run", "class.toml", "--out", "class"]);
}

/// The output of the program in this folder, which does what is asked.
#[track_caller]
fn run_league(folder: &std::path::Path, words: &[&str]) -> String {
    let output = run::league(folder, words);
    let (told, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{words:?}: {told}{errors}");
    told
}

/// Neither the program nor a site sends people to the replay of a match that has none.
#[test]
fn a_match_without_a_game_says_who_never_joined_and_where_to_look() {
    let folder = tempfile::tempdir().expect("a folder");
    play_class(folder.path());
    let words = ["replay", "class", "1-3/1/0"];
    let output = run::league(folder.path(), &words);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    let expected = "(1-3/1/0) has no replay, because no game began: absent never joined: agent #1 (blue) has not joined: \
                    its program could not be started: `no-such-program-anywhere`";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("log class ") && !told.contains("replays = "), "{told}");
    let output = run::league(folder.path(), &["resume", "class"]);
    let told = text(&output.stderr);
    assert!(told.contains("agents have failed in 4 matches; `"), "{told}");
    let verified = run_league(folder.path(), &["verify", "class", "--sample", "100%"]);
    let expected = "2 of 6 matches were checked by their replays: all end as their records say; 4 have no replay: no game began\n";
    assert_eq!(verified, expected);
    run_league(folder.path(), &["report", "class", "--site", "pages"]);
    let page = |name: &str| {
        std::fs::read_to_string(folder.path().join("pages/pairings").join(name)).expect("a page")
    };
    assert!(page("1-2.html").contains("<code>league replay class "));
    assert!(!page("1-3.html").contains("<code>"), "no game began in these matches");
}

#[test]
fn replays_name_the_entrants_as_the_standings_do() {
    let folder = tempfile::tempdir().expect("a folder");
    play_class(folder.path());
    run_league(folder.path(), &["replay", "class", "1-2/1/0", "--out", "own.replay"]);
    let replay = std::fs::read(folder.path().join("own.replay")).expect("a replay");
    let reader = game_env::replay::Reader::open(&replay[..]).expect("a replay");
    let names: Vec<&str> = reader.header().players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names, ["greedy", "ada"]);
    assert_eq!(reader.header().limits.time.as_millis(), 600_000, "futures of the match go by its limits");
    assert!(reader.header().players.iter().all(|player| player.entrant.is_none()), "no command in process");
    run_league(folder.path(), &["report", "class", "--site", "pages"]);
    let pages = std::fs::read_dir(folder.path().join("pages/replays")).expect("replays");
    for page in pages {
        let page = std::fs::read_to_string(page.expect("an entry").path()).expect("a page");
        assert!(page.contains(r#""name":"ada""#) && !page.contains("idle.py"), "{page:.500}");
    }
}

/// A program that hangs in the game keeps its place; so the check says how long each of its agents has been idle.
#[test]
fn a_check_warns_of_programs_that_hang_and_counts_those_that_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let hang = "s = connect(); join(s); begin(s); send(s, 7, {'direction': 'N'})\nwhile read(s): pass\n";
    std::fs::write(folder.path().join("hang.py"), AGENT.to_owned() + hang).expect("a program");
    let file = GAME
        .replace("teamSize = 1", "teamSize = 2")
        .replace("movePenalty = 20", "movePenalty = 100")
        .replace("numberOfGoals = 1", "numberOfGoals = 4")
        .replace("[schedule]", "[network]\njoin_ms = 30000\n[limits]\ntime_ms = 8000\n[schedule]")
        .replace("strategy = \"greedy\"", "name = \"hank\"\ncommand = [\"PYTHON\", \"hang.py\"]")
        .replace("strategy = \"random\"", "command = [\"false\"]")
        .replace("PYTHON", &PYTHON);
    std::fs::write(folder.path().join("class.toml"), file).expect("a league file");
    let output = run::league(folder.path(), &["check", "class.toml"]);
    let told = text(&output.stdout);
    // On a busy machine the game ends later than its limit.
    let played = told.strip_prefix("hank: 2 agents played for ").and_then(|rest| rest.split_once(" s: "));
    let (played, _) = played.unwrap_or_else(|| panic!("{told}"));
    assert!(played.parse::<f64>().is_ok_and(|seconds| seconds >= 8.0), "{told}");
    for agent in ["agent #0 (red)", "agent #1 (red)"] {
        let beginning = format!("hank: warning: {agent} sent no request in the last ");
        let end = format!(" s of {played} s, and was not locked");
        let warning = told.lines().find_map(|line| line.strip_prefix(&beginning)?.strip_suffix(&end));
        let silent = warning.unwrap_or_else(|| panic!("no warning of {agent}: {told}"));
        assert!(silent.parse::<f64>().is_ok_and(|seconds| seconds > 2.0), "{told}");
    }
    let failed =
        "other: failed: 2 of 2 agents, the first is agent #0 (red), before the game: has not joined: ";
    assert!(told.contains(failed), "{told}");
}

/// `count` agents of this code that join red or blue at these addresses, each in a thread, again and again.
struct Guests {
    children: Vec<std::process::Child>,
}

impl Guests {
    /// Starts an agent for each address and team; it connects anew after each game, until it is killed.
    fn start(code: &str, addresses: &[(std::net::SocketAddr, &str)]) -> Self {
        let start = |(address, team): &(std::net::SocketAddr, &str)| {
            let code = format!("{AGENT}\n{code}");
            std::process::Command::new(PYTHON.as_str())
                .args(["-I", "-S", "-B", "-u", "-c", &code])
                .env("AGENT_HOST", address.ip().to_string())
                .env("AGENT_PORT", address.port().to_string())
                .env("AGENT_TEAM", team)
                .spawn()
                .expect("Python starts")
        };
        Self { children: addresses.iter().map(start).collect() }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Joins every match that comes next, and does nothing in it.
const IDLE_GUEST: &str = "
while True:
    try:
        s = connect(); join(s)
        while read(s): pass
        s.close()
    except (OSError, ValueError): time.sleep(0.01)
";

fn joining(name: &str) -> JoiningEntrant {
    JoiningEntrant { name: name.to_owned(), ports: None }
}

/// A match of agents from outside as blue against `greedy`.
fn guest_spec(entrant: &JoiningEntrant) -> MatchSpec {
    let mut spec = spec(&CommandEntrant::new(["unused"]));
    spec.entrants[1] = entrant.to_string();
    spec
}

#[test]
fn agents_that_join_from_outside_play_one_match_after_the_other() {
    let network = network(rules());
    let guest = joining("guest");
    let [red, blue] = network.open_ports(&guest).expect("free ports");
    let guests = Guests::start(IDLE_GUEST, &[(red, "red"), (blue, "blue")]);
    for swapped in [false, true, false] {
        let mut spec = guest_spec(&guest);
        if swapped {
            spec.entrants.swap(0, 1);
        }
        let played = network.play(&spec, true).expect("a match that can be played");
        let Outcome { ranking, termination, .. } = played.record.outcome;
        assert_eq!(termination, Termination::Normal, "{:?}", played.logs);
        assert_eq!(ranking.places(), if swapped { [2, 1] } else { [1, 2] });
    }
    drop(guests);
}

/// Two matches at a time, with two agents from outside in each: every agent gets a place in one of them.
#[test]
fn agents_that_wait_go_to_whichever_match_needs_them() {
    let network = network(rules());
    let guest = joining("guest");
    let [_, blue] = network.open_ports(&guest).expect("free ports");
    let guests = Guests::start(IDLE_GUEST, &[(blue, "blue"); 4]);
    let file = GAME.replace("teamSize = 1", "teamSize = 2");
    let league = league(&file);
    let scheduled = league.seeds().schedule("1-2/1/0".parse().expect("a match of the league"));
    let mut spec = league.spec(&scheduled);
    for entrant in spec.entrants.iter_mut().filter(|entrant| *entrant == "random") {
        *entrant = guest.to_string();
    }
    assert_eq!(spec.entrants.iter().filter(|name| name.starts_with("join ")).count(), 2);
    std::thread::scope(|scope| {
        let play = || network.play(&spec, false).expect("a match that can be played");
        let matches: Vec<_> = (0..2).map(|_| scope.spawn(play)).collect();
        for played in matches {
            let played = played.join().expect("no panic");
            assert_eq!(played.record.outcome.termination, Termination::Normal, "{:?}", played.logs);
        }
    });
    drop(guests);
}

#[test]
fn agents_from_outside_that_do_not_come_never_joined() {
    let rules = Rules { join: Duration::from_secs(5), ..rules() };
    let network = network(rules);
    let guest = joining("guest");
    let played = network.play(&guest_spec(&guest), true).expect("a match that can be played");
    check_lost(&played, Termination::CannotStart);
    assert_eq!(log(&played, "lobby"), "agent #1 (blue) did not join within 5 s");
    assert_eq!(played.replay, None);
}

/// One that hangs up before it has joined does not take the place of the next.
#[test]
fn an_agent_from_outside_that_gives_up_leaves_its_place_to_the_next() {
    let network = network(rules());
    let guest = joining("guest");
    let [_, blue] = network.open_ports(&guest).expect("free ports");
    // Two that are gone before the match begins, and one that goes once the server has spoken to it.
    let code = "
for _ in range(2): connect().close()
s = connect()
s.sendall(b'\\x02\\x00[]')
read(s); s.close()
s = connect(); join(s)
while read(s): pass
";
    let guests = Guests::start(code, &[(blue, "blue")]);
    let played = network.play(&guest_spec(&guest), true).expect("a match that can be played");
    assert_eq!(played.record.outcome.termination, Termination::Normal, "{:?}", played.logs);
    drop(guests);
}

/// Each silent connection loses its seat to the next after two seconds. The first match ends before all have had their
/// turn; those that are left wait for the second one, in which an agent joins at last.
#[test]
fn silent_connections_lose_their_seats_and_the_end_of_a_match_leaves_agents_in_the_queue() {
    let rules = Rules { join: Duration::from_secs(8), ..rules() };
    let network = network(rules);
    let guest = joining("guest");
    let [_, blue] = network.open_ports(&guest).expect("free ports");
    let code = "silent = [connect() for _ in range(6)]\ns = connect(); join(s)\nwhile read(s): pass\n";
    let guests = Guests::start(code, &[(blue, "blue")]);
    let played = network.play(&guest_spec(&guest), true).expect("a match that can be played");
    check_lost(&played, Termination::CannotStart);
    let played = network.play(&guest_spec(&guest), true).expect("a match that can be played");
    assert_eq!(played.record.outcome.termination, Termination::Normal, "{:?}", played.logs);
    drop(guests);
}

#[test]
fn an_agent_from_outside_that_joins_the_other_team_breaks_the_protocol() {
    let network = network(rules());
    let guest = joining("guest");
    let [_, blue] = network.open_ports(&guest).expect("free ports");
    let guests = Guests::start("s = connect(); join(s, 'red'); read(s)", &[(blue, "blue")]);
    let played = network.play(&guest_spec(&guest), true).expect("a match that can be played");
    check_lost(&played, Termination::Protocol);
    drop(guests);
    // Whether the seat was free or taken.
    let text = log(&played, "lobby");
    let expected = ": it has connected at the port of blue, whose agents ask for blue";
    assert!(text.starts_with("agent #1 (blue) ") && text.ends_with(expected), "{text}");
}

/// The agent in Python joins a league of two jobs by the lines that the program prints; a league file as a user writes
/// it.
#[test]
fn the_program_says_where_agents_join() {
    use std::io::{BufRead as _, BufReader};

    let folder = tempfile::tempdir().expect("a folder");
    let file = GAME
        .replace("[schedule]", "[network]\ncheck_host = false\njoin_ms = 30000\n[schedule]")
        .replace("strategy = \"random\"", "join = true");
    let path = folder.path().join("guests.toml");
    std::fs::write(&path, file).expect("a league file");
    let words = ["run", "guests.toml", "--jobs", "2", "--out", "results"];
    let mut league = command(folder.path(), &words)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let errors = BufReader::new(league.stderr.take().expect("it is piped"));
    let mut lines = errors.lines().map(|line| line.expect("text"));
    let line = lines.find(|line| line.starts_with("agents of other join ")).expect("the line is printed");
    let places =
        line.strip_prefix("agents of other join red at ").and_then(|rest| rest.split_once(" and blue at "));
    let (red, blue) = places.unwrap_or_else(|| panic!("{line}"));
    let agent = workspace().join("examples/python/agent.py");
    let mut agents = Vec::new();
    for (team, address) in [("red", red), ("blue", blue)] {
        let (host, port) = address.split_once(':').expect("an address and a port");
        let started = std::process::Command::new(PYTHON.as_str())
            .arg(&agent)
            .args(["--host", host, "--port", port, "--team", team, "--quiet"])
            .stdout(std::process::Stdio::null())
            .spawn();
        agents.push(started.expect("Python starts"));
    }
    let rest: Vec<String> = lines.collect();
    assert!(rest.iter().any(|line| line.starts_with("each match waits 30 s for them")), "{rest:?}");
    let ended = league.wait().expect("the program ends");
    for mut agent in agents {
        assert!(agent.wait().expect("the agent ends").success());
    }
    assert!(ended.success(), "{rest:?}");
    let matches = std::fs::read_to_string(folder.path().join("results/matches.jsonl")).expect("matches");
    assert_eq!(matches.matches("\"termination\":\"normal\"").count(), 2, "{matches}");
    assert!(matches.contains(r#"join {\"name\":\"other\"}"#), "{matches}");
}

/// A program that tries what a confined one may not: to read files of others, and to connect elsewhere.
const INTRUDER: &str = "\
import os, socket, sys
def tries(what, act):
    try:
        act()
        print(what, 'is open')
    except OSError as error:
        print(what, 'is closed:', type(error).__name__)
tries('/etc/passwd', lambda: open('/etc/passwd').read())
tries('elsewhere', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5))
tries('the server', lambda: socket.create_connection((os.environ['AGENT_HOST'], int(os.environ['AGENT_PORT'])), 5))
";

/// `--confine` on the command line, for programs whose match does not ask for it.
#[test]
fn a_flag_confines_all_programs() {
    if let Err(reason) = child_process::check_confinement() {
        eprintln!("a_flag_confines_all_programs is left out: {reason}");
        return;
    }
    let elsewhere = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = elsewhere.local_addr().expect("an address").port().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    // Started by root, confined programs run as other users.
    let everybody = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), everybody).expect("its owner may do this");
    std::fs::write(folder.path().join("intruder.py"), INTRUDER).expect("a program");
    let words = [PYTHON.as_str(), "-I", "-S", "-B", "-u", "intruder.py", &port];
    // The interpreter may be outside the folders of the system.
    let home = std::path::Path::new(words[0]).parent().and_then(std::path::Path::parent).expect("a folder");
    let mut entrant = CommandEntrant::new(words);
    entrant.may_read = vec![home.display().to_string()];
    let spec = spec(&entrant);
    std::fs::write(folder.path().join("match.json"), spec.to_string()).expect("a match");
    let file = GAME.replace("strategy = \"random\"", &format!("command = {words:?}\nmay_read = [{home:?}]"))
        + "[network]\ncheck_host = false\n";
    std::fs::write(folder.path().join("open.toml"), file).expect("a league file");
    let run = |words: &[&str]| {
        let output = run::league(folder.path(), words);
        let (out, errors) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{words:?}: {errors}");
        out + &errors
    };
    let open = ["/etc/passwd is open", "elsewhere is open", "the server is open"];
    let closed = [
        // In namespaces there is no such file.
        "/etc/passwd is closed: ",
        "elsewhere is closed: ",
        "the server is open",
    ];
    let has = |text: &str, lines: [&str; 3]| {
        for line in lines {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    };
    run(&["run", "open.toml", "--out", "open"]);
    has(&run(&["log", "open", "1"]), open);
    run(&["run", "open.toml", "--out", "confined", "--confine"]);
    has(&run(&["log", "confined", "1"]), closed);
    has(&run(&["play", "--spec", "match.json"]), open);
    has(&run(&["play", "--spec", "match.json", "--confine"]), closed);
    // A confined league is resumed confined without the flag; another league may be resumed with the flag.
    let is_confined = |name: &str| {
        let store = Store::look(&folder.path().join(name)).expect("a store");
        store.origin().expect("an origin").is_confined
    };
    run(&["resume", "confined"]);
    assert_eq!((is_confined("confined"), is_confined("open")), (true, false));
    run(&["resume", "open", "--confine"]);
    assert!(is_confined("open"));
}

/// `confine = "namespaces"` refuses to start where `confine = true` warns: here, if root starts the league, because
/// other users cannot enter a folder above that of the program.
#[test]
fn a_league_may_insist_on_namespaces() {
    if let Err(reason) = child_process::check_confinement() {
        eprintln!("a_league_may_insist_on_namespaces is left out: {reason}");
        return;
    }
    let closed = tempfile::tempdir().expect("a folder");
    let folder = closed.path().join("league");
    std::fs::create_dir(&folder).expect("a folder");
    let everybody = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&folder, everybody).expect("its owner may do this");
    let run = |name: &str, confine: &str| {
        let entrant = format!("command = [\"/usr/bin/env\", \"true\"]\nconfine = {confine}");
        let file = GAME.replace("strategy = \"random\"", &entrant)
            + "[network]\njoin_ms = 500\ncheck_host = false\n";
        std::fs::write(folder.join(format!("{name}.toml")), file).expect("a league file");
        let words = ["run", &format!("{name}.toml"), "--out", name];
        let output = run::league(&folder, &words);
        (output.status.success(), text(&output.stderr))
    };
    let network = Network::new("tests 1.0", Guard::new(PROGRAM), &folder, rules());
    let lacks = network.lacks_namespaces(".");
    let (is_played, errors) = run("any", "true");
    assert!(is_played, "{errors}");
    let warnings = errors.matches("warning: programs are confined without namespaces: ").count();
    assert_eq!(warnings, usize::from(lacks.is_some()), "{errors}");
    let (is_played, errors) = run("strict", "\"namespaces\"");
    assert_eq!(is_played, lacks.is_none(), "{errors}");
    if let Some(why) = lacks {
        let told =
            format!("the program `/usr/bin/env` has `confine = \"namespaces\"` and cannot have them: {why}");
        assert!(errors.contains(&told) && errors.contains("hint: "), "{errors}");
        assert!(!folder.join("strict").exists(), "nothing is stored");
        // Programs that use the library get the same answer.
        let entrant =
            CommandEntrant { confine: Confine::Namespaces, ..CommandEntrant::new(["/usr/bin/env", "true"]) };
        assert!(network.play(&spec(&entrant), false).unwrap_err().to_string().contains(&why));
    }
}

#[derive(Default)]
struct Failures(std::sync::Mutex<Vec<String>>);

impl Observer for Failures {
    fn match_ended(&self, _: &Task, _: &league::progress::Progress) {}

    fn host_failed(&self, _: &Task, played: &Played) {
        let told = played.logs.last().map(|log| log.text.clone());
        self.0.lock().expect("one thread at a time").extend(told);
    }
}

/// A slow machine excuses an agent that is late, and no program that cannot play anywhere.
#[test]
fn only_an_agent_that_may_be_late_is_excused_by_a_slow_machine_before_the_game() {
    let limits = HostLimits { longest: Duration::ZERO, ..ALWAYS };
    let end = |rules: Rules, program: &CommandEntrant| {
        let played = network(rules).with_limits(limits).play(&spec(program), true);
        played.expect("a match that can be played").record.outcome.termination
    };
    let rules = Rules { grace: Duration::ZERO, ..rules() };
    let absent = CommandEntrant::new(["no-such-program-anywhere"]);
    assert_eq!(end(rules, &absent), Termination::CannotStart);
    assert_eq!(end(rules, &python("raise SystemExit(3)")), Termination::CannotStart);
    assert_eq!(end(rules, &agent("s = connect(); join(s, 'red'); read(s)")), Termination::Protocol);
    let slow = python("import time; time.sleep(1000)");
    let short = Rules { join: Duration::from_millis(300), ..rules };
    assert_eq!(end(short, &slow), Termination::HostFault);
}

/// A host that is always too slow: nothing is scored, and what was measured is told and kept.
#[test]
fn matches_that_the_host_failed_are_repeated_and_never_scored() {
    let limits = HostLimits { longest: Duration::ZERO, ..ALWAYS };
    let folder = tempfile::tempdir().expect("a folder");
    let league = league(&GAME.replace("[schedule]", "[limits]\nsteps = 3\n[schedule]"));
    let network = network(rules()).with_limits(limits);
    let mut store = create_store(folder.path(), "tests", "", &network);
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
