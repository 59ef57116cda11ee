//! The text of a command in messages.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};

use crate::shown;

/// The folder of this crate when it was built; the workspace's folder is the one above it.
const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the command that runs one of this workspace's programs with these words, as the reader can type it.
///
/// A program that cargo has started names itself and the others through cargo, which is told of the workspace if it was
/// started elsewhere; an installed program, by their names. Leagues and studies play many games: cargo optimises them.
pub fn command(program: &str, words: &str) -> String {
    // Cargo sets this variable for everything that it runs.
    let by_cargo = env::var_os("CARGO").map(|_| options(&root(), &env::current_dir().unwrap_or_default()));
    spelt(program, words, by_cargo.as_deref())
}

/// Returns whether a command plays so many games that it takes several times as long without optimisation.
fn plays_many_games(program: &str, words: &str) -> bool {
    program == "league" || words.starts_with("study ")
}

/// Returns the output of a program as it would be inside of the workspace. For tests, which run programs in folders of
/// their own.
pub fn as_inside(output: &str) -> String {
    output.replace(&format!("cargo run {}", manifest_option(&root())), "cargo run ")
}

/// Returns the workspace from which this program was built.
fn root() -> PathBuf {
    Path::new(CRATE).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Returns the options with which cargo finds a workspace from a folder.
fn options(root: &Path, folder: &Path) -> String {
    if folder.starts_with(root) {
        return String::new();
    }
    manifest_option(root)
}

fn manifest_option(root: &Path) -> String {
    format!("--manifest-path {} ", quoted(&root.join("Cargo.toml").display().to_string()))
}

/// Returns words as a shell takes them, with blanks between them.
///
/// # Panics
///
/// If a word has a zero byte, which no argument of a command can have.
pub fn quoted_words(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Returns a text as one word of a shell.
///
/// # Panics
///
/// If the text has a zero byte, which no argument of a command can have.
pub fn quoted(text: &str) -> Cow<'_, str> {
    // The library quotes more than a shell needs, such as the `=` of a setting.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:+=,@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    shlex::try_quote(text).expect("only a zero byte cannot be quoted, and no word has one")
}

/// Returns a path as one word of a shell, as messages show it.
pub fn quoted_path(path: &Path) -> String {
    quoted(&shown(path)).into_owned()
}

/// `by_cargo`: the options of cargo, if it runs the program.
fn spelt(program: &str, words: &str, by_cargo: Option<&str>) -> String {
    let release = if plays_many_games(program, words) { "--release " } else { "" };
    let runs = by_cargo
        .map_or_else(|| program.to_owned(), |options| format!("cargo run {options}{release}-p {program}"));
    match (by_cargo, words) {
        (_, "") => runs,
        (None, words) => format!("{runs} {words}"),
        (Some(_), words) => format!("{runs} -- {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_spelt_as_its_reader_can_type_it() {
        assert_eq!(spelt("bots", "list", None), "bots list");
        assert_eq!(spelt("cs", "", None), "cs");
        assert_eq!(spelt("bots", "list", Some("")), "cargo run -p bots -- list");
        assert_eq!(spelt("cs", "", Some("")), "cargo run -p cs");
        assert_eq!(
            spelt("bots", "study a.replay", Some("")),
            "cargo run --release -p bots -- study a.replay"
        );
        assert_eq!(spelt("league", "run a.toml", Some("")), "cargo run --release -p league -- run a.toml");
        assert_eq!(spelt("league", "run a.toml", None), "league run a.toml");
    }

    #[test]
    fn words_that_a_shell_would_split_are_quoted() {
        assert_eq!(quoted("../my-agent"), "../my-agent");
        assert_eq!(quoted("it's mine"), "\"it's mine\"");
        assert_eq!(quoted_path(Path::new("my results/1")), "'my results/1'");
        assert_eq!((quoted("boardX=5"), quoted("")), ("boardX=5".into(), "''".into()));
        let words = ["--replay", "a b.jsonl.zst", "coordinated:lanes=3,slip=0.1*3+liar"].map(str::to_owned);
        assert_eq!(quoted_words(&words), "--replay 'a b.jsonl.zst' 'coordinated:lanes=3,slip=0.1*3+liar'");
    }

    #[test]
    fn outside_the_workspace_cargo_is_told_of_it() {
        let options = |folder: &str| options(Path::new("/a b"), Path::new(folder));
        assert_eq!(options("/a b"), "");
        assert_eq!(options("/a b/book"), "");
        assert_eq!(options("/a"), "--manifest-path '/a b/Cargo.toml' ");
        let outside = spelt("bots", "list", Some(&options("/")));
        assert_eq!(outside, "cargo run --manifest-path '/a b/Cargo.toml' -p bots -- list");
    }

    #[test]
    fn what_is_needed_outside_alone_can_be_left_out() {
        let outside = spelt("bots", "list", Some(&options(&root(), Path::new("/"))));
        assert_eq!(
            as_inside(&format!("{outside}\n{outside}")),
            "cargo run -p bots -- list\ncargo run -p bots -- list"
        );
    }

    #[test]
    fn the_folder_above_this_crate_is_that_of_the_workspace() {
        assert!(std::fs::read_to_string(root().join("Cargo.toml")).unwrap().contains("[workspace]"));
    }
}
