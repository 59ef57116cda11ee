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
//!   is held, its nickname is taken; with its token it can come with another connection, whatever match that one asks
//!   for: its own may have no free place.
//! - The number of a match is sent before the match begins, and never given again, also after a restart: a client
//!   that comes back with it must not meet another match.
//! - When a player leaves a match that has not begun, players who asked for any match of this kind and wait in another
//!   one take the free place, or those who are left take places of another one: otherwise two matches could wait for
//!   each other's players.
//! - Nicknames that differ only in case are the same.
//! - The token of a player is sent when its login is complete, and later only to a client that has it.
//! - A match waits `wait` for a player if others are there, and `keep` if nobody is, also after a restart. A match in
//!   which not every player has acted waits only `wait`, and its result is not kept for those who are away: otherwise
//!   one client could fill the server with matches that nobody plays. If the server, or the address of the client that
//!   opened a match, has too many matches without a connection, the one that has waited longest ends.
//! - Before its login is over, a client whose line is no message is closed: it may be the page of a browser that was
//!   made to send lines which are messages later.
//! - A player who keeps the server's own players waiting while another match wants one, and all of them play, loses its
//!   match after a while: otherwise a few clients that never choose would have them for good.
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

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use game_env::SimTime;
use game_eriantys::Action;
use wire::eriantys::convert::request_of;
use wire::eriantys::notice::{ConnectionClosed, ErrorMessage};
use wire::eriantys::{DecodeError, Decoder, Message as _, Notice, REQUEST_LIMIT, Request};

use self::lobby::Lobby;
use self::matches::Match;
use self::results::Results;
use super::record::{MatchId, Record};
use crate::server::{self, Budgets, Gate, Heard, Idle, Master as _, Origin, Pings, Protocol, Pulse};

pub use self::input::{Bots, Ended, Settings, Totals};
pub use self::lobby::OpenMatch;
pub use crate::server::{ConnectionId, DrawToken};

/// A request of a local client. [`Ask::Play`](server::Ask::Play) has all that a character needs: nothing is asked for
/// later.
pub type Ask = server::Ask<Request, Action>;

/// An input of the master.
pub type Input<'a> = server::Input<'a, Ask>;

/// A request of the master to its shell.
pub type Output = server::Output<Record, Ended, Notice>;

/// A record that does not follow from those before it.
pub type RestoreError = server::RestoreError<Record>;

/// The state of the server.
pub struct Master {
    settings: Settings,
    draw_token: DrawToken,
    /// The connections. Accepted choices cost nothing of the allowance.
    gate: Gate<Messages>,
    pings: Pings,
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
    /// The matches among them that miss nobody but the server's own players.
    short_of_bots: BTreeSet<MatchId>,
    /// The moment from which the server looks again for a player who keeps its own players waiting.
    next_look_at_bots: SimTime,
    /// The matches that each origin may open.
    budgets: Budgets,
    next_match: MatchId,
    /// The numbers below this one are never given again, also after a restart.
    reserved: MatchId,
    actions: u64,
}

/// The messages of the protocol.
enum Messages {}

impl Protocol for Messages {
    type Stream = Decoder<Request>;
    type Request = Request;
    type Misread = DecodeError;
    type Notice = Notice;
    type State = Connection;
    type Output = Output;

    fn read(stream: &mut Decoder<Request>, bytes: &mut &[u8]) -> Option<Result<Request, DecodeError>> {
        stream.next(bytes)
    }

    fn write(_: &Decoder<Request>, notice: &Notice, out: &mut Vec<u8>) {
        notice.write(out);
    }
}

/// A connection.
#[derive(Clone, Copy)]
struct Connection {
    origin: Origin,
    stage: Stage,
    /// Its answers to pings.
    pulse: Pulse,
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
    /// Creates a server without connections and matches.
    pub fn new(settings: Settings, draw_token: DrawToken) -> Self {
        Self {
            idle: Idle::default(),
            short_of_bots: BTreeSet::new(),
            next_look_at_bots: SimTime::START,
            budgets: Budgets::new(settings.matches_per_hour),
            gate: Gate::new(settings.login, Some(settings.messages_per_second)),
            pings: Pings::new(settings.ping, settings.missed),
            settings,
            draw_token,
            lobbies: BTreeMap::new(),
            matches: BTreeMap::new(),
            results: Results::default(),
            waiting: BTreeSet::new(),
            next_match: 1,
            reserved: 1,
            actions: 0,
        }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the matches that have begun and are not over: number and state.
    pub fn matches(&self) -> impl Iterator<Item = (MatchId, &game_eriantys::State)> {
        self.matches.iter().map(|(id, game)| (*id, game.state()))
    }

    /// Greets a client that has connected.
    fn greet(&mut self, id: ConnectionId) {
        self.say(id, "Connection accepted");
        self.ask(id);
    }

    fn received(&mut self, id: ConnectionId, mut bytes: &[u8]) {
        while let Some(heard) = self.gate.read(id, &mut bytes) {
            match heard {
                Heard::Request(request) => self.request(id, request),
                // No line of an HTTP request names a message, and its first line comes before all of its body.
                Heard::Misread(error)
                    if !self.gate.has_logged_in(id) && !matches!(error, DecodeError::Field { .. }) =>
                {
                    return self.expel(id, &error.to_string());
                }
                Heard::Misread(error) => self.refuse(id, &error.to_string()),
                Heard::TooMany => return self.expel_for_flood(id),
            }
        }
    }

    /// A local client asks for something.
    fn asked(&mut self, id: ConnectionId, ask: Ask) {
        if !self.gate.spend(id) {
            return self.expel_for_flood(id);
        }
        match (ask, self.stage(id)) {
            (Ask::Request(request), _) => self.request(id, request),
            (Ask::Play(action), Some(Stage::Playing(game, place))) => {
                self.play_whole(id, game, place, action);
            }
            (Ask::Play(action), _) => self.request(id, request_of(action)),
        }
    }

    /// Returns the question that a connection has to answer, or its player.
    fn stage(&self, id: ConnectionId) -> Option<Stage> {
        self.gate.state(id).map(|connection| connection.stage)
    }

    fn request(&mut self, id: ConnectionId, request: Request) {
        let Some(connection) = self.gate.state_mut(id) else { return };
        match (connection.stage, request) {
            (_, Request::Pong(_)) => connection.pulse.answer(),
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
        let Some(stage) = self.stage(id) else { return };
        let question = match stage {
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

    /// Handles the end of a connection that the server has not closed.
    fn ended(&mut self, id: ConnectionId) {
        if let Some(connection) = self.gate.remove(id) {
            self.lose(id, connection.stage);
        }
    }

    /// Removes the player of an ended connection from its lobby, or keeps its seat without a connection.
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
        for id in self.gate.ids() {
            self.part(id, "the server ends");
        }
        self.gate.push(Output::Done);
    }

    /// Sends a message.
    fn tell(&mut self, id: ConnectionId, notice: &Notice) {
        self.gate.tell(id, notice);
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

    /// Closes a connection for this reason. Its player has none any more.
    fn expel(&mut self, id: ConnectionId, reason: &str) {
        if let Some(connection) = self.part(id, reason) {
            self.lose(id, connection.stage);
        }
    }

    fn expel_for_flood(&mut self, id: ConnectionId) {
        let most = self.settings.messages_per_second;
        self.expel(id, &format!("there were more than {most} messages in a second"));
    }

    /// Closes a connection for this reason, without a change to its player.
    fn part(&mut self, id: ConnectionId, reason: &str) -> Option<Connection> {
        self.tell(id, &ConnectionClosed { reason: reason.to_owned() }.into());
        self.gate.close(id)
    }

    fn set_stage(&mut self, id: ConnectionId, stage: Stage) {
        let Some(connection) = self.gate.state_mut(id) else { return };
        connection.stage = stage;
        if !stage.is_login() {
            self.gate.log_in(id);
        }
    }

    /// Writes down a change.
    fn record(&mut self, record: Record) {
        self.gate.push(Output::Record(record));
    }
}

impl server::Master for Master {
    type Record = Record;
    type Game = game_eriantys::State;
    type Totals = Totals;
    type Ask = Ask;
    type Notice = Notice;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        self.gate.advance(now);
        self.turn_away();
        self.ping();
        self.end_waiting();
        self.free_bots();
        match input {
            Input::Connected(id, origin) => {
                self.gate.connect(id, Decoder::new(REQUEST_LIMIT), Connection::new(origin));
                self.greet(id);
            }
            Input::Received(connection, bytes) => self.received(connection, bytes),
            Input::Joined(id, origin) => {
                self.gate.connect_local(id, Connection::new(origin));
                self.greet(id);
            }
            Input::Asked(connection, ask) => self.asked(connection, ask),
            Input::Ended(connection) => self.ended(connection),
            Input::Tick => {}
            Input::Stop => self.stop(),
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.gate.poll_output()
    }

    /// `None` while nobody is there and no match waits.
    fn wake_at(&self) -> Option<SimTime> {
        let is_pinged = self.gate.states().any(|(id, _)| self.is_pinged(id));
        let ping = is_pinged.then(|| self.pings.next());
        let waiting = self.waiting.first().map(|(until, _)| *until);
        [ping, self.gate.wake_at(), waiting, self.bots_due(), self.bots_freed()].into_iter().flatten().min()
    }

    fn has_logged_in(&self, id: ConnectionId) -> bool {
        self.gate.has_logged_in(id)
    }

    fn totals(&self) -> Totals {
        Totals {
            connections: self.gate.count(),
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
    const fn new(origin: Origin) -> Self {
        Self { origin, stage: Stage::Match, pulse: Pulse::new() }
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
