//! Rules that hold for every game on the network, whatever happens to it: they are checked against the input and output
//! of the game master, and against the messages that arrive at the other end.
//!
//! The audit says nothing about who plays well. The number and the kind of answers to each message are written down
//! here a second time, from the specification (section 6), so that the game master is not compared with itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use game_env::{AgentId, Environment, Turn};
use game_project::{ActionKind, Event, Refusal, State, Team};
use reference_gm::project::{AgentSet, Input, Master};
use wire::envelope::Envelope;
use wire::project::{AgentNumber, Dialect, Request, read_request};

/// The message by which the communication server reports a lost agent.
const LOST: i64 = 906;

/// The message that answers a request to join. The server also sends it before it closes a connection.
const REFUSED: i64 = 107;

/// Number of violations that are kept; more say nothing new.
const KEPT: usize = 20;

/// Observations so far, and their violations of the rules.
#[derive(Default)]
pub(super) struct Audit {
    /// Whether the server is to report lost agents.
    reports_lost: bool,
    violations: Vec<String>,
    /// The number of each agent's link.
    numbers: BTreeMap<usize, i64>,
    /// Messages that well-behaved agents have sent and the server has not passed on yet, by their links.
    sent: BTreeMap<usize, VecDeque<Vec<u8>>>,
    /// Messages that the server has passed on and the game master has not read yet.
    passed_on: VecDeque<Vec<u8>>,
    /// Number of these messages by their agents.
    unread: BTreeMap<i64, u32>,
    /// Agents of which the server has passed a message on.
    known: BTreeSet<i64>,
    /// Agents whose end the server has reported.
    reported: BTreeSet<i64>,
    /// Agents whose connections ended while the server went on.
    ended: BTreeSet<i64>,
    /// Messages that the game master has sent to each agent and the agent has not heard yet.
    said: BTreeMap<i64, VecDeque<Vec<u8>>>,
    /// Links that the server closed against their agents' will.
    dropped: BTreeSet<usize>,
    /// The winner, as the agents heard it.
    winner: Option<Team>,
    /// Number of inputs that the game master has served.
    served: u64,
}

/// Phase of a game at an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Lobby,
    Play,
    Over,
}

impl Phase {
    pub(super) fn of(master: &Master, is_done: bool) -> Self {
        match master.game() {
            _ if is_done => Self::Over,
            None => Self::Lobby,
            Some(_) => Self::Play,
        }
    }
}

/// An input that the game master has served.
pub(super) struct Served<'a> {
    pub(super) before: Phase,
    pub(super) input: Input<'a>,
    /// The events of the rules.
    pub(super) events: &'a [Event],
    /// The messages about it: the numbers of agents and of messages.
    pub(super) told: &'a [(i64, i64)],
    pub(super) dialect: Dialect,
    pub(super) acknowledge: &'a AgentSet,
}

impl Audit {
    pub(super) fn new(reports_lost: bool) -> Self {
        Self { reports_lost, ..Self::default() }
    }

    /// Notes a violation unless this holds.
    pub(super) fn check(&mut self, holds: bool, violation: impl FnOnce() -> String) {
        if !holds && self.violations.len() < KEPT {
            self.violations.push(violation());
        }
    }

    pub(super) fn admitted(&mut self, link: usize, number: i64) {
        self.numbers.insert(link, number);
    }

    pub(super) fn dropped(&mut self, link: usize) {
        self.dropped.insert(link);
    }

    /// Returns whether the server closed this link against its agent's will.
    pub(super) fn was_dropped(&self, link: usize) -> bool {
        self.dropped.contains(&link)
    }

    /// Returns the number of an agent's connection, if the server let it in.
    pub(super) fn number(&self, link: usize) -> Option<i64> {
        self.numbers.get(&link).copied()
    }

    /// An agent's connection has ended, perhaps because the server closes all.
    pub(super) fn ended(&mut self, number: i64, server_ends: bool) {
        if !server_ends {
            self.ended.insert(number);
        }
    }

    /// A well-behaved agent has sent a message.
    pub(super) fn sent(&mut self, link: usize, body: &[u8]) {
        self.sent.entry(link).or_default().push_back(body.to_owned());
    }

    /// The server has written a message to the game master.
    pub(super) fn passed_on(&mut self, body: &[u8]) {
        self.passed_on.push_back(body.to_owned());
        let text = || String::from_utf8_lossy(body);
        let Ok(Envelope { message_id, agent_id: Some(number), payload, .. }) = Envelope::parse(body) else {
            return self
                .check(false, || format!("the server passed on what is no message of anybody: {}", text()));
        };
        self.check(!self.reported.contains(&number), || {
            format!("a message of agent {number} came after the report that it is lost: {}", text())
        });
        if message_id == LOST {
            self.reported.insert(number);
            let is_own = payload.is_some_and(|payload| payload.get() == format!("{{\"agentID\":{number}}}"));
            self.check(is_own, || format!("agent {number} reports that another one is lost: {}", text()));
            self.check(self.ended.contains(&number), || {
                format!("agent {number} is said to be lost and is not")
            });
            return;
        }
        self.known.insert(number);
        *self.unread.entry(number).or_default() += 1;
        let link = self.numbers.iter().find(|(_, other)| **other == number).map(|(link, _)| *link);
        let Some(sent) = link.and_then(|link| self.sent.get_mut(&link)) else { return };
        let first = sent.pop_front();
        let is_same = first.as_deref().and_then(|first| Envelope::parse(first).ok()).is_some_and(|first| {
            let text = |envelope: &Envelope<'_>| envelope.payload.map(|payload| payload.get().to_owned());
            let passed_on = Envelope { message_id, agent_id: Some(number), payload, correlation_id: None };
            first.message_id == message_id && text(&first) == text(&passed_on)
        });
        self.check(is_same, || format!("agent {number} did not send this next: {}", text()));
    }

    /// The game master has read a message.
    pub(super) fn arrived(&mut self, body: &[u8]) {
        let next = self.passed_on.pop_front();
        let sender =
            Envelope::parse(body).ok().filter(|read| read.message_id != LOST).and_then(|read| read.agent_id);
        if let Some(unread) = sender.and_then(|sender| self.unread.get_mut(&sender)) {
            *unread = unread.saturating_sub(1);
        }
        self.check(next.as_deref() == Some(body), || {
            format!("the server did not write this next: {}", String::from_utf8_lossy(body))
        });
    }

    /// The game master has said something to an agent.
    pub(super) fn said(&mut self, number: i64, body: &[u8]) {
        self.said.entry(number).or_default().push_back(body.to_owned());
    }

    /// An agent has heard something.
    pub(super) fn heard(&mut self, link: usize, body: &[u8]) {
        // The server itself answers the messages that it drops.
        const DROPPED: &[u8] = br#""payload":{"reason":"the communication server dropped a message: "#;
        if body.windows(DROPPED.len()).any(|part| part == DROPPED) {
            return;
        }
        // The server also tells some connections why it closes them, with agent number 0.
        let is_closing = |read: Envelope<'_>| (read.message_id, read.agent_id) == (REFUSED, Some(0));
        if Envelope::parse(body).is_ok_and(is_closing) {
            return;
        }
        let next = self.number(link).and_then(|number| self.said.get_mut(&number)?.pop_front());
        self.check(next.as_deref() == Some(body), || {
            format!("link {link} heard what was not said next: {}", String::from_utf8_lossy(body))
        });
    }

    /// Returns whether nothing is on its way between a well-behaved agent and the game master; the agent's number, if
    /// so.
    pub(super) fn settled(&self, link: usize) -> Option<i64> {
        let number = self.number(link)?;
        let none_sent = self.sent.get(&link).is_none_or(VecDeque::is_empty);
        let none_unread = self.unread.get(&number).is_none_or(|unread| *unread == 0);
        let none_said = self.said.get(&number).is_none_or(VecDeque::is_empty);
        (none_sent && none_unread && none_said).then_some(number)
    }

    /// An agent heard who won.
    pub(super) fn told(&mut self, link: usize, winner: Team) {
        let agreed = *self.winner.get_or_insert(winner);
        self.check(agreed == winner, || format!("link {link} heard that {winner} won, others {agreed}"));
    }

    /// The game master has served an input.
    pub(super) fn served(&mut self, master: &Master, served: &Served<'_>) {
        self.served += 1;
        if let Some(state) = master.game() {
            // Counting takes as long as the board is large.
            let rest = u64::from(state.config().geometry().fields()) / 256;
            if !served.events.is_empty() && self.served.is_multiple_of(rest + 1) {
                self.check_board(state);
            }
        }
        let mut expected = Vec::new();
        if let Input::Body(body) = served.input {
            self.expect_answer(master, served, body, &mut expected);
        }
        for event in served.events {
            expect_event(master, served, event, &mut expected);
        }
        if served.before == Phase::Lobby
            && let Some(seats) = master.seats()
        {
            // Every agent hears of the beginning, in any order.
            let mut beginnings: Vec<i64> =
                served.told.iter().filter(|(_, id)| *id == 105).map(|(to, _)| *to).collect();
            beginnings.sort_unstable();
            let mut all: Vec<i64> = AgentId::all(seats.len()).map(|agent| seats.number(agent).0).collect();
            all.sort_unstable();
            self.check(beginnings == all, || format!("{beginnings:?} were told the beginning, not {all:?}"));
        }
        let starts = served.before == Phase::Lobby;
        let told: Vec<_> = served.told.iter().filter(|(_, id)| !(starts && *id == 105)).collect();
        let is_right = told.len() == expected.len()
            && told.iter().zip(&expected).all(|((to, id), (whom, ids))| to == whom && ids.contains(id));
        self.check(is_right, || {
            let input = match served.input {
                Input::Body(body) => String::from_utf8_lossy(body).into_owned(),
                input => format!("{input:?}"),
            };
            format!("in the {:?}, {input} was answered {told:?}, expected was {expected:?}", served.before)
        });
    }

    /// Makes the last checks, when nothing happens any more; returns all violations.
    pub(super) fn finish(mut self) -> Vec<String> {
        let mut must_be_reported: BTreeSet<i64> = self.ended.intersection(&self.known).copied().collect();
        must_be_reported.retain(|_| self.reports_lost);
        let reported = std::mem::take(&mut self.reported);
        self.check(reported == must_be_reported, || {
            format!("{reported:?} were reported as lost, {must_be_reported:?} are")
        });
        self.violations
    }

    fn check_board(&mut self, state: &State) {
        let setup = state.setup();
        let pieces = setup.pieces.len() + setup.agents.iter().filter(|agent| agent.hand.is_some()).count();
        self.check(pieces == state.config().pieces() as usize, || {
            format!("there are {pieces} pieces instead of {} at {}", state.config().pieces(), state.clock())
        });
        let mut fields: Vec<_> = setup.agents.iter().map(|agent| agent.position).collect();
        fields.sort_unstable();
        fields.dedup();
        self.check(fields.len() == setup.agents.len(), || {
            format!("two agents share a field at {}", state.clock())
        });
    }

    /// Adds the answer to the sender of a message that is due whatever the rules say, and checks that the rules handled
    /// every other request.
    fn expect_answer(
        &mut self,
        master: &Master,
        served: &Served<'_>,
        body: &[u8],
        expected: &mut Vec<(i64, &'static [i64])>,
    ) {
        let Ok(Envelope { message_id, agent_id: Some(number), payload, .. }) = Envelope::parse(body) else {
            return;
        };
        if message_id == LOST {
            return;
        }
        let request = read_request(message_id, payload);
        let agent = master.seats().and_then(|seats| seats.agent(AgentNumber(number)));
        match (served.before, request) {
            (Phase::Over, _) => {}
            (_, Ok(Request::Join { .. })) => expected.push((number, &[107])),
            (Phase::Lobby, _) | (_, Err(_)) => expected.push((number, &[905])),
            (Phase::Play, Ok(_)) => match agent {
                None => expected.push((number, &[905])),
                Some(agent) => {
                    let own = served.events.iter().filter(|event| is_outcome(event, agent)).count();
                    self.check(own == 1, || {
                        format!("{} has {own} outcomes: {:?}", String::from_utf8_lossy(body), served.events)
                    });
                }
            },
        }
    }
}

/// Returns whether this is the outcome of a request of this agent.
fn is_outcome(event: &Event, of: AgentId) -> bool {
    match event {
        Event::Moved { agent, .. }
        | Event::Discovered { agent, .. }
        | Event::PickedUp { agent }
        | Event::Put { agent, .. }
        | Event::Checked { agent, .. }
        | Event::Destroyed { agent }
        | Event::Refused { agent, .. } => *agent == of,
        Event::Asked { by, .. } | Event::AskedAgain { by, .. } | Event::Answered { by, .. } => *by == of,
        Event::Landed { .. } | Event::Appeared { .. } | Event::Left { .. } | Event::Over(_) => false,
    }
}

/// Adds the agent that is to hear of an event, and the message (specification, section 6).
fn expect_event(
    master: &Master,
    served: &Served<'_>,
    event: &Event,
    expected: &mut Vec<(i64, &'static [i64])>,
) {
    let (Some(seats), Some(state)) = (master.seats(), master.game()) else { return };
    let (agent, ids): (AgentId, &'static [i64]) = match event {
        Event::Moved { agent, .. } => (*agent, &[108]),
        Event::Discovered { agent, .. } => (*agent, &[103]),
        Event::PickedUp { agent } | Event::Landed { agent } => (*agent, &[109]),
        Event::Put { agent, .. } => (*agent, &[110]),
        Event::Checked { agent, .. } => (*agent, &[101]),
        Event::Destroyed { agent } => (*agent, &[102]),
        Event::Asked { agent, .. } => (*agent, &[106]),
        Event::Answered { agent, .. } => (*agent, &[111]),
        Event::Refused { agent, action, refusal } => {
            let ids: &'static [i64] = match (refusal, action) {
                (Refusal::TooEarly(_), _) => &[904],
                (Refusal::OffBoard | Refusal::Occupied | Refusal::EnemyGoalArea, _) => &[901],
                (Refusal::NothingThere | Refusal::HandsFull | Refusal::InGoalArea, _) => &[902],
                (Refusal::EmptyHanded, ActionKind::Put) => &[903],
                // A sham that a check has destroyed may be destroyed once more.
                (Refusal::EmptyHanded, ActionKind::Destroy) if served.dialect == Dialect::Union => {
                    &[905, 102]
                }
                _ => &[905],
            };
            (*agent, ids)
        }
        Event::Appeared { .. } | Event::Left { .. } => return,
        // No agent hears of it; the agent that asks may wait for an acknowledgement.
        Event::AskedAgain { agent, .. } => (*agent, &[]),
        Event::Over(_) => {
            let Turn::Over(outcome) = state.turn() else { return };
            if outcome.winner().is_some() {
                let there = AgentId::all(state.agents()).filter(|agent| state.position(*agent).is_some());
                expected.extend(there.map(|agent| (seats.number(agent).0, &[104][..])));
            }
            return;
        }
    };
    if !ids.is_empty() {
        expected.push((seats.number(agent).0, ids));
    }
    let (by, id): (AgentId, &'static [i64]) = match event {
        Event::Asked { by, .. } | Event::AskedAgain { by, .. } => (*by, &[113]),
        Event::Answered { by, .. } => (*by, &[112]),
        Event::Refused { refusal: Refusal::TooEarly(_), .. } => return,
        Event::Refused { agent, action: ActionKind::Ask, .. } => (*agent, &[113]),
        Event::Refused { agent, action: ActionKind::Answer, .. } => (*agent, &[112]),
        _ => return,
    };
    let number = seats.number(by);
    if served.acknowledge.includes(state.briefing(by).team, number, None) {
        expected.push((number.0, id));
    }
}
