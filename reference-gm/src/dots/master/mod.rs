//! All decisions of the server, sans-IO: pairings, moves that count, clients that are gone.
//!
//! The caller passes the [`Master`] one [`Input`] at a time, with the time since the start, and then takes [`Output`]s
//! until there are none. [`Output::Record`]s must be on disk before the [`Output::Send`]s behind them are sent.
//! [`Master::restore`] makes the master of a server that ended, from its records.
//!
//! # Decisions where the source is silent
//!
//! - A client that sends a NUL receives blocks: clients of the original end their messages with one, and take all bytes
//!   of a read for one message.
//! - A player that loses its connection while it waits does not wait any longer. In a game it keeps its place until the
//!   pings run out.
//! - A player that receives `opponent_left_game` waits again, if it is connected.
//! - The token of a name is sent once, at its first login, and never again; and only to a client that asks for it.
//! - A player that has no game and has never moved is removed when its connection ends. Otherwise one client could take
//!   all names. Any other player keeps its name, and its place in its game, until the pings run out.
//! - If the server has no room for one more player, or an address has too many players without connections, the player
//!   that has been away longest is removed.
//! - A player is recorded in the journal when its first game begins.
//! - A player whose address has begun too many games within an hour is refused when it wants to wait. A game counts for
//!   the address from which its player waits, as soon as it waits. It does not count for a player that leaves the
//!   queue, or whose opponent leaves the game.
//! - A player that has kept a bot of the server waiting for too long, while somebody else waits and all bots play, is
//!   removed: the bot then plays against the other one.

mod input;
mod login;
mod pings;
mod play;
mod restore;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use game_dots::{Edge, State};
use game_env::{Environment as _, Seed, SimTime, Turn};
use wire::dots::line::{self, Decoder, Framing};
use wire::dots::{Answer, MessageError, Name, Notice, Request, Side, Token};

use super::record::{GameId, Record};
use crate::server::{self, Budgets, Charge, Gate, Heard, Idle, Master as _, Origin, Pings, Protocol, Pulse};

pub use self::input::{Ended, Settings, Totals};
pub use crate::server::{ConnectionId, DrawToken};

/// A request of a local client.
pub type Ask = server::Ask<Request, Edge>;

/// An input of the master.
pub type Input<'a> = server::Input<'a, Ask>;

/// A request of the master to its shell.
pub type Output = server::Output<Record, Ended, Notice>;

/// A record that does not follow from those before it.
pub type RestoreError = server::RestoreError<Record>;

/// The number of a player, which is never used again.
type PlayerId = u64;

/// The state of the server.
pub struct Master {
    settings: Settings,
    draw_token: DrawToken,
    /// The connections, and the player of each that has logged in. Accepted moves cost nothing of the allowance.
    gate: Gate<Messages>,
    pings: Pings,
    players: BTreeMap<PlayerId, Player>,
    names: BTreeMap<Name, PlayerId>,
    games: BTreeMap<GameId, Game>,
    /// The players that wait for an opponent, and since when; the first waits longest.
    queue: VecDeque<(SimTime, PlayerId)>,
    /// The players without a connection, bots not counted.
    absent: Idle<PlayerId>,
    /// The games that each origin may begin.
    budgets: Budgets,
    next_player: PlayerId,
    next_game: GameId,
    moves: u64,
}

/// The messages of the protocol.
enum Messages {}

/// A connection.
#[derive(Clone, Copy)]
struct Connection {
    origin: Origin,
    player: Option<PlayerId>,
}

/// The stream of a remote client.
struct Stream {
    decoder: Decoder,
    /// The form of messages to the client.
    framing: Framing,
}

impl Protocol for Messages {
    type Stream = Stream;
    type Request = Request;
    /// None if the line has no text, or is too long.
    type Misread = Option<MessageError>;
    type Notice = Notice;
    type State = Connection;
    type Output = Output;

    fn read(stream: &mut Stream, bytes: &mut &[u8]) -> Option<Result<Request, Option<MessageError>>> {
        if bytes.contains(&0) {
            stream.framing = Framing::Blocks;
        }
        let line = stream.decoder.next(bytes)?;
        Some(line.map_err(|_| None).and_then(|line| line.parse().map_err(Some)))
    }

    fn write(stream: &Stream, notice: &Notice, out: &mut Vec<u8>) {
        line::write(notice, stream.framing, out);
    }
}

/// A player that has logged in.
struct Player {
    name: Name,
    token: Token,
    connection: Option<ConnectionId>,
    /// The origin of its last connection.
    origin: Origin,
    phase: Phase,
    /// The game that it waits for or plays, in the budget of the origin from which it began to wait.
    charge: Option<Charge>,
    /// Whether it is in the journal.
    is_recorded: bool,
    /// Whether it has ever moved.
    has_moved: bool,
    /// Its answers to pings.
    pulse: Pulse,
    /// Whether the server itself has brought the player, to play against clients that wait.
    is_bot: bool,
}

/// The activity of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Idle,
    Waiting,
    Playing(GameId, Side),
    /// Its game is over, and it has not chosen yet between waiting and leaving.
    Finished,
}

/// A game that is being played.
struct Game {
    seed: Seed,
    state: State,
    players: [PlayerId; 2],
    moves: Vec<Edge>,
    /// Since when the mover has the turn.
    turn_since: SimTime,
}

impl Master {
    /// Creates a server without players and games.
    pub fn new(settings: Settings, draw_token: DrawToken) -> Self {
        let mut master = Self {
            absent: Idle::default(),
            budgets: Budgets::new(settings.games_per_hour),
            gate: Gate::new(settings.login, Some(settings.messages_per_second)),
            pings: Pings::new(settings.ping, settings.missed),
            settings,
            draw_token,
            players: BTreeMap::new(),
            names: BTreeMap::new(),
            games: BTreeMap::new(),
            queue: VecDeque::new(),
            next_player: 0,
            next_game: 0,
            moves: 0,
        };
        for (name, token) in master.settings.bots.clone() {
            master.add_player(name, token, true);
        }
        master
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the games that are being played: number, state, seed, players 1 and 2.
    pub fn games(&self) -> impl Iterator<Item = (GameId, &State, Seed, [&Name; 2])> {
        self.games.iter().map(|(id, game)| {
            (*id, &game.state, game.seed, game.players.map(|player| &self.players[&player].name))
        })
    }

    fn received(&mut self, id: ConnectionId, mut bytes: &[u8]) {
        while let Some(heard) = self.gate.read(id, &mut bytes) {
            match heard {
                Heard::Request(request) => self.request(id, request),
                Heard::Misread(Some(MessageError::Name(_))) => {
                    self.refuse(id, &Notice::Logged(Answer::Error));
                }
                Heard::Misread(Some(MessageError::Unknown(_))) => {
                    self.tell(id, &Notice::UnknownCommand);
                    self.expel(id);
                }
                Heard::Misread(_) | Heard::TooMany => self.expel(id),
            }
        }
    }

    /// A local client asks for something.
    fn asked(&mut self, id: ConnectionId, ask: Ask) {
        if !self.gate.spend(id) {
            return self.expel(id);
        }
        match ask {
            Ask::Request(request) => self.request(id, request),
            Ask::Play(edge) => {
                let (from, to) = edge.dots();
                self.draw(id, from, to);
            }
        }
    }

    /// Returns the player of a connection.
    fn player_of(&self, id: ConnectionId) -> Option<PlayerId> {
        self.gate.state(id).and_then(|connection| connection.player)
    }

    fn request(&mut self, id: ConnectionId, request: Request) {
        match (request, self.player_of(id)) {
            (Request::Login { name, token }, None) => self.login(id, name, token),
            (Request::Queue, Some(player)) => self.enqueue(id, player),
            (Request::LineCoords(one, other), _) => self.line(id, one, other),
            (Request::LeaveQueue, Some(player)) => self.leave_queue(id, player),
            (Request::LeaveGame, Some(player)) => self.leave_game(id, player),
            (Request::Pong, Some(player)) => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.pulse.answer();
                }
            }
            (Request::Login { .. }, Some(_)) => self.refuse(id, &Notice::Logged(Answer::Error)),
            (Request::Queue, None) => self.refuse(id, &Notice::Queued(Answer::Error)),
            (Request::LeaveQueue, None) => self.refuse(id, &Notice::LeftQueue(Answer::Error)),
            (Request::LeaveGame, None) => self.refuse(id, &Notice::YouLeftGame(Answer::Error)),
            // A message of the protocol without an answer: the original treats it like any refusal.
            (Request::Pong, None) => {
                if self.settings.compat {
                    self.expel(id);
                }
            }
        }
    }

    /// Handles the end of a connection that the server has not closed.
    fn ended(&mut self, id: ConnectionId) {
        if let Some(player) = self.gate.remove(id).and_then(|connection| connection.player) {
            self.disconnect(player);
            self.keep_absent(player);
        }
    }

    /// Removes the connection of a player: it leaves the queue, and keeps its place in a game.
    fn disconnect(&mut self, id: PlayerId) {
        if let Some(player) = self.players.get_mut(&id) {
            player.connection = None;
        }
        self.wait_no_longer(id);
    }

    /// Keeps a player that has lost its connection until it comes back, or removes it if it has neither a game nor has
    /// ever moved. Of the players of one origin that are away, those that have been away longest give way.
    fn keep_absent(&mut self, id: PlayerId) {
        let Some(player) = self.players.get(&id).filter(|player| !player.is_bot) else { return };
        let origin = player.origin;
        if player.has_moved || matches!(player.phase, Phase::Playing(..)) {
            self.absent.add(self.gate.now(), origin, id);
        } else {
            self.remove(id);
        }
        if let Some(longest) = self.absent.surplus(origin, self.settings.absent_players_of_origin) {
            self.remove(longest);
        }
    }

    /// Tells everybody that the server ends.
    fn stop(&mut self) {
        for id in self.gate.ids() {
            self.tell(id, &Notice::ServerShutdown);
            self.close(id);
        }
        self.gate.push(Output::Done);
    }

    /// Sends a message.
    fn tell(&mut self, id: ConnectionId, notice: &Notice) {
        self.gate.tell(id, notice);
    }

    /// Sends a message to a player, if it is connected.
    fn tell_player(&mut self, id: PlayerId, notice: &Notice) {
        if let Some(connection) = self.players.get(&id).and_then(|player| player.connection) {
            self.tell(connection, notice);
        }
    }

    /// Refuses a request. The original closes the connection as well, and forgets the player.
    fn refuse(&mut self, id: ConnectionId, notice: &Notice) {
        self.tell(id, notice);
        if self.is_compat_with(id) {
            self.expel(id);
        }
    }

    /// Returns whether this client is treated as the original of 2023 treats all. The original has no clients of people
    /// on a page.
    fn is_compat_with(&self, id: ConnectionId) -> bool {
        self.settings.compat && !self.gate.is_local(id)
    }

    /// Closes the connection of a client that does not keep to the protocol. In the original the player is gone as
    /// well.
    fn expel(&mut self, id: ConnectionId) {
        self.tell(id, &Notice::DisconnectedSuspiciousActivity);
        let is_compat = self.is_compat_with(id);
        match self.close(id) {
            Some(player) if is_compat => self.remove(player),
            Some(player) => self.keep_absent(player),
            None => {}
        }
    }

    /// Closes a connection after everything that was sent; its player has no connection any more.
    fn close(&mut self, id: ConnectionId) -> Option<PlayerId> {
        let player = self.gate.close(id)?.player?;
        self.disconnect(player);
        Some(player)
    }

    /// Writes down a change.
    fn record(&mut self, record: Record) {
        self.gate.push(Output::Record(record));
    }
}

impl server::Master for Master {
    type Record = Record;
    type Game = State;
    type Totals = Totals;
    type Ask = Ask;
    type Notice = Notice;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        self.gate.advance(now);
        self.turn_away();
        self.ping();
        match input {
            Input::Connected(id, origin) => {
                let decoder = Decoder::new(line::REQUEST_LIMIT);
                let stream = Stream { decoder, framing: self.settings.framing };
                self.gate.connect(id, stream, Connection { origin, player: None });
            }
            Input::Received(connection, bytes) => self.received(connection, bytes),
            Input::Joined(id, origin) => {
                self.gate.connect_local(id, Connection { origin, player: None });
            }
            Input::Asked(connection, ask) => self.asked(connection, ask),
            Input::Ended(connection) => self.ended(connection),
            Input::Tick => {}
            Input::Stop => self.stop(),
        }
        self.pair();
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.gate.poll_output()
    }

    /// `None` if no connection has to log in, no player is pinged, and no bot is to play against a waiting client.
    fn wake_at(&self) -> Option<SimTime> {
        let is_pinged = self.players.values().any(|player| self.is_pinged(player));
        let ping = is_pinged.then(|| self.pings.next());
        [ping, self.gate.wake_at(), self.bot_due()].into_iter().flatten().min()
    }

    fn has_logged_in(&self, id: ConnectionId) -> bool {
        self.gate.has_logged_in(id)
    }

    fn totals(&self) -> Totals {
        Totals {
            connections: self.gate.count(),
            players: self.players.len(),
            waiting: self.queue.len(),
            games: self.games.len(),
            moves: self.moves,
        }
    }

    fn snapshot(&self) -> Vec<Record> {
        self.records()
    }
}

impl Game {
    /// Returns the side that has the turn.
    fn mover(&self) -> Option<Side> {
        match self.state.turn() {
            Turn::Act { agent, .. } => Some(Side::of(agent)),
            Turn::Over(_) => None,
        }
    }
}

impl fmt::Debug for Master {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Master").field("totals", &self.totals()).finish_non_exhaustive()
    }
}
