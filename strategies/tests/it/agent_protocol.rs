//! A strategy behind the agent protocol plays as the strategy itself.

#[allow(dead_code, unreachable_pub, reason = "the example has a main function of its own")]
#[path = "../../examples/shipped_program.rs"]
mod shipped_program;

use std::sync::Arc;
use std::time::Duration;

use game_env::Seed;
use game_env::matches::{MatchLimits, MatchSpec};
use strategies::programs::{Command, Programs};
use strategies::room::{self, Room, rooms};
use wire::agent::{Lost, Peer, Progress};

use self::shipped_program::ShippedProgram;

/// Shipped strategies as programs in this process: the command `program NAME` is the strategy of this name.
#[derive(Debug)]
struct InThisProcess(Seed);

impl Programs for InThisProcess {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        Box::new(Shipped(ShippedProgram::new(&command.words()[1], self.0)))
    }
}

struct Shipped(ShippedProgram);

impl Peer for Shipped {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let line = std::str::from_utf8(line).expect("lines are text");
        if let Some(answer) = self.0.answer(line).expect("the host writes what a program reads") {
            assert_eq!(read(format!("{answer}\n").as_bytes()), Progress::Done, "{answer}");
        }
        Ok(Duration::ZERO)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// The record and the replay of a match with these entrants.
fn played(room: &dyn Room, spec: &MatchSpec) -> (String, Vec<u8>) {
    let mut replay = Vec::new();
    let record = room.play(spec, "test 1.0", Some(&mut replay)).expect("the match is played");
    let outcome =
        format!("{} {} {:016x} {:?}", record.outcome, record.steps, record.hash, record.first_blunders);
    let text = zstd::decode_all(&replay[..]).expect("a replay is compressed");
    // The first line has the names of the players.
    let first = text.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    (outcome, text[first..].to_vec())
}

fn spec(room: &dyn Room, seed: Seed, strategy: impl Fn(usize) -> String, preset: usize) -> MatchSpec {
    let game = room.game();
    let presets = game.presets();
    let parameters = presets.get(preset).map(|preset| preset.parameters.clone()).unwrap_or_default();
    let config = game.complete(&parameters).expect("presets are valid");
    let agents = game.teams(&config).expect("presets are valid").len();
    let limits = MatchLimits { steps: 3_000, decisions: 20_000, ..MatchLimits::default() };
    MatchSpec {
        game: game.name().to_owned(),
        config,
        seed,
        entrants: (0..agents).map(strategy).collect(),
        limits,
    }
}

#[test]
fn every_strategy_plays_the_same_match_behind_the_protocol() {
    for room in rooms() {
        let strategies = room.strategies();
        for (place, strategy) in strategies.iter().enumerate() {
            for round in 0..4 {
                let seed = Seed::new(1_000 * place as u64 + round as u64);
                // Each strategy plays with and against every other one in turn.
                let name = |agent: usize| match agent % 2 {
                    0 => strategy.name.to_owned(),
                    _ => strategies[(place + round) % strategies.len()].name.to_owned(),
                };
                let programs: Arc<dyn Programs> = Arc::new(InThisProcess(seed));
                let program = |agent| format!("\"program {}\"", name(agent));
                let expected = played(*room, &spec(*room, seed, name, 0));
                let found = played(&*room.with_programs(programs), &spec(*room, seed, program, 0));
                assert_eq!(found.0, expected.0, "{} {} {seed}", room.game().name(), strategy.name);
                assert!(
                    found.1 == expected.1,
                    "{} {} {seed}: another replay",
                    room.game().name(),
                    strategy.name
                );
            }
        }
    }
}

#[test]
fn a_room_without_programs_refuses_them() {
    let dots = room::find("dots").expect("a game");
    let spec = spec(dots, Seed::new(7), |_| "\"python3 agent.py\"".to_owned(), 0);
    let error = dots.play(&spec, "test 1.0", None).expect_err("it starts no programs").to_string();
    assert!(error.contains("this program starts none"), "{error}");
}
