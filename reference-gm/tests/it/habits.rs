//! Agents of other implementations: recognised, named, and sent messages that they understand.

use game_env::{Environment, Millis, Parameters, SimTime};
use game_project::RawConfig;
use reference_gm::project::config::HostConfig;
use reference_gm::project::{Input, Settings};
use serde_json::json;
use wire::project::Dialect;

use crate::conversation::{Conversation, settings};

fn rules() -> RawConfig {
    RawConfig { board_x: 4, board_y: 5, goal_area_height: 1, number_of_goals: 1, ..RawConfig::default() }
}

/// The settings of `--dialect auto`.
fn auto() -> Settings {
    let foreign = RawConfig { landing_pick_up: false, leader_binds: false, ..rules() };
    Settings {
        foreign_config: Some(foreign.check().unwrap()),
        ..settings(rules().check().unwrap(), Dialect::Both)
    }
}

/// Two join with these bodies, red first, and the game starts.
fn started(settings: Settings, red: &str, blue: &str) -> Conversation {
    let mut game = Conversation::lobby(settings);
    game.body(0, red);
    game.body(10, blue);
    game.input(20, Input::Start);
    game
}

const RED: &str = r#"{"messageID":6,"agentID":10,"payload":{"teamID":"red"}}"#;
const BLUE: &str = r#"{"messageID":6,"agentID":11,"correlationID":"a","payload":{"teamID":"blue"}}"#;
const PASCAL_BLUE: &str = r#"{"MessageID":6,"AgentID":11,"Payload":{"TeamID":"Blue"}}"#;
const PAYLOAD_FIRST_RED: &str = r#"{"payload":{"teamID":"red"},"messageID":6,"agentID":10}"#;

/// The message with this id that an agent was sent.
fn told(game: &Conversation, agent: i64, id: i64) -> serde_json::Value {
    let start = format!("      < {{\"messageID\":{id},\"agentID\":{agent},");
    let line = game.text.lines().find(|line| line.starts_with(&start)).expect("the agent was told it");
    serde_json::from_str(&line[8..]).unwrap()
}

#[test]
fn the_spec_dialect_says_once_that_an_agent_may_not_understand_it() {
    let spec = settings(rules().check().unwrap(), Dialect::Spec);
    let game = started(spec.clone(), PAYLOAD_FIRST_RED, PASCAL_BLUE);
    let warnings: Vec<&str> = game.text.lines().filter(|line| line.contains("Foreign")).collect();
    assert_eq!(
        warnings,
        ["      * Foreign { agent: AgentNumber(10), habit: PayloadFirst, is_adapted: false }"]
    );
    assert!(!started(spec, RED, BLUE).text.contains("Foreign"), "our agents are no foreigners");
    let union = settings(rules().check().unwrap(), Dialect::Union);
    assert!(!started(union, PAYLOAD_FIRST_RED, PASCAL_BLUE).text.contains("Foreign"), "they understand it");
}

/// An agent that follows the protocol chapter and ignores keys that it does not know understands all of it.
#[test]
fn auto_writes_the_keys_of_both_dialects_where_nobody_is_foreign() {
    let play = |settings| {
        let mut game = started(settings, RED, BLUE);
        game.says(30, 10, 7, r#"{"direction":"S"}"#);
        game.says(40, 10, 7, r#"{"direction":"S"}"#);
        game.says(50, 11, 5, r#"{"askedAgentID":10}"#);
        game.says(60, 11, 2, "{}");
        game
    };
    let (auto, spec) = (play(auto()), play(settings(rules().check().unwrap(), Dialect::Spec)));
    assert_eq!(auto.master.game().unwrap().hash(), spec.master.game().unwrap().hash());
    let lines = |game: &Conversation| -> Vec<Option<serde_json::Value>> {
        game.text.lines().map(|line| serde_json::from_str(line.split_once(" < ")?.1).ok()).collect()
    };
    let (auto, spec) = (lines(&auto), lines(&spec));
    assert_eq!(auto.len(), spec.len());
    for (auto, spec) in auto.iter().flatten().zip(spec.iter().flatten()) {
        assert!(holds(auto, spec), "{auto} lacks something of {spec}");
    }
    assert_ne!(auto, spec, "the keys of other implementations are there as well");
}

/// Returns whether a message has all keys of another one, with the same values.
fn holds(more: &serde_json::Value, less: &serde_json::Value) -> bool {
    match (more.as_object(), less.as_object()) {
        (Some(more), Some(less)) => {
            less.iter().all(|(key, value)| more.get(key).is_some_and(|own| holds(own, value)))
        }
        _ => more == less,
    }
}

/// The requests to join of the four implementations, as they arrive through our communication server.
#[test]
fn auto_tells_the_agents_of_each_implementation_what_they_can_read() {
    let cases = [
        (
            r#"{"messageID":6,"agentID":11,"sentAgentID":null,"payload":{"teamID":"blue"}}"#,
            "NullAgent",
            json!(1500),
            true,
        ),
        (r#"{"payload":{"teamID":"blue"},"messageID":6,"agentID":11}"#, "PayloadFirst", json!("1500"), false),
        (
            r#"{"messageID":6,"agentID":11,"correlationID":1804289383,"payload":{"teamID":"blue"}}"#,
            "DrawnCorrelation",
            json!(1500),
            false,
        ),
        (PASCAL_BLUE, "OtherCase", json!(1500), false),
    ];
    for (join, habit, penalty, is_acknowledged) in cases {
        let mut game = started(auto(), RED, join);
        let report = format!("Foreign {{ agent: AgentNumber(11), habit: {habit}, is_adapted: true }}");
        assert!(game.text.contains(&report), "{}", game.text);
        assert_eq!(told(&game, 10, 105)["payload"]["penalties"]["move"], 1500);
        assert_eq!(told(&game, 11, 105)["payload"]["penalties"]["move"], penalty);
        assert_eq!(told(&game, 11, 105)["payload"]["penalties"].as_object().unwrap().len(), 10);
        let config = game.master.game().unwrap().config().clone();
        assert!(!config.landing_pick_up() && !config.leader_binds(), "the game is one that they all know");
        for at in [100, 200] {
            game.says(at, 10, 3, "{}");
            game.says(at, 11, 3, "{}");
        }
        assert_eq!(told(&game, 11, 904)["payload"]["delay"], 600);
        // A failed question to itself is acknowledged after the refusal where that is expected.
        game.says(3000, 11, 5, r#"{"askedAgentID":11}"#);
        game.says(3000, 10, 5, r#"{"askedAgentID":10}"#);
        let acknowledged = |agent| game.text.contains(&format!("{{\"messageID\":113,\"agentID\":{agent},"));
        assert_eq!((acknowledged(10), acknowledged(11)), (false, is_acknowledged), "{habit}");
        assert_eq!(game.master.farewell(), None, "the game goes on");
    }
}

/// A question leads agents that write a null astray: the game master answers for them.
#[test]
fn auto_asks_no_agent_that_takes_a_question_for_an_answer() {
    for (join, is_asked) in [
        (r#"{"messageID":6,"agentID":12,"sentAgentID":null,"payload":{"teamID":"red"}}"#, false),
        (r#"{"messageID":6,"agentID":12,"payload":{"teamID":"red"}}"#, true),
    ] {
        let rules = RawConfig { team_size: 2, ..rules() };
        let foreign = RawConfig { landing_pick_up: false, leader_binds: false, ..rules.clone() };
        let mut game = Conversation::lobby(Settings {
            foreign_config: Some(foreign.check().unwrap()),
            ..settings(rules.check().unwrap(), Dialect::Both)
        });
        for body in [RED, join, BLUE] {
            game.body(0, body);
        }
        game.input(20, Input::Start);
        game.says(3000, 10, 5, r#"{"askedAgentID":12}"#);
        let asked = game.text.contains("{\"messageID\":106,\"agentID\":12,");
        let answered = game.text.contains("{\"messageID\":111,\"agentID\":10,");
        assert_eq!((asked, answered), (is_asked, !is_asked), "{join}");
    }
}

/// Habits stand in lists of agents, since numbers exist only after the joins.
#[test]
fn agents_are_named_by_their_habit() {
    let union = Settings {
        acknowledge: "drawn-correlation".parse().unwrap(),
        ..settings(rules().check().unwrap(), Dialect::Union)
    };
    let drawn = r#"{"messageID":6,"agentID":11,"correlationID":1804289383,"payload":{"teamID":"blue"}}"#;
    let mut game = started(union, RED, drawn);
    game.says(3000, 11, 5, r#"{"askedAgentID":11}"#);
    game.says(3000, 10, 5, r#"{"askedAgentID":10}"#);
    assert!(game.text.contains("{\"messageID\":113,\"agentID\":11,"), "{}", game.text);
    assert!(!game.text.contains("{\"messageID\":113,\"agentID\":10,"));
}

/// An agent that does not understand its messages says nothing: its number is reported to the operator.
#[test]
fn agents_that_say_nothing_after_the_start_are_named_once() {
    let mut game = started(auto(), RED, BLUE);
    game.says(5000, 10, 2, "{}");
    assert_eq!(game.master.wake_at(), Some(SimTime::from_millis(10_020)));
    game.input(10_019, Input::Tick);
    assert!(!game.text.contains("Silent"));
    game.input(10_020, Input::Tick);
    let silent = "Silent { agents: [AgentNumber(11)], span: Millis(10000) }";
    assert!(game.text.contains(silent), "{}", game.text);
    assert_eq!(game.master.wake_at(), None);
    game.input(60_000, Input::Tick);
    assert_eq!(game.text.matches("Silent").count(), 1);
}

#[test]
fn agents_that_are_gone_or_have_spoken_are_not_named() {
    let mut game = started(auto(), RED, BLUE);
    game.says(5000, 10, 2, "{}");
    game.body(6000, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    game.input(20_000, Input::Tick);
    assert!(!game.text.contains("Silent"), "{}", game.text);
}

#[test]
fn a_game_that_takes_too_long_is_over() {
    let limit = Some(Millis::new(3000));
    let mut game = started(
        Settings { time_limit: limit, ..settings(rules().check().unwrap(), Dialect::Spec) },
        RED,
        BLUE,
    );
    game.says(100, 10, 2, "{}");
    assert_eq!(game.master.wake_at(), Some(SimTime::from_millis(3020)));
    game.input(3019, Input::Tick);
    assert!(!game.text.contains("Over("), "{}", game.text);
    game.input(3020, Input::Tick);
    assert!(game.text.contains("termination: Stall"), "{}", game.text);
    let read = |text: &str| {
        HostConfig::layered(&serde_json::from_str(text).unwrap(), &Parameters::new()).unwrap().time_limit
    };
    assert_eq!((read("{}"), read(r#"{"maxGameSeconds": 3}"#)), (None, limit));
}

/// Messages of an agent whose connection was lost decide nothing for the game.
#[test]
fn auto_forgets_agents_that_leave_before_the_start() {
    let mut game = Conversation::lobby(auto());
    game.body(0, PASCAL_BLUE);
    game.body(5, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    game.body(10, RED);
    game.says(10, 12, 6, r#"{"teamID":"blue"}"#);
    game.input(20, Input::Start);
    assert!(game.master.game().unwrap().config().landing_pick_up());
    assert_eq!(told(&game, 12, 105)["payload"]["penalties"]["move"], 1500);
}

/// A wrong guess changes little: an author who writes `payload` first receives penalties as strings.
#[test]
fn auto_is_the_default() {
    let nothing = Parameters::new();
    let config = HostConfig::layered(&nothing, &nothing).unwrap();
    assert_eq!(config.dialect, Dialect::Both);
    assert!(config.foreign_game.is_some());
}

#[test]
fn auto_is_a_dialect_of_the_configuration() {
    let read = |text: &str| {
        HostConfig::layered(&serde_json::from_str(text).unwrap(), &serde_json::from_str("{}").unwrap())
            .unwrap()
    };
    let auto = read(r#"{"dialect": "auto"}"#);
    assert_eq!(auto.dialect, Dialect::Both);
    assert!(auto.game.landing_pick_up() && auto.game.leader_binds());
    let foreign = auto.foreign_game.unwrap();
    assert!(!foreign.landing_pick_up() && !foreign.leader_binds());
    let insisted = read(r#"{"dialect": "auto", "landingPickUp": true}"#).foreign_game.unwrap();
    assert!(insisted.landing_pick_up() && !insisted.leader_binds());
    assert_eq!(read(r#"{"dialect": "spec"}"#).foreign_game, None);
}
