//! Conversations of a session with a game master, as they are written down in `snapshots/`.
//!
//! `INSTA_UPDATE=always cargo test -p sdk` writes them anew: read the diff.

use game_env::Millis;
use game_project::{PutResult, Surroundings};
use insta::assert_snapshot;
use sdk::driver::session::{End, Settings};
use sdk::prelude::*;
use wire::project::{AgentNumber, Dialect, Notice, PickUpFailure, PutFailure};

use crate::talk::{Talk, information, knowledge, start};

#[test]
fn joining() {
    let mut log = String::new();
    let mut tell = |title: &str, talk: &mut Talk| log += &format!("# {title}\n{}\n", talk.log);
    let joined = |accepted| Notice::Joined { accepted, agent: Some(AgentNumber(3)), reason: None };

    let mut talk = Talk::new();
    talk.notice(5, &joined(true)).notice(6, &joined(true));
    talk.notice(10, &Notice::GameStart(Box::new(start()))).notice(11, &joined(false));
    tell("let in; told so twice, and refused when it plays already", &mut talk);
    assert_eq!(talk.sent, [6], "it asks once");

    let mut talk = Talk::new();
    talk.notice(5, &joined(false)).notice(6, &joined(true));
    tell("turned away; what is said afterwards does not count", &mut talk);
    assert_eq!(talk.end, Some(End::TurnedAway { reason: None }));

    let mut talk = Talk::new();
    let reason = r"  16 agents are\u001b[2J connected ";
    let payload = format!(r#"{{"accepted":false,"agentID":0,"reason":"{reason}"}}"#);
    talk.says(5, &format!(r#"{{"messageID":107,"agentID":0,"payload":{payload}}}"#));
    tell("turned away by a server that says why", &mut talk);
    let told = talk.end.as_ref().map(ToString::to_string);
    assert_eq!(told.as_deref(), Some("rejected: 16 agents are\\u{1b}[2J connected"));

    let mut talk = Talk::new();
    talk.says(5, r#"{"MessageID":"joined","Payload":{"Accepted":"True"}}"#);
    talk.says(5, r#"{"MessageID":"107","AgentID":"3","Payload":{"Accepted":"True"}}"#);
    tell(
        "let in by a game master that says no number; a message without an integer is passed over",
        &mut talk,
    );

    let mut talk = Talk::new();
    talk.will(&["discover"]);
    talk.notice(10, &Notice::GameStart(Box::new(start()))).until(10);
    tell("the game begins before the answer to joining has come", &mut talk);
    assert_eq!(talk.sent, [6, 3]);

    let mut talk = Talk::new();
    talk.notice(5, &joined(true)).notice(7, &Notice::PickedUp);
    talk.notice(8, &Notice::GameOver { winner: Team::Blue });
    tell("the game is over before it began", &mut talk);

    let mut talk = Talk::new();
    talk.closes(5);
    tell("nobody answers", &mut talk);
    assert_snapshot!(log);
}

/// An agent that has asked to join waits for the answer until a moment, and for the beginning as long as it takes.
#[test]
fn an_answer_to_joining_has_its_time() {
    let patient = || {
        let answer_by = SimTime::from_millis(30_000);
        Talk::with(Settings { answer_by, ..Settings::new(Team::Red, Seed::new(7)) })
    };
    let mut talk = patient();
    talk.until(29_999);
    assert_eq!((&talk.end, talk.wake), (&None, Some(SimTime::from_millis(30_000))));
    talk.until(30_000);
    assert_eq!(talk.end, Some(End::NoAnswer));

    let mut talk = patient();
    talk.notice(29_999, &Notice::Joined { accepted: true, agent: None, reason: None }).until(10_000_000);
    assert_eq!((&talk.end, talk.wake), (&None, None));
}

/// The answers to every request, and the other messages of a game master, in one dialect.
fn everything(dialect: Dialect) -> Talk {
    let near = |moves| Some(Distance::new(moves));
    let moved = |x, y, distance| Notice::Moved { to: Position::new(x, y), distance };
    let put = |result| Notice::Put { result: Some(result) };
    let mut talk = Talk::playing(dialect, &[]);

    talk.title("a discovery, 103").will(&["discover"]);
    talk.answers(&Notice::Discovered { distances: Surroundings([2, 1, 2, 3, 2, 1, 4, 3, 2].map(near)) });
    talk.title("a move, 108").will(&["move E"]).answers(&moved(2, 3, near(1)));
    talk.title("a move refused, 901").will(&["move E"]);
    talk.answers(&Notice::MoveRefused { position: Some(Position::new(2, 3)), reason: None });
    talk.title("nothing to pick up, 902").will(&["pick-up"]);
    talk.answers(&Notice::PickUpRefused { reason: PickUpFailure::NothingThere });
    talk.title("what cannot be is not sent").will(&["check", "move N"]);
    talk.title("a move, and a piece that lands in the hand, 109").answers(&moved(2, 4, near(3)));
    talk.lands();
    talk.title("put in the task area, 110").will(&["put"]).answers(&put(PutResult::OnTaskField));
    talk.title("picked up, 109").will(&["pick-up"]).answers(&Notice::PickedUp);
    talk.title("put on no goal, 110").will(&["move N", "put"]).answers(&moved(2, 5, near(4)));
    talk.answers(&put(PutResult::OnNoGoal));
    talk.title("a question, 113 and 111").will(&["ask #0"]);
    talk.answers(&Notice::QuestionPassedOn { succeeded: true });
    talk.later(&Notice::Answered { by: Some(AgentNumber(1)), information: information() });
    talk.title("nothing in hand after all, 903").lands().will(&["put"]);
    talk.answers(&Notice::PutRefused { reason: PutFailure::AgentNotHolding });
    talk.title("it cannot be put there, 903").lands().will(&["put"]);
    talk.answers(&Notice::PutRefused { reason: PutFailure::CannotPutThere });
    talk.title("a real piece, 101, put on a goal, 110").will(&["check"]);
    talk.answers(&Notice::Checked { sham: false }).will(&["move W", "put"]);
    talk.answers(&moved(1, 5, near(4))).answers(&put(PutResult::OnGoal));
    talk.title("a sham, 101").lands().will(&["check"]).answers(&Notice::Checked { sham: true });
    talk.title("destroyed, 102").lands().will(&["destroy"]).answers(&Notice::Destroyed);
    talk.title("a sham put in the goal area, 110").lands().will(&["put"]).answers(&put(PutResult::WasSham));
    talk.title("something went wrong, 905, which says how things are").will(&["discover"]);
    talk.answers(&Notice::Refused { position: Some(Position::new(0, 5)), holding: Some(true), reason: None });
    talk.title("too early, 904, with the time to wait and without").will(&["move S"]);
    talk.answers(&Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(250)) });
    talk.will(&["move S"]).answers(&Notice::TooEarly { wait_until: None, wait_for: None });
    talk.title("no piece on the board").will(&["move S"]).answers(&moved(0, 4, Some(Distance::INFINITE)));
    talk.title("over, 104, and again");
    talk.later(&Notice::GameOver { winner: Team::Red }).later(&Notice::GameOver { winner: Team::Blue });
    talk
}

#[test]
fn every_answer_in_the_spec_dialect() {
    assert_snapshot!(everything(Dialect::Spec).log);
}

/// The agent's knowledge, and the moments of its actions, are the same as in the other dialect.
#[test]
fn every_answer_in_the_union_dialect() {
    let (spec, union) = (everything(Dialect::Spec), everything(Dialect::Union));
    assert_snapshot!(union.log);
    assert_eq!(union.without_the_game_master(), spec.without_the_game_master());
    assert_ne!(union.log, spec.log);
}

/// Messages of real implementations, each with the message that the specification has instead: the agent knows the same
/// after both, and acts next at the same moment.
#[test]
fn odd_forms_mean_what_the_specification_means() {
    const REFUSED: &str = r#"{"messageID":901,"payload":{"position":{"x":1,"y":3}}}"#;
    const MOVED: &str =
        r#"{"messageID":108,"payload":{"madeMove":true,"currentPosition":{"x":1,"y":4},"closestPiece":3}}"#;
    const BARE: &str = r#"{"messageID":108,"payload":{"madeMove":true,"currentPosition":{"x":1,"y":4},"closestPiece":2147483647}}"#;
    const DISCOVERED: &str =
        r#"{"messageID":103,"payload":{"distanceFromCurrent":1,"distanceN":2,"distanceE":0}}"#;
    const ANSWERED: &str = r#"{"messageID":111,"payload":{"respondingID":1,"distances":[3],"redTeamGoalAreaInformations":["G","N","IDK","IDK"],"blueTeamGoalAreaInformations":["N","IDK","IDK","IDK"]}}"#;
    const PUT: &str = r#"{"messageID":110,"payload":{"putResult":"NormalOnNonGoalField"}}"#;
    const EARLY: &str = r#"{"messageID":904,"payload":{"waitFor":250}}"#;
    const EARLY_UNTIL: &str = r#"{"messageID":904,"payload":{}}"#;
    const SOMETHING: &str = r#"{"messageID":905,"payload":{"position":{"x":2,"y":2},"holdingPiece":true}}"#;
    // The reason, the agent's actions before, the message, and its meaning.
    let cases: &[(&str, &[&str], &str, &str)] = &[
        (
            "a refused move as 108",
            &["move N"],
            REFUSED,
            r#"{"messageID":108,"payload":{"madeMove":false,"currentPosition":{"x":1,"y":3},"closestPiece":2147483647}}"#,
        ),
        (
            "the same without a distance, and as text",
            &["move N"],
            REFUSED,
            r#"{"messageID":108,"payload":{"MadeMove":"False","CurrentPosition":{"X":"1","Y":"3"}}}"#,
        ),
        (
            "keys in any case",
            &["move N"],
            MOVED,
            r#"{"MESSAGEID":108,"Payload":{"MadeMove":true,"CurrentPosition":{"X":1,"Y":4},"ClosestPiece":3}}"#,
        ),
        (
            "numbers as text",
            &["move N"],
            MOVED,
            r#"{"messageID":108,"payload":{"madeMove":"true","currentPosition":{"x":"1","y":"4"},"closestPiece":"3"}}"#,
        ),
        (
            "a number with a point, and keys that nobody knows",
            &["move N"],
            MOVED,
            r#"{"timeSent":"now","payload":{"closestPiece":3.0,"currentPosition":{"y":4,"x":1,"z":0}},"messageID":108}"#,
        ),
        (
            "a distance longer than the board",
            &["move N"],
            BARE,
            r#"{"messageID":108,"payload":{"madeMove":true,"currentPosition":{"x":1,"y":4},"closestPiece":11}}"#,
        ),
        (
            "a discovery with other words for fields off the board",
            &["discover"],
            DISCOVERED,
            r#"{"messageID":103,"payload":{"distanceFromCurrent":"1","distanceN":2,"distanceE":0,"distanceS":-1,"distanceNW":null}}"#,
        ),
        (
            "an answer passed on as it was written: of the one agent that was asked",
            &["ask #0"],
            ANSWERED,
            r#"{"messageID":4,"payload":{"respondToID":3,"distances":[3],"redTeamGoalAreaInformations":["G","N","IDK","IDK"],"blueTeamGoalAreaInformations":["N","IDK","IDK","IDK"]}}"#,
        ),
        (
            "goal arrays of the whole board",
            &["ask #0"],
            ANSWERED,
            r#"{"messageID":111,"payload":{"respondingID":1,"distances":[3],"redTeamGoalAreaInformations":["","","","","","","","","","","","","","","","","","","","","G","N","IDK","IDK"],"blueTeamGoalAreaInformations":["N","IDK","IDK","IDK","","","","","","","","","","","","","","","","","","","",""]}}"#,
        ),
        (
            "no distances at all, and words in small letters",
            &["ask #0"],
            ANSWERED,
            r#"{"messageID":111,"payload":{"RespondingID":"1","respondToID":3,"RedTeamGoalAreaInformations":["g","n","",7],"BlueTeamGoalAreaInformations":["n","idk",null,"IDK"]}}"#,
        ),
        (
            "a put result as putEvent",
            &["pick-up", "put"],
            PUT,
            r#"{"messageID":110,"payload":{"putEvent":"NormalOnNonGoalField"}}"#,
        ),
        (
            "as PlacePieceInfo",
            &["pick-up", "put"],
            PUT,
            r#"{"messageID":110,"payload":{"PlacePieceInfo":"NormalOnNonGoalField"}}"#,
        ),
        (
            "as putInformation",
            &["pick-up", "put"],
            PUT,
            r#"{"messageID":110,"payload":{"putInformation":"normalOnNonGoalField"}}"#,
        ),
        ("how long to wait as delay", &["move N"], EARLY, r#"{"messageID":904,"payload":{"delay":"250"}}"#),
        (
            "all three",
            &["move N"],
            EARLY,
            r#"{"messageID":904,"payload":{"waitUntil":"2026-03-01T12:00:00Z","delay":250,"waitFor":250}}"#,
        ),
        (
            "until when by a clock of its own, which says nothing",
            &["move N"],
            EARLY_UNTIL,
            r#"{"messageID":904,"payload":{"waitUntil":"2036-03-01T12:00:00+01:00"}}"#,
        ),
        (
            "without a zone",
            &["move N"],
            EARLY_UNTIL,
            r#"{"messageID":904,"payload":{"WaitUntil":"2036-03-01T12:00:00.1234567"}}"#,
        ),
        (
            "something else refused",
            &["discover"],
            SOMETHING,
            r#"{"messageID":905,"payload":{"HoldingPiece":"TRUE","Position":{"X":2,"Y":"2"}}}"#,
        ),
        (
            "a position that is on no board counts as none",
            &["move N"],
            r#"{"messageID":901,"payload":{}}"#,
            r#"{"messageID":901,"payload":{"position":{"x":1,"y":4000}}}"#,
        ),
    ];
    let mut log = String::new();
    for (why, actions, ours, theirs) in cases {
        let told = |body: &str| {
            let mut talk = Talk::playing(Dialect::Spec, actions);
            // All requests but the last are granted.
            for _ in 1..actions.len() {
                // On a field of the goal area, where a put counts.
                talk.answers(&Notice::PickedUp)
                    .later(&Notice::MoveRefused { position: Some(Position::new(1, 5)), reason: None });
            }
            talk.answers_with(body);
            let (known, wake) = (knowledge(talk.actor()), talk.wake.unwrap());

            let news = talk.log.matches("Senseless").count();
            assert_eq!(news, 0, "{why}: {}", talk.log);
            format!("{known}; next at {} ms", wake.as_millis())
        };
        let (as_specified, as_said) = (told(ours), told(theirs));
        assert_eq!(as_said, as_specified, "{why}");
        log += &format!("# {why}\n{theirs}\n{as_said}\n\n");
    }
    assert_snapshot!(log);
}

/// A lock until a moment is one for as long as it is until then by the agent's own calendar. The longest penalty of
/// this game is 600 ms.
#[test]
fn a_moment_of_the_calendar_is_waited_for() {
    let next = |epoch: Option<&str>, until: &str| {
        let epoch = epoch.map(|epoch| epoch.parse().unwrap());
        let mut talk = Talk::with(Settings { epoch, ..Settings::new(Team::Red, Seed::new(7)) });
        talk.begins(&["move N"]);
        talk.answers_with(&format!(r#"{{"messageID":904,"payload":{{"waitUntil":"{until}"}}}}"#));
        talk.wake.unwrap().as_millis()
    };
    let noon = Some("2026-03-01T12:00:00Z");
    // The message comes at 30 ms.
    assert_eq!(next(noon, "2026-03-01T12:00:00.250Z"), 250);
    assert_eq!(next(noon, "2026-03-01T13:00:00.2500000+01:00"), 250, "in another time zone");
    assert_eq!(next(noon, "2026-03-01T12:00:00.031Z"), 40, "not at once");
    assert_eq!(next(noon, "2026-03-01T12:00:01Z"), 630, "no penalty is longer");
    for senseless in
        ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z", "2020-01-01T00:00:00Z", "-009999-01-02T01:59:59Z"]
    {
        assert_eq!(next(noon, senseless), 40, "{senseless}");
    }
    assert_eq!(next(None, "2026-03-01T12:00:00.250Z"), 40, "who knows no calendar tries again soon");
}

/// The forms of message 105 that real game masters send.
#[test]
fn odd_forms_of_the_start() {
    let plain = r#"{"messageID":105,"agentID":3,"payload":{"agentID":3,"alliesIDs":[1],"leaderID":1,"enemiesIDs":[2,4],"teamID":"red","boardSize":{"x":4,"y":6},"goalAreaSize":1,"numberOfPlayers":{"allies":2,"enemies":2},"numberOfPieces":2,"numberOfGoals":1,"penalties":{"move":100,"checkForSham":400,"discovery":200,"destroyPiece":500,"putPiece":300,"informationExchange":600},"shamPieceProbability":0.5,"position":{"x":1,"y":3}}}"#;
    let begin = |body: &str| {
        let mut talk = Talk::new();
        talk.will(&["discover"]).says(10, body).until(10);
        assert_eq!(talk.sent, [6, 3], "{}", talk.log);
        let wake = talk.wake;
        (talk.actor().briefing().clone(), wake)
    };
    let expected = begin(plain);
    for (why, from, to) in [
        ("the own number among the allies", "[1]", "[1,3]"),
        ("numbers as text", r#""position":{"x":1,"y":3}"#, r#""position":{"x":"1","y":"3"}"#),
        ("keys in another case", "boardSize", "BoardSize"),
        ("the team in capitals", r#""red""#, r#""Red""#),
        ("no numbers of players", r#""numberOfPlayers":{"allies":2,"enemies":2},"#, ""),
        (
            "two penalties for an exchange",
            r#""informationExchange":600"#,
            r#""ask":"600","response":"600","pickup":"0""#,
        ),
        ("an own name for the agent's team", r#""goalAreaSize":1"#, r#""teamName":"us","goalAreaSize":1"#),
    ] {
        let odd = plain.replace(from, to);
        assert_ne!(odd, plain, "{why}");
        assert_eq!(begin(&odd), expected, "{why}");
    }
    // The number of players is missing: it is known from the agents that are named.
    let (briefing, _) = expected;
    assert_eq!(briefing.game.teams, [Team::Red, Team::Blue, Team::Red, Team::Blue]);
    assert_eq!((briefing.agent.index(), briefing.leader().unwrap().index()), (2, 0));
}

/// An answer that no server passes on leaves the leader waiting, and everything else refused.
#[test]
fn an_answer_that_is_lost_is_given_again_with_less_in_it() {
    let asked = Notice::Asked { by: AgentNumber(1), leader: true, team: Team::Red };
    let moved = |y| Notice::Moved { to: Position::new(1, y), distance: Some(Distance::new(3)) };
    let waits = Notice::Refused { position: None, holding: None, reason: None };
    let mut talk =
        Talk::playing(Dialect::Spec, &["move N", "move S", "move N", "move S", "move N", "discover"]);
    talk.title("the answer is lost").answers(&moved(4)).later(&asked).asked();
    talk.answers(&waits).answers(&waits);
    talk.title("so is that it knows nothing").asked();
    talk.answers(&waits).answers(&waits);
    talk.title("this one is short enough").asked();
    talk.answers(&Notice::Discovered { distances: Surroundings([None; 9]) }).later(&asked);
    talk.title("and the next one says what it knows again").asked();
    assert_snapshot!(talk.log);
}

/// The message of a game master that leaves a sham in the hand, from the refusal that gives it away on.
const HANDS_FULL: Notice = Notice::PickUpRefused { reason: PickUpFailure::Other };

/// A talk in which a check has found a sham and the next piece was refused to the agent.
fn refused_after_a_sham(actions: &[&str]) -> Talk {
    let mut talk = Talk::playing(Dialect::Spec, &["pick-up", "check", "pick-up"]);
    talk.will(actions).answers(&Notice::PickedUp).answers(&Notice::Checked { sham: true });
    talk.answers(&HANDS_FULL);
    talk
}

/// One game master of 2020 leaves a sham in the hand that a check has found, and gives no other piece until it is
/// destroyed.
#[test]
fn a_sham_that_is_left_in_the_hand_is_destroyed() {
    let sham = Notice::Checked { sham: true };
    let mut talk = refused_after_a_sham(&["pick-up", "check", "pick-up", "move N"]);
    talk.answers(&Notice::Destroyed).answers(&Notice::PickedUp).answers(&sham);
    talk.title("from now on at once");
    talk.answers(&Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(40)) });
    talk.answers(&Notice::Destroyed).answers(&Notice::PickedUp).until(5_000);
    assert_eq!(talk.sent, [7], "what the strategy does next");
    let heard = talk.script.heard.iter();
    assert!(!heard.clone().any(|heard| matches!(heard, Notice::Destroyed | Notice::TooEarly { .. })));
    assert_snapshot!(talk.log);
}

/// The leader's question comes before it.
#[test]
fn a_sham_is_destroyed_after_the_leader_was_answered() {
    let mut talk = Talk::playing(Dialect::Spec, &["pick-up", "check", "pick-up"]);
    talk.answers(&Notice::PickedUp).answers(&Notice::Checked { sham: true }).asked();
    talk.later(&Notice::Asked { by: AgentNumber(1), leader: true, team: Team::Red }).later(&HANDS_FULL);
    talk.until(2_000);
    assert_eq!(talk.sent, [4, 2]);
}

/// If there is nothing to destroy after all, the game master's messages are taken as they are.
#[test]
fn a_hand_without_a_sham_is_not_cleared_for_ever() {
    let empty = Notice::Refused { position: None, holding: Some(false), reason: None };
    let mut talk = refused_after_a_sham(&["pick-up", "check"]);
    talk.answers(&empty).answers(&HANDS_FULL);
    assert_eq!(talk.actor().own().hand, Hand::Unchecked);
    talk.until(1_100);
    assert_eq!(talk.sent, [1], "the strategy's own check");

    let unsaid = Notice::Refused { position: None, holding: None, reason: None };
    let mut talk = refused_after_a_sham(&["pick-up", "check"]);
    talk.answers(&unsaid).until(1_000);
    assert_eq!(talk.sent, [2], "once more");
    talk.answers(&unsaid).answers(&HANDS_FULL).until(3_000);
    assert_eq!(talk.sent, [1], "and no more");
}

/// Nothing is sent before the leader has its answer, and the answer waits until the lock ends.
#[test]
fn the_leader_comes_first() {
    let by = |number, leader, team| Notice::Asked { by: AgentNumber(number), leader, team };
    let mut talk = Talk::playing(Dialect::Spec, &["move N", "move N", "move N"]);
    talk.title("asked during the lock, by an ally, an enemy who says it leads, and the leader");
    talk.answers(&Notice::Moved { to: Position::new(1, 4), distance: Some(Distance::new(3)) });
    talk.later(&by(4, true, Team::Blue)).later(&by(1, true, Team::Red)).until(129);
    assert_eq!(talk.sent, [0; 0], "the lock may last until 130 ms");
    talk.until(130);
    assert_eq!(talk.sent, [4]);
    assert!(talk.log.contains(r#""respondToID":1"#));
    talk.until(729);
    assert_eq!(talk.sent, [4], "an answer locks for 600 ms");
    talk.until(730);
    assert_eq!(talk.sent, [4, 7], "the enemy is not answered");

    talk.title("asked while a request is under way: 905, which costs nothing, and then the answer");
    talk.sent.clear();
    talk.later(&by(1, true, Team::Red)).later(&Notice::Refused {
        position: None,
        holding: None,
        reason: None,
    });
    talk.until(750);
    assert_eq!(talk.sent, [4]);

    talk.title("the answer comes too early, 904: it is given again, before anything else");
    talk.sent.clear();
    talk.later(&Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(100)) }).until(859);
    assert_eq!(talk.sent, [0; 0]);
    talk.until(860);
    assert_eq!(talk.sent, [4]);
    talk.until(1460);
    assert_eq!(talk.sent, [4], "who was too early once is careful");
    talk.until(1461);
    assert_eq!(talk.sent, [4, 7]);

    talk.title("asked again while it waits for nothing else: one answer is enough");
    talk.sent.clear();
    talk.later(&Notice::Moved { to: Position::new(1, 5), distance: None });
    talk.later(&by(1, true, Team::Red)).later(&by(1, true, Team::Red)).until(5_000);
    assert_eq!(talk.sent, [4]);
    assert_snapshot!(talk.log);
}

/// An answer whose author is not named is that of the one agent that was reached and has not answered yet.
#[test]
fn answers_without_an_author() {
    const ANSWER: &str =
        r#"{"messageID":4,"payload":{"redTeamGoalAreaInformations":["N","IDK","IDK","IDK"]}}"#;
    let author = |before: &[Notice]| {
        let mut talk = Talk::playing(Dialect::Spec, &["ask #1"]);
        for notice in before {
            talk.answers(notice).will(&["ask #0"]);
        }
        let then = talk.asked();
        talk.says(then + 20, ANSWER);
        talk.actor().knowledge().hearsay(Position::new(0, 5)).map(|learnt| learnt.from)
    };
    let told = |agent| Some(Source::Told(AgentId::new(agent)));
    assert_eq!(author(&[]), told(1));
    assert_eq!(author(&[Notice::TooEarly { wait_until: None, wait_for: None }]), told(0));
    assert_eq!(author(&[Notice::Refused { position: None, holding: None, reason: None }]), told(0));
    assert_eq!(author(&[Notice::QuestionPassedOn { succeeded: false }]), told(0));
    assert_eq!(author(&[Notice::Answered { by: Some(AgentNumber(2)), information: information() }]), told(0));
    assert_eq!(author(&[Notice::QuestionPassedOn { succeeded: true }]), None, "it may be either's");
}

/// Another implementation may answer nothing at all; the agent goes on by itself.
#[test]
fn an_unanswered_request_is_not_waited_for_for_ever() {
    let mut talk = Talk::playing(Dialect::Spec, &["move N", "discover", "move N"]);
    talk.until(5_109);
    assert_eq!(talk.sent, [7]);
    talk.until(5_110);
    assert_eq!(talk.sent, [7, 3]);
    // The late answer to the first is news all the same, and not taken for that to the second.
    talk.later(&Notice::Moved { to: Position::new(1, 4), distance: Some(Distance::new(2)) });
    assert_eq!(talk.actor().position(), Position::new(1, 4));
    assert_eq!(talk.wake, Some(SimTime::from_millis(5_110 + 5_200)));
    assert_snapshot!(talk.log);
}

/// A game master that closes the connection without message 104 leaves the agent with its own knowledge.
#[test]
fn a_game_without_a_last_message_ends_with_what_the_agent_knows() {
    let known = |result, is_closed| {
        let mut talk = Talk::playing(Dialect::Spec, &["move N", "put"]);
        talk.lands().answers(&Notice::Moved { to: Position::new(1, 5), distance: None });
        talk.answers(&Notice::Put { result: Some(result) });
        if is_closed {
            talk.closes(5_000)
        } else {
            talk.breaks(5_000)
        };
        talk.end
    };
    let unannounced = |covered| Some(End::Unannounced { covered, goals: 1 });
    assert_eq!(known(PutResult::OnGoal, true), unannounced(1), "the team has won");
    assert_eq!(known(PutResult::OnNoGoal, true), unannounced(0));
    assert_eq!(known(PutResult::OnGoal, false), Some(End::Closed), "what breaks is not the end of a game");
}

#[test]
fn a_session_that_ends_early_says_why() {
    let start = start();
    let faulty = [
        ("no piece", wire::project::GameStart { pieces: 0, ..start.clone() }),
        ("more goals than fields", wire::project::GameStart { goals: 5, ..start.clone() }),
        ("a penalty of a day", {
            let penalties = game_project::Penalties::new(|_| Millis::new(86_400_000));
            wire::project::GameStart { penalties, ..start.clone() }
        }),
    ];
    let mut log = String::new();
    for (why, start) in faulty {
        let mut talk = Talk::new();
        talk.notice(10, &Notice::GameStart(Box::new(start)));
        assert!(matches!(talk.end, Some(End::Unplayable(_))), "{why}");
        assert_eq!(talk.sent, [6], "{why}");
        log += &format!("# {why}: {:?}\n", talk.end.unwrap());
    }
    let mut talk = Talk::playing(Dialect::Spec, &["move N"]);
    talk.asked();
    talk.closes(50).notice(60, &Notice::GameOver { winner: Team::Red });
    let end = End::Unannounced { covered: 0, goals: 1 };
    assert_eq!((talk.end.as_ref(), talk.sent.len()), (Some(&end), 0), "what ended stays as it ended");
    log += &talk.log;
    assert_snapshot!(log);
}
