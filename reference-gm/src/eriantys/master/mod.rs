//! All decisions of the server, sans-IO: the players of each match, choices that count, clients that are gone.
//!
//! The caller passes the [`Master`] one [`Input`] at a time, with the time since the start, and then takes [`Output`]s
//! until there are none. [`Output::Record`]s must be on disk before the [`Output::Send`]s behind them are sent.
//! [`Master::restore`] makes the master of a server that ended, from its records.
//!
//! # Decisions where the source is silent
//!
//! - Every client may open a match, join an open one or go on with a saved one; the source's server has one match.
//! - A player who leaves a match that has not begun is forgotten. A match without players is gone. While its connection
//!   is held, its nickname is taken; with its token it can come with another connection.
//! - The number of a match is sent before the match begins, and never given again, also after a restart: a client
//!   that comes back with it must not meet another match.
//! - When a player leaves a match that has not begun, players who asked for any match of this kind and wait in another one
//!   take the free place: otherwise two matches could wait for each other's players.
//! - Nicknames that differ only in case are the same.
//! - The token of a player is sent when its login is complete, and later only to a client that has it.
//! - A match waits `wait` for a player if others are there, and `keep` if nobody is, also after a restart. A match in which
//!   not every player has acted waits only `wait`, and has no result: otherwise one client could fill the server with
//!   matches that nobody plays. If the server, or the address of the client that opened a match, has too many matches
//!   without a connection, the one that has waited longest ends.
//! - Before its login is over, a client whose line is no message is closed: it may be the page of a browser that was made
//!   to send lines which are messages later.
//! - A player who was away when its match ended learns the result when it comes back: the server keeps as many results
//!   as it can have matches, and drops those of the oldest matches first.
//! - A character is paid for when all its parameters are known, so that it can be declined.

mod bots;
mod character;
mod gather;
mod input;
mod lobby;
mod matches;
mod pings;
mod play;
mod restore;
mod results;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use game_env::SimTime;
use wire::eriantys::notice::{ConnectionClosed, ErrorMessage};
use wire::eriantys::{Decoder, Message as _, Notice, REQUEST_LIMIT, Request};

use self::lobby::Lobby;
use self::matches::Match;
use self::results::Results;
use super::record::{MatchId, Record};
use crate::server::{self, Allowance, Budgets, Idle, Master as _, Origin};

pub use self::input::{Bots, Ended, Settings, Totals};
pub use self::lobby::OpenMatch;
pub use crate::server::{ConnectionId, DrawToken, Input};

/// A request of the master to its shell.
pub type Output = server::Output<Record, Ended>;

/// A record that does not follow from those before it.
pub type RestoreError = server::RestoreError<Record>;

/// The state of the server.
pub struct Master {
    settings: Settings,
    draw_token: DrawToken,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Matches that wait for players before they begin.
    lobbies: BTreeMap<MatchId, Lobby>,
    /// Matches that have begun and are not over.
    matches: BTreeMap<MatchId, Match>,
    /// The results of matches that have ended, for players who were away then.
    results: Results,
    /// The matches that wait for missing players, by the moment until which they wait.
    waiting: BTreeSet<(SimTime, MatchId)>,
    /// The matches among them without a connected player.
    idle: Idle<MatchId>,
    /// The matches that each origin may open.
    budgets: Budgets,
    /// Connections that have to log in, by the moment until which they have time.
    arrivals: BTreeSet<(SimTime, ConnectionId)>,
    next_match: MatchId,
    /// The numbers below this one are never given again, also after a restart.
    reserved: MatchId,
    next_ping: SimTime,
    /// The moment of the input that is taken in.
    now: SimTime,
    actions: u64,
    outputs: VecDeque<Output>,
}

/// A connection.
struct Connection {
    origin: Origin,
    decoder: Decoder<Request>,
    stage: Stage,
    /// The moment until which it has to log in.
    login_until: SimTime,
    /// The messages that it may send; accepted choices cost nothing.
    allowance: Allowance,
    /// Whether the last ping was answered.
    has_answered: bool,
    /// Number of unanswered pings in a row.
    missed: u32,
}

/// The question that a connection has to answer, or its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The match that it wants.
    Match,
    /// Its nickname in a match that has not begun.
    Nickname(MatchId),
    /// The colour of its towers in this match.
    Tower(MatchId),
    /// The wizard of its assistants in this match.
    Wizard(MatchId),
    /// The player of a saved match.
    Saved(MatchId),
    /// Nothing: it waits until this match begins.
    Waiting(MatchId),
    /// It is the player at this place of a match that has begun.
    Playing(MatchId, usize),
}

impl Master {
    /// A server without connections and matches.
    pub fn new(settings: Settings, draw_token: DrawToken) -> Self {
        Self {
            idle: Idle::default(),
            budgets: Budgets::new(settings.matches_per_hour),
            settings,
            draw_token,
            connections: BTreeMap::new(),
            lobbies: BTreeMap::new(),
            matches: BTreeMap::new(),
            results: Results::default(),
            waiting: BTreeSet::new(),
            arrivals: BTreeSet::new(),
            next_match: 1,
            reserved: 1,
            next_ping: SimTime::START,
            now: SimTime::START,
            actions: 0,
            outputs: VecDeque::new(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The matches that have begun and are not over: number and state.
    pub fn matches(&self) -> impl Iterator<Item = (MatchId, &game_eriantys::State)> {
        self.matches.iter().map(|(id, game)| (*id, game.state()))
    }

    fn connected(&mut self, id: ConnectionId, origin: Origin) {
        let login_until = self.now + self.settings.login;
        let connection = Connection {
            origin,
            decoder: Decoder::new(REQUEST_LIMIT),
            stage: Stage::Match,
            login_until,
            allowance: Allowance::new(self.now, self.settings.messages_per_second),
            has_answered: true,
            missed: 0,
        };
        self.connections.insert(id, connection);
        self.arrivals.insert((login_until, id));
        self.say(id, "Connection accepted");
        self.ask(id);
    }

    fn received(&mut self, id: ConnectionId, mut bytes: &[u8]) {
        loop {
            let Some(connection) = self.connections.get_mut(&id) else { return };
            let Some(request) = connection.decoder.next(&mut bytes) else { return };
            let per_second = self.settings.messages_per_second;
            if !connection.allowance.take(self.now, per_second) {
                return self.expel(id, &format!("there were more than {per_second} messages in a second"));
            }
            match request {
                Ok(request) => self.request(id, request),
                Err(error) if connection.stage.is_login() => return self.expel(id, &error.to_string()),
                Err(error) => self.refuse(id, &error.to_string()),
            }
        }
    }

    fn request(&mut self, id: ConnectionId, request: Request) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        match (connection.stage, request) {
            (_, Request::Pong(_)) => connection.has_answered = true,
            (Stage::Match, Request::LoginAnyMatch(wanted)) => self.any_match(id, wanted),
            (Stage::Match, Request::LoginNewMatch(wanted)) => {
                self.new_match(id, wanted.players, wanted.rules);
            }
            (Stage::Match, Request::LoginJoinMatch(wanted)) => self.join_match(id, wanted.number),
            (Stage::Match, Request::LoginResumeMatch(wanted)) => self.resume_match(id, wanted.number),
            (Stage::Nickname(lobby), Request::LoginNickname(wanted)) => self.nickname(id, lobby, wanted),
            (Stage::Saved(saved), Request::LoginNickname(wanted)) => self.come_back(id, saved, wanted),
            (Stage::Tower(lobby), Request::LoginTowerColor(wanted)) => self.tower(id, lobby, wanted.color),
            (Stage::Wizard(lobby), Request::LoginWizardFamily(wanted)) => {
                self.wizard(id, lobby, wanted.family);
            }
            (Stage::Playing(game, place), request) => self.play(id, game, place, request),
            (stage, request) => {
                let expected = match stage {
                    Stage::Match => "LoginAnyMatch`, `LoginNewMatch`, `LoginJoinMatch` or `LoginResumeMatch",
                    Stage::Nickname(_) | Stage::Saved(_) => "LoginNickname",
                    Stage::Tower(_) => "LoginTowerColor",
                    Stage::Wizard(_) => "LoginWizardFamily",
                    Stage::Waiting(_) | Stage::Playing(..) => {
                        let why = "the match has not begun: expected to wait for `TableUpdate`";
                        return self.refuse(id, &format!("`{}`: {why}", request.name()));
                    }
                };
                self.refuse(id, &format!("`{}`: expected `{expected}`", request.name()));
            }
        }
    }

    /// Asks a client the question that the server waits for, if there is one.
    fn ask(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.get(&id) else { return };
        let question = match connection.stage {
            Stage::Match => Some(self.match_options()),
            Stage::Nickname(_) => Some(wire::eriantys::notice::RequestNickname {}.into()),
            Stage::Saved(saved) => self.players_options(saved),
            Stage::Tower(lobby) => self.tower_options(lobby),
            Stage::Wizard(lobby) => self.wizard_options(lobby),
            Stage::Waiting(_) => None,
            Stage::Playing(game, place) => self.question(game, place),
        };
        if let Some(question) = question {
            self.tell(id, &question);
        }
    }

    /// A connection has ended by itself.
    fn ended(&mut self, id: ConnectionId) {
        if let Some(connection) = self.forget(id) {
            self.lose(id, connection.stage);
        }
    }

    /// A connection is no more.
    fn forget(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.connections.remove(&id)?;
        self.arrivals.remove(&(connection.login_until, id));
        Some(connection)
    }

    /// The player that a connection was has none any more.
    fn lose(&mut self, id: ConnectionId, stage: Stage) {
        match stage {
            Stage::Match | Stage::Saved(_) => {}
            Stage::Nickname(lobby) | Stage::Tower(lobby) | Stage::Wizard(lobby) | Stage::Waiting(lobby) => {
                self.leave_lobby(id, lobby);
            }
            Stage::Playing(game, place) => self.lose_player(game, place),
        }
    }

    /// Tells everybody that the server ends.
    fn stop(&mut self) {
        let connections: Vec<ConnectionId> = self.connections.keys().copied().collect();
        for id in connections {
            self.tell(id, &ConnectionClosed { reason: "the server ends".to_owned() }.into());
            self.forget(id);
            self.outputs.push_back(Output::Close(id));
        }
        self.outputs.push_back(Output::Done);
    }

    /// Sends a message.
    fn tell(&mut self, id: ConnectionId, notice: &Notice) {
        if self.connections.contains_key(&id) {
            let mut bytes = Vec::new();
            notice.write(&mut bytes);
            self.outputs.push_back(Output::Send(id, bytes));
        }
    }

    /// Sends a text for people.
    fn say(&mut self, id: ConnectionId, text: &str) {
        self.tell(id, &wire::eriantys::notice::GenericMessage { text: text.to_owned() }.into());
    }

    /// Refuses a message, and asks again.
    fn refuse(&mut self, id: ConnectionId, error: &str) {
        self.tell(id, &ErrorMessage { error: error.to_owned() }.into());
        self.ask(id);
    }

    /// Closes a connection for this reason.
    fn expel(&mut self, id: ConnectionId, reason: &str) {
        self.tell(id, &ConnectionClosed { reason: reason.to_owned() }.into());
        if let Some(connection) = self.forget(id) {
            self.outputs.push_back(Output::Close(id));
            self.lose(id, connection.stage);
        }
    }

    fn set_stage(&mut self, id: ConnectionId, stage: Stage) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.stage = stage;
        if !stage.is_login() {
            self.arrivals.remove(&(connection.login_until, id));
        }
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
        self.end_waiting();
        match input {
            Input::Connected(connection, origin) => self.connected(connection, origin),
            Input::Received(connection, bytes) => self.received(connection, bytes),
            Input::Ended(connection) => self.ended(connection),
            Input::Tick => {}
            Input::Stop => self.stop(),
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// `None` while nobody is there and no match waits.
    fn wake_at(&self) -> Option<SimTime> {
        let is_pinged = self.connections.values().any(Connection::is_pinged);
        let ping = is_pinged.then_some(self.next_ping);
        let arrival = self.arrivals.first().map(|(until, _)| *until);
        let waiting = self.waiting.first().map(|(until, _)| *until);
        [ping, arrival, waiting, self.bots_due()].into_iter().flatten().min()
    }

    fn has_logged_in(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| !connection.stage.is_login())
    }

    fn totals(&self) -> Totals {
        Totals {
            connections: self.connections.len(),
            lobbies: self.lobbies.len(),
            matches: self.matches.len(),
            paused: self.waiting.len(),
            actions: self.actions,
            wanted_bot: self.wanted_bot(),
        }
    }

    fn snapshot(&self) -> Vec<Record> {
        self.records()
    }
}

impl Connection {
    /// Returns whether pings are sent to it: to players who have logged in.
    const fn is_pinged(&self) -> bool {
        !self.stage.is_login()
    }
}

impl Stage {
    /// Returns whether the client has not logged in yet.
    const fn is_login(self) -> bool {
        !matches!(self, Self::Waiting(_) | Self::Playing(..))
    }
}

impl fmt::Debug for Master {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Master").field("totals", &self.totals()).finish_non_exhaustive()
    }
}
