//! The conformance suite for this game.

use game_env::conformance::{Case, Conforming, check};
use game_env::{AgentId, Chance};

use crate::grid::{Config, Edge};
use crate::state::State;

// ANCHOR: conforming
impl Conforming for State {
    /// Nothing is hidden in this game.
    fn scramble(&mut self, _: AgentId, _: &mut Chance) -> bool {
        false
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Edge>) {
        let dots = self.grid().dots();
        let columns = self.grid().columns();
        for from in (0..dots).step_by(usize::from(dots / 16).max(1)) {
            out.extend(
                [1, columns, columns + 1, 2].into_iter().filter_map(|step| Edge::between(from, from + step)),
            );
        }
        out.extend(Edge::between(65_534, 65_535));
    }
}
// ANCHOR_END: conforming

// ANCHOR: suite
#[test]
fn the_game_keeps_the_contract() {
    let case = |name, rows, columns, seeds| {
        let config = Config::new(rows, columns).unwrap();
        Case { name, config, seeds: 0..seeds, bound: config.edges().into() }
    };
    let report = check::<State>(&[
        case("one box", 2, 2, 20),
        case("one row", 2, 7, 10),
        case("the original's board", 5, 5, 10),
        case("large", 9, 9, 1),
    ]);
    let report = report.unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!((report.episodes, report.scrambles), (41, 0), "{report}");
}
// ANCHOR_END: suite
