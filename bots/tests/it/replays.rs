//! Replays that the program writes.

use std::process::Command;

use crate::run::PROGRAM;

/// The recording of a game on the virtual clock appears when it is whole, or not at all.
#[test]
fn a_full_disk_leaves_no_replay() {
    let folder = tempfile::tempdir().unwrap();
    // No file may have any bytes, and writing some is an error instead of a signal.
    let command =
        format!("trap '' XFSZ; ulimit -f 0; exec {PROGRAM} --virtual --seed 1 --replay game.replay");
    let output = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("error: cannot write game.replay: File too large"), "{told}");
    let left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [""; 0]);
}
