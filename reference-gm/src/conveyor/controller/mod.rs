//! A controller, sans-IO: between a board and two players.
//!
//! The board connects at one port, players at another. The shell hands in what happens with its moment, and carries out
//! every output.
//!
//! # Decisions where the source is silent
//!
//! - A player says `HAI`, `HAI KITTEH` or `HAI SUPERCAT`, and receives its own name (`UR KITTEH`), and the size of
//!   the board once there is one (`SIZE 12,9`). A client that says nothing of the kind is the player of its first
//!   request. A client that asks for a place that is taken is answered `NOWAI`, and its connection is closed.
//! - The controller never sends the places of players to a player. A player may ask for nothing but its own moves:
//!   anything else is answered `LOL WUT?` and not passed on. A request is passed on when the one before it is done,
//!   requests of a player in the order in which they came, and one of each player in turn.
//! - Nothing is passed on before both players have come ([`Settings::alone`]: before one has).
//! - A client that does not become a player within [`Settings::arrival`], and a player that asks for nothing for
//!   [`Settings::silence`] while the game could go on, is answered `NOWAI`, and its connection is closed.
//! - A player that is gone leaves its place free; another one may take it and goes on from there. When there is a game
//!   and all players have been gone for [`Settings::absence`], the controller ends it.
//! - A board that is gone, is silent for [`Settings::patience`] when it is to answer, or says too much without sense,
//!   ends the game. Before its list is whole no game has begun: then the controller waits for another board.
//! - A board that comes while there is one is answered `NOWAI`.
//! - A client whose first lines are no request is no player, but perhaps the page of a browser that was made to send
//!   requests later: it is answered `LOL WUT?`, and its connection is closed.
//! - A player at the port for boards is known by its first line. It is answered `NOWAI`, and its connection is closed.
//!   A board at the port for players says nothing, as it waits for the controller: it is taken for a silent client.
//! - At the end the controller sends players `KITTEH WINS` or `SUPERCAT WINS`, or `KTHXBAI` if nobody has won, and
//!   closes their connections.

mod board;
mod list;
mod news;
mod players;

use std::collections::VecDeque;

use game_conveyor::Action;
use game_env::{AgentId, Millis, SimTime};
use wire::conveyor::{Dialect, LONGEST_LINE, Notice, Order};
use wire::lines::{LineDecoder, TooLong};

use crate::server::{ConnectionId, Delivery, Gate, Heard, Protocol};

pub use self::list::List;
pub use self::news::{End, News};

use self::players::Player;

/// The settings of a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The dialect of the board's lines.
    pub dialect: Dialect,
    /// Time that the board has for a line that it owes.
    pub patience: Millis,
    /// Time that a client has to become a player.
    pub arrival: Millis,
    /// Time for which a player may ask for nothing while the game can go on.
    pub silence: Millis,
    /// Time after which a game ends that all players have left.
    pub absence: Millis,
    /// Number of senseless lines at which the connection of the board or of a player is closed.
    pub nonsense: u32,
    /// The number of requests that a player may send ahead of the answers.
    pub ahead: usize,
    /// Whether one player may begin, instead of waiting for the other.
    pub alone: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::Specification,
            patience: Millis::new(10_000),
            arrival: Millis::new(60_000),
            silence: Millis::new(600_000),
            absence: Millis::new(60_000),
            nonsense: 20,
            ahead: 64,
            alone: false,
        }
    }
}

/// An input of a controller.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A new connection at the port for boards.
    Board(ConnectionId),
    /// A new connection at the port for players.
    Player(ConnectionId),
    /// Bytes from a connection, in pieces of any size.
    Received(ConnectionId, &'a [u8]),
    /// A connection has ended.
    Ended(ConnectionId),
    /// The moment of [`Controller::wake_at`] has come.
    Tick,
    /// The operator ends the game.
    Stop,
}

/// A request of a controller to its shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send these bytes.
    Send(ConnectionId, Vec<u8>),
    /// Close a connection, after all that was sent to it.
    Close(ConnectionId),
    /// Report this to the operator, and to the viewers of the page.
    Report(News),
    /// The controller has ended. The last output.
    Done(End),
}

/// A controller.
#[derive(Debug)]
pub struct Controller {
    settings: Settings,
    phase: Phase,
    /// The connections. A client has to become a player in time.
    gate: Gate<Lines>,
    /// The connection of each player.
    seats: [Option<ConnectionId>; 2],
    /// Whether there have been as many players as a game needs to begin.
    are_complete: bool,
    /// The players whose requests wait for the board, in the order in which these came.
    waiting: VecDeque<AgentId>,
    /// The description that the board has given of itself, once there is a game.
    list: Option<List>,
    /// Since when requests are passed on.
    playable: Option<SimTime>,
    /// The ports for boards and for players, for hints.
    ports: Option<[u16; 2]>,
    /// The moment since which no player is there any more, after there was one. It counts once there is a game.
    deserted: Option<SimTime>,
}

/// Lines, to be read as those of a board or of a player.
enum Lines {}

impl Protocol for Lines {
    type Stream = LineDecoder;
    type Request = Vec<u8>;
    type Misread = TooLong;
    type Notice = String;
    type State = Peer;
    type Output = Output;

    fn read(stream: &mut LineDecoder, bytes: &mut &[u8]) -> Option<Line> {
        stream.next(bytes)
    }

    fn write(_: &LineDecoder, line: &String, out: &mut Vec<u8>) {
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
}

impl From<Delivery<String>> for Output {
    fn from(delivery: Delivery<String>) -> Self {
        match delivery {
            Delivery::Send(id, bytes) => Self::Send(id, bytes),
            // No client of a controller is local.
            Delivery::Tell(id, line) => Self::Send(id, format!("{line}\r\n").into_bytes()),
            Delivery::Close(id) => Self::Close(id),
        }
    }
}

/// A connection.
#[derive(Debug)]
struct Peer {
    nonsense: u32,
    role: Role,
}

#[derive(Debug)]
enum Role {
    /// The board that plays.
    Board,
    /// A board that came while there was one.
    SpareBoard,
    Player(Player),
}

/// The state of a controller's conversation with its board.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// There is no board.
    Alone,
    /// The board is to say who it is, until this moment.
    Greeting(ConnectionId, SimTime),
    /// The board is to list its fields and players; each line until this moment.
    Listing(ConnectionId, SimTime, List),
    /// Nobody has asked for anything.
    Idle(ConnectionId),
    /// The board is to answer a request, until this moment.
    Asking(ConnectionId, SimTime, Action),
    /// The board is to say where the player is now, until this moment.
    Moving(ConnectionId, SimTime, Action, wire::conveyor::Report),
    /// The board is to say that this player, who is at home, has won, until this moment.
    Winning(ConnectionId, SimTime, AgentId),
    /// The board is to close the connection, until this moment.
    Leaving(ConnectionId, SimTime, AgentId),
    Over,
}

impl Phase {
    fn board(&self) -> Option<ConnectionId> {
        match self {
            Self::Alone | Self::Over => None,
            Self::Greeting(board, _)
            | Self::Listing(board, ..)
            | Self::Idle(board)
            | Self::Asking(board, ..)
            | Self::Moving(board, ..)
            | Self::Winning(board, ..)
            | Self::Leaving(board, ..) => Some(*board),
        }
    }

    /// Returns until when the board is to say something.
    fn until(&self) -> Option<SimTime> {
        match self {
            Self::Alone | Self::Idle(_) | Self::Over => None,
            Self::Greeting(_, until)
            | Self::Listing(_, until, _)
            | Self::Asking(_, until, _)
            | Self::Moving(_, until, ..)
            | Self::Winning(_, until, _)
            | Self::Leaving(_, until, _) => Some(*until),
        }
    }
}

impl Controller {
    /// Creates a controller without connections.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            phase: Phase::Alone,
            gate: Gate::new(settings.arrival, None),
            seats: [None; 2],
            are_complete: settings.alone,
            waiting: VecDeque::new(),
            list: None,
            playable: None,
            ports: None,
            deserted: None,
        }
    }

    /// Tells operators which of its ports is for boards, and which for players.
    pub fn with_ports(mut self, boards: u16, players: u16) -> Self {
        self.ports = Some([boards, players]);
        self
    }

    /// Takes in what happened, `now` after the start.
    pub fn handle(&mut self, now: SimTime, input: Input<'_>) {
        if self.phase == Phase::Over {
            return;
        }
        self.gate.advance(now);
        match input {
            Input::Board(id) => self.board_came(now, id),
            Input::Player(id) => self.add(id, Role::Player(Player::new(now))),
            Input::Received(id, bytes) => self.received(now, id, bytes),
            Input::Ended(id) => self.ended(now, id),
            Input::Tick => self.tick(now),
            Input::Stop => self.finish(End::Stopped),
        }
        if self.are_complete && self.list.is_some() {
            self.playable.get_or_insert(now);
        }
        self.ask_next(now);
    }

    /// Returns the next output, or none until the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.gate.poll_output()
    }

    /// Returns when [`Input::Tick`] is due.
    pub fn wake_at(&self) -> Option<SimTime> {
        [self.phase.until(), self.deserted_at(), self.gate.wake_at(), self.silent_at()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Returns whether a connection is the board or a player; others give their places to newcomers.
    pub fn is_known(&self, id: ConnectionId) -> bool {
        self.gate.state(id).is_some_and(|peer| match &peer.role {
            Role::Board => true,
            Role::SpareBoard => false,
            Role::Player(player) => player.has_seat(),
        })
    }

    /// Returns the description that the board has given of itself, once there is a game.
    pub fn list(&self) -> Option<&List> {
        self.list.as_ref()
    }

    fn add(&mut self, id: ConnectionId, role: Role) {
        self.gate.connect(id, LineDecoder::new(LONGEST_LINE), Peer { nonsense: 0, role });
    }

    fn received(&mut self, now: SimTime, id: ConnectionId, mut bytes: &[u8]) {
        while let Some(heard) = self.gate.read(id, &mut bytes) {
            let line = match heard {
                Heard::Request(line) => Ok(line),
                Heard::Misread(error) => Err(error),
                // A player may be ahead of the answers by some requests only.
                Heard::TooMany => return,
            };
            let Some(peer) = self.gate.state(id) else { return };
            match peer.role {
                Role::Board => self.board_said(now, id, line),
                Role::SpareBoard => {
                    self.order(id, Order::Reject);
                    self.close(id);
                }
                Role::Player(_) => self.player_said(now, id, line),
            }
            // The requests of a player that came before this line are passed on first.
            self.ask_next(now);
        }
    }

    fn ended(&mut self, now: SimTime, id: ConnectionId) {
        let Some(peer) = self.gate.remove(id) else { return };
        match peer.role {
            Role::Board => self.board_is_gone(now, "it closed the connection"),
            Role::SpareBoard => {}
            Role::Player(player) => self.player_left(now, &player),
        }
    }

    fn tick(&mut self, now: SimTime) {
        if self.phase.until().is_some_and(|until| until <= now) {
            self.board_is_gone(now, "it was silent for too long");
        }
        if self.deserted_at().is_some_and(|at| at <= now) {
            self.finish(End::Deserted);
        }
        self.drop_silent(now);
    }

    /// Returns when the game ends because all players have been gone for too long.
    fn deserted_at(&self) -> Option<SimTime> {
        let since = self.deserted.filter(|_| self.list.is_some() && self.phase != Phase::Over)?;
        Some(since + self.settings.absence)
    }

    /// Reports a senseless line, answers it, and closes the connection if it has sent too many of them.
    fn wonder(&mut self, now: SimTime, id: ConnectionId, why: String) {
        let Some(peer) = self.gate.state_mut(id) else { return };
        peer.nonsense += 1;
        let is_enough = peer.nonsense >= self.settings.nonsense;
        let is_board = matches!(peer.role, Role::Board);
        self.gate.push(Output::Report(News::Senseless { is_board, why }));
        self.say(id, &Order::Senseless.line());
        if !is_enough {
            return;
        }
        if is_board {
            self.board_is_gone(now, "it sent too many invalid lines");
        } else if let Some(Peer { role: Role::Player(player), .. }) = self.close(id) {
            self.player_left(now, &player);
        }
    }

    /// The controller ends.
    fn finish(&mut self, end: End) {
        if let Some(board) = self.phase.board() {
            self.close(board);
        }
        self.phase = Phase::Over;
        let last = match &end {
            End::Won(winner) => Notice::Wins(*winner),
            _ => Notice::NobodyWins,
        };
        for id in self.gate.ids() {
            if self.gate.state(id).is_some_and(|peer| matches!(peer.role, Role::Player(_))) {
                self.say(id, &last.line());
            }
            self.close(id);
        }
        self.waiting.clear();
        self.deserted = None;
        self.gate.push(Output::Done(end));
    }

    fn order(&mut self, board: ConnectionId, order: Order) {
        self.say(board, &order.line());
    }

    fn say(&mut self, id: ConnectionId, line: &str) {
        self.gate.tell(id, &line.to_owned());
    }

    fn close(&mut self, id: ConnectionId) -> Option<Peer> {
        self.gate.close(id)
    }
}

/// A line as text for messages.
type Line = Result<Vec<u8>, TooLong>;
