//! Prints the replay of a game of Dots & Boxes between two players that move at random, as text.
//!
//! `cargo run -p viewer --example dots_replay > viewer/tests/games/dots.replay` makes the file that the tests look at.

use std::error::Error;
use std::io::{self, Write as _};

use game_dots::{Config, Edge, State};
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Environment, RandomPolicy, Rollout, Seed};

fn main() -> Result<(), Box<dyn Error>> {
    let (config, seed) = (Config::new(5, 6)?, Seed::new(7));
    let mut state = State::new(&config, seed);
    let names = ["random", "random too"];
    let player = |agent: AgentId| Player::new(state.team(agent), names[agent.index()]);
    let players = AgentId::all(2).map(player).collect();
    let header = Header::new::<State>(&config, seed, players, "viewer's tests");
    let mut writer = Writer::new(Vec::new(), &header)?;
    let mut policies = [1, 2].map(|seed| RandomPolicy::<Edge>::new(Seed::new(seed).game()));
    Rollout::default().play(&mut state, &mut policies, &mut writer);
    io::stdout().write_all(&zstd::decode_all(&writer.finish()?[..])?)?;
    Ok(())
}
