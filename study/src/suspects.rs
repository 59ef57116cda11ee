//! Recorded decisions that a reference would not have made.
//!
//! The record is replayed to a reference, an entrant that plays well, in the place of each agent of a team. Each
//! recorded decision that it would not have made is a [`Suspect`]. A pair of futures from the moment of the decision
//! shows what it cost: in one the agent does what it did, in the other what the reference chose.
//!
//! # What this module does not do
//!
//! It judges no decision to act where the reference would have waited, and no agent that does nothing more up to the
//! end: a record has no decision of it any more.

use game_env::matches::PlayError;
use game_env::replay::Fork;
use game_env::rollout::{Departure, Replacement};
use game_env::{AgentId, Choice, Millis, Seed, SimTime};
use strategies::recorded_game::RecordedGame;

use crate::differences::{Differences, kind};
use crate::futures::PROGRAM;
use crate::moment::Moment;
use crate::pairs::PairEnd;

/// A recorded decision that the reference would not have made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspect {
    /// The agent.
    pub agent: AgentId,
    /// The number of inputs before the decision.
    pub inputs: usize,
    /// The moment of the decision.
    pub at: SimTime,
    /// The recorded decision; a wait until the next recorded action, if the reference would have acted long before it.
    pub recorded: Choice<String>,
    /// The action that the reference chose.
    pub better: String,
}

/// The time for which an agent of a game in real time has to stand still, while the reference would have acted, so that
/// this is a suspect of its own. Programs think and messages travel for a shorter time.
const LEAST_DELAY: Millis = Millis::new(500);

impl Suspect {
    /// Returns the suspect of a departure; none if the reference waited, or acted hardly earlier. `has_delays`: the
    /// clock of the game runs on while an agent does nothing.
    pub(crate) fn of(departure: &Departure<String>, has_delays: bool) -> Option<Self> {
        let better = departure.chosen.clone()?;
        let agent = departure.agent;
        if has_delays && departure.at - departure.decided >= LEAST_DELAY {
            let (inputs, at) = (departure.before, departure.decided);
            return Some(Self { agent, inputs, at, recorded: Choice::Wait(departure.at), better });
        }
        let recorded = Choice::Act(departure.recorded.clone());
        let suspect = Self { agent, inputs: departure.input, at: departure.at, recorded, better };
        (!departure.is_delay()).then_some(suspect)
    }

    /// Plays a pair of futures from the moment of the decision: in one the agent does what it did, in the other what
    /// the reference chose, and from there these players go on in both, with the same chance. Returns the end for this
    /// team.
    pub(crate) fn pair(
        &self,
        game: &dyn RecordedGame,
        players: &[String],
        team: usize,
        seed: Seed,
    ) -> Result<PairEnd, PlayError> {
        let played = |choice: Choice<String>| {
            let replacement = Replacement { at: self.at, agent: self.agent, choice };
            let fork = Fork::after(self.inputs).with_replacement(replacement).with_seed(seed);
            game.play_on(fork, players, PROGRAM, None)
        };
        let (recorded, better) = (played(self.recorded.clone())?, played(Choice::Act(self.better.clone()))?);
        Ok(PairEnd::of([recorded, better], team))
    }

    /// Returns the moment of the decision in its game: its time, or the number of its action in a game without time.
    pub fn moment(&self, game: &dyn RecordedGame) -> Moment {
        match Moment::after(&game.moments(), 0) {
            Moment::Time(_) => Moment::Time(self.at),
            Moment::Inputs(_) => Moment::Inputs(self.inputs + 1),
        }
    }

    /// Returns the kinds of the recorded decision and of that of the reference, for people: `move` and `put`, or
    /// `wait`.
    pub(crate) fn kinds(&self) -> (&str, &str) {
        kinds(&self.recorded, &self.better)
    }
}

/// Returns the kinds of a decision and of an action that the reference chose.
pub(crate) fn kinds<'a>(decision: &'a Choice<String>, better: &'a str) -> (&'a str, &'a str) {
    let decision = match decision {
        Choice::Act(action) => kind(action),
        Choice::Wait(_) => "wait",
    };
    (decision, kind(better))
}

/// The suspects of some agents of a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Suspects {
    /// The suspects, in the order of their moments.
    pub suspects: Vec<Suspect>,
    /// The number of recorded actions of the agents.
    pub actions: usize,
    /// The blunders of the reference in the place of these agents, in words.
    pub blunders: Vec<String>,
}

impl Suspects {
    /// Replays the record to the reference in the place of each of these agents.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`].
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub(crate) fn find(
        game: &dyn RecordedGame,
        agents: &[AgentId],
        reference: &str,
    ) -> Result<Self, PlayError> {
        let kind = game_catalogue::of_replay(game.header());
        let has_delays = kind.is_ok_and(|kind| !kind.description().time.has_turns());
        let mut entrants = game.players();
        for agent in agents {
            reference.clone_into(&mut entrants[agent.index()]);
        }
        let of_all = Differences::of_all(game, &entrants)?;
        let mut found = Self::default();
        for of_agent in of_all.iter().filter(|of_agent| agents.contains(&of_agent.agent)) {
            of_agent.check(reference)?;
            found.actions += of_agent.actions;
            found.blunders.extend_from_slice(&of_agent.blunders);
            let all = of_agent.departures.iter().chain(&of_agent.delays);
            found.suspects.extend(all.filter_map(|departure| Suspect::of(departure, has_delays)));
        }
        found.suspects.sort_by_key(|suspect| (suspect.inputs, suspect.agent));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_action_is_a_wait_and_a_hardly_late_one_is_none() {
        let departure = |recorded: &str, chosen: Option<&str>, decided| Departure {
            input: 9,
            at: SimTime::from_millis(2_000),
            agent: AgentId::new(1),
            recorded: recorded.to_owned(),
            chosen: chosen.map(str::to_owned),
            gives_up: false,
            decided: SimTime::from_millis(decided),
            before: 7,
        };
        let suspect = |departure, has_delays| {
            let suspect = Suspect::of(&departure, has_delays)?;
            Some((suspect.inputs, suspect.at.as_millis(), suspect.recorded))
        };
        let (act, wait) =
            (|text: &str| Choice::Act(text.to_owned()), Choice::Wait(SimTime::from_millis(2_000)));
        assert_eq!(suspect(departure("put", Some("put"), 1_000), true), Some((7, 1_000, wait.clone())));
        assert_eq!(suspect(departure("put", Some("check"), 1_000), true), Some((7, 1_000, wait)));
        assert_eq!(suspect(departure("put", Some("put"), 1_000), false), None);
        assert_eq!(suspect(departure("put", Some("put"), 1_900), true), None);
        assert_eq!(suspect(departure("put", Some("check"), 1_990), true), Some((9, 2_000, act("put"))));
        assert_eq!(suspect(departure("put", None, 2_000), true), None);
    }
}
