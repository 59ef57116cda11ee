//! Any bytes from clients of Dots & Boxes: a game between two others goes on, and a restart loses nothing.
//!
//! `cargo +nightly fuzz run dots fuzz/corpus/dots fuzz/seeds/dots`
//!
//! The first byte of the input chooses the settings. Each further line is what one client does: its number (a digit), then
//! `+` connects, `-` ends the connection, `.` and a number lets this much time pass in ms, `:` and bytes sends these bytes
//! and a line end, `~` and bytes sends them without. Lines of other forms are sent as they are. `reference-gm/tests/it/dots`
//! has the rules of the server as ordinary tests.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use game_dots::{Config as Grid, Edge};
use game_env::notation::is_hidden;
use game_env::{Millis, Seed, SimTime};
use libfuzzer_sys::fuzz_target;
use reference_gm::dots::master::DrawToken;
use reference_gm::dots::{ConnectionId, Input, Master, Output, Record, Settings};
use wire::dots::line::{Decoder, Framing, NOTICE_LIMIT, REQUEST_LIMIT};
use wire::dots::{Notice, Request, Side, Token};

/// The players that keep to the protocol, and the numbers of their connections.
const HONEST: [(&str, ConnectionId); 2] = [("Ada", ConnectionId(100)), ("Bob", ConnectionId(101))];

/// The longest time that passes at once, in ms: some pings.
const LONGEST_WAIT: u32 = 30_000;

fuzz_target!(|input: &[u8]| {
    read_lines(input);
    let Some((choice, script)) = input.split_first() else { return };
    let compat = choice & 1 != 0;
    let sides = [2, 3, 5, 7];
    let side = |shift: u8| sides[usize::from((choice >> shift) & 3)];
    let settings = Settings {
        grid: Grid::new(side(1), side(3)).expect("these sides are allowed"),
        seed: Seed::new(5),
        framing: if compat { Framing::Blocks } else { Framing::Lines },
        compat,
        resume_by_name: choice & 0x20 != 0,
        players: if choice & 0x40 != 0 { 4 } else { 100 },
        bots: vec![("bot".parse().expect("it is a name"), Token::new([0xb0; 16]))],
        ..Settings::default()
    };
    let mut hall = Hall::new(settings.clone());
    hall.begin();
    for line in script.split(|byte| *byte == b'\n').take(1000) {
        hall.act(line);
        hall.play(compat);
        hall.check();
    }
    // A server that ends at any moment goes on where it was.
    let restored =
        Master::restore(settings, tokens(), hall.records.clone()).expect("the records of one server");
    assert_eq!(restored.snapshot(), hall.master.snapshot());
});

/// Each line is a request or a notice, or none; what it says is told again in the same way.
fn read_lines(input: &[u8]) {
    let whole = lines(input, input.len().max(1));
    assert_eq!(whole, lines(input, 7));
    for line in whole.into_iter().flatten() {
        match line.parse::<Request>() {
            Ok(request) => assert_eq!(request.to_string().parse(), Ok(request)),
            Err(error) => look_at(&error.to_string()),
        }
        match line.parse::<Notice>() {
            Ok(notice) => assert_eq!(notice.to_string().parse(), Ok(notice)),
            Err(error) => look_at(&error.to_string()),
        }
    }
}

/// The lines of a stream that comes in pieces of this length; `None` where a line was refused.
fn lines(mut stream: &[u8], piece: usize) -> Vec<Option<String>> {
    let mut decoder = Decoder::new(REQUEST_LIMIT);
    let mut found = Vec::new();
    while !stream.is_empty() {
        let (mut part, rest) = stream.split_at(piece.min(stream.len()));
        while let Some(line) = decoder.next(&mut part) {
            found.push(line.ok().map(str::to_owned));
        }
        stream = rest;
    }
    found
}

/// A message for a terminal.
fn look_at(text: &str) {
    assert!(text.len() <= 1024 && !text.chars().any(is_hidden), "{text:?}");
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
    inboxes: BTreeMap<ConnectionId, (Decoder, Vec<Notice>)>,
    /// Edges that are drawn in the game of the honest players, and whose turn it is; nothing behind its end.
    game: Option<(BTreeSet<Edge>, Side)>,
    sides: [Option<Side>; 2],
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
            game: None,
            sides: [None; 2],
            said: String::new(),
        }
    }

    /// The honest players come, and their game begins.
    fn begin(&mut self) {
        for (name, id) in HONEST {
            self.connect(id);
            self.handle(Input::Received(id, format!("login|{name}\nqueue\n").as_bytes()));
        }
        self.look();
        assert!(self.game.is_some());
    }

    fn connect(&mut self, id: ConnectionId) {
        self.inboxes.insert(id, (Decoder::new(NOTICE_LIMIT), Vec::new()));
        self.handle(Input::Connected(id));
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
                    while let Some(line) = decoder.next(&mut bytes) {
                        let line = line.expect("the server writes text");
                        notices.push(line.parse().expect("the server speaks the protocol"));
                    }
                    assert!(!decoder.is_inside_line());
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
            let Some((_, notices)) = self.inboxes.get_mut(&id) else { continue };
            for notice in std::mem::take(notices) {
                match notice {
                    Notice::Ping => self.handle(Input::Received(id, b"pong\n")),
                    Notice::StartGame { side, .. } => {
                        self.sides[place] = Some(side);
                        self.game = Some((BTreeSet::new(), Side::First));
                    }
                    Notice::Play(side) => {
                        if let Some(game) = &mut self.game {
                            game.1 = side;
                        }
                    }
                    Notice::DrawCoords(one, other) => {
                        let edge = Edge::between(one, other).expect("a line that was drawn");
                        if let Some((drawn, _)) = &mut self.game {
                            drawn.insert(edge);
                        }
                    }
                    Notice::Winner { .. } | Notice::OpponentLeftGame => self.game = None,
                    _ => {}
                }
            }
        }
    }

    /// The honest player whose turn it is draws the first line that is free, and is answered at once.
    fn play(&mut self, compat: bool) {
        self.look();
        // The original gives a player away to anybody who knows its name.
        let is_there = HONEST.iter().all(|(_, id)| self.inboxes.contains_key(id));
        let known = self.records.iter().filter_map(|record| match record {
            Record::Player(name, token) if HONEST.iter().any(|(honest, _)| *honest == name.as_str()) => {
                Some(token)
            }
            _ => None,
        });
        let is_given_away = compat || known.map(Token::to_string).any(|token| self.said.contains(&token));
        assert!(is_there || is_given_away, "an honest player was dropped");
        let Some((drawn, mover)) = self.game.clone() else { return };
        let place = self.sides.iter().position(|side| *side == Some(mover));
        let Some((_, id)) = place.map(|place| HONEST[place]).filter(|_| is_there) else { return };
        let grid = self.master.settings().grid;
        let edge = grid.all_edges().find(|edge| !drawn.contains(edge)).expect("the game goes on");
        let (one, other) = edge.dots();
        self.handle(Input::Received(id, format!("line_coords|{one}|{other}\n").as_bytes()));
        self.look();
        let is_drawn = self.game.as_ref().is_none_or(|(drawn, _)| drawn.contains(&edge));
        assert!(is_drawn || is_given_away, "a move of an honest player was not answered");
    }

    /// The server knows only who is there.
    fn check(&self) {
        let totals = self.master.totals();
        assert_eq!(totals.connections, self.inboxes.len());
        assert!(totals.players <= self.master.settings().players + self.master.settings().bots.len());
        assert!(2 * totals.games + totals.waiting <= totals.players);
    }
}
