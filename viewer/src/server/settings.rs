//! The settings page: the values that it asks for are checked, and passed on to the host.

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use game_env::{Parameters, configuration};

use super::answer::{Refused, answer, refusal};
use super::client::Client;
use super::hosted::Order;
use super::operating::order;

/// Reads the values of a request.
pub(super) fn parameters(body: &[u8]) -> Result<Parameters, Refused> {
    configuration::read(body)
        .and_then(|file| file.parameters())
        .map_err(|error| refusal(StatusCode::BAD_REQUEST, &format!("no settings: {error}")))
}

/// Returns the refusal of a page without settings.
pub(super) fn no_settings() -> Refused {
    refusal(StatusCode::NOT_FOUND, "there are no settings here")
}

/// Returns the settings with these values, or the present ones with the faults of the values.
pub(super) async fn check_settings(client: Client, body: Bytes) -> Result<Response, Refused> {
    drop(client.operated()?);
    let asked = parameters(&body)?;
    let mut host = client.operated()?;
    let checked = host.settings().ok_or_else(no_settings)?.check(&asked);
    // Faults are the answer that was asked for.
    Ok(answer(StatusCode::OK, checked.unwrap_or_else(|faults| faults)))
}

pub(super) async fn change_settings(client: Client, body: Bytes) -> Result<Response, Refused> {
    client.operated()?.may(Order::Configure)?;
    let asked = parameters(&body)?;
    let checked = client.operated()?.settings().ok_or_else(no_settings)?.check(&asked);
    checked.map_err(|told| Refused(StatusCode::UNPROCESSABLE_ENTITY, told))?;
    order(&client, Order::Configure, asked).await?;
    let mut host = client.operated()?;
    Ok(answer(StatusCode::OK, host.settings().ok_or_else(no_settings)?.message(&[])))
}
