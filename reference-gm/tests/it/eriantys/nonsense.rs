//! Each client message replaced by nonsense at each state: the client receives the reason, and nothing changes.

use reference_gm::server::Master as _;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use wire::eriantys::notice::RequestPieceColorList;
use wire::eriantys::request::{
    CharacterCardParameters, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor,
    LoginWizardFamily,
};
use wire::eriantys::words::{Place, RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{DecodeError, Decoder, Message as _, Notice, Request};

use super::harness::{Chooser, Harness};

/// Lines that are never right: no messages, and messages with numbers that nothing has.
const NONSENSE: [&str; 19] = [
    "x",
    "[]",
    "{}",
    "{\"type\":7}",
    "{\"type\":\"Ping\"}",
    "{\"type\":\"ChooseCloud\"}",
    "{\"type\":\"ChooseCloud\",\"cloud\":\"1\"}",
    "{\"type\":\"ChooseCloud\",\"cloud\":0}",
    "{\"type\":\"ChooseCloud\",\"cloud\":5}",
    "{\"type\":\"PlayHelperCard\",\"card\":0}",
    "{\"type\":\"PlayHelperCard\",\"card\":9223372036854775807}",
    "{\"type\":\"MotherNatureStep\",\"steps\":0}",
    "{\"type\":\"MotherNatureStep\",\"steps\":-1}",
    "{\"type\":\"EntranceToIsland\",\"color\":\"red\",\"island\":13}",
    "{\"type\":\"EntranceToIsland\",\"color\":\"red\",\"island\":0}",
    "{\"type\":\"CharacterCardParameters\"}",
    "{\"type\":\"LoginNewMatch\",\"players\":2,\"rules\":\"Expert\"}",
    "{\"type\":\"LoginNickname\",\"nickname\":\"a nickname of 23 letters\"}",
    "{\"type\":\"LoginTowerColor\",\"color\":\"pink\"}",
];

fn read(line: &str) -> Result<Request, DecodeError> {
    Decoder::new(1000).next(&mut format!("{line}\n").as_bytes()).unwrap()
}

/// Returns whether a line is meant as a message that there is, with whatever fields.
fn names_a_message(line: &str) -> bool {
    matches!(read(line), Ok(_) | Err(DecodeError::Field { .. }))
}

/// Returns whether something was written down besides the reserved numbers of matches.
fn has_records(harness: &Harness) -> bool {
    harness.records.iter().any(|record| !matches!(record, reference_gm::eriantys::Record::Count(_)))
}

/// Returns whether this is a question of the login, in which a line that is no message closes the connection.
fn is_login(question: &Notice) -> bool {
    question.name().starts_with("Login") || question.name() == "RequestNickname"
}

/// One message of each type.
fn every_message() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/tests/eriantys/requests.txt");
    let text = fs::read_to_string(file).unwrap();
    let mut seen = BTreeSet::new();
    let kind = |line: &str| line.split('"').nth(3).unwrap().to_owned();
    text.lines().filter(|line| seen.insert(kind(line))).map(str::to_owned).collect()
}

/// Sends every wrong message at this state: each line is refused with a reason, and the question asked again.
fn check(harness: &mut Harness, id: reference_gm::eriantys::ConnectionId, question: &Notice, right: &[&str]) {
    let wrong = every_message().into_iter().filter(|line| {
        let kind = line.split('"').nth(3).unwrap();
        kind != "Pong" && !right.contains(&kind)
    });
    let nonsense = NONSENSE.iter().filter(|line| !is_login(question) || names_a_message(line));
    let lines: Vec<String> = nonsense.map(|line| (*line).to_owned()).chain(wrong).collect();
    for line in lines {
        harness.now += game_env::Millis::new(10);
        harness.take(id);
        harness.send_line(id, &line);
        let told = harness.take(id);
        let told: Vec<Notice> =
            told.into_iter().filter(|notice| !matches!(notice, Notice::Ping(_))).collect();
        let [Notice::ErrorMessage(error), again] = &told[..] else {
            panic!("{line} at {question:?}: {told:?}");
        };
        let says_what_is_right = ["expected", "missing field", "not in this match"];
        assert!(
            says_what_is_right.iter().any(|words| error.error.contains(words)),
            "{line}: {}",
            error.error
        );
        assert_eq!(again, question, "{line}");
        harness.send_line(id, "{\"type\":\"Pong\"}");
    }
}

#[test]
fn nonsense_at_each_question_of_the_login_changes_nothing() {
    let mut harness = Harness::new(1);
    let id = harness.connect();
    let question = |harness: &mut Harness| harness.take(id).pop().unwrap();
    let asked = question(&mut harness);
    let all = ["LoginAnyMatch", "LoginNewMatch"];
    check(&mut harness, id, &asked, &all);
    harness.send(id, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    let asked = question(&mut harness);
    check(&mut harness, id, &asked, &["LoginNickname"]);
    harness.send(id, LoginNickname { nickname: "Ada".parse().unwrap(), token: None });
    let asked = question(&mut harness);
    check(&mut harness, id, &asked, &["LoginTowerColor"]);
    harness.send(id, LoginTowerColor { color: TowerColor::White });
    let asked = question(&mut harness);
    check(&mut harness, id, &asked, &["LoginWizardFamily"]);
    assert!(matches!(
        harness.ask(id, LoginWizardFamily { family: WizardFamily::Sage })[0],
        Notice::LoginReply(_)
    ));
    // Nothing is asked of a player who waits.
    harness.send_line(id, "{\"type\":\"ChooseCloud\",\"cloud\":1}");
    let told = harness.take(id);
    assert!(matches!(told.last(), Some(Notice::ErrorMessage(_))), "{told:?}");
    assert!(!has_records(&harness) && harness.master.totals().lobbies == 1);
}

#[test]
fn a_line_that_is_no_message_closes_a_connection_that_has_not_logged_in() {
    let enter = LoginNewMatch { players: 2, rules: RuleSet::Simple };
    let login: [Request; 3] = [
        enter.into(),
        LoginNickname { nickname: "Ada".parse().unwrap(), token: None }.into(),
        LoginTowerColor { color: TowerColor::White }.into(),
    ];
    let longest = "x".repeat(5000);
    let nonsense = NONSENSE.into_iter().filter(|line| !names_a_message(line));
    for line in nonsense.chain(["POST / HTTP/1.1", "Host: 127.0.0.1:4000", &longest]) {
        for stage in 0..=login.len() {
            let mut harness = Harness::new(1);
            let id = harness.connect();
            login[..stage].iter().for_each(|request| harness.send(id, request.clone()));
            harness.take(id);
            harness.send_line(id, line);
            let told = harness.take(id);
            let [Notice::ConnectionClosed(closed)] = &told[..] else { panic!("{line} at {stage}: {told:?}") };
            assert!(
                ["expected", "missing field", "more than"].iter().any(|words| closed.reason.contains(words))
            );
            assert!(harness.closed.contains(&id));
            // Messages behind it are not obeyed, whether they come with it or later.
            harness.send(id, enter);
            assert_eq!(
                (harness.master.totals().lobbies, has_records(&harness)),
                (0, false),
                "{line} at {stage}"
            );
        }
    }
}

/// A page of another site makes the browser send a request whose body has the lines of a client.
#[test]
fn a_request_of_a_browser_opens_no_match() {
    let body: String = ["{\"type\":\"LoginNewMatch\",\"players\":2,\"rules\":\"simple\"}\n"; 3].concat();
    let length = body.len();
    let request =
        format!("POST / HTTP/1.1\r\nHost: 127.0.0.1:4000\r\nContent-Length: {length}\r\n\r\n{body}");
    for size in 1..request.len() {
        let mut harness = Harness::new(1);
        let id = harness.connect();
        for piece in request.as_bytes().chunks(size) {
            harness.handle(reference_gm::eriantys::Input::Received(id, piece));
        }
        assert!(
            harness.closed.contains(&id) && harness.master.totals().lobbies == 0,
            "pieces of {size} bytes"
        );
    }
}

#[test]
fn nonsense_at_each_question_of_a_match_changes_nothing() {
    let mut kinds = BTreeSet::new();
    for seed in 0..12 {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(2, RuleSet::Expert);
        let mut chooser = Chooser::new(seed);
        harness.play_out(&mut clients, &mut chooser, |harness, clients, question| {
            // Each kind of question twice: the matches are long.
            let kind = question.name();
            if !kinds.insert((kind, seed % 2)) {
                return;
            }
            let id = clients[harness.state().table().mover().index()];
            let right: &[&str] = match question {
                Notice::PlayableHelperCard(_) => &["PlayHelperCard"],
                Notice::RequestStudent(_) => &["EntranceToDining", "EntranceToIsland", "PlayCharacterCard"],
                Notice::RequestMotherNatureStep(_) => &["MotherNatureStep", "PlayCharacterCard"],
                Notice::RequestCloud(_) => &["ChooseCloud", "PlayCharacterCard"],
                _ => &["CharacterCardParameters", "DeclineCharacterCard"],
            };
            // The students to give are asked for from the beginning after a mistake, which is another question.
            if matches!(question, Notice::RequestPieceColorList(asked) if asked.least == asked.most) {
                return;
            }
            let (before, records) = (harness.hash(), harness.records.len());
            check(harness, id, question, right);
            // The other player has nothing to say at all.
            let other = clients[1 - harness.state().table().mover().index()];
            for line in every_message() {
                harness.take(other);
                harness.now += game_env::Millis::new(10);
                harness.send_line(other, &line);
                harness.send_line(id, "{\"type\":\"Pong\"}");
                harness.send_line(other, "{\"type\":\"Pong\"}");
                let told = harness.take(other);
                let is_pong = line.contains("Pong");
                let told: Vec<Notice> =
                    told.into_iter().filter(|notice| !matches!(notice, Notice::Ping(_))).collect();
                let is_refused = matches!(&told[..], [Notice::ErrorMessage(_)]);
                assert!(is_refused != is_pong, "{line}: {told:?}");
            }
            assert_eq!((harness.hash(), harness.records.len()), (before, records));
        });
        if kinds.len() >= 14 {
            break;
        }
    }
    let kinds: BTreeSet<&str> = kinds.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}

#[test]
fn nonsense_at_the_question_for_a_saved_player_changes_nothing() {
    let mut harness = Harness::new(1);
    let clients = harness.game(2, RuleSet::Simple);
    harness.disconnect(clients[1]);
    let id = harness.connect();
    harness.send(id, LoginResumeMatch { number: 1 });
    let asked = harness.take(id).pop().unwrap();
    assert!(matches!(asked, Notice::LoginPlayersOptions(_)), "{asked:?}");
    let (before, records) = (harness.hash(), harness.records.len());
    check(&mut harness, id, &asked, &["LoginNickname"]);
    // The name of a player who is not missing is no better.
    let told = harness.ask(id, LoginNickname { nickname: "Zoe".parse().unwrap(), token: None });
    assert!(matches!(&told[..], [Notice::ErrorMessage(_), again] if *again == asked), "{told:?}");
    assert_eq!((harness.hash(), harness.records.len()), (before, records));
    let told = harness.ask(id, LoginNickname { nickname: "Bob".parse().unwrap(), token: None });
    assert!(matches!(told[0], Notice::LoginReply(_)), "{told:?}");
}

/// The students to give are asked for after those to take. A faulty list restarts the exchange.
#[test]
fn nonsense_at_the_second_list_of_an_exchange_changes_nothing() {
    let mut seen = 0;
    for seed in 0..40 {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(2, RuleSet::Expert);
        let mut first: Option<RequestPieceColorList> = None;
        harness.play_out(&mut clients, &mut Chooser::new(seed), |harness, clients, question| {
            let Notice::RequestPieceColorList(asked) = question else { return };
            if asked.from != Place::Entrance {
                first = Some(asked.clone());
                return;
            }
            let Some(first) = &first else { panic!("{asked:?} has no list before it") };
            seen += 1;
            if seen > 2 {
                return;
            }
            let id = clients[harness.state().table().mover().index()];
            let (before, records) = (harness.hash(), harness.records.len());
            let taken = first.colors[..usize::from(asked.most)].to_vec();
            let wrong = every_message().into_iter().filter(|line| {
                !["Pong", "CharacterCardParameters", "DeclineCharacterCard"].iter().any(|kind| line.contains(kind))
            });
            let faulty = [
                "{\"type\":\"CharacterCardParameters\",\"colors\":[]}",
                "{\"type\":\"CharacterCardParameters\",\"color\":\"red\"}",
                "{\"type\":\"CharacterCardParameters\",\"colors\":[\"red\",\"red\",\"red\",\"red\",\"red\",\"red\"]}",
            ];
            let lines = NONSENSE.iter().chain(&faulty).map(|line| (*line).to_owned()).chain(wrong);
            let mut again = 0;
            for line in lines {
                harness.now += game_env::Millis::new(10);
                harness.take(id);
                harness.send_line(id, &line);
                let told = harness.take(id);
                let told: Vec<Notice> =
                    told.into_iter().filter(|notice| !matches!(notice, Notice::Ping(_))).collect();
                let [Notice::ErrorMessage(_), asks] = &told[..] else { panic!("{line}: {told:?}") };
                if asks != question {
                    assert_eq!(*asks, Notice::from(first.clone()), "{line}");
                    again += 1;
                    let taken = CharacterCardParameters { colors: Some(taken.clone()), ..Default::default() };
                    let told = harness.ask(id, taken);
                    assert_eq!(told.last(), Some(question), "{line}");
                }
                for id in clients.clone() {
                    harness.send_line(id, "{\"type\":\"Pong\"}");
                }
            }
            assert!(again >= faulty.len(), "{again} lists were faulty");
            assert_eq!((harness.hash(), harness.records.len()), (before, records));
        });
        if seen >= 2 {
            return;
        }
    }
    panic!("{seen} exchanges in 40 matches");
}

#[test]
fn nonsense_has_no_message_of_any_client() {
    for line in every_message() {
        assert!(read(&line).is_ok(), "{line}");
    }
    assert_eq!(every_message().len(), Request::TYPES.len());
}
