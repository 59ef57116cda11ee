//! Our own messages: one golden file per message, direction and dialect under `tests/messages`. Every message reads as
//! it is written.
//!
//! `UPDATE_GOLDEN=1 cargo test -p wire` writes the files anew: read the diff.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use game_env::{ByTeam, Millis};
use game_project::{
    Action, ActionKind, Direction, Distance, Geometry, GoalBelief, Information, Penalties, Position,
    PutResult, Surroundings, Team,
};
use proptest::prelude::*;
use serde_json::value::RawValue;
use wire::envelope::Envelope;
use wire::project::{
    AgentNumber, Dialect, GameStart, Notice, PickUpFailure, Players, PutFailure, Request, Writer, catalogue,
    lost_agent, read_notice, read_request, write_lost_agent,
};

const LIMIT: usize = 8192;

pub(crate) fn writer(dialect: Dialect) -> Writer {
    Writer { dialect, limit: LIMIT }
}

#[test]
fn dialects_and_agent_numbers_are_read_as_they_are_shown() {
    for (dialect, name) in Dialect::ALL.into_iter().zip(["spec", "union", "both"]) {
        assert_eq!(dialect.to_string(), name);
        assert_eq!(name.parse(), Ok(dialect));
    }
    let error = "onion".parse::<Dialect>().unwrap_err().to_string();
    assert!(error.contains("`onion`") && error.contains("one of spec, union, both"), "{error}");
    assert_eq!(format!("{:>3}", AgentNumber(-7)), " -7");
}

pub(crate) fn information() -> Arc<Information> {
    use GoalBelief::{Goal, NoGoal, Unknown};
    Arc::new(Information {
        distances: [2, 1, 0].map(|moves| Some(Distance::new(moves))).into_iter().chain([None; 3]).collect(),
        goals: ByTeam::new([vec![Goal, Unknown], vec![NoGoal, Unknown]]),
    })
}

/// An example of every request.
pub(crate) fn requests() -> Vec<Request> {
    vec![
        Action::Check.into(),
        Action::Destroy.into(),
        Action::Discover.into(),
        Action::Answer { to: AgentNumber(4), information: information() }.into(),
        Action::Ask(AgentNumber(4)).into(),
        Request::Join { team: Team::Blue },
        Action::Move(Direction::West).into(),
        Action::PickUp.into(),
        Action::Put.into(),
    ]
}

/// An example of every notice.
pub(crate) fn notices() -> Vec<Notice> {
    let near = |moves| Some(Distance::new(moves));
    let edge = [None, None, None, near(3), near(2), near(1), near(2), near(1), near(0)];
    let start = GameStart {
        agent: AgentNumber(3),
        allies: vec![AgentNumber(1)],
        leader: AgentNumber(1),
        enemies: vec![AgentNumber(2), AgentNumber(4)],
        team: Team::Red,
        geometry: Geometry::new(40, 40, 5).unwrap(),
        players: Players { allies: 2, enemies: 2 },
        pieces: 10,
        goals: 5,
        premature: Millis::ZERO,
        penalties: Penalties::new(|kind| {
            Millis::new(match kind {
                ActionKind::Move => 1500,
                ActionKind::Ask | ActionKind::Answer => 1000,
                ActionKind::Discover | ActionKind::Check => 700,
                ActionKind::Put | ActionKind::Destroy => 500,
                ActionKind::PickUp => 0,
            })
        }),
        sham_probability: 0.5,
        position: Position::new(12, 34),
    };
    vec![
        Notice::Checked { sham: true },
        Notice::Destroyed,
        Notice::Discovered { distances: Surroundings(edge) },
        Notice::GameOver { winner: Team::Red },
        Notice::GameStart(Box::new(start)),
        Notice::Asked { by: AgentNumber(1), leader: true, team: Team::Red },
        Notice::Joined { accepted: true, agent: Some(AgentNumber(3)), reason: None },
        Notice::Moved { to: Position::new(12, 33), distance: near(4) },
        Notice::PickedUp,
        Notice::Put { result: Some(PutResult::OnGoal) },
        Notice::Answered { by: Some(AgentNumber(4)), information: information() },
        Notice::AnswerPassedOn { succeeded: true },
        Notice::QuestionPassedOn { succeeded: true },
        Notice::MoveRefused { position: Some(Position::new(12, 34)), reason: None },
        Notice::PickUpRefused { reason: PickUpFailure::NothingThere },
        Notice::PutRefused { reason: PutFailure::AgentNotHolding },
        Notice::TooEarly {
            wait_until: Some("2026-03-01T12:00:01.500Z".parse().unwrap()),
            wait_for: Some(Millis::new(1500)),
        },
        Notice::Refused { position: Some(Position::new(12, 34)), holding: Some(false), reason: None },
    ]
}

/// The bodies of all examples in a dialect, each with its id.
pub(crate) fn bodies(dialect: Dialect) -> Vec<(i64, String)> {
    let text = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    };
    let (writer, own) = (writer(dialect), AgentNumber(3));
    let of_agents =
        requests().into_iter().map(|request| (request.id(), text(&|out| writer.request(out, own, &request))));
    let of_master = notices()
        .into_iter()
        .map(|notice| (notice.id(), text(&|out| writer.notice(out, own, None, &notice))));
    let of_server = (catalogue::LOST_AGENT, text(&|out| write_lost_agent(out, own)));
    of_agents.chain(of_master).chain([of_server]).collect()
}

pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares a file with its expected content, or writes it when asked to.
pub(crate) fn check_file(path: &Path, expected: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(found, expected, "{}", path.display());
}

#[test]
fn every_message_is_written_as_its_golden_file() {
    for dialect in Dialect::ALL {
        let bodies = bodies(dialect);
        let ids: Vec<i64> = bodies.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, catalogue::MESSAGES.iter().map(|message| message.id).collect::<Vec<_>>());
        for (id, body) in bodies {
            let name = catalogue::name(id).replace(' ', "-");
            let path =
                folder("tests/messages").join(dialect.to_string()).join(format!("{id:03}-{name}.json"));
            check_file(&path, &format!("{body}\n"));
        }
    }
}

fn payload(body: &[u8]) -> (i64, Option<Box<RawValue>>) {
    let envelope = Envelope::parse(body).unwrap();
    (envelope.message_id, envelope.payload.map(ToOwned::to_owned))
}

/// More examples: every other thing that a game master may say with the same messages.
pub(crate) fn variants() -> Vec<Notice> {
    let [middle, alone] =
        [Distance::new(2), Distance::INFINITE].map(|distance| Surroundings([Some(distance); 9]));
    let mut variants = vec![
        Notice::Checked { sham: false },
        Notice::Discovered { distances: middle },
        Notice::Discovered { distances: alone },
        Notice::GameOver { winner: Team::Blue },
        Notice::Joined { accepted: false, agent: Some(AgentNumber(3)), reason: None },
        Notice::Moved { to: Position::new(0, 0), distance: Some(Distance::INFINITE) },
        Notice::Answered { by: Some(AgentNumber(4)), information: Arc::default() },
        Notice::PickUpRefused { reason: PickUpFailure::Other },
        Notice::PutRefused { reason: PutFailure::CannotPutThere },
        Notice::PutRefused { reason: PutFailure::Other },
        Notice::Refused { position: None, holding: None, reason: None },
        Notice::Refused { position: None, holding: None, reason: Some("not-asked".into()) },
        Notice::MoveRefused { position: Some(Position::new(1, 2)), reason: Some("occupied".into()) },
    ];
    variants.extend(PutResult::ALL.map(|result| Notice::Put { result: Some(result) }));
    variants
}

fn read_back_notice(dialect: Dialect, notice: &Notice) -> Notice {
    let mut body = Vec::new();
    writer(dialect).notice(&mut body, AgentNumber(7), None, notice);
    let (id, payload) = payload(&body);
    read_notice(id, payload.as_deref()).unwrap()
}

/// Returns a notice as a reader of this dialect has it: the union dialect gives no reasons.
fn as_told(dialect: Dialect, notice: &Notice) -> Notice {
    let mut told = notice.clone();
    if let (Dialect::Union, Notice::MoveRefused { reason, .. } | Notice::Refused { reason, .. }) =
        (dialect, &mut told)
    {
        *reason = None;
    }
    told
}

#[test]
fn messages_keep_their_meaning_when_agents_get_other_ids() {
    for notice in notices() {
        let other = notice.clone().try_map(|number| Ok::<_, &str>(number.0.to_string())).unwrap();
        let again = other.try_map(|id| Ok::<_, &str>(AgentNumber(id.parse().unwrap())));
        assert_eq!(again, Ok(notice));
    }
    let asked = Notice::Asked { by: AgentNumber(9), leader: false, team: Team::Red };
    assert_eq!(asked.try_map(|_| Err::<(), _>("nobody")), Err("nobody"));
    let told = |request: &Request| match request.clone() {
        Request::Join { .. } => request.clone(),
        Request::Play(action) => action.map(|number| number.0).map(AgentNumber).into(),
    };
    for request in requests() {
        assert_eq!(told(&request), request);
    }
}

fn read_back_request(request: &Request) -> Request {
    let mut body = Vec::new();
    writer(Dialect::Spec).request(&mut body, AgentNumber(7), request);
    let (id, payload) = payload(&body);
    read_request(id, payload.as_deref()).unwrap()
}

#[test]
fn every_example_reads_as_it_is_written() {
    for request in requests() {
        assert_eq!(read_back_request(&request), request);
    }
    for notice in notices() {
        for dialect in Dialect::ALL {
            assert_eq!(read_back_notice(dialect, &notice), notice, "{dialect}");
        }
    }
    let mut body = Vec::new();
    write_lost_agent(&mut body, AgentNumber(-5));
    let (id, payload) = payload(&body);
    assert_eq!(lost_agent(id, payload.as_deref()), Ok(AgentNumber(-5)));
}

#[test]
fn the_text_of_every_variant_is_golden() {
    let mut text = String::new();
    for notice in variants() {
        for dialect in Dialect::ALL {
            let mut body = Vec::new();
            writer(dialect).notice(&mut body, AgentNumber(3), None, &notice);
            text += &format!("{dialect:<6} {}\n", String::from_utf8(body).unwrap());
            assert_eq!(read_back_notice(dialect, &notice), as_told(dialect, &notice), "{dialect}");
        }
    }
    check_file(&folder("tests/messages/variants.txt"), &text);
}

/// Some implementations send their beliefs about the whole board where its goal area is asked for.
#[test]
fn beliefs_about_the_whole_board_are_cut_to_the_goal_areas() {
    use GoalBelief::{Goal, NoGoal, Unknown};
    let board = Geometry::new(2, 5, 1).unwrap();
    let told = |red: Vec<GoalBelief>, blue: Vec<GoalBelief>| -> Notice {
        let information = Information { distances: Vec::new(), goals: ByTeam::new([red, blue]) };
        Notice::Answered { by: None, information: Arc::new(information) }
    };
    let mut whole = vec![Unknown; 10];
    (whole[0], whole[1], whole[8], whole[9]) = (NoGoal, Goal, Goal, NoGoal);
    let goal_areas = told(vec![Goal, NoGoal], vec![NoGoal, Goal]);
    assert_eq!(told(whole.clone(), whole).on_board(board).unwrap(), goal_areas);
    assert_eq!(goal_areas.clone().on_board(board).unwrap(), goal_areas);
}

/// A distance that no board has room for counts as no distance.
#[test]
fn distances_are_bounded_by_the_board() {
    let board = Geometry::new(40, 40, 5).unwrap();
    let far = |moves| Some(Distance::new(moves));
    let moved = |distance| -> Notice { Notice::Moved { to: Position::new(1, 1), distance } };
    assert_eq!(moved(far(78)).on_board(board).unwrap(), moved(far(78)));
    assert_eq!(moved(far(79)).on_board(board).unwrap(), moved(Some(Distance::INFINITE)));
    let off = Notice::<u16>::Moved { to: Position::new(40, 1), distance: None }.on_board(board).unwrap_err();
    assert_eq!(off.to_string(), "a move to 40,1, which is off the board");
    let around = |distance| -> Notice { Notice::Discovered { distances: Surroundings([distance; 9]) } };
    assert_eq!(around(far(1000)).on_board(board).unwrap(), around(Some(Distance::INFINITE)));
    assert_eq!(around(None).on_board(board).unwrap(), around(None));
    let told = |distances: Vec<Option<Distance>>| -> Notice {
        let information = Information { distances, ..Information::default() };
        Notice::Answered { by: None, information: Arc::new(information) }
    };
    assert_eq!(told(vec![far(3), far(1000), None]).on_board(board).unwrap(), told(vec![far(3), None, None]));
}

#[test]
fn a_correlation_comes_back_as_it_went() {
    let correlation = RawValue::from_string("{\"any\": [1, \"thing\"]}".to_owned()).unwrap();
    let mut body = Vec::new();
    writer(Dialect::Spec).notice(&mut body, AgentNumber(7), Some(&correlation), &Notice::PickedUp);
    let text = String::from_utf8(body).unwrap();
    assert_eq!(text, r#"{"messageID":109,"agentID":7,"correlationID":{"any": [1, "thing"]},"payload":{}}"#);
    let envelope = Envelope::parse(text.as_bytes()).unwrap();
    assert_eq!(envelope.correlation_id.unwrap().get(), correlation.get());
}

#[test]
fn information_over_the_limit_loses_its_distances_and_keeps_its_goals() {
    let whole_board = Arc::new(Information {
        distances: vec![Some(Distance::new(70)); 10_000],
        goals: ByTeam::new([vec![GoalBelief::Goal; 500], vec![GoalBelief::NoGoal; 500]]),
    });
    let notice = Notice::Answered { by: Some(AgentNumber(1)), information: whole_board.clone() };
    let request = Action::Answer { to: AgentNumber(1), information: whole_board.clone() }.into();
    let shortened = Information { distances: Vec::new(), goals: whole_board.goals.clone() };
    for dialect in Dialect::ALL {
        let mut body = b"before".to_vec();
        writer(dialect).notice(&mut body, AgentNumber(7), None, &notice);
        assert!(body.starts_with(b"before{") && body.len() < LIMIT + 6, "{} bytes", body.len());
        let Notice::Answered { information, .. } = read_back_notice(dialect, &notice) else {
            panic!("another message")
        };
        assert_eq!(*information, shortened);
        let mut roomy = Vec::new();
        Writer { dialect, limit: 65_535 }.notice(&mut roomy, AgentNumber(7), None, &notice);
        let (id, payload) = payload(&roomy);
        assert_eq!(read_notice(id, payload.as_deref()), Ok(notice.clone()));
    }
    let goals_too = Notice::Answered {
        by: Some(AgentNumber(1)),
        information: Arc::new(Information {
            goals: ByTeam::new([vec![GoalBelief::Unknown; 5000], vec![GoalBelief::NoGoal; 5000]]),
            ..Information::default()
        }),
    };
    let nothing = Notice::Answered { by: Some(AgentNumber(1)), information: Arc::default() };
    assert_eq!(
        read_back_notice(Dialect::Spec, &goals_too),
        nothing,
        "goals that do not fit are left out, too"
    );
    let Request::Play(Action::Answer { information, .. }) = read_back_request(&request) else {
        panic!("another message")
    };
    assert_eq!(*information, shortened);
}

fn number() -> impl Strategy<Value = AgentNumber> {
    any::<i64>().prop_map(AgentNumber)
}

fn team() -> impl Strategy<Value = Team> {
    prop::sample::select(Team::ALL.to_vec())
}

fn position() -> impl Strategy<Value = Position> {
    (any::<u16>(), any::<u16>()).prop_map(|(x, y)| Position::new(x, y))
}

fn moves() -> impl Strategy<Value = Distance> {
    (0u16..=8192).prop_map(Distance::new)
}

fn told() -> impl Strategy<Value = Distance> {
    prop_oneof![9 => moves(), 1 => Just(Distance::INFINITE)]
}

fn any_information() -> impl Strategy<Value = Arc<Information>> {
    let belief = || prop::sample::select(vec![GoalBelief::Unknown, GoalBelief::NoGoal, GoalBelief::Goal]);
    let beliefs = || prop::collection::vec(belief(), 0..20);
    (prop::collection::vec(prop::option::of(moves()), 0..50), beliefs(), beliefs()).prop_map(
        |(distances, red, blue)| Arc::new(Information { distances, goals: ByTeam::new([red, blue]) }),
    )
}

/// A value that makes no sense is none: the game can be played without it.
#[test]
fn what_a_premature_request_costs_is_read_where_it_is_sent() {
    let with = |value: &str| {
        let start = format!(
            r#"{{"agentID":3,"alliesIDs":[1],"leaderID":1,"enemiesIDs":[2,4],"teamID":"red","boardSize":{{"x":4,"y":6}},"goalAreaSize":1,"numberOfPieces":2,"numberOfGoals":1,"penalties":{{"move":100,"checkForSham":400,"discovery":200,"destroyPiece":500,"putPiece":300,"informationExchange":600{value}}},"shamPieceProbability":0.5,"position":{{"x":1,"y":3}}}}"#
        );
        let payload = RawValue::from_string(start).unwrap();
        match read_notice(105, Some(&payload)) {
            Ok(Notice::GameStart(start)) => start,
            other => panic!("{other:?}"),
        }
    };
    for (value, premature) in [
        ("", 0),
        (r#","prematureRequest":1000"#, 1_000),
        (r#","prematureRequest":"1000""#, 1_000),
        (r#","PrematureRequest":"250""#, 250),
        (r#","prematureRequest":"a second""#, 0),
        (r#","prematureRequest":-1"#, 0),
    ] {
        assert_eq!(with(value).premature, Millis::new(premature), "{value}");
    }
    let mut body = Vec::new();
    let writer = Writer { dialect: Dialect::Union, limit: 8192 };
    let start = with(r#","prematureRequest":1000"#);
    writer.notice(&mut body, AgentNumber(3), None, &Notice::GameStart(start));
    assert!(String::from_utf8(body).unwrap().contains(r#""prematureRequest":"1000""#));
}

fn any_request() -> impl Strategy<Value = Request> {
    let action = prop_oneof![
        prop::sample::select(vec![
            Action::Check,
            Action::Destroy,
            Action::Discover,
            Action::PickUp,
            Action::Put
        ]),
        (number(), any_information()).prop_map(|(to, information)| Action::Answer { to, information }),
        number().prop_map(Action::Ask),
        prop::sample::select(Direction::ALL.to_vec()).prop_map(Action::Move),
    ];
    prop_oneof![8 => action.prop_map(Request::Play), 1 => team().prop_map(|team| Request::Join { team })]
}

prop_compose! {
    fn any_start()(
        ids in (number(), prop::collection::vec(number(), 0..6), number(), prop::collection::vec(number(), 0..6)),
        team in team(),
        (columns, goal_rows, task_rows) in (1u16..4096, 1u16..1000, 1u16..1000),
        (allies, enemies, pieces, goals) in any::<(u32, u32, u32, u32)>(),
        penalties in any::<[u32; 8]>(),
        sham_probability in 0.0..=1.0f64,
        field in any::<prop::sample::Index>(),
    ) -> Notice {
        let (agent, mut allied, leader, hostile) = ids;
        allied.retain(|ally| *ally != agent);
        let geometry = Geometry::new(columns, 2 * goal_rows + task_rows, goal_rows).unwrap();
        let position = geometry.position(u32::try_from(field.index(geometry.fields() as usize)).unwrap());
        Notice::GameStart(Box::new(GameStart {
            agent,
            allies: allied,
            leader,
            enemies: hostile,
            team,
            geometry,
            players: Players { allies, enemies },
            pieces,
            goals,
            // The spec dialect has no key for it.
            premature: Millis::ZERO,
            // One penalty for asking and answering: the spec dialect has but one key for both.
            penalties: Penalties::new(|kind| match kind {
                ActionKind::Answer => Millis::new(penalties[ActionKind::Ask as usize]),
                // Nor has it one for picking up.
                ActionKind::PickUp => Millis::ZERO,
                kind => Millis::new(penalties[kind as usize]),
            }),
            sham_probability,
            position,
        }))
    }
}

fn any_notice() -> impl Strategy<Value = Notice> {
    let moment = || (0i64..4_000_000_000_000).prop_map(|ms| jiff::Timestamp::from_millisecond(ms).unwrap());
    prop_oneof![
        any::<bool>().prop_map(|sham| Notice::Checked { sham }),
        Just(Notice::Destroyed),
        Just(Notice::PickedUp),
        any::<[bool; 9]>().prop_flat_map(|there| {
            prop::collection::vec(told(), 9).prop_map(move |distances| {
                let reading = |place: usize| there[place].then_some(distances[place]);
                Notice::Discovered { distances: Surroundings(std::array::from_fn(reading)) }
            })
        }),
        team().prop_map(|winner| Notice::GameOver { winner }),
        any_start(),
        (number(), any::<bool>(), team()).prop_map(|(by, leader, team)| Notice::Asked { by, leader, team }),
        (any::<bool>(), prop::option::of(number()), prop::option::of(".{1,20}")).prop_map(
            |(accepted, agent, reason)| Notice::Joined { accepted, agent, reason: reason.map(Into::into) }
        ),
        (position(), prop::option::of(told())).prop_map(|(to, distance)| Notice::Moved { to, distance }),
        prop::option::of(prop::sample::select(PutResult::ALL.to_vec()))
            .prop_map(|result| Notice::Put { result }),
        (prop::option::of(number()), any_information())
            .prop_map(|(by, information)| Notice::Answered { by, information }),
        any::<bool>().prop_map(|succeeded| Notice::AnswerPassedOn { succeeded }),
        any::<bool>().prop_map(|succeeded| Notice::QuestionPassedOn { succeeded }),
        prop::option::of(position()).prop_map(|position| Notice::MoveRefused { position, reason: None }),
        ".{1,20}".prop_map(|reason| Notice::MoveRefused { position: None, reason: Some(reason.into()) }),
        prop::sample::select(vec![PickUpFailure::NothingThere, PickUpFailure::Other])
            .prop_map(|reason| Notice::PickUpRefused { reason }),
        prop::sample::select(vec![
            PutFailure::AgentNotHolding,
            PutFailure::CannotPutThere,
            PutFailure::Other
        ])
        .prop_map(|reason| Notice::PutRefused { reason }),
        (prop::option::of(moment()), prop::option::of(any::<u32>().prop_map(Millis::new)))
            .prop_map(|(wait_until, wait_for)| Notice::TooEarly { wait_until, wait_for }),
        (prop::option::of(position()), prop::option::of(any::<bool>()))
            .prop_map(|(position, holding)| Notice::Refused { position, holding, reason: None }),
    ]
}

proptest! {
    #[test]
    fn every_request_reads_as_it_is_written(request in any_request()) {
        prop_assert_eq!(read_back_request(&request), request);
    }

    #[test]
    fn every_notice_reads_as_it_is_written(notice in any_notice()) {
        for dialect in Dialect::ALL {
            prop_assert_eq!(read_back_notice(dialect, &notice), as_told(dialect, &notice));
        }
    }

    /// Reading any JSON as a payload ends; a payload that was understood is understood again when written.
    #[test]
    fn no_payload_stops_the_reader(id in prop_oneof![0i64..12, 100i64..115, 900i64..908], payload in json()) {
        let raw = RawValue::from_string(payload).unwrap();
        if let Ok(request) = read_request(id, Some(&raw)) {
            prop_assert_eq!(read_back_request(&request), request);
        }
        if let Ok(notice) = read_notice(id, Some(&raw)) {
            prop_assert_eq!(read_back_notice(Dialect::Union, &notice), as_told(Dialect::Union, &notice));
        }
    }
}

/// Objects of the keys that messages have, with values of every kind.
fn json() -> impl Strategy<Value = String> {
    let keys: Vec<&str> =
        catalogue::MESSAGES.iter().flat_map(|message| message.fields).map(|field| field.name).collect();
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        (-3i64..50).prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("JSON has no such number", |number| number.is_finite())
            .prop_map(|n| n.to_string()),
        prop::sample::select(vec![
            "red",
            "N",
            "5",
            "IDK",
            "Other",
            "TaskField",
            "G",
            "",
            "2026-03-01T12:00:01Z"
        ])
        .prop_map(|word| format!("\"{word}\"")),
    ];
    leaf.prop_recursive(3, 30, 8, move |inner| {
        let pair = (prop::sample::select(keys.clone()), inner.clone());
        let pair = pair.prop_map(|(key, value)| format!("\"{key}\":{value}"));
        let size = (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("{{\"x\":{x},\"Y\":{y}}}"));
        prop_oneof![
            4 => prop::collection::vec(pair, 0..8).prop_map(|pairs| format!("{{{}}}", pairs.join(","))),
            1 => size,
            1 => prop::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
        ]
    })
}
