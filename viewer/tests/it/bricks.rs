//! Bricks on the board: the whole board at first, then brick after brick.

use game_bricks::{Config, State};
use game_env::replay::Writer;
use game_env::{Disruption, Environment, Seed, SimTime, Witness};
use serde_json::{Value, json};
use viewer::recording::Recording;

/// The feed of a game on 5×5 cells, of which two are filled; `play` plays and records the game.
fn feed(play: impl FnOnce(&mut State, &mut Writer<Vec<u8>>)) -> Vec<Value> {
    let filled = ["3x1", "0x4"].map(|cell| cell.parse().unwrap());
    let (config, seed) = (Config::new(5).unwrap().torus(true).filled(filled).unwrap(), Seed::new(7));
    let mut state = State::new(&config, seed);
    let mut writer = Writer::in_memory::<State>(&config, seed, "tests", "tests");
    play(&mut state, &mut writer);
    let recording = Recording::read(&writer.finish().unwrap()[..], "bricks.replay").unwrap();
    recording.messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

fn entries(feed: &[Value]) -> Vec<&Value> {
    feed.iter().filter_map(|message| message["events"].as_array()).flatten().collect()
}

fn put(state: &mut State, writer: &mut Writer<Vec<u8>>, ms: u64, brick: &str) {
    let (now, mover, brick) = (SimTime::from_millis(ms), state.mover(), brick.parse().unwrap());
    writer.action(state, now, mover, &brick);
    state.step(now, mover, brick, &mut ());
}

#[test]
fn the_board_is_told_once_and_each_move_by_its_brick() {
    let feed = feed(|state, writer| {
        put(state, writer, 120, "0x0_1x0");
        put(state, writer, 480, "2x4_2x0");
    });
    assert_eq!((&feed[0]["game"], &feed[1]["title"]), (&json!("bricks"), &json!("Bricks")));
    assert_eq!(feed[1]["turns"], true, "moves are counted, whatever time they take");
    assert_eq!(
        feed[1]["picture"],
        json!({
            "size": 5, "torus": true, "limit": 500, "filled": [[3, 1], [0, 4]], "bricks": [],
            "fits": 42, "mover": 0, "ms": 0,
        })
    );
    let entries = entries(&feed);
    let brick = |at: u64, player: u64, cells: Value, fits: u64, ms: u64| json!([at, "brick", player, { "cells": cells }, { "fits": fits, "mover": 1 - player, "ms": ms }]);
    assert_eq!(entries[0], &brick(1000, 0, json!([[0, 0], [1, 0]]), 36, 120));
    assert_eq!(entries[1], &brick(2000, 1, json!([[2, 0], [2, 4]]), 30, 480));
}

#[test]
fn a_brick_that_does_not_fit_is_told_with_the_end() {
    let feed = feed(|state, writer| {
        put(state, writer, 100, "3x1_9x9");
        writer.end(state, SimTime::from_millis(100));
    });
    let entries = entries(&feed);
    assert_eq!(entries[0][3], json!({ "cells": [[3, 1], [9, 9]], "why": "outside" }));
    assert_eq!((&entries[1][0], &entries[1][1]), (&json!(1000), &json!("end")));
    assert_eq!(entries[1][3], json!({ "winner": 1, "termination": "illegal", "fault": 0 }));
    assert_eq!(entries[1][4]["mover"], Value::Null);
}

#[test]
fn a_player_that_is_out_of_time_loses() {
    let feed = feed(|state, writer| {
        put(state, writer, 100, "1x1_1x2");
        let (now, late) = (SimTime::from_millis(601), Disruption::DeadlineMissed(state.mover()));
        writer.disruption(state, now, late);
        state.disrupt(now, late, &mut ());
        writer.end(state, now);
    });
    assert_eq!(entries(&feed)[1][3], json!({ "winner": 0, "termination": "time", "fault": 1 }));
}

#[test]
fn the_replay_of_the_browser_tests_is_one_of_these_rules() {
    let file = include_bytes!("../games/bricks.replay");
    let recording = Recording::read(&file[..], "bricks.replay").expect(
        "make it again: cargo run -p viewer --example random_replay bricks > viewer/tests/games/bricks.replay",
    );
    assert_eq!(recording.truncated, None);
    assert_eq!(recording.statistics["outcome"]["termination"], "normal");
}
