//! TCP connections with the options that agents, the game master and the communication server need: small messages are
//! sent without delay, and keep-alive probes detect a lost peer.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let stream = tcp::dial(listener.local_addr()?).await?;
//! assert!(stream.nodelay()?);
//! # Ok(())
//! # }
//! ```
//!
//! # What this crate does not do
//!
//! It does not know the protocol, and it accepts no connection. [`ReservedPort`] is for tests of servers. A server
//! calls [`allow`] before it accepts its first connection, [`prepare`] on each, and [`listen_hint`] if it cannot
//! [`listen`].

mod reserved;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs, lookup_host};
use tokio::time::timeout;

pub use self::reserved::ReservedPort;

/// Longest time to wait until a connection is established. Operating systems would wait for minutes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time for a server to accept bytes of a client: after that the client gives the connection up.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// The probes of a silent peer by the operating system: first after 30 s, then every 10 s; the third unanswered probe
/// ends the connection. A lobby may be silent for hours, and a machine that loses power sends no FIN.
const KEEP_ALIVE: TcpKeepalive = TcpKeepalive::new()
    .with_time(Duration::from_secs(30))
    .with_interval(Duration::from_secs(10))
    .with_retries(3);

/// Time after which the operating system ends a connection whose peer does not acknowledge what was sent, or has no
/// room for more: while data is under way, it sends no probes, and would wait for a quarter of an hour.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(60);

/// Connects to a server and sets the connection's options, see [`prepare`]. Of a name with several addresses, each has
/// its time: one that never answers does not keep this from trying the next.
///
/// # Errors
///
/// Returns the error of the last address, if none can be connected to: the connection is refused, or not established
/// within ten seconds ([`io::ErrorKind::TimedOut`]). Fails if the name has no address, or is not found in this time.
pub async fn dial(server: impl ToSocketAddrs) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in in_time(lookup_host(server)).await? {
        match in_time(TcpStream::connect(address)).await {
            Ok(stream) => {
                prepare(&stream)?;
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn in_time<T>(attempt: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(CONNECT_TIMEOUT, attempt).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// A stream of bytes to a peer: a connection, or what a test has in its place.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Number of connections that the system may hold ready for a server. More clients than that may start at once, and one
/// that is turned away there tries again only after a second.
const BACKLOG: u32 = 4096;

/// Listens at this address, whose port is free again at once when the program ends.
///
/// # Errors
///
/// If the system does not let it, e.g. because the port is in use: see [`listen_hint`].
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Elsewhere this would let two servers share a port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Returns the address at which programs of this machine reach a server that listens at this address. Not every system
/// takes connections to `0.0.0.0` or `::`.
pub const fn within(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

/// Files that a server has open beside its connections: listeners, log, journal, the runtime's own.
#[cfg(unix)]
const OTHER_FILES: u64 = 64;

/// Asks the operating system for as many open files as a server with this many connections needs.
///
/// # Errors
///
/// If the system allows fewer. The server can start all the same; it then accepts fewer connections.
#[cfg(unix)]
pub fn allow(connections: usize) -> Result<(), TooFewFiles> {
    let wanted = connections as u64 + OTHER_FILES;
    match rlimit::increase_nofile_limit(wanted) {
        Ok(limit) if limit >= wanted => Ok(()),
        Ok(limit) => {
            let possible = limit.saturating_sub(OTHER_FILES);
            Err(TooFewFiles(format!(
                "the system allows {limit} open files: about {possible} connections, not {connections}"
            )))
        }
        Err(error) => Err(TooFewFiles(format!("the limit on open files is unknown: {error}"))),
    }
}

/// Asks the operating system for as many open files as a server with this many connections needs: this one has no
/// limit.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn allow(_connections: usize) -> Result<(), TooFewFiles> {
    Ok(())
}

/// The operating system allows fewer open files than a server needs for its connections.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TooFewFiles(String);

/// Returns the hint for a user whose server cannot listen on this address; `flag` chooses the port.
pub fn listen_hint(address: SocketAddr, flag: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("end the program that has port {}, or choose another port with {flag}", address.port())
        }
        io::ErrorKind::AddrNotAvailable => {
            "this machine has no such address; --listen 0.0.0.0 takes all that it has".to_owned()
        }
        _ => format!("choose another port with {flag}"),
    }
}

/// Sets `TCP_NODELAY`, and what detects a lost peer: keep-alive probes, and on Linux a limit on the time that data may
/// be under way.
///
/// Ignores a system that does not support this: the connection then works without it.
///
/// # Errors
///
/// Fails if the connection has ended already.
pub fn prepare(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    let _ = socket.set_tcp_keepalive(&KEEP_ALIVE);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    stream.set_nodelay(true)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_at_all_addresses_is_reached_at_the_loopback_address() {
        for (listens, reached) in [
            ("0.0.0.0:7000", "127.0.0.1:7000"),
            ("[::]:7000", "[::1]:7000"),
            ("192.0.2.1:7000", "192.0.2.1:7000"),
        ] {
            assert_eq!(within(listens.parse().expect("an address")).to_string(), reached);
        }
    }

    /// A server whose queue of connections is full does not answer on Linux.
    #[cfg(target_os = "linux")]
    #[tokio::test(start_paused = true)]
    async fn an_address_that_never_answers_leaves_time_for_the_next() {
        let socket = TcpSocket::new_v4().expect("there are sockets");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("the loopback address has ports");
        let full = socket.listen(0).expect("it is bound");
        let silent = full.local_addr().expect("it is bound");
        let _waits = std::net::TcpStream::connect(silent).expect("the queue has room for one");
        let other = TcpListener::bind("127.0.0.1:0").await.expect("the loopback address has ports");
        let there = other.local_addr().expect("it is bound");
        let stream = dial(&[silent, there][..]).await.expect("one of them answers");
        assert_eq!(stream.peer_addr().expect("it is connected"), there);
    }

    #[tokio::test]
    async fn a_vanished_peer_is_noticed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("the loopback address has ports");
        let stream = dial(listener.local_addr().expect("it is bound")).await.expect("it listens");
        assert!(stream.nodelay().expect("a socket knows its options"));
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().expect("a socket knows its options"));
        #[cfg(target_os = "linux")]
        assert_eq!(
            (
                socket.tcp_keepalive_time().ok(),
                socket.tcp_keepalive_interval().ok(),
                socket.tcp_keepalive_retries().ok(),
                socket.tcp_user_timeout().ok().flatten(),
            ),
            (
                Some(Duration::from_secs(30)),
                Some(Duration::from_secs(10)),
                Some(3),
                Some(Duration::from_secs(60))
            )
        );
    }
}
