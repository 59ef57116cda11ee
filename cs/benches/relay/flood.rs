//! Agents that send as fast as the server takes it and read every answer.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;

use anyhow::Result;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use wire::frame;

/// Number of messages that one write sends.
const BATCH: usize = 256;

struct Flooder {
    stream: TcpStream,
    /// Number of bytes of the batch that are written.
    written: usize,
}

/// Floods a server until it closes a connection, or until this process is ended.
pub(crate) fn run(server: SocketAddr, agents: usize) -> Result<()> {
    // None asks to join: the load's game master sends back what it gets, and would be taken for an agent.
    let mut batch = Vec::new();
    for _ in 0..BATCH {
        frame::write(br#"{"messageID":7,"agentID":0,"payload":{"direction":"N"}}"#, &mut batch)?;
    }
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1024);
    let mut flooders = Vec::new();
    for index in 0..agents {
        let stream = std::net::TcpStream::connect(server)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        flooders.push(Flooder { stream, written: 0 });
    }
    // As servers do: the first line says that it runs.
    println!("{server}");
    let mut buffer = vec![0; 256 * 1024];
    loop {
        poll.poll(&mut events, None)?;
        for event in &events {
            let Token(index) = event.token();
            if !flooders[index].go_on(&batch, &mut buffer)? {
                return Ok(());
            }
        }
    }
}

impl Flooder {
    /// Reads and writes until both would wait; whether the connection goes on.
    fn go_on(&mut self, batch: &[u8], buffer: &mut [u8]) -> Result<bool> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return Ok(false),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        loop {
            match self.stream.write(&batch[self.written..]) {
                Ok(written) => self.written = (self.written + written) % batch.len(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
