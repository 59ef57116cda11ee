//! The mistakes of a strategy: impossible actions, panics, and requests that are refused again and again.

use std::fmt;

use game_env::{AgentId, Millis, SimTime};
use game_project::{Action, ActionKind, Area};

use super::Actor;
use super::decide::as_said;
use crate::strategy::{Choice, Notice};
use crate::view::Own;

/// A mistake of a strategy that cost its agent a turn.
///
/// The game continues. The agent then waits for the penalty of the action (after a panic, for the penalty of a move) or
/// for the next message, and calls the strategy again. It does not repeat the call that answers a question: the agent
/// that asked gets no answer, and the own leader gets an empty answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Blunder {
    /// The game time.
    pub at: SimTime,
    /// The agent.
    pub agent: AgentId,
    /// The kind of mistake.
    pub what: BlunderKind,
    /// A drawing of the view of the strategy.
    pub view: String,
}

/// The kind of a [`Blunder`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum BlunderKind {
    /// The strategy panicked with this message. The message has the place of the panic if the program has called
    /// [`quiet_hook`](game_env::panics::quiet_hook).
    Panicked(String),
    /// The strategy returned an impossible action.
    Nonsense {
        /// The action.
        action: Action,
        /// The reason why it is impossible.
        why: &'static str,
    },
    /// The strategy returned a wait until a moment that is not in the future.
    Idle {
        /// The moment.
        until: SimTime,
    },
    /// The strategy requested the same action again and again, and the game master refused it [`REPETITIONS`] times in
    /// a row. This is reported once in a game, and costs only the penalties of the refusals.
    Repeated {
        /// The action.
        action: Action,
        /// The number of refusals in a row.
        times: u32,
    },
}

impl fmt::Display for Blunder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            BlunderKind::Panicked(message) => write!(f, "the strategy of agent {} panicked", self.agent)
                .and_then(|()| write!(f, " at {}: {message}", self.at))?,
            BlunderKind::Nonsense { action, why } => {
                write!(f, "agent {} wanted to `{action}` at {}, but {why}", self.agent, self.at)?;
            }
            BlunderKind::Idle { until } => write!(
                f,
                "agent {} wanted to wait until {until} at {}, which is not in the future",
                self.agent, self.at
            )?,
            BlunderKind::Repeated { action, times } => write!(
                f,
                "agent {} has tried `{action}` {times} times in a row by {}, and was refused each time",
                self.agent, self.at
            )?,
        }
        let lost =
            if matches!(self.what, BlunderKind::Repeated { .. }) { "" } else { "it loses this turn; " };
        write!(f, "\n{lost}what it saw:\n{}", self.view)
    }
}

/// The number of refusals of the same action in a row after which it is reported as a blunder.
pub const REPETITIONS: u32 = 100;

/// The most blunders that an agent keeps until the next call of [`Actor::take_blunders`]. The limit protects the memory
/// from a strategy that fails in every turn.
pub const KEPT_BLUNDERS: usize = 100;

/// The shortest time that a blunder costs.
const SHORTEST_REST: Millis = Millis::new(10);

/// The blunders of an agent in a game.
#[derive(Clone, Default, Debug)]
pub(super) struct Blunders {
    /// The blunders since they were last taken, at most [`KEPT_BLUNDERS`].
    pub(super) kept: Vec<Blunder>,
    /// Number of all blunders.
    pub(super) count: u64,
    /// The end of the turn that the last blunder cost.
    pub(super) rests_until: SimTime,
    /// The last request, and the number of its refusals in a row.
    pub(super) repeated: Option<(Action, u32)>,
    /// `true` if a request that was refused again and again was reported.
    reported_repetition: bool,
}

impl Actor {
    /// Checks a strategy's decision: nonsense and panics cost the turn.
    pub(crate) fn admit(&mut self, now: SimTime, decided: Result<Choice, String>) -> Choice {
        let (what, kind) = match decided {
            Ok(Choice::Wait(until)) if until > now => return Choice::Wait(until),
            Ok(Choice::Wait(until)) => (BlunderKind::Idle { until }, ActionKind::Move),
            Ok(Choice::Act(action)) => match self.nonsense(&action) {
                None => return Choice::Act(as_said(action)),
                Some(why) => {
                    let kind = action.kind();
                    (BlunderKind::Nonsense { action, why }, kind)
                }
            },
            Err(message) => (BlunderKind::Panicked(message), ActionKind::Move),
        };
        self.report(now, what);
        let penalty = self.briefing.game.config.penalties().of(kind);
        self.blunders.rests_until = now + penalty.max(SHORTEST_REST);
        Choice::Wait(self.blunders.rests_until)
    }

    fn report(&mut self, now: SimTime, what: BlunderKind) {
        self.blunders.count += 1;
        if self.blunders.kept.len() < KEPT_BLUNDERS {
            let view = self.view(now).to_string();
            self.blunders.kept.push(Blunder { at: now, agent: self.own.agent, what, view });
        }
    }

    /// Counts how often the same request is refused in a row, and reports it once in a game.
    pub(super) fn count_refusals(&mut self, now: SimTime, notice: &Notice) {
        if !self.answers(notice) {
            return;
        }
        let Some((action, times)) = &mut self.blunders.repeated else { return };
        match notice {
            Notice::TooEarly { .. } => {}
            _ if notice.is_refusal() => *times += 1,
            _ => *times = 0,
        }
        if *times == REPETITIONS && !self.blunders.reported_repetition {
            let what = BlunderKind::Repeated { action: action.clone(), times: REPETITIONS };
            self.blunders.reported_repetition = true;
            self.report(now, what);
        }
    }

    /// Returns the reason why the game master is sure to refuse an action, as far as the agent can know.
    fn nonsense(&self, action: &Action) -> Option<&'static str> {
        let Own { position, hand, .. } = self.own;
        let geometry = self.knowledge.geometry();
        match action {
            Action::Move(direction) => match geometry.neighbour(position, *direction) {
                None => Some("the board ends there"),
                Some(next) if geometry.area(next) == Area::Goal(self.own.team.opponent()) => {
                    Some("the other team's goal area may not be entered")
                }
                Some(_) => None,
            },
            Action::Discover => None,
            Action::PickUp if hand.is_full() => Some("it has a piece in hand already"),
            Action::PickUp if geometry.area(position) != Area::Task => {
                Some("nothing can be picked up in a goal area")
            }
            Action::PickUp => None,
            Action::Destroy if self.hand.kept_sham.is_due() => None,
            Action::Put | Action::Check | Action::Destroy => (!hand.is_full()).then_some("it has no piece"),
            Action::Ask(asked) if *asked == self.own.agent => Some("it cannot ask itself"),
            Action::Ask(asked) => {
                let agents = self.briefing.game.teams.len();
                (asked.index() >= agents).then_some("there is no such agent")
            }
            Action::Answer { to, .. } => {
                let asked = self.own.questions.iter().any(|question| question.by == *to);
                (!asked).then_some("that agent has not asked")
            }
        }
    }
}
