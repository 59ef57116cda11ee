//! Shows: a whole agent, and a whole game of four such agents in this process. The README's first program: a test
//! compares the two.
//! Run it: `cargo run -p examples --bin e01_hello_agent -- 7`; the number is the seed, which repeats the game.

use sdk::local::{self, Preset};
use sdk::prelude::*;

/// Carries every piece to the nearest untried goal field in its own half of the goal area.
struct Carrier;

impl Strategy for Carrier {
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
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?; // decides the game
    let played = local::play(&Preset::Quick.config(), seed, |_agent, _team| Carrier);
    println!("{played}"); // who won, when, the points, and the strategy's mistakes, if any
    Ok(())
}
