//! Programs of the agent protocol that `bots` starts.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use bots::project::loopback::Loopback;
use game_dots::Config as Grid;
use game_env::Termination;
use game_env::replay::Playback;
use game_project::{State, Team};
use reference_gm::dots::Settings;
use sdk::agent::Agent;
use serde_json::Value;
use strategies::project::climber::Climber;
use tokio::sync::watch;

use crate::dots_server::{moves, replays, serve};
use crate::fixture::{Later, host, tiny};
use crate::run::{Run, beside, program, run};

#[test]
fn the_lines_of_a_program_for_people_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let agent = r#"
read -r hello
echo '{"type":"ready"}'
read -r decide
echo "thinking"
printf 'no \033[2Jplan\n' >&2
echo '{"move":1}'
exit 9
"#;
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let shown = run(folder.path(), &["--game", "dots", "sh agent.sh", "random", "--seed", "1"]).err;
    for line in [
        "agent #0: thinking",
        "no \\u{1b}[2Jplan",
        "agent #0: wrote a line that is no answer: `{\"move\":1}`: it has no answer: expected `do`, `wait`, `walk` or `tell`",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line:?} is missing in:\n{shown}");
    }
}

/// Its author wants to know why, and no results of games without it.
#[test]
fn games_end_at_a_program_that_cannot_begin() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("agent.sh"), "echo Good morning\necho no model here >&2\nexit 3\n").unwrap();
    let series: &[&str] = &["--games", "3"];
    for (game, further) in [("project", series), ("dots", &[])] {
        let words = ["--game", game, "sh agent.sh", "random", "--virtual", "--seed", "1"];
        let Run { out, err, code } = run(folder.path(), &[&words[..], further].concat());
        assert_eq!((code, out.as_str()), (1, ""), "{game}: {err}");
        let why = "error: the program of agent #0 ended with exit code 3 (at 0.000 s)\n\
                   the end of its standard error:\nno model here\n\
                   hint: a program answers the first line, `hello`, with `ready`: ";
        assert!(err.contains(why), "{game}: {err}");
    }
}

/// The games before it are told. The program ends after each game, and begins two times.
#[test]
fn a_series_that_breaks_off_tells_the_games_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let agent = "echo x >> begun\n[ $(wc -l < begun) -le 2 ] || exit 3\n\
                 read -r hello\necho '{\"type\":\"ready\"}'\nread -r decide\nexit 0\n";
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let words = ["--game", "dots", "sh agent.sh", "random", "--virtual", "--seed", "1", "--games", "5"];
    for (format, expected) in [(&[][..], "2 of 5 games"), (&["--json"], "\"seed\": \"2\"")] {
        let _ = fs::remove_file(folder.path().join("begun"));
        let Run { out, err, code } = run(folder.path(), &[&words[..], format].concat());
        assert_eq!(code, 1, "{err}");
        assert!(err.contains("error: the program of agent #0 ended with exit code 3"), "{err}");
        assert!(out.contains(expected), "{out}");
    }
}

/// A program that ends in its game is gone, and the game goes on without it.
#[test]
fn the_fault_of_a_program_is_no_blunder() {
    let folder = tempfile::tempdir().unwrap();
    let agent = "read -r hello\necho '{\"type\":\"ready\"}'\nread -r decide\necho in plan 2 >&2\necho no plan >&2\nexit 9\n";
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    for game in ["project", "dots"] {
        let words = ["--game", game, "sh agent.sh", "random", "--virtual", "--seed", "1"];
        let Run { err, code, .. } = run(folder.path(), &words);
        let fault = "fault: the program of agent #0 ended with exit code 9 (at 0.000 s): no plan\n";
        assert!(
            err.contains(fault) && err.matches("in plan 2").count() == err.matches("fault: ").count(),
            "{err}"
        );
        assert!(code == 0 && !err.contains("blunder"), "{game}: {err}");
    }
}

/// In this game the other agents would move once in an hour. Of two programs, either could be the first that ends.
#[test]
fn a_game_in_real_time_stops_at_a_program_that_cannot_begin() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("agent.sh"), "exit 3\n").unwrap();
    let line_ups = ["\"sh agent.sh\"+random", "random"];
    let sets = ["--set", "movePenalty=3600000", "--set", "discoveryPenalty=3600000"];
    let Run { out, err, code } = run(folder.path(), &[&line_ups[..], &sets].concat());
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("error: the program of agent #0 ended with exit code 3"), "{err}");
}

#[test]
fn a_missing_program_is_looked_for_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let Run { err, code, .. } = run(folder.path(), &["./absent agent", "greedy", "--virtual"]);
    assert_eq!(code, 2, "{err}");
    let whole = folder.path().canonicalize().unwrap();
    assert!(
        err.contains("./absent") && err.ends_with(&format!("paths begin in {}\n", whole.display())),
        "{err}"
    );
}

#[test]
fn a_command_without_quotes_is_recognised() {
    let Run { err: shown, code, .. } = run(".".as_ref(), &["sh", "agent.sh", "greedy"]);
    assert_eq!(code, 2);
    assert!(shown.starts_with("error: unknown strategy `sh`: "), "{shown}");
    let hint =
        "hint: a command and its arguments are one word: put quotes around them, e.g. \"python3 agent.py\"\n";
    assert!(shown.ends_with(hint), "{shown}");
}

/// A person who plays by typing and mistypes an action is asked again; what is typed twice is meant.
#[test]
fn an_action_that_is_no_option_is_asked_about() {
    let play = |typed: &[u8]| {
        let words = ["agent-protocol", "--game", "dots", "--play", "--seed", "1", "--against", "random"];
        let mut bots = program(".".as_ref(), &words);
        let mut bots =
            bots.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        bots.stdin.take().unwrap().write_all(typed).unwrap();
        let output = bots.wait_with_output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let doubt = "`nine` is none of the options; type it again to ask for it all the same\n";
    let decided = |out: &str| out.matches("\"type\":\"decide\"").count();
    let [out, err] = play(b"\nnine\n0-1\n");
    assert_eq!((err.matches(doubt).count(), decided(&out)), (1, 2), "{err}{out}");
    let [out, err] = play(b"\nnine\nnine\n");
    assert_eq!((err.matches(doubt).count(), decided(&out)), (1, 1), "{err}{out}");
    assert!(err.contains("`nine` is no edge"), "{err}");
    let [_, err] = play(b"nine\n\n{\"do\":\"0-1\",\"draw\":[[1,2,3]]}\n0-1\n");
    assert!(err.contains("that is no answer; expected an empty line or {\"type\":\"ready\"}\n"), "{err}");
    assert!(err.contains("a part of `draw` is invalid: expected [x,y], "), "the reason: {err}");
    assert!(err.contains("that is no answer; expected e.g. {\"do\":ACTION}, "), "{err}");
    // A terminal that has no UTF-8.
    let [out, err] = play(b"\nn\xfcne\n0-1\n");
    assert!(err.contains("`n\u{fffd}ne` is none of the options") && decided(&out) == 2, "{err}{out}");
    // The input of each game ends before the game does.
    assert!(err.ends_with("\nyour input has ended (as by Ctrl-D), so you have left the game\n"), "{err}");
    assert!(!err.contains("program"), "{err}");
}

#[test]
fn a_person_at_the_keyboard_plays_against_no_program() {
    let words = ["agent-protocol", "--game", "dots", "--play", "--against", "sh agent.sh"];
    let Run { err: told, code, .. } = run(".".as_ref(), &words);
    assert_eq!(code, 2, "{told}");
    assert!(
        told.starts_with("error: --against `") && told.contains("names a program: expected a strategy"),
        "{told}"
    );
}

/// The parts of the agents in Python that `bots new` writes.
const PROJECT: &str = include_str!("../../src/program/starter/files/python/project.py");
const DOTS: &str = include_str!("../../src/program/starter/files/python/dots.py");
const MAIN: &str = include_str!("../../src/program/starter/files/python/main.py");

/// Writes an agent in Python that keeps all that it reads in the file `lines`.
fn write_agent(folder: &Path, decide: &str) {
    let keeping = "    for line in sys.stdin:\n        open(\"lines\", \"a\").write(line)\n";
    let agent = decide.to_owned() + &MAIN.replace("    for line in sys.stdin:\n", keeping);
    assert!(agent.contains("\"lines\""), "{agent}");
    fs::write(folder.join("agent.py"), agent).unwrap();
}

/// The messages that the agent has read.
fn messages(folder: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join("lines")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// One agent of each team: red's is a program, blue's a strategy of this process, which plays from the beginning or
/// when red's has ended. Returns the output of `bots` and the end.
async fn join_project(folder: &Path, command: &str, blue_waits: bool) -> (Run, Termination) {
    let (open, gate) = watch::channel(!blue_waits);
    let loopback = Loopback::open().await.unwrap();
    let address = loopback.agents().to_string();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let server = address.clone();
    let blue = tokio::spawn(async move {
        let agent = Agent::builder(Team::Blue).server(server).connect().await.unwrap();
        agent.play(Later { gate, then: Climber::default() }).await
    });
    let told = beside(folder, &["join", &address, "--strategy", command, "--seed", "1"]).await.unwrap();
    open.send_replace(true);
    blue.await.unwrap();
    (told, hosting.await.unwrap().outcome.unwrap().termination)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_joins_a_game_on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    write_agent(folder.path(), PROJECT);
    let (Run { out, err, code }, termination) =
        join_project(folder.path(), "python3 -S -B agent.py", false).await;
    assert_eq!((code, termination), (0, Termination::Normal), "{err}");
    assert!(out.starts_with("agent 1 (\"python3 -S -B agent.py\"): the game is over, "), "{out}");
    assert!(
        out.contains(" --strategy '\"python3 -S -B agent.py\"' --team red --seed 1 --agents 1\n"),
        "{out}"
    );
    let messages = messages(folder.path());
    let (hello, end) = (messages.first().unwrap(), messages.last().unwrap());
    assert_eq!((&hello["type"], &hello["thinking"]), (&"hello".into(), &"real_time".into()));
    assert_eq!(messages[1]["type"], "decide");
    assert_eq!(end["type"], "end");
    let winner = if out.contains("red wins") { 0 } else { 1 };
    assert_eq!((&end["winner"], &end["termination"]), (&winner.into(), &"normal".into()));
    assert_eq!(end["points"], Value::Array(Vec::new()), "nobody announces them");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_program_ends_leaves_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let agent = "read -r hello\necho '{\"type\":\"ready\"}'\nread -r decide\nexit 9\n";
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let (Run { out, err, code }, termination) = join_project(folder.path(), "sh agent.sh", true).await;
    assert_eq!((code, termination), (1, Termination::Normal), "{err}");
    let why = "left the game: the program of agent #";
    assert!(out.starts_with(&format!("agent 1 (\"sh agent.sh\"): it has {why}")), "{out}");
    assert!(err.contains(&format!("error: an agent has {why}")), "{err}");
    assert!(err.contains(" ended with exit code 9 (at "), "{err}");
}

/// The program does not answer, and nobody waits a minute for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_program_is_silent_can_be_told_to_leave() {
    let folder = tempfile::tempdir().unwrap();
    let agent = "read -r hello\necho '{\"type\":\"ready\"}'\nread -r decide\necho asked\nread -r never\n";
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let loopback = Loopback::open().await.unwrap();
    let address = loopback.agents().to_string();
    let hosting = tokio::spawn(async move { host(loopback, &tiny(1)).await });
    let server = address.clone();
    let (open, gate) = watch::channel(false);
    let blue = tokio::spawn(async move {
        let agent = Agent::builder(Team::Blue).server(server).connect().await.unwrap();
        agent.play(Later { gate, then: Climber::default() }).await
    });
    let mut bots = program(folder.path(), &["join", &address, "--strategy", "sh agent.sh"]);
    let mut child = bots.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with(": asked")), "its log line is shown");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let rest = tokio::task::spawn_blocking(move || lines.map(Result::unwrap).collect::<Vec<_>>());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:?}", rest.await);
    assert!(
        String::from_utf8(output.stdout).unwrap().starts_with("agent 1 (\"sh agent.sh\"): it has left\n")
    );
    open.send_replace(true);
    blue.await.unwrap();
    assert_eq!(hosting.await.unwrap().outcome.unwrap().termination, Termination::Normal);
}

/// Without `--virtual`, the agents of a program play over TCP as all others do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_plays_in_a_game_that_this_process_hosts() {
    let folder = tempfile::tempdir().unwrap();
    write_agent(folder.path(), PROJECT);
    let game = serde_json::to_string(&tiny(1).parameters()).unwrap();
    fs::write(folder.path().join("gm.json"), game).unwrap();
    let words = ["python3 -S -B agent.py", "climber", "--config", "gm.json", "--seed", "9"];
    let words = [&words[..], &["--replay", "game.replay"]].concat();
    let Run { out, err, code } = beside(folder.path(), &words).await.unwrap();
    assert_eq!(code, 0, "{err}");
    let head =
        "The Project Game: red (python3 -S -B agent.py) against blue (climber); file gm.json, seed 9\n";
    assert!(out.starts_with(head), "{out}");
    assert!(out.ends_with("'python3 -S -B agent.py' climber --config gm.json --seed 9 --virtual\n"), "{out}");
    let replay = fs::read(folder.path().join("game.replay")).unwrap();
    let mut playback = Playback::<State>::open(&*replay).unwrap();
    assert_eq!(playback.run(&mut ()).unwrap().outcome.unwrap().termination, Termination::Normal);
    let messages = messages(folder.path());
    assert_eq!((&messages[0]["thinking"], &messages[0]["agent"]), (&"real_time".into(), &0.into()));
    let limited = [&words[..], &["--think-limit-ms", "100"]].concat();
    let Run { err, code, .. } = beside(folder.path(), &limited).await.unwrap();
    let why =
        "error: `--think-limit-ms` is a rule for the virtual clock, and this game is played in real time\n";
    assert!(err.starts_with(why) && code == 2, "{err}");
}

/// Nobody else is there, so that it waits until it is told to leave.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_on_a_server_leaves_at_a_signal_with_its_games_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { grid: Grid::new(3, 4).unwrap(), ..Settings::default() };
    let (address, stop, running, mut totals) = serve(folder.path(), settings).await;
    let words = ["join", &address, "--game", "dots", "--forever", "--seed", "1"];
    let mut bots = program(folder.path(), &words);
    let child = bots.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    totals.wait_for_somebody().await;
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "0 games: won 0, lost 0, tied 0; seed 1\n");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_plays_dots_and_boxes_on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    write_agent(folder.path(), DOTS);
    let grid = Grid::new(3, 4).unwrap();
    let games = folder.path().join("server");
    fs::create_dir(&games).unwrap();
    let settings = Settings { grid, ..Settings::default() };
    let (address, stop, running, _) = serve(&games, settings).await;
    let join = ["join", &address, "--game", "dots", "--games", "2", "--seed", "1", "--json", "--strategy"];
    let with = |strategy| [&join[..], &[strategy]].concat();
    let (program, greedy) = (with("python3 -S -B agent.py"), with("greedy"));
    let (program, greedy) = (beside(folder.path(), &program), beside(folder.path(), &greedy));
    let (program, greedy) = (program.await.unwrap(), greedy.await.unwrap());
    assert_eq!((program.code, greedy.code), (0, 0), "{}{}", program.err, greedy.err);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    let document: Value = serde_json::from_str(&program.out).unwrap();
    assert_eq!(
        (&document["name"], &document["strategy"]),
        (&"python3".into(), &"python3 -S -B agent.py".into())
    );
    let replays = replays(&games);
    assert_eq!(replays.iter().map(|replay| moves(replay).len()).collect::<Vec<_>>(), [17, 17]);
    // One process has played both games, and has heard all edges. It may be stopped before it reads the last `end`.
    let messages = messages(folder.path());
    let of =
        |kind: &str| messages.iter().filter(|message| message["type"] == kind).cloned().collect::<Vec<_>>();
    let (hellos, ends) = (of("hello"), of("end"));
    assert!(hellos.len() == 2 && !ends.is_empty(), "{messages:?}");
    for hello in &hellos {
        assert_eq!(hello["config"], serde_json::json!({"rows": 3, "cols": 4}));
        assert_eq!(hello["thinking"], "real_time");
    }
    for end in &ends {
        let points: i64 =
            end["points"].as_array().unwrap().iter().map(|points| points.as_i64().unwrap()).sum();
        assert_eq!((points, &end["termination"]), (6, &"normal".into()));
    }
    let game = messages.iter().skip_while(|message| message["type"] != "hello");
    let game = game.take_while(|message| message["type"] != "end").chain(ends.first());
    let heard = game.flat_map(|message| message["events"].as_array().cloned().unwrap_or_default());
    assert_eq!(heard.filter(|event| event.as_str().unwrap().contains(" drew ")).count(), 17);
}

#[test]
fn a_referee_of_bricks_gets_no_program() {
    let words = ["join", "--game", "bricks", "--strategy", "python3 agent.py"];
    let Run { err: shown, code, .. } = run(".".as_ref(), &words);
    assert_eq!(code, 2);
    assert!(
        shown.starts_with("error: python3 agent.py is a program: expected the name of a strategy\n"),
        "{shown}"
    );
}

/// The warning comes while the game is played, once for each agent.
#[test]
fn an_agent_whose_requests_are_all_refused_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let agent = r#"
while read -r line; do
    case $line in
        *'"type":"hello"'*) echo '{"type":"ready"}' ;;
        *'"type":"decide"'*) echo '{"do":"pick-up"}' ;;
    esac
done
"#;
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    // A refusal costs time, so that the other team has won after some hundred of them.
    let words = ["sh agent.sh", "greedy", "--virtual", "--preset", "quick", "--seed", "1"];
    let sets = ["teamSize=2", "pickUpPenalty=20", "numberOfGoals=1", "numberOfPieces=1"];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let shown = run(folder.path(), &[&words[..], &sets].concat()).err;
    let warned: Vec<&str> = shown.lines().filter(|line| line.contains("warning: ")).collect();
    // The other agent of red stands in its goal area, where the SDK asks for no piece.
    let why = "agent #0: warning: 100 requests in a row were refused; `events` of a decision says why";
    assert_eq!(warned, [why], "{shown}");
    assert!(shown.find(why) < shown.find("blunder: "), "it is not told at the end:\n{shown}");
}
