//! Agents that are programs: what they read, and what their answers do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use game_env::seat::ReportsBlunders as _;
use game_env::sink::Listen;
use game_env::{AgentId, Environment as _, Limits, Policy, Rollout, Seed, SimTime, Termination};
use game_project::{Action, Event, Observation, RawConfig, Setup, State};
use sdk::local::Seat as StrategySeat;
use sdk::program::Seat;
use sdk::strategy::{Choice, Strategy};
use sdk::view::View;
use serde_json::{Value, json};
use wire::agent::message::Thinking;
use wire::agent::{Lost, Peer, Progress};

/// A program that says these lines one after the other, and keeps what it reads.
#[derive(Clone, Default)]
struct Scripted {
    says: Arc<Mutex<VecDeque<String>>>,
    read: Arc<Mutex<Vec<Value>>>,
    takes: Duration,
}

impl Scripted {
    fn new(says: &[&str]) -> Self {
        let says = says.iter().map(|line| (*line).to_owned()).collect();
        Self { says: Arc::new(Mutex::new(says)), ..Self::default() }
    }

    /// The messages of this type.
    fn messages(&self, kind: &str) -> Vec<Value> {
        let read = self.read.lock().unwrap();
        read.iter().filter(|message| message["type"] == kind).cloned().collect()
    }
}

impl Peer for Scripted {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        self.read.lock().unwrap().push(serde_json::from_slice(line).unwrap());
        if read(b"") == Progress::Done {
            return Ok(self.takes);
        }
        let said = self.says.lock().unwrap().pop_front();
        match said.map(|line| read(format!("{line}\n").as_bytes())) {
            Some(Progress::Done) => Ok(self.takes),
            Some(Progress::More) | None => Err(Lost::Late),
        }
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// Does this once, then waits for a message.
struct Once(Option<Choice>);

impl Strategy for Once {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.0.take().unwrap_or_else(|| view.wait_for_message())
    }
}

/// An agent of a table.
enum Player {
    Program(Box<Seat>),
    Other(Box<StrategySeat<Once>>),
}

impl Policy<State> for Player {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &Observation) -> Choice {
        match self {
            Self::Program(seat) => seat.choose(now, agent, observation),
            Self::Other(seat) => seat.choose(now, agent, observation),
        }
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(match self {
            Self::Program(seat) => &mut **seat,
            Self::Other(seat) => &mut **seat,
        })
    }
}

const READY: &str = r#"{"type":"ready"}"#;

const BOARD: &str = "
    .  g  .
    p  R0 .
    .  .  B1
    .  g  .";

/// The end of a game, and all that happened in it.
struct Played {
    termination: Termination,
    reports: Vec<String>,
    events: Vec<(SimTime, String)>,
}

/// Plays at most this number of decisions on a board. Agent #0 is this program; each other agent does one thing.
fn play(
    board: &str,
    program: &Scripted,
    others: &[Option<Choice>],
    thinking: Thinking,
    decisions: u64,
) -> Played {
    let seed = Seed::new(7);
    let rules = RawConfig { sham_piece_probability: 0.0, ..RawConfig::default() };
    let board: String =
        board.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let mut game = board.parse::<Setup>().unwrap().play(&rules, seed).unwrap();
    let mut seats: Vec<Player> = AgentId::all(game.agents())
        .map(|agent| match agent.index() {
            0 => {
                Player::Program(Box::new(Seat::new(&game, agent, seed, Box::new(program.clone()), thinking)))
            }
            place => {
                let once = Once(others.get(place - 1).cloned().flatten());
                Player::Other(Box::new(StrategySeat::new(&game, agent, seed, once)))
            }
        })
        .collect();
    let limits = Limits { decisions, ..Limits::default() };
    let mut events = Vec::new();
    let mut listen = Listen(|now: SimTime, event: &Event| events.push((now, event.to_string())));
    let episode = Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut listen);
    let Player::Program(seat) = &mut seats[0] else { unreachable!("the first agent is the program") };
    Played { termination: episode.outcome.termination, reports: seat.take_blunders(), events }
}

/// Plays with other agents that do nothing.
fn alone(says: &[&str], decisions: u64) -> (Scripted, Played) {
    let program = Scripted::new(says);
    let played = play(BOARD, &program, &[], Thinking::Free, decisions);
    (program, played)
}

#[test]
fn a_program_reads_what_an_author_in_rust_sees() {
    let (program, _) =
        alone(&[READY, r#"{"do":"discover"}"#, r#"{"do":"move W"}"#, r#"{"do":"pick-up"}"#], 6);
    let hello = &program.messages("hello")[0];
    assert_eq!((&hello["agent"], &hello["leader"], &hello["start"]), (&json!(0), &json!(0), &json!([1, 2])));
    assert_eq!((&hello["teams"], &hello["team_names"]), (&json!([0, 1]), &json!(["red", "blue"])));
    assert!(!hello.to_string().contains("seed"), "{hello}");
    let decides = program.messages("decide");
    let [first, after, at, ..] = &decides[..] else { panic!("{decides:?}") };
    let nothing = json!(["???", "???", "???", "???"]);
    assert_eq!((&first["observation"]["board"], &first["events"]), (&nothing, &json!([])));
    assert!(first["options"].as_array().unwrap().contains(&json!("move W")), "{first}");
    // Rows from the south to the north; what was discovered, in the task area alone.
    assert_eq!(after["observation"]["board"], json!(["???", "123", "012", "???"]));
    assert_eq!(after["observation"]["piece"], json!([0, 2]));
    let told = json!([{ "t": 0, "type": "discovered", "distances": [1, 2, 3, 0, 1, 2, 1, 2, 3] }]);
    assert_eq!(after["events"], told);
    assert_eq!((&at["observation"]["at"], &at["observation"]["distance"]), (&json!([0, 2]), &json!(0)));
}

#[test]
fn a_program_can_leave_out_what_it_does_not_want_and_ask_for_a_text() {
    let (program, _) =
        alone(&[r#"{"type":"ready","options":false,"board":false,"text":true}"#, r#"{"do":"put"}"#], 2);
    let decide = &program.messages("decide")[0];
    assert_eq!((decide.get("options"), decide["observation"].get("board")), (None, None));
    let text = decide["text"].as_str().unwrap();
    for part in ["@ the agent itself", "holding nothing", "options: move N, move E"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn goals_are_shown_as_far_as_they_are_known() {
    let board = "
        .  g    g
        p  pR0  .
        .  .    B1
        .  g    g";
    let says = [READY, r#"{"do":"pick-up"}"#, r#"{"do":"move N"}"#, r#"{"do":"put"}"#];
    let program = Scripted::new(&says);
    play(board, &program, &[], Thinking::Free, 8);
    let seen: Vec<Value> = program.messages("decide").iter().map(|own| own["observation"].clone()).collect();
    let [start, carrying, at_the_goal, after, ..] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((&start["hand"], &carrying["hand"]), (&json!("empty"), &json!("unchecked")));
    assert_eq!((&at_the_goal["board"][3], &after["board"][3]), (&json!("???"), &json!("?*?")));
    assert_eq!((&after["hand"], &after["points"]), (&json!("empty"), &json!(1)));
}

#[test]
fn a_large_board_is_shown_as_a_window() {
    let rules = RawConfig { board_x: 100, board_y: 100, goal_area_height: 10, ..RawConfig::default() };
    let game = State::new(&rules.check().unwrap(), Seed::new(7));
    let program = Scripted::new(&[READY, r#"{"do":"discover"}"#]);
    let (agent, seed) = (AgentId::new(0), Seed::new(7));
    let mut seat = Seat::new(&game, agent, seed, Box::new(program.clone()), Thinking::Free);
    let mut observation = Observation::default();
    game.observe(agent, &mut observation);
    seat.choose(SimTime::START, agent, &observation);
    let at = game.briefing(agent).start;
    let told = &program.messages("decide")[0]["observation"];
    let [x, y] = [at.x, at.y].map(|own| own.saturating_sub(31));
    assert_eq!(told["window"], json!([x, y]));
    let rows = told["board"].as_array().unwrap();
    assert_eq!(rows.len(), usize::from((at.y + 32).min(100) - y));
    assert_eq!(rows[0].as_str().unwrap().len(), usize::from((at.x + 32).min(100) - x));
}

#[test]
fn answers_become_choices() {
    for (answer, expected) in [
        (r#"{"do":"move N"}"#, "moved #0 N"),
        (r#"{"walk":[0,2]}"#, "moved #0 W"),
        (r#"{"do":"ask #1"}"#, "asked"),
    ] {
        let (_, played) = alone(&[READY, answer], 2);
        let events: Vec<_> = played.events.iter().map(|(_, event)| event.as_str()).collect();
        let is_there = events.iter().any(|event| event.contains(expected.split(' ').next().unwrap()));
        assert!(is_there, "{answer}: {events:?}");
    }
    let (program, _) = alone(&[READY, r#"{"wait":500}"#, r#"{"wait":null}"#], 3);
    let decides = program.messages("decide");
    assert_eq!((&decides[0]["now"], &decides[1]["now"]), (&json!(0), &json!(500)));
}

#[test]
fn answers_that_are_no_choices_lose_the_agent_and_are_named() {
    for (answer, expected) in [
        (r#"{"do":"jump"}"#, "has answered with an invalid action: `jump` is no action"),
        (r#"{"walk":[7,7]}"#, "wants to walk to [7, 7], which is not on the board"),
        (r#"{"tell":"own"}"#, "has answered with `tell`, and no agent has asked"),
    ] {
        let (_, played) = alone(&[READY, answer], 4);
        let [report] = &played.reports[..] else { panic!("{answer}: {:?}", played.reports) };
        assert!(
            report.contains("the program of agent #0 ") && report.contains(expected),
            "{answer}: {report}"
        );
        assert!(
            played.events.iter().any(|(_, event)| event.contains("left")),
            "{answer}: {:?}",
            played.events
        );
    }
}

#[test]
fn a_program_that_answers_questions_is_asked() {
    let mates = "
        .  g  .
        p  R0 .
        .  R2 B1
        .  g  .";
    let asks = |agent| Some(Choice::Act(Action::Ask(AgentId::new(agent))));
    let told = r#"{"tell":{"distances":[],"red":"N?G","blue":""}}"#;
    let quiet = r#"{"wait":null}"#;
    // (its wishes and answers, what the mate hears)
    for (says, expected) in [
        (&[r#"{"type":"ready","answers":true}"#, told, quiet, quiet][..], Some("red=N,?,G")),
        (&[r#"{"type":"ready","answers":true}"#, r#"{"tell":"own"}"#, quiet, quiet], Some("red=?*3")),
        (&[r#"{"type":"ready","answers":true}"#, r#"{"tell":null}"#, quiet, quiet], None),
        (&[READY, quiet, quiet], Some("red=?*3")),
    ] {
        let program = Scripted::new(says);
        let played = play(mates, &program, &[None, asks(0)], Thinking::Free, 8);
        let answer = played.events.iter().map(|(_, event)| event).find(|event| event.contains("red="));
        assert_eq!(answer.is_some(), expected.is_some(), "{says:?}: {:?}", played.events);
        if let (Some(answer), Some(expected)) = (answer, expected) {
            assert!(answer.contains(expected), "{says:?}: {answer}");
        }
        assert_eq!(played.reports, Vec::<String>::new(), "{says:?}");
    }
}

/// A question is answered with `tell` alone.
#[test]
fn options_are_those_of_a_decision() {
    let mates = "
        .  g  .
        p  R0 .
        .  R2 B1
        .  g  .";
    let asks = Some(Choice::Act(Action::Ask(AgentId::new(0))));
    let says = [
        r#"{"type":"ready","answers":true,"text":true}"#,
        r#"{"tell":null}"#,
        r#"{"wait":500}"#,
        r#"{"wait":null}"#,
    ];
    let program = Scripted::new(&says);
    play(mates, &program, &[None, asks], Thinking::Free, 8);
    let [question, decides] = ["question", "decide"].map(|kind| program.messages(kind));
    assert!(!question[0]["text"].as_str().unwrap().contains("options"), "{}", question[0]);
    let last = decides.last().unwrap();
    assert!(
        !last["options"].to_string().contains("answer") && !last["text"].to_string().contains("answer #")
    );
    assert!(last["text"].as_str().unwrap().contains("options: move N, "), "{last}");
}

#[test]
fn charged_thinking_takes_game_time() {
    let program =
        Scripted { takes: Duration::from_millis(30), ..Scripted::new(&[READY, r#"{"do":"move W"}"#]) };
    let played = play(BOARD, &program, &[], Thinking::ChargeMs(10), 3);
    let moved = played.events.iter().find(|(_, event)| event.contains("move")).expect("it moved");
    assert_eq!(moved.0, SimTime::from_millis(300), "{moved:?}");
}

/// The program thinks for longer than it wants to wait.
#[test]
fn a_wait_is_over_when_the_program_has_thought() {
    let says = [READY, r#"{"wait":50}"#, r#"{"wait":500}"#, r#"{"wait":null}"#];
    let program = Scripted { takes: Duration::from_millis(30), ..Scripted::new(&says) };
    let played = play(BOARD, &program, &[], Thinking::ChargeMs(10), 4);
    assert_eq!(played.reports, Vec::<String>::new());
    let moments: Vec<Value> = program.messages("decide").iter().map(|own| own["now"].clone()).collect();
    assert_eq!(moments, [0, 300, 800]);
}

#[test]
fn the_end_is_told() {
    let (program, played) = alone(&[READY, r#"{"wait":null}"#], 10);
    assert_eq!(played.termination, Termination::Stall);
    let end = &program.messages("end")[0];
    assert_eq!(
        (&end["winner"], &end["points"], &end["termination"]),
        (&json!(null), &json!([0, 0]), &json!("stall"))
    );
}
