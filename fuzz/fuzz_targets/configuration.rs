//! Any file as a configuration: it is read or refused in a message for a terminal, and the values in force are allowed.
//!
//! `cargo +nightly fuzz run configuration fuzz/corpus/configuration fuzz/seeds/configuration`
//!
//! The same bytes are read as a file of the game master, of the communication server, and of agents.

#![no_main]

use std::error::Error;

use game_env::text::is_hidden;
use game_env::{Parameters, configuration};
use libfuzzer_sys::fuzz_target;
use reference_gm::project::config::HostConfig;

fuzz_target!(|file: &[u8]| {
    let nothing = Parameters::new();
    let file = match configuration::read(file) {
        Ok(file) => file,
        Err(error) => return look_at(&error),
    };
    match HostConfig::over_preset(&nothing, &file, &nothing) {
        Ok(config) => {
            let again = HostConfig::layered(&config.parameters(), &nothing).expect("it is in force");
            assert_eq!(again.parameters(), config.parameters());
        }
        Err(error) => look_at(&error),
    }
    if let Err(error) = cs::config::Config::layered(&file, &nothing) {
        look_at(&error);
    }
    if let Err(error) = file.parameters() {
        look_at(&error);
    }
});

/// A message is short, and a terminal shows it as it is.
fn look_at(error: &dyn Error) {
    const LONGEST: usize = 16 << 10;
    let mut cause = Some(error);
    while let Some(error) = cause {
        let text = error.to_string();
        assert!(text.len() <= LONGEST, "{} bytes of message", text.len());
        assert!(!text.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{text:?}");
        cause = error.source();
    }
}
