//! Drops connections that have missed a deadline.

use game_env::SimTime;

use super::link::{Agent, Hold, Link};
use super::outbox::Outbox;
use super::peer::Peer;
use super::report::{Name, Reason, Report};
use super::{Output, Router, SWEEP};
use crate::config::Limits;
use crate::crowd::capacity_after;

impl Router {
    pub(super) fn sweep(&mut self, now: SimTime) {
        if now < self.swept + SWEEP {
            return;
        }
        self.swept = now;
        let mut held = self.gm.outbox.len();
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
        self.look_for_mute_agents(now);
        let nothing = Outbox::default();
        let mut overdue = Vec::new();
        for candidate in self.gm.all() {
            held += candidate.link.decoder.held();
            // One that is not the game master has to answer in time anyway.
            let outbox = if candidate.link.spoke { &self.gm.outbox } else { &nothing };
            if let Some(reason) = self.overdue(now, &candidate.link, outbox, candidate.link.half_since) {
                overdue.push((candidate.id, reason));
            }
        }
        for (id, reason) in overdue {
            self.drop_gm(now, id, reason);
        }
        self.totals.held_bytes = held;
        self.look_for_gm(now);
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
        if let Some(capacity) = capacity_after(self.agents.len(), self.agents.capacity()) {
            self.agents.shrink_to(capacity);
        }
        for budget in [&mut self.budget, &mut self.closings] {
            if let Some(lines) = budget.withheld(now) {
                self.outputs.push_back(Output::Report(Report::Withheld { lines }));
            }
        }
    }

    /// Reports connections to the port for agents that have sent nothing while no game master is connected: one of them
    /// may be the game master.
    fn look_for_mute_agents(&mut self, now: SimTime) {
        let span = self.limits.gm_answer;
        if self.ending.is_some() || !self.gm.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for (id, agent) in &mut self.agents {
            let is_mute = !agent.link.has_sent() && now >= agent.link.since.max(self.gm.changed) + span;
            if is_mute && !std::mem::replace(&mut agent.reported, true) {
                found.push((*id, agent.link.from));
            }
        }
        found.sort_unstable_by_key(|(id, _)| *id);
        for (id, from) in found {
            let gm_port = self.gm_port;
            self.tell(now, Report::Mute { name: Name::Agent(id), from, span, gm_port });
        }
    }

    /// Returns the deadline that an agent has missed.
    pub(super) fn agent_overdue(&self, now: SimTime, agent: &Agent) -> Option<Reason> {
        let Limits { gm_wait, first_message, .. } = self.limits;
        let link = &agent.link;
        let since = link.since.max(self.gm.changed);
        if link.leaving.is_none() && self.gm.master().is_none() && now >= since + gm_wait {
            if !self.gm.is_empty() && agent.joined {
                return Some(Reason::SilentGm(gm_wait));
            }
            if self.gm.is_empty() {
                let nothing = Reason::SentNothing(gm_wait, self.gm_port);
                return Some(if link.has_sent() { Reason::NoGm(gm_wait) } else { nothing });
            }
        }
        if link.leaving.is_none()
            && !self.gm.is_empty()
            && !agent.joined
            && self.takes_from_agents()
            && now >= since.max(self.resumed) + first_message
        {
            let nothing = Reason::SentNothing(first_message, self.gm_port);
            return Some(if link.has_sent() { Reason::Silent(first_message) } else { nothing });
        }
        // A message of the agent may be complete in its socket while the agent is not read.
        let is_read = self.takes_from_agents() && !matches!(agent.hold, Hold::Since(_));
        let half_since = link.half_since.filter(|_| is_read);
        self.overdue(now, link, &agent.outbox, half_since.map(|since| since.max(self.resumed)))
    }

    /// Returns the deadline that a peer of any kind has missed.
    pub(super) fn overdue(
        &self,
        now: SimTime,
        link: &Link,
        outbox: &Outbox,
        half_since: Option<SimTime>,
    ) -> Option<Reason> {
        let Limits { farewell, stall, message, .. } = self.limits;
        if let Some(since) = link.leaving {
            return (now >= since + farewell).then_some(Reason::Lingering(farewell));
        }
        if outbox.waits_since().is_some_and(|since| now >= since + stall) {
            return Some(Reason::Stalled(stall));
        }
        let half_since = half_since.filter(|since| now >= *since + message);
        half_since.map(|_| match link.decoder.swapped_length() {
            Some((announced, swapped)) => Reason::ByteOrder { within: message, announced, swapped },
            None => Reason::HalfSent(message),
        })
    }
}
