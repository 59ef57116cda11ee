//! The loop of a worker: leases chunks, plays their matches on threads, and reports the results.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use std::{io, thread};

use contests::text::counted;
use game_env::SimTime;
use game_env::matches::MatchSpec;
use league::executor::Executor;
use league::file::{LONGEST_FILE, League};
use league::in_process::InProcess;
use league::runner::repeated;
use league::suitable;
use league::trust;
use strategies::programs::Processes;

use crate::chunk::LeagueId;
use crate::coordinate::{retry, scheduled};
use crate::dispatch::{Dispatch, DispatchError, Ending, Lease, OpenLeague, WorkerName};
use crate::worker::{Input, Output, Worker};

/// Receives the request to stop the worker. A sender that is dropped requests nothing.
pub type Stop = Receiver<()>;

/// Time between two checks of the loop whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// A worker's part of `serve`.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The worker's name, which no other process has had.
    pub name: WorkerName,
    /// Number of matches at a time.
    pub slots: usize,
    /// Time that the worker waits without work before it ends; none to wait until it is stopped.
    pub idle: Option<Duration>,
    /// The processes that run the programs of leagues, the same as those of the worker's executor; none if the worker
    /// may start no programs.
    pub programs: Option<Processes>,
}

/// Reports of a worker for people.
pub trait Observer {
    /// The worker plays for this league from now on, and starts these commands for it.
    fn joined(&mut self, league: &OpenLeague, commands: &[String]);

    /// The worker does not play for this league.
    fn refused(&mut self, league: &OpenLeague, reason: &str);

    /// The queue cannot be reached; the worker tries again.
    fn unreachable(&mut self, error: &DispatchError);
}

/// Ignores all reports.
impl Observer for () {
    fn joined(&mut self, _: &OpenLeague, _: &[String]) {}

    fn refused(&mut self, _: &OpenLeague, _: &str) {}

    fn unreachable(&mut self, _: &DispatchError) {}
}

/// Plays for all leagues of a queue that this program can play, until it is stopped or there is nothing to do.
///
/// Matches that are running when it is stopped are left to other workers.
///
/// # Errors
///
/// Fails if the queue fails, or the system has no thread for a slot.
pub fn serve(
    dispatch: &mut dyn Dispatch,
    executor: &Arc<dyn Executor + Send + Sync>,
    serving: &Serving,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<(), ServeError> {
    let begun = Instant::now();
    let now = || SimTime::from(begun.elapsed());
    let Serving { name, slots, idle, programs } = serving;
    let (sender, ended) = mpsc::channel();
    let threads = (0..*slots).map(|slot| Player::start(slot, executor, &sender));
    let players = threads.collect::<io::Result<Vec<Player>>>().map_err(ServeError::Thread)?;
    let count = u32::try_from(*slots).unwrap_or(u32::MAX);
    retry(&mut || dispatch.join(now(), name, executor.program(), count), &mut |error| {
        observer.unreachable(error);
    })?;
    let (program, programs, leagues) = (executor.program(), programs.as_ref(), BTreeMap::new());
    let mut serve = Serve { name, program, programs, leagues, players };
    let mut worker = Worker::new(now(), *slots);
    worker.handle(now(), Input::Tick);
    let mut busy_at = Instant::now();
    loop {
        if serve.drain(&now, &mut worker, dispatch, observer)? {
            return Ok(());
        }
        if !worker.is_idle() {
            busy_at = Instant::now();
        }
        let is_done = idle.is_some_and(|idle| busy_at.elapsed() >= idle);
        if is_done || stop.try_recv().is_ok() {
            worker.handle(now(), Input::Stop);
            continue;
        }
        let wake = worker.wake_at().unwrap_or(SimTime::NEVER);
        let wait = Duration::from(wake.since(now())).min(LOOK);
        match ended.recv_timeout(wait) {
            Ok(Finished { slot, turn, ending, took_us }) => {
                worker.handle(now(), Input::Ended(slot, turn, ending, took_us));
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                worker.handle(now(), Input::Tick);
            }
        }
    }
}

/// Reason why a worker ends before it is stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The queue fails.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The system has no thread for a slot.
    #[error("cannot start a thread for each match: {0}")]
    Thread(#[source] io::Error),
}

struct Serve<'a> {
    name: &'a WorkerName,
    program: &'a str,
    programs: Option<&'a Processes>,
    /// The leagues that the worker has seen; none for those that it refuses.
    leagues: BTreeMap<LeagueId, Option<League>>,
    players: Vec<Player>,
}

impl Serve<'_> {
    /// Carries out the outputs of the worker; returns whether it has stopped.
    fn drain(
        &mut self,
        now: &dyn Fn() -> SimTime,
        worker: &mut Worker,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<bool, DispatchError> {
        loop {
            let mut answers = Vec::new();
            while let Some(output) = worker.poll_output() {
                match output {
                    Output::Heartbeat => {
                        retried(observer, || dispatch.heartbeat(now(), self.name))?;
                    }
                    Output::Ask(slot) => {
                        let lease = self.lease(dispatch, observer)?;
                        answers.push(Input::Leased(slot, lease));
                    }
                    Output::Begin(slot, league, number) => {
                        let before = retried(observer, || dispatch.begin(self.name, league, number))?;
                        answers.push(Input::Begun(slot, before));
                    }
                    Output::Play { slot, turn, league, id } => {
                        let known = self.leagues.get(&league).and_then(Option::as_ref);
                        let spec = known.and_then(|league| Some((league, scheduled(league, &id)?)));
                        match spec {
                            Some((league, scheduled)) => {
                                let spec = league.spec(&scheduled);
                                self.players[slot].play(Order {
                                    turn,
                                    spec,
                                    with_replay: league.keeps_replays,
                                });
                            }
                            None => {
                                let reason = format!("the league has no match {id}");
                                answers.push(Input::Ended(slot, turn, Ending::Unplayable(reason), 0));
                            }
                        }
                    }
                    Output::Report(league, results) => {
                        let is_open = retried(observer, || dispatch.report(self.name, league, &results))?;
                        if !is_open {
                            answers.push(Input::Closed(league));
                        }
                    }
                    Output::Finish(lease) => {
                        retried(observer, || dispatch.finish(self.name, &lease))?;
                    }
                    Output::GiveBack(lease, begun) => {
                        retried(observer, || dispatch.give_back(self.name, &lease, begun))?;
                    }
                    Output::Done => return Ok(true),
                }
            }
            if answers.is_empty() {
                return Ok(false);
            }
            for answer in answers {
                worker.handle(now(), answer);
            }
        }
    }

    /// Leases a chunk of the oldest league that has one.
    fn lease(
        &mut self,
        dispatch: &mut dyn Dispatch,
        observer: &mut dyn Observer,
    ) -> Result<Option<Lease>, DispatchError> {
        for league in retried(observer, || dispatch.leagues())? {
            if !self.leagues.contains_key(&league) {
                // The league file, which may be long, is read once.
                let Some(open) = retried(observer, || dispatch.league(league))? else { continue };
                let decided = decide(&open, self.program, self.programs, observer);
                self.leagues.insert(league, decided);
            }
            if self.leagues[&league].is_none() {
                continue;
            }
            let lease = retried(observer, || dispatch.lease(self.name, league))?;
            if lease.is_some() {
                return Ok(lease);
            }
        }
        Ok(None)
    }
}

fn retried<T>(
    observer: &mut dyn Observer,
    mut act: impl FnMut() -> Result<T, DispatchError>,
) -> Result<T, DispatchError> {
    retry(&mut act, &mut |error| observer.unreachable(error))
}

/// Decides whether the worker plays for a league, and reports it. Returns the league if it does.
fn decide(
    open: &OpenLeague,
    program: &str,
    programs: Option<&Processes>,
    observer: &mut dyn Observer,
) -> Option<League> {
    match accept(open, program, programs) {
        Ok(league) => {
            observer.joined(open, &commands(&league));
            Some(league)
        }
        Err(reason) => {
            observer.refused(open, &reason);
            None
        }
    }
}

/// Reads a league that a worker with this program is to play for. `programs` starts the commands of its entrants; none
/// if the worker may start none.
///
/// # Errors
///
/// If its results would differ from those of the coordinator's program, or a program of an entrant may not be started
/// or is missing; the error gives the reason.
pub fn accept(open: &OpenLeague, program: &str, programs: Option<&Processes>) -> Result<League, String> {
    if open.program != program {
        return Err(format!("it is played by {}, and this is {program}", open.program));
    }
    let rules = game_catalogue::find(&open.game).map_err(|error| error.to_string())?.rules();
    if open.rules != rules {
        let OpenLeague { game, rules: found, .. } = open;
        return Err(format!(
            "it has version {found} of the rules of {game}, and this program has version {rules}"
        ));
    }
    if open.file.len() as u64 > LONGEST_FILE {
        return Err(format!("its league file is longer than {LONGEST_FILE} bytes"));
    }
    let league = League::read(&open.name, &open.file, &InProcess::new(program));
    let league = league.map_err(|error| error.to_string())?;
    suitable::check(&league).map_err(|why| format!("it {why}"))?;
    let commands = commands(&league);
    match (programs, commands.first()) {
        (_, None) => {}
        (Some(programs), Some(_)) => programs.check(league.strategies())?,
        (None, Some(first)) => {
            let count = counted(commands.len() as u64, "command", "commands");
            return Err(format!(
                "it starts {count} on this machine, e.g. {first}: a worker with `--trust` starts the commands of all \
                 leagues of its queue"
            ));
        }
    }
    Ok(league)
}

/// Returns the commands of a league for people, which run in the current folder.
fn commands(league: &League) -> Vec<String> {
    trust::commands(&league.strategies(), Path::new(""))
}

/// A thread that plays the matches of a slot.
struct Player {
    orders: Sender<Order>,
}

struct Order {
    turn: u64,
    spec: MatchSpec,
    with_replay: bool,
}

struct Finished {
    slot: usize,
    turn: u64,
    ending: Ending,
    took_us: u64,
}

impl Player {
    fn start(
        slot: usize,
        executor: &Arc<dyn Executor + Send + Sync>,
        finished: &Sender<Finished>,
    ) -> io::Result<Self> {
        let (orders, received) = mpsc::channel::<Order>();
        let (executor, finished) = (Arc::clone(executor), finished.clone());
        thread::Builder::new().name(format!("match {slot}")).spawn(move || {
            for Order { turn, spec, with_replay } in received {
                let begun = Instant::now();
                let ending = play(&*executor, &spec, with_replay);
                let took_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                if finished.send(Finished { slot, turn, ending, took_us }).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { orders })
    }

    fn play(&self, order: Order) {
        // The thread ends only with this value.
        drop(self.orders.send(order));
    }
}

/// Plays a match as a league does; again, if this machine fails it.
pub(crate) fn play(executor: &dyn Executor, spec: &MatchSpec, with_replay: bool) -> Ending {
    let mut why = String::new();
    let played = catch_unwind(AssertUnwindSafe(|| {
        repeated(
            || executor.play(spec, with_replay),
            |played| {
                why = played.host_fault().unwrap_or("it was too slow").to_owned();
                Ok(())
            },
        )
    }));
    match played {
        Ok(Ok(Some(played))) => Ending::Played { record: played.record.to_string(), replay: played.replay },
        Ok(Ok(None)) => Ending::Unplayable(format!("the machine has failed it: {why}")),
        Ok(Err(reason)) => Ending::Unplayable(reason.to_string()),
        Err(_) => Ending::Unplayable("the executor panicked; see the message of the worker".to_owned()),
    }
}
