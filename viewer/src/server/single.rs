//! The host of one match: the lobby and the match in one feed.

use std::sync::Arc;

use axum::http::StatusCode;
use game_env::{Parameters, SimTime};
use tokio::time::Instant;

use super::answer::{Refused, refusal};
use super::channel::{Channel, End};
use super::hosted::{HostLink, Hosted, Order, Served, ShownSettings};
use super::show::lock;
use crate::feed::{self, Mode};
use crate::matches::{Change, MatchId, SingleFeed};
use crate::outbox::Limits;
use crate::room::Shown;

/// The page of a host of one match.
pub(super) struct ShownSingle<E: Shown> {
    link: HostLink<E>,
    feed: SingleFeed<E>,
    channel: Arc<Channel>,
    /// The match that was opened last, and when this was noticed here.
    opened: Option<(MatchId, Instant)>,
}

impl<E: Shown> ShownSingle<E> {
    pub(super) fn new(link: HostLink<E>, limits: Limits) -> Self {
        Self { link, feed: SingleFeed::new(limits), channel: Arc::default(), opened: None }
    }

    fn take(&mut self, change: Change<E>) {
        let is_shown = |id: MatchId| self.opened.is_some_and(|(opened, _)| opened == id);
        match change {
            Change::Opened(id, opening) => {
                self.opened = Some((id, Instant::now()));
                *lock(&self.channel.end) = End::default();
                self.feed.open(*opening);
            }
            Change::Step(id, step) if is_shown(id) => self.feed.step(step),
            Change::Over(id, at) if is_shown(id) => self.feed.over(at),
            Change::Settings(settings) => self.feed.settings(settings),
            Change::Lobby(lobby) => self.feed.lobby(lobby),
            Change::Connection(connection) => self.feed.connection(connection),
            Change::Warned(text) => self.feed.warn(&text),
            // Of a match before, or of a list of matches.
            Change::Step(..)
            | Change::Over(..)
            | Change::Offer(..)
            | Change::Refused(..)
            | Change::Seated(..)
            | Change::Noted(..)
            | Change::ByHand(_)
            | Change::Running(_)
            | Change::Table(..) => {}
        }
    }

    fn tell(&mut self) {
        self.channel.keep_end(self.feed.end());
        self.channel.push(self.feed.new_messages());
    }
}

impl<E> Hosted for ShownSingle<E>
where
    E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
{
    fn tell_some(&mut self) -> bool {
        let changes = self.link.take_some();
        let were_some = !changes.is_empty();
        changes.into_iter().for_each(|change| self.take(change));
        if were_some {
            self.tell();
        }
        were_some
    }

    fn has_backlog(&self) -> bool {
        self.link.has_backlog()
    }

    fn channel(&mut self, _: Option<&str>) -> Result<(Option<MatchId>, Arc<Channel>), Refused> {
        // All that the host has said before the request counts, here and below.
        self.tell_some();
        Ok((None, self.channel.clone()))
    }

    fn mode(&self, _: Option<MatchId>, _: bool) -> Mode<'static> {
        Mode::Live
    }

    fn settings(&mut self) -> Option<ShownSettings<'_>> {
        self.tell_some();
        let is_locked = self.feed.has_begun();
        self.feed.shown_settings().map(|settings| ShownSettings { settings, is_locked })
    }

    fn may(&mut self, order: Order) -> Result<(), Refused> {
        self.tell_some();
        let why = match order {
            Order::Start => self.feed.start_refusal(),
            Order::Connect => self.feed.connect_refusal(),
            Order::Stop => self.feed.stop_refusal(),
            Order::Configure if self.feed.has_begun() => {
                Some("the game has begun: nothing can be changed any more")
            }
            Order::Configure => None,
            Order::Next => Some("moves are not made by hand here"),
        };
        why.map_or(Ok(()), |why| Err(refusal(StatusCode::CONFLICT, why)))
    }

    fn order(&mut self, order: Order, parameters: Parameters) -> Result<Served, Refused> {
        self.may(order)?;
        self.link.ask(|answer| order.request(parameters, answer))
    }

    fn clock(&self) -> Option<SimTime> {
        let (last, (_, began)) = self.feed.clock().zip(self.opened)?;
        Some(last.max(began.elapsed().into()))
    }

    fn close(&mut self, why: &str) {
        self.channel.close(Some(feed::gone(why)));
    }
}
