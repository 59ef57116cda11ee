//! The messages that an agent receives, and the requests that it sends.

use game_env::{AgentId, SimTime};
use game_project::{Action, ActionKind, Direction, Question};

use super::Actor;
use crate::strategy::Notice;

/// The messages between the agent and the others that are not settled.
#[derive(Clone, Default, Debug)]
pub(super) struct Messages {
    /// `true` if the strategy was told that the game begins.
    pub(super) has_begun: bool,
    /// The request whose answer is to come.
    pub(super) pending: Option<Pending>,
    /// Messages that the strategy has not heard yet, each with the time at which it came, the oldest first.
    pub(super) unread: Vec<(SimTime, Notice)>,
    /// The time at which the message came that the strategy hears now, or heard last.
    pub(super) came_at: SimTime,
    /// The answer to the leader that may not have arrived: no request was granted since. The number counts the refusals
    /// that a missing answer explains.
    pub(super) unconfirmed: Option<(Question, u32)>,
    /// Number of answers to the leader that were lost since a request was last granted.
    pub(super) lost_answers: u32,
    /// Agents that asked and are not to be answered, or were about to be answered when the strategy panicked.
    pub(super) declined: Vec<AgentId>,
}

/// A request whose answer is to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) kind: ActionKind,
    pub(super) direction: Option<Direction>,
    /// The question that it answers.
    pub(super) question: Option<Question>,
    /// The agent that it asks.
    asked: Option<AgentId>,
    /// `true` if it destroys a sham of which the strategy knows nothing any more.
    pub(super) clears_hand: bool,
}

impl Actor {
    /// Takes a message.
    pub fn hear(&mut self, now: SimTime, mut notice: Notice) {
        if let Notice::Answered { by, .. } = &mut notice {
            // Some game masters do not say who answers. If only one agent can, it is that one.
            *by = by.or(match self.own.asked[..] {
                [only] => Some(only),
                _ => None,
            });
            self.own.asked.retain(|agent| Some(*agent) != *by);
        }
        if let Notice::Answered { by: Some(by), .. } | Notice::Asked { by, .. } = &notice {
            self.own.unreachable.retain(|agent| agent != by);
        }
        if let Notice::Asked { by, .. } = &notice
            && self.own.asked.contains(by)
            && !self.own.talked.contains(by)
        {
            self.own.talked.push(*by);
        }
        self.count_refusals(now, &notice);
        self.learn(now, &notice);
        let mut is_own_matter = false;
        if self.answers(&notice) {
            let pending = self.messages.pending.take();
            is_own_matter = pending.is_some_and(|pending| pending.clears_hand);
            let asked = pending.and_then(|pending| pending.asked);
            // An agent that was not reached owes no answer.
            if matches!(
                notice,
                Notice::TooEarly { .. }
                    | Notice::Refused { .. }
                    | Notice::AnswerPassedOn { succeeded: false }
                    | Notice::QuestionPassedOn { succeeded: false }
            ) {
                self.own.asked.retain(|agent| Some(*agent) != asked);
            }
            // While the own leader waits for an answer, every other request is refused.
            let leader_waits = self.own.questions.iter().any(|question| question.must_answer);
            if matches!(notice, Notice::Refused { .. } | Notice::QuestionPassedOn { succeeded: false })
                && !leader_waits
            {
                self.own.unreachable.extend(asked);
            }
        }
        // The strategy did not make this request, so it does not hear the answer.
        if !is_own_matter {
            self.messages.unread.push((now, notice));
        }
    }

    /// The agent's request is on its way.
    pub fn sent(&mut self, action: &Action) {
        self.draws.sent += 1;
        if self.blunders.repeated.as_ref().is_none_or(|(repeated, _)| repeated != action) {
            self.blunders.repeated = Some((action.clone(), 0));
        }
        let direction = match action {
            Action::Move(direction) => Some(*direction),
            _ => None,
        };
        let question = match action {
            Action::Answer { to, .. } => {
                let place = self.own.questions.iter().position(|question| question.by == *to);
                place.map(|place| self.own.questions.remove(place))
            }
            _ => None,
        };
        let asked = match action {
            Action::Ask(agent) => Some(*agent),
            _ => None,
        };
        if let Some(question) = question.filter(|question| question.must_answer) {
            self.messages.unconfirmed = Some((question, 0));
        }
        self.own.talked.retain(|agent| Some(*agent) != asked);
        self.own.unreachable.retain(|agent| Some(*agent) != asked);
        let open = &mut self.own.asked;
        open.extend(asked.filter(|agent| !open.contains(agent)));
        let clears_hand = *action == Action::Destroy && self.hand.kept_sham.is_due();
        if clears_hand {
            self.hand.kept_sham.attempted();
        }
        self.messages.pending =
            Some(Pending { kind: action.kind(), direction, question, asked, clears_hand });
    }

    /// Returns the messages that the strategy has not heard yet, each with the time at which it came, the oldest first.
    pub(crate) fn unread(&self) -> impl Iterator<Item = (SimTime, &Notice)> {
        self.messages.unread.iter().map(|(at, notice)| (*at, notice))
    }

    /// Returns `true` if this message answers the agent's last request.
    pub fn answers(&self, notice: &Notice) -> bool {
        self.messages.pending.is_some_and(|pending| notice.may_answer(pending.kind))
    }
}
