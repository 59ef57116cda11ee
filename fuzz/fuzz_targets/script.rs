//! Any text as a script: it is read, or every faulty line is named in a message for a terminal.
//!
//! `cargo +nightly fuzz run script fuzz/corpus/script fuzz/seeds/script`

#![no_main]

use bots::project::scripted::{Script, ScriptFileError};
use game_env::text::is_hidden;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let read = Script::read(file);
    let Ok(text) = str::from_utf8(file) else {
        return assert!(matches!(read, Err(ScriptFileError::NotUtf8(_))));
    };
    match read {
        Ok(script) => {
            // Comments, empty lines and spaces around a step say nothing.
            let spaced: Vec<String> = text.lines().map(|line| format!("# first\n\n  {line}\t")).collect();
            assert_eq!(spaced.join("\n").parse(), Ok(script));
        }
        Err(ScriptFileError::Faulty(error)) => {
            let lines: Vec<usize> = error.faults().iter().map(|fault| fault.line).collect();
            assert!(!lines.is_empty() && lines.is_sorted());
            assert!(lines.iter().all(|line| (1..=text.lines().count()).contains(line)), "{lines:?}");
            let told = error.to_string();
            assert!(!told.chars().any(|letter| letter != '\n' && is_hidden(letter)), "{told:?}");
        }
        Err(error) => panic!("{error}"),
    }
});
