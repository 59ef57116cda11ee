//! A game that is played again from its inputs for viewers, sans-IO: its state, its feed and its replay.

use std::io;

use game_env::replay::{Header, Writer};
use game_env::{Notation, SimTime, Witness as _};
use serde_json::Value;

use crate::event_queue::Step;
use crate::room::GameFeed;

/// A game that is played again. It has the same state as its host at any time.
pub(crate) struct Course<E: Notation, F> {
    state: E,
    feed: F,
    /// None if a part of the game is missing, or the replay got too long.
    replay: Option<Writer<ReplayBuffer>>,
}

impl<E: Notation, F: GameFeed<E>> Course<E, F> {
    /// Begins with this state; the replay may have this many bytes.
    pub(crate) fn new(state: E, feed: F, header: &Header, replay_room: usize) -> Self {
        let replay = Writer::new(ReplayBuffer { bytes: Vec::new(), room: replay_room }, header).ok();
        Self { state, feed, replay }
    }

    pub(crate) fn state(&self) -> &E {
        &self.state
    }

    pub(crate) fn feed(&self) -> &F {
        &self.feed
    }

    /// Takes the next input; returns false if the feed has to restart.
    pub(crate) fn take(&mut self, step: Step<E>) -> bool {
        let Self { state, feed, replay } = self;
        match step {
            Step::Action(at, agent, action) => {
                if let Some(replay) = replay {
                    replay.action(state, at, agent, &action);
                }
                feed.action(state, at, agent, &action);
                state.step(at, agent, action, &mut feed.sink());
                feed.settle(state);
            }
            Step::Disruption(at, disruption) => {
                if let Some(replay) = replay {
                    replay.disruption(state, at, disruption);
                }
                feed.disruption(state, at, disruption);
                state.disrupt(at, disruption, &mut feed.sink());
                feed.settle(state);
            }
            Step::Note(agent, note) => {
                if agent.index() < state.agents() {
                    // The note arrives with the next input and gets the time of the last one: time never runs back.
                    let now = state.clock();
                    if let Some(replay) = replay {
                        replay.note(state, now, agent, &note);
                    }
                    feed.note(state, now, agent, &note);
                }
            }
            Step::Lost(now) => {
                *state = *now;
                feed.resume(state);
                // The missed part is not known, so there is no replay.
                *replay = None;
                return false;
            }
        }
        true
    }

    /// Returns all entries since this was last asked, as one message.
    pub(crate) fn messages(&mut self) -> Option<String> {
        self.feed.take()
    }

    /// Returns the message from which a page goes on by the entries that follow.
    pub(crate) fn start_anew(&mut self) -> String {
        // Entries that wait happened before the state that is sent now.
        self.feed.take();
        self.feed.start(&self.state)
    }

    /// Returns the statistics as the game stands.
    pub(crate) fn document(&self) -> Value {
        self.feed.document(&self.state)
    }

    /// Returns the replay of a game that is over, if it is whole.
    pub(crate) fn finish_replay(&mut self, at: SimTime) -> Option<Vec<u8>> {
        let mut replay = self.replay.take()?;
        replay.end(&self.state, at);
        Some(replay.finish().ok()?.bytes)
    }
}

/// A replay in memory that ends when it is full.
struct ReplayBuffer {
    bytes: Vec<u8>,
    room: usize,
}

impl io::Write for ReplayBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
