//! The queue in Postgres, on a server that the test makes in a temporary folder, stops and starts.
//!
//! If no Postgres can be started, a line on standard error names the parts that are left out, and the reason.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use game_env::SimTime;
use league_dist::dispatch::{Dispatch as _, DispatchError, WorkerName};
use league_dist::postgres::Postgres;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::faults::{PROGRAM, check_queue, chunk, open_league};
use crate::processes::{FILE, Process, assert_same_files, finish, play_alone, text};

/// Longer than any of these operations takes.
const LONGEST: Duration = Duration::from_secs(600);

/// A server that ends with the test.
struct Server {
    folder: TempDir,
    programs: PathBuf,
    /// The user and group that run it, if this is root: Postgres refuses to be.
    user: Option<(u32, u32)>,
}

impl Server {
    /// Makes a server with an empty database; an error says why there is none on this machine.
    fn start() -> Result<Self, String> {
        let programs = programs().ok_or("no `initdb` in PATH or in /usr/lib/postgresql/*/bin")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let owner = fs::metadata(folder.path()).map_err(|error| error.to_string())?.uid();
        let user = if owner == 0 { Some(other_user().ok_or("root may not run it")?) } else { None };
        if let Some((user, group)) = user {
            let given = chown(folder.path(), Some(user), Some(group));
            given.map_err(|error| error.to_string())?;
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))
            .map_err(|error| error.to_string())?;
        let server = Self { folder, programs, user };
        let data = server.data();
        server.run(
            "initdb",
            &["--no-sync", "-A", "trust", "-U", "league", "-E", "UTF8", "--no-locale", "-D", &data],
        )?;
        server.resume()?;
        Ok(server)
    }

    /// Ends all its processes at once, as a crash does.
    fn crash(&self) {
        self.run("pg_ctl", &["stop", "-m", "immediate", "-t", "600", "-D", &self.data()])
            .expect("it can be stopped");
    }

    fn resume(&self) -> Result<(), String> {
        let folder = self.folder.path().display();
        let log = format!("{folder}/log");
        let options = format!("-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off");
        self.run("pg_ctl", &["start", "-w", "-t", "600", "-l", &log, "-o", &options, "-D", &self.data()])
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.programs.join(program));
        command.args(words).current_dir(self.folder.path());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        let ended = command.output().map_err(|error| format!("{program}: {error}"))?;
        if ended.status.success() { Ok(()) } else { Err(format!("{program}: {}", text(&ended.stderr))) }
    }

    fn address(&self, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://league@{folder}/{database}")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.run("pg_ctl", &["stop", "-m", "immediate", "-D", &self.data()]));
    }
}

/// The folder with the programs of a server.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> =
            versions.flatten().map(|version| version.path().join("bin")).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev());
    }
    let has_all =
        |folder: &PathBuf| ["initdb", "pg_ctl"].iter().all(|program| folder.join(program).is_file());
    folders.into_iter().find(has_all)
}

/// The user `postgres` or `nobody` with its group.
fn other_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres:", "nobody:"].iter().find_map(|name| {
        let mut fields = users.lines().find(|line| line.starts_with(name))?.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}

/// The test's own connection.
struct Session(Runtime, PgConnection);

impl Session {
    fn connect(address: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let connection = runtime.block_on(PgConnection::connect(address)).expect("the server is there");
        Self(runtime, connection)
    }

    fn act(&mut self, statements: &'static str) {
        let Self(runtime, connection) = self;
        runtime.block_on(sqlx::raw_sql(statements).execute(connection)).expect("the statements are sound");
    }

    /// Lets a worker have been silent for a long time.
    fn age(&mut self, worker: &str) {
        let Self(runtime, connection) = self;
        let age = "UPDATE apalis.workers SET last_seen = last_seen - interval '1000 s' WHERE id = $1";
        let aged =
            runtime.block_on(sqlx::query(age).bind(worker).execute(connection)).expect("it can be written");
        assert_eq!(aged.rows_affected(), 1, "{worker} has joined");
    }

    /// Waits until this many sessions wait for a lock of this kind.
    fn wait_for(&mut self, sessions: i64, kind: &str) {
        let Self(runtime, connection) = self;
        let count = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND locktype LIKE $1";
        let begun = Instant::now();
        loop {
            let waiting = sqlx::query_scalar::<_, i64>(count).bind(kind).fetch_one(&mut *connection);
            let waiting = runtime.block_on(waiting).expect("the statement is sound");
            if waiting >= sessions {
                return;
            }
            assert!(begun.elapsed() < LONGEST, "{waiting} of {sessions} sessions wait for a lock");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_league_on_postgres_survives_crashes_of_everything() {
    let server = match Server::start() {
        Ok(server) => server,
        Err(why) => {
            // Not by a macro, whose lines the harness keeps to itself.
            let line = format!("left out: leagues on Postgres, because it cannot be started here: {why}\n");
            drop(std::io::stderr().write_all(line.as_bytes()));
            return;
        }
    };
    let mut session = Session::connect(&server.address("postgres"));
    session.act("CREATE DATABASE promises");
    session.act("CREATE DATABASE league");
    drop(session);
    keeps_its_promises(&server.address("promises"));
    survives_crashes(&server);
}

fn keeps_its_promises(address: &str) {
    let mut session = Session::connect(address);
    let mut queue = Postgres::connect(address).expect("a queue");
    check_queue(&mut queue, &mut |_, worker| {
        session.age(worker.as_str());
        SimTime::START
    });
    // The answer to a lease is lost: a second value has it, and the first one's connection breaks.
    let (open, cid) = (open_league(3), WorkerName::new("cid", 1, 0));
    queue.open(&open).expect("it can be written");
    queue.join(SimTime::START, &cid, PROGRAM, 1).expect("it can be written");
    queue.submit(&[chunk(open.id, &[1, 2]), chunk(open.id, &[3, 4])]).expect("it can be written");
    let kept = queue.lease(&cid, open.id).expect("it can be written").expect("a chunk");
    let mut other = Postgres::connect(address).expect("a queue");
    let lost = other.lease(&cid, open.id).expect("it can be written").expect("a chunk");
    session
        .act("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'league-dist'");
    let error = queue.heartbeat(SimTime::START, &cid).expect_err("the connection is broken");
    assert!(matches!(error, DispatchError::Unreachable(_)), "{error}");
    // Requests that were carried out may be repeated.
    queue.join(SimTime::START, &cid, PROGRAM, 1).expect("it connects again");
    let again = queue.lease(&cid, open.id).expect("it can be written").expect("the chunk is given back");
    assert_eq!((&again.chunk, again.deaths), (&lost.chunk, 0));
    assert_eq!(queue.lease(&cid, open.id).expect("it can be written"), None);
    assert_ne!(kept.chunk, again.chunk);
}

/// Matches from number 60 on are reported only when the test opens their gate, so it decides when all are killed.
fn survives_crashes(server: &Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    let address = server.address("league");
    drop(Postgres::connect(&address).expect("a queue"));
    let mut session = Session::connect(&address);
    session.act(
        "CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM pg_advisory_xact_lock_shared(NEW.number / 60); RETURN NEW; END $$;
        CREATE TRIGGER gate BEFORE INSERT ON league_dist.results FOR EACH ROW EXECUTE FUNCTION gate();
        SELECT pg_advisory_lock(gate) FROM generate_series(1, 4) AS gate",
    );
    let run = ["run", "small.toml", "--queue", &address, "--out", "many", "--chunk", "1"];
    let start = || {
        let mut worker = Process::start(path, &["worker", "--queue", &address, "--jobs", "1"]);
        let line = worker.hear("plays one match at a time");
        let name = line.split(' ').nth(1).expect("a name").to_owned();
        (worker, name)
    };
    let coordinate = || {
        let mut coordinator = Process::start(path, &run);
        // By then it has opened the queue, and waits for no lock of its tables.
        coordinator.hear("results go to many");
        coordinator
    };
    let coordinator = coordinate();
    let mut workers: Vec<(Process, String)> = (0..4).map(|_| start()).collect();
    // All four are in the middle of a report.
    session.wait_for(4, "%");
    for (worker, name) in workers.drain(..2) {
        worker.kill();
        session.age(&name);
    }
    coordinator.kill();
    let coordinator = coordinate();
    workers.extend([start(), start()]);
    session.act("SELECT pg_advisory_unlock(1)");
    session.wait_for(1, "advisory");
    server.crash();
    coordinator.kill();
    let (worker, name) = workers.remove(0);
    worker.kill();
    server.resume().expect("it starts again");
    // The locks of the gates are gone with the server.
    let mut session = Session::connect(&address);
    session.age(&name);
    workers.push(start());
    let ended = finish(path, &run);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    drop(workers);
    play_alone(&path.join("one"), FILE);
    assert_same_files(&path.join("one"), &path.join("many"));
    let status = text(&finish(path, &["status", "many"]).stdout);
    assert!(status.starts_with("the league \"small\" is over: 240 of 240 matches\n"), "{status}");
    assert!(status.contains("\nworker "), "{status}");
}
