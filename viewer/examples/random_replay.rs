//! Prints the replay of a game between players that move at random, as text.
//!
//! `cargo run -p viewer --example random_replay bricks > viewer/tests/games/bricks.replay` makes the file that the
//! tests look at, and so do `conveyor`, `dots` and `eriantys`.

use std::error::Error;
use std::io::{self, Write as _};

use game_env::replay::{Header, Player, Writer};
use game_env::{Latency, Millis, Notation, RandomPolicy, Rollout, Seed};

const SEED: Seed = Seed::new(7);

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("bricks") => {
            let config = game_bricks::Config::new(9)?.torus(true).filled(["0x0".parse()?, "4x3".parse()?])?;
            let latency = Latency::drawn(SEED, vec![(Millis::new(20), Millis::new(400)); 2]);
            print::<game_bricks::State>(&config.filled_at_random(4)?, latency)
        }
        Some("conveyor") => {
            let config = game_conveyor::Config::new(7, 5)?.with_conveyors(2)?;
            print::<game_conveyor::State>(&config, Latency::default())
        }
        Some("dots") => print::<game_dots::State>(&game_dots::Config::new(5, 6)?, Latency::default()),
        Some("eriantys") => {
            print::<game_eriantys::State>(&game_eriantys::Config::new(3, true)?, Latency::default())
        }
        _ => Err("expected the name of a game: bricks, conveyor, dots or eriantys".into()),
    }
}

fn print<E: Notation>(config: &E::Config, latency: Latency) -> Result<(), Box<dyn Error>> {
    let mut state = E::new(config, SEED);
    let names = ["random", "random too", "random as well"];
    let players = Player::all(&state, |agent| names[agent.index()]);
    let header = Header::new::<E>(config, SEED, players, "viewer's tests");
    let mut writer = Writer::new(Vec::new(), &header)?;
    let policy = |seed| RandomPolicy::<E::Action>::new(Seed::new(seed).game());
    let mut policies: Vec<_> = (1..).map(policy).take(state.agents()).collect();
    Rollout { latency, ..Rollout::default() }.play(&mut state, &mut policies, &mut writer);
    io::stdout().write_all(&zstd::decode_all(&writer.finish()?[..])?)?;
    Ok(())
}
