//! Lets connections in or refuses them, and decides which one is the game master.

use std::io::Write as _;
use std::net::SocketAddr;

use game_env::SimTime;
use serde_json::json;
use wire::frame;

use super::gm_port::{GRACE, PLACES};
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
        } else if !self.gm.has_place(now, self.limits.gm_answer) {
            Refusal::TooManyWait(PLACES)
        } else {
            let id = self.next_connection();
            self.totals.admitted += 1;
            self.admit(now, Peer::Gm(id), from);
            if let Some(behind) = self.gm.first().map(|first| first.link.from) {
                self.tell(now, Report::Waits { from, behind });
            }
            if let Some(silent) = self.gm.giving_way(now, self.limits.gm_answer) {
                self.close_candidate(now, silent, Reason::NoAnswer(GRACE));
            }
            self.gm.push(now, id, Link::new(from, now, self.limits.message_bytes));
            return self.look_for_gm(now);
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

    /// Closes connections to the game master's port that have not answered in time, and asks those whose turn it is.
    pub(super) fn look_for_gm(&mut self, now: SimTime) {
        if self.ending.is_some() || self.gm.master().is_some() {
            return;
        }
        let answer = self.limits.gm_answer;
        for silent in self.gm.silent(now, answer) {
            self.close_candidate(now, silent, Reason::NoAnswer(answer));
        }
        if let Some(from) = self.gm.newly_silent(now, answer) {
            self.tell(now, Report::Silent { from, span: answer });
        }
        let asked = self.gm.ask(now, answer).into_iter().map(|id| Output::Write(Peer::Gm(id)));
        self.outputs.extend(asked);
    }

    /// Has the messages written that were appended for the game master, when `before` bytes waited for it.
    #[inline]
    pub(super) fn write_to_gm(&mut self, now: SimTime, before: usize) {
        if self.gm.outbox.len() == before {
            return;
        }
        // Bytes that wait already are written together with the bytes that wait before them.
        let up_to_date = self.gm.all().filter(|candidate| candidate.written == before);
        let (mut is_there, outputs) = (false, &mut self.outputs);
        for candidate in up_to_date.filter(|candidate| candidate.is_asked()) {
            is_there |= candidate.link.spoke;
            outputs.push_back(Output::Write(Peer::Gm(candidate.id)));
        }
        if !is_there {
            self.look_for_gm(now);
        }
    }

    /// This connection to the game master's port has sent a message: it is the game master, and no other can be.
    pub(super) fn confirm(&mut self, now: SimTime, id: ConnectionId) {
        let was_slow = !self.takes_from_agents();
        let others = self.gm.confirm(now, id);
        if was_slow && self.takes_from_agents() {
            self.resumed = now;
        }
        if let Some(from) = self.gm.master().map(|master| master.link.from) {
            self.tell(now, Report::Confirmed { from });
        }
        for other in others {
            self.totals.dropped += 1;
            self.outputs.push_back(Output::Drop(Peer::Gm(other.id)));
            let (from, why) = (other.link.from, Reason::Taken);
            self.tell(now, Report::Dropped { name: Name::Candidate, from, why });
        }
    }

    /// Refuses a connection to the game master's port that has asked to join.
    pub(super) fn refuse_agent_at_gm_port(&mut self, now: SimTime, id: ConnectionId) {
        let Some(candidate) = self.gm.remove(now, id) else { return };
        self.totals.dropped += 1;
        let (peer, from, why) = (Peer::Gm(id), candidate.link.from, Reason::IsAgent(self.agents_port));
        self.tell(now, Report::Dropped { name: Name::Candidate, from, why });
        // The bytes that were written to it may have ended within a message.
        if candidate.written == 0 && self.refused.len() < LAST_WORDS {
            self.say_why(now, peer, candidate.link, &why.to_string());
        } else {
            self.outputs.push_back(Output::Drop(peer));
        }
        self.look_for_gm(now);
        self.end_if_alone();
    }

    /// Tells an agent that it may not join, with the reason, and waits for it to close its connection.
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
