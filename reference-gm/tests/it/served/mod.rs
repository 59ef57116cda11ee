//! The common parts of the tests of servers: a master with clients that are only messages, journals, and the program.

pub(crate) mod journals;
pub(crate) mod process;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::str::FromStr;

use game_env::{Millis, SimTime};
use reference_gm::archive::EndedGame;
use reference_gm::server::{ConnectionId, DrawToken, Input, InputOf, Master, Origin, Output};
use wire::token::Token;

/// The master of a game, and its messages to clients.
pub(crate) trait Game {
    type Master: Master<Record: Clone + PartialEq + FromStr<Err: Debug + PartialEq>>;
    /// Cuts the stream of a server into messages.
    type Decoder;
    /// A message as a remote client reads it.
    type Told;

    /// The line that answers a ping.
    const PONG: &'static str;

    fn decoder() -> Self::Decoder;

    /// The messages that these bytes complete.
    fn read(decoder: &mut Self::Decoder, bytes: &[u8]) -> Vec<Self::Told>;
}

pub(crate) type NoticeOf<G> = <<G as Game>::Master as Master>::Notice;
pub(crate) type AskOf<G> = <<G as Game>::Master as Master>::Ask;

pub(crate) struct Harness<G: Game> {
    pub(crate) master: G::Master,
    pub(crate) now: SimTime,
    pub(crate) records: Vec<<G::Master as Master>::Record>,
    pub(crate) ended: Vec<EndedGame<<G::Master as Master>::Game>>,
    pub(crate) closed: BTreeSet<ConnectionId>,
    inboxes: BTreeMap<ConnectionId, (G::Decoder, Vec<G::Told>)>,
    /// The messages to local clients.
    local: BTreeMap<ConnectionId, Vec<NoticeOf<G>>>,
    next: u64,
    /// The origin of the next clients.
    pub(crate) origin: Origin,
    /// Whether requests arrive byte by byte.
    pub(crate) crumbles: bool,
}

/// Tokens with the numbers 1, 2, 3 and so on.
pub(crate) fn counted_tokens() -> DrawToken {
    let mut number = 0_u8;
    Box::new(move || {
        number += 1;
        token(number)
    })
}

pub(crate) fn token(number: u8) -> Token {
    Token::new([number; 16])
}

impl<G: Game> Harness<G> {
    pub(crate) fn of(master: G::Master) -> Self {
        Self {
            master,
            now: SimTime::START,
            records: Vec::new(),
            ended: Vec::new(),
            closed: BTreeSet::new(),
            inboxes: BTreeMap::new(),
            local: BTreeMap::new(),
            next: 0,
            origin: Origin::Unknown,
            crumbles: false,
        }
    }

    pub(crate) fn handle(&mut self, input: InputOf<'_, G::Master>) {
        self.master.handle(self.now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => {
                    assert_eq!(record.to_string().parse(), Ok(record.clone()));
                    self.records.push(record);
                }
                Output::Send(id, bytes) => {
                    assert!(!self.closed.contains(&id), "nothing is sent behind the end");
                    let (decoder, told) = self.inboxes.get_mut(&id).unwrap();
                    told.extend(G::read(decoder, &bytes));
                }
                Output::Tell(id, notice) => {
                    assert!(!self.closed.contains(&id), "nothing is told behind the end");
                    self.local.get_mut(&id).unwrap().push(notice);
                }
                Output::Close(id) => assert!(self.closed.insert(id), "{id} is closed once"),
                Output::Ended(game) => self.ended.push(*game),
                Output::Done => {}
            }
        }
    }

    fn next_id(&mut self) -> ConnectionId {
        self.next += 1;
        ConnectionId(self.next - 1)
    }

    pub(crate) fn connect(&mut self) -> ConnectionId {
        let id = self.next_id();
        self.inboxes.insert(id, (G::decoder(), Vec::new()));
        self.handle(Input::Connected(id, self.origin));
        id
    }

    /// A local client connects.
    pub(crate) fn join(&mut self) -> ConnectionId {
        let id = self.next_id();
        self.local.insert(id, Vec::new());
        self.handle(Input::Joined(id, self.origin));
        id
    }

    /// The connection of a client ends.
    pub(crate) fn disconnect(&mut self, id: ConnectionId) {
        self.closed.insert(id);
        self.handle(Input::Ended(id));
    }

    pub(crate) fn send_line(&mut self, id: ConnectionId, line: &str) {
        self.send_bytes(id, format!("{line}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, id: ConnectionId, bytes: &[u8]) {
        if self.crumbles {
            for byte in bytes {
                self.handle(Input::Received(id, &[*byte]));
            }
        } else {
            self.handle(Input::Received(id, bytes));
        }
    }

    /// Takes the messages that were sent to a client since the last call.
    pub(crate) fn take(&mut self, id: ConnectionId) -> Vec<G::Told> {
        std::mem::take(&mut self.inboxes.get_mut(&id).unwrap().1)
    }

    /// The messages that were sent to a client and not taken.
    pub(crate) fn waiting(&self, id: ConnectionId) -> &[G::Told] {
        &self.inboxes[&id].1
    }

    /// Puts messages back that were taken.
    pub(crate) fn put_back(&mut self, id: ConnectionId, told: Vec<G::Told>) {
        self.inboxes.get_mut(&id).unwrap().1 = told;
    }

    /// A local client asks for something, and takes all that it was told since the last call.
    pub(crate) fn ask_local(&mut self, id: ConnectionId, ask: AskOf<G>) -> Vec<NoticeOf<G>> {
        self.handle(Input::Asked(id, ask));
        self.take_local(id)
    }

    pub(crate) fn take_local(&mut self, id: ConnectionId) -> Vec<NoticeOf<G>> {
        std::mem::take(self.local.get_mut(&id).unwrap())
    }

    /// Lets time pass, with all that is due meanwhile. These clients answer pings.
    pub(crate) fn pass(&mut self, span: u32, answering: &[ConnectionId]) {
        let end = self.now + Millis::new(span);
        while let Some(due) = self.master.wake_at().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.handle(Input::Tick);
            for id in answering {
                if !self.closed.contains(id) {
                    self.send_line(*id, G::PONG);
                }
            }
        }
        self.now = end;
    }
}
