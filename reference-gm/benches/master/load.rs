//! Agents that play at random, each with one request under way, in one thread.
//!
//! The load of `cs`'s own bench sends the same message again and again, and gets it back. Here agents join a game and
//! every request differs; only the loop around the sockets is the same.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use game_env::{AgentId, Chance, Seed};
use game_project::Team;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{AgentNumber, Dialect, Notice, Request, Writer, read_notice};

use crate::{AGENTS, any_request};

/// Time within which an answer must come.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The agents of one game.
pub(crate) struct Load {
    poll: Poll,
    events: Events,
    agents: Vec<Agent>,
    buffer: Vec<u8>,
}

/// The results of a round.
pub(crate) struct Round {
    /// Answered requests a second.
    pub(crate) rate: f64,
    /// From the sending of a request to its answer.
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

struct Agent {
    stream: TcpStream,
    decoder: Decoder,
    chance: Chance,
    frame: Vec<u8>,
    sent: Instant,
}

impl Load {
    /// Joins a game that starts when all these agents are there, and waits until it has begun.
    pub(crate) fn join(server: SocketAddr, agents: u16) -> Result<Self> {
        let mut streams = Vec::new();
        for index in 0..agents {
            let mut stream = std::net::TcpStream::connect(server)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            let mut join = Vec::new();
            write(&mut join, &Request::Join { team: Team::ALL[usize::from(index % 2)] });
            stream.write_all(&join)?;
            streams.push(stream);
        }
        let poll = Poll::new()?;
        let mut players = Vec::new();
        for (mut stream, index) in streams.into_iter().zip(0..) {
            wait_for_start(&mut stream).context("the start of the game")?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry().register(&mut stream, Token(index.into()), Interest::READABLE)?;
            players.push(Agent {
                stream,
                decoder: Decoder::new(frame::LONGEST),
                chance: Seed::new(3).agent(AgentId::new(index)),
                frame: Vec::new(),
                sent: Instant::now(),
            });
        }
        Ok(Self { poll, events: Events::with_capacity(1024), agents: players, buffer: vec![0; 64 * 1024] })
    }

    /// Plays for this time, then waits until everything is answered.
    pub(crate) fn round(&mut self, length: Duration) -> Result<Round> {
        self.round_with(length, Duration::ZERO)
    }

    /// The same by agents that wait for a while after each answer.
    pub(crate) fn round_with(&mut self, length: Duration, gap: Duration) -> Result<Round> {
        // The time in which server and game master get going is not measured.
        self.play_for(length / 5, gap, &mut Vec::new())?;
        let mut latencies = Vec::with_capacity(1 << 18);
        let start = Instant::now();
        self.play_for(length, gap, &mut latencies)?;
        let elapsed = start.elapsed();
        latencies.sort_unstable();
        let percentile = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
        let rate = latencies.len() as f64 / elapsed.as_secs_f64();
        Ok(Round { rate, p50: percentile(50), p99: percentile(99) })
    }

    fn play_for(&mut self, length: Duration, gap: Duration, latencies: &mut Vec<Duration>) -> Result<()> {
        let begin = Instant::now();
        let end = begin + length;
        // Agents that wait begin one after the other, and stay apart; in order of when they go on.
        let apart = |index: usize| gap * u32::try_from(index).unwrap_or_default() / u32::from(AGENTS);
        let mut waiting: VecDeque<_> =
            (0..self.agents.len()).map(|index| (begin + apart(index), index)).collect();
        let mut under_way = 0;
        while under_way > 0 || !waiting.is_empty() {
            while let Some((at, index)) = waiting.front().copied().filter(|(at, _)| *at <= Instant::now()) {
                waiting.pop_front();
                if at < end {
                    self.agents[index].request()?;
                    under_way += 1;
                }
            }
            let next = waiting.front().map(|(at, _)| at.saturating_duration_since(Instant::now()));
            self.poll.poll(&mut self.events, Some(next.unwrap_or(TIMEOUT)))?;
            if self.events.is_empty() && next.is_none() && under_way > 0 {
                bail!("{under_way} requests were never answered");
            }
            for event in &self.events {
                let Token(index) = event.token();
                let agent = &mut self.agents[index];
                if !agent.is_answered(&mut self.buffer)? {
                    continue;
                }
                latencies.push(agent.sent.elapsed());
                let now = Instant::now();
                if gap.is_zero() && now < end {
                    agent.request()?;
                } else {
                    under_way -= 1;
                    if now + gap < end {
                        waiting.push_back((now + gap, index));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Agent {
    fn request(&mut self) -> Result<()> {
        self.frame.clear();
        write(&mut self.frame, &any_request(&mut self.chance));
        self.sent = Instant::now();
        // One request is far less than a socket takes.
        if self.stream.write(&self.frame)? < self.frame.len() {
            bail!("a socket does not take a request");
        }
        Ok(())
    }

    /// Reads the bytes that are there; returns whether they complete the answer.
    fn is_answered(&mut self, buffer: &mut [u8]) -> Result<bool> {
        let read = match self.stream.read(buffer) {
            Ok(0) => bail!("the server closed an agent's connection"),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = &buffer[..read];
        let answer = self.decoder.next(&mut bytes);
        let is_answered = answer.transpose().map_err(|error| io::Error::other(error.to_string()))?.is_some();
        if !bytes.is_empty() {
            bail!("something came unasked");
        }
        Ok(is_answered)
    }
}

fn write(out: &mut Vec<u8>, request: &Request) {
    let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
    frame::write_with(out, |out| writer.request(out, AgentNumber(0), request)).expect("requests are short");
}

/// Reads until the game begins, and nothing behind that.
fn wait_for_start(stream: &mut std::net::TcpStream) -> Result<()> {
    let mut decoder = Decoder::new(frame::LONGEST);
    let mut byte = [0];
    loop {
        stream.read_exact(&mut byte)?;
        if let Some(body) = decoder.next(&mut &byte[..]) {
            let body = body.map_err(|error| io::Error::other(error.to_string()))?;
            let envelope = Envelope::parse(body)?;
            if let Notice::GameStart(_) = read_notice(envelope.message_id, envelope.payload)? {
                return Ok(());
            }
        }
    }
}
