//! Every request with its answers, byte for byte, in both dialects.

use game_env::Seed;
use game_project::RawConfig;
use insta::{assert_debug_snapshot, assert_snapshot};
use reference_gm::project::Settings;
use wire::project::Dialect;

use crate::conversation::{Conversation, settings};

fn rules() -> RawConfig {
    RawConfig { sham_piece_probability: 0.0, landing_pick_up: false, ..RawConfig::default() }
}

/// Every request of section 6, granted and refused in every way that has a message of its own.
fn conversation(settings: Settings) -> String {
    let board = "
        .    R1!  gR0+p g
        -----------------
        .    sB2  .     .
        B3!  .    p     .
        -----------------
        g    .    .     .";
    // New pieces of this seed land on fields that no agent of this conversation visits.
    let settings = Settings { seed: Seed::new(1), ..settings };
    let mut game = Conversation::situation(board, &rules(), settings);
    let d = &mut game;
    d.says(0, 10, 9, "{}"); // put, on a goal
    d.says(0, 11, 7, r#"{"direction":"N"}"#); // move, off the board
    d.says(0, 12, 8, "{}"); // pick up
    d.says(0, 13, 7, r#"{"direction":"E"}"#); // move
    d.says(100, 13, 3, "{}"); // too early
    d.says(500, 10, 9, "{}"); // put, with nothing in hand
    d.says(500, 12, 1, "{}"); // check, a sham
    d.says(1200, 12, 2, "{}"); // destroy, what a check has destroyed
    d.says(1500, 11, 5, r#"{"askedAgentID":10}"#); // ask, as the leader
    d.says(1600, 10, 3, "{}"); // the leader waits
    d.says(1600, 10, 4, r#"{"respondToID":11,"distances":[3,-1],"redTeamGoalAreaInformations":["G","IDK"],"blueTeamGoalAreaInformations":["N"]}"#);
    d.says(1700, 13, 7, r#"{"direction":"E"}"#); // move, onto a piece
    d.says(1700, 12, 2, "{}"); // destroy, with nothing in hand
    d.says(2200, 12, 1, "{}"); // check, with nothing in hand
    d.says(2600, 10, 4, r#"{"respondToID":11}"#); // answer, unasked
    d.says(2600, 11, 5, r#"{"askedAgentID":99}"#); // ask, nobody
    d.says(2900, 12, 5, r#"{"askedAgentID":12}"#); // ask, itself
    d.says(3200, 13, 8, "{}"); // pick up
    d.says(3200, 13, 2, "{}"); // destroy
    d.says(3700, 13, 8, "{}"); // pick up, nothing there
    d.says(3700, 13, 3, "{}"); // discover
    d.says(3900, 12, 7, r#"{"direction":"N"}"#); // move, into the enemy's goal area
    d.says(4000, 10, 8, "{}"); // pick up, in a goal area
    d.body(4000, r#"{"messageID":7,"agentID":10,"correlationID":"c-1","payload":{"direction":"S"}}"#);
    d.says(4400, 13, 6, r#"{"teamID":"red"}"#); // join, with a seat
    d.says(4400, 77, 6, r#"{"teamID":"red"}"#); // join, too late
    d.says(4400, 77, 3, "{}"); // from an agent that does not play
    d.says(4400, 13, 7, r#"{"direction":"up"}"#); // senseless
    d.says(4400, 13, 55, "{}"); // unknown
    d.body(4400, r#"{"messageID":906,"agentID":12,"payload":{"agentID":12}}"#);
    d.says(4400, 13, 5, r#"{"askedAgentID":12}"#); // ask, somebody who is gone
    std::mem::take(&mut game.text)
}

/// Every way in which a piece is put and checked, and every message to both sides of a question.
fn pieces(settings: Settings) -> String {
    let board = "
        gR0+p R1!  g  R4+s
        -----------------
        .     sB2  p  .
        R5+p  .    .  .
        -----------------
        B3!+p g    .  g";
    let settings = Settings { seed: Seed::new(1), ..settings };
    let mut game = Conversation::situation(board, &rules(), settings);
    let d = &mut game;
    d.says(0, 14, 9, "{}"); // put, a sham in a goal area
    d.says(0, 15, 1, "{}"); // check, a real piece
    d.says(0, 13, 9, "{}"); // put, a real piece where no goal is
    d.says(0, 12, 2, "{}"); // destroy, with nothing in hand and nothing checked
    d.says(700, 15, 9, "{}"); // put, in the task area
    d.says(1200, 15, 8, "{}"); // pick up, the same
    d.says(1200, 15, 8, "{}"); // pick up, with hands full
    d.says(1200, 15, 2, "{}"); // destroy
    d.says(1200, 15, 5, r#"{"askedAgentID":12}"#); // ask, too early
    d.says(1700, 15, 5, r#"{"askedAgentID":12}"#); // ask, an enemy
    d.says(1800, 12, 4, r#"{"respondToID":15,"distances":[],"redTeamGoalAreaInformations":[],"blueTeamGoalAreaInformations":["IDK","N","G"]}"#);
    d.says(1800, 12, 9, "{}"); // put, during the lock
    d.says(2800, 12, 8, "{}"); // pick up, a sham
    d.says(2800, 12, 9, "{}"); // put, a sham in the task area
    d.says(3300, 10, 7, r#"{"direction":"E"}"#); // move, onto somebody
    std::mem::take(&mut game.text)
}

#[test]
fn pieces_in_both_dialects() {
    let told = [Dialect::Spec, Dialect::Union].map(|dialect| {
        // Of the agents that ask and answer here, one is acknowledged by its number.
        let settings = settings(rules().check().unwrap(), dialect);
        pieces(Settings { acknowledge: "12".parse().unwrap(), ..settings })
    });
    for result in ["NormalOnGoalField", "NormalOnNonGoalField", "TaskField", "ShamOnGoalArea"] {
        let all = conversation(settings(rules().check().unwrap(), Dialect::Spec)) + &told[0];
        assert!(all.contains(&format!(r#""putResult":"{result}""#)), "{result}");
    }
    assert!(told[0].contains(r#"{"sham":false}"#));
    let acknowledged: Vec<&str> = told[0].lines().filter(|line| line.contains("\"succeeded\"")).collect();
    assert_eq!(acknowledged, [r#"      < {"messageID":112,"agentID":12,"payload":{"succeeded":true}}"#]);
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_spec_dialect() {
    assert_snapshot!(conversation(settings(rules().check().unwrap(), Dialect::Spec)));
}

#[test]
fn the_union_dialect_with_acknowledgements_for_red() {
    let union = settings(rules().check().unwrap(), Dialect::Union);
    assert_snapshot!(conversation(Settings { acknowledge: "red".parse().unwrap(), ..union }));
}

#[test]
fn a_win_is_told_to_everyone_who_is_there() {
    let board = "gR0+p R1 .\n. . .\nB2 B3 g";
    let mut game =
        Conversation::situation(board, &rules(), settings(rules().check().unwrap(), Dialect::Spec));
    game.body(0, r#"{"messageID":906,"agentID":13,"payload":{"agentID":13}}"#);
    game.says(10, 10, 9, "{}");
    game.says(20, 11, 3, "{}");
    assert_snapshot!(game.text);
}

#[test]
fn a_new_piece_may_land_in_a_hand() {
    let rules = RawConfig { sham_piece_probability: 0.0, ..RawConfig::default() };
    let mut game =
        Conversation::situation("g\nR0+p\ngB1", &rules, settings(rules.check().unwrap(), Dialect::Spec));
    game.body(0, r#"{"messageID":2,"agentID":10,"correlationID":5,"payload":{}}"#);
    assert_snapshot!(game.text, @r#"
        0 > {"messageID":2,"agentID":10,"correlationID":5,"payload":{}}
          < {"messageID":102,"agentID":10,"correlationID":5,"payload":{}}
          < {"messageID":109,"agentID":10,"payload":{}}
    "#);
}

/// The piece of an agent that leaves its goal area is replaced, and there is one field where the new one can appear.
#[test]
fn a_new_piece_may_land_in_a_hand_when_somebody_is_lost() {
    let rules = RawConfig { sham_piece_probability: 0.0, ..RawConfig::default() };
    let mut game =
        Conversation::situation("gR0+p\nB1\ng", &rules, settings(rules.check().unwrap(), Dialect::Spec));
    game.body(0, r#"{"messageID":906,"agentID":10,"payload":{"agentID":10}}"#);
    assert_snapshot!(game.text, @r#"
        0 > {"messageID":906,"agentID":10,"payload":{"agentID":10}}
          < {"messageID":109,"agentID":11,"payload":{}}
          * Lost { agent: AgentNumber(10) }
    "#);
}

const THREE: &str = "
    .    .    g
    R0!  .    .
    .    .    R1
    B2!  B3   g";

/// Numbers as no other implementation writes them, words of its own, a list that is left out, and keys that nobody
/// knows: the agent that asked may understand what the game master does not.
const PECULIAR: &str = r#"{"Distances":[2147483647,148000000,-2,1.5,"7",null,[1,2], 3],"respondToID":10,"redTeamGoalAreaInformations":["G","maybe"],"remark":{"of":"mine"}}"#;

#[test]
fn an_answer_is_passed_on_as_it_was_written() {
    let mut told = String::new();
    for dialect in Dialect::ALL {
        let mut game = Conversation::situation(THREE, &rules(), settings(rules().check().unwrap(), dialect));
        game.says(0, 10, 5, r#"{"askedAgentID":11}"#);
        game.says(1000, 11, 4, PECULIAR);
        told += &game.text;
    }
    assert_snapshot!(told);
}

#[test]
fn an_answer_that_grows_too_long_on_its_way_is_passed_on_as_it_was_understood() {
    let config = settings(rules().check().unwrap(), Dialect::Union);
    let remark = "x".repeat(1024 - 120);
    let answer = format!(r#"{{"respondToID":10,"distances":[1,-1],"remark":"{remark}"}}"#);
    let mut game = Conversation::situation(THREE, &rules(), Settings { longest_message: 1024, ..config });
    game.says(0, 10, 5, r#"{"askedAgentID":11}"#);
    game.says(1000, 11, 4, &answer);
    assert_snapshot!(game.text.replace(&remark, "…"));
}

/// One of the implementations that wait for acknowledgements looks every belief up by the field of the board.
#[test]
fn agents_that_wait_for_acknowledgements_are_told_beliefs_about_the_whole_board() {
    let mut told = String::new();
    for (longest_message, lists) in [
        (
            8192,
            r#""redTeamGoalAreaInformations":["N","IDK","G"],"blueTeamGoalAreaInformations":["IDK","N","IDK"]"#,
        ),
        (260, r#""redTeamGoalAreaInformations":["N","IDK","G"],"blueTeamGoalAreaInformations":[]"#),
        // The number of fields is not known.
        (8192, r#""redTeamGoalAreaInformations":["G"],"blueTeamGoalAreaInformations":[]"#),
    ] {
        let union = settings(rules().check().unwrap(), Dialect::Union);
        let acknowledge = "red".parse().unwrap();
        let mut game =
            Conversation::situation(THREE, &rules(), Settings { acknowledge, longest_message, ..union });
        game.says(0, 10, 5, r#"{"askedAgentID":11}"#);
        game.says(1000, 11, 4, &format!(r#"{{"respondToID":10,"distances":[1,2,3],{lists}}}"#));
        told += &game.text;
    }
    assert_snapshot!(told);
}

/// The last message of a conversation to this agent, as JSON, and its length in bytes.
fn last_told(game: &Conversation, agent: i64) -> (serde_json::Value, usize) {
    let own = format!("\"agentID\":{agent},");
    let mut told = game.text.lines().filter_map(|line| line.strip_prefix("      < "));
    let body = told.rfind(|body| body.contains(&own)).expect("the agent was told something");
    (serde_json::from_str(body).unwrap(), body.len())
}

/// On a board of the usual size, answers of three of the four implementations of 2020 are 20 to 27 kB long, and two
/// cannot read such a message. Nobody loses an answer: it is as long as the agent that asked can read.
#[test]
fn an_answer_is_as_long_as_its_receiver_can_read() {
    let rules = RawConfig { goal_area_height: 5, ..rules() };
    // 40 columns and 40 rows: agents 10 to 14, red first.
    let empty = vec!["."; 40].join(" ");
    let agents = format!("R0! R1 R2 R3 B4! {}", vec!["."; 35].join(" "));
    let goals = format!("g {}", vec!["."; 39].join(" "));
    let rows: Vec<&str> = std::iter::once(goals.as_str())
        .chain(std::iter::repeat_n(empty.as_str(), 4))
        .chain(["-"])
        .chain(std::iter::once(agents.as_str()))
        .chain(std::iter::repeat_n(empty.as_str(), 29))
        .chain(["-"])
        .chain(std::iter::repeat_n(empty.as_str(), 4))
        .chain(std::iter::once(goals.as_str()))
        .collect();
    let board = rows.join("\n");
    let list = |item: &str, items: usize| format!("[{}]", vec![item; items].join(","));
    // Distances and beliefs of the whole board.
    let answer = |asking: i64| {
        format!(
            r#"{{"respondToID":{asking},"distances":{},"redTeamGoalAreaInformations":{},"blueTeamGoalAreaInformations":{}}}"#,
            list("148", 1600),
            list("\"N\"", 1600),
            list("\"IDK\"", 1600),
        )
    };
    let lengths = |told: &serde_json::Value| {
        ["distances", "redTeamGoalAreaInformations", "blueTeamGoalAreaInformations"]
            .map(|list| told["payload"][list].as_array().unwrap().len())
    };
    let mut seen = Vec::new();
    // The asking agent, the dialect, and the longest message of all.
    for (asking, dialect, longest_message) in [
        (10, Dialect::Union, 65_535), // nothing is known of this agent
        (11, Dialect::Union, 65_535), // waits for acknowledgements
        (12, Dialect::Union, 65_535), // is said to read long answers
        (12, Dialect::Union, 8_192),  // the same, but nobody is sent any
        (10, Dialect::Spec, 65_535),  // does as the specification says
    ] {
        let settings = Settings {
            longest_message,
            acknowledge: "11".parse().unwrap(),
            long_answers: "12".parse().unwrap(),
            ..settings(rules.check().unwrap(), dialect)
        };
        let mut game = Conversation::situation(&board, &rules, settings);
        game.says(0, asking, 5, r#"{"askedAgentID":13}"#);
        game.says(1000, 13, 4, &answer(asking));
        let (told, length) = last_told(&game, asking);
        assert_eq!(told["messageID"], 111, "{asking} in {dialect}");
        seen.push((asking, dialect.to_string(), length, lengths(&told)));
    }
    assert_debug_snapshot!(seen);
    assert!(seen[0].2 <= 8190 && seen[1].2 <= 32_767 && seen[3].2 <= 8192, "{seen:?}");
}

/// A question to such an agent is charged and answered, and the agent receives nothing.
#[test]
fn agents_that_are_never_asked_are_said_to_know_nothing() {
    let union = settings(rules().check().unwrap(), Dialect::Union);
    let (acknowledge, never_asked) = ("10".parse().unwrap(), "11".parse().unwrap());
    let mut game = Conversation::situation(THREE, &rules(), Settings { acknowledge, never_asked, ..union });
    game.body(0, r#"{"messageID":5,"agentID":10,"correlationID":5,"payload":{"askedAgentID":11}}"#);
    game.says(500, 10, 5, r#"{"askedAgentID":11}"#); // too early
    game.says(1000, 11, 4, r#"{"respondToID":10}"#); // unasked
    game.says(2000, 11, 5, r#"{"askedAgentID":10}"#); // asks by itself
    game.says(2000, 10, 4, r#"{"respondToID":11}"#);
    game.says(3000, 11, 5, r#"{"askedAgentID":11}"#); // itself
    game.body(4000, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    game.says(4000, 10, 5, r#"{"askedAgentID":11}"#); // somebody who is gone
    let state = game.master.game().unwrap();
    let granted = game.master.statistics().unwrap().agent(state, game_env::AgentId::new(0)).counts;
    assert_eq!(granted.reasons, [("no-such-agent", 2)].into());
    assert_snapshot!(game.text);
}

#[test]
fn a_sham_may_be_destroyed_once_more_after_the_leader_has_asked() {
    let rules = RawConfig { sham_piece_probability: 1.0, ..rules() };
    let board = "
        .    .    g
        R0!  .    .
        .    .    R1+s
        B2!  B3   g";
    let mut game = Conversation::situation(board, &rules, settings(rules.check().unwrap(), Dialect::Union));
    game.says(0, 11, 1, "{}");
    game.says(10, 10, 5, r#"{"askedAgentID":11}"#);
    game.says(1000, 11, 2, "{}"); // the leader waits
    game.says(1010, 11, 4, r#"{"respondToID":10}"#);
    game.says(2100, 11, 2, "{}");
    game.says(2700, 11, 2, "{}"); // once only
    assert_snapshot!(game.text);
}
