//! The content for viewers, and the seats: the feed's messages, the end of a game, the game that is hosted.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use game_env::SimTime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use super::ServerLimits;
use super::answer::{Refused, refusal};
use super::channel::Channel;
use super::hosted::{Hosted, nobody_plays};
use super::matches::LIST_EVERY;
use super::studying::Studied;
use super::watching::{TOO_MANY, TOO_MANY_PAGES};
use crate::feed::{self, Mode};
use crate::guard::Guard;
use crate::matches::{MatchId, PersonId};

/// The content for viewers, and their seats.
pub(super) struct Show {
    pub(super) guard: Guard,
    /// The game's name in replays.
    pub(super) game: &'static str,
    pub(super) content: Content,
    pub(super) viewers: Arc<Semaphore>,
    /// Seats that only the operator may take, if there are no others.
    pub(super) operators: Arc<Semaphore>,
    /// Those of people who play.
    pub(super) people: Arc<Semaphore>,
    pub(super) server_limits: ServerLimits,
}

/// The content of a page.
pub(super) enum Content {
    /// A replay; `file` is its name, and `studied` is there if a program studies it.
    Replay { file: String, channel: Arc<Channel>, studied: Option<Studied> },
    /// The matches of a host.
    Hosted(Mutex<Box<dyn Hosted>>),
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A handler that panicked is no reason to show nothing any more.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Show {
    /// Returns the host, if the page has one.
    pub(super) fn host(&self) -> Option<MutexGuard<'_, Box<dyn Hosted>>> {
        match &self.content {
            Content::Hosted(host) => Some(lock(host)),
            Content::Replay { .. } => None,
        }
    }

    /// Returns the study of the replay, if there is one.
    pub(super) fn studied(&self) -> Option<&Studied> {
        match &self.content {
            Content::Replay { studied, .. } => studied.as_ref(),
            Content::Hosted(_) => None,
        }
    }

    /// Returns the host, for people who play or want to.
    ///
    /// # Errors
    ///
    /// If the page has no host.
    pub(super) fn played(&self) -> Result<MutexGuard<'_, Box<dyn Hosted>>, Refused> {
        self.host().ok_or_else(nobody_plays)
    }

    /// Returns the feed of the match that a request names, and the number of the match if there are several.
    ///
    /// # Errors
    ///
    /// If there is no such match.
    pub(super) fn channel(&self, name: Option<&str>) -> Result<(Option<MatchId>, Arc<Channel>), Refused> {
        match &self.content {
            Content::Replay { channel, .. } => Ok((None, channel.clone())),
            Content::Hosted(host) => lock(host).channel(name),
        }
    }

    /// Turns some of the host's queued changes into messages. Returns whether there were any.
    pub(super) fn tell_some(&self) -> bool {
        self.host().is_some_and(|mut host| host.tell_some())
    }

    pub(super) fn close(&self, why: &str) {
        match &self.content {
            Content::Replay { channel, .. } => channel.close(None),
            Content::Hosted(host) => lock(host).close(why),
        }
    }

    /// Returns the greeting of the feed of this match.
    pub(super) fn hello(&self, id: Option<MatchId>, is_operator: bool, has_seat: bool) -> String {
        let (mode, timeout) = match &self.content {
            // A page has all of a replay as soon as it is read; only studies follow.
            Content::Replay { file, studied, .. } => {
                (Mode::Replay { file }, studied.as_ref().map(|_| self.server_limits.patience))
            }
            Content::Hosted(host) => (lock(host).mode(id, has_seat), Some(self.server_limits.patience)),
        };
        feed::hello(self.game, mode, is_operator, timeout)
    }

    /// Returns the kinds of seats that this viewer may take, in the order in which they are tried: those of people, of
    /// viewers, of operators.
    pub(super) fn seats(&self, is_operator: bool, is_person: bool) -> impl Iterator<Item = &Arc<Semaphore>> {
        let own = is_person.then_some(&self.people).into_iter();
        own.chain([&self.viewers]).chain(is_operator.then_some(&self.operators))
    }

    /// Returns a seat for a viewer, while there is one.
    pub(super) fn seat(
        &self,
        is_operator: bool,
        person: Option<PersonId>,
    ) -> Result<OwnedSemaphorePermit, Refused> {
        if person.is_some_and(|person| self.has_many_pages(person)) {
            return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY_PAGES));
        }
        let mut seats = self.seats(is_operator, person.is_some());
        let seat = seats.find_map(|seats| seats.clone().try_acquire_owned().ok());
        seat.ok_or_else(|| refusal(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY))
    }

    /// Returns whether a person has as many connected pages as one may have: nobody takes the seats of others.
    pub(super) fn has_many_pages(&self, person: PersonId) -> bool {
        /// More than anybody looks at; a page whose network has failed counts until that is noticed.
        const MOST: usize = 8;
        self.host().is_some_and(|mut host| host.pages_of(person) >= MOST)
    }

    /// Returns whether something is left of what was taken from the queue.
    pub(super) fn has_backlog(&self) -> bool {
        self.host().is_some_and(|host| host.has_backlog())
    }

    pub(super) fn tell_list(&self) {
        if let Some(mut host) = self.host() {
            host.tell_list();
        }
    }

    /// Returns when the list of matches is to be written again; never where there is none, or it is new.
    pub(super) async fn list_due(&self) {
        if self.host().is_some_and(|host| host.is_list_old()) {
            sleep(LIST_EVERY).await;
        } else {
            pending::<()>().await;
        }
    }

    /// Returns the clock of the game that is being played, or a moment a little before.
    pub(super) fn clock(&self) -> Option<SimTime> {
        self.host()?.clock()
    }
}
