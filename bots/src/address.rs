//! Names and addresses of hosts.

use std::net::IpAddr;

/// Returns whether this can be the name or the address of a host. A colon is part of an address only.
pub fn is_host(text: &str) -> bool {
    let is_apart = |letter: char| letter.is_whitespace() || "/:[]".contains(letter);
    text.parse::<IpAddr>().is_ok() || (!text.is_empty() && !text.contains(is_apart))
}
