//! The load: agents that send and wait, and a game master that sends everything back.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};

use crate::process::Child;

/// Longest time for an answer of a server.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Agents and the game master that answers them, in one thread.
pub(crate) struct Load {
    poll: Poll,
    events: Events,
    agents: Vec<Agent>,
    /// Sends back what it gets: the game master, or the far ends of a proxy. Tokens follow those of agents.
    mirrors: Vec<Mirror>,
    pipelining: u16,
    /// Number of agents that send.
    active: usize,
    buffer: Vec<u8>,
}

/// Results of a round.
pub(crate) struct Round {
    pub(crate) per_second: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// The server's processor time for each round trip.
    pub(crate) cpu: Option<Duration>,
}

struct Agent {
    stream: TcpStream,
    frame: Vec<u8>,
    decoder: Decoder,
    /// The times at which the messages under way were sent.
    sent: VecDeque<Instant>,
}

struct Mirror {
    stream: TcpStream,
    waiting: Vec<u8>,
}

impl Load {
    /// Agents that talk to an echo server.
    pub(crate) fn direct(server: SocketAddr, agents: usize, bytes: u16, pipelining: u16) -> Result<Self> {
        let mut load = Self::new(pipelining)?;
        for id in 1..=agents {
            load.add_agent(Agent::new(connect(server)?, id, bytes))?;
        }
        load.active = agents;
        Ok(load)
    }

    /// Opens the listener that a proxy is to connect to.
    pub(crate) fn upstream() -> io::Result<std::net::TcpListener> {
        std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
    }

    /// Agents that talk to themselves through a proxy.
    pub(crate) fn proxied(
        proxy: SocketAddr,
        upstream: std::net::TcpListener,
        agents: usize,
        bytes: u16,
        pipelining: u16,
    ) -> Result<Self> {
        let mut load = Self::new(pipelining)?;
        upstream.set_nonblocking(false)?;
        let mut mirrors = Vec::new();
        for id in 1..=agents {
            load.add_agent(Agent::new(connect(proxy)?, id, bytes))?;
            let (stream, _) = upstream.accept()?;
            stream.set_nonblocking(true)?;
            mirrors.push(TcpStream::from_std(stream));
        }
        drop(TcpListener::from_std(upstream));
        for mirror in mirrors {
            load.add_mirror(mirror)?;
        }
        load.active = agents;
        Ok(load)
    }

    /// Agents that talk to a game master through a communication server.
    pub(crate) fn relay(
        to_agents: SocketAddr,
        to_gm: SocketAddr,
        agents: usize,
        bytes: u16,
        pipelining: u16,
    ) -> Result<Self> {
        let mut load = Self::new(pipelining)?;
        let mut gm = std::net::TcpStream::connect(to_gm)?;
        gm.set_read_timeout(Some(TIMEOUT))?;
        let mut decoder = Decoder::new(frame::LONGEST);
        for _ in 0..agents {
            // The first message tells the agent's number, so that later ones have it and do not grow.
            let mut stream = std::net::TcpStream::connect(to_agents)?;
            let mut hello = Vec::new();
            frame::write(br#"{"messageID":6,"agentID":0}"#, &mut hello)?;
            stream.write_all(&hello)?;
            let id = read_id(&mut gm, &mut decoder).context("the first message of an agent")?;
            load.add_agent(Agent::new(nonblocking(stream)?, id, bytes))?;
        }
        load.add_mirror(nonblocking(gm)?)?;
        load.active = agents;
        Ok(load)
    }

    fn new(pipelining: u16) -> io::Result<Self> {
        Ok(Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            agents: Vec::new(),
            mirrors: Vec::new(),
            pipelining,
            active: 0,
            buffer: vec![0; 256 * 1024],
        })
    }

    fn add_agent(&mut self, mut agent: Agent) -> io::Result<()> {
        let token = Token(self.agents.len());
        self.poll.registry().register(&mut agent.stream, token, Interest::READABLE)?;
        self.agents.push(agent);
        Ok(())
    }

    /// To be called when all agents are there.
    fn add_mirror(&mut self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let token = Token(self.agents.len() + self.mirrors.len());
        self.poll.registry().register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        self.mirrors.push(Mirror { stream, waiting: Vec::new() });
        Ok(())
    }

    /// Lets only this many agents send.
    pub(crate) fn only(&mut self, agents: usize) {
        self.active = agents;
    }

    /// Sends for this long, then waits until everything has come back.
    pub(crate) fn round(&mut self, length: Duration, server: &Child) -> Result<Round> {
        // The start-up of the server is not measured.
        self.send_for(length / 5, &mut Vec::new())?;
        let mut latencies = Vec::with_capacity(1 << 20);
        let cpu_before = server.cpu();
        let start = Instant::now();
        self.send_for(length, &mut latencies)?;
        let elapsed = start.elapsed();
        let cpu = server.cpu().zip(cpu_before).map(|(after, before)| after - before);
        let count = latencies.len();
        latencies.sort_unstable();
        let percentile = |percent: usize| latencies[(count - 1) * percent / 100];
        Ok(Round {
            per_second: count as f64 / elapsed.as_secs_f64(),
            p50: percentile(50),
            p99: percentile(99),
            cpu: cpu.map(|cpu| cpu.div_f64(count as f64)),
        })
    }

    fn send_for(&mut self, length: Duration, latencies: &mut Vec<Duration>) -> Result<()> {
        let end = Instant::now() + length;
        for agent in &mut self.agents[..self.active] {
            for _ in 0..self.pipelining {
                agent.send(Instant::now(), 1)?;
            }
        }
        let mut under_way = self.active * usize::from(self.pipelining);
        while under_way > 0 {
            self.poll.poll(&mut self.events, Some(TIMEOUT))?;
            if self.events.is_empty() {
                bail!("{under_way} messages never came back");
            }
            for event in &self.events {
                let Token(index) = event.token();
                match self.agents.get_mut(index) {
                    Some(agent) => {
                        let came_back = agent.receive(&mut self.buffer, latencies)?;
                        let now = Instant::now();
                        if now < end {
                            agent.send(now, came_back)?;
                        } else {
                            under_way -= came_back;
                        }
                    }
                    None => self.mirrors[index - self.agents.len()].send_back(&mut self.buffer)?,
                }
            }
        }
        Ok(())
    }
}

impl Agent {
    fn new(stream: TcpStream, id: usize, bytes: u16) -> Self {
        let start = format!(r#"{{"messageID":7,"agentID":{id},"payload":{{"direction":""#);
        let rest = usize::from(bytes) - start.len() - 3;
        let mut frame = Vec::new();
        frame::write(format!("{start}{:N<rest$}\"}}}}", "").as_bytes(), &mut frame).expect("it is short");
        Self { stream, frame, decoder: Decoder::new(frame::LONGEST), sent: VecDeque::new() }
    }

    /// Sends its message this many times, with one write.
    fn send(&mut self, now: Instant, times: usize) -> Result<()> {
        if times == 0 {
            return Ok(());
        }
        self.sent.extend(std::iter::repeat_n(now, times));
        let written = match times {
            1 => self.stream.write(&self.frame)?,
            _ => self.stream.write(&self.frame.repeat(times))?,
        };
        // The bytes under way are far fewer than a socket takes.
        if written < self.frame.len() * times {
            bail!("a socket takes only {written} bytes: less pipelining, or shorter messages");
        }
        Ok(())
    }

    /// Reads the bytes that have arrived; returns the number of messages that have come back.
    fn receive(&mut self, buffer: &mut [u8], latencies: &mut Vec<Duration>) -> Result<usize> {
        let mut came_back = 0;
        loop {
            let read = match self.stream.read(buffer) {
                Ok(0) => bail!("the server closed an agent's connection"),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(came_back),
                Err(error) => return Err(error.into()),
            };
            let now = Instant::now();
            let mut bytes = &buffer[..read];
            while let Some(body) = self.decoder.next(&mut bytes) {
                body.map_err(|error| io::Error::other(error.to_string()))?;
                let sent = self.sent.pop_front().context("more came back than was sent")?;
                latencies.push(now - sent);
                came_back += 1;
            }
            if read < buffer.len() {
                return Ok(came_back);
            }
        }
    }
}

impl Mirror {
    fn send_back(&mut self, buffer: &mut [u8]) -> Result<()> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => bail!("the server closed the game master's connection"),
                Ok(read) => {
                    self.waiting.extend_from_slice(&buffer[..read]);
                    if read < buffer.len() {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        while !self.waiting.is_empty() {
            match self.stream.write(&self.waiting) {
                Ok(written) => drop(self.waiting.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    nonblocking(std::net::TcpStream::connect(address)?)
}

fn nonblocking(stream: std::net::TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(TcpStream::from_std(stream))
}

/// The number of the agent whose message comes next.
fn read_id(gm: &mut std::net::TcpStream, decoder: &mut Decoder) -> Result<usize> {
    let mut byte = [0];
    loop {
        gm.read_exact(&mut byte)?;
        if let Some(body) = decoder.next(&mut &byte[..]) {
            let body = body.map_err(|error| io::Error::other(error.to_string()))?;
            let id = Envelope::parse(body)?.agent_id.context("the message has no agent's number")?;
            return Ok(usize::try_from(id)?);
        }
    }
}
