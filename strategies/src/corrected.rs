//! A player that another one corrects.

use std::iter;

use game_env::note::Note;
use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Choice, Environment, Outcome, Policy, Seed, SimTime, Termination};

/// Decisions that a reference makes in the place of some agents, where their players would decide otherwise.
#[derive(Clone, Copy)]
pub struct Correction<'a> {
    /// The agents.
    pub agents: &'a [AgentId],
    /// The entrant that corrects them.
    pub reference: &'a str,
    /// Returns whether the action of the reference counts at this moment, in place of the choice of the player.
    pub applies: &'a (dyn Fn(SimTime, &Choice<String>, &str) -> bool + Sync),
}

/// A player, and the one that corrects it, if there is one. Both are asked, hear everything, and are told what was
/// sent.
pub(crate) struct Corrected<'a, P> {
    own: P,
    reference: Option<(P, Correction<'a>)>,
}

impl<'a, P> Corrected<'a, P> {
    /// Returns a player that nobody corrects.
    pub(crate) fn none(own: P) -> Self {
        Self { own, reference: None }
    }

    /// Returns a player that the reference corrects.
    pub(crate) fn by(own: P, reference: P, correction: Correction<'a>) -> Self {
        Self { own, reference: Some((reference, correction)) }
    }

    fn both(&mut self) -> impl Iterator<Item = &mut P> {
        iter::once(&mut self.own).chain(self.reference.as_mut().map(|(reference, _)| reference))
    }
}

impl<E, P> Policy<E> for Corrected<'_, P>
where
    E: Environment<Action: ToString>,
    P: Policy<E>,
{
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &E::Observation) -> Choice<E::Action> {
        let own = self.own.choose(now, agent, observation);
        let Some((reference, correction)) = &mut self.reference else { return own };
        let Choice::Act(better) = reference.choose(now, agent, observation) else { return own };
        let told = match &own {
            Choice::Act(action) => Choice::Act(action.to_string()),
            Choice::Wait(until) => Choice::Wait(*until),
        };
        if (correction.applies)(now, &told, &better.to_string()) { Choice::Act(better) } else { own }
    }

    fn sent(&mut self, now: SimTime, agent: AgentId, action: &E::Action) {
        self.both().for_each(|player| player.sent(now, agent, action));
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &E::Event) {
        self.both().for_each(|player| player.hear(now, agent, event));
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.both().for_each(|player| player.reseed(agent, seed));
    }

    fn note(&mut self) -> Option<Note> {
        self.own.note()
    }

    fn gives_up(&mut self) -> Option<Termination> {
        self.own.gives_up()
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        self.both().for_each(|player| player.end(now, outcome));
    }
}

impl<P: ReportsBlunders> ReportsBlunders for Corrected<'_, P> {
    fn blunder_count(&self) -> u64 {
        self.own.blunder_count() + self.reference.as_ref().map_or(0, |(own, _)| own.blunder_count())
    }

    fn take_blunders(&mut self) -> Vec<String> {
        self.both().flat_map(ReportsBlunders::take_blunders).collect()
    }
}
