//! The feed for viewers: over a WebSocket, and as one text.

use std::future::pending;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::future::select_all;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::FAREWELL;
use super::answer::{Refused, answer};
use super::channel::Channel;
use super::client::Client;
use super::show::{Show, lock};
use crate::feed;

/// The reason for which a viewer is refused.
pub(super) const TOO_MANY: &str = "it has as many viewers as it can serve";

/// The reason for which a further page of a person is refused.
pub(super) const TOO_MANY_PAGES: &str = "you have as many pages open as a player may have: close one";

/// Returns whether this client would get the feed: a page does not learn why a WebSocket was refused.
pub(super) async fn feed_is_open(Client { show, is_operator, person, .. }: Client) -> Response {
    let has_seat = show.seats(is_operator, person.is_some()).any(|seats| seats.available_permits() > 0);
    let why = if person.is_some_and(|person| show.has_many_pages(person)) {
        Some(TOO_MANY_PAGES)
    } else {
        (!has_seat).then_some(TOO_MANY)
    };
    answer(StatusCode::OK, json!({ "open": why.is_none(), "why": why }).to_string())
}

pub(super) async fn watch_feed(client: Client, upgrade: WebSocketUpgrade) -> Result<Response, Refused> {
    /// Viewers have nothing to send here.
    const LONGEST_WORD: usize = 4096;
    // A match that is gone is told by a feed without it: a page does not learn why a WebSocket was refused.
    let (id, channel) = client.channel().or_else(|_| client.show.channel(None))?;
    let Client { show, connection, is_operator, person, .. } = client;
    let seat = show.seat(is_operator, person)?;
    let kept = connection.keep();
    let upgrade = upgrade.max_message_size(LONGEST_WORD).max_frame_size(LONGEST_WORD);
    let hello = show.hello(id, is_operator, person.is_some());
    let (mut notices, mut own) =
        (Vec::from_iter(show.studied().map(|studied| studied.findings.clone())), None);
    if let Some(mut host) = show.host() {
        notices.extend(host.notices());
        own = person.and_then(|person| host.notices_of(person));
    }
    notices.iter_mut().chain(&mut own).for_each(watch::Receiver::mark_changed);
    Ok(upgrade.on_upgrade(async move |socket| {
        view(&show, &channel, hello, (notices, own), socket).await;
        if let (Some(person), Some(mut host)) = (person, show.host()) {
            host.seen(person);
        }
        drop((seat, kept));
    }))
}

/// The time without messages after which the clock is sent.
const CLOCK: Duration = Duration::from_millis(250);

/// A message for a viewer beside its feed: always the last text.
type Notice = watch::Receiver<Utf8Bytes>;

/// Sends one viewer everything, until it goes or does not read. The page of a person gets notices of its own; the feed
/// ends when the person has left.
async fn view(
    show: &Show,
    channel: &Channel,
    hello: String,
    (mut notices, mut own): (Vec<Notice>, Option<Notice>),
    mut socket: WebSocket,
) {
    let mut grown = channel.grown.subscribe();
    let mut next = 0;
    let mut messages = vec![Message::Text(hello.into())];
    let mut told = Instant::now();
    let mut has_left = false;
    // Neither end considers the connection lost because one message is late.
    let heartbeat = show.server_limits.idle.min(show.server_limits.patience) / 3;
    loop {
        for message in messages.drain(..) {
            match timeout(show.server_limits.patience, socket.send(message)).await {
                Ok(Ok(())) => told = Instant::now(),
                Ok(Err(_)) | Err(_) => return,
            }
        }
        // Seen before the messages are: what is added after this wakes it again.
        grown.borrow_and_update();
        let is_closed;
        let further;
        (further, next, is_closed) = {
            let log = lock(&channel.log);
            let (further, next) = log.after(next);
            (further, next, log.is_closed)
        };
        messages.extend(further.into_iter().map(Message::Text));
        if !messages.is_empty() {
            continue;
        }
        // Behind the events that led to them.
        let news = notices.iter_mut().chain(&mut own).filter_map(take_news);
        messages.extend(news.map(Message::Text));
        if !messages.is_empty() {
            continue;
        }
        if is_closed || has_left {
            let _ = timeout(FAREWELL, socket.send(Message::Close(None))).await;
            return;
        }
        tokio::select! {
            _ = grown.changed() => {}
            () = any_changed(&mut notices) => {}
            is_new = changed(own.as_mut()) => has_left = !is_new,
            word = socket.recv() => match word {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            () = sleep(CLOCK) => {
                messages.extend(show.clock().map(|now| Message::Text(feed::clock(now).into())));
                if messages.is_empty() && told.elapsed() > heartbeat {
                    messages.push(Message::Text(feed::heartbeat().into()));
                }
            }
        }
    }
}

/// Returns the text of a notice if it is new, also if its sender is gone since; none while there was no text yet.
fn take_news(notice: &mut Notice) -> Option<Utf8Bytes> {
    let text = notice.borrow_and_update();
    (text.has_changed() && !text.is_empty()).then(|| Utf8Bytes::clone(&text))
}

/// Returns when one of them is new. Removes those that will never be new again.
async fn any_changed(notices: &mut Vec<Notice>) {
    while !notices.is_empty() {
        let changes = notices.iter_mut().map(|notice| Box::pin(changed(Some(notice))));
        let (is_new, place, _) = select_all(changes).await;
        if is_new {
            return;
        }
        drop(notices.remove(place));
    }
    pending::<()>().await;
}

/// Returns true when a notice is new, false when it will never be new again.
async fn changed(notice: Option<&mut Notice>) -> bool {
    let Some(notice) = notice else { return pending().await };
    let is_new = notice.changed().await.is_ok();
    if is_new {
        // It counts as seen when it is sent.
        notice.mark_changed();
    }
    is_new
}

/// Returns the feed up to now as one JSON array, message by message: all readers share the messages. A reader has a
/// viewer's seat until it has taken the last one, and is dropped like a viewer if it does not take one for a while.
pub(super) async fn whole_feed(client: Client) -> Result<Response, Refused> {
    let (id, channel) = client.channel()?;
    let Client { show, connection, is_operator, person, .. } = client;
    let seat = show.seat(is_operator, person)?;
    let kept = connection.keep();
    let (parts, mut taken) = mpsc::channel(1);
    tokio::spawn(async move {
        let hello = show.hello(id, is_operator, person.is_some());
        write_feed(&show, &channel, &parts, &hello).await;
        drop((seat, kept));
    });
    let body = stream::poll_fn(move |context| {
        taken.poll_recv(context).map(|part| match part {
            Some(Part::Text(text)) => Some(Ok(text)),
            Some(Part::End) => None,
            None => Some(Err(io::Error::from(io::ErrorKind::TimedOut))),
        })
    });
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    Ok((kind, Body::from_stream(body)).into_response())
}

/// A part of a feed that is read as one text.
enum Part {
    Text(Bytes),
    End,
}

/// Writes the feed up to now as one JSON array, until its reader is gone or too slow.
async fn write_feed(show: &Show, channel: &Channel, parts: &mpsc::Sender<Part>, hello: &str) {
    let write = async |part: Part| {
        timeout(show.server_limits.patience, parts.send(part)).await.is_ok_and(|sent| sent.is_ok())
    };
    if !write(Part::Text(format!("[{hello}").into())).await {
        return;
    }
    let (mut next, mut end) = (0, None);
    loop {
        let messages = {
            let log = lock(&channel.log);
            if end.is_none() || next < log.first {
                // Messages from there on replace all before them.
                end = Some(log.end());
            }
            let (mut messages, after) = log.after(next);
            let surplus = after.saturating_sub(end.unwrap_or_default());
            messages.truncate(messages.len().saturating_sub(usize::try_from(surplus).unwrap_or(usize::MAX)));
            next = after;
            messages
        };
        if messages.is_empty() {
            break;
        }
        for message in messages {
            if !write(Part::Text(Bytes::from_static(b",\n"))).await
                || !write(Part::Text(message.into())).await
            {
                return;
            }
        }
    }
    let _ = write(Part::Text(Bytes::from_static(b"]"))).await && write(Part::End).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_last_notice_of_a_sender_that_is_gone_is_told_once() {
        let (sender, receiver) = watch::channel(Utf8Bytes::default());
        let mut notices = vec![receiver];
        notices[0].mark_changed();
        assert_eq!(take_news(&mut notices[0]), None, "there was no text yet");
        sender.send_replace("last".into());
        drop(sender);
        any_changed(&mut notices).await;
        assert_eq!(take_news(&mut notices[0]).as_deref(), Some("last"));
        assert_eq!(take_news(&mut notices[0]), None);
        assert!(timeout(Duration::from_secs(1), any_changed(&mut notices)).await.is_err());
        assert!(notices.is_empty());
    }
}
