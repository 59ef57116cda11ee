//! The communication server in a simulation: the counterpart of `cs::server`, over simulated connections.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use cs::config::Limits;
use cs::router::{Ending, Input, Output, Peer, Report, Role, Router};
use game_env::SimTime;
use wire::frame::Decoder;

use super::audit::Audit;
use super::{Machine, Network};
use crate::network::{Found, Side, Socket};

/// The most that is read from one peer before others have their turn, as in `cs::server`.
const READ_BYTES: usize = 64 * 1024;

/// A communication server, whose clock begins with the simulation.
pub(super) struct Relay {
    router: Router,
    limits: Limits,
    links: BTreeMap<Peer, usize>,
    peers: BTreeMap<usize, Peer>,
    finishing: BTreeSet<Peer>,
    /// Agents that are not read until the game master has caught up.
    unread: BTreeSet<Peer>,
    /// Agents that are not read until the router says so.
    held: BTreeSet<Peer>,
    to_write: Vec<Peer>,
    /// Cuts the bytes that were written to the game master into messages again.
    passed_on: Decoder,
    /// Whether it has begun to close every connection: lost agents are not reported any more.
    is_ending: bool,
    is_gone: bool,
    /// The end of the server, if it ended by itself.
    pub(super) ending: Option<Ending>,
}

impl Relay {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            router: Router::new(limits),
            limits,
            links: BTreeMap::new(),
            peers: BTreeMap::new(),
            finishing: BTreeSet::new(),
            unread: BTreeSet::new(),
            held: BTreeSet::new(),
            to_write: Vec::new(),
            passed_on: Decoder::new(u16::MAX),
            is_ending: false,
            is_gone: false,
            ending: None,
        }
    }

    /// Returns whether nobody listens any more.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Handles a new connection.
    pub(super) fn knock(&mut self, net: &mut Network, audit: &mut Audit, link: usize) {
        let socket = Socket { link, side: Side::Server };
        if self.is_gone {
            return net.hang_up(socket, true);
        }
        let role = if link == 0 { Role::Gm } else { Role::Agent };
        let port = 10_000 + u16::try_from(link).expect("a simulation has few links");
        let from = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        self.router.handle(self.time(net), Input::Connected { role, from });
        match self.router.poll_output() {
            Some(Output::Admitted(peer)) => {
                self.links.insert(peer, link);
                self.peers.insert(link, peer);
                if let Peer::Agent(id) = peer {
                    audit.admitted(link, i64::from(id.get()));
                }
            }
            Some(Output::Refused) => net.hang_up(socket, false),
            other => panic!("a connection is answered first, not with {other:?}"),
        }
        self.finish_turn(net, audit);
        self.readable(net, audit, link);
    }

    /// Reads bytes that may have arrived.
    pub(super) fn readable(&mut self, net: &mut Network, audit: &mut Audit, link: usize) {
        let socket = Socket { link, side: Side::Server };
        loop {
            let Some(peer) = self.peers.get(&link).copied().filter(|_| !self.is_gone) else { return };
            let is_agent = matches!(peer, Peer::Agent(_));
            if is_agent && !self.router.takes_from_agents() {
                self.unread.insert(peer);
                return;
            }
            if self.held.contains(&peer) {
                return;
            }
            match net.read(socket, READ_BYTES) {
                Found::Nothing => return,
                Found::Bytes(bytes) => {
                    let waiting = self.router.pending_for_gm().1.len();
                    let may_read = !is_agent || self.is_ending || waiting < self.limits.gm_buffer_bytes;
                    audit.check(may_read, || {
                        format!("{peer:?} is read although {waiting} bytes wait for the game master")
                    });
                    self.router.handle(self.time(net), Input::Received { peer, bytes: &bytes });
                }
                Found::End(error) => {
                    self.forget(net, audit, peer);
                    self.router.handle(self.time(net), Input::Ended { peer, error });
                }
            }
            self.finish_turn(net, audit);
        }
    }

    /// There is room to write again.
    pub(super) fn writable(&mut self, net: &mut Network, audit: &mut Audit, link: usize) {
        if let Some(peer) = self.peers.get(&link).copied().filter(|_| !self.is_gone) {
            self.to_write.push(peer);
            self.finish_turn(net, audit);
        }
    }

    pub(super) fn woken(&mut self, net: &mut Network, audit: &mut Audit) {
        if !self.is_gone {
            self.router.handle(self.time(net), Input::Tick);
            self.finish_turn(net, audit);
        }
    }

    /// The operator stops it.
    pub(super) fn stop(&mut self, net: &mut Network, audit: &mut Audit) {
        if !self.is_gone {
            self.router.handle(self.time(net), Input::Stop);
            self.finish_turn(net, audit);
        }
    }

    /// Its process is gone from one moment to the next.
    pub(super) fn die(&mut self, net: &mut Network) {
        if !std::mem::replace(&mut self.is_gone, true) {
            for link in std::mem::take(&mut self.peers).into_keys() {
                net.hang_up(Socket { link, side: Side::Server }, true);
            }
            net.wake(Machine::Server, None);
        }
    }

    /// Passes the messages that still wait for the game master to the audit.
    pub(super) fn unsent(&mut self, audit: &mut Audit) {
        let mut rest = self.router.pending_for_gm().1;
        while let Some(body) = self.passed_on.next(&mut rest) {
            audit.passed_on(body.expect("the server writes whole frames"));
        }
    }

    fn time(&self, net: &Network) -> SimTime {
        net.now().into()
    }

    /// Carries out the router's outputs until there are none.
    fn finish_turn(&mut self, net: &mut Network, audit: &mut Audit) {
        loop {
            while let Some(output) = self.router.poll_output() {
                self.obey(net, audit, output);
            }
            if self.to_write.is_empty() {
                break;
            }
            let peer = self.to_write.remove(0);
            self.write(net, audit, peer);
        }
        self.check_memory(audit);
        if self.is_gone {
            return;
        }
        net.wake(Machine::Server, self.router.wake_at().map(Duration::from));
        if self.router.takes_from_agents() {
            for peer in std::mem::take(&mut self.unread) {
                if let Some(link) = self.links.get(&peer).copied() {
                    self.readable(net, audit, link);
                }
            }
        }
    }

    fn obey(&mut self, net: &mut Network, audit: &mut Audit, output: Output) {
        match output {
            Output::Write(peer) => self.to_write.push(peer),
            Output::Finish(peer) => {
                self.finishing.insert(peer);
                self.to_write.push(peer);
            }
            Output::Drop(peer) => {
                if let Some(link) = self.links.get(&peer).copied() {
                    audit.dropped(link);
                    self.forget(net, audit, peer);
                }
            }
            Output::Hold(peer) => drop(self.held.insert(peer)),
            Output::Resume(peer) => {
                // Read at the end of the turn, as those for which there was no room.
                if self.held.remove(&peer) {
                    self.unread.insert(peer);
                }
            }
            Output::Report(report) => {
                self.is_ending |= matches!(report, Report::Ending(_));
                net.say(|| format!("cs: {report}"));
            }
            Output::Done(ending) => {
                net.say(|| format!("cs: over, {ending:?}"));
                self.ending = Some(ending);
                self.is_gone = true;
                net.wake(Machine::Server, None);
            }
            Output::Admitted(_) | Output::Refused => panic!("only a connection is answered so"),
        }
    }

    /// Closes this end of a connection.
    fn forget(&mut self, net: &mut Network, audit: &mut Audit, peer: Peer) {
        let Some(link) = self.links.remove(&peer) else { return };
        self.peers.remove(&link);
        self.finishing.remove(&peer);
        self.unread.remove(&peer);
        self.held.remove(&peer);
        if let Peer::Agent(id) = peer {
            audit.ended(i64::from(id.get()), self.is_ending);
        }
        net.hang_up(Socket { link, side: Side::Server }, false);
    }

    fn write(&mut self, net: &mut Network, audit: &mut Audit, peer: Peer) {
        let Some(link) = self.links.get(&peer).copied() else { return };
        let socket = Socket { link, side: Side::Server };
        loop {
            let pending = self.router.pending(peer);
            if pending.is_empty() {
                if self.finishing.remove(&peer) {
                    net.shut_down(socket);
                }
                return;
            }
            let bytes = net.write(socket, pending);
            if matches!(peer, Peer::Gm(_)) {
                let mut written = &pending[..bytes];
                while let Some(body) = self.passed_on.next(&mut written) {
                    audit.passed_on(body.expect("the server writes whole frames"));
                }
            }
            if bytes == 0 {
                return;
            }
            self.router.handle(self.time(net), Input::Written { peer, bytes });
            while let Some(output) = self.router.poll_output() {
                self.obey(net, audit, output);
            }
        }
    }

    /// Checks that no act or omission of an agent lets its queue grow past its limit.
    fn check_memory(&self, audit: &mut Audit) {
        for peer in self.links.keys().filter(|peer| matches!(peer, Peer::Agent(_))) {
            let waiting = self.router.pending(*peer).len();
            audit.check(waiting <= self.limits.agent_buffer_bytes, || {
                format!("{waiting} bytes wait for {peer:?}")
            });
        }
    }
}
