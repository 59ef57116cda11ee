//! The settings page: its values are checked, and passed on to the game master.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::Response;
use game_env::{Parameters, Value, configuration};
use game_project::{ConfigError, Fault};
use tokio::sync::oneshot;

use super::answer::{Refused, answer, refusal};
use super::client::Client;
use super::matches::MatchOrder;
use super::operating::{CONNECTED, order};
use super::playing::ordered;
use super::show::{Asked, Live, lock};
use crate::games::project::host::{Host, NotConfigured, Order};

/// Reads the values that are asked for, as a configuration over the one in force.
fn asked(live: &Live, body: &[u8]) -> Result<Arc<dyn Host>, Refused> {
    let parameters = parameters(body)?;
    let state = lock(&live.state);
    let present = &**state.spectator.host();
    let mut changed = present.changed(&parameters);
    if state.spectator.is_connected() {
        changed = changed.and_then(|host| same_server(present, host));
    }
    changed.map_err(|error| {
        Refused(StatusCode::UNPROCESSABLE_ENTITY, state.spectator.settings(present, error.faults()))
    })
}

/// The configuration, unless it names another server than the one there is a connection to.
fn same_server(present: &dyn Host, changed: Arc<dyn Host>) -> Result<Arc<dyn Host>, ConfigError> {
    let ((host, port), (other_host, other_port)) = (present.server(), changed.server());
    let fault = |name: &str, value: Value, present: String| {
        Fault::new(name, &value, CONNECTED, format!("{present}, as it is"))
    };
    let mut faults = Vec::new();
    if host != other_host {
        faults.push(fault("CsIP", Value::Text(other_host), host));
    }
    if port != other_port {
        faults.push(fault("CsPort", Value::Whole(other_port.into()), port.to_string()));
    }
    if faults.is_empty() { Ok(changed) } else { Err(ConfigError::new(faults)) }
}

/// Has a host of matches start something with the operator's values.
pub(super) async fn start_matches(client: Client, body: &[u8]) -> Result<StatusCode, Refused> {
    let asked = parameters(body)?;
    if let Some(matches) = client.operated_matches()?
        && let Some((told, false)) = lock(matches).check(&asked)
    {
        return Err(Refused(StatusCode::UNPROCESSABLE_ENTITY, told));
    }
    ordered(&client, MatchOrder::Start(asked)).await
}

fn parameters(body: &[u8]) -> Result<Parameters, Refused> {
    configuration::read(body)
        .and_then(|file| file.parameters())
        .map_err(|error| refusal(StatusCode::BAD_REQUEST, &format!("no settings: {error}")))
}

pub(super) async fn check_settings(client: Client, body: Bytes) -> Result<Response, Refused> {
    if let Some(matches) = client.operated_matches()? {
        let asked = parameters(&body)?;
        let checked = lock(matches).check(&asked);
        let (told, _) =
            checked.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "there are no settings here"))?;
        return Ok(answer(StatusCode::OK, told));
    }
    let live = client.operated()?;
    let told = match asked(live, &body) {
        Ok(host) => lock(&live.state).spectator.settings(&*host, &[]),
        // Here the faults are the answer.
        Err(Refused(StatusCode::UNPROCESSABLE_ENTITY, faults)) => faults,
        Err(refused) => return Err(refused),
    };
    Ok(answer(StatusCode::OK, told))
}

pub(super) async fn change_settings(client: Client, body: Bytes) -> Result<Response, Refused> {
    let live = client.operated()?;
    let too_late = || refusal(StatusCode::CONFLICT, &NotConfigured::TooLate.to_string());
    if !lock(&live.state).spectator.is_lobby() {
        return Err(too_late());
    }
    let host = asked(live, &body)?;
    client.waiting_operator().await?;
    let result = {
        // Under the lock, so that the game master gets settings in the order of this list.
        let mut state = lock(&live.state);
        order(&*host, Order::Configure)?;
        let (answer, result) = oneshot::channel();
        state.asked.push_back(Asked { host, answer });
        result
    };
    let result = result.await;
    let state = lock(&live.state);
    let settings = |faults: &[Fault]| state.spectator.settings(&**state.spectator.host(), faults);
    match result {
        Ok(Ok(())) => Ok(answer(StatusCode::OK, settings(&[]))),
        Ok(Err(NotConfigured::Faulty(error))) => {
            Err(Refused(StatusCode::UNPROCESSABLE_ENTITY, settings(error.faults())))
        }
        Ok(Err(NotConfigured::TooLate)) => Err(too_late()),
        Err(_) => Err(refusal(StatusCode::CONFLICT, "the game master has ended")),
    }
}
