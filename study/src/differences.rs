//! The decisions that another entrant would have made in the place of an agent.
//!
//! The record is replayed to the entrant: it knows what the agent knew, and its own decisions count nothing. Each
//! recorded action that it would not have asked for is a difference. Differences in the same kind of situation are a
//! group: `put` instead of `move`, say.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use game_env::matches::PlayError;
use game_env::replay::Fork;
use game_env::rollout::Departure;
use game_env::{AgentId, Seed};
use strategies::recorded_game::RecordedGame;

use crate::futures::{Chance, Futures, PROGRAM, Question, check, keep_first};

/// The decisions of an entrant in the place of an agent, compared with the recorded ones.
#[derive(Clone, PartialEq, Debug)]
pub struct Differences {
    /// The agent.
    pub agent: AgentId,
    /// The number of actions that the agent asked for in the record.
    pub actions: usize,
    /// The recorded actions for which the entrant would not have asked, in their order.
    pub departures: Vec<Departure<String>>,
    /// The recorded actions for which the entrant would have asked earlier, in their order.
    pub delays: Vec<Departure<String>>,
    /// The blunders of the entrant, in words.
    pub blunders: Vec<String>,
}

/// Differences in the same kind of situation.
#[derive(Clone, PartialEq, Debug)]
pub struct Group<'a> {
    /// The kind of the recorded action: its first word.
    pub recorded: &'a str,
    /// The kind of the action that the entrant chose; none if it waited or gave up.
    pub chosen: Option<&'a str>,
    /// The differences, in their order.
    pub departures: Vec<&'a Departure<String>>,
}

/// The worth of a difference: the chances of the agent's team with the recorded action, and with the entrant from the
/// moment before it on.
#[derive(Clone, PartialEq, Debug)]
pub struct Worth {
    /// After the recorded action, by the recorded players.
    pub recorded: Chance,
    /// From before the action on, with the entrant in the place of the agent.
    pub chosen: Chance,
    /// The first blunders of all players in these futures, in words, each once.
    pub blunders: Vec<String>,
}

impl Worth {
    /// Returns the chance that the agent's team lost by the recorded action; negative if it gained.
    pub fn cost(&self) -> f64 {
        self.chosen.0.value - self.recorded.0.value
    }
}

impl Differences {
    /// Replays the record to an entrant in the place of an agent.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`] and [`Self::check`].
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn of(game: &dyn RecordedGame, agent: AgentId, entrant: &str) -> Result<Self, PlayError> {
        let mut entrants = game.players();
        entrant.clone_into(&mut entrants[agent.index()]);
        let found = Self::of_all(game, &entrants)?.swap_remove(agent.index());
        found.check(entrant)?;
        Ok(found)
    }

    /// Replays the record to these entrants, each in the place of an agent.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`].
    pub fn of_all(game: &dyn RecordedGame, entrants: &[String]) -> Result<Vec<Self>, PlayError> {
        let inputs = game.inputs();
        let played = game.play_on(Fork::after(inputs.len()), entrants, PROGRAM, None)?;
        let of = |agent: AgentId| {
            let of_agent = |departures: &[Departure<String>]| {
                departures.iter().filter(|departure| departure.agent == agent).cloned().collect()
            };
            Self {
                agent,
                actions: inputs.iter().filter(|input| input.agent() == Some(agent)).count(),
                departures: of_agent(&played.departures),
                delays: of_agent(&played.delays),
                blunders: played.blunders[agent.index()].clone(),
            }
        };
        Ok(AgentId::all(entrants.len()).map(of).collect())
    }

    /// Checks that the entrant, which has this name, has not failed on the way.
    ///
    /// # Errors
    ///
    /// If it gave up in place of a recorded action, and has reported a blunder.
    pub fn check(&self, entrant: &str) -> Result<(), PlayError> {
        check(entrant, self.agent, &self.departures, &self.blunders)
    }

    /// Returns the differences by their kinds, the most frequent kind first.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: BTreeMap<(&str, Option<&str>), Vec<&Departure<String>>> = BTreeMap::new();
        for departure in &self.departures {
            let chosen = departure.chosen.as_deref().map(kind);
            groups.entry((kind(&departure.recorded), chosen)).or_default().push(departure);
        }
        let mut groups: Vec<Group<'_>> = groups
            .into_iter()
            .map(|((recorded, chosen), departures)| Group { recorded, chosen, departures })
            .collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.departures.len()));
        groups
    }
}

/// The kind of an action that is no word.
pub const WORDLESS: &str = "action";

/// Returns the kind of an action: its first word, or `action` in a game whose actions have no words.
pub(crate) fn kind(action: &str) -> &str {
    let first = action.split_whitespace().next().unwrap_or_default();
    if first.chars().all(|letter| letter.is_alphabetic() || letter == '-') { first } else { WORDLESS }
}

/// Measures a difference by this number of futures on each side. `watch` is called after each future, and breaks off if
/// it returns so; then the worth is that of fewer futures.
///
/// # Errors
///
/// As [`RecordedGame::play_on`].
pub fn worth(
    game: &dyn RecordedGame,
    departure: &Departure<String>,
    entrant: &str,
    games: u64,
    seed: Seed,
    jobs: NonZeroUsize,
    mut watch: impl FnMut() -> ControlFlow<()>,
) -> Result<Worth, PlayError> {
    let team = game.header().players[departure.agent.index()].team.index();
    let seed = seed.child(departure.input as u64);
    let mut blunders = Vec::new();
    let mut chance = |inputs, entrants| {
        let question = Question { game, inputs, entrants, seed };
        let futures = Futures::play(&question, games, jobs, |_| watch())?;
        keep_first(&mut blunders, futures.blunders().iter().cloned());
        Ok::<_, PlayError>(futures.chances()[team])
    };
    let mut entrants = game.players();
    let recorded = chance(departure.input + 1, entrants.clone())?;
    entrant.clone_into(&mut entrants[departure.agent.index()]);
    let chosen = chance(departure.input, entrants)?;
    Ok(Worth { recorded, chosen, blunders })
}
