//! The loop of a coordinator: reads results from the queue, stores them, verifies a sample of them, and submits chunks.
//!
//! # Which results are trusted
//!
//! A result is stored when its row can be read and is of the match that the league has under this number. A
//! [sample](crate::sample) of the results of each worker is played again; the results are stored meanwhile. If one is
//! false, or a row of a worker cannot be read, the worker is *refused*: the queue and the store forget all its results
//! of this league, and others play the matches. The league is over only when all results of the sample are verified.
//!
//! The queue remembers the refused workers. A coordinator that starts again removes their matches from the store, so it
//! does not matter when the one before was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use std::{io, thread};

use contests::verdict::{Treatment, Verdict};
use game_env::matches::{MatchFileError, MatchRecord, MatchSpec};
use game_env::text::fit_for_a_log;
use game_env::{Metrics, Outcome, Ranking, Returns, SimTime, Termination};
use league::executor::{Log, Played};
use league::file::League;
use league::progress::{Next, Progress};
use league::runner::remove_uncounted;
use league::schedule::{MatchId, ScheduledMatch};
use league::store::{Row, Store, StoreError, WORKER};

use crate::coordinator::{Coordinator, Ended, Input, OtherLeague, Output, Place, Rules};
use crate::dispatch::{
    Dispatch, DispatchError, Ending, MatchResult, OpenLeague, Reported, WorkerName, WorkerState,
};
use crate::sample::Sample;
use crate::verify::{Claim, Finding, Statement, Verification, Verifier};

/// Time that the coordinator waits when nothing has arrived. The first chunks are played within milliseconds, and the
/// workers wait for the next ones.
const POLL: Duration = Duration::from_millis(20);

/// The time between two looks at the workers.
const LOOK: Duration = Duration::from_secs(1);

/// Most results that are read at once.
const MOST_READ: u32 = 500;

/// Reason why a league on many machines cannot be played to its end. All matches that have ended are stored.
#[derive(Debug, thiserror::Error)]
pub enum CoordinateError {
    /// The queue fails.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store or the queue holds another league.
    #[error(transparent)]
    OtherLeague(#[from] OtherLeague),
    /// A match cannot be played.
    #[error("match {number} cannot be played, by worker {worker} and here: {reason}")]
    Unplayable {
        /// The number of the match.
        number: u64,
        /// The worker.
        worker: String,
        /// The reason.
        reason: String,
    },
    /// A result cannot be verified.
    #[error("the coordinator cannot play match {number} to verify it: {reason}")]
    Unverifiable {
        /// The number of the match.
        number: u64,
        /// The reason.
        reason: String,
    },
    /// The system has no thread to verify results.
    #[error("cannot start a thread to verify results: {0}")]
    Thread(#[source] io::Error),
    /// The league was cancelled by a user.
    #[error("the league was cancelled")]
    Cancelled,
}

/// Reports of a coordinator for people.
pub trait Observer {
    /// Time has passed: the state of the league and the workers. Called about once a second.
    fn look(&mut self, progress: &Progress, workers: &[WorkerState]);

    /// A match was given up: its number, its id, and the worker that has given it up. It has ended a process here too,
    /// unless it was `played` here.
    fn gave_up(&mut self, number: u64, id: &MatchId, spec: &str, worker: &WorkerName, played: bool);

    /// A worker was refused because of a match, for this reason; this number of results that it had reported is
    /// dropped, and others play the matches.
    fn refused(&mut self, worker: &WorkerName, number: u64, why: &str, dropped: usize) {
        let _ = (worker, number, why, dropped);
    }

    /// A row of the queue was dropped, for this reason.
    fn dropped(&mut self, why: &str) {
        let _ = why;
    }

    /// The queue cannot be reached; the coordinator tries again.
    fn unreachable(&mut self, error: &DispatchError);
}

/// Ignores all reports.
impl Observer for () {
    fn look(&mut self, _: &Progress, _: &[WorkerState]) {}

    fn gave_up(&mut self, _: u64, _: &MatchId, _: &str, _: &WorkerName, _: bool) {}

    fn unreachable(&mut self, _: &DispatchError) {}
}

/// Plays a league by the workers of a queue until it is over, and closes it there.
///
/// The store may have matches already. The results of the league depend neither on the workers nor on interruptions.
///
/// # Errors
///
/// Fails if a match cannot be played, the store or the queue fails, or the league is cancelled.
pub fn coordinate(
    dispatch: &mut dyn Dispatch,
    open: &OpenLeague,
    league: &League,
    store: &mut Store,
    rules: Rules,
    verification: &Verification,
    observer: &mut dyn Observer,
) -> Result<Progress, CoordinateError> {
    let begun = Instant::now();
    let now = || SimTime::from(begun.elapsed());
    let id = open.id;
    // The queue first: a worker that waits can begin.
    patiently(observer, || dispatch.open(open))?;
    let mut run = Run {
        open,
        league,
        rules,
        coordinator: Coordinator::new(now(), id, league, rules, BTreeMap::new()),
        store,
        cursor: 0,
        later: BTreeMap::new(),
        refused: patiently(observer, || dispatch.refused(id))?,
        sample: verification.every.map(|every| Sample::new(verification.seed, every)),
        verifier: Verifier::start(verification, league.keeps_replays).map_err(CoordinateError::Thread)?,
        checked: BTreeSet::new(),
        coordinators: 1,
        is_comparison_due: false,
        is_over: false,
    };
    run.remove_refused()?;
    run.begin_again(now(), dispatch, observer)?;
    let mut look_at = Instant::now();
    loop {
        run.hear(now(), dispatch, observer)?;
        run.drain(now(), dispatch, observer)?;
        if run.is_over && run.verifier.is_idle() {
            patiently(observer, || dispatch.close(id))?;
            let progress = run.coordinator.into_progress();
            remove_uncounted(run.store, &progress)?;
            // The store has the results; the queue itself never deletes any.
            if let Err(error) = dispatch.take_back(id, 0) {
                observer.unreachable(&error);
            }
            return Ok(progress);
        }
        if Instant::now() >= look_at {
            look_at = Instant::now() + LOOK;
            patiently(observer, || dispatch.recover(now()))?;
            let workers = patiently(observer, || dispatch.workers(now(), id))?;
            let alive =
                workers.iter().filter(|worker| worker.is_alive && !run.refused.contains(&worker.name));
            let slots = alive.map(|worker| worker.slots as usize).sum();
            run.coordinator.handle(now(), Input::Slots(slots))?;
            observer.look(run.coordinator.progress(), &workers);
            if !patiently(observer, || dispatch.is_open(id))? {
                return Err(CoordinateError::Cancelled);
            }
        }
        // Results wait in the queue, where they need no memory.
        let arrived = if run.verifier.is_busy() { 0 } else { run.read(now(), dispatch, observer)? };
        run.coordinator.handle(now(), Input::Tick)?;
        if arrived == 0 {
            thread::sleep(POLL);
        }
    }
}

/// Returns how a match has ended whose record has this outcome.
fn ended(outcome: Outcome) -> Ended {
    match Verdict::of(outcome.termination).treatment() {
        Treatment::Repeated => Ended::GivenUp,
        Treatment::Scored | Treatment::Discarded => Ended::Played(outcome),
    }
}

struct Run<'a> {
    open: &'a OpenLeague,
    league: &'a League,
    rules: Rules,
    store: &'a mut Store,
    coordinator: Coordinator,
    /// The serial of the last result that was read.
    cursor: u64,
    /// Results of rounds that have not begun, by number.
    later: BTreeMap<u64, Reported>,
    refused: BTreeSet<WorkerName>,
    sample: Option<Sample>,
    verifier: Verifier,
    /// Matches that a worker calls unplayable or has given up, and that were given to the verifier.
    checked: BTreeSet<u64>,
    /// The number of coordinators so far: each refusal of a worker begins with another one.
    coordinators: u64,
    /// Whether the coordinator waits for a comparison with the queue.
    is_comparison_due: bool,
    is_over: bool,
}

/// The reason why a row is refused.
enum Refusal {
    /// Its worker is refused: an honest worker of this program never reports that.
    Worker(String),
    /// It is dropped: an honest worker may have reported it.
    Row(String),
}

impl Run<'_> {
    /// Carries out the outputs of the coordinator.
    fn drain(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        loop {
            let mut chunks = Vec::new();
            while let Some(output) = self.coordinator.poll_output() {
                match output {
                    Output::Submit(chunk) => chunks.push(chunk),
                    Output::Compare => self.is_comparison_due = true,
                    Output::Over => self.is_over = true,
                }
            }
            // Before the comparison, for which matches that the queue does not have yet are lost.
            if !chunks.is_empty() {
                patiently(observer, || dispatch.submit(&chunks))?;
            }
            // The comparison reads all results. They wait in the queue while the verifier has enough.
            if !self.is_comparison_due || self.verifier.is_busy() {
                return Ok(());
            }
            self.is_comparison_due = false;
            self.compare(now, dispatch, observer)?;
        }
    }

    /// Tells the coordinator which matches the queue has.
    fn compare(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        // First the queue, then the results: matches that left the queue in between are among the results.
        let mut live = patiently(observer, || dispatch.live(self.open.id))?;
        live.dropped.iter().for_each(|why| observer.dropped(why));
        let coordinators = self.coordinators;
        while self.read(now, dispatch, observer)? > 0 {}
        // After a refusal, there is another coordinator, which asks for the queue as it is then.
        if self.coordinators == coordinators {
            // Nobody else plays a match while the verifier tries it: it may end the workers that do.
            live.matches.extend(&self.checked);
            self.coordinator.handle(now, Input::Live(live.matches))?;
        }
        Ok(())
    }

    /// Reads results and stores those that are new; returns the number of results read.
    fn read(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<usize, CoordinateError> {
        let results = patiently(observer, || dispatch.results(self.open.id, self.cursor, MOST_READ))?;
        let begun = self.take_later();
        for reported in begun.iter().chain(&results) {
            self.cursor = self.cursor.max(reported.serial);
            let Err(refusal) = self.take_in(now, reported)? else { continue };
            let number = reported.result.as_ref().map_or(0, |result| result.number);
            match refusal {
                Refusal::Row(why) => {
                    observer.dropped(&format!("worker {}: {why}", reported.worker));
                    patiently(observer, || dispatch.drop_results(self.open.id, &[reported.serial]))?;
                }
                Refusal::Worker(why) => {
                    self.refuse(now, &reported.worker, number, &why, dispatch, observer)?;
                    // The rows are read anew.
                    break;
                }
            }
        }
        Ok(begun.len() + results.len())
    }

    /// Takes the results out of [`later`](Self::later) whose rounds have begun.
    fn take_later(&mut self) -> Vec<Reported> {
        let last = self.coordinator.progress().end_of_round();
        let still_later = self.later.split_off(&(last + 1));
        std::mem::replace(&mut self.later, still_later).into_values().collect()
    }

    /// Stores a result that is new, and gives it to the verifier if it is of the sample.
    fn take_in(&mut self, now: SimTime, reported: &Reported) -> Result<Result<(), Refusal>, CoordinateError> {
        let result = match &reported.result {
            _ if self.refused.contains(&reported.worker) => {
                return Ok(Err(Refusal::Row("the worker was refused".to_owned())));
            }
            Ok(result) => result,
            Err(why) => return Ok(Err(Refusal::Worker(format!("a row of it cannot be read: {why}")))),
        };
        let MatchResult { number, ref id, took_us, .. } = *result;
        match self.coordinator.place(number, id) {
            Place::Open => {}
            Place::Ended => return Ok(Ok(())),
            Place::Later => {
                self.later.insert(number, reported.clone());
                return Ok(Ok(()));
            }
            Place::Other(own) => {
                let own = own.map_or_else(|| "none".to_owned(), |own| own.to_string());
                let why = format!("match {number} is {id} in its report: expected {own}");
                return Ok(Err(Refusal::Row(why)));
            }
        }
        let mut played = match self.played(reported, result) {
            Ok(Some(played)) => played,
            Ok(None) => return Ok(Ok(())),
            Err(why) => return Ok(Err(Refusal::Worker(why))),
        };
        let took_ms = took_us as f64 / 1_000.0;
        let text = format!("{} ({}), {took_ms:.1} ms", reported.worker, fit_for_a_log(&reported.program));
        played.logs.push(Log { source: WORKER.to_owned(), text });
        let is_new = self.keep(now, number, id, &played, took_us)?;
        if is_new && self.sample.as_mut().is_some_and(|sample| sample.takes(&reported.worker)) {
            let Played { record, replay, .. } = played;
            let spec = record.spec.clone();
            self.claim(number, reported, spec, Statement::Played(Box::new(record), replay));
        }
        Ok(Ok(()))
    }

    /// Stores a match; returns whether it is new. The outputs of the coordinator wait for [`drain`](Self::drain).
    fn keep(
        &mut self,
        now: SimTime,
        number: u64,
        id: &MatchId,
        played: &Played,
        took_us: u64,
    ) -> Result<bool, CoordinateError> {
        let ended = ended(played.record.outcome);
        self.coordinator.handle(now, Input::Result(number, id.clone(), ended, took_us))?;
        let is_new = self.coordinator.was_new();
        if is_new {
            self.store.add(&Row::new(number, id, played))?;
        }
        Ok(is_new)
    }

    /// Returns what a worker has reported as a store keeps it; none if the verifier is asked first. An error says why
    /// the worker is refused.
    fn played(&mut self, reported: &Reported, result: &MatchResult) -> Result<Option<Played>, String> {
        let number = result.number;
        let none = || format!("match {number} ({}) is no match of the league", result.id);
        let spec = self.league.spec(&scheduled(self.league, &result.id).ok_or_else(none)?);
        let said = match &result.ending {
            Ending::Played { record, replay } => {
                let record = self.read_record(record, spec);
                let record = record.map_err(|why| {
                    format!("its record of match {number} ({}) is faulty: {why}", result.id)
                })?;
                return Ok(Some(Played::in_process(record, replay.clone(), Vec::new())));
            }
            Ending::Unplayable(reason) => Statement::Unplayable(reason.clone()),
            Ending::GivenUp => Statement::GivenUp(result.id.clone()),
        };
        if self.checked.insert(number) {
            self.claim(number, reported, spec, said);
        }
        Ok(None)
    }

    /// Reads the record of this match.
    fn read_record(&self, record: &str, spec: MatchSpec) -> Result<MatchRecord, String> {
        let record: MatchRecord = record.parse().map_err(|error: MatchFileError| error.to_string())?;
        if record.spec != spec {
            return Err("it is of another match".to_owned());
        }
        record.check_teams(self.league.sides())?;
        if record.program != self.open.program {
            let (found, expected) = (fit_for_a_log(&record.program), &self.open.program);
            return Err(format!("it was played by {found}: expected {expected}"));
        }
        match ended(record.outcome) {
            Ended::Played(_) => Ok(record),
            Ended::GivenUp => Err(format!("it ended with {}", record.outcome.termination)),
        }
    }

    fn claim(&mut self, number: u64, reported: &Reported, spec: MatchSpec, said: Statement) {
        self.verifier.verify(Claim { number, worker: reported.worker.clone(), spec, said });
    }

    /// Takes in the findings of the verifier.
    fn hear(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        // When the league is over, there is nothing else to wait for.
        let mut within = if self.is_over { POLL } else { Duration::ZERO };
        while let Some((claim, finding)) = self.verifier.next_finding(within) {
            within = Duration::ZERO;
            if self.refused.contains(&claim.worker) {
                continue;
            }
            let Claim { number, worker, spec, said } = claim;
            let progress = self.coordinator.progress();
            let counts = !progress.is_over() || number <= progress.counted();
            match (finding, said) {
                // A match that does not count ends no league whose order is settled.
                (Finding::True, Statement::Unplayable(_)) | (Finding::Ends(Ending::Unplayable(_)), _)
                    if !counts => {}
                (Finding::True, Statement::Unplayable(reason))
                | (Finding::Ends(Ending::Unplayable(reason)), _) => {
                    let reason = fit_for_a_log(&reason);
                    return Err(CoordinateError::Unplayable { number, worker: worker.to_string(), reason });
                }
                (Finding::Unverifiable(reason), _) => {
                    let reason = fit_for_a_log(&reason);
                    return Err(CoordinateError::Unverifiable { number, reason });
                }
                (Finding::False(why), _) => self.refuse(now, &worker, number, &why, dispatch, observer)?,
                (Finding::Ends(Ending::GivenUp), Statement::GivenUp(id)) => {
                    let record = given_up(spec, self.league.sides(), &self.open.program);
                    self.settle(now, (number, &id), (record, None), &worker, observer)?;
                }
                (Finding::Ends(Ending::Played { record, replay }), Statement::GivenUp(id)) => {
                    let record = self.read_record(&record, spec);
                    let record = record.map_err(|reason| CoordinateError::Unplayable {
                        number,
                        worker: worker.to_string(),
                        reason,
                    })?;
                    self.settle(now, (number, &id), (record, replay), &worker, observer)?;
                }
                // A result that is true is stored already.
                (Finding::True | Finding::Ends(_), _) => {}
            }
        }
        Ok(())
    }

    /// Stores a match that a worker has given up, as it was found to end here.
    fn settle(
        &mut self,
        now: SimTime,
        (number, id): (u64, &MatchId),
        (record, replay): (MatchRecord, Option<Vec<u8>>),
        worker: &WorkerName,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        if self.coordinator.place(number, id) != Place::Open {
            return Ok(());
        }
        let spec = record.spec.to_string();
        let is_played = ended(record.outcome) != Ended::GivenUp;
        let how = if is_played { "played here" } else { "given up: it has ended a process here too" };
        let text = format!("{how}, after the worker {worker} had given it up");
        let logs = vec![Log { source: "host".to_owned(), text }];
        if self.keep(now, number, id, &Played::in_process(record, replay, logs), 0)? {
            observer.gave_up(number, id, &spec, worker, is_played);
        }
        Ok(())
    }

    /// Refuses a worker: the queue and the store forget its results.
    fn refuse(
        &mut self,
        now: SimTime,
        worker: &WorkerName,
        number: u64,
        why: &str,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        self.refused.insert(worker.clone());
        // The queue first: it remembers the worker, so a coordinator that starts again does the rest.
        patiently(observer, || dispatch.refuse(self.open.id, worker))?;
        let removed = self.remove_refused()?;
        observer.refused(worker, number, why, removed);
        self.begin_again(now, dispatch, observer)
    }

    /// Removes all matches of refused workers from the store; returns their number.
    fn remove_refused(&mut self) -> Result<usize, CoordinateError> {
        if self.refused.is_empty() {
            return Ok(0);
        }
        let beginnings: Vec<String> = self.refused.iter().map(|worker| format!("{worker} (")).collect();
        let is_refused = |text: &str| beginnings.iter().any(|beginning| text.starts_with(beginning));
        let noted = self.store.noted_by(WORKER)?;
        let numbers: Vec<u64> =
            noted.into_iter().filter(|(_, text)| is_refused(text)).map(|(number, _)| number).collect();
        self.store.remove(&numbers)?;
        Ok(numbers.len())
    }

    /// Begins with the matches of the store, and reads all results of the queue anew. If matches of a round were
    /// removed, the rounds after it are removed too: their matches may be others now.
    fn begin_again(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        let known = self.store.outcomes(|stored| stored.id)?.into_iter();
        let mut known: BTreeMap<_, _> =
            known.map(|(number, (id, outcome))| (number, (id, ended(outcome)))).collect();
        if self.league.has_later_rounds() && !self.refused.is_empty() {
            let last = end_of_known_round(self.league, &known);
            let late: Vec<u64> = known.split_off(&(last + 1)).into_keys().collect();
            self.store.remove(&late)?;
            patiently(observer, || dispatch.take_back(self.open.id, last))?;
        }
        self.coordinator = Coordinator::new(now, self.open.id, self.league, self.rules, known);
        (self.coordinators, self.cursor) = (self.coordinators + 1, 0);
        (self.is_over, self.is_comparison_due) = (false, false);
        self.later.clear();
        self.checked.clear();
        Ok(())
    }
}

/// Returns the number of the last match of the first round that is not known whole; that of the last match if all are.
fn end_of_known_round(league: &League, known: &BTreeMap<u64, (MatchId, Ended)>) -> u64 {
    let mut progress = Progress::new(league);
    while let Next::Play(task) = progress.next_task() {
        match known.get(&task.number) {
            Some((id, Ended::Played(outcome))) if *id == task.scheduled.id => {
                progress.end(task.number, outcome);
            }
            Some((id, Ended::GivenUp)) if *id == task.scheduled.id => progress.give_up(task.number),
            _ => {}
        }
    }
    progress.end_of_round()
}

/// Returns the match of this id; none if the league has no such entrants or sides.
pub(crate) fn scheduled(league: &League, id: &MatchId) -> Option<ScheduledMatch> {
    league.can_have(id).then(|| league.seeds().schedule(id.clone()))
}

/// Returns the record of a match that was given up.
fn given_up(spec: MatchSpec, sides: usize, program: &str) -> MatchRecord {
    let rules = game_catalogue::find(&spec.game).map_or(0, |game| game.rules());
    let returns = vec![0; sides];
    MatchRecord {
        spec,
        program: program.to_owned(),
        rules,
        outcome: Outcome {
            ranking: Ranking::tied(sides),
            termination: Termination::HostFault,
            fault: None,
            returns: Returns::new(&returns),
        },
        time: SimTime::START,
        steps: 0,
        decisions: 0,
        metrics: Metrics::new(),
        hash: 0,
        blunders: 0,
        first_blunders: Vec::new(),
        failed: Vec::new(),
    }
}

/// Time for which a queue that cannot be reached is tried again.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The time between two attempts.
const RETRY: Duration = Duration::from_secs(1);

/// Does this until the queue can be reached.
fn patiently<T>(
    observer: &mut dyn Observer,
    mut act: impl FnMut() -> Result<T, DispatchError>,
) -> Result<T, DispatchError> {
    retry(&mut act, &mut |error| observer.unreachable(error))
}

/// Does this until the queue can be reached; reports the first error.
pub(crate) fn retry<T>(
    act: &mut dyn FnMut() -> Result<T, DispatchError>,
    tell: &mut dyn FnMut(&DispatchError),
) -> Result<T, DispatchError> {
    let mut since = None;
    loop {
        match act() {
            Err(error @ DispatchError::Unreachable(_)) => {
                let since = *since.get_or_insert_with(|| {
                    tell(&error);
                    Instant::now()
                });
                if since.elapsed() >= TIMEOUT {
                    return Err(error);
                }
                thread::sleep(RETRY);
            }
            other => return other,
        }
    }
}
