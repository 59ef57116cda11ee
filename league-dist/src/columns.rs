//! Values as they stand in the columns of a database of any kind.

use game_env::text::fit_for_a_log;

use crate::chunk::{Chunk, LeagueId};
use crate::dispatch::Ending;

/// Returns a number for a column. All that are written are far below 2^63.
pub(crate) fn column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the word of an ending, its text, and its replay.
pub(crate) fn of_ending(ending: &Ending) -> (&'static str, &str, Option<&[u8]>) {
    match ending {
        Ending::Played { record, replay } => ("played", record, replay.as_deref()),
        Ending::GivenUp => ("given-up", "", None),
        Ending::Unplayable(reason) => ("unplayable", reason, None),
    }
}

/// Returns the ending with this word, text and replay; an error names the fault of the word.
pub(crate) fn ending(word: &str, text: String, replay: Option<Vec<u8>>) -> Result<Ending, String> {
    match word {
        "played" => Ok(Ending::Played { record: text, replay }),
        "given-up" => Ok(Ending::GivenUp),
        "unplayable" => Ok(Ending::Unplayable(text)),
        other => Err(format!(
            "a match has the ending `{}`: expected played, given-up or unplayable",
            fit_for_a_log(other)
        )),
    }
}

/// Returns the chunk of a job of this league; an error names its fault.
pub(crate) fn chunk(league: LeagueId, job: &[u8]) -> Result<Chunk, String> {
    let text = std::str::from_utf8(job).map_err(|error| error.to_string());
    let chunk = text.and_then(Chunk::from_json).map_err(|error| format!("a job is no chunk: {error}"))?;
    if chunk.league != league {
        return Err(format!("a job has a chunk of the league {}: expected {league}", chunk.league));
    }
    Ok(chunk)
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
        assert_eq!(
            ending("won\u{1b}", String::new(), None),
            Err("a match has the ending `won\\u{1b}`: expected played, given-up or unplayable".to_owned())
        );
        let (own, other) = (LeagueId::new(1), LeagueId::new(2));
        assert!(chunk(own, b"7").unwrap_err().starts_with("a job is no chunk: "));
        let sound = Chunk { league: own, matches: vec![(1, "1-2/1/0".parse().unwrap())] };
        let job = sound.to_json();
        assert_eq!(chunk(own, job.as_bytes()), Ok(sound));
        assert!(chunk(other, job.as_bytes()).unwrap_err().ends_with(": expected 0000000000000002"));
    }
}
