//! A queue from a game to the viewers; the game never waits for them.
//!
//! The game's loop puts one short entry per request into the queue. The viewers' thread plays the game again from
//! these entries, as from a replay: it computes events, messages and compression.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use game_env::{AgentId, Disruption, Environment, Note, SimTime};
use tokio::sync::Notify;

/// An input of a game: viewers play the game again from these alone.
#[derive(Debug)]
pub enum Step<E: Environment> {
    /// An agent's request is served.
    Action(SimTime, AgentId, E::Action),
    /// Something happens from outside.
    Disruption(SimTime, Disruption),
    /// An agent's strategy, where it runs in this process, has something to say to those who look.
    Note(AgentId, Note),
    /// More happened than there was room for; the game goes on from this state.
    Lost(Box<E>),
}

/// What happened and nobody has taken yet.
pub struct EventQueue<T> {
    queue: Mutex<Vec<T>>,
    arrived: Arc<Notify>,
    /// The most that waits.
    room: usize,
}

/// How much may wait: seconds of the fastest game there is, in some fifty megabytes.
const ROOM: usize = 1 << 20;

impl<T> fmt::Debug for EventQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventQueue").field("waiting", &self.lock().len()).field("room", &self.room).finish()
    }
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        Self::with_room(ROOM)
    }
}

impl<T> EventQueue<T> {
    /// Creates a queue with this capacity.
    pub fn with_room(room: usize) -> Self {
        Self { queue: Mutex::new(Vec::new()), arrived: Arc::default(), room }
    }

    /// Is notified when there is something to take.
    pub(crate) fn arrived(&self) -> Arc<Notify> {
        self.arrived.clone()
    }

    /// All that waits, in order.
    pub fn take(&self) -> Vec<T> {
        /// As much as comes at once where much comes; the game's loop need not make the room bit by bit.
        const USUAL: usize = 4096;
        let room = Vec::with_capacity(self.lock().len().min(USUAL));
        mem::replace(&mut *self.lock(), room)
    }

    /// Whether no more may wait.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().len() >= self.room
    }

    pub(crate) fn push(&self, event: T) {
        let mut queue = self.lock();
        let is_first = queue.is_empty();
        queue.push(event);
        drop(queue);
        if is_first {
            self.arrived.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        // Nothing that is done under the lock can panic half-way.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
