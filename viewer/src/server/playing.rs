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
    let (person, token) = client.show.played()?.join(client.connection.from(), &offer, &name, choices)?;
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

/// Has a person leave as soon as it has shown itself neither by a page nor by an action for a while. It may come back
/// until then.
fn expect(show: Arc<Show>, person: PersonId) {
    tokio::spawn(async move {
        loop {
            let left = {
                let Some(mut host) = show.host() else { return };
                let Some(left) = host.time_left(person) else { return };
                if left.is_zero() {
                    host.leave(person);
                    return;
                }
                left
            };
            sleep(left).await;
        }
    });
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8], expected: &str) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| {
        refusal(StatusCode::BAD_REQUEST, &format!("{}: expected {expected}", parser_message(error)))
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;
    use std::time::Duration;

    use tokio::sync::{Semaphore, mpsc};
    use tokio::time::{Instant, timeout};

    use super::*;
    use crate::event_queue::EventQueue;
    use crate::guard::Guard;
    use crate::matches::{Matches, Request};
    use crate::room::{Shown as _, Tested};
    use crate::server::ServerLimits;
    use crate::server::hosted::HostLink;
    use crate::server::matches::ShownMatches;
    use crate::server::show::Content;

    #[tokio::test(start_paused = true)]
    async fn a_person_leaves_a_while_after_it_has_shown_itself_last() {
        let (queue, (sender, mut requests)) = (Arc::new(EventQueue::default()), mpsc::channel(4));
        let server_limits = ServerLimits { absence: Duration::from_secs(60), ..ServerLimits::default() };
        let matches = ShownMatches::<Tested>::new(HostLink::new(queue.clone(), sender), server_limits);
        let show = Arc::new(Show {
            guard: Guard::new("127.0.0.1", ([127, 0, 0, 1], 8000).into(), None),
            game: Tested::ROOM,
            content: Content::Hosted(Mutex::new(Box::new(matches))),
            viewers: Arc::new(Semaphore::new(1)),
            operators: Arc::new(Semaphore::new(1)),
            people: Arc::new(Semaphore::new(1)),
            server_limits,
        });
        Matches::<Tested>::new(queue).offer("anybody", "Play");
        let (person, _) =
            show.host().unwrap().join(Ipv4Addr::LOCALHOST.into(), "anybody", "a", BTreeMap::new()).unwrap();
        expect(show.clone(), person);
        assert!(matches!(requests.recv().await, Some(Request::Join { .. })));
        // An action counts, also one that is refused.
        sleep(Duration::from_secs(30)).await;
        assert!(show.host().unwrap().act(person, (1, None), "0-1").is_err());
        sleep(Duration::from_secs(40)).await;
        // So does a page, for as long as it is connected.
        let page = show.host().unwrap().notices_of(person);
        sleep(Duration::from_secs(205)).await;
        assert!(requests.try_recv().is_err());
        show.host().unwrap().seen(person);
        drop(page);
        let last = Instant::now();
        let request = timeout(Duration::from_secs(3600), requests.recv()).await.expect("the person leaves");
        assert!(matches!(request, Some(Request::Leave { person: gone, seat: None }) if gone == person));
        assert_eq!(last.elapsed().as_secs(), 60);
        assert_eq!(show.host().unwrap().time_left(person), None);
    }
}
