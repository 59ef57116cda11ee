//! The server's own players, see [`crate::server::bots`]: some that wait for opponents all the time.

use wire::dots::{Name, Token};

use crate::server::bots::{Bots, short_name};

/// Returns the names of this number of bots with a strategy: its name without parameters, then a number.
pub fn names(strategy: &str, count: usize) -> Vec<Name> {
    let short = short_name(strategy);
    (1..=count).filter_map(|number| format!("{short}-bot{number}").parse().ok()).collect()
}

/// Keeps a bot running until this future is dropped.
pub async fn keep(bots: Bots, name: Name, token: Token) {
    loop {
        bots.play(name.as_str(), token, &["--forever"]).await;
    }
}
