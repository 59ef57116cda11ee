//! The conformance suite for this game.

use game_env::conformance::{Case, Conforming, check};
use game_env::{AgentId, Chance, Millis};

use crate::board::{Brick, Cell, Config};
use crate::state::State;

impl Conforming for State {
    /// Nothing is hidden in this game.
    fn scramble(&mut self, _: AgentId, _: &mut Chance) -> bool {
        false
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Brick>) {
        let size = self.board().size();
        let last = size - 1;
        for row in (0..size).step_by(usize::from(size / 4).max(1)) {
            for column in (0..size).step_by(usize::from(size / 4).max(1)) {
                let to =
                    [(column + 1, row), (column, row + 1), (column + 1, row + 1), (column, row), (last, row)];
                let from = Cell::new(column, row);
                out.extend(to.map(|(column, row)| Brick::new(from, Cell::new(column, row))));
            }
        }
        out.push(Brick::new(Cell::new(u16::MAX, 0), Cell::new(u16::MAX, 1)));
    }
}

#[test]
fn the_game_keeps_the_contract() {
    let plain = |size| Config::new(size).unwrap();
    let case = |name, config: Config, seeds| {
        let size = u64::from(config.size());
        Case { name, config, seeds: 0..seeds, bound: size * size / 2 }
    };
    let report = check::<State>(&[
        case("the smallest board", plain(3), 20),
        case("a torus", plain(5).torus(true), 10),
        case("filled cells", plain(7).filled_at_random(9).unwrap(), 10),
        case("no limit", plain(5).move_limit(None), 5),
        case(
            "two words a row",
            plain(65).filled_at_random(3700).unwrap().move_limit(Some(Millis::new(1))),
            1,
        ),
    ]);
    let report = report.unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!((report.episodes, report.scrambles), (46, 0), "{report}");
}
