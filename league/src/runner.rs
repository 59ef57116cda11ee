//! Plays a league: hands matches to workers and stores the results.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use contests::verdict::{Treatment, Verdict};
use game_env::Outcome;

use crate::executor::{CannotPlay, Executor, Played};
use crate::file::League;
use crate::progress::{Next, Progress, Task};
use crate::schedule::MatchId;
use crate::store::{Row, Store, StoreError};

/// Number of plays of a match, all ended by faults of the host, after which the league is given up.
pub const MOST_REPETITIONS: u32 = 5;

/// Reason why a league cannot be played to its end. All matches that have ended are stored.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A match cannot be played.
    #[error("match {number} ({id}) cannot be played: {reason}")]
    Unplayable {
        /// The number of the match.
        number: u64,
        /// Identifier of the match.
        id: MatchId,
        /// The reason.
        reason: CannotPlay,
    },
    /// The host fails a match again and again.
    #[error("this machine has failed match {number} ({id}) {MOST_REPETITIONS} times: {why}")]
    Host {
        /// The number of the match.
        number: u64,
        /// Identifier of the match.
        id: MatchId,
        /// The number of matches at a time.
        jobs: NonZeroUsize,
        /// The reason of the last time.
        why: String,
    },
    /// The store holds another league's match.
    #[error("the store has {found} as match {number}, and the league has {expected}")]
    OtherLeague {
        /// The number of the match.
        number: u64,
        /// The match in the store.
        found: MatchId,
        /// The match in the league.
        expected: MatchId,
    },
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Receives the progress of a league. Its methods are called between matches and should return at once.
pub trait Observer: Sync {
    /// A match begins.
    fn match_begins(&self, task: &Task) {
        let _ = task;
    }

    /// A match has ended and is stored.
    fn match_ended(&self, task: &Task, progress: &Progress);

    /// This machine was too slow for a match, which is played again.
    fn host_failed(&self, task: &Task, played: &Played) {
        let _ = (task, played);
    }
}

/// Ignores all reports.
impl Observer for () {
    fn match_ended(&self, _: &Task, _: &Progress) {}
}

/// Plays all matches of a league that its store does not have yet, this number at a time.
///
/// The result depends neither on `jobs` nor on the number of interruptions.
///
/// # Errors
///
/// Fails if a match cannot be played or stored, or the store is of another league.
pub fn run(
    league: &League,
    executor: &dyn Executor,
    store: &mut Store,
    jobs: NonZeroUsize,
    observer: &dyn Observer,
) -> Result<Progress, RunError> {
    let known = store.outcomes(|stored| stored.id)?;
    let shared = Shared {
        state: Mutex::new(State::new(league, known)),
        changed: Condvar::new(),
        store: Mutex::new(store),
    };
    thread::scope(|scope| {
        for _ in 0..jobs.get() {
            scope.spawn(|| shared.work(league, executor, observer, jobs));
        }
    });
    let Shared { state, store, .. } = shared;
    let State { progress, failure, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    // A match behind the last one that counts may have failed, before or after the order was settled.
    if !progress.is_over() {
        failure.map_or(Ok(()), Err)?;
    }
    remove_uncounted(store.into_inner().unwrap_or_else(PoisonError::into_inner), &progress)?;
    Ok(progress)
}

/// Removes the matches that do not count from the store of a league that is over: those that had begun when the order
/// was settled. How many these are depends on the number of jobs, and no reader of the store is to see that.
///
/// # Errors
///
/// Fails if the store cannot be read or written.
pub fn remove_uncounted(store: &mut Store, progress: &Progress) -> Result<(), StoreError> {
    if progress.is_over() { store.remove_behind(progress.counted()) } else { Ok(()) }
}

/// Plays a match until it ends without a fault of the host; none if it does not in [`MOST_REPETITIONS`] plays.
///
/// # Errors
///
/// If `play` fails, or `failed`, which takes in each play that a fault of the host has ended.
pub fn repeated<E>(
    mut play: impl FnMut() -> Result<Played, E>,
    mut failed: impl FnMut(&Played) -> Result<(), E>,
) -> Result<Option<Played>, E> {
    for _ in 0..MOST_REPETITIONS {
        let played = play()?;
        if Verdict::of(played.record.outcome.termination).treatment() != Treatment::Repeated {
            return Ok(Some(played));
        }
        failed(&played)?;
    }
    Ok(None)
}

/// Returns the progress of a league as its store has it: up to the first match that is missing.
///
/// # Errors
///
/// Fails if the store cannot be read or is of another league.
pub fn stored_progress(league: &League, store: &Store) -> Result<Progress, RunError> {
    let mut state = State::new(league, store.outcomes(|stored| stored.id)?);
    state.next_unknown()?;
    Ok(state.progress)
}

/// Returns the number of the last match that counts, or can still count. Of a league that stopped early the store may
/// have further ones: nobody has removed them if the process that settled the order was interrupted.
///
/// # Errors
///
/// Fails if the store cannot be read or is of another league.
pub fn last_counted(league: &League, store: &Store) -> Result<u64, RunError> {
    if league.early_stop.is_none() {
        return Ok(u64::MAX);
    }
    let progress = stored_progress(league, store)?;
    Ok(if progress.is_over() { progress.counted() } else { u64::MAX })
}

/// Returns all matches that can be played now and that the store does not have, in the order of the schedule, with the
/// progress of the league after they were handed out. None if the league is over, or if the next matches depend on
/// results.
///
/// # Errors
///
/// Fails if the store cannot be read or is of another league.
pub(crate) fn open_tasks(league: &League, store: &Store) -> Result<(Progress, Vec<Task>), RunError> {
    let mut state = State::new(league, store.outcomes(|stored| stored.id)?);
    let mut tasks = Vec::new();
    while let Some(Next::Play(task)) = state.next_unknown()? {
        tasks.push(task);
    }
    Ok((state.progress, tasks))
}

struct State {
    progress: Progress,
    known: BTreeMap<u64, (MatchId, Outcome)>,
    failure: Option<RunError>,
    /// Whether a worker has panicked: nobody plays the match that it had.
    is_broken: bool,
}

impl State {
    fn new(league: &League, known: BTreeMap<u64, (MatchId, Outcome)>) -> Self {
        Self { progress: Progress::new(league), known, failure: None, is_broken: false }
    }

    /// Returns the next step for which the store has no match; none at the end.
    fn next_unknown(&mut self) -> Result<Option<Next>, RunError> {
        loop {
            let task = match self.progress.next_task() {
                Next::Over => return Ok(None),
                Next::Wait => return Ok(Some(Next::Wait)),
                Next::Play(task) => task,
            };
            let Some((found, outcome)) = self.known.remove(&task.number) else {
                return Ok(Some(Next::Play(task)));
            };
            if found != task.scheduled.id {
                let (number, expected) = (task.number, task.scheduled.id);
                return Err(RunError::OtherLeague { number, found, expected });
            }
            // A store has a match that is to be repeated only if that was given up.
            if Verdict::of(outcome.termination).treatment() == Treatment::Repeated {
                self.progress.give_up(task.number);
            } else {
                self.progress.end(task.number, &outcome);
            }
        }
    }
}

/// State shared by all workers.
struct Shared<'a> {
    state: Mutex<State>,
    /// Signals that a match has ended.
    changed: Condvar,
    store: Mutex<&'a mut Store>,
}

/// Ends the other workers when the worker that holds this value panics: they would wait for its match.
struct EndsAll<'a, 'b>(&'a Shared<'b>);

impl Drop for EndsAll<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().is_broken = true;
            self.0.changed.notify_all();
        }
    }
}

impl Shared<'_> {
    fn work(&self, league: &League, executor: &dyn Executor, observer: &dyn Observer, jobs: NonZeroUsize) {
        let _guard = EndsAll(self);
        while let Some(task) = self.next_task() {
            observer.match_begins(&task);
            let ended = self.play(&task, league, executor, observer, jobs).and_then(|played| {
                let row = Row::new(task.number, &task.scheduled.id, &played);
                let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
                store.add(&row)?;
                Ok(played.record.outcome)
            });
            let mut state = self.state();
            match ended {
                Ok(outcome) => {
                    state.progress.end(task.number, &outcome);
                    observer.match_ended(&task, &state.progress);
                }
                Err(error) => state.failure = state.failure.take().or(Some(error)),
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Plays a match until it ends without a fault of the host.
    fn play(
        &self,
        task: &Task,
        league: &League,
        executor: &dyn Executor,
        observer: &dyn Observer,
        jobs: NonZeroUsize,
    ) -> Result<Played, RunError> {
        let id = || task.scheduled.id.clone();
        let spec = league.spec(&task.scheduled);
        let play = || {
            let play = || executor.play(&spec, league.keeps_replays);
            // A bug in the rules ends the league with a message that names the match; the other workers do not wait for
            // it.
            let played = catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|_| {
                Err(CannotPlay("the executor panicked; see the message above".to_owned()))
            });
            played.map_err(|reason| RunError::Unplayable { number: task.number, id: id(), reason })
        };
        let mut why = String::new();
        let played = repeated(play, |played| {
            why = played.host_fault().unwrap_or("it was too slow").to_owned();
            let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
            store.add_failed_attempt(task.number, &played.logs)?;
            drop(store);
            observer.host_failed(task, played);
            Ok(())
        });
        played?.ok_or_else(|| RunError::Host { number: task.number, id: id(), jobs, why })
    }

    /// Returns the next match to play; none at the end.
    fn next_task(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            if state.failure.is_some() || state.is_broken {
                return None;
            }
            match state.next_unknown() {
                Ok(Some(Next::Play(task))) => return Some(task),
                Ok(Some(Next::Wait)) => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                Ok(Some(Next::Over) | None) => {
                    self.changed.notify_all();
                    return None;
                }
                Err(error) => {
                    state.failure = Some(error);
                    self.changed.notify_all();
                    return None;
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use game_env::Termination;

    use super::*;
    use crate::in_process;

    #[test]
    fn a_match_is_repeated_until_the_host_does_not_fail_it() {
        let sound = in_process::tests::played(false);
        let mut failed = sound.clone();
        failed.record.outcome.termination = Termination::HostFault;
        for faults in [0, 1, MOST_REPETITIONS - 1, MOST_REPETITIONS] {
            let (mut plays, mut heard) = (0, 0);
            let play = || {
                plays += 1;
                Ok::<_, CannotPlay>(if plays <= faults { failed.clone() } else { sound.clone() })
            };
            let ended = repeated(play, |_| {
                heard += 1;
                Ok(())
            });
            let expected = (faults < MOST_REPETITIONS).then(|| sound.clone());
            assert_eq!((ended.unwrap(), heard), (expected, faults), "{faults} faults");
        }
    }
}
