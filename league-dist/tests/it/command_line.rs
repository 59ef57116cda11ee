//! The page of the book about the command line, as the program prints it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p league-dist --test it command_line` writes it anew: read the diff. The pages of the
//! other programs are checked in the same way by `tests/it/command_lines.rs` of the workspace, which would build this
//! program once more.

use std::fs;
use std::path::Path;

use crate::processes::{finish, text};

const HEAD: &str = "# The command line of `league-dist`

Plays leagues on many machines. [Leagues on many machines](../dist-leagues.md) says how to use it.

This page is generated from the program's own flags; `--help` prints the same.
In the workspace, write `cargo run -p league-dist --` for the program's name.

";

#[test]
fn the_page_of_the_command_line_is_what_the_program_says() {
    let output = finish(Path::new("."), &["reference"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = format!("{HEAD}{}", text(&output.stdout));
    assert!(page.contains("| argument | meaning |"), "the program has no flags: {page}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/command-lines/league-dist.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &page).expect("the book can be written");
    }
    let found = fs::read_to_string(&path).expect("the book has the page");
    assert_eq!(found, page, "stale: UPDATE_GOLDEN=1 cargo test -p league-dist --test it command_line");
}
