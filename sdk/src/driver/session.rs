//! The agent's side of the protocol, sans-IO: joining, waiting, playing, finished.
//!
//! [`Session::handle`] takes one [`Input`] with its time. Then the caller takes outputs from [`Session::poll_output`]
//! until there are none, and waits for the next input, or until [`Session::wake_at`]. At [`Output::Decide`], the caller
//! calls the strategy through [`Session::actor`] and passes its choice back as an input.
//!
//! A session reads the messages of all known game masters, in all their dialects. It waits for penalties, so it asks
//! the strategy when the next request will be served. It joins only once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use game_env::rollout::{Limits, REST};
use game_env::{AgentId, ByTeam, Millis, Seed, SimTime};
use game_project::observation::Announcement;
use game_project::{Action, ActionKind, Briefing, RawConfig, Team};
use jiff::{SignedDuration, Timestamp};
use wire::envelope::Envelope;
use wire::frame;
use wire::project::{
    AgentNumber, Dialect, GameStart, Notice, Request, Seats, Writer, read_notice, shown_reason,
};

use crate::driver::actor::Actor;
use crate::driver::penalty::PenaltyClock;
use crate::knowledge::LONGEST_MESSAGE;
use crate::strategy::Choice;

/// The settings of an agent's session.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The team that it asks to join.
    pub team: Team,
    /// The seed of its random numbers.
    pub seed: Seed,
    /// The longest body that it sends, in bytes. Longer answers are shortened.
    pub longest_message: u16,
    /// The calendar time at the zero of the clock of its inputs; `None` if it is not known. Without it, an agent cannot
    /// use the `waitUntil` of message 904.
    pub epoch: Option<Timestamp>,
    /// The time limit for the answer to the join; [`SimTime::NEVER`] for no limit. There is no limit for the start of
    /// the game, because the operator decides about it.
    pub answer_by: SimTime,
}

impl Settings {
    /// Settings for this team, with bodies of at most [`LONGEST_MESSAGE`], no calendar and no time limit.
    pub fn new(team: Team, seed: Seed) -> Self {
        Self { team, seed, longest_message: LONGEST_MESSAGE, epoch: None, answer_by: SimTime::NEVER }
    }
}

/// An input of a session.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The body of a frame from the communication server.
    Body(&'a [u8]),
    /// The choice of the strategy, after [`Output::Decide`].
    Choice(Choice),
    /// The strategy leaves the game for this reason, after [`Output::Decide`].
    GiveUp(String),
    /// Time has passed, to [`Session::wake_at`] or later.
    Tick,
    /// The other end has closed the connection normally.
    Closed,
    /// The connection is broken: it was reset, or accepts no more data.
    Broken,
    /// The data from the other end does not begin like a message; these are its first bytes.
    Foreign(&'a [u8]),
}

/// An action for the caller of a session.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// Send these whole frames to the communication server, in order.
    Send(Vec<u8>),
    /// Call the strategy, and pass its choice back. Sent once for each decision.
    Decide,
    /// Report this.
    Report(News),
    /// The session is over: the connection may be closed. The last output.
    Done(End),
}

/// A report of a session to the user of an agent.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum News {
    /// The game master has accepted the agent.
    Joined,
    /// The game has begun.
    Began,
    /// A message could not be read; it is ignored, for this reason.
    Senseless(String),
}

/// The end of an agent's game.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// The game is over, and this team won.
    Over {
        /// The team.
        winner: Team,
    },
    /// The agent was rejected: its team is full, the game has begun, or the communication server refuses it.
    TurnedAway {
        /// The reason of the server, [as it is shown](wire::project::shown_reason); `None` if it gives no reason.
        reason: Option<String>,
    },
    /// The connection was closed normally during the game, without a winner: the game was stopped without a winner, the
    /// message with the winner was lost, or one of the servers has ended.
    Unannounced {
        /// The covered goals of the own team, as far as the agent knows.
        covered: u32,
        /// The goals of the team. If all of them are covered, the team has won.
        goals: u32,
    },
    /// The connection ended before the game began, or broke.
    Closed,
    /// The strategy left the game, for this reason.
    GaveUp(String),
    /// The game of the game master's message cannot be played, for this reason.
    Unplayable(String),
    /// The answer to the join did not arrive in time.
    NoAnswer,
    /// The other end does not use the protocol; these are its first bytes.
    NoServer(Vec<u8>),
}

/// On one line, for people; the server's reason is at the end.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over { winner } => write!(f, "the game is over, {winner} wins"),
            Self::TurnedAway { reason: Some(reason) } => write!(f, "rejected: {reason}"),
            Self::TurnedAway { reason: None } => {
                f.write_str("rejected: the team is full, or the game has begun")
            }
            Self::Unannounced { covered, goals } => write!(
                f,
                "the connection was closed, and nobody said who won; as far as the agent knows, its team has covered \
                 {covered} of {goals} goals"
            ),
            Self::Closed => f.write_str("the connection was lost before the game was over"),
            Self::GaveUp(reason) => write!(f, "the agent has left the game: {reason}"),
            Self::Unplayable(reason) => write!(f, "the game cannot be played: {reason}"),
            Self::NoAnswer => f.write_str("nobody has answered the request to join"),
            Self::NoServer(sent) => {
                write!(f, "this is no communication server: it sent `{}`", sent.escape_ascii())
            }
        }
    }
}

/// An agent's connection, from the join to the end.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    /// The agent's number; 0 until it is known.
    number: AgentNumber,
    phase: Phase,
    frames: Vec<u8>,
    news: Vec<News>,
}

#[derive(Debug)]
enum Phase {
    /// Has asked to join.
    Joining,
    /// May play, and waits for the beginning.
    Waiting,
    Playing(Box<Playing>),
    Finished {
        /// The end, until the caller has taken it.
        end: Option<End>,
        /// The game that was played, and when it began.
        played: Option<Box<Playing>>,
    },
}

#[derive(Debug)]
struct Playing {
    actor: Actor,
    seats: Seats,
    began: SimTime,
    epoch: Option<Timestamp>,
    clock: PenaltyClock,
    due: Due,
    /// The moment of the last decision, and how many there were at that moment.
    decisions: (SimTime, u32),
}

/// Moment at which the strategy is asked next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    /// The end of the lock, or the moment from which on no answer is expected.
    Lock,
    /// Now.
    Now,
    /// The caller has the order to ask it; its choice is awaited.
    Asked,
    /// This moment, or the next message, but not before the lock has ended.
    Chosen(SimTime),
    /// It decided too often at one moment and rests until this one.
    Rest(SimTime),
}

impl Session {
    /// Creates a session that asks to join.
    pub fn new(settings: Settings) -> Self {
        let request = Request::Join { team: settings.team };
        let mut session = Self {
            settings,
            number: AgentNumber(0),
            phase: Phase::Joining,
            frames: Vec::new(),
            news: Vec::new(),
        };
        session.send(&request);
        session
    }

    /// Returns the agent, once the game has begun.
    pub fn actor(&mut self) -> Option<&mut Actor> {
        match &mut self.phase {
            Phase::Joining | Phase::Waiting => None,
            Phase::Playing(playing) => Some(&mut playing.actor),
            Phase::Finished { played, .. } => played.as_mut().map(|playing| &mut playing.actor),
        }
    }

    /// Returns the game time at this moment; before the game has begun, the time of its start.
    pub fn game_time(&self, now: SimTime) -> SimTime {
        match &self.phase {
            Phase::Playing(playing) => playing.time(now),
            Phase::Finished { played: Some(playing), .. } => playing.time(now),
            _ => SimTime::START,
        }
    }

    /// Takes one input. Ignores a choice without a preceding [`Output::Decide`].
    pub fn handle(&mut self, now: SimTime, input: Input<'_>) {
        match input {
            Input::Body(body) => self.body(now, body),
            Input::Choice(choice) => self.choice(now, choice),
            Input::GiveUp(why) => self.finish(End::GaveUp(why)),
            Input::Tick => self.tick(now),
            Input::Closed => {
                let end = match &self.phase {
                    Phase::Playing(playing) => playing.unannounced(),
                    _ => End::Closed,
                };
                self.finish(end);
            }
            Input::Broken => self.finish(End::Closed),
            Input::Foreign(sent) => self.finish(End::NoServer(sent.to_vec())),
        }
    }

    /// Returns the next output, or `None` until the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        if !self.news.is_empty() {
            return Some(Output::Report(self.news.remove(0)));
        }
        if !self.frames.is_empty() {
            return Some(Output::Send(std::mem::take(&mut self.frames)));
        }
        match &mut self.phase {
            Phase::Joining | Phase::Waiting => None,
            Phase::Playing(playing) if playing.due == Due::Now => {
                playing.due = Due::Asked;
                Some(Output::Decide)
            }
            Phase::Playing(_) => None,
            Phase::Finished { end, .. } => end.take().map(Output::Done),
        }
    }

    /// Returns the time at which [`Input::Tick`] is due; `None` if only another input can change anything.
    pub fn wake_at(&self) -> Option<SimTime> {
        let wake = match &self.phase {
            Phase::Joining => Some(self.settings.answer_by),
            Phase::Playing(playing) => playing.wake(),
            Phase::Waiting | Phase::Finished { .. } => None,
        };
        wake.filter(|wake| *wake != SimTime::NEVER)
    }

    fn body(&mut self, now: SimTime, body: &[u8]) {
        let notice = match read(body) {
            Ok(notice) => notice,
            // Without its beginning a game cannot be played.
            Err(Unreadable { id: Some(GAME_START), reason }) if !matches!(self.phase, Phase::Playing(_)) => {
                return self.finish(End::Unplayable(reason));
            }
            Err(Unreadable { reason, .. }) => return self.news.push(News::Senseless(reason)),
        };
        match (&mut self.phase, notice) {
            (Phase::Finished { .. }, _) => {}
            (_, Notice::GameOver { winner }) => {
                if let Phase::Playing(playing) = &mut self.phase {
                    let time = playing.time(now);
                    playing.actor.hear(time, Notice::GameOver { winner });
                }
                self.finish(End::Over { winner });
            }
            (Phase::Joining, Notice::Joined { accepted: true, agent, .. }) => {
                self.number = agent.unwrap_or(self.number);
                self.phase = Phase::Waiting;
                self.news.push(News::Joined);
            }
            (Phase::Joining, Notice::Joined { accepted: false, reason, .. }) => {
                self.finish(End::TurnedAway { reason: reason.and_then(|reason| shown_reason(&reason)) });
            }
            (Phase::Joining | Phase::Waiting, Notice::GameStart(start)) => {
                self.number = start.agent;
                match Playing::begin(&self.settings, *start, now) {
                    Ok(playing) => {
                        self.phase = Phase::Playing(Box::new(playing));
                        self.news.push(News::Began);
                    }
                    Err(error) => self.finish(End::Unplayable(error)),
                }
            }
            (Phase::Playing(playing), notice) => {
                if let Some(reason) = playing.notice(now, notice) {
                    self.news.push(News::Senseless(reason));
                }
            }
            // Before the game nothing else can be meant for this agent.
            (Phase::Joining | Phase::Waiting, _) => {}
        }
    }

    fn choice(&mut self, now: SimTime, choice: Choice) {
        let Phase::Playing(playing) = &mut self.phase else { return };
        if !matches!(playing.due, Due::Now | Due::Asked) {
            return;
        }
        match choice {
            // A game's time never reaches the end of the clock.
            Choice::Wait(until) => {
                let until = SimTime::from_millis(until.as_millis().saturating_add(playing.began.as_millis()));
                playing.due = Due::Chosen(until);
            }
            Choice::Act(action) => {
                let request = playing.request(now, action);
                self.send(&request);
            }
        }
    }

    fn tick(&mut self, now: SimTime) {
        if matches!(self.phase, Phase::Joining) && now >= self.settings.answer_by {
            return self.finish(End::NoAnswer);
        }
        let Phase::Playing(playing) = &mut self.phase else { return };
        if playing.wake().is_some_and(|wake| wake <= now) {
            playing.ask(now);
        }
    }

    fn finish(&mut self, end: End) {
        let played = match std::mem::replace(&mut self.phase, Phase::Joining) {
            Phase::Playing(playing) => Some(playing),
            finished @ Phase::Finished { .. } => {
                self.phase = finished;
                return;
            }
            Phase::Joining | Phase::Waiting => None,
        };
        self.frames.clear();
        self.phase = Phase::Finished { end: Some(end), played };
    }

    fn send(&mut self, request: &Request) {
        let writer = Writer { dialect: Dialect::Spec, limit: self.settings.longest_message.into() };
        let number = self.number;
        let written = frame::write_with(&mut self.frames, |out| writer.request(out, number, request));
        if written.is_err() {
            self.news
                .push(News::Senseless("the request is too long for a frame and was not sent".to_owned()));
        }
    }
}

impl Playing {
    fn begin(settings: &Settings, start: GameStart, now: SimTime) -> Result<Self, String> {
        if !start.geometry.contains(start.position) {
            return Err(format!("the agent starts at {}, which is off the board", start.position));
        }
        let all = [start.agent, start.leader].into_iter().chain(start.allies.iter().copied());
        let numbers: BTreeSet<AgentNumber> = all.chain(start.enemies.iter().copied()).collect();
        let seats = Seats::new(numbers.into_iter().collect());
        let own = seats.agent(start.agent).expect("the agent's own number is among them");
        let enemies: BTreeSet<AgentNumber> = start.enemies.iter().copied().collect();
        let teams: Vec<Team> = AgentId::all(seats.len())
            .map(|agent| {
                let is_enemy = agent != own && enemies.contains(&seats.number(agent));
                if is_enemy { start.team.opponent() } else { start.team }
            })
            .collect();
        let mut leaders = ByTeam::new([None, None]);
        leaders[start.team] = seats.agent(start.leader);
        let config = raw_config(&start, &teams).check().map_err(|error| error.to_string())?;
        let game = Arc::new(Announcement { config, teams, leaders });
        let briefing = Briefing { agent: own, team: start.team, start: start.position, game };
        Ok(Self {
            actor: Actor::new(Arc::new(briefing), settings.seed)
                .with_longest_message(settings.longest_message),
            seats,
            began: now,
            epoch: settings.epoch,
            clock: PenaltyClock::new(start.penalties, now).with_premature(start.premature),
            due: Due::Lock,
            decisions: (now, 0),
        })
    }

    /// Returns the end of a game whose winner is not announced.
    fn unannounced(&self) -> End {
        let knowledge = self.actor.knowledge();
        End::Unannounced { covered: knowledge.covered(), goals: self.actor.briefing().game.config.goals() }
    }

    fn time(&self, now: SimTime) -> SimTime {
        SimTime::from_millis(now.as_millis().saturating_sub(self.began.as_millis()))
    }

    /// Returns the time at which to ask the strategy; none if its choice is awaited.
    fn wake(&self) -> Option<SimTime> {
        match self.due {
            Due::Now | Due::Asked => None,
            Due::Lock => Some(self.clock.ready()),
            Due::Chosen(until) | Due::Rest(until) => Some(until.max(self.clock.ready())),
        }
    }

    fn ask(&mut self, now: SimTime) {
        let (moment, count) = &mut self.decisions;
        if *moment != now {
            (*moment, *count) = (now, 0);
        }
        *count += 1;
        // As in a rollout: an agent that decides over and over at one moment rests.
        self.due =
            if *count > Limits::default().decisions_per_moment { Due::Rest(now + REST) } else { Due::Now };
    }

    /// Returns the request for an action, from now on under way.
    fn request(&mut self, now: SimTime, action: Action) -> Request {
        self.due = Due::Lock;
        self.actor.sent(&action);
        let kind = action.kind();
        match action {
            // Granted, nobody may say so.
            Action::Ask(_) | Action::Answer { .. } => self.clock.sent_unanswered(now, kind),
            _ => self.clock.sent(now, kind),
        }
        Request::Play(action.map(|agent| self.seats.number(agent)))
    }

    /// Handles a message. Returns the reason if the message is invalid.
    fn notice(&mut self, now: SimTime, notice: Notice) -> Option<String> {
        // Said before, or nothing to an agent that plays.
        if matches!(notice, Notice::GameOver { .. } | Notice::GameStart(_) | Notice::Joined { .. }) {
            return None;
        }
        let time = self.time(now);
        let left = match &notice {
            Notice::TooEarly { wait_until: Some(until), wait_for: None } => self.left(now, *until),
            _ => None,
        };
        let heard = match self.heard(notice) {
            Ok(heard) => heard,
            Err(reason) => return Some(reason),
        };
        match &heard {
            _ if !self.actor.answers(&heard) => self.clock.late(|kind| heard.may_answer(kind)),
            Notice::TooEarly { wait_for, .. } => match left {
                Some(left) => self.clock.too_early_by_calendar(now, left),
                None => self.clock.too_early(now, *wait_for),
            },
            Notice::Refused { .. } => self.clock.refused(now),
            _ => self.clock.answered(now),
        }
        self.actor.hear(time, heard);
        // A strategy that lets time pass is asked again when it hears something.
        if matches!(self.due, Due::Chosen(_)) {
            self.due = Due::Lock;
            if self.clock.ready() <= now {
                self.ask(now);
            }
        }
        None
    }

    /// Returns the number of milliseconds until a moment of the calendar; none if there is no calendar.
    fn left(&self, now: SimTime, until: Timestamp) -> Option<i64> {
        let since = SignedDuration::from_millis(i64::try_from(now.as_millis()).ok()?);
        let today = self.epoch?.checked_add(since).ok()?;
        i64::try_from(until.duration_since(today).as_millis()).ok()
    }

    /// Returns the message with the ids of the game, or the reason why it is invalid for this agent.
    fn heard(&self, notice: Notice) -> Result<Notice<AgentId>, String> {
        let geometry = self.actor.knowledge().geometry();
        let mut notice = notice.on_board(geometry).map_err(|error| error.to_string())?;
        // A message may leave out the agent that answers, so an agent without a seat is left out as well.
        if let Notice::Answered { by, .. } = &mut notice {
            *by = by.filter(|by| self.seats.agent(*by).is_some());
        }
        notice.try_map(|number| {
            self.seats.agent(number).ok_or_else(|| {
                format!("a question of agent {number}: expected an agent that message 105 names")
            })
        })
    }
}

/// A message that cannot be read.
struct Unreadable {
    id: Option<i64>,
    reason: String,
}

/// The message by which a game begins.
const GAME_START: i64 = 105;

fn read(body: &[u8]) -> Result<Notice, Unreadable> {
    let envelope = Envelope::parse_leniently(body)
        .map_err(|error| Unreadable { id: None, reason: error.to_string() })?;
    let id = envelope.message_id;
    read_notice(id, envelope.payload).map_err(|error| Unreadable { id: Some(id), reason: error.to_string() })
}

/// Returns the configuration that message 105 speaks of.
fn raw_config(start: &GameStart, teams: &[Team]) -> RawConfig {
    let penalty = |kind| i64::from(Millis::as_millis(start.penalties.of(kind)));
    let members = |team| i64::try_from(teams.iter().filter(|own| **own == team).count()).unwrap_or(i64::MAX);
    RawConfig {
        board_x: start.geometry.columns().into(),
        board_y: start.geometry.rows().into(),
        goal_area_height: start.geometry.goal_rows().into(),
        number_of_goals: start.goals.into(),
        number_of_pieces: start.pieces.into(),
        team_size: Team::ALL.map(members).into_iter().max().unwrap_or(0),
        sham_piece_probability: start.sham_probability,
        move_penalty: penalty(ActionKind::Move),
        information_exchange_penalty: penalty(ActionKind::Ask),
        discovery_penalty: penalty(ActionKind::Discover),
        put_penalty: penalty(ActionKind::Put),
        check_for_sham_penalty: penalty(ActionKind::Check),
        destroy_piece_penalty: penalty(ActionKind::Destroy),
        pick_up_penalty: penalty(ActionKind::PickUp),
        ..RawConfig::default()
    }
}
