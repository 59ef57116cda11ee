//! Dots & Boxes on the board: the picture at the beginning, and what happened since.

use game_dots::{Config, Edge, State};
use game_env::replay::Writer;
use game_env::{Disruption, Environment, RandomPolicy, Rollout, Seed, SimTime, Termination, Witness};
use serde_json::{Value, json};
use viewer::recording::{Recording, RecordingError};

/// A replay of 3×3 dots; `play` does with the state what is to be recorded.
fn replay(play: impl FnOnce(&mut State, &mut Writer<Vec<u8>>)) -> Vec<u8> {
    let (config, seed) = (Config::new(3, 3).unwrap(), Seed::new(7));
    let mut state = State::new(&config, seed);
    let mut writer = Writer::in_memory::<State>(&config, seed, "tests", "tests");
    play(&mut state, &mut writer);
    writer.finish().unwrap()
}

fn feed(file: &[u8]) -> Vec<Value> {
    let recording = Recording::read(file, "dots.replay").unwrap();
    recording.messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

fn entries(feed: &[Value]) -> Vec<&Value> {
    feed.iter().filter_map(|message| message["events"].as_array()).flatten().collect()
}

#[test]
fn each_move_brings_its_line_its_boxes_and_the_points_behind_it() {
    let file = replay(|state, writer| {
        for edge in ["0-1", "0-3", "1-4", "7-8", "3-4"] {
            let (mover, edge) = (state.mover(), edge.parse().unwrap());
            writer.action(state, SimTime::START, mover, &edge);
            state.step(SimTime::START, mover, edge, &mut ());
        }
    });
    let feed = feed(&file);
    assert_eq!((&feed[0]["kind"], &feed[0]["game"]), (&json!("hello"), &json!("dots")));
    assert_eq!((&feed[1]["title"], &feed[1]["turns"]), (&json!("Dots & Boxes"), &json!(true)));
    assert_eq!(feed[1]["picture"]["boxes"], "....");
    let entries = entries(&feed);
    let moments: Vec<_> = entries.iter().map(|entry| entry[0].as_u64().unwrap()).collect();
    assert_eq!(moments, [1000, 2000, 3000, 4000, 5000]);
    let last = entries[4];
    let owner = last[2].as_u64().unwrap();
    assert_eq!((&last[1], &last[3]), (&json!("box"), &json!({ "edge": [3, 4], "boxes": [0] })));
    let mut points = [0, 0];
    points[usize::try_from(owner).unwrap()] = 1;
    assert_eq!(last[4], json!({ "points": points, "mover": owner }));
    assert!(feed.iter().any(|message| message["kind"] == "truncated"), "the game is not over");
}

#[test]
fn a_whole_game_ends_with_its_outcome() {
    let file = replay(|state, writer| {
        let mut players = [1, 2].map(|seed| RandomPolicy::<Edge>::new(Seed::new(seed).game()));
        Rollout::default().play(state, &mut players, writer);
    });
    let recording = Recording::read(&file[..], "dots.replay").unwrap();
    assert_eq!((recording.game, recording.truncated), ("dots", None));
    let feed = feed(&file);
    let entries = entries(&feed);
    assert_eq!(entries.len(), 13, "12 lines and the end");
    let (last, end) = (entries[11], entries[12]);
    assert_eq!(last[0], end[0], "the end belongs to the last move");
    assert_eq!((&end[1], &end[2], &end[4]["mover"]), (&json!("end"), &json!(-1), &Value::Null));
    let points: Vec<u64> =
        end[4]["points"].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect();
    assert_eq!(points.iter().sum::<u64>(), 4);
    assert_eq!(recording.statistics["outcome"]["termination"], "normal");
    assert_eq!(recording.statistics["outcome"]["points"], json!(points));
    assert_eq!(recording.statistics["steps"], 12);
}

#[test]
fn refusals_and_ends_from_outside_are_told() {
    let file = replay(|state, writer| {
        let (mover, edge) = (state.mover(), "0-4".parse().unwrap());
        writer.action(state, SimTime::START, mover, &edge);
        state.step(SimTime::START, mover, edge, &mut ());
        let crash = Disruption::Forfeited(mover, Termination::Crash);
        writer.disruption(state, SimTime::START, crash);
        state.disrupt(SimTime::START, crash, &mut ());
        writer.end(state, SimTime::START);
    });
    let feed = feed(&file);
    let entries = entries(&feed);
    assert_eq!(
        (&entries[0][1], &entries[0][3]),
        (&json!("refusal"), &json!({ "edge": [0, 4], "why": "no-edge" }))
    );
    assert_eq!((&entries[1][0], &entries[1][1]), (&json!(1000), &json!("end")), "this end is no move");
    let statistics = Recording::read(&file[..], "a.replay").unwrap().statistics;
    assert_eq!(statistics["steps"], 1);
    assert_eq!(entries[1][3]["fault"], entries[0][2]);
    assert_eq!(entries[1][3]["termination"], "crash");
}

#[test]
fn the_replay_of_the_browser_tests_is_one_of_these_rules() {
    let file = include_bytes!("../games/dots.replay");
    let recording = Recording::read(&file[..], "dots.replay").expect(
        "make it again: cargo run -p viewer --example random_replay dots > viewer/tests/games/dots.replay",
    );
    assert_eq!(recording.truncated, None);
}

#[test]
fn a_game_without_a_room_is_named() {
    use game_env::examples::pebbles::Pebbles;
    let file = Writer::in_memory::<Pebbles>(&21, Seed::new(7), "tests", "tests").finish().unwrap();
    let error = Recording::read(&file[..], "pebbles.replay").unwrap_err();
    assert!(matches!(error, RecordingError::NoRoom(_)));
    assert_eq!(
        error.to_string(),
        "the replay holds the game `pebbles`: expected `project`, `dots`, `bricks`, `conveyor` or `eriantys`"
    );
}
