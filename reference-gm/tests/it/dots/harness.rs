//! A master with clients that are only lines of text.

use std::collections::{BTreeMap, BTreeSet};

use game_dots::{Config as Grid, Edge, State};
use game_env::{AgentId, Environment as _, Millis, Seed, SimTime, Turn};
use reference_gm::dots::master::DrawToken;
use reference_gm::dots::{ConnectionId, Ended, Input, Master, Output, Record, Settings};
use reference_gm::server::{Master as _, Origin};
use wire::dots::Token;
use wire::dots::line::{Decoder, NOTICE_LIMIT};

pub(crate) struct Harness {
    pub(crate) master: Master,
    pub(crate) now: SimTime,
    pub(crate) records: Vec<Record>,
    pub(crate) ended: Vec<Ended>,
    pub(crate) closed: BTreeSet<ConnectionId>,
    inboxes: BTreeMap<ConnectionId, (Decoder, Vec<String>)>,
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
        Token::new([number; 16])
    })
}

pub(crate) fn token(number: u8) -> Token {
    Token::new([number; 16])
}

pub(crate) fn small() -> Settings {
    Settings { grid: Grid::new(3, 3).unwrap(), seed: Seed::new(5), ..Settings::default() }
}

impl Harness {
    pub(crate) fn new(settings: Settings) -> Self {
        Self::of(Master::new(settings, counted_tokens()))
    }

    pub(crate) fn of(master: Master) -> Self {
        Self {
            master,
            now: SimTime::START,
            records: Vec::new(),
            ended: Vec::new(),
            closed: BTreeSet::new(),
            inboxes: BTreeMap::new(),
            next: 0,
            origin: Origin::Inside,
            crumbles: false,
        }
    }

    pub(crate) fn handle(&mut self, input: Input<'_>) {
        self.master.handle(self.now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => self.records.push(record),
                Output::Send(id, bytes) => {
                    assert!(!self.closed.contains(&id), "nothing is sent behind the end");
                    let (decoder, lines) = self.inboxes.get_mut(&id).unwrap();
                    let mut bytes = &bytes[..];
                    while let Some(line) = decoder.next(&mut bytes) {
                        lines.push(line.unwrap().to_owned());
                    }
                }
                Output::Close(id) => assert!(self.closed.insert(id), "{id} is closed once"),
                Output::Ended(game) => self.ended.push(*game),
                Output::Done => {}
            }
        }
    }

    pub(crate) fn connect(&mut self) -> ConnectionId {
        let id = ConnectionId(self.next);
        self.next += 1;
        self.inboxes.insert(id, (Decoder::new(NOTICE_LIMIT), Vec::new()));
        self.handle(Input::Connected(id, self.origin));
        id
    }

    /// The connection of a client ends.
    pub(crate) fn end(&mut self, id: ConnectionId) {
        self.closed.insert(id);
        self.handle(Input::Ended(id));
    }

    pub(crate) fn send(&mut self, id: ConnectionId, text: &str) {
        let bytes = format!("{text}\n");
        if self.crumbles {
            for byte in bytes.as_bytes() {
                self.handle(Input::Received(id, &[*byte]));
            }
        } else {
            self.handle(Input::Received(id, bytes.as_bytes()));
        }
    }

    /// Sends a request, and takes its answers.
    pub(crate) fn ask(&mut self, id: ConnectionId, text: &str) -> Vec<String> {
        self.take(id);
        self.send(id, text);
        self.take(id)
    }

    /// Takes the messages that were sent to a client since the last call.
    pub(crate) fn take(&mut self, id: ConnectionId) -> Vec<String> {
        std::mem::take(&mut self.inboxes.get_mut(&id).unwrap().1)
    }

    /// Drops the messages that were sent to these clients.
    pub(crate) fn forget(&mut self, clients: &[ConnectionId]) {
        for client in clients {
            self.take(*client);
        }
    }

    /// A client that has logged in with this text.
    pub(crate) fn login(&mut self, text: &str) -> ConnectionId {
        let id = self.connect();
        let answer = self.ask(id, &format!("login|{text}"));
        assert_eq!(answer[0], "logged|ok", "{text}");
        self.inboxes.get_mut(&id).unwrap().1 = answer;
        id
    }

    /// Two clients, Ada and Bob, in a game; nothing of it is taken.
    pub(crate) fn game(&mut self) -> [ConnectionId; 2] {
        let clients = ["Ada", "Bob"].map(|name| self.login(name));
        for client in clients {
            self.take(client);
            self.send(client, "queue");
        }
        clients
    }

    /// Another game of the same clients.
    pub(crate) fn game_between(&mut self, clients: [ConnectionId; 2]) {
        for client in clients {
            self.send(client, "queue");
        }
        assert_eq!(self.master.totals().games, 1);
    }

    /// Lets time pass, with all that is due meanwhile. These clients answer pings.
    pub(crate) fn pass(&mut self, span: u32, answering: &[ConnectionId]) {
        let end = self.now + Millis::new(span);
        while let Some(due) = self.master.wake_at().filter(|due| *due <= end) {
            self.now = self.now.max(due);
            self.handle(Input::Tick);
            for id in answering {
                self.send(*id, "pong");
            }
        }
        self.now = end;
    }

    /// The state of the only game.
    pub(crate) fn state(&self) -> State {
        let (_, state, ..) = self.master.games().next().expect("there is a game");
        state.clone()
    }

    /// The mover draws the first edge that is left; which, and by whom.
    pub(crate) fn move_on(&mut self, clients: [ConnectionId; 2]) -> Option<(AgentId, Edge)> {
        let state = self.master.games().next()?.1.clone();
        let Turn::Act { agent, .. } = state.turn() else { return None };
        let mut edges = Vec::new();
        state.legal_actions(agent, &mut edges);
        // From the middle on, so that neither side gets all boxes.
        let edge = edges[edges.len() / 2];
        let (one, other) = edge.dots();
        self.send(clients[agent.index()], &format!("line_coords|{one}|{other}"));
        Some((agent, edge))
    }
}
