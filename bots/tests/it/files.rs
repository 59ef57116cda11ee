//! Files of agents that are not quite as they should be, or not at all.

use crate::run::{Run, run};

/// Returns the message of the program about this file for agents, and its exit code.
fn told(text: &str) -> (String, i32) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("agent.json"), text).unwrap();
    of_file(folder.path().join("agent.json").to_str().unwrap())
}

fn of_file(file: &str) -> (String, i32) {
    let Run { err, code, .. } = run(".".as_ref(), &["join", "--config", file]);
    (err, code)
}

#[test]
fn a_mark_is_accepted_and_a_key_given_twice_is_refused() {
    let (told, code) = told("\u{feff}{\"CsPort\": 1, \"CsPort\": 2}");
    assert_eq!(code, 2);
    assert!(told.contains("agent.json begins with a byte-order mark, which is left out\n"), "{told}");
    assert!(told.contains("CsPort = 2: it is given twice; allowed: one value"), "{told}");
}

#[test]
fn what_is_no_value_is_named_and_obeys_no_terminal() {
    let (told, code) = told("{\"team\\u001b[2J\": [\"\u{202e}\"]}");
    assert_eq!(code, 2);
    assert!(told.contains("`team\\u{1b}[2J` is [\"\\u{202e}\"]: expected a number"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_file_of_settings() {
    let (told, code) = of_file("/dev/zero");
    assert_eq!(code, 2);
    assert!(told.contains("/dev/zero: it is not a regular file, e.g. a pipe or a device"), "{told}");
}
