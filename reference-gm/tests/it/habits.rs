//! Agents of other implementations: recognised, named, and told what they understand.

use game_env::{Environment, Parameters};
use game_project::RawConfig;
use reference_gm::config::HostConfig;
use reference_gm::{Input, Settings};
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
        ..settings(rules().check().unwrap(), Dialect::Spec)
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
    assert_eq!(warnings, ["      * Foreign { agent: AgentNumber(10), habit: PayloadFirst, dialect: Spec }"]);
    assert!(!started(spec, RED, BLUE).text.contains("Foreign"), "our agents are no foreigners");
    let union = settings(rules().check().unwrap(), Dialect::Union);
    assert!(!started(union, PAYLOAD_FIRST_RED, PASCAL_BLUE).text.contains("Foreign"), "they understand it");
}

#[test]
fn auto_is_the_spec_dialect_where_nobody_is_foreign() {
    let spec = settings(rules().check().unwrap(), Dialect::Spec);
    let play = |settings| {
        let mut game = started(settings, RED, BLUE);
        game.says(30, 10, 7, r#"{"direction":"S"}"#);
        game.says(40, 10, 7, r#"{"direction":"S"}"#);
        game.says(50, 11, 5, r#"{"askedAgentID":10}"#);
        game.says(60, 11, 2, "{}");
        (game.text, game.master.game().unwrap().hash())
    };
    assert_eq!(play(auto()), play(spec));
}

#[test]
fn auto_tells_each_agent_what_it_understands() {
    let mut game = started(auto(), RED, PASCAL_BLUE);
    assert!(game.text.contains("Foreign { agent: AgentNumber(11), habit: OtherCase, dialect: Union }"));
    assert_eq!(told(&game, 10, 105)["payload"]["penalties"]["move"], 1500);
    assert_eq!(told(&game, 11, 105)["payload"]["penalties"]["move"], "1500");
    let config = game.master.game().unwrap().config().clone();
    assert!(!config.landing_pick_up() && !config.leader_binds(), "the game is one that they all know");
    for at in [100, 200] {
        game.says(at, 10, 3, "{}");
        game.says(at, 11, 3, "{}");
    }
    assert!(told(&game, 10, 904)["payload"].get("delay").is_none());
    assert_eq!(told(&game, 11, 904)["payload"]["delay"], 600);
}

/// What the agent of a lost connection wrote decides nothing for the game.
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

/// Why `auto` is not the default: an author who follows the protocol chapter may write keys in any order, and
/// would be told strings for numbers because of it.
#[test]
fn auto_mistakes_an_unusual_order_of_keys_for_another_implementation() {
    let game = started(auto(), PAYLOAD_FIRST_RED, BLUE);
    assert_eq!(told(&game, 10, 105)["payload"]["penalties"]["move"], "1500");
    let nothing = Parameters::new();
    assert_eq!(HostConfig::layered(&nothing, &nothing).unwrap().foreign_game, None);
}

#[test]
fn auto_is_a_dialect_of_the_configuration() {
    let read = |text: &str| {
        HostConfig::layered(&serde_json::from_str(text).unwrap(), &serde_json::from_str("{}").unwrap())
            .unwrap()
    };
    let auto = read(r#"{"dialect": "auto"}"#);
    assert_eq!(auto.dialect, Dialect::Spec);
    assert!(auto.game.landing_pick_up() && auto.game.leader_binds());
    let foreign = auto.foreign_game.unwrap();
    assert!(!foreign.landing_pick_up() && !foreign.leader_binds());
    let insisted = read(r#"{"dialect": "auto", "landingPickUp": true}"#).foreign_game.unwrap();
    assert!(insisted.landing_pick_up() && !insisted.leader_binds());
    assert_eq!(read("{}").foreign_game, None, "the default is spec");
}
