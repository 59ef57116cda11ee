//! Attackers of the programs of a game. Each is a function that goes on until it is told to stop or its connection
//! ends; then it may be started again.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Result, ensure};
use game_env::{Chance, Seed};
use game_project::Team;

use super::game::Target;
use super::peer::{DEADLINE, Peer, STEP, Site, framed, is_timeout, join, page_request, posted};
use crate::workspace;
use simulation::project::hostile_agent::nonsense;

/// One kind of attacker, of programs that listen at places of this type.
#[derive(Clone, Copy, Debug)]
pub struct Attacker<T = Target> {
    /// Its name in tables.
    pub name: &'static str,
    /// Number of attackers of this kind at once.
    pub count: usize,
    /// The attack of each of them.
    pub act: fn(&T, &mut Work) -> io::Result<()>,
}

/// A place with a page on which people look at games.
pub trait Paged {
    /// The page.
    fn page(&self) -> &Site;
}

impl Paged for Target {
    fn page(&self) -> &Site {
        &self.board
    }
}

impl Paged for Site {
    fn page(&self) -> &Site {
        self
    }
}

/// The random numbers of an attacker, its results, and the moment when it is to stop.
pub struct Work {
    /// Random numbers for everything that it may choose.
    pub chance: Chance,
    /// The team that it asks to play for.
    team: Team,
    tally: Tally,
    /// The sender with which it reports its first connection.
    first: Option<Sender<()>>,
    /// An act of a program that is not allowed: it fails the attack at the end of the siege.
    fault: Option<&'static str>,
    /// The end of the present burst, if it works in bursts.
    burst: Option<Instant>,
    stop: Arc<AtomicBool>,
}

/// Counts of attackers of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Number of connections that they made.
    pub connections: u64,
    /// Bytes that they sent in floods.
    pub bytes: u64,
}

impl Work {
    /// Returns whether it is to go on.
    pub fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.burst.is_none_or(|end| Instant::now() < end)
    }

    /// Counts a connection if it was made, and reports the first one.
    pub(super) fn connected<T>(&mut self, connection: io::Result<T>) -> io::Result<T> {
        let connection = connection?;
        self.tally.connections += 1;
        if let Some(first) = self.first.take() {
            // Nobody waits for it where attackers work in bursts.
            let _ = first.send(());
        }
        Ok(connection)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Does nothing for a while.
    fn pause(&mut self) {
        let end = Instant::now() + STEP * self.chance.below(20);
        while !self.is_stopped() && Instant::now() < end {
            thread::park_timeout(STEP);
        }
    }

    /// Lets time pass until it has to stop or the other end closes; bytes that arrive are not read.
    pub(super) fn hold(&self, stream: &TcpStream) {
        while self.goes_on() {
            if stream.set_read_timeout(Some(STEP)).is_err() {
                return;
            }
            match stream.peek(&mut [0]) {
                Ok(0) => return,
                // Bytes have arrived and stay unread: the thread gives way until it has to look again.
                Ok(_) => thread::park_timeout(STEP),
                Err(error) if is_timeout(&error) => {}
                Err(_) => return,
            }
        }
    }
}

/// Attackers at work; they are stopped when this is dropped.
pub struct Siege {
    stop: Arc<AtomicBool>,
    kinds: Vec<Kind>,
}

/// The attackers of one kind at work.
struct Kind {
    name: &'static str,
    threads: Vec<JoinHandle<Work>>,
}

impl Siege {
    /// Starts all of them, and waits until each has had a connection; each goes on without pause.
    ///
    /// # Errors
    ///
    /// If one of them has no connection within [`DEADLINE`].
    pub fn start<T: Clone + Send + 'static>(
        target: &T,
        attackers: &[Attacker<T>],
        seed: Seed,
    ) -> Result<Self> {
        let (first, connected) = mpsc::channel();
        let siege = Self::new(target, attackers, seed, false, &first);
        let count: usize = attackers.iter().map(|kind| kind.count).sum();
        let deadline = Instant::now() + DEADLINE;
        for number in 0..count {
            let left = deadline.saturating_duration_since(Instant::now());
            let is_next = connected.recv_timeout(left).is_ok();
            ensure!(is_next, "{number} of {count} attackers have had a connection within {DEADLINE:?}");
        }
        Ok(siege)
    }

    /// Starts all of them; each works in bursts of some seconds, with pauses, as chance has it.
    pub fn in_bursts<T: Clone + Send + 'static>(target: &T, attackers: &[Attacker<T>], seed: Seed) -> Self {
        Self::new(target, attackers, seed, true, &mpsc::channel().0)
    }

    fn new<T: Clone + Send + 'static>(
        target: &T,
        attackers: &[Attacker<T>],
        seed: Seed,
        in_bursts: bool,
        first: &Sender<()>,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut chance = seed.game();
        let mut start = |attacker: &Attacker<T>, number: usize| {
            let (target, act) = (target.clone(), attacker.act);
            let seed = Seed::new(u64::from(chance.below(u32::MAX)));
            let mut work = Work {
                chance: seed.game(),
                team: Team::ALL[number % 2],
                tally: Tally::default(),
                first: Some(first.clone()),
                fault: None,
                burst: None,
                stop: Arc::clone(&stop),
            };
            thread::spawn(move || {
                while !work.is_stopped() {
                    if in_bursts {
                        work.burst = Some(Instant::now() + STEP * work.chance.below(50));
                    }
                    // An attacker has to expect that its connection is refused or closed.
                    if act(&target, &mut work).is_err() {
                        thread::park_timeout(STEP / 20);
                    }
                    if in_bursts && !work.goes_on() {
                        work.pause();
                    }
                }
                work
            })
        };
        let kinds = attackers.iter().map(|kind| Kind {
            name: kind.name,
            threads: (0..kind.count).map(|number| start(kind, number)).collect(),
        });
        let kinds = kinds.collect();
        Self { stop, kinds }
    }

    /// Stops them, and waits until they have stopped; returns the counts of each kind.
    ///
    /// # Errors
    ///
    /// If a program did what it must not do, an attacker panicked, or no attacker of a kind had a connection.
    pub fn stop(mut self) -> Result<Vec<Tally>> {
        self.end()
    }

    fn end(&mut self) -> Result<Vec<Tally>> {
        self.stop.store(true, Ordering::Relaxed);
        let (mut tallies, mut faults) = (Vec::new(), BTreeSet::new());
        for Kind { name, threads } in self.kinds.drain(..) {
            let mut sum = Tally::default();
            for thread in threads {
                // The message of a panic stands on the console.
                let Ok(work) = thread.join() else {
                    faults.insert(format!("{name}: an attacker panicked"));
                    continue;
                };
                sum.connections += work.tally.connections;
                sum.bytes += work.tally.bytes;
                faults.extend(work.fault.map(|fault| format!("{name}: {fault}")));
            }
            if sum.connections == 0 {
                faults.insert(format!("{name}: no attacker had a connection"));
            }
            tallies.push(sum);
        }
        let faults: Vec<String> = faults.into_iter().collect();
        ensure!(faults.is_empty(), "{}", faults.join("; "));
        Ok(tallies)
    }
}

impl Drop for Siege {
    fn drop(&mut self) {
        // Only `stop` reports faults: where it was not called, the attack has failed already.
        let _ = self.end();
    }
}

/// Writes everything, in steps, until it has to stop.
pub(super) fn write(mut stream: &TcpStream, mut bytes: &[u8], work: &mut Work) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(length) => {
                work.tally.bytes += length as u64;
                bytes = &bytes[length..];
            }
            Err(error) if is_timeout(&error) && work.goes_on() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads and drops everything on a thread of its own until the connection ends.
pub(super) fn drain(mut stream: TcpStream) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(_) => return,
            }
        }
    })
}

/// An agent's connection that has sent a valid message: only then may it send invalid ones.
fn after_a_valid_message(target: &Target, work: &mut Work) -> io::Result<TcpStream> {
    let mut peer = work.connected(Peer::connect(target.agents))?;
    peer.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#)?;
    peer.stream()
}

/// Sends invalid messages until it is dropped, and comes again.
pub fn invalid_messages(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = after_a_valid_message(target, work)?;
    while work.goes_on() {
        let mut bytes = Vec::new();
        (0..20).for_each(|_| nonsense(&mut work.chance, &mut bytes));
        write(&stream, &bytes, work)?;
    }
    Ok(())
}

/// Sends invalid messages of one line each, so that every one of them is worth a line in the log.
pub fn log_lines(target: &Target, work: &mut Work) -> io::Result<()> {
    let bytes = framed("{\"messageID\":\"x\"}").repeat(100);
    let stream = after_a_valid_message(target, work)?;
    while work.goes_on() {
        write(&stream, &bytes, work)?;
    }
    Ok(())
}

/// Takes a place in the game and asks without end, as fast as its requests are taken; reads every answer.
pub fn flood(target: &Target, work: &mut Work) -> io::Result<()> {
    flood_with(target, work, true, r#"{"messageID":3,"agentID":0,"payload":{}}"#)
}

/// The same with moves, which the board shows.
pub fn flood_moves(target: &Target, work: &mut Work) -> io::Result<()> {
    let ways = ["N", "E", "S", "W"];
    let way = ways[work.chance.index(ways.len())];
    flood_with(
        target,
        work,
        true,
        &format!(r#"{{"messageID":7,"agentID":0,"payload":{{"direction":"{way}"}}}}"#),
    )
}

/// The same without reading anything.
pub fn deaf_flood(target: &Target, work: &mut Work) -> io::Result<()> {
    flood_with(target, work, false, r#"{"messageID":3,"agentID":0,"payload":{}}"#)
}

fn flood_with(target: &Target, work: &mut Work, reads: bool, body: &str) -> io::Result<()> {
    let mut peer = work.connected(Peer::connect(target.agents))?;
    let stream = peer.stream()?;
    peer.send(&join(work.team))?;
    let reader = if reads { Some(drain(peer.stream()?)) } else { None };
    let bytes = framed(body).repeat(200);
    let mut result = Ok(());
    while work.goes_on() && result.is_ok() {
        result = write(&stream, &bytes, work);
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
    if let Some(reader) = reader {
        let _ = reader.join();
    }
    result
}

/// Asks every agent for information over and over, and reads the answers.
pub fn questions(target: &Target, work: &mut Work) -> io::Result<()> {
    let mut peer = work.connected(Peer::connect(target.agents))?;
    let stream = peer.stream()?;
    peer.send(&join(work.team))?;
    let reader = drain(peer.stream()?);
    let mut bytes = Vec::new();
    for asked in 1..=8 {
        bytes.extend(framed(&format!(
            r#"{{"messageID":5,"agentID":0,"payload":{{"askedAgentID":{asked}}}}}"#
        )));
    }
    let bytes = bytes.repeat(50);
    let mut result = Ok(());
    while work.goes_on() && result.is_ok() {
        result = write(&stream, &bytes, work);
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = reader.join();
    result
}

/// Holds connections on which nothing, or half a message, was sent.
pub fn silent_agents(target: &Target, work: &mut Work) -> io::Result<()> {
    let mut peers = Vec::new();
    while work.goes_on() && peers.len() < 50 {
        let mut peer = work.connected(Peer::connect(target.agents))?;
        match work.chance.below(3) {
            0 => {}
            1 => peer.send_bytes(&[200])?,
            _ => peer.send_bytes(&[200, 0, b'{'])?,
        }
        peers.push(peer);
    }
    let Some(last) = peers.last() else { return Ok(()) };
    work.hold(&last.stream()?);
    Ok(())
}

/// Connects and goes, again and again, with or without a byte.
pub fn come_and_go(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let mut peer = work.connected(Peer::connect(target.agents))?;
        if work.chance.happens(0.5) {
            peer.send_bytes(b"\x05\x00{")?;
        }
    }
    Ok(())
}

/// Connects to the game master's port, with or without bytes, and goes.
pub fn second_master(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let mut peer = work.connected(Peer::connect(target.gm))?;
        match work.chance.below(3) {
            0 => {}
            1 => peer.send(r#"{"messageID":104,"agentID":1,"payload":{"winner":"red"}}"#)?,
            _ => {
                let mut bytes = Vec::new();
                nonsense(&mut work.chance, &mut bytes);
                peer.send_bytes(&bytes)?;
            }
        }
        thread::park_timeout(STEP / 20);
    }
    Ok(())
}

/// Sends the requests that a page of another site can make a browser send: to both ports, with frames as their bodies.
pub fn requests_of_pages(target: &Target, work: &mut Work) -> io::Result<()> {
    let gm = posted(target.gm, &[r#"{"messageID":104,"agentID":1,"payload":{"winner":"red"}}"#]);
    let agents = posted(target.agents, &[&join(work.team), r#"{"messageID":3,"agentID":0,"payload":{}}"#]);
    while work.goes_on() {
        for (address, request) in [(target.gm, &gm), (target.agents, &agents)] {
            let peer = work.connected(Peer::connect(address))?;
            // It may be closed before everything is written.
            let _ = write(&peer.stream()?, request, work);
        }
        thread::park_timeout(STEP / 20);
    }
    Ok(())
}

/// Sends a request of a page with this body, again and again. It is a fault if an answer shows that it was obeyed.
pub(super) fn send_page_requests(
    address: SocketAddr,
    body: &[u8],
    work: &mut Work,
    was_obeyed: fn(&str) -> bool,
) -> io::Result<()> {
    let request = page_request(address, body);
    while work.goes_on() {
        let mut stream = work.connected(TcpStream::connect_timeout(&address, DEADLINE))?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.write_all(&request)?;
        let mut answer = String::new();
        // The connection ends, perhaps with a reset.
        let _ = stream.read_to_string(&mut answer);
        if was_obeyed(&answer) {
            work.fault = Some("a request of a page was obeyed");
        }
    }
    Ok(())
}

/// Connects to this port and says nothing until the connection ends, then comes again.
pub fn silent_peer(address: &SocketAddr, work: &mut Work) -> io::Result<()> {
    silent(*address, work)
}

/// Connects and says nothing.
fn silent(address: SocketAddr, work: &mut Work) -> io::Result<()> {
    let peer = work.connected(Peer::connect(address))?;
    work.hold(&peer.stream()?);
    Ok(())
}

/// Holds a connection to the port for Prometheus, and asks nothing.
pub fn silent_metrics(target: &Target, work: &mut Work) -> io::Result<()> {
    silent(target.metrics, work)
}

/// Asks for the whole feed and reads nothing of it.
pub fn slow_download<T: Paged>(target: &T, work: &mut Work) -> io::Result<()> {
    let mut peer = work.connected(Peer::connect(target.page().address))?;
    peer.send_bytes(target.page().request("GET", "/feed.json", "").as_bytes())?;
    work.hold(&peer.stream()?);
    Ok(())
}

/// Asks for the whole feed again and again, and reads it.
pub fn downloads<T: Paged>(target: &T, work: &mut Work) -> io::Result<()> {
    let peer = work.connected(Peer::connect(target.page().address))?;
    let stream = peer.stream()?;
    let reader = drain(peer.stream()?);
    let request = target.page().request("GET", "/feed.json", "");
    let mut result = Ok(());
    while work.goes_on() && result.is_ok() {
        result = write(&stream, request.as_bytes(), work);
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = reader.join();
    result
}

/// Keeps a connection to the board by asking for a small file now and then.
pub fn kept_alive<T: Paged>(target: &T, work: &mut Work) -> io::Result<()> {
    let mut stream = work.connected(TcpStream::connect_timeout(&target.page().address, STEP * 5))?;
    stream.set_read_timeout(Some(STEP))?;
    let request = target.page().request("GET", "/feed/open", "");
    while work.goes_on() {
        stream.write_all(request.as_bytes())?;
        let asked = Instant::now();
        while work.goes_on() && asked.elapsed() < STEP * 2 {
            match stream.read(&mut [0; 4096]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Opens the feed as a page does, and reads nothing of it.
pub fn deaf_viewer<T: Paged>(target: &T, work: &mut Work) -> io::Result<()> {
    let mut peer = work.connected(Peer::connect(target.page().address))?;
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    peer.send_bytes(target.page().request("GET", "/feed", upgrade).as_bytes())?;
    if work.chance.happens(0.3) {
        // A frame that announces more than will ever come.
        peer.send_bytes(&[0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4])?;
    }
    work.hold(&peer.stream()?);
    Ok(())
}

/// Sends the board bytes that are no request, or requests that are not granted.
pub fn board_noise<T: Paged>(target: &T, work: &mut Work) -> io::Result<()> {
    let mut peer = work.connected(Peer::connect(target.page().address))?;
    let board = target.page();
    let bytes = match work.chance.below(9) {
        0 => (0..2000).map(|_| u8::try_from(work.chance.below(256)).unwrap_or(0)).collect(),
        1 => board.request("GET", "/", &format!("X: {}\r\n", "y".repeat(200_000))).into_bytes(),
        2 => board.request("GET", "/", &"X: y\r\n".repeat(10_000)).into_bytes(),
        3 => board.request("POST", "/stop", "").into_bytes(),
        4 => board.request("POST", "/start", "Authorization: Bearer 0\r\n").into_bytes(),
        5 => b"PUT /settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{".to_vec(),
        6 => b"GET /feed.json HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_vec(),
        7 => board.request("GET", "/feed.json", "Sec-Fetch-Site: cross-site\r\n").into_bytes(),
        _ => b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"
            .to_vec(),
    };
    peer.send_bytes(&bytes)?;
    peer.is_closed_by(Instant::now() + STEP);
    Ok(())
}

/// Lets the real bots misbehave as one of their scripts says.
pub fn scripts(target: &Target, work: &mut Work) -> io::Result<()> {
    const SCRIPTS: [&str; 5] = ["deaf", "die", "flood", "malformed", "silent"];
    let script = SCRIPTS[work.chance.index(SCRIPTS.len())];
    let path = workspace().join(format!("bots/scripts/{script}.script"));
    let server = target.agents.to_string();
    let words = ["join", &server, "--agents", "2", "--script"];
    let bots = target.programs.start("bots").args(words).args([path]).spawn().map_err(io::Error::other);
    // Each program that starts counts as a connection.
    let bots = work.connected(bots)?;
    while work.goes_on() && bots.runs() {
        thread::park_timeout(STEP);
    }
    // Processes that still run are killed.
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// Lets attackers of one kind at a port, and returns the error of the siege.
    fn fault_of(act: fn(&SocketAddr, &mut Work) -> io::Result<()>) -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let attackers = [Attacker { name: "kind", count: 2, act }];
        let siege = Siege::start(&listener.local_addr().unwrap(), &attackers, Seed::new(1)).unwrap();
        // Each of them is there already.
        listener.set_nonblocking(true).unwrap();
        let _connections = [listener.accept().unwrap(), listener.accept().unwrap()];
        siege.stop().unwrap_err().to_string()
    }

    #[test]
    fn a_siege_fails_with_its_attackers() {
        let obeyed = fault_of(|address, work| {
            let peer = work.connected(Peer::connect(*address))?;
            work.fault = Some("obeyed");
            work.hold(&peer.stream()?);
            Ok(())
        });
        assert_eq!(obeyed, "kind: obeyed");
        let panicked = fault_of(|address, work| {
            work.connected(Peer::connect(*address))?;
            panic!("a fault of the attacker")
        });
        assert!(panicked.starts_with("kind: an attacker panicked"), "{panicked}");
        let attackers =
            [Attacker { name: "kind", count: 2, act: |_, _| Err(ErrorKind::ConnectionRefused.into()) }];
        let refused = Siege::in_bursts(&(), &attackers, Seed::new(1)).stop().unwrap_err();
        assert_eq!(refused.to_string(), "kind: no attacker had a connection");
    }
}
