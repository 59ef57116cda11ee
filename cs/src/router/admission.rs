//! Lets connections in or refuses them, and decides which one is the game master.

use std::io::Write as _;
use std::net::SocketAddr;

use game_env::SimTime;
use serde_json::json;
use wire::frame;

use super::gm_port::{Candidate, WAITING};
use super::link::{Agent, Link, Refused};
use super::outbox::Outbox;
use super::peer::{AgentNumber, ConnectionId, Peer, Role};
use super::report::{Name, Reason, Refusal, Report, agents_port};
use super::{JOIN_ANSWER, LAST_WORDS, Output, Router, SWEEP};

impl Router {
    pub(super) fn agent_came(&mut self, now: SimTime, from: SocketAddr) {
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
        self.refuse(now, Role::Agent, from, refusal, &refusal.to_string());
    }

    pub(super) fn gm_came(&mut self, now: SimTime, from: SocketAddr) {
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
        // It may be an agent.
        let words = format!("{refusal}; {}", agents_port(self.agents_port));
        self.refuse(now, Role::Gm, from, refusal, &words);
    }

    /// Lets a connection in only to tell it why it cannot stay, in these words.
    fn refuse(&mut self, now: SimTime, role: Role, from: SocketAddr, why: Refusal, words: &str) {
        self.totals.refused += 1;
        if self.ending.is_none() && self.refused.len() < LAST_WORDS {
            let peer = Peer::Refused(self.next_connection());
            let link = Link::new(from, now, self.limits.message_bytes);
            self.wake(now);
            self.outputs.push_back(Output::Admitted(peer));
            self.say_why(now, peer, link, words);
        } else {
            self.outputs.push_back(Output::Refused);
        }
        self.tell(now, Report::Refused { role, from, why });
    }

    pub(super) fn next_connection(&mut self) -> ConnectionId {
        self.last_connection = self.last_connection.wrapping_add(1);
        ConnectionId(self.last_connection)
    }

    pub(super) fn admit(&mut self, now: SimTime, peer: Peer, from: SocketAddr) {
        self.wake(now);
        self.outputs.push_back(Output::Admitted(peer));
        let name = self.name(peer);
        self.tell(now, Report::Connected { name, from });
    }

    /// Starts the clock of deadlines again if nobody was connected.
    pub(super) fn wake(&mut self, now: SimTime) {
        if self.swept + SWEEP < now {
            self.swept = now;
        }
    }

    /// Gives the seat to the next connection if it is free, or if the connection that has it is silent and another waits.
    pub(super) fn settle_seat(&mut self, now: SimTime) {
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

    /// The connection that has the seat has sent a message: it is the game master, and no other can be.
    pub(super) fn confirm(&mut self, now: SimTime) {
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
    pub(super) fn refuse_agent_at_gm_port(&mut self, now: SimTime, id: ConnectionId) {
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
    pub(super) fn say_why(&mut self, now: SimTime, peer: Peer, mut link: Link, why: &str) {
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
}
