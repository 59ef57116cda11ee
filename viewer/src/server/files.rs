//! Answers that are files: statistics and replay of a game that is over, the settings of one that is hosted.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use game_env::Parameters;

use super::answer::{Refused, download, refusal};
use super::client::Client;
use super::settings::no_settings;
use super::show::{Content, Show, lock};

pub(super) async fn statistics(client: Client) -> Result<Response, Refused> {
    let (_, channel) = client.channel()?;
    match &lock(&channel.end).statistics {
        Some(statistics) => Ok(download("application/json", "statistics.json", statistics.clone())),
        None => Err(refusal(StatusCode::NOT_FOUND, "the game is not over")),
    }
}

pub(super) async fn replay(client: Client) -> Result<Response, Refused> {
    let (_, channel) = client.channel()?;
    let end = lock(&channel.end);
    match (&end.replay, &end.statistics) {
        (Some(replay), _) => {
            // A name that a header cannot hold as it is would have to be written in a way of its own.
            let is_plain = |name: &&str| {
                name.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
            };
            let file = match &client.show.content {
                Content::Replay { file, .. } => Some(file.as_str()),
                Content::Hosted(_) => None,
            };
            let name = file.filter(is_plain).unwrap_or("game.replay");
            Ok(download("application/octet-stream", name, replay.clone()))
        }
        (None, Some(_)) => Err(refusal(StatusCode::NOT_FOUND, "no replay of this game was kept")),
        (None, None) => Err(refusal(StatusCode::NOT_FOUND, "the game is not over")),
    }
}

pub(super) async fn settings_file(State(show): State<Arc<Show>>) -> Result<Response, Refused> {
    let mut host = show.host().ok_or_else(no_settings)?;
    let shown = host.settings().ok_or_else(no_settings)?.settings;
    let parameters: Parameters =
        shown.settings().into_iter().map(|setting| (setting.parameter.name, setting.value)).collect();
    let text = serde_json::to_string_pretty(&parameters)
        .map_err(|error| refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
    Ok(download("application/json", &format!("{}.json", show.game), text))
}
