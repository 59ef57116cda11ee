//! The game master, sans-IO: accepts agents, plays, and sends the result to all agents.
//!
//! [`Master::handle`] takes one [`Input`] with the time of its arrival. Then the caller takes outputs from
//! [`Master::poll_output`] until there are none, and waits for the next input, or until [`Master::wake_at`].
//! A phase is a variant with the data of that phase: the agents that joined, the game, how it ended.
//!
//! No message can stop it: it answers 905 to a message that makes no sense, and to a message from a connection that
//! is not in the game, and reports both. The caller must take all outputs of an input before the next input: the
//! recorder learns from them that the game has begun.

mod lobby;
mod play;
mod quirks;

use std::collections::{BTreeMap, VecDeque};

use game_env::{ByTeam, Environment, Millis, Outcome, Seed, SimTime, Termination, Witness};
use game_project::statistics::Statistics;
use game_project::{Config, ConfigError, Geometry, State, Team};
use jiff::Timestamp;
use wire::envelope::{Envelope, EnvelopeError};
use wire::frame::{self, TooLong};
use wire::project::{
    AgentNumber, AsWritten, DecodeError, Dialect, Habit, Notice, Request, Seats, Writer, catalogue,
    lost_agent, read_request,
};

use self::lobby::{Lobby, refuse};
use self::play::Play;
use crate::project::agent_set::AgentSet;

/// The settings of a hosted game.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The game; its team size is the largest number of agents of each team.
    pub config: Config,
    /// The seed of all random numbers of the game.
    pub seed: Seed,
    /// The dialect of the messages to agents.
    pub dialect: Dialect,
    /// If set, agents that join like those of other implementations receive messages that these can read, and the
    /// game is this one as soon as one of them plays. It has the team size of [`Settings::config`].
    pub foreign_config: Option<Config>,
    /// The longest body of a message, in bytes.
    pub longest_message: u16,
    /// The agents that wait for messages 112 and 113.
    pub acknowledge: AgentSet,
    /// Which agents of other implementations can read answers (message 111) as long as [`Settings::longest_message`].
    /// All others of them are sent shorter ones, see [`wire::project::quirks`].
    pub long_answers: AgentSet,
    /// The agents that are never asked: a question to one of them is answered at once with nothing known.
    pub never_asked: AgentSet,
    /// The longest duration of a game by its own clock. A longer game ends as a [stall](Termination::Stall).
    pub time_limit: Option<Millis>,
    /// Whether to start as soon as both teams are full.
    pub start_when_full: bool,
    /// When to start with the agents that have joined, counted from the first moment.
    pub start_after: Option<Millis>,
    /// The moment by the calendar at which the clock of the inputs stood at its start; the code that moves the clock
    /// knows it, see [`Master::clock_starts`].
    pub epoch: Timestamp,
}

impl Settings {
    /// The longest body of a message unless it is set otherwise, in bytes.
    pub const LONGEST_MESSAGE: u16 = 8192;

    /// Hosts this game in the spec dialect for agents of this implementation; an operator starts it. `epoch` is the
    /// moment by the calendar at which the clock of the inputs stands at its start.
    pub fn new(config: Config, seed: Seed, epoch: Timestamp) -> Self {
        Self {
            config,
            seed,
            dialect: Dialect::Spec,
            foreign_config: None,
            longest_message: Self::LONGEST_MESSAGE,
            acknowledge: AgentSet::default(),
            long_answers: AgentSet::default(),
            never_asked: AgentSet::default(),
            time_limit: None,
            start_when_full: false,
            start_after: None,
            epoch,
        }
    }
}

/// An input of the game master.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The body of a frame from the communication server.
    Body(&'a [u8]),
    /// The operator wants the game to be hosted in another way. The clock goes on: the epoch stays.
    Settings(&'a Settings),
    /// The operator starts the game.
    Start,
    /// The operator stops the game.
    Stop,
    /// The host ends the game for this reason.
    End(Termination),
    /// The communication server is gone.
    ServerLost,
    /// Time has passed, perhaps past [`Master::wake_at`].
    Tick,
}

/// A request of the game master to its shell.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// Whole frames for the communication server, in order.
    Send(Vec<u8>),
    /// Report this to the operator.
    Report(News),
    /// The game is over, or was called off: the connection may be closed. The last output.
    Done,
}

/// A report of the game master, for the operator.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// An agent has a seat.
    Joined {
        /// Its number.
        agent: AgentNumber,
        /// Its team.
        team: Team,
    },
    /// An agent that asked for a seat was refused.
    TurnedAway {
        /// Its number.
        agent: AgentNumber,
        /// The team it asked for.
        team: Team,
    },
    /// An agent's connection has ended.
    Lost {
        /// Its number.
        agent: AgentNumber,
    },
    /// An agent that has asked for a seat writes like those of other implementations.
    Foreign {
        /// Its number.
        agent: AgentNumber,
        /// The habit that shows it.
        habit: Habit,
        /// Whether it receives messages that agents with this habit can read.
        is_adapted: bool,
    },
    /// Agents have sent no request since the game began.
    Silent {
        /// Their numbers.
        agents: Vec<AgentNumber>,
        /// The span since the beginning.
        span: Millis,
    },
    /// The settings are those that the operator asked for last.
    Configured,
    /// The settings are as before.
    NotConfigured(NotConfigured),
    /// The game cannot start yet.
    CannotStart {
        /// A team without agents.
        without: Team,
    },
    /// The game cannot start: the message about the beginning (105) names all other agents, and is longer than
    /// messages may be.
    StartTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// The game has begun. [`Master::game`] has its first state.
    Started,
    /// A team has covered a goal.
    Scored {
        /// The team.
        team: Team,
    },
    /// The game is over.
    Over(Outcome),
    /// The game was called off before it began.
    CalledOff,
    /// A message is longer than messages may be.
    Unsent {
        /// The agent that would have received it.
        to: AgentNumber,
        /// Which one.
        message: i64,
        /// Its length in bytes.
        length: usize,
    },
    /// A message could not be understood.
    Senseless {
        /// Its sender, if that is known.
        agent: Option<AgentNumber>,
        /// The reason.
        reason: Senseless,
    },
}

/// The reason for which the settings cannot be changed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NotConfigured {
    /// The game has begun.
    #[error("the game has begun: nothing can be changed any more")]
    TooLate,
    /// They do not fit the agents that have joined.
    #[error(transparent)]
    Faulty(ConfigError),
}

/// The reason for which a message could not be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Senseless {
    /// It is no envelope.
    #[error(transparent)]
    Envelope(EnvelopeError),
    /// Nobody is named as its sender.
    #[error("a message of nobody: agentID is missing")]
    Nobody,
    /// Its payload makes no sense.
    #[error(transparent)]
    Payload(DecodeError),
    /// Its sender does not play: it has not joined, or the game has not begun.
    #[error("only agents that play may send requests: join with message 6, then wait for message 105")]
    NotSeated,
    /// It says that another agent is lost, and comes from an agent.
    #[error("only the communication server says that an agent is lost")]
    NotServer,
}

/// The game master.
#[derive(Debug)]
pub struct Master {
    phase: Phase,
    outgoing: Outgoing,
    /// Whether `Output::Done` was returned.
    is_done: bool,
}

/// The phases of hosting a game.
#[derive(Debug)]
enum Phase {
    Lobby(Lobby),
    Play(Box<Play>),
    Over(Option<Box<Play>>),
}

/// The queues that all phases write to.
#[derive(Debug)]
struct Outgoing {
    settings: Settings,
    frames: Vec<u8>,
    news: VecDeque<News>,
    /// Agents that write like those of other implementations, and what shows it.
    foreign: BTreeMap<AgentNumber, Habit>,
}

impl Outgoing {
    /// Writes a message. If it is too long with the correlation id, which the receiver has chosen, it is written
    /// without the id: the communication server treats a message that is too long as a fault of the game
    /// master.
    fn tell(&mut self, to: AgentNumber, correlation: Option<&serde_json::value::RawValue>, notice: &Notice) {
        if let Err(length) = self.write(to, correlation, notice) {
            self.report(News::Unsent { to, message: notice.id(), length });
        }
    }

    /// Returns whether a message with information is within this limit as it stands.
    fn holds(&self, limit: u16, to: AgentNumber, notice: &Notice) -> bool {
        let mut body = Vec::new();
        let writer = Writer { dialect: self.dialect(to), limit: usize::MAX };
        writer.notice(&mut body, to, None, notice);
        body.len() <= usize::from(limit)
    }

    /// Passes an answer on as it was written, as much of it as the limit allows; if not even its shortest form does,
    /// as it was understood.
    fn pass_on(
        &mut self,
        limit: u16,
        (to, by): (AgentNumber, AgentNumber),
        (written, geometry): (&AsWritten<'_>, Geometry),
        understood: &Notice,
    ) {
        let writer = Writer { dialect: self.dialect(to), limit: limit.into() };
        let start = self.frames.len();
        let mut fits = false;
        let framed =
            frame::write_with(&mut self.frames, |out| fits = writer.answer(out, to, by, written, geometry));
        if framed.is_err() || !fits {
            self.frames.truncate(start);
            self.inform(limit, to, understood);
        }
    }

    /// Writes a message with information, as much of it as the limit allows.
    fn inform(&mut self, limit: u16, to: AgentNumber, notice: &Notice) {
        if let Err(length) = self.write_within(limit, to, None, notice) {
            self.report(News::Unsent { to, message: notice.id(), length });
        }
    }

    /// Writes a message, or nothing if it is too long: its length then.
    fn write(
        &mut self,
        to: AgentNumber,
        correlation: Option<&serde_json::value::RawValue>,
        notice: &Notice,
    ) -> Result<(), usize> {
        self.write_within(self.settings.longest_message, to, correlation, notice)
    }

    fn write_within(
        &mut self,
        limit: u16,
        to: AgentNumber,
        correlation: Option<&serde_json::value::RawValue>,
        notice: &Notice,
    ) -> Result<(), usize> {
        let limit = usize::from(limit);
        let writer = Writer { dialect: self.dialect(to), limit };
        let start = self.frames.len();
        let mut length = 0;
        for correlation in [correlation, None].into_iter().skip(usize::from(correlation.is_none())) {
            self.frames.truncate(start);
            let frames = &mut self.frames;
            length = match frame::write_with(frames, |out| writer.notice(out, to, correlation, notice)) {
                Ok(()) => frames.len() - start - frame::HEADER,
                Err(TooLong { length }) => length,
            };
            if length <= limit {
                return Ok(());
            }
        }
        self.frames.truncate(start);
        Err(length)
    }

    fn report(&mut self, news: News) {
        self.news.push_back(news);
    }
}

impl Master {
    /// Creates a game master whose lobby is open.
    pub fn new(settings: Settings) -> Self {
        let outgoing =
            Outgoing { settings, frames: Vec::new(), news: VecDeque::new(), foreign: BTreeMap::new() };
        Self { phase: Phase::Lobby(Lobby::default()), outgoing, is_done: false }
    }

    /// Returns a game master of a game that is under way, with these connections as its agents.
    ///
    /// No message about the beginning is sent. `now` is the moment of the game's own clock.
    ///
    /// # Panics
    ///
    /// If the game and the seats differ in their number of agents.
    pub fn take_over(settings: Settings, state: State, seats: Seats, now: SimTime) -> Self {
        let play = Play::go_on(state, seats, &settings, now);
        let mut master = Self::new(settings);
        master.phase = Phase::Play(Box::new(play));
        master
    }

    /// Sets the calendar time at which the clock of the inputs starts. Must be called before the first input.
    pub fn clock_starts(&mut self, epoch: Timestamp) {
        self.outgoing.settings.epoch = epoch;
    }

    /// Takes one input. `witness` gets everything about the game that a recorder needs.
    ///
    /// # Panics
    ///
    /// If `now` lies before the moment of an earlier input.
    pub fn handle(&mut self, now: SimTime, input: Input<'_>, witness: &mut impl Witness<State>) {
        match input {
            Input::Body(body) => self.body(now, body, witness),
            Input::Settings(settings) => self.configure(settings),
            Input::Start => self.start(now),
            Input::Stop => self.end(now, Termination::Stopped, witness),
            Input::End(termination) => self.end(now, termination, witness),
            Input::ServerLost => self.end(now, Termination::Interrupted, witness),
            Input::Tick => {}
        }
        self.start_by_itself(now);
        self.watch(now, witness);
    }

    /// Returns the next output, or none until the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        if !self.outgoing.frames.is_empty() {
            return Some(Output::Send(std::mem::take(&mut self.outgoing.frames)));
        }
        if let Some(news) = self.outgoing.news.pop_front() {
            return Some(Output::Report(news));
        }
        let is_over = matches!(self.phase, Phase::Over(_));
        (is_over && !std::mem::replace(&mut self.is_done, true)).then_some(Output::Done)
    }

    /// Returns when [`Input::Tick`] is due; none while only another input can change anything.
    pub fn wake_at(&self) -> Option<SimTime> {
        match &self.phase {
            // Before both teams have members there is nothing to wake for.
            Phase::Lobby(lobby) if lobby.may_begin() => {
                self.outgoing.settings.start_after.map(|span| SimTime::START + span)
            }
            Phase::Play(play) => {
                let limit = self.outgoing.settings.time_limit.map(|limit| play.moment_of(limit));
                limit.into_iter().chain(play.silence_ends()).min()
            }
            Phase::Lobby(_) | Phase::Over(_) => None,
        }
    }

    /// Returns the span for which the connection is to stay after the game has ended; none if no agent needs it.
    pub fn farewell(&self) -> Option<Millis> {
        match &self.phase {
            Phase::Over(Some(play)) => play.farewell(&self.outgoing),
            _ => None,
        }
    }

    /// Returns the settings of the game.
    pub fn settings(&self) -> &Settings {
        &self.outgoing.settings
    }

    /// Returns the agents that have joined each team, in order, as long as the game has not begun.
    pub fn lobby(&self) -> Option<&ByTeam<Vec<AgentNumber>>> {
        match &self.phase {
            Phase::Lobby(lobby) => Some(lobby.members()),
            Phase::Play(_) | Phase::Over(_) => None,
        }
    }

    /// Returns the game, once it has begun.
    pub fn game(&self) -> Option<&State> {
        self.play().map(|play| &play.state)
    }

    /// Returns the statistics, once the game has begun.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.play().map(|play| &play.statistics)
    }

    /// Returns the number of each agent's connection, once the game has begun, in the order of agent ids.
    pub fn seats(&self) -> Option<&Seats> {
        self.play().map(|play| &play.seats)
    }

    fn play(&self) -> Option<&Play> {
        match &self.phase {
            Phase::Lobby(_) => None,
            Phase::Play(play) => Some(play),
            Phase::Over(play) => play.as_deref(),
        }
    }

    fn body(&mut self, now: SimTime, body: &[u8], witness: &mut impl Witness<State>) {
        let envelope = match Envelope::parse(body) {
            Ok(envelope) => envelope,
            Err(error) => {
                let reason = Senseless::Envelope(error);
                return self.outgoing.report(News::Senseless { agent: None, reason });
            }
        };
        let sender = envelope.agent_id.map(AgentNumber);
        // The communication server reports lost agents. One that lets agents say it as well is not ours: an agent
        // that speaks for another one is not believed.
        if envelope.message_id == catalogue::LOST_AGENT {
            match lost_agent(envelope.message_id, envelope.payload) {
                Ok(lost) => match sender.filter(|sender| *sender != lost && self.knows(*sender)) {
                    None => self.lose(now, lost, witness),
                    Some(liar) => {
                        refuse(&mut self.outgoing, liar, envelope.correlation_id, Senseless::NotServer);
                    }
                },
                Err(error) => {
                    let reason = Senseless::Payload(error);
                    self.outgoing.report(News::Senseless { agent: None, reason });
                }
            }
            return;
        }
        let Some(agent) = sender else {
            return self.outgoing.report(News::Senseless { agent: None, reason: Senseless::Nobody });
        };
        let request = read_request(envelope.message_id, envelope.payload);
        let correlation = envelope.correlation_id;
        match &mut self.phase {
            Phase::Lobby(lobby) => {
                if let Ok(Request::Join { .. }) = request {
                    self.outgoing.note_habit(agent, body);
                }
                lobby.serve(&mut self.outgoing, agent, correlation, request);
            }
            Phase::Play(play) => {
                play.serve(&mut self.outgoing, now, agent, correlation, (request, envelope.payload), witness);
                self.close_if_over(now, witness);
            }
            // The end was sent to all agents; messages that were on their way come too late.
            Phase::Over(_) => {}
        }
    }

    fn configure(&mut self, settings: &Settings) {
        let Phase::Lobby(lobby) = &mut self.phase else {
            return self.outgoing.report(News::NotConfigured(NotConfigured::TooLate));
        };
        let news = match lobby.check(&settings.config) {
            Ok(()) => {
                lobby.allow_start();
                let epoch = self.outgoing.settings.epoch;
                self.outgoing.settings = Settings { epoch, ..settings.clone() };
                News::Configured
            }
            Err(faults) => News::NotConfigured(NotConfigured::Faulty(faults)),
        };
        self.outgoing.report(news);
    }

    fn start(&mut self, now: SimTime) {
        let Phase::Lobby(lobby) = &mut self.phase else { return };
        let config = self.outgoing.config(lobby.members());
        let play = match lobby.begin(config, &self.outgoing.settings, now) {
            Ok(play) => play,
            Err(without) => return self.outgoing.report(News::CannotStart { without }),
        };
        match play.tell_start(&mut self.outgoing) {
            Ok(()) => {
                self.outgoing.report(News::Started);
                self.phase = Phase::Play(Box::new(play));
            }
            Err(length) => {
                lobby.refuse_start();
                self.outgoing.report(News::StartTooLong { length });
            }
        }
    }

    fn start_by_itself(&mut self, now: SimTime) {
        let Phase::Lobby(lobby) = &self.phase else { return };
        let settings = &self.outgoing.settings;
        let due = settings.start_after.is_some_and(|span| now >= SimTime::START + span);
        let full = settings.start_when_full && lobby.is_full(&settings.config);
        if lobby.may_begin() && (due || full) {
            self.start(now);
        }
    }

    /// Reports agents that are silent, and ends a game that is too long.
    fn watch(&mut self, now: SimTime, witness: &mut impl Witness<State>) {
        let Phase::Play(play) = &mut self.phase else { return };
        play.report_silence(&mut self.outgoing, now);
        let limit = self.outgoing.settings.time_limit.map(|limit| play.moment_of(limit));
        if limit.is_some_and(|limit| now >= limit) {
            self.end(now, Termination::Stall, witness);
        }
    }

    /// Returns whether this agent has asked for a seat before the game, or plays.
    fn knows(&self, agent: AgentNumber) -> bool {
        match &self.phase {
            Phase::Lobby(lobby) => lobby.knows(agent),
            Phase::Play(play) => play.seats.agent(agent).is_some(),
            Phase::Over(_) => false,
        }
    }

    fn lose(&mut self, now: SimTime, agent: AgentNumber, witness: &mut impl Witness<State>) {
        let known = match &mut self.phase {
            Phase::Lobby(lobby) => {
                self.outgoing.foreign.remove(&agent);
                lobby.lose(agent)
            }
            Phase::Play(play) => play.lose(&mut self.outgoing, now, agent, witness),
            Phase::Over(_) => false,
        };
        if known {
            self.outgoing.report(News::Lost { agent });
        }
        self.close_if_over(now, witness);
    }

    fn end(&mut self, now: SimTime, termination: Termination, witness: &mut impl Witness<State>) {
        match &mut self.phase {
            Phase::Lobby(_) => {
                self.outgoing.report(News::CalledOff);
                self.phase = Phase::Over(None);
            }
            Phase::Play(play) => {
                play.end(&mut self.outgoing, now, termination, witness);
                self.close_if_over(now, witness);
            }
            Phase::Over(_) => {}
        }
    }

    fn close_if_over(&mut self, now: SimTime, witness: &mut impl Witness<State>) {
        let Phase::Play(play) = &mut self.phase else { return };
        let game_env::Turn::Over(outcome) = play.state.turn() else { return };
        play.tell_end(&mut self.outgoing);
        witness.end(&play.state, play.game_time(now));
        self.outgoing.report(News::Over(outcome));
        let over = Phase::Over(None);
        if let Phase::Play(play) = std::mem::replace(&mut self.phase, over) {
            self.phase = Phase::Over(Some(play));
        }
    }
}
