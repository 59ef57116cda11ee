//! Oddities of game masters and communication servers of other implementations that an agent allows for.
//!
//! [`wire`] reads their messages, and [`penalty`](crate::driver::penalty) allows for their ways of counting locks.

/// The default for the longest body that an agent sends, in bytes.
///
/// The specification recommends 8192, but one existing communication server and one existing game master have buffers
/// of 8192 bytes for a body and the two bytes of its length. They lose longer messages: a body of 8191 bytes would not
/// arrive.
pub const LONGEST_MESSAGE: u16 = 8190;

/// The sham that may be left in the hand, and the action that is due because of it.
///
/// A piece that a check finds to be a sham is destroyed by it. One game master of 2020 answers like all others but lets
/// the agent keep the sham, and refuses to give it another piece until it has destroyed this one. Its messages differ
/// from those of others only by that refusal.
#[derive(Clone, Default, Debug)]
pub(crate) struct KeptSham {
    /// A check found a sham, and no piece was taken since.
    found: bool,
    habit: Habit,
    /// It is to be destroyed before anything else is done.
    due: bool,
    /// The number of attempts to destroy it that did not succeed.
    attempts: u32,
}

/// The behaviour of the game master with a sham that was found.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Habit {
    /// Destroys it, as far as anything is known.
    #[default]
    Destroys,
    /// Leaves it in the hand.
    Leaves,
    /// It seemed to leave it, but there was nothing to destroy.
    Denied,
}

/// After this many attempts to destroy it there is nothing in the hand.
const MOST_ATTEMPTS: u32 = 2;

impl KeptSham {
    /// Notes that a check has found a sham.
    pub(crate) fn found(&mut self) {
        self.found = true;
        self.due = self.habit == Habit::Leaves;
    }

    /// Notes that the hand certainly holds another piece or none.
    pub(crate) fn gone(&mut self) {
        (self.found, self.due, self.attempts) = (false, false, 0);
    }

    /// Returns `true` if a found sham explains an answer that shows a full hand where the hand should be empty.
    pub(crate) fn explains_a_full_hand(&mut self) -> bool {
        if !self.found || self.habit == Habit::Denied {
            return false;
        }
        self.habit = Habit::Leaves;
        self.due = true;
        true
    }

    /// Returns `true` if it is to be destroyed.
    pub(crate) fn is_due(&self) -> bool {
        self.due
    }

    /// It is being destroyed.
    pub(crate) fn attempted(&mut self) {
        self.due = false;
        self.attempts += 1;
    }

    /// The attempt came too early and does not count.
    pub(crate) fn postponed(&mut self) {
        self.due = true;
        self.attempts = self.attempts.saturating_sub(1);
    }

    /// Notes that the attempt was refused; `is_empty` says whether the reason was an empty hand.
    pub(crate) fn refused(&mut self, is_empty: bool) {
        if is_empty || self.attempts >= MOST_ATTEMPTS {
            self.habit = Habit::Denied;
            self.gone();
        } else {
            self.due = true;
        }
    }
}
