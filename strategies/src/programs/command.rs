//! The text of an entrant that is a program.

use std::fmt;
use std::path::Path;

use game_env::NotationError;
use game_env::text::fit_for_a_log;

use crate::notation::without_spaces;

/// The command of a program: `python3 mine.py`.
///
/// In a line-up it stands in quotes: `"python3 mine.py"*2+greedy`. Without `+` and `*` in it, the quotes can be left
/// out: a text is a command if there is a space or a `/` in it before the first `:`, which names of strategies do not
/// have. The words are split as in a shell, without variables and patterns.
///
/// ```
/// use strategies::programs::Command;
///
/// let command = Command::read("python3 mine.py --depth 3").expect("it has a space")?;
/// assert_eq!(command.words(), ["python3", "mine.py", "--depth", "3"]);
/// assert_eq!(command.to_string(), "\"python3 mine.py --depth 3\"");
/// assert!(Command::read("greedy").is_none());
/// # Ok::<(), game_env::NotationError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Command {
    words: Vec<String>,
}

impl Command {
    /// Returns the command of this text; none if the text is no command, but the name of a strategy.
    ///
    /// # Errors
    ///
    /// If the text is a command and has a fault.
    pub fn read(text: &str) -> Option<Result<Self, NotationError>> {
        let text = without_spaces(text);
        let error = |expected| NotationError::new("command", text, expected);
        let command = match text.strip_prefix('"') {
            Some(rest) => match rest.strip_suffix('"') {
                Some(command) => command,
                None => return Some(Err(error("a `\"` at the end, as at the beginning"))),
            },
            None => {
                let name = without_spaces(text.split(':').next().unwrap_or_default());
                if !name.contains([' ', '/']) {
                    return None;
                }
                text
            }
        };
        if command.contains('"') {
            return Some(Err(error("`'` in place of `\"` in the command")));
        }
        let Some(words) = shlex::split(command) else {
            return Some(Err(error("a second quote for each quote")));
        };
        if words.is_empty() {
            return Some(Err(error("a program and its arguments, e.g. `python3 mine.py`")));
        }
        Some(Ok(Self { words }))
    }

    /// Returns the command of a program with arguments.
    pub fn of_words<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { words: words.into_iter().map(W::into).collect() }
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Checks that the program is there, before a game begins. `folder` is the folder in which it runs.
    ///
    /// # Errors
    ///
    /// Says what is missing, e.g. `cannot start pyhton3: no folder of PATH has a program of this name`.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        let program = self.words.first().map_or("", String::as_str);
        let fault = if program.contains('/') {
            let path = folder.join(program);
            match (path.is_file(), is_executable(&path)) {
                (false, _) => Some("there is no such file"),
                (true, false) => {
                    Some("the file is not executable: expected an interpreter before it, e.g. `python3`")
                }
                (true, true) => None,
            }
        } else {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let is_there = std::env::split_paths(&folders).any(|folder| is_executable(&folder.join(program)));
            (!is_there).then_some("no folder of PATH has a program of this name")
        };
        fault.map_or(Ok(()), |fault| Err(format!("cannot start `{}`: {fault}", fit_for_a_log(program))))
    }
}

/// Returns whether one of these entrants is a program.
pub fn has_programs<N: AsRef<str>>(entrants: impl IntoIterator<Item = N>) -> bool {
    entrants.into_iter().any(|name| Command::read(name.as_ref()).is_some())
}

/// Returns whether this is a file that may be executed.
#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Returns whether this is a file, with or without the ending of a program.
#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

/// In quotes, so that it can stand in a line-up.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for (place, word) in self.words.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            let is_plain = !word.is_empty()
                && word.chars().all(|letter| letter.is_alphanumeric() || "_-./=:,@%+*".contains(letter));
            if is_plain {
                write!(f, "{gap}{word}")?;
            } else {
                write!(f, "{gap}'{}'", word.replace('\'', "'\\''"))?;
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_it_is_written() {
        for (text, written) in [
            ("python3 a.py", "\"python3 a.py\""),
            ("./agent", "\"./agent\""),
            (" \"agent\" ", "\"agent\""),
            ("\"python3 'my agent.py' --x=1\"", "\"python3 'my agent.py' --x=1\""),
            ("java -cp a:b Agent", "\"java -cp a:b Agent\""),
            ("\"sh -c 'echo it'\\''s'\"", "\"sh -c 'echo it'\\''s'\""),
        ] {
            let command = Command::read(text).expect(text).expect(text);
            assert_eq!(command.to_string(), written, "{text}");
            assert_eq!(Command::read(written).expect(text), Ok(command), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_missing_is_named() {
        let folder = Path::new("/");
        for (text, expected) in [
            ("sh -c true", None),
            ("/bin/sh -c true", None),
            ("pyhton3 a.py", Some("cannot start `pyhton3`: no folder of PATH has a program of this name")),
            ("./agent.py", Some("cannot start `./agent.py`: there is no such file")),
            ("/etc/passwd", Some("cannot start `/etc/passwd`: the file is not executable")),
        ] {
            let found = Command::read(text).expect(text).expect(text).check(folder);
            match expected {
                None => assert_eq!(found, Ok(()), "{text}"),
                Some(fault) => assert!(found.is_err_and(|found| found.starts_with(fault)), "{text}"),
            }
        }
    }

    #[test]
    fn names_of_strategies_are_no_commands_and_faults_are_named() {
        for text in ["greedy", " able : slip = 0.5 ", "coordinated:patience=2", "", "gredy"] {
            assert_eq!(Command::read(text), None, "{text}");
        }
        assert!(!has_programs(["greedy", "gredy"]) && has_programs(["greedy", "./agent"]));
        for (text, expected) in [
            ("\"python3 a.py", "a `\"` at the end"),
            ("python3 \"a.py\"", "`'` in place of `\"`"),
            ("\"\"", "a program and its arguments"),
            ("python3 'a.py", "a second quote for each quote"),
        ] {
            let error = Command::read(text).expect(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
