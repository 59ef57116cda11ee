//! The time at which an agent may act again, from the penalties of message 105, the times of requests and answers, and
//! message 904.
//!
//! The game master measures the lock by its own clock, from the moment at which it serves a request. The agent knows
//! when it sent the request and when the answer arrived. The game master served the request before it sent the answer.
//! Therefore a request that is sent one penalty after the answer is never too early. If all messages take equally long,
//! a request is not too early even if the agent sends it sooner by the shortest round trip. The agent does this when it
//! knows several round trips, unless a request that comes too early would cost more than it gains.

use std::collections::VecDeque;

use game_env::{Millis, SimTime};
use game_project::{ActionKind, Penalties};

/// Computes the time of an agent's next request.
#[derive(Clone, Debug)]
pub struct PenaltyClock {
    /// The penalties of message 105.
    announced: Penalties,
    /// The same, with the penalties that were learnt because the message does not name them.
    penalties: Penalties,
    state: State,
    /// The request that was served last, if it is certain which one that was.
    served: Option<Served>,
    /// Requests whose answers may still come, the oldest first; the last request is the last of them.
    ///
    /// Game masters serve the requests of an agent in order. So an answer belongs to the oldest of its kind, and
    /// answers to those before it come no more.
    open: VecDeque<ActionKind>,
    /// Time at which requests that the agent no longer waits for are forgotten.
    forgets: SimTime,
    /// Time at which the last request was sent, if it was one that is answered only by a refusal.
    asked: Option<SimTime>,
    /// The shortest time from a request to its answer.
    fastest: Option<Millis>,
    /// Number of round trips that were measured since a request came too early.
    round_trips: u32,
    /// Time that the game master adds to a lock for a request that comes too early.
    premature: Millis,
    /// Time that is added because requests came too early.
    margin: Millis,
    /// Number of requests since the last charged one that came too early, and for which the game master named no rest
    /// of the lock: it named a moment of its calendar, or nothing.
    refusals: u32,
    /// Number of requests in a row that were refused without being charged.
    uncharged: u32,
    /// Number of requests that were served since the margin was last changed.
    calm: u32,
}

#[derive(Clone, Copy, Debug)]
struct Served {
    kind: ActionKind,
    /// Time at which its answer came.
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

/// Time by which an answer may be later than the penalty of its request before the agent acts without it: some game
/// masters do not answer everything.
const ANSWER_TIMEOUT: Millis = Millis::new(5_000);

/// Time within which the answer to a request may come after the agent has stopped waiting for it. Broken networks hold
/// messages back for minutes; a game master that has not answered by then does not answer such requests.
const LATE: Millis = Millis::new(300_000);

/// The most requests whose late answers are expected.
const MOST_OPEN: usize = 256;

/// Number of round trips that must be known before the shortest of them is relied on.
const ENOUGH_ROUND_TRIPS: u32 = 8;

/// The longest time that is added because requests came too early, in milliseconds.
const LARGEST_MARGIN: u32 = 100;

/// After this many requests that did not come too early a quarter of the margin is given back.
const CALM: u32 = 50;

/// No lock lasts longer, whatever a game master says: the longest penalty that a game may have is an hour.
const LONGEST_WAIT: Millis = Millis::new(3_605_000);

/// A lock that ends this much later than the longest penalty is no lock: the calendars disagree.
const STRAY: Millis = Millis::new(60_000);

/// The number of milliseconds that penalties are multiples of (specification, section 3).
const GRAIN: u32 = 10;

impl PenaltyClock {
    /// Creates a clock of an agent that may act at once.
    pub fn new(penalties: Penalties, now: SimTime) -> Self {
        Self {
            announced: penalties,
            penalties,
            state: State::Ready { from: now },
            served: None,
            open: VecDeque::new(),
            forgets: now,
            asked: None,
            fastest: None,
            round_trips: 0,
            premature: Millis::ZERO,
            margin: Millis::ZERO,
            refusals: 0,
            uncharged: 0,
            calm: 0,
        }
    }

    /// Sets the time by which the game master extends the lock if a request comes too early.
    #[must_use]
    pub fn with_premature(self, premature: Millis) -> Self {
        Self { premature, ..self }
    }

    /// Returns the time at which the next request may be sent. After a request, the time at which the agent stops
    /// waiting for its answer.
    pub fn ready(&self) -> SimTime {
        match self.state {
            State::Sent { at, kind } => at + self.penalties.of(kind) + ANSWER_TIMEOUT,
            State::Ready { from } => from,
        }
    }

    /// Returns `true` if the agent waits for the answer to a request.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Sent { .. })
    }

    /// The agent has sent a request that has an answer.
    pub fn sent(&mut self, now: SimTime, kind: ActionKind) {
        if self.is_waiting() {
            // The moment at which that one was served is unknown, if it was.
            self.served = None;
            self.forgets = now + LATE;
        }
        self.open(now, kind);
        self.state = State::Sent { at: now, kind };
    }

    /// The agent has sent a request that has no answer if it is granted: a question or an answer.
    pub fn sent_unanswered(&mut self, now: SimTime, kind: ActionKind) {
        self.served = None;
        self.forgets = now + LATE;
        self.open(now, kind);
        self.asked = Some(now);
        self.state = State::Ready { from: now + self.penalties.of(kind) + self.margin };
    }

    fn open(&mut self, now: SimTime, kind: ActionKind) {
        let is_granted = |asked: SimTime| {
            // A refusal would have come by now.
            self.open.len() == 1 && self.fastest.is_some_and(|fastest| asked + fastest + fastest <= now)
        };
        if self.forgets < now || self.asked.take().is_some_and(is_granted) {
            self.open.clear();
        }
        if self.open.len() == MOST_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(kind);
    }

    /// An answer to the last request has arrived: the game master served the request and charged it.
    pub fn answered(&mut self, now: SimTime) {
        if let Some(kind) = self.open.back().copied() {
            self.settle(|other| other == kind);
        }
        self.charged(now);
    }

    /// The last request was probably refused with message 905, which can answer any request.
    ///
    /// A check or a destruction is charged also in this case. Other requests are refused with 905 only while the leader
    /// waits for an answer. They are not charged.
    pub fn refused(&mut self, now: SimTime) {
        self.settle(|_| true);
        match self.state {
            State::Ready { .. } | State::Sent { kind: ActionKind::Check | ActionKind::Destroy, .. } => {
                self.charged(now);
            }
            State::Sent { .. } => self.not_charged(now),
        }
    }

    /// A message has arrived that cannot answer the last request, but can answer earlier requests of these kinds.
    pub fn late(&mut self, may_answer: impl Fn(ActionKind) -> bool) {
        self.settle(may_answer);
    }

    /// The oldest request of these kinds is answered.
    fn settle(&mut self, may_answer: impl Fn(ActionKind) -> bool) {
        if let Some(place) = self.open.iter().position(|kind| may_answer(*kind)) {
            self.open.drain(..=place);
        }
    }

    /// Returns `true` if the answer that has come must be that to the last request, and not a late one to an earlier
    /// request.
    fn is_certain(&self) -> bool {
        self.open.is_empty()
    }

    fn charged(&mut self, now: SimTime) {
        let State::Sent { at, kind } = self.state else { return };
        let round_trip = now - at;
        self.served = None;
        if self.is_certain() {
            self.fastest = Some(self.fastest.map_or(round_trip, |fastest| fastest.min(round_trip)));
            self.round_trips = self.round_trips.saturating_add(1);
            self.served = Some(Served { kind, answered: now, round_trip });
        }
        (self.refusals, self.uncharged) = (0, 0);
        self.calm += 1;
        if self.calm == CALM {
            self.calm = 0;
            self.margin = Millis::new(self.margin.as_millis() * 3 / 4);
        }
        let penalty = self.penalties.of(kind);
        let early = if self.is_certain() { self.head_start(penalty) } else { Millis::ZERO };
        // Never before the answer, and never before the penalty has passed since the request was sent.
        let from = now + Millis::new(penalty.as_millis() - early.as_millis() + self.margin.as_millis());
        self.state = State::Ready { from: from.max(at + penalty).max(now) };
    }

    /// Returns the time by which the next request is sent sooner than one penalty after the answer: the shortest round
    /// trip, at most the penalty.
    ///
    /// It is 0 before several round trips are known, because the first ones to a server that has just started are often
    /// much longer than all others. It is also 0 where the gain is smaller than the risk: if n requests in a row were
    /// not refused, the next one is with a probability of about 1 / (n + 1), and that costs a round trip and the time
    /// that the game master adds to the lock.
    fn head_start(&self, penalty: Millis) -> Millis {
        let fastest = self.fastest.unwrap_or(Millis::ZERO);
        let gain = fastest.min(penalty);
        let risk = u64::from(self.premature.as_millis()) + u64::from(fastest.as_millis());
        let pays = u64::from(gain.as_millis()) * (u64::from(self.round_trips) + 1) >= risk;
        if self.round_trips >= ENOUGH_ROUND_TRIPS && pays { gain } else { Millis::ZERO }
    }

    /// A request was refused without being charged: the agent may send another one at once, and if that is refused
    /// as well after a while that becomes longer.
    fn not_charged(&mut self, now: SimTime) {
        // Under a lock it would have come too early. So a later refusal measures no lock of that request.
        self.served = None;
        let wait = if self.uncharged == 0 { Millis::ZERO } else { longer_each_time(self.uncharged - 1) };
        self.uncharged += 1;
        self.state = State::Ready { from: now + wait };
    }

    /// A request came too early. `wait` is the rest of the lock, if the game master has named it.
    pub fn too_early(&mut self, now: SimTime, wait: Option<Millis>) {
        self.settle(|_| true);
        self.wait(now, wait);
    }

    /// A request came too early. By the calendars of both sides, the lock ends in this number of milliseconds.
    ///
    /// The two calendars can differ. A rest from 10 ms to the longest penalty counts, and up to twice as much each time
    /// that it was not enough: a few game masters extend the lock if a request comes too early. A rest that no lock can
    /// explain is ignored.
    pub fn too_early_by_calendar(&mut self, now: SimTime, left: i64) {
        self.settle(|_| true);
        let told = ActionKind::ALL.into_iter().map(|kind| self.penalties.of(kind)).max();
        // All announced penalties are 0: assumes a lock that was not announced.
        let longest = told.filter(|longest| *longest != Millis::ZERO).unwrap_or(longer_each_time(u32::MAX));
        if !(1..=i64::from(longest.as_millis()) + i64::from(STRAY.as_millis())).contains(&left) {
            return self.wait(now, None);
        }
        self.be_more_careful();
        let most =
            (u64::from(longest.as_millis()) << self.refusals.min(7)).min(LONGEST_WAIT.as_millis().into());
        self.refusals += 1;
        let left = u64::try_from(left).unwrap_or_default().clamp(GRAIN.into(), most.max(GRAIN.into()));
        self.state = State::Ready { from: SimTime::from_millis(now.as_millis() + left) };
    }

    fn wait(&mut self, now: SimTime, wait: Option<Millis>) {
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

    fn be_more_careful(&mut self) {
        if !self.is_certain() {
            // The agent repeated requests that were only late: it measured no lock wrongly.
            return;
        }
        let longer = self.margin.as_millis() * 2 + 1;
        self.margin = Millis::new(longer.min(LARGEST_MARGIN));
        self.round_trips = 0;
        self.calm = 0;
    }
}

/// 10 ms, twice as long each time, up to about a second.
fn longer_each_time(times: u32) -> Millis {
    Millis::new(10 << times.min(7))
}

impl PenaltyClock {
    /// A lock after a request that should cost nothing, longer than the ways of messages can explain, is a penalty that
    /// was not announced: message 105 has none for picking up. Returns whether this is one.
    fn learn(&mut self, now: SimTime, wait: Millis) -> bool {
        // A second refusal says less: a few game masters make the lock longer with each.
        let (Some(served), State::Sent { at, .. }) = (self.served.take(), self.state) else { return false };
        let seen = (now + wait - served.answered).as_millis();
        let ways = served.round_trip.max(now - at).as_millis().max(GRAIN);
        if !self.is_certain() || self.announced.of(served.kind) != Millis::ZERO || seen < ways {
            return false;
        }
        // From serving the one request to refusing the other, and as long as the lock goes on then. Between these
        // moments are the pause of the agent, the way back of the answer and the way of the next request.
        let pause = (at - served.answered).as_millis();
        let both_ways = self.fastest.unwrap_or(Millis::ZERO).as_millis();
        let lock = pause.saturating_add(both_ways).saturating_add(wait.as_millis());
        let penalty =
            Millis::new((lock.saturating_add(GRAIN / 2) / GRAIN * GRAIN).min(LONGEST_WAIT.as_millis()));
        let known = self.penalties;
        self.penalties =
            Penalties::new(
                |kind| {
                    if kind == served.kind { penalty.max(known.of(kind)) } else { known.of(kind) }
                },
            );
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

    /// Returns the same clock after enough requests whose answers took this long.
    fn experienced(mut clock: PenaltyClock, round_trip: u64) -> PenaltyClock {
        for _ in 0..ENOUGH_ROUND_TRIPS {
            clock.sent(at(0), ActionKind::Move);
            clock.answered(at(round_trip));
        }
        clock
    }

    /// The answer takes 10 ms each way: a request that leaves at 200 arrives when the lock ends.
    #[test]
    fn steady_latency_is_used_up() {
        let mut clock = experienced(clock(), 20);
        clock.sent(at(100), ActionKind::Move);
        clock.answered(at(120));
        assert_eq!(clock.ready(), at(200));
        // A slow answer may have been served late: the request may have waited on its way.
        clock.sent(at(200), ActionKind::Move);
        clock.answered(at(260));
        assert_eq!(clock.ready(), at(340));
    }

    /// A server that has just started answers the first request after 60 ms, of which the request takes 5, and all
    /// others after 2 ms. A refusal makes the lock longer by a second.
    #[test]
    fn no_request_comes_too_early_on_a_cold_server() {
        let mut clock = clock().with_premature(Millis::new(1_000));
        let (mut now, mut unlocked) = (0, 0);
        for request in 0..2_000 {
            let (there, back) = if request == 0 { (5, 55) } else { (1, 1) };
            let served = now + there;
            assert!(served >= unlocked, "request {request} comes {} ms too early", unlocked - served);
            unlocked = served + 100;
            clock.sent(at(now), ActionKind::Move);
            clock.answered(at(served + back));
            now = clock.ready().as_millis();
        }
        // After a thousand requests 2 ms each are worth a risk of a second.
        assert_eq!(now + 1, unlocked, "latency is used up in the end");
    }

    #[test]
    fn a_risk_is_taken_where_it_pays() {
        let wait = |premature, round_trips| {
            let mut clock = clock().with_premature(Millis::new(premature));
            for _ in 0..round_trips {
                clock.sent(at(1_000), ActionKind::Move);
                clock.answered(at(1_020));
            }
            (clock.ready() - at(1_020)).as_millis()
        };
        assert_eq!([wait(0, 7), wait(0, 8)], [100, 80], "several round trips must be known");
        assert_eq!(
            [wait(1_000, 49), wait(1_000, 50)],
            [100, 80],
            "50 times 20 ms are worth a second and 20 ms"
        );

        let mut refused = experienced(clock(), 20);
        refused.sent(at(1_000), ActionKind::Move);
        refused.too_early(at(1_020), Some(Millis::new(5)));
        refused.sent(at(2_000), ActionKind::Move);
        refused.answered(at(2_020));
        assert_eq!(refused.ready(), at(2_121), "a refusal shows that the ways have changed");
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

    /// A lock has an upper limit, however long the game master says that it is.
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
    fn an_agent_that_is_refused_repeatedly_asks_less_and_less_often() {
        let mut clock = clock();
        let mut now = at(0);
        let mut waits = Vec::new();
        for _ in 0..9 {
            clock.sent(now, ActionKind::Move);
            clock.not_charged(now);
            waits.push((clock.ready() - now).as_millis());
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
            (clock.ready() - at(1_000)).as_millis()
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
        assert_eq!(clock.ready(), at(134));
    }

    /// The network stands still, the agent repeats a pick-up every five seconds, and then all answers come at once: the
    /// refusals of the repetitions are not those of the check that it sent last, and tell nothing of a pick-up's lock.
    #[test]
    fn late_answers_are_not_measured() {
        let announced = Penalties::new(|kind| Millis::new(if kind == ActionKind::PickUp { 0 } else { 100 }));
        let mut clock = PenaltyClock::new(announced, at(0));
        for _ in 0..4 {
            let now = clock.ready();
            clock.sent(now, ActionKind::PickUp);
        }
        assert_eq!(clock.ready(), at(20_000));
        clock.answered(at(16_000));
        clock.sent(at(16_000), ActionKind::Check);
        clock.too_early(at(19_300), Some(Millis::new(10)));
        assert_eq!(clock.ready(), at(19_310));
        clock.late(|_| true);
        clock.late(|_| true);
        clock.sent(at(19_310), ActionKind::Check);
        // This one is the answer to the first check, and the next one that to the second.
        clock.too_early(at(19_320), Some(Millis::new(90)));
        clock.late(|_| true);
        assert_eq!(clock.ready(), at(19_410));

        // Nothing of all this is left.
        let mut clock = experienced(clock, 20);
        clock.sent(at(20_000), ActionKind::PickUp);
        clock.answered(at(20_020));
        assert_eq!(clock.ready(), at(20_020), "no lock was learnt");
        clock.sent(at(20_100), ActionKind::Check);
        clock.answered(at(20_120));
        assert_eq!(clock.ready(), at(20_200), "no margin was added");
    }

    /// A piece falls into the hand of an agent whose pick-up is still on its way: the message is that of a pick-up. The
    /// answers to the pick-up and to the question before it come much later, and seem to be those to what was sent
    /// since.
    #[test]
    fn a_refusal_after_an_uncharged_one_measures_no_lock() {
        let announced = Penalties::new(|kind| Millis::new(if kind == ActionKind::PickUp { 0 } else { 100 }));
        let mut clock = experienced(PenaltyClock::new(announced, at(0)), 20);
        clock.sent_unanswered(at(1_000), ActionKind::Ask);
        clock.sent(at(1_100), ActionKind::PickUp);
        clock.answered(at(4_000));
        clock.sent(at(4_000), ActionKind::Move);
        clock.refused(at(8_000));
        clock.sent(at(8_000), ActionKind::Discover);
        clock.too_early(at(8_020), Some(Millis::new(100)));
        assert_eq!(clock.ready(), at(8_120));

        clock.sent(at(20_000), ActionKind::PickUp);
        clock.answered(at(20_020));
        assert_eq!(
            clock.ready(),
            at(20_021),
            "no lock was learnt, only the margin of a request that came too early"
        );
    }

    /// Answers come in the order of the requests: an answer to the last one that no other can get shows that no earlier
    /// one is under way.
    #[test]
    fn a_request_that_is_never_answered_is_forgotten() {
        let mut clock = experienced(clock(), 20);
        clock.sent(at(0), ActionKind::Put);
        clock.sent(at(6_000), ActionKind::Move);
        clock.answered(at(6_020));
        assert_eq!(clock.ready(), at(6_100), "measured");

        // Of two requests of one kind nobody knows which was answered, until long after.
        clock.sent(at(7_000), ActionKind::Move);
        clock.sent(at(13_000), ActionKind::Move);
        clock.answered(at(13_020));
        assert_eq!(clock.ready(), at(13_120));
        clock.sent(at(320_000), ActionKind::Move);
        clock.answered(at(320_020));
        assert_eq!(clock.ready(), at(320_100));
    }

    /// The learnt penalty is the measured lock, rounded up to a multiple of 10 ms; it does not include the delays of
    /// the network.
    #[test]
    fn a_penalty_that_is_learnt_is_not_longer_than_the_lock() {
        let announced = Penalties::new(|kind| Millis::new(if kind == ActionKind::PickUp { 0 } else { 100 }));
        for (wait, penalty) in [(296, 300), (300, 300), (301, 310), (310, 310), (311, 320)] {
            let mut clock = PenaltyClock::new(announced, at(0));
            // The pick-up was served at 4 at the latest, and the move refused at 4 at the earliest: its lock is at
            // least as long as the wait that the refusal names.
            clock.sent(at(0), ActionKind::PickUp);
            clock.answered(at(4));
            clock.sent(at(4), ActionKind::Move);
            clock.too_early(at(206), Some(Millis::new(wait)));
            let mut clock = experienced(clock, 4);
            clock.sent(at(600), ActionKind::PickUp);
            clock.answered(at(604));
            assert_eq!(clock.ready(), at(600 + penalty), "{wait}");
        }
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
    fn a_margin_has_a_limit_and_is_given_back_in_quarters() {
        let margin = |clock: &mut PenaltyClock| {
            clock.sent(at(10_000), ActionKind::Move);
            clock.answered(at(10_000));
            (clock.ready() - at(10_100)).as_millis()
        };
        let mut clock = clock();
        let margins = [(); 8].map(|()| {
            clock.too_early(at(0), None);
            margin(&mut clock)
        });
        assert_eq!(margins, [1, 3, 7, 15, 31, 63, 100, 100]);
        // One request was calm already.
        let margins: Vec<u32> = (2..=3 * CALM).map(|_| margin(&mut clock)).collect();
        let after = |calm: u32| margins[calm as usize - 2];
        assert_eq!(
            [after(49), after(50), after(99), after(100), after(149), after(150)],
            [100, 75, 75, 56, 56, 42]
        );
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
