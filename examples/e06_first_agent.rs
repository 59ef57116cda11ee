//! Shows: the smallest agent that can score a point.
//! Run it: `cargo run -p examples --bin e06_first_agent -- 7`; the number is the seed, which repeats the game.

use sdk::local::{self, RawConfig};
use sdk::prelude::*;

// ANCHOR: agent
/// Walks at random, picks up what lies under it, and puts it down in its goal area.
struct Wanderer;

impl Strategy for Wanderer {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (area, has_piece) = (view.area(), view.own.hand.is_full());
        if area == Area::Task && !has_piece && view.distance() == Some(Distance::new(0)) {
            return view.pick_up();
        }
        if area == Area::Goal(view.own.team) && has_piece {
            return view.put();
        }
        let ways: Vec<Direction> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
        let way = ways[view.chance.index(ways.len())];
        view.step(way)
    }
}
// ANCHOR_END: agent

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?;
    let small = RawConfig { board_x: 6, board_y: 9, goal_area_height: 1, ..RawConfig::default() };
    let played = local::play(&small.check()?, seed, |_agent, _team| Wanderer);
    println!("{played}");
    Ok(())
}
// ANCHOR_END: main
