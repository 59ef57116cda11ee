//! A request takes no memory.

use allocation_counter::measure;
use game_conveyor::{Action, Config, State};
use game_env::{Environment, Limits, RandomPolicy, Rollout, Seed};

/// The allocations of a rollout of this many steps.
fn allocations(steps: u64) -> u64 {
    let config = Config::new(99, 99).unwrap().with_conveyors(1000).unwrap();
    let mut players = [1, 2].map(|seed| RandomPolicy::<Action>::new(Seed::new(seed).game()));
    let mut state = State::new(&config, Seed::new(1));
    let rollout = Rollout { limits: Limits { steps, ..Limits::default() }, ..Rollout::default() };
    let mut played = 0;
    let counted = measure(|| played = rollout.play(&mut state, &mut players, &mut ()).steps);
    assert_eq!(played, steps);
    counted.count_total
}

#[test]
fn a_request_takes_no_memory() {
    // The first requests of both players make room for the options.
    assert_eq!(allocations(2), allocations(2000));
}

#[test]
fn a_clone_shares_the_board() {
    let state = State::new(&Config::new(99, 99).unwrap(), Seed::new(1));
    assert_eq!(measure(|| drop(state.clone())).count_total, 0);
}
