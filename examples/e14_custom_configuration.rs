//! Shows: a game with rules of your own: a preset with other values, and the errors for values that do not fit
//! together.
//! Run it: `cargo run -p examples --bin e14_custom_configuration -- boardX=10 teamSize=3`; the names are those of the
//! book's page "Configuration".

use sdk::local::{self, Parameters, Preset, RawConfig, Value};
use sdk::prelude::*;
use strategies::project::registry::LineUp;

/// Returns a small board with many shams, in which a check is cheap; then the values of the command line.
fn configuration(words: impl Iterator<Item = String>) -> Result<RawConfig, Box<dyn std::error::Error>> {
    let preset = RawConfig {
        board_x: 6,
        board_y: 10,
        goal_area_height: 2,
        sham_piece_probability: 0.6,
        check_for_sham_penalty: 50,
        ..Preset::Quick.raw()
    };
    let mut values: Vec<(String, Value)> =
        preset.parameters().iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not NAME=VALUE"))?;
        match values.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = Value::guess(value),
            None => values.push((name.to_owned(), Value::guess(value))),
        }
    }
    // A name that does not exist is an error, and so is a value of another kind.
    Ok(RawConfig::read(&values.into_iter().collect::<Parameters>())?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // All faults are reported at once, each with the expected value.
    let too_small = RawConfig { board_y: 4, sham_piece_probability: 2.0, ..Preset::Quick.raw() };
    if let Err(faults) = too_small.check() {
        println!("four rows are too few:\n{faults}\n");
    }

    let config = configuration(std::env::args().skip(1))?.check()?;
    println!("{}", config.parameters());
    let greedy: LineUp = "greedy".parse()?;
    println!("{}", local::play(&config, Seed::new(7), |_agent, _team| greedy.construct(0)));
    Ok(())
}
