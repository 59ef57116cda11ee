//! The requests of people on the page, as they come to the host.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use game_env::{AgentId, ConfigError, Environment, Parameters};
use tokio::sync::oneshot;

use super::MatchId;

/// A person who plays on the page, or wants to: from the moment it takes an offer until it leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PersonId(pub(crate) u64);

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "person {}", self.0)
    }
}

/// A request from the page.
#[derive(Debug)]
#[non_exhaustive]
pub enum Request<E: Environment> {
    /// A person wants to play. It waits until a match is opened in which it has a seat, or it is refused.
    Join {
        /// The person.
        person: PersonId,
        /// The address of its browser, or of the proxy before the page.
        from: IpAddr,
        /// The name that it has asked for: not empty, no control characters, at most 40 characters. Not unique.
        name: String,
        /// The name of the offer that it took.
        offer: String,
        /// The value that it has chosen for each of the offer's [choices](super::Choice), by their names.
        choices: BTreeMap<String, String>,
    },
    /// A person acts in its match.
    Action {
        /// The person.
        person: PersonId,
        /// Its match.
        id: MatchId,
        /// Its seat there.
        agent: AgentId,
        /// One of the options that it was shown: the host's state may have gone on since.
        action: E::Action,
        /// Handle for the answer.
        answer: Answer,
    },
    /// The operator changes the [settings](super::SinglePage::settings) of a match that has not begun. The host shows
    /// the changed settings before it accepts.
    Configure {
        /// The values that the operator has chosen, checked by [`Settings::check`](super::Settings::check); those that
        /// are not named stay as they are.
        parameters: Parameters,
        /// Receives the answer.
        answer: Answer,
    },
    /// The operator has the host connect to the server that its settings name.
    Connect {
        /// Receives the answer.
        answer: Answer,
    },
    /// The operator starts what the [settings](super::Matches::settings) describe, or the match that the lobby
    /// prepares.
    Start {
        /// The values that the operator has chosen, checked by [`Settings::check`](super::Settings::check); those that
        /// are not named stay as they are.
        parameters: Parameters,
        /// Handle for the answer.
        answer: Answer,
    },
    /// The operator wants to see the next move, if moves are made [by hand](super::Matches::by_hand).
    Next {
        /// Handle for the answer.
        answer: Answer,
    },
    /// The operator stops a running start.
    Stop {
        /// Handle for the answer.
        answer: Answer,
    },
    /// A person has left, or has been away for too long. It sends no further request.
    Leave {
        /// The person.
        person: PersonId,
        /// Its match and its seat there, if it has one.
        seat: Option<(MatchId, AgentId)>,
    },
}

/// Answers a request. If it is dropped, the client's answer is that the host has ended.
#[derive(Debug)]
pub struct Answer(pub(crate) oneshot::Sender<Result<(), NotServed>>);

/// The reason for which a host has not served a request.
#[derive(Debug)]
pub(crate) enum NotServed {
    /// For this reason, which people read.
    Refused(String),
    /// The settings that it asks for have these faults.
    Faulty(ConfigError),
}

impl Answer {
    /// Answers that the request was served.
    pub fn accept(self) {
        // The client may be gone.
        let _ = self.0.send(Ok(()));
    }

    /// Answers that the request was refused, for this reason, which people read.
    pub fn refuse(self, why: impl Into<String>) {
        let _ = self.0.send(Err(NotServed::Refused(why.into())));
    }

    /// Answers that the request was refused, since the settings that it asks for have these faults.
    pub fn refuse_settings(self, error: ConfigError) {
        let _ = self.0.send(Err(NotServed::Faulty(error)));
    }
}
