//! Compares two line-ups: rollouts in mirrored pairs.
//!
//! Each seed is played twice with the sides swapped, so neither line-up profits from its starting place. The unit
//! of the statistics is the pair, because its two games are not independent.
//!
//! [`crate::compare`] plays such pairs until a test has decided, and counts what the record of a match holds;
//! here the number of pairs is given. A witness can watch each game, and the results have what no record holds: the
//! least times of the games, and all blunders.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use game_env::{
    AgentId, ByTeam, Environment, Limits, Measured, Millis, Outcome, Seed, SimTime, TeamId, Witness,
};
pub use game_project::profile::Profile;
use game_project::statistics::Counts;
use game_project::{Config, State, Team};
use sdk::driver::actor::Blunder;
use sdk::local::{self, Played};
use strategies::project::registry::{BoxedStrategy, LineUp};

use crate::in_order::in_order;
use crate::project::bound::least_time;
use crate::statistics::{Interval, Pentanomial};

/// Constructor of the strategies of a team, by place in the team.
pub type Construct<'a> = &'a (dyn Fn(usize) -> BoxedStrategy + Sync);

/// One game of a contest.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its seed.
    pub seed: Seed,
    /// The result.
    pub outcome: Outcome,
    /// The game time of the end.
    pub time: SimTime,
    /// The actions served.
    pub steps: u64,
    /// The least time in which each team could have won.
    pub bound: ByTeam<Millis>,
    /// The time of each team by activity.
    pub profile: ByTeam<Profile>,
    /// The actions of the agents of each team, by kind.
    pub counts: ByTeam<Counts>,
    /// Faults of strategies that cost them turns.
    pub blunders: Vec<Blunder>,
}

/// Plays one game.
///
/// A game that lasts until the limit ends there; the team with more points wins.
pub fn play(config: &Config, seed: Seed, teams: ByTeam<Construct<'_>>, limit: SimTime) -> Game {
    play_watched(config, seed, teams, limit, &mut ())
}

/// As [`play`], and shows every action and event to a witness.
pub fn play_watched(
    config: &Config,
    seed: Seed,
    teams: ByTeam<Construct<'_>>,
    limit: SimTime,
    witness: &mut impl Witness<State>,
) -> Game {
    let state = State::new(config, seed);
    let bound = ByTeam::new(Team::ALL.map(|team| least_time(&state, team)));
    let mut next = ByTeam::new([0, 0]);
    let mut meter = state.meter();
    let game = local::Game::new(config, seed).longest(limit).most_decisions(Limits::default().decisions);
    let strategy = |_, team| {
        let strategy = teams[team](next[team]);
        next[team] += 1;
        strategy
    };
    let Played { episode, blunders, .. } = game.play_watched(strategy, &mut (&mut meter, witness));
    let mut counts = ByTeam::<Counts>::default();
    for (agent, own) in AgentId::all(state.agents()).zip(&meter.statistics().agents) {
        counts[state.briefing(agent).team] += &own.counts;
    }
    Game {
        seed,
        outcome: episode.outcome,
        time: episode.time,
        steps: episode.steps,
        bound,
        profile: *meter.profile(),
        counts,
        blunders,
    }
}

/// The results of mirrored pairs, from the first line-up's side.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games won, drawn and lost.
    pub games: [u32; 3],
    /// Points of the pairs.
    pub pairs: Pentanomial,
    /// Times of the games that the first won by covering all goals, as multiples of the least time.
    ratios: Vec<f64>,
    /// The time of the first by activity, in all games.
    pub profile: Profile,
    /// The actions of the agents of the first by kind, in all games.
    pub counts: Counts,
    /// Blunders in all games, of both.
    pub blunders: Vec<Blunder>,
    unfinished: u32,
}

/// Plays mirrored pairs on all cores. The result does not depend on the number of cores.
pub fn contest(
    config: &Config,
    constructs: (Construct<'_>, Construct<'_>),
    seed: Seed,
    pairs: u32,
    limit: SimTime,
) -> Tally {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    contest_watched(cores, config, constructs, (seed, pairs), limit, |_| ())
}

/// As [`contest`], by this many threads, with a witness for each game, made from its seed by the thread that plays it.
pub fn contest_watched<W: Witness<State>>(
    jobs: NonZeroUsize,
    config: &Config,
    (first, second): (Construct<'_>, Construct<'_>),
    (seed, pairs): (Seed, u32),
    limit: SimTime,
    witness: impl Fn(Seed) -> W + Sync,
) -> Tally {
    let pair = |number| {
        let seed = seed.child(number);
        let game = |teams| play_watched(config, seed, ByTeam::new(teams), limit, &mut witness(seed));
        Ok([game([first, second]), game([second, first])])
    };
    let mut tally = Tally::default();
    let Ok(_): Result<_, Infallible> = in_order(pairs.into(), jobs, pair, |_, games| {
        tally.add(games);
        ControlFlow::Continue(())
    });
    tally
}

impl Tally {
    fn add(&mut self, games: [Game; 2]) {
        let mut points = 0.0;
        for (game, own) in games.into_iter().zip(Team::ALL) {
            let (place, value) = match game.outcome.winner() {
                Some(winner) if winner == TeamId::from(own) => (0, 1.0),
                None => (1, 0.5),
                Some(_) => (2, 0.0),
            };
            self.games[place] += 1;
            self.unfinished += u32::from(game.outcome.termination != game_env::Termination::Normal);
            points += value;
            if place == 0 && game.outcome.termination == game_env::Termination::Normal {
                self.ratios
                    .push(game.time.as_millis() as f64 / f64::from(game.bound[own].as_millis().max(1)));
            }
            self.profile.add(&game.profile[own]);
            self.counts += &game.counts[own];
            self.blunders.extend(game.blunders);
        }
        self.pairs.add_points(points, 1);
    }

    /// Returns the share of points that the first won, with its 95 % interval: see [`Pentanomial::wilson`].
    pub fn score(&self) -> (f64, f64, f64) {
        let Interval { value, low, high } = self.pairs.wilson(0.95);
        (value, low, high)
    }

    /// Number of games that did not end by the rules, e.g. at the limit.
    pub fn unfinished(&self) -> u32 {
        self.unfinished
    }

    /// Returns the median of the time that a won game took, as a multiple of the least time; none if none was won by
    /// covering all goals.
    pub fn median_ratio(&self) -> Option<f64> {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        let (half, is_even) = (ratios.len() / 2, ratios.len().is_multiple_of(2));
        let upper = *ratios.get(half)?;
        Some(if is_even { f64::midpoint(ratios[half - 1], upper) } else { upper })
    }
}

/// Returns the constructor of the strategies of this line-up.
pub fn constructor(line_up: &LineUp) -> impl Fn(usize) -> BoxedStrategy + Sync + '_ {
    |place| line_up.construct(place)
}

#[cfg(test)]
mod tests {
    use game_env::{Ranking, Returns, Termination};
    use game_project::RawConfig;

    use super::*;

    /// Returns a game that red or blue won after this many seconds; the least time is ten seconds.
    fn game(winner: Option<Team>, seconds: u64) -> Game {
        let termination = if winner.is_some() { Termination::Normal } else { Termination::Stall };
        Game {
            seed: Seed::new(0),
            outcome: Outcome {
                ranking: winner.map_or(Ranking::tied(2), |winner| Ranking::won_by(winner.into(), 2)),
                termination,
                fault: None,
                returns: Returns::new(&[0, 0]),
            },
            time: SimTime::from_millis(1000 * seconds),
            steps: 0,
            bound: ByTeam::new([Millis::new(10_000); 2]),
            profile: ByTeam::default(),
            counts: ByTeam::default(),
            blunders: Vec::new(),
        }
    }

    /// The first line-up plays red in the first game of a pair and blue in the second.
    fn tally(pairs: &[[Option<Team>; 2]]) -> Tally {
        let mut tally = Tally::default();
        for pair in pairs {
            tally.add(pair.map(|winner| game(winner, 20)));
        }
        tally
    }

    #[test]
    fn pairs_are_counted_by_what_they_brought_the_first() {
        let (won, lost) = ([Some(Team::Red), Some(Team::Blue)], [Some(Team::Blue), Some(Team::Red)]);
        let even = [Some(Team::Red); 2];
        assert_eq!(tally(&[won, lost, even, even]).pairs, Pentanomial::new([1, 0, 2, 0, 1]));
        assert_eq!(Tally::default().score(), (0.5, 0.0, 1.0));
        let drawn = tally(&[[None, Some(Team::Blue)]]);
        assert_eq!((drawn.games, drawn.score().0, drawn.unfinished()), ([1, 1, 0], 0.75, 1));
    }

    #[test]
    fn ratios_are_those_of_games_that_the_first_won() {
        let mut tally = Tally::default();
        assert_eq!(tally.median_ratio(), None);
        tally.add([game(Some(Team::Red), 30), game(Some(Team::Red), 1_000)]);
        tally.add([game(None, 1_000), game(Some(Team::Blue), 20)]);
        tally.add([game(Some(Team::Red), 90), game(None, 1_000)]);
        assert_eq!(tally.median_ratio(), Some(3.0), "of 2, 3 and 9");
        tally.add([game(Some(Team::Red), 50), game(None, 1_000)]);
        assert_eq!(tally.median_ratio(), Some(4.0), "of 2, 3, 5 and 9");
    }

    /// The profile covers every moment of every agent, except the lock that the end of the game cuts short.
    #[test]
    fn a_profile_accounts_for_all_time() {
        let raw = RawConfig { board_x: 8, board_y: 12, goal_area_height: 2, ..RawConfig::default() };
        let greedy: LineUp = "greedy".parse().unwrap();
        let make = constructor(&greedy);
        let limit = SimTime::from_millis(3_600_000);
        let game = play(&raw.check().unwrap(), Seed::new(1), ByTeam::new([&make, &make]), limit);
        for team in Team::ALL {
            let profile = game.profile[team];
            let total: u64 = profile.shares().iter().map(|(_, time)| time).sum();
            let whole = 2 * game.time.as_millis();
            assert!(total.abs_diff(whole) <= 2 * 1_500, "{team}: {total} of {whole} ms");
            assert!(profile.searching > profile.putting && profile.tries > 0, "{profile:?}");
            assert!(profile.repeated <= profile.tries);
        }
    }
}
