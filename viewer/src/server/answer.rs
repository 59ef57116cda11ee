//! Answers to requests: JSON, files to be kept, and refusals with their reason.

use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A request that is not granted, and why, in JSON.
#[derive(Debug)]
pub(super) struct Refused(pub(super) StatusCode, pub(super) String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        answer(self.0, self.1)
    }
}

pub(super) fn refusal(status: StatusCode, why: &str) -> Refused {
    Refused(status, json!({ "why": why }).to_string())
}

pub(super) fn answer(status: StatusCode, json: String) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], json).into_response()
}

/// Returns a file to be kept.
pub(super) fn download(kind: &'static str, name: &str, content: impl IntoResponse) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], content)
        .into_response()
}
