//! Any messages in any order: a session goes on, and its agent stays on the board.

use std::sync::Arc;

use game_env::{ByTeam, Millis};
use game_project::{Penalties, PutResult, Surroundings};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use sdk::prelude::*;
use wire::project::{AgentNumber, Dialect, GameStart, Notice, PickUpFailure, Players, PutFailure, Writer};

use crate::talk::{Talk, start};

/// The next bytes or the next message to arrive.
#[derive(Clone, Debug)]
enum Arrival {
    Bytes(Vec<u8>),
    Notice(Dialect, Box<Notice>),
}

fn number() -> impl Strategy_<Value = AgentNumber> {
    (-1i64..7).prop_map(AgentNumber)
}

fn team() -> impl Strategy_<Value = Team> {
    prop::sample::select(Team::ALL.to_vec())
}

/// Mostly on the board, which has 4 columns and 6 rows.
fn position() -> impl Strategy_<Value = Position> {
    let off_the_board = (any::<u16>(), any::<u16>());
    prop_oneof![9 => (0u16..5, 0u16..7), 1 => off_the_board].prop_map(|(x, y)| Position::new(x, y))
}

fn distance() -> impl Strategy_<Value = Distance> {
    prop_oneof![9 => 0u16..12, 1 => any::<u16>()].prop_map(Distance::new)
}

fn information() -> impl Strategy_<Value = Arc<Information>> {
    let beliefs = || {
        let belief = prop::sample::select(vec![GoalBelief::Unknown, GoalBelief::NoGoal, GoalBelief::Goal]);
        // Of a goal area, of the whole board, or of anything else.
        prop_oneof![4 => Just(4usize), 1 => Just(24), 1 => 0usize..30]
            .prop_flat_map(move |length| vec(belief.clone(), length))
    };
    let distances =
        prop_oneof![Just(24usize), 0usize..30].prop_flat_map(|length| vec(option::of(distance()), length));
    (distances, beliefs(), beliefs()).prop_map(|(distances, red, blue)| {
        Arc::new(Information { distances, goals: ByTeam::new([red, blue]) })
    })
}

/// Another start than the one that the game had.
fn other_start() -> impl Strategy_<Value = GameStart> {
    let sizes = (1u16..9, 3u16..9, 1u16..3)
        .prop_filter_map("no board", |(columns, rows, goal_rows)| Geometry::new(columns, rows, goal_rows));
    let numbers = (number(), number(), vec(number(), 0..4), vec(number(), 0..4), team());
    let rest = (0u32..40, 0u32..12, prop_oneof![9 => 0u32..3_000, 1 => any::<u32>()], position());
    (sizes, numbers, rest).prop_map(
        |(geometry, (agent, leader, allies, enemies, team), (pieces, goals, penalty, position))| GameStart {
            agent,
            allies,
            leader,
            enemies,
            team,
            geometry,
            players: Players { allies: 1, enemies: 1 },
            pieces,
            goals,
            premature: Millis::ZERO,
            penalties: Penalties::new(|_| Millis::new(penalty)),
            sham_probability: 0.5,
            position,
        },
    )
}

fn notice() -> impl Strategy_<Value = Notice> {
    let results = [
        None,
        Some(PutResult::OnGoal),
        Some(PutResult::OnNoGoal),
        Some(PutResult::OnTaskField),
        Some(PutResult::WasSham),
    ];
    let wait = prop_oneof![9 => 0u32..2_000, 1 => any::<u32>()];
    prop_oneof![
        1 => any::<bool>().prop_map(|sham| Notice::Checked { sham }),
        1 => Just(Notice::Destroyed),
        1 => vec(option::of(distance()), 9)
            .prop_map(|nine| Notice::Discovered { distances: Surroundings(nine.try_into().unwrap()) }),
        1 => (number(), any::<bool>(), team()).prop_map(|(by, leader, team)| Notice::Asked { by, leader, team }),
        1 => (any::<bool>(), option::of(number())).prop_map(|(accepted, agent)| Notice::Joined { accepted, agent, reason: None }),
        4 => (position(), option::of(distance())).prop_map(|(to, distance)| Notice::Moved { to, distance }),
        2 => Just(Notice::PickedUp),
        2 => prop::sample::select(results.to_vec()).prop_map(|result| Notice::Put { result }),
        3 => (option::of(number()), information()).prop_map(|(by, information)| Notice::Answered { by, information }),
        1 => any::<bool>().prop_map(|succeeded| Notice::AnswerPassedOn { succeeded }),
        1 => any::<bool>().prop_map(|succeeded| Notice::QuestionPassedOn { succeeded }),
        2 => option::of(position()).prop_map(|position| Notice::MoveRefused { position, reason: None }),
        1 => prop::sample::select(vec![PickUpFailure::NothingThere, PickUpFailure::Other])
            .prop_map(|reason| Notice::PickUpRefused { reason }),
        1 => prop::sample::select(vec![PutFailure::AgentNotHolding, PutFailure::CannotPutThere, PutFailure::Other])
            .prop_map(|reason| Notice::PutRefused { reason }),
        1 => option::of(wait).prop_map(|wait| Notice::TooEarly { wait_until: None, wait_for: wait.map(Millis::new) }),
        1 => (option::of(position()), option::of(any::<bool>()))
            .prop_map(|(position, holding)| Notice::Refused { position, holding, reason: None }),
        1 => other_start().prop_map(|start| Notice::GameStart(Box::new(start))),
    ]
}

/// JSON that looks like a message: keys that mean something, values that may not.
fn message() -> impl Strategy_<Value = String> {
    const KEYS: [&str; 24] = [
        "sham",
        "distanceFromCurrent",
        "distanceN",
        "winner",
        "agentID",
        "alliesIDs",
        "leaderID",
        "enemiesIDs",
        "teamID",
        "boardSize",
        "goalAreaSize",
        "penalties",
        "position",
        "askingID",
        "leader",
        "accepted",
        "madeMove",
        "currentPosition",
        "closestPiece",
        "putResult",
        "respondingID",
        "distances",
        "errorSubtype",
        "redTeamGoalAreaInformations",
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_filter_map("no JSON", |number| number.is_finite().then(|| format!("{number:e}"))),
        (0u8..9).prop_map(|number| number.to_string()),
        "[a-zA-Z0-9 ]{0,6}".prop_map(|text| format!("\"{text}\"")),
    ];
    let value = leaf.prop_recursive(3, 24, 5, |inner| {
        let key = prop_oneof![prop::sample::select(KEYS.to_vec()), Just("x"), Just("Y"), Just("move")];
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            vec((key, inner), 0..5).prop_map(|fields| {
                let fields: Vec<String> =
                    fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    });
    let id = prop_oneof![9 => 101i64..114, 5 => 901i64..908, 1 => any::<i64>()];
    let fields = vec((prop::sample::select(KEYS.to_vec()), value.clone()), 0..8);
    prop_oneof![
        1 => value,
        5 => (id, fields).prop_map(|(id, fields)| {
            let fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{\"messageID\":{id},\"payload\":{{{}}}}}", fields.join(","))
        }),
    ]
}

fn arrival() -> impl Strategy_<Value = Arrival> {
    let dialect = prop::sample::select(Dialect::ALL.to_vec());
    prop_oneof![
        1 => vec(any::<u8>(), 0..40).prop_map(Arrival::Bytes),
        2 => message().prop_map(|text| Arrival::Bytes(text.into_bytes())),
        12 => (dialect, notice()).prop_map(|(dialect, notice)| Arrival::Notice(dialect, Box::new(notice))),
    ]
}

/// Proptest's strategies, whose name is taken here by those of agents.
use proptest::strategy::Strategy as Strategy_;

impl Arrival {
    fn body(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.clone(),
            Self::Notice(dialect, notice) => {
                let mut body = Vec::new();
                Writer { dialect: *dialect, limit: 8192 }.notice(&mut body, AgentNumber(3), None, notice);
                body
            }
        }
    }
}

/// Hands all of it to a session whose agent does anything at all; checks only the facts that must always hold.
fn endure(mut talk: Talk, arrivals: &[(u64, Arrival)]) -> Result<(), TestCaseError> {
    talk.script.is_fickle = true;
    let mut now = 10;
    for (gap, arrival) in arrivals {
        now += gap;
        talk.hears(now, &arrival.body());
        // The messages that were sent can be read (the harness checks it), and the next moment is not in the past.
        if let Some(actor) = talk.session.actor() {
            let (own, knowledge) = (actor.own(), actor.knowledge());
            let geometry = knowledge.geometry();
            prop_assert!(geometry.contains(actor.position()), "{}", talk.log);
            prop_assert!(knowledge.open().iter().all(|at| geometry.area(at) == Area::Goal(own.team)));
            prop_assert!(
                knowledge.piece_search().candidates().iter().all(|at| geometry.area(*at) == Area::Task)
            );
            prop_assert!(!knowledge.open().is_empty(), "there is always something left to try\n{}", talk.log);
        }
    }
    let over = talk.end.clone();
    talk.closes(now + 1_000);
    prop_assert!(talk.end.is_some());
    prop_assert!(over.is_none() || over == talk.end, "an end is an end");
    Ok(())
}

proptest! {
    #[test]
    fn a_game_survives_whatever_is_said(arrivals in vec((0u64..400, arrival()), 1..60)) {
        endure(Talk::playing(Dialect::Spec, &[]), &arrivals)?;
    }

    #[test]
    fn so_does_who_has_just_come(arrivals in vec((0u64..400, arrival()), 1..20), start in other_start()) {
        let mut talk = Talk::new();
        talk.notice(5, &Notice::GameStart(Box::new(start)));
        endure(talk, &arrivals)?;
    }
}

/// The generator makes games that go on: else the tests above would prove little.
#[test]
fn the_agents_of_these_tests_do_something() {
    let mut talk = Talk::playing(Dialect::Spec, &[]);
    talk.script.is_fickle = true;
    for step in 0..600 {
        talk.notice(
            20 + 300 * step,
            &Notice::Moved { to: start().position, distance: Some(Distance::new(2)) },
        );
    }
    let kinds: std::collections::BTreeSet<i64> = talk.sent.iter().copied().collect();
    assert!(talk.sent.len() > 40 && kinds.len() >= 4, "{kinds:?}");
    assert!(talk.log.contains("blunder"), "it blunders as well");
}
