//! The contract of a session and its shell, sans-IO: inputs, outputs, and the attempts to reach a server.

use std::fmt;

use game_env::text::fit_for_a_log;
use game_env::{AgentId, Environment, Millis, Outcome, SimTime};

/// An input of a session. `A` is an action of the game.
#[derive(Clone, Debug)]
pub enum Input<'a, A> {
    /// The connection is open.
    Connected,
    /// The connection has failed, for this reason.
    Unreachable(String),
    /// Bytes from the server, in pieces of any size.
    Received(&'a [u8]),
    /// The choice of the policy; `None` if it gives up the game.
    Choice(Option<A>),
    /// Time has passed.
    Tick,
    /// The connection has ended.
    Closed,
    /// The user wants to leave: the session ends.
    Leave,
}

/// A request of a session to its shell. `V` is an event of the game, `N` a report, `E` an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output<V, N, E> {
    /// Open a connection: at the beginning, and again after a loss.
    Connect,
    /// Send these bytes.
    Send(Vec<u8>),
    /// Ask the policy.
    Decide,
    /// Pass this event to the policy.
    Hear(V),
    /// The present game is over with this outcome: tell the policy.
    Over(Outcome),
    /// Report this to the user.
    Report(N),
    /// The session is over: the connection may be closed. The last output.
    Done(E),
}

/// The outputs of a session.
pub type OutputOf<S> = Output<
    <<S as ClientSession>::Game as Environment>::Event,
    <S as ClientSession>::News,
    <S as ClientSession>::End,
>;

/// The client's side of a protocol, for a shell that moves bytes and asks a policy.
///
/// [`handle`](Self::handle) takes one [`Input`] with its time. Then the shell takes outputs from
/// [`poll_output`](Self::poll_output) until there are none. At [`Output::Connect`], it connects and passes back the
/// result. At [`Output::Decide`], it asks the policy, which gets the observation of [`observe`](Self::observe).
pub trait ClientSession {
    /// The rules of the game.
    type Game: Environment<Observation: Send, Action: Send, Event: Send> + 'static;
    /// A report for the user of the client.
    type News: fmt::Display;
    /// The end of the session.
    type End: fmt::Display + PartialEq;

    /// Takes one input.
    fn handle(&mut self, now: SimTime, input: Input<'_, <Self::Game as Environment>::Action>);

    /// Returns the next output, or `None` until the next input.
    fn poll_output(&mut self) -> Option<OutputOf<Self>>;

    /// Returns the time at which [`Input::Tick`] is due, if there is no other input before.
    fn wake_at(&self) -> Option<SimTime>;

    /// Writes the observation of the present game to `out`. Returns whether there is a game.
    fn observe(&self, out: &mut <Self::Game as Environment>::Observation) -> bool;

    /// Returns the client's player in the rules of its present game.
    fn player(&self) -> Option<AgentId>;

    /// Returns the configuration of the present game, as far as the client knows it.
    fn config(&self) -> Option<<Self::Game as Environment>::Config>;

    /// Returns the time of the game that the policy is told at this moment: always the first one if its rules know no
    /// time.
    fn game_time(&self, _now: SimTime) -> SimTime {
        SimTime::START
    }

    /// Returns the number of the game that begins with this report, from 0, and the player in it.
    fn began(news: &Self::News) -> Option<(u32, AgentId)>;
}

/// A report that a server cannot be reached, and that the session continues to try.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trying {
    /// The reason why the last attempt failed.
    pub why: String,
    /// The time for which it continues to try.
    pub left: Millis,
}

impl fmt::Display for Trying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.left.as_millis().div_ceil(1_000);
        write!(f, "the server cannot be reached: {}; trying for {seconds} s more", fit_for_a_log(&self.why))
    }
}

/// The number of invalid messages of a server after which a session ends, if there is no valid one among them.
const MOST_INVALID: u32 = 20;

/// The number of invalid messages since the last valid one, or in Conveyor since the last answer. A server of another
/// protocol sends no valid one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct InvalidMessages(u32);

impl InvalidMessages {
    /// Notes a valid message.
    pub(crate) fn reset(&mut self) {
        self.0 = 0;
    }

    /// Counts an invalid message; returns whether there have been too many.
    pub(crate) fn are_too_many(&mut self) -> bool {
        self.0 += 1;
        self.0 >= MOST_INVALID
    }
}

/// The first and the longest pause between two attempts to connect.
const PAUSES: (Millis, Millis) = (Millis::new(100), Millis::new(5_000));

/// Time for which a session tries to reach a server before it reports that it tries.
const QUIET: Millis = Millis::new(1_000);

/// The longest time for the first valid message of a server on a connection, in seconds: as long as agents of The
/// Project Game wait for an answer. There is no limit for the wait for other players, which begins after this message.
pub const ANSWER_SECONDS: u32 = 75;

/// The attempts of a session to reach its server: the pauses between them grow, and they end after some time. A server
/// that is reached has to answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Attempts {
    patience: Millis,
    /// Time until which to try, since the server was lost; none while it knows the player.
    until: Option<SimTime>,
    /// The pause before the next attempt.
    pause: Millis,
    /// Whether it was reported that the server cannot be reached, since it was last there.
    is_reported: bool,
    /// The next step and its time; none while an attempt is under way, and after the server has answered.
    next: Option<(SimTime, Attempt)>,
}

/// The step of a session whose pause is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Attempt {
    /// It connects.
    Connect,
    /// It has tried for too long; the reason why the last attempt failed.
    GiveUp(String),
    /// It ends: the server has accepted the connection, and has sent nothing valid for [`ANSWER_SECONDS`].
    NoAnswer,
}

impl Attempts {
    /// The first attempt is under way; a server that is not there is tried for the time of `patience`.
    pub(crate) fn new(patience: Millis, now: SimTime) -> Self {
        Self { patience, until: Some(now + patience), pause: PAUSES.0, is_reported: false, next: None }
    }

    /// The attempt has failed, or the connection is lost: plans the next attempt. Returns the report that is due, if
    /// any.
    pub(crate) fn failed(&mut self, now: SimTime, why: String) -> Option<Trying> {
        let until = *self.until.get_or_insert(now + self.patience);
        let mut report = None;
        if !self.is_reported && now + self.patience >= until + QUIET {
            self.is_reported = true;
            report = Some(Trying { why: why.clone(), left: until - now });
        }
        // The last attempt is made when the patience ends.
        self.next = Some(if now >= until {
            (now, Attempt::GiveUp(why))
        } else {
            (until.min(now + self.pause), Attempt::Connect)
        });
        self.pause = Millis::new((self.pause.as_millis() * 2).min(PAUSES.1.as_millis()));
        report
    }

    /// The connection is open: the server has to answer in time.
    pub(crate) fn connected(&mut self, now: SimTime) {
        self.next = Some((now + Millis::new(ANSWER_SECONDS * 1_000), Attempt::NoAnswer));
    }

    /// The server has sent a valid message. A planned attempt stays: the message may be one of a former connection.
    pub(crate) fn answered(&mut self) {
        if matches!(self.next, Some((_, Attempt::NoAnswer))) {
            self.next = None;
        }
    }

    /// Cancels the planned step.
    pub(crate) fn cancel(&mut self) {
        self.next = None;
    }

    /// Sets the length of the next pause.
    pub(crate) fn set_pause(&mut self, pause: Millis) {
        self.pause = pause;
    }

    /// Resets the pauses: the server knows the player.
    pub(crate) fn succeeded(&mut self) {
        (self.until, self.pause, self.is_reported) = (None, PAUSES.0, false);
    }

    /// Returns the time of the next step.
    pub(crate) fn next(&self) -> Option<SimTime> {
        self.next.as_ref().map(|(at, _)| *at)
    }

    /// Returns the step that is due now, if any.
    pub(crate) fn due(&mut self, now: SimTime) -> Option<Attempt> {
        self.next.take_if(|(at, _)| *at <= now).map(|(_, step)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_patience_ends() {
        let mut now = SimTime::START;
        let mut attempts = Attempts::new(Millis::new(2_000), now);
        let mut told = Vec::new();
        loop {
            let report = attempts.failed(now, "refused".to_owned());
            told.extend(report.map(|report| format!("{now}: {report}")));
            let next = attempts.next().unwrap();
            if next > now {
                assert_eq!(attempts.due(now), None);
            }
            now = next;
            match attempts.due(now) {
                Some(Attempt::Connect) => told.push(format!("{now}")),
                end => {
                    assert_eq!(end, Some(Attempt::GiveUp("refused".to_owned())));
                    break;
                }
            }
        }
        assert_eq!(
            told,
            [
                "0.100 s",
                "0.300 s",
                "0.700 s",
                "1.500 s",
                "1.500 s: the server cannot be reached: refused; trying for 1 s more",
                "2.000 s"
            ]
        );
        assert_eq!(now, SimTime::from_millis(2_000));
    }

    /// A connection may be given up for a later one, and end by itself before.
    #[test]
    fn an_attempt_that_is_not_needed_any_more_is_not_made() {
        let mut attempts = Attempts::new(Millis::new(60_000), SimTime::START);
        attempts.failed(SimTime::START, "held".to_owned());
        attempts.cancel();
        assert_eq!((attempts.next(), attempts.due(SimTime::from_millis(100))), (None, None));
    }

    /// A client without a token closes its connection itself, to come back later.
    #[test]
    fn a_message_of_a_former_connection_cancels_no_attempt() {
        let mut attempts = Attempts::new(Millis::new(60_000), SimTime::START);
        attempts.connected(SimTime::START);
        assert_eq!(attempts.next(), Some(SimTime::from_millis(75_000)));
        attempts.failed(SimTime::START, "held".to_owned());
        attempts.answered();
        assert_eq!(attempts.due(SimTime::from_millis(100)), Some(Attempt::Connect));
        attempts.connected(SimTime::from_millis(100));
        attempts.answered();
        assert_eq!(attempts.next(), None);
    }

    #[test]
    fn a_server_that_is_back_is_tried_from_the_beginning_when_it_is_lost() {
        let mut now = SimTime::START;
        let mut attempts = Attempts::new(Millis::new(60_000), now);
        for _ in 0..6 {
            attempts.failed(now, "refused".to_owned());
            now = attempts.next().unwrap();
            assert_eq!(attempts.due(now), Some(Attempt::Connect));
        }
        attempts.succeeded();
        assert_eq!(attempts.failed(now, "lost".to_owned()), None);
        assert_eq!(attempts.next(), Some(now + PAUSES.0));
    }
}
