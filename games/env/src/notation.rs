//! A game as text: what replays, playthroughs, tests and people read.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::environment::Environment;
use crate::parameter::Parameters;
use crate::scene::Scene;

/// A game whose configurations, actions and events can be written and read back, and whose states can be
/// drawn.
///
/// `Display` and `FromStr` of actions and events round-trip, on one line each.
pub trait Notation:
    Environment<
        Action: fmt::Display + FromStr<Err = NotationError>,
        Event: fmt::Display + FromStr<Err = NotationError>,
    >
{
    /// The game's name in files, e.g. `project`.
    const GAME: &'static str;

    /// The version of the rules: raised by every change that lets an old replay run differently.
    const RULES: u32;

    /// The configuration as names and values.
    fn write_config(config: &Self::Config) -> Parameters;

    /// The configuration with these values.
    ///
    /// # Errors
    ///
    /// Names every faulty, missing or unknown parameter.
    fn read_config(parameters: &Parameters) -> Result<Self::Config, Box<dyn Error + Send + Sync>>;

    /// The whole truth as a picture. For referees and spectators, never for agents.
    fn scene(&self) -> Scene;
}

/// Text that does not read as what it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no {what}: expected {expected}")]
pub struct NotationError {
    what: &'static str,
    text: String,
    expected: String,
}

impl NotationError {
    /// Of a text that should be a `what`, and what would be right. The text is made [`fit_for_a_log`].
    pub fn new(what: &'static str, text: &str, expected: &str) -> Self {
        Self { what, text: fit_for_a_log(text), expected: expected.to_owned() }
    }
}

/// The beginning of a text from outside, on one line: line ends become ` / `, other control characters are
/// written as escapes.
pub fn fit_for_a_log(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown = String::new();
    let mut letters = 0;
    for (place, line) in text.lines().enumerate() {
        if place > 0 {
            shown += " / ";
        }
        for letter in line.trim_matches(' ').chars() {
            if letters == SHOWN {
                shown.push('…');
                return shown;
            }
            letters += 1;
            if letter.is_control() {
                shown.extend(letter.escape_default());
            } else {
                shown.push(letter);
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let error = NotationError::new("move", &"ą".repeat(100), "a direction");
        assert_eq!(error.to_string(), format!("`{}…` is no move: expected a direction", "ą".repeat(80)));
    }

    #[test]
    fn text_from_outside_disturbs_no_terminal() {
        assert_eq!(fit_for_a_log("a\u{1b}[2J\n  b\r\n\u{0}"), "a\\u{1b}[2J / b / \\u{0}");
        assert_eq!(fit_for_a_log(&"\u{1b}".repeat(10_000)), "\\u{1b}".repeat(80) + "…");
    }
}
