//! The requests of people who play: a seat, an action, to leave.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use game_env::text::parser_message;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

use super::answer::{Refused, answer, refusal};
use super::client::Client;
use super::operating::outcome;
use super::show::Show;
use crate::matches::PersonId;

#[derive(Deserialize)]
struct OfferTaken {
    offer: String,
    name: String,
    /// Missing if there is nothing to choose.
    #[serde(default)]
    choices: BTreeMap<String, String>,
}

/// Takes in a person who wants to play; its token is the answer.
pub(super) async fn play(client: Client, body: Bytes) -> Result<Response, Refused> {
    let OfferTaken { offer, name, choices } =
        read(&body, r#"{"offer": TEXT, "name": TEXT, "choices": {NAME: TEXT}}"#)?;
    let (person, token) = client.show.played()?.join(&offer, &name, choices)?;
    expect(client.show.clone(), person);
    Ok(answer(StatusCode::OK, json!({ "seat": token.to_string() }).to_string()))
}

#[derive(Deserialize)]
struct Move {
    #[serde(rename = "match")]
    id: u64,
    /// The moves of the match that the person has seen; missing if that is not said.
    #[serde(default)]
    moves: Option<u64>,
    action: String,
}

/// Passes a person's action on to the host; the answer is the host's.
pub(super) async fn act(client: Client, body: Bytes) -> Result<StatusCode, Refused> {
    let Move { id, moves, action } = read(&body, r#"{"match": NUMBER, "moves": NUMBER, "action": TEXT}"#)?;
    drop(client.show.played()?);
    let person = client.person()?;
    let served = client.show.played()?.act(person, (id, moves), &action)?;
    outcome(&client, served).await
}

/// Removes a person who leaves.
pub(super) async fn leave(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    let person = client.person()?;
    client.show.played()?.leave(person);
    Ok(StatusCode::NO_CONTENT)
}

/// Has a person leave that has no page connected after a while. It may come back until then.
pub(super) fn expect(show: Arc<Show>, person: PersonId) {
    tokio::spawn(async move {
        sleep(show.server_limits.absence).await;
        if let Some(mut host) = show.host()
            && host.is_away(person)
        {
            host.leave(person);
        }
    });
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8], expected: &str) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| {
        refusal(StatusCode::BAD_REQUEST, &format!("{}: expected {expected}", parser_message(error)))
    })
}
