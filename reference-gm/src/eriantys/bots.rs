//! The server's own players, see [`crate::server::bots`]: one for each free seat, as long as its match goes on.

use std::collections::BTreeSet;

use tokio::sync::watch;
use tokio::task::JoinSet;
use wire::eriantys::Token;

use super::master::Totals;
use crate::server::bots::Bots;

/// Starts each bot that is wanted, at most this number at once, until the server ends or this future is dropped. They
/// log in with this token.
pub async fn keep(bots: Bots, token: Token, most: usize, mut totals: watch::Receiver<Totals>) {
    let mut playing = JoinSet::new();
    let mut seats = BTreeSet::new();
    loop {
        let wanted = totals.borrow_and_update().wanted_bot.clone();
        if let Some((number, nickname)) = wanted.filter(|_| seats.len() < most) {
            let seat = (number, nickname.to_string());
            if seats.insert(seat.clone()) {
                let bots = bots.clone();
                playing.spawn(async move {
                    bots.play(&seat.1, token, &["--match", &seat.0.to_string()]).await;
                    seat
                });
            }
        }
        tokio::select! {
            changed = totals.changed() => if changed.is_err() { return },
            Some(ended) = playing.join_next() => {
                if let Ok(seat) = ended {
                    seats.remove(&seat);
                }
            }
        }
    }
}
