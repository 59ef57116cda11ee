//! One program in one game: its wishes, the events for its next message, the time that it thinks, and its end.

use std::fmt;

use game_env::text::escape_hidden_in_lines;
use game_env::{AgentId, Choice, Seed, SimTime, Termination};
use serde::Serialize;

use super::conversation::{Conversation, Fault};
use super::message::{Answer, Decide, Ready, Thinking};
use super::peer::{Log, Peer};
use super::{LONGEST_END_OF_ERRORS, MOST_OPTIONS, REFUSED_IN_A_ROW};

/// A program that plays an agent in one game. `V` is an event of the game in messages, `A` an action.
///
/// The policy of the game owns it: it writes the observation, and turns answers into choices.
pub struct Player<V, A> {
    /// The agent, known when the game begins.
    agent: AgentId,
    /// None after a fault, and when the game is over.
    peer: Option<Box<dyn Peer>>,
    conversation: Conversation,
    thinking: Thinking,
    wishes: Ready,
    /// The events since the last message.
    events: Vec<V>,
    /// The number of refused requests in a row.
    refused: u32,
    /// Whether a person was told of many.
    has_warned: bool,
    /// If thinking is charged: the end of the time that the last answer takes.
    busy_until: SimTime,
    /// If thinking is charged: the choice that waits for this end.
    chosen: Option<Choice<A>>,
    /// The end of a program that has failed, until it is taken.
    failure: Option<Termination>,
    /// The report of the failure, until it is taken.
    report: Option<String>,
    has_failed: bool,
    /// The mistakes that the program has told: their number, and the first since they were taken.
    blunder_count: u64,
    blunders: Vec<String>,
    /// Whether the program has heard of the game.
    has_begun: bool,
}

impl<V, A> Player<V, A> {
    /// Creates a program that has said nothing yet, under this rule for the time of decisions.
    pub fn new(peer: Box<dyn Peer>, thinking: Thinking) -> Self {
        Self {
            agent: AgentId::new(0),
            peer: Some(peer),
            conversation: Conversation::new(thinking),
            thinking,
            wishes: Ready::default(),
            events: Vec::new(),
            refused: 0,
            has_warned: false,
            busy_until: SimTime::START,
            chosen: None,
            failure: None,
            report: None,
            has_failed: false,
            blunder_count: 0,
            blunders: Vec::new(),
            has_begun: false,
        }
    }

    /// Returns the wishes of the program.
    pub fn wishes(&self) -> &Ready {
        &self.wishes
    }

    /// If thinking is charged: a wait while the last answer takes game time, then its choice. None if the program is to
    /// be asked.
    pub fn take_chosen(&mut self, now: SimTime) -> Option<Choice<A>> {
        if now < self.busy_until { Some(Choice::Wait(self.busy_until)) } else { self.chosen.take() }
    }

    /// Returns the choice of the last answer. If the answer takes game time, it is a wait, and
    /// [`take_chosen`](Self::take_chosen) returns an action later. A choice to wait lasts as long as the answer takes
    /// at least.
    pub fn charged(&mut self, now: SimTime, choice: Choice<A>) -> Choice<A> {
        match choice {
            choice if now >= self.busy_until => choice,
            Choice::Wait(until) => Choice::Wait(until.max(self.busy_until)),
            action => {
                self.chosen = Some(action);
                Choice::Wait(self.busy_until)
            }
        }
    }

    /// Keeps an event for the next message. `is_refused` says whether the event refuses a request of the agent; none if
    /// the event answers none of its requests.
    ///
    /// A person who watches is told once in a game that [`REFUSED_IN_A_ROW`] requests were refused in a row: such a
    /// game can take very long.
    pub fn hear(&mut self, event: V, is_refused: Option<bool>) {
        self.events.push(event);
        match is_refused {
            Some(true) => self.refused = self.refused.saturating_add(1),
            Some(false) => self.refused = 0,
            None => return,
        }
        if self.refused == REFUSED_IN_A_ROW && !std::mem::replace(&mut self.has_warned, true) {
            let warning = format!(
                "warning: {REFUSED_IN_A_ROW} requests in a row were refused; `events` of a decision says why"
            );
            self.conversation.tell(&warning);
        }
    }

    /// Begins the game of this agent with a [`Message::Hello`](super::message::Message::Hello).
    pub fn begin(&mut self, now: SimTime, agent: AgentId, hello: &impl Serialize) {
        let Some(peer) = &mut self.peer else { return };
        self.agent = agent;
        self.has_begun = true;
        if let Some(mut log) = peer.log() {
            self.conversation.show(Log::new(move |line| log.write(&format!("agent {agent}: {line}"))));
        }
        match self.conversation.begin(&mut **peer, hello) {
            Ok(wishes) => self.wishes = wishes,
            Err(fault) => {
                let Some(mut peer) = self.lose(now, &fault) else { return };
                peer.unready(self.report().unwrap_or_default());
                peer.finish(false);
            }
        }
    }

    /// Returns the message that the agent may act, or the part of a question that is the same. Lists `options` if the
    /// program wants them and they are not too many; `text` is called if the program wants a text.
    pub fn decide<O>(
        &mut self,
        now: SimTime,
        observation: O,
        options: impl FnOnce() -> Vec<String>,
        text: impl FnOnce() -> String,
    ) -> Decide<O, V> {
        let options = self.wishes.options.then(options).filter(|options| options.len() <= MOST_OPTIONS);
        Decide {
            id: self.conversation.next_id(),
            now: now.as_millis(),
            observation,
            events: std::mem::take(&mut self.events),
            options,
            text: self.wishes.text.then(text),
        }
    }

    /// Sends a message that needs an answer. None after a fault.
    pub fn ask(&mut self, now: SimTime, message: &impl Serialize) -> Option<Answer> {
        let peer = self.peer.as_mut()?;
        match self.conversation.ask(&mut **peer, message) {
            Ok((mut answer, took)) => {
                if let Some(blunder) = answer.take_blunder() {
                    self.blunder_count += 1;
                    if self.blunders.len() < KEPT_BLUNDERS {
                        let told = escape_hidden_in_lines(&blunder);
                        self.blunders.push(format!("{PROGRAM}{} {BLUNDER}{now}: {told}", self.agent));
                    }
                }
                // A question may come while the program still thinks about a decision.
                self.busy_until = self.busy_until.max(now) + self.thinking.charge(took);
                Some(answer)
            }
            Err(fault) => {
                self.fail(now, fault);
                None
            }
        }
    }

    /// Ends the program's part in the game.
    pub fn fail(&mut self, now: SimTime, fault: Fault) {
        if let Some(peer) = self.lose(now, &fault) {
            peer.finish(false);
        }
    }

    /// Keeps the report of a fault, and returns the peer of the program, which plays no more.
    fn lose(&mut self, now: SimTime, fault: &Fault) -> Option<Box<dyn Peer>> {
        let mut peer = self.peer.take()?;
        let told = peer.told();
        let told = end_of(told.trim_end(), LONGEST_END_OF_ERRORS);
        let mut report = format!("{PROGRAM}{} {fault}{AT}{now})", self.agent);
        if !told.is_empty() {
            report += ERRORS;
            report += told;
        }
        peer.failed(&report);
        (self.failure, self.report) = (Some(fault.termination()), Some(report));
        self.has_failed = true;
        Some(peer)
    }

    /// Tells the program that the game is over, and gives it back. `end` makes the
    /// [`Message::End`](super::message::Message::End) of the events since the last message. A program that has not
    /// heard of the game is told nothing: another agent ended the game before this one could act.
    pub fn finish<M: Serialize>(&mut self, end: impl FnOnce(Vec<V>) -> M) {
        let Some(mut peer) = self.peer.take() else { return };
        if !self.has_begun {
            return peer.finish(true);
        }
        let is_there = self.conversation.end(&mut *peer, &end(std::mem::take(&mut self.events)));
        peer.finish(is_there && !self.wishes.once);
    }

    /// Returns the reason of the end if the program has failed; once.
    pub fn take_failure(&mut self) -> Option<Termination> {
        self.failure.take()
    }

    /// Returns the report of the fault, in words, until it is taken.
    pub fn report(&self) -> Option<&str> {
        self.report.as_deref()
    }

    /// Returns the reports since the last call: of a fault, of the first line that looks like an answer and is none,
    /// and of the first mistakes that the program has told.
    pub fn take_reports(&mut self) -> Vec<String> {
        let agent = self.agent;
        let strange = self.conversation.take_strange();
        let strange = strange.map(|line| format!("{PROGRAM}{agent} {STRANGE}{line}"));
        self.report.take().into_iter().chain(strange).chain(std::mem::take(&mut self.blunders)).collect()
    }

    /// Returns the number of reports: of a fault, of lines that look like answers and are none, and of mistakes that
    /// the program has told.
    pub fn failures(&self) -> u64 {
        u64::from(self.has_failed) + u64::from(self.conversation.was_strange()) + self.blunder_count
    }
}

impl<V, A> fmt::Debug for Player<V, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("agent", &self.agent)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

/// The beginning of every report; the agent follows.
const PROGRAM: &str = "the program of agent ";

/// The words between the fault and its moment.
const AT: &str = " (at ";

/// The words between the moment of the fault and the end of the standard error.
const ERRORS: &str = "\nthe end of its standard error:\n";

/// The report of a line that is no answer; the line follows.
const STRANGE: &str = "has written a line that is no answer: ";

/// The report of a mistake that the program has told; the moment and the mistake follow.
const BLUNDER: &str = "tells a blunder at ";

/// The most mistakes that are kept until they are taken.
const KEPT_BLUNDERS: usize = 100;

/// The parts of the report of a program's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultReport<'a> {
    /// The report without the end of the program's standard error.
    pub headline: &'a str,
    /// The fault, as words after the name of the program: `ended with exit code 1`.
    pub fault: &'a str,
    /// The last line of the program's standard error; empty if it has written none.
    pub last_line: &'a str,
}

impl<'a> FaultReport<'a> {
    /// Reads the report of the fault of this agent's program. None if this is a report of something else.
    pub fn read(report: &'a str, agent: AgentId) -> Option<Self> {
        let (headline, errors) = report.split_once(ERRORS).unwrap_or((report, ""));
        let fault = headline.strip_prefix(&format!("{PROGRAM}{agent} "))?;
        let is_fault = |fault: &str| ![STRANGE, BLUNDER].iter().any(|other| fault.starts_with(other));
        let (fault, _) = fault.rsplit_once(AT).filter(|(fault, _)| is_fault(fault))?;
        Some(Self { headline, fault, last_line: errors.lines().last().unwrap_or_default() })
    }
}

/// Returns the end of a text, from the beginning of a line unless the last line is longer than this number of
/// characters.
fn end_of(text: &str, longest: usize) -> &str {
    let Some((start, _)) = text.char_indices().rev().take(longest).last() else { return text };
    let end = &text[start..];
    match text[..start].chars().next_back() {
        None | Some('\n') => end,
        Some(_) => end.split_once('\n').map_or(end, |(_, lines)| lines),
    }
}

/// Returns the number of a `hello` for the random choices of an agent in a game.
///
/// It has 32 bits of the seed's 64, so a seed that was drawn at random cannot be computed from it. A seed that can be
/// guessed, e.g. 1, is found by trying.
pub fn chance(seed: Seed, agent: AgentId) -> u32 {
    seed.agent(agent).below(u32::MAX)
}
