//! Closes connections, and the server after the last of them.

use std::io::{ErrorKind, Write as _};

use game_env::SimTime;
use wire::frame;

use super::gm_port::Candidate;
use super::link::{Agent, Hold};
use super::peer::{AgentNumber, ConnectionId, Peer};
use super::report::{End, Ending, Name, Reason, Report};
use super::{AGENT_LOST, LAST_WORDS, Output, Router};

impl Router {
    pub(super) fn agent_left(&mut self, now: SimTime, id: AgentNumber, error: Option<ErrorKind>) {
        let Some(agent) = self.remove_agent(now, id) else { return self.refused_left(Peer::Agent(id)) };
        if agent.link.leaving.is_none() {
            let how = agent.link.end(error);
            self.tell(now, Report::Left { name: Name::Agent(id), from: agent.link.from, how });
        }
        self.end_if_alone();
    }

    pub(super) fn drop_agent(&mut self, now: SimTime, id: AgentNumber, why: Reason) {
        let is_told =
            matches!(why, Reason::SentNothing(..) | Reason::ByteOrder { .. } | Reason::FirstTooLong { .. });
        self.close_agent(now, id, why, is_told.then(|| why.to_string()));
    }

    /// Closes an agent's connection, and tells it these words.
    pub(super) fn close_agent(&mut self, now: SimTime, id: AgentNumber, why: Reason, words: Option<String>) {
        let Some(agent) = self.remove_agent(now, id) else { return };
        self.totals.dropped += 1;
        let (peer, from) = (Peer::Agent(id), agent.link.from);
        match words {
            // The last bytes that were written to it may have ended within a message.
            Some(words) if agent.outbox.is_empty() && self.refused.len() < LAST_WORDS => {
                self.say_why(now, peer, agent.link, &words);
            }
            _ => self.outputs.push_back(Output::Drop(peer)),
        }
        self.tell(now, Report::Dropped { name: Name::Agent(id), from, why });
        self.end_if_alone();
    }

    pub(super) fn remove_agent(&mut self, now: SimTime, id: AgentNumber) -> Option<Agent> {
        let agent = self.agents.remove(&id)?;
        self.totals.agents -= 1;
        if agent.link.spoke && self.limits.report_lost_agents && self.ending.is_none() {
            let waited = self.gm.outbox.len();
            frame::write_with(self.gm.outbox.end(now), |body| {
                write!(body, r#"{{"messageID":{AGENT_LOST},"agentID":{id},"payload":{{"agentID":{id}}}}}"#)
                    .expect("a vector takes everything");
            })
            .expect("the message is short");
            self.write_to_gm(now, waited);
        }
        Some(agent)
    }

    pub(super) fn gm_left(&mut self, now: SimTime, id: ConnectionId, error: Option<ErrorKind>) {
        let peer = Peer::Gm(id);
        if self.refused.contains_key(&peer) {
            return self.refused_left(peer);
        }
        let name = self.name(peer);
        let Some(Candidate { link, .. }) = self.gm.remove(now, id) else { return };
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
        self.look_for_gm(now);
        self.end_if_alone();
    }

    pub(super) fn drop_gm(&mut self, now: SimTime, id: ConnectionId, why: Reason) {
        let name = self.close_candidate(now, id, why);
        if name == Name::Gm {
            self.end(now, Ending::GmLost);
        }
        self.look_for_gm(now);
        self.end_if_alone();
    }

    /// Closes a connection to the game master's port, and returns its name in reports.
    pub(super) fn close_candidate(&mut self, now: SimTime, id: ConnectionId, why: Reason) -> Name {
        let name = self.name(Peer::Gm(id));
        if let Some(Candidate { link, .. }) = self.gm.remove(now, id) {
            self.totals.dropped += 1;
            self.outputs.push_back(Output::Drop(Peer::Gm(id)));
            self.tell(now, Report::Dropped { name, from: link.from, why });
        }
        name
    }

    pub(super) fn refused_left(&mut self, peer: Peer) {
        self.refused.remove(&peer);
        self.end_if_alone();
    }

    /// Begins to close every connection, unless that has begun.
    pub(super) fn end(&mut self, now: SimTime, ending: Ending) {
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
        for candidate in self.gm.all_mut() {
            candidate.link.leaving = Some(now);
            self.outputs.push_back(Output::Finish(Peer::Gm(candidate.id)));
        }
        self.end_if_alone();
    }

    pub(super) fn is_alone(&self) -> bool {
        self.agents.is_empty() && self.gm.is_empty() && self.refused.is_empty()
    }

    pub(super) fn end_if_alone(&mut self) {
        if self.is_alone()
            && let Some(ending) = self.ending
        {
            let over = Output::Done(ending);
            if !self.outputs.contains(&over) {
                self.outputs.push_back(over);
            }
        }
    }
}
