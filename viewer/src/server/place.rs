//! The place of a page: its port, and its address for people.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use wire::token::Token;

/// The place for a page, taken before anything else is done.
#[derive(Debug)]
pub struct Place {
    pub(super) listener: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) host: String,
}

impl Place {
    /// Takes this port: an address and a port, joined by a colon; port 0 for any that is free.
    ///
    /// # Errors
    ///
    /// If the text is no address with a port, or the port cannot be used.
    pub fn take(text: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(text)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let host = text.rsplit_once(':').map_or(text, |(host, _)| host).to_owned();
        Ok(Self { listener, address, host })
    }

    /// Returns the page's address for people on this machine.
    pub(super) fn url(&self, token: Option<Token>) -> String {
        let host = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            IpAddr::V6(ip) if ip.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
            _ => self.host.clone(),
        };
        let query = token.map(|token| format!("?token={token}")).unwrap_or_default();
        format!("http://{host}:{}/{query}", self.address.port())
    }
}
