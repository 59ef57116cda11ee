//! Shows: an agent that finds pieces and goals, and its results against `random` and `greedy`.
//! Run it: `cargo run -p examples --bin e08_seek_and_carry -- 20`; the number of pairs of games is the argument.

use contests::project::contest::{constructor, contest};
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

// ANCHOR: agent
/// Walks to the nearest piece, and with it to the nearest goal field that it has not tried.
struct Seeker;

impl Strategy for Seeker {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target =
            if has_piece { view.knowledge.open().nearest(here) } else { view.knowledge.nearest_piece() };
        match target {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
}
// ANCHOR_END: agent

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(20), |count| count.parse())?;
    let config = Preset::Quick.config();
    let hour = SimTime::from_millis(3_600_000);
    let seeker = |_place: usize| -> BoxedStrategy { Box::new(Seeker) };
    for name in ["random", "greedy"] {
        let other: LineUp = name.parse()?;
        let tally = contest(&config, (&seeker, &constructor(&other)), Seed::new(1), pairs, hour);
        let ([won, drawn, lost], (score, low, high)) = (tally.games, tally.score());
        println!("against {name}: {won} won, {drawn} drawn, {lost} lost");
        println!("  {:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * score, 100.0 * low, 100.0 * high);
    }
    Ok(())
}
// ANCHOR_END: main
