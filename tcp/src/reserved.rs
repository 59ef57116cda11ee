//! Ports for tests that start programs.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Socket, Type};

/// A port of the loopback address that the system gives to nobody who asks for any free port.
///
/// Connections to it are refused until a program listens on it by its number. On Linux the port is reserved as long as
/// this value lives; on other systems it was free when this value was made.
///
/// ```
/// let port = tcp::ReservedPort::new()?;
/// assert!(std::net::TcpStream::connect(port.address()).is_err());
/// let server = std::net::TcpListener::bind(port.address())?;
/// assert_eq!(server.local_addr()?, port.address());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ReservedPort {
    address: SocketAddr,
    /// Bound, but not listening. On Linux a program may listen beside such a socket if both have `SO_REUSEADDR`, as
    /// servers have.
    #[cfg(target_os = "linux")]
    _bound: Socket,
}

impl ReservedPort {
    /// Reserves a port.
    ///
    /// # Errors
    ///
    /// Fails if the system has no port left.
    pub fn new() -> io::Result<Self> {
        let bound = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        #[cfg(target_os = "linux")]
        bound.set_reuse_address(true)?;
        bound.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let address = bound.local_addr()?.as_socket().expect("it is bound to an IP address");
        Ok(Self {
            address,
            #[cfg(target_os = "linux")]
            _bound: bound,
        })
    }

    /// Returns the loopback address with this port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of the port.
    pub fn number(&self) -> u16 {
        self.address.port()
    }
}
