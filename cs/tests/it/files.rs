//! Configuration files that are not quite as they should be, or not at all.

use std::fs;
use std::path::Path;

use crate::command_line::cs;

/// Returns the error of the program for a file that it cannot use, and its exit code.
fn refused(folder: &Path, file: &str) -> (String, Option<i32>) {
    let output = cs(folder, &["--config", file]).output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

fn with(text: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cs.json"), text).unwrap();
    refused(folder.path(), "cs.json")
}

#[test]
fn a_mark_is_accepted_and_a_key_given_twice_is_refused() {
    insta::assert_snapshot!(with("\u{feff}{\"portGM\": 0, \"portAgentow\": 0, \"portGM\": 1, \"listen\": 5}").0, @r#"
    notice: cs.json begins with a byte-order mark, which is left out
    error: the configuration cannot be used
      portGM = 1: it is given twice; allowed: one value
      listen = 5: it is no address; allowed: an IPv4 or IPv6 address in quotes
    hint: `cs --help` has each parameter with its default
    "#);
}

#[test]
fn many_faults_are_counted_and_obey_no_terminal() {
    let keys: Vec<String> = (0..900).map(|number| format!("\"\\u001b[2J\u{202e}{number}\": 1")).collect();
    let (told, code) = with(&format!("{{{}}}", keys.join(", ")));
    assert_eq!(code, Some(2));
    assert!(told.contains("and 880 more faults\nhint: "), "{told}");
    assert!(!told.chars().any(|letter| letter != '\n' && game_env::text::is_hidden(letter)), "{told:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_configuration_file() {
    let (told, code) = refused(Path::new("/"), "/dev/zero");
    assert_eq!(code, Some(2));
    assert!(
        told.contains("cannot read /dev/zero: it is not a regular file, e.g. a pipe or a device"),
        "{told}"
    );
}
