//! Passes messages between agents and the game master.

use game_env::SimTime;
use wire::frame;

use super::link::Hold;
use super::message::{Addressed, Fault, addressed, pass_to_gm, refuse_message};
use super::peer::{AgentNumber, ConnectionId, Peer, Role};
use super::report::{Invalid, Name, Reason};
use super::window::HOLD;
use super::{GAME_OVER, GAME_START, JOIN, Output, Router};

impl Router {
    pub(super) fn agent_sent(&mut self, now: SimTime, id: AgentNumber, mut bytes: &[u8]) {
        let Some(agent) = self.agents.get_mut(&id).filter(|agent| agent.link.leaving.is_none()) else {
            return;
        };
        if matches!(agent.hold, Hold::Since(_)) {
            return agent.unread.extend_from_slice(bytes);
        }
        if !agent.link.spoke
            && let Some(why) = agent.link.stranger(bytes, self.limits.message_bytes, Role::Agent)
        {
            self.totals.invalid += 1;
            return self.drop_agent(now, id, why);
        }
        agent.window.forget_old(now);
        let waited = self.gm.outbox.len();
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
                    agent.takes_refusals &= passed.habit.is_none();
                    agent.window.push(passed.message_id, passed.body);
                    self.totals.to_gm += 1;
                }
                Err(fault) => {
                    agent.link.invalid += 1;
                    self.totals.invalid += 1;
                    if !agent.link.spoke {
                        let words = format!("{}: {}", Reason::FirstInvalid, fault.why);
                        if self.budget.take(now) {
                            let report = fault.report(Name::Agent(id), agent.link.from);
                            self.outputs.push_back(Output::Report(report));
                        }
                        return self.close_agent(now, id, Reason::FirstInvalid, Some(words));
                    }
                    let goes_on = agent.link.invalid < self.limits.invalid_messages;
                    faulty = true;
                    if goes_on && agent.takes_refusals {
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
        self.write_to_gm(now, waited);
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
    pub(super) fn resume(&mut self, now: SimTime, id: AgentNumber) {
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
    pub(super) fn release(&mut self, now: SimTime) {
        while let Some((_, id)) = self.holds.front().copied().filter(|(at, _)| *at <= now) {
            self.holds.pop_front();
            let is_there = self.gm.master().is_some();
            let Some(agent) = self.agents.get_mut(&id) else { continue };
            match agent.hold {
                Hold::No | Hold::Over => agent.hold = Hold::No,
                // No game master can have answered: the agent's messages wait here.
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

    pub(super) fn gm_sent(&mut self, now: SimTime, id: ConnectionId, mut bytes: &[u8]) {
        let may_answer = self.gm.may_answer(id);
        let Some(candidate) = self.gm.find_mut(id).filter(|candidate| candidate.link.leaving.is_none())
        else {
            return;
        };
        let link = &mut candidate.link;
        let had_spoken = link.spoke;
        if !had_spoken && let Some(why) = link.stranger(bytes, self.limits.message_bytes, Role::Gm) {
            self.totals.invalid += 1;
            return self.drop_gm(now, id, why);
        }
        let mut complete = false;
        let mut is_agent = false;
        while let Some(item) = link.decoder.next(&mut bytes) {
            complete = true;
            let fault = match addressed(item) {
                Ok(message) if message.id == JOIN && !link.spoke => {
                    is_agent = true;
                    break;
                }
                // It was given nothing that it could answer.
                Ok(Addressed { agent: Some(_), .. }) if !may_answer => {
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
                let name = if link.spoke { Name::Gm } else { Name::Candidate };
                self.outputs.push_back(Output::Report(fault.report(name, link.from)));
            }
            if !link.spoke {
                return self.drop_gm(now, id, Reason::FirstInvalid);
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
            self.confirm(now, id);
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

    pub(super) fn agent_took(&mut self, now: SimTime, id: AgentNumber, bytes: usize) {
        let Some(agent) = self.agents.get_mut(&id) else {
            return self.refused_took(now, Peer::Agent(id), bytes);
        };
        agent.outbox.advance(now, bytes);
        agent.outbox.shrink();
    }

    pub(super) fn refused_took(&mut self, now: SimTime, peer: Peer, bytes: usize) {
        if let Some(refused) = self.refused.get_mut(&peer) {
            refused.outbox.advance(now, bytes);
        }
    }

    pub(super) fn gm_took(&mut self, now: SimTime, id: ConnectionId, bytes: usize) {
        let was_slow = !self.takes_from_agents();
        self.gm.took(now, id, bytes);
        if was_slow && self.takes_from_agents() {
            self.resumed = now;
        }
    }
}
