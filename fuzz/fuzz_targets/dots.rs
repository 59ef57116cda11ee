//! Any bytes from clients of Dots & Boxes: a game between two others goes on, and a restart loses nothing.
//!
//! `cargo +nightly fuzz run dots fuzz/corpus/dots fuzz/seeds/dots`
//!
//! The first byte of the input chooses the settings. Each further line is an operation of one client: its number (a
//! digit), then `+` connects, `-` ends the connection, `.` and a number lets this much time pass in ms, `:` and bytes
//! sends these bytes and a line end, `~` and bytes sends them without. Lines of other forms are sent as they are.
//! `reference-gm/tests/it/dots` has the rules of the server as ordinary tests.

#![no_main]

use std::collections::BTreeSet;

use fuzz::harness::{HONEST, Harness, Honest, tokens};
use fuzz::look_at;
use game_dots::{Config as Grid, Edge};
use game_env::{Millis, Seed};
use libfuzzer_sys::fuzz_target;
use reference_gm::dots::{Master, Record, Settings};
use reference_gm::server::Master as _;
use wire::dots::line::{Decoder, Framing, NOTICE_LIMIT, REQUEST_LIMIT};
use wire::dots::{Notice, Request, Side, Token};

/// The longest message for a terminal, in bytes.
const LONGEST_MESSAGE: usize = 1024;

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
    let harness = Harness::play(Master::new(settings.clone(), tokens()), Players::default(), script);
    // A server that ends at any moment goes on where it was.
    let restored =
        Master::restore(settings, tokens(), harness.records().to_vec()).expect("the records of one server");
    assert_eq!(restored.snapshot(), harness.master().snapshot());
});

/// Each line is a request or a notice, or none; its value is written again in the same way.
fn read_lines(input: &[u8]) {
    let whole = lines(input, input.len().max(1));
    assert_eq!(whole, lines(input, 7));
    for line in whole.into_iter().flatten() {
        match line.parse::<Request>() {
            Ok(request) => assert_eq!(request.to_string().parse(), Ok(request)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
        }
        match line.parse::<Notice>() {
            Ok(notice) => assert_eq!(notice.to_string().parse(), Ok(notice)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
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

/// The honest players, and their knowledge of their game.
#[derive(Default)]
struct Players {
    /// Edges that are drawn in the game, and whose turn it is; nothing behind its end.
    game: Option<(BTreeSet<Edge>, Side)>,
    sides: [Option<Side>; 2],
}

impl Honest for Players {
    type Master = Master;
    type Decoder = Decoder;
    type Notice = Notice;

    const LONGEST_RECORD: usize = LONGEST_MESSAGE;
    const THOUGHT: Millis = Millis::ZERO;

    fn decoder() -> Decoder {
        Decoder::new(NOTICE_LIMIT)
    }

    fn read(decoder: &mut Decoder, mut bytes: &[u8]) -> Vec<Notice> {
        let mut notices = Vec::new();
        while let Some(line) = decoder.next(&mut bytes) {
            let line = line.expect("the server writes text");
            notices.push(line.parse().expect("the server speaks the protocol"));
        }
        assert!(!decoder.is_inside_line());
        notices
    }

    fn hear(&mut self, harness: &mut Harness<Self>, place: usize, notice: Notice) {
        match notice {
            Notice::Ping => harness.send(HONEST[place].1, b"pong\n"),
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

    fn begin(&mut self, harness: &mut Harness<Self>) {
        for (name, id) in HONEST {
            harness.connect(id);
            harness.send(id, format!("login|{name}\nqueue\n").as_bytes());
        }
        harness.look(self);
        assert!(self.game.is_some());
    }

    /// The player whose turn it is draws the first line that is free.
    fn play(&mut self, harness: &mut Harness<Self>) {
        // The original gives a player away to anybody who knows its name.
        let is_given_away = harness.master().settings().compat
            || harness.records().iter().any(|record| match record {
                Record::Player(name, token) => {
                    HONEST.iter().any(|(honest, _)| *honest == name.as_str()) && harness.is_known(token)
                }
                _ => false,
            });
        let is_there = harness.are_honest_there();
        assert!(is_there || is_given_away, "an honest player was dropped");
        let Some((drawn, mover)) = &self.game else { return };
        let place = self.sides.iter().position(|side| side == &Some(*mover));
        let Some((_, id)) = place.map(|place| HONEST[place]).filter(|_| is_there) else { return };
        let grid = harness.master().settings().grid;
        let edge = grid.all_edges().find(|edge| !drawn.contains(edge)).expect("the game goes on");
        let (one, other) = edge.dots();
        harness.send(id, format!("line_coords|{one}|{other}\n").as_bytes());
        harness.look(self);
        let is_drawn = self.game.as_ref().is_none_or(|(drawn, _)| drawn.contains(&edge));
        assert!(is_drawn || is_given_away, "a move of an honest player was not answered");
    }

    fn check(&self, harness: &Harness<Self>) {
        let (totals, settings) = (harness.master().totals(), harness.master().settings());
        assert_eq!(totals.connections, harness.connections());
        assert!(totals.players <= settings.players + settings.bots.len());
        assert!(2 * totals.games + totals.waiting <= totals.players);
    }
}
