//! `bots fork`, `bots curve`, `bots diff` and `bots why`.

use std::fs;
use std::path::Path;

use game_env::replay::Playback;
use game_project::State;
use insta::assert_snapshot;
use serde_json::Value;

use crate::run::{Run, run_without_cargo as run};

/// The standard output of a run that succeeds and says nothing else.
fn printed(folder: &Path, words: &[&str]) -> String {
    let Run { out, err, code } = run(folder, words);
    assert_eq!((&err[..], code), ("", 0), "{words:?}: {out}");
    out
}

/// A folder with `game.replay` and `dots.replay`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line_ups = ["greedy", "climber", "--preset", "quick", "--seed", "5"];
    let rest = ["--virtual", "--replay", "game.replay"];
    assert_eq!(run(folder.path(), &[&line_ups[..], &rest].concat()).code, 0);
    let dots = ["--game", "dots", "greedy", "--seed", "5", "--virtual", "--replay", "dots.replay"];
    assert_eq!(run(folder.path(), &dots).code, 0);
    folder
}

#[test]
fn a_fork_says_how_likely_each_team_is_to_win() {
    let folder = folder();
    let words = ["fork", "game.replay", "--at", "0:05.0", "--games", "20"];
    assert_snapshot!("fork", printed(folder.path(), &words));
    let others = [&words[..], &["--red", "coordinated", "--agent", "3=idle"]].concat();
    assert_snapshot!("fork_with_others", printed(folder.path(), &others));
    let json = [&words[..], &["--json", "--jobs", "1"]].concat();
    let document: Value = serde_json::from_str(&printed(folder.path(), &json)).unwrap();
    assert_eq!((&document["futures"], &document["interrupted"]), (&20.into(), &false.into()));
    let [red, blue] = [0, 1].map(|team| document["teams"][team]["won"].as_u64().unwrap());
    assert_eq!(red + blue, 20);
    assert_eq!(document["departures"], serde_json::json!([]));
}

#[test]
fn the_replay_of_a_future_begins_as_the_game_did() {
    let folder = folder();
    let words =
        ["fork", "game.replay", "--at", "40", "--games", "1", "--replay", "other.replay", "--future", "3"];
    let Run { err: told, code, .. } = run(folder.path(), &words);
    assert_eq!((&told[..], code), ("the replay of future 3 is other.replay\n", 0));
    let actions = |name: &str| {
        let file = fs::File::open(folder.path().join(name)).unwrap();
        let mut events = Vec::new();
        Playback::<State>::open(file).unwrap().run(&mut events).unwrap();
        events.into_iter().map(|(now, event)| format!("{now} {event}")).collect::<Vec<_>>()
    };
    let (game, other) = (actions("game.replay"), actions("other.replay"));
    assert_eq!(game[..40], other[..40]);
    assert_ne!(game, other);
}

/// The message with the findings in a page that a command has written.
fn findings(page: &Path) -> Value {
    let page = fs::read_to_string(page).unwrap();
    let (_, feed) = page.rsplit_once("id=\"feed\">").unwrap();
    let (feed, _) = feed.split_once("</script>").unwrap();
    let messages: Vec<Value> = serde_json::from_str(feed).unwrap();
    messages.into_iter().find(|message| message["kind"] == "study").expect("a study")
}

#[test]
fn the_page_shows_what_a_command_has_found() {
    let folder = folder();
    let shown = |words: &[&str]| {
        let words = [words, &["--html", "page.html"]].concat();
        let Run { out, err, code } = run(folder.path(), &words);
        assert_eq!(
            (&err[..], code),
            ("the page is page.html; it opens in any browser\n", 0),
            "{words:?}: {out}"
        );
        (out, findings(&folder.path().join("page.html")))
    };
    let (out, curve) = shown(&["curve", "dots.replay", "--moments", "12", "--games", "40"]);
    assert_eq!(curve["chances"].as_array().map(Vec::len), Some(12));
    let falls = curve["remarks"].as_array().unwrap();
    assert_eq!(falls.len(), out.matches(" percentage points from ").count());
    let (_, diff) = shown(&["diff", "game.replay", "coordinated", "--agent", "0", "--most", "3"]);
    assert_eq!((&diff["team"], &diff["chances"]), (&"red".into(), &Value::Array(Vec::new())));
    assert_snapshot!("page_diff", format!("{:#}", diff["remarks"]));
    let (out, why) = shown(&["why", "game.replay", "--reference", "coordinated", "--games", "300"]);
    let remarks = why["remarks"].as_array().unwrap();
    let sentences = remarks.iter().take(3).map(|remark| remark["text"].as_str().unwrap());
    assert_eq!(sentences.collect::<Vec<_>>(), out.lines().take(3).collect::<Vec<_>>());
    assert_snapshot!("page_why", format!("{:#}", why["remarks"]));
}

#[test]
fn the_lines_of_an_agent_end_with_the_decision_of_a_moment() {
    let folder = folder();
    let all = printed(folder.path(), &["decisions", "game.replay", "--agent", "2"]);
    let words = ["decisions", "game.replay", "--agent", "2", "--at", "0:05.0"];
    let Run { out: lines, err: told, code } = run(folder.path(), &words);
    assert_eq!(code, 0);
    assert!(all.starts_with(&lines) && all.len() > lines.len(), "{lines}");
    assert_snapshot!(told, @"line 41, the last one, is the decision at 0:05.02: the agent asked for `move S`");
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last["now"].as_u64().unwrap() >= 5_000, "{last}");
    assert_snapshot!("decision_as_a_test", printed(folder.path(), &[&words[..], &["--rust"]].concat()));
    let faults: Vec<String> = [
        &["decisions", "game.replay", "--agent", "2", "--at", "9:00.0"][..],
        &["decisions", "game.replay", "--agent", "2", "--rust"],
        &["decisions", "game.replay", "--agent", "9", "--at", "3"],
        &["decisions", "dots.replay", "--agent", "0", "--at", "3", "--rust"],
    ]
    .into_iter()
    .map(|words| run(folder.path(), words).err)
    .collect();
    assert_snapshot!("faulty_decisions", faults.join("\n"));
}

/// Answers are decided without the program, so they have no line; those before a decision are not counted as lines.
#[test]
fn answers_have_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["asker", "--preset", "quick", "--seed", "5", "--virtual", "--replay", "game.replay"];
    assert_eq!(run(folder.path(), &words).code, 0);
    let file = fs::File::open(folder.path().join("game.replay")).unwrap();
    let mut reader = game_env::replay::Reader::open(file).unwrap();
    let (mut place, mut actions) = (0, Vec::new());
    while let Some(record) = reader.next_record().unwrap() {
        if let game_env::replay::Record::Action { agent, action, .. } = record {
            place += 1;
            actions.push((place, agent.index(), action));
        }
    }
    let is_answer = |action: &str| action.starts_with("answer");
    let (place, agent, _) = actions.iter().find(|(.., action)| is_answer(action)).expect("an answer");
    let decisions = |at: usize| {
        let [at, agent] = [at, *agent].map(|number| number.to_string());
        run(folder.path(), &["decisions", "game.replay", "--agent", &agent, "--at", &at])
    };
    let Run { err: told, code, .. } = decisions(*place);
    assert_eq!(code, 2);
    assert!(told.contains("is an answer: a program reads no line for it"), "{told}");
    let is_later = |own: &&(usize, usize, String)| own.0 > *place && own.1 == *agent && !is_answer(&own.2);
    let (later, _, action) = actions.iter().find(is_later).expect("it goes on");
    let Run { out: lines, err: told, .. } = decisions(*later);
    assert!(told.ends_with(&format!("the agent asked for `{action}`\n")), "{told}");
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let options: Vec<&str> = last["options"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(options.contains(&action.as_str()), "{action}: {last}");
}

/// Programs that a file from elsewhere names are started only if the user says so.
#[test]
fn the_programs_of_a_replay_from_elsewhere_are_asked_about() {
    let folder = folder();
    let whole = fs::read(folder.path().join("dots.replay")).unwrap();
    let reader = game_env::replay::Reader::open(&whole[..]).unwrap();
    let command = format!("\"touch {}\"", folder.path().join("started").display());
    let changed = reader.write_with_players(Vec::new(), |_, player| player.entrant = Some(command.clone()));
    fs::write(folder.path().join("theirs.replay"), changed.unwrap()).unwrap();
    fs::create_dir(folder.path().join("here")).unwrap();
    for words in [
        &["fork", "../theirs.replay", "--at", "3", "--games", "1"][..],
        &["curve", "../theirs.replay", "--moments", "2", "--games", "1"],
        &["why", "../theirs.replay", "--team", "1"],
        &["diff", "../theirs.replay", "greedy", "--agent", "0"],
        &["study", "../theirs.replay"],
    ] {
        let Run { err, code, .. } = run(&folder.path().join("here"), words);
        assert_eq!(code, 2, "{words:?}: {err}");
        assert!(err.contains("../theirs.replay is not in the current folder, and starts 1 command"), "{err}");
        assert!(err.contains("\"touch\"") && err.contains("`--trust` starts its commands"), "{err}");
        assert!(!folder.path().join("started").exists());
    }
    run(folder.path(), &["fork", "theirs.replay", "--at", "3", "--games", "1"]);
    assert!(folder.path().join("started").exists(), "the file is the user's own");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_behind_the_result() {
    let folder = folder();
    let words = ["curve", "dots.replay", "--moments", "2", "--games", "2", "--html", "nowhere/page.html"];
    let Run { out, err, code } = run(folder.path(), &words);
    assert!(out.starts_with("dots.replay: the chance of "), "{out}");
    assert!(
        err.contains("cannot write nowhere/page.html") && err.contains("hint: name a file in a folder"),
        "{err}"
    );
    assert_eq!(code, 1);
}

#[test]
fn a_curve_shows_the_chances_and_the_falls() {
    let folder = folder();
    let words = ["curve", "dots.replay", "--moments", "12", "--games", "40"];
    assert_snapshot!("curve", printed(folder.path(), &words));
    let json = [&words[..], &["--json"]].concat();
    let document: Value = serde_json::from_str(&printed(folder.path(), &json)).unwrap();
    assert_eq!(document["points"].as_array().map(Vec::len), Some(12));
}

#[test]
fn a_diff_names_what_another_version_would_have_done() {
    let folder = folder();
    let dots = ["--game", "dots", "random", "greedy", "--seed", "5", "--virtual", "--replay", "lost.replay"];
    assert_eq!(run(folder.path(), &dots).code, 0);
    let words = ["diff", "lost.replay", "greedy", "--agent", "0", "--games", "40", "--most", "4"];
    assert_snapshot!("diff", printed(folder.path(), &words));
    let own = printed(folder.path(), &["diff", "game.replay", "climber", "--agent", "2"]);
    assert!(
        own.starts_with("game.replay: climber repeats the ") && own.ends_with(" actions of agent #2\n"),
        "{own}"
    );
    let json = ["diff", "game.replay", "idle", "--agent", "0", "--most", "3", "--json"];
    let document: Value = serde_json::from_str(&printed(folder.path(), &json)).unwrap();
    assert_eq!(
        (document["listed"].as_array().map(Vec::len), &document["actions"]),
        (Some(3), &document["differences"])
    );
}

/// Red slips now and then: once, agent #0 discovers instead of taking a step, and red loses.
#[test]
fn why_names_the_decision_that_cost_most() {
    let folder = folder();
    let play = ["greedy:slip=0.03", "greedy", "--preset", "quick", "--seed", "3"];
    let play = [&play[..], &["--virtual", "--replay", "lost.replay"]].concat();
    assert_eq!(run(folder.path(), &play).code, 0);
    let words = ["why", "lost.replay", "--reference", "greedy", "--games", "300"];
    let told = printed(folder.path(), &words);
    assert_snapshot!("why", told);
    assert!(
        told.starts_with(
            "The costliest decision that chance does not explain: at 0:10.35 agent #0 asked for `discover`"
        ),
        "{told}"
    );
    let blue = ["why", "lost.replay", "--team", "blue", "--reference", "greedy", "--games", "100"];
    let told = printed(folder.path(), &blue);
    assert!(
        told.starts_with(
            "No decision stands out: greedy would have asked for no other action at any of the "
        ),
        "{told}"
    );
    let json = ["why", "lost.replay", "--agent", "1", "--games", "100", "--json", "--jobs", "1"];
    let document: Value = serde_json::from_str(&printed(folder.path(), &json)).unwrap();
    assert_eq!((&document["team"], &document["reference"]), (&"red".into(), &"coordinated".into()));
    assert_eq!(document["agents"], serde_json::json!([1]));
    let told = printed(folder.path(), &json[..json.len() - 3]);
    assert!(told.contains(" actions of agent #1; the costliest, "), "one of two agents: {told}");
    assert!(document["futures"].as_u64().unwrap() <= 100, "{document:#}");
}

/// A reference that plays worse finds no faults.
#[test]
fn decisions_that_are_better_than_those_of_the_reference_are_no_fault() {
    let folder = folder();
    let play =
        ["greedy", "greedy", "--preset", "quick", "--seed", "5", "--virtual", "--replay", "won.replay"];
    assert_eq!(run(folder.path(), &play).code, 0);
    let words = ["why", "won.replay", "--team", "red", "--reference", "random", "--games", "500"];
    let told = printed(folder.path(), &words);
    let habit = "Of the measured habits of red, the most frequent is no fault: `move` instead of `discover`, 44 times; if random had decided each \
                 time, red would have won 13 % of the games from this start instead of 53 %.";
    assert!(told.lines().take(2).any(|sentence| sentence == habit), "{told}");

    let grid = ["--set", "rows=2", "--set", "cols=3", "--seed", "1", "--virtual", "--replay", "small.replay"];
    let play = [&["--game", "dots", "greedy", "greedy"][..], &grid].concat();
    assert_eq!(run(folder.path(), &play).code, 0);
    let words = ["why", "small.replay", "--team", "2", "--reference", "random", "--games", "600"];
    let told = printed(folder.path(), &words);
    let decision =
        "No decision stands out: even the costliest that was measured is better than that of random.";
    assert_eq!(told.lines().next(), Some(decision), "{told}");
}

/// A game without time has numbers of actions, teams without names have numbers, and the loser is found.
#[test]
fn why_explains_a_game_of_turns() {
    let folder = folder();
    let told = printed(folder.path(), &["why", "dots.replay", "--games", "200"]);
    assert_snapshot!("why_dots", told);
    assert!(told.starts_with("The costliest decision that chance does not explain: at action "), "{told}");
}

/// A program that draws its own numbers does not repeat what it did, and this is said.
#[test]
fn a_program_that_does_not_repeat_itself_is_found_out() {
    let folder = folder();
    let agent = r#"
import json, sys
runs = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        try:
            runs = int(open("runs").read())
        except OSError:
            runs = 0
        open("runs", "w").write(str(runs + 1))
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"do": "move N" if runs % 2 else "move S"}), flush=True)
"#;
    fs::write(folder.path().join("agent.py"), agent).unwrap();
    let line_up = "\"python3 agent.py\"+greedy";
    let play = [line_up, "greedy", "--preset", "quick", "--seed", "5", "--virtual", "--replay", "own.replay"];
    assert_eq!(run(folder.path(), &play).code, 0);
    let told = printed(folder.path(), &["fork", "own.replay", "--at", "20", "--games", "1", "--jobs", "1"]);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("agent.py")).collect();
    assert!(lines[0].contains("would not have asked for"), "{told}");
    assert!(lines[0].contains("`move N` instead of `move S`"), "{told}");
}

#[test]
fn a_program_that_cannot_begin_has_no_futures() {
    let folder = folder();
    for further in [&[][..], &["--replay", "future.replay"]] {
        for moment in ["0", "40"] {
            let words = ["fork", "game.replay", "--at", moment, "--agent", "1=sh -c 'exit 3'"];
            let Run { out, err, code } = run(folder.path(), &[&words[..], further].concat());
            assert_eq!((&out[..], code), ("", 1), "{err}");
            assert!(err.starts_with("error: the program of agent #1 ended with exit code 3"), "{err}");
            assert!(err.contains("hint: a program answers the first line, `hello`, with `ready`"), "{err}");
            assert!(!folder.path().join("future.replay").exists());
        }
    }
}

/// From its end on, its futures would be those of a player that does nothing.
#[test]
fn a_program_that_ends_before_the_moment_has_no_futures() {
    let folder = folder();
    let agent = "read -r hello; echo '{\"type\":\"ready\"}'; read -r decide; exit 3";
    fs::write(folder.path().join("agent.sh"), agent).unwrap();
    let fork = |moment| ["fork", "game.replay", "--at", moment, "--games", "2", "--agent", "1=sh agent.sh"];
    let Run { out, err, code } = run(folder.path(), &fork("40"));
    assert_eq!((&out[..], code), ("", 2), "{err}");
    let expected = "error: entrant 2 of the match: `\"sh agent.sh\"` failed in the place of agent #1: the program of \
                    agent #1 ended with exit code 3";
    assert!(err.starts_with(expected), "{err}");
    let Run { out, code, .. } = run(folder.path(), &fork("0"));
    assert_eq!(code, 0);
    assert_eq!(out.matches("the program of agent #1 ended with exit code 3").count(), 1, "{out}");
}

/// A program that plays on while the record is replayed to it, and ends at its twelfth decision of a future.
const ENDS_IN_FUTURES: &str = r#"
n=0
while read -r line; do
    case $line in
    *'"type":"hello"'*)
        n=0
        echo >> runs
        echo '{"type":"ready"}' ;;
    *'"type":"decide"'*)
        n=$((n + 1))
        if [ $n -ge 12 ] && [ $(wc -l < runs) -gt 1 ]; then exit 3; fi
        echo '{"do":"discover"}' ;;
    esac
done
"#;

/// Its end costs chances, whatever its decisions are worth.
#[test]
fn a_program_that_ends_in_the_futures_is_named() {
    let folder = folder();
    fs::write(folder.path().join("agent.sh"), ENDS_IN_FUTURES).unwrap();
    let fault = "the program of agent #1 ended with exit code 3";
    for words in [
        &["diff", "game.replay", "sh agent.sh", "--agent", "1", "--most", "1", "--games", "2"][..],
        &["why", "game.replay", "--reference", "sh agent.sh", "--agent", "1", "--games", "100"],
    ] {
        let asked = |more: &[&str]| {
            // The first run is the replayed record.
            drop(fs::remove_file(folder.path().join("runs")));
            printed(folder.path(), &[words, more].concat())
        };
        let told = asked(&[]);
        assert!(told.contains(fault), "{words:?}: {told}");
        let document: Value = serde_json::from_str(&asked(&["--json"])).unwrap();
        let blunder = document["blunders"][0].as_str().unwrap_or_default();
        assert!(blunder.starts_with(fault), "{words:?}: {document:#}");
    }
}

#[test]
fn faults_are_named() {
    let folder = folder();
    let whole = fs::read(folder.path().join("game.replay")).unwrap();
    fs::write(folder.path().join("cut.replay"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.path().join("none.replay"), "a poem\n").unwrap();
    for (words, expected) in [
        (
            "fork game.replay --at 9:00.0",
            "error: 9:00.0 is after the end of this record: expected a time up to ",
        ),
        (
            "fork game.replay --at 99999",
            "error: 99999 is after the end of this record: expected a number up to ",
        ),
        ("fork dots.replay --at 0:01.0", "error: 0:01.0 is a time, and this game has none"),
        ("fork game.replay --at noon", "error: invalid value 'noon' for '--at <MOMENT>'"),
        ("fork game.replay --at 5 --red gready", "error: unknown strategy `gready`"),
        (
            "fork game.replay --at 5 --red greedy*2+random",
            "error: --red: the line-up names 3 agents: a team has 2",
        ),
        (
            "fork game.replay --at 5 --agent 9=greedy",
            "error: no agent #9 plays in game.replay: expected 0 to 3",
        ),
        ("fork game.replay --at 5 --agent 1", "error: invalid value '1' for '--agent <NUMBER=STRATEGY>'"),
        ("fork dots.replay --at 5 --red greedy", "error: no team of dots is called red"),
        ("curve none.replay", "error: none.replay: this is no replay: it begins with `a poem"),
        ("curve gone.replay", "error: cannot read gone.replay"),
        ("why game.replay --team green", "error: no team green plays in game.replay: expected red or blue"),
        ("why game.replay --agent 4", "error: no agent #4 plays in game.replay: expected 0 to 3"),
        (
            "why game.replay --agent 1 --team red",
            "error: the argument '--agent <NUMBER>' cannot be used with",
        ),
        ("why game.replay --reference gready", "error: unknown strategy `gready`"),
        ("why game.replay --games 5", "error: invalid value '5' for '--games <NUMBER>'"),
        ("diff game.replay greedy --agent 4", "error: no agent #4 plays in game.replay"),
        ("diff game.replay greedy*2 --agent 1", "error: `greedy*2` names 2 strategies: an agent has one"),
    ] {
        let Run { out, err, code } = run(folder.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!((&out[..], code), ("", 2), "{words}: {err}");
        assert!(err.starts_with(expected), "{words}: {err}");
    }
    let Run { out, err, code } = run(folder.path(), &["fork", "cut.replay", "--at", "5", "--games", "2"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("cut.replay breaks off after line "), "{err}");
    assert!(!out.contains("In the record"), "{out}");
    let Run { err, code, .. } = run(folder.path(), &["why", "cut.replay", "--games", "100"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("error: not exactly one team has lost cut.replay"), "{err}");
    assert!(err.contains("name a team with `--team`: red or blue"), "{err}");
}

/// A replay of a league has the names of its entrants, and what they play.
#[test]
fn a_player_with_another_name_plays_as_what_it_is() {
    let folder = folder();
    let whole = fs::read(folder.path().join("game.replay")).unwrap();
    let reader = game_env::replay::Reader::open(&whole[..]).unwrap();
    let named = reader.write_with_players(Vec::new(), |_, player| player.rename("Ada")).unwrap();
    fs::write(folder.path().join("ada.replay"), named).unwrap();
    let fork = |name: &str| {
        let words = ["fork", name, "--at", "40", "--games", "3", "--replay", "future.replay"];
        let Run { out, err, code } = run(folder.path(), &words);
        assert_eq!(code, 0, "{err}");
        out.replace(name, "FILE")
    };
    assert_eq!(fork("ada.replay"), fork("game.replay"));
    fork("ada.replay");
    let future = fs::File::open(folder.path().join("future.replay")).unwrap();
    let players = game_env::replay::Reader::open(future).unwrap().header().players.clone();
    assert_eq!((players[2].name.as_str(), players[2].entrant()), ("Ada", "climber"));
}

/// The players of a network game have names that need not be those of strategies.
#[test]
fn a_player_that_is_no_strategy_has_to_be_replaced() {
    let folder = folder();
    let whole = fs::read(folder.path().join("game.replay")).unwrap();
    let reader = game_env::replay::Reader::open(&whole[..]).unwrap();
    let change = |agent: game_env::AgentId, player: &mut game_env::replay::Player| {
        if agent.index() == 1 {
            "Ada".clone_into(&mut player.name);
        }
    };
    let changed = reader.write_with_players(Vec::new(), change).unwrap();
    fs::write(folder.path().join("ada.replay"), changed).unwrap();
    let Run { err, code, .. } = run(folder.path(), &["fork", "ada.replay", "--at", "5"]);
    assert_eq!(code, 2);
    assert!(
        err.starts_with("error: agent #1 of ada.replay was played by `Ada`: unknown strategy `Ada`"),
        "{err}"
    );
    assert!(err.ends_with("hint: `--agent 1=STRATEGY` names another player in its place\n"), "{err}");
    printed(folder.path(), &["fork", "ada.replay", "--at", "5", "--games", "2", "--agent", "1=greedy"]);
    let Run { err, code, .. } = run(folder.path(), &["why", "ada.replay", "--team", "red"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("error: agent #1 of ada.replay was played by `Ada`"), "{err}");
}
