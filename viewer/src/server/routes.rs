//! The routes of requests, and the checks by which requests are refused before their handlers run.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};

use super::answer::refusal;
use super::client::{Client, text};
use super::files::{replay, settings_file, statistics};
use super::operating::{connect, next, start, stop};
use super::playing::{act, leave, play};
use super::settings::{change_settings, check_settings};
use super::show::Show;
use super::studying::study;
use super::watching::{feed_is_open, watch_feed, whole_feed};
use crate::page;

pub(super) fn routes(show: Arc<Show>) -> Router {
    /// More than a configuration ever takes.
    const LONGEST_BODY: usize = 64 << 10;
    let mut router = Router::new()
        .route("/feed", get(watch_feed))
        .route("/feed/open", get(feed_is_open))
        .route("/feed.json", get(whole_feed))
        .route("/statistics.json", get(statistics))
        .route("/game.replay", get(replay))
        .route("/settings.json", get(settings_file))
        .route("/settings", put(change_settings))
        .route("/settings/check", post(check_settings))
        .route("/connect", post(connect))
        .route("/start", post(start))
        .route("/stop", post(stop))
        .route("/next", post(next))
        .route("/play", post(play))
        .route("/act", post(act))
        .route("/leave", post(leave))
        .route("/study", post(study));
    for file in page::files() {
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))];
        let answer = move || std::future::ready((kind, file.content));
        router = router.route(&format!("/{}", file.name), get(answer));
    }
    router
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(show.clone(), guarded))
        .with_state(show)
}

/// Refuses requests from elsewhere, and adds the headers that limit the page in browsers.
async fn guarded(client: Client, request: Request, next: Next) -> Response {
    let Client { show, connection, is_operator, .. } = client;
    let headers = request.headers();
    let host = text(headers, &header::HOST).unwrap_or_default().to_owned();
    if !show.guard.admits_host(&host) {
        return refusal(
            StatusCode::FORBIDDEN,
            "this is not the address of this page: open the one that its host printed",
        )
        .into_response();
    }
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    if !show.guard.admits_origin(origin, &host) {
        return refusal(StatusCode::FORBIDDEN, "pages of other origins may not do this").into_response();
    }
    if !show.guard.admits_site(text(headers, &FETCH_SITE), is_link_to_page(&request)) {
        return refusal(StatusCode::FORBIDDEN, "pages of other sites may not do this").into_response();
    }
    // Anybody can become a person, and send the body of a request byte by byte: only an operator's is kept meanwhile.
    let kept = is_operator.then(|| connection.keep());
    let mut response = next.run(request).await;
    drop(kept);
    let policy = format!(
        "default-src 'self'; connect-src 'self' ws://{host}; img-src 'self' data: blob:; \
         style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"), // the address has the token in it
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The header in which a browser describes the page that caused a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns whether a person followed a link to the page, which may stand anywhere.
fn is_link_to_page(request: &Request) -> bool {
    let said = |name: &'static str| text(request.headers(), &HeaderName::from_static(name));
    request.method() == Method::GET
        && request.uri().path() == "/"
        && said("sec-fetch-mode") == Some("navigate")
        && said("sec-fetch-dest") == Some("document")
}
