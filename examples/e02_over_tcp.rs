//! Shows: an agent that plays on a server.
//! Run it: `cargo run -p examples --bin e02_over_tcp -- red 127.0.0.1:3727`, with a communication server and a game
//! master there (README, "Host a game").

use std::process::ExitCode;

use sdk::agent::{Agent, DEFAULT_SERVER};
use sdk::prelude::*;

/// Walks at random.
struct Stroller;

impl Strategy for Stroller {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let ways: Vec<Direction> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
        let way = ways[view.chance.index(ways.len())];
        view.step(way)
    }
}

// ANCHOR: main
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let team = match arguments.next().as_deref() {
        None | Some("red") => Team::Red,
        Some("blue") => Team::Blue,
        Some(other) => {
            eprintln!("error: invalid team `{other}`: expected red or blue");
            return ExitCode::from(2);
        }
    };
    let server = arguments.next().unwrap_or_else(|| DEFAULT_SERVER.to_owned());
    // The agent keeps the penalties, answers its leader, and returns when the game is over.
    match Agent::builder(team).server(server).run(Stroller, |report| println!("{report}")) {
        Ok(played) => {
            println!("{}", played.end);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
// ANCHOR_END: main
