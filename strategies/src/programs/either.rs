//! A seat of one of two kinds: a strategy or a program, an agent that is decided for from outside or another one.

use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Choice, Environment, Note, Outcome, Policy, Seed, SimTime, Termination};

/// One of two kinds of seats of the same game.
pub(crate) enum Either<S, P> {
    Left(S),
    Right(P),
}

/// Calls the same method of the seat.
macro_rules! delegate {
    ($either:expr, $seat:ident => $call:expr) => {
        match $either {
            Either::Left($seat) => $call,
            Either::Right($seat) => $call,
        }
    };
}

impl<E: Environment, S: Policy<E>, P: Policy<E>> Policy<E> for Either<S, P> {
    #[inline]
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        delegate!(self, seat => seat.choose(now, agent, observation))
    }

    #[inline]
    fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
        delegate!(self, seat => seat.sent(now, agent, action));
    }

    #[inline]
    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        delegate!(self, seat => seat.hear(now, agent, event));
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        delegate!(self, seat => seat.reseed(agent, seed));
    }

    #[inline]
    fn note(&mut self) -> Option<Note> {
        delegate!(self, seat => seat.note())
    }

    #[inline]
    fn gives_up(&mut self) -> Option<Termination> {
        delegate!(self, seat => seat.gives_up())
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        delegate!(self, seat => seat.end(now, outcome));
    }
}

impl<S: ReportsBlunders, P: ReportsBlunders> ReportsBlunders for Either<S, P> {
    fn blunder_count(&self) -> u64 {
        delegate!(self, seat => seat.blunder_count())
    }

    fn take_blunders(&mut self) -> Vec<String> {
        delegate!(self, seat => seat.take_blunders())
    }
}
