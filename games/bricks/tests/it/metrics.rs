//! The figures of a game.

use game_bricks::{Config, State};
use game_env::{Environment, Measured, Seed, SimTime, Witness};

#[test]
fn bricks_times_and_refusals_are_counted_for_each_player() {
    let mut state = State::new(&Config::new(3).unwrap(), Seed::new(0));
    let mut meter = state.meter();
    for (now, player, brick) in [
        (300, "#0", "0x0_1x0"),
        (700, "#1", "0x1_1x1"),
        (800, "#1", "0x2_1x2"),
        (900, "#0", "2x0_2x1"),
        (1000, "#1", "0x0_0x1"),
    ] {
        let mut events: Vec<(SimTime, _)> = Vec::new();
        let now = SimTime::from_millis(now);
        state.step(now, player.parse().unwrap(), brick.parse().unwrap(), &mut events);
        events.iter().for_each(|(at, event)| meter.event(*at, event));
    }
    let metrics = state.metrics(&meter);
    assert_eq!(metrics.get("bricks"), Some(&[2.0, 1.0][..]));
    assert_eq!(metrics.get("longest_move_ms"), Some(&[300.0, 400.0][..]));
    assert_eq!(metrics.get("refused"), Some(&[0.0, 2.0][..]));
}
