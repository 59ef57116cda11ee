//! The coordinator of a league, sans-IO: the matches that are played next, and the results that count.
//!
//! It hands out the matches of the schedule in chunks. The number of matches in a chunk follows from the measured time
//! of a match, and becomes smaller towards the end, so that no worker plays alone for long. Only as many chunks are in
//! the queue as keep the workers busy: a league that stops early drops few of them.
//!
//! From time to time it compares the queue with the matches that it waits for, and hands out again those that are
//! neither in the queue nor among the results.
//!
//! It has no clock and no queue: see [`coordinate`](crate::coordinate).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use game_env::{Millis, Outcome, SimTime};
use league::file::League;
use league::progress::{Next, Progress};
use league::schedule::MatchId;

use crate::chunk::{Chunk, LeagueId};

/// Rules by which a coordinator cuts a league into chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Time for which a worker plays a chunk.
    pub chunk: Millis,
    /// The time between two comparisons with the queue.
    pub compare: Millis,
}

/// Chunks of ten seconds: leasing and finishing one costs a few milliseconds.
impl Default for Rules {
    fn default() -> Self {
        Self { chunk: Millis::new(10_000), compare: Millis::new(10_000) }
    }
}

/// The most matches of a chunk.
const MOST_MATCHES: u64 = 5_000;

/// Ending of a match of the league.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With this outcome.
    Played(Outcome),
    /// It was given up and is not ranked.
    GivenUp,
}

/// Inputs of a coordinator: everything that is reported to it.
#[derive(Clone, Debug)]
pub enum Input {
    /// Time has passed.
    Tick,
    /// The number of matches that all workers together play at a time.
    Slots(usize),
    /// The answer to [`Output::Compare`]: the matches that are in the queue. All results that were reported before were
    /// taken in.
    Live(BTreeSet<u64>),
    /// A match has ended: its number, its id, its ending, and the time that it took, in microseconds.
    Result(u64, MatchId, Ended, u64),
}

/// Outputs of a coordinator: the work that it asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Put a chunk into the queue.
    Submit(Chunk),
    /// Read which matches are in the queue, then take in all results, and answer with [`Input::Live`].
    Compare,
    /// All matches that count have been played: close the league.
    Over,
}

/// The use of a result for a league.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// The first result of a match of the current round.
    Open,
    /// A further result of a match that has ended, or the league is over.
    Ended,
    /// A match of a later round, whose matches are not known yet.
    Later,
    /// The league has another match of this number, or none.
    Other(Option<MatchId>),
}

/// A result is of another league's match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("match {number} is {expected} in the league, and {found} in the store or the queue")]
pub struct OtherLeague {
    /// The number of the match.
    pub number: u64,
    /// Id of the match in the store or the queue.
    pub found: MatchId,
    /// Id of the match in the league.
    pub expected: MatchId,
}

/// The coordinator of a league.
#[derive(Clone, Debug)]
pub struct Coordinator {
    league: LeagueId,
    sides: u64,
    /// Whether results decide which matches come next.
    has_later_rounds: bool,
    rules: Rules,
    progress: Progress,
    slots: u64,
    /// Matches that are handed out and have not ended.
    waiting: BTreeMap<u64, MatchId>,
    handed_out: u64,
    /// Ended matches that are not handed out yet, from the store and from a coordinator before this one.
    known: BTreeMap<u64, (MatchId, Ended)>,
    /// The numbers of all ended matches.
    ended: BTreeSet<u64>,
    /// Matches that were in the queue when this coordinator began.
    live: BTreeSet<u64>,
    compare_at: SimTime,
    is_comparing: bool,
    /// The number of measured matches, and their time in microseconds.
    measured: (u64, u64),
    is_over: bool,
    was_new: bool,
    outputs: VecDeque<Output>,
}

impl Coordinator {
    /// Begins a league, or goes on with one whose store has the matches `known`.
    ///
    /// Nothing is handed out before the first [`Input::Live`].
    pub fn new(
        now: SimTime,
        id: LeagueId,
        league: &League,
        rules: Rules,
        known: BTreeMap<u64, (MatchId, Ended)>,
    ) -> Self {
        Self {
            league: id,
            sides: league.sides() as u64,
            has_later_rounds: league.has_later_rounds(),
            rules,
            progress: Progress::new(league),
            slots: 0,
            waiting: BTreeMap::new(),
            handed_out: 0,
            ended: known.keys().copied().collect(),
            known,
            live: BTreeSet::new(),
            compare_at: now + rules.compare,
            is_comparing: true,
            measured: (0, 0),
            is_over: false,
            was_new: false,
            outputs: VecDeque::from([Output::Compare]),
        }
    }

    /// Takes in an input.
    ///
    /// # Errors
    ///
    /// Fails if a result is of another league.
    pub fn handle(&mut self, now: SimTime, input: Input) -> Result<(), OtherLeague> {
        match input {
            Input::Tick => {}
            Input::Slots(slots) => self.slots = slots as u64,
            Input::Live(live) => self.compare(live),
            Input::Result(number, id, ended, took_us) => self.take_in(number, id, ended, took_us)?,
        }
        self.hand_out()?;
        if self.progress.is_over() && !self.is_over {
            self.is_over = true;
            self.waiting.clear();
            self.outputs.push_back(Output::Over);
        }
        if !self.is_over && !self.is_comparing && now >= self.compare_at {
            self.compare_at = now + self.rules.compare;
            self.is_comparing = true;
            self.outputs.push_back(Output::Compare);
        }
        Ok(())
    }

    /// Returns the next output. All outputs are taken before the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns when [`Input::Tick`] is due; none when the league is over.
    pub fn wake_at(&self) -> Option<SimTime> {
        (!self.is_over).then_some(self.compare_at)
    }

    /// Returns the use of a result of the match of this number and id for the league.
    pub fn place(&self, number: u64, id: &MatchId) -> Place {
        if self.is_over || self.ended.contains(&number) {
            return Place::Ended;
        }
        match self.progress.id_of(number) {
            Some(own) if own == *id => Place::Open,
            Some(own) => Place::Other(Some(own)),
            None if number > self.progress.end_of_round() && self.has_later_rounds => Place::Later,
            None => Place::Other(None),
        }
    }

    /// Returns whether the result that was taken in last is the first one of its match: it is to be stored.
    pub fn was_new(&self) -> bool {
        self.was_new
    }

    /// Returns the state of the league.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the state of the league, when it is over.
    pub fn into_progress(self) -> Progress {
        self.progress
    }

    fn take_in(&mut self, number: u64, id: MatchId, ended: Ended, took_us: u64) -> Result<(), OtherLeague> {
        self.was_new = false;
        if self.is_over || !self.ended.insert(number) {
            return Ok(());
        }
        if ended != Ended::GivenUp {
            self.measured = (self.measured.0 + 1, self.measured.1.saturating_add(took_us));
        }
        match self.waiting.remove(&number) {
            Some(expected) if expected != id => return Err(OtherLeague { number, found: id, expected }),
            Some(_) => end(&mut self.progress, number, &ended),
            None => drop(self.known.insert(number, (id, ended))),
        }
        self.was_new = true;
        Ok(())
    }

    /// Hands out again the matches that are neither in the queue nor among the results.
    fn compare(&mut self, live: BTreeSet<u64>) {
        self.is_comparing = false;
        let lost: Vec<(u64, MatchId)> = self
            .waiting
            .iter()
            .filter(|(number, _)| !live.contains(number))
            .map(|(number, id)| (*number, id.clone()))
            .collect();
        let size = usize::try_from(self.chunk_size()).unwrap_or(usize::MAX);
        for matches in lost.chunks(size) {
            self.outputs.push_back(Output::Submit(Chunk { league: self.league, matches: matches.to_vec() }));
        }
        self.live = live;
    }

    /// Hands out matches until the workers have enough to do.
    fn hand_out(&mut self) -> Result<(), OtherLeague> {
        // The contents of the queue are not known yet.
        if self.is_comparing {
            return Ok(());
        }
        loop {
            let size = self.chunk_size();
            if self.waiting.len() as u64 + size > (2 * self.slots + 2) * size {
                return Ok(());
            }
            let mut matches = Vec::new();
            while (matches.len() as u64) < size {
                let Next::Play(task) = self.progress.next_task() else { break };
                let (number, id) = (task.number, task.scheduled.id);
                self.handed_out += 1;
                if let Some((found, ended)) = self.known.remove(&number) {
                    if found != id {
                        return Err(OtherLeague { number, found, expected: id });
                    }
                    end(&mut self.progress, number, &ended);
                    continue;
                }
                self.waiting.insert(number, id.clone());
                if !self.live.remove(&number) {
                    matches.push((number, id));
                }
            }
            if matches.is_empty() {
                return Ok(());
            }
            self.outputs.push_back(Output::Submit(Chunk { league: self.league, matches }));
        }
    }

    /// Returns the number of matches in the next chunk: whole sets.
    fn chunk_size(&self) -> u64 {
        let (count, time_us) = self.measured;
        let wanted_us = u64::from(self.rules.chunk.as_millis()) * 1_000;
        // No more than were measured: the first matches may be shorter than the others.
        let by_time = wanted_us.saturating_mul(count).checked_div(time_us).unwrap_or(MOST_MATCHES);
        let left = self.progress.expected().saturating_sub(self.handed_out);
        let by_rest = left / (2 * self.slots.max(1));
        let matches = by_time.min(count).min(by_rest).min(MOST_MATCHES);
        (matches / self.sides).max(1) * self.sides
    }
}

fn end(progress: &mut Progress, number: u64, ended: &Ended) {
    match ended {
        Ended::Played(outcome) => progress.end(number, outcome),
        Ended::GivenUp => progress.give_up(number),
    }
}
