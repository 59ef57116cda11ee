//! The router by itself: inputs, outputs, and a clock that is a number.

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;

use cs::config::{Config, Limits};
use cs::router::{
    AgentNumber, Ending, Input, Level, Name, Output, Peer, Reason, Report, Role, Router, Totals,
};
use game_env::{Millis, SimTime};
use proptest::collection::vec;
use proptest::prelude::*;
use wire::envelope::Envelope;
use wire::foreign::Foreign;
use wire::frame::{self, Decoder};

/// Milliseconds.
const SECOND: u32 = 1000;

/// Largest number of connections that may be the game master at once: `cs::router::gm_port::PLACES`.
const PLACES: usize = 256;

fn limits() -> Limits {
    Config::default().limits
}

fn from() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 4000))
}

/// A router, its clock, and its outputs.
struct Bench {
    router: Router,
    now: SimTime,
    outputs: Vec<Output>,
}

impl Bench {
    fn new(limits: Limits) -> Self {
        Self { router: Router::new(limits), now: SimTime::START, outputs: Vec::new() }
    }

    fn handle(&mut self, input: Input<'_>) -> &[Output] {
        self.outputs.clear();
        self.router.handle(self.now, input);
        self.outputs.extend(std::iter::from_fn(|| self.router.poll_output()));
        &self.outputs
    }

    fn connect(&mut self, role: Role) -> Option<Peer> {
        match self.handle(Input::Connected { role, from: from() })[0] {
            Output::Admitted(peer) => Some(peer),
            Output::Refused => None,
            ref other => panic!("{other:?}"),
        }
    }

    /// A game master that has shown that it is one.
    fn gm(&mut self) -> Peer {
        let gm = self.connect(Role::Gm).unwrap();
        self.send(gm, r#"{"messageID":107,"agentID":0}"#);
        gm
    }

    /// An agent and its number.
    fn agent(&mut self) -> (Peer, AgentNumber) {
        let peer = self.connect(Role::Agent).unwrap();
        let Peer::Agent(id) = peer else { panic!("{peer:?}") };
        (peer, id)
    }

    /// An agent that has sent a valid message, which is not a request to join.
    fn speaker(&mut self) -> Peer {
        let (peer, _) = self.agent();
        self.send(peer, r#"{"messageID":3}"#);
        peer
    }

    fn send(&mut self, peer: Peer, body: &str) {
        self.handle(Input::Received { peer, bytes: &frames(body, 1) });
    }

    /// Lets time pass in the steps that the router asks for; everything that it does meanwhile.
    fn pass(&mut self, milliseconds: u32) -> Vec<Output> {
        let end = self.now + Millis::new(milliseconds);
        let mut all = Vec::new();
        while let Some(at) = self.router.wake_at().filter(|at| *at <= end) {
            self.now = at;
            all.extend_from_slice(self.handle(Input::Tick));
        }
        self.now = end;
        all
    }

    /// Everything that the router does when it is woken this long after the start.
    fn tick_at(&mut self, milliseconds: u64) -> &[Output] {
        self.now = SimTime::from_millis(milliseconds);
        self.handle(Input::Tick)
    }

    /// Takes everything that is to be written to a peer.
    fn take(&mut self, peer: Peer) -> Vec<u8> {
        let bytes = self.router.pending(peer).to_owned();
        self.handle(Input::Written { peer, bytes: bytes.len() });
        bytes
    }
}

/// This body in this many frames.
fn frames(body: &str, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        frame::write(body.as_bytes(), &mut bytes).unwrap();
    }
    bytes
}

/// The bodies in whole frames.
fn bodies(mut bytes: &[u8]) -> Vec<String> {
    let mut decoder = Decoder::new(frame::LONGEST);
    let mut bodies = Vec::new();
    while let Some(body) = decoder.next(&mut bytes) {
        bodies.push(String::from_utf8(body.unwrap().to_owned()).unwrap());
    }
    bodies
}

fn dropped(outputs: &[Output]) -> Vec<Reason> {
    let reason = |output: &Output| match output {
        Output::Report(Report::Dropped { why, .. }) => Some(*why),
        _ => None,
    };
    outputs.iter().filter_map(reason).collect()
}

#[test]
fn numbers_are_never_given_again() {
    let mut bench = Bench::new(limits());
    for number in 1..=5 {
        let Some(Peer::Agent(id)) = bench.connect(Role::Agent) else { panic!() };
        assert_eq!(id.get(), number);
        bench.handle(Input::Ended { peer: Peer::Agent(id), error: None });
    }
}

#[test]
fn nobody_connected_needs_no_waking() {
    let mut bench = Bench::new(limits());
    assert_eq!(bench.router.wake_at(), None);
    let agent = bench.connect(Role::Agent).unwrap();
    assert!(bench.router.wake_at().unwrap() > bench.now);
    bench.handle(Input::Ended { peer: agent, error: None });
    assert_eq!(bench.router.wake_at(), None);
}

/// Deadlines are not overdue after a long time without connections.
#[test]
fn a_connection_after_a_long_time_is_woken_for_later() {
    for role in [Role::Agent, Role::Gm] {
        let mut bench = Bench::new(Limits { connections: 1, ..limits() });
        bench.now = SimTime::from_millis(3_600_000);
        bench.connect(role).unwrap();
        assert!(bench.router.wake_at().unwrap() > bench.now, "{role}");
    }
}

/// Lines that were withheld are reported even when nobody is connected any more.
#[test]
fn a_router_without_connections_is_woken_for_lines_that_it_withheld() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 1, ..limits() });
    let agent = bench.speaker();
    bench.handle(Input::Received { peer: agent, bytes: &[0; 10] });
    bench.handle(Input::Ended { peer: agent, error: None });
    assert!(bench.pass(2 * SECOND).contains(&Output::Report(Report::Withheld { lines: 4 })));
    assert_eq!(bench.router.wake_at(), None);
}

/// Three messages of agents and two of the game master are valid; all others here are refused or closed.
#[test]
fn everything_that_happens_is_counted_once() {
    let mut bench = Bench::new(Limits { connections: 2, invalid_messages: 2, ..limits() });
    let (agent, _) = bench.agent();
    let faulty = bench.speaker();
    bench.connect(Role::Agent).unwrap();
    let lost = bench.connect(Role::Gm).unwrap();
    bench.send(lost, r#"{"messageID":6}"#);
    assert!(!bench.router.totals().gm);
    let gm = bench.connect(Role::Gm).unwrap();
    // Another connection to this port is refused in the end, and reaches no agent.
    let waiting = bench.connect(Role::Gm).unwrap();
    bench.send(waiting, r#"{"messageID":101,"agentID":1}"#);
    bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
    assert!(matches!(bench.connect(Role::Gm), Some(Peer::Refused(_))));
    bench.send(gm, r#"{"messageID":101,"agentID":77}"#);
    bench.send(gm, "{}");
    bench.send(agent, r#"{"messageID":6}"#);
    bench.send(agent, r#"{"messageID":3}"#);
    bench.send(faulty, "{}");
    bench.send(faulty, "{}");
    let expected = Totals {
        agents: 1,
        gm: true,
        held_bytes: 0,
        to_gm: 3,
        to_agents: 1,
        undeliverable: 2,
        invalid: 3,
        admitted: 5,
        refused: 2,
        dropped: 3,
    };
    assert_eq!(bench.router.totals(), expected);
    bench.send(gm, "{}");
    assert!(bench.outputs.contains(&Output::Drop(gm)), "{:?}", bench.outputs);
    assert_eq!(bench.router.totals(), Totals { gm: false, invalid: 4, dropped: 4, ..expected });
}

#[test]
fn all_bytes_that_wait_are_counted() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (flooder, _) = bench.agent();
    let (half, _) = bench.agent();
    let message = r#"{"messageID":3,"agentID":1}"#;
    // The flooder is still held when the deadlines are looked at.
    bench.now = SimTime::from_millis(249);
    bench.handle(Input::Received { peer: flooder, bytes: &frames(message, 20) });
    bench.handle(Input::Received { peer: half, bytes: &[200, 0, b'{'] });
    bench.handle(Input::Received { peer: gm, bytes: &[200, 0, b'{', b' '] });
    let passed = bench.router.pending(gm).len();
    assert_eq!(passed, 16 * frames(message, 1).len());
    bench.tick_at(250);
    // Four messages of the agent that is held, and two beginnings.
    let unread = 4 * frames(message, 1).len();
    assert_eq!(bench.router.totals().held_bytes, passed + unread + 3 + 4);
    bench.handle(Input::Received { peer: gm, bytes: &[b' '; 198] });
    bench.send(gm, r#"{"messageID":103,"agentID":2}"#);
    let answer = bench.router.pending(half).len();
    assert!(answer > 0);
    bench.take(gm);
    bench.tick_at(500);
    let passed = bench.router.pending(gm).len();
    assert_eq!(passed, unread);
    assert_eq!(bench.router.totals().held_bytes, passed + 3 + answer);
}

/// Neither a millisecond before nor at the next look at the deadlines.
#[test]
fn a_time_limit_is_over_at_its_moment() {
    let Limits { gm_wait, gm_answer, first_message, message, stall, farewell, .. } = limits();
    let join = |bench: &mut Bench| {
        let (agent, _) = bench.agent();
        bench.send(agent, r#"{"messageID":6}"#);
        agent
    };
    type Prepare<'a> = &'a dyn Fn(&mut Bench);
    let half_sent = |bench: &mut Bench| {
        let gm = bench.gm();
        let agent = join(bench);
        bench.take(gm);
        bench.handle(Input::Received { peer: agent, bytes: &[200, 0] });
    };
    let gm_half_sent = |bench: &mut Bench| {
        let gm = bench.gm();
        bench.handle(Input::Received { peer: gm, bytes: &[200, 0] });
    };
    let silent_before_another = |bench: &mut Bench| {
        let silent = bench.connect(Role::Gm).unwrap();
        bench.connect(Role::Gm).unwrap();
        join(bench);
        bench.take(silent);
    };
    let silent_alone = |bench: &mut Bench| {
        let silent = bench.connect(Role::Gm).unwrap();
        join(bench);
        bench.take(silent);
    };
    let stalled = |bench: &mut Bench| {
        let gm = bench.gm();
        join(bench);
        bench.take(gm);
        bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
    };
    let gm_stalled = |bench: &mut Bench| {
        bench.gm();
        join(bench);
    };
    let stopped = |bench: &mut Bench| {
        bench.agent();
        bench.handle(Input::Stop);
    };
    let no_word = |bench: &mut Bench| {
        bench.agent();
    };
    let cases: [(Millis, Reason, Prepare<'_>); 11] = [
        (gm_wait, Reason::NoGm(gm_wait), &|bench| {
            join(bench);
        }),
        (gm_wait, Reason::SentNothing(gm_wait, None), &no_word),
        (gm_wait, Reason::SilentGm(gm_wait), &silent_alone),
        (gm_answer, Reason::NoAnswer(gm_answer), &silent_before_another),
        (first_message, Reason::SentNothing(first_message, None), &|bench| {
            bench.gm();
            bench.agent();
        }),
        (first_message, Reason::Silent(first_message), &|bench| {
            let gm = bench.gm();
            let (agent, _) = bench.agent();
            bench.send(agent, r#"{"messageID":3}"#);
            bench.take(gm);
        }),
        (message, Reason::HalfSent(message), &half_sent),
        (message, Reason::HalfSent(message), &gm_half_sent),
        (stall, Reason::Stalled(stall), &stalled),
        (stall, Reason::Stalled(stall), &gm_stalled),
        (farewell, Reason::Lingering(farewell), &stopped),
    ];
    for (limit, reason, prepare) in cases {
        let mut bench = Bench::new(limits());
        prepare(&mut bench);
        assert_eq!(dropped(bench.tick_at(u64::from(limit.as_millis()) - 1)), [], "{reason}");
        let mut bench = Bench::new(limits());
        prepare(&mut bench);
        assert_eq!(dropped(bench.tick_at(limit.as_millis().into())), [reason]);
    }
    for (moment, is_closed) in [(farewell.as_millis() - 1, false), (farewell.as_millis(), true)] {
        let mut bench = Bench::new(Limits { connections: 1, ..limits() });
        bench.agent();
        let refused = bench.connect(Role::Agent).unwrap();
        assert_eq!(bench.tick_at(moment.into()).contains(&Output::Drop(refused)), is_closed);
    }
}

#[test]
fn each_deadline_closes_whom_it_is_for_and_nobody_else() {
    let mut bench = Bench::new(limits());
    let Limits { gm_wait, first_message, message, stall, .. } = limits();
    let early = bench.connect(Role::Agent).unwrap();
    bench.send(early, r#"{"messageID":6}"#);
    assert_eq!(dropped(&bench.pass(gm_wait.as_millis() - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::NoGm(gm_wait)]);

    let gm = bench.gm();
    let speaker = bench.connect(Role::Agent).unwrap();
    bench.connect(Role::Agent).unwrap();
    let other = bench.connect(Role::Agent).unwrap();
    bench.send(speaker, r#"{"messageID":6}"#);
    // A message that is not a request to join is passed on, and buys no time.
    bench.send(other, r#"{"messageID":3}"#);
    bench.take(gm);
    assert_eq!(dropped(&bench.pass(first_message.as_millis() - SECOND)), []);
    assert_eq!(
        dropped(&bench.pass(2 * SECOND)),
        [Reason::SentNothing(first_message, None), Reason::Silent(first_message)]
    );
    bench.take(gm);

    // One byte at a time does not buy time; a whole message does.
    let slow = bench.connect(Role::Agent).unwrap();
    bench.send(slow, r#"{"messageID":6}"#);
    bench.take(gm);
    bench.handle(Input::Received { peer: slow, bytes: &[200, 0] });
    assert_eq!(dropped(&bench.pass(message.as_millis() / 2)), []);
    bench.handle(Input::Received { peer: slow, bytes: b"{" });
    assert_eq!(dropped(&bench.pass(message.as_millis() / 2 + SECOND)), [Reason::HalfSent(message)]);
    bench.take(gm);

    let Peer::Agent(id) = speaker else { panic!() };
    bench.send(gm, &format!(r#"{{"messageID":101,"agentID":{id}}}"#));
    assert_eq!(dropped(&bench.pass(stall.as_millis() - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::Stalled(stall)]);
}

/// A common mistake of programs in other languages: the server waits for a message of 7680 bytes.
#[test]
fn a_length_in_the_wrong_byte_order_is_named() {
    let mut bench = Bench::new(Limits { farewell: Millis::new(60 * SECOND), ..limits() });
    bench.gm();
    let agent = bench.connect(Role::Agent).unwrap();
    let body = br#"{"messageID":6,"agentID":null}"#;
    let mut bytes = u16::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(body);
    bench.handle(Input::Received { peer: agent, bytes: &bytes });
    let within = limits().message;
    let why = Reason::ByteOrder { within, announced: 30 << 8, swapped: 30 };
    assert_eq!(dropped(&bench.pass(within.as_millis() + SECOND)), [why]);
    let text = why.to_string();
    assert!(
        text.starts_with(
            "it announced a message of 7680 bytes and did not end it within 10s; with the two bytes"
        ),
        "{text}"
    );
    let told = bodies(&bench.take(agent)).concat();
    assert!(told.contains("it has 30 bytes: the length is little-endian, the low byte first"), "{told}");
}

#[test]
fn agents_are_not_blamed_while_they_are_not_read() {
    let mut bench = Bench::new(Limits { gm_buffer_bytes: 20, stall: Millis::new(3600 * SECOND), ..limits() });
    let gm = bench.gm();
    let half = bench.connect(Role::Agent).unwrap();
    let flooding = bench.connect(Role::Agent).unwrap();
    bench.handle(Input::Received { peer: half, bytes: &[200, 0] });
    bench.send(flooding, r#"{"messageID":1}"#);
    assert!(!bench.router.takes_from_agents());
    assert_eq!(dropped(&bench.pass(600 * SECOND)), []);
    bench.take(gm);
    assert!(bench.router.takes_from_agents());
    assert_eq!(dropped(&bench.pass(limits().message.as_millis() - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::HalfSent(limits().message)]);
}

/// Only a game master that was too slow buys agents time, not one that takes what comes.
#[test]
fn agents_get_no_more_time_from_a_game_master_that_reads() {
    let mut bench = Bench::new(limits());
    let first_message = limits().first_message;
    let gm = bench.gm();
    bench.connect(Role::Agent).unwrap();
    assert_eq!(dropped(&bench.pass(first_message.as_millis() - SECOND)), []);
    let (speaker, _) = bench.agent();
    bench.send(speaker, r#"{"messageID":6}"#);
    assert!(!bench.take(gm).is_empty());
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::SentNothing(first_message, None)]);
}

#[test]
fn a_flood_of_faults_is_counted_and_not_logged_in_full() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 1000, ..limits() });
    bench.connect(Role::Gm).unwrap();
    let agent = bench.speaker();
    bench.pass(SECOND);
    let outputs = bench.handle(Input::Received { peer: agent, bytes: &[0; 200] });
    assert_eq!(outputs.iter().filter(|output| matches!(output, Output::Report(_))).count(), 3);
    assert_eq!(bench.router.totals().invalid, 100);
    assert!(bench.pass(2 * SECOND).contains(&Output::Report(Report::Withheld { lines: 97 })));
}

/// A second of the log begins with a whole number of seconds.
#[test]
fn each_second_has_its_own_lines() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 1000, ..limits() });
    bench.connect(Role::Gm).unwrap();
    let agent = bench.speaker();
    for (moment, lines) in [(1000, 3), (1000, 0), (1999, 0), (2000, 3), (2001, 0), (3999, 3), (4000, 3)] {
        bench.now = SimTime::from_millis(moment);
        let outputs = bench.handle(Input::Received { peer: agent, bytes: &[0; 20] });
        let reports = outputs.iter().filter(|output| matches!(output, Output::Report(_))).count();
        assert_eq!(reports, lines, "after {moment} ms");
        bench.take(agent);
    }
}

#[test]
fn withheld_lines_are_reported_when_their_second_is_over() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 1000, ..limits() });
    bench.gm();
    let agent = bench.speaker();
    bench.tick_at(1000);
    bench.handle(Input::Received { peer: agent, bytes: &[0; 20] });
    let withheld = Output::Report(Report::Withheld { lines: 7 });
    let reported = [1250, 1500, 1750, 2000, 2250].map(|moment| bench.tick_at(moment).contains(&withheld));
    assert_eq!(reported, [false, false, false, true, false]);
}

/// A flood that goes on does not hide that lines are missing.
#[test]
fn withheld_lines_are_reported_while_the_next_ones_are_withheld() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 1000, ..limits() });
    bench.gm();
    let agent = bench.speaker();
    let withheld = Output::Report(Report::Withheld { lines: 7 });
    for second in 1..5 {
        bench.now = SimTime::from_millis(1000 * second);
        bench.handle(Input::Received { peer: agent, bytes: &[0; 20] });
        bench.take(agent);
        assert_eq!(bench.tick_at(1000 * second + 250).contains(&withheld), second > 1, "second {second}");
    }
}

#[test]
fn a_flood_does_not_hide_who_was_closed_for_it() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 100, ..limits() });
    bench.connect(Role::Gm).unwrap();
    let agent = bench.speaker();
    let outputs = bench.handle(Input::Received { peer: agent, bytes: &[0; 200] });
    assert_eq!(dropped(outputs), [Reason::Invalid(100)]);
}

/// The default level of the log shows notices and hides details.
#[test]
fn an_agent_that_is_lost_is_a_notice_and_one_that_leaves_is_a_detail() {
    let mut bench = Bench::new(limits());
    bench.connect(Role::Gm).unwrap();
    let mut level = |bytes: &[u8], error| {
        let peer = bench.connect(Role::Agent).unwrap();
        bench.handle(Input::Received { peer, bytes });
        let report = bench.handle(Input::Ended { peer, error }).iter().find_map(|output| match output {
            Output::Report(report) => Some(report.level()),
            _ => None,
        });
        report.unwrap()
    };
    assert_eq!(level(b"", None), Level::Detail);
    assert_eq!(level(b"\x05", None), Level::Notice);
    assert_eq!(level(b"", Some(std::io::ErrorKind::ConnectionReset)), Level::Notice);
}

#[test]
fn the_end_waits_for_everybody_but_not_for_ever() {
    let mut bench = Bench::new(limits());
    let gm = bench.connect(Role::Gm).unwrap();
    let polite = bench.connect(Role::Agent).unwrap();
    let rude = bench.connect(Role::Agent).unwrap();
    let outputs = bench.handle(Input::Stop).to_owned();
    for peer in [gm, polite, rude] {
        assert!(outputs.contains(&Output::Finish(peer)));
    }
    assert_eq!(bench.connect(Role::Agent), None);
    bench.handle(Input::Ended { peer: gm, error: None });
    assert_eq!(bench.handle(Input::Ended { peer: polite, error: None }), []);
    let outputs = bench.pass(limits().farewell.as_millis() + SECOND);
    assert!(outputs.contains(&Output::Drop(rude)));
    assert_eq!(outputs.iter().filter(|output| **output == Output::Done(Ending::Stopped)).count(), 1);
}

/// The game master has answers to write, and connections that wait for its place are closed too.
#[test]
fn the_end_waits_for_the_port_of_the_game_master() {
    for confirmed in [true, false] {
        let mut bench = Bench::new(limits());
        let mut peers = if confirmed {
            vec![bench.gm()]
        } else {
            vec![bench.connect(Role::Gm).unwrap(), bench.connect(Role::Gm).unwrap()]
        };
        let last = peers.pop().unwrap();
        let done = Output::Done(Ending::Stopped);
        assert!(!bench.handle(Input::Stop).contains(&done));
        for peer in peers {
            assert!(!bench.handle(Input::Ended { peer, error: None }).contains(&done));
        }
        assert!(bench.handle(Input::Ended { peer: last, error: None }).contains(&done));
    }
}

/// A simulation can be repeated only if the router does the same things in the same order.
#[test]
fn the_end_is_told_in_the_order_of_numbers() {
    let mut bench = Bench::new(limits());
    let peers: Vec<Peer> = (0..100).map(|_| bench.connect(Role::Agent).unwrap()).collect();
    let finished: Vec<Peer> = bench
        .handle(Input::Stop)
        .iter()
        .filter_map(|output| match output {
            Output::Finish(peer) => Some(*peer),
            _ => None,
        })
        .collect();
    assert_eq!(finished, peers);
}

#[test]
fn at_the_end_agents_are_read_even_if_the_game_master_was_too_slow() {
    let mut bench = Bench::new(Limits { gm_buffer_bytes: 20, ..limits() });
    let gm = bench.gm();
    let agent = bench.connect(Role::Agent).unwrap();
    bench.send(agent, r#"{"messageID":1}"#);
    bench.handle(Input::Written { peer: gm, bytes: 1 });
    assert!(!bench.router.takes_from_agents());
    bench.handle(Input::Ended { peer: gm, error: Some(std::io::ErrorKind::ConnectionReset) });
    assert!(bench.router.takes_from_agents());
    let over = [Output::Done(Ending::GmLost)];
    assert_eq!(bench.handle(Input::Ended { peer: agent, error: None }), over);
}

/// A game master says nothing before agents ask to join, so that a silent connection must be given their messages.
#[test]
fn a_connection_that_said_nothing_was_not_the_game_master() {
    let mut bench = Bench::new(limits());
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    let join = vec![r#"{"agentID":1,"messageID":6}"#.to_owned()];
    for error in [None, Some(std::io::ErrorKind::ConnectionReset), None] {
        let scanner = bench.connect(Role::Gm).unwrap();
        assert_eq!(bodies(&bench.take(scanner)), join);
        let outputs = bench.handle(Input::Ended { peer: scanner, error }).to_owned();
        assert!(!outputs.iter().any(|output| matches!(output, Output::Finish(_))), "{outputs:?}");
    }
    // Also if it was within a message.
    let scanner = bench.connect(Role::Gm).unwrap();
    bench.handle(Input::Written { peer: scanner, bytes: 5 });
    bench.handle(Input::Ended { peer: scanner, error: None });
    let gm = bench.connect(Role::Gm).unwrap();
    assert_eq!(bodies(&bench.take(gm)), join);
    bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
    assert_eq!(bench.take(agent).len(), 2 + 29);
    // From now on it is the game master, and its end is that of the server.
    assert!(matches!(bench.connect(Role::Gm), Some(Peer::Refused(_))));
    assert!(bench.handle(Input::Ended { peer: gm, error: None }).contains(&Output::Finish(agent)));
}

#[test]
fn a_silent_connection_gives_way_to_one_that_waits() {
    let mut bench = Bench::new(limits());
    let silent = bench.connect(Role::Gm).unwrap();
    let gm = bench.connect(Role::Gm).unwrap();
    let (agent, _) = bench.agent();
    // A game master has nothing to say before an agent comes: nobody gives way.
    assert_eq!(dropped(&bench.pass(30 * SECOND)), []);
    bench.send(agent, r#"{"messageID":6}"#);
    assert!(bench.router.pending(gm).is_empty());
    let join = bench.take(silent);
    assert_eq!(dropped(&bench.pass(limits().gm_answer.as_millis() - SECOND)), []);
    let outputs = bench.pass(2 * SECOND);
    assert_eq!(dropped(&outputs), [Reason::NoAnswer(limits().gm_answer)]);
    assert!(outputs.contains(&Output::Drop(silent)) && outputs.contains(&Output::Write(gm)));
    assert_eq!(bench.take(gm), join);
    // One that comes now waits behind it, and is closed when it has answered.
    let late = bench.connect(Role::Gm).unwrap();
    bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
    assert!(bench.outputs.contains(&Output::Drop(late)), "{:?}", bench.outputs);
    assert!(bench.router.totals().gm);
}

#[test]
fn further_connections_to_the_game_masters_port_wait_in_the_systems_queue() {
    let mut bench = Bench::new(limits());
    let let_in: Vec<Peer> = (0..PLACES).filter_map(|_| bench.connect(Role::Gm)).collect();
    assert!(let_in.iter().all(|peer| matches!(peer, Peer::Gm(_))));
    // Before there is a message of an agent, a game master is as silent as a stranger: none of them gives way.
    assert!(!bench.router.takes_from_gm_port(bench.now));
    assert_eq!(dropped(&bench.pass(600 * SECOND)), []);
    assert!(!bench.router.takes_from_gm_port(bench.now));
    // A shell that admits one nevertheless learns that this is no game master.
    assert!(matches!(bench.connect(Role::Gm), Some(Peer::Refused(_))));
    bench.handle(Input::Ended { peer: let_in[7], error: None });
    assert!(bench.router.takes_from_gm_port(bench.now));
    // Once one of them is the game master, connections are admitted to receive this reason.
    bench.send(let_in[0], r#"{"messageID":107,"agentID":1}"#);
    assert!(bench.router.takes_from_gm_port(bench.now));
    assert!(matches!(bench.connect(Role::Gm), Some(Peer::Refused(_))));
}

/// The first connection alone is asked first; then all are asked at once, and the first answer decides.
#[test]
fn after_a_while_without_an_answer_every_connection_is_asked() {
    let answer = limits().gm_answer.as_millis();
    for gm_is_last in [false, true] {
        let mut bench = Bench::new(limits());
        let peers: Vec<Peer> = (0..PLACES).filter_map(|_| bench.connect(Role::Gm)).collect();
        let gm = peers[if gm_is_last { PLACES - 1 } else { 1 }];
        let (agent, _) = bench.agent();
        bench.send(agent, r#"{"messageID":6}"#);
        assert_eq!(bench.outputs, [Output::Write(peers[0])]);
        // A stranger that answers without being asked takes nobody's place.
        bench.send(peers[9], r#"{"messageID":107,"agentID":1}"#);
        assert_eq!((bench.router.totals().to_agents, bench.router.totals().undeliverable), (0, 1));
        assert_eq!(dropped(&bench.pass(answer - 1)), []);
        assert!(peers[1..].iter().all(|peer| bench.router.pending(*peer).is_empty()));
        let outputs = bench.pass(250);
        assert_eq!(dropped(&outputs), [Reason::NoAnswer(limits().gm_answer)]);
        assert!(peers[1..].iter().all(|peer| outputs.contains(&Output::Write(*peer))));
        // A message that comes now is for all of them.
        bench.send(agent, r#"{"messageID":3}"#);
        let join =
            vec![r#"{"agentID":1,"messageID":6}"#.to_owned(), r#"{"agentID":1,"messageID":3}"#.to_owned()];
        assert!(peers[1..].iter().all(|peer| bodies(bench.router.pending(*peer)) == join));
        bench.handle(Input::Written { peer: gm, bytes: 5 });
        bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
        let closed = bench.outputs.iter().filter(|output| matches!(output, Output::Drop(_))).count();
        assert_eq!(closed, PLACES - 2);
        assert_eq!(dropped(&bench.outputs)[0], Reason::Taken);
        assert_eq!(bench.router.totals().to_agents, 1);
        // The bytes that were not written to it yet follow.
        let rest = frames(&join[0], 1).len() + frames(&join[1], 1).len() - 5;
        assert_eq!(bench.take(gm).len(), rest);
        assert!(bench.handle(Input::Ended { peer: gm, error: None }).contains(&Output::Finish(agent)));
    }
}

/// Strangers that leave before their time is over gain none: the time counts from the first question on.
#[test]
fn connections_that_take_turns_do_not_prolong_the_time_of_the_first() {
    let answer = limits().gm_answer.as_millis();
    let mut bench = Bench::new(limits());
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    let mut strangers: VecDeque<Peer> = (0..8).filter_map(|_| bench.connect(Role::Gm)).collect();
    let gm = bench.connect(Role::Gm).unwrap();
    for _ in 0..5 {
        assert!(bench.router.pending(gm).is_empty());
        assert_eq!(dropped(&bench.pass(answer / 5)), []);
        let peer = strangers.pop_front().unwrap();
        bench.handle(Input::Ended { peer, error: None });
        strangers.extend(bench.connect(Role::Gm));
    }
    assert!(!bench.router.pending(gm).is_empty());
    bench.send(gm, r#"{"messageID":107,"agentID":1}"#);
    assert_eq!(bench.router.totals().to_agents, 1);
}

/// A flood of strangers, each of which comes again as soon as its connection has ended, and closes its own connection
/// sometimes. The system's queue is as long as that of the real server; the game master comes last.
#[test]
fn a_game_master_behind_strangers_that_come_again_gets_its_place() {
    const QUEUE: usize = 4096;
    let mut bench = Bench::new(limits());
    let gm = QUEUE - 1;
    let mut queue: VecDeque<usize> = (0..QUEUE).collect();
    let mut let_in: Vec<(usize, Peer)> = Vec::new();
    let mut next = QUEUE;
    let mut asked = None;
    for step in 0_u64.. {
        assert!(step < 300, "the game master has not got its place after {step} steps");
        while let Some(who) = queue.front().copied()
            && bench.router.takes_from_gm_port(bench.now)
        {
            queue.pop_front();
            let peer = bench.connect(Role::Gm).unwrap();
            assert!(matches!(peer, Peer::Gm(_)), "{peer:?}");
            let outputs = bench.outputs.clone();
            let_in.push((who, peer));
            let is_closed = |peer: &Peer| outputs.contains(&Output::Drop(*peer));
            assert!(!let_in.iter().any(|(who, peer)| *who == gm && is_closed(peer)));
            let_in.retain(|(_, peer)| !is_closed(peer));
        }
        // An hour without agents: nothing can be said of any connection.
        if step == 40 {
            bench.now = SimTime::from_millis(3_600_000);
            let (agent, _) = bench.agent();
            bench.send(agent, r#"{"messageID":6}"#);
            asked = Some(bench.now);
        }
        if let Some((_, peer)) = let_in.iter().find(|(who, _)| *who == gm).copied()
            && !bench.take(peer).is_empty()
        {
            bench.send(peer, r#"{"messageID":107,"agentID":1}"#);
            assert_eq!(bench.router.totals().to_agents, 1);
            break;
        }
        let outputs = bench.pass(100);
        let_in.retain(|(_, peer)| !outputs.contains(&Output::Drop(*peer)));
        // Every seventh stranger leaves; all that have gone come again.
        if step % 7 == 0
            && let Some(place) = let_in.iter().position(|(who, _)| *who != gm)
        {
            let (_, peer) = let_in.remove(place);
            bench.handle(Input::Ended { peer, error: None });
        }
        while queue.len() < QUEUE {
            queue.push_back(next);
            next += 1;
        }
    }
    let latest = asked.unwrap() + Millis::new(10 * SECOND);
    assert!(bench.now <= latest, "it took until {:?}", bench.now);
}

#[test]
fn a_silent_connection_gives_way_at_once_if_its_time_is_over() {
    let mut bench = Bench::new(limits());
    let silent = bench.connect(Role::Gm).unwrap();
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    bench.take(silent);
    let outputs = bench.pass(30 * SECOND);
    assert_eq!(dropped(&outputs), []);
    let told = |output: &&Output| matches!(output, Output::Report(Report::Silent { .. }));
    assert_eq!(outputs.iter().filter(told).count(), 1, "{outputs:?}");
    let gm = bench.connect(Role::Gm).unwrap();
    assert!(bench.outputs.contains(&Output::Drop(silent)), "{:?}", bench.outputs);
    assert_eq!(bodies(&bench.take(gm)).len(), 1);
}

/// Nobody waits without limit.
#[test]
fn agents_do_not_wait_for_a_silent_game_master_without_limit() {
    let mut bench = Bench::new(limits());
    let silent = bench.connect(Role::Gm).unwrap();
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    bench.take(silent);
    let wait = limits().gm_wait;
    assert_eq!(dropped(&bench.pass(wait.as_millis() + SECOND)), [Reason::SilentGm(wait)]);
}

/// A game master sends nothing before an agent asks to join: at the port for agents, nothing ever comes of it.
#[test]
fn a_game_master_at_the_port_for_agents_is_told_where_to_go() {
    // Time enough to read the last messages.
    let limits = Limits { farewell: Millis::new(60 * SECOND), ..limits() };
    let mut bench = Bench::new(limits);
    bench.router = Router::new(limits).with_ports(3727, 3728);
    let Limits { gm_wait, gm_answer, first_message, farewell, .. } = limits;
    let (lost, id) = bench.agent();
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    // Soon the log says it, once.
    let mute = |output: &&Output| matches!(output, Output::Report(Report::Mute { .. }));
    assert_eq!(bench.pass(gm_answer.as_millis() - 1).iter().find(mute), None, "it may still send something");
    let outputs = bench.pass(10 * SECOND);
    let lines: Vec<String> = outputs.iter().filter(mute).map(|output| format!("{output:?}")).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let Some(Output::Report(line)) = outputs.iter().find(mute) else { panic!("{outputs:?}") };
    assert_eq!(
        line.to_string(),
        format!(
            "agent {id} (192.0.2.1:4000) has sent nothing for 2s, and no game master is connected; \
             hint: a game master connects to port 3728"
        )
    );
    // In the end, so does the server.
    let is_told = |bench: &mut Bench, span: Millis, peer: Peer| {
        let outputs = bench.pass(span.as_millis() + SECOND);
        assert!(dropped(&outputs).contains(&Reason::SentNothing(span, Some(3728))), "{outputs:?}");
        assert!(outputs.contains(&Output::Finish(peer)), "{outputs:?}");
        let told = bodies(&bench.take(peer)).concat();
        assert!(told.starts_with(r#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"#), "{told}");
        assert!(told.contains("hint: a game master connects to port 3728"), "{told}");
        assert!(bench.take(peer).is_empty());
    };
    is_told(&mut bench, gm_wait, lost);
    bench.handle(Input::Ended { peer: lost, error: None });
    assert_eq!(bench.outputs, []);
    // Beside the game master of the game as well; one that does not close its end is closed.
    let gm = bench.gm();
    let (second, _) = bench.agent();
    bench.take(gm);
    is_told(&mut bench, first_message, second);
    assert!(bench.pass(farewell.as_millis() + SECOND).contains(&Output::Drop(second)));
}

#[test]
fn an_agent_at_the_game_masters_port_is_told_where_to_go() {
    let mut bench = Bench::new(limits());
    bench.router = Router::new(limits()).with_ports(3727, 3728);
    for body in [r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#, r#"{"messageID":"6"}"#] {
        let lost = bench.connect(Role::Gm).unwrap();
        bench.send(lost, body);
        let outputs = bench.outputs.clone();
        assert_eq!(dropped(&outputs), [Reason::IsAgent(Some(3727))]);
        assert!(outputs.contains(&Output::Finish(lost)), "{outputs:?}");
        let told = bodies(&bench.take(lost)).concat();
        assert!(told.starts_with(r#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"#), "{told}");
        assert!(told.contains("agents connect to port 3727"), "{told}");
        bench.handle(Input::Ended { peer: lost, error: None });
        assert_eq!(bench.outputs, []);
    }
    // The server goes on; one that does not close its end is closed.
    let lost = bench.connect(Role::Gm).unwrap();
    bench.send(lost, r#"{"messageID":6}"#);
    assert!(bench.pass(limits().farewell.as_millis() + SECOND).contains(&Output::Drop(lost)));
    // Beside a game master, every connection to this port gets the reason, before it has sent anything.
    bench.gm();
    let lost = bench.connect(Role::Gm).unwrap();
    let told = bodies(&bench.take(lost)).concat();
    assert!(told.contains("there is a game master already; hint: agents connect to port 3727"), "{told}");
    let gm = bench.gm();
    let (agent, _) = bench.agent();
    bench.send(agent, r#"{"messageID":6}"#);
    assert_eq!(bodies(&bench.take(gm)).len(), 1);
}

#[test]
fn an_agent_that_finds_the_server_full_is_told() {
    let mut bench = Bench::new(Limits { connections: 1, ..limits() });
    let (agent, _) = bench.agent();
    let refused = bench.connect(Role::Agent).unwrap();
    assert!(bench.outputs.contains(&Output::Finish(refused)), "{:?}", bench.outputs);
    let told = bodies(&bench.take(refused)).concat();
    assert!(told.starts_with(r#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"#), "{told}");
    assert!(told.contains("maxConnections"), "{told}");
    bench.send(refused, r#"{"messageID":6}"#);
    assert_eq!(bench.router.totals().to_gm, 0);
    assert!(bench.pass(limits().farewell.as_millis() + SECOND).contains(&Output::Drop(refused)));
    assert_eq!((bench.router.totals().agents, bench.router.totals().refused), (1, 1));
    // At most 64 are waited for.
    let told = (0..1000).filter(|_| bench.connect(Role::Agent).is_some()).count();
    assert_eq!(told, 64);
    bench.handle(Input::Ended { peer: agent, error: None });
}

#[test]
fn a_message_that_is_dropped_is_answered() {
    let mut bench = Bench::new(Limits { invalid_messages: 3, ..limits() });
    bench.gm();
    let agent = bench.speaker();
    for _ in 0..2 {
        bench.send(agent, "{\"messageID\":\"six\"}");
        assert!(bench.outputs.contains(&Output::Write(agent)));
        let answer = bodies(&bench.take(agent)).concat();
        assert_eq!(
            answer,
            r#"{"messageID":905,"agentID":1,"payload":{"reason":"the communication server dropped a message: `messageID` is not an integer"}}"#
        );
    }
    bench.send(agent, "{}");
    assert!(bench.outputs.contains(&Output::Drop(agent)));
}

/// The head of a request as a browser writes it, and frames behind it that a page has chosen. The first two bytes are
/// the length 20,304, so the frames begin where the page wants them to.
fn request_with_frames(bodies: &[&str]) -> Vec<u8> {
    let frames: Vec<u8> = bodies.iter().flat_map(|body| frames(body, 1)).collect();
    let head = "POST / HTTP/1.1\r\nHost: 127.0.0.1:3728\r\nOrigin: http://evil.example\r\n\r\n";
    let filled = frame::HEADER + usize::from(u16::from_le_bytes(*b"PO"));
    [format!("{head:x<filled$}").into_bytes(), frames].concat()
}

/// However the network splits the bytes, nothing behind the head of the request is obeyed, and the game goes on.
#[test]
fn a_page_of_another_site_becomes_neither_the_game_master_nor_an_agent() {
    let join = r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#;
    let attack = request_with_frames(&[r#"{"messageID":107,"agentID":1}"#, join, join]);
    // A split behind the first twelve bytes makes no difference: by then the connection is closed.
    let splits = (0..12).chain([20_304, 20_305, 20_306, 20_307, attack.len()]);
    for limit in [8192, frame::LONGEST] {
        for (role, at) in splits.clone().flat_map(|at| [(Role::Gm, at), (Role::Agent, at)]) {
            let mut bench = Bench::new(Limits { message_bytes: limit, ..limits() });
            let (agent, _) = bench.agent();
            bench.send(agent, join);
            let page = bench.connect(role).unwrap();
            let given = bench.take(page).len();
            let (head, tail) = attack.split_at(at);
            let mut outputs = bench.handle(Input::Received { peer: page, bytes: head }).to_vec();
            outputs.extend_from_slice(bench.handle(Input::Received { peer: page, bytes: tail }));
            assert_eq!(dropped(&outputs), [Reason::Foreign(Foreign::Http, role)], "{role}, split at {at}");
            assert!(outputs.contains(&Output::Drop(page)) && bench.router.pending(page).is_empty());
            let totals = bench.router.totals();
            assert_eq!((totals.to_gm, totals.to_agents, totals.agents, totals.gm), (1, 0, 1, false));
            // Its end is not the end of the game master, who gets the place and the message of the agent.
            bench.handle(Input::Ended { peer: page, error: None });
            let gm = bench.gm();
            let passed = bodies(&bench.take(gm));
            assert_eq!(passed.len(), 1, "{passed:?}");
            assert!(role == Role::Agent || given > 0);
        }
    }
}

#[test]
fn a_first_message_that_is_not_one_ends_the_connection_at_once() {
    let long = |announced| Reason::FirstTooLong { announced, limit: 8192 };
    for role in [Role::Agent, Role::Gm] {
        let cases: [(&[u8], Reason); 11] = [
            (b"GET / HTTP/1.1\r\n", Reason::Foreign(Foreign::Http, role)),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Reason::Foreign(Foreign::Http, role)),
            (b"\x16\x03\x01\x02\x00\x01\x00", Reason::Foreign(Foreign::Tls, role)),
            (b"\0\0", Reason::FirstInvalid),
            (b"\x02\0[]", Reason::FirstInvalid),
            (b"\x02\0{}", Reason::FirstInvalid),
            (b"\x08\0no JSON!", Reason::FirstInvalid),
            (b"\xff\xff", long(65_535)),
            (b"\x01\x20", long(8193)),
            // Without a length, and with one in the wrong byte order.
            (b"{\"messageID\":6}", long(8827)),
            (b"\0\x2a{\"messageID\":6", long(42 << 8)),
        ];
        for (bytes, why) in cases {
            for at in 0..=bytes.len() {
                let mut bench = Bench::new(limits());
                let peer = bench.connect(role).unwrap();
                let (head, tail) = bytes.split_at(at);
                let mut outputs = bench.handle(Input::Received { peer, bytes: head }).to_vec();
                outputs.extend_from_slice(bench.handle(Input::Received { peer, bytes: tail }));
                assert_eq!(dropped(&outputs), [why], "{role}, \"{}\" split at {at}", bytes.escape_ascii());
                assert_eq!((bench.router.totals().invalid, bench.router.totals().to_gm), (1, 0));
            }
        }
    }
    assert_eq!(
        Reason::Foreign(Foreign::Http, Role::Agent).to_string(),
        "it looks like HTTP: a browser or an HTTP client has connected to the port for agents"
    );
    assert_eq!(
        long(42 << 8).to_string(),
        "its first message has 10752 bytes, and a first message has at most 8192; hint: a message begins with its \
         length in two bytes, the low byte first; in the other order they say 42"
    );
}

/// After its first valid message, an agent may be wrong a few times.
#[test]
fn only_the_first_message_is_judged_strictly() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let agent = bench.speaker();
    for bytes in [&request_with_frames(&[])[..], &[0, 0], b"\x02\0{}"] {
        bench.handle(Input::Received { peer: agent, bytes });
        assert_eq!(dropped(&bench.outputs), []);
        bench.handle(Input::Received { peer: gm, bytes });
        assert_eq!(dropped(&bench.outputs), []);
    }
    assert_eq!(bench.router.totals().invalid, 6);
}

/// The game master learns that an agent wrote null in its request to join: agents of some implementations do.
#[test]
fn a_join_is_passed_on_with_a_null_agent_id() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (agent, _) = bench.agent();
    for id in [6, 2] {
        bench.send(agent, &format!(r#"{{"messageID":{id},"agentID":null,"payload":{{}}}}"#));
    }
    let expected = [
        r#"{"messageID":6,"agentID":1,"sentAgentID":null,"payload":{}}"#,
        r#"{"messageID":2,"agentID":1,"payload":{}}"#,
    ];
    assert_eq!(bodies(&bench.take(gm)), expected);
}

/// Agents of one other implementation end when a message 905 names no position.
#[test]
fn agents_of_other_implementations_are_not_told_of_dropped_messages() {
    for (join, is_told) in [
        (r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#, true),
        (r#"{"messageID":6,"agentID":null,"payload":{"teamID":"red"}}"#, false),
        (r#"{"payload":{"teamID":"red"},"messageID":6,"agentID":0}"#, false),
    ] {
        let mut bench = Bench::new(limits());
        let (agent, _) = bench.agent();
        bench.send(agent, join);
        bench.send(agent, "[]");
        assert_eq!(bodies(&bench.take(agent)).len(), usize::from(is_told), "{join}");
        assert_eq!(bench.router.totals().invalid, 1);
    }
}

/// An author of an agent reads the fault of its first message.
#[test]
fn an_agent_is_told_what_is_wrong_with_its_first_message() {
    let cases: [(&[u8], &str); 2] = [
        (b"\x02\0{}", "its first message is invalid: the key `messageID` is missing"),
        (b"{\"messageID\":6}", "its first message has 8827 bytes, and a first message has at most 8192"),
    ];
    for (bytes, expected) in cases {
        let mut bench = Bench::new(limits());
        let (agent, _) = bench.agent();
        bench.handle(Input::Received { peer: agent, bytes });
        assert!(bench.outputs.contains(&Output::Finish(agent)), "{:?}", bench.outputs);
        let told = bodies(&bench.take(agent)).concat();
        assert!(told.starts_with(r#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"#), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

/// Messages under way to the game master wait in its own queue, where nobody overtakes them.
#[test]
fn an_agent_that_floods_is_not_read_before_it_is_answered() {
    const MESSAGE: &str = r#"{"messageID":3,"agentID":1}"#;
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (flooder, _) = bench.agent();
    let (honest, _) = bench.agent();
    bench.handle(Input::Received { peer: flooder, bytes: &frames(MESSAGE, 100) });
    assert!(bench.outputs.contains(&Output::Hold(flooder)), "{:?}", bench.outputs);
    bench.send(honest, r#"{"messageID":3,"agentID":0}"#);
    assert!(!bench.outputs.contains(&Output::Hold(honest)));
    let passed = bodies(&bench.take(gm));
    assert_eq!((passed.len(), passed.last().unwrap().as_str()), (17, r#"{"messageID":3,"agentID":2}"#));
    // Half of the answers make room for as many.
    for _ in 0..7 {
        bench.send(gm, r#"{"messageID":904,"agentID":1}"#);
        assert_eq!(bodies(&bench.take(gm)).len(), 0);
    }
    bench.send(gm, r#"{"messageID":904,"agentID":1}"#);
    assert!(bench.outputs.contains(&Output::Resume(flooder)), "{:?}", bench.outputs);
    assert_eq!(bodies(&bench.take(gm)), [MESSAGE; 8]);
    // Without an answer it is read again after a while, and no message is lost.
    let mut rest = Vec::new();
    for _ in 0..20 {
        bench.pass(100);
        rest.extend(bodies(&bench.take(gm)));
    }
    assert_eq!(rest, vec![MESSAGE; 100 - 16 - 8]);
    assert!(bench.router.wake_at().is_some_and(|at| at > bench.now));
}

/// A hold is counted from its own start. It can last longer than its time, because it is checked only every 50 ms.
#[test]
fn each_hold_has_its_own_time() {
    const MESSAGE: &str = r#"{"messageID":3,"agentID":1}"#;
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (flooder, _) = bench.agent();
    bench.handle(Input::Received { peer: flooder, bytes: &frames(MESSAGE, 100) });
    assert_eq!(bodies(&bench.take(gm)).len(), 16);
    // Eight answers after 10 ms: it is read again, and held from then on.
    bench.now = SimTime::from_millis(10);
    for _ in 0..8 {
        bench.send(gm, r#"{"messageID":904,"agentID":1}"#);
    }
    assert_eq!(bodies(&bench.take(gm)).len(), 8);
    let passed = [49, 50, 59, 99, 100].map(|moment| {
        bench.tick_at(moment);
        bodies(&bench.take(gm)).len()
    });
    assert_eq!(
        passed,
        [0, 0, 0, 0, 16],
        "the second hold began at 10 ms: at 50 ms it is too young, and the next check is at 100 ms"
    );
}

/// Questions and answers that are granted have no answer of their own; that to the next request settles them.
#[test]
fn what_is_granted_without_an_answer_holds_no_agent_that_waits() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (agent, _) = bench.agent();
    let mut send = |peer, body: &str| {
        bench.send(peer, body);
        assert!(!bench.outputs.contains(&Output::Hold(agent)), "{body}: {:?}", bench.outputs);
        bench.take(gm);
    };
    for _ in 0..100 {
        send(agent, r#"{"messageID":5,"agentID":1}"#);
        send(agent, r#"{"messageID":4,"agentID":1}"#);
        send(agent, r#"{"messageID":7,"agentID":1}"#);
        send(gm, r#"{"messageID":106,"agentID":1}"#);
        send(gm, r#"{"messageID":108,"agentID":1}"#);
    }
    // And an agent that only asks, and waits for its penalty each time.
    for _ in 0..100 {
        bench.send(agent, r#"{"messageID":5,"agentID":1}"#);
        assert!(!bench.outputs.contains(&Output::Hold(agent)), "{:?}", bench.outputs);
        bench.take(gm);
        bench.pass(100);
    }
}

/// Messages of others that reach a flooder are no answers to it.
#[test]
fn what_is_not_asked_for_answers_nothing() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (flooder, _) = bench.agent();
    for _ in 0..16 {
        bench.send(flooder, r#"{"messageID":5,"agentID":1}"#);
    }
    assert!(bench.outputs.contains(&Output::Hold(flooder)), "{:?}", bench.outputs);
    for body in [r#"{"messageID":106,"agentID":1}"#, r#"{"messageID":111,"agentID":1}"#].repeat(20) {
        bench.send(gm, body);
        assert!(!bench.outputs.contains(&Output::Resume(flooder)), "{body}: {:?}", bench.outputs);
    }
}

#[test]
fn few_long_messages_are_under_way_at_once() {
    let mut bench = Bench::new(limits());
    let gm = bench.gm();
    let (flooder, _) = bench.agent();
    let flood = frames(&format!(r#"{{"messageID":4,"agentID":1,"payload":"{:x<6000}"}}"#, ""), 5);
    bench.handle(Input::Received { peer: flooder, bytes: &flood });
    assert_eq!(bodies(&bench.take(gm)).len(), 1);
    for _ in 0..4 {
        bench.send(gm, r#"{"messageID":905,"agentID":1}"#);
        assert_eq!(bodies(&bench.take(gm)).len(), 1);
    }
}

/// A buffer may be full; one byte more is too much.
#[test]
fn the_limits_of_buffers_are_what_they_may_hold() {
    let answer = r#"{"messageID":107,"agentID":1}"#;
    let length = frames(answer, 1).len();
    for (limit, is_closed) in [(2 * length, false), (2 * length - 1, true)] {
        let mut bench = Bench::new(Limits { agent_buffer_bytes: limit, ..limits() });
        let gm = bench.gm();
        let (agent, _) = bench.agent();
        bench.send(gm, answer);
        bench.send(gm, answer);
        assert_eq!(bench.outputs.contains(&Output::Drop(agent)), is_closed, "{limit} bytes");
    }
    let refusal = frames(
        r#"{"messageID":905,"agentID":1,"payload":{"reason":"the communication server dropped a message: the frame is empty"}}"#,
        1,
    );
    for (limit, is_closed) in [(refusal.len(), false), (refusal.len() - 1, true)] {
        let mut bench = Bench::new(Limits { agent_buffer_bytes: limit, ..limits() });
        bench.gm();
        let agent = bench.speaker();
        bench.handle(Input::Received { peer: agent, bytes: &[0, 0] });
        assert_eq!(bench.outputs.contains(&Output::Drop(agent)), is_closed, "{limit} bytes");
    }
    let message = r#"{"messageID":6,"agentID":1}"#;
    let length = frames(message, 1).len();
    for (limit, is_read) in [(length + 1, true), (length, false)] {
        let mut bench = Bench::new(Limits { gm_buffer_bytes: limit, ..limits() });
        bench.gm();
        let (agent, _) = bench.agent();
        bench.send(agent, message);
        assert_eq!(bench.router.takes_from_agents(), is_read, "{limit} bytes");
    }
}

/// The agent's number is put into a message: with it, too, the message must not be longer than the limit.
#[test]
fn the_limit_on_messages_includes_the_number_of_the_agent() {
    let message = r#"{"messageID":6,"payload":"some text that is long enough for the least limit"}"#;
    let with_number = message.len() + r#""agentID":1,"#.len();
    for (limit, is_passed) in [(with_number, true), (with_number - 1, false)] {
        let message_bytes = u16::try_from(limit).unwrap();
        let mut bench = Bench::new(Limits { message_bytes, ..limits() });
        bench.gm();
        let (agent, _) = bench.agent();
        bench.send(agent, message);
        assert_eq!(bench.router.totals().to_gm == 1, is_passed, "{limit} bytes");
        assert_eq!(bench.router.totals().invalid == 0, is_passed, "{limit} bytes");
    }
}

/// The system closes a killed program's connection as it closes that of one that ends.
#[test]
fn a_game_master_that_leaves_before_the_end_of_the_game_is_not_as_one_that_leaves_after_it() {
    let start = r#"{"messageID":105,"agentID":1}"#;
    let over = r#"{"messageID":104,"agentID":1}"#;
    for (messages, stays, expected) in [
        (&[][..], true, Ending::GmLeftEarly),
        (&[start], true, Ending::GmLeftEarly),
        (&[start, over], true, Ending::GmLeft),
        (&[start, over, start], true, Ending::GmLeftEarly),
        (&[start], false, Ending::GmLeft),
    ] {
        let mut bench = Bench::new(limits());
        let gm = bench.gm();
        let (agent, _) = bench.agent();
        messages.iter().for_each(|message| bench.send(gm, message));
        if !stays {
            bench.handle(Input::Ended { peer: agent, error: None });
        }
        bench.handle(Input::Ended { peer: gm, error: None });
        if stays {
            bench.handle(Input::Ended { peer: agent, error: None });
        }
        assert!(bench.outputs.contains(&Output::Done(expected)), "{messages:?}: {:?}", bench.outputs);
    }
}

/// Acts of agents and of the game master.
#[derive(Clone, Debug)]
enum Step {
    Come(bool),
    Send(usize, Vec<u8>),
    Frame(usize, Vec<u8>),
    Message(usize, i64, i64),
    Take(usize, usize),
    Go(usize, bool),
    Wait(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..6_usize;
    prop_oneof![
        any::<bool>().prop_map(Step::Come),
        (who.clone(), vec(any::<u8>(), 0..40)).prop_map(|(who, bytes)| Step::Send(who, bytes)),
        (who.clone(), vec(any::<u8>(), 0..40)).prop_map(|(who, body)| Step::Frame(who, body)),
        (who.clone(), prop_oneof![Just(5_i64), Just(6), Just(107)], -1..8_i64)
            .prop_map(|(who, message, id)| Step::Message(who, message, id)),
        (who.clone(), 0..200_usize).prop_map(|(who, bytes)| Step::Take(who, bytes)),
        (who, any::<bool>()).prop_map(|(who, broken)| Step::Go(who, broken)),
        (0..20_000_u32).prop_map(Step::Wait),
    ]
}

proptest! {
    /// Any events in any order: nothing panics, the counts are right, the game master gets whole messages with numbers
    /// that were given, and an agent gets only messages to it.
    #[test]
    fn any_order_of_events_keeps_everybody_apart(steps in vec(step(), 0..120)) {
        let small = Limits { connections: 4, gm_buffer_bytes: 300, agent_buffer_bytes: 300, ..limits() };
        let mut bench = Bench::new(small);
        let mut peers: Vec<(Peer, Decoder)> = Vec::new();
        // Agents that are told why they are closed: they count no more, and the last message to them names nobody.
        let mut told = BTreeSet::new();
        let mut given = 0;
        for step in steps {
            let at = |who: usize| (!peers.is_empty()).then(|| peers[who % peers.len()].0);
            match step {
                Step::Come(is_gm) => {
                    let role = if is_gm { Role::Gm } else { Role::Agent };
                    if let Some(peer) = bench.connect(role) {
                        if let Peer::Agent(id) = peer {
                            prop_assert!(id.get() > given);
                            given = id.get();
                        }
                        peers.push((peer, Decoder::new(frame::LONGEST)));
                    }
                }
                Step::Send(who, bytes) => if let Some(peer) = at(who) {
                    bench.handle(Input::Received { peer, bytes: &bytes });
                },
                Step::Frame(who, body) => if let Some(peer) = at(who) {
                    let mut bytes = Vec::new();
                    frame::write(&body, &mut bytes).unwrap();
                    bench.handle(Input::Received { peer, bytes: &bytes });
                },
                Step::Message(who, message, id) => if let Some(peer) = at(who) {
                    bench.send(peer, &format!(r#"{{"messageID":{message},"agentID":{id},"payload":[]}}"#));
                },
                Step::Take(who, bytes) => if !peers.is_empty() {
                    let who = who % peers.len();
                    let (peer, decoder) = &mut peers[who];
                    // Nothing of a message that was written is written again to the same connection.
                    let pending = bench.router.pending(*peer);
                    let bytes = pending.len().min(bytes);
                    let taken = pending[..bytes].to_owned();
                    let mut rest = &taken[..];
                    while let Some(body) = decoder.next(&mut rest) {
                        let named = Envelope::parse(body.unwrap()).unwrap().agent_id.unwrap();
                        match peer {
                            Peer::Gm(_) => prop_assert!((0..=i64::from(given)).contains(&named)),
                            Peer::Agent(id) if told.contains(id) => prop_assert_eq!(named, 0),
                            Peer::Agent(id) => prop_assert_eq!(named, i64::from(id.get())),
                            Peer::Refused(_) => prop_assert_eq!(named, 0),
                        }
                    }
                    let peer = *peer;
                    bench.handle(Input::Written { peer, bytes });
                },
                Step::Go(who, broken) => if !peers.is_empty() {
                    let (peer, _) = peers.swap_remove(who % peers.len());
                    let error = broken.then_some(std::io::ErrorKind::ConnectionReset);
                    bench.handle(Input::Ended { peer, error });
                },
                Step::Wait(milliseconds) => {
                    bench.now += Millis::new(milliseconds);
                    bench.handle(Input::Tick);
                }
            }
            peers.retain(|(peer, _)| !bench.outputs.contains(&Output::Drop(*peer)));
            told.extend(bench.outputs.iter().filter_map(|output| match output {
                Output::Report(Report::Dropped { name: Name::Agent(id), .. }) => Some(*id),
                _ => None,
            }));
            let agents = peers.iter().filter(|(peer, _)| matches!(peer, Peer::Agent(id) if !told.contains(id)));
            let agents = agents.count();
            prop_assert_eq!(bench.router.totals().agents, agents);
            let has_gm = bench.router.pending_for_gm().0;
            prop_assert_eq!(bench.router.totals().gm, has_gm.is_some());
            prop_assert!(has_gm.is_none_or(|gm| peers.iter().any(|(peer, _)| *peer == gm)));
            if bench.outputs.iter().any(|output| matches!(output, Output::Done(_))) {
                prop_assert!(peers.is_empty());
                return Ok(());
            }
        }
    }
}
