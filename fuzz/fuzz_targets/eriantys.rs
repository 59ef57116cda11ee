//! Any bytes from clients of Eriantys: a match between two others goes on, and a restart loses nothing. Any bytes from a
//! server: a client makes no choice that the rules refuse.
//!
//! `cargo +nightly fuzz run eriantys fuzz/corpus/eriantys fuzz/seeds/eriantys`
//!
//! The first byte of the input chooses the settings. Each further line is what one client does: its number (a digit), then
//! `+` connects, `-` ends the connection, `.` and a number lets this much time pass in ms, `:` and bytes sends these bytes
//! and a line end, `~` and bytes sends them without. Lines of other forms are sent as they are.
//! `reference-gm/tests/it/eriantys` has the rules of the server as ordinary tests.

#![no_main]

use std::collections::BTreeMap;

use game_env::notation::is_hidden;
use game_env::seat::Seat;
use game_env::{AgentId, Choice, Environment as _, Millis, Policy, RandomPolicy, Seed, SimTime};
use game_eriantys::{Action, Config, Observation, State};
use libfuzzer_sys::fuzz_target;
use reference_gm::eriantys::master::{Bots, DrawToken};
use reference_gm::eriantys::{ConnectionId, Input, Master, Output, Record, Settings};
use reference_gm::server::Master as _;
use sdk::eriantys::{Input as Heard, Output as Wanted, Session};
use wire::eriantys::request::{
    CharacterCardParameters, ChooseCloud, EntranceToDining, EntranceToIsland, LoginNewMatch, LoginNickname,
    LoginTowerColor, LoginWizardFamily, MotherNatureStep, PlayCharacterCard, PlayHelperCard, Pong,
};
use wire::eriantys::words::RuleSet;
use wire::eriantys::{Decoder, Message, NOTICE_LIMIT, Notice, REQUEST_LIMIT, Request, Token};

/// The players that keep to the protocol, and the numbers of their connections.
const HONEST: [(&str, ConnectionId); 2] = [("Ada", ConnectionId(100)), ("Bob", ConnectionId(101))];

/// The match of these players.
const MATCH: u64 = 1;

/// The longest time that passes at once, in ms: some pings.
const LONGEST_WAIT: u32 = 30_000;

/// How long an honest player thinks.
const THOUGHT: Millis = Millis::new(250);

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
    let mut hall = Hall::new(settings.clone());
    hall.begin(if choice & 4 != 0 { RuleSet::Expert } else { RuleSet::Simple });
    for line in script.split(|byte| *byte == b'\n').take(1000) {
        hall.act(line);
        // Honest players take their time: they are no flood, whatever the limit.
        hall.pass(THOUGHT);
        hall.play();
        hall.check();
    }
    // A server that ends at any moment goes on where it was. Matches that have not begun are not kept, nor their numbers.
    let restored =
        Master::restore(settings, tokens(), hall.records.clone()).expect("the records of one server");
    let kept = |master: &Master| -> Vec<Record> {
        master.snapshot().into_iter().filter(|record| !matches!(record, Record::Count(_))).collect()
    };
    assert_eq!(kept(&restored), kept(&hall.master));
});

/// Each line is a message of this direction, or none; what it says is told again in the same way.
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
            Err(error) => look_at(&error),
        }
    }
}

/// The messages of a stream that comes in pieces of this length, or what is wrong with them.
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

/// A message for a terminal.
fn look_at(text: &str) {
    assert!(text.len() <= NOTICE_LIMIT && !text.chars().any(is_hidden), "{text:?}");
}

/// A client whose server sends these bytes. The policy is asked about any table that the client takes.
fn hear_server(input: &[u8]) {
    let config = Config::new(2, true).expect("there are such matches");
    let nickname = "Ada".parse().expect("it is a nickname");
    let settings = sdk::eriantys::Settings { games: None, ..sdk::eriantys::Settings::new(nickname, config) };
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
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else { continue };
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
                Wanted::Report(news) => look_at(&news.to_string()),
                Wanted::Done(end) => return look_at(&end.to_string()),
                Wanted::Connect => {}
            }
        }
    }
}

/// Tokens that no input has by chance.
fn tokens() -> DrawToken {
    let mut number = 0_u128;
    Box::new(move || {
        number += 1;
        Token::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes())
    })
}

/// A server with clients that are only lines of text.
struct Hall {
    master: Master,
    now: SimTime,
    records: Vec<Record>,
    /// What was sent to each client that is connected and not yet looked at.
    inboxes: BTreeMap<ConnectionId, (Decoder<Notice>, Vec<Notice>)>,
    /// The question that an honest player has to answer, and its place.
    question: Option<(usize, Notice)>,
    /// How many questions honest players have answered.
    answers: u32,
    /// All that clients have sent.
    said: String,
}

impl Hall {
    fn new(settings: Settings) -> Self {
        Self {
            master: Master::new(settings, tokens()),
            now: SimTime::START,
            records: Vec::new(),
            inboxes: BTreeMap::new(),
            question: None,
            answers: 0,
            said: String::new(),
        }
    }

    /// The honest players come, and their match begins.
    fn begin(&mut self, rules: RuleSet) {
        for (place, (name, id)) in HONEST.into_iter().enumerate() {
            self.connect(id);
            if place == 0 {
                self.send(id, LoginNewMatch { players: 2, rules });
            } else {
                self.send(id, wire::eriantys::request::LoginJoinMatch { number: 1 });
            }
            self.send(id, LoginNickname { nickname: name.parse().expect("it is a nickname"), token: None });
            let colors = self.take(id).into_iter().find_map(|notice| match notice {
                Notice::LoginTowerColorOptions(options) => Some(options.colors),
                _ => None,
            });
            self.send(id, LoginTowerColor { color: colors.expect("the colours are offered")[0] });
            let families = self.take(id).into_iter().find_map(|notice| match notice {
                Notice::LoginWizardFamilyOptions(options) => Some(options.families),
                _ => None,
            });
            self.send(id, LoginWizardFamily { family: families.expect("the wizards are offered")[0] });
        }
        self.look();
        assert!(self.question.is_some(), "the match has begun");
    }

    fn connect(&mut self, id: ConnectionId) {
        self.inboxes.insert(id, (Decoder::new(NOTICE_LIMIT), Vec::new()));
        self.handle(Input::Connected(id));
    }

    fn send(&mut self, id: ConnectionId, request: impl Into<Request>) {
        let mut bytes = Vec::new();
        request.into().write(&mut bytes);
        self.handle(Input::Received(id, &bytes));
    }

    fn take(&mut self, id: ConnectionId) -> Vec<Notice> {
        self.inboxes.get_mut(&id).map(|(_, notices)| std::mem::take(notices)).unwrap_or_default()
    }

    fn handle(&mut self, input: Input<'_>) {
        self.master.handle(self.now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => {
                    assert_eq!(record.to_string().parse(), Ok(record.clone()));
                    look_at(&record.to_string());
                    self.records.push(record);
                }
                Output::Send(id, bytes) => {
                    let (decoder, notices) = self.inboxes.get_mut(&id).expect("it is connected");
                    let mut bytes = &bytes[..];
                    while let Some(notice) = decoder.next(&mut bytes) {
                        notices.push(notice.expect("the server speaks the protocol"));
                    }
                }
                Output::Close(id) => assert!(self.inboxes.remove(&id).is_some(), "{id} is closed once"),
                Output::Ended(_) => {}
                Output::Done => panic!("nobody stops the server"),
            }
        }
    }

    /// What a line of the input stands for.
    fn act(&mut self, line: &[u8]) {
        let (id, rest) = match line {
            [digit @ b'0'..=b'9', rest @ ..] => (ConnectionId((digit - b'0').into()), rest),
            _ => (ConnectionId(0), line),
        };
        match rest {
            [b'+', ..] if !self.inboxes.contains_key(&id) => self.connect(id),
            [b'-', ..] => {
                if self.inboxes.remove(&id).is_some() {
                    self.handle(Input::Ended(id));
                }
            }
            [b'.', span @ ..] => {
                let span = str::from_utf8(span).ok().and_then(|span| span.parse::<u32>().ok());
                self.pass(Millis::new(span.unwrap_or(1).min(LONGEST_WAIT)));
            }
            [b':', bytes @ ..] => self.receive(id, &[bytes, b"\n"].concat()),
            [b'~', bytes @ ..] => self.receive(id, bytes),
            bytes => self.receive(id, bytes),
        }
    }

    fn receive(&mut self, id: ConnectionId, bytes: &[u8]) {
        if !self.inboxes.contains_key(&id) {
            self.connect(id);
        }
        self.said += &String::from_utf8_lossy(bytes).to_lowercase();
        self.handle(Input::Received(id, bytes));
    }

    /// Lets time pass; honest players answer pings.
    fn pass(&mut self, span: Millis) {
        let end = self.now + span;
        while let Some(due) = self.master.wake_at().filter(|due| *due <= end) {
            assert!(due >= self.now, "a moment in the past is due");
            self.now = due;
            self.handle(Input::Tick);
            assert!(self.master.wake_at() != Some(due), "what is due is done");
            self.look();
        }
        self.now = end;
    }

    /// Honest players read what they were told.
    fn look(&mut self) {
        for (place, (_, id)) in HONEST.into_iter().enumerate() {
            for notice in self.take(id) {
                match notice {
                    Notice::Ping(_) => self.send(id, Pong {}),
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
        }
    }

    /// The honest player that is asked answers with the first choice that it is offered, and is answered at once.
    fn play(&mut self) {
        self.look();
        let is_there = HONEST.iter().all(|(_, id)| self.inboxes.contains_key(id));
        if self.master.matches().all(|(number, _)| number != MATCH) {
            return;
        }
        // A client that knows the token of a player takes its place.
        let tokens = self.records.iter().filter_map(|record| match record {
            Record::Player(MATCH, token, _) => Some(token.to_string()),
            _ => None,
        });
        let is_given_away = tokens.into_iter().any(|token| self.said.contains(&token));
        assert!(is_there || is_given_away, "an honest player was dropped");
        let Some((place, question)) = self.question.take().filter(|_| is_there) else {
            assert!(is_given_away, "nobody is asked");
            return;
        };
        let actions = self.master.totals().actions;
        self.answers += 1;
        self.send(HONEST[place].1, answer(&question, self.answers.is_multiple_of(3)));
        self.look();
        let is_over = self.master.matches().all(|(number, _)| number != MATCH);
        let is_done = self.question.is_some() || is_over;
        assert!(is_done && self.master.totals().actions >= actions, "a choice of an honest player was not answered");
    }

    /// The server knows only who is there.
    fn check(&self) {
        let totals = self.master.totals();
        assert_eq!(totals.connections, self.inboxes.len());
        assert!(totals.lobbies + totals.matches <= self.master.settings().matches);
        assert!(totals.paused <= totals.matches);
        for (_, state) in self.master.matches() {
            let mover = state.table().mover();
            let mut actions = Vec::new();
            state.table().options(mover, &mut actions);
            assert!(!actions.is_empty(), "somebody can do something");
            assert!(AgentId::all(state.agents()).any(|player| player == mover));
        }
    }
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
        Notice::RequestPieceColorList(_) => wire::eriantys::request::DeclineCharacterCard {}.into(),
        other => panic!("{other:?} is no question"),
    }
}
