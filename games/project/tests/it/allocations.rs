//! The hot loop takes no memory.

use allocation_counter::measure;
use game_env::{AgentId, Environment, Limits, Rollout, Seed};
use game_project::policy::Random;
use game_project::{RawConfig, State};

/// The allocations of a rollout of this many steps.
fn allocations(raw: &RawConfig, steps: u64) -> u64 {
    let mut state = State::new(&raw.check().unwrap(), Seed::new(1));
    let mut policies: Vec<Random> =
        AgentId::all(state.agents()).map(|agent| Random::new(Seed::new(1), agent)).collect();
    let limits = Limits { steps, ..Limits::default() };
    let rollout = Rollout { limits, ..Rollout::default() };
    let mut played = 0;
    let counted = measure(|| played = rollout.play(&mut state, &mut policies, &mut ()).steps);
    assert_eq!(played, steps, "the game ended too early to count");
    counted.count_total
}

/// Two bits a field, and some for every piece and agent.
#[test]
fn a_large_board_takes_little_memory() {
    let raw = RawConfig { board_x: 1000, board_y: 1000, number_of_pieces: 1_000, ..RawConfig::default() };
    let config = raw.check().unwrap();
    let bytes = measure(|| drop(State::new(&config, Seed::new(1)))).bytes_max;
    assert!(bytes < 400_000, "{bytes} bytes");
    let crowded = RawConfig { number_of_pieces: 100_000, team_size: 100, ..raw }.check().unwrap();
    let more = measure(|| drop(State::new(&crowded, Seed::new(1)))).bytes_max;
    assert!(more < bytes + 60 * 100_000 + 200 * 2_000, "{more} bytes");
}

#[test]
fn a_longer_rollout_allocates_no_more_than_a_short_one() {
    let large = RawConfig { board_x: 200, board_y: 200, ..RawConfig::default() };
    for (name, raw) in [
        ("few agents, few pieces", large.clone()),
        ("many agents", RawConfig { team_size: 20, ..large.clone() }),
        ("many pieces", RawConfig { number_of_pieces: 2_000, ..large }),
    ] {
        let (short, long) = (allocations(&raw, 1_000), allocations(&raw, 100_000));
        assert_eq!(short, long, "{name}");
        assert!(short < 50, "{name}: {short} allocations before the loop");
    }
}
