//! Who is who, and what goes where: every decision of the server, without a socket.
//!
//! The shell tells the [`Router`] what happened as one [`Input`] at a time, together with the time since it
//! began, and then takes [`Output`]s until there are none. Bytes do not travel with outputs:
//! [`Output::Write`] says that there are some, [`Router::pending`] shows them, and [`Input::Written`] says how
//! many a connection took.
//!
//! # What it deliberately does not do
//!
//! It never looks into a payload. It keeps no memory of an agent that has left: its number is spent, and what
//! is sent to it is dropped. It lets nobody come back under an old number.
//!
//! # Decisions where the specification is silent
//!
//! - What agents send before there is a game master waits for it, up to the same limit as later.
//! - When the game master reads too slowly, agents are not read either, so that TCP slows them down; an agent
//!   that reads too slowly is dropped, since nobody can be asked to wait for it.
//! - 906 is sent for an agent from which the game master has got something. Of others it does not know. Nobody
//!   else may send it: from an agent it is an invalid message.
//! - A connection to the game master's port that ends before a byte went either way was not the game master
//!   but a port scanner or a health check: it is not the end of the game.

mod outbox;
mod report;

use std::collections::{HashMap, VecDeque};
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use wire::envelope::{AgentField, Outline};
use wire::frame::{self, Decoder, EXCERPT, FrameError};

use crate::config::Limits;
use crate::router::outbox::Outbox;
use crate::router::report::Budget;

pub use crate::router::report::{End, Ending, Invalid, Level, Reason, Refusal, Report};

/// How often deadlines are looked at: each is kept to this much.
const SWEEP: Duration = Duration::from_millis(250);

/// The message that tells the game master of a lost agent (specification, section 6).
const AGENT_LOST: i64 = 906;

/// The number of an agent's connection: from 1 on, never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AgentId(i32);

impl AgentId {
    /// The number itself. It fits into the signed 32 bits in which real agents keep it.
    pub const fn get(self) -> i32 {
        self.0
    }
}

/// One end of a connection that was let in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Peer {
    /// The game master.
    Gm,
    /// An agent.
    Agent(AgentId),
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
    agents: HashMap<AgentId, Agent>,
    gm: Option<Link>,
    /// What is to be written to the game master, whether it is there yet or not.
    to_gm: Outbox,
    /// Whether the game master that is there got anything.
    gm_was_written_to: bool,
    /// When the game master came, or since when there is none.
    gm_changed: Duration,
    /// When agents were last read again after the game master had been too slow.
    resumed: Duration,
    last_id: i32,
    ending: Option<Ending>,
    swept: Duration,
    /// For the lines that peers cause.
    budget: Budget,
    /// For the lines that say who was closed: an agent's own flood must not hide how it ended.
    closings: Budget,
    totals: Totals,
    outputs: VecDeque<Output>,
    /// Agents found too slow while the game master's messages were dealt out; empty between inputs.
    slow: Vec<AgentId>,
}

/// What both kinds of peers have.
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
}

impl Router {
    /// A server to which nobody is connected.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            agents: HashMap::new(),
            gm: None,
            to_gm: Outbox::default(),
            gm_was_written_to: false,
            gm_changed: Duration::ZERO,
            resumed: Duration::ZERO,
            last_id: 0,
            ending: None,
            swept: Duration::ZERO,
            budget: Budget::new(limits.log_lines_per_second),
            closings: Budget::new(limits.log_lines_per_second),
            totals: Totals::default(),
            outputs: VecDeque::new(),
            slow: Vec::new(),
        }
    }

    /// Takes in what happened, `now` after the server began. Outputs are to be taken before the next input.
    #[inline]
    pub fn handle(&mut self, now: Duration, input: Input<'_>) {
        match input {
            Input::Received { peer: Peer::Agent(id), bytes } => self.agent_sent(now, id, bytes),
            Input::Received { peer: Peer::Gm, bytes } => self.gm_sent(now, bytes),
            Input::Written { peer: Peer::Agent(id), bytes } => self.agent_took(now, id, bytes),
            Input::Written { peer: Peer::Gm, bytes } => self.gm_took(now, bytes),
            Input::Connected { role: Role::Agent, from } => self.agent_came(now, from),
            Input::Connected { role: Role::Gm, from } => self.gm_came(now, from),
            Input::Ended { peer: Peer::Agent(id), error } => self.agent_left(now, id, error),
            Input::Ended { peer: Peer::Gm, error } => self.gm_left(now, error),
            Input::Woken => self.sweep(now),
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
        (!self.agents.is_empty() || self.gm.is_some() || self.budget.owes() || self.closings.owes())
            .then(|| self.swept + SWEEP)
    }

    /// What is to be written to a peer.
    #[inline]
    pub fn pending(&self, peer: Peer) -> &[u8] {
        match peer {
            Peer::Gm => self.to_gm.pending(),
            Peer::Agent(id) => self.agents.get(&id).map_or(&[], |agent| agent.outbox.pending()),
        }
    }

    /// Whether agents are to be read: not while too much waits for the game master. At the end they are, to
    /// learn that they have closed their ends.
    #[inline]
    pub fn takes_from_agents(&self) -> bool {
        self.to_gm.len() < self.limits.gm_buffer_bytes || self.ending.is_some()
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
        } else if self.last_id == i32::MAX {
            Refusal::NoIdLeft
        } else {
            self.last_id += 1;
            let id = AgentId(self.last_id);
            let link = Link::new(from, now, self.limits.message_bytes);
            self.agents.insert(id, Agent { link, outbox: Outbox::default() });
            self.totals.agents += 1;
            return self.admit(now, Peer::Agent(id), from);
        };
        self.refuse(now, Role::Agent, from, refusal);
    }

    fn gm_came(&mut self, now: Duration, from: SocketAddr) {
        let refusal = if self.ending.is_some() {
            Refusal::Ending
        } else if self.gm.is_some() {
            Refusal::Taken
        } else {
            self.gm = Some(Link::new(from, now, self.limits.message_bytes));
            self.gm_changed = now;
            self.gm_was_written_to = false;
            self.totals.gm = true;
            self.to_gm.restart(now);
            self.admit(now, Peer::Gm, from);
            if !self.to_gm.is_empty() {
                self.outputs.push_back(Output::Write(Peer::Gm));
            }
            return;
        };
        self.refuse(now, Role::Gm, from, refusal);
    }

    fn admit(&mut self, now: Duration, peer: Peer, from: SocketAddr) {
        if self.wake_at().is_none_or(|at| at < now) {
            self.swept = now;
        }
        self.totals.admitted += 1;
        self.outputs.push_back(Output::Admitted(peer));
        self.tell(now, Report::Connected { peer, from });
    }

    fn refuse(&mut self, now: Duration, role: Role, from: SocketAddr, why: Refusal) {
        self.totals.refused += 1;
        self.outputs.push_back(Output::Refused);
        self.tell(now, Report::Refused { role, from, why });
    }

    // Passing on.

    fn agent_sent(&mut self, now: Duration, id: AgentId, mut bytes: &[u8]) {
        let Some(agent) = self.agents.get_mut(&id).filter(|agent| agent.link.leaving.is_none()) else {
            return;
        };
        let link = &mut agent.link;
        let nothing_waited = self.to_gm.is_empty();
        let mut complete = false;
        while let Some(item) = link.decoder.next(&mut bytes) {
            complete = true;
            match pass_to_gm(item, id, self.limits.message_bytes, self.to_gm.end(now)) {
                Ok(()) => {
                    link.spoke = true;
                    self.totals.to_gm += 1;
                }
                Err(fault) => {
                    link.invalid += 1;
                    self.totals.invalid += 1;
                    if self.budget.take(now) {
                        let report = fault.report(Peer::Agent(id), link.from);
                        self.outputs.push_back(Output::Report(report));
                    }
                    if link.invalid >= self.limits.invalid_messages {
                        break;
                    }
                }
            }
        }
        link.arrived(now, complete);
        let invalid = link.invalid;
        if nothing_waited && !self.to_gm.is_empty() && self.gm.is_some() {
            self.outputs.push_back(Output::Write(Peer::Gm));
        }
        if invalid >= self.limits.invalid_messages {
            self.drop_agent(now, id, Reason::Invalid(invalid));
        }
    }

    fn gm_sent(&mut self, now: Duration, mut bytes: &[u8]) {
        let Some(link) = self.gm.as_mut().filter(|link| link.leaving.is_none()) else { return };
        let mut complete = false;
        while let Some(item) = link.decoder.next(&mut bytes) {
            complete = true;
            let fault = match addressee(item) {
                Ok((agent, body)) => {
                    link.spoke = true;
                    let agent = i32::try_from(agent).ok().map(AgentId);
                    let found = agent.and_then(|id| Some((id, self.agents.get_mut(&id)?)));
                    match found.filter(|(_, agent)| agent.link.leaving.is_none()) {
                        None => self.totals.undeliverable += 1,
                        Some((id, agent)) => {
                            if agent.outbox.is_empty() {
                                self.outputs.push_back(Output::Write(Peer::Agent(id)));
                            }
                            frame::write(body, agent.outbox.end(now)).expect("the body came in a frame");
                            self.totals.to_agents += 1;
                            if agent.outbox.len() > self.limits.agent_buffer_bytes {
                                self.slow.push(id);
                            }
                        }
                    }
                    continue;
                }
                Err(fault) => fault,
            };
            link.invalid += 1;
            self.totals.invalid += 1;
            if self.budget.take(now) {
                self.outputs.push_back(Output::Report(fault.report(Peer::Gm, link.from)));
            }
            if link.invalid >= self.limits.invalid_messages {
                break;
            }
        }
        link.arrived(now, complete);
        let invalid = link.invalid;
        while let Some(id) = self.slow.pop() {
            // An agent may stand there more than once.
            let waiting = self.pending(Peer::Agent(id)).len();
            self.drop_agent(now, id, Reason::Slow(waiting));
        }
        if invalid >= self.limits.invalid_messages {
            self.drop_gm(now, Reason::Invalid(invalid));
        }
    }

    fn agent_took(&mut self, now: Duration, id: AgentId, bytes: usize) {
        if let Some(agent) = self.agents.get_mut(&id) {
            agent.outbox.advance(now, bytes);
            agent.outbox.shrink();
        }
    }

    fn gm_took(&mut self, now: Duration, bytes: usize) {
        let was_slow = !self.takes_from_agents();
        self.to_gm.advance(now, bytes);
        self.gm_was_written_to = true;
        if was_slow && self.takes_from_agents() {
            self.resumed = now;
        }
    }

    // Going.

    fn agent_left(&mut self, now: Duration, id: AgentId, error: Option<std::io::ErrorKind>) {
        let Some(agent) = self.remove_agent(now, id) else { return };
        if agent.link.leaving.is_none() {
            let how = agent.link.end(error);
            self.tell(now, Report::Left { peer: Peer::Agent(id), from: agent.link.from, how });
        }
        self.end_if_alone();
    }

    fn drop_agent(&mut self, now: Duration, id: AgentId, why: Reason) {
        let Some(agent) = self.remove_agent(now, id) else { return };
        self.totals.dropped += 1;
        self.outputs.push_back(Output::Drop(Peer::Agent(id)));
        self.tell(now, Report::Dropped { peer: Peer::Agent(id), from: agent.link.from, why });
        self.end_if_alone();
    }

    fn remove_agent(&mut self, now: Duration, id: AgentId) -> Option<Agent> {
        let agent = self.agents.remove(&id)?;
        self.totals.agents -= 1;
        if agent.link.spoke && self.limits.report_lost_agents && self.ending.is_none() {
            if self.to_gm.is_empty() && self.gm.is_some() {
                self.outputs.push_back(Output::Write(Peer::Gm));
            }
            frame::write_with(self.to_gm.end(now), |body| {
                write!(body, r#"{{"messageID":{AGENT_LOST},"agentID":{id},"payload":{{"agentID":{id}}}}}"#)
                    .expect("a vector takes everything");
            })
            .expect("the message is short");
        }
        Some(agent)
    }

    fn gm_left(&mut self, now: Duration, error: Option<std::io::ErrorKind>) {
        let Some(link) = self.remove_gm(now) else { return };
        if link.leaving.is_none() {
            let how = link.end(error);
            self.tell(now, Report::Left { peer: Peer::Gm, from: link.from, how });
            if link.spoke || self.gm_was_written_to {
                self.end(now, if how == End::Closed { Ending::GmLeft } else { Ending::GmLost });
            }
        }
        self.end_if_alone();
    }

    fn drop_gm(&mut self, now: Duration, why: Reason) {
        let Some(link) = self.remove_gm(now) else { return };
        self.totals.dropped += 1;
        self.outputs.push_back(Output::Drop(Peer::Gm));
        self.tell(now, Report::Dropped { peer: Peer::Gm, from: link.from, why });
        if link.spoke || self.gm_was_written_to {
            self.end(now, Ending::GmLost);
        }
        self.end_if_alone();
    }

    fn remove_gm(&mut self, now: Duration) -> Option<Link> {
        let link = self.gm.take()?;
        self.gm_changed = now;
        self.totals.gm = false;
        Some(link)
    }

    /// Begins to close every connection, unless that has begun.
    fn end(&mut self, now: Duration, ending: Ending) {
        if self.ending.is_some() {
            return;
        }
        self.ending = Some(ending);
        self.outputs.push_back(Output::Report(Report::Ending(ending)));
        // In the order of their numbers: equal inputs give equal outputs, and the map has no order of its own.
        let first = self.outputs.len();
        for (id, agent) in &mut self.agents {
            agent.link.leaving = Some(now);
            self.outputs.push_back(Output::Finish(Peer::Agent(*id)));
        }
        self.outputs.make_contiguous()[first..].sort_unstable_by_key(|output| match output {
            Output::Finish(Peer::Agent(id)) => Some(*id),
            _ => None,
        });
        if let Some(link) = &mut self.gm {
            link.leaving = Some(now);
            self.outputs.push_back(Output::Finish(Peer::Gm));
        }
        self.end_if_alone();
    }

    fn end_if_alone(&mut self) {
        if self.agents.is_empty()
            && self.gm.is_none()
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
        let mut held = self.to_gm.len() + self.gm.as_ref().map_or(0, |link| link.decoder.held());
        let mut overdue = Vec::new();
        for (id, agent) in &self.agents {
            held += agent.outbox.len() + agent.link.decoder.held();
            if let Some(reason) = self.agent_overdue(now, agent) {
                overdue.push((*id, reason));
            }
        }
        self.totals.held_bytes = held;
        overdue.sort_unstable_by_key(|(id, _)| *id);
        for (id, reason) in overdue {
            self.drop_agent(now, id, reason);
        }
        if let Some(reason) = self.gm_overdue(now) {
            self.drop_gm(now, reason);
        }
        self.to_gm.shrink();
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

    /// What an agent should have done by now.
    fn agent_overdue(&self, now: Duration, agent: &Agent) -> Option<Reason> {
        let Limits { gm_wait, first_message, .. } = self.limits;
        let link = &agent.link;
        if link.leaving.is_none() && self.gm.is_none() && now >= link.since.max(self.gm_changed) + gm_wait {
            return Some(Reason::NoGm(gm_wait));
        }
        let silent_since = link.since.max(self.gm_changed).max(self.resumed);
        if link.leaving.is_none()
            && self.gm.is_some()
            && !link.spoke
            && self.takes_from_agents()
            && now >= silent_since + first_message
        {
            return Some(Reason::Silent(first_message));
        }
        // What an agent sends may be complete in its socket while agents are not read.
        let half_since = link.half_since.filter(|_| self.takes_from_agents());
        self.overdue(now, link, &agent.outbox, half_since.map(|since| since.max(self.resumed)))
    }

    fn gm_overdue(&self, now: Duration) -> Option<Reason> {
        let link = self.gm.as_ref()?;
        self.overdue(now, link, &self.to_gm, link.half_since)
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

    fn report(self, peer: Peer, from: SocketAddr) -> Report {
        Report::Invalid { peer, from, why: self.why, start: self.start.to_owned() }
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

/// Appends an agent's message with the agent's own id in it.
#[inline]
fn pass_to_gm<'a>(
    item: Result<&'a [u8], FrameError<'a>>,
    agent: AgentId,
    limit: u16,
    out: &mut Vec<u8>,
) -> Result<(), Fault<'a>> {
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
    Ok(())
}

/// The agent that the game master's message is for.
#[inline]
fn addressee<'a>(item: Result<&'a [u8], FrameError<'a>>) -> Result<(i64, &'a [u8]), Fault<'a>> {
    let body = item?;
    match Outline::of(body).map_err(|error| Fault::new(error, body))?.agent {
        AgentField::Integer(id) => Ok((id, body)),
        _ => Err(Fault::new(Invalid::NoAddressee, body)),
    }
}
