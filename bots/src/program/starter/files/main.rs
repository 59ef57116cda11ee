//! Plays the agent: in this process against `greedy`, or on a server.

use std::error::Error;
use std::process::ExitCode;

use bots::project::registry::{BoxedStrategy, Lineup};
use my_agent::Mine;
use sdk::agent::Agent;
use sdk::game::Preset;
use sdk::local;
use sdk::prelude::*;

const USAGE: &str = "usage: my-agent [SEED]            a game in this process against `greedy`
       my-agent HOST:PORT TEAM    a game on a server";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => play("7"),
        ["-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        [seed] => play(seed),
        [server, team] => join(server, team),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays a game in this process. The seed decides the game.
fn play(seed: &str) -> Result<(), Box<dyn Error>> {
    let config = Preset::Quick.config().check()?;
    let greedy: Lineup = "greedy".parse()?;
    let played = local::play(&config, seed.parse()?, |_agent, team| -> BoxedStrategy {
        if team == Team::Red { Box::new(Mine) } else { greedy.construct(0) }
    });
    println!("{played}");
    Ok(())
}

/// Joins a game on a server, and plays it to its end.
fn join(server: &str, team: &str) -> Result<(), Box<dyn Error>> {
    // Agents of one team draw different random numbers.
    let seed = Seed::new(std::process::id().into());
    let agent = Agent::builder(team.parse()?).server(server).seed(seed);
    let played = agent.run(Mine, |report| eprintln!("{report}"))?;
    println!("{}", played.end);
    Ok(())
}
