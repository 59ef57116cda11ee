//! When an agent may act again: the penalties of message 105, the times of sending and answering, and what 904
//! said.
//!
//! The lock is kept by the game master's clock, and runs from the moment at which it serves a request. The agent
//! sees the moments at which it sent the request and at which the answer came. The game master served it before
//! the answer's way back, and the next request has a way of its own; so a request sent one penalty after the
//! answer is never early, and one sent earlier by the shortest round trip there ever was is not early either,
//! while the ways stay as long as they were.

use game_env::{Millis, SimTime};
use game_project::{ActionKind, Penalties};

/// Tells when the next request will be served.
#[derive(Clone, Debug)]
pub struct PenaltyClock {
    penalties: Penalties,
    state: State,
    /// The request that was served last.
    served: Option<Served>,
    /// The shortest time from a request to its answer.
    fastest: Option<Millis>,
    /// What is added because requests came too early.
    margin: Millis,
    /// How often in a row a request came too early and the game master did not say for how long.
    refusals: u32,
    /// How many requests in a row were refused for nothing.
    vain: u32,
    /// How many requests were served since the margin was last changed.
    calm: u32,
}

#[derive(Clone, Copy, Debug)]
struct Served {
    kind: ActionKind,
    /// When its answer came.
    answered: SimTime,
    round_trip: Millis,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A request is under way.
    Sent { at: SimTime, kind: ActionKind },
    /// The next request may be sent from this moment on.
    Ready { from: SimTime },
}

/// How long an answer may take beyond the penalty of its request before the agent acts without it: some game
/// masters do not answer everything.
const PATIENCE: Millis = Millis::new(5_000);

/// The most that is added because requests came too early.
const LARGEST_MARGIN: u32 = 100;

/// After so many requests that did not come too early a quarter of the margin is given back.
const CALM: u32 = 50;

/// No lock lasts longer, whatever a game master says: the longest penalty that a game may have is an hour.
const LONGEST_WAIT: Millis = Millis::new(3_605_000);

/// A lock that goes on for so much longer than the longest penalty is none: the calendars disagree.
const STRAY: Millis = Millis::new(60_000);

/// What penalties are multiples of (specification, section 3).
const GRAIN: u32 = 10;

impl PenaltyClock {
    /// A clock that says that the agent may act at once.
    pub fn new(penalties: Penalties, now: SimTime) -> Self {
        Self {
            penalties,
            state: State::Ready { from: now },
            served: None,
            fastest: None,
            margin: Millis::ZERO,
            refusals: 0,
            vain: 0,
            calm: 0,
        }
    }

    /// When the next request may be sent; with a request under way, when to give up waiting for its answer.
    pub fn ready(&self) -> SimTime {
        match self.state {
            State::Sent { at, kind } => at + self.penalties.of(kind) + PATIENCE,
            State::Ready { from } => from,
        }
    }

    /// Whether the answer to a request is waited for.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Sent { .. })
    }

    /// The kind of request whose answer is waited for.
    pub fn waits_for(&self) -> Option<ActionKind> {
        match self.state {
            State::Sent { kind, .. } => Some(kind),
            State::Ready { .. } => None,
        }
    }

    /// A request was sent that is answered.
    pub fn sent(&mut self, now: SimTime, kind: ActionKind) {
        if self.is_waiting() {
            // Nobody knows when that one was served, if it was.
            self.served = None;
        }
        self.state = State::Sent { at: now, kind };
    }

    /// A request was sent that is not answered when it is granted: a question, an answer.
    pub fn sent_unanswered(&mut self, now: SimTime, kind: ActionKind) {
        self.served = None;
        self.state = State::Ready { from: now + self.penalties.of(kind) + self.margin };
    }

    /// The answer has come: the request was served, and charged.
    pub fn answered(&mut self, now: SimTime) {
        let State::Sent { at, kind } = self.state else { return };
        let round_trip = now - at;
        let fastest = self.fastest.map_or(round_trip, |fastest| fastest.min(round_trip));
        self.fastest = Some(fastest);
        self.served = Some(Served { kind, answered: now, round_trip });
        (self.refusals, self.vain) = (0, 0);
        self.calm += 1;
        if self.calm == CALM {
            self.calm = 0;
            self.margin = Millis::new(self.margin.get() * 3 / 4);
        }
        let penalty = self.penalties.of(kind);
        // Never before the answer, and never before the penalty has passed since the request was sent.
        let early = fastest.get().min(penalty.get());
        let from = now + Millis::new(penalty.get() - early + self.margin.get());
        self.state = State::Ready { from: from.max(at + penalty).max(now) };
    }

    /// A request was refused without being charged: the agent may send another one at once, and if that is refused
    /// as well after a while that becomes longer.
    pub fn not_charged(&mut self, now: SimTime) {
        let wait = if self.vain == 0 { Millis::ZERO } else { longer_each_time(self.vain - 1) };
        self.vain += 1;
        self.state = State::Ready { from: now + wait };
    }

    /// A request came too early, and the lock goes on for so long, if that was said.
    pub fn too_early(&mut self, now: SimTime, wait: Option<Millis>) {
        let wait = wait.map(|wait| wait.min(LONGEST_WAIT));
        if !wait.is_some_and(|wait| self.learn(now, wait)) {
            self.be_more_careful();
        }
        let wait = wait.unwrap_or_else(|| {
            self.refusals += 1;
            longer_each_time(self.refusals - 1)
        });
        self.state = State::Ready { from: now + wait };
    }

    /// A request came too early, and by the calendars of both sides the lock goes on for so many milliseconds.
    ///
    /// Calendars disagree. What is said counts from 10 ms up to the longest penalty, and up to twice as much each time
    /// that this was not enough: a few game masters make the lock longer whenever a request comes too early. What no
    /// lock can explain counts as if it had not been said.
    pub fn too_early_by_calendar(&mut self, now: SimTime, left: i64) {
        let told = ActionKind::ALL.into_iter().map(|kind| self.penalties.of(kind)).max();
        // Locks in a game without penalties are such as were not told.
        let longest = told.filter(|longest| *longest != Millis::ZERO).unwrap_or(longer_each_time(u32::MAX));
        if !(1..=i64::from(longest.get()) + i64::from(STRAY.get())).contains(&left) {
            return self.too_early(now, None);
        }
        self.be_more_careful();
        let most = (u64::from(longest.get()) << self.refusals.min(7)).min(LONGEST_WAIT.get().into());
        self.refusals += 1;
        let left = u64::try_from(left).unwrap_or_default().clamp(GRAIN.into(), most.max(GRAIN.into()));
        self.state = State::Ready { from: SimTime::from_millis(now.as_millis() + left) };
    }

    fn be_more_careful(&mut self) {
        let longer = self.margin.get() * 2 + 1;
        self.margin = Millis::new(longer.min(LARGEST_MARGIN));
        self.calm = 0;
    }
}

/// 10 ms, twice as long each time, up to about a second.
fn longer_each_time(times: u32) -> Millis {
    Millis::new(10 << times.min(7))
}

impl PenaltyClock {
    /// A lock after what was said to cost nothing, longer than the ways of messages can explain, is a penalty that
    /// nobody told: message 105 has none for picking up. Tells whether it was so.
    fn learn(&mut self, now: SimTime, wait: Millis) -> bool {
        let (Some(served), State::Sent { at, .. }) = (self.served, self.state) else { return false };
        let seen = (now + wait - served.answered).get();
        let ways = served.round_trip.max(now - at).get().max(GRAIN);
        if self.penalties.of(served.kind) != Millis::ZERO || seen < ways {
            return false;
        }
        let penalty = Millis::new((seen + GRAIN / 2) / GRAIN * GRAIN);
        let known = self.penalties;
        self.penalties = Penalties::new(|kind| if kind == served.kind { penalty } else { known.of(kind) });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> SimTime {
        SimTime::from_millis(milliseconds)
    }

    fn clock() -> PenaltyClock {
        PenaltyClock::new(Penalties::new(|_| Millis::new(100)), at(0))
    }

    #[test]
    fn without_latency_the_next_request_is_due_a_penalty_later() {
        let mut clock = clock();
        clock.sent(at(50), ActionKind::Move);
        clock.answered(at(50));
        assert_eq!(clock.ready(), at(150));
    }

    /// The answer takes 10 ms each way: a request that leaves at 200 arrives when the lock ends.
    #[test]
    fn steady_latency_is_used_up() {
        let mut clock = clock();
        clock.sent(at(100), ActionKind::Move);
        clock.answered(at(120));
        assert_eq!(clock.ready(), at(200));
        // A slow answer may have been served late: the request may have waited on its way.
        clock.sent(at(200), ActionKind::Move);
        clock.answered(at(260));
        assert_eq!(clock.ready(), at(340));
    }

    #[test]
    fn refusals_add_a_margin_and_are_obeyed() {
        let mut clock = clock();
        clock.too_early(at(10), Some(Millis::new(30)));
        assert_eq!(clock.ready(), at(40));
        clock.sent(at(40), ActionKind::Move);
        clock.answered(at(40));
        assert_eq!(clock.ready(), at(141));
        clock.too_early(at(141), None);
        assert_eq!(clock.ready(), at(151));
        clock.too_early(at(151), None);
        assert_eq!(clock.ready(), at(171));
    }

    /// What a game master says is taken with a grain of salt.
    #[test]
    fn no_lock_lasts_for_ever() {
        let mut clock = PenaltyClock::new(Penalties::new(|_| Millis::ZERO), at(0));
        clock.sent(at(0), ActionKind::PickUp);
        clock.answered(at(4));
        clock.sent(at(4), ActionKind::Move);
        clock.too_early(at(8), Some(Millis::new(u32::MAX)));
        assert!(clock.ready() <= at(3_700_000));
        clock.sent(at(3_700_000), ActionKind::PickUp);
        clock.answered(at(3_700_004));
        assert!(clock.ready() <= at(7_400_000));
    }

    #[test]
    fn whoever_is_refused_again_and_again_asks_less_and_less_often() {
        let mut clock = clock();
        let mut now = at(0);
        let mut waits = Vec::new();
        for _ in 0..9 {
            clock.sent(now, ActionKind::Move);
            clock.not_charged(now);
            waits.push((clock.ready() - now).get());
            now = clock.ready();
        }
        assert_eq!(waits, [0, 10, 20, 40, 80, 160, 320, 640, 1280]);
        clock.sent(now, ActionKind::Move);
        clock.answered(now);
        clock.not_charged(now);
        assert_eq!(clock.ready(), now);
    }

    /// Waiting times that a calendar tells: sensible ones, such as no lock explains, and a game master that adds 300 ms
    /// to the lock whenever a request comes too early.
    #[test]
    fn a_calendar_is_believed_within_reason() {
        for (left, wait) in [
            (1, 10),
            (70, 70),
            (100, 100),
            (5_000, 100),
            (60_100, 100),
            (60_101, 10),
            (0, 10),
            (-40, 10),
            (3_600_000, 10),
            (i64::MAX, 10),
            (i64::MIN, 10),
        ] {
            let mut clock = clock();
            clock.too_early_by_calendar(at(1_000), left);
            assert_eq!(clock.ready(), at(1_000 + wait), "{left}");
        }
        let mut clock = clock();
        let waits = [-40; 3].map(|left| {
            clock.too_early_by_calendar(at(1_000), left);
            (clock.ready() - at(1_000)).get()
        });
        assert_eq!(waits, [10, 20, 40], "what makes no sense is not asked for ever");

        let mut clock = PenaltyClock::new(Penalties::new(|_| Millis::ZERO), at(0));
        clock.too_early_by_calendar(at(1_000), 300);
        assert_eq!(clock.ready(), at(1_300), "a lock of which no penalty was told");

        let (mut now, mut unlocked, mut requests) = (0, 100, 0);
        while now < unlocked {
            unlocked += 300;
            requests += 1;
            clock.too_early_by_calendar(at(now), i64::try_from(unlocked - now).unwrap());
            now = clock.ready().as_millis();
        }
        assert!(requests < 5, "{requests} requests");
    }

    /// The game master locks for 30 ms after picking up, of which message 105 says nothing.
    #[test]
    fn a_penalty_that_nobody_told_is_learnt() {
        let told = Penalties::new(|kind| Millis::new(if kind == ActionKind::PickUp { 0 } else { 100 }));
        let mut clock = PenaltyClock::new(told, at(0));
        clock.sent(at(0), ActionKind::PickUp);
        clock.answered(at(4));
        assert_eq!(clock.ready(), at(4));
        clock.sent(at(4), ActionKind::Move);
        clock.too_early(at(8), Some(Millis::new(26)));
        assert_eq!(clock.ready(), at(34));
        clock.sent(at(100), ActionKind::PickUp);
        clock.answered(at(104));
        assert_eq!(clock.ready(), at(130));
    }

    #[test]
    fn a_margin_is_given_back_when_all_is_calm() {
        let mut clock = clock();
        (0..4).for_each(|_| clock.too_early(at(0), None));
        let mut now = 10_000;
        for _ in 0..500 {
            clock.sent(at(now), ActionKind::Move);
            clock.answered(at(now));
            now += 1_000;
        }
        assert_eq!(clock.ready(), at(now - 1_000 + 100));
    }

    #[test]
    fn an_answer_that_never_comes_is_not_waited_for_for_ever() {
        let mut clock = clock();
        clock.sent(at(0), ActionKind::Put);
        assert!(clock.is_waiting());
        assert_eq!(clock.ready(), at(5_100));
    }

    #[test]
    fn a_penalty_shorter_than_the_way_never_leads_before_the_answer() {
        let mut clock = PenaltyClock::new(Penalties::new(|_| Millis::ZERO), at(0));
        clock.sent(at(0), ActionKind::PickUp);
        clock.answered(at(40));
        assert_eq!(clock.ready(), at(40));
    }
}
