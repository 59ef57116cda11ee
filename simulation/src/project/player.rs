//! A well-behaved agent in a simulation: the counterpart of `sdk::agent`, over a simulated connection.

use std::time::Duration;

use game_env::{Millis, SimTime};
use game_project::{ActionKind, Position};
use sdk::driver::session::{End, Input, News, Output, Session, Settings};
use sdk::strategy::{Choice, Strategy};
use wire::frame::Decoder;

use super::audit::Audit;
use super::{Machine, Network};
use crate::client_link::ClientLink;
use crate::network::Found;

/// Longest time for the communication server to accept bytes, as in `sdk::agent`.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Largest number of bytes that are read at once, as there.
const READ_BYTES: usize = 16 * 1024;

/// Longer than an agent waits by itself beyond the penalty of its last action.
const IDLE: Millis = Millis::new(8_000);

/// An agent, its strategy and its connection.
pub(super) struct Player {
    link: ClientLink,
    session: Session,
    strategy: Box<dyn Strategy>,
    decoder: Decoder,
    /// The time at which its clock stood at its start.
    began: Duration,
    /// The time since which it waits for the server to accept bytes.
    blocked: Option<Duration>,
    /// Time for which its strategy thinks.
    thinks: Duration,
    /// The moment at which its strategy is done choosing, and the choice.
    choosing: Option<(Duration, Choice)>,
    /// Whether it lets time pass of its own will.
    waits: bool,
    /// Whether it left because the server took nothing from it.
    gave_up: bool,
    pub(super) end: Option<End>,
    pub(super) blunders: usize,
}

impl Player {
    /// Creates an agent that connects now.
    pub(super) fn new(
        net: &mut Network,
        audit: &mut Audit,
        link: usize,
        settings: Settings,
        strategy: Box<dyn Strategy>,
        thinks: Duration,
    ) -> Self {
        let mut link = ClientLink::new(link);
        link.connect(net);
        let mut player = Self {
            link,
            session: Session::new(settings),
            strategy,
            decoder: Decoder::new(u16::MAX),
            began: net.now(),
            blocked: None,
            thinks,
            choosing: None,
            waits: false,
            gave_up: false,
            end: None,
            blunders: 0,
        };
        player.settle(net, audit);
        player
    }

    /// Reads bytes that may have arrived.
    pub(super) fn readable(&mut self, net: &mut Network, audit: &mut Audit) {
        while self.end.is_none() && self.blocked.is_none() && self.choosing.is_none() {
            match self.link.read(net, READ_BYTES) {
                Found::Nothing => return,
                Found::End(None) => self.session.handle(self.now(net), Input::Closed),
                Found::End(Some(_)) => self.session.handle(self.now(net), Input::Broken),
                Found::Bytes(bytes) => {
                    let (now, mut bytes) = (self.now(net), &bytes[..]);
                    while let Some(body) = self.decoder.next(&mut bytes) {
                        let body = body.expect("the server writes whole frames");
                        audit.heard(self.link.number, body);
                        self.session.handle(now, Input::Body(body));
                    }
                }
            }
            self.settle(net, audit);
        }
    }

    /// There is room to write again.
    pub(super) fn writable(&mut self, net: &mut Network, audit: &mut Audit) {
        self.settle(net, audit);
        self.readable(net, audit);
    }

    /// A moment that it waits for has come.
    pub(super) fn woken(&mut self, net: &mut Network, audit: &mut Audit) {
        if self.end.is_some() {
            return;
        }
        if let Some((_, choice)) = self.choosing.take_if(|(at, _)| *at <= net.now()) {
            self.session.handle(self.now(net), Input::Choice(choice));
        } else if self.blocked.is_some_and(|since| since + TIMEOUT <= net.now()) {
            self.blocked = None;
            self.gave_up = true;
            self.link.outbox.clear();
            self.session.handle(self.now(net), Input::Broken);
        } else if self.blocked.is_none() && self.choosing.is_none() {
            self.session.handle(self.now(net), Input::Tick);
        }
        self.settle(net, audit);
        self.readable(net, audit);
    }

    /// It goes away, or its process dies.
    pub(super) fn leave(&mut self, net: &mut Network, dies: bool) {
        if self.end.is_none() {
            self.link.hang_up(net, dies);
            net.wake(self.machine(), None);
            self.end = Some(End::Closed);
        }
    }

    /// Returns its believed position, and whether it believes to have a piece, while it plays.
    pub(super) fn belief(&mut self) -> Option<(Position, bool)> {
        let actor = self.session.actor().filter(|_| self.end.is_none())?;
        Some((actor.position(), actor.own().hand.is_full()))
    }

    /// Returns whether it has heard the beginning and has not given up.
    pub(super) fn is_seated(&mut self) -> bool {
        self.session.actor().is_some() && !self.gave_up
    }

    const fn machine(&self) -> Machine {
        Machine::Agent(self.link.number - 1)
    }

    fn now(&self, net: &Network) -> SimTime {
        SimTime::from(net.now() - self.began)
    }

    /// Carries out the session's outputs, until it wants to wait.
    fn settle(&mut self, net: &mut Network, audit: &mut Audit) {
        let link = self.link.number;
        while self.end.is_none() && self.choosing.is_none() && self.flush(net) {
            let Some(output) = self.session.poll_output() else { return self.sleep(net, audit) };
            match output {
                Output::Send(frames) => {
                    let (mut decoder, mut bytes) = (Decoder::new(u16::MAX), &frames[..]);
                    while let Some(body) = decoder.next(&mut bytes) {
                        let body = body.expect("a session writes whole frames");
                        net.say(|| format!("agent on link {link} > {}", String::from_utf8_lossy(body)));
                        audit.sent(link, body);
                    }
                    self.link.outbox = frames;
                }
                Output::Decide => self.decide(net),
                Output::Report(News::Senseless(reason)) => {
                    audit.check(false, || {
                        format!("the agent on link {link} makes no sense of a message: {reason}")
                    });
                }
                Output::Report(news) => net.say(|| format!("agent on link {link}: {news:?}")),
                Output::Done(end) => self.finish(net, audit, end),
            }
        }
    }

    /// Waits for something to read, or for the moment that the session asks for.
    fn sleep(&mut self, net: &mut Network, audit: &mut Audit) {
        let wake = self.session.wake_at();
        self.check_patience(net, audit, wake);
        net.wake(self.machine(), wake.map(|wake| self.began + Duration::from(wake)));
    }

    fn decide(&mut self, net: &mut Network) {
        let now = self.now(net);
        let time = self.session.game_time(now);
        let Some(actor) = self.session.actor() else { return };
        let choice = actor.decide(time, &mut *self.strategy);
        for blunder in actor.take_blunders() {
            self.blunders += 1;
            net.say(|| format!("{blunder}"));
        }
        self.waits = matches!(choice, Choice::Wait(_));
        if self.thinks > Duration::ZERO {
            let at = net.now() + self.thinks;
            self.choosing = Some((at, choice));
            return net.wake(self.machine(), Some(at));
        }
        self.session.handle(now, Input::Choice(choice));
    }

    fn finish(&mut self, net: &mut Network, audit: &mut Audit, end: End) {
        let link = self.link.number;
        net.say(|| format!("agent on link {link}: {end:?}"));
        let winner = match end {
            End::Over { winner } => Some(winner),
            End::Unannounced { .. }
            | End::TurnedAway { .. }
            | End::Closed
            | End::Unplayable(_)
            | End::GaveUp(_)
            | End::NoAnswer
            | End::NoServer(_) => None,
        };
        if let Some(winner) = winner {
            audit.told(link, winner);
        }
        let now = self.now(net);
        let time = self.session.game_time(now);
        if let Some(actor) = self.session.actor() {
            actor.end(time, &mut *self.strategy, winner);
            self.blunders += actor.take_blunders().len();
        }
        self.end = Some(end);
        self.link.hang_up(net, false);
        net.wake(self.machine(), None);
    }

    /// Writes; false while the server does not take it all.
    fn flush(&mut self, net: &mut Network) -> bool {
        if self.link.write_all(net) {
            self.blocked = None;
            return true;
        }
        let since = *self.blocked.get_or_insert(net.now());
        net.wake(self.machine(), Some(since + TIMEOUT));
        false
    }

    /// An agent that plays does not go to sleep for longer than its locks last, unless it wants to.
    fn check_patience(&mut self, net: &Network, audit: &mut Audit, wake: Option<SimTime>) {
        let (link, now, waits) = (self.link.number, self.now(net), self.waits);
        let Some(actor) = self.session.actor() else { return };
        let penalties = actor.briefing().game.config.penalties();
        let longest =
            ActionKind::ALL.into_iter().map(|kind| penalties.of(kind).as_millis()).max().unwrap_or_default();
        let latest = now + Millis::new(longest) + IDLE;
        audit.check(waits || wake.is_some_and(|wake| wake <= latest), || {
            format!("the agent on link {link} sleeps until {wake:?} at {now}")
        });
    }
}
