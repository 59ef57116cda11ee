//! The server in a simulation: what `reference_gm::dots::server` does, over simulated connections. Its journal is a list,
//! which survives when the server is killed.

use std::collections::BTreeMap;

use game_dots::Config as Grid;
use game_env::{Seed, SimTime};
use reference_gm::dots::master::{DrawToken, Totals};
use reference_gm::dots::{ConnectionId, Ended, Input, Master, Output, Record, Settings};
use wire::dots::Token;

use super::{Machine, Network, moment, sim_time};
use crate::network::{Found, Side, Socket};

/// The server.
pub(super) struct Host {
    settings: Settings,
    master: Master,
    /// When its clock stood at its start.
    began: std::time::Duration,
    /// The connection of each link that is open.
    open: BTreeMap<usize, Outbox>,
    records: Vec<Record>,
    /// How often it was started.
    starts: u64,
    is_stopped: bool,
    pub(super) ended: Vec<Ended>,
    pub(super) moves: u64,
    pub(super) faults: Vec<String>,
}

#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
    is_closing: bool,
}

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
    pub(super) fn new(grid: Grid, seed: Seed) -> Self {
        let settings = Settings { grid, seed, ..Settings::default() };
        Self {
            master: Master::new(settings.clone(), tokens(seed)),
            settings,
            began: std::time::Duration::ZERO,
            open: BTreeMap::new(),
            records: Vec::new(),
            starts: 0,
            is_stopped: false,
            ended: Vec::new(),
            moves: 0,
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
        self.open.insert(link, Outbox::default());
        self.handle(net, Input::Connected(id(link)));
        self.attend(net, link);
    }

    /// Something may be there to be read, or there is room to write.
    pub(super) fn attend(&mut self, net: &mut Network, link: usize) {
        let socket = Socket { link, side: Side::Server };
        self.flush(net, link);
        while let Some(outbox) = self.open.get(&link) {
            let is_closing = outbox.is_closing;
            match net.read(socket, 1024) {
                Found::Nothing => break,
                // The last words of a connection that is closed are nobody's.
                Found::Bytes(_) if is_closing => {}
                Found::Bytes(bytes) => self.handle(net, Input::Received(id(link), &bytes)),
                Found::End(_) => {
                    self.open.remove(&link);
                    net.hang_up(socket, false);
                    if !is_closing {
                        self.handle(net, Input::Ended(id(link)));
                    }
                }
            }
        }
        self.set_alarm(net);
    }

    pub(super) fn tick(&mut self, net: &mut Network) {
        self.handle(net, Input::Tick);
        self.set_alarm(net);
    }

    /// The operator stops the server. Nobody plays any more, and at most one waits: there is nobody else.
    pub(super) fn stop(&mut self, net: &mut Network) {
        let totals = self.master.totals();
        if totals.games > 0 || totals.waiting > 1 {
            self.faults.push(format!("the server is stopped with {totals:?}"));
        }
        self.is_stopped = true;
        self.handle(net, Input::Stop);
        self.set_alarm(net);
    }

    /// The process is killed, and another one goes on with the journal.
    pub(super) fn kill(&mut self, net: &mut Network) {
        net.say(|| "the server is killed".to_owned());
        for link in std::mem::take(&mut self.open).into_keys() {
            net.hang_up(Socket { link, side: Side::Server }, true);
        }
        self.starts += 1;
        let before: Vec<_> = self.master.games().map(|(id, state, ..)| (id, state.clone())).collect();
        let draw = tokens(self.settings.seed.child(1 << (32 + self.starts)));
        match Master::restore(self.settings.clone(), draw, self.records.iter().cloned()) {
            Ok(master) => self.master = master,
            Err(error) => return self.faults.push(format!("the server cannot be restored: {error}")),
        }
        let after: Vec<_> = self.master.games().map(|(id, state, ..)| (id, state.clone())).collect();
        if before != after {
            self.faults.push("the restored server has other games".to_owned());
        }
        // The games that ended are told again: their replays are there.
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
                    self.moves += u64::from(matches!(record, Record::Move(..)));
                    self.records.push(record);
                }
                Output::Send(id, bytes) => {
                    net.say(|| format!("server > {id}: {}", bytes.escape_ascii()));
                    let link = link(id);
                    if let Some(outbox) = self.open.get_mut(&link) {
                        outbox.bytes.extend(bytes);
                        self.flush(net, link);
                    }
                }
                Output::Close(id) => {
                    let link = link(id);
                    if let Some(outbox) = self.open.get_mut(&link) {
                        outbox.is_closing = true;
                        self.flush(net, link);
                    }
                }
                Output::Ended(game) => self.ended.push(*game),
                Output::Done => {}
            }
        }
    }

    fn flush(&mut self, net: &mut Network, link: usize) {
        let socket = Socket { link, side: Side::Server };
        let Some(Outbox { bytes, is_closing }) = self.open.get_mut(&link) else { return };
        if net.is_closed(socket) {
            return;
        }
        if !bytes.is_empty() {
            let taken = net.write(socket, bytes);
            bytes.drain(..taken);
        }
        if bytes.is_empty() && *is_closing {
            net.shut_down(socket);
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
