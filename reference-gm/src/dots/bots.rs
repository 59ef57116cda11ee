//! The server's own players, see [`crate::server::bots`]: some that wait for opponents all the time.

use std::net::SocketAddr;
use std::path::PathBuf;

use child_process::Guard;
use wire::dots::{Name, Token};

use crate::server::bots::{play, short_name};

/// The variable in which a bot finds its token.
const TOKEN: &str = "DOTS_TOKEN";

/// The names of this number of bots with a strategy: its name without parameters, then a number.
pub fn names(strategy: &str, count: usize) -> Vec<Name> {
    let short = short_name(strategy);
    (1..=count).filter_map(|number| format!("{short}-bot{number}").parse().ok()).collect()
}

/// Keeps a bot running until this future is dropped.
pub async fn keep(
    guard: Guard,
    program: PathBuf,
    strategy: String,
    server: SocketAddr,
    name: Name,
    token: Token,
) {
    let address = server.to_string();
    let words =
        ["join", &address, "--game", "dots", "--strategy", &strategy, "--name", name.as_str(), "--forever"];
    loop {
        play(&guard, &program, name.as_str(), &words, (TOKEN, token)).await;
    }
}
