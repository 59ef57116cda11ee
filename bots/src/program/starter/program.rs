//! An agent in another language than Rust: a program that speaks the agent protocol.

use std::path::Path;

use command_line::quoted;

use super::languages::{Game, Program};

impl Program {
    /// Returns the commands for the folder of the program, one a line, each with its meaning. They begin with these
    /// functions of the shell.
    pub(super) fn steps(&self, game: &Game, functions: &str) -> String {
        let (run, flags) = (self.run, game.flags);
        let build = self.build.map(|build| (build.to_owned(), "after each change"));
        let others = [
            (self.test.to_owned(), "a test of one decision"),
            (format!("bots {flags} --virtual --games 20 \"{run}\" random"), "games, and how many it wins"),
            (format!("league compare {flags} \"{run}\" greedy"), "which of the two is stronger?"),
            (
                "league run league.toml --out \"$(date +%F-%H%M%S).results\"".to_owned(),
                "a league, with its results in a new folder",
            ),
        ];
        let steps: Vec<_> = build.into_iter().chain(others).collect();
        let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
        let lines = steps.iter().map(|(command, meaning)| format!("\n{command:width$}  # {meaning}"));
        functions.to_owned() + &lines.collect::<String>()
    }

    /// Returns the words of the templates with their replacements.
    pub(super) fn words(&self, game: &Game, steps: &str) -> Vec<(&'static str, String)> {
        let texts = [
            ("LANGUAGE", self.language),
            ("SOURCE", self.source),
            ("TITLE", game.title),
            ("STEPS", steps),
            ("RECORDING", game.recording),
            ("COMMAND", self.run),
            ("GAME", game.name),
            ("PRESET", game.preset),
            ("DECISION", game.decision),
            ("EXPECTED", game.expected),
        ];
        let lines = ("LINE_COUNT", game.lines.to_string());
        texts.into_iter().map(|(word, meaning)| (word, meaning.to_owned())).chain([lines]).collect()
    }
}

/// Returns the functions `bots` and `league` of a shell: cargo builds the programs of the workspace and runs them in
/// the current folder.
pub(super) fn functions_of_cargo(workspace: &str) -> String {
    let manifest = format!("{workspace}/Cargo.toml");
    let manifest = quoted(&manifest);
    functions(|program| format!("cargo run --quiet --release --manifest-path {manifest} -p {program} --"))
}

/// Returns the functions `bots` and `league` of a shell: the programs are in this folder.
pub(super) fn functions_beside(folder: &Path) -> String {
    functions(|program| quoted(&folder.join(program).display().to_string()).into_owned())
}

fn functions(start: impl Fn(&str) -> String) -> String {
    let functions = ["bots", "league"].map(|program| format!("{program}() {{ {} \"$@\"; }}", start(program)));
    functions.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_the_shell() {
        assert_eq!(
            functions_of_cargo("../a b"),
            "bots() { cargo run --quiet --release --manifest-path '../a b/Cargo.toml' -p bots -- \"$@\"; }\n\
             league() { cargo run --quiet --release --manifest-path '../a b/Cargo.toml' -p league -- \"$@\"; }"
        );
        assert!(functions_beside(Path::new("/opt/game")).starts_with("bots() { /opt/game/bots \"$@\"; }\n"));
    }
}
