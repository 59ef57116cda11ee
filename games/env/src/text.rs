//! Text from outside and for people: its errors, the words of enums, and forms that disturb no log and no terminal.

use std::fmt;
use std::str::FromStr;

/// A text that cannot be read as the expected value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no {what}: expected {expected}")]
pub struct NotationError {
    what: &'static str,
    text: String,
    expected: String,
}

impl NotationError {
    /// Creates the error of a text that should be a `what`, with the expected form. The text is made [`fit_for_a_log`],
    /// and spaces at its ends, which may be the fault, are `␣`.
    pub fn new(what: &'static str, text: &str, expected: &str) -> Self {
        const SHOWN: usize = 3;
        let marks = |spaces: usize| "␣".repeat(spaces.min(SHOWN));
        let inner = text.trim_matches(' ');
        let before = text.len() - text.trim_start_matches(' ').len();
        let behind = text.len() - before - inner.len();
        let text = format!("{}{}{}", marks(before), fit_for_a_log(inner), marks(behind));
        Self { what, text, expected: expected.to_owned() }
    }
}

/// Declares the words of an enum in one list. The enum is `Copy`, and its values have no content. The list makes:
///
/// - `ALL`: all values, in the order of the list, which should be that of the declaration;
/// - `word`: the word of a value;
/// - `Display`, which writes the word, and pads it to the width that is asked for;
/// - `FromStr`, which reads the word. Its [`NotationError`](crate::NotationError) says which words are expected of
///   which kind of value.
///
/// ```
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// enum Season {
///     Spring,
///     Autumn,
/// }
///
/// game_env::words! { Season, "season": Spring = "spring", Autumn = "autumn" }
///
/// assert_eq!(Season::ALL.map(Season::word), ["spring", "autumn"]);
/// assert_eq!("autumn".parse(), Ok(Season::Autumn));
/// let error = "winter".parse::<Season>().unwrap_err().to_string();
/// assert_eq!(error, "`winter` is no season: expected one of spring, autumn");
/// ```
///
/// A list without one of the values does not compile:
///
/// ```compile_fail,E0004
/// #[derive(Clone, Copy)]
/// enum Season {
///     Spring,
///     Autumn,
/// }
///
/// game_env::words! { Season, "season": Spring = "spring" }
/// ```
#[macro_export]
macro_rules! words {
    ($type:ident, $what:literal: $($value:ident = $word:literal),+ $(,)?) => {
        impl $type {
            /// All values, in the order of their declaration.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the word that stands for it in texts.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::NotationError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$value),)+
                    _ => {
                        let expected = format!("one of {}", [$($word),+].join(", "));
                        Err($crate::NotationError::new($what, text, &expected))
                    }
                }
            }
        }
    };
}

/// Reads a whole number that is written with digits alone. Unlike [`str::parse`], it reads no sign.
///
/// ```
/// use game_env::text::number;
///
/// assert_eq!(number::<u16>("07"), Some(7));
/// assert_eq!(["", "+7", "-7", "65536"].map(number::<u16>), [None; 4]);
/// ```
pub fn number<T: FromStr>(text: &str) -> Option<T> {
    let has_digits_only = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| has_digits_only)
}

/// Returns a count with its noun: `1 game`, `2 games`, `1,204 games`.
pub fn counted(number: impl Into<u64>, one: &str, many: &str) -> String {
    let number = number.into();
    format!("{} {}", with_commas(number), if number == 1 { one } else { many })
}

/// Returns a number with commas: `2,300`.
pub fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

/// Returns words as a list for people: `a`, `a or b`, `a, b or c`; `nothing` if there are none.
pub fn or_list<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let words: Vec<S> = words.into_iter().collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &words[..] {
        [] => "nothing".to_owned(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

/// Returns the first 80 characters of a text from outside, on one line; `…` stands for the rest. Line ends become ` /
/// `, spaces at the ends of lines are removed, and other [hidden](is_hidden) characters are written as escapes.
pub fn fit_for_a_log(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown = String::new();
    let mut letters = 0;
    for (place, line) in text.lines().enumerate() {
        if place > 0 {
            // A line end counts as one character.
            if letters == SHOWN {
                shown.push('…');
                return shown;
            }
            letters += 1;
            shown += " / ";
        }
        for letter in line.trim_matches(' ').chars() {
            if letters == SHOWN {
                shown.push('…');
                return shown;
            }
            letters += 1;
            if is_hidden(letter) {
                shown.extend(letter.escape_default());
            } else {
                shown.push(letter);
            }
        }
    }
    shown
}

/// Returns a whole text from outside with every [hidden](is_hidden) character as an escape, for messages that people
/// read on a terminal.
pub fn escape_hidden(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Returns a text of several lines from outside, for a terminal: line ends and tabs stay, every other
/// [hidden](is_hidden) character becomes an escape.
pub fn escape_hidden_in_lines(text: &str) -> String {
    text.split_inclusive(['\n', '\t']).fold(String::with_capacity(text.len()), |mut shown, part| {
        let kept = part.trim_end_matches(['\n', '\t']);
        shown += &escape_hidden(kept);
        shown += &part[kept.len()..];
        shown
    })
}

/// Returns a text of several lines from outside as a part of others: lines after the first are indented, so that none
/// of them reads like a line of the program.
///
/// ```
/// use game_env::text::indented;
///
/// assert_eq!(indented("a crash:\nfault: nobody\n"), "a crash:\n  fault: nobody");
/// ```
pub fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n  ")
}

/// Returns the message of a parser, which may quote a text from outside: every [hidden](is_hidden) character is an
/// escape, and `…` stands for the middle of a long message.
///
/// ```
/// use game_env::text::parser_message;
///
/// let message = format!("unknown field `{}\u{1b}[2J`, expected `x` at line 1 column 9", "a".repeat(1_000));
/// let shown = parser_message(message);
/// assert!(shown.starts_with("unknown field `aaa"));
/// assert!(shown.ends_with("a\\u{1b}[2J`, expected `x` at line 1 column 9"));
/// assert_eq!(shown.chars().count(), 301);
/// ```
pub fn parser_message(message: impl fmt::Display) -> String {
    /// The longest beginning of a message that is cut; it names the kind of fault.
    const LONGEST_START: usize = 120;
    /// The longest end; it names the expected value and the place.
    const LONGEST_END: usize = 180;
    let message = escape_hidden(&message.to_string());
    let letters = message.chars().count();
    if letters <= LONGEST_START + LONGEST_END {
        return message;
    }
    let end = message.chars().skip(letters - LONGEST_END);
    message.chars().take(LONGEST_START).chain(['…']).chain(end).collect()
}

/// Returns whether a terminal obeys this character instead of showing it, or a reader cannot see it: control
/// characters, line and paragraph separators, characters that change the direction of a line or have no width, tags,
/// private ones.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{10ffff}')
}

/// Writes the first faults, each behind `before`, and how many more there are.
///
/// # Errors
///
/// If it cannot be written.
pub fn list_faults<T: fmt::Display>(f: &mut fmt::Formatter<'_>, before: &str, faults: &[T]) -> fmt::Result {
    /// The most faults that are shown; the rest are counted.
    const MOST_SHOWN: usize = 20;
    for (place, fault) in faults.iter().take(MOST_SHOWN).enumerate() {
        let gap = if place == 0 { "" } else { "\n" };
        write!(f, "{gap}{before}{fault}")?;
    }
    match faults.len().saturating_sub(MOST_SHOWN) {
        0 => Ok(()),
        1 => write!(f, "\n{before}and one more fault"),
        more => write!(f, "\n{before}and {more} more faults"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        for (text, shown) in [(" N", "␣N"), ("N  ", "N␣␣"), ("     ", "␣␣␣"), ("", ""), ("a b", "a b")]
        {
            let told = NotationError::new("move", text, "a direction").to_string();
            assert_eq!(told, format!("`{shown}` is no move: expected a direction"));
        }
        let error = NotationError::new("move", &"ą".repeat(100), "a direction");
        assert_eq!(error.to_string(), format!("`{}…` is no move: expected a direction", "ą".repeat(80)));
    }

    #[test]
    fn the_last_word_of_a_list_stands_behind_or() {
        let words = ["a", "b", "c"];
        let lists = [0, 1, 2, 3].map(|count| or_list(&words[..count]));
        assert_eq!(lists, ["nothing", "a", "a or b", "a, b or c"]);
    }

    #[test]
    fn text_from_outside_disturbs_no_terminal() {
        for hidden in
            "\u{202e}\u{2028}\u{2029}\u{2066}\u{200f}\u{feff}\u{9b}\u{e0041}\u{34f}\u{fe0f}\u{3164}\u{2800}"
                .chars()
        {
            let escaped = format!("a\\u{{{:x}}}b", u32::from(hidden));
            assert_eq!(fit_for_a_log(&format!("a{hidden}b")), escaped);
            assert_eq!(escape_hidden(&format!("a{hidden}b")), escaped);
        }
        for text in ["Zoë", "Zoe\u{308}", "żółw", "שלום", "नमस्ते", "日本語", "it's \"quoted\"", "🦀 €"]
        {
            assert_eq!(escape_hidden(text), text);
        }
        assert_eq!(fit_for_a_log("a\u{1b}[2J\n  b\r\n\u{0}"), "a\\u{1b}[2J / b / \\u{0}");
        assert_eq!(fit_for_a_log(&"\u{1b}".repeat(10_000)), "\\u{1b}".repeat(80) + "…");
        // Line ends count too.
        assert_eq!(fit_for_a_log(&"\n".repeat(10_000)), " / ".repeat(80) + "…");
        let lines = "a\u{1b}[2J\n\tb\r\n\n\u{202e}c\t";
        assert_eq!(escape_hidden_in_lines(lines), "a\\u{1b}[2J\n\tb\\r\n\n\\u{202e}c\t");
    }
}
