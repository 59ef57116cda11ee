//! Games as tables: the events of any game, and the messages of games whose agents talk to each other. Leagues as
//! folders of files, as other programs of a game write them.
//!
//! Rows are CSV. This module plays replays back and opens no file.

use std::io::{self, Write};

use contests::text::csv_cell;
use game_env::TeamId;
use game_env::messages::{Claim, ClaimVerdict, Message};
use game_env::replay::{Reader, ReplayError};

use crate::bricks::original_files;
use crate::file::League;
use crate::schedule::MatchId;
use crate::store::{Store, StoreError, StoredMatch};

/// The head of the table of events.
pub(crate) const EVENTS: &str = "match,id,time_ms,is_refusal,event\n";

/// The head of the table of messages.
pub(crate) const MESSAGES: &str = "match,id,message,time_ms,kind,from,from_team,from_entrant,to,to_team,to_entrant,claims,honest,\
                                   stale,mistaken,lies,believed,believed_false,verdict\n";

/// The head of the table of claims.
pub(crate) const CLAIMS: &str = "match,id,message,time_ms,from,to,x,y,about,said,truth,verdict,believed\n";

/// The result files of another program of a game.
#[derive(Clone, Copy, Debug)]
pub struct ResultFolder {
    /// The game's name.
    pub game: &'static str,
    /// The source of the logs that `write` needs, one for each match.
    pub(crate) source: &'static str,
    pub(crate) write: fn(&League, &mut Matches<'_>) -> Result<ResultFiles, FolderError>,
}

/// Every game with result files of another program.
pub static RESULT_FOLDERS: &[ResultFolder] = &[original_files::FILES];

/// Matches one after the other, so that their replays are not in memory at one time.
pub(crate) type Matches<'a> = dyn Iterator<Item = Result<PlayedMatch, StoreError>> + 'a;

/// A match with what its store has of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PlayedMatch {
    pub(crate) stored: StoredMatch,
    /// The text of its last log from [`ResultFolder::source`]; none if the store has no log from there.
    pub(crate) log: Option<String>,
    pub(crate) replay: Option<Vec<u8>>,
}

/// The content of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultFiles {
    /// The files: their paths in the folder, and their texts.
    pub files: Vec<(String, String)>,
    /// The number of matches that the files cannot describe, because nobody has won them.
    pub left_out: u64,
}

/// A reason for which result files cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files cannot hold the name of an entrant.
    #[error("the name of an entrant is {0}")]
    Name(String),
    /// A match lacks something.
    #[error("match {number} cannot be exported: {why}")]
    Match {
        /// The number of the match.
        number: u64,
        /// The fault.
        why: String,
    },
}

impl ResultFolder {
    /// Returns the result files of the matches of a league up to this number, as far as they have been played.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or lacks the report or the replay of a match, or the files cannot hold a name.
    pub fn files(&self, league: &League, store: &Store, last: u64) -> Result<ResultFiles, FolderError> {
        let mut numbers = Vec::new();
        store.for_each(last, |stored, _| {
            if league.can_have(&stored.id) {
                numbers.push(stored.number);
            }
            Ok::<(), StoreError>(())
        })?;
        let played = |number: u64| {
            let Some(stored) = store.find(number)? else { return Ok(None) };
            let logs = store.logs(number)?;
            let log = logs.into_iter().rev().find(|(_, log)| log.source == self.source);
            let replay = store.replay(number)?;
            Ok(Some(PlayedMatch { stored, log: log.map(|(_, log)| log.text), replay }))
        };
        let mut matches = numbers.into_iter().filter_map(|number| played(number).transpose());
        (self.write)(league, &mut matches)
    }
}

/// A match with its replay.
#[derive(Clone, Copy, Debug)]
pub struct Game<'a> {
    /// Its league.
    pub league: &'a League,
    /// Its place in the league, from 1 on.
    pub number: u64,
    /// Its id in the league.
    pub id: &'a MatchId,
    /// Its replay.
    pub replay: &'a [u8],
}

/// An error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Its replay is faulty.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A row cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

impl Game<'_> {
    /// Writes a row for each event. Games without a name in the catalogue have none.
    ///
    /// # Errors
    ///
    /// Fails if the replay is faulty, or a row cannot be written.
    pub fn events(&self, out: &mut dyn Write) -> Result<(), ExportError> {
        let Ok(game) = game_catalogue::find(&self.league.game) else { return Ok(()) };
        let mut written = Ok(());
        game.events(Reader::open(self.replay)?, &mut |now, event, is_refusal| {
            if written.is_ok() {
                let (number, id) = (self.number, self.id);
                let (time, refusal) = (now.as_millis(), u8::from(is_refusal));
                let event = csv_cell(&event.to_string());
                written = writeln!(out, "{number},{id},{time},{refusal},{event}");
            }
        })?;
        Ok(written?)
    }

    /// Writes a row for each message into the first table, and a row for each claim of a message into the second. Games
    /// whose agents do not talk, and those without a name in the catalogue, have none.
    ///
    /// # Errors
    ///
    /// Fails if the replay is faulty or of another game, or a row cannot be written.
    pub fn messages(&self, messages: &mut dyn Write, claims: &mut dyn Write) -> Result<(), ExportError> {
        let Ok(game) = game_catalogue::find(&self.league.game) else { return Ok(()) };
        let (mut count, mut written) = (0, Ok(()));
        game.messages(Reader::open(self.replay)?, &mut |message, teams| {
            count += 1;
            if written.is_ok() {
                written = self.message(game, count, &message, teams, messages, claims);
            }
        })?;
        Ok(written?)
    }

    /// Writes one message, the `count`th of the match.
    fn message(
        &self,
        game: &dyn game_catalogue::Game,
        count: u64,
        message: &Message,
        teams: [TeamId; 2],
        messages: &mut dyn Write,
        claims: &mut dyn Write,
    ) -> io::Result<()> {
        let (number, id, time) = (self.number, self.id, message.at.as_millis());
        for Claim { at: (x, y), about, said, truth, verdict, is_believed } in message.claims.iter().flatten()
        {
            let (from, to, is_believed) = (message.from.index(), message.to.index(), u8::from(*is_believed));
            writeln!(
                claims,
                "{number},{id},{count},{time},{from},{to},{x},{y},{about},{said},{truth},{verdict},{is_believed}"
            )?;
        }
        write!(messages, "{number},{id},{count},{time},{}", message.kind)?;
        for (agent, team) in [message.from, message.to].into_iter().zip(teams) {
            let entrant = self.league.seated(self.id)[team.index()];
            let team = game.team_names()[team.index()];
            write!(messages, ",{},{team},{}", agent.index(), csv_cell(&entrant.name))?;
        }
        if message.claims.is_none() {
            return writeln!(messages, ",,,,,,,,");
        }
        let (counts, believed) = (message.made(), message.believed());
        let [honest, stale, mistaken, lies] = ClaimVerdict::ALL.map(|verdict| counts.of(verdict));
        let (all, worst) = (counts.total(), counts.worst());
        let (taken, taken_false) = (believed.total(), believed.false_ones());
        writeln!(messages, ",{all},{honest},{stale},{mistaken},{lies},{taken},{taken_false},{worst}")
    }
}
