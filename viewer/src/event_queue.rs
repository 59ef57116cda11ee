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
    /// A disruption from outside.
    Disruption(SimTime, Disruption),
    /// A note of an agent's strategy for viewers, if the strategy runs in this process.
    Note(AgentId, Note),
    /// More happened than there was room for; the game goes on from this state.
    Lost(Box<E>),
}

/// A queue of events that nobody has taken yet.
pub struct EventQueue<T> {
    queue: Mutex<Vec<T>>,
    arrived: Arc<Notify>,
    /// The number of waiting events at which steps and notes find no room.
    room: usize,
}

/// Default capacity in events: seconds of the fastest game there is, in some fifty megabytes.
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
    pub(crate) fn with_room(room: usize) -> Self {
        Self { queue: Mutex::new(Vec::new()), arrived: Arc::default(), room }
    }

    /// Is notified when there is something to take.
    pub(crate) fn arrived(&self) -> Arc<Notify> {
        self.arrived.clone()
    }

    /// Takes all events that wait, in order.
    pub fn take(&self) -> Vec<T> {
        /// Largest capacity of the next queue: as much as usually comes at once if much comes, so that the game's
        /// loop need not grow it bit by bit.
        const USUAL: usize = 4096;
        let room = Vec::with_capacity(self.lock().len().min(USUAL));
        mem::replace(&mut *self.lock(), room)
    }

    /// Returns whether there is no room for further steps and notes.
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
