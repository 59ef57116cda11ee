//! A client in a simulation: the counterpart of `clients::dots::agent`, over simulated connections.

use std::time::Duration;

use clients::dots::{End, Input, Output, Session, Settings};
use game_dots::{Config as Grid, Edge, Observation, State};
use game_env::{Choice, Policy, RandomPolicy, Seed, SimTime};

use super::PATIENCE;
use crate::network::{Found, Side, Socket};
use crate::served::{Guest, LINKS_PER_CLIENT, Machine, Network, moment, sim_time};

/// A client.
pub(super) struct Client {
    pub(super) place: usize,
    settings: Settings,
    session: Option<Session>,
    policy: RandomPolicy<Edge>,
    /// Time for which the policy thinks.
    thinks: Duration,
    /// The moment at which it is done with thinking.
    deciding: Option<Duration>,
    /// Connections so far; the last one is open if `is_open`.
    links: usize,
    is_open: bool,
    outbox: Vec<u8>,
    pub(super) end: Option<End>,
}

impl Guest for Client {
    fn arrive(&mut self, net: &mut Network) {
        self.session = Some(Session::new(self.settings.clone(), sim_time(net.now())));
        self.turn(net);
    }

    fn break_off(&mut self, net: &mut Network) {
        if self.is_open && self.end.is_none() {
            let place = self.place;
            net.say(|| format!("the connection of client {place} breaks"));
            net.hang_up(self.socket(), true);
            self.lose(net);
            self.turn(net);
        }
    }

    fn attend(&mut self, net: &mut Network, link: usize) {
        if !self.is_open || link != self.socket().link {
            return;
        }
        self.flush(net);
        while self.is_open {
            match net.read(self.socket(), 1 << 14) {
                Found::Nothing => break,
                Found::Bytes(bytes) => self.handle(net, Input::Received(&bytes)),
                Found::End(_) => {
                    net.hang_up(self.socket(), false);
                    self.lose(net);
                }
            }
            self.obey(net);
        }
        self.turn(net);
    }

    fn tick(&mut self, net: &mut Network) {
        if self.deciding.is_some_and(|at| at <= net.now()) {
            self.deciding = None;
            let mut seen = Observation::default();
            let session = self.session.as_ref().filter(|session| session.observe(&mut seen));
            if let Some(player) = session.and_then(Session::player) {
                let choice = Policy::<State>::choose(&mut self.policy, SimTime::START, player, &seen);
                let edge = match choice {
                    Choice::Act(edge) => Some(edge),
                    Choice::Wait(_) => None,
                };
                // A turn that is over by now is nobody's to use.
                if edge.is_some() {
                    self.handle(net, Input::Choice(edge));
                }
            }
        }
        self.handle(net, Input::Tick);
        self.turn(net);
    }
}

impl Client {
    pub(super) fn new(place: usize, grid: Grid, games: u32, seed: Seed, thinks: Duration) -> Self {
        let name = format!("client{place}").parse().expect("a short name");
        let settings = Settings { games: Some(games), patience: PATIENCE, ..Settings::new(name) };
        // The server tells every grid but the original's.
        debug_assert_ne!(grid, settings.grid);
        let policy = RandomPolicy::new(seed.child(place as u64).game());
        Self {
            place,
            settings,
            session: None,
            policy,
            thinks,
            deciding: None,
            links: 0,
            is_open: false,
            outbox: Vec::new(),
            end: None,
        }
    }

    fn handle(&mut self, net: &Network, input: Input<'_>) {
        if let Some(session) = &mut self.session {
            session.handle(sim_time(net.now()), input);
        }
    }

    /// Carries out the session's outputs, and sets the timer.
    fn turn(&mut self, net: &mut Network) {
        self.obey(net);
        let wake =
            self.session.as_ref().filter(|_| self.end.is_none()).and_then(Session::wake_at).map(moment);
        let next = [wake, self.deciding].into_iter().flatten().min();
        net.wake(Machine::Client(self.place), next);
    }

    fn obey(&mut self, net: &mut Network) {
        while let Some(output) = self.session.as_mut().and_then(Session::poll_output) {
            let place = self.place;
            match output {
                Output::Connect => {
                    if self.links == LINKS_PER_CLIENT {
                        self.handle(net, Input::Unreachable("no connection is left".to_owned()));
                        continue;
                    }
                    self.links += 1;
                    self.is_open = true;
                    self.outbox.clear();
                    net.connect(self.socket().link);
                    self.handle(net, Input::Connected);
                }
                Output::Send(bytes) => {
                    net.say(|| format!("client {place} > {}", bytes.escape_ascii()));
                    if self.is_open {
                        self.outbox.extend(bytes);
                        self.flush(net);
                    }
                }
                Output::Decide => self.deciding = Some(net.now() + self.thinks),
                Output::Hear(_) => {}
                Output::Report(news) => net.say(|| format!("client {place}: {news}")),
                Output::Done(end) => {
                    net.say(|| format!("client {place} ends: {end}"));
                    self.end = Some(end);
                    self.deciding = None;
                    if self.is_open {
                        net.hang_up(self.socket(), false);
                        self.is_open = false;
                    }
                }
            }
        }
    }

    fn flush(&mut self, net: &mut Network) {
        if self.is_open && !self.outbox.is_empty() {
            let taken = net.write(self.socket(), &self.outbox);
            self.outbox.drain(..taken);
        }
    }

    fn lose(&mut self, net: &Network) {
        self.is_open = false;
        self.deciding = None;
        self.handle(net, Input::Closed);
    }

    fn socket(&self) -> Socket {
        let link = self.place * LINKS_PER_CLIENT + self.links.saturating_sub(1);
        Socket { link, side: Side::Client }
    }
}
