//! The host's handle of a page of one match: a lobby, then the match.
//!
//! It only puts entries into the queue to the viewers' thread, where a [`SingleFeed`](super::SingleFeed) makes messages
//! of them.

use game_env::{AgentId, Environment, Note};

use super::{Change, LiveMatch, Matches, Opening, Settings};
use crate::event_queue::Step;
use crate::room::Shown;

/// A page of one match with a lobby before it. Clones are handles of the same page.
#[derive(Debug)]
pub struct SinglePage<E: Environment> {
    matches: Matches<E>,
}

impl<E: Environment> Clone for SinglePage<E> {
    fn clone(&self) -> Self {
        Self { matches: self.matches.clone() }
    }
}

/// The lobby of a match that has not begun.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lobby {
    /// The message of the game's room that draws the lobby.
    pub message: String,
    /// The reason why the operator cannot start the match yet; none if it can.
    pub start_refusal: Option<String>,
    /// The connection of the host to a server; none if the host needs no server.
    pub connection: Option<Connection>,
}

/// The connection of a host to a server that passes on the players' messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connection {
    /// The message of the game's room that shows the connection.
    pub message: String,
    /// Whether the host is connected. Until it is, the operator can have it connect.
    pub is_connected: bool,
}

impl<E: Shown> SinglePage<E> {
    pub(crate) fn new(matches: Matches<E>) -> Self {
        Self { matches }
    }

    /// Shows these settings. The operator can change them until the match begins:
    /// [`Request::Configure`](super::Request).
    pub fn settings(&self, settings: impl Settings + 'static) {
        self.matches.settings(settings);
    }

    /// Shows the lobby in place of the one before.
    pub fn lobby(&self, lobby: Lobby) {
        self.matches.push(Change::Lobby(lobby));
    }

    /// Shows a change of the connection once the match has begun; before, it is a part of the [`Lobby`].
    pub fn connection(&self, connection: Connection) {
        self.matches.push(Change::Connection(connection));
    }

    /// Warns viewers of something that a person has to set right, also those who come later in the match.
    pub fn warn(&self, text: &str) {
        self.matches.push(Change::Warned(text.to_owned()));
    }

    /// Begins the match.
    pub fn open(&self, opening: Opening<E>) -> LiveMatch<E> {
        self.matches.open(opening)
    }

    /// Shows what the strategy of an agent notes, from any thread: beside the last step that viewers have been shown.
    /// It never waits; if viewers are far behind, the note is lost.
    pub fn note(&self, agent: AgentId, note: Note) {
        self.matches.push_if_room(|newest| Change::Step(newest, Step::Note(agent, note)));
    }
}
