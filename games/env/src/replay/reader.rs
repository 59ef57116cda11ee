//! Reads a replay line by line, without playing it.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};

use super::header::{Claim, Header, Player};
use super::line::{Line, Record, reason};
use super::writer::compressed;
use super::{FORMAT, LARGEST_WINDOW, LONGEST_HEADER, LONGEST_LINE, VERSION};
use crate::ids::AgentId;
use crate::parameter::ConfigError;
use crate::text::fit_for_a_log;
use crate::time::SimTime;

/// The first bytes of all files that Zstandard compressed.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Reads a replay from its beginning, a record at a time; never more in memory than one line.
pub struct Reader<'a> {
    lines: Box<dyn BufRead + 'a>,
    header: Header,
    text: Vec<u8>,
    line: u64,
    completeness: Option<Completeness>,
    /// A record that was looked at and not yet taken.
    ahead: Option<Record>,
}

/// Whether a replay was read to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// The end of the episode is in the file.
    Complete,
    /// The file breaks off; all before the break was read.
    Truncated {
        /// The last whole line, counted from 1.
        line: u64,
        /// The cause of the break.
        reason: String,
    },
}

impl Completeness {
    /// Returns whether the end of the episode was reached.
    pub fn is_complete(&self) -> bool {
        *self == Self::Complete
    }
}

/// The reason why a replay cannot be read or played.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read at all.
    #[error("cannot read the replay")]
    Unreadable(#[source] io::Error),
    /// It is something else.
    #[error(
        "this is no replay: it begins with `{beginning}`; expected a JSON header with \"format\":\"{FORMAT}\""
    )]
    Foreign {
        /// Its first characters.
        beginning: String,
    },
    /// It comes from another release.
    #[error("the replay has format version {found}: expected {VERSION}; the program that wrote it reads it")]
    OtherVersion {
        /// The version it claims.
        found: u32,
    },
    /// It holds another game than was asked for.
    #[error("the replay holds the game `{found}`, not `{expected}`", found = fit_for_a_log(.found))]
    OtherGame {
        /// The game it holds.
        found: String,
        /// The game asked for.
        expected: &'static str,
    },
    /// It was played by other rules.
    #[error(
        "the replay was played by version {found} of the rules of `{game}`, this program has version {known}: \
         expected a replay of version {known}, or the program that wrote this one, `{program}`",
        program = fit_for_a_log(.program)
    )]
    OtherRules {
        /// The game.
        game: &'static str,
        /// The version in the file.
        found: u32,
        /// The version in this program.
        known: u32,
        /// The program that wrote the replay, and therefore reads it.
        program: String,
    },
    /// Its configuration is faulty.
    #[error("the replay's configuration is faulty: {0}")]
    Config(ConfigError),
    /// A line makes no sense.
    #[error("line {line} of the replay: {reason}")]
    Corrupt {
        /// The line, counted from 1.
        line: u64,
        /// The fault of the line.
        reason: String,
    },
    /// The rules do not do what they did when it was recorded.
    #[error("line {line} of the replay: the game took another course: recorded {recorded}, played {played}")]
    Diverged {
        /// The line, counted from 1.
        line: u64,
        /// The content of the file.
        recorded: String,
        /// The result of the rules.
        played: String,
    },
}

impl<'a> Reader<'a> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// If `file` cannot be read, is no replay, or one of a later format.
    pub fn open(file: impl Read + 'a) -> Result<Self, ReplayError> {
        let mut file = BufReader::new(file);
        // A pipe may give fewer bytes at first.
        let mut start = Vec::new();
        let mut magic = file.by_ref().take(ZSTD_MAGIC.len() as u64);
        magic.read_to_end(&mut start).map_err(ReplayError::Unreadable)?;
        let is_compressed = start == ZSTD_MAGIC;
        let file = Cursor::new(start).chain(file);
        let mut lines: Box<dyn BufRead + 'a> = if is_compressed {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(file).map_err(ReplayError::Unreadable)?;
            decoder.window_log_max(LARGEST_WINDOW).map_err(ReplayError::Unreadable)?;
            Box::new(BufReader::new(decoder))
        } else {
            Box::new(file)
        };
        // A foreign file may hold anything and have no lines: only a limited part of it is read.
        let mut first = Vec::new();
        let whole = lines.by_ref().take(LONGEST_HEADER as u64).read_until(b'\n', &mut first);
        let header = read_header(&first).map_err(|error| match (whole, error) {
            (Err(error), ReplayError::Foreign { .. }) if first.is_empty() => ReplayError::Unreadable(error),
            (_, error) => error,
        })?;
        Ok(Self { lines, header, text: first, line: 1, completeness: None, ahead: None })
    }

    /// Returns the content of the first line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Writes the replay to `out` with other players. `change` is called for each player in the order of agent ids; all
    /// else stays, byte for byte. Returns `out`.
    ///
    /// # Errors
    ///
    /// If the replay cannot be read to the end of the file, `out` cannot be written to, or the new header is longer
    /// than readers accept.
    pub fn write_with_players<W: Write>(
        mut self,
        out: W,
        mut change: impl FnMut(AgentId, &mut Player),
    ) -> io::Result<W> {
        for (agent, player) in (0..).map(AgentId::new).zip(&mut self.header.players) {
            change(agent, player);
        }
        let mut out = compressed(out, &self.header)?;
        io::copy(&mut self.lines, &mut out)?;
        out.finish()
    }

    /// Returns the number of the line that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns whether the end was reached or the file breaks off; `None` while there may be more to read.
    pub fn completeness(&self) -> Option<&Completeness> {
        // A record that was only looked at is still to be read.
        self.completeness.as_ref().filter(|_| self.ahead.is_none())
    }

    /// Returns whether more data follows the last record that was read; none should follow the end of an episode.
    pub fn has_more(&mut self) -> bool {
        // Data that cannot be read is there, too.
        self.ahead.is_some() || self.lines.fill_buf().map_or(true, |rest| !rest.is_empty())
    }

    /// Returns the next record; `None` at the end of the file or at its break.
    ///
    /// # Errors
    ///
    /// If a whole line makes no sense. After an error there is nothing more to read.
    pub fn next_record(&mut self) -> Result<Option<Record>, ReplayError> {
        match self.ahead.take() {
            Some(record) => Ok(Some(record)),
            None => self.read_record(),
        }
    }

    /// Returns the moment of the next record, which stays the next one.
    ///
    /// # Errors
    ///
    /// As [`Reader::next_record`].
    pub fn next_moment(&mut self) -> Result<Option<SimTime>, ReplayError> {
        if self.ahead.is_none() {
            self.ahead = self.read_record()?;
        }
        Ok(self.ahead.as_ref().map(Record::at))
    }

    fn read_record(&mut self) -> Result<Option<Record>, ReplayError> {
        if self.completeness.is_some() {
            return Ok(None);
        }
        self.text.clear();
        let read = self.lines.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut self.text);
        let reason = match read {
            Err(error) => error.to_string(),
            Ok(0) => "the file ends before the episode does".to_owned(),
            Ok(_) if self.text.last() == Some(&b'\n') => return self.whole_line().map(Some),
            Ok(LONGEST_LINE) => {
                self.line += 1;
                return Err(self.corrupt(format!("it is longer than {LONGEST_LINE} bytes")));
            }
            Ok(_) => "the file ends within a line".to_owned(),
        };
        self.completeness = Some(Completeness::Truncated { line: self.line, reason });
        Ok(None)
    }

    fn whole_line(&mut self) -> Result<Record, ReplayError> {
        self.line += 1;
        let record = std::str::from_utf8(&self.text)
            .map_err(|error| error.to_string())
            .and_then(|text| Line::read(text.trim_end()));
        match record {
            Ok(record) => {
                if let Record::End { .. } = record {
                    self.completeness = Some(Completeness::Complete);
                }
                Ok(record)
            }
            Err(reason) => Err(self.corrupt(reason)),
        }
    }

    /// Returns the error of the last line; nothing can be read after it.
    fn corrupt(&mut self, reason: String) -> ReplayError {
        let line = self.line;
        self.completeness = Some(Completeness::Truncated { line: line - 1, reason: reason.clone() });
        ReplayError::Corrupt { line, reason }
    }
}

fn read_header(line: &[u8]) -> Result<Header, ReplayError> {
    let foreign = || ReplayError::Foreign {
        beginning: String::from_utf8_lossy(line).chars().take(40).flat_map(char::escape_default).collect(),
    };
    let text = std::str::from_utf8(line).map_err(|_| foreign())?;
    let faulty = |error: serde_json::Error| ReplayError::Corrupt { line: 1, reason: reason(&error) };
    let names_format = text.contains(FORMAT);
    if line.len() == LONGEST_HEADER && names_format {
        let reason = format!("the header is longer than {LONGEST_HEADER} bytes");
        return Err(ReplayError::Corrupt { line: 1, reason });
    }
    // A file that names the format is a replay whose header was cut or altered.
    let claim: Claim =
        serde_json::from_str(text).map_err(|error| if names_format { faulty(error) } else { foreign() })?;
    if claim.format != FORMAT {
        return Err(foreign());
    }
    if claim.version != VERSION {
        return Err(ReplayError::OtherVersion { found: claim.version });
    }
    serde_json::from_str(text).map_err(faulty)
}
