//! A step takes no memory.

use allocation_counter::measure;
use game_env::{Environment, Limits, RandomPolicy, Rollout, Seed};
use game_eriantys::{Action, Character, Config, State};

/// The allocations of a rollout of this many steps.
fn allocations(steps: u64) -> u64 {
    let characters = [Character::Knight, Character::Mailman, Character::Princess];
    let config = Config::new(2, true).unwrap().with_characters(characters).unwrap();
    let mut players = [1, 2].map(|seed| RandomPolicy::<Action>::new(Seed::new(seed).game()));
    let mut state = State::new(&config, Seed::new(1));
    let rollout = Rollout { limits: Limits { steps, ..Limits::default() }, ..Rollout::default() };
    let mut played = 0;
    let counted = measure(|| played = rollout.play(&mut state, &mut players, &mut ()).steps);
    assert_eq!(played, steps);
    counted.count_total
}

#[test]
fn a_step_takes_no_memory() {
    // The first rounds make room for the options; later ones have no more of them.
    assert_eq!(allocations(30), allocations(60));
}

#[test]
fn a_clone_takes_no_memory() {
    let state = State::new(&Config::new(4, true).unwrap(), Seed::new(1));
    assert_eq!(measure(|| drop(state.clone())).count_total, 0);
}
