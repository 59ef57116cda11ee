//! The servers that the communication server is compared with: a minimal echo server and a minimal proxy.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

const LISTENER: Token = Token(usize::MAX);

/// Sends back all bytes that arrive: one hop, one reading and one writing for each message.
pub(crate) fn echo() -> io::Result<()> {
    serve(|| Ok(None))
}

/// Passes bytes on between each connection and one of its own to `upstream`.
pub(crate) fn proxy(upstream: SocketAddr) -> io::Result<()> {
    serve(|| TcpStream::connect(upstream).map(Some))
}

/// A connection, and the index of the one that its bytes go to.
struct End {
    stream: TcpStream,
    other: usize,
}

/// Serves without end; `open` makes the connection to which a new one's bytes go, if that is not itself.
fn serve(open: impl Fn() -> io::Result<Option<TcpStream>>) -> io::Result<()> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1024);
    let mut listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
    println!("{}", listener.local_addr()?);
    let mut ends: Vec<End> = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((stream, _)) = listener.accept() {
                    let first = ends.len();
                    let partner = open()?;
                    let other = first + usize::from(partner.is_some());
                    ends.push(End { stream, other });
                    ends.extend(partner.map(|stream| End { stream, other: first }));
                    for (end, index) in ends[first..].iter_mut().zip(first..) {
                        end.stream.set_nodelay(true)?;
                        poll.registry().register(&mut end.stream, Token(index), Interest::READABLE)?;
                    }
                }
                continue;
            }
            let Token(index) = event.token();
            // A reading that does not fill the buffer has taken all, so that one is enough.
            while let Ok(read @ 1..) = ends[index].stream.read(&mut buffer) {
                let other = ends[index].other;
                write_all(&mut ends[other].stream, &buffer[..read]);
                if read < buffer.len() {
                    break;
                }
            }
        }
    }
}

/// Writes everything. The load never has more on its way than a socket takes, so that this waits only for a
/// connection that is just being made.
fn write_all(stream: &mut TcpStream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::NotConnected) => {}
            Err(_) => return,
        }
    }
}
