//! A strategy as a program: what it answers, and what it takes for no game.

use game_env::Notation as _;
use sdk::local::State;
use sdk::prelude::*;
use sdk::program::serve;
use serde_json::{Value, json};

/// Discovers, notes what it hears, and panics when it has heard a refusal.
#[derive(Default)]
struct Noter(Vec<String>);

impl Strategy for Noter {
    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.0.push(format!("{} {notice:?}", view.now));
        assert!(!matches!(notice, Notice::MoveRefused { .. }), "it heard a refusal");
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let heard = self.0.join(", ");
        view.notes.remark(|| format!("heard {heard}; drew {}", view.chance.below(1_000)));
        view.discover()
    }
}

fn hello() -> Value {
    json!({
        "type": "hello", "protocol": 1, "game": "project", "rules": State::RULES,
        "config": {
            "boardX": 4, "boardY": 9, "goalAreaHeight": 2, "numberOfGoals": 1, "numberOfPieces": 1, "teamSize": 2,
        },
        "agent": 1, "teams": [0, 0, 1, 1], "chance": 7, "thinking": "free", "leader": 0, "start": [1, 4],
    })
}

fn observation() -> Value {
    json!({
        "at": [1, 4], "hand": "empty", "distance": null, "piece": null, "points": 0, "questions": [], "asked": [],
        "silent": [], "seen": [],
    })
}

fn decide(now: u64, events: &Value) -> Value {
    json!({ "type": "decide", "id": 1, "now": now, "observation": observation(), "events": events })
}

fn question(now: u64, by: u16, events: &Value) -> Value {
    json!({
        "type": "question", "by": by, "must_answer": false, "id": 1, "now": now, "observation": observation(),
        "events": events,
    })
}

/// The output of the program for these lines, and its error.
fn served(lines: &[Value]) -> (Vec<String>, Option<String>) {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut output = Vec::new();
    let ended = serve(Noter::default, input.as_bytes(), &mut output);
    let output = String::from_utf8(output).unwrap();
    (output.lines().map(str::to_owned).collect(), ended.err().map(|error| error.to_string()))
}

#[test]
fn it_answers_with_choices_and_notes() {
    let moved = json!([{ "t": 900, "type": "moved", "to": [1, 5], "distance": 3 }]);
    let (lines, error) = served(&[hello(), decide(0, &json!([])), decide(1_000, &moved)]);
    assert_eq!((lines.len(), error), (3, None));
    let ready: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(ready["type"], "ready");
    // It needs no help: it has the knowledge of the SDK itself.
    assert_eq!(
        [&ready["options"], &ready["board"], &ready["answers"]],
        [&json!(false), &json!(false), &json!(true)]
    );
    let answers: Vec<Value> = lines[1..].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers.iter().all(|answer| answer["do"] == "discover" && answer["id"] == 1), "{answers:?}");
    let note = answers[1]["note"].as_str().unwrap();
    assert!(note.starts_with("heard 1.000 s Moved { to: "), "{note}");

    // The number of `hello` decides the random numbers.
    let drawn = |chance: u32| {
        let mut hello = hello();
        hello["chance"] = chance.into();
        served(&[hello, decide(0, &json!([]))]).0[1].clone()
    };
    assert_eq!(drawn(7), lines[1]);
    assert_ne!(drawn(8), lines[1]);
}

#[test]
fn it_tells_its_own_team_and_no_other() {
    let asked = |by: u16| json!([{ "t": 500, "type": "asked", "by": by, "leader": false }]);
    let (lines, _) =
        served(&[hello(), question(500, 0, &asked(0)), question(500, 2, &asked(2)), decide(600, &json!([]))]);
    let answers: Vec<Value> = lines[1..].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["tell"]["red"], "????????", "{answers:?}");
    assert_eq!(answers[1], json!({ "id": 1, "tell": null }));
    assert_eq!(answers[2]["do"], "discover", "the choice that was made with the question");
}

#[test]
fn a_blunder_is_told_and_costs_a_turn() {
    let refused = json!([{ "t": 100, "type": "move-refused", "at": [1, 4], "reason": "occupied" }]);
    let (lines, error) = served(&[hello(), decide(100, &refused), decide(100, &json!([]))]);
    assert_eq!(error, None);
    let mut answers: Vec<Value> = lines[1..].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let blunder = answers[0]["blunder"].take();
    let blunder = blunder.as_str().unwrap();
    assert!(blunder.starts_with("the strategy of agent #1 panicked at 0.100 s: "), "{blunder}");
    // It waits for the penalty of a move, and goes on waiting if it is asked earlier.
    assert_eq!(answers[0], json!({ "id": 1, "wait": 1500, "blunder": null }));
    assert_eq!(answers[1], json!({ "id": 1, "wait": 1500 }));
}

#[test]
fn what_is_no_game_is_refused_with_the_reason() {
    let changed = |name: &str, value: Value| {
        let mut hello = hello();
        hello[name] = value;
        served(&[hello]).1.unwrap()
    };
    for (name, value, expected) in [
        ("agent", json!(4), "`agent` is 4, and `teams` has 4 agents"),
        ("teams", json!([0, 2]), "there is no team 2: expected 0 or 1"),
        ("start", json!([4, 4]), "`start` is [4, 4], which is not on the board"),
        ("config", json!({ "boardX": 0 }), "boardX"),
    ] {
        let error = changed(name, value);
        assert!(error.starts_with("the agent cannot go on: ") && error.contains(expected), "{error}");
    }
    let moved = json!([{ "t": 0, "type": "moved", "to": [9, 9], "distance": null }]);
    let (_, error) = served(&[hello(), decide(0, &moved)]);
    assert_eq!(error.as_deref(), Some("the agent cannot go on: a move to 9,9, which is off the board"));
    // An agent that `teams` does not name is none of the own team.
    let asked = json!([{ "t": 0, "type": "asked", "by": 99, "leader": true }]);
    let (lines, error) = served(&[hello(), question(0, 99, &asked)]);
    assert_eq!((lines[1].as_str(), error), (r#"{"id":1,"tell":null}"#, None));
}
