//! The figures of a game.

use game_env::{Environment, Measured, SimTime, Witness};

use crate::rules::begun;

#[test]
fn edges_turns_runs_and_refusals_are_counted_for_each_player() {
    let mut state = begun();
    let mut meter = state.meter();
    // Player 0 takes two boxes and another one in its last turn; the last box is the other player's.
    let requests = "#0 0-1, #1 0-3, #0 3-4, #1 1-2, #0 2-5, #1 4-5, #0 3-6, #1 6-7, #0 1-4, #0 4-7, #0 5-8, \
                    #1 0-1, #1 7-8";
    for request in requests.split(", ") {
        let (player, edge) = request.split_once(' ').unwrap();
        let mut events: Vec<(SimTime, _)> = Vec::new();
        state.step(SimTime::START, player.parse().unwrap(), edge.parse().unwrap(), &mut events);
        events.iter().for_each(|(at, event)| meter.event(*at, event));
    }
    assert_eq!(state.points(), [3, 1]);
    let metrics = state.metrics(&meter);
    for (name, counts) in [
        ("edges", [7.0, 5.0]),
        ("turns", [5.0, 5.0]),
        ("most_boxes_in_a_turn", [3.0, 1.0]),
        ("refused", [0.0, 1.0]),
    ] {
        assert_eq!(metrics.get(name), Some(&counts[..]), "{name}");
    }
}
