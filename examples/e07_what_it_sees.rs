//! Shows: what an agent sees when it decides, as text.
//! Run it: `cargo run -p examples --bin e07_what_it_sees -- 3`; the number of decisions to print is the argument.

use sdk::local::{Game, Preset};
use sdk::prelude::*;

// ANCHOR: agent
/// Looks around once, then walks to where the nearest piece may be; prints what agent `#0` sees before each decision.
struct Observer {
    left: u32,
}

impl Strategy for Observer {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let chosen = match view.knowledge.nearest_piece() {
            None => view.discover(),
            Some(field) if field == view.position() => view.pick_up(),
            Some(field) => view.walk_to(field),
        };
        if self.left > 0 && view.own.agent == AgentId::new(0) {
            self.left -= 1;
            println!("{view}signs: {}\nit chooses {chosen:?}\n", view.legend());
        }
        chosen
    }
}
// ANCHOR_END: agent

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let left = std::env::args().nth(1).map_or(Ok(3), |count| count.parse())?;
    let config = Preset::Quick.config();
    // The game is stopped early: nobody here carries a piece to a goal.
    let game = Game::new(&config, Seed::new(7)).longest(SimTime::from_millis(2_000));
    game.play(|_agent, _team| Observer { left });
    Ok(())
}
