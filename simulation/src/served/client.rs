//! A client in a simulation: the counterpart of `clients::agent`, over simulated connections.

use std::time::Duration;

use clients::ClientSession;
use clients::session::{Input, Output};
use game_env::{Choice, Environment, Policy, RandomPolicy, Seed, SimTime};

use super::{LINKS_PER_CLIENT, Machine, Network};
use crate::client_link::ClientLink;
use crate::network::Found;

type Action<S> = <<S as ClientSession>::Game as Environment>::Action;

/// A client that acts at random.
pub(crate) struct Client<S: ClientSession> {
    pub(crate) place: usize,
    /// Creates the session when the client starts.
    begin: Box<dyn Fn(SimTime) -> S>,
    session: Option<S>,
    policy: RandomPolicy<Action<S>>,
    /// Time for which the policy thinks.
    thinks: Duration,
    /// The moment at which it is done with thinking.
    deciding: Option<Duration>,
    /// Connections so far.
    links: usize,
    /// The last connection, or the first one before there is any.
    link: ClientLink,
    /// All reports of its session.
    pub(crate) news: Vec<S::News>,
    pub(crate) end: Option<S::End>,
}

impl<S: ClientSession> Client<S> {
    /// Creates a client that starts with the session that `begin` creates.
    pub(crate) fn new(
        place: usize,
        seed: Seed,
        thinks: Duration,
        begin: impl Fn(SimTime) -> S + 'static,
    ) -> Self {
        Self {
            place,
            begin: Box::new(begin),
            session: None,
            policy: RandomPolicy::new(seed.child(place as u64).game()),
            thinks,
            deciding: None,
            links: 0,
            link: ClientLink::new(place * LINKS_PER_CLIENT),
            news: Vec::new(),
            end: None,
        }
    }

    /// It starts.
    pub(super) fn arrive(&mut self, net: &mut Network) {
        self.session = Some((self.begin)(SimTime::from(net.now())));
        self.turn(net);
    }

    /// Its connection breaks, if there is one.
    pub(super) fn break_off(&mut self, net: &mut Network) {
        if self.link.is_open() && self.end.is_none() {
            let place = self.place;
            net.say(|| format!("the connection of client {place} breaks"));
            self.link.hang_up(net, true);
            self.lose(net);
            self.turn(net);
        }
    }

    /// Handles a connection on which bytes may have arrived, or there is room to write.
    pub(super) fn attend(&mut self, net: &mut Network, link: usize) {
        if !self.link.is_open() || link != self.link.number {
            return;
        }
        self.link.write(net);
        while self.link.is_open() {
            match self.link.read(net, 1 << 14) {
                Found::Nothing => break,
                Found::Bytes(bytes) => self.handle(net, Input::Received(&bytes)),
                Found::End(_) => {
                    self.link.hang_up(net, false);
                    self.lose(net);
                }
            }
            self.obey(net);
        }
        self.turn(net);
    }

    /// Handles the moment that it waits for.
    pub(super) fn tick(&mut self, net: &mut Network) {
        if self.deciding.is_some_and(|at| at <= net.now()) {
            self.deciding = None;
            let mut seen = <S::Game as Environment>::Observation::default();
            let session = self.session.as_ref().filter(|session| session.observe(&mut seen));
            if let Some(player) = session.and_then(S::player) {
                let choice = Policy::<S::Game>::choose(&mut self.policy, SimTime::START, player, &seen);
                // A turn that is over by now is nobody's to use.
                if let Choice::Act(action) = choice {
                    self.handle(net, Input::Choice(Some(action)));
                }
            }
        }
        self.handle(net, Input::Tick);
        self.turn(net);
    }

    fn handle(&mut self, net: &Network, input: Input<'_, Action<S>>) {
        if let Some(session) = &mut self.session {
            session.handle(SimTime::from(net.now()), input);
        }
    }

    /// Carries out the session's outputs, and sets the timer.
    fn turn(&mut self, net: &mut Network) {
        self.obey(net);
        let wake =
            self.session.as_ref().filter(|_| self.end.is_none()).and_then(S::wake_at).map(Duration::from);
        let next = [wake, self.deciding].into_iter().flatten().min();
        net.wake(Machine::Client(self.place), next);
    }

    fn obey(&mut self, net: &mut Network) {
        while let Some(output) = self.session.as_mut().and_then(S::poll_output) {
            let place = self.place;
            match output {
                Output::Connect => {
                    if self.links == LINKS_PER_CLIENT {
                        self.handle(net, Input::Unreachable("no connection is left".to_owned()));
                        continue;
                    }
                    self.link = ClientLink::new(place * LINKS_PER_CLIENT + self.links);
                    self.links += 1;
                    self.link.connect(net);
                    self.handle(net, Input::Connected);
                }
                Output::Send(bytes) => {
                    net.say(|| format!("client {place} > {}", bytes.escape_ascii()));
                    self.link.send(net, &bytes);
                }
                Output::Decide => self.deciding = Some(net.now() + self.thinks),
                Output::Hear(_) | Output::Over(_) => {}
                Output::Report(news) => {
                    net.say(|| format!("client {place}: {news}"));
                    self.news.push(news);
                }
                Output::Done(end) => {
                    net.say(|| format!("client {place} ends: {end}"));
                    self.end = Some(end);
                    self.deciding = None;
                    self.link.hang_up(net, false);
                }
            }
        }
    }

    fn lose(&mut self, net: &Network) {
        self.deciding = None;
        self.handle(net, Input::Closed);
    }
}
