//! One agent in one game: its knowledge, its messages, and the calls of its strategy. It is the same on the network and
//! in process.
//!
//! [`Session`](crate::driver::session::Session) gives it messages from the network, [`local`](crate::local) gives it messages
//! from a rollout. It reads no clock: every call has the time as an argument.

mod blunders;
mod decide;
mod draws;
mod learn;
mod messages;

use std::sync::Arc;

use game_env::{AgentId, Chance, Note, Seed, SimTime};
use game_project::{Action, ActionKind, Briefing, Direction, Position, Question};

use crate::knowledge::Knowledge;
use crate::notes::Notes;
use crate::notice::Notice;
use crate::quirks::KeptSham;
use crate::view::{Hand, Own, View};

pub use self::blunders::{Blunder, BlunderKind, KEPT_BLUNDERS, REPETITIONS};

/// An agent in a game that has begun.
#[derive(Clone, Debug)]
pub struct Actor {
    briefing: Arc<Briefing>,
    own: Own,
    knowledge: Knowledge,
    seed: Seed,
    /// Random numbers for the call of the strategy that comes next; see [`Actor::draw_for`].
    chance: Chance,
    /// Number of messages that the strategy has heard, and number of requests that the agent has sent.
    counts: (u64, u64),
    /// The last request, and the number of its refusals in a row.
    repeated: Option<(Action, u32)>,
    /// Whether a request that was refused over and over was reported.
    reported_repetition: bool,
    notes: Notes,
    /// The request whose answer is to come.
    pending: Option<Pending>,
    /// Messages that the strategy has not heard yet, the oldest first.
    unread: Vec<Notice>,
    /// The answer to the leader that may not have arrived: no request was granted since. The number counts the refusals
    /// that a missing answer explains.
    unconfirmed: Option<(Question, u32)>,
    /// Number of answers to the leader that were lost since a request was last granted.
    lost_answers: u32,
    /// Agents that asked and are not to be answered, or were about to be answered when the strategy panicked.
    declined: Vec<AgentId>,
    has_begun: bool,
    /// Number of refusals in a row (message 905) of requests that need a piece: to put, check or destroy it.
    vain: u32,
    /// Number of refused puts since the content of the hand was last certain.
    refused_puts: u32,
    /// Position at which it was refused a piece for a reason that only full hands explain, though its hands seemed
    /// empty.
    refused_at: Option<Position>,
    /// The sham that may still be in the hand that the strategy takes for empty.
    kept_sham: KeptSham,
    /// After a blunder: when the turn is over that it cost.
    rests_until: SimTime,
    blunders: Vec<Blunder>,
    blunder_count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    kind: ActionKind,
    direction: Option<Direction>,
    /// The question that it answers.
    question: Option<Question>,
    /// The agent that it asks.
    asked: Option<AgentId>,
    /// Whether it destroys a sham of which the strategy knows nothing any more.
    clears_hand: bool,
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
            chance: seed.agent(briefing.agent),
            seed,
            counts: (0, 0),
            repeated: None,
            reported_repetition: false,
            own,
            briefing,
            notes: Notes::default(),
            pending: None,
            unconfirmed: None,
            lost_answers: 0,
            unread: Vec::new(),
            declined: Vec::new(),
            has_begun: false,
            vain: 0,
            refused_puts: 0,
            refused_at: None,
            kept_sham: KeptSham::default(),
            rests_until: SimTime::START,
            blunders: Vec::new(),
            blunder_count: 0,
        }
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

    /// The view of the strategy at this moment.
    pub fn view(&mut self, now: SimTime) -> View<'_> {
        View {
            now,
            own: &self.own,
            briefing: &self.briefing,
            knowledge: &self.knowledge,
            chance: &mut self.chance,
            notes: &mut self.notes,
        }
    }

    /// The agent's knowledge of itself.
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// The agent's knowledge of the board.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The information from the start of the game.
    pub fn briefing(&self) -> &Arc<Briefing> {
        &self.briefing
    }

    /// Returns the note of the strategy with its last decision.
    pub fn take_note(&mut self) -> Option<Note> {
        self.notes.take()
    }

    /// Returns the blunders since the last call: at most the first [`KEPT_BLUNDERS`].
    pub fn take_blunders(&mut self) -> Vec<Blunder> {
        std::mem::take(&mut self.blunders)
    }

    /// The number of blunders of the strategy in this game, including those that were not kept.
    pub fn blunder_count(&self) -> u64 {
        self.blunder_count
    }
}
