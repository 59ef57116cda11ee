//! The requests of people who play: a seat, an action, to leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use super::answer::{Refused, answer, refusal};
use super::client::Client;
use super::matches::{MatchOrder, Served};
use super::show::{Show, lock};
use crate::matches::PersonId;

#[derive(Deserialize)]
struct Wish {
    offer: String,
    name: String,
    /// Missing if there is nothing to choose.
    #[serde(default)]
    choices: BTreeMap<String, String>,
}

/// Takes in a person who wants to play; its token is the answer.
pub(super) async fn play(client: Client, body: Bytes) -> Result<Response, Refused> {
    let Wish { offer, name, choices } =
        read(&body, r#"{"offer": TEXT, "name": TEXT, "choices": {NAME: TEXT}}"#)?;
    let matches = client.show.matches()?;
    let (person, token) = lock(matches).join(&offer, &name, choices)?;
    expect(client.show.clone(), person);
    Ok(answer(StatusCode::OK, json!({ "seat": token.as_str() }).to_string()))
}

#[derive(Deserialize)]
struct Move {
    #[serde(rename = "match")]
    id: u64,
    action: String,
}

/// Returns the answer of a host of matches to an order of its operator.
pub(super) async fn ordered(client: &Client, order: MatchOrder) -> Result<StatusCode, Refused> {
    let matches = client.operated_matches()?;
    let matches = matches.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "there are no matches here"))?;
    client.waiting().await?;
    let served = lock(matches).order(order)?;
    outcome(served).await
}

/// The next move, where the operator makes moves by hand.
pub(super) async fn next(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    ordered(&client, MatchOrder::Next).await
}

async fn outcome(served: Served) -> Result<StatusCode, Refused> {
    match served.await {
        Ok(Ok(())) => Ok(StatusCode::NO_CONTENT),
        Ok(Err(why)) => Err(refusal(StatusCode::CONFLICT, &why)),
        Err(_) => Err(refusal(StatusCode::CONFLICT, "the host has ended")),
    }
}

/// Passes a person's action on to the host; the answer is the host's.
pub(super) async fn act(client: Client, body: Bytes) -> Result<StatusCode, Refused> {
    let Move { id, action } = read(&body, r#"{"match": NUMBER, "action": TEXT}"#)?;
    let matches = client.show.matches()?;
    let person = client.person()?;
    let served = lock(matches).act(person, id, &action)?;
    outcome(served).await
}

/// Removes a person who leaves.
pub(super) async fn leave(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    let person = client.person()?;
    lock(client.show.matches()?).leave(person);
    Ok(StatusCode::NO_CONTENT)
}

/// Has a person leave that has no page connected after a while. It may come back until then.
pub(super) fn expect(show: Arc<Show>, person: PersonId) {
    tokio::spawn(async move {
        sleep(show.server_limits.absence).await;
        let Ok(matches) = show.matches() else { return };
        let mut matches = lock(matches);
        if matches.is_away(person) {
            matches.leave(person);
        }
    });
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8], expected: &str) -> Result<T, Refused> {
    serde_json::from_slice(body)
        .map_err(|error| refusal(StatusCode::BAD_REQUEST, &format!("{error}: expected {expected}")))
}
