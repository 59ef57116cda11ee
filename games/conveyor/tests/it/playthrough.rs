//! One whole game as text: a change of the rules is reviewed as a diff of this file.

use std::fmt::Write as _;

use game_conveyor::{Action, Config, Event, State};
use game_env::sink::Listen;
use game_env::{Environment, Notation, RandomPolicy, Rollout, Seed, SimTime};

#[test]
fn a_random_game_on_a_small_board() {
    let mut text = String::new();
    let config = Config::new(4, 4).unwrap().with_conveyors(1).unwrap();
    let mut state = State::new(&config, Seed::new(42));
    writeln!(text, "{}", state.scene()).unwrap();
    let mut players = [1, 2].map(|seed| RandomPolicy::<Action>::new(Seed::new(seed).game()));
    let mut write = Listen(|now: SimTime, event: &Event| writeln!(text, "{now} {event}").unwrap());
    Rollout::default().play(&mut state, &mut players, &mut write);
    writeln!(text, "\n{}hash {:016x}", state.scene(), state.hash()).unwrap();
    insta::assert_snapshot!(text);
}
