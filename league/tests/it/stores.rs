//! Stores: what they refuse.

use std::fs;
use std::path::Path;

use league::store::{Origin, Store, VERSION};
use rusqlite::Connection;

fn origin() -> Origin {
    let text = str::to_owned;
    Origin { name: text("n"), file: text("f"), executor: text("e"), program: text("p"), folder: text("d") }
}

fn told<T>(result: Result<T, league::store::StoreError>, folder: &Path) -> String {
    let error = result.err().expect("a store that is refused").to_string();
    error.replace(&folder.display().to_string(), "DIR")
}

#[test]
fn a_store_keeps_its_origin_and_is_never_begun_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &origin()).unwrap();
    assert_eq!((store.origin().unwrap(), store.count().unwrap()), (origin(), 0));
    assert_eq!(told(Store::open(folder.path()), folder.path()), "another process plays the league in DIR");
    assert!(Store::look(folder.path()).is_ok(), "others may look");
    drop(store);
    assert_eq!(told(Store::create(folder.path(), &origin()), folder.path()), "DIR has a league already");
    assert_eq!(Store::open(folder.path()).unwrap().origin().unwrap(), origin());
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
fn a_newer_schema_is_refused_clearly() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::create(folder.path(), &origin()).unwrap());
    let connection = Connection::open(folder.path().join(Store::FILE)).unwrap();
    connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
    for result in [Store::open(folder.path()), Store::look(folder.path())] {
        assert_eq!(
            told(result, folder.path()),
            "DIR/store.sqlite has version 3 of the schema: this program knows versions up to 2"
        );
    }
}
