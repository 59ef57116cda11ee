//! The game master in a simulation: the counterpart of `reference_gm::project::link`, over a simulated connection.

use std::time::Duration;

use game_env::replay::{Header, Player, Writer};
use game_env::{Environment, Outcome, Seed, SimTime, Turn};
use game_project::{Event, Position, State};
use reference_gm::project::{Input, Master, News, Output, Settings};
use wire::envelope::Envelope;
use wire::frame::Decoder;
use wire::project::AgentNumber;

use super::audit::{Audit, Phase, Served};
use super::{Machine, Network};
use crate::client_link::ClientLink;
use crate::network::Found;

/// Longest times for the communication server to accept bytes, and to close its end, as in
/// `reference_gm::project::link`.
const TIMEOUT: Duration = Duration::from_secs(10);
const FAREWELL: Duration = Duration::from_secs(2);

/// Largest number of bytes that are read at once, as there.
const READ_BYTES: usize = 64 * 1024;

/// A game master and its connection.
pub(super) struct Host {
    master: Master,
    settings: Settings,
    decoder: Decoder,
    record: GameRecord,
    /// The time at which its clock stood at its start, once it has.
    began: Option<Duration>,
    link: ClientLink,
    /// The time since which it waits for the server to accept bytes.
    blocked: Option<Duration>,
    /// Commands of the operator that came while it could not listen.
    commands: Vec<Command>,
    is_done: bool,
    closing: Closing,
}

/// Command of the operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Start the game.
    Start,
    /// Stop it.
    Stop,
}

/// State of the closing of a game master's connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Closing {
    /// It hosts.
    NotYet,
    /// It has closed its end and waits until then for the server's.
    Until(Duration),
    /// The server has closed its end: it has read all.
    InOrder,
    /// It ended without closing the connection.
    Aborted,
}

/// Results of the game, as its host sees it.
pub(super) struct Hosted {
    pub(super) events: Vec<(SimTime, Event)>,
    pub(super) outcome: Option<Outcome>,
    pub(super) replay: Option<Vec<u8>>,
    pub(super) requests: u64,
    /// Whether the server has read all that the game master wrote.
    pub(super) closed_in_order: bool,
}

impl Host {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            master: Master::new(settings.clone()),
            record: GameRecord::default(),
            settings,
            decoder: Decoder::new(u16::MAX),
            began: None,
            link: ClientLink::new(0),
            blocked: None,
            commands: Vec::new(),
            is_done: false,
            closing: Closing::NotYet,
        }
    }

    /// Returns the game, once it has begun.
    pub(super) fn game(&self) -> Option<&State> {
        self.master.game()
    }

    /// Returns the true position of the agent with this number, and whether it has a piece, while it plays.
    pub(super) fn truth(&self, number: i64) -> Option<(Position, bool)> {
        let (game, seats) = (self.master.game()?, self.master.seats()?);
        let agent = seats.agent(AgentNumber(number)).filter(|_| !self.is_done && !self.is_gone())?;
        Some((game.position(agent)?, game.hand(agent).is_some()))
    }

    /// Connects, with its clock at its start; one that died before does not.
    pub(super) fn begin(&mut self, net: &mut Network, audit: &mut Audit) {
        if self.began.is_some() {
            return;
        }
        self.began = Some(net.now());
        self.link.connect(net);
        self.turn(net, audit);
    }

    /// Reads bytes that may have arrived.
    pub(super) fn readable(&mut self, net: &mut Network, audit: &mut Audit) {
        while self.blocked.is_none() {
            if self.is_gone() {
                return;
            }
            match self.link.read(net, READ_BYTES) {
                Found::Nothing => return,
                // Messages after the end of the game are not looked at.
                Found::Bytes(_) if self.is_done => {}
                Found::Bytes(bytes) => {
                    let mut bytes = &bytes[..];
                    let mut decoder = std::mem::replace(&mut self.decoder, Decoder::new(u16::MAX));
                    while let Some(body) = decoder.next(&mut bytes) {
                        let body = body.expect("the server writes whole frames");
                        audit.arrived(body);
                        self.handle(net, audit, Input::Body(body));
                    }
                    self.decoder = decoder;
                }
                Found::End(_) if self.is_done => return self.leave(net, Closing::InOrder),
                Found::End(_) => {
                    self.handle(net, audit, Input::ServerLost);
                    return self.leave(net, Closing::Aborted);
                }
            }
            self.turn(net, audit);
        }
    }

    /// There is room to write again.
    pub(super) fn writable(&mut self, net: &mut Network, audit: &mut Audit) {
        self.turn(net, audit);
        self.readable(net, audit);
    }

    /// A moment that it waits for has come.
    pub(super) fn woken(&mut self, net: &mut Network, audit: &mut Audit) {
        if self.is_gone() {
            return;
        }
        match (self.closing, self.blocked) {
            (Closing::Until(until), _) if until <= net.now() => return self.leave(net, Closing::Aborted),
            (_, Some(since)) if since + TIMEOUT <= net.now() => {
                self.handle(net, audit, Input::ServerLost);
                return self.leave(net, Closing::Aborted);
            }
            (Closing::NotYet, None) => self.handle(net, audit, Input::Tick),
            _ => {}
        }
        self.turn(net, audit);
    }

    /// The operator asks for something.
    pub(super) fn command(&mut self, net: &mut Network, audit: &mut Audit, command: Command) {
        self.commands.push(command);
        self.turn(net, audit);
    }

    /// Its process is gone from one moment to the next.
    pub(super) fn die(&mut self, net: &mut Network) {
        if self.began.is_some() && !self.is_gone() {
            net.say(|| "gm: dies".to_owned());
            self.link.hang_up(net, true);
            net.wake(Machine::Gm, None);
        }
        self.began.get_or_insert(net.now());
        self.closing = Closing::Aborted;
    }

    pub(super) fn is_gone(&self) -> bool {
        self.began.is_none() || matches!(self.closing, Closing::InOrder | Closing::Aborted)
    }

    pub(super) fn finish(self) -> Hosted {
        let outcome = self.master.game().and_then(|state| match state.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::Act { .. } => None,
        });
        let finish = |writer: Box<Writer<Vec<u8>>>| writer.finish().expect("memory takes what is written");
        Hosted {
            outcome,
            events: self.record.events,
            replay: self.record.writer.map(finish),
            requests: self.master.statistics().map_or(0, |statistics| statistics.requests),
            closed_in_order: self.closing == Closing::InOrder,
        }
    }

    /// Writes all pending bytes, takes the operator's commands, and sets the timer.
    fn turn(&mut self, net: &mut Network, audit: &mut Audit) {
        while !self.is_gone() {
            if !self.flush(net) {
                return;
            }
            if self.is_done {
                if self.closing == Closing::NotYet {
                    net.shut_down(self.link.socket());
                    self.closing = Closing::Until(net.now() + FAREWELL);
                }
                let Closing::Until(until) = self.closing else { return };
                return net.wake(Machine::Gm, Some(until));
            }
            if self.commands.is_empty() {
                let began = self.began.unwrap_or_default();
                let at = self.master.wake_at().map(|wake| began + Duration::from(wake));
                return net.wake(Machine::Gm, at);
            }
            let input = match self.commands.remove(0) {
                Command::Start => Input::Start,
                Command::Stop => Input::Stop,
            };
            self.handle(net, audit, input);
        }
    }

    /// Writes; false while the server does not take it all.
    fn flush(&mut self, net: &mut Network) -> bool {
        if self.link.write_all(net) {
            self.blocked = None;
            return true;
        }
        let since = *self.blocked.get_or_insert(net.now());
        net.wake(Machine::Gm, Some(since + TIMEOUT));
        false
    }

    fn handle(&mut self, net: &mut Network, audit: &mut Audit, input: Input<'_>) {
        let Some(began) = self.began else { return };
        let now = SimTime::from(net.now() - began);
        let before = Phase::of(&self.master, self.is_done);
        net.say(|| match input {
            Input::Body(body) => format!("gm < {}", String::from_utf8_lossy(body)),
            input => format!("gm: {input:?}"),
        });
        let first = self.record.events.len();
        let GameRecord { events, writer } = &mut self.record;
        self.master.handle(now, input, &mut (events, writer.as_mut()));
        let mut told = Vec::new();
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Send(frames) => {
                    let (mut decoder, mut bytes) = (Decoder::new(u16::MAX), &frames[..]);
                    while let Some(body) = decoder.next(&mut bytes) {
                        let body = body.expect("the game master writes whole frames");
                        net.say(|| format!("gm > {}", String::from_utf8_lossy(body)));
                        let most = usize::from(self.settings.longest_message);
                        audit.check(body.len() <= most, || {
                            format!(
                                "the game master writes {} bytes: {:.80}",
                                body.len(),
                                String::from_utf8_lossy(body)
                            )
                        });
                        let envelope = Envelope::parse(body).expect("the game master writes messages");
                        let to = envelope.agent_id.expect("every message is somebody's");
                        told.push((to, envelope.message_id));
                        audit.said(to, body);
                    }
                    self.link.outbox.extend_from_slice(&frames);
                }
                Output::Report(news) => {
                    net.say(|| format!("gm: {news:?}"));
                    if let (News::Started, Some(state)) = (&news, self.master.game()) {
                        self.record.begin(state, self.settings.seed);
                    }
                }
                Output::Done => self.is_done = true,
            }
        }
        let events: Vec<Event> = self.record.events[first..].iter().map(|(_, event)| event.clone()).collect();
        for event in &events {
            net.say(|| format!("game: {event}"));
        }
        let Settings { dialect, acknowledge, .. } = &self.settings;
        let served = Served { before, input, events: &events, told: &told, dialect: *dialect, acknowledge };
        audit.served(&self.master, &served);
    }

    fn leave(&mut self, net: &mut Network, closing: Closing) {
        net.say(|| format!("gm: leaves, {closing:?}"));
        self.closing = closing;
        self.link.hang_up(net, false);
        net.wake(Machine::Gm, None);
    }
}

/// Returns the header of a replay of a game that has just begun.
pub fn header(state: &State, seed: Seed) -> Header {
    let players = Player::all(state, |agent| format!("agent {agent}"));
    Header::new::<State>(state.config(), seed, players, "simulation")
}

/// Every event, and the replay.
#[derive(Default)]
struct GameRecord {
    events: Vec<(SimTime, Event)>,
    writer: Option<Box<Writer<Vec<u8>>>>,
}

impl GameRecord {
    fn begin(&mut self, state: &State, seed: Seed) {
        let writer = Writer::new(Vec::new(), &header(state, seed)).expect("memory takes what is written");
        self.writer = Some(Box::new(writer));
    }
}
