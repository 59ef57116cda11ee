//! Shows: whether an own strategy is stronger than one that is shipped, by mirrored pairs of games.
//! Run it: `cargo run --release -p examples --bin e04_compare_strategies -- 100`, with the number of pairs.

use bots::contest::{contest, lineup};
use bots::registry::{BoxedStrategy, Lineup};
use sdk::game::RawConfig;
use sdk::prelude::*;

/// The strategy to be compared: put your own here.
struct Mine;

impl Strategy for Mine {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let here = view.position();
        if view.own.hand.is_full() {
            return match view.knowledge.open().nearest(here) {
                Some(field) if field == here => Action::Put.into(),
                Some(field) => nav::walk_to(view, field),
                None => Action::Destroy.into(),
            };
        }
        if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
            return Action::PickUp.into();
        }
        match view.knowledge.hunt().candidates().first() {
            Some(place) => nav::walk_to(view, *place),
            None => Action::Discover.into(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(100), |count| count.parse())?;
    let other: Lineup = "greedy".parse()?;
    let mine = |_place: usize| -> BoxedStrategy { Box::new(Mine) };
    let config =
        RawConfig { board_x: 8, board_y: 14, goal_area_height: 3, ..RawConfig::default() }.check()?;
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
