//! All decisions of the server, sans-IO: pairings, moves that count, clients that are gone.
//!
//! The caller passes the [`Master`] one [`Input`] at a time, with the time since the start, and then takes [`Output`]s
//! until there are none. [`Output::Record`]s must be on disk before the [`Output::Send`]s behind them are sent.
//! [`Master::restore`] makes the master of a server that ended, from its records.
//!
//! # Decisions where the source is silent
//!
//! - A client that sends a NUL receives blocks: clients of the original end their messages with one, and take all bytes of
//!   a read for one message.
//! - A player that loses its connection while it waits does not wait any longer. In a game it keeps its place until the
//!   pings run out.
//! - A player that receives `opponent_left_game` waits again, if it is connected.
//! - The token of a name is sent once, at its first login, and never again; and only to a client that asks for it.
//! - A player that has never moved ends with its connection, and so does a game without two moves with its last one:
//!   otherwise one client could take all names. If the server has no room for one more player, or an address has too many
//!   players without connections, the one that has been away longest gives way.
//! - A player is written down when its first game begins.
//! - A player whose address has begun too many games within an hour is refused when it wants to wait.

mod input;
mod login;
mod pings;
mod play;
mod restore;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use game_dots::{Edge, State};
use game_env::{Environment as _, Seed, SimTime, Turn};
use wire::dots::line::{self, Decoder, Framing};
use wire::dots::{Answer, MessageError, Name, Notice, Request, Side, Token};

use super::record::{GameId, Record};
use crate::server::{self, Allowance, Budgets, Idle, Master as _, Origin};

pub use self::input::{Ended, Settings, Totals};
pub use crate::server::{ConnectionId, DrawToken, Input};

/// A request of the master to its shell.
pub type Output = server::Output<Record, Ended>;

/// A record that does not follow from those before it.
pub type RestoreError = server::RestoreError<Record>;

/// The number of a player, which is never used again.
type PlayerId = u64;

/// The state of the server.
pub struct Master {
    settings: Settings,
    draw_token: DrawToken,
    connections: BTreeMap<ConnectionId, Connection>,
    players: BTreeMap<PlayerId, Player>,
    names: BTreeMap<Name, PlayerId>,
    games: BTreeMap<GameId, Game>,
    /// The players that wait for an opponent, and since when; the first waits longest.
    queue: VecDeque<(SimTime, PlayerId)>,
    /// The players without a connection, bots not counted.
    absent: Idle<PlayerId>,
    /// The games that each origin may begin.
    budgets: Budgets,
    /// Connections that have to log in, and until when.
    arrivals: BTreeSet<(SimTime, ConnectionId)>,
    next_player: PlayerId,
    next_game: GameId,
    next_ping: SimTime,
    /// The moment of the input that is taken in.
    now: SimTime,
    moves: u64,
    outputs: VecDeque<Output>,
}

/// A connection.
struct Connection {
    origin: Origin,
    decoder: Decoder,
    /// The form of messages to it.
    framing: Framing,
    /// The moment until which it has to log in.
    login_until: SimTime,
    player: Option<PlayerId>,
    /// The messages that it may send; accepted moves cost nothing.
    allowance: Allowance,
}

/// A player that has logged in.
struct Player {
    name: Name,
    token: Token,
    connection: Option<ConnectionId>,
    /// The origin of its last connection.
    origin: Origin,
    phase: Phase,
    /// Whether it is in the journal.
    is_recorded: bool,
    /// Whether it has ever moved.
    has_moved: bool,
    /// Whether the last ping was answered.
    has_answered: bool,
    /// Number of unanswered pings in a row.
    missed: u32,
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
    /// A server without players and games.
    pub fn new(settings: Settings, draw_token: DrawToken) -> Self {
        let mut master = Self {
            absent: Idle::default(),
            budgets: Budgets::new(settings.games_per_hour),
            settings,
            draw_token,
            connections: BTreeMap::new(),
            players: BTreeMap::new(),
            names: BTreeMap::new(),
            games: BTreeMap::new(),
            queue: VecDeque::new(),
            arrivals: BTreeSet::new(),
            next_player: 0,
            next_game: 0,
            next_ping: SimTime::START,
            now: SimTime::START,
            moves: 0,
            outputs: VecDeque::new(),
        };
        for (name, token) in master.settings.bots.clone() {
            master.add_player(name, token, true);
        }
        master
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The games that are being played: number, state, seed, players 1 and 2.
    pub fn games(&self) -> impl Iterator<Item = (GameId, &State, Seed, [&Name; 2])> {
        self.games.iter().map(|(id, game)| {
            (*id, &game.state, game.seed, game.players.map(|player| &self.players[&player].name))
        })
    }

    fn connected(&mut self, id: ConnectionId, origin: Origin) {
        let decoder = Decoder::new(line::REQUEST_LIMIT);
        let allowance = Allowance::new(self.now, self.settings.messages_per_second);
        let login_until = self.now + self.settings.login;
        let framing = self.settings.framing;
        let connection = Connection { origin, decoder, framing, login_until, player: None, allowance };
        self.connections.insert(id, connection);
        self.arrivals.insert((login_until, id));
    }

    fn received(&mut self, id: ConnectionId, mut bytes: &[u8]) {
        if let Some(connection) = self.connections.get_mut(&id).filter(|_| bytes.contains(&0)) {
            connection.framing = Framing::Blocks;
        }
        loop {
            let Some(connection) = self.connections.get_mut(&id) else { return };
            let Some(line) = connection.decoder.next(&mut bytes) else { return };
            let request = line.ok().map(str::parse::<Request>);
            if !connection.allowance.take(self.now, self.settings.messages_per_second) {
                return self.expel(id);
            }
            match request {
                Some(Ok(request)) => self.request(id, request),
                Some(Err(MessageError::Name(_))) => self.refuse(id, &Notice::Logged(Answer::Error)),
                Some(Err(MessageError::Unknown(_))) => {
                    self.tell(id, &Notice::UnknownCommand);
                    self.expel(id);
                }
                Some(Err(_)) | None => self.expel(id),
            }
        }
    }

    fn request(&mut self, id: ConnectionId, request: Request) {
        let player = self.connections.get(&id).and_then(|connection| connection.player);
        match (request, player) {
            (Request::Login { name, token }, None) => self.login(id, name, token),
            (Request::Queue, Some(player)) => self.enqueue(id, player),
            (Request::LineCoords(one, other), Some(player)) => self.draw(id, player, one, other),
            (Request::LeaveQueue, Some(player)) => self.leave_queue(id, player),
            (Request::LeaveGame, Some(player)) => self.leave_game(id, player),
            (Request::Pong, Some(player)) => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.has_answered = true;
                }
            }
            (Request::Login { .. }, Some(_)) => self.refuse(id, &Notice::Logged(Answer::Error)),
            (Request::Queue, None) => self.refuse(id, &Notice::Queued(Answer::Error)),
            (Request::LineCoords(..), None) => self.refuse(id, &Notice::InvalidCoords),
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

    /// A connection has ended by itself.
    fn ended(&mut self, id: ConnectionId) {
        if let Some(player) = self.forget(id).and_then(|connection| connection.player) {
            self.disconnect(player);
            self.keep_absent(player);
        }
    }

    /// A connection is no more.
    fn forget(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(&id)?;
        self.arrivals.remove(&(connection.login_until, id));
        Some(connection)
    }

    /// A player has no connection any more: it does not wait, and keeps its place in a game.
    fn disconnect(&mut self, id: PlayerId) {
        let Some(player) = self.players.get_mut(&id) else { return };
        player.connection = None;
        if player.phase == Phase::Waiting {
            player.phase = Phase::Idle;
            self.queue.retain(|(_, waiting)| *waiting != id);
        }
    }

    /// Keeps a player that has lost its connection until it comes back, or removes it if it has never moved. A game
    /// without two moves is over once both players have lost their connections.
    fn keep_absent(&mut self, id: PlayerId) {
        let Some(player) = self.players.get(&id).filter(|player| !player.is_bot) else { return };
        let origin = player.origin;
        let mut gone = vec![id];
        if let Phase::Playing(game_id, side) = player.phase {
            let game = &self.games[&game_id];
            let is_deserted = game.players.iter().all(|player| self.players[player].connection.is_none());
            gone = if is_deserted && game.moves.len() < 2 { game.players.to_vec() } else { Vec::new() };
            if !gone.is_empty() {
                self.leave(game_id, side);
            }
        }
        for player in gone {
            if self.players.get(&player).is_some_and(|player| !player.is_bot && !player.has_moved) {
                self.remove(player);
            }
        }
        if self.players.contains_key(&id) {
            self.absent.add(self.now, origin, id);
        }
        if let Some(longest) = self.absent.surplus(origin, self.settings.absent_players_of_origin) {
            self.remove(longest);
        }
    }

    /// Tells everybody that the server ends.
    fn stop(&mut self) {
        let connections: Vec<ConnectionId> = self.connections.keys().copied().collect();
        for id in connections {
            self.tell(id, &Notice::ServerShutdown);
            self.close(id);
        }
        self.arrivals.clear();
        self.outputs.push_back(Output::Done);
    }

    /// Sends a message.
    fn tell(&mut self, id: ConnectionId, notice: &Notice) {
        if let Some(connection) = self.connections.get(&id) {
            let mut bytes = Vec::new();
            line::write(notice, connection.framing, &mut bytes);
            self.outputs.push_back(Output::Send(id, bytes));
        }
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
        if self.settings.compat {
            self.expel(id);
        }
    }

    /// Closes the connection of a client that does not keep to the protocol. In the original the player is gone as
    /// well.
    fn expel(&mut self, id: ConnectionId) {
        self.tell(id, &Notice::DisconnectedSuspiciousActivity);
        match self.close(id) {
            Some(player) if self.settings.compat => self.remove(player),
            Some(player) => self.keep_absent(player),
            None => {}
        }
    }

    /// Closes a connection after everything that was sent; its player has no connection any more.
    fn close(&mut self, id: ConnectionId) -> Option<PlayerId> {
        let connection = self.forget(id)?;
        self.outputs.push_back(Output::Close(id));
        let player = connection.player?;
        self.disconnect(player);
        Some(player)
    }

    /// Writes down a change.
    fn record(&mut self, record: Record) {
        self.outputs.push_back(Output::Record(record));
    }
}

impl server::Master for Master {
    type Record = Record;
    type Ended = Ended;
    type Totals = Totals;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        self.now = self.now.max(now);
        self.turn_away();
        self.ping();
        match input {
            Input::Connected(connection, origin) => self.connected(connection, origin),
            Input::Received(connection, bytes) => self.received(connection, bytes),
            Input::Ended(connection) => self.ended(connection),
            Input::Tick => {}
            Input::Stop => self.stop(),
        }
        self.pair();
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// `None` without connections that have to log in, and players that are pinged.
    fn wake_at(&self) -> Option<SimTime> {
        let ping = if self.players.values().any(Player::is_pinged) { Some(self.next_ping) } else { None };
        let arrival = self.arrivals.first().map(|(until, _)| *until);
        [ping, arrival, self.bot_due()].into_iter().flatten().min()
    }

    fn has_logged_in(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| connection.player.is_some())
    }

    fn totals(&self) -> Totals {
        Totals {
            connections: self.connections.len(),
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

impl Player {
    /// Returns whether pings are sent to it or counted against it: the server's own players stay without.
    fn is_pinged(&self) -> bool {
        !self.is_bot || self.connection.is_some() || matches!(self.phase, Phase::Playing(..))
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
