//! Whole games as text: a change of the rules is reviewed as a diff of these files.

use std::fmt::Write as _;

use game_env::sink::Listen;
use game_env::{AgentId, Environment, Notation, Rollout, Seed, SimTime};
use game_eriantys::{Config, Event, State};

use crate::lively::Lively;

/// A random game with the table before and after it.
fn playthrough(players: u8, is_expert: bool) -> String {
    let mut text = String::new();
    let mut state = State::new(&Config::new(players, is_expert).unwrap(), Seed::new(42));
    writeln!(text, "{}", state.scene()).unwrap();
    let mut policies: Vec<_> =
        AgentId::all(state.agents()).map(|agent| Lively::new(Seed::new(7).agent(agent))).collect();
    let mut write = Listen(|_: SimTime, event: &Event| writeln!(text, "{event}").unwrap());
    Rollout::default().play(&mut state, &mut policies, &mut write);
    writeln!(text, "\n{}hash {:016x}", state.scene(), state.hash()).unwrap();
    text
}

#[test]
fn two_players_simple() {
    insta::assert_snapshot!(playthrough(2, false));
}

#[test]
fn two_players_expert() {
    insta::assert_snapshot!(playthrough(2, true));
}

#[test]
fn three_players_simple() {
    insta::assert_snapshot!(playthrough(3, false));
}

#[test]
fn three_players_expert() {
    insta::assert_snapshot!(playthrough(3, true));
}

#[test]
fn four_players_simple() {
    insta::assert_snapshot!(playthrough(4, false));
}

#[test]
fn four_players_expert() {
    insta::assert_snapshot!(playthrough(4, true));
}
