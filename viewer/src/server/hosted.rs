//! A host as request handlers know it, whatever its game and however many matches it has.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use std::vec;

use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use game_env::{Environment, Fault, Parameters, SimTime};
use tokio::sync::{mpsc, oneshot, watch};
use wire::token::Token;

use super::answer::{Refused, refusal};
use super::channel::Channel;
use crate::event_queue::EventQueue;
use crate::feed::{self, Mode};
use crate::matches::{Answer, Change, MatchId, NotServed, PersonId, Request, Settings};

/// A host and its page.
pub(super) trait Hosted: Send {
    /// Works through some of what the host has said; returns whether there was any.
    fn tell_some(&mut self) -> bool;

    /// Returns whether something is left of what was taken from the queue.
    fn has_backlog(&self) -> bool;

    /// Returns the feed of the match that a request names, and the number of the match if there are several; without a
    /// name, the feed of the page itself.
    ///
    /// # Errors
    ///
    /// If there is no such match.
    fn channel(&mut self, name: Option<&str>) -> Result<(Option<MatchId>, Arc<Channel>), Refused>;

    /// Returns the mode in the first message of the feed of this match.
    fn mode(&self, id: Option<MatchId>, has_seat: bool) -> Mode<'static>;

    /// Returns the settings; none if the host has no settings.
    fn settings(&mut self) -> Option<ShownSettings<'_>>;

    /// Returns whether the operator may ask for this now.
    ///
    /// # Errors
    ///
    /// If it may not.
    fn may(&mut self, order: Order) -> Result<(), Refused>;

    /// Passes an order of the operator on, with the settings that the operator has chosen, if [`Hosted::may`] allows
    /// it.
    ///
    /// # Errors
    ///
    /// If it does not, or the host takes no orders.
    fn order(&mut self, order: Order, parameters: Parameters) -> Result<Served, Refused>;

    /// There will be no more messages, for this reason.
    fn close(&mut self, why: &str);

    /// Returns the clock of a match that is played in real time, or a little less.
    fn clock(&self) -> Option<SimTime> {
        None
    }

    /// Writes the list of matches if it has changed, at most as often as viewers can use it.
    fn tell_list(&mut self) {}

    /// Returns whether there is a list of matches that has changed.
    fn is_list_old(&self) -> bool {
        false
    }

    /// Returns the messages beside the feed, e.g. the list of matches.
    fn notices(&self) -> Vec<watch::Receiver<Utf8Bytes>> {
        Vec::new()
    }

    /// Returns the person with this token.
    fn person(&self, _token: &str) -> Option<PersonId> {
        None
    }

    /// Returns the number of connected pages of this person.
    fn pages_of(&mut self, _person: PersonId) -> usize {
        0
    }

    /// Returns the messages that only this person gets.
    fn notices_of(&mut self, _person: PersonId) -> Option<watch::Receiver<Utf8Bytes>> {
        None
    }

    /// Takes in a person who wants to play.
    fn join(
        &mut self,
        _from: IpAddr,
        _offer: &str,
        _name: &str,
        _choices: BTreeMap<String, String>,
    ) -> Result<(PersonId, Token), Refused> {
        Err(nobody_plays())
    }

    /// Passes the action of a person on. `_seen` has the number of the match and, if the person says it, the number of
    /// its moves that the person has seen.
    fn act(
        &mut self,
        _person: PersonId,
        _seen: (u64, Option<u64>),
        _action: &str,
    ) -> Result<Served, Refused> {
        Err(nobody_plays())
    }

    /// Removes a person.
    fn leave(&mut self, _person: PersonId) {}

    /// Notes that a page of this person was connected until now.
    fn seen(&mut self, _person: PersonId) {}

    /// Returns the time after which this person has to leave if it does not show itself before; none if it is gone.
    fn time_left(&mut self, _person: PersonId) -> Option<Duration> {
        None
    }
}

/// Returns the refusal of a page on which nobody can play.
pub(super) fn nobody_plays() -> Refused {
    refusal(StatusCode::NOT_FOUND, "nobody can play here")
}

/// An order of the operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Start,
    Next,
    Stop,
    Connect,
    Configure,
}

impl Order {
    /// Returns the request that the host gets; `parameters` are the settings that the operator has chosen.
    pub(super) fn request<E: Environment>(self, parameters: Parameters, answer: Answer) -> Request<E> {
        match self {
            Self::Start => Request::Start { parameters, answer },
            Self::Next => Request::Next { answer },
            Self::Stop => Request::Stop { answer },
            Self::Connect => Request::Connect { answer },
            Self::Configure => Request::Configure { parameters, answer },
        }
    }
}

/// The result of a request, once the host has told it.
pub(super) type Served = oneshot::Receiver<Result<(), NotServed>>;

/// The settings of a host.
pub(super) struct ShownSettings<'a> {
    pub(super) settings: &'a dyn Settings,
    pub(super) is_locked: bool,
}

impl ShownSettings<'_> {
    /// Returns the settings as a message, with these faults of other values.
    pub(super) fn message(&self, faults: &[Fault]) -> String {
        feed::settings(&self.settings.settings(), self.is_locked, faults)
    }

    /// Returns the settings with these values as a message.
    ///
    /// # Errors
    ///
    /// The present settings as a message, with the faults of the values.
    pub(super) fn check(&self, asked: &Parameters) -> Result<String, String> {
        match self.settings.check(asked) {
            Ok(changed) => Ok(feed::settings(&changed, self.is_locked, &[])),
            Err(error) => Err(self.message(error.faults())),
        }
    }
}

/// The queue from a host to the viewers' thread, and the channel of requests back.
pub(super) struct HostLink<E: Environment> {
    queue: Arc<EventQueue<Change<E>>>,
    /// The changes that were taken from the queue and wait.
    backlog: vec::IntoIter<Change<E>>,
    requests: mpsc::Sender<Request<E>>,
}

impl<E: Environment> HostLink<E> {
    pub(super) fn new(queue: Arc<EventQueue<Change<E>>>, requests: mpsc::Sender<Request<E>>) -> Self {
        Self { queue, backlog: Vec::new().into_iter(), requests }
    }

    /// Takes some changes.
    pub(super) fn take_some(&mut self) -> Vec<Change<E>> {
        /// The number of changes until viewers are heard again: a few milliseconds.
        const MOST: usize = 4096;
        if self.backlog.len() == 0 {
            self.backlog = self.queue.take().into_iter();
        }
        self.backlog.by_ref().take(MOST).collect()
    }

    pub(super) fn has_backlog(&self) -> bool {
        self.backlog.len() > 0
    }

    /// Returns the channel of requests, for a sender that waits if it is full.
    pub(super) fn requests(&self) -> mpsc::Sender<Request<E>> {
        self.requests.clone()
    }

    /// Reserves room for a request.
    pub(super) fn reserve(&self) -> Result<mpsc::Permit<'_, Request<E>>, Refused> {
        self.requests.try_reserve().map_err(|error| match error {
            mpsc::error::TrySendError::Full(()) => {
                refusal(StatusCode::SERVICE_UNAVAILABLE, "the host's request queue is full: try again")
            }
            mpsc::error::TrySendError::Closed(()) => refusal(StatusCode::CONFLICT, "the host has ended"),
        })
    }

    /// Passes a request on that the host answers.
    pub(super) fn ask(&self, request: impl FnOnce(Answer) -> Request<E>) -> Result<Served, Refused> {
        let (answer, served) = oneshot::channel();
        self.reserve()?.send(request(Answer(answer)));
        Ok(served)
    }
}
