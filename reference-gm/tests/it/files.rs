//! Configuration files that are not quite as they should be, or not at all.

use std::fs;
use std::path::Path;

use crate::run::{Run, run};

/// Runs `config` with this file.
fn config(folder: &Path, file: &str) -> Run {
    run(folder, &["config", "--config", file])
}

fn with(text: impl AsRef<[u8]>) -> Run {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gm.json"), text).unwrap();
    config(folder.path(), "gm.json")
}

#[test]
fn a_byte_order_mark_is_accepted_with_a_notice() {
    let Run { out, err, code } = with("\u{feff}{\"boardX\": 21}");
    assert_eq!(code, 0);
    assert!(out.contains("boardX") && out.contains("21"), "{out}");
    assert_eq!(err, "notice: gm.json begins with a byte-order mark, which is left out\n");
}

#[test]
fn keys_and_values_are_shown_without_characters_that_a_terminal_obeys() {
    let Run { err, code, .. } = with(
        "{\"\\u001b[2Jx\u{202e}\": \"\\u001b[31m\", \"boardX\": \"\\u001b[0m\u{2028}\", \"seed\": [\"\u{202e}\"]}",
    );
    assert_eq!(code, 2);
    assert!(err.contains("\\u{1b}[2Jx\\u{202e} = \"\\u{1b}[31m\""), "{err}");
    assert!(!err.chars().any(|letter| letter != '\n' && game_env::text::is_hidden(letter)), "{err:?}");
}

#[test]
fn many_faults_are_counted() {
    let keys = |count: usize| {
        let keys: Vec<String> = (0..count).map(|number| format!("\"key{number}\": 1")).collect();
        format!("{{{}}}", keys.join(", "))
    };
    let Run { err, code, .. } = with(keys(900));
    assert_eq!(code, 2);
    let end = "and 880 more faults\nhint: `reference-gm config` lists all parameters\n";
    assert!(err.ends_with(end), "{err}");
    assert!(err.len() < 20_000, "{} bytes", err.len());
    let Run { err, code, .. } = with(keys(40_000));
    assert_eq!(code, 2);
    assert!(err.contains("cannot read gm.json: it has 40000 keys: expected at most 1000"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_configuration_file() {
    let Run { err, code, .. } = config(Path::new("/"), "/dev/zero");
    assert_eq!(code, 2);
    assert!(
        err.contains("cannot read /dev/zero: it is not a regular file, e.g. a pipe or a device"),
        "{err}"
    );
}
