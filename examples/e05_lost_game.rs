//! Shows: why your strategy lost a game: where the teams differ, each decision as text, and a replay for the page.
//! Run it: `cargo run -p examples --bin e05_lost_game -- SEED TEAM`, with the seed of a game that
//! `e04_compare_strategies` names, and the team of `Mine` in it. It writes `lost.replay`, and prints what each agent of
//! that team knew and decided.

use std::fs::File;

use contests::project::comparison::{Comparison, Side};
use contests::project::contest::constructor;
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

/// The strategy that lost: replace it by your own. This one is the README's `Carrier`.
struct Mine;

impl Strategy for Mine {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        // The leader of the team tries the western half first, its teammate the eastern half.
        let is_other = |field: Position| (field.x < view.geometry().columns() / 2) != view.is_leader();
        let goal = view.knowledge.open().iter().min_by_key(|at| (is_other(*at), here.moves_to(*at)));
        let piece = view.knowledge.nearest_piece(); // where the nearest piece may be
        match if has_piece { goal } else { piece } {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "expected the seed of a game and the team of `Mine`, e.g. `5 blue`";
    let seed: Seed = std::env::args().nth(1).ok_or(usage)?.parse()?;
    let team: Team = std::env::args().nth(2).ok_or(usage)?.parse()?;
    let line_up: LineUp = "greedy".parse()?;
    let config = Preset::Quick.config();
    let mine = |_place: usize| -> BoxedStrategy { Box::new(Mine) };
    let own = Side { name: "mine", construct: &mine };
    let greedy = constructor(&line_up);
    let other = Side { name: "greedy", construct: &greedy };
    let replayed =
        Comparison::new(&config, own, other).again(seed, team, &mut File::create("lost.replay")?)?;
    println!("{replayed}\n{}", replayed.decisions);
    println!("the page: cargo run -p reference-gm -- view lost.replay");
    Ok(())
}
