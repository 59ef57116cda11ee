//! The server of Dots & Boxes with clients that are only lines of text.

use game_dots::{Config as Grid, Edge, State};
use game_env::{AgentId, Environment as _, Seed, Turn};
use reference_gm::dots::{ConnectionId, Master, Settings};
use reference_gm::server::Master as _;
use wire::dots::line::{Decoder, NOTICE_LIMIT};

use crate::served::{self, counted_tokens};

pub(crate) struct Dots;

pub(crate) type Harness = served::Harness<Dots>;

impl served::Game for Dots {
    type Master = Master;
    type Decoder = Decoder;
    type Told = String;

    const PONG: &'static str = "pong";

    fn decoder() -> Decoder {
        Decoder::new(NOTICE_LIMIT)
    }

    fn read(decoder: &mut Decoder, mut bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = decoder.next(&mut bytes) {
            lines.push(line.unwrap().to_owned());
        }
        lines
    }
}

pub(crate) fn small() -> Settings {
    Settings { grid: Grid::new(3, 3).unwrap(), seed: Seed::new(5), ..Settings::default() }
}

impl Harness {
    pub(crate) fn new(settings: Settings) -> Self {
        Self::of(Master::new(settings, counted_tokens()))
    }

    /// Sends a request, and takes its answers.
    pub(crate) fn ask(&mut self, id: ConnectionId, text: &str) -> Vec<String> {
        self.take(id);
        self.send_line(id, text);
        self.take(id)
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
        self.put_back(id, answer);
        id
    }

    /// Two clients, Ada and Bob, in a game; nothing of it is taken.
    pub(crate) fn game(&mut self) -> [ConnectionId; 2] {
        let clients = ["Ada", "Bob"].map(|name| self.login(name));
        for client in clients {
            self.take(client);
            self.send_line(client, "queue");
        }
        clients
    }

    /// Another game of the same clients.
    pub(crate) fn game_between(&mut self, clients: [ConnectionId; 2]) {
        for client in clients {
            self.send_line(client, "queue");
        }
        assert_eq!(self.master.totals().games, 1);
    }

    /// The state of the only game.
    pub(crate) fn state(&self) -> State {
        let (_, state, ..) = self.master.games().next().expect("there is a game");
        state.clone()
    }

    /// The mover of the only game, and an edge that it may draw.
    pub(crate) fn next_move(&self) -> Option<(AgentId, Edge)> {
        let state = self.master.games().next()?.1;
        let Turn::Act { agent, .. } = state.turn() else { return None };
        let mut edges = Vec::new();
        state.legal_actions(agent, &mut edges);
        // From the middle on, so that neither side gets all boxes.
        Some((agent, edges[edges.len() / 2]))
    }

    /// The mover draws an edge that is left; which, and by whom.
    pub(crate) fn move_on(&mut self, clients: [ConnectionId; 2]) -> Option<(AgentId, Edge)> {
        let (agent, edge) = self.next_move()?;
        let (one, other) = edge.dots();
        self.send_line(clients[agent.index()], &format!("line_coords|{one}|{other}"));
        Some((agent, edge))
    }
}
