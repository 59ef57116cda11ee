//! Reports of a league: one page that opens from disk, and the same as Markdown, CSV and JSON.
//!
//! A [`Report`] is made of facts about a league ([`About`]) and its matches ([`Played`]), in the order of the schedule.
//! Rendering it reads and writes nothing; equal reports give equal bytes.
//!
//! [`Report::site`] makes pages for a web server of it, with a page for each entrant and each pairing.
//!
//! The page has its charts drawn by Vega-Lite, whose scripts (`vendor`) are part of the page. Every result that is
//! drawn also stands in a table; the points match by match on the way to it are only drawn.

mod charts;
mod html;
mod search;
mod site;
mod tables;

use std::collections::BTreeMap;

use contests::statistics::{Bootstrap, HeadToHead, Interval, Match, Pentanomial, Rating, Ratings, Results};
use contests::text;
use contests::verdict::{Treatment, Verdict};
use game_env::{Metrics, SimTime};

pub use self::search::SearchReport;
pub use self::site::{Page, replay_path};
use self::tables::rounded;
use crate::network::CRASHED_PROGRAMS;
use crate::standings::best_first;

/// Facts about a league that are not about its matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct About {
    /// Its name.
    pub title: String,
    /// The game's name.
    pub game: String,
    /// Kind of play and the program, e.g. `in process by league 0.1.0`.
    pub played_by: String,
    /// The seed of the league.
    pub seed: String,
    /// The names of the entrants, in the order of the league file.
    pub entrants: Vec<String>,
    /// The names of the sides.
    pub sides: Vec<String>,
    /// For each entrant, the number of rounds of a knockout that it has won. Empty with another schedule.
    pub rounds_won: Vec<u32>,
    /// The number of matches of the whole league.
    pub scheduled: u64,
    /// If the league is not played to its end: the command that goes on with it, for people.
    pub resume: Option<String>,
}

/// A match of the league that counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// Its place in the league, from 1 on.
    pub number: u64,
    /// Identifier of its set; the matches of a set follow each other.
    pub set: String,
    /// Entrant of each side, as a place in [`About::entrants`].
    pub sides: Vec<usize>,
    /// The place of each side.
    pub places: Vec<u8>,
    /// The points of each side, in the game's own.
    pub returns: Vec<i32>,
    /// Verdict: the reason for which the match ended.
    pub verdict: Verdict,
    /// The sides whose agents ended it; none if no agent is at fault.
    pub at_fault: Vec<usize>,
    /// Game time of the match, in milliseconds.
    pub time_ms: u64,
    /// Metrics that the game measures for each side.
    pub metrics: Metrics,
    /// The command that writes the replay, for people; none if no game began.
    pub command: Option<String>,
    /// The agents that failed, in the order of agent ids.
    pub failed: Vec<Failed>,
}

/// An agent that failed in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The side that it played.
    pub side: usize,
    /// Its name in logs: `agent #2 (red)`.
    pub agent: String,
    /// The game time; none if there was no game.
    pub at: Option<SimTime>,
    /// The failure: `ended with exit code 1`.
    pub how: String,
    /// The last line that its program has written.
    pub last_line: String,
    /// The log of the agent, for its page of a site.
    pub log: String,
}

impl Failed {
    /// Returns the moment: `1.8 s`, or `before the game`.
    pub fn moment(&self) -> String {
        self.at.map_or_else(|| "before the game".to_owned(), text::game_time)
    }
}

/// The contents of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    about: About,
    matches: u64,
    /// Whether the game has a clock: the matches of a game of turns take no game time.
    has_time: bool,
    ratings: Ratings,
    /// For each entrant its matches, and the sum of its shares of their points.
    totals: Vec<(u64, f64)>,
    cross_table: Vec<Vec<HeadToHead>>,
    pairs: Vec<Vec<Pentanomial>>,
    /// For each entrant: its points less half of what it could have won, after each of some numbers of matches.
    course: Vec<Vec<(u64, f64)>>,
    /// The names of metrics, and for each entrant their means per match.
    metrics: (Vec<String>, Vec<Vec<f64>>),
    /// For each entrant, the number of its matches with each verdict.
    verdicts: Vec<BTreeMap<Verdict, u64>>,
    all_verdicts: BTreeMap<Verdict, u64>,
    /// For each entrant, the number of matches that its agents ended.
    at_fault: Vec<u64>,
    /// The number of matches that an agent ended.
    all_at_fault: u64,
    /// For each entrant, the number of its programs that crashed; none if no match counts them.
    crashed: Option<Vec<u64>>,
    losses: Vec<Loss>,
    /// For each entrant, its first failures, with the number of the match.
    failed: Vec<Vec<(u64, Failed)>>,
}

/// A clear loss.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Loss {
    /// Lead of the loser over the winner, in the game's points: negative, so the worst losses are the smallest.
    lead: i64,
    number: u64,
    loser: usize,
    winner: usize,
    time_ms: u64,
    command: String,
}

/// The most points of a curve.
const COURSE: u64 = 150;

/// The most losses of an entrant that are named.
const LOSSES: usize = 3;

/// The most failures of an entrant that are named.
const FAILURES: usize = 20;

impl Report {
    /// Gathers a report. `matches` are all that count, in the order of the schedule.
    ///
    /// # Panics
    ///
    /// Panics if a match names an entrant or a side that is not there, or has not a place and points for each side.
    pub fn new(about: About, matches: &[Played], bootstrap: &Bootstrap) -> Self {
        let entrants = about.entrants.len();
        let mut results = Results::new(entrants);
        let mut course = Course::new(entrants, about.sides.len(), matches.len() as u64);
        let mut means = Means::new(entrants);
        let mut verdicts = vec![BTreeMap::new(); entrants];
        let mut all_verdicts = BTreeMap::new();
        let (mut at_fault, mut all_at_fault) = (vec![0; entrants], 0);
        let mut crashed: Option<Vec<u64>> = None;
        let mut losses: Vec<Vec<Loss>> = vec![Vec::new(); entrants];
        let mut failed: Vec<Vec<(u64, Failed)>> = vec![Vec::new(); entrants];
        let is_scored = |played: &Played| played.verdict.treatment() == Treatment::Scored;
        // As in the standings: a set counts as a whole or not at all.
        let counts: Vec<bool> = matches
            .chunk_by(|a, b| a.set == b.set)
            .flat_map(|set| {
                let counts = set.len() == about.sides.len() && set.iter().all(is_scored);
                if counts {
                    results.add(set.iter().map(|played| Match::new(&played.sides, &played.places)).collect());
                }
                vec![counts; set.len()]
            })
            .collect();
        for (played, counts) in matches.iter().zip(counts) {
            *all_verdicts.entry(played.verdict).or_default() += 1;
            for entrant in &played.sides {
                *verdicts[*entrant].entry(played.verdict).or_default() += 1;
            }
            for side in &played.at_fault {
                at_fault[played.sides[*side]] += 1;
            }
            all_at_fault += u64::from(!played.at_fault.is_empty());
            if let Some(programs) = played.metrics.get(CRASHED_PROGRAMS) {
                let crashed = crashed.get_or_insert_with(|| vec![0; entrants]);
                for (entrant, programs) in played.sides.iter().zip(programs) {
                    crashed[*entrant] += whole(*programs);
                }
            }
            for own in &played.failed {
                let known = &mut failed[played.sides[own.side]];
                if known.len() < FAILURES {
                    known.push((played.number, own.clone()));
                }
            }
            means.add(played);
            if counts {
                course.add(&Match::new(&played.sides, &played.places));
                // A match that never began has no course to look at.
                if played.command.is_some() {
                    for loss in Loss::all(played) {
                        keep_worst(&mut losses[loss.loser], loss);
                    }
                }
            }
            course.mark();
        }
        let pairs = |first| (0..entrants).map(|second| results.pentanomial(first, second)).collect();
        Self {
            matches: matches.len() as u64,
            has_time: matches.iter().any(|played| played.time_ms > 0),
            ratings: Ratings::new(&results, bootstrap),
            totals: results.totals(),
            cross_table: results.cross_table(),
            pairs: (0..entrants).map(pairs).collect(),
            course: course.curves,
            metrics: means.finish(),
            verdicts,
            all_verdicts,
            at_fault,
            all_at_fault,
            crashed,
            losses: losses.into_iter().flatten().collect(),
            failed,
            about,
        }
    }

    /// Returns the note that the league is unfinished, with the command that goes on; none at its end.
    pub fn unfinished(&self) -> Option<String> {
        let resume = self.about.resume.as_ref()?;
        Some(unfinished(self.matches, self.about.scheduled, resume))
    }

    /// Returns the points of an entrant, as the standings count them: in a match, one for each other side that did
    /// worse, and half a point for each that did equally well.
    fn points(&self, entrant: usize) -> f64 {
        points(self.totals[entrant].1, self.about.sides.len())
    }

    /// Returns the strength of an entrant; none without a match that counts.
    fn elo(&self, rating: &Rating) -> Option<Interval> {
        (self.totals[rating.entrant].0 > 0).then_some(rating.elo)
    }

    /// Returns the game time of a match, as a table shows it; none if the game has no clock.
    fn time(&self, time_ms: u64) -> Option<String> {
        self.has_time.then(|| text::game_time(SimTime::from_millis(time_ms)))
    }

    fn name(&self, entrant: usize) -> &str {
        &self.about.entrants[entrant]
    }

    /// Returns the ratings with their ranks, the best first.
    fn ranked(&self) -> impl Iterator<Item = (usize, &Rating)> {
        (1..).zip(best_first(&self.ratings, &self.about.rounds_won))
    }
}

/// Returns the points in a sum of shares of matches with this number of sides.
fn points(shares: f64, sides: usize) -> f64 {
    // Shares of a match of four are thirds.
    rounded(shares * (sides - 1) as f64, 2.0)
}

/// Returns a count that was stored as a metric.
fn whole(metric: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float narrows by saturating, and a negative one becomes 0"
    )]
    let count = metric.round() as u64;
    count
}

/// Returns the note that only these of the scheduled matches have been played, with the command that goes on.
pub fn unfinished(played: u64, scheduled: u64, resume: &str) -> String {
    let scheduled = text::matches(scheduled);
    let have = if played == 1 { "has" } else { "have" };
    format!("unfinished: {} of {scheduled} {have} been played; `{resume}` goes on", text::with_commas(played))
}

impl Loss {
    /// Returns the sides that came last against those that came first.
    fn all(played: &Played) -> impl Iterator<Item = Self> {
        let first = played.places.iter().position(|place| *place == 1);
        let last = played.places.iter().max().copied().unwrap_or(1);
        let winner = first.filter(|_| last > 1);
        winner.into_iter().flat_map(move |winner| {
            let losers = played.places.iter().enumerate().filter(move |(_, place)| **place == last);
            losers.filter_map(move |(side, _)| {
                Some(Self {
                    lead: i64::from(played.returns[side]) - i64::from(played.returns[winner]),
                    number: played.number,
                    loser: played.sides[side],
                    winner: played.sides[winner],
                    time_ms: played.time_ms,
                    command: played.command.clone()?,
                })
            })
        })
    }
}

fn keep_worst(kept: &mut Vec<Loss>, loss: Loss) {
    let place = kept.partition_point(|other| *other <= loss);
    if place < LOSSES {
        kept.insert(place, loss);
        kept.truncate(LOSSES);
    }
}

/// Follows the points of every entrant through the league.
struct Course {
    /// For each entrant: the sum of its shares of the points of matches, less half of each match.
    shares: Vec<f64>,
    sides: usize,
    curves: Vec<Vec<(u64, f64)>>,
    played: u64,
    step: u64,
    all: u64,
}

impl Course {
    fn new(entrants: usize, sides: usize, all: u64) -> Self {
        let curves = vec![vec![(0, 0.0)]; entrants];
        Self { shares: vec![0.0; entrants], sides, curves, played: 0, step: all.div_ceil(COURSE).max(1), all }
    }

    fn add(&mut self, result: &Match) {
        for (entrant, score) in result.scores() {
            self.shares[entrant] += score - 0.5;
        }
    }

    fn mark(&mut self) {
        self.played += 1;
        if self.played.is_multiple_of(self.step) || self.played == self.all {
            for (curve, shares) in self.curves.iter_mut().zip(&self.shares) {
                curve.push((self.played, points(*shares, self.sides)));
            }
        }
    }
}

/// Adds metrics up by entrant.
struct Means {
    names: Vec<String>,
    sums: Vec<Vec<f64>>,
    /// The matches in which each was measured: in a match without a game, nothing is.
    counts: Vec<Vec<u64>>,
}

impl Means {
    fn new(entrants: usize) -> Self {
        Self { names: Vec::new(), sums: vec![Vec::new(); entrants], counts: vec![Vec::new(); entrants] }
    }

    fn add(&mut self, played: &Played) {
        for metric in played.metrics.iter().filter(|metric| metric.values.len() == played.sides.len()) {
            let place = self.names.iter().position(|name| *name == metric.name).unwrap_or_else(|| {
                self.names.push(metric.name.clone());
                self.sums.iter_mut().for_each(|sums| sums.push(0.0));
                self.counts.iter_mut().for_each(|counts| counts.push(0));
                self.names.len() - 1
            });
            for (entrant, value) in played.sides.iter().zip(&metric.values) {
                self.sums[*entrant][place] += value;
                self.counts[*entrant][place] += 1;
            }
        }
    }

    fn finish(self) -> (Vec<String>, Vec<Vec<f64>>) {
        let mean = |(sum, count): (&f64, &u64)| sum / (*count).max(1) as f64;
        let of_entrant = |(sums, counts): (&Vec<f64>, &Vec<u64>)| sums.iter().zip(counts).map(mean).collect();
        let means = self.sums.iter().zip(&self.counts).map(of_entrant).collect();
        (self.names, means)
    }
}
