//! The controller in a simulation: what `reference_gm::conveyor::shells` does, over simulated connections.

use std::collections::BTreeMap;

use reference_gm::connections::ConnectionId;
use reference_gm::conveyor::controller::{Controller, End, Input, Output, Settings};

use super::{BOARDS, Machine, Network, moment, sim_time};
use crate::network::{Found, Side, Socket};

/// The controller.
pub(super) struct Host {
    controller: Controller,
    /// The connection of each link that is open.
    open: BTreeMap<usize, Outbox>,
    pub(super) end: Option<End>,
}

#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
    is_closing: bool,
}

impl Host {
    pub(super) fn new() -> Self {
        Self {
            controller: Controller::new(Settings { alone: true, ..Settings::default() }),
            open: BTreeMap::new(),
            end: None,
        }
    }

    pub(super) fn accept(&mut self, net: &mut Network, link: usize) {
        if self.end.is_some() {
            return net.hang_up(Socket { link, side: Side::Server }, true);
        }
        self.open.insert(link, Outbox::default());
        let id = ConnectionId(link as u64);
        self.handle(net, if link < BOARDS { Input::Board(id) } else { Input::Player(id) });
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
                Found::Bytes(bytes) => self.handle(net, Input::Received(ConnectionId(link as u64), &bytes)),
                Found::End(_) => {
                    self.open.remove(&link);
                    net.hang_up(socket, false);
                    if !is_closing {
                        self.handle(net, Input::Ended(ConnectionId(link as u64)));
                    }
                }
            }
        }
    }

    pub(super) fn tick(&mut self, net: &mut Network) {
        self.handle(net, Input::Tick);
    }

    pub(super) fn stop(&mut self, net: &mut Network) {
        self.handle(net, Input::Stop);
    }

    fn handle(&mut self, net: &mut Network, input: Input<'_>) {
        self.controller.handle(sim_time(net.now()), input);
        while let Some(output) = self.controller.poll_output() {
            match output {
                Output::Send(id, bytes) => {
                    net.say(|| format!("controller > {id}: {}", bytes.escape_ascii()));
                    let link = link(id);
                    if let Some(outbox) = self.open.get_mut(&link) {
                        outbox.bytes.extend(bytes);
                        self.flush(net, link);
                    }
                }
                Output::Close(id) => {
                    net.say(|| format!("controller closes {id}"));
                    let link = link(id);
                    if let Some(outbox) = self.open.get_mut(&link) {
                        outbox.is_closing = true;
                        self.flush(net, link);
                    }
                }
                Output::Report(news) => net.say(|| format!("controller: {news}")),
                Output::Done(end) => {
                    net.say(|| format!("controller ends: {end}"));
                    self.end = Some(end);
                }
            }
        }
        let wake = self.controller.wake_at().filter(|_| self.end.is_none());
        net.wake(Machine::Host, wake.map(moment));
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
}

fn link(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("it was made of a link")
}
