//! Leagues of Bricks: folders of players as league files, duels of programs, and the files of the original referee.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use child_process::Guard;
use game_env::matches::MatchLimits;
use game_env::{AgentId, Parameters, SimTime, Termination, Value};
use league::executor::{Executor as _, Played};
use league::file::League;
use league::in_process::InProcess;
use league::network::host::HostLimits;
use league::network::{CRASHED_PROGRAMS, Network, REFEREE};
use league::schedule::ScheduledMatch;
use league::store::Store;
use rustix::process::{Pid, Signal, kill_process};

use crate::run::{self, PROGRAM, command};

/// A board with room for two bricks, one in the first row and one in the last.
const TWO_BRICKS: &str = "2x0_0x1_1x1_2x1_2x2";

/// Plays on that board: the first brick in the first row, the second in the last one.
const HONEST: &str = "read -r opening; echo OK
while read -r line; do
  case $line in
    START) echo 0x0_1x0 ;;
    STOP) exit 0 ;;
    *) echo 0x2_1x2 ;;
  esac
done";

/// Answers everything with the same brick.
const STUBBORN: &str = "read -r opening; echo OK; while read -r line; do
  if [ $line = STOP ]; then exit 0; fi; echo 0x0_1x0; done";

/// Limits that no test reaches, on whatever machine.
const PATIENT: [&str; 6] =
    ["--set", "answerLimitMs=600000", "--set", "moveLimitMs=600000", "--set", "silenceLimitMs=600000"];

/// Makes a player whose program is a shell script.
fn player(players: &Path, nick: &str, script: &str) -> PathBuf {
    let folder = players.join(nick);
    fs::create_dir_all(&folder).expect("a folder that can be written to");
    fs::write(folder.join("info.txt"), format!("./player.sh\n{nick}\n"))
        .expect("a folder that can be written to");
    let program = folder.join("player.sh");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a folder that can be written to");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .expect("a folder that can be written to");
    folder
}

/// The output of a run of the program, and its exit code.
#[derive(Debug)]
struct Run {
    out: String,
    err: String,
    code: i32,
}

fn run(folder: &Path, words: &[&str]) -> Run {
    let output = run::league(folder, words);
    let [out, err] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8(bytes).expect("the program runs, and its output is text"));
    Run { out, err, code: output.status.code().expect("the program runs, and its output is text") }
}

/// Imports the players of this folder for the board with two bricks.
fn import(folder: &Path, more: &[&str]) -> Run {
    let board = format!("filledCells={TWO_BRICKS}");
    let mut words = vec!["import", "bricks", "players", "--set", "size=3", "--set", &board];
    words.extend(PATIENT);
    words.extend(more);
    run(folder, &words)
}

#[test]
fn a_tournament_is_imported_played_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let players = folder.path().join("players");
    for (nick, script) in [("Ada", HONEST), ("Bob", HONEST), ("Cy", STUBBORN), ("Dot", "exit 1")] {
        player(&players, nick, script);
    }
    let made = import(folder.path(), &["--set", "seed=7"]);
    assert_eq!(made.code, 0, "{made:?}");
    assert!(made.out.starts_with("players.toml: 4 entrants; "), "{made:?}");
    let played = run(folder.path(), &["run", "players.toml", "--jobs", "1"]);
    assert_eq!(played.code, 0, "{played:?}");
    let told = run(folder.path(), &["export", "players.results", "--bricks", "out"]);
    assert_eq!((told.code, told.out.as_str()), (0, "out: 15 files\n"), "{told:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    // The second player wins, unless it is stubborn or has gone; Ada and Bob are equal.
    let scores = ["Ada \t5/1 \t2/0\t", "Bob \t5/1 \t2/0\t", "Cy \t2/4 \t0/2\tMM", "Dot \t0/6 \t0/6\tDDDDDD"];
    assert_eq!(read("score.txt").lines().collect::<Vec<_>>(), scores);
    let duels = read("duels.txt");
    let duels: Vec<&str> = duels.lines().collect();
    assert_eq!((duels.len(), duels[0]), (12, "0:Ada:Bob:Bob:Player Bob won normally!"));
    assert_eq!(duels[11], "11:Dot:Cy:Cy:Player Dot -> does not answer: its program ended with exit code 1");
    assert_eq!(
        read("duels/0.txt"),
        "3#Ada#Bob#| :size :P1_nick :P2_nick\n3_2x0_0x1_1x1_2x1_2x2\n0x0_1x0 :Ada\n0x2_1x2 :Bob\n---\nBob\n\
         Player Bob won normally!\n"
    );
    assert!(
        read("duels/1.txt").contains("\n0x0_1x0 :Ada\n0x0_1x0 :Cy\n---\nAda\n"),
        "{}",
        read("duels/1.txt")
    );
    assert_eq!(read("err.txt").lines().count(), 6);
    let verified = run(folder.path(), &["verify", "players.results", "--sample", "100%"]);
    let same = "12 of 12 matches were checked by their replays: all end as their records say\n";
    assert_eq!(verified.out, same, "{verified:?}");
    // Results are never written over others.
    let again = run(folder.path(), &["export", "players.results", "--bricks", "out"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(
        again.err.contains("the folder out is not empty: expected a new folder for the results"),
        "{again:?}"
    );
    let log = run(folder.path(), &["log", "players.results", "--entrant", "Dot"]).out;
    assert!(
        log.contains(
            "Dot, agent #1 (side 2), at 0.0 s: does not answer: its program ended with exit code 1\n"
        ),
        "{log}"
    );
    let one = run(folder.path(), &["log", "players.results", "3"]).out;
    assert!(
        one.contains(
            "\nreferee: letter: M\n  reason: put 0x0_1x0 on a filled cell\n  brick: 0x0_1x0\n  line: 0x0_1x0\n"
        ),
        "{one}"
    );
}

#[test]
fn a_folder_that_cannot_be_imported_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let players = folder.path().join("players");
    for nick in ["Ada", "Bob", "Cy"] {
        player(&players, nick, HONEST);
    }
    fs::write(players.join("Cy/info.txt"), "./player.sh\n").unwrap();
    let why = "players/Cy/info.txt: line 2 is empty: expected the player's name";
    let faulty = import(folder.path(), &[]);
    assert_eq!((faulty.code, faulty.out.as_str()), (2, ""), "{faulty:?}");
    let hint = "hint: `--leave-out-faulty` makes a league without these players";
    assert_eq!(faulty.err, format!("error: {why}\n{hint}\n"));
    assert!(!folder.path().join("players.toml").exists());
    let made = import(folder.path(), &["--leave-out-faulty", "--out", "cup.toml"]);
    assert_eq!((made.code, made.err.as_str()), (0, format!("left out: {why}\n").as_str()), "{made:?}");
    assert!(made.out.starts_with("cup.toml: 2 entrants; "), "{made:?}");
    let again = import(folder.path(), &["--leave-out-faulty", "--out", "cup.toml"]);
    assert!(
        again.code == 2 && again.err.starts_with("error: cup.toml is there already: it is kept\n"),
        "{again:?}"
    );
    let told = |words: &[&str]| {
        let run = run(folder.path(), words);
        assert_eq!(run.out, "", "{run:?}");
        (run.code, run.err)
    };
    let (code, missing) = told(&["import", "bricks", "none", "--out", "x.toml"]);
    assert!(
        code == 2 && missing.starts_with("error: cannot read the folder none: No such file"),
        "{missing}"
    );
    let (code, game) = told(&["import", "chess", "players"]);
    assert!(
        code == 2
            && game.starts_with("error: no folders of players of `chess` can be read: expected bricks\n")
    );
    let words = ["import", "bricks", "players", "--out", "x.toml", "--set", "size=4", "--compat", "2018"];
    let (code, size) = told(&words);
    assert!(code == 2 && size.contains("\nsize = 4: a board of 4×4 cells"), "{size}");
    let (_, pace) = told(&["import", "bricks", "players", "--out", "x.toml", "--set", "paceMs=5"]);
    assert!(pace.contains("paceMs = 5: unknown parameter"), "{pace}");
    let (_, pair) = told(&["import", "bricks", "players", "--out", "x.toml", "--set", "size"]);
    assert!(pair.starts_with("error: invalid --set `size`: expected NAME=VALUE\n"), "{pair}");
}

/// A league of these two programs, on the board with two bricks.
fn league(entrants: [&Path; 2], more: &str) -> League {
    let entrant = |(name, folder): (&str, &Path)| {
        format!("[[entrant]]\nname = \"{name}\"\ncommand = [\"./player.sh\"]\nfolder = {folder:?}\n")
    };
    let [first, second] = entrants;
    let text = format!(
        "game = \"bricks\"\n[configuration]\nsize = 3\nfilledCells = \"{TWO_BRICKS}\"\nmoveLimitMs = 600000\n{more}\n{}{}",
        entrant(("first", first)),
        entrant(("second", second))
    );
    League::read("tests", &text, &InProcess::new("tests 1.0"))
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const ALWAYS: HostLimits = HostLimits { late: Duration::ZERO, late_beats: 2.0, longest: Duration::MAX };

const NEVER: HostLimits = HostLimits { late: Duration::ZERO, late_beats: -1.0, longest: Duration::MAX };

/// Plays the first match of a league on a machine with these limits.
fn play(league: &League, limits: HostLimits, change: impl FnOnce(&mut MatchLimits)) -> Played {
    let mut rounds = league.rounds();
    let round = rounds.next_round(&Default::default()).expect("the match can be played");
    let id = format!("{}/1/0", round.pairings[0]).parse().expect("the match can be played");
    let ScheduledMatch { id, seed } = league.seeds().schedule(id);
    let mut spec = league.spec(&ScheduledMatch { id, seed });
    change(&mut spec.limits);
    let guard = Guard::new(PROGRAM);
    let network = Network::new("tests 1.0", guard, "", league.network).with_limits(limits);
    network.with_settings(league.settings.clone()).play(&spec, true).expect("the match can be played")
}

#[test]
fn a_duel_has_a_record_with_its_reason_and_its_programs() {
    let folder = tempfile::tempdir().unwrap();
    let honest = player(folder.path(), "honest", HONEST);
    let script = "read -r o; echo OK; read -r line; echo 'no idea' >&2; echo ' what'; exit 3";
    let odd = player(folder.path(), "odd", script);
    let settings = "[referee]\nanswerLimitMs = 600000\nsilenceLimitMs = 600000\n[network]\ngrace_ms = 30000";
    // On the slowest machine, too: a line that is no brick is none on any machine.
    let played = play(&league([&honest, &odd], settings), NEVER, |_| {});
    let record = &played.record;
    assert_eq!(record.outcome.termination, Termination::Protocol);
    assert_eq!(record.outcome.winner().map(|team| team.index()), Some(0));
    assert_eq!((record.steps, record.metrics.get("bricks")), (1, Some(&[1.0, 0.0][..])));
    assert_eq!(record.metrics.get(CRASHED_PROGRAMS), Some(&[0.0, 1.0][..]));
    assert_eq!(record.first_blunders, ["the program of agent #1 (side 2) ended with exit code 3"]);
    let [failure] = &played.failures[..] else { panic!("{:?}", played.failures) };
    let how = "wrote no brick: `␣what` is no brick: expected two cells, e.g. `1x2_2x2`";
    assert_eq!((failure.agent, failure.how.as_str()), (AgentId::new(1), how));
    assert_eq!(failure.last_line, "no idea");
    let log = |source: &str| played.logs.iter().find(|log| log.source == source).unwrap().text.as_str();
    assert_eq!(log(REFEREE), format!("letter: P\nreason: {how}\nline: ␣what"));
    assert_eq!(log("agent #1 (side 2)"), "its program ended with exit code 3\nstandard error:\nno idea");
}

#[test]
fn a_loss_by_time_on_a_slow_machine_is_a_fault_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let silent = player(folder.path(), "silent", "read -r o; echo OK; read -r line; sleep 1000");
    let honest = player(folder.path(), "honest", HONEST);
    let settings = "[referee]\nanswerLimitMs = 600000\nsilenceLimitMs = 200\n[network]\ngrace_ms = 100";
    let league = league([&silent, &honest], settings);
    let mut league = League { config: short_moves(&league.config), ..league };
    for (limits, checks_host, expected) in [
        (ALWAYS, true, Termination::Silence),
        (NEVER, true, Termination::HostFault),
        (NEVER, false, Termination::Silence),
    ] {
        league.network.checks_host = checks_host;
        let played = play(&league, limits, |_| {});
        assert_eq!(played.record.outcome.termination, expected);
        let last = played.logs.last().unwrap();
        assert_eq!(last.source == "fault of the host", expected == Termination::HostFault, "{last:?}");
    }
}

/// The same configuration with a tenth of a second for each move.
fn short_moves(config: &Parameters) -> Parameters {
    let value = |(name, value): (&str, &Value)| {
        let value = if name == "moveLimitMs" { Value::Whole(100) } else { value.clone() };
        (name.to_owned(), value)
    };
    config.iter().map(value).collect()
}

#[test]
fn the_limits_of_a_league_end_a_duel_without_a_winner() {
    let folder = tempfile::tempdir().unwrap();
    let silent = player(folder.path(), "silent", "read -r o; echo OK; read -r line; read -r stop");
    let honest = player(folder.path(), "honest", HONEST);
    let settings = "[referee]\nanswerLimitMs = 600000\nsilenceLimitMs = 600000";
    let by_time = play(&league([&silent, &honest], settings), ALWAYS, |limits| {
        limits.time = SimTime::from_millis(300);
    });
    let by_steps = play(&league([&honest, &honest], settings), ALWAYS, |limits| limits.steps = 1);
    for (played, steps) in [(by_time, 0), (by_steps, 1)] {
        let outcome = played.record.outcome;
        assert_eq!(
            (outcome.termination, outcome.winner(), played.record.steps),
            (Termination::Stall, None, steps)
        );
        assert!(!played.logs.iter().any(|log| log.source == REFEREE), "nobody has lost: {:?}", played.logs);
    }
}

/// The settings of the referee reach the programs.
#[test]
fn programs_of_other_years_are_spoken_to_in_their_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r ping; echo PONG; read -r size; read -r line
        if [ \"$line\" = ZACZYNAJ ]; then echo 1 1 2 1; else echo 3 3 3 2; fi; read -r line; exit 0";
    let program = player(folder.path(), "a", script);
    let settings = "[referee]\ndialect = \"2017\"\nanswerLimitMs = 600000\nsilenceLimitMs = 600000";
    let league = league([&program, &program], "");
    let values = [("size", Value::Whole(3)), ("moveLimitMs", Value::Whole(600_000))];
    let free: Parameters = values.into_iter().collect();
    let text = format!("game = \"bricks\"\n{settings}\n{ENTRANTS}");
    let settings = League::read("tests", &text, &InProcess::new("tests 1.0")).unwrap().settings;
    let played = play(&League { config: free, settings, ..league }, ALWAYS, |_| {});
    assert_eq!(played.record.metrics.get("bricks"), Some(&[1.0, 1.0][..]), "{:?}", played.logs);
    assert_eq!(played.record.outcome.termination, Termination::Crash);
}

const ENTRANTS: &str =
    "[[entrant]]\nname = \"a\"\ncommand = [\"./a\"]\n[[entrant]]\nname = \"b\"\ncommand = [\"./b\"]\n";

#[test]
fn a_league_file_of_bricks_has_its_own_faults() {
    let faults = |file: &str| {
        let read = League::read("tests", file, &InProcess::new("tests 1.0"));
        read.map(|_| ()).unwrap_err().to_string()
    };
    let file = r#"game = "bricks"
[configuration]
filled = 3
[referee]
dialect = "2017"
answerLimit = 5
[network]
join_ms = 5
delay_ms = 1
[[entrant]]
name = "a"
command = ["./a", "--port={port}", "{depth}"]
[[entrant]]
strategy = "greedy"
[[entrant]]
name = "c"
join = true
"#;
    let told = faults(file);
    let lines: Vec<&str> = told.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "line 6, column 1: answerLimit = 5: unknown parameter; allowed: perhaps `answerLimitMs`",
            "line 7, column 1: `delay_ms` is for games with a server, and bricks has none: leave it out",
            "line 7, column 1: `join_ms` is for games with a server, and bricks has none: leave it out",
            "line 12, column 19: the placeholder `{port}` in a command of bricks: its programs have no server and no team, \
             and speak on standard input and output",
            "line 14, column 12: over the network, strategies do not play bricks: expected a program, e.g. `command = \
             [\"bots\", \"join\", \"--game\", \"bricks\", \"--strategy\", \"greedy\"]`",
            "line 15, column 1: bricks has no server, so agents from outside cannot join: expected a `command`",
        ]
    );
    let dialect = faults(&format!(
        "game = \"bricks\"\n[configuration]\nfilled = 3\n[referee]\ndialect = \"2017\"\n{ENTRANTS}"
    ));
    assert!(
        dialect.contains("line 5, column 1: dialect = \"2017\": the dialect 2017 cannot name filled cells"),
        "{dialect}"
    );
    let in_process = "game = \"bricks\"\n[referee]\nwakeMs = 5\n[[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    let told = faults(in_process);
    assert!(told.contains("line 2, column 1: `[referee]` is only for `executor = \"network\"`"), "{told}");
    let other = faults(
        "game = \"dots\"\n[referee]\nwakeMs = 5\n[[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n",
    );
    assert!(other.contains("unknown key `referee`"), "{other}");
}

#[test]
fn each_program_is_checked_against_itself() {
    let folder = tempfile::tempdir().unwrap();
    let players = folder.path().join("players");
    for (nick, script) in [("Ada", HONEST), ("Bob", "read -r o; echo 'no idea' >&2; echo NO")] {
        player(&players, nick, script);
    }
    assert_eq!(import(folder.path(), &[]).code, 0);
    let check = run(folder.path(), &["check", "players.toml"]);
    assert_eq!(check.code, 1, "{check:?}");
    let lines: Vec<&str> = check.out.lines().collect();
    assert!(
        lines[0].starts_with("Ada: 2 agents played for 0.") && lines[0].ends_with(" s: 1 brick"),
        "{check:?}"
    );
    let failed = "Bob: failed: agent #0 (side 1), before the game: should have answered OK, and wrote `NO`";
    assert_eq!(lines[1], failed, "{check:?}");
    assert!(lines[2..].contains(&"  no idea"), "{check:?}");
}

#[test]
fn an_export_needs_replays_and_duels_of_programs() {
    let folder = tempfile::tempdir().unwrap();
    let file = "game = \"bricks\"\n[configuration]\nsize = 3\n[schedule]\nsets = 1\n[[entrant]]\nstrategy = \"greedy\"\n\
                [[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("a.toml"), file).unwrap();
    fs::write(folder.path().join("b.toml"), file.replace("bricks", "dots").replace("size = 3", "rows = 3"))
        .unwrap();
    for name in ["a", "b"] {
        let played = run(folder.path(), &["run", &format!("{name}.toml")]);
        assert_eq!(played.code, 0, "{played:?}");
    }
    let strategies = run(folder.path(), &["export", "a.results", "--bricks", "out"]);
    let why = "error: match 1 cannot be exported: it has no report of a referee: expected a duel of programs, over the network";
    assert!(strategies.code == 1 && strategies.err.starts_with(why), "{strategies:?}");
    fs::write(folder.path().join("named.toml"), format!("{file}name = \"Ho:ne\"\n")).unwrap();
    assert_eq!(run(folder.path(), &["run", "named.toml"]).code, 0);
    let named = run(folder.path(), &["export", "named.results", "--bricks", "out"]);
    let why = "error: the name of an entrant is `Ho:ne`: expected a name of at most 40 visible characters";
    assert!(named.code == 1 && named.err.starts_with(why), "{named:?}");
    let dots = run(folder.path(), &["export", "b.results", "--bricks", "out"]);
    let why = "error: the league is of dots: expected a league of bricks";
    assert!(dots.code == 2 && dots.err.starts_with(why), "{dots:?}");
    assert!(!folder.path().join("out").exists());
    let page = run(folder.path(), &["run", "b.toml", "--out", "c", "--page"]);
    let why =
        "error: the matches of this league cannot be watched: expected a league of bricks over the network";
    assert!(page.code == 2 && page.err.contains(why), "{page:?}");
    // Without replays, nobody knows the bricks.
    let players = folder.path().join("players");
    for nick in ["Ada", "Bob"] {
        player(&players, nick, HONEST);
    }
    assert_eq!(import(folder.path(), &[]).code, 0);
    let path = folder.path().join("players.toml");
    let text = fs::read_to_string(&path).unwrap().replace("game = ", "replays = \"none\"\ngame = ");
    fs::write(&path, text).unwrap();
    assert_eq!(run(folder.path(), &["run", "players.toml"]).code, 0);
    let without = run(folder.path(), &["export", "players.results", "--bricks", "out"]);
    let why = "error: match 1 cannot be exported: it has no replay\nhint: such files need the replays";
    assert!(without.code == 1 && without.err.starts_with(why), "{without:?}");
}

/// The page stays after the last duel, and a signal ends the program in order.
#[test]
fn duels_are_watched_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let players = folder.path().join("players");
    for (nick, script) in [("Ada", HONEST), ("Bob", STUBBORN)] {
        player(&players, nick, script);
    }
    assert_eq!(import(folder.path(), &[]).code, 0);
    let words = ["run", "players.toml", "--page", "127.0.0.1:0", "--stay"];
    let mut command = command(folder.path(), &words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
    let mut line =
        |text: &str| lines.find_map(|line| Some(line.unwrap()).filter(|line| line.contains(text))).unwrap();
    let url = line("the page is at ").split_once("is at ").unwrap().1.to_owned();
    assert!(!url.contains("token"), "nobody gives orders on this page: {url}");
    line("the page stays at ");
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    kill_process(Pid::from_child(&program), Signal::TERM).unwrap();
    let output = program.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(Store::look(&folder.path().join("players.results")).unwrap().count().unwrap(), 2);
}
