//! All decisions of the server, without sockets: which connection is which agent, and where each message goes.
//!
//! The caller passes the [`Router`] one [`Input`] at a time, with the time since the start, and then takes
//! [`Output`]s until there are none. Outputs contain no bytes: [`Output::Write`] says that there are some,
//! [`Router::pending`] returns them, and [`Input::Written`] says how many the connection accepted.
//!
//! # What it deliberately does not do
//!
//! It never reads a payload. It keeps no data about an agent that has left: its number is not used again, and
//! messages to it are dropped. No agent can come back under an old number.
//!
//! # Decisions where the specification is silent
//!
//! - Messages that agents send before there is a game master wait for it, up to the same limit as later.
//! - If the game master reads too slowly, the server does not read from agents, so TCP slows them down. An agent
//!   that reads too slowly is dropped, because no other agent should wait for it.
//! - The server sends 906 only for an agent that has sent the game master a message; the game master does not know
//!   other agents. A 906 from an agent is an invalid message.
//! - A connection to the game master's port is the game master once it has sent a message, see `gm_port`. If it
//!   ends before that, the game goes on.
//! - An agent may have 16 messages under way that the game master has not answered; then the server does not read
//!   from it for a while. These messages are in the game master's own queue, where no other message can overtake
//!   them.

mod gm_port;
mod outbox;
mod report;
mod window;

use std::collections::{BTreeMap, VecDeque};
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use rustc_hash::FxHashMap;
use serde_json::json;
use wire::envelope::{AgentField, Outline};
use wire::frame::{self, Decoder, EXCERPT, FrameError};

use crate::config::Limits;
use crate::router::gm_port::{Candidate, GmPort, WAITING};
use crate::router::outbox::Outbox;
use crate::router::report::Budget;
use crate::router::window::{HOLD, Window};

pub use crate::router::report::{End, Ending, Invalid, Level, Name, Reason, Refusal, Report};

/// How often deadlines are looked at: each is kept to this much.
const SWEEP: Duration = Duration::from_millis(250);

/// How many connections that were refused may be told why at once. More are closed without a word.
const LAST_WORDS: usize = 64;

/// A request to join (specification, section 6): what agents begin with, and what no game master sends.
const JOIN: i64 = 6;

/// The answer to it.
const JOIN_ANSWER: i64 = 107;

/// The answer to a message that makes no sense.
const UNDEFINED_ERROR: i64 = 905;

/// The end of a game, and its beginning.
const GAME_OVER: i64 = 104;
const GAME_START: i64 = 105;

/// The message that tells the game master of a lost agent (specification, section 6).
const AGENT_LOST: i64 = 906;

/// The number of an agent's connection: from 1 on, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentNumber(i32);

impl AgentNumber {
    /// The number itself. It fits into the signed 32 bits in which real agents keep it.
    pub const fn get(self) -> i32 {
        self.0
    }
}

/// The number of a connection that is not, or not known to be, an agent's: from 1 on, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(u32);

/// One end of a connection that was let in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Peer {
    /// A connection to the game master's port.
    Gm(ConnectionId),
    /// An agent.
    Agent(AgentNumber),
    /// An agent that is refused. It is told why, and is to close its connection.
    Refused(ConnectionId),
}

/// What somebody wants to be, by the port it connected to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The game master.
    Gm,
    /// An agent.
    Agent,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Somebody connected. Answered by [`Output::Admitted`] or [`Output::Refused`].
    Connected {
        /// To the port of whom.
        role: Role,
        /// From where.
        from: SocketAddr,
    },
    /// Bytes arrived.
    Received {
        /// From whom.
        peer: Peer,
        /// As they came, messages split and merged in any way.
        bytes: &'a [u8],
    },
    /// A connection took the first bytes of [`Router::pending`].
    Written {
        /// Whose connection.
        peer: Peer,
        /// How many bytes.
        bytes: usize,
    },
    /// A connection ended; the shell has forgotten it.
    Ended {
        /// Whose connection.
        peer: Peer,
        /// What the connection reported, if it did not just end.
        error: Option<std::io::ErrorKind>,
    },
    /// Time has passed, perhaps past [`Router::wake_at`].
    Woken,
    /// The server is to end.
    Stop,
}

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// The connection that was just reported is this peer's.
    Admitted(Peer),
    /// The connection that was just reported is to be closed.
    Refused,
    /// There is something to write to this peer, until [`Router::pending`] is empty.
    Write(Peer),
    /// Nothing will be written to this peer after what is pending: write that, say that it is all, and wait
    /// for the peer to close its end, so that nothing on the way to it is lost.
    Finish(Peer),
    /// This peer's connection is to be closed at once.
    Drop(Peer),
    /// This peer is not to be read until [`Output::Resume`].
    Hold(Peer),
    /// This peer is to be read again.
    Resume(Peer),
    /// Something to tell people.
    Report(Report),
    /// Every connection has ended, and so does the server.
    Over(Ending),
}

/// Counts for people and for monitoring.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Agents connected now.
    pub agents: usize,
    /// Whether a game master is connected now.
    pub gm: bool,
    /// Bytes that wait now, to be written or to become whole messages; looked at with the deadlines.
    pub held_bytes: usize,
    /// Messages passed from agents to the game master.
    pub to_gm: u64,
    /// Messages passed from the game master to agents.
    pub to_agents: u64,
    /// Messages to agents that were not there (any more).
    pub undeliverable: u64,
    /// Invalid messages dropped.
    pub invalid: u64,
    /// Connections that were let in.
    pub admitted: u64,
    /// Connections that were not let in.
    pub refused: u64,
    /// Connections closed against their peer's will.
    pub dropped: u64,
}

/// The state of the server.
#[derive(Debug)]
pub struct Router {
    limits: Limits,
    /// The port that agents should connect to, for hints.
    agents_port: Option<u16>,
    /// Numbers that are given out here need no hash against collisions on purpose.
    agents: FxHashMap<AgentNumber, Agent>,
    gm: GmPort,
    /// Connections that were refused and told why, until they have closed their ends.
    refused: BTreeMap<Peer, Refused>,
    /// When agents were last read again after the game master had been too slow.
    resumed: Duration,
    /// When agents that are not read are to be read again, in the order of these moments. An agent is here once.
    holds: VecDeque<(Duration, AgentNumber)>,
    last_agent: i32,
    last_connection: u32,
    /// Whether the last game that began has ended, as far as messages show it.
    game_over: bool,
    ending: Option<Ending>,
    swept: Duration,
    /// For the lines that peers cause.
    budget: Budget,
    /// For the lines that say who was closed: an agent's own flood must not hide how it ended.
    closings: Budget,
    totals: Totals,
    outputs: VecDeque<Output>,
    /// Agents found too slow while the game master's messages were dealt out; empty between inputs.
    slow: Vec<AgentNumber>,
    /// Agents that were answered while they were held; empty between inputs.
    answered: Vec<AgentNumber>,
}

/// What every peer has.
#[derive(Debug)]
struct Link {
    from: SocketAddr,
    since: Duration,
    decoder: Decoder,
    /// Since when the message that is not complete has been arriving.
    half_since: Option<Duration>,
    invalid: u32,
    /// Whether a valid message came from it.
    spoke: bool,
    /// Since when it has been told that the connection ends.
    leaving: Option<Duration>,
}

#[derive(Debug)]
struct Agent {
    link: Link,
    outbox: Outbox,
    /// Whether it has asked to join.
    joined: bool,
    window: Window,
    hold: Hold,
    /// What has been read from it and not been looked at; empty unless it is held.
    unread: Vec<u8>,
}

/// Whether an agent is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hold {
    /// It is read, and its number is not among those to be read again.
    No,
    /// It is read, and its number still stands among those to be read again.
    Over,
    /// It has not been read since this moment.
    Since(Duration),
}

/// A connection that was refused.
#[derive(Debug)]
struct Refused {
    link: Link,
    outbox: Outbox,
}

impl Router {
    /// A server to which nobody is connected.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            agents_port: None,
            agents: FxHashMap::default(),
            gm: GmPort::new(),
            refused: BTreeMap::new(),
            resumed: Duration::ZERO,
            holds: VecDeque::new(),
            last_agent: 0,
            last_connection: 0,
            game_over: false,
            ending: None,
            swept: Duration::ZERO,
            budget: Budget::new(limits.log_lines_per_second),
            closings: Budget::new(limits.log_lines_per_second),
            totals: Totals::default(),
            outputs: VecDeque::new(),
            slow: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Tells an agent that comes to the game master's port which port is that of agents.
    pub fn with_agents_port(mut self, port: u16) -> Self {
        self.agents_port = Some(port);
        self
    }

    /// Takes in what happened, `now` after the server began. Outputs are to be taken before the next input.
    #[inline]
    pub fn handle(&mut self, now: Duration, input: Input<'_>) {
        match input {
            Input::Received { peer: Peer::Agent(id), bytes } => self.agent_sent(now, id, bytes),
            Input::Received { peer: Peer::Gm(id), bytes } => self.gm_sent(now, id, bytes),
            Input::Received { peer: Peer::Refused(_), .. } => {}
            Input::Written { peer: Peer::Agent(id), bytes } => self.agent_took(now, id, bytes),
            Input::Written { peer: Peer::Gm(id), bytes } if self.gm.has_seat(id) => self.gm_took(now, bytes),
            Input::Written { peer, bytes } => {
                if let Some(refused) = self.refused.get_mut(&peer) {
                    refused.outbox.advance(now, bytes);
                }
            }
            Input::Connected { role: Role::Agent, from } => self.agent_came(now, from),
            Input::Connected { role: Role::Gm, from } => self.gm_came(now, from),
            Input::Ended { peer: Peer::Agent(id), error } => self.agent_left(now, id, error),
            Input::Ended { peer: Peer::Gm(id), error } => self.gm_left(now, id, error),
            Input::Ended { peer: peer @ Peer::Refused(_), .. } => self.refused_left(peer),
            Input::Woken => {
                self.release(now);
                self.sweep(now);
            }
            Input::Stop => self.end(now, Ending::Stopped),
        }
    }

    /// The next thing to do.
    #[inline]
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::Woken`] is due; `None` while nobody is connected.
    pub fn wake_at(&self) -> Option<Duration> {
        let sweep = self.swept + SWEEP;
        let release = self.holds.front().map_or(sweep, |(at, _)| sweep.min(*at));
        (!self.is_alone() || self.budget.owes() || self.closings.owes()).then_some(release)
    }

    /// What is to be written to a peer.
    #[inline]
    pub fn pending(&self, peer: Peer) -> &[u8] {
        match peer {
            Peer::Agent(id) => self.agents.get(&id).map_or(&[], |agent| agent.outbox.pending()),
            Peer::Gm(id) if self.gm.has_seat(id) => self.gm.outbox.pending(),
            _ => self.refused.get(&peer).map_or(&[], |refused| refused.outbox.pending()),
        }
    }

    /// The connection to which messages for the game master are written, and what is still to be written of them.
    pub fn pending_for_gm(&self) -> (Option<Peer>, &[u8]) {
        (self.gm.seat.as_ref().map(|seat| Peer::Gm(seat.id)), self.gm.outbox.pending())
    }

    /// Whether agents are to be read: not while too much waits for the game master. At the end they are, to
    /// learn that they have closed their ends.
    #[inline]
    pub fn takes_from_agents(&self) -> bool {
        self.gm.outbox.held() < self.limits.gm_buffer_bytes || self.ending.is_some()
    }

    /// The counts as they stand.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    // Coming.

    fn agent_came(&mut self, now: Duration, from: SocketAddr) {
        let refusal = if self.ending.is_some() {
            Refusal::Ending
        } else if self.agents.len() >= self.limits.connections {
            Refusal::Full(self.limits.connections)
        } else if self.last_agent == i32::MAX {
            Refusal::NoIdLeft
        } else {
            self.last_agent += 1;
            let id = AgentNumber(self.last_agent);
            self.agents.insert(id, Agent::new(Link::new(from, now, self.limits.message_bytes)));
            self.totals.agents += 1;
            self.totals.admitted += 1;
            return self.admit(now, Peer::Agent(id), from);
        };
        self.totals.refused += 1;
        if self.ending.is_none() && self.refused.len() < LAST_WORDS {
            let peer = Peer::Refused(self.next_connection());
            let link = Link::new(from, now, self.limits.message_bytes);
            self.wake(now);
            self.outputs.push_back(Output::Admitted(peer));
            self.say_why(now, peer, link, &refusal.to_string());
        } else {
            self.outputs.push_back(Output::Refused);
        }
        self.tell(now, Report::Refused { role: Role::Agent, from, why: refusal });
    }

    fn gm_came(&mut self, now: Duration, from: SocketAddr) {
        let refusal = if self.ending.is_some() {
            Refusal::Ending
        } else if self.gm.master().is_some() {
            Refusal::Taken
        } else if self.gm.waiting.len() >= WAITING {
            Refusal::TooManyWait(WAITING)
        } else {
            let id = self.next_connection();
            let candidate = Candidate::new(id, Link::new(from, now, self.limits.message_bytes));
            self.totals.admitted += 1;
            self.admit(now, Peer::Gm(id), from);
            self.gm.waiting.push_back(candidate);
            if let Some(seat) = self.gm.seat.as_ref().map(|seat| seat.link.from) {
                self.tell(now, Report::Waits { from, behind: seat });
            }
            return self.settle_seat(now);
        };
        self.totals.refused += 1;
        self.outputs.push_back(Output::Refused);
        self.tell(now, Report::Refused { role: Role::Gm, from, why: refusal });
    }

    fn next_connection(&mut self) -> ConnectionId {
        self.last_connection = self.last_connection.wrapping_add(1);
        ConnectionId(self.last_connection)
    }

    fn admit(&mut self, now: Duration, peer: Peer, from: SocketAddr) {
        self.wake(now);
        self.outputs.push_back(Output::Admitted(peer));
        let name = self.name(peer);
        self.tell(now, Report::Connected { name, from });
    }

    /// Starts the clock of deadlines again if nobody was connected.
    fn wake(&mut self, now: Duration) {
        if self.swept + SWEEP < now {
            self.swept = now;
        }
    }

    /// Gives the seat to the next connection if it is free, or if the connection that has it is silent and another waits.
    fn settle_seat(&mut self, now: Duration) {
        if self.ending.is_some() || self.gm.waiting.is_empty() {
            return;
        }
        let answer = self.limits.gm_answer;
        match &self.gm.seat {
            // It removes the seat, and settles it again.
            Some(seat) if seat.is_silent(now, answer) => {
                return self.drop_gm(now, seat.id, Reason::NoAnswer(answer));
            }
            Some(_) => return,
            None => {}
        }
        if let Some(next) = self.gm.waiting.pop_front() {
            let peer = Peer::Gm(next.id);
            self.gm.take_seat(now, next);
            self.totals.gm = true;
            if !self.gm.outbox.is_empty() {
                self.outputs.push_back(Output::Write(peer));
            }
        }
    }

    // Passing on.

    fn agent_sent(&mut self, now: Duration, id: AgentNumber, mut bytes: &[u8]) {
        let Some(agent) = self.agents.get_mut(&id).filter(|agent| agent.link.leaving.is_none()) else {
            return;
        };
        if matches!(agent.hold, Hold::Since(_)) {
            return agent.unread.extend_from_slice(bytes);
        }
        agent.window.forget_old(now);
        let nothing_waited = self.gm.outbox.is_empty();
        let mut complete = false;
        let mut faulty = false;
        while agent.window.has_room()
            && let Some(item) = agent.link.decoder.next(&mut bytes)
        {
            complete = true;
            let out = self.gm.outbox.end(now);
            match pass_to_gm(item, id, self.limits.message_bytes, out) {
                Ok(passed) => {
                    agent.link.spoke = true;
                    agent.joined |= passed.message_id == JOIN;
                    agent.window.push(passed.message_id, passed.body);
                    self.totals.to_gm += 1;
                }
                Err(fault) => {
                    agent.link.invalid += 1;
                    self.totals.invalid += 1;
                    let goes_on = agent.link.invalid < self.limits.invalid_messages;
                    faulty = true;
                    if goes_on {
                        let waited = agent.outbox.is_empty();
                        refuse_message(id, &fault.why, agent.outbox.end(now));
                        if waited {
                            self.outputs.push_back(Output::Write(Peer::Agent(id)));
                        }
                    }
                    if self.budget.take(now) {
                        let report = fault.report(Name::Agent(id), agent.link.from);
                        self.outputs.push_back(Output::Report(report));
                    }
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        agent.link.arrived(now, complete);
        let invalid = agent.link.invalid;
        if !agent.window.has_room() {
            agent.unread.extend_from_slice(bytes);
            if agent.hold == Hold::No {
                self.holds.push_back((now + HOLD, id));
            }
            agent.hold = Hold::Since(now);
            self.outputs.push_back(Output::Hold(Peer::Agent(id)));
        }
        if nothing_waited
            && !self.gm.outbox.is_empty()
            && let Some(seat) = &self.gm.seat
        {
            self.outputs.push_back(Output::Write(Peer::Gm(seat.id)));
        }
        if invalid >= self.limits.invalid_messages {
            return self.drop_agent(now, id, Reason::Invalid(invalid));
        }
        if faulty {
            let waiting = self.pending(Peer::Agent(id)).len();
            if waiting > self.limits.agent_buffer_bytes {
                self.drop_agent(now, id, Reason::Slow(waiting));
            }
        }
    }

    /// Reads an agent again that was held.
    fn resume(&mut self, now: Duration, id: AgentNumber) {
        let Some(agent) = self.agents.get_mut(&id) else { return };
        if !matches!(agent.hold, Hold::Since(_)) {
            return;
        }
        agent.hold = Hold::Over;
        // Meanwhile nobody could see whether its message was complete.
        agent.link.half_since = agent.link.half_since.map(|_| now);
        let unread = std::mem::take(&mut agent.unread);
        self.outputs.push_back(Output::Resume(Peer::Agent(id)));
        self.agent_sent(now, id, &unread);
    }

    /// Reads agents again that were held long enough without an answer.
    fn release(&mut self, now: Duration) {
        while let Some((_, id)) = self.holds.front().copied().filter(|(at, _)| *at <= now) {
            self.holds.pop_front();
            let is_there = self.gm.master().is_some();
            let Some(agent) = self.agents.get_mut(&id) else { continue };
            match agent.hold {
                Hold::No | Hold::Over => agent.hold = Hold::No,
                // Nobody can have answered: what it sent waits here.
                Hold::Since(_) if !is_there => self.holds.push_back((now + HOLD, id)),
                Hold::Since(since) if since + HOLD > now => self.holds.push_back((now + HOLD, id)),
                Hold::Since(_) => {
                    agent.window.forget(now);
                    self.resume(now, id);
                    if let Some(agent) = self.agents.get_mut(&id) {
                        match agent.hold {
                            Hold::Since(_) => self.holds.push_back((now + HOLD, id)),
                            Hold::No | Hold::Over => agent.hold = Hold::No,
                        }
                    }
                }
            }
        }
    }

    fn gm_sent(&mut self, now: Duration, id: ConnectionId, mut bytes: &[u8]) {
        let has_seat = self.gm.has_seat(id);
        let Some(candidate) = self.gm.find(id).filter(|candidate| candidate.link.leaving.is_none()) else {
            return;
        };
        let link = &mut candidate.link;
        let had_spoken = link.spoke;
        let mut complete = false;
        let mut is_agent = false;
        while let Some(item) = link.decoder.next(&mut bytes) {
            complete = true;
            let fault = match addressed(item) {
                Ok(message) if message.id == JOIN && !link.spoke => {
                    is_agent = true;
                    break;
                }
                // It has got nothing yet that it could answer.
                Ok(Addressed { agent: Some(_), .. }) if !has_seat => {
                    self.totals.undeliverable += 1;
                    continue;
                }
                Ok(Addressed { id: message, agent: Some(agent), body }) => {
                    link.spoke = true;
                    match message {
                        GAME_OVER => self.game_over = true,
                        GAME_START => self.game_over = false,
                        _ => {}
                    }
                    let agent = i32::try_from(agent).ok().map(AgentNumber);
                    let found = agent.and_then(|id| Some((id, self.agents.get_mut(&id)?)));
                    match found.filter(|(_, agent)| agent.link.leaving.is_none()) {
                        None => self.totals.undeliverable += 1,
                        Some((id, agent)) => {
                            if agent.outbox.is_empty() {
                                self.outputs.push_back(Output::Write(Peer::Agent(id)));
                            }
                            frame::write(body, agent.outbox.end(now)).expect("the body came in a frame");
                            self.totals.to_agents += 1;
                            agent.window.answered(message);
                            if matches!(agent.hold, Hold::Since(_)) && agent.window.has_much_room() {
                                self.answered.push(id);
                            }
                            if agent.outbox.len() > self.limits.agent_buffer_bytes {
                                self.slow.push(id);
                            }
                        }
                    }
                    continue;
                }
                Ok(Addressed { agent: None, body, .. }) => Fault::new(Invalid::NoAddressee, body),
                Err(fault) => fault,
            };
            link.invalid += 1;
            self.totals.invalid += 1;
            if self.budget.take(now) {
                let name = if has_seat && link.spoke { Name::Gm } else { Name::Candidate };
                self.outputs.push_back(Output::Report(fault.report(name, link.from)));
            }
            if link.invalid >= self.limits.invalid_messages {
                break;
            }
        }
        if is_agent {
            return self.refuse_agent_at_gm_port(now, id);
        }
        link.arrived(now, complete);
        let (invalid, has_spoken) = (link.invalid, link.spoke);
        if has_spoken && !had_spoken {
            self.confirm(now);
        }
        while let Some(id) = self.slow.pop() {
            // An agent may stand there more than once.
            let waiting = self.pending(Peer::Agent(id)).len();
            self.drop_agent(now, id, Reason::Slow(waiting));
        }
        if !self.answered.is_empty() {
            let mut answered = std::mem::take(&mut self.answered);
            answered.drain(..).for_each(|id| self.resume(now, id));
            self.answered = answered;
        }
        if invalid >= self.limits.invalid_messages {
            self.drop_gm(now, id, Reason::Invalid(invalid));
        }
    }

    /// The connection that has the seat has sent a message: it is the game master, and no other can be.
    fn confirm(&mut self, now: Duration) {
        if let Some(from) = self.gm.master().map(|master| master.link.from) {
            self.tell(now, Report::Confirmed { from });
        }
        for (id, from) in self.gm.confirm() {
            self.totals.dropped += 1;
            self.outputs.push_back(Output::Drop(Peer::Gm(id)));
            self.tell(now, Report::Dropped { name: Name::Candidate, from, why: Reason::Taken });
        }
    }

    /// A connection to the game master's port has asked to join.
    fn refuse_agent_at_gm_port(&mut self, now: Duration, id: ConnectionId) {
        let Some((candidate, had_seat)) = self.gm.remove(now, id) else { return };
        self.totals.gm &= !had_seat;
        self.totals.dropped += 1;
        let (peer, from, why) = (Peer::Gm(id), candidate.link.from, Reason::IsAgent(self.agents_port));
        self.tell(now, Report::Dropped { name: Name::Candidate, from, why });
        // What was written to it may have ended within a message.
        if candidate.given.is_none() && self.refused.len() < LAST_WORDS {
            self.say_why(now, peer, candidate.link, &why.to_string());
        } else {
            self.outputs.push_back(Output::Drop(peer));
        }
        self.settle_seat(now);
        self.end_if_alone();
    }

    /// Tells an agent that it may not join, and why, and waits for it to close its connection.
    fn say_why(&mut self, now: Duration, peer: Peer, mut link: Link, why: &str) {
        let mut outbox = Outbox::default();
        frame::write_with(outbox.end(now), |body| {
            let payload = json!({"accepted": false, "agentID": 0, "reason": why});
            write!(body, r#"{{"messageID":{JOIN_ANSWER},"agentID":0,"payload":{payload}}}"#)
                .expect("a vector takes everything");
        })
        .expect("the message is short");
        link.leaving = Some(now);
        self.refused.insert(peer, Refused { link, outbox });
        self.outputs.push_back(Output::Finish(peer));
    }

    fn agent_took(&mut self, now: Duration, id: AgentNumber, bytes: usize) {
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.outbox.advance(now, bytes);
            agent.outbox.shrink();
        }
    }

    fn gm_took(&mut self, now: Duration, bytes: usize) {
        let was_slow = !self.takes_from_agents();
        self.gm.outbox.advance(now, bytes);
        if let Some(seat) = &mut self.gm.seat {
            seat.given.get_or_insert(now);
        }
        if was_slow && self.takes_from_agents() {
            self.resumed = now;
        }
    }

    // Going.

    fn agent_left(&mut self, now: Duration, id: AgentNumber, error: Option<std::io::ErrorKind>) {
        let Some(agent) = self.remove_agent(now, id) else { return };
        if agent.link.leaving.is_none() {
            let how = agent.link.end(error);
            self.tell(now, Report::Left { name: Name::Agent(id), from: agent.link.from, how });
        }
        self.end_if_alone();
    }

    fn drop_agent(&mut self, now: Duration, id: AgentNumber, why: Reason) {
        let Some(agent) = self.remove_agent(now, id) else { return };
        self.totals.dropped += 1;
        self.outputs.push_back(Output::Drop(Peer::Agent(id)));
        self.tell(now, Report::Dropped { name: Name::Agent(id), from: agent.link.from, why });
        self.end_if_alone();
    }

    fn remove_agent(&mut self, now: Duration, id: AgentNumber) -> Option<Agent> {
        let agent = self.agents.remove(&id)?;
        self.totals.agents -= 1;
        if agent.link.spoke && self.limits.report_lost_agents && self.ending.is_none() {
            if self.gm.outbox.is_empty()
                && let Some(seat) = &self.gm.seat
            {
                self.outputs.push_back(Output::Write(Peer::Gm(seat.id)));
            }
            frame::write_with(self.gm.outbox.end(now), |body| {
                write!(body, r#"{{"messageID":{AGENT_LOST},"agentID":{id},"payload":{{"agentID":{id}}}}}"#)
                    .expect("a vector takes everything");
            })
            .expect("the message is short");
        }
        Some(agent)
    }

    fn gm_left(&mut self, now: Duration, id: ConnectionId, error: Option<std::io::ErrorKind>) {
        let peer = Peer::Gm(id);
        if self.refused.contains_key(&peer) {
            return self.refused_left(peer);
        }
        let name = self.name(peer);
        let Some((Candidate { link, .. }, had_seat)) = self.gm.remove(now, id) else { return };
        self.totals.gm &= !had_seat;
        if link.leaving.is_none() {
            let how = link.end(error);
            self.tell(now, Report::Left { name, from: link.from, how });
            if name == Name::Gm {
                self.end(
                    now,
                    match how {
                        End::Closed if self.game_over || self.agents.is_empty() => Ending::GmLeft,
                        End::Closed => Ending::GmLeftEarly,
                        End::ClosedInMessage | End::Broken(_) => Ending::GmLost,
                    },
                );
            }
        }
        self.settle_seat(now);
        self.end_if_alone();
    }

    fn drop_gm(&mut self, now: Duration, id: ConnectionId, why: Reason) {
        let name = self.name(Peer::Gm(id));
        let Some((Candidate { link, .. }, had_seat)) = self.gm.remove(now, id) else { return };
        self.totals.gm &= !had_seat;
        self.totals.dropped += 1;
        self.outputs.push_back(Output::Drop(Peer::Gm(id)));
        self.tell(now, Report::Dropped { name, from: link.from, why });
        if name == Name::Gm {
            self.end(now, Ending::GmLost);
        }
        self.settle_seat(now);
        self.end_if_alone();
    }

    fn refused_left(&mut self, peer: Peer) {
        self.refused.remove(&peer);
        self.end_if_alone();
    }

    /// Begins to close every connection, unless that has begun.
    fn end(&mut self, now: Duration, ending: Ending) {
        if self.ending.is_some() {
            return;
        }
        self.ending = Some(ending);
        self.outputs.push_back(Output::Report(Report::Ending(ending)));
        // In the order of their numbers: equal inputs give equal outputs, and the map has no order of its own.
        let mut ids: Vec<AgentNumber> = self.agents.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(agent) = self.agents.get_mut(&id) else { continue };
            agent.link.leaving = Some(now);
            self.outputs.push_back(Output::Finish(Peer::Agent(id)));
            // Nothing that it sends is passed on any more, but its end is to be seen.
            if matches!(agent.hold, Hold::Since(_)) {
                agent.hold = Hold::Over;
                agent.unread = Vec::new();
                self.outputs.push_back(Output::Resume(Peer::Agent(id)));
            }
        }
        for candidate in self.gm.all() {
            candidate.link.leaving = Some(now);
            self.outputs.push_back(Output::Finish(Peer::Gm(candidate.id)));
        }
        self.end_if_alone();
    }

    fn is_alone(&self) -> bool {
        self.agents.is_empty() && self.gm.is_empty() && self.refused.is_empty()
    }

    fn end_if_alone(&mut self) {
        if self.is_alone()
            && let Some(ending) = self.ending
        {
            let over = Output::Over(ending);
            if !self.outputs.contains(&over) {
                self.outputs.push_back(over);
            }
        }
    }

    // Deadlines.

    fn sweep(&mut self, now: Duration) {
        if now < self.swept + SWEEP {
            return;
        }
        self.swept = now;
        let mut held = self.gm.outbox.held();
        let mut overdue = Vec::new();
        for (id, agent) in &self.agents {
            held += agent.outbox.len() + agent.link.decoder.held() + agent.unread.len();
            if let Some(reason) = self.agent_overdue(now, agent) {
                overdue.push((*id, reason));
            }
        }
        overdue.sort_unstable_by_key(|(id, _)| *id);
        for (id, reason) in overdue {
            self.drop_agent(now, id, reason);
        }
        let nothing = Outbox::default();
        let mut overdue = Vec::new();
        for candidate in self.gm.seat.iter().chain(&self.gm.waiting) {
            held += candidate.link.decoder.held();
            let outbox = if self.gm.has_seat(candidate.id) { &self.gm.outbox } else { &nothing };
            if let Some(reason) = self.overdue(now, &candidate.link, outbox, candidate.link.half_since) {
                overdue.push((candidate.id, reason));
            }
        }
        for (id, reason) in overdue {
            self.drop_gm(now, id, reason);
        }
        self.totals.held_bytes = held;
        self.look_at_seat(now);
        let Limits { farewell, .. } = self.limits;
        let lingering: Vec<Peer> = self
            .refused
            .iter()
            .filter(|(_, refused)| refused.link.leaving.is_some_and(|since| now >= since + farewell))
            .map(|(peer, _)| *peer)
            .collect();
        for peer in lingering {
            self.outputs.push_back(Output::Drop(peer));
            self.refused_left(peer);
        }
        self.gm.outbox.shrink();
        if self.agents.len() < self.agents.capacity() / 8 {
            // What a crowd needed is not kept when it has gone.
            self.agents.shrink_to(2 * self.agents.len());
        }
        for budget in [&mut self.budget, &mut self.closings] {
            if let Some(lines) = budget.withheld(now) {
                self.outputs.push_back(Output::Report(Report::Withheld { lines }));
            }
        }
    }

    /// Whether the connection with the seat still may become the game master.
    fn look_at_seat(&mut self, now: Duration) {
        self.settle_seat(now);
        let answer = self.limits.gm_answer;
        if self.ending.is_none()
            && let Some(seat) = &mut self.gm.seat
            && seat.is_silent(now, answer)
            && !std::mem::replace(&mut seat.reported, true)
        {
            let from = seat.link.from;
            self.tell(now, Report::Silent { from, span: answer });
        }
    }

    /// What an agent should have done by now.
    fn agent_overdue(&self, now: Duration, agent: &Agent) -> Option<Reason> {
        let Limits { gm_wait, first_message, .. } = self.limits;
        let link = &agent.link;
        let since = link.since.max(self.gm.changed);
        if link.leaving.is_none() && self.gm.master().is_none() && now >= since + gm_wait {
            match self.gm.seat {
                None => return Some(Reason::NoGm(gm_wait)),
                Some(_) if agent.joined => return Some(Reason::SilentGm(gm_wait)),
                Some(_) => {}
            }
        }
        if link.leaving.is_none()
            && self.gm.seat.is_some()
            && !agent.joined
            && self.takes_from_agents()
            && now >= since.max(self.resumed) + first_message
        {
            return Some(Reason::Silent(first_message));
        }
        // What an agent sends may be complete in its socket while it is not read.
        let is_read = self.takes_from_agents() && !matches!(agent.hold, Hold::Since(_));
        let half_since = link.half_since.filter(|_| is_read);
        self.overdue(now, link, &agent.outbox, half_since.map(|since| since.max(self.resumed)))
    }

    /// What any peer should have done by now.
    fn overdue(
        &self,
        now: Duration,
        link: &Link,
        outbox: &Outbox,
        half_since: Option<Duration>,
    ) -> Option<Reason> {
        let Limits { farewell, stall, message, .. } = self.limits;
        if let Some(since) = link.leaving {
            return (now >= since + farewell).then_some(Reason::Lingering(farewell));
        }
        if outbox.waits_since().is_some_and(|since| now >= since + stall) {
            return Some(Reason::Stalled(stall));
        }
        half_since.is_some_and(|since| now >= since + message).then_some(Reason::HalfSent(message))
    }

    /// What reports call a peer.
    fn name(&self, peer: Peer) -> Name {
        match peer {
            Peer::Agent(id) => Name::Agent(id),
            Peer::Gm(id) if self.gm.master().is_some_and(|master| master.id == id) => Name::Gm,
            Peer::Gm(_) | Peer::Refused(_) => Name::Candidate,
        }
    }

    /// Reports what a peer caused, unless peers have caused too many lines in this second. Details are for
    /// whoever switched them on.
    fn tell(&mut self, now: Duration, report: Report) {
        let budget = match report {
            Report::Dropped { .. } => &mut self.closings,
            _ => &mut self.budget,
        };
        if report.level() == Level::Detail || budget.take(now) {
            self.outputs.push_back(Output::Report(report));
        }
    }
}

impl Agent {
    fn new(link: Link) -> Self {
        Self {
            link,
            outbox: Outbox::default(),
            joined: false,
            window: Window::new(),
            hold: Hold::No,
            unread: Vec::new(),
        }
    }
}

impl Link {
    fn new(from: SocketAddr, now: Duration, limit: u16) -> Self {
        let decoder = Decoder::new(limit);
        Self { from, since: now, decoder, half_since: None, invalid: 0, spoke: false, leaving: None }
    }

    /// Notes that bytes arrived, and whether they completed a message.
    #[inline]
    fn arrived(&mut self, now: Duration, complete: bool) {
        if !self.decoder.is_inside_frame() {
            self.half_since = None;
        } else if complete || self.half_since.is_none() {
            self.half_since = Some(now);
        }
    }

    fn end(&self, error: Option<std::io::ErrorKind>) -> End {
        match error {
            Some(kind) => End::Broken(kind),
            None if self.decoder.is_inside_frame() => End::ClosedInMessage,
            None => End::Closed,
        }
    }
}

/// A message that cannot be passed on.
struct Fault<'a> {
    why: Invalid,
    start: &'a [u8],
}

impl<'a> Fault<'a> {
    fn new(why: impl Into<Invalid>, body: &'a [u8]) -> Self {
        Self { why: why.into(), start: &body[..body.len().min(EXCERPT)] }
    }

    fn report(self, name: Name, from: SocketAddr) -> Report {
        Report::Invalid { name, from, why: self.why, start: self.start.to_owned() }
    }
}

impl<'a> From<FrameError<'a>> for Fault<'a> {
    fn from(error: FrameError<'a>) -> Self {
        match error {
            FrameError::Empty => Self::new(Invalid::Empty, &[]),
            FrameError::TooLong { length, limit, start } => {
                Self::new(Invalid::TooLong { length: length.into(), limit }, start)
            }
        }
    }
}

/// A message that was passed on.
#[derive(Debug)]
struct Passed {
    message_id: i64,
    /// The length of its body.
    body: u16,
}

/// Appends an agent's message with the agent's own id in it.
#[inline]
fn pass_to_gm<'a>(
    item: Result<&'a [u8], FrameError<'a>>,
    agent: AgentNumber,
    limit: u16,
    out: &mut Vec<u8>,
) -> Result<Passed, Fault<'a>> {
    let body = item?;
    let outline = Outline::of(body).map_err(|error| Fault::new(error, body))?;
    // The game master believes it: an agent could put any other one out of the game.
    if outline.message_id == AGENT_LOST {
        return Err(Fault::new(Invalid::Reserved, body));
    }
    let start = out.len();
    let written = frame::write_with(out, |out| outline.splice(body, agent.0.into(), out));
    let length = written.map_or_else(|error| error.length, |()| out.len() - start - frame::HEADER);
    if length > limit.into() {
        out.truncate(start);
        return Err(Fault::new(Invalid::TooLongWithId { length, limit }, body));
    }
    let body = u16::try_from(length).expect("it is no longer than the limit");
    Ok(Passed { message_id: outline.message_id, body })
}

/// Tells an agent that its message was dropped, as the game master would: with message 905.
#[cold]
fn refuse_message(id: AgentNumber, why: &Invalid, out: &mut Vec<u8>) {
    frame::write_with(out, |body| {
        let payload = json!({"reason": format!("the communication server dropped a message: {why}")});
        write!(body, r#"{{"messageID":{UNDEFINED_ERROR},"agentID":{id},"payload":{payload}}}"#)
            .expect("a vector takes everything");
    })
    .expect("the message is short");
}

/// A message of the game master, and the agent that it is for, if it names one.
struct Addressed<'a> {
    id: i64,
    agent: Option<i64>,
    body: &'a [u8],
}

#[inline]
fn addressed<'a>(item: Result<&'a [u8], FrameError<'a>>) -> Result<Addressed<'a>, Fault<'a>> {
    let body = item?;
    let outline = Outline::of(body).map_err(|error| Fault::new(error, body))?;
    let agent = match outline.agent {
        AgentField::Integer(id) => Some(id),
        _ => None,
    };
    Ok(Addressed { id: outline.message_id, agent, body })
}
