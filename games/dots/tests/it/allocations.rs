//! A rollout of a small game allocates no heap memory of its own.

use allocation_counter::measure;
use game_dots::{Config, Edge, State};
use game_env::{Environment, Limits, RandomPolicy, Rollout, Seed};

/// The allocations of a rollout of at most this many steps.
fn allocations(grid: Config, steps: u64) -> u64 {
    let mut players = [1, 2].map(|seed| RandomPolicy::<Edge>::new(Seed::new(seed).game()));
    let mut state = State::new(&grid, Seed::new(1));
    let rollout = Rollout { limits: Limits { steps, ..Limits::default() }, ..Rollout::default() };
    let mut played = 0;
    let counted = measure(|| played = rollout.play(&mut state, &mut players, &mut ()).steps);
    assert_eq!(played, steps);
    counted.count_total
}

#[test]
fn a_move_takes_no_memory() {
    for side in [3, 9, 30] {
        let grid = Config::new(side, side).unwrap();
        // The first moves of both players make room for the options.
        assert_eq!(allocations(grid, 2), allocations(grid, grid.edges().into()), "{grid}");
    }
}

#[test]
fn a_small_state_takes_no_memory() {
    let state = |side| State::new(&Config::new(side, side).unwrap(), Seed::new(1));
    let small = state(11);
    assert_eq!(measure(|| drop(small.clone())).count_total, 0);
    let large = state(30);
    assert_ne!(measure(|| drop(large.clone())).count_total, 0);
}
