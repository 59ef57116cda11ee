//! Shows: whether a change helps, by games of the changed agent against the unchanged one.
//! Run it: `cargo run --release -p examples --bin e11_after_the_fix -- 200`; the number of pairs of games is the
//! argument.

use contests::project::contest::contest;
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::BoxedStrategy;

/// The README's `Carrier`; with `is_fixed` it takes a step where a discovery costs more than that.
struct Carrier {
    is_fixed: bool,
}

impl Strategy for Carrier {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        // ANCHOR: target
        // The leader of the team tries the western half first, its teammate the eastern half.
        let is_other = |field: Position| (field.x < view.geometry().columns() / 2) != view.is_leader();
        let goal = view.knowledge.open().iter().min_by_key(|at| (is_other(*at), here.moves_to(*at)));
        // ANCHOR_END: target
        let piece = view.knowledge.nearest_piece();
        match if has_piece { goal } else { piece } {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => self.search(view),
        }
    }
}

// ANCHOR: fix
impl Carrier {
    /// Returns the choice if nothing is known about the nearest piece.
    fn search(&self, view: &mut View<'_>) -> Choice {
        let inward = view.homeward().opposite();
        let step_is_cheaper = view.penalty(ActionKind::Move) < view.penalty(ActionKind::Discover);
        if self.is_fixed && step_is_cheaper && view.area() != Area::Task && view.is_free(inward) {
            return view.step(inward); // a move tells a distance, too
        }
        view.discover()
    }
}
// ANCHOR_END: fix

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(200), |count| count.parse())?;
    let config = Preset::Quick.config();
    let hour = SimTime::from_millis(3_600_000);
    let carrier = |is_fixed| move |_place: usize| -> BoxedStrategy { Box::new(Carrier { is_fixed }) };
    let tally = contest(&config, (&carrier(true), &carrier(false)), Seed::new(1), pairs, hour);
    let ([won, drawn, lost], (score, low, high)) = (tally.games, tally.score());
    println!("{pairs} pairs: {won} games won, {drawn} drawn, {lost} lost");
    println!("{:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * score, 100.0 * low, 100.0 * high);
    Ok(())
}
// ANCHOR_END: main
