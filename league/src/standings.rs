//! The standings of a league, and their files.
//!
//! [`Standings::write`] writes three files beside the store. They follow from the league file and the counted matches
//! alone: two people who play the same file with the same program get the same bytes.
//!
//! | file | contents |
//! |---|---|
//! | `standings.json` | one document: the league, verdicts, and the entrants, best first |
//! | `standings.csv` | a row for each entrant, best first |
//! | `matches.jsonl` | a line for each match that counts, in the order of the schedule: number, id, entrants by side, verdict, and the whole record |

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use command_line::shown;
use contests::entrant::EntrantId;
use contests::statistics::{Bootstrap, HeadToHead, Interval, Rating, Ratings};
use contests::text;
use contests::verdict::Verdict;
use serde::Serialize;

use crate::file::League;
use crate::progress::Progress;
use crate::schedule::HalfPoints;
use crate::store::{Origin, Store, StoreError};

/// The name of the format of `standings.json`.
pub const FORMAT: &str = "league-standings";

/// The version of that format.
pub const VERSION: u32 = 1;

/// The standings of a league.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standings {
    format: &'static str,
    version: u32,
    league: String,
    game: String,
    executor: String,
    program: String,
    /// Text: not every reader of JSON has 64-bit numbers.
    seed: String,
    matches: MatchCounts,
    verdicts: BTreeMap<String, u64>,
    /// Name of the entrant that has won a knockout.
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    /// The number of groups of entrants that have met, directly or through others.
    #[serde(skip)]
    groups: usize,
    standings: Vec<Standing>,
}

/// Numbers of matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct MatchCounts {
    /// In the schedule, as far as it is known.
    pub scheduled: u64,
    /// Played and counted.
    pub counted: u64,
    /// Left out because the order was settled before; none if the league was not stopped early.
    pub saved: Option<u64>,
}

/// The place of an entrant.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The place, from 1 on.
    pub rank: usize,
    /// Name in the league file.
    pub name: String,
    /// Its strategies.
    pub strategies: Vec<String>,
    /// Number of its matches that count.
    pub matches: u64,
    /// Number of times that it placed above another entrant in a match.
    pub won: u64,
    /// Number of times that it shared a place with another entrant.
    pub drawn: u64,
    /// Number of times that it placed below another entrant.
    pub lost: u64,
    /// A point for each win, half a point for each draw.
    pub points: f64,
    /// The share of the points that it could have won; none without matches.
    pub score: Option<f64>,
    /// Its strength in Elo with a 95 % interval, by Bradley and Terry's model (Plackett and Luce's for more than two
    /// sides); the mean of all entrants is 0. None without matches.
    pub elo: Option<Elo>,
}

/// A strength in Elo, to a tenth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Elo {
    /// The strength.
    pub value: f64,
    /// The lower bound of its interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Reason why the files cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file cannot be written.
    #[error("cannot write {file}: {source}", file = shown(.file))]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Standings {
    /// Returns the standings of a league that was played as far as this.
    pub fn new(league: &League, origin: &Origin, progress: &Progress) -> Self {
        let results = progress.results();
        let table = results.cross_table();
        let totals = results.totals();
        let ratings = Ratings::new(results, &Bootstrap { seed: league.seed, ..Bootstrap::default() });
        let ranked = best_first(&ratings, progress.rounds_won());
        let is_won = progress.is_over() && !progress.rounds_won().is_empty();
        let winner = ranked.first().filter(|_| is_won).map(|best| league.entrants[best.entrant].name.clone());
        let standing = |(rank, rating): (usize, &Rating)| {
            let entrant = &league.entrants[rating.entrant];
            let sum = |count: fn(&HeadToHead) -> u64| table[rating.entrant].iter().map(count).sum();
            let (won, drawn, lost): (u64, u64, u64) =
                (sum(|meeting| meeting.won), sum(|meeting| meeting.drawn), sum(|meeting| meeting.lost));
            let points = progress.points().total(EntrantId::from_index(rating.entrant));
            let (most, matches) = (won + drawn + lost, totals[rating.entrant].0);
            Standing {
                rank,
                name: entrant.name.clone(),
                strategies: entrant.strategies.clone(),
                matches,
                won,
                drawn,
                lost,
                points: in_points(points),
                score: (most > 0).then(|| in_points(points) / most as f64),
                elo: (matches > 0).then(|| Elo::from(rating.elo)),
            }
        };
        let verdicts = progress.verdicts().iter().map(|(verdict, count)| (verdict.to_string(), *count));
        Self {
            format: FORMAT,
            version: VERSION,
            league: league.name.clone(),
            game: league.game.clone(),
            executor: origin.executor.clone(),
            program: origin.program.clone(),
            seed: league.seed.to_string(),
            matches: MatchCounts {
                scheduled: progress.expected(),
                counted: progress.counted(),
                saved: progress.saved(),
            },
            verdicts: verdicts.collect(),
            winner,
            groups: ratings.groups(),
            standings: (1..).zip(ranked).map(standing).collect(),
        }
    }

    /// Returns the entrants, best first.
    pub fn entrants(&self) -> &[Standing] {
        &self.standings
    }

    /// Returns the numbers of matches.
    pub fn matches(&self) -> MatchCounts {
        self.matches
    }

    /// Writes the three files into the folder of the store. Each appears when it is whole. Returns the number of
    /// matches in which an agent failed, as their records say.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written, or the store cannot be read.
    pub fn write(&self, league: &League, store: &Store) -> Result<u64, WriteError> {
        let folder = store.folder();
        let json = serde_json::to_string_pretty(self).map_err(io::Error::other);
        file(folder, "standings.json", |out| writeln!(out, "{}", json?))?;
        file(folder, "standings.csv", |out| out.write_all(self.csv().as_bytes()))?;
        let name = |entrant: EntrantId| league.entrants[entrant.index()].name.as_str();
        let (mut failed, mut reported) = (None, 0);
        file(folder, "matches.jsonl", |out| {
            let written = store.for_each(self.matches.counted, |stored, record| {
                reported += u64::from(stored.record.blunders > 0);
                let seated: Vec<&str> = stored.id.seated().map(name).collect();
                let at_fault = league.sides_at_fault(&stored.record.outcome);
                let line = MatchLine {
                    number: stored.number,
                    id: stored.id.to_string(),
                    entrants: seated.clone(),
                    verdict: stored.verdict.to_string(),
                    at_fault: at_fault.into_iter().map(|side| seated[side]).collect(),
                };
                let line = serde_json::to_string(&line).map_err(io::Error::other)?;
                // The record as it is stored becomes the last member.
                let members = line.strip_suffix('}').unwrap_or(&line);
                Ok(writeln!(out, "{members},\"record\":{record}}}")?)
            });
            match written {
                Ok(()) => Ok(()),
                Err(LineError::File(error)) => Err(error),
                Err(LineError::Store(error)) => {
                    failed = Some(error);
                    Err(io::Error::other("the store cannot be read"))
                }
            }
        })
        .map_err(|error| failed.take().map_or(error, WriteError::Store))?;
        Ok(reported)
    }

    fn csv(&self) -> String {
        let mut csv = "rank,name,matches,won,drawn,lost,points,score,elo,elo_low,elo_high\n".to_owned();
        for own in &self.standings {
            let Standing { rank, name, matches, won, drawn, lost, points, score, elo, .. } = own;
            let name = text::csv_cell(name);
            let score = score.map_or_else(String::new, |score| format!("{score:.4}"));
            let elo = elo.map_or_else(
                || ",,".to_owned(),
                |Elo { value, low, high }| format!("{value:.1},{low:.1},{high:.1}"),
            );
            csv += &format!("{rank},{name},{matches},{won},{drawn},{lost},{points},{score},{elo}\n");
        }
        csv
    }
}

/// A table for people.
impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.standings.iter().map(|own| own.name.chars().count());
        let width = names.max().unwrap_or(0).max(7);
        writeln!(
            f,
            "{:>4}  {:<width$} {:>8} {:>7} {:>7} {:>7} {:>9} {:>7} {:>8}  95 % interval",
            "rank", "entrant", "matches", "won", "drawn", "lost", "points", "score", "Elo"
        )?;
        for own in &self.standings {
            let score = own.score.map_or_else(|| "–".to_owned(), |score| format!("{:.1} %", 100.0 * score));
            let (elo, interval) = match own.elo {
                None => ("–".to_owned(), "–".to_owned()),
                Some(Elo { value, low, high }) => {
                    (format!("{value:+.1}"), format!("{low:+.1} to {high:+.1}"))
                }
            };
            writeln!(
                f,
                "{:>4}  {:<width$} {:>8} {:>7} {:>7} {:>7} {:>9} {:>7} {elo:>8}  {interval}",
                own.rank, own.name, own.matches, own.won, own.drawn, own.lost, own.points, score,
            )?;
        }
        if let Some(winner) = &self.winner {
            writeln!(f, "{winner} has won the knockout")?;
        }
        if self.groups > 1 {
            writeln!(f, "{}", text::groups_that_have_not_met(self.groups))?;
        }
        let others = self.verdicts.iter().filter(|(verdict, _)| *verdict != "normal");
        let others: Vec<String> = others.map(|(verdict, count)| format!("{count} {verdict}")).collect();
        if !others.is_empty() {
            writeln!(f, "matches that did not end by the rules: {}", others.join(", "))?;
        }
        if let Some(saved) = self.matches.saved {
            let MatchCounts { scheduled, counted, .. } = self.matches;
            let (scheduled, were) = (text::matches(scheduled), if saved == 1 { "was" } else { "were" });
            let (counted, saved) = (text::with_commas(counted), text::with_commas(saved));
            writeln!(f, "the order is settled after {counted} of {scheduled}: {saved} {were} saved")?;
        }
        Ok(())
    }
}

/// An entrant of a league that is being played.
pub(crate) struct SoFar {
    /// Its number.
    pub(crate) entrant: usize,
    /// Its place; equal entrants share one.
    pub(crate) place: usize,
    /// The matches that it has played.
    pub(crate) matches: u64,
    /// Its points, as shares of its matches.
    pub(crate) points: f64,
    /// Its share of the points.
    pub(crate) share: f64,
}

/// Returns the entrants so far, best first: by the rounds of a knockout that each has won, then by its share of the
/// points, and in the order of the file.
pub(crate) fn so_far(progress: &Progress) -> Vec<SoFar> {
    let totals = progress.results().totals();
    let key = |entrant: usize| {
        let (matches, points) = totals[entrant];
        (progress.rounds_won().get(entrant), points / matches.max(1) as f64)
    };
    let compare = |one: usize, other: usize| {
        let [(rounds, share), (others, other_share)] = [key(one), key(other)];
        others.cmp(&rounds).then(other_share.total_cmp(&share))
    };
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let so_far = |entrant: usize| {
        let (matches, points) = totals[entrant];
        let better = order.iter().filter(|other| compare(**other, entrant).is_lt()).count();
        SoFar { entrant, place: 1 + better, matches, points, share: key(entrant).1 }
    };
    order.iter().map(|entrant| so_far(*entrant)).collect()
}

/// The number of entrants that [`leaders`] names.
const LEADERS: usize = 3;

/// Returns the best entrants so far with their shares of the points, and the numbers of matches that did not end by the
/// rules, for a line of progress: `1. greedy 71.3 %  2. random 28.7 %  (never-joined 4)`.
pub fn leaders(league: &League, progress: &Progress) -> String {
    let told = (1..).zip(so_far(progress)).take(LEADERS);
    let name = |own: &SoFar| &league.entrants[own.entrant].name;
    let best = told.map(|(rank, own)| format!("{rank}. {} {:.1} %", name(&own), 100.0 * own.share));
    let odd = progress.verdicts().iter().filter(|(verdict, _)| **verdict != Verdict::Normal);
    let odd: Vec<String> = odd.map(|(verdict, count)| format!("{verdict} {count}")).collect();
    let odd = if odd.is_empty() { None } else { Some(format!("({})", odd.join(", "))) };
    best.chain(odd).collect::<Vec<_>>().join("  ")
}

/// Returns the entrants, best first: by the rounds of a knockout that each has won, which are
/// [none](Progress::rounds_won) with another schedule, then by Elo.
pub(crate) fn best_first<'a>(ratings: &'a Ratings, rounds_won: &[u32]) -> Vec<&'a Rating> {
    let mut ranked: Vec<&Rating> = ratings.ratings().iter().collect();
    ranked.sort_by_key(|rating| Reverse(rounds_won.get(rating.entrant)));
    ranked
}

impl From<Interval> for Elo {
    fn from(interval: Interval) -> Self {
        let tenth = |elo: f64| (10.0 * elo).round() / 10.0 + 0.0; // no -0
        Self { value: tenth(interval.value), low: tenth(interval.low), high: tenth(interval.high) }
    }
}

fn in_points(points: HalfPoints) -> f64 {
    points.halves() as f64 / 2.0
}

/// A line of `matches.jsonl`, without the record.
#[derive(Serialize)]
struct MatchLine<'a> {
    number: u64,
    id: String,
    entrants: Vec<&'a str>,
    verdict: String,
    /// The entrants whose agents ended the match.
    at_fault: Vec<&'a str>,
}

enum LineError {
    File(io::Error),
    Store(StoreError),
}

impl From<io::Error> for LineError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<StoreError> for LineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Writes a file of the folder.
fn file(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let path = folder.join(name);
    whole_file::write(&path, write).map_err(|source| WriteError::Unwritable { file: path, source })
}
