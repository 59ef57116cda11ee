//! Any bytes as a replay: they are played or refused with the line that is wrong, and what was played can be recorded
//! and played again.
//!
//! `cargo +nightly fuzz run replay fuzz/corpus/replay fuzz/seeds/replay`
//!
//! The input is a file if it begins like one, plain or compressed, of any game; otherwise it is the lines behind a good
//! header of The Project Game, so that the fuzzer need not find a header with the right hash.
//! `reference-gm/tests/it/forged.rs` has a part of this as a property for ordinary tests.

#![no_main]

use std::error::Error;
use std::sync::LazyLock;

use game_bricks::State as Bricks;
use game_conveyor::State as Conveyor;
use game_dots::State as Dots;
use game_env::replay::{Header, LATEST, Playback, Player, Reader, Writer};
use game_env::text::is_hidden;
use game_env::{Environment, Notation, Parameters, Seed, Value};
use game_eriantys::State as Eriantys;
use game_project::{Preset, State as Project};
use libfuzzer_sys::fuzz_target;
use viewer::recording::Recording;

/// The header of a game of the seed 7 on the smallest preset.
static HEADER: LazyLock<Header> = LazyLock::new(|| {
    let config = Preset::Quick.config();
    let players = Player::all(&Project::new(&config, Seed::new(7)), |agent| format!("agent {agent}"));
    Header::new::<Project>(&config, Seed::new(7), players, "fuzz")
});

/// The header as a line of text.
static FIRST_LINE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut line = serde_json::to_vec(&*HEADER).expect("a header is JSON");
    line.push(b'\n');
    line
});

fuzz_target!(|input: &[u8]| {
    let is_file = input.starts_with(b"{\"format\"") || input.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let file = if is_file { input.to_vec() } else { [&FIRST_LINE[..], input].concat() };
    let reader = match Reader::open(&file[..]) {
        Ok(reader) => reader,
        Err(error) => return look_at(&error),
    };
    let header = reader.header();
    match header.game.as_str() {
        Project::GAME => check::<Project>(&file, header),
        Dots::GAME => check::<Dots>(&file, header),
        Bricks::GAME => check::<Bricks>(&file, header),
        Conveyor::GAME => check::<Conveyor>(&file, header),
        Eriantys::GAME => check::<Eriantys>(&file, header),
        _ => look_at(&Recording::read(&file[..], "fuzz").expect_err("the game has no room")),
    }
});

/// Plays a file of this game as the page and as other programs do.
fn check<E: Notation>(file: &[u8], header: &Header) {
    if E::read_config(&header.config).is_ok_and(|config| !is_small(&E::write_config(&config))) {
        return;
    }
    let shown = Recording::read(file, "fuzz");
    let mut playback = match Playback::<E>::open(file) {
        Ok(playback) => playback,
        Err(error) => {
            assert!(shown.is_err());
            return look_at(&error);
        }
    };
    // A header that is written again may be longer than it was.
    let Ok(mut writer) = Writer::new(Vec::new(), playback.reader().header()) else { return };
    let played = playback.run(&mut writer);
    assert_eq!(played.is_ok(), shown.is_ok(), "{played:?}");
    let (summary, shown) = match (played, shown) {
        (Ok(summary), Ok(shown)) => (summary, shown),
        (Err(error), _) => return look_at(&error),
        (_, Err(error)) => return look_at(&error),
    };
    if E::GAME == Project::GAME {
        for agent in shown.statistics["agents"].as_array().expect("a list") {
            let times = ["lockedMs", "idleMs"].map(|name| agent[name].as_u64().expect("a time"));
            assert!(times[0] + times[1] <= LATEST.as_millis(), "{agent}");
        }
    }
    let written = writer.finish().expect("a vector takes everything");
    let mut again = Playback::<E>::open(&written[..]).expect("it was played");
    let repeated = again.run(&mut ()).expect("it was played");
    assert_eq!(
        (repeated.count, repeated.time, repeated.outcome),
        (summary.count, summary.time, summary.outcome)
    );
    assert_eq!(again.state().hash(), playback.state().hash());
}

/// Returns whether a game with this configuration is soon set up. A large board of The Project Game takes seconds, and
/// is no matter of bytes.
fn is_small(config: &Parameters) -> bool {
    ["boardX", "boardY", "redAgents", "blueAgents", "numberOfPieces"]
        .into_iter()
        .all(|name| !matches!(config.get(name), Some(Value::Whole(41..))))
}

/// A terminal shows a message as it is.
fn look_at(error: &(dyn Error + 'static)) {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        let text = error.to_string();
        assert!(!text.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{text:?}");
        cause = error.source();
    }
}
