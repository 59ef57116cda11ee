//! Shows: a decision by expected cost, and a comparison of an agent with itself before the change.
//! Run it: `cargo run -p examples --bin e09_check_first -- 20`; the number of pairs of games is the argument.

use contests::project::contest::contest;
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::BoxedStrategy;

/// Walks to the nearest piece, and with it to the nearest goal field that it has not tried; checks the piece before
/// that if `checks` is set and the check is worth its time.
struct Seeker {
    checks: bool,
}

// ANCHOR: cost
/// Returns whether a check of the piece in hand costs less than what a sham wastes on average.
fn pays_to_check(view: &View<'_>, way: u16) -> bool {
    let cost = |kind| f64::from(view.penalty(kind).as_millis());
    let wasted_by_sham = f64::from(way) * cost(ActionKind::Move) + cost(ActionKind::Put);
    view.sham_probability() * wasted_by_sham > cost(ActionKind::Check)
}
// ANCHOR_END: cost

impl Strategy for Seeker {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target =
            if has_piece { view.knowledge.open().nearest(here) } else { view.knowledge.nearest_piece() };
        // ANCHOR: check
        if let (true, Hand::Unchecked, Some(goal)) = (self.checks, view.own.hand, target)
            && pays_to_check(view, here.moves_to(goal))
        {
            return view.check();
        }
        // ANCHOR_END: check
        match target {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
}

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(20), |count| count.parse())?;
    let hour = SimTime::from_millis(3_600_000);
    let seeker = |checks| move |_place: usize| -> BoxedStrategy { Box::new(Seeker { checks }) };
    for preset in [Preset::Quick, Preset::Spec] {
        let config = preset.config();
        let tally = contest(&config, (&seeker(true), &seeker(false)), Seed::new(1), pairs, hour);
        let ([won, drawn, lost], (score, low, high)) = (tally.games, tally.score());
        println!("{}: with the check {won} won, {drawn} drawn, {lost} lost", preset.name());
        println!("  {:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * score, 100.0 * low, 100.0 * high);
    }
    Ok(())
}
// ANCHOR_END: main
