//! Seeds and commands that play a game again.

use game_env::Seed;
use jiff::Timestamp;

/// Returns a seed for a game without a chosen one: the microseconds of the calendar.
pub(crate) fn drawn_seed() -> Seed {
    Seed::new(Timestamp::now().as_microsecond().unsigned_abs())
}

/// The words as a shell takes them.
pub(crate) fn shell(words: &[String]) -> String {
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:+=,@%".contains(letter))
    };
    let word =
        |word: &String| if plain(word) { word.clone() } else { command_line::quoted(word).into_owned() };
    command_line::command("bots", &words.iter().map(word).collect::<Vec<_>>().join(" "))
}
