//! Shows: a whole agent, and a whole game of four such agents in this process.
//! Run it: `cargo run -p examples --bin e01_hello_agent -- 7`; the number is the seed, which repeats the game.

use sdk::game::RawConfig;
use sdk::local;
use sdk::prelude::*;

/// Carries pieces to the nearest field of its goal area that it has not tried.
struct Carrier;

impl Strategy for Carrier {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        let here = view.position();
        if view.own.hand.is_full() {
            // What is open is what nobody has tried yet, as far as this agent knows.
            return match view.knowledge.open().nearest(here) {
                Some(field) if field == here => Action::Put.into(),
                Some(field) => go(view, field),
                None => Action::Destroy.into(),
            };
        }
        if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
            return Action::PickUp.into();
        }
        // Every move and discovery tells distances, and those tell where the nearest piece can be.
        match view.knowledge.hunt().candidates().first() {
            Some(field) => go(view, *field),
            None => Action::Discover.into(),
        }
    }
}

/// A step around whoever is in the way. If there is none: anywhere, so that nobody waits for the other for ever.
fn go(view: &mut View<'_>, field: Position) -> Choice<Action> {
    let anywhere: Vec<Direction> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
    let direction = nav::step_to(view, field);
    Action::Move(direction.unwrap_or_else(|| anywhere[view.chance.index(anywhere.len())])).into()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed: u64 = std::env::args().nth(1).unwrap_or_else(|| "7".to_owned()).parse()?;
    let config = RawConfig { board_x: 8, board_y: 12, goal_area_height: 2, ..RawConfig::default() };
    let played = local::play(&config.check()?, Seed::new(seed), |_agent, _team| Carrier);
    match played.winner() {
        Some(team) => print!("{team} wins"),
        None => print!("nobody wins"),
    }
    println!(" after {} actions and {} of game time", played.episode.steps, played.episode.time);
    for blunder in &played.blunders {
        println!("{blunder}");
    }
    Ok(())
}
