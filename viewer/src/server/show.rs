//! The content for viewers, and the seats: the feed's messages, the end of a game, the game that is hosted.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::http::StatusCode;
use game_env::SimTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep};

use super::answer::{Refused, refusal};
use super::channel::Channel;
use super::matches::{AnyMatches, LIST_EVERY};
use super::watching::TOO_MANY;
use super::{Backlog, ServerLimits};
use crate::feed::{self, Mode};
use crate::games::project::host::{Host, NotConfigured};
use crate::games::project::host_events::HostEvent;
use crate::games::project::spectator::Spectator;
use crate::guard::Guard;
use crate::matches::MatchId;

/// The content for viewers, and their seats.
pub(super) struct Show {
    pub(super) guard: Guard,
    /// The game's name in replays.
    pub(super) game: &'static str,
    /// The name of the replay's file, if one is shown.
    pub(super) file: Option<String>,
    /// The feed of the only game. Of several matches each has its own; then this one is empty.
    pub(super) channel: Arc<Channel>,
    pub(super) live: Option<Live>,
    pub(super) matches: Option<Mutex<Box<dyn AnyMatches>>>,
    pub(super) viewers: Arc<Semaphore>,
    /// Seats that only the operator may take, if there are no others.
    pub(super) operators: Arc<Semaphore>,
    /// Those of people who play.
    pub(super) people: Arc<Semaphore>,
    pub(super) server_limits: ServerLimits,
}

/// A game that is hosted.
pub(super) struct Live {
    pub(super) state: Mutex<LiveState>,
}

impl Live {
    pub(super) fn new(spectator: Spectator) -> Self {
        Self { state: Mutex::new(LiveState { spectator, asked: VecDeque::new(), began: None }) }
    }
}

pub(super) struct LiveState {
    pub(super) spectator: Spectator,
    /// Settings that were passed on, in order.
    pub(super) asked: VecDeque<Asked>,
    /// The moment when the beginning of the game was received here.
    pub(super) began: Option<Instant>,
}

/// Settings that the game master has not answered yet.
pub(super) struct Asked {
    pub(super) host: Arc<dyn Host>,
    pub(super) answer: oneshot::Sender<Result<(), NotConfigured>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A handler that panicked is no reason to show nothing any more.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Show {
    /// Makes messages of some events; returns whether there were any.
    pub(super) fn tell_some(&self, Backlog(events): &mut Backlog) -> bool {
        /// The most events that are worked on before viewers are heard again: a few milliseconds.
        const MOST: usize = 4096;
        if let Some(matches) = &self.matches {
            return lock(matches).tell_some();
        }
        let Some(live) = &self.live else { return false };
        let were_some = events.len() > 0;
        self.tell(live, events.by_ref().take(MOST));
        were_some
    }

    fn tell(&self, live: &Live, events: impl Iterator<Item = HostEvent>) {
        let mut state = lock(&live.state);
        for event in events {
            match &event {
                HostEvent::Began { .. } => state.began = Some(Instant::now()),
                HostEvent::Configured(result) => {
                    if let Some(Asked { host, answer }) = state.asked.pop_front() {
                        if result.is_ok() {
                            state.spectator.reconfigured(host);
                        }
                        // The client may be gone.
                        let _ = answer.send(result.clone());
                    }
                }
                _ => {}
            }
            state.spectator.take(event);
        }
        if let Some(statistics) = state.spectator.statistics() {
            let mut end = lock(&self.channel.end);
            if end.statistics.is_none() {
                end.statistics = Some(statistics.to_string().into());
                end.replay = state.spectator.replay().map(Bytes::copy_from_slice);
            }
        }
        self.channel.push(state.spectator.new_messages());
    }

    pub(super) fn close(&self, why: &str) {
        if let Some(matches) = &self.matches {
            lock(matches).close(why);
        }
        self.channel.close(self.file.is_none().then(|| feed::gone(why)));
        if let Some(live) = &self.live {
            lock(&live.state).asked.clear();
        }
    }

    /// The matches, where several can be shown.
    pub(super) fn matches(&self) -> Result<&Mutex<Box<dyn AnyMatches>>, Refused> {
        self.matches.as_ref().ok_or_else(|| refusal(StatusCode::NOT_FOUND, "nobody can play here"))
    }

    /// The greeting of this feed; `id` is the match that was asked for, where there are several.
    pub(super) fn hello(&self, id: Option<MatchId>, is_operator: bool, has_seat: bool) -> String {
        let mode = match (&self.file, &self.matches) {
            (Some(file), _) => Mode::Replay { file },
            (None, Some(_)) => Mode::Matches { id, has_seat },
            (None, None) => Mode::Live,
        };
        feed::hello(self.game, mode, is_operator)
    }

    /// The seats that this viewer may take, the common ones first.
    pub(super) fn seats(&self, is_operator: bool, is_person: bool) -> impl Iterator<Item = &Arc<Semaphore>> {
        let own = is_person.then_some(&self.people).into_iter();
        own.chain([&self.viewers]).chain(is_operator.then_some(&self.operators))
    }

    /// A seat for a viewer, while there is one.
    pub(super) fn seat(&self, is_operator: bool, is_person: bool) -> Result<OwnedSemaphorePermit, Refused> {
        let seat =
            self.seats(is_operator, is_person).find_map(|seats| seats.clone().try_acquire_owned().ok());
        seat.ok_or_else(|| refusal(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY))
    }

    /// Whether some events that were taken from the queue are left.
    pub(super) fn has_backlog(&self, Backlog(events): &Backlog) -> bool {
        self.matches.as_ref().map_or(events.len() > 0, |matches| lock(matches).has_backlog())
    }

    pub(super) fn tell_list(&self) {
        if let Some(matches) = &self.matches {
            lock(matches).tell_list();
        }
    }

    /// Returns when the list of matches is to be written again; never where there is none, or it is new.
    pub(super) async fn list_due(&self) {
        match &self.matches {
            Some(matches) if lock(matches).is_list_old() => sleep(LIST_EVERY).await,
            _ => pending().await,
        }
    }

    /// Returns the clock of the game that is being played, or a moment a little before.
    pub(super) fn clock(&self) -> Option<SimTime> {
        let state = lock(&self.live.as_ref()?.state);
        let last = state.spectator.clock()?;
        let elapsed = state.began?.elapsed().as_millis();
        Some(last.max(SimTime::from_millis(u64::try_from(elapsed).unwrap_or(u64::MAX))))
    }
}
