//! The host's side of the lines of one program.

use std::fmt;
use std::time::Duration;

use game_env::Termination;
use game_env::text::{escape_hidden, fit_for_a_log, parser_message};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::message::{Answer, FirstLine, Ready, Thinking};
use super::peer::{Log, Lost, Peer, Progress};
use super::{LONGEST_LINE, MOST_LOG_BYTES, MOST_LOG_LINES};
use crate::lines::LineDecoder;

/// The longest wait for an answer of a program whose time is not limited.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// The wait after which those who watch are told that the program has not answered.
pub const NOTICE: Duration = Duration::from_secs(5);

/// The longest wait until a program takes the message that the game is over. Its pipe has room for it, unless the
/// program has not read its messages.
const LONGEST_END: Duration = Duration::from_secs(2);

/// The lines of one program in one game.
///
/// After a [`Fault`] it is not used any more.
#[derive(Debug)]
pub struct Conversation {
    line: Vec<u8>,
    reading: Reading,
    limit: Duration,
    has_limit: bool,
    /// Number of messages that need an answer so far.
    id: u64,
}

/// The state of the reader between two answers.
#[derive(Debug)]
struct Reading {
    decoder: LineDecoder,
    /// Bytes behind the last answer. They come before all that the program writes later.
    rest: Vec<u8>,
    log_lines: u32,
    log_bytes: usize,
    log: Option<Log>,
    /// The last log line since the last message that may have an answer behind other text; empty if there is none.
    last_log_line: Vec<u8>,
    /// The first line that looks like an answer and is none.
    strange: Option<String>,
    was_strange: bool,
    has_answered: bool,
}

/// The reason why a program has lost its game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It could not be started.
    NotStarted(String),
    /// This machine could not start it, for this reason: the program is not at fault.
    Host(String),
    /// It has ended, in these words after "its program".
    Ended(String),
    /// It has closed its input or output.
    Closed,
    /// It was not done within the limit of the match.
    Late(Duration),
    /// It has not answered for so long that it counts as dead.
    Silent {
        /// The time without an answer.
        waited: Duration,
        /// Whether it has ever answered.
        has_answered: bool,
        /// The first line that looks like an answer and is none, with the reason.
        strange: Option<String>,
    },
    /// It has written more log lines than it may between two answers.
    Flood,
    /// It has written a line that is longer than lines may be.
    LongLine,
    /// Its answer is none that the game knows; in words.
    Illegal(String),
    /// It waits in its turn, in a game without time: nothing can happen before it acts.
    Waits,
    /// It needs another version of the protocol.
    Version(u32),
}

impl Conversation {
    /// Creates a conversation with a program that has said nothing yet in this game, under this rule for the time of
    /// decisions.
    pub fn new(thinking: Thinking) -> Self {
        let limit = match thinking {
            Thinking::LimitMs(limit) => Some(Duration::from_millis(limit.into())),
            Thinking::Free | Thinking::ChargeMs(_) | Thinking::RealTime => None,
        };
        Self {
            line: Vec::new(),
            reading: Reading {
                decoder: LineDecoder::new(LONGEST_LINE),
                rest: Vec::new(),
                log_lines: 0,
                log_bytes: 0,
                log: None,
                last_log_line: Vec::new(),
                strange: None,
                was_strange: false,
                has_answered: false,
            },
            limit: limit.unwrap_or(LONGEST_SILENCE),
            has_limit: limit.is_some(),
            id: 0,
        }
    }

    /// Shows each line that is no answer, when it comes.
    pub fn show(&mut self, log: Log) {
        self.reading.log = Some(log);
    }

    /// Shows a line of the host about the program.
    pub fn tell(&mut self, line: &str) {
        self.reading.tell(line);
    }

    /// Returns the number of the next message that needs an answer.
    pub fn next_id(&self) -> u64 {
        self.id + 1
    }

    /// Begins the game: sends `hello`, a [`Message::Hello`](super::message::Message::Hello), and returns the program's
    /// wishes.
    ///
    /// # Errors
    ///
    /// If the program does not answer as it should.
    pub fn begin(&mut self, peer: &mut dyn Peer, hello: &impl Serialize) -> Result<Ready, Fault> {
        self.write(hello);
        // A start takes as long as it takes: interpreters and virtual machines are slow, and busy machines slower.
        let (FirstLine::Ready(ready), _) = self.exchange(peer, LONGEST_SILENCE, |_: &FirstLine| Ok(()))?;
        if ready.protocol == 0 {
            return Err(Fault::Version(ready.protocol));
        }
        Ok(ready)
    }

    /// Sends a message that needs an answer, and returns the answer with the time that it took.
    ///
    /// # Errors
    ///
    /// If the program does not answer as it should.
    pub fn ask(
        &mut self,
        peer: &mut dyn Peer,
        message: &impl Serialize,
    ) -> Result<(Answer, Duration), Fault> {
        self.id += 1;
        let id = self.id;
        self.write(message);
        let limit = self.limit;
        let has_limit = self.has_limit;
        match self.exchange(peer, limit, |answer: &Answer| answer.check(id)) {
            Err(Fault::Silent { waited, strange, .. }) if has_limit => {
                self.reading.strange = strange;
                Err(Fault::Late(waited))
            }
            result => result,
        }
    }

    /// Tells the program that the game is over. Returns whether it can play the next one: it has taken the message, and
    /// has written no line behind its last answer, which could be taken for an answer of the next game. A program that
    /// cannot is no worse off: its game is over.
    pub fn end(&mut self, peer: &mut dyn Peer, message: &impl Serialize) -> bool {
        self.write(message);
        let is_taken = peer.exchange(&self.line, LONGEST_END, &mut |_| Progress::Done).is_ok();
        is_taken && self.reading.rest.iter().all(u8::is_ascii_whitespace)
    }

    /// Returns whether a line looked like an answer and was none.
    pub fn was_strange(&self) -> bool {
        self.reading.was_strange
    }

    /// Returns the first line that looks like an answer and is none, with the reason; once.
    pub fn take_strange(&mut self) -> Option<String> {
        self.reading.strange.take()
    }

    fn write(&mut self, message: &impl Serialize) {
        self.line.clear();
        serde_json::to_writer(&mut self.line, message)
            .expect("messages have only text as keys, and a buffer takes all");
        self.line.push(b'\n');
    }

    fn exchange<T: DeserializeOwned>(
        &mut self,
        peer: &mut dyn Peer,
        limit: Duration,
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Result<(T, Duration), Fault> {
        let Self { line, reading, .. } = self;
        (reading.log_lines, reading.log_bytes) = (0, 0);
        reading.last_log_line.clear();
        let mut found = None;
        let mut exchange = |reading: &mut Reading, line: &[u8], limit| {
            peer.exchange(line, limit, &mut |bytes| {
                found = found.take().or_else(|| reading.take(bytes, &check).transpose());
                if found.is_some() { Progress::Done } else { Progress::More }
            })
        };
        let first = if reading.log.is_some() { limit.min(NOTICE) } else { limit };
        let mut took = exchange(reading, line, first);
        if first < limit && took == Err(Lost::Late) {
            let [silent, fails] = [first, limit].map(|time| time.as_secs_f64());
            let written = reading.strange.clone().or_else(|| reading.unanswered(&check));
            let reason = reason_of_silence(written.as_deref());
            reading.tell(&format!("has not answered for {silent} s, and fails after {fails} s; {reason}"));
            took = exchange(reading, &[], limit - first).map(|took| first + took);
        }
        match (found, took) {
            // A fault in what was written is a fault, however the rest of the exchange ends.
            (Some(Err(fault)), _) => Err(fault),
            (Some(found), Ok(took)) => {
                reading.has_answered = true;
                Ok((found?, took))
            }
            // A peer that returns too early is one that has nothing more to read.
            (_, Ok(_)) | (_, Err(Lost::Closed)) => Err(Fault::Closed),
            (_, Err(Lost::Ended(how))) => Err(Fault::Ended(how)),
            (_, Err(Lost::NotStarted(why))) => Err(Fault::NotStarted(why)),
            (_, Err(Lost::Host(why))) => Err(Fault::Host(why)),
            (_, Err(Lost::Late)) => {
                let strange = reading.strange.take().or_else(|| reading.unanswered(&check));
                Err(Fault::Silent { waited: limit, has_answered: reading.has_answered, strange })
            }
        }
    }
}

impl Reading {
    /// Returns the next answer in the bytes that are kept and these. Bytes behind it are kept.
    ///
    /// A line behind an answer is no log line: it can be the answer to the next message, which the program then does
    /// not wait for. Otherwise the way in which the stream is cut would decide.
    fn take<T: DeserializeOwned>(
        &mut self,
        bytes: &[u8],
        check: &impl Fn(&T) -> Result<(), String>,
    ) -> Result<Option<T>, Fault> {
        let mut kept = std::mem::take(&mut self.rest);
        let mut bytes = bytes;
        if !kept.is_empty() {
            kept.extend_from_slice(bytes);
            bytes = &kept;
        }
        while let Some(line) = self.decoder.next(&mut bytes) {
            let line = line.map_err(|_| Fault::LongLine)?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if !is_object(&line) {
                if behind_text(&line).is_some() {
                    self.last_log_line.clone_from(&line);
                }
                self.log(&line, || escape_hidden(String::from_utf8_lossy(&line).trim_end()))?;
                continue;
            }
            match read(&line, check) {
                Ok(value) => {
                    self.rest = bytes.to_vec();
                    return Ok(Some(value));
                }
                Err(reason) => {
                    self.name(&line, &reason);
                    self.log(&line, || format!("wrote a line that is no answer: {}", shown(&line, &reason)))?;
                }
            }
        }
        Ok(None)
    }

    /// Returns the last line since the last message, if only its end or its beginning keeps it from being an answer;
    /// with the reason.
    fn unanswered<T: DeserializeOwned>(&self, check: &impl Fn(&T) -> Result<(), String>) -> Option<String> {
        let line = &self.last_log_line[..];
        if behind_text(line).is_some_and(|rest| read(rest, check).is_ok()) {
            return Some(shown(line, "the text before the answer needs a line end"));
        }
        let line = self.decoder.incomplete();
        (!line.is_empty()).then(|| shown(line, "it has no line end"))
    }

    /// Keeps the first line that looks like an answer and is none.
    fn name(&mut self, line: &[u8], reason: &str) {
        if !std::mem::replace(&mut self.was_strange, true) {
            self.strange = Some(shown(line, reason));
        }
    }

    /// Counts a line that is no answer, and shows this text of it to those who watch.
    fn log(&mut self, line: &[u8], text: impl FnOnce() -> String) -> Result<(), Fault> {
        self.log_lines += 1;
        self.log_bytes += line.len() + 1;
        if self.log_lines > MOST_LOG_LINES || self.log_bytes > MOST_LOG_BYTES {
            return Err(Fault::Flood);
        }
        if let Some(log) = &mut self.log {
            log.write(&text());
        }
        Ok(())
    }

    /// Shows a line to those who watch.
    fn tell(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            log.write(line);
        }
    }
}

/// Returns whether a line looks like an object.
fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Returns the first object behind other text, with all that follows it.
fn behind_text(line: &[u8]) -> Option<&[u8]> {
    let start = line.windows(2).position(|pair| pair == b"{\"")?;
    line.get(start..)
}

/// Reads a line as an answer that passes the check.
fn read<T: DeserializeOwned>(line: &[u8], check: &impl Fn(&T) -> Result<(), String>) -> Result<T, String> {
    let value = serde_json::from_slice(line).map_err(parser_message)?;
    check(&value).map(|()| value)
}

/// Returns the probable reason why a program does not answer: a line that looks like an answer and is none, or else the
/// buffer of its output.
fn reason_of_silence(written: Option<&str>) -> String {
    written.map_or_else(
        || "does it flush its output after each line?".to_owned(),
        |line| format!("it has written {line}"),
    )
}

fn shown(line: &[u8], reason: &str) -> String {
    format!("`{}`: {reason}", fit_for_a_log(&String::from_utf8_lossy(line)))
}

impl Answer {
    /// Checks that this is one answer, and to the message with this number.
    fn check(&self, id: u64) -> Result<(), String> {
        if let Some(other) = self.id.filter(|other| *other != id) {
            return Err(format!("it answers message {other}: expected the answer to message {id}"));
        }
        let choices = [self.act.is_some(), self.wait.is_some(), self.walk.is_some(), self.tell.is_some()];
        match choices.into_iter().filter(|choice| *choice).count() {
            1 => Ok(()),
            0 => Err("it has no answer: expected `do`, `wait`, `walk` or `tell`".to_owned()),
            _ => Err("it has several answers: expected one of `do`, `wait`, `walk` and `tell`".to_owned()),
        }
    }
}

impl Fault {
    /// Returns the reason of the end for the game's outcome.
    pub const fn termination(&self) -> Termination {
        match self {
            Self::NotStarted(_) => Termination::CannotStart,
            Self::Host(_) => Termination::HostFault,
            Self::Ended(_) => Termination::Crash,
            Self::Closed => Termination::AgentLost,
            Self::Late(_) => Termination::Time,
            Self::Silent { .. } | Self::Waits => Termination::Silence,
            Self::Flood | Self::LongLine | Self::Version(_) => Termination::Protocol,
            Self::Illegal(_) => Termination::Illegal,
        }
    }
}

/// In words, after "the program".
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(f, "cannot be started: {why}"),
            Self::Host(why) => write!(f, "cannot be started by this machine: {why}"),
            Self::Ended(how) => f.write_str(how),
            Self::Closed => f.write_str("has closed its standard input or output and still runs"),
            Self::Late(limit) => write!(f, "has not answered within {} ms", limit.as_millis()),
            Self::Silent { waited, has_answered, strange } => {
                let what = if *has_answered { "has not answered" } else { "has never answered" };
                write!(f, "{what} for {} s; {}", waited.as_secs(), reason_of_silence(strange.as_deref()))
            }
            Self::Flood => write!(
                f,
                "has written more than {MOST_LOG_LINES} lines or {MOST_LOG_BYTES} bytes without an answer among them"
            ),
            Self::LongLine => write!(f, "has written a line of more than {LONGEST_LINE} bytes"),
            Self::Illegal(what) => f.write_str(what),
            Self::Waits => f.write_str("has answered `wait` in a game without time: expected `do`"),
            Self::Version(version) => {
                write!(f, "knows version {version} of the agent protocol: expected 1 or more")
            }
        }
    }
}
