//! A server of games of turns in which two honest players play while clients of the input do what they like.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::mem::take;
use std::str::FromStr;

use game_env::{Millis, SimTime};
use reference_gm::server::{ConnectionId, DrawToken, Input, InputOf, Master, Origin, Output};
use wire::token::Token;

use crate::{Operation, look_at};

/// The players that keep to the protocol, and the numbers of their connections.
pub const HONEST: [(&str, ConnectionId); 2] = [("Ada", ConnectionId(100)), ("Bob", ConnectionId(101))];

/// The longest time that passes at once: some pings.
const LONGEST_WAIT: Millis = Millis::new(30_000);

/// The most lines of an input that are taken.
const MOST_LINES: usize = 200;

/// The number of lines after which the honest players make a move: their moves take most of the time.
const LINES_PER_MOVE: usize = 8;

/// The two honest players.
pub trait Honest: Sized {
    /// The server's decisions.
    type Master: Master<Record: Clone + PartialEq + FromStr<Err: Debug + PartialEq>>;
    /// Cuts the stream of a server into messages.
    type Decoder;
    /// A message of the server.
    type Notice;

    /// The longest record, in bytes.
    const LONGEST_RECORD: usize;

    /// Time for which an honest player thinks.
    const THOUGHT: Millis;

    /// A decoder at the beginning of a stream.
    fn decoder() -> Self::Decoder;

    /// The messages that these bytes complete. The server speaks the protocol.
    fn read(decoder: &mut Self::Decoder, bytes: &[u8]) -> Vec<Self::Notice>;

    /// The player of this place in [`HONEST`] hears a message, and answers at once if it is a ping.
    fn hear(&mut self, harness: &mut Harness<Self>, place: usize, notice: Self::Notice);

    /// The players come, and their game begins.
    fn begin(&mut self, harness: &mut Harness<Self>);

    /// The player whose turn it is makes a move, and is answered at once.
    fn play(&mut self, harness: &mut Harness<Self>);

    /// Asserts that the server knows only clients that are connected or play.
    fn check(&self, harness: &Harness<Self>);
}

/// A server with clients that are only lines of text.
pub struct Harness<H: Honest> {
    master: H::Master,
    now: SimTime,
    records: Vec<<H::Master as Master>::Record>,
    /// Messages to each connected client that it has not taken yet.
    inboxes: BTreeMap<ConnectionId, (H::Decoder, Vec<H::Notice>)>,
    /// All bytes that clients of the input have sent, as text in lower case.
    said: String,
}

impl<H: Honest> Harness<H> {
    /// Plays the lines of an input, to the last of them.
    pub fn play(master: H::Master, mut honest: H, input: &[u8]) -> Self {
        let inboxes = BTreeMap::new();
        let mut harness =
            Self { master, now: SimTime::START, records: Vec::new(), inboxes, said: String::new() };
        honest.begin(&mut harness);
        for (number, line) in input.split(|byte| *byte == b'\n').take(MOST_LINES).enumerate() {
            harness.act(&mut honest, line);
            harness.pass(&mut honest, H::THOUGHT);
            harness.look(&mut honest);
            if number.is_multiple_of(LINES_PER_MOVE) {
                honest.play(&mut harness);
            }
            honest.check(&harness);
        }
        harness
    }

    /// The server's decisions.
    pub fn master(&self) -> &H::Master {
        &self.master
    }

    /// Returns the records that the server has written.
    pub fn records(&self) -> &[<H::Master as Master>::Record] {
        &self.records
    }

    /// The number of connections that are open.
    pub fn connections(&self) -> usize {
        self.inboxes.len()
    }

    /// Returns whether the server has kept the connections of both honest players.
    pub fn are_honest_there(&self) -> bool {
        HONEST.iter().all(|(_, id)| self.inboxes.contains_key(id))
    }

    /// Returns whether a client of the input has sent this token: it may then take the place of the player.
    pub fn is_known(&self, token: &Token) -> bool {
        self.said.contains(&token.to_string())
    }

    /// Connects a client.
    pub fn connect(&mut self, id: ConnectionId) {
        self.inboxes.insert(id, (H::decoder(), Vec::new()));
        self.handle(Input::Connected(id, Origin::Unknown));
    }

    /// A client sends bytes.
    pub fn send(&mut self, id: ConnectionId, bytes: &[u8]) {
        self.handle(Input::Received(id, bytes));
    }

    /// The messages that a client was sent since this was asked last.
    pub fn take(&mut self, id: ConnectionId) -> Vec<H::Notice> {
        self.inboxes.get_mut(&id).map(|(_, notices)| take(notices)).unwrap_or_default()
    }

    /// Lets the honest players hear the messages to them.
    pub fn look(&mut self, honest: &mut H) {
        for (place, (_, id)) in HONEST.into_iter().enumerate() {
            for notice in self.take(id) {
                honest.hear(self, place, notice);
            }
        }
    }

    fn handle(&mut self, input: InputOf<'_, H::Master>) {
        self.master.handle(self.now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => {
                    let text = record.to_string();
                    look_at(&text, H::LONGEST_RECORD);
                    assert_eq!(text.parse(), Ok(record.clone()));
                    self.records.push(record);
                }
                Output::Send(id, bytes) => {
                    let (decoder, notices) = self.inboxes.get_mut(&id).expect("it is connected");
                    notices.extend(H::read(decoder, &bytes));
                }
                Output::Close(id) => assert!(self.inboxes.remove(&id).is_some(), "{id} is closed once"),
                Output::Ended(_) => {}
                Output::Tell(..) => panic!("no client is local"),
                Output::Done => panic!("nobody stops the server"),
            }
        }
    }

    /// Carries out the operation that a line of the input stands for.
    fn act(&mut self, honest: &mut H, line: &[u8]) {
        let (id, operation) = Operation::read(line, LONGEST_WAIT);
        let is_connected = self.inboxes.contains_key(&id);
        match operation {
            Operation::Wait(span) => self.pass(honest, span),
            Operation::End if is_connected => {
                self.inboxes.remove(&id);
                self.handle(Input::Ended(id));
            }
            Operation::End => {}
            Operation::Connect if is_connected => {}
            Operation::Connect => self.connect(id),
            Operation::Send(bytes) => {
                if !is_connected {
                    self.connect(id);
                }
                self.said += &String::from_utf8_lossy(&bytes).to_lowercase();
                self.send(id, &bytes);
            }
        }
    }

    /// Lets time pass; honest players hear the messages to them.
    fn pass(&mut self, honest: &mut H, span: Millis) {
        let end = self.now + span;
        while let Some(due) = self.master.wake_at().filter(|due| *due <= end) {
            assert!(due >= self.now, "a moment in the past is due");
            self.now = due;
            self.handle(Input::Tick);
            assert!(self.master.wake_at() != Some(due), "what is due is done");
            self.look(honest);
        }
        self.now = end;
    }
}

/// Draws tokens that no input has by chance.
pub fn tokens() -> DrawToken {
    let mut number = 0_u128;
    Box::new(move || {
        number += 1;
        Token::new(number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes())
    })
}
