//! Plays a replay again: the same actions into the same rules, checked against the recorded hashes.

use std::io::Read;

use super::line::Record;
use super::reader::{Completeness, Reader, ReplayError};
use crate::environment::{Disruption, Turn};
use crate::ids::AgentId;
use crate::notation::Notation;
use crate::outcome::Outcome;
use crate::sink::Witness;
use crate::time::SimTime;

/// An episode being played again.
///
/// Between two calls of [`Playback::advance`] the state can be drawn, cloned, or played on by other code.
pub struct Playback<'a, E: Notation> {
    reader: Reader<'a>,
    state: E,
    now: SimTime,
    count: u64,
    /// The hash of the state after this many actions and disruptions, once it was computed.
    hashed: Option<(u64, u64)>,
}

/// The result of [`Playback::advance`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// An action or a disruption was played, a note read, or the source of chance replaced.
    Played,
    /// The state has the hash that was recorded.
    Verified,
    /// The recording has ended, or breaks off; see [`Playback::summary`].
    Finished,
}

/// The result of playing a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Actions and disruptions played.
    pub count: u64,
    /// The moment of the last record that was played: an action, a disruption, a note, a new seed, or the end.
    pub time: SimTime,
    /// The outcome of the episode, if it was played to its end.
    pub outcome: Option<Outcome>,
    /// Whether the file has its end.
    pub completeness: Completeness,
}

impl<'a, E: Notation> Playback<'a, E> {
    /// Opens a replay of this game and sets up its first state.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is no replay, or one of another game, of other rules, or of a later format.
    pub fn open(file: impl Read + 'a) -> Result<Self, ReplayError> {
        Self::of(Reader::open(file)?)
    }

    /// Sets up the first state of a replay. Nothing but its header may have been read.
    ///
    /// # Errors
    ///
    /// If the replay is one of another game or of other rules.
    pub fn of(reader: Reader<'a>) -> Result<Self, ReplayError> {
        let header = reader.header();
        if header.game != E::GAME {
            return Err(ReplayError::OtherGame { found: header.game.clone(), expected: E::GAME });
        }
        if header.rules != E::RULES {
            let program = header.program.clone();
            return Err(ReplayError::OtherRules {
                game: E::GAME,
                found: header.rules,
                known: E::RULES,
                program,
            });
        }
        let config = E::read_config(&header.config).map_err(ReplayError::Config)?;
        let state = E::new(&config, header.seed);
        let teams = AgentId::all(state.agents()).map(|agent| state.team(agent));
        if !header.players.iter().map(|player| player.team).eq(teams) {
            let reason = format!("players are not those of a game of {} agents", state.agents());
            return Err(ReplayError::Corrupt { line: 1, reason });
        }
        if state.hash() != header.start() {
            return Err(ReplayError::Diverged {
                line: 1,
                recorded: format!("a start with hash {:016x}", header.start()),
                played: format!("one with hash {:016x}", state.hash()),
            });
        }
        Ok(Self { reader, state, now: SimTime::START, count: 0, hashed: None })
    }

    /// Returns the reader, with the header and the place in the file.
    pub fn reader(&self) -> &Reader<'a> {
        &self.reader
    }

    /// Returns whether more data follows the records that were read; none should follow the end of an episode.
    pub fn has_more(&mut self) -> bool {
        self.reader.has_more()
    }

    /// Returns the state after all records that were played.
    pub fn state(&self) -> &E {
        &self.state
    }

    /// Returns the moment of the record that was played last.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Plays the next record.
    ///
    /// # Errors
    ///
    /// If a line makes no sense in this game, or the game takes another course than the one recorded.
    pub fn advance(&mut self, witness: &mut impl Witness<E>) -> Result<Progress, ReplayError> {
        let Some(record) = self.reader.next_record()? else { return Ok(Progress::Finished) };
        match record {
            Record::Action { at, agent, action } => {
                self.move_clock(at)?;
                self.check_agent(agent)?;
                let action = action.parse().map_err(|error| self.corrupt(format!("{error}")))?;
                witness.action(&self.state, at, agent, &action);
                self.state.step(at, agent, action, &mut witness.sink());
                self.count += 1;
                Ok(Progress::Played)
            }
            Record::Note { at, agent, note } => {
                self.move_clock(at)?;
                self.check_agent(agent)?;
                witness.note(&self.state, at, agent, &note);
                Ok(Progress::Played)
            }
            Record::Disruption { at, disruption } => {
                self.move_clock(at)?;
                match disruption {
                    Disruption::AgentLost(agent)
                    | Disruption::DeadlineMissed(agent)
                    | Disruption::Forfeited(agent, _) => self.check_agent(agent)?,
                    Disruption::Ended(_) => {}
                }
                witness.disruption(&self.state, at, disruption);
                self.state.disrupt(at, disruption, &mut witness.sink());
                self.count += 1;
                Ok(Progress::Played)
            }
            Record::Reseed { at, seed } => {
                self.move_clock(at)?;
                witness.reseed(&self.state, at, seed);
                self.state.reseed(seed);
                self.hashed = None;
                Ok(Progress::Played)
            }
            Record::Hash { count, hash, .. } => {
                self.check_state(count, hash)?;
                Ok(Progress::Verified)
            }
            Record::End { at, count, hash, outcome } => {
                self.move_clock(at)?;
                self.check_state(count, hash)?;
                match self.state.turn() {
                    Turn::Over(played) if played == outcome => {
                        witness.end(&self.state, at);
                        Ok(Progress::Finished)
                    }
                    played => Err(self.diverged(format!("{outcome:?}"), format!("{played:?}"))),
                }
            }
        }
    }

    /// Plays everything up to and at this moment, and nothing later. The state can then be looked at, or be continued
    /// in another way.
    ///
    /// To continue it, play a clone of [`Playback::state`]. To record that as well, let the new recording be the
    /// witness of this playback first, so that it holds the game from its start.
    ///
    /// # Errors
    ///
    /// As [`Playback::advance`].
    pub fn advance_until(
        &mut self,
        moment: SimTime,
        witness: &mut impl Witness<E>,
    ) -> Result<Progress, ReplayError> {
        while self.reader.next_moment()?.is_some_and(|at| at <= moment) {
            if self.advance(witness)? == Progress::Finished {
                return Ok(Progress::Finished);
            }
        }
        Ok(if self.reader.completeness().is_some() { Progress::Finished } else { Progress::Played })
    }

    /// Plays all that is left.
    ///
    /// # Errors
    ///
    /// As [`Playback::advance`].
    pub fn run(&mut self, witness: &mut impl Witness<E>) -> Result<Summary, ReplayError> {
        while self.advance(witness)? != Progress::Finished {}
        Ok(self.summary())
    }

    /// Returns the result of the replay so far.
    pub fn summary(&self) -> Summary {
        let unread =
            || Completeness::Truncated { line: self.reader.line(), reason: "not read further".to_owned() };
        Summary {
            count: self.count,
            time: self.now,
            outcome: match self.state.turn() {
                Turn::Over(outcome) => Some(outcome),
                Turn::Act { .. } => None,
            },
            completeness: self.reader.completeness().cloned().unwrap_or_else(unread),
        }
    }

    fn move_clock(&mut self, at: SimTime) -> Result<(), ReplayError> {
        if at < self.now {
            return Err(self.corrupt(format!("time runs back from {} to {at}", self.now)));
        }
        self.now = at;
        Ok(())
    }

    fn check_agent(&self, agent: AgentId) -> Result<(), ReplayError> {
        let agents = self.state.agents();
        if agent.index() < agents {
            return Ok(());
        }
        Err(self.corrupt(format!("agent {agent}: this game has {agents} agents, counted from #0")))
    }

    fn check_state(&mut self, count: u64, hash: u64) -> Result<(), ReplayError> {
        // Any number of hashes may follow one another, and each of a large state takes time.
        let known = self.hashed.filter(|(after, _)| *after == self.count);
        let played = known.map_or_else(|| self.state.hash(), |(_, hash)| hash);
        self.hashed = Some((self.count, played));
        if (count, hash) == (self.count, played) {
            return Ok(());
        }
        let tell = |count, hash| format!("hash {hash:016x} after {count} actions");
        Err(self.diverged(tell(count, hash), tell(self.count, played)))
    }

    fn corrupt(&self, reason: String) -> ReplayError {
        ReplayError::Corrupt { line: self.reader.line(), reason }
    }

    fn diverged(&self, recorded: String, played: String) -> ReplayError {
        ReplayError::Diverged { line: self.reader.line(), recorded, played }
    }
}
