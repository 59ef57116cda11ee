//! The statistics, in the table and in the document.

use game_env::Seed;
use game_project::RawConfig;
use insta::assert_snapshot;
use reference_gm::project::console::table;
use reference_gm::project::{Input, Settings};
use viewer::games::project::document::document;
use wire::project::Dialect;

use crate::conversation::{Conversation, settings};

/// A game in which something of everything happens. It ends during a lock of agent 10.
fn game() -> Conversation {
    let rules = RawConfig { sham_piece_probability: 0.0, landing_pick_up: false, ..RawConfig::default() };
    let board = "
        .    R1!  gR0+p g
        -----------------
        .    sB2  .     .
        B3!  .    p     .
        -----------------
        g    .    .     .";
    let settings = Settings { seed: Seed::new(1), ..settings(rules.check().unwrap(), Dialect::Spec) };
    let mut game = Conversation::situation(board, &rules, settings);
    let d = &mut game;
    d.says(0, 10, 9, "{}"); // put, on a goal: locked until 500
    d.says(0, 11, 7, r#"{"direction":"N"}"#); // move, off the board: until 1500
    d.says(0, 12, 8, "{}"); // pick up, a sham
    d.says(0, 12, 1, "{}"); // check: until 700
    d.says(0, 13, 7, r#"{"direction":"E"}"#); // move: until 1500
    d.says(100, 13, 3, "{}"); // too early
    d.says(1500, 11, 5, r#"{"askedAgentID":10}"#); // ask, as the leader: until 2500
    d.says(1600, 10, 3, "{}"); // the leader waits: no lock
    d.says(1600, 10, 4, r#"{"respondToID":11}"#); // answer: until 2600
    d.says(1700, 12, 2, "{}"); // destroy, with nothing in hand: until 2200
    d.body(2000, r#"{"messageID":906,"agentID":12,"payload":{"agentID":12}}"#); // locked for 1000 of 2000
    d.says(2700, 10, 3, "{}"); // discover: until 3400
    d.input(3000, Input::Stop);
    game
}

#[test]
fn the_table_has_agents_and_teams() {
    let game = game();
    let (state, statistics) = (game.master.game().unwrap(), game.master.statistics().unwrap());
    let seats = game.master.seats();
    let table = table(state, statistics, seats, Seed::new(1));
    assert!(table.lines().all(|line| line.chars().count() <= 110), "{table}");
    assert_snapshot!(table);
}

#[test]
fn the_document_has_what_the_table_has() {
    let game = game();
    let (state, statistics) = (game.master.game().unwrap(), game.master.statistics().unwrap());
    let seats = game.master.seats();
    let document = document(state, statistics, seats, Seed::new(1));
    assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
    for (index, locked, idle) in [(0, 1800, 1200), (1, 2500, 500), (2, 1000, 1000), (3, 1500, 1500)] {
        let agent = &document["agents"][index];
        assert_eq!((&agent["lockedMs"], &agent["idleMs"]), (&locked.into(), &idle.into()), "{index}");
        let by_kind = agent["lockedMsBy"].as_object().unwrap().values();
        assert_eq!(by_kind.map(|time| time.as_u64().unwrap()).sum::<u64>(), locked, "{index}");
    }
}
