//! The protocol of Eriantys: golden files in `tests/eriantys`, one message a line, their schemas, and lines that are no
//! message.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use game_env::{Environment as _, Seed, Turn};
use game_eriantys::{Color, Config, Exchange, IslandId, Play, State};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::eriantys::convert::{parameters, read_table, table_update};
use wire::eriantys::notice::{
    Action, LoginReply, PlayerAction, RequestColor, RequestIsland, RequestPieceColorList,
};
use wire::eriantys::request::{CharacterCardParameters, EntranceToIsland, LoginNickname, PlayHelperCard};
use wire::eriantys::table::Students;
use wire::eriantys::words::{CharacterName, Phase, PieceColor, Place, TowerColor, WizardFamily};
use wire::eriantys::{
    DecodeError, Decoder, Message, NOTICE_LIMIT, Notice, Profile, REQUEST_LIMIT, Request, Token, schema,
};

use crate::messages::{check_file, folder};

fn golden(name: &str) -> String {
    fs::read_to_string(folder("tests/eriantys").join(name)).unwrap()
}

/// Returns the messages of these bytes if the stream is cut at these places.
fn cut<M: Message>(bytes: &[u8], places: &[usize]) -> Vec<Result<M, DecodeError>> {
    let mut decoder = Decoder::new(NOTICE_LIMIT);
    let (mut found, mut start) = (Vec::new(), 0);
    for end in places.iter().copied().chain([bytes.len()]) {
        let mut piece = &bytes[start..end];
        while let Some(message) = decoder.next(&mut piece) {
            found.push(message);
        }
        assert!(piece.is_empty());
        start = end;
    }
    found
}

fn read<M: Message>(line: &str) -> Result<M, DecodeError> {
    let mut found = cut(format!("{line}\n").as_bytes(), &[]);
    assert_eq!(found.len(), 1, "{line}");
    found.remove(0)
}

fn written(message: &impl Message) -> String {
    let mut bytes = Vec::new();
    message.write(&mut bytes);
    assert_eq!(bytes.pop(), Some(b'\n'));
    String::from_utf8(bytes).unwrap()
}

/// The type of the message in a line of a golden file.
fn type_of(line: &str) -> String {
    let value: Value = serde_json::from_str(line).unwrap();
    value["type"].as_str().unwrap().to_owned()
}

fn check_golden<M: Message>(text: &str) {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let message: M = read(line).unwrap();
        assert_eq!(written(&message), line);
        assert_eq!(message.name(), type_of(line));
        found.insert(message.name());
    }
    assert_eq!(found, M::TYPES.iter().copied().collect(), "every type of message is in the golden file");
}

#[test]
fn messages_are_written_as_they_are_read() {
    check_golden::<Request>(&golden("requests.txt"));
    check_golden::<Notice>(&golden("notices.txt"));
}

fn validators<M: Message>() -> Vec<(&'static str, Value, Validator)> {
    let made = schema::schemas::<M>().into_iter();
    made.map(|(name, schema)| (name, schema.clone(), jsonschema::draft202012::new(&schema).unwrap()))
        .collect()
}

fn check_schemas<M: Message>(text: &str) {
    for (name, schema, validator) in validators::<M>() {
        let pretty = serde_json::to_string_pretty(&schema).unwrap();
        let path = folder("schemas/eriantys").join(M::SENDER).join(format!("{name}.json"));
        check_file(&path, &format!("{pretty}\n"));
        for line in text.lines().filter(|line| type_of(line) == name) {
            let value: Value = serde_json::from_str(line).unwrap();
            let faults: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            // The reader takes any whole number: the rules say which there are.
            let is_out_of_range = value["island"] == json!(-3);
            assert_eq!(faults.is_empty(), !is_out_of_range, "{line}: {faults:?}");
        }
    }
    let folder = folder("schemas/eriantys").join(M::SENDER);
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        M::TYPES.len(),
        "a schema for each message and no more"
    );
}

#[test]
fn every_message_obeys_its_schema_and_the_schemas_are_in_the_crate() {
    check_schemas::<Request>(&golden("requests.txt"));
    check_schemas::<Notice>(&golden("notices.txt"));
}

/// Schema and reader agree about lines that are no message: each field once with another value, and once without.
fn check_refusals<M: Message>(text: &str) {
    for (name, schema, validator) in validators::<M>() {
        let line = text.lines().find(|line| type_of(line) == name).unwrap();
        let value: Value = serde_json::from_str(line).unwrap();
        let required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        for key in value.as_object().unwrap().keys() {
            let mut wrong = value.clone();
            wrong[key] = json!([[null]]);
            assert!(!validator.is_valid(&wrong), "{name}: {key} may be anything");
            assert!(read::<M>(&wrong.to_string()).is_err(), "{name}: {key} is read from anything");
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(key);
            let is_needed = required.contains(&key.as_str());
            assert_eq!(validator.is_valid(&without), !is_needed, "{name} without {key}");
            assert_eq!(read::<M>(&without.to_string()).is_err(), is_needed, "{name} without {key}");
        }
        let mut more = value.clone();
        more["unheardOf"] = Value::Null;
        assert!(validator.is_valid(&more), "{name}: keys of later versions are passed over");
        assert_eq!(
            read::<M>(&more.to_string()).map(|message| written(&message)),
            read::<M>(line).map(|message| written(&message))
        );
        // A key that is there twice, whichever.
        for key in value.as_object().unwrap().keys() {
            let twice = format!("{},\"{key}\":{}}}", line.strip_suffix('}').unwrap(), value[key]);
            let told = read::<M>(&twice).map(|message| written(&message)).unwrap_err().to_string();
            assert!(told.contains(&format!("duplicate field `{key}`")), "{twice}: {told}");
        }
    }
}

#[test]
fn schemas_and_readers_refuse_the_same() {
    check_refusals::<Request>(&golden("requests.txt"));
    check_refusals::<Notice>(&golden("notices.txt"));
}

#[test]
fn the_reference_in_the_book_is_made_of_the_schemas() {
    let examples = golden("requests.txt") + &golden("notices.txt");
    check_file(&folder("../book/src/eriantys-messages.md"), &schema::reference::<Request, Notice>(&examples));
}

#[test]
fn what_is_no_message_is_told_what_would_be_right() {
    let mut told = String::new();
    for line in [
        "x",
        "[]",
        "[\"Pong\"]",
        "\"Pong\"",
        "{",
        "{\"type\":\"Pong\"",
        "{\"type\":\"Pong\"} {\"type\":\"Pong\"}",
        "{type:\"Pong\"}",
        "{\"type\":\"Pong\",\"typ\\u0065\":\"Pong\"}",
        "{}",
        "{\"type\":null}",
        "{\"type\":7}",
        "{\"Type\":\"Pong\"}",
        "{\"type\":\"pong\"}",
        "{\"type\":\"Pong\",\"type\":\"Pong\"}",
        "{\"type\":\"Ping\"}",
        "{\"type\":\"\u{202e}\\u001b[2J\"}",
        "{\"type\":\"ChooseCloud\"}",
        "{\"type\":\"ChooseCloud\",\"cloud\":null}",
        "{\"type\":\"ChooseCloud\",\"cloud\":\"2\"}",
        "{\"type\":\"ChooseCloud\",\"cloud\":2.5}",
        "{\"type\":\"ChooseCloud\",\"cloud\":[2]}",
        "{\"type\":\"ChooseCloud\",\"cloud\":18446744073709551615}",
        "{\"type\":\"ChooseCloud\",\"cloud\":1,\"cloud\":2}",
        "{\"type\":\"EntranceToDining\",\"color\":\"Red\"}",
        "{\"type\":\"EntranceToDining\",\"color\":1}",
        "{\"type\":\"LoginNewMatch\",\"players\":2}",
        "{\"type\":\"LoginNewMatch\",\"players\":2,\"rules\":\"hard\"}",
        "{\"type\":\"LoginNickname\",\"nickname\":\"  \"}",
        "{\"type\":\"LoginNickname\",\"nickname\":\"a\\u202eb\"}",
        "{\"type\":\"LoginNickname\",\"nickname\":\"xxxxxxxxxxxxxxxxxxxxx\"}",
        "{\"type\":\"LoginNickname\",\"nickname\":\"Ada\",\"token\":\"secret\"}",
        "{\"type\":\"CharacterCardParameters\",\"colors\":[\"red\",\"read\"]}",
        "{\"type\":\"CharacterCardParameters\",\"colors\":\"red\"}",
        "{\"type\":\"CharacterCardParameters\",\"island\":\"1\"}",
        &format!("{{\"type\":\"PlayCharacterCard\",\"character\":\"{}\"}}", "x\u{202e}".repeat(500)),
        &format!("{{\"type\":\"Pong\",\"deep\":{}", "[".repeat(1000)),
    ] {
        let error = read::<Request>(line).unwrap_err().to_string();
        assert!(error.len() < 600, "{error}");
        let line: String = line.chars().take(80).collect();
        writeln!(told, "{line:?}\n    {error}").unwrap();
    }
    let not_text = cut::<Request>(b"{\"type\":\"Pong\xff\"}\n", &[]);
    writeln!(told, "bytes that are no text\n    {}", not_text[0].as_ref().unwrap_err()).unwrap();
    let mut decoder = Decoder::<Request>::new(REQUEST_LIMIT);
    let long = "x".repeat(REQUEST_LIMIT + 1);
    writeln!(told, "a long line\n    {}", decoder.next(&mut long.as_bytes()).unwrap().unwrap_err()).unwrap();
    // The messages behind it are read.
    assert_eq!(decoder.next(&mut &b"xx\n\r\n  \n{\"type\":\"Pong\"}\n"[..]).unwrap().unwrap().name(), "Pong");
    insta::assert_snapshot!(told);
}

#[test]
fn what_readers_tolerate() {
    let same = [
        "{\"type\":\"EntranceToIsland\",\"color\":\"red\",\"island\":3}",
        " { \"island\" : 3 , \"type\" : \"EntranceToIsland\" , \"color\" : \"red\" } ",
        "{\"color\":\"\\u0072ed\",\"t\\u0079pe\":\"EntranceToIsland\",\"island\":3,\"why\":{\"a\":[1,{}]}}",
    ];
    let expected = Request::from(EntranceToIsland { color: PieceColor::Red, island: 3 });
    for line in same {
        assert_eq!(read::<Request>(line).as_ref(), Ok(&expected), "{line}");
    }
    let line = "{\"type\":\"CharacterCardParameters\",\"color\":null,\"island\":null,\"colors\":null}";
    assert_eq!(read::<Request>(line), Ok(CharacterCardParameters::default().into()));
    let line = "{\"type\":\"LoginNickname\",\"nickname\":\" Ada  \",\"token\":null}";
    let expected = LoginNickname { nickname: "Ada".parse().unwrap(), token: None };
    assert_eq!(read::<Request>(line), Ok(expected.into()));
}

#[test]
fn a_stream_that_is_split_at_any_byte_has_the_same_messages() {
    fn check<M: Message + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
        let whole = cut::<M>(bytes, &[]);
        assert!(whole.len() > 15);
        for place in 0..=bytes.len() {
            assert_eq!(cut::<M>(bytes, &[place]), whole, "split at {place}");
        }
        assert_eq!(cut::<M>(bytes, &(0..bytes.len()).collect::<Vec<_>>()), whole, "byte by byte");
    }
    check::<Request>(golden("requests.txt").as_bytes());
    check::<Request>(golden("requests.txt").replace('\n', "\r\n").as_bytes());
    check::<Notice>(golden("notices.txt").as_bytes());
}

/// The longest list of matches that a server sends fits into the line that clients have to read.
#[test]
fn the_longest_list_of_matches_fits_into_a_line() {
    let name = "\u{1f3dd}".repeat(20);
    let option =
        json!({ "match": u64::MAX, "players": 4, "rules": "expert", "nicknames": [name, name, name, name] });
    let line =
        json!({ "type": "LoginMatchOptions", "open": vec![option.clone(); 50], "saved": vec![option; 50] });
    let length = written(&read::<Notice>(&line.to_string()).unwrap()).len();
    assert!((30_000..NOTICE_LIMIT).contains(&length), "{length}");
}

fn colors() -> impl Strategy<Value = PieceColor> {
    prop::sample::select(PieceColor::ALL.to_vec())
}

fn requests() -> impl Strategy<Value = Request> {
    prop_oneof![
        any::<i64>().prop_map(|card| PlayHelperCard { card }.into()),
        (colors(), any::<i64>()).prop_map(|(color, island)| EntranceToIsland { color, island }.into()),
        (
            prop::option::of(colors()),
            any::<Option<i64>>(),
            prop::option::of(prop::collection::vec(colors(), 0..9))
        )
            .prop_map(|(color, island, colors)| CharacterCardParameters { color, island, colors }.into()),
        ("[ -~ž🏝]{1,20}", any::<Option<[u8; 16]>>()).prop_filter_map("only spaces", |(text, token)| {
            let nickname = text.parse().ok()?;
            Some(LoginNickname { nickname, token: token.map(Token::new) }.into())
        }),
    ]
}

fn notices() -> impl Strategy<Value = Notice> {
    let characters = || prop::sample::select(CharacterName::ALL.to_vec());
    let lists = || prop::collection::vec(colors(), 0..4);
    prop_oneof![
        ("[a-z]{1,20}", any::<u64>(), any::<Option<[u8; 16]>>()).prop_map(|(nickname, number, token)| {
            LoginReply { number, nickname: nickname.parse().unwrap(), token: token.map(Token::new) }.into()
        }),
        (characters(), lists(), any::<String>()).prop_map(|(character, colors, question)| RequestColor {
            character,
            colors,
            question
        }
        .into()),
        (characters(), prop::option::of(colors()), any::<Option<u8>>(), lists(), lists()).prop_map(
            |(character, color, island, taken, given)| {
                let action = Action::PlayCharacterCard { character, color, island, taken, given };
                PlayerAction { nickname: "Ada".parse().unwrap(), action }.into()
            }
        ),
    ]
}

proptest! {
    #[test]
    fn any_message_is_read_as_it_was_written(request in requests(), notice in notices()) {
        prop_assert_eq!(read::<Request>(&written(&request)), Ok(request));
        prop_assert_eq!(read::<Notice>(&written(&notice)), Ok(notice));
    }

    #[test]
    fn any_bytes_are_read_and_what_is_a_message_is_written_again(bytes: Vec<u8>, limit in 0_usize..200) {
        let mut decoder = Decoder::<Request>::new(limit);
        let mut input = &bytes[..];
        while let Some(found) = decoder.next(&mut input) {
            if let Ok(request) = found {
                prop_assert_eq!(read::<Request>(&written(&request)), Ok(request));
            }
        }
        prop_assert!(input.is_empty());
    }

    /// Lines that are almost messages: one byte of one of them is another.
    #[test]
    fn near_messages_are_read_or_refused(place in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = (golden("requests.txt") + &golden("notices.txt")).into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        for request in cut::<Request>(&bytes, &[]).into_iter().flatten() {
            prop_assert_eq!(read::<Request>(&written(&request)), Ok(request));
        }
        for found in cut::<Notice>(&bytes, &[]) {
            match found {
                Ok(notice) => prop_assert_eq!(read::<Notice>(&written(&notice)), Ok(notice)),
                Err(error) => prop_assert!(!error.to_string().contains(game_env::text::is_hidden)),
            }
        }
    }
}

/// The tables of whole matches, for each number of players and both sets of rules.
#[test]
fn tables_are_read_as_they_were_written() {
    for (players, is_expert) in
        (2..=4).flat_map(|players| [false, true].map(|is_expert| (players, is_expert)))
    {
        let config = Config::new(players, is_expert).unwrap();
        let profiles: Vec<Profile> = (0..config.players())
            .map(|player| Profile {
                nickname: format!("player {player}").parse().unwrap(),
                tower: TowerColor::ALL[config.team(player)],
                wizard: WizardFamily::ALL[player],
            })
            .collect();
        let mut state = State::new(&config, Seed::new(u64::from(players)));
        let mut chance = Seed::new(5).game();
        let mut options = Vec::new();
        while let Turn::Act { agent, from, .. } = state.turn() {
            let update = table_update(7, state.table(), &profiles);
            assert!(update.turn.is_some());
            let Notice::TableUpdate(update) = read(&written(&Notice::from(update))).unwrap() else {
                panic!("it is a table")
            };
            assert_eq!(read_table(&update).as_ref(), Ok(state.table()));
            state.legal_actions(agent, &mut options);
            state.step(from, agent, options[chance.index(options.len())], &mut ());
        }
        let over = table_update(7, state.table(), &profiles);
        assert_eq!(over.turn, None, "the match is over");
        let mut nowhere = over.clone();
        nowhere.islands[0].first = 0;
        let told = read_table(&nowhere).unwrap_err().to_string();
        assert_eq!(told, "the table of match 7: `first` of an island is 0: expected 1 to 12");
        let mut flooded = over.clone();
        flooded.players[0].dining.red = 255;
        let told = read_table(&flooded).unwrap_err().to_string();
        assert!(
            told.starts_with("the table of match 7: ") && told.ends_with("expected at most 26"),
            "{told}"
        );
        let mut crowded = over.clone();
        crowded.order[1] = crowded.order[0].clone();
        let told = read_table(&crowded).unwrap_err().to_string();
        let right = "the table of match 7: a player is twice in the order: expected each player once";
        assert_eq!(told, right);
        let mut restless = over.clone();
        (restless.phase, restless.left) = (Phase::Students, 5);
        let told = read_table(&restless).unwrap_err().to_string();
        assert_eq!(
            told,
            format!("the table of match 7: 5 students to move: expected 1 to {}", config.moves())
        );
        let mut late = over.clone();
        late.round = 11;
        let told = read_table(&late).unwrap_err().to_string();
        assert_eq!(told, "the table of match 7: round 11: expected 1 to 10");
        let mut twice = over;
        twice.islands.iter_mut().for_each(|island| island.mother_nature = true);
        let told = read_table(&twice).map_err(|error| error.to_string());
        let lost = "the table of match 7: Mother Nature is on no island or on several: expected one";
        assert!(twice.islands.len() == 1 || told == Err(lost.to_owned()), "{told:?}");
    }
}

#[test]
fn students_are_counted_by_colour() {
    let students = Students { yellow: 1, blue: 2, green: 3, red: 4, pink: 5 };
    assert_eq!(
        PieceColor::ALL.map(|color| (color, students[color])),
        [
            (PieceColor::Yellow, 1),
            (PieceColor::Blue, 2),
            (PieceColor::Green, 3),
            (PieceColor::Red, 4),
            (PieceColor::Pink, 5),
        ]
    );
    assert_eq!((students.total(), students.list().count()), (15, 15));
}

/// Each question is answered with the matching part of the play, and with nothing else.
#[test]
fn a_play_answers_the_questions_about_its_character() {
    let island = IslandId::new(3).unwrap();
    let exchange = Exchange::new("yr".parse().unwrap(), "bg".parse().unwrap()).unwrap();
    let (character, question) = (CharacterName::Monk, String::new());
    let color = Notice::from(RequestColor { character, colors: Vec::new(), question: question.clone() });
    let islands = Notice::from(RequestIsland { character, islands: Vec::new(), question: question.clone() });
    let [entrance, card] = [Place::Entrance, Place::Card].map(|from| {
        let question = question.clone();
        Notice::from(RequestPieceColorList {
            character,
            from,
            colors: Vec::new(),
            least: 1,
            most: 3,
            question,
        })
    });
    let red = || CharacterCardParameters { color: Some(PieceColor::Red), ..Default::default() };
    let fourth = || CharacterCardParameters { island: Some(4), ..Default::default() };
    let students = |colors: [PieceColor; 2]| CharacterCardParameters {
        colors: Some(colors.to_vec()),
        ..Default::default()
    };
    let given = || students([PieceColor::Yellow, PieceColor::Red]);
    let taken = || students([PieceColor::Blue, PieceColor::Green]);
    for (play, answers) in [
        (Play::Monk(Color::Red, island), [Some(red()), Some(fourth()), None, None]),
        (Play::Herald(island), [None, Some(fourth()), None, None]),
        (Play::Granny(island), [None, Some(fourth()), None, None]),
        (Play::MushroomHunter(Color::Red), [Some(red()), None, None, None]),
        (Play::Princess(Color::Red), [Some(red()), None, None, None]),
        (Play::Thief(Color::Red), [Some(red()), None, None, None]),
        (Play::Jester(exchange), [None, None, Some(given()), Some(taken())]),
        (Play::Minstrel(exchange), [None, None, Some(given()), Some(taken())]),
        (Play::Knight, [None, None, None, None]),
    ] {
        let found = [&color, &islands, &entrance, &card].map(|asked| parameters(play, asked));
        assert_eq!(found, answers, "{play:?}");
    }
}

#[test]
fn words_are_unique_and_shown_as_written() {
    let words: Vec<String> = TowerColor::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["white", "black", "grey"]);
    let names: BTreeSet<&str> = CharacterName::ALL.into_iter().map(CharacterName::word).collect();
    assert_eq!(names.len(), 12);
}
