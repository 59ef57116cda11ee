//! Commands that play a game again.

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
