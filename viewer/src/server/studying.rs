//! The studies of a replay: the operator's requests, and the findings, which every viewer gets beside the feed.

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use tokio::sync::{mpsc, watch};

use super::answer::{Refused, refusal};
use super::client::Client;
use crate::findings::Findings;
use crate::room::Room;
use crate::study::{Offer, StudyRequest, StudyState};

/// A replay that is studied, as request handlers know it.
pub(super) struct Studied {
    offer: Offer,
    requests: mpsc::Sender<StudyRequest>,
    pub(super) findings: watch::Receiver<Utf8Bytes>,
}

/// The handle by which the program that studies a replay shows its findings.
#[derive(Debug)]
pub struct StudyPage {
    offer: Offer,
    room: &'static Room,
    findings: watch::Sender<Utf8Bytes>,
}

impl StudyPage {
    /// Creates a page with this offer; also returns the side of the server, and what the operator asks for.
    pub(super) fn new(room: &'static Room, offer: Offer) -> (Self, Studied, mpsc::Receiver<StudyRequest>) {
        /// The capacity of the queue of requests. A new request ends the current study, so it rarely fills.
        const WAITING: usize = 16;
        let (sender, requests) = mpsc::channel(WAITING);
        let (findings, shown) = watch::channel(Utf8Bytes::default());
        let studied = Studied { offer: offer.clone(), requests: sender, findings: shown };
        let page = Self { offer, room, findings };
        page.show(&Findings::default(), &StudyState::Idle);
        (page, studied, requests)
    }

    /// Shows these findings in the place of those before.
    pub fn show(&self, findings: &Findings, state: &StudyState) {
        self.findings.send_replace(self.offer.message(findings, state, self.room).into());
    }
}

/// Passes a request of the operator on.
pub(super) async fn study(client: Client, body: Bytes) -> Result<StatusCode, Refused> {
    let Studied { offer, requests, .. } = client.studied()?;
    let request = offer.read(&body).map_err(|why| refusal(StatusCode::UNPROCESSABLE_ENTITY, &why))?;
    requests.try_send(request).map_err(|error| {
        let why = match error {
            mpsc::error::TrySendError::Full(_) => "too many requests wait already: try again later",
            mpsc::error::TrySendError::Closed(_) => "the program that studies has ended",
        };
        refusal(StatusCode::SERVICE_UNAVAILABLE, why)
    })?;
    Ok(StatusCode::NO_CONTENT)
}
