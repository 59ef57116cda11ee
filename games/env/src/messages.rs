//! The messages of agents to each other, as a referee sees them: with the truth about each claim.
//!
//! A game whose agents talk names a [`MessageJudge`] in [`Measured::JUDGE`](crate::Measured::JUDGE). Tables, reports
//! and other languages show the messages of all such games alike.
//!
//! Only a referee can judge: agents know neither the truth nor the knowledge of others.

use std::fmt;

use crate::environment::Environment;
use crate::ids::AgentId;
use crate::time::SimTime;

/// Keeps what every agent knows, and judges the claims of messages by it.
pub trait MessageJudge<E: Environment> {
    /// Handles the next event. `state` is the one after it. If the event is a message, calls `each` with it.
    fn hear(&mut self, state: &E, now: SimTime, event: &E::Event, each: &mut dyn FnMut(Message));
}

/// Makes the judge of a game that begins with a state.
pub type MakeJudge<E> = fn(&E) -> Box<dyn MessageJudge<E>>;

/// A message of an agent to another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The moment.
    pub at: SimTime,
    /// The kind of the message in the words of the game, e.g. `question`.
    pub kind: &'static str,
    /// The sender.
    pub from: AgentId,
    /// The receiver.
    pub to: AgentId,
    /// The claims of a message that can have some.
    pub claims: Option<Vec<Claim>>,
}

impl Message {
    /// Returns the number of its claims of each verdict.
    pub fn made(&self) -> ClaimCounts {
        self.claims.iter().flatten().map(|claim| claim.verdict).collect()
    }

    /// Returns the number of [believed](Claim::is_believed) claims of each verdict.
    pub fn believed(&self) -> ClaimCounts {
        let claims = self.claims.iter().flatten();
        claims.filter(|claim| claim.is_believed).map(|claim| claim.verdict).collect()
    }
}

/// A claim about a field of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The column and the row of the field.
    pub at: (u16, u16),
    /// The subject, e.g. `distance`.
    pub about: &'static str,
    /// The content.
    pub said: String,
    /// The truth at this moment.
    pub truth: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// `true` if no finding of the receiver itself contradicts the claim. Its trust in the sender is not considered.
    pub is_believed: bool,
}

/// The verdict on a claim, from good to bad.
///
/// A claim that is true is honest, whatever the reason for it. A false claim is judged by what the agent knows from the
/// rules and from other agents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClaimVerdict {
    /// It is true.
    Honest,
    /// It was true when the agent found it out.
    Stale,
    /// It is a guess, or repeats a false claim that the agent has heard, or follows from one.
    Mistaken,
    /// It contradicts the knowledge of the agent, or is false without a reason.
    Lie,
}

impl ClaimVerdict {
    /// All verdicts, from good to bad.
    pub const ALL: [Self; 4] = [Self::Honest, Self::Stale, Self::Mistaken, Self::Lie];

    const fn word(self) -> &'static str {
        match self {
            Self::Honest => "honest",
            Self::Stale => "stale",
            Self::Mistaken => "mistaken",
            Self::Lie => "lie",
        }
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The number of claims of each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClaimCounts([u64; ClaimVerdict::ALL.len()]);

impl ClaimCounts {
    /// Returns the number of claims of this verdict.
    pub const fn of(&self, verdict: ClaimVerdict) -> u64 {
        self.0[verdict as usize]
    }

    /// Returns the number of all claims.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of all claims that are not honest.
    pub fn false_ones(&self) -> u64 {
        self.total() - self.of(ClaimVerdict::Honest)
    }

    /// Returns the verdict on a message with these claims: that on its worst claim. A message without claims is honest.
    pub fn worst(&self) -> ClaimVerdict {
        let worst = ClaimVerdict::ALL.into_iter().rev().find(|verdict| self.of(*verdict) > 0);
        worst.unwrap_or(ClaimVerdict::Honest)
    }

    /// Adds one claim.
    pub fn add(&mut self, verdict: ClaimVerdict) {
        self.0[verdict as usize] += 1;
    }
}

impl std::ops::AddAssign for ClaimCounts {
    fn add_assign(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }
}

impl FromIterator<ClaimVerdict> for ClaimCounts {
    fn from_iter<I: IntoIterator<Item = ClaimVerdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|verdict| counts.add(verdict));
        counts
    }
}
