//! The orders of the operator: connect, start, stop.

use axum::body::Bytes;
use axum::http::StatusCode;

use super::answer::{Refused, refusal};
use super::client::Client;
use super::matches::MatchOrder;
use super::playing::ordered;
use super::settings::start_matches;
use super::show::lock;
use crate::games::project::host::{Host, Order};

/// Has the game master connect to the server that the settings in force name.
pub(super) async fn connect(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    let live = client.waiting_operator().await?;
    let host = {
        let state = lock(&live.state);
        if state.spectator.is_connected() {
            return Err(refusal(StatusCode::CONFLICT, CONNECTED));
        }
        if !state.spectator.is_lobby() {
            return Err(refusal(StatusCode::CONFLICT, "the game has begun already"));
        }
        state.spectator.host().clone()
    };
    order(&*host, Order::Connect).map(|()| StatusCode::NO_CONTENT)
}

/// The reason for which the communication server cannot be chosen.
pub(super) const CONNECTED: &str = "the game master is connected already";

pub(super) async fn start(client: Client, body: Bytes) -> Result<StatusCode, Refused> {
    if client.operated_matches()?.is_some() {
        return start_matches(client, &body).await;
    }
    let live = client.waiting_operator().await?;
    let state = lock(&live.state);
    match (state.spectator.is_lobby(), state.spectator.may_start()) {
        (true, true) => order(&**state.spectator.host(), Order::Start).map(|()| StatusCode::NO_CONTENT),
        (true, false) => Err(refusal(StatusCode::CONFLICT, "a team has no agents yet")),
        (false, _) => Err(refusal(StatusCode::CONFLICT, "the game has begun already")),
    }
}

pub(super) async fn stop(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    if client.operated_matches()?.is_some() {
        return ordered(&client, MatchOrder::Stop).await;
    }
    let live = client.waiting_operator().await?;
    let state = lock(&live.state);
    if state.spectator.statistics().is_some() {
        return Err(refusal(StatusCode::CONFLICT, "the game is over already"));
    }
    order(&**state.spectator.host(), Order::Stop).map(|()| StatusCode::NO_CONTENT)
}

pub(super) fn order(host: &dyn Host, order: Order) -> Result<(), Refused> {
    host.order(order).map_err(|error| refusal(StatusCode::CONFLICT, &error.to_string()))
}
