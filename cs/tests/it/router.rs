//! The router by itself: inputs, outputs, and a clock that is a number.

use std::net::SocketAddr;
use std::time::Duration;

use cs::config::{Config, Limits};
use cs::router::{Ending, Input, Level, Output, Peer, Reason, Report, Role, Router};
use proptest::collection::vec;
use proptest::prelude::*;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};

const SECOND: Duration = Duration::from_secs(1);

fn limits() -> Limits {
    Config::default().limits
}

fn from() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 4000))
}

/// A router, its clock, and what it wants done.
struct Bench {
    router: Router,
    now: Duration,
    outputs: Vec<Output>,
}

impl Bench {
    fn new(limits: Limits) -> Self {
        Self { router: Router::new(limits), now: Duration::ZERO, outputs: Vec::new() }
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

    fn send(&mut self, peer: Peer, body: &str) {
        let mut bytes = Vec::new();
        frame::write(body.as_bytes(), &mut bytes).unwrap();
        self.handle(Input::Received { peer, bytes: &bytes });
    }

    /// Lets time pass in the steps that the router asks for; everything that it does meanwhile.
    fn pass(&mut self, span: Duration) -> Vec<Output> {
        let end = self.now + span;
        let mut all = Vec::new();
        while let Some(at) = self.router.wake_at().filter(|at| *at <= end) {
            self.now = at;
            all.extend_from_slice(self.handle(Input::Woken));
        }
        self.now = end;
        all
    }

    /// Takes everything that is to be written to a peer.
    fn take(&mut self, peer: Peer) -> Vec<u8> {
        let bytes = self.router.pending(peer).to_owned();
        self.handle(Input::Written { peer, bytes: bytes.len() });
        bytes
    }
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

#[test]
fn each_deadline_closes_whom_it_is_for_and_nobody_else() {
    let mut bench = Bench::new(limits());
    let Limits { gm_wait, first_message, message, stall, .. } = limits();
    bench.connect(Role::Agent).unwrap();
    assert_eq!(dropped(&bench.pass(gm_wait - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::NoGm(gm_wait)]);

    bench.connect(Role::Gm).unwrap();
    let speaker = bench.connect(Role::Agent).unwrap();
    bench.connect(Role::Agent).unwrap();
    bench.send(speaker, r#"{"messageID":1}"#);
    bench.take(Peer::Gm);
    assert_eq!(dropped(&bench.pass(first_message - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::Silent(first_message)]);

    // One byte at a time does not buy time; a whole message does.
    let slow = bench.connect(Role::Agent).unwrap();
    bench.send(slow, r#"{"messageID":1}"#);
    bench.take(Peer::Gm);
    bench.handle(Input::Received { peer: slow, bytes: &[200, 0] });
    assert_eq!(dropped(&bench.pass(message / 2)), []);
    bench.handle(Input::Received { peer: slow, bytes: b"{" });
    assert_eq!(dropped(&bench.pass(message / 2 + SECOND)), [Reason::HalfSent(message)]);
    bench.take(Peer::Gm);

    let Peer::Agent(id) = speaker else { panic!() };
    bench.send(Peer::Gm, &format!(r#"{{"messageID":101,"agentID":{id}}}"#));
    assert_eq!(dropped(&bench.pass(stall - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::Stalled(stall)]);
}

#[test]
fn agents_are_not_blamed_while_they_are_not_read() {
    let mut bench = Bench::new(Limits { gm_buffer_bytes: 20, stall: 3600 * SECOND, ..limits() });
    bench.connect(Role::Gm).unwrap();
    let half = bench.connect(Role::Agent).unwrap();
    let flooding = bench.connect(Role::Agent).unwrap();
    bench.handle(Input::Received { peer: half, bytes: &[200, 0] });
    bench.send(flooding, r#"{"messageID":1}"#);
    assert!(!bench.router.takes_from_agents());
    assert_eq!(dropped(&bench.pass(600 * SECOND)), []);
    bench.take(Peer::Gm);
    assert!(bench.router.takes_from_agents());
    assert_eq!(dropped(&bench.pass(limits().message - SECOND)), []);
    assert_eq!(dropped(&bench.pass(2 * SECOND)), [Reason::HalfSent(limits().message)]);
}

#[test]
fn a_flood_of_faults_is_counted_and_not_logged_in_full() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 1000, ..limits() });
    bench.connect(Role::Gm).unwrap();
    bench.pass(SECOND);
    let agent = bench.connect(Role::Agent).unwrap();
    let lines = bench.handle(Input::Received { peer: agent, bytes: &[0; 200] }).len();
    assert_eq!(lines, 3);
    assert_eq!(bench.router.totals().invalid, 100);
    assert!(bench.pass(2 * SECOND).contains(&Output::Report(Report::Withheld { lines: 97 })));
}

#[test]
fn a_flood_does_not_hide_who_was_closed_for_it() {
    let mut bench = Bench::new(Limits { log_lines_per_second: 3, invalid_messages: 100, ..limits() });
    bench.connect(Role::Gm).unwrap();
    let agent = bench.connect(Role::Agent).unwrap();
    let outputs = bench.handle(Input::Received { peer: agent, bytes: &[0; 200] });
    assert_eq!(dropped(outputs), [Reason::Invalid(100)]);
}

/// What is logged unless more is asked for.
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
    let outputs = bench.pass(limits().farewell + SECOND);
    assert!(outputs.contains(&Output::Drop(rude)));
    assert_eq!(outputs.iter().filter(|output| **output == Output::Over(Ending::Stopped)).count(), 1);
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
    bench.connect(Role::Gm).unwrap();
    let agent = bench.connect(Role::Agent).unwrap();
    bench.send(agent, r#"{"messageID":1}"#);
    bench.handle(Input::Written { peer: Peer::Gm, bytes: 1 });
    assert!(!bench.router.takes_from_agents());
    bench.handle(Input::Ended { peer: Peer::Gm, error: Some(std::io::ErrorKind::ConnectionReset) });
    assert!(bench.router.takes_from_agents());
    let over = [Output::Over(Ending::GmLost)];
    assert_eq!(bench.handle(Input::Ended { peer: agent, error: None }), over);
}

/// What agents and the game master may do to the router.
#[derive(Clone, Debug)]
enum Step {
    Come(bool),
    Send(usize, Vec<u8>),
    Frame(usize, Vec<u8>),
    Message(usize, i64),
    Take(usize, usize),
    Go(usize, bool),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..6_usize;
    prop_oneof![
        any::<bool>().prop_map(Step::Come),
        (who.clone(), vec(any::<u8>(), 0..40)).prop_map(|(who, bytes)| Step::Send(who, bytes)),
        (who.clone(), vec(any::<u8>(), 0..40)).prop_map(|(who, body)| Step::Frame(who, body)),
        (who.clone(), -1..8_i64).prop_map(|(who, id)| Step::Message(who, id)),
        (who.clone(), 0..200_usize).prop_map(|(who, bytes)| Step::Take(who, bytes)),
        (who, any::<bool>()).prop_map(|(who, broken)| Step::Go(who, broken)),
        (0..20_000_u64).prop_map(Step::Wait),
    ]
}

proptest! {
    /// Whatever happens in whatever order, nothing panics, the counts are right, what the game master gets
    /// are whole messages with numbers that were given, and an agent gets only what names it.
    #[test]
    fn any_order_of_events_keeps_everybody_apart(steps in vec(step(), 0..120)) {
        let small = Limits { connections: 4, gm_buffer_bytes: 300, agent_buffer_bytes: 300, ..limits() };
        let mut bench = Bench::new(small);
        let mut peers: Vec<(Peer, Decoder)> = Vec::new();
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
                Step::Message(who, id) => if let Some(peer) = at(who) {
                    bench.send(peer, &format!(r#"{{"messageID":5,"agentID":{id},"payload":[]}}"#));
                },
                Step::Take(who, bytes) => if !peers.is_empty() {
                    let who = who % peers.len();
                    let (peer, decoder) = &mut peers[who];
                    let pending = bench.router.pending(*peer);
                    let bytes = pending.len().min(bytes);
                    let taken = pending[..bytes].to_owned();
                    let mut rest = &taken[..];
                    while let Some(body) = decoder.next(&mut rest) {
                        let named = Envelope::parse(body.unwrap()).unwrap().agent_id.unwrap();
                        match peer {
                            Peer::Gm => prop_assert!((1..=i64::from(given)).contains(&named)),
                            Peer::Agent(id) => prop_assert_eq!(named, i64::from(id.get())),
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
                    bench.now += Duration::from_millis(milliseconds);
                    bench.handle(Input::Woken);
                }
            }
            peers.retain(|(peer, _)| !bench.outputs.contains(&Output::Drop(*peer)));
            let agents = peers.iter().filter(|(peer, _)| *peer != Peer::Gm).count();
            prop_assert_eq!(bench.router.totals().agents, agents);
            prop_assert_eq!(bench.router.totals().gm, agents < peers.len());
            if bench.outputs.iter().any(|output| matches!(output, Output::Over(_))) {
                prop_assert!(peers.is_empty());
                return Ok(());
            }
        }
    }
}
