//! The client's side of the protocol, sans-IO: login, queue, games, and the return after a lost connection.
//!
//! [`Session::handle`] takes one [`Input`] with its time. Then the caller takes outputs from [`Session::poll_output`]
//! until there are none. At [`Output::Connect`], the caller connects and passes back the result. At [`Output::Decide`],
//! it asks the policy, which gets the observation of [`Session::observe`].
//!
//! The session keeps the board by the rules, from the lines of the server. If the server's messages break the rules,
//! the session ends: no game is played on a board that may be wrong.

use std::collections::VecDeque;
use std::fmt;

use game_dots::{Config as Grid, Edge, Event, Observation, Position, State};
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Disruption, Environment as _, Millis, SimTime, Turn};
use wire::dots::line::{self, Decoder, Framing};
use wire::dots::{Answer, Contact, LoginToken, Name, Notice, Request, Resumption, Side, Token};

use crate::session::{self, ANSWER_SECONDS, Attempt, Attempts, ClientSession, InvalidMessages, Trying};

/// Time for which a client waits for `resume_game` after it has logged in, before it asks for a new game.
const RESUMPTION: Millis = Millis::new(500);

/// Time after which a client asks again for a game, if the server does not let it wait for one.
const REFUSAL: Millis = Millis::new(10_000);

/// Number of refused moves in a row that ends a session.
const MOST_REFUSED: u32 = 3;

/// The settings of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The name of the player.
    pub name: Name,
    /// The token that the server has given to this name, if any. Without one, the session asks for one.
    pub token: Option<Token>,
    /// The grid, unless the server names another one.
    pub grid: Grid,
    /// The number of games to play; `None` for no limit.
    pub games: Option<u32>,
    /// The time limit for the return to a lost server. The server keeps a player for about a minute.
    pub patience: Millis,
}

impl Settings {
    /// Settings for one game under this name, on the usual grid, with a minute to return.
    pub fn new(name: Name) -> Self {
        let patience = Millis::new(60_000);
        Self { name, token: None, grid: Grid::default(), games: Some(1), patience }
    }
}

/// An input of a session.
pub type Input<'a> = session::Input<'a, Edge>;

/// An output of a session.
pub type Output = session::Output<Event, News, End>;

/// A report of a session to the user of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// The server has accepted the login.
    LoggedIn,
    /// The token with which another client can continue.
    Token(Token),
    /// The player waits for an opponent.
    Waiting,
    /// The server does not let the player wait; the session asks again from time to time.
    NotQueued,
    /// A game has begun.
    Began {
        /// The number of the game of this session, from 0.
        game: u32,
        /// The own side.
        side: Side,
        /// The other player.
        opponent: Name,
    },
    /// A game continues.
    Resumed {
        /// The own side.
        side: Side,
        /// The other player.
        opponent: Name,
    },
    /// A game is over.
    Over {
        /// The number of the player's own boxes.
        own: u16,
        /// The number of the opponent's boxes.
        others: u16,
    },
    /// The opponent has left the game.
    OpponentLeft,
    /// The opponent's connection has changed to this state.
    Opponent(Contact),
    /// A move was refused.
    Refused,
    /// The connection was lost; the session tries to connect again.
    Lost,
    /// The server has let the player in again, but not into its game, which has no result for this player.
    Missed,
    /// The server cannot be reached; the session continues to try.
    Trying(Trying),
    /// The server has sent an invalid message; it is ignored.
    Senseless(String),
}

/// The end of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All games have been played.
    Played,
    /// The policy gave up.
    GaveUp,
    /// The user has left.
    Left,
    /// The last game ended while the connection was lost, or the server has lost it.
    Missed,
    /// The server has rejected the client: the name belongs to another player, or the server is full.
    TurnedAway,
    /// The server has closed the connection with this message.
    Expelled(Notice),
    /// The server could not be reached for too long; the reason, if it is known.
    Unreachable(String),
    /// The server has accepted the connection, and has sent no valid message for [`ANSWER_SECONDS`].
    NoAnswer,
    /// The server's messages break the rules.
    Unplayable(String),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played => f.write_str("all games are played"),
            Self::GaveUp => f.write_str("the strategy gave up"),
            Self::Left => f.write_str("the player has left"),
            Self::Missed => f.write_str("the last game ended while the connection was lost"),
            Self::TurnedAway => {
                f.write_str("the server does not let the player in: the name is taken, or the server is full")
            }
            Self::Expelled(notice) => write!(f, "the server ended the connection: {notice}"),
            Self::Unreachable(why) => write!(f, "the server cannot be reached: {why}"),
            Self::NoAnswer => write!(f, "the server has not answered for {ANSWER_SECONDS} s"),
            Self::Unplayable(why) => write!(f, "the server's messages break the rules: {why}"),
        }
    }
}

/// The client's side of one connection after another.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    decoder: Decoder,
    phase: Phase,
    grid: Grid,
    game: Option<Game>,
    /// Games that have begun.
    games: u32,
    refused: u32,
    invalid: InvalidMessages,
    /// Whether `queue` was sent and is not answered yet.
    queues: bool,
    /// Whether the last `queue` was refused.
    is_refused: bool,
    attempts: Attempts,
    outputs: VecDeque<Output>,
}

/// State of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// It waits for a connection.
    Connecting,
    /// It waits for the answer to `login`.
    LoggingIn,
    /// The server may let it go on with a game, until this moment.
    Returning(SimTime),
    /// It waits for a game or plays.
    Inside,
    /// The server does not let it wait for a game; it asks again at this moment.
    Refused(SimTime),
    /// It leaves a game that is over, and then asks for the next one.
    Between,
    Leaving(End),
    Done,
}

/// A game.
#[derive(Debug)]
struct Game {
    side: Side,
    opponent: Name,
    grid: Grid,
    /// No message before the first `play` names the player who begins.
    state: Option<State>,
    contact: Contact,
}

impl Session {
    /// Creates a session that wants to connect.
    pub fn new(settings: Settings, now: SimTime) -> Self {
        let attempts = Attempts::new(settings.patience, now);
        let grid = settings.grid;
        let outputs = VecDeque::from([Output::Connect]);
        let decoder = Decoder::new(line::NOTICE_LIMIT);
        Self {
            settings,
            decoder,
            phase: Phase::Connecting,
            grid,
            game: None,
            games: 0,
            refused: 0,
            invalid: InvalidMessages::default(),
            queues: false,
            is_refused: false,
            attempts,
            outputs,
        }
    }

    /// Returns the state of the present game.
    pub fn state(&self) -> Option<&State> {
        self.game.as_ref()?.state.as_ref()
    }

    fn connected(&mut self, now: SimTime) {
        self.phase = Phase::LoggingIn;
        self.attempts.connected(now);
        self.decoder = Decoder::new(line::NOTICE_LIMIT);
        self.grid = self.settings.grid;
        self.queues = false;
        let Settings { name, token, .. } = &self.settings;
        let token = token.map_or(LoginToken::Wanted, LoginToken::Given);
        let login = Request::Login { name: name.clone(), token };
        self.send(&login);
    }

    fn unreachable(&mut self, now: SimTime, reason: String) {
        if self.phase == Phase::Connecting {
            self.try_later(now, reason);
        }
    }

    /// Tries to connect again after a pause, which grows until the server lets the player in.
    fn try_later(&mut self, now: SimTime, why: String) {
        self.phase = Phase::Connecting;
        if let Some(trying) = self.attempts.failed(now, why) {
            self.report(News::Trying(trying));
        }
    }

    fn closed(&mut self, now: SimTime) {
        match self.phase.clone() {
            Phase::Done => {}
            Phase::Leaving(end) => self.end(end),
            Phase::Connecting
            | Phase::LoggingIn
            | Phase::Returning(_)
            | Phase::Inside
            | Phase::Refused(_)
            | Phase::Between => {
                self.report(News::Lost);
                self.try_later(now, "the connection ended".to_owned());
            }
        }
    }

    fn tick(&mut self, now: SimTime) {
        match self.phase {
            Phase::Connecting | Phase::LoggingIn => match self.attempts.due(now) {
                Some(Attempt::Connect) => self.outputs.push_back(Output::Connect),
                Some(Attempt::GiveUp(why)) => self.end(End::Unreachable(why)),
                Some(Attempt::NoAnswer) => self.end(End::NoAnswer),
                None => {}
            },
            Phase::Returning(until) | Phase::Refused(until) if until <= now => self.next_game(),
            _ => {}
        }
    }

    fn received(&mut self, now: SimTime, mut bytes: &[u8]) {
        loop {
            if self.phase == Phase::Done {
                return;
            }
            let notice = match self.decoder.next(&mut bytes) {
                None => return,
                Some(Ok(text)) => text.parse::<Notice>().map_err(|error| error.to_string()),
                Some(Err(error)) => Err(error.to_string()),
            };
            match notice {
                Ok(notice) => {
                    self.invalid.reset();
                    self.attempts.answered();
                    self.notice(now, notice);
                }
                Err(why) => {
                    let why = fit_for_a_log(&why).to_string();
                    self.report(News::Senseless(why.clone()));
                    if self.invalid.are_too_many() {
                        self.unplayable(why);
                    }
                }
            }
        }
    }

    fn notice(&mut self, now: SimTime, notice: Notice) {
        match notice {
            Notice::Ping => self.send(&Request::Pong),
            Notice::Logged(Answer::Ok) => {
                self.report(News::LoggedIn);
                self.attempts.succeeded();
                self.phase = Phase::Returning(now + RESUMPTION);
            }
            Notice::Logged(Answer::Error) => self.end(End::TurnedAway),
            Notice::Token(token) => {
                self.settings.token = Some(token);
                self.report(News::Token(token));
                // Only a new player gets a token: there is no game to go on with.
                self.next_game();
            }
            Notice::Queued(Answer::Ok) => {
                (self.queues, self.is_refused) = (false, false);
                self.report(News::Waiting);
            }
            Notice::Grid { rows, columns } => match Grid::new(rows, columns) {
                Ok(grid) => self.grid = grid,
                Err(error) => self.unplayable(error.to_string()),
            },
            // The game began before the server read `leave_queue`.
            Notice::StartGame { .. } if matches!(self.phase, Phase::Leaving(_)) => {
                self.send(&Request::LeaveGame);
            }
            Notice::StartGame { side, opponent } => {
                self.phase = Phase::Inside;
                let began = News::Began { game: self.games, side, opponent: opponent.clone() };
                self.games += 1;
                self.refused = 0;
                self.report(began);
                let grid = self.take_grid();
                self.game = Some(Game { side, opponent, grid, state: None, contact: Contact::Fine });
            }
            Notice::Play(mover) => self.turn(mover),
            Notice::DrawCoords(one, other) => self.drawn(one, other),
            Notice::DrawSquares { side, squares } => self.check_squares(side, &squares),
            Notice::Winner { .. } => self.over(),
            Notice::OpponentLeftGame => {
                self.report(News::OpponentLeft);
                self.opponent_left();
                if self.is_enough() {
                    self.send(&Request::LeaveQueue);
                    self.phase = Phase::Leaving(End::Played);
                }
            }
            Notice::ResumeGame(resumption) => self.resume(resumption),
            Notice::OpponentConnection(contact) => {
                if let Some(game) = &mut self.game
                    && std::mem::replace(&mut game.contact, contact) != contact
                {
                    self.report(News::Opponent(contact));
                }
            }
            Notice::InvalidCoords => {
                self.report(News::Refused);
                self.refused += 1;
                if self.refused >= MOST_REFUSED {
                    return self.unplayable("moves that the rules allow are refused".to_owned());
                }
                self.ask();
            }
            Notice::YouLeftGame(_) | Notice::LeftQueue(_) => match self.phase.clone() {
                Phase::Leaving(end) => self.end(end),
                Phase::Between => self.next_game(),
                _ => {}
            },
            Notice::DisconnectedInactivity | Notice::DisconnectedSuspiciousActivity => {
                self.end(End::Expelled(notice));
            }
            // The connection ends, and the client comes back.
            Notice::ServerShutdown => {}
            Notice::Queued(Answer::Error) => {
                self.queues = false;
                // With a game, it was asked for before the client heard that this one goes on.
                if self.phase == Phase::Inside && self.game.is_none() {
                    self.phase = Phase::Refused(now + REFUSAL);
                    if !std::mem::replace(&mut self.is_refused, true) {
                        self.report(News::NotQueued);
                    }
                }
            }
            Notice::UnknownCommand => {}
        }
    }

    /// Asks for a game, or leaves if there are enough. A game that the client still has is one that the server has not
    /// resumed.
    fn next_game(&mut self) {
        let has_missed = self.game.take().is_some();
        if self.is_enough() {
            return self.end(if has_missed { End::Missed } else { End::Played });
        }
        if has_missed {
            self.report(News::Missed);
        }
        self.phase = Phase::Inside;
        self.queues = true;
        self.send(&Request::Queue);
    }

    /// Returns the grid of the game that begins or goes on: the server has sent it just before, or it is the usual one.
    fn take_grid(&mut self) -> Grid {
        std::mem::replace(&mut self.grid, self.settings.grid)
    }

    fn is_enough(&self) -> bool {
        self.settings.games.is_some_and(|games| self.games >= games)
    }

    fn turn(&mut self, mover: Side) {
        let Some(game) = &mut self.game else { return };
        let grid = game.grid;
        let state = game.state.get_or_insert_with(|| {
            let empty =
                Position { mover: mover.player(), edges: Vec::new(), boxes: [Vec::new(), Vec::new()] };
            State::from_position(&grid, &empty).expect("nothing is drawn")
        });
        if state.mover() != mover.player() {
            return self.unplayable(format!("it is the turn of player {mover}"));
        }
        self.ask();
    }

    /// Asks the policy, if it has the turn.
    fn ask(&mut self) {
        let Some(Game { side, state: Some(state), .. }) = &self.game else { return };
        if matches!(state.turn(), Turn::Act { agent, .. } if agent == side.player()) {
            self.outputs.push_back(Output::Decide);
        }
    }

    fn chosen(&mut self, choice: Option<Edge>) {
        if self.phase != Phase::Inside || self.game.is_none() {
            return;
        }
        match choice {
            Some(edge) => {
                let (one, other) = edge.dots();
                self.send(&Request::LineCoords(one.into(), other.into()));
            }
            None => {
                self.send(&Request::LeaveGame);
                self.phase = Phase::Leaving(End::GaveUp);
            }
        }
    }

    /// The opponent need not wait until the server misses this player.
    fn leave(&mut self) {
        if self.phase == Phase::Inside && self.game.is_some() {
            self.send(&Request::LeaveGame);
        }
        self.end(End::Left);
    }

    fn drawn(&mut self, one: u16, other: u16) {
        let Some(Game { state: Some(state), .. }) = &mut self.game else { return };
        let mover = state.mover();
        let mut events: Vec<(SimTime, Event)> = Vec::new();
        let edge = Edge::between(one, other).filter(|edge| state.grid().has(*edge) && !state.is_drawn(*edge));
        let Some(edge) = edge else {
            return self.unplayable(format!("the line {one}-{other} is drawn"));
        };
        state.step(SimTime::START, mover, edge, &mut events);
        self.refused = 0;
        self.outputs.extend(events.into_iter().map(|(_, event)| Output::Hear(event)));
    }

    fn check_squares(&mut self, side: Side, squares: &[u16]) {
        let Some(Game { state: Some(state), .. }) = &self.game else { return };
        if let Some(square) = squares.iter().find(|square| state.owner(**square) != Some(side.player())) {
            self.unplayable(format!("player {side} owns the box {square}"));
        }
    }

    fn over(&mut self) {
        let Some(Game { side, state: Some(state), .. }) = &self.game else { return };
        let points = state.points();
        let over = News::Over { own: points[side.index()], others: points[side.other().index()] };
        let Turn::Over(outcome) = state.turn() else {
            return self.unplayable("the game is over".to_owned());
        };
        self.report(over);
        self.outputs.push_back(Output::Over(outcome));
        self.game = None;
        // The client asked for a game before it heard that this one went on. The server reads that only now, and
        // `leave_game` would end the next game.
        if self.queues && !self.is_enough() {
            return;
        }
        // The original refuses `queue` from a player that has not left its game.
        self.send(&Request::LeaveGame);
        self.phase = if self.is_enough() { Phase::Leaving(End::Played) } else { Phase::Between };
    }

    /// The game ends without its opponent.
    fn opponent_left(&mut self) {
        let Some(Game { side, state: Some(mut state), .. }) = self.game.take() else { return };
        let mut events: Vec<(SimTime, Event)> = Vec::new();
        state.disrupt(SimTime::START, Disruption::AgentLost(side.other().player()), &mut events);
        self.outputs.extend(events.into_iter().map(|(_, event)| Output::Hear(event)));
        if let Turn::Over(outcome) = state.turn() {
            self.outputs.push_back(Output::Over(outcome));
        }
    }

    fn resume(&mut self, resumption: Resumption) {
        let Resumption { side, opponent, mover, own, others, lines } = resumption;
        let boxes = if side == Side::First { [own, others] } else { [others, own] };
        let edges: Option<Vec<Edge>> = lines.iter().map(|(one, other)| Edge::between(*one, *other)).collect();
        let Some(edges) = edges else { return self.unplayable("a line from a dot to itself".to_owned()) };
        let grid = self.take_grid();
        match State::from_position(&grid, &Position { mover: mover.player(), edges, boxes }) {
            Ok(state) => {
                // A game of a former session counts as one of this.
                self.games = self.games.max(1);
                self.phase = Phase::Inside;
                self.report(News::Resumed { side, opponent: opponent.clone() });
                self.game = Some(Game { side, opponent, grid, state: Some(state), contact: Contact::Fine });
                self.ask();
            }
            Err(error) => self.unplayable(error.to_string()),
        }
    }

    fn unplayable(&mut self, why: String) {
        self.end(End::Unplayable(why));
    }

    fn end(&mut self, end: End) {
        if self.phase != Phase::Done {
            self.phase = Phase::Done;
            self.outputs.push_back(Output::Done(end));
        }
    }

    fn report(&mut self, news: News) {
        self.outputs.push_back(Output::Report(news));
    }

    fn send(&mut self, request: &Request) {
        let mut bytes = Vec::new();
        line::write(request, Framing::Lines, &mut bytes);
        self.outputs.push_back(Output::Send(bytes));
    }

    /// Returns the opponent of the present game.
    pub fn opponent(&self) -> Option<&Name> {
        self.game.as_ref().map(|game| &game.opponent)
    }
}

impl ClientSession for Session {
    type Game = State;
    type News = News;
    type End = End;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        match input {
            Input::Connected => self.connected(now),
            Input::Unreachable(why) => self.unreachable(now, why),
            Input::Received(bytes) => self.received(now, bytes),
            Input::Choice(choice) => self.chosen(choice),
            Input::Closed => self.closed(now),
            Input::Leave => self.leave(),
            Input::Tick => {}
        }
        self.tick(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn wake_at(&self) -> Option<SimTime> {
        match &self.phase {
            Phase::Connecting | Phase::LoggingIn => self.attempts.next(),
            Phase::Returning(until) | Phase::Refused(until) => Some(*until),
            Phase::Inside | Phase::Between | Phase::Leaving(_) | Phase::Done => None,
        }
    }

    fn observe(&self, out: &mut Observation) -> bool {
        let Some(Game { side, state: Some(state), .. }) = &self.game else { return false };
        state.observe(side.player(), out);
        true
    }

    fn player(&self) -> Option<AgentId> {
        self.game.as_ref().map(|game| game.side.player())
    }

    fn config(&self) -> Option<Grid> {
        self.game.as_ref().map(|game| game.grid)
    }

    fn began(news: &News) -> Option<(u32, AgentId)> {
        let News::Began { game, side, .. } = news else { return None };
        Some((*game, side.player()))
    }
}

/// On one line, for people.
impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoggedIn => f.write_str("logged in"),
            Self::Token(_) => f.write_str("the server has given a token"),
            Self::Waiting => f.write_str("waiting for an opponent"),
            Self::NotQueued => {
                f.write_str("the server begins no game now, e.g. because of its limit on games; trying again")
            }
            Self::Began { game, side, opponent } => {
                write!(f, "game {} begins: player {side} against {opponent}", game + 1)
            }
            Self::Resumed { side, opponent } => {
                write!(f, "the game goes on: player {side} against {opponent}")
            }
            Self::Over { own, others } => {
                let word = match own.cmp(others) {
                    std::cmp::Ordering::Greater => "won",
                    std::cmp::Ordering::Less => "lost",
                    std::cmp::Ordering::Equal => "tied",
                };
                write!(f, "{word} {own}:{others}")
            }
            Self::OpponentLeft => f.write_str("the opponent has left the game"),
            Self::Opponent(Contact::Fine) => f.write_str("the opponent is there"),
            Self::Opponent(Contact::Slow) => f.write_str("the opponent has had the turn for long"),
            Self::Opponent(Contact::Lost) => f.write_str("the opponent does not answer"),
            Self::Refused => f.write_str("the server refused a move"),
            Self::Lost => f.write_str("the connection is lost; trying to get back"),
            Self::Missed => f.write_str("the game ended while the connection was lost"),
            Self::Trying(trying) => trying.fmt(f),
            Self::Senseless(why) => write!(f, "ignored an invalid message: {why}"),
        }
    }
}
