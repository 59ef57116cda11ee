//! One agent in one game: its knowledge, its messages, and the calls of its strategy. It is the same on the network and
//! in process.
//!
//! [`Session`](crate::driver::session::Session) gives it messages from the network, [`local`](crate::local) gives it
//! messages from a rollout. It reads no clock: every call has the time as an argument.

mod blunders;
mod decide;
mod draws;
mod hand;
mod learn;
mod messages;

use std::sync::Arc;

use game_env::{Note, Seed, SimTime};
use game_project::{Briefing, Position};

use self::blunders::Blunders;
use self::draws::Draws;
use self::hand::HandDoubts;
use self::messages::Messages;
use crate::knowledge::Knowledge;
use crate::view::{Hand, Notes, Own, View};

pub use self::blunders::{Blunder, BlunderKind, KEPT_BLUNDERS, REPETITIONS};

/// An agent in a game that has begun.
#[derive(Clone, Debug)]
pub struct Actor {
    briefing: Arc<Briefing>,
    own: Own,
    knowledge: Knowledge,
    draws: Draws,
    notes: Notes,
    messages: Messages,
    hand: HandDoubts,
    blunders: Blunders,
}

impl Actor {
    /// Creates an agent at the start of its game. The seed decides its random numbers.
    pub fn new(briefing: Arc<Briefing>, seed: Seed) -> Self {
        let own = Own {
            agent: briefing.agent,
            team: briefing.team,
            position: briefing.start,
            hand: Hand::Empty,
            questions: Vec::new(),
            asked: Vec::new(),
            talked: Vec::new(),
            unreachable: Vec::new(),
        };
        Self {
            knowledge: Knowledge::new(&briefing),
            draws: Draws::new(seed, briefing.agent),
            own,
            briefing,
            notes: Notes::default(),
            messages: Messages::default(),
            hand: HandDoubts::default(),
            blunders: Blunders::default(),
        }
    }

    /// Takes the random numbers of the strategy's calls from now on from this seed.
    pub fn reseed(&mut self, seed: Seed) {
        self.draws.reseed(seed);
    }

    /// Limits the bodies of the agent's answers to this number of bytes.
    pub fn with_longest_message(mut self, bytes: u16) -> Self {
        self.knowledge.fit_answers_into(bytes);
        self
    }

    /// Turns on the notes of the strategy: its remarks and drawings are kept.
    pub fn with_notes(self) -> Self {
        Self { notes: Notes::new(true), ..self }
    }

    /// Returns the view of the strategy at this moment.
    pub fn view(&mut self, now: SimTime) -> View<'_> {
        View {
            now,
            came_at: self.messages.came_at,
            own: &self.own,
            briefing: &self.briefing,
            knowledge: &self.knowledge,
            chance: &mut self.draws.chance,
            notes: &mut self.notes,
        }
    }

    /// Returns the agent's knowledge of itself.
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// Returns the field on which the agent stands, as far as it knows.
    pub fn position(&self) -> Position {
        self.own.position
    }

    /// Returns the agent's knowledge of the board.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Returns the information from the start of the game.
    pub fn briefing(&self) -> &Arc<Briefing> {
        &self.briefing
    }

    /// Returns the note of the strategy with its last decision.
    pub fn take_note(&mut self) -> Option<Note> {
        self.notes.take()
    }

    /// Returns the blunders since the last call: at most the first [`KEPT_BLUNDERS`].
    pub fn take_blunders(&mut self) -> Vec<Blunder> {
        std::mem::take(&mut self.blunders.kept)
    }

    /// Returns the number of blunders of the strategy in this game, including those that were not kept.
    pub fn blunder_count(&self) -> u64 {
        self.blunders.count
    }
}
