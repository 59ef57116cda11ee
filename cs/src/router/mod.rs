//! All decisions of the server, sans-IO: which connection is which agent, and where each message goes.
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

mod input;
mod output;
mod peer;

mod admission;
mod deadlines;
mod departure;
mod relay;

mod gm_port;
mod link;
mod message;
mod outbox;
mod report;
mod window;

use std::collections::{BTreeMap, VecDeque};

use command_line::LineBudget;
use game_env::{Millis, SimTime};
use rustc_hash::FxHashMap;

use crate::config::Limits;
use crate::router::gm_port::GmPort;
use crate::router::link::{Agent, Refused};

pub use crate::router::input::Input;
pub use crate::router::output::{Output, Totals};
pub use crate::router::peer::{AgentNumber, ConnectionId, Peer, Role};
pub use crate::router::report::{End, Ending, Invalid, Level, Name, Reason, Refusal, Report};

/// Time between two checks of deadlines: each deadline is kept to this precision.
const SWEEP: Millis = Millis::new(250);

/// Number of refused connections that may wait for the reason at once. More are closed without a message.
const LAST_WORDS: usize = 64;

/// A request to join (specification, section 6): the first message of agents. No game master sends it.
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

/// The state of the server.
#[derive(Debug)]
pub struct Router {
    limits: Limits,
    /// The ports that agents and the game master should connect to, for hints.
    agents_port: Option<u16>,
    gm_port: Option<u16>,
    /// Numbers that are given out here need no hash against collisions on purpose.
    agents: FxHashMap<AgentNumber, Agent>,
    gm: GmPort,
    /// Connections that were refused and received the reason, until they have closed their ends.
    refused: BTreeMap<Peer, Refused>,
    /// Time at which agents were last read again after the game master had been too slow.
    resumed: SimTime,
    /// Times at which agents that are not read are to be read again, in the order of these times. An agent is here
    /// once.
    holds: VecDeque<(SimTime, AgentNumber)>,
    last_agent: i32,
    last_connection: u32,
    /// Whether the last game that began has ended, as far as messages show it.
    game_over: bool,
    ending: Option<Ending>,
    swept: SimTime,
    /// For the lines that peers cause.
    budget: LineBudget,
    /// For the lines about closed connections: an agent's own flood must not hide the reason for its end.
    closings: LineBudget,
    totals: Totals,
    outputs: VecDeque<Output>,
    /// Agents found too slow while the game master's messages were dealt out; empty between inputs.
    slow: Vec<AgentNumber>,
    /// Agents that were answered while they were held; empty between inputs.
    answered: Vec<AgentNumber>,
}

impl Router {
    /// Creates a server to which nobody is connected.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            agents_port: None,
            gm_port: None,
            agents: FxHashMap::default(),
            gm: GmPort::new(),
            refused: BTreeMap::new(),
            resumed: SimTime::START,
            holds: VecDeque::new(),
            last_agent: 0,
            last_connection: 0,
            game_over: false,
            ending: None,
            swept: SimTime::START,
            budget: LineBudget::new(limits.log_lines_per_second),
            closings: LineBudget::new(limits.log_lines_per_second),
            totals: Totals::default(),
            outputs: VecDeque::new(),
            slow: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Tells a peer that comes to the wrong port which one is right.
    pub fn with_ports(mut self, agents: u16, gm: u16) -> Self {
        (self.agents_port, self.gm_port) = (Some(agents), Some(gm));
        self
    }

    /// Handles an event that happened `now`, the time since the server began. Outputs are to be taken before the next
    /// input.
    #[inline]
    pub fn handle(&mut self, now: SimTime, input: Input<'_>) {
        match input {
            Input::Received { peer: Peer::Agent(id), bytes } => self.agent_sent(now, id, bytes),
            Input::Received { peer: Peer::Gm(id), bytes } => self.gm_sent(now, id, bytes),
            Input::Received { peer: Peer::Refused(_), .. } => {}
            Input::Written { peer: Peer::Agent(id), bytes } => self.agent_took(now, id, bytes),
            Input::Written { peer: Peer::Gm(id), bytes } if self.gm.find(id).is_some() => {
                self.gm_took(now, id, bytes);
            }
            Input::Written { peer, bytes } => self.refused_took(now, peer, bytes),
            Input::Connected { role: Role::Agent, from } => self.agent_came(now, from),
            Input::Connected { role: Role::Gm, from } => self.gm_came(now, from),
            Input::Ended { peer: Peer::Agent(id), error } => self.agent_left(now, id, error),
            Input::Ended { peer: Peer::Gm(id), error } => self.gm_left(now, id, error),
            Input::Ended { peer: peer @ Peer::Refused(_), .. } => self.refused_left(peer),
            Input::Tick => {
                self.release(now);
                self.sweep(now);
            }
            Input::Stop => self.end(now, Ending::Stopped),
        }
    }

    /// Returns the next output, or none until the next input.
    #[inline]
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns the time at which [`Input::Tick`] is due; `None` while nobody is connected and no withheld lines are to
    /// be reported.
    pub fn wake_at(&self) -> Option<SimTime> {
        let sweep = self.swept + SWEEP;
        let release = self.holds.front().map_or(sweep, |(at, _)| sweep.min(*at));
        (!self.is_alone() || self.budget.owes() || self.closings.owes()).then_some(release)
    }

    /// Returns the bytes that are to be written to a peer.
    #[inline]
    pub fn pending(&self, peer: Peer) -> &[u8] {
        match peer {
            Peer::Agent(id) => {
                self.agents.get(&id).map_or_else(|| self.last_words(peer), |agent| agent.outbox.pending())
            }
            Peer::Gm(id) => self.gm.pending(id).unwrap_or_else(|| self.last_words(peer)),
            Peer::Refused(_) => self.last_words(peer),
        }
    }

    /// Returns the bytes that are to be written to a peer that was refused and told why.
    fn last_words(&self, peer: Peer) -> &[u8] {
        self.refused.get(&peer).map_or(&[], |refused| refused.outbox.pending())
    }

    /// Returns the game master, or the first connection that may be it, and the messages for the game master that have
    /// been written to no connection.
    pub fn pending_for_gm(&self) -> (Option<Peer>, &[u8]) {
        (self.gm.first().map(|first| Peer::Gm(first.id)), self.gm.unwritten())
    }

    /// Returns whether connections to the game master's port are to be accepted: not while too many connections may be
    /// the game master. A game master that waits in the system's queue keeps its turn there.
    pub fn takes_from_gm_port(&self, now: SimTime) -> bool {
        let is_decided = self.ending.is_some() || self.gm.master().is_some();
        is_decided || self.gm.has_place(now, self.limits.gm_answer)
    }

    /// Returns whether agents are to be read: not while too much waits for the game master. At the end they are, to
    /// learn that they have closed their ends.
    #[inline]
    pub fn takes_from_agents(&self) -> bool {
        self.gm.outbox.len() < self.limits.gm_buffer_bytes || self.ending.is_some()
    }

    /// Returns the counts as they stand.
    pub fn totals(&self) -> Totals {
        Totals { gm: !self.gm.is_empty(), ..self.totals }
    }

    /// Returns the name of a peer in reports.
    fn name(&self, peer: Peer) -> Name {
        match peer {
            Peer::Agent(id) => Name::Agent(id),
            Peer::Gm(id) if self.gm.master().is_some_and(|master| master.id == id) => Name::Gm,
            Peer::Gm(_) | Peer::Refused(_) => Name::Candidate,
        }
    }

    /// Reports an event that a peer caused, unless peers have caused too many lines in this second. Details go to
    /// operators who switched them on.
    fn tell(&mut self, now: SimTime, report: Report) {
        let budget = match report {
            Report::Dropped { .. } => &mut self.closings,
            _ => &mut self.budget,
        };
        if report.level() == Level::Detail || budget.take(now) {
            self.outputs.push_back(Output::Report(report));
        }
    }
}
