//! Joining, starting, stopping.

use game_env::Millis;
use game_project::{Config, RawConfig};
use insta::assert_snapshot;
use reference_gm::project::{Input, Settings};
use wire::project::Dialect;

use crate::conversation::{Conversation, settings};

fn small() -> Config {
    let raw =
        RawConfig { board_x: 4, board_y: 5, goal_area_height: 1, number_of_goals: 1, ..RawConfig::default() };
    raw.check().unwrap()
}

fn lobby() -> Conversation {
    Conversation::lobby(settings(small(), Dialect::Spec))
}

const RED: &str = r#"{"teamID":"red"}"#;
const BLUE: &str = r#"{"teamID":"blue"}"#;

#[test]
fn agents_join_until_their_team_is_full() {
    let mut game = lobby();
    game.says(0, 1, 6, RED);
    game.says(1, 2, 6, RED);
    game.says(2, 3, 6, RED);
    game.says(3, 4, 6, BLUE);
    // Answered as the first time, whatever is asked now.
    game.says(4, 1, 6, BLUE);
    game.says(5, 3, 6, BLUE);
    // Nobody plays yet.
    game.says(6, 1, 3, "{}");
    game.says(7, 5, 7, r#"{"direction":"N"}"#);
    game.says(8, 5, 6, r#"{"teamID":"green"}"#);
    assert_snapshot!(game.text);
}

#[test]
fn a_seat_is_free_again_when_its_agent_goes() {
    let mut game = lobby();
    game.says(0, 1, 6, RED);
    game.says(1, 2, 6, RED);
    game.body(2, r#"{"messageID":906,"agentID":1,"payload":{"agentID":1}}"#);
    game.says(3, 3, 6, RED);
    game.body(4, r#"{"messageID":906,"agentID":99,"payload":{"agentID":99}}"#);
    assert_snapshot!(game.text);
}

#[test]
fn the_operator_starts_once_both_teams_have_somebody() {
    let mut game = lobby();
    game.says(0, 8, 6, RED);
    game.input(10, Input::Start);
    game.says(20, 5, 6, BLUE);
    game.says(30, 9, 6, BLUE);
    game.input(40, Input::Start);
    game.input(50, Input::Start);
    assert_snapshot!(game.text);
    assert_eq!(game.master.game().unwrap().config().agents().into_inner(), [1, 2]);
}

#[test]
fn the_operator_changes_settings_until_the_start() {
    let mut game = lobby();
    for (agent, team) in [(1, RED), (2, RED), (3, BLUE)] {
        game.says(0, agent, 6, team);
    }
    game.text.clear();
    let raw = |team_size| RawConfig { team_size, board_x: 7, ..RawConfig::default() };
    let with = |team_size| Settings {
        seed: game_env::Seed::new(99),
        // The clock of the first moment goes on.
        epoch: jiff::Timestamp::UNIX_EPOCH,
        ..settings(raw(team_size).check().unwrap(), Dialect::Union)
    };
    let before = game.master.settings().clone();
    // Two have joined red, and none of them is sent away.
    game.input(10, Input::Settings(&with(1)));
    assert_eq!(*game.master.settings(), before);
    game.input(20, Input::Settings(&with(3)));
    let now = game.master.settings().clone();
    assert_eq!(now, Settings { epoch: before.epoch, ..with(3) });
    // There is room for a third one.
    game.says(30, 4, 6, RED);
    game.input(40, Input::Start);
    game.input(50, Input::Settings(&with(4)));
    assert_eq!(*game.master.settings(), now);
    let state = game.master.game().unwrap();
    assert_eq!((state.config().geometry().columns(), state.config().agents().into_inner()), (7, [3, 1]));
    let news: Vec<&str> = game.text.lines().filter(|line| line.starts_with("      * ")).collect();
    assert_snapshot!(news.join("\n"));
}

#[test]
fn a_game_starts_by_itself_when_it_is_made_so_small_that_it_is_full() {
    let mut game =
        Conversation::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    game.says(0, 1, 6, RED);
    game.says(0, 2, 6, BLUE);
    let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
    game.input(10, Input::Settings(&Settings { start_when_full: true, ..settings(config, Dialect::Spec) }));
    assert!(game.master.game().is_some());
}

#[test]
fn the_game_starts_by_itself_when_everyone_is_there() {
    let mut game =
        Conversation::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    for (agent, team) in [(1, RED), (2, BLUE), (3, RED)] {
        game.says(0, agent, 6, team);
        assert!(game.master.game().is_none());
    }
    game.says(0, 4, 6, BLUE);
    assert!(game.master.game().is_some());
}

#[test]
fn the_game_starts_by_itself_after_a_time() {
    let start_after = Some(Millis::new(5000));
    let mut game = Conversation::lobby(Settings { start_after, ..settings(small(), Dialect::Spec) });
    game.says(0, 1, 6, RED);
    game.input(5000, Input::Tick);
    assert!(game.master.game().is_none(), "blue has nobody");
    game.says(6000, 2, 6, BLUE);
    assert!(game.master.game().is_some(), "it was due");
    let mut game = Conversation::lobby(Settings { start_after, ..settings(small(), Dialect::Spec) });
    game.says(0, 1, 6, RED);
    game.says(0, 2, 6, BLUE);
    game.input(4999, Input::Tick);
    assert!(game.master.game().is_none());
    game.input(5000, Input::Tick);
    assert!(game.master.game().is_some());
}

#[test]
fn moments_are_those_of_the_game_and_of_the_calendar() {
    let mut game =
        Conversation::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    for (agent, team) in [(1, RED), (2, BLUE), (3, RED), (4, BLUE)] {
        game.says(60_000, agent, 6, team);
    }
    game.text.clear();
    game.says(61_000, 1, 3, "{}");
    game.says(61_200, 1, 3, "{}");
    let clock = game_env::Environment::clock(game.master.game().unwrap());
    assert_eq!(clock.as_millis(), 1_200);
    assert!(game.text.contains(r#""waitUntil":"2026-03-01T12:01:01.7Z","waitFor":500"#), "{}", game.text);
}

#[test]
fn a_stop_ends_whatever_there_is() {
    let mut game = lobby();
    game.says(0, 1, 6, RED);
    game.input(10, Input::Stop);
    assert!(game.text.ends_with("CalledOff\n      done\n"), "{}", game.text);
    let playing = || {
        Conversation::situation("* g\nR0 .\ngB1 g", &RawConfig::default(), settings(small(), Dialect::Spec))
    };
    let mut game = playing();
    game.input(10, Input::Stop);
    game.input(20, Input::ServerLost);
    game.says(30, 10, 3, "{}");
    assert_snapshot!(game.text);
    let mut game = playing();
    game.input(10, Input::ServerLost);
    assert_snapshot!(game.text);
}

#[test]
fn on_equal_points_nobody_is_told_a_winner() {
    let mut game =
        Conversation::situation("g\nR0\ngB1", &RawConfig::default(), settings(small(), Dialect::Spec));
    game.input(10, Input::Stop);
    assert!(!game.text.contains("\"messageID\":104"), "{}", game.text);
    assert!(game.text.ends_with("done\n"));
}

#[test]
fn when_everyone_has_left_it_is_over() {
    let mut game =
        Conversation::situation("g\nR0\ngB1", &RawConfig::default(), settings(small(), Dialect::Spec));
    game.body(10, r#"{"messageID":906,"agentID":10,"payload":{"agentID":10}}"#);
    game.body(20, r#"{"messageID":906,"agentID":10,"payload":{"agentID":10}}"#);
    game.body(30, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    assert_snapshot!(game.text);
}

/// Our communication server does not pass such a message on. Another one may.
#[test]
fn an_agent_cannot_say_that_another_one_is_lost() {
    let board = "gR0 .\n. .\n. B1";
    let mut game = Conversation::situation(
        board,
        &RawConfig::default(),
        settings(RawConfig::default().check().unwrap(), Dialect::Spec),
    );
    game.body(0, r#"{"messageID":906,"agentID":11,"payload":{"agentID":10}}"#);
    // Of itself it may: it goes away either way.
    game.body(10, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    // A connection that does not play is a server, whatever name it gives.
    game.body(20, r#"{"messageID":906,"agentID":0,"payload":{"agentID":10}}"#);
    insta::assert_snapshot!(game.text);
}

/// Numbers longer than the configuration counts with.
#[test]
fn who_cannot_be_told_the_beginning_does_not_play() {
    let raw = RawConfig { team_size: 30, ..RawConfig::default() };
    let settings = Settings {
        longest_message: 1024,
        start_when_full: true,
        start_after: Some(Millis::new(50)),
        ..settings(raw.check().unwrap(), Dialect::Spec)
    };
    let mut game = Conversation::lobby(settings);
    for agent in 0..30_i64 {
        for (offset, team) in [(1, RED), (2, BLUE)] {
            game.says(0, 1_000_000_000_000 + 10 * agent + offset, 6, team);
        }
    }
    game.text.clear();
    game.input(50, Input::Tick);
    // Nothing is tried again until an agent comes or goes.
    game.input(60, Input::Tick);
    game.input(70, Input::Start);
    assert!(game.master.game().is_none());
    let before = game.text.len();
    for agent in 1..30_i64 {
        for offset in [1, 2] {
            let agent = 1_000_000_000_000 + 10 * agent + offset;
            game.body(
                80,
                &format!(r#"{{"messageID":906,"agentID":{agent},"payload":{{"agentID":{agent}}}}}"#),
            );
        }
    }
    assert_snapshot!(game.text[..before], @r"
       50 > Tick
       60 > Tick
       70 > Start
          * StartTooLong { length: 1274 }
    ");
    // As soon as the message is short enough, the moment to start has long come.
    assert!(game.master.game().is_some());
    assert!(game.text.contains("Started"));
}
