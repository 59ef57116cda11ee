//! The server in a simulation: what `reference_gm::eriantys::server` does, over simulated connections. Its journal is a
//! list, which survives when the server is killed.

use game_env::{Environment as _, Millis, Seed, SimTime};
use reference_gm::eriantys::master::{DrawToken, Totals};
use reference_gm::eriantys::{ConnectionId, Ended, Input, Master, Output, Record, Settings};
use wire::eriantys::Token;

use super::{Machine, Network, moment, sim_time};
use crate::network::{Side, Socket};
use crate::outboxes::{Heard, Outboxes};

/// The server.
pub(super) struct Host {
    settings: Settings,
    master: Master,
    /// When its clock stood at its start.
    began: std::time::Duration,
    links: Outboxes,
    records: Vec<Record>,
    /// How often it was started.
    starts: u64,
    is_stopped: bool,
    pub(super) ended: Vec<Ended>,
    pub(super) actions: u64,
    pub(super) faults: Vec<String>,
}

/// How long a match waits to which nobody comes back: it is over before the run ends.
const KEEP: Millis = Millis::new(600_000);

/// Tokens that follow from a seed; here nobody guesses.
fn tokens(seed: Seed) -> DrawToken {
    let mut number = 0;
    Box::new(move || {
        number += 1;
        let [one, other] = [0, 1].map(|half| seed.child(2 * number + half).get().to_le_bytes());
        let mut bits = [0; 16];
        bits[..8].copy_from_slice(&one);
        bits[8..].copy_from_slice(&other);
        Token::new(bits)
    })
}

impl Host {
    pub(super) fn new(seed: Seed) -> Self {
        let settings = Settings { seed, keep: KEEP, ..Settings::default() };
        Self {
            master: Master::new(settings.clone(), tokens(seed)),
            settings,
            began: std::time::Duration::ZERO,
            links: Outboxes::default(),
            records: Vec::new(),
            starts: 0,
            is_stopped: false,
            ended: Vec::new(),
            actions: 0,
            faults: Vec::new(),
        }
    }

    pub(super) fn totals(&self) -> Totals {
        self.master.totals()
    }

    pub(super) fn accept(&mut self, net: &mut Network, link: usize) {
        if self.is_stopped {
            return net.hang_up(Socket { link, side: Side::Server }, true);
        }
        self.links.open(link);
        self.handle(net, Input::Connected(id(link)));
        self.attend(net, link);
    }

    /// Something may be there to be read, or there is room to write.
    pub(super) fn attend(&mut self, net: &mut Network, link: usize) {
        self.links.flush(net, link);
        while let Some(heard) = self.links.hear(net, link) {
            match heard {
                Heard::Bytes(bytes) => self.handle(net, Input::Received(id(link), &bytes)),
                Heard::End => self.handle(net, Input::Ended(id(link))),
            }
        }
        self.set_alarm(net);
    }

    pub(super) fn tick(&mut self, net: &mut Network) {
        self.handle(net, Input::Tick);
        self.set_alarm(net);
    }

    /// The operator stops the server. Nobody plays any more, and too few are left for a match.
    pub(super) fn stop(&mut self, net: &mut Network) {
        let totals = self.master.totals();
        if totals.matches > 0 || totals.lobbies > 1 {
            self.faults.push(format!("the server is stopped with {totals:?}"));
        }
        self.is_stopped = true;
        self.handle(net, Input::Stop);
        self.set_alarm(net);
    }

    /// The process is killed, and another one goes on with the journal.
    pub(super) fn kill(&mut self, net: &mut Network) {
        net.say(|| "the server is killed".to_owned());
        self.links.break_all(net);
        self.starts += 1;
        let before: Vec<_> = self.master.matches().map(|(id, state)| (id, state.hash())).collect();
        let draw = tokens(self.settings.seed.child(1 << (32 + self.starts)));
        match Master::restore(self.settings.clone(), draw, self.records.iter().cloned()) {
            Ok(master) => self.master = master,
            Err(error) => return self.faults.push(format!("the server cannot be restored: {error}")),
        }
        let after: Vec<_> = self.master.matches().map(|(id, state)| (id, state.hash())).collect();
        if before != after {
            self.faults.push("the restored server has other matches".to_owned());
        }
        // The matches that ended are told again: their replays are there.
        while self.master.poll_output().is_some() {}
        self.records = self.master.snapshot();
        self.began = net.now();
        self.set_alarm(net);
    }

    fn handle(&mut self, net: &mut Network, input: Input<'_>) {
        let now = self.now(net);
        self.master.handle(now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => {
                    net.say(|| format!("server: {record}"));
                    self.actions += u64::from(matches!(record, Record::Action(..)));
                    self.records.push(record);
                }
                Output::Send(id, bytes) => {
                    net.say(|| format!("server > {id}: {}", bytes.escape_ascii()));
                    self.links.send(net, link(id), bytes);
                }
                Output::Close(id) => {
                    self.links.close(net, link(id));
                }
                Output::Ended(game) => self.ended.push(*game),
                Output::Done => {}
            }
        }
    }

    fn set_alarm(&mut self, net: &mut Network) {
        let at = self.master.wake_at().map(|at| self.began + moment(at));
        net.wake(Machine::Host, at);
    }

    fn now(&self, net: &Network) -> SimTime {
        sim_time(net.now().saturating_sub(self.began))
    }
}

fn id(link: usize) -> ConnectionId {
    ConnectionId(link as u64)
}

fn link(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("it was made of a link")
}
