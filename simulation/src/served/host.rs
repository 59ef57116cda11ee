//! The server in a simulation: the counterpart of `reference_gm::server`, over simulated connections. Its journal is a
//! file in memory, which survives when the server is killed, also in the middle of a write.

use std::path::Path;
use std::time::Duration;

use game_env::{Chance, Seed, SimTime};
use reference_gm::archive::EndedGame;
use reference_gm::journal;
use reference_gm::server::{ConnectionId, DrawToken, Input, InputOf, Master, Origin, Output};
use wire::token::Token;

use super::{LINKS_PER_CLIENT, Machine, Network};
use crate::network::{Side, Socket};
use crate::outboxes::{Heard, Outboxes};

/// Parts of the server of a game.
pub(crate) trait Served {
    /// All decisions of the server.
    type Master: Master<Record: Clone>;
    /// The games that are being played, as far as a restart must not change them.
    type Games: PartialEq;

    /// Returns the seed of tokens and games.
    fn seed(&self) -> Seed;

    /// Returns a master that has nothing to remember.
    fn begin(&self, draw: DrawToken) -> Self::Master;

    /// Returns the master of a server that ended, or the reason why there is none.
    fn restore(
        &self,
        draw: DrawToken,
        records: Vec<<Self::Master as Master>::Record>,
    ) -> Result<Self::Master, String>;

    /// Returns the games that are being played.
    fn games(master: &Self::Master) -> Self::Games;

    /// Returns whether this record is an action of a player.
    fn is_action(record: &<Self::Master as Master>::Record) -> bool;

    /// Returns whether a player is in a game, or waits and could be.
    fn is_busy(totals: &<Self::Master as Master>::Totals) -> bool;
}

/// The server.
pub(crate) struct Host<S: Served> {
    served: S,
    master: S::Master,
    /// The time at which its clock stood at its start.
    began: Duration,
    links: Outboxes,
    /// The journal, byte for byte.
    disk: Vec<u8>,
    /// Random numbers that decide which part of its last write a killed server has done.
    chance: Chance,
    /// The next write is the last one of the server: it is killed while it writes.
    dies_writing: bool,
    /// Number of restarts.
    restarts: u64,
    is_stopped: bool,
    pub(crate) ended: Vec<EndedGame<<S::Master as Master>::Game>>,
    pub(crate) actions: u64,
    pub(crate) faults: Vec<String>,
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

impl<S: Served> Host<S> {
    pub(crate) fn new(served: S) -> Self {
        Self {
            master: served.begin(tokens(served.seed())),
            chance: served.seed().child(1 << 40).game(),
            served,
            began: Duration::ZERO,
            links: Outboxes::default(),
            disk: journal::encode::<<S::Master as Master>::Record>(&[]),
            dies_writing: false,
            restarts: 0,
            is_stopped: false,
            ended: Vec::new(),
            actions: 0,
            faults: Vec::new(),
        }
    }

    pub(crate) fn totals(&self) -> <S::Master as Master>::Totals {
        self.master.totals()
    }

    pub(super) fn accept(&mut self, net: &mut Network, link: usize) {
        if self.is_stopped {
            return net.hang_up(Socket { link, side: Side::Server }, true);
        }
        self.links.open(link);
        self.handle(net, Input::Connected(id(link), origin(link)));
        self.attend(net, link);
    }

    /// Handles a link on which bytes may have arrived, or there is room to write.
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

    /// The operator stops the server. No player is in a game any more, and the players who wait are too few for one.
    pub(super) fn stop(&mut self, net: &mut Network) {
        let totals = self.master.totals();
        if S::is_busy(&totals) {
            self.faults.push(format!("the server is stopped with {totals:?}"));
        }
        self.is_stopped = true;
        self.handle(net, Input::Stop);
        self.set_alarm(net);
    }

    /// The process is killed, and another one goes on with the journal.
    pub(super) fn kill(&mut self, net: &mut Network) {
        let before = S::games(&self.master);
        self.restart(net);
        if before != S::games(&self.master) {
            self.faults.push("the restored server has other games".to_owned());
        }
    }

    /// The process is killed in the middle of its next write.
    pub(super) fn kill_while_writing(&mut self) {
        self.dies_writing = true;
    }

    /// Another process begins with the journal on disk.
    fn restart(&mut self, net: &mut Network) {
        net.say(|| "the server is killed".to_owned());
        self.links.break_all(net);
        self.restarts += 1;
        self.dies_writing = false;
        // Any beginning of the journal can be opened, not only that which is on disk now.
        let length = self.below(self.disk.len() + 1);
        if let Err(error) = self.open(&self.disk[..length]) {
            self.faults.push(format!("the first {length} bytes of the journal cannot be opened: {error}"));
        }
        match self.open(&self.disk) {
            Ok(master) => self.master = master,
            Err(error) => return self.faults.push(format!("the server cannot be restored: {error}")),
        }
        // The games that ended are reported again. Most replays are there; those of the last write may be missing.
        while let Some(output) = self.master.poll_output() {
            if let Output::Ended(game) = output
                && self.ended.iter().all(|known| known.id != game.id)
            {
                self.ended.push(*game);
            }
        }
        self.disk = journal::encode(&self.master.snapshot());
        self.began = net.now();
        self.set_alarm(net);
    }

    /// Returns the master of a process that finds this journal.
    fn open(&self, bytes: &[u8]) -> Result<S::Master, String> {
        let (records, _) =
            journal::decode(Path::new(journal::FILE), bytes).map_err(|error| error.to_string())?;
        self.served.restore(tokens(self.served.seed().child(1 << (32 + self.restarts % 31))), records)
    }

    fn handle(&mut self, net: &mut Network, input: InputOf<'_, S::Master>) {
        let now = self.now(net);
        self.master.handle(now, input);
        let outputs: Vec<_> = std::iter::from_fn(|| self.master.poll_output()).collect();
        let mut lines = Vec::new();
        let mut actions = 0;
        for output in &outputs {
            if let Output::Record(record) = output {
                net.say(|| format!("server: {record}"));
                actions += u64::from(S::is_action(record));
                journal::append(record, &mut lines);
            }
        }
        if self.dies_writing && !lines.is_empty() {
            // No client has got an answer that depends on a record that was not written.
            lines.truncate(self.below(lines.len() + 1));
            self.disk.extend(lines);
            return self.restart(net);
        }
        self.disk.extend(lines);
        self.actions += actions;
        for output in outputs {
            match output {
                // No client is local.
                Output::Record(_) | Output::Tell(..) | Output::Done => {}
                Output::Send(id, bytes) => {
                    net.say(|| format!("server > {id}: {}", bytes.escape_ascii()));
                    self.links.send(net, link(id), bytes);
                }
                Output::Close(id) => {
                    self.links.close(net, link(id));
                }
                Output::Ended(game) => self.ended.push(*game),
            }
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.chance.index(bound)
    }

    fn set_alarm(&mut self, net: &mut Network) {
        let at = self.master.wake_at().map(|at| self.began + Duration::from(at));
        net.wake(Machine::Host, at);
    }

    fn now(&self, net: &Network) -> SimTime {
        SimTime::from(net.now().saturating_sub(self.began))
    }
}

fn id(link: usize) -> ConnectionId {
    ConnectionId(link as u64)
}

/// Each client has an address of its own.
fn origin(link: usize) -> Origin {
    let place = u8::try_from(link / LINKS_PER_CLIENT).expect("there are few clients");
    Origin::of([10, 0, 0, place].into())
}

fn link(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("it was made of a link")
}
