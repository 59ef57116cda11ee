//! The server's own players, see [`crate::server::bots`]: one for each free seat, as long as its match goes on.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;

use child_process::Guard;
use tokio::sync::watch;
use tokio::task::JoinSet;
use wire::eriantys::Token;

use super::master::Totals;
use crate::server::bots::play;

/// The variable in which a bot finds its token.
const TOKEN: &str = "ERIANTYS_TOKEN";

/// The settings of the bots: their program, and the server that they play on.
#[derive(Clone, Debug)]
pub struct Bots {
    /// Starts the processes.
    pub guard: Guard,
    /// The program.
    pub program: PathBuf,
    /// Its strategy.
    pub strategy: String,
    /// The server.
    pub server: SocketAddr,
    /// The token that they log in with.
    pub token: Token,
    /// The most processes at once.
    pub most: usize,
}

impl Bots {
    /// Starts each bot that is wanted, until the server ends or this future is dropped.
    pub async fn keep(self, mut totals: watch::Receiver<Totals>) {
        let mut playing = JoinSet::new();
        let mut seats = BTreeSet::new();
        loop {
            let wanted = totals.borrow_and_update().wanted_bot.clone();
            if let Some((number, nickname)) = wanted.filter(|_| seats.len() < self.most) {
                let seat = (number, nickname.to_string());
                if seats.insert(seat.clone()) {
                    let bots = self.clone();
                    playing.spawn(async move {
                        bots.play(seat.0, &seat.1).await;
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

    async fn play(&self, number: u64, nickname: &str) {
        let (server, number) = (self.server.to_string(), number.to_string());
        let words = [
            "join",
            &server,
            "--game",
            "eriantys",
            "--strategy",
            &self.strategy,
            "--name",
            nickname,
            "--match",
            &number,
        ];
        play(&self.guard, &self.program, nickname, &words, (TOKEN, self.token)).await;
    }
}
