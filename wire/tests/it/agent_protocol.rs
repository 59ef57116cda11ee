//! The games in the agent protocol: observations that are read as they were told, golden transcripts in `tests/agent`,
//! and the schemas of all lines.
//!
//! A transcript has the lines of the host and those of a program, in turn, of one game.

use std::fmt::Debug;

use game_env::{
    Addressed as _, AgentId, Disruption, Environment, Notation, Options as _, Parameters, Seed, SimTime,
    Termination, Turn, Value as Setting,
};
use jsonschema::Validator;
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use wire::agent::message::{
    Answer, Decide, End, Hello, Information, Message, NoBegin, OwnFindings, Question, Ready, Stroke, Tell,
    Thinking,
};
use wire::agent::{Described, MOST_OPTIONS, PROTOCOL, Told, schema};
use wire::project::agent::{Begin, Event, Hand, Observation, ProjectAgent, ProjectMessage, Put, What};

use crate::messages::{check_file, folder};

/// The observation of a game, as its policies in Rust see it.
type Seen<G> = <G as Environment>::Observation;

/// Plays a game of random options, and shows each state in which an agent may act, with that agent.
fn play<G: Notation>(config: &G::Config, seed: u64, steps: u32, mut look: impl FnMut(&G, AgentId)) {
    let mut state = G::new(config, Seed::new(seed));
    let mut chance = Seed::new(seed).latency();
    let (mut seen, mut options, mut now) = (Seen::<G>::default(), Vec::new(), SimTime::START);
    for _ in 0..steps {
        let Turn::Act { agent, from, .. } = state.turn() else { return };
        look(&state, agent);
        now = now.max(from);
        state.observe(agent, &mut seen);
        seen.options(&mut options);
        state.step(now, agent, options[chance.index(options.len())].clone(), &mut ());
    }
}

/// Checks that observations of all agents are read as they were told, in games of every preset and of this
/// configuration.
fn check_observations<G: Told>(seed: u64, further: &Parameters)
where
    Seen<G>: PartialEq + Debug,
{
    let presets = G::presets().into_iter().map(|preset| preset.parameters).chain([further.clone()]);
    for parameters in presets {
        let config = G::read_config(&parameters).unwrap();
        let mut seen = Seen::<G>::default();
        let mut count = 0;
        play::<G>(&config, seed, 300, |state, _| {
            count += 1;
            for agent in AgentId::all(state.agents()) {
                state.observe(agent, &mut seen);
                let text = serde_json::to_string(&G::tell(&seen)).unwrap();
                let told: <G as Told>::Observation = serde_json::from_str(&text).unwrap();
                assert_eq!(serde_json::to_string(&told).unwrap(), text);
                assert_eq!(G::read(told).unwrap(), seen, "{parameters} {text}");
            }
        });
        assert!(count > 0, "{parameters}: no decision");
    }
}

fn parameters(values: &[(&str, Setting)]) -> Parameters {
    values.iter().cloned().collect()
}

fn whole(number: i128) -> Setting {
    Setting::Whole(number)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn observations_are_read_as_they_were_told(seed: u64) {
        check_observations::<game_dots::State>(seed, &parameters(&[("rows", whole(2)), ("cols", whole(4))]));
        let unlimited = parameters(&[("size", whole(7)), ("moveLimitMs", whole(0))]);
        check_observations::<game_bricks::State>(seed, &unlimited);
        let more_hints = parameters(&[("columns", whole(7)), ("rows", whole(5)), ("hints", whole(20))]);
        check_observations::<game_conveyor::State>(seed, &more_hints);
        let chosen = Setting::Text("monk,granny,mushroom-hunter".to_owned());
        let chosen = parameters(&[("expert", Setting::Flag(true)), ("characters", chosen)]);
        check_observations::<game_eriantys::State>(seed, &chosen);
    }
}

/// The first observation of a game, with changes, and the fault of each.
fn check_faults<G: Told>(config: &Parameters, faults: &[(&str, Value, &str)]) {
    let state = G::new(&G::read_config(config).unwrap(), Seed::new(7));
    let mut seen = Seen::<G>::default();
    state.observe(AgentId::new(0), &mut seen);
    let right = serde_json::to_value(G::tell(&seen)).unwrap();
    for (pointer, value, fault) in faults {
        let mut wrong = right.clone();
        *wrong.pointer_mut(pointer).unwrap() = value.clone();
        let told: <G as Told>::Observation = serde_json::from_value(wrong).unwrap();
        let found = G::read(told).map(|_| ()).unwrap_err();
        assert_eq!(found, *fault, "{pointer} = {value}");
    }
}

#[test]
fn observations_of_no_game_are_refused() {
    check_faults::<game_dots::State>(
        &parameters(&[("rows", whole(3)), ("cols", whole(3))]),
        &[
            ("/player", json!(2), "`player` is 2: expected a player from 0 to 1"),
            ("/mover", json!(9), "`mover` is 9: expected a player from 0 to 1"),
            (
                "/points",
                json!([1, 0]),
                "`points` are [1, 0]: expected [0, 0], the number of boxes of each player",
            ),
            (
                "/across",
                json!([]),
                "`across` and `down` show a grid of 0×3 dots: expected 2 to 100 rows and columns",
            ),
            ("/across/1", json!("--."), "`across`, row 1, has 3 characters: expected 2"),
            ("/across/2", json!("-x"), "`across`, row 2, has a 'x': expected characters of `-.`"),
            ("/down", json!(["..."]), "`down` has 1 rows: expected 2"),
            ("/down/0", json!("..|."), "`across`, row 0, has 2 characters: expected 3"),
            ("/boxes/0", json!(".1"), "the box 1 is owned, and an edge around it is not drawn"),
        ],
    );
    check_faults::<game_bricks::State>(
        &parameters(&[("size", whole(3))]),
        &[
            ("/player", json!(2), "`player` is 2: expected a player from 0 to 1"),
            ("/mover", json!(2), "`mover` is 2: expected a player from 0 to 1"),
            (
                "/board",
                json!(["..", ".."]),
                "`board` shows a board of 2×2 cells: expected an odd number from 3 to 999",
            ),
            ("/board/0", json!(".."), "`board`, row 0, has 2 characters: expected 3"),
            ("/board/2", json!(".0."), "`board`, row 2, has a '0': expected characters of `.#`"),
        ],
    );
    check_faults::<game_conveyor::State>(
        &parameters(&[("columns", whole(5)), ("rows", whole(4)), ("conveyors", whole(1))]),
        &[
            ("/player", json!(2), "`player` is 2: expected a player from 0 to 1"),
            ("/rows", json!(0), "a board of 5×0 fields: expected 1 to 99 columns and rows"),
            ("/last", json!("done"), "`requests` is 0: expected 0 if `last` is `null`, otherwise 1 or more"),
            ("/requests", json!(1), "`requests` is 1: expected 0 if `last` is `null`, otherwise 1 or more"),
            ("/hint", json!("up"), "`hint` is a direction, and `last` is not `done`: expected `null`"),
        ],
    );
    check_faults::<game_eriantys::State>(
        &parameters(&[("expert", Setting::Flag(true))]),
        &[
            ("/player", json!(2), "`player` is 2: expected a player from 0 to 1"),
            ("/mover", json!(3), "`mover` is 3: expected a player of `order`"),
            ("/order/0", json!(2), "`order` is 2: expected a player from 0 to 1"),
            ("/order", json!([0, 0]), "a player is twice in the order: expected each player once"),
            ("/left", json!(1), "1 students to move: expected 0"),
            ("/rules", json!("simple"), "3 characters: expected 3 in an expert game, otherwise none"),
            ("/phase", json!("over"), "`phase` is `over`: expected a game that is not over"),
            ("/islands/4/first", json!(0), "`first` of an island is 0: expected 1 to 12"),
            ("/islands/4/first", json!(13), "`first` of an island is 13: expected 1 to 12"),
            ("/round", json!(0), "round 0: expected 1 to 10"),
            ("/round", json!(255), "round 255: expected 1 to 10"),
            ("/islands/4/team", json!(2), "`team` of an island is 2: expected a team from 0 to 1"),
            ("/clouds", json!([]), "0 clouds: expected 2 to 2"),
            ("/players", json!([]), "0 players: expected 2 to 4"),
            ("/players/1/cards/0", json!(11), "assistant card 11: expected 1 to 10"),
            (
                "/players/1/professors",
                json!(["red", "red"]),
                "the red professor is listed twice: expected one owner",
            ),
            ("/towers_left", json!([8]), "1 numbers in `towers_left`: expected 2 to 2"),
            ("/towers_left/1", json!(9), "9 towers of a team: expected at most 8"),
            ("/coins", json!(20), "22 coins: expected at most 20"),
        ],
    );
    let simple = parameters(&[("players", whole(2))]);
    let chosen = "`are_characters_chosen` is true with simple rules: expected false";
    let everywhere = |has_mother_nature: bool| {
        let island = json!({
            "first": 1, "size": 1, "team": null, "towers": 0, "mother_nature": has_mother_nature, "bans": 0,
            "students": { "yellow": 0, "blue": 0, "green": 0, "red": 0, "pink": 0 },
        });
        json!([island, island])
    };
    let lost = "Mother Nature is on no island or on several: expected one";
    check_faults::<game_eriantys::State>(
        &simple,
        &[
            ("/are_characters_chosen", json!(true), chosen),
            ("/islands", everywhere(true), lost),
            ("/islands", everywhere(false), lost),
        ],
    );
}

/// The lines of the host and of a program.
#[derive(Default)]
struct Transcript(Vec<String>);

impl Transcript {
    fn push(&mut self, line: &impl Serialize) {
        self.0.push(serde_json::to_string(line).unwrap());
    }

    fn ready(&mut self, ready: &Ready) {
        let mut line = serde_json::to_value(ready).unwrap();
        line["type"] = json!("ready");
        self.push(&line);
    }
}

/// A game of random options that the host stops after this many steps, as player 0 reads and writes it.
fn transcript<G: Told>(config: &Parameters, steps: u32) -> Transcript {
    let player = AgentId::new(0);
    let config = G::read_config(config).unwrap();
    let mut state = G::new(&config, Seed::new(7));
    let mut chance = Seed::new(7).latency();
    let mut lines = Transcript::default();
    let number = |agent: AgentId| u8::try_from(state.team(agent).index()).unwrap();
    lines.push(&Message::<_, <G as Told>::Observation, String>::Hello(Box::new(Hello {
        protocol: PROTOCOL,
        game: G::GAME.to_owned(),
        rules: G::RULES,
        config: G::write_config(&config),
        agent: 0,
        teams: AgentId::all(state.agents()).map(number).collect(),
        team_names: G::TEAM_NAMES.iter().map(|name| (*name).to_owned()).collect(),
        chance: 2_154_098_123,
        thinking: Thinking::Free,
        begin: NoBegin {},
    })));
    lines.ready(&Ready { name: Some("canned".to_owned()), ..Ready::default() });
    let (mut seen, mut options, mut now) = (Seen::<G>::default(), Vec::new(), SimTime::START);
    let (mut heard, mut id) = (Vec::new(), 0);
    for _ in 0..steps {
        let Turn::Act { agent, from, .. } = state.turn() else { break };
        now = now.max(from);
        state.observe(agent, &mut seen);
        seen.options(&mut options);
        let action = options[chance.index(options.len())].clone();
        if agent == player {
            id += 1;
            let few = options.len() <= MOST_OPTIONS;
            lines.push(&Message::<NoBegin, _, String>::Decide(Box::new(Decide {
                id,
                now: now.as_millis(),
                observation: G::tell(&seen),
                events: std::mem::take(&mut heard),
                options: few.then(|| options.iter().map(ToString::to_string).collect()),
                text: None,
            })));
            lines.push(&Answer { id: Some(id), ..Answer::act(&action) });
        }
        let mut events: Vec<(SimTime, G::Event)> = Vec::new();
        state.step(now, agent, action, &mut events);
        hear(&state, player, &events, &mut heard);
    }
    let mut events = Vec::new();
    state.disrupt(now, Disruption::Ended(Termination::Stopped), &mut events);
    hear(&state, player, &events, &mut heard);
    let Turn::Over(outcome) = state.turn() else { panic!("a game that was stopped goes on") };
    lines.push(&Message::<NoBegin, <G as Told>::Observation, String>::End(End {
        now: now.as_millis(),
        events: heard,
        winner: outcome.winner().map(|team| u8::try_from(team.index()).unwrap()),
        points: outcome.returns.points().to_vec(),
        termination: outcome.termination.to_string(),
    }));
    lines
}

fn hear<G: Notation>(state: &G, agent: AgentId, events: &[(SimTime, G::Event)], heard: &mut Vec<String>) {
    let team = state.team(agent);
    let own = events.iter().filter(|(_, event)| event.audience().includes(agent, team));
    heard.extend(own.map(|(_, event)| event.to_string()));
}

/// Every message and every kind of answer, made by hand.
fn project_transcript() -> Transcript {
    let mut lines = Transcript::default();
    let observation = Observation {
        at: [3, 4],
        hand: Hand::Empty,
        distance: Some(2),
        piece: Some([3, 6]),
        points: 0,
        questions: Vec::new(),
        asked: Vec::new(),
        silent: vec![2],
        seen: vec![[4, 4]],
        board: ["--?G", "????", "??1?", "??2!", "?*??"].map(str::to_owned).to_vec(),
        window: [0, 0],
    };
    let decide = |id: u64, now: u64, observation: &Observation, events: &[Event]| Decide {
        id,
        now,
        observation: observation.clone(),
        events: events.to_vec(),
        options: None,
        text: None,
    };
    let config = game_project::State::presets().swap_remove(0).parameters;
    let config = game_project::State::read_config(&config).unwrap();
    lines.push(&ProjectMessage::Hello(Box::new(Hello {
        protocol: PROTOCOL,
        game: game_project::State::GAME.to_owned(),
        rules: game_project::State::RULES,
        config: game_project::State::write_config(&config),
        agent: 1,
        teams: vec![0, 0, 1, 1],
        team_names: vec!["red".to_owned(), "blue".to_owned()],
        chance: 7,
        thinking: Thinking::LimitMs(500),
        begin: Begin { leader: Some(0), start: [3, 4] },
    })));
    lines.ready(&Ready { text: true, answers: true, once: true, ..Ready::default() });
    lines.push(&ProjectMessage::Decide(Box::new(Decide {
        options: Some(vec!["move N".to_owned(), "discover".to_owned()]),
        text: Some("You stand on 3,4.".to_owned()),
        ..decide(1, 0, &observation, &[])
    })));
    let draw = vec![
        Stroke::Field([3, 6]),
        Stroke::Line([3, 4], [3, 6]),
        Stroke::Label([3, 6], "a piece".to_owned()),
    ];
    let note = Some("to the piece".to_owned());
    lines.push(&Answer { id: Some(1), walk: Some([3, 6]), note, draw, ..Answer::default() });
    let moved = Observation { at: [3, 5], distance: Some(-1), piece: None, ..observation.clone() };
    let event = |t: u64, what: What| Event { t, what };
    let information =
        Information { distances: vec![None, Some(-1), Some(3)], red: "?N".to_owned(), blue: "G?".to_owned() };
    let events = [
        event(100, What::Moved { to: [3, 5], distance: Some(-1) }),
        event(120, What::Answered { by: Some(0), information: information.clone() }),
        event(150, What::TooEarly { wait: Some(50) }),
    ];
    lines.push(&ProjectMessage::Decide(Box::new(decide(2, 200, &moved, &events))));
    lines.push(&Answer::wait(SimTime::START, SimTime::NEVER));
    let asked = Observation { questions: vec![0], ..moved.clone() };
    let events = [event(300, What::Asked { by: 0, leader: true })];
    let question = |id: u64, events: &[Event]| Question {
        by: 0,
        must_answer: true,
        decide: decide(id, 300, &asked, events),
    };
    lines.push(&ProjectMessage::Question(Box::new(question(3, &events))));
    lines.push(&Answer { tell: Some(Some(Tell::Own(OwnFindings::Own))), ..Answer::default() });
    lines.push(&ProjectMessage::Question(Box::new(question(4, &[]))));
    lines.push(&Answer { tell: Some(Some(Tell::Information(information))), ..Answer::default() });
    lines.push(&ProjectMessage::Question(Box::new(question(5, &[]))));
    lines.push(&Answer { tell: Some(None), ..Answer::default() });
    let window = Observation { window: [12, 80], hand: Hand::Real, ..moved };
    lines.push(&ProjectMessage::Decide(Box::new(decide(6, 400, &window, &[event(400, What::PickedUp)]))));
    lines.push(&Answer::act("put"));
    let events = [event(500, What::Put { result: Some(Put::OnGoal) })];
    lines.push(&ProjectMessage::End(End {
        now: 500,
        events: events.to_vec(),
        winner: Some(0),
        points: vec![1, 0],
        termination: Termination::Normal.to_string(),
    }));
    lines
}

fn transcripts() -> [(&'static str, Value, Transcript); 5] {
    fn told<G: Told>(config: &[(&str, i128)], steps: u32) -> (&'static str, Value, Transcript) {
        let config = config.iter().map(|(name, value)| (*name, whole(*value))).collect();
        (G::GAME, schema::<G>(), transcript::<G>(&config, steps))
    }
    let expert = parameters(&[("expert", Setting::Flag(true))]);
    [
        (game_project::State::GAME, schema::<ProjectAgent>(), project_transcript()),
        told::<game_dots::State>(&[("rows", 3), ("cols", 3)], 100),
        told::<game_bricks::State>(&[("size", 3)], 100),
        told::<game_conveyor::State>(&[("columns", 3), ("rows", 2), ("conveyors", 0)], 100),
        (
            game_eriantys::State::GAME,
            schema::<game_eriantys::State>(),
            transcript::<game_eriantys::State>(&expert, 16),
        ),
    ]
}

#[test]
fn transcripts_are_written_as_their_golden_files() {
    for (game, _, Transcript(lines)) in transcripts() {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        check_file(&folder("tests/agent").join(format!("{game}.jsonl")), &text);
    }
}

#[test]
fn the_schemas_of_all_lines_are_in_the_crate() {
    for (game, schema, _) in transcripts() {
        let text = serde_json::to_string_pretty(&schema).unwrap();
        check_file(&folder("schemas/agent").join(format!("{game}.json")), &format!("{text}\n"));
    }
}

/// The part of a schema that describes a line.
fn part(line: &Value) -> &'static str {
    match line.get("type").and_then(Value::as_str) {
        None => "answer",
        Some("ready") => "ready",
        Some(_) => "host",
    }
}

#[test]
fn every_line_obeys_its_schema_and_no_other_line_does() {
    for (game, schema, Transcript(lines)) in transcripts() {
        let validator = |part: &str| -> Validator { jsonschema::draft202012::new(&schema[part]).unwrap() };
        let validators = ["host", "ready", "answer"].map(|part| (part, validator(part)));
        for text in &lines {
            let line = &serde_json::from_str::<Value>(text).unwrap();
            let (_, validator) = validators.iter().find(|(name, _)| *name == part(line)).unwrap();
            let faults: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "{game}: {line}: {faults:?}");
            for name in line.as_object().unwrap().keys() {
                let mut wrong = line.clone();
                wrong[name] = json!([[[null]]]);
                assert!(!validator.is_valid(&wrong), "{game}: `{name}` may be anything in {line}");
            }
            let mut without = line.clone();
            let required = if part(line) == "answer" { "do" } else { "type" };
            if without.as_object_mut().unwrap().remove(required).is_some() {
                assert!(!validator.is_valid(&without), "{game}: without `{required}`: {line}");
            }
        }
    }
}

/// Every line is read as the message of its type, and written as it was read.
#[test]
fn lines_are_written_as_they_are_read() {
    fn check<B, O, V>(lines: &[String])
    where
        Message<B, O, V>: Serialize + serde::de::DeserializeOwned,
    {
        let mut written = Transcript::default();
        for line in lines {
            match part(&serde_json::from_str(line).unwrap()) {
                "host" => written.push(&serde_json::from_str::<Message<B, O, V>>(line).unwrap()),
                "answer" => written.push(&serde_json::from_str::<Answer>(line).unwrap()),
                _ => written.ready(&serde_json::from_str(line).unwrap()),
            }
        }
        assert_eq!(written.0, lines);
    }
    fn check_told<G: Told>(lines: &[String]) {
        check::<<G as Described>::Begin, <G as Told>::Observation, String>(lines);
    }
    let [project, dots, bricks, conveyor, eriantys] = transcripts();
    check::<Begin, Observation, Event>(&project.2.0);
    check_told::<game_dots::State>(&dots.2.0);
    check_told::<game_bricks::State>(&bricks.2.0);
    check_told::<game_conveyor::State>(&conveyor.2.0);
    check_told::<game_eriantys::State>(&eriantys.2.0);
}
