//! State of a league: the matches played so far and the next one. Pure: without threads or files.
//!
//! Matches are handed out in the order of the schedule and may end in any order. They are *counted* in the order of the
//! schedule: rounds, points and the decision to stop early look at counted matches only. So neither the number of
//! workers nor interruptions change what is counted.

use std::collections::{BTreeMap, VecDeque};

use contests::statistics::{EarlyStop, Match, Results};
use contests::verdict::{Treatment, Verdict};
use game_env::{Outcome, Ranking};

use crate::file::League;
use crate::pace::Left;
use crate::schedule::{MatchId, Pairing, Points, RoundMatches, Schedule, ScheduledMatch, SeedSource};

/// A match to play, and its number in the league, from 1 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Its place in the league.
    pub number: u64,
    /// The match.
    pub scheduled: ScheduledMatch,
}

/// Next step of a league.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// This match is to be played.
    Play(Task),
    /// Nothing until one of the matches under way has ended.
    Wait,
    /// All matches that count have been played.
    Over,
}

/// Contribution of a match to the standings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counted {
    verdict: Verdict,
    /// None if the match is not ranked.
    ranking: Option<Ranking>,
}

/// The state of a league.
#[derive(Clone, Debug)]
pub struct Progress {
    seeds: SeedSource,
    schedule: Schedule,
    expected: u64,
    early_stop: Option<EarlyStop>,
    /// The current round, and the number of the match before its first.
    round: Option<RoundMatches>,
    before: u64,
    /// Number of matches of the round that were handed out.
    handed_out: usize,
    /// Number of matches of the round that were counted.
    counted: usize,
    /// Results of the matches of the round that follow the counted ones, in order; none for those that have not ended.
    ended: VecDeque<Option<Counted>>,
    sets: BTreeMap<Pairing, u32>,
    points: Points,
    results: Results,
    /// The matches of the set that is being counted, and that are ranked.
    set: Vec<(MatchId, Ranking)>,
    verdicts: BTreeMap<Verdict, u64>,
    complete_sets: u64,
    stopped: bool,
}

impl Progress {
    /// Returns the beginning of a league.
    pub fn new(league: &League) -> Self {
        let mut schedule = league.rounds();
        let expected = number_of_matches(&schedule);
        let round = schedule.next_round(&Points::default());
        let pairings = round.as_ref().map_or(0, |round| round.pairings.len() as u64);
        // Every look sees each pairing equally often.
        let early_stop = league.early_stop.map(|confidence| EarlyStop {
            confidence,
            first: pairings * FIRST_LOOK,
            seed: league.seed,
        });
        Self {
            seeds: league.seeds(),
            schedule,
            expected,
            early_stop,
            round: round.map(|round| RoundMatches::new(round, &BTreeMap::new())),
            before: 0,
            handed_out: 0,
            counted: 0,
            ended: VecDeque::new(),
            sets: BTreeMap::new(),
            points: Points::default(),
            results: Results::new(league.entrants.len()),
            set: Vec::new(),
            verdicts: BTreeMap::new(),
            complete_sets: 0,
            stopped: false,
        }
    }

    /// Hands out the next match.
    pub fn next_task(&mut self) -> Next {
        let Some(round) = self.round.as_ref().filter(|_| !self.stopped) else { return Next::Over };
        let Some(id) = round.get(self.handed_out) else { return Next::Wait };
        self.handed_out += 1;
        self.ended.push_back(None);
        Next::Play(Task { number: self.before + self.handed_out as u64, scheduled: self.seeds.schedule(id) })
    }

    /// Takes in the outcome of a match that was handed out. After the end of the league, no match counts any more.
    ///
    /// # Panics
    ///
    /// If it was not handed out, has ended already, or has to be [repeated](Treatment::Repeated).
    pub fn end(&mut self, number: u64, outcome: &Outcome) {
        let verdict = Verdict::of(outcome.termination);
        let ranking = match verdict.treatment() {
            Treatment::Scored => Some(outcome.ranking),
            Treatment::Discarded => None,
            Treatment::Repeated => panic!("match {number} is to be repeated"),
        };
        self.take_in(number, Counted { verdict, ranking });
    }

    /// Gives up a match that was handed out and that the host fails again and again: it is not ranked.
    ///
    /// # Panics
    ///
    /// If it was not handed out, or has ended already.
    pub fn give_up(&mut self, number: u64) {
        self.take_in(number, Counted { verdict: Verdict::HostFault, ranking: None });
    }

    fn take_in(&mut self, number: u64, ended: Counted) {
        if self.stopped {
            return;
        }
        let first = self.before + self.counted as u64 + 1;
        let place = number.checked_sub(first).and_then(|place| usize::try_from(place).ok());
        let slot = place.and_then(|place| self.ended.get_mut(place)).filter(|slot| slot.is_none());
        *slot.expect("a match that was handed out ends once") = Some(ended);
        while let Some(Some(ended)) = self.ended.front().copied() {
            self.ended.pop_front();
            self.count(ended);
            if self.stopped {
                return;
            }
        }
    }

    /// Returns whether all matches that count have been played.
    pub fn is_over(&self) -> bool {
        self.stopped || self.round.is_none()
    }

    /// Returns the number of matches that count. They are the first ones.
    pub fn counted(&self) -> u64 {
        self.before + self.counted as u64
    }

    /// Returns the number of matches of the whole league, as far as it is known: the ties of a knockout add to it.
    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// Returns the match of this number if it is of the current round, handed out or not.
    pub fn id_of(&self, number: u64) -> Option<MatchId> {
        let place = number.checked_sub(self.before + 1)?;
        self.round.as_ref()?.get(usize::try_from(place).ok()?)
    }

    /// Returns the number of the last match of the current round; that of the last match of all when no round is left.
    pub fn end_of_round(&self) -> u64 {
        self.before + self.round.as_ref().map_or(0, |round| round.count() as u64)
    }

    /// Returns the matches that have not been handed out.
    pub fn left(&self) -> Left {
        let Some(round) = self.round.as_ref().filter(|_| !self.stopped) else { return Left::default() };
        let in_round = round.count() as u64;
        let later = self.expected.saturating_sub(self.before + in_round);
        if round.round().pairings.len() > MOST_PAIRINGS {
            return Left { pairings: Vec::new(), later: later + in_round - self.handed_out as u64 };
        }
        Left { pairings: round.left(self.handed_out), later }
    }

    /// Returns the number of matches that need not be played because the order was settled before; none without an
    /// early stop.
    pub fn saved(&self) -> Option<u64> {
        self.stopped.then(|| self.expected.saturating_sub(self.counted()))
    }

    /// Returns the number of rounds of a knockout that each entrant has won. Empty with another schedule.
    pub fn rounds_won(&self) -> &[u32] {
        self.schedule.rounds_won()
    }

    /// Returns the points of all counted sets whose matches are all ranked.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Returns all counted sets whose matches are all ranked.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Returns the number of counted matches of each verdict that has any.
    pub fn verdicts(&self) -> &BTreeMap<Verdict, u64> {
        &self.verdicts
    }

    /// Counts the next match of the schedule.
    fn count(&mut self, ended: Counted) {
        let round = self.round.as_ref().expect("a match that was handed out is of a round");
        let id = round.get(self.counted).expect("a match that was handed out is of this round");
        self.counted += 1;
        *self.verdicts.entry(ended.verdict).or_default() += 1;
        let (rotation, sides) = (usize::from(id.rotation), id.pairing.sides());
        self.set.extend(ended.ranking.map(|ranking| (id, ranking)));
        if rotation + 1 == sides {
            self.end_set(sides);
            self.complete_sets += 1;
            let look = self.early_stop.and_then(|stop| Some((stop, stop.look(self.complete_sets)?)));
            // After the last match there is nothing to save.
            let may_stop = self.counted() < self.expected;
            self.stopped =
                may_stop && look.is_some_and(|(stop, look)| stop.check(look, &self.results).is_settled());
        }
        if self.counted == self.round.as_ref().map_or(0, RoundMatches::count) {
            self.next_round();
        }
    }

    /// Adds up a set. If one of its matches is not ranked, the others are not either: an entrant would profit from the
    /// side on which it has played.
    fn end_set(&mut self, sides: usize) {
        let set = std::mem::take(&mut self.set);
        if set.len() < sides {
            return;
        }
        for (id, ranking) in &set {
            self.points.add(&id.pairing, id.rotation.into(), ranking);
        }
        let ranked = set.iter().map(|(id, ranking)| {
            let seated: Vec<usize> = id.seated().map(|entrant| entrant.index()).collect();
            Match::new(&seated, ranking.places())
        });
        self.results.add(ranked.collect());
    }

    fn next_round(&mut self) {
        let Some(ended) = self.round.take() else { return };
        for pairing in &ended.round().pairings {
            *self.sets.entry(pairing.clone()).or_default() += ended.round().sets;
        }
        self.before += self.counted as u64;
        (self.handed_out, self.counted) = (0, 0);
        let next = self.schedule.next_round(&self.points);
        self.expected = number_of_matches(&self.schedule);
        self.round = next.map(|round| RoundMatches::new(round, &self.sets));
    }
}

/// Returns the number of matches of a league as far as it is known.
fn number_of_matches(schedule: &Schedule) -> u64 {
    schedule.number_of_matches().unwrap_or(u64::MAX)
}

/// With more pairings than this, [`Progress::left`] does not tell them apart.
const MOST_PAIRINGS: usize = 2_000;

/// The number of sets of each pairing at the first look. With fewer, not even a clean sweep settles anything.
const FIRST_LOOK: u64 = 8;
