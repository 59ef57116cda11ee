//! The client's side of the protocol, sans-IO: login, matches, and the return after a lost connection.
//!
//! [`Session::handle`] takes an [`Input`] and its moment. Then the shell calls [`Session::poll_output`] until it
//! returns `None`. At [`Output::Connect`], the shell connects, and reports [`Input::Connected`] or
//! [`Input::Unreachable`]. At [`Output::Decide`], it asks the policy for an action; [`Session::observe`] returns the
//! observation.
//!
//! The observation is the last table of the server. A session has no events: the policy receives observations, and
//! nothing between its turns.

use std::collections::VecDeque;
use std::fmt;

use game_env::text::fit_for_a_log;
use game_env::{AgentId, Millis, Outcome, Ranking, Returns, SimTime, Termination};
use game_eriantys::{Action, Config, Event, Observation, Play, State, Table};
use wire::eriantys::convert::{parameters, read_table, request_of};
use wire::eriantys::notice::{EndMatchMessage, LoginMatchOptions};
use wire::eriantys::request::{
    DeclineCharacterCard, LoginAnyMatch, LoginJoinMatch, LoginNickname, LoginResumeMatch, LoginTowerColor,
    LoginWizardFamily, Pong,
};
use wire::eriantys::words::{EndReason, RuleSet};
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Nickname, Notice, Request, TableUpdate, Token};

use crate::session::{self, ANSWER_SECONDS, Attempt, Attempts, ClientSession, InvalidMessages, Trying};

/// The pause before a client without a token asks again for its old place while the server still has the old
/// connection.
const HELD: Millis = Millis::new(1_000);

/// The number of refused choices in a row after which a session ends.
const MOST_REFUSED: u32 = 3;

/// The settings of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The nickname to play under.
    pub nickname: Nickname,
    /// Players and rules of the matches to play.
    pub config: Config,
    /// The match to play in; `None` for any match with these rules. An open match is joined, a saved one is continued.
    pub number: Option<u64>,
    /// The token of the player in that match, or another token by which the server knows the player.
    pub token: Option<Token>,
    /// The number of matches to play; `None` for no end.
    pub games: Option<u32>,
    /// Time for which the session tries to reach a lost server.
    pub patience: Millis,
}

impl Settings {
    /// Plays one match under this nickname; a lost server is tried for a minute.
    pub fn new(nickname: Nickname, config: Config) -> Self {
        let patience = Millis::new(60_000);
        Self { nickname, config, number: None, token: None, games: Some(1), patience }
    }
}

/// An input of a session.
pub type Input<'a> = session::Input<'a, Action>;

/// An output of a session.
pub type Output = session::Output<Event, News, End>;

/// A report of a session for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// The player has joined this match and waits for others. It is reported again when their number changes.
    Waiting {
        /// The number of the match.
        number: u64,
        /// Number of players that have joined, this one included.
        present: usize,
        /// Number of players that it needs.
        players: u8,
    },
    /// A match has begun.
    Began {
        /// The number of the match in this session, from 0.
        game: u32,
        /// The own player.
        player: AgentId,
    },
    /// A match is over.
    Over {
        /// Whether the own player is among the winners.
        has_won: bool,
        /// Whether a player of another team is also a winner.
        is_tie: bool,
        /// The reason of the end.
        reason: EndReason,
        /// The result in the server's words.
        text: String,
    },
    /// The match waits for these players.
    Paused(Vec<Nickname>),
    /// A choice was refused for this reason.
    Refused(String),
    /// The connection was lost; the session tries to connect again.
    Lost,
    /// The server cannot be reached; the session continues to try.
    Trying(Trying),
    /// A line of the server was no message and is ignored, for this reason.
    Senseless(String),
}

/// The end of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All matches are played.
    Played,
    /// The policy gave up.
    GaveUp,
    /// The user has left.
    Left,
    /// The server did not let the client in, for this reason.
    TurnedAway(String),
    /// The match went on, or ended, while the connection was lost, and the client cannot go on with it.
    Missed,
    /// The server could not be reached for too long; the reason, if it is known.
    Unreachable(String),
    /// The server has accepted the connection, and has sent no valid message for [`ANSWER_SECONDS`].
    NoAnswer,
    /// A message of the server does not fit the rules, for this reason.
    Unplayable(String),
}

/// The client's side of its matches.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    decoder: Decoder<Notice>,
    phase: Phase,
    /// The match and the token of the player, once the server has let it in. A client that came back with its nickname
    /// alone has no token.
    place: Option<(u64, Option<Token>)>,
    /// The token of the place that was last lost before its match began: the server may still hold the connection.
    former: Option<Token>,
    table: Option<(AgentId, Table)>,
    /// The players of the table, by their places.
    nicknames: Vec<Nickname>,
    /// The character that the policy plays, while the server asks for its parameters.
    play: Option<Play>,
    /// Whether the policy is asked.
    is_asked: bool,
    /// The last question, until the server has sent the result of the answer. When a match resumes, the server repeats
    /// its question, although an answer may be on its way.
    question: Option<Notice>,
    /// Whether the client has asked for the place that it had, and has not been answered.
    comes_back: bool,
    /// Time until which to come back without a token, while the server still holds the former connection.
    held_until: Option<SimTime>,
    /// Whether the nickname is the last answer of the login.
    names: bool,
    /// Whether the last question of the login was answered: the match may have begun.
    has_chosen: bool,
    /// Matches that have begun.
    games: u32,
    refused: u32,
    invalid: InvalidMessages,
    attempts: Attempts,
    /// The match in which the player waits, and the number of players there, as last reported.
    lobby: Option<(u64, usize)>,
    outputs: VecDeque<Output>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// It waits for a connection.
    Connecting,
    /// It is connected.
    Inside,
    /// Its match is over: the server closes the connection, and the next match follows.
    Between,
    Done,
}

impl Session {
    /// Creates a session that wants to connect, `now`.
    pub fn new(settings: Settings, now: SimTime) -> Self {
        Self {
            attempts: Attempts::new(settings.patience, now),
            settings,
            decoder: Decoder::new(NOTICE_LIMIT),
            phase: Phase::Connecting,
            place: None,
            former: None,
            table: None,
            nicknames: Vec::new(),
            play: None,
            is_asked: false,
            question: None,
            comes_back: false,
            held_until: None,
            names: false,
            has_chosen: false,
            games: 0,
            refused: 0,
            invalid: InvalidMessages::default(),
            lobby: None,
            outputs: VecDeque::from([Output::Connect]),
        }
    }

    /// Tries to connect again after a pause, which grows until the server is there.
    fn try_later(&mut self, now: SimTime, why: String) {
        if self.phase == Phase::Done {
            return;
        }
        self.phase = Phase::Connecting;
        if let Some(trying) = self.attempts.failed(now, why) {
            self.report(News::Trying(trying));
        }
    }

    fn closed(&mut self, now: SimTime) {
        match self.phase {
            Phase::Done => {}
            Phase::Between => {
                self.phase = Phase::Connecting;
                self.attempts.cancel();
                self.outputs.push_back(Output::Connect);
            }
            Phase::Connecting | Phase::Inside => {
                self.report(News::Lost);
                self.try_later(now, "the connection ended".to_owned());
            }
        }
    }

    fn tick(&mut self, now: SimTime) {
        if !matches!(self.phase, Phase::Connecting | Phase::Inside) {
            return;
        }
        match self.attempts.due(now) {
            Some(Attempt::Connect) => self.outputs.push_back(Output::Connect),
            Some(Attempt::GiveUp(why)) => self.end(End::Unreachable(why)),
            Some(Attempt::NoAnswer) => self.end(End::NoAnswer),
            None => {}
        }
    }

    fn received(&mut self, now: SimTime, mut bytes: &[u8]) {
        while self.phase != Phase::Done {
            match self.decoder.next(&mut bytes) {
                None => return,
                Some(Ok(notice)) => {
                    self.invalid.reset();
                    self.attempts.answered();
                    self.notice(now, notice);
                }
                Some(Err(error)) => {
                    let why = fit_for_a_log(&error.to_string());
                    self.report(News::Senseless(why.clone()));
                    if self.invalid.are_too_many() {
                        self.end(End::Unplayable(why));
                    }
                }
            }
        }
    }

    fn notice(&mut self, now: SimTime, notice: Notice) {
        match notice {
            Notice::Ping(_) => self.send(Pong {}),
            Notice::LoginMatchOptions(options) => self.choose_match(now, &options),
            Notice::RequestNickname(_) => {
                self.names = true;
                let token = self.settings.token.or(self.former);
                self.send(LoginNickname { nickname: self.settings.nickname.clone(), token });
            }
            Notice::LoginPlayersOptions(options) => {
                let token = self.place.and_then(|(_, token)| token).or(self.settings.token);
                let is_held = !options.nicknames.contains(&self.settings.nickname);
                if token.is_none() && self.table.is_some() && is_held {
                    return self.wait_until_lost(now);
                }
                self.comes_back = self.place.is_some();
                self.send(LoginNickname { nickname: self.settings.nickname.clone(), token });
            }
            Notice::LoginTowerColorOptions(options) => {
                self.names = false;
                match options.colors.first() {
                    Some(color) => self.send(LoginTowerColor { color: *color }),
                    None => self.end(End::Unplayable("no colour of towers is free".to_owned())),
                }
            }
            Notice::LoginWizardFamilyOptions(options) => match options.families.first() {
                Some(family) => {
                    self.has_chosen = true;
                    self.send(LoginWizardFamily { family: *family });
                }
                None => self.end(End::Unplayable("no wizard is free".to_owned())),
            },
            Notice::LoginReply(reply) => {
                // A player that comes back is called as it called itself first, e.g. with a capital.
                self.settings.nickname = reply.nickname;
                self.place = Some((reply.number, reply.token));
                (self.refused, self.held_until, self.comes_back) = (0, None, false);
            }
            Notice::LobbyUpdate(lobby) => {
                let (number, players, present) = (lobby.number, lobby.players, lobby.present.len());
                // The server also tells each choice of another player.
                if self.lobby.replace((number, present)) != Some((number, present)) {
                    self.report(News::Waiting { number, present, players });
                }
            }
            Notice::TableUpdate(update) => self.set_table(&update),
            Notice::PlayableHelperCard(_)
            | Notice::RequestStudent(_)
            | Notice::RequestMotherNatureStep(_)
            | Notice::RequestCloud(_) => {
                if self.is_new(notice) {
                    (self.play, self.is_asked) = (None, true);
                    self.outputs.push_back(Output::Decide);
                }
            }
            Notice::RequestColor(_) | Notice::RequestIsland(_) | Notice::RequestPieceColorList(_) => {
                let answer = self.play.and_then(|play| parameters(play, &notice));
                if self.is_new(notice) {
                    match answer {
                        Some(parameters) => self.send(parameters),
                        None => self.send(DeclineCharacterCard {}),
                    }
                }
            }
            Notice::ErrorMessage(error) => self.refuse(now, error.error),
            Notice::MatchPaused(paused) => {
                // An answer that is under way is refused because of the pause, and asked for again after it.
                self.refused = 0;
                self.report(News::Paused(paused.missing));
            }
            Notice::EndMatchMessage(end) => self.end_match(end),
            // The connection ends, and the client comes back. A match that has not begun has no place for it any more.
            Notice::ConnectionClosed(_) => {
                if self.table.is_none() {
                    (self.place, self.former, self.has_chosen) = (None, None, false);
                }
            }
            Notice::GenericMessage(_) | Notice::PlayerAction(_) | Notice::MatchResumed(_) => {}
        }
    }

    /// Answers in which match the client plays: in the one that it was in, in that of the settings, or in any.
    fn choose_match(&mut self, now: SimTime, options: &LoginMatchOptions) {
        self.attempts.succeeded();
        // A match that began when the connection was lost is saved, too.
        let own = options.saved.iter().find(|saved| match self.place {
            Some((number, _)) => saved.number == number,
            None => self.has_chosen && saved.nicknames.contains(&self.settings.nickname),
        });
        let known = own.map(|saved| saved.number);
        // The token takes the place even where the server still holds the former connection.
        let known = known.or(self.place.filter(|_| self.table.is_some()).map(|(number, _)| number));
        if let Some(number) = known.and_then(|number| i64::try_from(number).ok()) {
            // A second list means that the choice was refused.
            if self.refused > 0 {
                return self.end(End::Missed);
            }
            self.refused = 1;
            return self.send(LoginResumeMatch { number });
        }
        // A match that has not begun forgets a player who is lost.
        self.leave_place();
        if self.settings.number.is_some() {
            let is_saved = options.saved.iter().any(|saved| Some(saved.number) == self.settings.number);
            return self.enter(now, is_saved);
        }
        let players = i64::try_from(self.settings.config.players()).unwrap_or_default();
        self.send(LoginAnyMatch { players, rules: RuleSet::of(self.settings.config.is_expert()) });
    }

    /// The client has no place any more. The server may still hold it for the former connection.
    fn leave_place(&mut self) {
        self.former = self.place.take().and_then(|(_, token)| token).or(self.former);
    }

    fn end_match(&mut self, end: EndMatchMessage) {
        let has_won = end.winners.contains(&self.settings.nickname);
        // A match that was joined by its number may have another configuration than the settings.
        let config = self.table.map_or(self.settings.config, |(_, table)| table.config);
        let is_tie = end.winners.len() > config.players() / config.teams();
        self.report(News::Over { has_won, is_tie, reason: end.reason, text: end.text });
        if let Some((_, table)) = self.table {
            let outcome = self.outcome(&table, &end.winners, end.reason);
            self.outputs.push_back(Output::Over(outcome));
        }
        (self.place, self.table, self.phase) = (None, None, Phase::Between);
        (self.has_chosen, self.lobby) = (false, None);
        // A match of a certain number is played once, and may have been over before this session began.
        let has_all = self.settings.games.is_some_and(|games| self.games >= games);
        if has_all || self.settings.number.is_some() {
            self.end(End::Played);
        }
    }

    /// Joins the match of the settings, or goes on with it. The server lists some matches only: one that is refused as
    /// open may be saved.
    fn enter(&mut self, now: SimTime, is_saved: bool) {
        let number = self.settings.number.and_then(|number| i64::try_from(number).ok()).unwrap_or_default();
        match (self.refused, is_saved) {
            (0, false) => self.send(LoginJoinMatch { number }),
            (0, true) | (1, false) => self.send(LoginResumeMatch { number }),
            // The server may still hold the connection that has its place.
            _ if self.former.is_some() => self.wait_until_lost(now),
            _ => self.end(End::TurnedAway(format!("match {number} is neither open nor saved"))),
        }
    }

    /// Comes back when the server has noticed that the former connection is lost: without a token, or to a match that
    /// has no free place before.
    fn wait_until_lost(&mut self, now: SimTime) {
        let until = *self.held_until.get_or_insert(now + self.settings.patience);
        if until <= now {
            return self.end(End::Missed);
        }
        self.attempts.set_pause(HELD);
        self.try_later(now, "the server still holds the former connection".to_owned());
    }

    /// Returns whether a question differs from the last one, and remembers it.
    fn is_new(&mut self, question: Notice) -> bool {
        let is_new = self.question.as_ref() != Some(&question);
        self.question = Some(question);
        is_new
    }

    fn refuse(&mut self, now: SimTime, error: String) {
        self.question = None;
        if std::mem::take(&mut self.comes_back) && self.table.is_none() {
            // The match began with another player while the connection was lost: any other match will do.
            self.report(News::Refused(error.clone()));
            self.leave_place();
            (self.has_chosen, self.refused) = (false, 0);
            return self.try_later(now, error);
        }
        // A colour or a wizard that another player has chosen meanwhile is asked for again; a nickname is what it is.
        if self.place.is_none() && (self.names || self.refused > MOST_REFUSED) {
            return self.end(End::TurnedAway(error));
        }
        self.report(News::Refused(error.clone()));
        self.refused += 1;
        if self.refused > MOST_REFUSED && self.place.is_some() {
            self.end(End::Unplayable(format!("the server refused an action that the rules allow: {error}")));
        }
    }

    fn set_table(&mut self, update: &TableUpdate) {
        let own = update.players.iter().position(|player| player.nickname == self.settings.nickname);
        let (own, table) = match (own, read_table(update)) {
            (Some(own), Ok(table)) => (AgentId::from_index(own), table),
            (None, _) => return self.end(End::Unplayable("the own player is not at the table".to_owned())),
            (_, Err(error)) => return self.end(End::Unplayable(error.to_string())),
        };
        if self.table.is_none() {
            self.report(News::Began { game: self.games, player: own });
            self.games += 1;
        }
        self.nicknames = update.players.iter().map(|player| player.nickname.clone()).collect();
        self.table = Some((own, table));
        (self.play, self.question, self.refused) = (None, None, 0);
    }

    /// Returns the outcome of a match with these winners. The points are the towers that each team has built.
    fn outcome(&self, table: &Table, winners: &[Nickname], reason: EndReason) -> Outcome {
        let teams = table.config.teams();
        let mut won = vec![0; teams];
        for (place, _) in self.nicknames.iter().enumerate().filter(|(_, name)| winners.contains(name)) {
            won[table.config.team(place)] = 1;
        }
        let towers: Vec<i32> = table.towers_left[..teams]
            .iter()
            .map(|left| i32::from(table.config.towers()) - i32::from(*left))
            .collect();
        Outcome {
            ranking: Ranking::by_points(&Returns::new(&won)),
            termination: match reason {
                EndReason::PlayerLost => Termination::AgentLost,
                EndReason::Towers | EndReason::Islands | EndReason::Bag | EndReason::Assistants => {
                    Termination::Normal
                }
            },
            fault: None,
            returns: Returns::new(&towers),
        }
    }

    fn chosen(&mut self, choice: Option<Action>) {
        if self.phase != Phase::Inside || !std::mem::take(&mut self.is_asked) {
            return;
        }
        match choice {
            None => self.end(End::GaveUp),
            Some(action) => {
                self.play = match action {
                    Action::Character(play) => Some(play),
                    _ => None,
                };
                self.send(request_of(action));
            }
        }
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

    fn send(&mut self, request: impl Into<Request>) {
        let mut bytes = Vec::new();
        request.into().write(&mut bytes);
        self.outputs.push_back(Output::Send(bytes));
    }
}

impl ClientSession for Session {
    type Game = State;
    type News = News;
    type End = End;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        match input {
            Input::Connected => {
                self.phase = Phase::Inside;
                self.attempts.connected(now);
                self.decoder = Decoder::new(NOTICE_LIMIT);
                (self.play, self.is_asked, self.question, self.refused) = (None, false, None, 0);
                self.lobby = None;
            }
            Input::Unreachable(why) => self.try_later(now, why),
            Input::Received(bytes) => self.received(now, bytes),
            Input::Choice(choice) => self.chosen(choice),
            Input::Closed => self.closed(now),
            Input::Leave => self.end(End::Left),
            Input::Tick => {}
        }
        self.tick(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn wake_at(&self) -> Option<SimTime> {
        if matches!(self.phase, Phase::Connecting | Phase::Inside) { self.attempts.next() } else { None }
    }

    fn observe(&self, out: &mut Observation) -> bool {
        let Some((player, table)) = self.table else { return false };
        *out = Observation { player, table };
        true
    }

    fn player(&self) -> Option<AgentId> {
        self.table.map(|(player, _)| player)
    }

    fn config(&self) -> Option<Config> {
        self.table.map(|(_, table)| table.config)
    }

    fn began(news: &News) -> Option<(u32, AgentId)> {
        let News::Began { game, player } = news else { return None };
        Some((*game, *player))
    }
}

/// In one line, for people.
impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { number, present, players } => {
                write!(f, "joined match {number}, which has {present} of {players} players; ")?;
                match usize::from(*players).saturating_sub(*present) {
                    0 => f.write_str("waiting until all have chosen tower and wizard"),
                    missing => write!(f, "waiting for {missing} more"),
                }
            }
            Self::Began { game, player } => {
                write!(f, "match {} begins: seat {}", game + 1, player.index() + 1)
            }
            Self::Over { text, .. } => f.write_str(&fit_for_a_log(text)),
            Self::Paused(missing) => {
                let missing: Vec<&str> = missing.iter().map(Nickname::as_str).collect();
                write!(f, "the match waits for {}", missing.join(", "))
            }
            Self::Refused(why) => write!(f, "the server refused a choice: {}", fit_for_a_log(why)),
            Self::Lost => f.write_str("the connection is lost; trying to get back"),
            Self::Trying(trying) => trying.fmt(f),
            Self::Senseless(why) => write!(f, "ignored an invalid message: {why}"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Played => f.write_str("all matches are played"),
            Self::GaveUp => f.write_str("the strategy gave up"),
            Self::Left => f.write_str("the player has left"),
            Self::TurnedAway(why) => {
                write!(f, "the server does not let the player in: {}", fit_for_a_log(why))
            }
            Self::Missed => f.write_str("the match ended while the connection was lost"),
            Self::Unreachable(why) => write!(f, "the server cannot be reached: {why}"),
            Self::NoAnswer => write!(f, "the server has not answered for {ANSWER_SECONDS} s"),
            Self::Unplayable(why) => {
                write!(f, "the server's messages break the rules: {}", fit_for_a_log(why))
            }
        }
    }
}
