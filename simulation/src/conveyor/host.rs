//! The controller in a simulation: the counterpart of `reference_gm::conveyor::shells`, over simulated connections.

use std::time::Duration;

use game_env::SimTime;
use reference_gm::conveyor::controller::{Controller, End, Input, Output, Settings};
use reference_gm::server::ConnectionId;

use super::{BOARDS, Machine, Network};
use crate::network::{Side, Socket};
use crate::outboxes::{Heard, Outboxes};

/// The controller.
pub(super) struct Host {
    controller: Controller,
    links: Outboxes,
    pub(super) end: Option<End>,
}

impl Host {
    pub(super) fn new() -> Self {
        Self {
            controller: Controller::new(Settings { alone: true, ..Settings::default() }),
            links: Outboxes::default(),
            end: None,
        }
    }

    pub(super) fn accept(&mut self, net: &mut Network, link: usize) {
        if self.end.is_some() {
            return net.hang_up(Socket { link, side: Side::Server }, true);
        }
        self.links.open(link);
        let id = ConnectionId(link as u64);
        self.handle(net, if link < BOARDS { Input::Board(id) } else { Input::Player(id) });
        self.attend(net, link);
    }

    /// Handles a link on which bytes may have arrived, or there is room to write.
    pub(super) fn attend(&mut self, net: &mut Network, link: usize) {
        self.links.flush(net, link);
        while let Some(heard) = self.links.hear(net, link) {
            match heard {
                Heard::Bytes(bytes) => self.handle(net, Input::Received(ConnectionId(link as u64), &bytes)),
                Heard::End => self.handle(net, Input::Ended(ConnectionId(link as u64))),
            }
        }
    }

    pub(super) fn tick(&mut self, net: &mut Network) {
        self.handle(net, Input::Tick);
    }

    /// Returns whether a board has described itself, so that a game has begun.
    pub(super) fn has_game(&self) -> bool {
        self.controller.list().is_some()
    }

    pub(super) fn stop(&mut self, net: &mut Network) {
        self.handle(net, Input::Stop);
    }

    fn handle(&mut self, net: &mut Network, input: Input<'_>) {
        self.controller.handle(SimTime::from(net.now()), input);
        while let Some(output) = self.controller.poll_output() {
            match output {
                Output::Send(id, bytes) => {
                    net.say(|| format!("controller > {id}: {}", bytes.escape_ascii()));
                    self.links.send(net, link(id), bytes);
                }
                Output::Close(id) => {
                    net.say(|| format!("controller closes {id}"));
                    self.links.close(net, link(id));
                }
                Output::Report(news) => net.say(|| format!("controller: {news}")),
                Output::Done(end) => {
                    net.say(|| format!("controller ends: {end}"));
                    self.end = Some(end);
                }
            }
        }
        let wake = self.controller.wake_at().filter(|_| self.end.is_none());
        net.wake(Machine::Host, wake.map(Duration::from));
    }
}

fn link(id: ConnectionId) -> usize {
    usize::try_from(id.0).expect("it was made of a link")
}
