//! Connections without sockets: bytes under way, in pieces that have nothing to do with messages.
//!
//! A [`Link`](Conditions) joins a client to the server. Written bytes are cut anywhere, travel for a time drawn from
//! the seed, and arrive in order. A link may hold everything back for a while, take only a part of a write, be read
//! slowly, or end with all bytes under way.
//!
//! The network never loses or swaps bytes of a connection that goes on. TCP does not either.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::ops::Range;
use std::time::Duration;

use game_env::Chance;

use crate::event_queue::{Class, EventQueue};

/// Conditions of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct Conditions {
    /// The least and the most time that bytes are under way.
    pub delay: (Duration, Duration),
    /// The probability that a write is cut, for each piece that is left of it.
    pub split: f64,
    /// The probability that a piece arrives together with the one before it.
    pub merge: f64,
    /// The probability that only a part of a write is taken, although there is room for more.
    pub partial: f64,
    /// Number of bytes that may be under way or unread in each direction.
    pub window: usize,
    /// Times in which nothing arrives; bytes that should have arrived then do so at the end.
    pub partitions: Vec<Range<Duration>>,
    /// Number of bytes that the client reads at a time, and the time that it takes for them, if it does not read all at
    /// once.
    pub reading: Option<(usize, Duration)>,
}

impl Default for Conditions {
    /// No delay, whole writes, no faults.
    fn default() -> Self {
        Self {
            delay: (Duration::ZERO, Duration::ZERO),
            split: 0.0,
            merge: 0.0,
            partial: 0.0,
            window: 1 << 20,
            partitions: Vec::new(),
            reading: None,
        }
    }
}

/// Side of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The side of the machine that connects.
    Client,
    /// The side of the machine that listens.
    Server,
}

impl Side {
    const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// One end of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Socket {
    /// The link, by its place among all of them.
    pub link: usize,
    /// The side of the link.
    pub side: Side,
}

/// Event of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub enum NetworkEvent<M, F> {
    /// Bytes may have arrived, or the end of the connection.
    Readable(Socket),
    /// There is room to write again.
    Writable(Socket),
    /// A connection reaches the server.
    Knock(usize),
    /// A moment that a machine waits for, unless it has changed its mind.
    Alarm(M, u64),
    /// An event from outside.
    Outside(F),
}

/// Result of a read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// The end of the connection, and the error that broke it if it did not just end.
    End(Option<ErrorKind>),
}

/// Destination of the log of all events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Log {
    /// There is none.
    #[default]
    Nothing,
    /// It is part of the report.
    Kept(Vec<String>),
    /// It is printed at once, so that it is there whatever happens to the run.
    Printed,
}

/// Every link, the clock, and the events to come.
pub struct Network<M, F> {
    now: Duration,
    queue: EventQueue<NetworkEvent<M, F>>,
    links: Vec<Link>,
    chance: Chance,
    alarms: Vec<(M, Option<Duration>, u64)>,
    log: Log,
}

struct Link {
    conditions: Conditions,
    to_server: Pipe,
    to_client: Pipe,
}

/// One direction of a link.
#[derive(Default)]
struct Pipe {
    under_way: VecDeque<(Duration, Segment)>,
    /// Bytes that have arrived and are not read yet.
    arrived: VecDeque<u8>,
    /// The end of the connection, once all bytes before it are read.
    end: Option<Option<ErrorKind>>,
    /// Number of bytes that are under way or unread.
    outstanding: usize,
    /// The time at which the last segment arrives.
    last: Duration,
    writer_waits: bool,
    /// The writer has closed its side.
    is_closed: bool,
    /// The reader has gone: written bytes are lost.
    is_deaf: bool,
    /// The time at which a slow reader reads again.
    next_read: Duration,
    /// The moment for which a slow reader has been called already.
    called_for: Duration,
}

enum Segment {
    Bytes(Vec<u8>),
    End(Option<ErrorKind>),
}

impl<M: Copy + PartialEq, F> Network<M, F> {
    /// Creates a network at the first moment.
    pub fn new(links: Vec<Conditions>, chance: Chance, log: Log) -> Self {
        let link = |conditions| Link { conditions, to_server: Pipe::default(), to_client: Pipe::default() };
        Self {
            now: Duration::ZERO,
            queue: EventQueue::default(),
            links: links.into_iter().map(link).collect(),
            chance,
            alarms: Vec::new(),
            log,
        }
    }

    /// Returns the time.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Returns the next thing that happens; the clock stands at its moment.
    pub fn take_next(&mut self) -> Option<NetworkEvent<M, F>> {
        let (at, what) = self.queue.take_next()?;
        self.now = self.now.max(at);
        Some(what)
    }

    /// Lets something happen from outside.
    pub fn outside(&mut self, at: Duration, what: F) {
        self.queue.push(at, Class::Delivery, NetworkEvent::Outside(what));
    }

    /// Writes a line into the log, if anybody wants it.
    pub fn say(&mut self, line: impl FnOnce() -> String) {
        let now = self.now;
        let line = || format!("{:>5}.{:06} {}", now.as_secs(), now.subsec_micros(), line());
        match &mut self.log {
            Log::Nothing => {}
            Log::Kept(lines) => lines.push(line()),
            Log::Printed => println!("{}", line()),
        }
    }

    /// Returns the log so far, if it is kept.
    pub fn take_log(&mut self) -> Vec<String> {
        match std::mem::take(&mut self.log) {
            Log::Kept(lines) => lines,
            Log::Nothing | Log::Printed => Vec::new(),
        }
    }

    /// Sets, moves or stops a machine's timer. A timer that stays where it is keeps its place among those of the same
    /// moment.
    pub fn wake(&mut self, machine: M, at: Option<Duration>) {
        let place = self.alarms.iter().position(|(whose, ..)| *whose == machine).unwrap_or_else(|| {
            self.alarms.push((machine, None, 0));
            self.alarms.len() - 1
        });
        let (_, set, count) = &mut self.alarms[place];
        if *set == at {
            return;
        }
        *set = at;
        *count += 1;
        if let Some(at) = at {
            self.queue.push(at.max(self.now), Class::Alarm, NetworkEvent::Alarm(machine, *count));
        }
    }

    /// Returns whether a timer that goes off is the one that was set last; it is used up.
    pub fn is_due(&mut self, machine: M, count: u64) -> bool {
        let Some((_, set, last)) = self.alarms.iter_mut().find(|(whose, ..)| *whose == machine) else {
            return false;
        };
        *last == count && set.take().is_some()
    }

    /// Connects a client to the server, which hears of it a delay later. The client may write at once.
    pub fn connect(&mut self, link: usize) {
        let at = self.arrival(link, self.now);
        self.links[link].to_server.last = at;
        self.queue.push(at, Class::Delivery, NetworkEvent::Knock(link));
    }

    /// Writes the first of these bytes; returns the number of bytes taken.
    pub fn write(&mut self, socket: Socket, bytes: &[u8]) -> usize {
        let conditions = self.links[socket.link].conditions.clone();
        let pipe = self.outgoing(socket);
        assert!(!pipe.is_closed, "nobody writes to a connection that it has closed");
        if pipe.is_deaf {
            return bytes.len();
        }
        let mut taken = bytes.len().min(conditions.window.saturating_sub(pipe.outstanding));
        if taken < bytes.len() {
            pipe.writer_waits = true;
        } else if taken > 1 && self.chance.happens(conditions.partial) {
            taken = 1 + self.chance.index(taken - 1);
            self.queue.push(self.now, Class::Delivery, NetworkEvent::Writable(socket));
        }
        let mut rest = &bytes[..taken];
        while !rest.is_empty() {
            let is_cut = rest.len() > 1 && self.chance.happens(conditions.split);
            let length = if is_cut { 1 + self.chance.index(rest.len() - 1) } else { rest.len() };
            let (piece, behind) = rest.split_at(length);
            self.send(socket, Segment::Bytes(piece.to_owned()));
            rest = behind;
        }
        taken
    }

    /// Says that nothing will be written any more.
    pub fn shut_down(&mut self, socket: Socket) {
        if !self.outgoing(socket).is_closed {
            self.send(socket, Segment::End(None));
            self.outgoing(socket).is_closed = true;
        }
    }

    /// Ends one's side of a connection. If bytes are unread, or a process dies, the bytes under way to the other end
    /// are lost.
    pub fn hang_up(&mut self, socket: Socket, dies: bool) {
        let incoming = self.incoming(socket);
        let is_unread = !incoming.arrived.is_empty();
        let waits = std::mem::take(&mut incoming.writer_waits);
        *incoming = Pipe { is_deaf: true, is_closed: incoming.is_closed, ..Pipe::default() };
        if waits {
            let peer = Socket { side: socket.side.other(), ..socket };
            self.queue.push(self.now, Class::Delivery, NetworkEvent::Writable(peer));
        }
        if !dies && !is_unread {
            return self.shut_down(socket);
        }
        let now = self.now;
        let outgoing = self.outgoing(socket);
        outgoing.under_way.clear();
        outgoing.outstanding = outgoing.arrived.len();
        outgoing.last = now;
        outgoing.is_closed = false;
        self.send(socket, Segment::End(Some(ErrorKind::ConnectionReset)));
        self.outgoing(socket).is_closed = true;
    }

    /// Returns whether this end is closed.
    pub fn is_closed(&self, socket: Socket) -> bool {
        let link = &self.links[socket.link];
        match socket.side {
            Side::Client => link.to_server.is_closed,
            Side::Server => link.to_client.is_closed,
        }
    }

    /// Reads bytes that have arrived, at most this many.
    pub fn read(&mut self, socket: Socket, most: usize) -> Found {
        let now = self.now;
        let slow = self.links[socket.link].conditions.reading.filter(|_| socket.side == Side::Client);
        let writer = Socket { side: socket.side.other(), ..socket };
        let pipe = self.incoming(socket);
        while let Some((_, segment)) = pipe.under_way.pop_front_if(|(at, _)| *at <= now) {
            match segment {
                Segment::Bytes(bytes) => pipe.arrived.extend(bytes),
                Segment::End(error) => pipe.end = Some(error),
            }
        }
        if pipe.arrived.is_empty() {
            return pipe.end.map_or(Found::Nothing, Found::End);
        }
        let mut most = most;
        if let Some((bytes, pause)) = slow {
            if now < pipe.next_read {
                let at = pipe.next_read;
                if std::mem::replace(&mut pipe.called_for, at) != at {
                    self.queue.push(at, Class::Delivery, NetworkEvent::Readable(socket));
                }
                return Found::Nothing;
            }
            pipe.next_read = now + pause;
            most = most.min(bytes);
        }
        let rest = pipe.arrived.split_off(most.min(pipe.arrived.len()));
        let read = Vec::from(std::mem::replace(&mut pipe.arrived, rest));
        pipe.outstanding -= read.len();
        let is_more = !pipe.arrived.is_empty() || pipe.end.is_some();
        let (at, writer_waits) = (pipe.next_read, std::mem::take(&mut pipe.writer_waits));
        if is_more && slow.is_some() {
            pipe.called_for = at;
            self.queue.push(at, Class::Delivery, NetworkEvent::Readable(socket));
        }
        if writer_waits {
            self.queue.push(now, Class::Delivery, NetworkEvent::Writable(writer));
        }
        Found::Bytes(read)
    }

    fn send(&mut self, socket: Socket, segment: Segment) {
        let reader = Socket { side: socket.side.other(), ..socket };
        let pipe = self.outgoing(socket);
        if pipe.is_deaf {
            return;
        }
        let (last, is_followed) = (pipe.last, !pipe.under_way.is_empty());
        let merge = self.links[socket.link].conditions.merge;
        let at = if is_followed && self.chance.happens(merge) {
            last
        } else {
            self.arrival(socket.link, self.now).max(last)
        };
        let pipe = self.outgoing(socket);
        if let Segment::Bytes(bytes) = &segment {
            pipe.outstanding += bytes.len();
        }
        pipe.last = at;
        pipe.under_way.push_back((at, segment));
        self.queue.push(at, Class::Delivery, NetworkEvent::Readable(reader));
    }

    /// Returns the time at which bytes that are sent now arrive.
    fn arrival(&mut self, link: usize, now: Duration) -> Duration {
        let Conditions { delay: (least, most), partitions, .. } = &self.links[link].conditions;
        let width = u32::try_from((*most - *least).as_micros()).expect("delays are below an hour");
        let drawn = if width == 0 { 0 } else { self.chance.below(width + 1) };
        let at = now + *least + Duration::from_micros(drawn.into());
        partitions.iter().filter(|held| held.contains(&at)).map(|held| held.end).max().unwrap_or(at)
    }

    fn outgoing(&mut self, socket: Socket) -> &mut Pipe {
        let link = &mut self.links[socket.link];
        match socket.side {
            Side::Client => &mut link.to_server,
            Side::Server => &mut link.to_client,
        }
    }

    fn incoming(&mut self, socket: Socket) -> &mut Pipe {
        self.outgoing(Socket { side: socket.side.other(), ..socket })
    }
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    const CLIENT: Socket = Socket { link: 0, side: Side::Client };
    const SERVER: Socket = Socket { link: 0, side: Side::Server };

    /// Pieces of bytes, each with the moment of its arrival.
    type Pieces = Vec<(Duration, Vec<u8>)>;

    fn network(conditions: Conditions) -> Network<&'static str, ()> {
        Network::new(vec![conditions], Seed::new(3).latency(), Log::Nothing)
    }

    /// Reads at the server whenever there is something to read, until the end or until nothing happens.
    fn receive(network: &mut Network<&'static str, ()>) -> (Pieces, Option<Option<ErrorKind>>) {
        let mut pieces = Vec::new();
        while let Some(event) = network.take_next() {
            if event == NetworkEvent::Readable(SERVER) {
                match network.read(SERVER, 1 << 16) {
                    Found::Bytes(bytes) => pieces.push((network.now(), bytes)),
                    Found::Nothing => {}
                    Found::End(how) => return (pieces, Some(how)),
                }
            }
        }
        (pieces, None)
    }

    #[test]
    fn bytes_arrive_late_in_pieces_and_in_order() {
        let conditions = Conditions {
            delay: (Duration::from_millis(5), Duration::from_millis(50)),
            split: 0.8,
            merge: 0.2,
            ..Conditions::default()
        };
        let mut network = network(conditions);
        let mut written = Vec::new();
        let mut read = Vec::new();
        for step in 0..20 {
            network.outside(Duration::from_millis(10 * step), ());
        }
        while let Some(event) = network.take_next() {
            if event == NetworkEvent::Outside(()) {
                let letter = b'a' + u8::try_from(written.len() / 9).unwrap();
                assert_eq!(network.write(CLIENT, &[letter; 9]), 9);
                written.extend([letter; 9]);
            } else if let Found::Bytes(bytes) = network.read(SERVER, 1 << 16) {
                read.push((network.now(), bytes));
            }
        }
        assert!(read[0].0 >= Duration::from_millis(5));
        // Messages are cut, and messages are joined.
        let has_piece = |wanted: fn(usize) -> bool| read.iter().any(|(_, bytes)| wanted(bytes.len()));
        assert!(has_piece(|length| length < 9) && has_piece(|length| length > 9), "{read:?}");
        assert_eq!(read.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>(), written);
        network.shut_down(CLIENT);
        let (_, end) = receive(&mut network);
        assert_eq!(end, Some(None));
    }

    #[test]
    fn a_partition_holds_everything_and_then_lets_go() {
        let held = Duration::from_secs(1)..Duration::from_secs(9);
        let delay = (Duration::from_secs(2), Duration::from_secs(2));
        let mut network = network(Conditions { delay, partitions: vec![held], ..Conditions::default() });
        network.write(CLIENT, b"one");
        network.write(CLIENT, b"two");
        let (pieces, _) = receive(&mut network);
        assert_eq!(pieces, [(Duration::from_secs(9), b"onetwo".to_vec())]);
    }

    #[test]
    fn who_dies_takes_along_what_is_under_way() {
        let delay = (Duration::from_secs(2), Duration::from_secs(2));
        let mut network = network(Conditions { delay, ..Conditions::default() });
        network.write(CLIENT, b"lost");
        network.hang_up(CLIENT, true);
        assert_eq!(receive(&mut network), (Vec::new(), Some(Some(ErrorKind::ConnectionReset))));
        // The other end, which writes to it, does not notice yet.
        assert_eq!(network.write(SERVER, b"nobody"), 6);
    }

    #[test]
    fn a_full_window_takes_the_rest_when_it_was_read() {
        let mut network = network(Conditions { window: 4, ..Conditions::default() });
        assert_eq!(network.write(CLIENT, b"abcdef"), 4);
        assert_eq!(network.write(CLIENT, b"ef"), 0);
        assert_eq!(network.take_next(), Some(NetworkEvent::Readable(SERVER)));
        assert_eq!(network.read(SERVER, 3), Found::Bytes(b"abc".to_vec()));
        assert_eq!(network.take_next(), Some(NetworkEvent::Writable(CLIENT)));
        assert_eq!(network.write(CLIENT, b"ef"), 2);
        assert_eq!(network.read(SERVER, 9), Found::Bytes(b"def".to_vec()));
    }

    #[test]
    fn a_slow_reader_takes_its_time() {
        let reading = Some((2, Duration::from_millis(10)));
        let mut network = network(Conditions { reading, ..Conditions::default() });
        network.write(SERVER, b"abcde");
        let mut read = Vec::new();
        while let Some(event) = network.take_next() {
            if event == NetworkEvent::Readable(CLIENT)
                && let Found::Bytes(bytes) = network.read(CLIENT, 99)
            {
                read.push((network.now().as_millis(), bytes));
            }
        }
        assert_eq!(read, [(0, b"ab".to_vec()), (10, b"cd".to_vec()), (20, b"e".to_vec())]);
    }

    #[test]
    fn an_alarm_that_is_moved_goes_off_once() {
        let mut network = network(Conditions::default());
        network.wake("gm", Some(Duration::from_secs(1)));
        network.wake("gm", Some(Duration::from_secs(2)));
        let mut due = Vec::new();
        while let Some(NetworkEvent::Alarm(machine, count)) = network.take_next() {
            if network.is_due(machine, count) {
                due.push(network.now());
            }
        }
        assert_eq!(due, [Duration::from_secs(2)]);
    }
}
