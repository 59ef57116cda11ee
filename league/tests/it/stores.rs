//! Stores: the requests that they refuse, and files of other versions.

use std::fs;
use std::path::Path;

use league::executor::{Executor as _, Played};
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::schedule::MatchId;
use league::store::{Origin, Row, Store, VERSION};
use rusqlite::Connection;

fn origin() -> Origin {
    let text = str::to_owned;
    Origin {
        name: text("n"),
        file: text("f"),
        executor: text("e"),
        program: text("p"),
        folder: text("d"),
        is_confined: false,
    }
}

fn told<T>(result: Result<T, league::store::StoreError>, folder: &Path) -> String {
    let error = result.err().expect("a store that is refused").to_string();
    error.replace(&folder.display().to_string(), "DIR")
}

#[test]
fn a_store_keeps_its_origin_and_is_never_begun_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &origin(), &ProgramFiles::default()).unwrap();
    assert_eq!((store.origin().unwrap(), store.count().unwrap()), (origin(), 0));
    assert_eq!(told(Store::open(folder.path()), folder.path()), "another process plays the league in DIR");
    assert!(Store::look(folder.path()).is_ok(), "others may look");
    drop(store);
    assert_eq!(
        told(Store::create(folder.path(), &origin(), &ProgramFiles::default()), folder.path()),
        "DIR has a league already"
    );
    assert_eq!(Store::open(folder.path()).unwrap().origin().unwrap(), origin());
}

#[test]
fn a_league_once_confined_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &origin(), &ProgramFiles::default()).unwrap();
    store.confine().unwrap();
    drop(store);
    let found = Store::open(folder.path()).unwrap().origin().unwrap();
    assert_eq!(found, Origin { is_confined: true, ..origin() });
}

/// A change of nothing would not be written, and would wait for no disk.
#[test]
fn a_store_is_brought_to_the_disk_by_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &origin(), &ProgramFiles::default()).unwrap();
    let log = || fs::metadata(folder.path().join("store.sqlite-wal")).unwrap().len();
    let before = log();
    store.sync().unwrap();
    assert!(log() > before, "{before} bytes");
}

/// The log is brought into the file while matches are added, so that it does not grow with the league.
#[test]
fn the_log_does_not_grow_with_the_league() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(folder.path(), &origin(), &ProgramFiles::default()).unwrap();
    let league = League::read(
        "n",
        "game = \"dots\"\n[[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n",
        &InProcess::new("p"),
    )
    .unwrap();
    let id = |set: u32| format!("1-2/{set}/0").parse::<MatchId>().unwrap();
    let played = InProcess::new("p").play(&league.spec(&league.seeds().schedule(id(1))), true).unwrap();
    let content = |set: u32| set.to_le_bytes().repeat(1 << 18);
    for set in 1..=120 {
        // A megabyte each, 120 in all.
        let played = Played { replay: Some(content(set)), ..played.clone() };
        store.add(&Row::new(set.into(), &id(set), &played)).unwrap();
    }
    let log = fs::metadata(folder.path().join("store.sqlite-wal")).unwrap().len();
    assert!(log < 80 << 20, "the log has {log} bytes");
    assert_eq!((store.count().unwrap(), store.replay(7).unwrap()), (120, Some(content(7))));
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(Store::FILE);
    assert_eq!(told(Store::open(folder.path()), folder.path()), "DIR has no league");
    // As a process leaves it that was killed before it had made the tables.
    fs::write(&file, "").unwrap();
    assert_eq!(told(Store::open(folder.path()), folder.path()), "DIR has no league");
    fs::write(&file, "no database at all, however long it is ".repeat(100)).unwrap();
    assert_eq!(told(Store::open(folder.path()), folder.path()), "DIR/store.sqlite is no store of a league");
    fs::remove_file(&file).unwrap();
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert_eq!(told(Store::look(folder.path()), folder.path()), "DIR/store.sqlite is no store of a league");
}

#[test]
fn another_schema_is_refused_clearly() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::create(folder.path(), &origin(), &ProgramFiles::default()).unwrap());
    let connection = Connection::open(folder.path().join(Store::FILE)).unwrap();
    connection.pragma_update(None, "user_version", VERSION + 3).unwrap();
    for result in [Store::open(folder.path()), Store::look(folder.path())] {
        let expected = "DIR/store.sqlite has version 4 of the schema: expected 1";
        assert_eq!(told(result, folder.path()), expected);
    }
}
