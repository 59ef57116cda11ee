//! The command of this program in messages: that of the shipped program, or of an author's program.

use std::env;
use std::path::Path;
use std::sync::OnceLock;

use command_line::shown;

/// The shipped program.
const SHIPPED: &str = "league";

/// The path with which an author's program was started; none in other programs. Messages are made in many places, and
/// this is the same in all of them.
static OWN: OnceLock<String> = OnceLock::new();

/// From now on, messages name the program of this process and not the shipped one. `name` is for a system that does not
/// say how the program was started.
pub(crate) fn set_own(name: &str) {
    let started = env::args_os().next().filter(|path| !path.is_empty());
    let own = started.map_or_else(|| name.to_owned(), |path| shown(Path::new(&path)));
    OWN.get_or_init(|| own);
}

/// Returns the command that runs this program with these words, as the reader can type it.
pub(crate) fn command(words: &str) -> String {
    spelt(OWN.get(), words)
}

/// Returns the name of this program, for files and hints that hold on any machine.
pub(crate) fn name() -> &'static str {
    name_in(OWN.get())
}

fn spelt(own: Option<&String>, words: &str) -> String {
    own.map_or_else(|| command_line::command(SHIPPED, words), |own| format!("{own} {words}"))
}

fn name_in(own: Option<&String>) -> &str {
    own.map_or(SHIPPED, |own| {
        let file = Path::new(own).file_name().and_then(|name| name.to_str());
        file.unwrap_or(own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_an_author_is_named_by_its_own_path() {
        let own = "target/debug/my-league".to_owned();
        assert_eq!(spelt(Some(&own), "resume out"), "target/debug/my-league resume out");
        assert_eq!(spelt(None, "resume out"), command_line::command("league", "resume out"));
        assert_eq!([name_in(Some(&own)), name_in(None)], ["my-league", "league"]);
    }
}
