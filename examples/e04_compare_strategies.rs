//! Shows: whether your strategy is stronger than a shipped one, by mirrored pairs of games.
//! Run it: `cargo run --release -p examples --bin e04_compare_strategies -- 100 greedy`; the arguments are the number of
//! pairs and the shipped strategy. `e05_lost_game` shows a game that it names as lost against `greedy`.

use bots::project::registry::{BoxedStrategy, Lineup};
use league::project::contest::{contest, lineup};
use sdk::game::Preset;
use sdk::prelude::*;

/// The strategy to compare: replace it by your own. This one is the README's `Carrier`.
struct Mine;

impl Strategy for Mine {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        // The leader of the team tries the western half first, its teammate the eastern half.
        let is_other = |field: Position| (field.x < view.geometry().columns() / 2) != view.is_leader();
        let goal = view.knowledge.open().iter().min_by_key(|at| (is_other(*at), nav::moves(here, *at)));
        let piece = view.knowledge.hunt().candidates().first().copied(); // where the nearest piece may be
        match if has_piece { goal } else { piece } {
            Some(field) if field != here => nav::walk_to(view, field),
            Some(_) if has_piece => Action::Put.into(),
            Some(_) => Action::PickUp.into(),
            None => Action::Discover.into(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(100), |count| count.parse())?;
    let other: Lineup = std::env::args().nth(2).as_deref().unwrap_or("greedy").parse()?;
    let mine = |_place: usize| -> BoxedStrategy { Box::new(Mine) };
    let config = Preset::Quick.config().check()?;
    let hour = SimTime::from_millis(3_600_000);
    let tally = contest(&config, (&mine, &lineup(&other)), Seed::new(1), pairs, hour);

    let ([won, drawn, lost], (score, low, high)) = (tally.games, tally.score());
    println!("{pairs} pairs: {won} games won, {drawn} drawn, {lost} lost");
    println!("{:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * score, 100.0 * low, 100.0 * high);
    println!("a difference of 5 % needs {} pairs", tally.pairs_needed(0.05));
    for (seed, team) in tally.lost.iter().take(3) {
        println!("lost as {team} with seed {seed}");
    }
    Ok(())
}
