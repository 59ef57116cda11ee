//! The orders of the operator: connect, start, stop.

use axum::body::Bytes;
use axum::http::StatusCode;
use game_env::Parameters;

use super::answer::{Refused, refusal};
use super::client::Client;
use super::hosted::{Order, Served};
use super::settings::parameters;
use crate::matches::NotServed;

/// Has the host connect to the server that the settings in force name.
pub(super) async fn connect(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    order(&client, Order::Connect, Parameters::new()).await
}

pub(super) async fn start(client: Client, body: Bytes) -> Result<StatusCode, Refused> {
    client.operated()?.may(Order::Start)?;
    let asked = if body.is_empty() { Parameters::new() } else { parameters(&body)? };
    if let Some(settings) = client.operated()?.settings() {
        settings.check(&asked).map_err(|told| Refused(StatusCode::UNPROCESSABLE_ENTITY, told))?;
    }
    order(&client, Order::Start, asked).await
}

pub(super) async fn stop(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    order(&client, Order::Stop, Parameters::new()).await
}

/// Lets the host make the next move, where the operator makes moves by hand.
pub(super) async fn next(client: Client, _: Bytes) -> Result<StatusCode, Refused> {
    order(&client, Order::Next, Parameters::new()).await
}

/// Passes an order on to the host, with the settings that the operator has chosen; the answer is the host's.
pub(super) async fn order(client: &Client, order: Order, asked: Parameters) -> Result<StatusCode, Refused> {
    drop(client.operated()?);
    client.waiting().await?;
    let served = client.operated()?.order(order, asked)?;
    outcome(client, served).await
}

/// Returns the host's answer to a request.
pub(super) async fn outcome(client: &Client, served: Served) -> Result<StatusCode, Refused> {
    match served.await {
        Ok(Ok(())) => Ok(StatusCode::NO_CONTENT),
        Ok(Err(NotServed::Refused(why))) => Err(refusal(StatusCode::CONFLICT, &why)),
        Ok(Err(NotServed::Faulty(error))) => {
            let told = client.show.host().and_then(|mut host| Some(host.settings()?.message(error.faults())));
            let why = || refusal(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string());
            Err(told.map_or_else(why, |told| Refused(StatusCode::UNPROCESSABLE_ENTITY, told)))
        }
        Err(_) => Err(refusal(StatusCode::CONFLICT, "the host has ended")),
    }
}
