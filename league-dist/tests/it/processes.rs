//! The program: leagues whose processes are killed, and its output.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use league::begin::PROGRAM;
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::standings::Standings;
use league::store::{Origin, Store};
use league_dist::chunk::LeagueId;
use league_dist::dispatch::{Dispatch as _, OpenLeague};
use league_dist::origin::QueueOrigin;
use league_dist::sqlite::Sqlite;

pub(crate) const FILE: &str = "game = \"dots\"\npreset = \"small\"\nseed = 3\nreplays = \"all\"\n[schedule]\nsets = 40\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n\
                    [[entrant]]\nname = \"second\"\nstrategy = \"greedy\"\n";

/// A league that no test plays to its end.
const LONG: &str = "game = \"project\"\npreset = \"quick\"\n[schedule]\nsets = 1000000\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";

/// A process that ends with the test. Its output stays readable to the end.
pub(crate) struct Process(Child, BufReader<ChildStderr>);

impl Process {
    pub(crate) fn start(folder: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_league-dist"));
        let command = command.args(words).current_dir(folder).stdin(Stdio::null());
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        Self(child, said)
    }

    /// Waits until it says this; returns the line.
    pub(crate) fn hear(&mut self, expected: &str) -> String {
        let mut heard = String::new();
        loop {
            let before = heard.len();
            let read = self.1.read_line(&mut heard).expect("text");
            assert!(read > 0, "it ended without `{expected}`: {heard}");
            if heard[before..].contains(expected) {
                return heard.split_off(before);
            }
        }
    }

    /// As `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it has ended");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(crate) fn finish(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_league-dist"));
    command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes the files of the league `small` with this league file as one process plays it.
pub(crate) fn play_alone(folder: &Path, file: &str) {
    play_alone_with(&InProcess::new(PROGRAM), folder, file);
}

/// The same with this executor.
pub(crate) fn play_alone_with(executor: &InProcess, folder: &Path, file: &str) {
    let league = League::read("small", file, executor).expect("the league is sound");
    let origin = Origin {
        name: "small".to_owned(),
        file: file.to_owned(),
        executor: InProcess::NAME.to_owned(),
        program: PROGRAM.to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    let mut store = Store::create(folder, &origin, &ProgramFiles::default()).expect("a store");
    let progress =
        league::runner::run(&league, executor, &mut store, NonZeroUsize::MIN, &()).expect("a league");
    Standings::new(&league, &origin, &progress).write(&league, &store).expect("files");
}

/// The files of a league that is over are the same bytes in both folders.
pub(crate) fn assert_same_files(one: &Path, other: &Path) {
    for file in ["standings.json", "standings.csv", "matches.jsonl"] {
        let [one, other] = [one, other].map(|folder| fs::read(folder.join(file)).expect("a file"));
        assert!(one == other, "{file} differs");
    }
}

#[test]
fn killed_workers_and_coordinators_change_no_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    let run = ["run", "small.toml", "--queue", "sqlite://queue.db", "--out", "many", "--chunk", "1"];
    let worker = ["worker", "--queue", "sqlite://queue.db", "--jobs", "1"];
    let coordinator = Process::start(path, &run);
    for _ in 0..2 {
        let mut first = Process::start(path, &worker);
        first.hear("plays for the league \"small\"");
        first.kill();
    }
    coordinator.kill();
    // The test does not wait half a minute until the queue takes the workers for dead.
    let queue = rusqlite::Connection::open(path.join("queue.db")).expect("the queue opens");
    queue.busy_timeout(Duration::from_secs(600)).expect("a timeout");
    let aged =
        queue.execute("UPDATE Workers SET last_seen = last_seen - 1000", []).expect("it can be written");
    assert_eq!(aged, 2);
    drop(queue);
    let workers: Vec<Process> = (0..4).map(|_| Process::start(path, &worker)).collect();
    let ended = finish(path, &run);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    drop(workers);
    play_alone(&path.join("one"), FILE);
    assert_same_files(&path.join("one"), &path.join("many"));
    let store = Store::look(&path.join("many")).expect("a store");
    assert!(store.replay(240).expect("it can be read").is_some(), "replays are kept");
    let status = text(&finish(path, &["status", "many"]).stdout);
    assert!(status.starts_with("the league \"small\" is over: 240 of 240 matches\n"), "{status}");
    // Run again, it only prints the standings.
    let again = finish(path, &run);
    assert!(again.status.success() && again.stdout == ended.stdout, "{}", text(&again.stderr));
}

/// Its programs run there, also when `league` plays its matches again.
#[test]
fn a_league_notes_the_folder_in_which_it_began_and_not_that_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = fs::canonicalize(folder.path()).expect("a folder");
    fs::create_dir(path.join("files")).expect("a folder");
    fs::write(path.join("files/small.toml"), FILE).expect("a file");
    let run = ["run", "files/small.toml", "--queue", "sqlite://queue.db", "--out", "many"];
    let mut coordinator = Process::start(&path, &run);
    coordinator.hear("results go to many");
    drop(coordinator);
    let origin = Store::look(&path.join("many")).expect("a store").origin().expect("its league");
    assert_eq!(Path::new(&origin.folder), path);
}

#[test]
fn a_league_can_be_looked_at_and_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("long.toml"), LONG).expect("a file");
    let run = ["run", "long.toml", "--queue", "sqlite://queue.db", "--out", "out"];
    let mut coordinator = Process::start(path, &run);
    let mut worker = Process::start(path, &["worker", "--queue", "sqlite://queue.db", "--jobs", "2"]);
    worker.hear("plays for the league \"long\"");
    // Standings are there as soon as a result is.
    let status = loop {
        let status = text(&finish(path, &["status", "out"]).stdout);
        assert!(status.starts_with("the league \"long\" is open: "), "{status}");
        if !status.contains(" is open: 0 of ") {
            break status;
        }
    };
    assert!(status.contains("\nrank  entrant "), "{status}");
    let worker = status.lines().last().expect("a worker");
    let header = status.lines().rev().nth(1).expect("a header");
    assert_eq!(
        header.split_whitespace().collect::<Vec<_>>(),
        ["worker", "jobs", "matches", "games/s", "state"]
    );
    let [_, "2", matches, rate, "alive"] = worker.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{status}")
    };
    let [matches, rate] = [matches, rate].map(|number| number.parse::<f64>().expect("a number"));
    assert!(matches > 0.0 && rate <= matches, "{status}");
    let cancelled = finish(path, &["cancel", "out"]);
    assert!(cancelled.status.success(), "{}", text(&cancelled.stderr));
    coordinator.hear("error: the league was cancelled");
    assert_eq!(coordinator.0.wait().expect("it ends").code(), Some(1));
    let status = text(&finish(path, &["status", "out"]).stdout);
    assert!(status.starts_with("the league \"long\" is cancelled: "), "{status}");
    let again = text(&finish(path, &["cancel", "out"]).stdout);
    assert!(again.starts_with("nothing is pending: the league in out is over"), "{again}");
}

#[test]
fn a_league_whose_order_is_settled_drops_what_is_pending() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let file = FILE
        .replace("sets = 40", "sets = 5000")
        .replace("[schedule]", "early_stop = { confidence = 0.95 }\n[schedule]");
    let file = file.split("[[entrant]]\nname").next().expect("two entrants").to_owned();
    fs::write(path.join("small.toml"), &file).expect("a file");
    let workers: Vec<Process> = (0..2)
        .map(|_| Process::start(path, &["worker", "--queue", "sqlite://queue.db", "--jobs", "1"]))
        .collect();
    let ended = finish(path, &["run", "small.toml", "--queue", "sqlite://queue.db", "--out", "many"]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(text(&ended.stdout).contains("the order is settled after"), "{}", text(&ended.stdout));
    drop(workers);
    play_alone(&path.join("one"), &file);
    assert_same_files(&path.join("one"), &path.join("many"));
    let mut queue = Sqlite::open_file(&path.join("queue.db")).expect("a queue");
    let origin = QueueOrigin::read(&path.join("many")).expect("it is a league of a queue");
    assert!(queue.live(origin.league).expect("it can be read").matches.is_empty(), "nothing is pending");
    assert!(queue.leagues().expect("it can be read").is_empty(), "the league is closed");
    assert!(queue.results(origin.league, 0, 1).expect("it can be read").is_empty(), "the store has them");
}

#[test]
fn a_worker_refuses_leagues_of_another_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut queue = Sqlite::open_file(&folder.path().join("queue.db")).expect("a queue");
    let open = OpenLeague {
        id: LeagueId::new(0xabc),
        name: "foreign".to_owned(),
        file: FILE.to_owned(),
        program: "league 99.0.0".to_owned(),
        game: "dots".to_owned(),
        rules: 1,
    };
    queue.open(&open).expect("the queue can be written");
    let ended = finish(folder.path(), &["worker", "--queue", "sqlite://queue.db", "--idle-timeout", "0"]);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let expected = format!(
        "does not play for the league \"foreign\" (0000000000000abc): it is played by league 99.0.0, and this is {PROGRAM}"
    );
    assert!(text(&ended.stderr).contains(&expected), "{}", text(&ended.stderr));
}

#[test]
fn mistakes_are_named_with_what_would_be_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    let programs = "game = \"project\"\n[[entrant]]\nname = \"a\"\ncommand = [\"x\"]\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(path.join("programs.toml"), programs).expect("a file");
    let limited = format!(
        "{FILE}[[entrant]]\nname = \"mine\"\nstrategy = \"sh agent.sh\"\n[limits]\nthink_limit_ms = 100\n"
    );
    fs::write(path.join("limited.toml"), limited).expect("a file");
    let missing = format!("{FILE}[[entrant]]\nname = \"mine\"\nstrategy = \"no-such-program x\"\n");
    fs::write(path.join("missing.toml"), missing).expect("a file");
    for (words, code, expected) in [
        (&["status", "nowhere"][..], 1, "nowhere has no queue.json"),
        (&["cancel", "nowhere"], 1, "nowhere has no queue.json"),
        (&["worker", "--queue", "queue.db"], 2, "expected sqlite://FILE"),
        (&["run", "small.toml"], 2, "--queue <ADDRESS>"),
        (&["run", "small.toml", "--queue", "sqlite://q.db", "--chunk", "0"], 2, "expected 1 to 600"),
        (&["run", "/dev/zero", "--queue", "sqlite://q.db"], 2, "expected a regular file"),
        (&["run", "absent.toml", "--queue", "sqlite://q.db"], 2, "cannot read absent.toml"),
        (&["run", "programs.toml", "--queue", "sqlite://q.db"], 2, "programs.toml is played in real time"),
        (
            &["run", "limited.toml", "--queue", "sqlite://q.db"],
            2,
            "limited.toml limits the time of decisions of",
        ),
        (&["run", "missing.toml", "--queue", "sqlite://q.db"], 2, "cannot start `no-such-program`"),
        (&["worker", "--queue", "sqlite://nowhere/q.db"], 1, "nowhere/q.db: "),
    ] {
        let refused = finish(path, words);
        assert_eq!(refused.status.code(), Some(code), "{words:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(expected), "{words:?}: {}", text(&refused.stderr));
    }
}
