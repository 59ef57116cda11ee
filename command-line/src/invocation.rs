//! The text of a command in messages.

use std::env;

/// The command that runs one of this workspace's programs with these words, as the reader can type it.
///
/// A program that cargo has started names itself and the others through cargo; an installed program, by their names.
pub fn command(program: &str, words: &str) -> String {
    // Cargo sets this variable for everything that it runs.
    spelt(program, words, env::var_os("CARGO").is_some())
}

fn spelt(program: &str, words: &str, by_cargo: bool) -> String {
    let runs = if by_cargo { format!("cargo run -p {program}") } else { program.to_owned() };
    match (by_cargo, words) {
        (_, "") => runs,
        (false, words) => format!("{runs} {words}"),
        (true, words) => format!("{runs} -- {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_spelt_as_its_reader_can_type_it() {
        assert_eq!(spelt("bots", "list", false), "bots list");
        assert_eq!(spelt("cs", "", false), "cs");
        assert_eq!(spelt("bots", "list", true), "cargo run -p bots -- list");
        assert_eq!(spelt("cs", "", true), "cargo run -p cs");
    }
}
