//! The loop of a coordinator on a queue in a file, with workers that the test lets die at chosen matches.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use game_env::matches::MatchSpec;
use game_env::{Millis, SimTime, Termination};
use league::executor::Executor as _;
use league::file::League;
use league::in_process::InProcess;
use league::schedule::MatchId;
use league::store::{Origin, Store, WORKER};
use league::verdict::Verdict;
use league_dist::chunk::{Chunk, LeagueId};
use league_dist::coordinate::{CoordinateError, Observer, coordinate};
use league_dist::coordinator::Rules;
use league_dist::dispatch::{
    Dispatch, DispatchError, Ending, MatchResult, OpenLeague, WorkerName, WorkerState,
};
use league_dist::memory::Memory;
use league_dist::serve::accept;
use league_dist::sqlite::Sqlite;
use league_dist::worker::{DEAD_AFTER, Input, MOST_CRASHES, Output, Worker};

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
    let origin = Origin {
        name: "tests".to_owned(),
        file: FILE.to_owned(),
        executor: InProcess::NAME.to_owned(),
        program: PROGRAM.to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    Store::create(folder, &origin).expect("a store")
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

/// Plays what the queue has until it is empty, or the match of this number would begin; returns whether it would.
fn work(queue: &mut Sqlite, name: &WorkerName, league: &OpenLeague, poison: u64) -> bool {
    let executor = InProcess::new(PROGRAM);
    let own = accept(league, PROGRAM).expect("the league is sound");
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

/// Keeps what is told of matches that were given up.
#[derive(Default)]
struct Told(Vec<(u64, String)>);

impl Observer for Told {
    fn look(&mut self, _: &league::progress::Progress, _: &[WorkerState]) {}

    fn gave_up(&mut self, number: u64, _: &MatchId, spec: &str, _: &str) {
        self.0.push((number, spec.to_owned()));
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
            let result = coordinate(&mut queue, &open, &league(), &mut store, Rules::default(), &mut told);
            sender.send(()).expect("the test waits");
            (result, told.0)
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
    let [(number, spec)] = &given_up[..] else { panic!("{given_up:?}") };
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
    assert_eq!(queue.leagues().unwrap(), [open.clone(), other.clone()]);
    let chunks = [chunk(league, &[1, 2]), chunk(league, &[3, 4]), chunk(league, &[5, 6])];
    queue.submit(&[&chunks[1..], &chunks[..1]].concat()).unwrap();
    assert_eq!(queue.live(league).unwrap().into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
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
    let numbers: Vec<_> = found.iter().map(|found| (found.result.number, &found.worker)).collect();
    assert_eq!(numbers, [(1, &ann), (2, &ann), (3, &bob)]);
    assert_eq!(found.iter().map(|found| found.result.clone()).collect::<Vec<_>>(), results(&[1, 2, 3]));
    assert!(found.iter().all(|found| found.program == PROGRAM));
    let after = queue.results(league, found[0].serial, 1).unwrap();
    assert_eq!(after, found[1..2]);
    queue.finish(&ann, &first).unwrap();
    assert_eq!(queue.live(league).unwrap().into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
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
    assert_eq!(queue.live(league).unwrap().into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert!(queue.report(&bob, league, &results(&[4])).unwrap());
    let states = queue.workers(later, league).unwrap();
    let states: Vec<_> =
        states.iter().map(|state| (&state.name, state.is_alive, state.slots, state.matches)).collect();
    assert_eq!(states, [(&ann, true, 2, 2), (&bob, false, 2, 2)]);
    // A closed league takes nothing more, and can be opened again with the results that it had.
    queue.close(league).unwrap();
    assert_eq!(queue.leagues().unwrap(), [other]);
    assert!(!queue.report(&ann, league, &results(&[5])).unwrap());
    assert!(queue.live(league).unwrap().is_empty());
    assert_eq!(queue.lease(&ann, league).unwrap(), None);
    queue.open(&open).unwrap();
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

/// A worker that sends something else is named; so is the reason why a match cannot be played.
#[test]
fn what_a_worker_must_not_send_ends_the_league_and_names_it() {
    let sound = || {
        let league = league();
        let id: MatchId = "1-2/1/0".parse().expect("a match");
        InProcess::new(PROGRAM)
            .play(&league.spec(&league.seeds().schedule(id)), false)
            .expect("it is played")
            .record
    };
    let other = game_env::matches::MatchRecord {
        spec: MatchSpec { seed: game_env::Seed::new(99), ..sound().spec },
        ..sound()
    };
    let played = |record: String| Ending::Played { record, replay: None };
    for (id, ending, expected) in [
        (
            "1-2/1/0",
            played("{}".to_owned()),
            "with another match or a faulty record: this is not a match record",
        ),
        ("1-2/1/0", played(other.to_string()), "with another match or a faulty record"),
        ("1-9/1/0", played(sound().to_string()), "the league has no such match"),
        (
            "1-2/1/0",
            Ending::Unplayable("no such game".to_owned()),
            "says worker ann-1-00000000: no such game",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut queue = Memory::new(Millis::new(1_000_000));
        let (open, ann) = (open_league(1), WorkerName::new("ann", 1, 0));
        queue.open(&open).unwrap();
        queue.join(SimTime::START, &ann, PROGRAM, 1).unwrap();
        let id = id.parse().expect("a match");
        queue.report(&ann, open.id, &[MatchResult { number: 1, id, ending, took_us: 1 }]).unwrap();
        let mut store = store(folder.path());
        let failed = coordinate(&mut queue, &open, &league(), &mut store, Rules::default(), &mut ());
        let error = failed.expect_err("the league cannot end");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(
            matches!(error, CoordinateError::Record { .. } | CoordinateError::Unplayable { .. })
                && error.to_string().contains("ann-1-00000000"),
            "{error}"
        );
    }
}

#[test]
fn leagues_of_other_programs_and_rules_are_refused_by_name() {
    let open = open_league(1);
    assert!(accept(&open, PROGRAM).is_ok());
    assert_eq!(accept(&open, "tests 2.0").unwrap_err(), "it is played by tests 1.0, and this is tests 2.0");
    let newer = OpenLeague { rules: open.rules + 1, ..open.clone() };
    let expected = format!(
        "it has version {} of the rules of dots, and this program has version {}",
        newer.rules, open.rules
    );
    assert_eq!(accept(&newer, PROGRAM).unwrap_err(), expected);
    let unknown = OpenLeague { game: "dotz".to_owned(), ..open };
    assert!(accept(&unknown, PROGRAM).unwrap_err().contains("did you mean `dots`?"));
}
