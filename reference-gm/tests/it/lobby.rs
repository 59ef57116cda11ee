//! Joining, starting, stopping.

use game_env::Millis;
use game_project::{Config, RawConfig};
use insta::assert_snapshot;
use reference_gm::{Input, Settings};
use wire::project::Dialect;

use crate::desk::{Desk, settings};

fn small() -> Config {
    let raw =
        RawConfig { board_x: 4, board_y: 5, goal_area_height: 1, number_of_goals: 1, ..RawConfig::default() };
    raw.check().unwrap()
}

fn lobby() -> Desk {
    Desk::lobby(settings(small(), Dialect::Spec))
}

const RED: &str = r#"{"teamID":"red"}"#;
const BLUE: &str = r#"{"teamID":"blue"}"#;

#[test]
fn agents_join_until_their_team_is_full() {
    let mut desk = lobby();
    desk.says(0, 1, 6, RED);
    desk.says(1, 2, 6, RED);
    desk.says(2, 3, 6, RED);
    desk.says(3, 4, 6, BLUE);
    // Answered as the first time, whatever is asked now.
    desk.says(4, 1, 6, BLUE);
    desk.says(5, 3, 6, BLUE);
    // Nobody plays yet.
    desk.says(6, 1, 3, "{}");
    desk.says(7, 5, 7, r#"{"direction":"N"}"#);
    desk.says(8, 5, 6, r#"{"teamID":"green"}"#);
    assert_snapshot!(desk.text);
}

#[test]
fn a_seat_is_free_again_when_its_agent_goes() {
    let mut desk = lobby();
    desk.says(0, 1, 6, RED);
    desk.says(1, 2, 6, RED);
    desk.body(2, r#"{"messageID":906,"agentID":1,"payload":{"agentID":1}}"#);
    desk.says(3, 3, 6, RED);
    desk.body(4, r#"{"messageID":906,"agentID":99,"payload":{"agentID":99}}"#);
    assert_snapshot!(desk.text);
}

#[test]
fn the_operator_starts_once_both_teams_have_somebody() {
    let mut desk = lobby();
    desk.says(0, 8, 6, RED);
    desk.input(10, Input::Start);
    desk.says(20, 5, 6, BLUE);
    desk.says(30, 9, 6, BLUE);
    desk.input(40, Input::Start);
    desk.input(50, Input::Start);
    assert_snapshot!(desk.text);
    assert_eq!(desk.master.game().unwrap().config().agents().into_inner(), [1, 2]);
}

#[test]
fn the_operator_changes_settings_until_the_start() {
    let mut desk = lobby();
    for (agent, team) in [(1, RED), (2, RED), (3, BLUE)] {
        desk.says(0, agent, 6, team);
    }
    desk.text.clear();
    let raw = |team_size| RawConfig { team_size, board_x: 7, ..RawConfig::default() };
    let with = |team_size| Settings {
        seed: game_env::Seed::new(99),
        // The clock of the first moment goes on.
        epoch: jiff::Timestamp::UNIX_EPOCH,
        ..settings(raw(team_size).check().unwrap(), Dialect::Union)
    };
    let before = desk.master.settings().clone();
    // Two have joined red, and none of them is sent away.
    desk.input(10, Input::Settings(&with(1)));
    assert_eq!(*desk.master.settings(), before);
    desk.input(20, Input::Settings(&with(3)));
    let now = desk.master.settings().clone();
    assert_eq!(now, Settings { epoch: before.epoch, ..with(3) });
    // There is room for a third one.
    desk.says(30, 4, 6, RED);
    desk.input(40, Input::Start);
    desk.input(50, Input::Settings(&with(4)));
    assert_eq!(*desk.master.settings(), now);
    let state = desk.master.game().unwrap();
    assert_eq!((state.config().geometry().columns(), state.config().agents().into_inner()), (7, [3, 1]));
    let news: Vec<&str> = desk.text.lines().filter(|line| line.starts_with("      * ")).collect();
    assert_snapshot!(news.join("\n"));
}

#[test]
fn a_game_starts_by_itself_when_it_is_made_so_small_that_it_is_full() {
    let mut desk = Desk::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    desk.says(0, 1, 6, RED);
    desk.says(0, 2, 6, BLUE);
    let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
    desk.input(10, Input::Settings(&Settings { start_when_full: true, ..settings(config, Dialect::Spec) }));
    assert!(desk.master.game().is_some());
}

#[test]
fn the_game_starts_by_itself_when_everyone_is_there() {
    let mut desk = Desk::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    for (agent, team) in [(1, RED), (2, BLUE), (3, RED)] {
        desk.says(0, agent, 6, team);
        assert!(desk.master.game().is_none());
    }
    desk.says(0, 4, 6, BLUE);
    assert!(desk.master.game().is_some());
}

#[test]
fn the_game_starts_by_itself_after_a_time() {
    let start_after = Some(Millis::new(5000));
    let mut desk = Desk::lobby(Settings { start_after, ..settings(small(), Dialect::Spec) });
    desk.says(0, 1, 6, RED);
    desk.input(5000, Input::Tick);
    assert!(desk.master.game().is_none(), "blue has nobody");
    desk.says(6000, 2, 6, BLUE);
    assert!(desk.master.game().is_some(), "it was due");
    let mut desk = Desk::lobby(Settings { start_after, ..settings(small(), Dialect::Spec) });
    desk.says(0, 1, 6, RED);
    desk.says(0, 2, 6, BLUE);
    desk.input(4999, Input::Tick);
    assert!(desk.master.game().is_none());
    desk.input(5000, Input::Tick);
    assert!(desk.master.game().is_some());
}

#[test]
fn moments_are_those_of_the_game_and_of_the_calendar() {
    let mut desk = Desk::lobby(Settings { start_when_full: true, ..settings(small(), Dialect::Spec) });
    for (agent, team) in [(1, RED), (2, BLUE), (3, RED), (4, BLUE)] {
        desk.says(60_000, agent, 6, team);
    }
    desk.text.clear();
    desk.says(61_000, 1, 3, "{}");
    desk.says(61_200, 1, 3, "{}");
    let clock = game_env::Environment::clock(desk.master.game().unwrap());
    assert_eq!(clock.as_millis(), 1_200);
    assert!(desk.text.contains(r#""waitUntil":"2026-03-01T12:01:01.7Z","waitFor":500"#), "{}", desk.text);
}

#[test]
fn a_stop_ends_whatever_there_is() {
    let mut desk = lobby();
    desk.says(0, 1, 6, RED);
    desk.input(10, Input::Stop);
    assert!(desk.text.ends_with("CalledOff\n      done\n"), "{}", desk.text);
    let playing =
        || Desk::situation("* g\nR0 .\ngB1 g", &RawConfig::default(), settings(small(), Dialect::Spec));
    let mut desk = playing();
    desk.input(10, Input::Stop);
    desk.input(20, Input::ServerLost);
    desk.says(30, 10, 3, "{}");
    assert_snapshot!(desk.text);
    let mut desk = playing();
    desk.input(10, Input::ServerLost);
    assert_snapshot!(desk.text);
}

#[test]
fn on_equal_points_nobody_is_told_a_winner() {
    let mut desk = Desk::situation("g\nR0\ngB1", &RawConfig::default(), settings(small(), Dialect::Spec));
    desk.input(10, Input::Stop);
    assert!(!desk.text.contains("\"messageID\":104"), "{}", desk.text);
    assert!(desk.text.ends_with("done\n"));
}

#[test]
fn when_everyone_has_left_it_is_over() {
    let mut desk = Desk::situation("g\nR0\ngB1", &RawConfig::default(), settings(small(), Dialect::Spec));
    desk.body(10, r#"{"messageID":906,"agentID":10,"payload":{"agentID":10}}"#);
    desk.body(20, r#"{"messageID":906,"agentID":10,"payload":{"agentID":10}}"#);
    desk.body(30, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    assert_snapshot!(desk.text);
}

/// Our communication server does not pass such a message on. Another one may.
#[test]
fn an_agent_cannot_say_that_another_one_is_lost() {
    let board = "gR0 .\n. .\n. B1";
    let mut desk = Desk::situation(
        board,
        &RawConfig::default(),
        settings(RawConfig::default().check().unwrap(), Dialect::Spec),
    );
    desk.body(0, r#"{"messageID":906,"agentID":11,"payload":{"agentID":10}}"#);
    // Of itself it may: it goes away either way.
    desk.body(10, r#"{"messageID":906,"agentID":11,"payload":{"agentID":11}}"#);
    // Whoever does not play is a server, whatever it calls itself.
    desk.body(20, r#"{"messageID":906,"agentID":0,"payload":{"agentID":10}}"#);
    insta::assert_snapshot!(desk.text);
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
    let mut desk = Desk::lobby(settings);
    for agent in 0..30_i64 {
        for (offset, team) in [(1, RED), (2, BLUE)] {
            desk.says(0, 1_000_000_000_000 + 10 * agent + offset, 6, team);
        }
    }
    desk.text.clear();
    desk.input(50, Input::Tick);
    // Nothing is tried again until somebody comes or goes.
    desk.input(60, Input::Tick);
    desk.input(70, Input::Start);
    assert!(desk.master.game().is_none());
    let before = desk.text.len();
    for agent in 1..30_i64 {
        for offset in [1, 2] {
            let agent = 1_000_000_000_000 + 10 * agent + offset;
            desk.body(
                80,
                &format!(r#"{{"messageID":906,"agentID":{agent},"payload":{{"agentID":{agent}}}}}"#),
            );
        }
    }
    assert_snapshot!(desk.text[..before], @r"
       50 > Tick
       60 > Tick
       70 > Start
          * StartTooLong { length: 1274 }
    ");
    // As soon as the message is short enough, the moment to start has long come.
    assert!(desk.master.game().is_some());
    assert!(desk.text.contains("Started"));
}
