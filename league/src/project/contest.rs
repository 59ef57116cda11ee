//! Compares two line-ups: rollouts in mirrored pairs.
//!
//! Each seed is played twice with the sides swapped, so neither line-up profits from its starting place. The unit
//! of the statistics is the pair, because its two games are not independent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bots::project::registry::{BoxedStrategy, Lineup};
use game_env::{ByTeam, Environment, Limits, Millis, Outcome, Rollout, Seed, SimTime, TeamId};
pub use game_project::profile::Profile;
use game_project::profile::TimeProfiler;
use game_project::{Config, State, Team};
use sdk::actor::Blunder;
use sdk::local::Seat;

use crate::project::bound::least_time;

/// What makes the strategies of a team: by place in the team.
pub type Construct<'a> = &'a (dyn Fn(usize) -> BoxedStrategy + Sync);

/// One game of a contest.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its seed.
    pub seed: Seed,
    /// How it ended.
    pub outcome: Outcome,
    /// When.
    pub time: SimTime,
    /// The actions served.
    pub steps: u64,
    /// The least time in which each team could have won.
    pub bound: ByTeam<Millis>,
    /// What each team spent its time on.
    pub profile: ByTeam<Profile>,
    /// What strategies did that cost them turns.
    pub blunders: Vec<Blunder>,
}

/// Plays one game.
///
/// A game that lasts until the limit ends there; the team with more points wins.
pub fn play(config: &Config, seed: Seed, teams: ByTeam<Construct<'_>>, limit: SimTime) -> Game {
    let mut state = State::new(config, seed);
    let bound = ByTeam::new(Team::ALL.map(|team| least_time(&state, team)));
    let mut next = ByTeam::new([0, 0]);
    let mut seats = Seat::all(&state, seed, |_, team| {
        let strategy = teams[team](next[team]);
        next[team] += 1;
        strategy
    });
    let rollout = Rollout { limits: Limits { time: limit, ..Limits::default() }, ..Rollout::default() };
    let mut profiler = TimeProfiler::default();
    let episode = rollout.play(&mut state, &mut seats, &mut profiler);
    Game {
        seed,
        outcome: episode.outcome,
        time: episode.time,
        steps: episode.steps,
        bound,
        profile: profiler.profile,
        blunders: seats.iter_mut().flat_map(Seat::take_blunders).collect(),
    }
}

/// What a normal variable exceeds with a probability of 2.5 %.
const Z: f64 = 1.959_964;

/// The results of mirrored pairs, from the first line-up's side.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Games won, drawn and lost.
    pub games: [u32; 3],
    /// What each pair brought: 0 to 2 points.
    pairs: Vec<f64>,
    /// How long the games took that the first won by covering all goals, as multiples of the least time.
    ratios: Vec<f64>,
    /// What the first spent its time on, in all games.
    pub profile: Profile,
    /// Blunders in all games, of both.
    pub blunders: Vec<Blunder>,
    /// The games that the first lost: the seed, and the side on which it played. [`play`] plays one of them again.
    pub lost: Vec<(Seed, Team)>,
    unfinished: u32,
}

/// Plays mirrored pairs on all cores. The result does not depend on how many there are.
pub fn contest(
    config: &Config,
    constructs: (Construct<'_>, Construct<'_>),
    seed: Seed,
    pairs: u32,
    limit: SimTime,
) -> Tally {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    contest_among(cores, config, constructs, seed, pairs, limit)
}

/// As [`contest`], by this many threads.
pub fn contest_among(
    workers: usize,
    config: &Config,
    (first, second): (Construct<'_>, Construct<'_>),
    seed: Seed,
    pairs: u32,
    limit: SimTime,
) -> Tally {
    let next = AtomicUsize::new(0);
    let count = pairs as usize;
    let workers = workers.clamp(1, count.max(1));
    let mut played: Vec<(usize, [Game; 2])> = thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return own;
                }
                let seed = seed.child(index as u64);
                let game = |teams| play(config, seed, ByTeam::new(teams), limit);
                own.push((index, [game([first, second]), game([second, first])]));
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a rollout does not panic")).collect()
    });
    played.sort_by_key(|(index, _)| *index);
    let mut tally = Tally::default();
    for (_, games) in played {
        tally.add(games);
    }
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
            if place == 2 {
                self.lost.push((game.seed, own));
            }
            self.unfinished += u32::from(game.outcome.termination != game_env::Termination::Normal);
            points += value;
            if place == 0 && game.outcome.termination == game_env::Termination::Normal {
                self.ratios
                    .push(game.time.as_millis() as f64 / f64::from(game.bound[own].as_millis().max(1)));
            }
            self.profile.add(&game.profile[own]);
            self.blunders.extend(game.blunders);
        }
        self.pairs.push(points);
    }

    /// The share of points that the first won, with its 95 % interval.
    ///
    /// The interval is Wilson's, with as many games as would scatter like these pairs do (at most twice as many
    /// as there are pairs).
    pub fn score(&self) -> (f64, f64, f64) {
        let count = self.pairs.len() as f64;
        if count == 0.0 {
            return (0.5, 0.0, 1.0);
        }
        let mean = self.pairs.iter().sum::<f64>() / count / 2.0;
        let scatter = self.pairs.iter().map(|pair| (pair / 2.0 - mean).powi(2)).sum::<f64>() / count;
        let single = mean * (1.0 - mean);
        let games =
            if scatter > 0.0 { (count * single / scatter).clamp(count, 2.0 * count) } else { 2.0 * count };
        let z = Z;
        let centre = (mean + z * z / (2.0 * games)) / (1.0 + z * z / games);
        let half = z / (1.0 + z * z / games) * (single / games + z * z / (4.0 * games * games)).sqrt();
        (mean, (centre - half).max(0.0), (centre + half).min(1.0))
    }

    /// How many pairs it takes to tell a difference of this share of the points (0.05 for 5 %) from chance, at 95 %: as
    /// many as make half the interval of [`Tally::score`] no longer than the difference, if further pairs scatter as
    /// these did.
    ///
    /// Without two pairs, and at the most, it is what coin tosses need: 385 pairs for 5 %.
    ///
    /// # Panics
    ///
    /// If the difference is not a number above 0.
    pub fn pairs_needed(&self, difference: f64) -> u32 {
        assert!(difference > 0.0, "a difference of {difference} cannot be told from none");
        let count = self.pairs.len() as f64;
        let mean = self.pairs.iter().sum::<f64>() / count / 2.0;
        let scatter = self.pairs.iter().map(|pair| (pair / 2.0 - mean).powi(2)).sum::<f64>() / count;
        let scatter = if self.pairs.len() < 2 { 0.25 } else { scatter.min(0.25) };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float narrows by saturating, and the number is positive"
        )]
        let needed = (Z * Z * scatter / (difference * difference)).ceil() as u32;
        needed.max(1)
    }

    /// How many games ended at the limit.
    pub fn unfinished(&self) -> u32 {
        self.unfinished
    }

    /// The median of the time that a won game took, as a multiple of the least time; none if none was won by
    /// covering all goals.
    pub fn median_ratio(&self) -> Option<f64> {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        (!ratios.is_empty()).then(|| ratios[ratios.len() / 2])
    }
}

/// A line-up as a maker of strategies.
pub fn lineup(lineup: &Lineup) -> impl Fn(usize) -> BoxedStrategy + Sync + '_ {
    |place| lineup.construct(place)
}

#[cfg(test)]
mod tests {
    use game_env::{Ranking, Returns, Termination};
    use game_project::RawConfig;

    use super::*;

    /// A game that red or blue won after so many seconds, where the least would have been ten.
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

    fn is_about(score: (f64, f64, f64), expected: (f64, f64, f64)) {
        let off = [score.0 - expected.0, score.1 - expected.1, score.2 - expected.2];
        assert!(off.iter().all(|off| off.abs() < 5e-5), "{score:?}, not {expected:?}");
    }

    /// Against Wilson's intervals as textbooks have them.
    #[test]
    fn scores_have_the_intervals_of_textbooks() {
        let (won, lost) = ([Some(Team::Red), Some(Team::Blue)], [Some(Team::Blue), Some(Team::Red)]);
        // 200 of 200, and none of 20.
        is_about(tally(&[won; 100]).score(), (1.0, 0.981_15, 1.0));
        is_about(tally(&[lost; 10]).score(), (0.0, 0.0, 0.161_13));
        // Who wins every second game of each pair scatters less than coins do: no more games than were played count.
        is_about(tally(&[[Some(Team::Red); 2]; 50]).score(), (0.5, 0.403_83, 0.596_17));
        // Pairs that are won or lost as a whole are worth one game each: 10 of 20.
        let whole: Vec<_> = [won, lost].into_iter().cycle().take(20).collect();
        is_about(tally(&whole).score(), (0.5, 0.299_30, 0.700_70));
        assert_eq!(Tally::default().score(), (0.5, 0.0, 1.0));
        let drawn = tally(&[[None, Some(Team::Blue)]]);
        assert_eq!((drawn.games, drawn.score().0, drawn.unfinished()), ([1, 1, 0], 0.75, 1));
    }

    #[test]
    fn the_games_that_were_lost_are_told() {
        let tally = tally(&[[Some(Team::Red), Some(Team::Red)], [Some(Team::Blue), None]]);
        assert_eq!(tally.games, [1, 1, 2]);
        assert_eq!(tally.lost, [(Seed::new(0), Team::Blue), (Seed::new(0), Team::Red)]);
    }

    #[test]
    fn what_scatters_more_needs_more_pairs() {
        let (won, lost) = ([Some(Team::Red), Some(Team::Blue)], [Some(Team::Blue), Some(Team::Red)]);
        let even = [Some(Team::Red); 2];
        assert_eq!(Tally::default().pairs_needed(0.05), 385, "(1.96 / 2 / 0.05)²");
        assert_eq!(tally(&[won, lost]).pairs_needed(0.05), 385);
        assert_eq!(tally(&[won, lost, even, even]).pairs_needed(0.05), 193, "half the scatter");
        assert_eq!(tally(&[won, lost]).pairs_needed(0.10), 97);
        assert_eq!(tally(&[even, even]).pairs_needed(0.05), 1, "nothing scatters");
    }

    #[test]
    fn ratios_are_those_of_games_that_the_first_won() {
        let mut tally = Tally::default();
        assert_eq!(tally.median_ratio(), None);
        tally.add([game(Some(Team::Red), 30), game(Some(Team::Red), 1_000)]);
        tally.add([game(None, 1_000), game(Some(Team::Blue), 20)]);
        tally.add([game(Some(Team::Red), 90), game(None, 1_000)]);
        assert_eq!(tally.median_ratio(), Some(3.0), "of 2, 3 and 9");
    }

    /// Every moment of every agent is spent on something, up to the lock that the end of the game cuts short.
    #[test]
    fn a_profile_accounts_for_all_time() {
        let raw = RawConfig { board_x: 8, board_y: 12, goal_area_height: 2, ..RawConfig::default() };
        let greedy: Lineup = "greedy".parse().unwrap();
        let make = lineup(&greedy);
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
