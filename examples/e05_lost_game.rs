//! Shows: why your strategy lost a game, as a replay for the page and as text.
//! Run it: `cargo run -p examples --bin e05_lost_game -- SEED TEAM`, with seed and team of a line of
//! `e04_compare_strategies` ("lost as blue with seed 5"). It writes `lost.replay`, and prints what each agent of that
//! team knew and decided.

use std::fs::File;

use bots::project::registry::{BoxedStrategy, Lineup};
use sdk::game::Preset;
use sdk::local::Game;
use sdk::prelude::*;
use sdk::testing;

/// The strategy that lost: replace it by your own. This one is the README's `Carrier`.
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
    let usage = "expected the seed and the team of a lost game, e.g. `5 blue`";
    let seed: Seed = std::env::args().nth(1).ok_or(usage)?.parse()?;
    let mine: Team = std::env::args().nth(2).ok_or(usage)?.parse()?;
    let other: Lineup = "greedy".parse()?;
    let config = Preset::Quick.config().check()?;

    let (mut own, mut others) = (Vec::new(), 0);
    let played = Game::new(&config, seed).record("lost.replay", |agent, team| -> BoxedStrategy {
        if team == mine {
            own.push(agent);
            return Box::new(Mine);
        }
        others += 1;
        other.construct(others - 1)
    })?;
    println!("{played}");

    for agent in own {
        println!("\nagent {agent}\n{}", testing::decisions(File::open("lost.replay")?, agent, Mine)?);
    }
    println!("the page: cargo run -p reference-gm -- view lost.replay");
    Ok(())
}
