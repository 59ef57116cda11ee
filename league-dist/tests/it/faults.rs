//! The loop of a coordinator on a queue in a file, with workers that the test lets die at chosen matches.

use std::collections::BTreeSet;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use child_process::Guard;
use contests::verdict::Verdict;
use game_env::matches::{MatchRecord, MatchSpec};
use game_env::{Metrics, Millis, Outcome, Ranking, Returns, Seed, SimTime, TeamId, Termination};
use league::executor::{CannotPlay, Executor, Played};
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::progress::{Next, Progress};
use league::schedule::MatchId;
use league::store::{Origin, Store, WORKER};
use league_dist::chunk::{Chunk, LeagueId};
use league_dist::coordinate::{CoordinateError, Observer, coordinate};
use league_dist::coordinator::Rules;
use league_dist::dispatch::{
    Dispatch, DispatchError, Ending, Live, MatchResult, OpenLeague, WorkerName, WorkerState,
};
use league_dist::memory::Memory;
use league_dist::serve::{Serving, accept, serve};
use league_dist::sqlite::Sqlite;
use league_dist::verify::Verification;
use league_dist::worker::{DEAD_AFTER, Input, MOST_CRASHES, Output, Worker};
use strategies::programs::Processes;

pub(crate) const PROGRAM: &str = "tests 1.0";

const FILE: &str = "game = \"dots\"\npreset = \"small\"\nseed = 5\n[schedule]\nsets = 10\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";

fn league() -> League {
    League::read("tests", FILE, &InProcess::new(PROGRAM)).expect("the league is sound")
}

pub(crate) fn open_league(id: u64) -> OpenLeague {
    OpenLeague {
        id: LeagueId::new(id),
        name: "tests".to_owned(),
        file: FILE.to_owned(),
        program: PROGRAM.to_owned(),
        game: "dots".to_owned(),
        rules: game_catalogue::find("dots").expect("a game").rules(),
    }
}

fn store(folder: &Path) -> Store {
    store_of(folder, FILE)
}

/// Begins the league of this file in the folder, or goes on with it.
fn store_of(folder: &Path, file: &str) -> Store {
    let origin = Origin {
        name: "tests".to_owned(),
        file: file.to_owned(),
        executor: InProcess::NAME.to_owned(),
        program: PROGRAM.to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    Store::create(folder, &origin, &ProgramFiles::default())
        .or_else(|_| Store::open(folder))
        .expect("a store")
}

/// Lets the workers with this name have been silent for a long time.
fn age(queue: &Path, worker: &WorkerName) {
    let connection = rusqlite::Connection::open(queue).expect("the queue opens");
    connection.busy_timeout(Duration::from_secs(600)).expect("a timeout");
    let aged = connection
        .execute("UPDATE Workers SET last_seen = last_seen - 1000 WHERE id = ?1", [worker.as_str()])
        .expect("the queue can be written");
    assert_eq!(aged, 1, "{worker} has joined");
}

/// The clock of the machine was ahead by an hour until now: chunks wait for no moment, and a worker that has died since
/// is not taken for alive until the clock has caught up.
#[test]
fn a_clock_that_is_set_back_does_not_stop_a_league() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.db");
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    let (open, lost, other) = (open_league(1), WorkerName::new("lost", 1, 1), WorkerName::new("other", 2, 2));
    queue.open(&open).expect("the queue can be written");
    queue.submit(&[chunk(open.id, &[1])]).expect("a chunk");
    queue.join(SimTime::START, &lost, PROGRAM, 1).expect("a worker");
    let direct = rusqlite::Connection::open(&file).expect("the queue opens");
    let waits: i64 = direct.query_row("SELECT max(run_at) FROM Jobs", [], |row| row.get(0)).expect("a chunk");
    assert!(waits < 1_000, "until {waits}");
    assert!(queue.lease(&lost, open.id).expect("the queue can be read").is_some());
    let ahead = "UPDATE Workers SET last_seen = last_seen + 3600";
    assert_eq!(direct.execute(ahead, []).expect("the queue can be written"), 1);
    queue.recover(SimTime::START).expect("the queue can be written");
    // A minute later.
    direct.execute("UPDATE Workers SET last_seen = last_seen - 60", []).expect("the queue can be written");
    assert_eq!(queue.recover(SimTime::START).expect("the queue can be written"), 1);
    queue.join(SimTime::START, &other, PROGRAM, 1).expect("a worker");
    assert!(queue.lease(&other, open.id).expect("the queue can be read").is_some());
}

/// Plays what the queue has until it is empty, or the match of this number would begin; returns whether it would.
fn work(queue: &mut Sqlite, name: &WorkerName, league: &OpenLeague, poison: u64) -> bool {
    let executor = InProcess::new(PROGRAM);
    let own = accept(league, PROGRAM, None).expect("the league is sound");
    queue.join(SimTime::START, name, PROGRAM, 1).expect("the worker joins");
    let mut worker = Worker::new(SimTime::START, 1);
    worker.handle(SimTime::START, Input::Tick);
    loop {
        let now = SimTime::START;
        let Some(output) = worker.poll_output() else { return false };
        match output {
            Output::Heartbeat => queue.heartbeat(now, name).expect("the queue can be written"),
            Output::Ask(slot) => {
                let lease = queue.lease(name, league.id).expect("the queue can be written");
                worker.handle(now, Input::Leased(slot, lease));
            }
            Output::Begin(slot, league, number) => {
                let before = queue.begin(name, league, number).expect("the queue can be written");
                worker.handle(now, Input::Begun(slot, before));
            }
            Output::Play { slot, turn, id, .. } => {
                if number(&id) == poison {
                    return true;
                }
                let spec = own.spec(&own.seeds().schedule(id));
                let played = executor.play(&spec, false).expect("the match can be played");
                let ending = Ending::Played { record: played.record.to_string(), replay: None };
                worker.handle(now, Input::Ended(slot, turn, ending, 1_000));
            }
            Output::Report(league, results) => {
                if !queue.report(name, league, &results).expect("the queue can be written") {
                    worker.handle(now, Input::Closed(league));
                }
            }
            Output::Finish(lease) => queue.finish(name, &lease).expect("the queue can be written"),
            Output::GiveBack(lease, begun) => {
                queue.give_back(name, &lease, begun).expect("the queue can be written");
            }
            Output::Done => return false,
        }
    }
}

/// The number of a match of a league with one pairing.
fn number(id: &MatchId) -> u64 {
    2 * u64::from(id.set) + u64::from(id.rotation) + 1
}

/// Keeps all reports.
#[derive(Default)]
struct Told {
    gave_up: Vec<(u64, String, bool)>,
    refused: Vec<String>,
    dropped: Vec<String>,
}

impl Observer for Told {
    fn look(&mut self, _: &Progress, _: &[WorkerState]) {}

    fn gave_up(&mut self, number: u64, _: &MatchId, spec: &str, _: &WorkerName, played: bool) {
        self.gave_up.push((number, spec.to_owned(), played));
    }

    fn refused(&mut self, worker: &WorkerName, number: u64, why: &str, dropped: usize) {
        self.refused.push(format!("{worker}: match {number}: {why}; {dropped} dropped"));
    }

    fn dropped(&mut self, why: &str) {
        self.dropped.push(why.to_owned());
    }

    fn unreachable(&mut self, _: &DispatchError) {}
}

#[test]
fn a_match_that_ends_its_worker_each_time_is_a_host_fault_and_the_league_ends() {
    const POISON: u64 = 8;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.db");
    let out = folder.path().join("out");
    let open = open_league(7);
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    let (sender, ended) = mpsc::channel();
    let coordinator = {
        let (file, out, open) = (file.clone(), out.clone(), open.clone());
        thread::spawn(move || {
            let mut queue = Sqlite::open_file(&file).expect("a queue");
            let (mut store, mut told) = (store(&out), Told::default());
            let (rules, checks) = (Rules::default(), verification(50));
            let result = coordinate(&mut queue, &open, &league(), &mut store, rules, &checks, &mut told);
            sender.send(()).expect("the test waits");
            (result, told.gave_up)
        })
    };
    let mut deaths = 0;
    for life in 0.. {
        let name = WorkerName::new("host", 1, life);
        if work(&mut queue, &name, &open, POISON) {
            deaths += 1;
            age(&file, &name);
            assert_eq!(queue.recover(SimTime::START).expect("the queue can be written"), 1);
        }
        // The coordinator reads results and adds chunks meanwhile.
        match ended.recv_timeout(Duration::from_millis(20)) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let (result, given_up) = coordinator.join().expect("the coordinator ends");
    let progress = result.expect("the league ends");
    assert_eq!(deaths, 1 + MOST_CRASHES, "once with its chunk, then alone");
    assert_eq!((progress.counted(), progress.verdicts().get(&Verdict::HostFault)), (20, Some(&1)));
    let [(number, spec, false)] = &given_up[..] else { panic!("{given_up:?}") };
    let spec: MatchSpec = spec.parse().expect("a match that `league play` takes");
    let store = Store::look(&out).expect("a store");
    let stored = store.find(POISON).expect("it can be read").expect("it is stored");
    assert_eq!((*number, &spec), (POISON, &stored.record.spec));
    assert_eq!(stored.record.outcome.termination, Termination::HostFault);
    let logs = store.logs(1).expect("logs");
    assert!(logs.iter().any(|(_, log)| log.source == WORKER && log.text.starts_with("host-1-")), "{logs:?}");
    // Reading the store counts the match in the same way.
    let again = league::runner::stored_progress(&league(), &store).expect("it can be read");
    assert_eq!((again.counted(), again.verdicts()), (20, progress.verdicts()));
}

/// A worker cannot leave out the matches that it does not like. No other worker is asked to play them while the
/// coordinator tries them, which here lasts until all others are played.
#[test]
fn a_match_that_is_given_up_without_a_reason_is_played_by_the_coordinator() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
    let open = open_league(1);
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    queue.open(&open).expect("the league is open");
    let evil = WorkerName::new("evil", 1, 0);
    queue.join(SimTime::START, &evil, PROGRAM, 1).expect("the worker joins");
    let mut given_up = results(&[3, 8]);
    given_up.iter_mut().for_each(|result| result.ending = Ending::GivenUp);
    assert!(queue.report(&evil, open.id, &given_up).expect("the queue can be written"));
    let counting = Arc::new(Counting(InProcess::new(PROGRAM), AtomicU32::new(0)));
    let played = Arc::clone(&counting);
    let survives = move |_: &MatchSpec| {
        // A worker that fails must not stop the test.
        let latest = Instant::now() + Duration::from_secs(60);
        while played.1.load(Ordering::Relaxed) < 18 && Instant::now() < latest {
            thread::yield_now();
        }
        Ok(true)
    };
    let verification = Verification { survives: Arc::new(survives), ..verification(0) };
    let executor: Arc<dyn Executor + Send + Sync> = counting.clone();
    let mut told = coordinate_with_worker(&file, &out, FILE, &verification, Millis::new(1), &executor)
        .expect("the league ends");
    assert_eq!(counting.1.load(Ordering::Relaxed), 18);
    told.gave_up.sort_unstable();
    let played: Vec<(u64, bool)> =
        told.gave_up.iter().map(|(number, _, played)| (*number, *played)).collect();
    assert_eq!(played, [(3, true), (8, true)]);
    assert_eq!(records(&out).len(), 20);
    let logs = Store::look(&out).expect("a store").logs(8).expect("logs");
    assert_eq!(logs[0].1.text, format!("played here, after the worker {evil} had given it up"));
}

fn results(numbers: &[u64]) -> Vec<MatchResult> {
    let one = |number: &u64| {
        let id = format!("1-2/{}/{}", number.div_ceil(2), (number + 1) % 2);
        let (number, id) = (*number, id.parse().expect("a match"));
        let ending = Ending::Played { record: format!("record {number}"), replay: Some(vec![1, 2]) };
        MatchResult { number, id, ending, took_us: 5 }
    };
    numbers.iter().map(one).collect()
}

pub(crate) fn chunk(league: LeagueId, numbers: &[u64]) -> Chunk {
    let matches = results(numbers).into_iter().map(|result| (result.number, result.id)).collect();
    Chunk { league, matches }
}

/// The promises that every queue keeps. `pass` lets a worker have been silent until it is dead.
#[expect(clippy::unwrap_used, reason = "a queue that fails breaks its promises")]
pub(crate) fn check_queue(
    queue: &mut dyn Dispatch,
    pass: &mut dyn FnMut(&mut dyn Dispatch, &WorkerName) -> SimTime,
) {
    let (open, other) = (open_league(1), open_league(2));
    let league = open.id;
    let [ann, bob] = ["ann", "bob"].map(|host| WorkerName::new(host, 1, 0));
    let start = SimTime::START;
    for (league, worker) in [(&open, &ann), (&other, &bob)] {
        queue.open(league).unwrap();
        queue.join(start, worker, PROGRAM, 2).unwrap();
    }
    assert_eq!(queue.leagues().unwrap(), [open.id, other.id]);
    assert_eq!(queue.league(open.id).unwrap().as_ref(), Some(&open));
    let chunks = [chunk(league, &[1, 2]), chunk(league, &[3, 4]), chunk(league, &[5, 6])];
    queue.submit(&[&chunks[1..], &chunks[..1]].concat()).unwrap();
    assert_eq!(queue.live(league).unwrap().matches.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(queue.lease(&ann, other.id).unwrap(), None);
    // Each chunk belongs to one worker.
    let first = queue.lease(&ann, league).unwrap().unwrap();
    let second = queue.lease(&bob, league).unwrap().unwrap();
    assert_eq!([&first.chunk, &second.chunk], [&chunks[0], &chunks[1]]);
    assert_eq!((first.deaths, second.deaths), (0, 0));
    // Results count once, in the order in which they came.
    assert!(queue.report(&ann, league, &results(&[1, 2])).unwrap());
    assert!(queue.report(&bob, league, &results(&[3, 2])).unwrap());
    let found = queue.results(league, 0, 10).unwrap();
    let numbers: Vec<_> =
        found.iter().map(|found| (found.result.as_ref().unwrap().number, &found.worker)).collect();
    assert_eq!(numbers, [(1, &ann), (2, &ann), (3, &bob)]);
    assert_eq!(
        found.iter().map(|found| found.result.clone().unwrap()).collect::<Vec<_>>(),
        results(&[1, 2, 3])
    );
    assert!(found.iter().all(|found| found.program == PROGRAM));
    let after = queue.results(league, found[0].serial, 1).unwrap();
    assert_eq!(after, found[1..2]);
    queue.finish(&ann, &first).unwrap();
    queue.give_back(&ann, &first, None).unwrap();
    assert_eq!(queue.live(league).unwrap().matches.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    // A worker that stops hands its chunk over; one that dies leaves a trace.
    let begin = |queue: &mut dyn Dispatch, worker| queue.begin(worker, league, 3).unwrap();
    // Beginning again after an answer that was lost blames the match for nothing.
    assert_eq!([&bob, &ann, &bob].map(|worker| begin(queue, worker)), [0, 1, 1]);
    queue.give_back(&bob, &second, Some(3)).unwrap();
    assert_eq!(begin(queue, &ann), 0);
    let again = queue.lease(&bob, league).unwrap().unwrap();
    assert_eq!((&again.chunk, again.deaths), (&chunks[1], 0));
    assert_eq!(queue.recover(start).unwrap(), 0, "everybody is alive");
    let later = pass(queue, &bob);
    queue.heartbeat(later, &ann).unwrap();
    assert_eq!(queue.recover(later).unwrap(), 1);
    let third = queue.lease(&ann, league).unwrap().unwrap();
    assert_eq!((&third.chunk, third.deaths), (&chunks[1], 1));
    // The dead worker was only cut off: its lease has ended, its results count.
    queue.finish(&bob, &again).unwrap();
    queue.give_back(&bob, &again, None).unwrap();
    assert_eq!(queue.live(league).unwrap().matches.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert!(queue.report(&bob, league, &results(&[4])).unwrap());
    let states = queue.workers(later, league).unwrap();
    let states: Vec<_> =
        states.iter().map(|state| (&state.name, state.is_alive, state.slots, state.matches)).collect();
    assert_eq!(states, [(&ann, true, 2, 2), (&bob, false, 2, 2)]);
    // A result that was dropped can be reported again, with a later serial.
    let serials: Vec<u64> = queue.results(league, 0, 10).unwrap().iter().map(|found| found.serial).collect();
    queue.drop_results(league, &serials[3..]).unwrap();
    assert!(queue.report(&ann, league, &results(&[4])).unwrap());
    let found = queue.results(league, serials[3], 10).unwrap();
    assert_eq!(found.iter().map(|found| found.result.clone().unwrap()).collect::<Vec<_>>(), results(&[4]));
    // A worker that is refused keeps neither results nor chunks.
    assert!(queue.refused(league).unwrap().is_empty());
    let fourth = queue.lease(&bob, league).unwrap().unwrap();
    assert_eq!(&fourth.chunk, &chunks[2]);
    queue.refuse(league, &bob).unwrap();
    queue.refuse(league, &bob).unwrap();
    assert_eq!(queue.refused(league).unwrap(), BTreeSet::from([bob.clone()]));
    assert_eq!(queue.lease(&bob, league).unwrap(), None);
    assert!(!queue.report(&bob, league, &results(&[5])).unwrap(), "the league is closed for it");
    queue.finish(&bob, &fourth).unwrap();
    assert_eq!(&queue.lease(&ann, league).unwrap().unwrap().chunk, &chunks[2]);
    let numbers = |queue: &mut dyn Dispatch| -> Vec<u64> {
        let found = queue.results(league, 0, 10).unwrap();
        found.into_iter().map(|found| found.result.unwrap().number).collect()
    };
    assert_eq!(numbers(queue), [1, 2, 4]);
    assert!(queue.report(&ann, league, &results(&[3])).unwrap());
    // Results after a changed one are taken back.
    queue.take_back(league, 3).unwrap();
    assert_eq!((numbers(queue), queue.live(league).unwrap()), (vec![1, 2, 3], Live::default()));
    assert!(queue.report(&ann, league, &results(&[4])).unwrap());
    // A closed league takes nothing more, and can be opened again with the results that it had.
    queue.close(league).unwrap();
    assert_eq!([league, other.id].map(|id| queue.is_open(id).unwrap()), [false, true]);
    assert_eq!(queue.leagues().unwrap(), [other.id]);
    assert_eq!(queue.league(open.id).unwrap(), None);
    assert!(!queue.report(&ann, league, &results(&[5])).unwrap());
    assert_eq!(queue.live(league).unwrap(), Live::default());
    assert_eq!(queue.lease(&ann, league).unwrap(), None);
    queue.open(&open).unwrap();
    assert!(queue.is_open(league).unwrap());
    assert_eq!(queue.results(league, 0, 10).unwrap().len(), 4);
}

#[test]
fn the_queue_in_memory_keeps_its_promises() {
    check_queue(&mut Memory::new(DEAD_AFTER), &mut |_, _| SimTime::START + DEAD_AFTER);
}

#[test]
fn the_queue_in_a_file_keeps_its_promises() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.db");
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    check_queue(&mut queue, &mut |_, worker| {
        age(&file, worker);
        SimTime::START
    });
    // Another process sees the same.
    let mut other = Sqlite::open_file(&file).expect("a queue");
    assert_eq!(other.leagues().unwrap().len(), 2);
}

#[test]
fn a_file_that_is_no_queue_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("queue.db");
    std::fs::write(&file, "this is no database, and longer than the head of one would have to be".repeat(9))
        .unwrap();
    let error = Sqlite::open_file(&file).unwrap_err().to_string();
    assert!(error.contains("queue.db: ") && error.contains("not a database"), "{error}");
}

/// Verifies one result in this number.
pub(crate) fn verification(every: u32) -> Verification {
    Verification {
        executor: Arc::new(InProcess::new(PROGRAM)),
        survives: Arc::new(|_| Ok(false)),
        every: NonZeroU32::new(every),
        seed: Seed::new(11),
        jobs: NonZeroUsize::MIN,
    }
}

/// The number of honest workers so far.
static LIVES: AtomicU32 = AtomicU32::new(0);

/// Plays this league by a coordinator and an honest worker on the same queue, until it is over; returns the reports.
fn coordinate_with_honest_worker(
    file: &Path,
    out: &Path,
    own: &str,
    every: u32,
) -> Result<Told, CoordinateError> {
    let executor: Arc<dyn Executor + Send + Sync> = Arc::new(InProcess::new(PROGRAM));
    coordinate_with_worker(file, out, own, &verification(every), Millis::new(50), &executor)
}

/// The same with a worker that plays by this executor, and with this time between comparisons.
fn coordinate_with_worker(
    file: &Path,
    out: &Path,
    own: &str,
    verification: &Verification,
    compare: Millis,
    executor: &Arc<dyn Executor + Send + Sync>,
) -> Result<Told, CoordinateError> {
    let open = OpenLeague { file: own.to_owned(), ..open_league(1) };
    let league = League::read("tests", own, &InProcess::new(PROGRAM)).expect("the league is sound");
    let mut queue = Sqlite::open_file(file).expect("a queue");
    queue.open(&open).expect("the queue can be written");
    let (stop, stopped) = mpsc::channel();
    let honest = {
        let (file, executor) = (file.to_owned(), Arc::clone(executor));
        thread::spawn(move || {
            let mut queue = Sqlite::open_file(&file).expect("a queue");
            // A name belongs to one process.
            let life = LIVES.fetch_add(1, Ordering::Relaxed);
            let name = WorkerName::new("honest", 1, life);
            let serving = Serving { name, slots: 1, idle: None, programs: None };
            serve(&mut queue, &executor, &serving, &stopped, &mut ()).expect("the worker plays");
        })
    };
    let (mut store, mut told) = (store_of(out, own), Told::default());
    let rules = Rules { compare, ..Rules::default() };
    let ended = coordinate(&mut queue, &open, &league, &mut store, rules, verification, &mut told);
    stop.send(()).expect("the worker listens");
    honest.join().expect("the worker ends");
    ended.map(|_| told)
}

/// Counts the matches that it plays.
struct Counting(InProcess, AtomicU32);

impl Executor for Counting {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn program(&self) -> &str {
        self.0.program()
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.play(spec, with_replay)
    }
}

/// The coordinator compares as often as it can, so also when it has just handed out matches.
#[test]
fn matches_that_are_handed_out_at_a_comparison_are_played_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
    let counting = Arc::new(Counting(InProcess::new(PROGRAM), AtomicU32::new(0)));
    let executor: Arc<dyn Executor + Send + Sync> = counting.clone();
    coordinate_with_worker(&file, &out, FILE, &verification(0), Millis::new(1), &executor)
        .expect("the league ends");
    assert_eq!(records(&out).len(), 20);
    assert_eq!(counting.1.load(Ordering::Relaxed), 20);
}

/// The list of matches of a store: numbers, ids and records.
fn records(folder: &Path) -> Vec<(u64, String, String)> {
    let mut records = Vec::new();
    let store = Store::look(folder).expect("a store");
    let each = store.for_each(u64::MAX, |stored, record| {
        records.push((stored.number, stored.id.to_string(), record.to_owned()));
        Ok::<(), league::store::StoreError>(())
    });
    each.expect("it can be read");
    records
}

/// The same as one process plays it.
fn records_alone(folder: &Path, own: &str) -> Vec<(u64, String, String)> {
    let executor = InProcess::new(PROGRAM);
    let league = League::read("tests", own, &executor).expect("the league is sound");
    let mut store = store_of(folder, own);
    league::runner::run(&league, &executor, &mut store, NonZeroUsize::MIN, &()).expect("a league");
    drop(store);
    records(folder)
}

/// A row of the table of results.
struct BadRow {
    number: i64,
    id: &'static str,
    ending: &'static str,
    text: String,
    expected: &'static str,
    /// Whether its worker is refused.
    is_refused: bool,
}

#[test]
fn a_bad_row_is_dropped_and_named_and_its_match_is_played_again() {
    let sound = |id: &str| {
        let league = league();
        let id: MatchId = id.parse().expect("a match");
        let spec = league.spec(&league.seeds().schedule(id));
        InProcess::new(PROGRAM).play(&spec, false).expect("it is played").record
    };
    let of_three = MatchRecord {
        outcome: Outcome {
            ranking: Ranking::tied(3),
            returns: Returns::new(&[0; 3]),
            ..sound("1-2/1/0").outcome
        },
        metrics: Metrics::new(),
        ..sound("1-2/1/0")
    };
    let foreign = MatchRecord { program: "tests\u{1b}[2J".to_owned(), ..sound("1-2/1/0") };
    let alone = tempfile::tempdir().expect("a folder");
    let alone = records_alone(alone.path(), FILE);
    let row = |number, id, ending, text, expected, is_refused| BadRow {
        number,
        id,
        ending,
        text,
        expected,
        is_refused,
    };
    let own = || sound("1-2/1/0").to_string();
    for bad in [
        row(1, "1-2/1/0", "won\u{1b}[2J", own(), "a match has the ending `won\\u{1b}[2J`", true),
        row(-5, "1-2/1/0", "played", own(), "number is -5: expected 0 or more", true),
        row(1, "\u{1b}[2J", "played", own(), "`\\u{1b}[2J` is no match", true),
        row(1, "1-2/1/0", "played", "{}".to_owned(), "is faulty: this is not a match record", true),
        row(1, "1-2/1/0", "played", sound("1-2/2/0").to_string(), "it is of another match", true),
        row(1, "1-2/1/0", "played", of_three.to_string(), "it has places for 3 teams: expected 2", true),
        row(
            1,
            "1-2/1/0",
            "played",
            foreign.to_string(),
            "it was played by tests\\u{1b}[2J: expected tests 1.0",
            true,
        ),
        row(
            1,
            "1-2/1/0",
            "unplayable",
            "no\u{1b}game".to_owned(),
            "cannot be played (no\\u{1b}game), and it can",
            true,
        ),
        // An honest worker may report these for a chunk that another one has written.
        row(2, "1-2/1/0", "played", own(), "match 2 is 1-2/1/0 in its report: expected 1-2/1/1", false),
        row(
            1,
            "1-9/1/0",
            "unplayable",
            String::new(),
            "match 1 is 1-9/1/0 in its report: expected 1-2/1/0",
            false,
        ),
        row(99, "1-2/1/0", "played", own(), "match 99 is 1-2/1/0 in its report: expected none", false),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
        drop(Sqlite::open_file(&file).expect("a queue"));
        let queue = rusqlite::Connection::open(&file).expect("the queue opens");
        let insert = "INSERT INTO dist_results (league, number, id, ending, text, worker, took_us)
            VALUES ('0000000000000001', ?1, ?2, ?3, ?4, 'mallory\u{1b}[2J', 9223372036854775807)";
        queue.execute(insert, (bad.number, bad.id, bad.ending, &bad.text)).expect("the queue can be written");
        drop(queue);
        let told = coordinate_with_honest_worker(&file, &out, FILE, 50).expect("the league ends");
        let said: Vec<&String> = if bad.is_refused { &told.refused } else { &told.dropped }.iter().collect();
        let [said] = said[..] else { panic!("{}: {:?} {:?}", bad.expected, told.refused, told.dropped) };
        assert!(said.contains(bad.expected), "{said}");
        assert!(said.contains("mallory\\u{1b}[2J"), "{said}");
        assert_eq!(
            (told.refused.len(), told.dropped.len()),
            (bad.is_refused.into(), (!bad.is_refused).into())
        );
        assert_eq!(records(&out), alone, "{}", bad.expected);
    }
}

#[test]
fn bad_rows_of_chunks_leagues_and_workers_stop_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    let open = open_league(1);
    queue.open(&open).expect("the queue can be written");
    queue.join(SimTime::START, &WorkerName::from("\u{1b}[2J".to_owned()), "\u{1b}[2J", 1).expect("a worker");
    let other = chunk(LeagueId::new(1), &[3]);
    queue.submit(&[other.clone(), other]).expect("chunks");
    drop(queue);
    let direct = rusqlite::Connection::open(&file).expect("the queue opens");
    for statement in [
        "UPDATE Jobs SET job = CAST('{\"league\":\"0000000000000002\",\"matches\":[[1,\"1-2/1/0\"]]}' AS BLOB)
            WHERE rowid = (SELECT min(rowid) FROM Jobs)",
        "UPDATE Jobs SET job = x'1b5b324a' WHERE rowid = (SELECT max(rowid) FROM Jobs)",
        "UPDATE dist_workers SET slots = -7",
        "INSERT INTO dist_leagues (id, name, file, program, game, rules, is_open)
            VALUES ('no id', 'a', 'b', 'c', 'd', -1, 1)",
        "INSERT INTO dist_leagues (id, name, file, program, game, rules, is_open)
            VALUES ('0000000000000007', 'a', 'b', 'c', 'd', -1, 1)",
    ] {
        assert!(direct.execute(statement, []).expect("the queue can be written") > 0, "{statement}");
    }
    drop(direct);
    let mut queue = Sqlite::open_file(&file).expect("the queue opens");
    assert_eq!(queue.leagues().expect("it can be read"), [1, 7].map(LeagueId::new));
    assert_eq!(queue.league(LeagueId::new(7)).expect("it can be read"), None);
    drop(queue);
    let told = coordinate_with_honest_worker(&file, &out, FILE, 50).expect("the league ends");
    assert!(told.refused.is_empty(), "{:?}", told.refused);
    assert!(told.dropped.iter().all(|why| !why.contains('\u{1b}')), "{:?}", told.dropped);
    let alone = tempfile::tempdir().expect("a folder");
    assert_eq!(records(&out), records_alone(alone.path(), FILE));
}

/// Reports the whole first round with its own records: `lie` changes them.
fn report_all(file: &Path, own: &str, liar: &WorkerName, lie: fn(u64, MatchRecord) -> MatchRecord) {
    let league = League::read("tests", own, &InProcess::new(PROGRAM)).expect("the league is sound");
    let mut queue = Sqlite::open_file(file).expect("a queue");
    let open = OpenLeague { file: own.to_owned(), ..open_league(1) };
    queue.open(&open).expect("the queue can be written");
    queue.join(SimTime::START, liar, PROGRAM, 1).expect("the worker joins");
    let mut progress = Progress::new(&league);
    let mut said = Vec::new();
    while let Next::Play(task) = progress.next_task() {
        let played = InProcess::new(PROGRAM).play(&league.spec(&task.scheduled), league.keeps_replays);
        let played = played.expect("the match can be played");
        let record = lie(task.number, played.record).to_string();
        let ending = Ending::Played { record, replay: played.replay };
        said.push(MatchResult { number: task.number, id: task.scheduled.id, ending, took_us: 1 });
    }
    assert!(queue.report(liar, open.id, &said).expect("the queue can be written"));
}

/// The loser is called the winner.
fn turned(record: MatchRecord) -> MatchRecord {
    let ranking = match record.outcome.winner() {
        Some(winner) => {
            Ranking::won_by(TeamId::new(1 - u8::try_from(winner.index()).expect("one of two")), 2)
        }
        None => Ranking::won_by(TeamId::new(0), 2),
    };
    MatchRecord { outcome: Outcome { ranking, ..record.outcome }, ..record }
}

/// In a Swiss league, false results change the pairings of the second round.
const SWISS: &str = "game = \"dots\"\npreset = \"small\"\nreplays = \"all\"\n[schedule]\nkind = \"swiss\"\nrounds = 2\nsets = 4\n\
                     [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n\
                     [[entrant]]\nname = \"a\"\nstrategy = \"random\"\n[[entrant]]\nname = \"b\"\nstrategy = \"greedy\"\n";

#[test]
fn a_worker_with_false_results_is_named_and_all_its_matches_are_played_again() {
    for own in [FILE, SWISS] {
        let alone = tempfile::tempdir().expect("a folder");
        let alone = records_alone(alone.path(), own);
        for (lie, is_noticed) in [
            ((|_, record| turned(record)) as fn(u64, MatchRecord) -> MatchRecord, true),
            // The first result of each worker is true: the lies begin later.
            (|number, record| if number > 3 { turned(record) } else { record }, true),
            (|_, record| MatchRecord { steps: record.steps + 1, ..record }, true),
            (|_, record| record, false),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
            let liar = WorkerName::new("liar", 1, 0);
            report_all(&file, own, &liar, lie);
            let told = coordinate_with_honest_worker(&file, &out, own, 4).expect("the league ends");
            assert_eq!(told.refused.len(), usize::from(is_noticed), "{:?}", told.refused);
            assert!(
                told.refused.iter().all(|said| said.starts_with("liar-1-00000000: ")),
                "{:?}",
                told.refused
            );
            // The honest worker may have begun a match of the second round that is not played any more.
            assert!(own == SWISS || told.dropped.is_empty(), "{:?}", told.dropped);
            assert_eq!(records(&out), alone);
            let store = Store::look(&out).expect("a store");
            let players: BTreeSet<bool> = store
                .noted_by(WORKER)
                .expect("notes")
                .iter()
                .map(|(_, text)| text.starts_with("liar-"))
                .collect();
            assert_eq!(players.contains(&true), !is_noticed, "its results are in the store");
        }
    }
}

#[test]
fn without_verification_false_results_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
    report_all(&file, FILE, &WorkerName::new("liar", 1, 0), |_, record| turned(record));
    let told = coordinate_with_honest_worker(&file, &out, FILE, 0).expect("the league ends");
    assert!(told.refused.is_empty(), "{:?}", told.refused);
}

/// The coordinator was killed after the queue had refused the worker, and before the store had forgotten it.
#[test]
fn a_coordinator_that_starts_again_forgets_results_of_refused_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("queue.db"), folder.path().join("out"));
    let liar = WorkerName::new("liar", 1, 0);
    report_all(&file, FILE, &liar, |_, record| turned(record));
    coordinate_with_honest_worker(&file, &out, FILE, 0).expect("the league ends");
    let mut queue = Sqlite::open_file(&file).expect("a queue");
    queue.refuse(LeagueId::new(1), &liar).expect("the queue can be written");
    drop(queue);
    coordinate_with_honest_worker(&file, &out, FILE, 50).expect("the league ends");
    let alone = tempfile::tempdir().expect("a folder");
    assert_eq!(records(&out), records_alone(alone.path(), FILE));
}

#[test]
fn a_match_that_nobody_can_play_ends_the_league_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut queue = Memory::new(Millis::new(1_000_000));
    let (open, ann) = (open_league(1), WorkerName::new("ann", 1, 0));
    queue.open(&open).unwrap();
    queue.join(SimTime::START, &ann, PROGRAM, 1).unwrap();
    let id = "1-2/1/0".parse().expect("a match");
    let ending = Ending::Unplayable("no such \u{1b} game".to_owned());
    queue.report(&ann, open.id, &[MatchResult { number: 1, id, ending, took_us: 1 }]).unwrap();
    let unplayable = Verification { executor: Arc::new(Unplayable), ..verification(50) };
    let (rules, mut store) = (Rules::default(), store(folder.path()));
    let failed = coordinate(&mut queue, &open, &league(), &mut store, rules, &unplayable, &mut ());
    let error = failed.expect_err("the league cannot end").to_string();
    assert_eq!(error, "match 1 cannot be played, by worker ann-1-00000000 and here: no such \\u{1b} game");
}

/// Plays nothing.
struct Unplayable;

impl Executor for Unplayable {
    fn name(&self) -> &'static str {
        "unplayable"
    }

    fn program(&self) -> &str {
        PROGRAM
    }

    fn play(&self, _: &MatchSpec, _: bool) -> Result<Played, CannotPlay> {
        Err(CannotPlay("not here".to_owned()))
    }
}

#[test]
fn leagues_of_other_programs_and_rules_are_refused_by_name() {
    let open = open_league(1);
    assert!(accept(&open, PROGRAM, None).is_ok());
    assert_eq!(
        accept(&open, "tests 2.0", None).unwrap_err(),
        "it is played by tests 1.0, and this is tests 2.0"
    );
    let newer = OpenLeague { rules: open.rules + 1, ..open.clone() };
    let expected = format!(
        "it has version {} of the rules of dots, and this program has version {}",
        newer.rules, open.rules
    );
    assert_eq!(accept(&newer, PROGRAM, None).unwrap_err(), expected);
    let unknown = OpenLeague { game: "dotz".to_owned(), ..open.clone() };
    assert!(accept(&unknown, PROGRAM, None).unwrap_err().contains("did you mean `dots`?"));
    let long = OpenLeague { file: "#".repeat((4 << 20) + 1), ..open };
    let expected = "its league file is longer than 4194304 bytes";
    assert_eq!(accept(&long, PROGRAM, None).unwrap_err(), expected);
}

/// The host of a machine decides whether programs are started there, and results that depend on the machine are
/// played by none.
#[test]
fn leagues_with_programs_are_refused_unless_they_are_allowed_and_there() {
    let file = |command: &str, limits: &str| OpenLeague {
        file: format!("{FILE}[[entrant]]\nname = \"mine\"\nstrategy = \"{command}\"\n[limits]\n{limits}\n"),
        ..open_league(1)
    };
    let programs = Processes::new(Guard::new(env!("CARGO_BIN_EXE_league-dist")), "/");
    let there = file("sh agent.sh", "");
    let refused = accept(&there, PROGRAM, None).unwrap_err();
    assert!(
        refused.starts_with("it starts 1 command on this machine, e.g. \"sh\" \"agent.sh\" in "),
        "{refused}"
    );
    assert!(refused.ends_with("with `--trust` starts the commands of all leagues of its queue"), "{refused}");
    assert!(accept(&there, PROGRAM, Some(&programs)).is_ok());
    let missing = accept(&file("no-such-program x", ""), PROGRAM, Some(&programs)).unwrap_err();
    assert_eq!(missing, "cannot start `no-such-program`: no folder of PATH has a program of this name");
    let limited = accept(&file("sh agent.sh", "think_limit_ms = 100"), PROGRAM, Some(&programs)).unwrap_err();
    assert!(
        limited.starts_with("it limits the time of decisions of programs by `think_limit_ms`, so"),
        "{limited}"
    );
}
