//! Writes a replay while the game is played.

use std::io::{self, Write};

use super::header::{Header, Player};
use super::line::Line;
use super::{DIGEST_BYTES_PER_ACTION, HASH_INTERVAL, LATEST, LONGEST_HEADER, LONGEST_LINE};
use crate::digest::Digest;
use crate::environment::{Disruption, Environment, Turn};
use crate::ids::AgentId;
use crate::notation::Notation;
use crate::note::Note;
use crate::seed::Seed;
use crate::sink::Witness;
use crate::time::SimTime;

/// A [`Witness`] that writes every action and disruption, a hash now and then, and the end.
///
/// A full disk does not stop a game: the first error is kept, nothing is written after it, and [`Writer::finish`] and
/// [`Writer::flush`] return it.
pub struct Writer<W: Write> {
    out: zstd::stream::write::Encoder<'static, W>,
    line: Vec<u8>,
    action: String,
    count: u64,
    next_hash: u64,
    last: SimTime,
    /// The hash of the first state, as the header has it; none once it was compared.
    start: Option<u64>,
    error: Option<io::Error>,
    /// Bytes since the last block ended.
    pending: usize,
}

/// The bytes of lines in a block. If a file was cut, the part after its last whole block is lost; each block costs a
/// little compression.
const BLOCK: usize = 4096;

/// Begins a compressed file with this header. Fails if no reader accepts its length.
pub(super) fn compressed<W: Write>(
    out: W,
    header: &Header,
) -> io::Result<zstd::stream::write::Encoder<'static, W>> {
    let mut line = serde_json::to_vec(header)?;
    line.push(b'\n');
    if line.len() >= LONGEST_HEADER {
        let reason = format!("a header of {} bytes: at most {} are read", line.len(), LONGEST_HEADER - 1);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let mut out = zstd::stream::write::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    out.include_checksum(true)?;
    out.write_all(&line)?;
    Ok(out)
}

impl Writer<Vec<u8>> {
    /// Begins a replay in memory: that of an episode with the usual limits, whose players all have this name.
    ///
    /// # Panics
    ///
    /// If the header is longer than readers accept.
    pub fn in_memory<E: Notation>(config: &E::Config, seed: Seed, name: &str, program: &str) -> Self {
        let players = Player::all(&E::new(config, seed), |_| name);
        let header = Header::new::<E>(config, seed, players, program);
        Self::new(Vec::new(), &header).expect("memory takes all that is written")
    }
}

impl<W: Write> Writer<W> {
    /// Begins a replay with its header.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written to, or the header is longer than readers accept.
    pub fn new(out: W, header: &Header) -> io::Result<Self> {
        Ok(Self {
            out: compressed(out, header)?,
            line: Vec::new(),
            action: String::new(),
            count: 0,
            next_hash: HASH_INTERVAL,
            last: SimTime::START,
            start: Some(header.start()),
            error: None,
            pending: 0,
        })
    }

    /// Brings all that was written so far to `out`, so that it survives the end of this process.
    ///
    /// Each call costs a little compression: once a second is often enough.
    ///
    /// # Errors
    ///
    /// If this or an earlier write failed; later calls and [`Writer::finish`] then say only that it did.
    pub fn flush(&mut self) -> io::Result<()> {
        self.take_error()?;
        self.end_block()
    }

    /// Ends the file and returns the destination.
    ///
    /// # Errors
    ///
    /// If this or an earlier write failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.take_error()?;
        self.out.finish()
    }

    fn take_error(&mut self) -> io::Result<()> {
        match &mut self.error {
            None => Ok(()),
            Some(error) => Err(std::mem::replace(error, io::Error::other("an earlier write failed"))),
        }
    }

    fn write(&mut self, line: &Line<'_>) {
        if self.error.is_none() {
            self.error = self.try_to_write(line).err();
        }
    }

    fn try_to_write(&mut self, line: &Line<'_>) -> io::Result<()> {
        // A line that no reader accepts is not written.
        let refuse = |reason: String| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        if line.at() > LATEST {
            return refuse(format!("a moment of {}: a replay ends at {LATEST}", line.at()));
        }
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        if self.line.len() > LONGEST_LINE {
            return refuse(format!("a line of {} bytes: at most {LONGEST_LINE} are read", self.line.len()));
        }
        self.out.write_all(&self.line)?;
        self.pending += self.line.len();
        if self.pending > BLOCK { self.end_block() } else { Ok(()) }
    }

    /// Ends a block of the compressed file: whole blocks can be read even if the file is cut.
    fn end_block(&mut self) -> io::Result<()> {
        self.pending = 0;
        self.out.flush()
    }

    /// Checks that the first input changes the state that the header names.
    fn check_start<E: Environment>(&mut self, state: &E) {
        if self.start.take().is_some_and(|start| state.hash() != start) && self.error.is_none() {
            let reason = "the game does not begin as the replay's header says: record it from its start";
            self.error = Some(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
    }

    fn count<E: Environment>(&mut self, state: &E, now: SimTime) {
        self.check_start(state);
        // The hash is that of the state before this action, after the ones counted.
        if self.count == self.next_hash {
            let mut digest = Digest::new();
            state.digest(&mut digest);
            self.write(&Line::hash(self.last, self.count, digest.finish()));
            self.next_hash += HASH_INTERVAL.max(digest.weight() / DIGEST_BYTES_PER_ACTION);
        }
        self.count += 1;
        self.last = now;
    }
}

impl<E: Notation, W: Write> Witness<E> for Writer<W> {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        use std::fmt::Write as _;

        self.count(state, now);
        let mut text = std::mem::take(&mut self.action);
        text.clear();
        write!(text, "{action}").expect("a string takes all that is written");
        self.write(&Line::action(now, agent, &text));
        self.action = text;
    }

    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        self.count(state, now);
        self.write(&Line::disruption(now, disruption));
    }

    fn reseed(&mut self, state: &E, now: SimTime, seed: Seed) {
        self.check_start(state);
        self.write(&Line::reseed(now, seed));
    }

    fn note(&mut self, _: &E, now: SimTime, agent: AgentId, note: &Note) {
        self.write(&Line::note(now, agent, note));
    }

    fn end(&mut self, state: &E, now: SimTime) {
        if let Turn::Over(outcome) = state.turn() {
            // Even if the last bytes of the file are lost, all of the game before its end can be read.
            if self.error.is_none() {
                self.error = self.end_block().err();
            }
            self.write(&Line::end(now, self.count, state.hash(), outcome));
        }
    }
}
