//! Any bytes from a program of the agent protocol: each conversation and each game ends, in the same way however the
//! bytes are cut, and no other agent is at fault.
//!
//! `cargo +nightly fuzz run agent_protocol fuzz/corpus/agent_protocol fuzz/seeds/agent_protocol`
//!
//! The first byte of the input chooses the rule of thinking, and how the program ends. The rest is all that it writes:
//! to `hello`, to every message that follows, and behind the last one. `wire/tests/it/agent_conversation.rs` has the
//! conversation as ordinary tests, `league/tests/it/python/misbehaving.rs` whole games with processes.

#![no_main]

use std::sync::Arc;
use std::time::Duration;

use game_env::matches::{MatchLimits, MatchRecord, MatchSpec};
use game_env::text::is_hidden;
use game_env::{AgentId, Parameters, Seed, SimTime, Termination, Thinking, Value};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value as Json, json};
use strategies::programs::{Command, Programs};
use strategies::room;
use wire::agent::message::{Answer, Ready};
use wire::agent::{Conversation, Fault, Lost, Peer, Progress};

/// The longest report in a record, in characters.
const LONGEST_REPORT: usize = 2_000;

/// The time that each answer takes, for the rule that charges it.
const TOOK: Duration = Duration::from_millis(3);

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let thinking = match choice & 3 {
        0 | 1 => Thinking::Free,
        2 => Thinking::LimitMs(5),
        _ => Thinking::ChargeMs(40),
    };
    let end = match (choice >> 2) & 3 {
        0 => Lost::Late,
        1 => Lost::Closed,
        2 => Lost::Ended("ended with exit code 1".to_owned()),
        _ => Lost::NotStarted("no such file".to_owned()),
    };
    let [whole, cut] =
        [bytes.len(), 7].map(|piece| Written { bytes: bytes.into(), piece: piece.max(1), end: end.clone() });
    assert_eq!(converse(&whole, thinking), converse(&cut, thinking));
    for game in room::rooms().iter().map(|room| room.game().name()) {
        let record = play(game, &whole, thinking);
        assert_eq!(record, play(game, &cut, thinking));
        check(game, &record);
    }
});

/// All that a program writes, in pieces of this length, and its end.
#[derive(Clone, Debug)]
struct Written {
    bytes: Arc<[u8]>,
    piece: usize,
    end: Lost,
}

/// A program that has written this many bytes.
struct Writing(Written, usize);

impl Programs for Written {
    fn start(&self, _: &Command) -> Box<dyn Peer> {
        Box::new(Writing(self.clone(), 0))
    }
}

impl Peer for Writing {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let message: Json = serde_json::from_slice(line).expect("the host writes JSON");
        assert!(message["type"].is_string() && line.ends_with(b"\n"));
        let Self(Written { bytes, piece, end }, start) = self;
        let mut progress = read(&[]);
        while progress == Progress::More {
            let behind = bytes.len().min(*start + *piece);
            if *start == behind {
                return Err(end.clone());
            }
            progress = read(&bytes[*start..behind]);
            *start = behind;
        }
        Ok(TOOK)
    }

    fn told(&mut self) -> String {
        "no idea\n".repeat(1_000)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// The program's wishes, its answers, its fault if there is one, and its first line that is no answer.
fn converse(
    written: &Written,
    thinking: Thinking,
) -> (Result<Ready, Fault>, Vec<Answer>, Option<Fault>, Option<String>) {
    let mut peer = Writing(written.clone(), 0);
    let mut conversation = Conversation::new(thinking);
    let ready = conversation.begin(&mut peer, &json!({ "type": "hello" }));
    let (mut answers, mut fault) = (Vec::new(), None);
    while ready.is_ok() && fault.is_none() {
        match conversation.ask(&mut peer, &json!({ "type": "decide" })) {
            Ok((answer, took)) => {
                assert_eq!(took, TOOK);
                answers.push(answer);
            }
            Err(reason) => fault = Some(reason),
        }
    }
    let strange = conversation.take_strange();
    for text in ready.as_ref().err().into_iter().chain(&fault).map(ToString::to_string).chain(strange.clone())
    {
        look_at_report(&text);
    }
    (ready, answers, fault, strange)
}

/// Plays a match of the program against strategies.
fn play(game: &str, written: &Written, thinking: Thinking) -> MatchRecord {
    let programs: Arc<dyn Programs> = Arc::new(written.clone());
    let room = room::find(game).expect("a game").with_programs(programs);
    let values: &[(&str, Value)] = match game {
        "dots" => &[("rows", Value::Whole(3)), ("cols", Value::Whole(3))],
        "project" => &[("teamSize", Value::Whole(1))],
        _ => &[],
    };
    let values: Parameters = values.iter().cloned().collect();
    let config = room.game().complete(&values).expect("it is valid");
    let agents = room.game().teams(&config).expect("it is valid").len();
    let mut entrants = vec!["random".to_owned(); agents];
    entrants[0] = "\"a program\"".to_owned();
    let spec = MatchSpec {
        game: game.to_owned(),
        config,
        seed: Seed::new(4),
        entrants,
        limits: MatchLimits {
            time: SimTime::from_millis(30_000),
            steps: 200,
            decisions: 1_000,
            thinking,
            ..MatchLimits::default()
        },
    };
    room.play(&spec, "fuzz 1.0", None).expect("the match is valid")
}

fn check(game: &str, record: &MatchRecord) {
    assert!(record.outcome.fault.is_none_or(|agent| agent == AgentId::new(0)), "{}", record.outcome);
    if game == "project" {
        // The others play on.
        assert!(
            matches!(record.outcome.termination, Termination::Normal | Termination::Stall),
            "{}",
            record.outcome
        );
    }
    record.first_blunders.iter().for_each(|report| look_at_report(report));
    assert!(record.first_blunders.len() as u64 <= record.blunders);
}

/// Asserts that a terminal shows the lines of a report as they are.
fn look_at_report(text: &str) {
    assert!(text.chars().count() <= LONGEST_REPORT, "{text:?}");
    assert!(!text.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{text:?}");
}
