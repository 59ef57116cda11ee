//! Games as tables: the events of any game, and the messages of games whose agents talk to each other.
//!
//! Rows are CSV. This module plays replays back and opens no file.

use std::io::{self, Write};

use contests::text::csv_cell;
use game_env::replay::{Reader, ReplayError};

use crate::file::League;
use crate::project::messages;
use crate::schedule::MatchId;

/// The head of the table of events.
pub const EVENTS: &str = "match,id,time_ms,is_refusal,event\n";

/// The tables of the messages of a game.
#[derive(Clone, Copy, Debug)]
pub struct MessageTables {
    /// The game's name.
    pub game: &'static str,
    /// The head of the table of messages.
    pub messages: &'static str,
    /// The head of the table of claims.
    pub claims: &'static str,
    pub(crate) write: fn(&Game<'_>, &mut dyn Write, &mut dyn Write) -> Result<(), ExportError>,
}

/// Every game whose messages can be exported.
pub static MESSAGE_TABLES: &[MessageTables] = &[messages::TABLES];

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

    /// Writes a row for each message into the first table, and a row for each claim of a message into the second.
    ///
    /// # Errors
    ///
    /// Fails if the replay is faulty or of another game, or a row cannot be written.
    pub fn messages(
        &self,
        tables: &MessageTables,
        messages: &mut dyn Write,
        claims: &mut dyn Write,
    ) -> Result<(), ExportError> {
        (tables.write)(self, messages, claims)
    }
}
