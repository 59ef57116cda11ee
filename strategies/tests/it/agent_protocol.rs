//! A strategy behind the agent protocol plays as the strategy itself.

#[allow(dead_code, unreachable_pub, reason = "the example has a main function of its own")]
#[path = "../../examples/shipped_program.rs"]
mod shipped_program;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use game_env::matches::{MatchLimits, MatchRecord, MatchSpec};
use game_env::replay::{Reader, Record};
use game_env::{AgentId, Millis, Parameters, Seed, SimTime, Termination, Thinking, Value};
use strategies::programs::{Command, Programs};
use strategies::room::{self, Room, rooms};
use wire::agent::{FaultReport, LONGEST_END_OF_ERRORS, Lost, Peer, Progress};

use self::shipped_program::ShippedProgram;

/// Shipped strategies as programs in this process: the command `program NAME` is the strategy of this name, which takes
/// this time for each answer.
#[derive(Debug)]
struct InThisProcess(Seed, Duration);

impl Programs for InThisProcess {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        Box::new(Shipped(ShippedProgram::new(&command.words()[1], self.0), self.1))
    }
}

struct Shipped(ShippedProgram, Duration);

impl Peer for Shipped {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        if self.1 > limit {
            return Err(Lost::Late);
        }
        let line = std::str::from_utf8(line).expect("lines are text");
        let answer = self.0.answer(line).expect("the host writes what a program reads");
        if !answer.is_empty() {
            assert_eq!(read(answer.as_bytes()), Progress::Done, "{answer}");
        }
        Ok(self.1)
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
                let programs: Arc<dyn Programs> = Arc::new(InThisProcess(seed, Duration::ZERO));
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

/// A match of the first preset of this game, in which the strategy of this name is a program that takes this time for
/// each answer, against `random`; with the moments of its actions.
fn timed(game: &str, name: &str, thinking: Thinking, took: u64) -> (MatchRecord, Vec<SimTime>) {
    let seed = Seed::new(3);
    let room = room::find(game).expect("a game");
    let program = |agent| if agent == 0 { format!("\"program {name}\"") } else { "random".to_owned() };
    let mut spec = spec(room, seed, program, 0);
    spec.limits.thinking = thinking;
    let programs: Arc<dyn Programs> = Arc::new(InThisProcess(seed, Duration::from_millis(took)));
    let mut replay = Vec::new();
    let record = room.with_programs(programs).play(&spec, "test 1.0", Some(&mut replay)).unwrap();
    let mut reader = Reader::open(&replay[..]).unwrap();
    let mut moments = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::Action { at, agent, .. } = record
            && agent == AgentId::new(0)
        {
            moments.push(at);
        }
    }
    (record, moments)
}

#[test]
fn thinking_that_is_charged_takes_game_time() {
    // In The Project Game the first action of all agents is served at the beginning.
    let (_, free) = timed("project", "greedy", Thinking::Free, 70);
    let (_, charged) = timed("project", "greedy", Thinking::ChargeMs(2), 70);
    assert_eq!((free[0], charged[0]), (SimTime::START, SimTime::from_millis(140)));
    // The next decision begins when the penalty of the action is over.
    assert_eq!(charged[1], charged[0] + (free[1] - free[0]) + Millis::new(140));

    // In Bricks the move limit of 500 ms counts.
    let ends = |thinking| {
        let (record, moments) = timed("bricks", "random", thinking, 70);
        let fault = record.outcome.fault.map(AgentId::index);
        (moments.first().copied(), record.outcome.termination, fault, record.time)
    };
    let free = ends(Thinking::Free);
    assert_eq!((free.0, free.1, free.3), (Some(SimTime::START), Termination::Normal, SimTime::START));
    let charged = ends(Thinking::ChargeMs(2));
    assert_eq!((charged.0, charged.1), (Some(SimTime::from_millis(140)), Termination::Normal));
    let late = ends(Thinking::ChargeMs(8));
    assert_eq!(late, (None, Termination::Time, Some(0), SimTime::from_millis(500)));

    // Dots & Boxes has no time.
    let [free, charged] =
        [Thinking::Free, Thinking::ChargeMs(1_000)].map(|thinking| timed("dots", "greedy", thinking, 70));
    assert_eq!((free.0.outcome, free.0.hash, &free.1), (charged.0.outcome, charged.0.hash, &charged.1));
    assert!(charged.1.iter().all(|at| *at == SimTime::START) && !charged.1.is_empty());
}

#[test]
fn a_limit_of_thinking_is_a_limit_of_each_answer() {
    for game in ["dots", "bricks"] {
        let (late, moments) = timed(game, "random", Thinking::LimitMs(69), 70);
        assert_eq!(
            (late.outcome.termination, late.outcome.fault),
            (Termination::Time, Some(AgentId::new(0)))
        );
        assert_eq!((moments.len(), late.time), (0, SimTime::START), "{game}");
        assert!(
            late.first_blunders[0].contains("has not answered within 69 ms"),
            "{:?}",
            late.first_blunders
        );
        let (in_time, moments) = timed(game, "random", Thinking::LimitMs(70), 70);
        let (free, expected) = timed(game, "random", Thinking::Free, 70);
        assert_eq!((in_time.outcome, in_time.hash, moments), (free.outcome, free.hash, expected), "{game}");
    }
    // In The Project Game the agent is gone, and the others play on.
    let (late, moments) = timed("project", "greedy", Thinking::LimitMs(69), 70);
    assert!(moments.is_empty() && late.steps > 100, "{} steps", late.steps);
    assert!(late.first_blunders[0].contains("has not answered within 69 ms"), "{:?}", late.first_blunders);
}

/// The program `always FIELD VALUE` has this field in each answer.
#[derive(Clone, Debug, Default)]
struct Always(Arc<Mutex<Vec<Finished>>>);

/// A program that was given back.
#[derive(Debug)]
struct Finished {
    lines: Vec<String>,
    is_reusable: bool,
}

struct AlwaysPeer {
    answer: serde_json::Value,
    lines: Vec<String>,
    finished: Always,
}

impl Programs for Always {
    fn start(&self, command: &Command) -> Box<dyn Peer> {
        let [_, field, value] = command.words() else { panic!("{command}: expected a field and a value") };
        let value: serde_json::Value = serde_json::from_str(value).unwrap_or_else(|_| value.as_str().into());
        let answer = [(field.clone(), value)].into_iter().collect();
        Box::new(AlwaysPeer { answer, lines: Vec::new(), finished: self.clone() })
    }
}

impl Peer for AlwaysPeer {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        self.lines.push(String::from_utf8(line.to_vec()).unwrap());
        if read(b"") == Progress::More {
            let is_hello = line.starts_with(br#"{"type":"hello""#);
            let answer = if is_hello { r#"{"type":"ready"}"#.to_owned() } else { self.answer.to_string() };
            assert_eq!(read(format!("{answer}\n").as_bytes()), Progress::Done, "{answer}");
        }
        Ok(Duration::ZERO)
    }

    fn told(&mut self) -> String {
        "remark\n".repeat(9_999) + "last\n"
    }

    fn finish(self: Box<Self>, is_reusable: bool) {
        self.finished.0.lock().unwrap().push(Finished { lines: self.lines, is_reusable });
    }
}

/// The record of a match of the first preset of this game, and its programs.
fn always(
    game: &str,
    entrants: [&str; 2],
    change: impl FnOnce(&mut MatchSpec),
) -> (MatchRecord, Vec<Finished>) {
    let room = room::find(game).expect("a game");
    let mut spec = spec(room, Seed::new(3), |agent| entrants[agent].to_owned(), 0);
    change(&mut spec);
    let programs = Always::default();
    let record = room.with_programs(Arc::new(programs.clone())).play(&spec, "test 1.0", None).unwrap();
    let finished = std::mem::take(&mut *programs.0.lock().unwrap());
    (record, finished)
}

#[test]
fn a_program_that_waits_without_end_in_turns_with_a_clock_loses() {
    for (limit, wait, termination) in [
        (500, "0", Termination::Silence),
        (500, "1", Termination::Time),
        (0, "0", Termination::Silence),
        (0, "1", Termination::Silence),
    ] {
        let (record, _) = always("bricks", [&format!("\"always wait {wait}\""), "random"], |spec| {
            let limit: Parameters = [("moveLimitMs", Value::Whole(limit))].into_iter().collect();
            spec.config = limit.over(&spec.config);
        });
        let end = (record.outcome.termination, record.outcome.fault);
        assert_eq!(end, (termination, Some(AgentId::new(0))), "limit {limit}, wait {wait}");
        assert!(record.decisions < 1_100, "{} decisions", record.decisions);
    }
}

#[test]
fn a_program_that_has_not_heard_of_a_game_is_not_told_its_end() {
    let jump = "\"always do jump\"";
    let (record, finished) = always("dots", [jump, jump], |_| {});
    assert_eq!(record.outcome.termination, Termination::Illegal);
    let [at_fault, other] = &finished[..] else { panic!("{finished:?}") };
    assert_eq!((at_fault.lines.len(), at_fault.is_reusable), (2, false));
    assert!(other.lines.is_empty() && other.is_reusable, "{other:?}");
}

#[test]
fn a_report_has_the_end_of_long_standard_error() {
    let (record, _) = always("dots", ["\"always do jump\"", "random"], |_| {});
    let [report] = &record.first_blunders[..] else { panic!("{:?}", record.first_blunders) };
    let (fault, errors) = report.split_once("\nthe end of its standard error:\n").expect("both");
    assert!(fault.contains("has answered with an invalid action: "), "{fault}");
    assert!(errors.starts_with("remark\n") && errors.ends_with("\nremark\nlast"), "{errors}");
    assert!((LONGEST_END_OF_ERRORS - 7..=LONGEST_END_OF_ERRORS).contains(&errors.len()), "{}", errors.len());
    let read = FaultReport::read(report, AgentId::new(0)).expect("the report of a fault");
    assert!(read.fault.starts_with("has answered with an invalid action: "), "{read:?}");
    assert!(read.last_line == "last" && !read.fault.contains("(at "), "{read:?}");
    assert_eq!(FaultReport::read(fault, AgentId::new(0)).map(|read| read.last_line), Some(""));
    assert_eq!(FaultReport::read(report, AgentId::new(1)), None);
    let strange = "the program of agent #0 has written a line that is no answer: wait (at home)";
    assert_eq!(FaultReport::read(strange, AgentId::new(0)), None);
}

#[test]
fn a_text_has_the_parts_of_an_observation_and_the_options() {
    let (_, finished) = always("dots", ["\"always do 0-1\"", "random"], |spec| spec.limits.steps = 1);
    assert!(!finished[0].lines[1].contains("\"text\""), "{:?}", finished[0].lines);
    let programs = WithText::default();
    let room = room::find("dots").expect("a game");
    let spec = spec(room, Seed::new(3), |_| "\"a program\"".to_owned(), 0);
    room.with_programs(Arc::new(programs.clone())).play(&spec, "test 1.0", None).unwrap();
    let texts = programs.0.lock().unwrap();
    let first = texts.first().expect("a decision");
    assert!(first.contains("across:\n..\n..\n..\nboxes:") && first.contains("points: [0,0]\n"), "{first}");
    assert!(first.contains("\noptions: 0-1, "), "{first}");
}

/// Programs that ask for texts, and draw no edge that exists.
#[derive(Clone, Debug, Default)]
struct WithText(Arc<Mutex<Vec<String>>>);

impl Programs for WithText {
    fn start(&self, _: &Command) -> Box<dyn Peer> {
        Box::new(self.clone())
    }
}

impl Peer for WithText {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let message: serde_json::Value = serde_json::from_slice(line).unwrap();
        if let Some(text) = message["text"].as_str() {
            self.0.lock().unwrap().push(text.to_owned());
        }
        if read(b"") == Progress::More {
            let is_hello = message["type"] == "hello";
            let answer = if is_hello { r#"{"type":"ready","text":true}"# } else { r#"{"do":"none"}"# };
            assert_eq!(read(format!("{answer}\n").as_bytes()), Progress::Done);
        }
        Ok(Duration::ZERO)
    }

    fn finish(self: Box<Self>, _: bool) {}
}
