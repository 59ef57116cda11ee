//! Futures of a recorded game: what happens after a moment, with other chance each time.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::in_order::in_order;
use contests::statistics::Interval;
use game_env::matches::PlayError;
use game_env::replay::Fork;
use game_env::rollout::Departure;
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Outcome, Seed};
use strategies::recorded_game::{PlayedOn, RecordedGame};

/// Name and version of the program in replays of futures.
pub(crate) const PROGRAM: &str = concat!("study ", env!("CARGO_PKG_VERSION"));

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// A moment of a game, and the entrants that play on from there.
#[derive(Clone)]
pub struct Question<'a> {
    /// The game.
    pub game: &'a dyn RecordedGame,
    /// The number of inputs before the moment.
    pub inputs: usize,
    /// The entrant of each agent.
    pub entrants: Vec<String>,
    /// The seed of all futures: future number `n` draws from `seed.child(n)`.
    pub seed: Seed,
}

/// The ends of the futures of a moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Futures {
    /// For each team, the numbers of futures that it loses, shares and wins.
    counts: Vec<[u64; 3]>,
    /// The first future that each team wins.
    won: Vec<Option<u64>>,
    /// The sum of the game times at the end, in milliseconds.
    time: u64,
    /// The hash of the actions, while all futures have the same.
    common: Option<u64>,
    /// The recorded actions before the moment that an entrant would not have asked for.
    departures: Vec<Departure<String>>,
    /// The first blunders of the entrants, in words, each once.
    blunders: Vec<String>,
}

/// The most blunders that are kept.
const KEPT_BLUNDERS: usize = 5;

/// Adds blunders, in words, to those that are kept: the first few, each once.
pub fn keep_first(kept: &mut Vec<String>, blunders: impl IntoIterator<Item = String>) {
    for blunder in blunders {
        if kept.len() < KEPT_BLUNDERS && !kept.contains(&blunder) {
            kept.push(blunder);
        }
    }
}

/// Returns these blunders, in words, and then the others, each once.
pub fn each_once<'a>(first: &'a [String], others: &'a [String]) -> Vec<&'a String> {
    first.iter().chain(others.iter().filter(|blunder| !first.contains(blunder))).collect()
}

/// The chance of a team to win: the share of futures that it wins, where a shared first place counts half, with the
/// interval that holds the true one with [`CONFIDENCE`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance(pub Interval);

impl Chance {
    /// Returns the chance of these numbers of futures that are lost, shared and won.
    pub fn of(counts: [u64; 3]) -> Self {
        Self(share(counts, CONFIDENCE))
    }

    /// Returns the chance without its interval: `65 %`.
    pub fn percent(self) -> String {
        format!("{:.0} %", 100.0 * self.0.value)
    }
}

/// Returns a cost in percentage points with this number of decimals: `2.4 (1.1 to 3.7)`.
pub fn in_points(cost: Interval, decimals: usize) -> String {
    // Minus zero has a sign.
    let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or_default());
    let Interval { value, low, high } = cost.map(|share| (100.0 * scale * share).round() / scale + 0.0);
    format!("{value:.decimals$} ({low:.decimals$} to {high:.decimals$})")
}

/// Returns the share of these numbers of futures that are lost, shared and won, with its interval.
pub(crate) fn share([lost, shared, won]: [u64; 3], confidence: f64) -> Interval {
    Interval::wilson(won as f64 + shared as f64 / 2.0, lost + shared + won, confidence)
}

/// In percent: `65 % (58 to 71)`.
impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interval { value, low, high } = self.0.map(|share| 100.0 * share);
        f.pad(&format!("{value:.0} % ({low:.0} to {high:.0})"))
    }
}

impl Question<'_> {
    /// Plays one future, and writes the replay of the whole game to `replay`, if there is one.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`], or if an entrant fails before the moment.
    pub fn future(
        &self,
        number: u64,
        replay: Option<&mut dyn std::io::Write>,
    ) -> Result<PlayedOn, PlayError> {
        let fork = Fork::after(self.inputs).with_seed(self.seed.child(number));
        let played = self.game.play_on(fork, &self.entrants, PROGRAM, replay)?;
        let entrants = AgentId::all(self.entrants.len()).zip(&self.entrants).zip(&played.blunders);
        for ((agent, entrant), blunders) in entrants {
            check(entrant, agent, &played.departures, blunders)?;
        }
        Ok(played)
    }
}

/// Checks that the entrant of an agent has not failed before the moment, from which on it would do nothing.
///
/// # Errors
///
/// If it gave up in place of a recorded action, and has reported a blunder.
pub(crate) fn check(
    entrant: &str,
    agent: AgentId,
    departures: &[Departure<String>],
    blunders: &[String],
) -> Result<(), PlayError> {
    let Some(blunder) = blunders.first() else { return Ok(()) };
    if !departures.iter().any(|departure| departure.agent == agent && departure.gives_up) {
        return Ok(());
    }
    let (entrant, blunder) = (fit_for_a_log(entrant), blunder.trim_end());
    let reason = format!("`{entrant}` failed in the place of agent {agent}: {blunder}");
    Err(PlayError::Entrant { place: agent.index() + 1, reason })
}

/// Returns the number of teams of a game.
pub fn team_count(game: &dyn RecordedGame) -> usize {
    game.header().players.iter().map(|player| player.team.index() + 1).max().unwrap_or(0)
}

impl Futures {
    /// Creates the answer without a future to this question.
    fn none(question: &Question<'_>) -> Self {
        let teams = team_count(question.game);
        Self {
            counts: vec![[0; 3]; teams],
            won: vec![None; teams],
            time: 0,
            common: None,
            departures: Vec::new(),
            blunders: Vec::new(),
        }
    }

    /// Plays this number of futures by this number of threads. The result does not depend on the number of threads.
    /// `watch` is called after each future, in the order of their numbers, and breaks off if it returns so.
    ///
    /// # Errors
    ///
    /// As [`Question::future`].
    pub fn play(
        question: &Question<'_>,
        games: u64,
        jobs: NonZeroUsize,
        mut watch: impl FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Self, PlayError> {
        let mut futures = Self::none(question);
        let _ = in_order(
            games,
            jobs,
            |number| question.future(number, None),
            |number, played| {
                futures.add(number, played);
                watch(&futures)
            },
        )?;
        Ok(futures)
    }

    fn add(&mut self, number: u64, played: PlayedOn) {
        if number == 0 {
            self.common = Some(played.course);
            self.departures = played.departures;
        }
        self.common = self.common.filter(|course| *course == played.course);
        self.time += played.time.as_millis();
        keep_first(&mut self.blunders, played.blunders.into_iter().flatten());
        for (team, counts) in self.counts.iter_mut().enumerate() {
            let place = place_of(&played.outcome, team);
            counts[place] += 1;
            if place == WON {
                self.won[team].get_or_insert(number);
            }
        }
    }

    /// Returns the number of futures.
    pub fn games(&self) -> u64 {
        self.counts.first().map_or(0, |counts| counts.iter().sum())
    }

    /// Returns for each team, the numbers of futures that it loses, shares and wins.
    pub fn counts(&self) -> &[[u64; 3]] {
        &self.counts
    }

    /// Returns the chance of each team.
    pub fn chances(&self) -> Vec<Chance> {
        self.counts.iter().map(|counts| Chance::of(*counts)).collect()
    }

    /// Returns the number of the first future that each team wins.
    pub fn first_won(&self) -> &[Option<u64>] {
        &self.won
    }

    /// Returns the mean game time at the end, in milliseconds; 0 without futures.
    pub fn mean_time(&self) -> u64 {
        self.time.checked_div(self.games()).unwrap_or(0)
    }

    /// Returns whether all futures are the same: nothing draws after the moment.
    pub fn are_the_same(&self) -> bool {
        self.common.is_some() && self.games() > 1
    }

    /// Returns the recorded actions before the moment that an entrant would not have asked for, in their order.
    pub fn departures(&self) -> &[Departure<String>] {
        &self.departures
    }

    /// Returns the first blunders of the entrants, in words, each once.
    pub fn blunders(&self) -> &[String] {
        &self.blunders
    }
}

/// The place of a won game in counts.
const WON: usize = 2;

/// Returns the place of an end in the counts of a team: lost, shared or won.
pub(crate) fn place_of(outcome: &Outcome, team: usize) -> usize {
    let places = outcome.ranking.places();
    let first = places.iter().filter(|place| **place == 1).count();
    match places.get(team) {
        Some(1) if first == 1 => WON,
        Some(1) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_in_points_has_no_minus_zero() {
        let cost = Interval { value: 0.024_4, low: -0.000_4, high: 0.051 };
        assert_eq!([0, 1].map(|decimals| in_points(cost, decimals)), ["2 (0 to 5)", "2.4 (0.0 to 5.1)"]);
        assert_eq!(Chance::of([10, 0, 30]).percent(), "75 %");
    }
}
