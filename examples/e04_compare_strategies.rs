//! Shows: whether your strategy is stronger than a shipped one, and where they differ, by mirrored pairs of games.
//! Run it: `cargo run --release -p examples --bin e04_compare_strategies -- 400 greedy`; the arguments are the largest
//! number of pairs, the shipped strategy, and the seed of all games. The test needs at least 129 pairs, and many more
//! if the strategies are close. `e05_lost_game` shows a game against `greedy` that it names.

use contests::project::comparison::{Comparison, Side};
use contests::project::contest::constructor;
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

/// The strategy to compare: replace it by your own. This one is the README's `Carrier`.
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
    let mut words = std::env::args().skip(1);
    let most_pairs = words.next().map_or(Ok(400), |count| count.parse())?;
    let name = words.next().unwrap_or_else(|| "greedy".to_owned());
    let seed = words.next().map_or(Ok(Seed::new(1)), |seed| seed.parse())?;
    let line_up: LineUp = name.parse()?;
    let config = Preset::Quick.config();
    let mine = |_place: usize| -> BoxedStrategy { Box::new(Mine) };
    let own = Side { name: "mine", construct: &mine };
    let compared = Comparison::new(&config, own, Side { name: &name, construct: &constructor(&line_up) })
        .run(seed, most_pairs)?;
    println!("{}\ngames to look at:", compared.findings);
    for game in compared.games {
        println!("  {}: e05_lost_game -- {} {}", game.why, game.seed, game.team);
    }
    Ok(())
}
