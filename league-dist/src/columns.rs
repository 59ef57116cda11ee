//! Values as they stand in the columns of a database, whichever it is.

use crate::chunk::Chunk;
use crate::dispatch::Ending;

/// A number for a column. All that are written are far below 2^63.
pub(crate) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The word of an ending, its text, and its replay.
pub(crate) fn of_ending(ending: &Ending) -> (&'static str, &str, Option<&[u8]>) {
    match ending {
        Ending::Played { record, replay } => ("played", record, replay.as_deref()),
        Ending::GivenUp => ("given-up", "", None),
        Ending::Unplayable(reason) => ("unplayable", reason, None),
    }
}

/// The ending with this word, text and replay; an error says what is wrong with the word.
pub(crate) fn ending(word: &str, text: String, replay: Option<Vec<u8>>) -> Result<Ending, String> {
    match word {
        "played" => Ok(Ending::Played { record: text, replay }),
        "given-up" => Ok(Ending::GivenUp),
        "unplayable" => Ok(Ending::Unplayable(text)),
        other => Err(format!("a match has the ending `{other}`")),
    }
}

/// The chunk of a job; an error says what is wrong with it.
pub(crate) fn chunk(job: &[u8]) -> Result<Chunk, String> {
    let text = std::str::from_utf8(job).map_err(|error| error.to_string());
    text.and_then(Chunk::from_json).map_err(|error| format!("a job is no chunk: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_read_as_they_are_written() {
        for own in [
            Ending::Played { record: "{}".to_owned(), replay: Some(vec![1]) },
            Ending::Played { record: "{}".to_owned(), replay: None },
            Ending::GivenUp,
            Ending::Unplayable("no such game".to_owned()),
        ] {
            let (word, text, replay) = of_ending(&own);
            assert_eq!(ending(word, text.to_owned(), replay.map(<[u8]>::to_vec)), Ok(own));
        }
        assert_eq!(ending("won", String::new(), None), Err("a match has the ending `won`".to_owned()));
        assert!(chunk(b"7").unwrap_err().starts_with("a job is no chunk: "));
    }
}
