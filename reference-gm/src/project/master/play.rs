//! The game: passes every request to the rules, and every event to the agents that it concerns.

use std::collections::BTreeSet;

use game_env::{
    Addressed, AgentId, Audience, Disruption, Environment, Millis, SimTime, Termination, Turn, Witness,
};
use game_project::statistics::Statistics;
use game_project::{Action, ActionKind, Config, Event, PutResult, Refusal, State};
use jiff::{SignedDuration, Timestamp};
use serde_json::value::RawValue;
use wire::project::convert::game_over;
use wire::project::{AgentNumber, DecodeError, Notice, Request, Seats};

use super::lobby::refuse;
use super::{News, Outgoing, Senseless, Settings};

/// An agent that no game has: the rules refuse a question to it.
const NOBODY: AgentId = AgentId::new(u16::MAX);

/// A game being played.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) state: State,
    pub(super) seats: Seats,
    pub(super) statistics: Statistics,
    /// A moment by the clock of the inputs, and the same moment by the game's own.
    taken_over: (SimTime, SimTime),
    /// When the game's clock stood at its start, by the calendar.
    began_at: Timestamp,
    /// Agents whose last granted request found a sham: in the union dialect they may destroy it once more.
    pub(super) found_sham: BTreeSet<AgentId>,
    /// Agents that have sent no request yet, until this is reported; empty in a game that was taken over.
    silent: BTreeSet<AgentNumber>,
    /// The events of the request being served.
    events: Vec<(SimTime, Event)>,
}

/// Span after the beginning of a game in which each agent sends a request if it understands the messages. The longest
/// usual penalty is 2.7 s.
const SILENCE: Millis = Millis::new(10_000);

impl Play {
    /// Returns a game at its beginning.
    pub(super) fn begin(config: &Config, settings: &Settings, seats: Seats, now: SimTime) -> Self {
        let state = State::new(config, settings.seed);
        let silent = AgentId::all(state.agents()).map(|agent| seats.number(agent)).collect();
        Self { silent, ..Self::go_on(state, seats, settings, now) }
    }

    /// Returns a game that stands at its own clock's moment now.
    pub(super) fn go_on(state: State, seats: Seats, settings: &Settings, now: SimTime) -> Self {
        assert_eq!(seats.len(), state.agents(), "every agent has a connection");
        let before = |moment: SimTime| i64::try_from(moment.as_millis()).unwrap_or(i64::MAX);
        let span = SignedDuration::from_millis(before(now) - before(state.clock()));
        Self {
            statistics: Statistics::new(state.agents()),
            taken_over: (now, state.clock()),
            began_at: settings.epoch.checked_add(span).unwrap_or(settings.epoch),
            state,
            seats,
            found_sham: BTreeSet::new(),
            silent: BTreeSet::new(),
            events: Vec::new(),
        }
    }

    /// Sends the beginning to all agents, in the order in which they may act first. If one message is too long, it
    /// sends none, and returns the length of that message.
    pub(super) fn tell_start(&self, outgoing: &mut Outgoing) -> Result<(), usize> {
        let mut order: Vec<AgentId> = AgentId::all(self.state.agents()).collect();
        order.sort_by_key(|agent| self.state.ready(*agent));
        let before = outgoing.frames.len();
        for agent in order {
            let start = Notice::GameStart(Box::new(self.seats.game_start(agent, &self.state)));
            if let Err(length) = outgoing.write(self.seats.number(agent), None, &start) {
                outgoing.frames.truncate(before);
                return Err(length);
            }
        }
        Ok(())
    }

    /// Sends the end to all agents that are still there, if a team has won.
    pub(super) fn tell_end(&self, outgoing: &mut Outgoing) {
        let Turn::Over(outcome) = self.state.turn() else { return };
        let Some(notice) = game_over(&outcome) else { return };
        for agent in AgentId::all(self.state.agents()).filter(|agent| self.state.position(*agent).is_some()) {
            outgoing.tell(self.seats.number(agent), None, &notice);
        }
    }

    /// Returns the game's own time.
    pub(super) fn game_time(&self, now: SimTime) -> SimTime {
        // Subtracted as numbers: a span of `Millis` ends after 49 days.
        let (then, clock_then) = self.taken_over;
        SimTime::from_millis(clock_then.as_millis() + now.as_millis().saturating_sub(then.as_millis()))
    }

    /// Returns the moment by the clock of the inputs at which the game has taken this long.
    pub(super) fn moment_of(&self, span: Millis) -> SimTime {
        let (then, clock_then) = self.taken_over;
        SimTime::from_millis(
            then.as_millis() + u64::from(span.as_millis()).saturating_sub(clock_then.as_millis()),
        )
    }

    /// Returns the moment at which agents are reported that have sent nothing since the beginning.
    pub(super) fn silence_ends(&self) -> Option<SimTime> {
        (!self.silent.is_empty()).then(|| self.moment_of(SILENCE))
    }

    pub(super) fn report_silence(&mut self, outgoing: &mut Outgoing, now: SimTime) {
        if self.silence_ends().is_none_or(|moment| now < moment) {
            return;
        }
        let is_there = |number: &AgentNumber| {
            self.seats.agent(*number).is_some_and(|agent| self.state.position(agent).is_some())
        };
        let agents: Vec<AgentNumber> =
            std::mem::take(&mut self.silent).into_iter().filter(is_there).collect();
        if !agents.is_empty() {
            outgoing.report(News::Silent { agents, span: SILENCE });
        }
    }

    pub(super) fn serve(
        &mut self,
        outgoing: &mut Outgoing,
        now: SimTime,
        from: AgentNumber,
        correlation: Option<&RawValue>,
        (request, payload): (Result<Request, DecodeError>, Option<&RawValue>),
        witness: &mut impl Witness<State>,
    ) {
        self.silent.remove(&from);
        let request = match request {
            Ok(Request::Join { team }) => {
                // An agent that has a seat is answered as before; all others come too late.
                let accepted = self.seats.agent(from).is_some();
                if !accepted {
                    outgoing.report(News::TurnedAway { agent: from, team });
                }
                let answer = Notice::Joined { accepted, agent: Some(from), reason: None };
                return outgoing.tell(from, correlation, &answer);
            }
            Ok(Request::Play(action)) => Ok(action),
            Err(error) => Err(error),
        };
        let Some(agent) = self.seats.agent(from) else {
            return refuse(outgoing, from, correlation, Senseless::NotSeated);
        };
        let action = match request {
            Ok(action) => action,
            Err(error) => {
                let (position, holding) = (self.state.position(agent), self.state.hand(agent).is_some());
                let reason = Some(error.to_string().into());
                outgoing.tell(
                    from,
                    correlation,
                    &Notice::Refused { position, holding: Some(holding), reason },
                );
                return outgoing
                    .report(News::Senseless { agent: Some(from), reason: Senseless::Payload(error) });
            }
        };
        // The rules refuse the question and charge it; the answer to the agent is decided below.
        let spared = match action {
            Action::Ask(asked) if self.is_never_asked(outgoing, asked) && asked != from => Some(asked),
            _ => None,
        };
        let action = if spared.is_some() { Action::Ask(NOBODY) } else { self.seats.action(action) };
        let at = self.game_time(now);
        witness.action(&self.state, at, agent, &action);
        let mut events = std::mem::take(&mut self.events);
        self.state.step(at, agent, action, &mut events);
        for (at, event) in events.drain(..) {
            match (spared, &event) {
                (Some(spared), Event::Refused { refusal: Refusal::NoSuchAgent, .. }) => {
                    self.statistics.count(&self.state, &event);
                    self.answer_for(outgoing, spared, agent, correlation);
                    self.found_sham.remove(&agent);
                }
                _ => self.pass_on(outgoing, agent, (correlation, payload), &event),
            }
            witness.event(at, &event);
        }
        self.events = events;
    }

    /// Removes an agent; returns whether it played.
    pub(super) fn lose(
        &mut self,
        outgoing: &mut Outgoing,
        now: SimTime,
        from: AgentNumber,
        witness: &mut impl Witness<State>,
    ) -> bool {
        let playing = |agent: &AgentId| self.state.position(*agent).is_some();
        let Some(agent) = self.seats.agent(from).filter(playing) else { return false };
        self.disrupt(outgoing, now, Disruption::AgentLost(agent), witness);
        true
    }

    pub(super) fn end(
        &mut self,
        outgoing: &mut Outgoing,
        now: SimTime,
        termination: Termination,
        witness: &mut impl Witness<State>,
    ) {
        self.disrupt(outgoing, now, Disruption::Ended(termination), witness);
    }

    fn disrupt(
        &mut self,
        outgoing: &mut Outgoing,
        now: SimTime,
        disruption: Disruption,
        witness: &mut impl Witness<State>,
    ) {
        if matches!(self.state.turn(), Turn::Over(_)) {
            return;
        }
        let at = self.game_time(now);
        witness.disruption(&self.state, at, disruption);
        let mut events = Vec::new();
        self.state.disrupt(at, disruption, &mut events);
        for (at, event) in events {
            self.statistics.count(&self.state, &event);
            // The new piece for one that was lost with its agent may have landed in an agent's hand.
            if let Some((to, notice)) = self.seats.notice(&event, &self.state, self.began_at) {
                outgoing.tell(to, None, &notice);
            }
            witness.event(at, &event);
        }
    }

    /// Tells an event to whom it concerns, counts it, and reports it if it is news.
    fn pass_on(
        &mut self,
        outgoing: &mut Outgoing,
        by: AgentId,
        (correlation, payload): (Option<&RawValue>, Option<&RawValue>),
        event: &Event,
    ) {
        self.statistics.count(&self.state, event);
        let own_answer = !matches!(event, Event::Landed { .. }) && event.audience() == Audience::Agent(by);
        if let Some((to, notice)) = self.seats.notice(event, &self.state, self.began_at) {
            if let Event::Answered { agent: to, by, information } = event {
                self.tell_answer(outgoing, *to, *by, information, payload);
            } else {
                let notice =
                    if self.may_destroy_once_more(outgoing, event) { Notice::Destroyed } else { notice };
                outgoing.tell(to, correlation.filter(|_| own_answer), &notice);
            }
        }
        match event {
            Event::Checked { agent, sham: true } => {
                self.found_sham.insert(*agent);
            }
            Event::Asked { by, .. } | Event::AskedAgain { by, .. } => {
                self.acknowledge(outgoing, *by, correlation, &Notice::QuestionPassedOn { succeeded: true });
            }
            Event::Answered { by, .. } => {
                self.acknowledge(outgoing, *by, correlation, &Notice::AnswerPassedOn { succeeded: true });
            }
            // Agents wait for 112 or 113 even after 905, which they ignore. After 904 they try again by themselves.
            Event::Refused { agent, action, refusal } if !matches!(refusal, Refusal::TooEarly(_)) => {
                let notice = match action {
                    ActionKind::Ask => Some(Notice::QuestionPassedOn { succeeded: false }),
                    ActionKind::Answer => Some(Notice::AnswerPassedOn { succeeded: false }),
                    _ => None,
                };
                if let Some(notice) = notice {
                    self.acknowledge(outgoing, *agent, correlation, &notice);
                }
            }
            Event::Put { agent, result: PutResult::OnGoal } => {
                outgoing.report(News::Scored { team: self.state.briefing(*agent).team });
            }
            _ => {}
        }
        // A request that is refused without being looked at changes nothing, whatever the agent did before.
        let is_free = matches!(event, Event::Refused { refusal, .. } if refusal.is_free());
        if own_answer && !is_free && !matches!(event, Event::Checked { sham: true, .. }) {
            self.found_sham.remove(&by);
        }
    }
}
