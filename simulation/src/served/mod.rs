//! A server and its clients in a simulation, for games whose server is a [`Master`](reference_gm::server::Master).
//!
//! [`ServedGames`] connects a [`Host`] and its [`Client`]s, and passes the events to them. A game gives the parts of
//! its server in [`Served`], and checks the rules for its runs in its own module.

mod client;
mod host;

use std::time::Duration;

use clients::ClientSession;

use crate::network::{NetworkEvent, Side};
use crate::run::{Summary, System, drive};
use crate::sampler::{Quality, Sampler};

pub(crate) use self::client::Client;
pub(crate) use self::host::{Host, Served};

/// The machine that sets a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Machine {
    /// The server.
    Host,
    /// A client, by its place.
    Client(usize),
}

/// Event from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// A client starts.
    Arrive(usize),
    /// A client's connection breaks.
    Break(usize),
    /// The server is killed, and started again at once with the journal on disk.
    Kill,
    /// The server is killed in the middle of its next write, and started again at once with the journal on disk.
    KillWhileWriting,
    /// The operator stops the server.
    Stop,
}

pub(crate) type Network = crate::network::Network<Machine, Fault>;

/// Number of connections that each client may make in a run.
pub(crate) const LINKS_PER_CLIENT: usize = 40;

/// The time at which faults end, so that everything can be played to its end.
pub(crate) const FAULTS_END: Duration = Duration::from_secs(60);

/// The server, its clients, and the network that connects them.
pub(crate) struct ServedGames<S: Served, C: ClientSession> {
    pub(crate) net: Network,
    pub(crate) host: Host<S>,
    pub(crate) clients: Vec<Client<C>>,
}

impl<S: Served, C: ClientSession> ServedGames<S, C> {
    /// Draws when clients arrive, when connections break, and when the server is killed; it is stopped at `stop`.
    pub(crate) fn schedule(&mut self, sampler: &mut Sampler, quality: Quality, stop: Duration) {
        let count = self.clients.len();
        for place in 0..count {
            self.net.outside(sampler.millis(0..=5_000), Fault::Arrive(place));
        }
        if quality != Quality::Ideal {
            for _ in 0..sampler.index(6) {
                let place = sampler.index(count);
                self.net.outside(sampler.millis(0..=60_000), Fault::Break(place));
            }
            for _ in 0..sampler.index(8) {
                let kill = if sampler.happens(0.5) { Fault::Kill } else { Fault::KillWhileWriting };
                self.net.outside(sampler.millis(0..=60_000), kill);
            }
        }
        self.net.outside(stop, Fault::Stop);
    }

    /// Plays until nothing is left to happen. Returns the counts of the run, and its faults: it does not end, the
    /// server reports a fault, or a client has no end or one that `is_fault`.
    pub(crate) fn play(
        &mut self,
        deadline: Duration,
        is_fault: impl Fn(&C::End) -> bool,
    ) -> (Summary, Vec<String>) {
        let mut faults = Vec::new();
        let events = drive(self, deadline).unwrap_or_else(|no_end| {
            faults.push(no_end.to_string());
            no_end.events
        });
        for client in &self.clients {
            match &client.end {
                None => faults.push(format!("client {} has no end", client.place)),
                Some(end) if is_fault(end) => faults.push(format!("client {}: {end}", client.place)),
                Some(_) => {}
            }
        }
        faults.extend(self.host.faults.iter().cloned());
        (Summary { requests: self.host.actions, events, time: self.net.now() }, faults)
    }
}

impl<S: Served, C: ClientSession> System for ServedGames<S, C> {
    type Machine = Machine;
    type Outside = Fault;

    fn network(&mut self) -> &mut Network {
        &mut self.net
    }

    fn handle(&mut self, event: NetworkEvent<Machine, Fault>) {
        let Self { net, host, clients } = self;
        match event {
            NetworkEvent::Knock(link) => host.accept(net, link),
            NetworkEvent::Readable(socket) | NetworkEvent::Writable(socket) => match socket.side {
                Side::Server => host.attend(net, socket.link),
                Side::Client => clients[socket.link / LINKS_PER_CLIENT].attend(net, socket.link),
            },
            NetworkEvent::Alarm(machine, count) if net.is_due(machine, count) => match machine {
                Machine::Host => host.tick(net),
                Machine::Client(place) => clients[place].tick(net),
            },
            NetworkEvent::Alarm(..) => {}
            NetworkEvent::Outside(Fault::Arrive(place)) => clients[place].arrive(net),
            NetworkEvent::Outside(Fault::Break(place)) => clients[place].break_off(net),
            NetworkEvent::Outside(Fault::Kill) => host.kill(net),
            NetworkEvent::Outside(Fault::KillWhileWriting) => host.kill_while_writing(),
            NetworkEvent::Outside(Fault::Stop) => host.stop(net),
        }
    }
}
