//! The conformance suite for this game.

use game_env::conformance::{Case, Conforming, check};
use game_env::{AgentId, Chance, Environment as _};

use crate::board::{Config, Direction};
use crate::state::{Action, State, Steps};

impl Conforming for State {
    /// The board, both places, the heading and all of the other player are hidden.
    fn scramble(&mut self, agent: AgentId, chance: &mut Chance) -> bool {
        *self = self.redrawn(agent, chance);
        true
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Action>) {
        out.extend(Direction::ALL.map(Action::Step));
        out.extend(Direction::ALL.map(Action::Turn));
        out.extend(Steps::ALL.map(Action::Ahead));
    }
}

#[test]
fn the_game_keeps_the_contract() {
    let plain = |columns, rows| Config::new(columns, rows).unwrap();
    let case = |name, config, seeds| Case { name, config, seeds: 0..seeds, bound: 20_000 };
    let report = check::<State>(&[
        case("the smallest square", plain(2, 2), 20),
        case("one row", plain(7, 1), 10),
        case("usual", Config::default(), 10),
        case("many conveyors", plain(9, 9).with_conveyors(16).unwrap(), 5),
    ]);
    let report = report.unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!(report.episodes, 45, "{report}");
    assert!(report.scrambles > 1000, "{report}");
}

/// Scrambling must not be a way to lose the players' own memory.
#[test]
fn another_board_is_another_state() {
    let state = State::new(&Config::default(), game_env::Seed::new(1));
    let mut other = state.clone();
    assert!(other.scramble(AgentId::new(0), &mut game_env::Seed::new(2).game()));
    assert_ne!(other.hash(), state.hash());
}
