//! `league compare` and `league report` as programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use child_process::Guard;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Reader;
use game_env::{Parameters, Seed, Termination, Thinking};
use league::begin;
use league::executor::{CannotPlay, Executor, Played};
use league::file::League;
use league::games::Games as _;
use league::in_process::InProcess;
use league::store::{Store, StoreError};
use strategies::programs::{Processes, Programs};

use crate::leagues::create_store;
use crate::run::{command, league, text};

#[test]
fn a_comparison_and_a_race_end_at_a_program_that_cannot_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.sh"), "echo no model here >&2\nexit 3\n").expect("a program");
    let race: &[&str] = &["race", "sh agent.sh", "random", "--against", "greedy"];
    for words in [&["compare", "random", "sh agent.sh"], race] {
        let told = league(folder.path(), &[words, &["--game", "dots", "--preset", "small"]].concat());
        assert_eq!((told.status.code(), text(&told.stdout)), (Some(2), String::new()), "{words:?}");
        let told = text(&told.stderr);
        assert!(told.starts_with("error: cannot play: the program of agent #"), "{told}");
        assert!(told.contains(" ended with exit code 3 (at "), "{told}");
        assert!(told.contains("the end of its standard error:\nno model here\nhint: "), "{told}");
    }
}

/// A machine without room for one more process has no guard to start, and the program cannot help it.
#[cfg(target_os = "linux")]
#[test]
fn a_match_for_which_the_machine_has_no_process_is_no_loss_of_the_program() {
    let guard = Guard::new("/no/room/for/a/guard");
    let programs: Arc<dyn Programs> = Arc::new(Processes::new(guard, "/"));
    let executor = InProcess::new("tests").with_programs(&programs);
    for (game, preset) in [("dots", "small"), ("project", "quick")] {
        let configured = executor.configure(game, Some(preset), &Parameters::new()).expect("a preset");
        let agents = configured.teams.len();
        let spec = MatchSpec {
            game: game.to_owned(),
            config: configured.config,
            seed: Seed::new(7),
            entrants: (0..agents)
                .map(|seat| if seat == 0 { "\"true\"" } else { "greedy" }.to_owned())
                .collect(),
            limits: MatchLimits::default(),
        };
        let played = executor.play(&spec, false).expect("a match");
        assert_eq!(played.record.outcome.termination, Termination::HostFault, "{game}");
        let why = played.host_fault().expect("a log");
        assert!(why.contains("cannot be started by this machine: cannot start the guard"), "{game}: {why}");
    }
}

#[test]
fn a_comparison_says_who_is_stronger_although_no_replay_can_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("full"), "").expect("a file in the place of a folder");
    let words = ["compare", "greedy", "random", "--game", "dots", "--preset", "small", "--replays", "full"];
    let compared = league(folder.path(), &words);
    assert_eq!(compared.status.code(), Some(1));
    assert!(text(&compared.stdout).starts_with("greedy is stronger: "), "{}", text(&compared.stdout));
    let errors = text(&compared.stderr);
    assert!(errors.contains("error: cannot create the folder full: "), "{errors}");
}

#[test]
fn a_comparison_says_who_is_stronger_and_writes_replays() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["compare", "greedy", "random", "--game", "dots", "--preset", "small", "--jobs"];
    let by = |jobs| league(folder.path(), &[&words[..], &[jobs]].concat());
    let (one, three) = (by("1"), by("3"));
    assert!(one.status.success(), "{}", text(&one.stderr));
    let said = text(&one.stdout);
    assert!(said.starts_with("greedy is stronger: ") && said.contains("once in 1,000,000"), "{said}");
    assert_eq!(said, text(&three.stdout), "the number of jobs changes nothing");
    let timed = text(&league(folder.path(), &[&words[..], &["1", "--times"]].concat()).stdout);
    let times = timed.strip_prefix(&said).expect("the same comparison");
    let mut lines = times.lines();
    assert_eq!([lines.next(), lines.next()], [Some(""), Some("time of a decision on this machine:")]);
    for name in ["  greedy: median ", "  random: median "] {
        assert!(lines.next().is_some_and(|line| line.starts_with(name)), "{times}");
    }
    let replays = fs::read_dir(folder.path().join("compare.replays")).expect("there are replays");
    let mut replays: Vec<String> =
        replays.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    replays.sort_unstable();
    assert!(!replays.is_empty() && replays.iter().all(|replay| said.contains(replay.as_str())), "{said}");
    // Below each replay stands which agents are whose.
    for name in &replays {
        let mut lines = said.lines().skip_while(|line| !line.ends_with(&format!("/{name}")));
        let seats = lines.nth(1).expect("a line about the agents");
        let file = fs::File::open(folder.path().join("compare.replays").join(name)).expect("a replay");
        let reader = Reader::open(file).expect("a replay");
        let players: Vec<&str> = reader.header().players.iter().map(|player| player.name.as_str()).collect();
        let expected = if players == ["greedy", "random"] {
            "    agent #0 (side 1) is greedy, the first line-up; agent #1 (side 2) is random, the second"
        } else {
            "    agent #1 (side 2) is greedy, the first line-up; agent #0 (side 1) is random, the second"
        };
        assert_eq!(seats, expected, "{name}: {players:?}");
    }
    // A replay of an earlier comparison is kept.
    let earlier = folder.path().join("compare.replays").join(&replays[0]);
    fs::write(&earlier, "another game").expect("a file");
    let numbered = replays[0].replace(".replay", "-2.replay");
    for _ in 0..2 {
        let said = text(&by("2").stdout);
        assert!(said.contains(&numbered) && !said.contains(&replays[0]), "{said}");
        assert_eq!(fs::read(&earlier).expect("a file"), b"another game");
    }
    let count = fs::read_dir(folder.path().join("compare.replays")).expect("there are replays").count();
    assert_eq!(count, replays.len() + 1, "the same replay is written once");
}

#[test]
fn equal_line_ups_of_a_comparison_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["compare", "random", "random", "--game", "dots", "--preset", "small", "--most-pairs", "20"];
    let said = text(&league(folder.path(), &words).stdout);
    let seats = "    agent #0 (side 1) is the first random; agent #1 (side 2) is the second random\n";
    assert!(
        said.starts_with("undecided after 40 games: the first random won ") && said.contains(seats),
        "{said}"
    );
}

#[test]
fn a_comparison_takes_parameters_over_the_preset() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = ["compare", "greedy", "random", "--game", "dots", "--preset", "small", "--set", "rows=3"];
    let compared = league(folder.path(), &words);
    assert!(compared.status.success(), "{}", text(&compared.stderr));
    let replay = fs::read_dir(folder.path().join("compare.replays")).expect("a folder").next();
    let path = replay.expect("a replay").expect("an entry").path();
    let reader = Reader::open(fs::File::open(path).expect("a replay")).expect("a replay");
    let rows = reader.header().config.iter().find(|(name, _)| *name == "rows");
    assert_eq!(rows.map(|(_, value)| value), Some(&game_env::Value::Whole(3)));
}

#[test]
fn a_comparison_of_what_is_not_there_says_what_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for (words, expected) in [
        (&["compare", "gredy", "random"][..], "did you mean `greedy`?"),
        (
            &["compare", "greedy", "random", "--preset", "quik"],
            "expected one of quick, spec, large; did you mean `quick`?",
        ),
        (&["compare", "greedy", "random", "--preset", "QUICK"], "did you mean `quick`?"),
        (&["compare", "greedy", "random", "--game", "dot"], "did you mean `dots`?"),
        (&["compare", "greedy", "random", "--game", "dot", "--all-presets"], "did you mean `dots`?"),
        (
            &["compare", "greedy*3", "random", "--preset", "quick"],
            "a team has 2\nhint: a shorter line-up is repeated for the agents of a team",
        ),
        (
            &["compare", "greedy", "random", "--set", "teamSize"],
            "invalid --set `teamSize`: expected NAME=VALUE",
        ),
        (
            &["compare", "greedy", "random", "--set", "teamSiz=2"],
            "unknown parameter; allowed: perhaps `teamSize`",
        ),
        (&["compare", "greedy", "random", "--margin", "0"], "expected a number of Elo from 0.1 to 1000"),
        (&["compare", "greedy", "random", "--error", "0.5"], "expected a number from 0.000001"),
    ] {
        let refused = league(folder.path(), words);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        assert!(text(&refused.stderr).contains(expected), "{words:?}: {}", text(&refused.stderr));
    }
}

#[test]
fn a_league_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"dots\"\npreset = \"small\"\n[schedule]\nkind = \"round-robin\"\nsets = 5\n\
                [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("small.toml"), file).expect("the folder can be written");
    let played = league(folder.path(), &["run", "small.toml", "--out", "small"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let reported = league(folder.path(), &["report", "small"]);
    assert!(reported.status.success(), "{}", text(&reported.stderr));
    let read = |name: &str| fs::read_to_string(folder.path().join("small").join(name)).expect("a report");
    assert!(read("report.md").contains("2 entrants, 10 matches of dots"), "{}", read("report.md"));
    assert!(read("report.csv").contains("\n1,greedy,"), "{}", read("report.csv"));
    assert!(read("report.html").contains("league replay small "));
    let json: serde_json::Value = serde_json::from_str(&read("report.json")).expect("JSON");
    let best = &json["entrants"][0];
    let met = ["won", "drawn", "lost"].map(|of| best["against"]["random"][of].as_u64().unwrap_or(0));
    assert_eq!((met.iter().sum::<u64>(), &best["matches"]), (10, &10.into()));
    // There is no folder below a file.
    let refused = league(folder.path(), &["report", "small", "--out", "small.toml/report"]);
    assert_eq!(refused.status.code(), Some(1));
    let told = text(&refused.stderr);
    assert!(told.starts_with("error: cannot create the folder small.toml/report: "), "{told}");
    assert!(told.ends_with("\nhint: choose another folder with --out\n"), "{told}");
}

/// Plays two matches, and no more.
struct Two {
    plays: InProcess,
    played: AtomicU32,
}

impl Executor for Two {
    fn name(&self) -> &'static str {
        InProcess::NAME
    }

    fn program(&self) -> &str {
        self.plays.program()
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        if self.played.fetch_add(1, Ordering::Relaxed) >= 2 {
            return Err(CannotPlay("two are enough".to_owned()));
        }
        self.plays.play(spec, with_replay)
    }
}

const SMALL: &str = "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 5\n\
                     [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";

/// A league of which two matches of ten are played.
fn unfinished(folder: &Path) {
    let plays = begin::in_process();
    let league = League::read("small", SMALL, &plays).expect("the league is sound");
    let mut store = create_store(folder, "small", SMALL, &plays);
    let executor = Two { plays, played: AtomicU32::new(0) };
    league::runner::run(&league, &executor, &mut store, NonZeroUsize::MIN, &()).expect_err("two are enough");
    assert_eq!(store.count().expect("the store can be read"), 2);
}

/// The process that settled the order was killed before it had removed the matches that do not count.
#[test]
fn matches_that_do_not_count_are_neither_exported_nor_kept() {
    let early = "game = \"dots\"\npreset = \"small\"\nearly_stop = { confidence = 0.95 }\nschedule = { sets = 50 }\n\
                 [[entrant]]\nstrategy = \"random\"\n[[entrant]]\nstrategy = \"greedy\"\n";
    let whole = early.replace("early_stop = { confidence = 0.95 }\n", "");
    let folder = tempfile::tempdir().expect("a folder");
    let plays = begin::in_process();
    let place = folder.path().join("early");
    let mut store = create_store(&place, "early", early, &plays);
    let all = League::read("early", &whole, &plays).expect("the league is sound");
    league::runner::run(&all, &plays, &mut store, NonZeroUsize::MIN, &()).expect("a whole league");
    assert_eq!(store.count().expect("the store can be read"), 100);
    drop(store);
    let (exported, _) = done(folder.path(), &["export", "early", "--events", "events.csv"]);
    let (_, told) = done(folder.path(), &["resume", "early"]);
    let settled = told.split("its order was settled after ").nth(1).expect("it says so");
    let counted: u64 = settled.split(' ').next().expect("a number").parse().expect("a number");
    let left = Store::look(&place).expect("a store").count().expect("the store can be read");
    assert!(left == counted && counted < 100, "{left} left: {told}");
    assert!(exported.ends_with(&format!("\n{counted} matches exported\n")), "{exported}");
}

#[test]
fn an_unfinished_league_says_so_until_it_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    unfinished(&folder.path().join("small"));
    let said = |words: &[&str]| {
        let output = league(folder.path(), words);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let markdown = || fs::read_to_string(folder.path().join("small/report.md")).expect("a report");
    let note = "nfinished: 2 of 10 matches have been played; `";
    let commands: [&[&str]; 3] =
        [&["report", "small"], &["report", "small", "--site", "pages"], &["verify", "small"]];
    for words in commands {
        let told = said(words);
        assert!(told.contains(note) && told.contains("resume small` goes on"), "{words:?}: {told}");
    }
    let verified = said(&["verify", "small", "--sample", "5%", "--seed", "7"]);
    let expected =
        "1 of 2 matches was played again: it took the same course\nthe seed 7 drew these matches\n";
    assert!(verified.starts_with(expected), "{verified}");
    let drawn = || said(&["verify", "small", "--sample", "5%"]);
    assert_ne!(drawn(), drawn(), "another seed each time");
    assert!(markdown().contains("**Unfinished: 2 of 10 matches"), "{}", markdown());
    let resumed = league(folder.path(), &["resume", "small"]);
    let told = text(&resumed.stderr);
    assert!(
        told.contains("2 matches are stored;") && told.contains("report.html is written anew\n"),
        "{told}"
    );
    assert!(!markdown().contains("nfinished"), "{}", markdown());
    for words in commands {
        let told = said(words);
        assert!(!told.contains("nfinished"), "{words:?}: {told}");
    }
    assert!(!markdown().contains("nfinished"), "{}", markdown());
}

/// Begins a league that takes hours, however fast it plays. Returns its process, the first line of its messages, and
/// the others.
#[cfg(unix)]
fn long_league(folder: &Path) -> (Child, String, BufReader<ChildStderr>) {
    fs::write(folder.join("long.toml"), SMALL.replace("sets = 5", "sets = 4_000_000")).expect("a file");
    let mut command = command(folder, &["run", "long.toml", "--jobs", "1"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut told = BufReader::new(child.stderr.take().expect("it was asked for"));
    let mut line = String::new();
    told.read_line(&mut line).expect("it says where results go");
    (child, line, told)
}

#[cfg(unix)]
#[test]
fn an_interrupted_league_says_what_is_kept_and_how_to_go_on() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, line, mut told) = long_league(folder.path());
    assert!(line.starts_with("results go to long.results"), "{line}");
    kill_process(Pid::from_child(&child), Signal::INT).expect("the program runs");
    let mut rest = String::new();
    told.read_to_string(&mut rest).expect("text");
    let status = child.wait().expect("the program ends");
    assert!(
        rest.starts_with("interrupted: all matches that have ended are kept in long.results; `"),
        "{rest}"
    );
    assert!(rest.contains("resume long.results` goes on"), "{rest}");
    assert_eq!(status.code(), Some(130));
    assert!(Store::open(&folder.path().join("long.results")).is_ok(), "the store is free again");
}

/// Nothing can be said any more. A process that was begun with `nohup` does not listen to SIGHUP.
#[cfg(unix)]
#[test]
fn a_league_ends_with_the_terminal_that_goes_away() {
    use rustix::process::{Pid, Signal, kill_process};

    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, _, told) = long_league(folder.path());
    drop(told);
    kill_process(Pid::from_child(&child), Signal::TERM).expect("the program runs");
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
}

/// Programs play on the real clock: the first line gives the longest times.
#[cfg(target_os = "linux")]
#[test]
fn the_first_line_says_how_long_matches_in_real_time_take() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\n[schedule]\nsets = 2\n[limits]\ntime_ms = 90_000\n\
                [network]\njoin_ms = 20_000\ngrace_ms = 5_000\ncheck_host = false\n\
                [[entrant]]\nstrategy = \"random\"\n\
                [[entrant]]\nname = \"mine\"\ncommand = [\"no-such-program-anywhere\"]\n";
    fs::write(folder.path().join("mine.toml"), file).expect("a file");
    let played = league(folder.path(), &["run", "mine.toml", "--jobs", "3"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let told = text(&played.stderr);
    assert_eq!(
        told.lines().next(),
        Some(
            "all matches are played in real time: one takes at most 2 min, 4 matches, 3 at a time, at most 4 min if no match is added or repeated; \
             `time_ms` in `[limits]` sets when a match is given up"
        )
    );
}

/// A spelling mistake in a folder is found before matches are played and lost.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_does_not_exist_is_named_before_the_first_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\n[[entrant]]\nstrategy = \"random\"\n\
                [[entrant]]\nname = \"mine\"\ncommand = [\"true\"]\nfolder = \"pyhton\"\n\
                [[entrant]]\nname = \"karl\"\ncommand = [\"true\"]\nfolder = \"karl\"\n";
    fs::write(folder.path().join("mine.toml"), file).expect("a file");
    for task in ["run", "check"] {
        let refused = league(folder.path(), &[task, "mine.toml"]);
        assert_eq!(refused.status.code(), Some(2));
        let told = text(&refused.stderr);
        for (line, place, name) in [(7, "pyhton", "mine"), (11, "karl", "karl")] {
            let is_named = |text: &str| {
                text.trim_start().starts_with(&format!("line {line}, column 10: there is no folder /"))
                    && text.ends_with(&format!("/{place} for the program of `{name}`"))
            };
            assert!(told.lines().any(is_named), "{task}: {told}");
        }
    }
    assert!(!folder.path().join("mine.results").exists(), "nothing is begun");
}

#[test]
fn names_that_differ_only_in_case_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\npreset = \"QUICK\"\nReplays = \"all\"\n[configuration]\nteamsize = 2\n\
                [schedule]\nkind = \"Swiss\"\n[[entrant]]\nstrategy = \"Greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("case.toml"), file).expect("a file");
    let refused = league(folder.path(), &["run", "case.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    for name in ["`quick`", "`replays`", "`teamSize`", "`swiss`", "`greedy`"] {
        let says =
            |line: &str| (line.contains("did you mean") || line.contains("perhaps")) && line.contains(name);
        assert!(told.lines().any(says), "{name}: {told}");
    }
}

#[test]
fn verification_names_the_worker_of_a_match_that_differs_and_plays_what_was_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 2\n\
                [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("small.toml"), file).expect("the folder can be written");
    let played = league(folder.path(), &["run", "small.toml", "--out", "small"]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let store = folder.path().join("small/store.sqlite");
    let change = "
        INSERT INTO logs VALUES (1, 1, 'worker', 'ann-7 (league 1.0), 2.0 ms');
        UPDATE matches SET record = replace(record, '\"time_ms\":0,\"steps\":', '\"time_ms\":0,\"steps\":1') WHERE number = 1;
        UPDATE matches SET record = replace(record, '\"normal\"', '\"host-fault\"'), verdict = 'host-fault'
        WHERE number = 2;";
    rusqlite::Connection::open(&store).expect("it opens").execute_batch(change).expect("it can be written");
    let verified = league(folder.path(), &["verify", "small", "--sample", "100%"]);
    assert_eq!(verified.status.code(), Some(1));
    let said = text(&verified.stderr);
    let expected = "match 1 (1-2/1/0, ann-7 (league 1.0), 2.0 ms): it took another course";
    assert!(said.contains(expected), "{said}");
    assert!(said.contains("match 2 (1-2/1/1): it was given up, and it can be played"), "{said}");
    let sampled = league(folder.path(), &["verify", "small", "--sample", "50%", "--seed", "7"]);
    let said = text(&sampled.stderr);
    assert!(said.contains("\nthe seed 7 drew these matches\nhint: "), "{said}");
    let refused = league(folder.path(), &["replay", "small", "2"]);
    assert!(text(&refused.stderr).contains("match 2 (1-2/1/1) has no replay, because it was given up"));
    // A reader does not play in its own process a match that was given up.
    let change =
        "UPDATE matches SET record = replace(record, '\"time_ms\":0,\"steps\":1', '\"time_ms\":0,\"steps\":')
        WHERE number = 1";
    rusqlite::Connection::open(&store).expect("it opens").execute_batch(change).expect("it can be written");
    let (exported, _) = done(folder.path(), &["export", "small", "--events", "events.csv"]);
    assert!(exported.ends_with("3 matches exported\n1 match without a replay left out\n"), "{exported}");
    // Standings go by the record: a verdict of its own is no way around them.
    let change = "UPDATE matches SET verdict = 'host-fault' WHERE number = 3";
    rusqlite::Connection::open(&store).expect("it opens").execute_batch(change).expect("it can be written");
    let refused = league(folder.path(), &["verify", "small"]);
    let said = text(&refused.stderr);
    assert!(said.contains("its verdict is `host-fault`: expected normal"), "{said}");
    let change = "UPDATE matches SET verdict = 'normal', record = json_set(record, '$.metrics', json('{}'),
        '$.outcome.places', json('[1,1,1]'), '$.outcome.returns', json('[0,0,0]')) WHERE number = 3";
    rusqlite::Connection::open(&store).expect("it opens").execute_batch(change).expect("it can be written");
    let refused = league(folder.path(), &["report", "small"]);
    let said = text(&refused.stderr);
    assert!(said.contains("it has places for 3 teams: expected 2"), "{said}");
}

#[test]
fn verification_finds_the_replay_of_another_match() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), format!("replays = \"all\"\n{SMALL}")).expect("a file");
    done(folder.path(), &["run", "small.toml", "--out", "small"]);
    let store = rusqlite::Connection::open(folder.path().join("small/store.sqlite")).expect("it opens");
    let change = "UPDATE matches SET replay = (SELECT replay FROM matches WHERE number = 3) WHERE number = 1";
    store.execute(change, []).expect("it can be written");
    drop(store);
    let verified = league(folder.path(), &["verify", "small", "--sample", "100%"]);
    assert_eq!(verified.status.code(), Some(1));
    let said = text(&verified.stderr);
    assert!(said.contains("match 1 (1-2/1/0): the replay is of a game with the seed "), "{said}");
}

#[test]
fn a_site_says_why_matches_have_no_replay() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), format!("replays = \"all\"\n{SMALL}")).expect("a file");
    done(folder.path(), &["run", "small.toml", "--out", "small"]);
    let store = rusqlite::Connection::open(folder.path().join("small/store.sqlite")).expect("it opens");
    store.execute("UPDATE replays SET content = x'00'", []).expect("it can be written");
    drop(store);
    let (told, _) = done(folder.path(), &["report", "small", "--site", "pages"]);
    assert!(told.contains(" matches without a replay that can be shown: "), "{told}");
    assert!(told.contains("\nthe reason of the first: the replay of match "), "{told}");
    assert!(told.contains(" is faulty: this is no replay: "), "{told}");
}

/// The program fails in each match.
#[cfg(target_os = "linux")]
#[test]
fn a_site_says_how_to_keep_the_replays_of_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("agent.sh"), "exit 1\n").expect("a file");
    let file = format!("{SMALL}\n[[entrant]]\nstrategy = \"sh agent.sh\"\n");
    fs::write(folder.path().join("small.toml"), file).expect("a file");
    done(folder.path(), &["run", "small.toml", "--out", "small"]);
    let (told, _) = done(folder.path(), &["report", "small", "--site", "pages"]);
    assert!(told.contains("it is a program, and this program starts none"), "{told}");
    let kept = "a report starts no program; `replays = \"all\"` in the league file keeps all replays\n";
    assert!(told.contains(kept), "{told}");
}

/// The match that a process plays alone is its input; it says by its exit code whether it has played it.
#[test]
fn a_match_is_played_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = |input: &str| {
        let file = folder.path().join("input");
        fs::write(&file, input).expect("the folder can be written");
        let input = fs::File::open(&file).expect("it is there");
        command(".".as_ref(), &["play-alone"]).stdin(input).output().expect("the program starts")
    };
    assert_eq!(alone("").status.code(), Some(1));
    assert_eq!(alone("no match").status.code(), Some(1));
    let spec = MatchSpec {
        game: "dots".to_owned(),
        config: Parameters::new(),
        seed: Seed::new(1),
        entrants: ["greedy", "random"].map(str::to_owned).to_vec(),
        limits: MatchLimits::default(),
    };
    let played = alone(&spec.to_string());
    assert!(played.status.success() && played.stdout.is_empty() && played.stderr.is_empty(), "{played:?}");
}

/// The output of a command that does what it is asked.
fn done(folder: &Path, words: &[&str]) -> (String, String) {
    let output = league(folder, words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_match_that_is_not_played_yet_is_told_from_one_that_does_not_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    unfinished(&folder.path().join("small"));
    let refused = |words: &[&str]| {
        let output = league(folder.path(), words);
        (output.status.code(), text(&output.stderr))
    };
    for which in ["7", "1-2/4/1"] {
        for command in ["log", "replay"] {
            let (code, told) = refused(&[command, "small", which]);
            assert_eq!(code, Some(1), "{told}");
            let expected =
                format!("match {which} has not been played yet: 2 of 10 matches have been played\n");
            assert!(told.contains(&expected) && told.contains("resume small` goes on"), "{told}");
        }
    }
    for which in ["11", "0", "1-3/1/0"] {
        let (code, told) = refused(&["log", "small", which]);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(&format!("small has no match `{which}`")), "{told}");
    }
    done(folder.path(), &["resume", "small"]);
    assert!(done(folder.path(), &["log", "small", "7"]).0.starts_with("match 7 (1-2/4/0), verdict normal\n"));
    let (code, told) = refused(&["log", "small", "1-2/6/0"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("small has no match `1-2/6/0`"), "{told}");
}

#[test]
fn a_finished_league_says_so_when_it_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("a file");
    let (standings, _) = done(folder.path(), &["run", "small.toml", "--out", "small"]);
    let (again, told) = done(folder.path(), &["resume", "small"]);
    assert_eq!(again, standings);
    assert!(told.starts_with("the league is over: all 10 matches have been played; `"), "{told}");
    assert!(told.contains("report small` writes the report\n"), "{told}");
    let (reported, _) = done(folder.path(), &["report", "small"]);
    assert!(!reported.contains("further matches"), "{reported}");
    let page = Path::new("small").join("report.html");
    // A report from before the last matches is written anew.
    let report = || fs::read_to_string(folder.path().join(&page)).expect("a report");
    let newest = report();
    fs::write(folder.path().join(&page), "a former report").expect("the folder can be written");
    let (_, told) = done(folder.path(), &["resume", "small"]);
    assert_eq!(report(), newest);
    let expected = format!("have been played; {} is the report\n", page.display());
    assert!(told.contains(&expected), "{told}");
}

/// Every league has a match 1: its replay replaces no other file unless that file is named.
#[test]
fn a_replay_replaces_no_other_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("a file");
    fs::write(folder.path().join("other.toml"), format!("seed = 5\n{SMALL}")).expect("a file");
    for name in ["small", "other"] {
        done(folder.path(), &["run", &format!("{name}.toml"), "--out", name]);
    }
    let replay = || fs::read(folder.path().join("match-1.replay")).expect("a replay");
    done(folder.path(), &["replay", "small", "1"]);
    let first = replay();
    // The same replay once more is no loss.
    done(folder.path(), &["replay", "small", "1"]);
    assert_eq!(replay(), first);
    let refused = league(folder.path(), &["replay", "other", "1"]);
    assert_eq!(refused.status.code(), Some(1));
    let told = text(&refused.stderr);
    assert!(told.contains("match-1.replay is there already and is another file: it is kept"), "{told}");
    assert!(told.contains("--out"), "{told}");
    assert_eq!(replay(), first);
    done(folder.path(), &["replay", "other", "1", "--out", "match-1.replay"]);
    assert_ne!(replay(), first);
}

/// The lines tell which entrant is which side, and name those at fault.
#[cfg(target_os = "linux")]
#[test]
fn a_log_and_a_report_name_the_entrant_at_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\n[schedule]\nsets = 1\n[configuration]\nteamSize = 1\n\
                [network]\njoin_ms = 60_000\ngrace_ms = 0\ncheck_host = false\n\
                [[entrant]]\nname = \"ada\"\nstrategy = \"random\"\n\
                [[entrant]]\nname = \"js\"\ncommand = [\"no-such-program-anywhere\"]\n\
                [[entrant]]\nname = \"fails\"\ncommand = [\"false\"]\n";
    fs::write(folder.path().join("class.toml"), file).expect("a file");
    done(folder.path(), &["run", "class.toml", "--out", "class"]);
    let second_line = |which: &str| {
        let (told, _) = done(folder.path(), &["log", "class", which]);
        told.lines().nth(1).expect("a second line").to_owned()
    };
    assert_eq!(second_line("1-2/1/0"), "red: ada, blue: js; fault: js");
    assert_eq!(second_line("1-2/1/1"), "red: js, blue: ada; fault: js");
    assert_eq!(second_line("2-3/1/0"), "red: js, blue: fails; fault: js, fails");
    done(folder.path(), &["report", "class"]);
    let report = fs::read_to_string(folder.path().join("class/report.md")).expect("a report");
    assert!(report.contains("played over the network by league"), "{report}");
    for row in
        ["| js | 4 | 4 | 4 |", "| fails | 4 | 4 | 4 |", "| ada | 4 | 0 | 0 |", "| all matches | 6 | 6 | 8 |"]
    {
        assert!(report.contains(row), "{row}: {report}");
    }
}

/// A confined program may read its folder, which is that of the league file unless another one is named. Where nothing
/// can be confined, the league ends after the warnings.
#[test]
fn confined_programs_that_can_read_the_league_file_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("own/inner")).expect("folders");
    let entrant = |name, folder| {
        format!(
            "[[entrant]]\nname = \"{name}\"\ncommand = [\"{name}\"]\nconfine = true\nfolder = \"{folder}\"\n"
        )
    };
    let file =
        "game = \"project\"\nseed = 5\n[schedule]\nsets = 1\n[network]\njoin_ms = 1\ncheck_host = false\n";
    let file =
        file.to_owned() + &entrant("all", ".") + &entrant("others", "own") + &entrant("alone", "own/inner");
    fs::write(folder.path().join("class.toml"), &file).expect("a file");
    let told = text(&league(folder.path(), &["run", "class.toml", "--out", "class"]).stderr);
    let warned = |program: &str, path: &str| {
        let path = fs::canonicalize(folder.path()).expect("the folder").join(path);
        let path = path.display();
        format!(
            "warning: the program `{program}` is confined and can read {path}: give it a `folder` of its own, and leave this path out of `may_read`\n"
        )
    };
    assert!(told.contains(&warned("all", "class.toml")), "{told}");
    assert!(told.contains(&warned("others", "own/inner")), "{told}");
    assert_eq!(told.matches("is confined and can read").count(), 2, "{told}");
    assert!(!told.contains("the seed of the league is 0"), "{told}");
    fs::write(folder.path().join("class.toml"), file.replace("seed = 5\n", "")).expect("a file");
    let told = text(&league(folder.path(), &["run", "class.toml", "--out", "known"]).stderr);
    assert!(told.contains("warning: the seed of the league is 0, as in a file without one: "), "{told}");
}

/// Without a match, the log is a list of the failures, of all entrants or of one.
#[cfg(target_os = "linux")]
#[test]
fn failures_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\n[schedule]\nsets = 1\n[configuration]\nteamSize = 1\n\
                [network]\njoin_ms = 60_000\ngrace_ms = 0\ncheck_host = false\n\
                [[entrant]]\nname = \"ada\"\nstrategy = \"random\"\n\
                [[entrant]]\nname = \"mute\"\ncommand = [\"false\"]\n\
                [[entrant]]\nname = \"loud\"\ncommand = [\"sh\", \"-c\", \"echo begin; echo no idea >&2; exit 3\"]\n";
    fs::write(folder.path().join("class.toml"), file).expect("a file");
    done(folder.path(), &["run", "class.toml", "--out", "class"]);
    let all = done(folder.path(), &["log", "class"]).0;
    assert_eq!(all.lines().filter(|line| line.starts_with("match ")).count(), 6, "{all}");
    assert!(all.contains("6 matches; `") && all.contains(" log class MATCH` shows the output"), "{all}");
    let own = done(folder.path(), &["log", "class", "--entrant", "loud"]).0;
    let line = "  loud, agent #1 (blue), before the game: has not joined: its program ended with exit code 3; \
                last line: no idea\n";
    assert!(own.contains(&format!("red: ada, blue: loud; fault: loud\n{line}")), "{own}");
    assert_eq!(own.lines().filter(|line| line.starts_with("match ")).count(), 4, "{own}");
    assert!(!own.contains("  mute, "), "{own}");
    assert_eq!(
        done(folder.path(), &["log", "class", "--entrant", "ada"]).0,
        "no agent of this entrant has failed\n"
    );
    // Of one match.
    let of_match = |name: &str| done(folder.path(), &["log", "class", "2-3/1/0", "--entrant", name]).0;
    let loud = of_match("loud");
    assert!(loud.contains("\nagent #1 (blue): its program ended with exit code 3\n"), "{loud}");
    assert!(loud.contains("standard error:\n  no idea\n") && !loud.contains("agent #0 (red)"), "{loud}");
    assert!(of_match("ada").ends_with("\nthe entrant did not play in this match\n"));
    let refused = league(folder.path(), &["log", "class", "--entrant", "lout"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    let expected = "unknown entrant `lout`: expected one of ada, mute, loud; did you mean `loud`?";
    assert!(told.contains(expected), "{told}");
    // The report and the pages have them too.
    done(folder.path(), &["report", "class"]);
    let report = fs::read_to_string(folder.path().join("class/report.md")).expect("a report");
    assert!(report.contains("## Programs that failed"), "{report}");
    assert!(report.contains("its program ended with exit code 3 | no idea |"), "{report}");
    done(folder.path(), &["report", "class", "--site", "pages"]);
    let page = fs::read_to_string(folder.path().join("pages/entrants/3.html")).expect("a page");
    assert!(page.contains("standard output:\nbegin</pre>"), "{page}");
}

#[test]
fn a_league_file_without_programs_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("a file");
    let told = done(folder.path(), &["check", "small.toml"]).0;
    assert_eq!(told, "the league file has no faults; no entrant is a program\n");
    let timed = done(folder.path(), &["check", "small.toml", "--times"]).0;
    let lines: Vec<&str> = timed.strip_prefix(&told).expect("the same first line").lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "time of a decision on this machine:"), "{timed}");
    let network = "game = \"project\"\nexecutor = \"network\"\n[[entrant]]\nstrategy = \"greedy\"\n\
                   [[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("network.toml"), network).expect("a file");
    let refused = league(folder.path(), &["check", "network.toml", "--times"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--times is for leagues in process"), "{}", text(&refused.stderr));
    for (line, name) in lines[1..].iter().zip(["  greedy: median ", "  random: median "]) {
        assert!(line.starts_with(name) && line.ends_with(" decisions)"), "{line}");
    }
    fs::write(folder.path().join("small.toml"), SMALL.replace("greedy", "gredy")).expect("a file");
    let refused = league(folder.path(), &["check", "small.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`greedy`"), "{}", text(&refused.stderr));
}

/// The tables agree with the records of the matches.
#[test]
fn games_are_exported_as_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "game = \"project\"\npreset = \"quick\"\n[configuration]\nteamSize = 4\n[schedule]\nsets = 2\n\
                [[entrant]]\nname = \"+asks\"\nstrategy = \"asker*3+liar\"\n[[entrant]]\nstrategy = \"greedy\"\n";
    fs::write(folder.path().join("talk.toml"), file).expect("a file");
    done(folder.path(), &["run", "talk.toml", "--out", "talk"]);
    let export =
        ["export", "talk", "--messages", "messages.csv", "--claims", "claims.csv", "--events", "events.csv"];
    let told = done(folder.path(), &export).0;
    assert!(told.ends_with("4 matches exported\n"), "{told}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a table");
    let (messages, claims, events) = (read("messages.csv"), read("claims.csv"), read("events.csv"));
    let rows = |table: &str| -> Vec<BTreeMap<String, String>> {
        let mut lines = table.lines();
        let head: Vec<String> = lines.next().expect("a head").split(',').map(str::to_owned).collect();
        let row = |line: &str| {
            // No cell of these tables has a comma.
            let cells: Vec<String> = line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect();
            assert_eq!(cells.len(), head.len(), "{line}");
            head.iter().cloned().zip(cells).collect()
        };
        lines.map(row).collect()
    };
    let (messages, claims) = (rows(&messages), rows(&claims));
    assert!(told.contains(&format!("messages.csv: {} rows\n", messages.len())), "{told}");
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<u64>().unwrap_or(0);
    let store = Store::look(&folder.path().join("talk")).expect("a store");
    store
        .for_each(u64::MAX, |stored, _| {
            let own: Vec<_> = messages.iter().filter(|row| number(row, "match") == stored.number).collect();
            let sum = |column: &str| own.iter().map(|row| number(row, column)).sum::<u64>() as f64;
            let metric =
                |name: &str| stored.record.metrics.get(name).expect("it is counted").iter().sum::<f64>();
            for (column, name) in [
                ("honest", "claims_true"),
                ("stale", "claims_stale"),
                ("mistaken", "claims_mistaken"),
                ("lies", "claims_lies"),
                ("believed", "claims_believed"),
                ("believed_false", "claims_believed_false"),
            ] {
                assert_eq!(sum(column), metric(name), "match {}: {column}", stored.number);
            }
            let of_match = claims.iter().filter(|row| number(row, "match") == stored.number);
            assert_eq!(of_match.clone().count() as f64, sum("claims"));
            for row in of_match.filter(|row| row["about"] == "distance") {
                assert_eq!(row["said"] == row["truth"], row["verdict"] == "honest", "{row:?}");
            }
            let lines = events.lines().filter(|line| line.starts_with(&format!("{},", stored.number)));
            let answered = lines.filter(|line| line.contains(" answered-by ")).count();
            assert_eq!(answered, own.iter().filter(|row| row["kind"] == "answer").count());
            Ok::<(), StoreError>(())
        })
        .expect("a store that can be read");
    let verdicts: BTreeSet<&str> = claims.iter().map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), ["honest", "lie", "mistaken", "stale"]);
    // A name that a spreadsheet would take for a formula.
    assert!(messages.iter().all(|row| row["from_entrant"] == "'+asks"), "greedy asks nobody");
    let refused = league(folder.path(), &["export", "talk"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    // Events are those of any game; messages are not.
    fs::write(folder.path().join("small.toml"), SMALL).expect("a file");
    done(folder.path(), &["run", "small.toml", "--out", "small"]);
    done(folder.path(), &["export", "small", "--events", "dots.csv"]);
    assert!(
        read("dots.csv").starts_with("match,id,time_ms,is_refusal,event\n1,1-2/1/0,0,0,"),
        "{:.200}",
        read("dots.csv")
    );
    let refused = league(folder.path(), &["export", "small", "--messages", "dots.csv"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("the game dots has no messages: expected a league of project"));
}

#[test]
fn a_report_says_how_its_matches_were_played() {
    let folder = tempfile::tempdir().expect("a folder");
    unfinished(&folder.path().join("small"));
    let report = done(folder.path(), &["report", "small"]);
    assert!(report.0.contains("after further matches, `"), "{}", report.0);
    let markdown = fs::read_to_string(folder.path().join("small/report.md")).expect("a report");
    assert!(markdown.contains("played in process by league"), "{markdown} {report:?}");
}

/// An author tries the rule of a league: the matches and their replays have it.
#[cfg(target_os = "linux")]
#[test]
fn a_comparison_has_the_rule_for_the_time_of_decisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let agent = r#"
while read -r line; do
    case $line in
        *'"type":"hello"'*) printf '%s\n' "$line" > hello; echo '{"type":"ready"}' ;;
        *'"type":"decide"'*) rest=${line#*'"options":["'}; echo "{\"do\":\"${rest%%\"*}\"}" ;;
    esac
done
"#;
    fs::write(folder.path().join("agent.sh"), agent).expect("a program");
    let game = ["--game", "dots", "--preset", "small", "--most-pairs", "3"];
    let limit = ["--think-limit-ms", "60000"];
    let compared =
        league(folder.path(), &[&["compare", "sh agent.sh", "greedy"], &game[..], &limit].concat());
    assert!(compared.status.success(), "{}", text(&compared.stderr));
    let hello = fs::read_to_string(folder.path().join("hello")).expect("the program has played");
    assert!(hello.contains(r#""thinking":{"limit_ms":60000}"#), "{hello}");
    let said = text(&compared.stdout);
    assert!(said.contains(" is sh agent.sh, the first line-up; agent #"), "{said}");
    let mut replays = 0;
    for entry in fs::read_dir(folder.path().join("compare.replays")).expect("there are replays") {
        let file = fs::File::open(entry.expect("an entry").path()).expect("a replay");
        let reader = Reader::open(file).expect("a replay");
        assert_eq!(reader.header().thinking, Thinking::LimitMs(60_000));
        replays += 1;
    }
    assert!(replays > 0, "{said}");
    let refused = league(folder.path(), &[&["compare", "random", "greedy"], &game[..], &limit].concat());
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    assert!(told.contains("`--think-limit-ms` limits programs, and no entrant is a program"), "{told}");
}
