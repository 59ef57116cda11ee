//! The loop of a coordinator: reads results from the queue, stores them, and submits chunks.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use game_env::matches::{MatchFileError, MatchRecord};
use game_env::{Metrics, Outcome, Ranking, Returns, SimTime, Termination};
use league::executor::{Log, Played};
use league::file::League;
use league::progress::Progress;
use league::schedule::{MatchId, ScheduledMatch};
use league::store::{Row, Store, StoreError, WORKER};
use league::verdict::{Treatment, Verdict};

use crate::chunk::LeagueId;
use crate::coordinator::{Coordinator, Ended, Input, OtherLeague, Output, Rules};
use crate::dispatch::{Dispatch, DispatchError, Ending, OpenLeague, Reported, WorkerState};

/// How long the coordinator waits when nothing has arrived. The first chunks are played within milliseconds, and the
/// workers wait for the next ones.
const POLL: Duration = Duration::from_millis(20);

/// The time between two looks at the workers.
const LOOK: Duration = Duration::from_secs(1);

/// How many results are read at once.
const MOST_READ: u32 = 500;

/// Why a league on many machines cannot be played to its end. What was played is stored.
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
    /// A worker has sent something that is no record of the match.
    #[error("worker {worker} has reported match {number} ({id}) with another match or a faulty record{why}")]
    Record {
        /// The worker.
        worker: String,
        /// The number of the match.
        number: u64,
        /// Which match it is.
        id: MatchId,
        /// What is wrong with the record; empty if it is of another match.
        why: String,
    },
    /// A match cannot be played.
    #[error("match {number} ({id}) cannot be played, says worker {worker}: {reason}")]
    Unplayable {
        /// The number of the match.
        number: u64,
        /// Which match it is.
        id: MatchId,
        /// The worker.
        worker: String,
        /// Why not.
        reason: String,
    },
    /// Somebody has cancelled the league.
    #[error("the league was cancelled")]
    Cancelled,
}

/// What a coordinator tells people.
pub trait Observer {
    /// Time has passed: the state of the league and the workers. Called about once a second.
    fn look(&mut self, progress: &Progress, workers: &[WorkerState]);

    /// A match was given up: its number, which it is, and the worker that has given it up.
    fn gave_up(&mut self, number: u64, id: &MatchId, spec: &str, worker: &str);

    /// The queue cannot be reached; the coordinator tries again.
    fn unreachable(&mut self, error: &DispatchError);
}

/// Nobody is told.
impl Observer for () {
    fn look(&mut self, _: &Progress, _: &[WorkerState]) {}

    fn gave_up(&mut self, _: u64, _: &MatchId, _: &str, _: &str) {}

    fn unreachable(&mut self, _: &DispatchError) {}
}

/// Plays a league by the workers of a queue until it is over, and closes it there.
///
/// The store may have matches already. What comes of the league depends neither on the workers nor on interruptions.
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
    observer: &mut dyn Observer,
) -> Result<Progress, CoordinateError> {
    let begun = Instant::now();
    let now = || SimTime::from(begun.elapsed());
    let id = open.id;
    // The queue first: a worker that waits can begin.
    patiently(observer, || dispatch.open(open))?;
    let coordinator = Coordinator::new(now(), id, league, rules, known(store)?);
    let mut run = Run { id, league, store, coordinator, cursor: 0 };
    let mut look_at = Instant::now();
    loop {
        let is_over = run.drain(now(), dispatch, observer)?;
        if is_over {
            patiently(observer, || dispatch.close(id))?;
            return Ok(run.coordinator.into_progress());
        }
        if Instant::now() >= look_at {
            look_at = Instant::now() + LOOK;
            patiently(observer, || dispatch.recover(now()))?;
            let workers = patiently(observer, || dispatch.workers(now(), id))?;
            let alive = workers.iter().filter(|worker| worker.is_alive);
            let slots = alive.map(|worker| worker.slots as usize).sum();
            run.coordinator.handle(now(), Input::Slots(slots))?;
            observer.look(run.coordinator.progress(), &workers);
            if !patiently(observer, || dispatch.is_open(id))? {
                return Err(CoordinateError::Cancelled);
            }
        }
        let arrived = run.read(now(), dispatch, observer)?;
        run.coordinator.handle(now(), Input::Tick)?;
        if arrived == 0 {
            thread::sleep(POLL);
        }
    }
}

/// Returns the matches of a store as a coordinator takes them in.
fn known(store: &Store) -> Result<BTreeMap<u64, (MatchId, Ended)>, StoreError> {
    let mut known = BTreeMap::new();
    store.for_each(u64::MAX, |stored, _| {
        let outcome = stored.record.outcome;
        let ended = match Verdict::of(outcome.termination).treatment() {
            Treatment::Repeated => Ended::GivenUp,
            Treatment::Scored | Treatment::Discarded => Ended::Played(outcome),
        };
        known.insert(stored.number, (stored.id, ended));
        Ok::<(), StoreError>(())
    })?;
    Ok(known)
}

struct Run<'a> {
    id: LeagueId,
    league: &'a League,
    store: &'a mut Store,
    coordinator: Coordinator,
    /// The serial of the last result that was read.
    cursor: u64,
}

impl Run<'_> {
    /// Does what the coordinator wants; returns whether the league is over.
    fn drain(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<bool, CoordinateError> {
        let mut chunks = Vec::new();
        while let Some(output) = self.coordinator.poll_output() {
            match output {
                Output::Submit(chunk) => chunks.push(chunk),
                Output::Compare => {
                    // First the queue, then the results: what has left the queue in between is among the results.
                    let live = patiently(observer, || dispatch.live(self.id))?;
                    while self.read(now, dispatch, observer)? > 0 {}
                    self.coordinator.handle(now, Input::Live(live))?;
                }
                Output::Over => return Ok(true),
            }
        }
        if !chunks.is_empty() {
            patiently(observer, || dispatch.submit(&chunks))?;
        }
        Ok(false)
    }

    /// Reads results and stores those that are new; returns how many were read.
    fn read(
        &mut self,
        now: SimTime,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<usize, CoordinateError> {
        let results = patiently(observer, || dispatch.results(self.id, self.cursor, MOST_READ))?;
        for reported in &results {
            self.cursor = reported.serial;
            self.take_in(now, reported, observer)?;
        }
        Ok(results.len())
    }

    fn take_in(
        &mut self,
        now: SimTime,
        reported: &Reported,
        observer: &mut dyn Observer,
    ) -> Result<(), CoordinateError> {
        let (number, id) = (reported.result.number, reported.result.id.clone());
        let (ended, mut played) = self.played(reported)?;
        self.coordinator.handle(now, Input::Result(number, id.clone(), ended, reported.result.took_us))?;
        // Stored before anything else is done; the other outputs wait for `drain`.
        if !self.coordinator.was_new() {
            return Ok(());
        }
        if ended == Ended::GivenUp {
            observer.gave_up(number, &id, &played.record.spec.to_string(), reported.worker.as_str());
        }
        let took_ms = reported.result.took_us as f64 / 1_000.0;
        let text = format!("{} ({}), {took_ms:.1} ms", reported.worker, reported.program);
        played.logs.push(Log { source: WORKER.to_owned(), text });
        self.store.add(&Row::new(number, &id, &played))?;
        Ok(())
    }

    /// Returns what a worker has reported as a store keeps it.
    fn played(&self, reported: &Reported) -> Result<(Ended, Played), CoordinateError> {
        let (number, id) = (reported.result.number, reported.result.id.clone());
        let worker = reported.worker.to_string();
        let scheduled = scheduled(self.league, &id).ok_or_else(|| CoordinateError::Record {
            worker: worker.clone(),
            number,
            id: id.clone(),
            why: ": the league has no such match".to_owned(),
        })?;
        let spec = self.league.spec(&scheduled);
        let (record, replay) = match &reported.result.ending {
            Ending::Played { record, replay } => (record, replay.clone()),
            Ending::Unplayable(reason) => {
                let reason = reason.clone();
                return Err(CoordinateError::Unplayable { number, id, worker, reason });
            }
            Ending::GivenUp => {
                let record = given_up(spec, self.league.sides(), &reported.program);
                let text = "given up: its worker died each time it was played alone".to_owned();
                let logs = vec![Log { source: "host".to_owned(), text }];
                return Ok((Ended::GivenUp, Played { record, replay: None, logs }));
            }
        };
        let faulty =
            |why: String| CoordinateError::Record { worker: worker.clone(), number, id: id.clone(), why };
        let record: MatchRecord =
            record.parse().map_err(|error: MatchFileError| faulty(format!(": {error}")))?;
        if record.spec != spec {
            return Err(faulty(String::new()));
        }
        let outcome = record.outcome;
        if Verdict::of(outcome.termination).treatment() == Treatment::Repeated {
            return Err(faulty(format!(": it ended with {}", outcome.termination)));
        }
        Ok((Ended::Played(outcome), Played { record, replay, logs: Vec::new() }))
    }
}

/// Returns the match of this id; none if the league has no such entrants or sides.
pub(crate) fn scheduled(league: &League, id: &MatchId) -> Option<ScheduledMatch> {
    league.can_have(id).then(|| league.seeds().schedule(id.clone()))
}

/// The record of a match that was given up.
fn given_up(spec: game_env::matches::MatchSpec, sides: usize, program: &str) -> MatchRecord {
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
    }
}

/// How long a queue that cannot be reached is tried again.
const PATIENCE: Duration = Duration::from_secs(600);

/// The time between two attempts.
const RETRY: Duration = Duration::from_secs(1);

/// Does this until the queue can be reached.
fn patiently<T>(
    observer: &mut dyn Observer,
    mut act: impl FnMut() -> Result<T, DispatchError>,
) -> Result<T, DispatchError> {
    retry(&mut act, &mut |error| observer.unreachable(error))
}

/// Does this until the queue can be reached; tells the first error.
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
                if since.elapsed() >= PATIENCE {
                    return Err(error);
                }
                thread::sleep(RETRY);
            }
            other => return other,
        }
    }
}
