//! Peers of the programs: frames to the communication server, requests to the board, and an honest agent that notices
//! every answer that does not come.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use game_project::Team;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{Notice, read_notice};

/// Longest time for anything that must happen. Never waited for when all is well.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Longest time for a blocking call of an attacker before it looks whether it is to stop.
pub const STEP: Duration = Duration::from_millis(200);

/// One end of a connection, in frames or in bytes.
pub struct Peer {
    stream: TcpStream,
    decoder: Decoder,
    unread: Vec<u8>,
}

impl Peer {
    /// Connects.
    ///
    /// # Errors
    ///
    /// If nobody listens, or the connection is not accepted in time.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, DEADLINE)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(STEP))?;
        Ok(Self { stream, decoder: Decoder::new(frame::LONGEST), unread: Vec::new() })
    }

    /// Another handle of the same connection, to read and write on two threads.
    ///
    /// # Errors
    ///
    /// If the system has none.
    pub fn stream(&self) -> io::Result<TcpStream> {
        self.stream.try_clone()
    }

    /// Sends a body as one frame.
    ///
    /// # Errors
    ///
    /// If the connection has ended or takes nothing.
    pub fn send(&mut self, body: &str) -> io::Result<()> {
        self.stream.write_all(&framed(body))
    }

    /// Sends bytes without a frame.
    ///
    /// # Errors
    ///
    /// As [`Peer::send`].
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The next body; nothing if none comes until `deadline`.
    ///
    /// # Errors
    ///
    /// If the connection has ended.
    pub fn read(&mut self, deadline: Instant) -> io::Result<Option<Vec<u8>>> {
        loop {
            let mut bytes = &self.unread[..];
            let body = self.decoder.next(&mut bytes).map(|body| body.unwrap_or_default().to_owned());
            let taken = self.unread.len() - bytes.len();
            self.unread.drain(..taken);
            if body.is_some() {
                return Ok(body);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
            let mut buffer = [0; 1 << 14];
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(length) => self.unread.extend_from_slice(&buffer[..length]),
                Err(error) if is_timeout(&error) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until a message with this id comes; its body.
    ///
    /// # Errors
    ///
    /// If the connection ends, or the message does not come within [`DEADLINE`].
    pub fn wait_for(&mut self, id: i64) -> Result<Vec<u8>> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let body = self.read(deadline).with_context(|| format!("while waiting for {id}"))?;
            let body = body.with_context(|| format!("no message {id} comes"))?;
            if Envelope::parse(&body).is_ok_and(|envelope| envelope.message_id == id) {
                return Ok(body);
            }
        }
    }

    /// Asks to play for a team, and waits for the answer.
    ///
    /// # Errors
    ///
    /// If no answer comes.
    pub fn join(&mut self, team: Team) -> Result<()> {
        self.send(&join(team))?;
        self.wait_for(107).map(drop)
    }

    /// Waits for the end of the connection; whether it came before the deadline.
    pub fn is_closed_by(&mut self, deadline: Instant) -> bool {
        loop {
            match self.read(deadline) {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }
}

/// Returns whether a read or write took longer than it was given.
pub fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A body as a frame.
///
/// # Panics
///
/// If it is longer than a frame can be.
pub fn framed(body: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(body.as_bytes(), &mut bytes).expect("bodies of attacks fit into frames");
    bytes
}

/// A request of a browser without CORS, as any page can cause it at any port, with this body.
pub fn page_request(address: SocketAddr, body: &[u8]) -> Vec<u8> {
    [page_head(address, body.len()).as_bytes(), body].concat()
}

/// The same with these bodies as frames in its body.
///
/// `PO`, the first two bytes, is the length 20,304. For a server that skips a body of this length, the frames follow
/// it.
pub fn posted(address: SocketAddr, bodies: &[&str]) -> Vec<u8> {
    let filled = frame::HEADER + usize::from(u16::from_le_bytes(*b"PO"));
    let frames: Vec<u8> = bodies.iter().flat_map(|body| framed(body)).collect();
    let text = vec![b'x'; filled - page_head(address, 0).len()];
    page_request(address, &[text, frames].concat())
}

/// The head of such a request. It has the same length for all bodies of less than a megabyte.
fn page_head(address: SocketAddr, length: usize) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nConnection: keep-alive\r\nContent-Length: {length:>6}\r\n\
         Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n\
         Content-Type: text/plain;charset=UTF-8\r\nReferer: http://evil.example/\r\n\r\n"
    )
}

/// The request to play for a team.
pub fn join(team: Team) -> String {
    format!(r#"{{"messageID":6,"agentID":0,"payload":{{"teamID":"{team}"}}}}"#)
}

/// The board of a game master as a browser or a program meets it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its address.
    pub address: SocketAddr,
    /// The operator's token.
    pub token: String,
}

/// An answer of the board.
#[derive(Debug)]
pub struct Page {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Site {
    /// Takes apart the address that a game master prints.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn of(url: &str) -> Result<Self> {
        let rest = url.trim().strip_prefix("http://").with_context(|| format!("`{url}` is no address"))?;
        let (host, rest) = rest.split_once('/').context("no path")?;
        let token = rest.strip_prefix("?token=").unwrap_or_default();
        Ok(Self { address: host.parse()?, token: token.to_owned() })
    }

    /// A request with these further header lines.
    pub fn request(&self, method: &str, path: &str, headers: &str) -> String {
        format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: 0\r\n\r\n", self.address)
    }

    /// Asks as the operator does, and waits for the answer until `limit` is over.
    ///
    /// # Errors
    ///
    /// If no answer comes in time.
    pub fn ask(&self, method: &str, path: &str, limit: Duration) -> Result<Page> {
        let headers = format!("Authorization: Bearer {}\r\nConnection: close\r\n", self.token);
        self.exchange(&self.request(method, path, &headers), limit)
    }

    /// Sends this request, and reads until the end of the connection.
    ///
    /// # Errors
    ///
    /// If no answer comes in time.
    pub fn exchange(&self, request: &str, limit: Duration) -> Result<Page> {
        exchange(self.address, request, limit)
    }
}

/// One request over HTTP on a connection of its own, which the request asks to close.
///
/// # Errors
///
/// If no answer comes within `limit`.
pub fn exchange(address: SocketAddr, request: &str, limit: Duration) -> Result<Page> {
    let deadline = Instant::now() + limit;
    let mut stream = TcpStream::connect_timeout(&address, limit)?;
    stream.set_write_timeout(Some(limit))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        ensure!(!left.is_zero(), "no whole answer within {limit:?}");
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => answer.extend_from_slice(&buffer[..length]),
            Err(error) if is_timeout(&error) => bail!("no whole answer within {limit:?}"),
            Err(error) => return Err(error.into()),
        }
    }
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").context("an answer without a head")?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("no status")?;
    Ok(Page { status, body: answer.split_off(end + 4) })
}

/// Record of an honest agent.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Requests that were sent.
    pub asked: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Whether it has a place in the game.
    pub has_joined: bool,
    /// Whether the game has begun for it.
    pub has_begun: bool,
    /// Whether it heard that the game is over.
    pub is_over: bool,
    /// Whether its connection has ended.
    pub is_closed: bool,
    /// The reason why it cannot go on.
    pub fault: Option<String>,
    /// The delays of the answers.
    pub delays: Vec<Duration>,
}

impl Record {
    /// The delay that this share of the answers did not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        let mut delays = self.delays.clone();
        delays.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index below the length"
        )]
        let place = ((delays.len() as f64 * share) as usize).min(delays.len().saturating_sub(1));
        delays.get(place).copied().unwrap_or_default()
    }
}

/// A record that one thread writes and others wait for.
pub(super) type Shared = (Mutex<Record>, Condvar);

/// Orders to the thread of an honest agent: to stop, or to ask nothing further.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    stop: Arc<AtomicBool>,
    rest: Arc<AtomicBool>,
}

impl Orders {
    pub(super) fn is_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn is_to_rest(&self) -> bool {
        self.rest.load(Ordering::Relaxed)
    }
}

/// An agent that keeps every rule, asks one question after the other, and waits for each answer.
pub struct Honest {
    shared: Arc<Shared>,
    orders: Orders,
    thread: Option<JoinHandle<()>>,
}

/// Pause between an answer and the next question.
const PAUSE: Duration = Duration::from_millis(5);

impl Honest {
    /// Connects, joins, and plays until the game is over, the connection ends or it is dropped.
    pub fn start(server: SocketAddr, team: Team) -> Self {
        Self::play(move |shared, orders| play(server, team, shared, orders))
    }

    /// Plays so on a thread of its own until that ends or it is dropped.
    pub(super) fn play(play: impl FnOnce(&Shared, &Orders) -> Result<()> + Send + 'static) -> Self {
        let shared = Arc::<Shared>::default();
        let orders = Orders::default();
        let (theirs, wished) = (Arc::clone(&shared), orders.clone());
        let thread = thread::spawn(move || {
            let result = play(&theirs, &wished);
            change(&theirs, |record| {
                record.is_closed = true;
                record.fault = result.err().map(|error| format!("{error:#}"));
            });
        });
        Self { shared, orders, thread: Some(thread) }
    }

    /// Returns its record so far.
    pub fn record(&self) -> Record {
        lock(&self.shared.0).clone()
    }

    /// Asks nothing further, and waits for the answer that is still to come.
    ///
    /// # Errors
    ///
    /// As [`Honest::wait_until`].
    pub fn rest(&self, limit: Duration) -> Result<()> {
        self.orders.rest.store(true, Ordering::Relaxed);
        self.wait_until(limit, "the last answer", |record| record.asked == record.answered)
    }

    /// Forgets the delays so far.
    pub fn forget_delays(&self) {
        lock(&self.shared.0).delays.clear();
    }

    /// Waits until its record is like this.
    ///
    /// # Errors
    ///
    /// If that takes longer than `limit`, or it cannot go on.
    pub fn wait_until(&self, limit: Duration, what: &str, is: impl Fn(&Record) -> bool) -> Result<()> {
        let deadline = Instant::now() + limit;
        let mut record = lock(&self.shared.0);
        while !is(&record) {
            if let Some(fault) = &record.fault {
                bail!("an honest agent {fault}, before {what}");
            }
            let left = deadline.saturating_duration_since(Instant::now());
            ensure!(
                !left.is_zero(),
                "an honest agent waited {limit:?} for {what}: {} of {} requests were answered",
                record.answered,
                record.asked
            );
            record = self.shared.1.wait_timeout(record, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    /// Waits for this many further answers, for each until `limit` is over.
    ///
    /// # Errors
    ///
    /// As [`Honest::wait_until`].
    pub fn wait_for_answers(&self, count: u64, limit: Duration) -> Result<()> {
        let wanted = self.record().answered + count;
        loop {
            let next = self.record().answered + 1;
            if next > wanted {
                return Ok(());
            }
            self.wait_until(limit, "further answers", |record| record.answered >= next)?;
        }
    }
}

impl Drop for Honest {
    fn drop(&mut self) {
        self.orders.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Its fault is in its record.
            let _ = thread.join();
        }
    }
}

/// Returns whether message 107 grants a place.
fn is_granted(body: &[u8]) -> bool {
    let envelope = Envelope::parse(body).ok();
    let notice = envelope.and_then(|envelope| read_notice(envelope.message_id, envelope.payload).ok());
    matches!(notice, Some(Notice::Joined { accepted: true, .. }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn change(shared: &Shared, how: impl FnOnce(&mut Record)) {
    how(&mut lock(&shared.0));
    shared.1.notify_all();
}

fn play(server: SocketAddr, team: Team, shared: &Shared, orders: &Orders) -> Result<()> {
    let mut peer = Peer::connect(server).context("cannot connect")?;
    peer.send(&join(team))?;
    let mut open: Option<(u64, Instant)> = None;
    let (mut next, mut number) = (None, 0);
    while !orders.is_to_stop() {
        let now = Instant::now();
        let is_due = next.is_some_and(|next| next <= now) && open.is_none();
        // Counted before it is looked whether to rest, so that no question is overlooked.
        if is_due && !orders.is_to_rest() {
            number += 1;
            change(shared, |record| record.asked += 1);
            open = Some((number, now));
            let body = format!(r#"{{"messageID":3,"agentID":0,"correlationID":"{number}","payload":{{}}}}"#);
            peer.send(&body).context("cannot send")?;
        }
        let until = next.filter(|next| open.is_none() && *next > now).unwrap_or(now + STEP);
        let body = match peer.read(until) {
            Ok(Some(body)) => body,
            Ok(None) => continue,
            // A game that is stopped ends so.
            Err(_) if orders.is_to_rest() && open.is_none() => return Ok(()),
            Err(error) => return Err(error).context("lost its connection"),
        };
        let envelope = Envelope::parse(&body).context("cannot read what it is told")?;
        match envelope.message_id {
            107 if !is_granted(&body) => bail!("was turned away"),
            107 => change(shared, |record| record.has_joined = true),
            105 => {
                next = Some(Instant::now());
                change(shared, |record| record.has_begun = true);
            }
            104 => {
                // A request that crossed the end on its way is answered by it.
                change(shared, |record| {
                    record.is_over = true;
                    record.answered = record.asked;
                });
                return Ok(());
            }
            _ => {
                let correlation = envelope.correlation_id.map(|raw| raw.get().trim_matches('"').to_owned());
                let is_answer = |number: u64| correlation.as_deref() == Some(&*number.to_string());
                if let Some((_, since)) = open.take_if(|(number, _)| is_answer(*number)) {
                    next = Some(Instant::now() + PAUSE);
                    change(shared, |record| {
                        record.answered += 1;
                        record.delays.push(since.elapsed());
                    });
                }
            }
        }
    }
    Ok(())
}
