//! Any bytes from clients of Eriantys: a match between two others goes on, and a restart loses nothing. Any bytes from
//! a server: a client makes no choice that the rules refuse.
//!
//! `cargo +nightly fuzz run eriantys fuzz/corpus/eriantys fuzz/seeds/eriantys`
//!
//! The first byte of the input chooses the settings. Each further line is an operation of one client: its number (a
//! digit), then `+` connects, `-` ends the connection, `.` and a number lets this much time pass in ms, `:` and bytes
//! sends these bytes and a line end, `~` and bytes sends them without. Lines of other forms are sent as they are.
//! `reference-gm/tests/it/eriantys` has the rules of the server as ordinary tests.

#![no_main]

use clients::ClientSession as _;
use clients::eriantys::{Input as Heard, Output as Wanted, Session};
use fuzz::harness::{HONEST, Harness, Honest, tokens};
use fuzz::look_at;
use game_env::seat::Seat;
use game_env::{AgentId, Choice, Environment as _, Millis, Policy, RandomPolicy, Seed, SimTime};
use game_eriantys::{Action, Config, Observation, State};
use libfuzzer_sys::fuzz_target;
use reference_gm::eriantys::master::Bots;
use reference_gm::eriantys::{ConnectionId, Master, Record, Settings};
use reference_gm::server::Master as _;
use wire::eriantys::request::{
    CharacterCardParameters, ChooseCloud, DeclineCharacterCard, EntranceToDining, EntranceToIsland,
    LoginJoinMatch, LoginNewMatch, LoginNickname, LoginTowerColor, LoginWizardFamily, MotherNatureStep,
    PlayCharacterCard, PlayHelperCard, Pong,
};
use wire::eriantys::words::RuleSet;
use wire::eriantys::{Decoder, Message, NOTICE_LIMIT, Notice, REQUEST_LIMIT, Request, Token};
use wire::lines::LineDecoder;

/// The match of these players.
const MATCH: u64 = 1;

/// The beginning of a message with a table.
const TABLE: &[u8] = b"{\"type\":\"TableUpdate\"";

/// Honest players read one of this number of tables: they take half of the time, and the input decides little in them.
const TABLES_PER_READ: u32 = 16;

fuzz_target!(|input: &[u8]| {
    read_messages::<Request>(input, REQUEST_LIMIT);
    read_messages::<Notice>(input, NOTICE_LIMIT);
    hear_server(input);
    let Some((choice, script)) = input.split_first() else { return };
    let settings = Settings {
        seed: Seed::new((choice & 3).into()),
        resume_by_nickname: choice & 8 != 0,
        matches: if choice & 0x10 != 0 { 3 } else { 100 },
        messages_per_second: if choice & 0x20 != 0 { 10 } else { 100 },
        bots: (choice & 0x40 != 0).then(|| Bots {
            name: "random".to_owned(),
            token: Token::new([0xb0; 16]),
            most: 3,
            wait: Millis::new(1_000),
        }),
        ..Settings::default()
    };
    let rules = if choice & 4 != 0 { RuleSet::Expert } else { RuleSet::Simple };
    let players = Players { rules, question: None, answers: 0 };
    let harness = Harness::play(Master::new(settings.clone(), tokens()), players, script);
    // A server that ends at any moment goes on where it was. Matches that have not begun are not kept, nor their
    // numbers.
    let restored =
        Master::restore(settings, tokens(), harness.records().to_vec()).expect("the records of one server");
    let kept = |master: &Master| -> Vec<Record> {
        master.snapshot().into_iter().filter(|record| !matches!(record, Record::Count(_))).collect()
    };
    assert_eq!(kept(&restored), kept(harness.master()));
});

/// Each line is a message of this direction, or none; its value is written again in the same way.
fn read_messages<M: Message + PartialEq + std::fmt::Debug>(input: &[u8], limit: usize) {
    let whole = messages::<M>(input, input.len().max(1), limit);
    assert!(whole == messages::<M>(input, 7, limit));
    for message in whole {
        match message {
            Ok(message) => {
                let mut line = Vec::new();
                message.write(&mut line);
                let again = messages::<M>(&line, line.len(), line.len());
                assert!(matches!(&again[..], [Ok(again)] if *again == message), "{message:?}");
            }
            Err(error) => look_at(&error, NOTICE_LIMIT),
        }
    }
}

/// The messages of a stream that comes in pieces of this length, or their faults.
fn messages<M: Message>(mut stream: &[u8], piece: usize, limit: usize) -> Vec<Result<M, String>> {
    let mut decoder = Decoder::<M>::new(limit);
    let mut found = Vec::new();
    while !stream.is_empty() {
        let (mut part, rest) = stream.split_at(piece.min(stream.len()));
        while let Some(message) = decoder.next(&mut part) {
            found.push(message.map_err(|error| error.to_string()));
        }
        stream = rest;
    }
    found
}

/// A client whose server sends these bytes. The policy is asked about any table that the client takes.
fn hear_server(input: &[u8]) {
    let config = Config::new(2, true).expect("there are such matches");
    let nickname = "Ada".parse().expect("it is a nickname");
    let settings =
        clients::eriantys::Settings { games: None, ..clients::eriantys::Settings::new(nickname, config) };
    let mut session = Session::new(settings, SimTime::START);
    session.handle(SimTime::START, Heard::Connected);
    let mut seat = Seat::new(RandomPolicy::<Action>::new(Seed::new(1).game()));
    let mut seen = Observation::default();
    for piece in input.chunks(64) {
        session.handle(SimTime::START, Heard::Received(piece));
        while let Some(wanted) = session.poll_output() {
            match wanted {
                Wanted::Send(bytes) => {
                    let sent = messages::<Request>(&bytes, bytes.len(), REQUEST_LIMIT);
                    assert!(matches!(sent[..], [Ok(_)]), "a client speaks the protocol");
                }
                Wanted::Decide => {
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else {
                        continue;
                    };
                    let choice = Policy::<State>::choose(&mut seat, SimTime::START, player, &seen);
                    let has_given_up = Policy::<State>::gives_up(&mut seat).is_some();
                    let action = match choice {
                        Choice::Act(action) if !has_given_up => Some(action),
                        Choice::Act(_) | Choice::Wait(_) => None,
                    };
                    if let Some(action) = action {
                        assert_eq!(seen.table.refusal(player, action), None, "{action} on {:?}", seen.table);
                    }
                    session.handle(SimTime::START, Heard::Choice(action));
                }
                Wanted::Report(news) => look_at(&news.to_string(), NOTICE_LIMIT),
                Wanted::Done(end) => return look_at(&end.to_string(), NOTICE_LIMIT),
                Wanted::Connect | Wanted::Hear(_) | Wanted::Over(_) => {}
            }
        }
    }
}

/// The decoder of an honest player.
struct Reader {
    lines: LineDecoder,
    /// The number of tables so far.
    tables: u32,
}

/// The honest players, and the question to them.
struct Players {
    rules: RuleSet,
    /// The question that a player has to answer, and its place.
    question: Option<(usize, Notice)>,
    /// Number of questions that the players have answered.
    answers: u32,
}

impl Honest for Players {
    type Master = Master;
    type Decoder = Reader;
    type Notice = Notice;

    const LONGEST_RECORD: usize = NOTICE_LIMIT;
    // Honest players take their time: they are no flood, whatever the limit.
    const THOUGHT: Millis = Millis::new(250);

    fn decoder() -> Reader {
        Reader { lines: LineDecoder::new(NOTICE_LIMIT), tables: 0 }
    }

    fn read(reader: &mut Reader, mut bytes: &[u8]) -> Vec<Notice> {
        let mut notices = Vec::new();
        while let Some(line) = reader.lines.next(&mut bytes) {
            let line = line.expect("the server keeps to its limit");
            if line.starts_with(TABLE) {
                reader.tables += 1;
                if !reader.tables.is_multiple_of(TABLES_PER_READ) {
                    continue;
                }
            }
            let read = messages::<Notice>(&[&line[..], b"\n"].concat(), usize::MAX, NOTICE_LIMIT);
            notices.extend(read.into_iter().map(|notice| notice.expect("the server speaks the protocol")));
        }
        notices
    }

    fn hear(&mut self, harness: &mut Harness<Self>, place: usize, notice: Notice) {
        match notice {
            Notice::Ping(_) => send(harness, HONEST[place].1, Pong {}),
            Notice::PlayableHelperCard(_)
            | Notice::RequestStudent(_)
            | Notice::RequestMotherNatureStep(_)
            | Notice::RequestCloud(_)
            | Notice::RequestColor(_)
            | Notice::RequestIsland(_)
            | Notice::RequestPieceColorList(_) => self.question = Some((place, notice)),
            Notice::ErrorMessage(error) => panic!("an honest player is refused: {}", error.error),
            _ => {}
        }
    }

    fn begin(&mut self, harness: &mut Harness<Self>) {
        for (place, (name, id)) in HONEST.into_iter().enumerate() {
            harness.connect(id);
            if place == 0 {
                send(harness, id, LoginNewMatch { players: 2, rules: self.rules });
            } else {
                send(harness, id, LoginJoinMatch { number: 1 });
            }
            send(
                harness,
                id,
                LoginNickname { nickname: name.parse().expect("it is a nickname"), token: None },
            );
            let colors = harness.take(id).into_iter().find_map(|notice| match notice {
                Notice::LoginTowerColorOptions(options) => Some(options.colors),
                _ => None,
            });
            send(harness, id, LoginTowerColor { color: colors.expect("the colours are offered")[0] });
            let families = harness.take(id).into_iter().find_map(|notice| match notice {
                Notice::LoginWizardFamilyOptions(options) => Some(options.families),
                _ => None,
            });
            send(harness, id, LoginWizardFamily { family: families.expect("the wizards are offered")[0] });
        }
        harness.look(self);
        assert!(self.question.is_some(), "the match has begun");
    }

    /// The player that is asked answers with the first choice that it is offered.
    fn play(&mut self, harness: &mut Harness<Self>) {
        let is_over = |harness: &Harness<Self>| harness.master().matches().all(|(number, _)| number != MATCH);
        if is_over(harness) {
            return;
        }
        // A client that knows the token of a player takes its place.
        let is_given_away = harness.records().iter().any(|record| match record {
            Record::Player(MATCH, token, _) => harness.is_known(token),
            _ => false,
        });
        let is_there = harness.are_honest_there();
        assert!(is_there || is_given_away, "an honest player was dropped");
        let Some((place, question)) = self.question.take().filter(|_| is_there) else {
            assert!(is_given_away, "nobody is asked");
            return;
        };
        let actions = harness.master().totals().actions;
        self.answers += 1;
        send(harness, HONEST[place].1, answer(&question, self.answers.is_multiple_of(3)));
        harness.look(self);
        let is_done = self.question.is_some() || is_over(harness);
        assert!(
            is_done && harness.master().totals().actions >= actions,
            "a choice of an honest player was not answered"
        );
    }

    fn check(&self, harness: &Harness<Self>) {
        let totals = harness.master().totals();
        assert_eq!(totals.connections, harness.connections());
        assert!(totals.lobbies + totals.matches <= harness.master().settings().matches);
        assert!(totals.paused <= totals.matches);
        for (_, state) in harness.master().matches() {
            let mover = state.table().mover();
            let mut actions = Vec::new();
            state.table().options(mover, &mut actions);
            assert!(!actions.is_empty(), "somebody can do something");
            assert!(AgentId::all(state.agents()).any(|player| player == mover));
        }
    }
}

fn send(harness: &mut Harness<Players>, id: ConnectionId, request: impl Into<Request>) {
    let mut bytes = Vec::new();
    request.into().write(&mut bytes);
    harness.send(id, &bytes);
}

/// The first choice of a question; a character if there is one and `plays` says so.
fn answer(question: &Notice, plays: bool) -> Request {
    let characters = match question {
        Notice::RequestStudent(question) => &question.characters[..],
        Notice::RequestMotherNatureStep(question) => &question.characters[..],
        Notice::RequestCloud(question) => &question.characters[..],
        _ => &[],
    };
    if let Some(character) = characters.first().filter(|_| plays) {
        return PlayCharacterCard { character: *character }.into();
    }
    match question {
        Notice::PlayableHelperCard(question) => PlayHelperCard { card: question.cards[0].into() }.into(),
        Notice::RequestStudent(question) => match question.dining.first() {
            Some(color) => EntranceToDining { color: *color }.into(),
            None => EntranceToIsland { color: question.colors[0], island: 1 }.into(),
        },
        Notice::RequestMotherNatureStep(_) => MotherNatureStep { steps: 1 }.into(),
        Notice::RequestCloud(question) => ChooseCloud { cloud: question.clouds[0].into() }.into(),
        Notice::RequestColor(question) => {
            CharacterCardParameters { color: Some(question.colors[0]), ..Default::default() }.into()
        }
        Notice::RequestIsland(question) => {
            CharacterCardParameters { island: Some(question.islands[0].into()), ..Default::default() }.into()
        }
        Notice::RequestPieceColorList(_) => DeclineCharacterCard {}.into(),
        other => panic!("{other:?} is no question"),
    }
}
