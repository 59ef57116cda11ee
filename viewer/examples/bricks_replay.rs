//! Prints the replay of a game of Bricks on a torus between two players that move at random, as text.
//!
//! `cargo run -p viewer --example bricks_replay > viewer/tests/games/bricks.replay` makes the file that the tests look at.

use std::error::Error;
use std::io::{self, Write as _};

use game_bricks::{Brick, Config, State};
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Environment, Latency, Millis, RandomPolicy, Rollout, Seed};

fn main() -> Result<(), Box<dyn Error>> {
    let filled = ["0x0".parse()?, "4x3".parse()?];
    let (config, seed) = (Config::new(9)?.torus(true).filled(filled)?.filled_at_random(4)?, Seed::new(7));
    let mut state = State::new(&config, seed);
    let names = ["random", "random too"];
    let player = |agent: AgentId| Player::new(state.team(agent), names[agent.index()]);
    let players = AgentId::all(2).map(player).collect();
    let header = Header::new::<State>(&config, seed, players, "viewer's tests");
    let mut writer = Writer::new(Vec::new(), &header)?;
    let mut policies = [1, 2].map(|seed| RandomPolicy::<Brick>::new(Seed::new(seed).game()));
    let latency = Latency::drawn(seed, vec![(Millis::new(20), Millis::new(400)); 2]);
    Rollout { latency, ..Rollout::default() }.play(&mut state, &mut policies, &mut writer);
    io::stdout().write_all(&zstd::decode_all(&writer.finish()?[..])?)?;
    Ok(())
}
