//! Shows: a whole agent, and a whole game of four such agents in this process. The README's first program: a test
//! sees to it that they stay alike.
//! Run it: `cargo run -p examples --bin e01_hello_agent -- 7`; the number is the seed, which repeats the game.

use sdk::game::RawConfig;
use sdk::local;
use sdk::prelude::*;

/// Looks for a piece where one may lie, and carries it to the nearest goal field that is worth a try.
struct Carrier;

impl Strategy for Carrier {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let (here, is_carrying) = (view.position(), view.own.hand.is_full());
        let target = match is_carrying {
            true => view.knowledge.open().nearest(here),
            false => view.knowledge.hunt().candidates().first().copied(),
        };
        match target {
            Some(field) if field != here => nav::walk_to(view, field),
            Some(_) if is_carrying => Action::Put.into(),
            Some(_) => Action::PickUp.into(),
            None => Action::Discover.into(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The seed decides the game; another one may be given on the command line.
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?;
    let small = RawConfig {
        board_x: 8,
        board_y: 12,
        goal_area_height: 2,
        number_of_goals: 3,
        ..RawConfig::default()
    };
    let played = local::play(&small.check()?, seed, |_agent, _team| Carrier);
    println!("{played}"); // who wins, and when; and what went wrong in the strategy, if anything did
    Ok(())
}
