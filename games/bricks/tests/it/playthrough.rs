//! One whole game as text: a change of the rules is reviewed as a diff of this file.

use std::fmt::Write as _;

use game_bricks::{Brick, Config, Event, State};
use game_env::sink::Listen;
use game_env::{Environment, Notation, RandomPolicy, Rollout, Seed, SimTime};

#[test]
fn a_random_game_on_a_small_board() {
    let mut text = String::new();
    let config =
        Config::new(5).unwrap().filled(["2x2".parse().unwrap()]).unwrap().filled_at_random(3).unwrap();
    let mut state = State::new(&config, Seed::new(42));
    writeln!(text, "{}", state.scene()).unwrap();
    let mut players = [1, 2].map(|seed| RandomPolicy::<Brick>::new(Seed::new(seed).game()));
    let mut write = Listen(|_: SimTime, event: &Event| writeln!(text, "{event}").unwrap());
    Rollout::default().play(&mut state, &mut players, &mut write);
    writeln!(text, "\n{}hash {:016x}", state.scene(), state.hash()).unwrap();
    insta::assert_snapshot!(text);
}
