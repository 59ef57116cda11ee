//! The client of a request: its connection, and whether it is the operator.

use std::sync::{Arc, MutexGuard};

use axum::extract::FromRequestParts;
use axum::extract::connect_info::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use tokio::task::yield_now;

use super::answer::{Refused, refusal};
use super::channel::Channel;
use super::hosted::Hosted;
use super::show::{Content, Show};
use super::studying::Studied;
use crate::matches::{MatchId, PersonId};
use crate::port::Connection;

/// The client of a request. Every handler that treats clients differently takes this as its first argument.
pub(super) struct Client {
    pub(super) show: Arc<Show>,
    pub(super) connection: Connection,
    /// Whether the request has the operator's token.
    pub(super) is_operator: bool,
    /// The person, if the request has the token of a player.
    pub(super) person: Option<PersonId>,
    /// The part of the address behind the question mark.
    query: String,
}

impl FromRequestParts<Arc<Show>> for Client {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, show: &Arc<Show>) -> Result<Self, Refused> {
        let connection = ConnectInfo::<Connection>::from_request_parts(parts, show).await;
        let ConnectInfo(connection) =
            connection.map_err(|error| refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.body_text()))?;
        let authorization = text(&parts.headers, &header::AUTHORIZATION);
        let is_operator = show.guard.is_operator(authorization, parts.uri.query());
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let seat = authorization.and_then(|value| value.strip_prefix("Seat "));
        let person = seat.or_else(|| named(&query, "seat")).and_then(|token| show.host()?.person(token));
        Ok(Self { show: show.clone(), connection, is_operator, person, query })
    }
}

const NOT_OPERATOR: &str = "only the operator may do this: open the address that the program printed";

/// Returns the value of this name in a query.
fn named<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

impl Client {
    /// Returns the host, for the operator alone.
    ///
    /// # Errors
    ///
    /// If there is nothing to operate, or the client is not the operator.
    pub(super) fn operated(&self) -> Result<MutexGuard<'_, Box<dyn Hosted>>, Refused> {
        if let Content::Replay { .. } = self.show.content {
            return Err(refusal(StatusCode::NOT_FOUND, "a replay cannot be operated"));
        }
        let host = self.show.host().filter(|_| self.is_operator);
        host.ok_or_else(|| refusal(StatusCode::FORBIDDEN, NOT_OPERATOR))
    }

    /// Returns the study of the replay, for the operator alone.
    ///
    /// # Errors
    ///
    /// If nothing is studied here, or the client is not the operator.
    pub(super) fn studied(&self) -> Result<&Studied, Refused> {
        let no_study = || {
            refusal(StatusCode::NOT_FOUND, "nothing is studied here: expected the page of `bots study FILE`")
        };
        let studied = self.show.studied().ok_or_else(no_study)?;
        if self.is_operator { Ok(studied) } else { Err(refusal(StatusCode::FORBIDDEN, NOT_OPERATOR)) }
    }

    /// Returns the feed of the match that the request names, and the number of the match if there are several.
    ///
    /// # Errors
    ///
    /// If it is not there.
    pub(super) fn channel(&self) -> Result<(Option<MatchId>, Arc<Channel>), Refused> {
        self.show.channel(named(&self.query, "match"))
    }

    /// Returns the person who asks.
    ///
    /// # Errors
    ///
    /// If the request has no token of a player.
    pub(super) fn person(&self) -> Result<PersonId, Refused> {
        self.person.ok_or_else(|| refusal(StatusCode::FORBIDDEN, "this needs the token of a seat"))
    }

    /// The same once it is known that the client still waits: otherwise the result of an order would be lost.
    ///
    /// # Errors
    ///
    /// If the client has given up.
    pub(super) async fn waiting(&self) -> Result<(), Refused> {
        // The first time the connection looks; the second time it has heard what the system knew before.
        for _ in 0..2 {
            yield_now().await;
        }
        if self.connection.is_abandoned() {
            return Err(refusal(StatusCode::REQUEST_TIMEOUT, "the client is gone"));
        }
        Ok(())
    }
}

/// Returns a header that is plain text.
pub(super) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
