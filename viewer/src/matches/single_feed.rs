//! The feed of a page of one match, sans-IO: the lobby, the match, its end.
//!
//! The lobby and the connection of the host are ready-made messages of the game's room. Each beginning of the feed has
//! the settings and the connection in front, so that a viewer that comes late gets them as well.

use std::vec;

use game_env::SimTime;

use super::followed::{End, Followed, Frame};
use super::single::{Connection, Lobby};
use super::{Opening, Settings};
use crate::event_queue::Step;
use crate::feed;
use crate::outbox::{FeedMessage, Limits, Outbox};
use crate::room::Shown;

/// Makes the messages of a page of one match.
pub struct SingleFeed<E: Shown> {
    limits: Limits,
    settings: Option<Box<dyn Settings>>,
    connection: Option<Connection>,
    /// The last warning about the match.
    warning: Option<String>,
    phase: Phase<E>,
    /// The messages of the lobby; those of the match are in its own.
    outbox: Outbox,
}

enum Phase<E: Shown> {
    /// No lobby has been shown yet.
    Closed,
    Lobby(Lobby),
    Match(Box<Followed<E>>),
}

impl<E: Shown> SingleFeed<E> {
    /// Begins a feed without settings and lobby.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            settings: None,
            connection: None,
            warning: None,
            phase: Phase::Closed,
            outbox: Outbox::default(),
        }
    }

    /// Shows these settings.
    pub fn settings(&mut self, settings: Box<dyn Settings>) {
        self.settings = Some(settings);
        match self.phase {
            Phase::Closed | Phase::Lobby(_) => self.begin(),
            Phase::Match(_) => self.say_in_match(self.settings_message()),
        }
    }

    /// Shows the lobby.
    pub fn lobby(&mut self, lobby: Lobby) {
        self.connection.clone_from(&lobby.connection);
        self.phase = Phase::Lobby(lobby);
        self.begin();
    }

    /// Shows the connection of the host once the match has begun.
    pub fn connection(&mut self, connection: Connection) {
        let message = connection.message.clone();
        self.connection = Some(connection);
        self.say_in_match(Some(message));
    }

    /// Shows a warning.
    pub fn warn(&mut self, text: &str) {
        let message = feed::warning(text);
        match self.phase {
            Phase::Closed | Phase::Lobby(_) => self.outbox.say(message),
            Phase::Match(_) => {
                self.warning = Some(message.clone());
                self.say_in_match(Some(message));
            }
        }
    }

    /// Begins the match.
    pub fn open(&mut self, opening: Opening<E>) {
        self.warning = None;
        self.phase = Phase::Match(Box::new(Followed::new(opening, self.limits)));
        let frame = self.frame();
        if let Phase::Match(followed) = &mut self.phase {
            followed.surround(frame);
            followed.watch();
        }
    }

    /// Takes the next input of the match.
    pub fn step(&mut self, step: Step<E>) {
        if let Phase::Match(followed) = &mut self.phase {
            followed.take(step);
        }
    }

    /// Ends the match; `at` is unknown if the host has let it go before its end.
    pub fn over(&mut self, at: Option<SimTime>) {
        if let Phase::Match(followed) = &mut self.phase {
            followed.over(at);
        }
    }

    /// Takes the messages since the last call.
    pub fn new_messages(&mut self) -> vec::Drain<'_, FeedMessage> {
        match &mut self.phase {
            Phase::Closed | Phase::Lobby(_) => self.outbox.drain(),
            Phase::Match(followed) => followed.new_messages(),
        }
    }

    /// Returns the settings that were shown last.
    pub fn shown_settings(&self) -> Option<&dyn Settings> {
        self.settings.as_deref()
    }

    /// Returns whether the match has begun, so that no setting can be changed.
    pub fn has_begun(&self) -> bool {
        matches!(self.phase, Phase::Match(_))
    }

    /// Returns the reason why the operator cannot start the match now.
    pub fn start_refusal(&self) -> Option<&str> {
        match &self.phase {
            Phase::Closed => Some("the lobby is not open yet"),
            Phase::Lobby(lobby) => lobby.start_refusal.as_deref(),
            Phase::Match(_) => Some(BEGUN),
        }
    }

    /// Returns the reason why the operator cannot have the host connect now.
    pub fn connect_refusal(&self) -> Option<&str> {
        match (&self.connection, &self.phase) {
            (None, _) => Some("the host needs no connection"),
            (Some(Connection { is_connected: true, .. }), _) => Some("the host is connected already"),
            (Some(_), Phase::Match(_)) => Some(BEGUN),
            (Some(_), Phase::Closed | Phase::Lobby(_)) => None,
        }
    }

    /// Returns the reason why the operator cannot stop the match now.
    pub fn stop_refusal(&self) -> Option<&str> {
        self.end().map(|_| "the game is over already")
    }

    /// Returns the state of the match.
    pub fn state(&self) -> Option<&E> {
        match &self.phase {
            Phase::Match(followed) => Some(followed.state()),
            Phase::Closed | Phase::Lobby(_) => None,
        }
    }

    /// Returns the moment of the last input of the match that is being played.
    pub fn clock(&self) -> Option<SimTime> {
        match &self.phase {
            Phase::Match(followed) if !followed.is_over() => Some(followed.state().clock()),
            Phase::Closed | Phase::Lobby(_) | Phase::Match(_) => None,
        }
    }

    /// Returns the statistics and the replay of a match that is over.
    pub fn end(&self) -> Option<&End> {
        match &self.phase {
            Phase::Match(followed) => followed.end(),
            Phase::Closed | Phase::Lobby(_) => None,
        }
    }

    fn settings_message(&self) -> Option<String> {
        let settings = self.settings.as_ref()?.settings();
        Some(feed::settings(&settings, self.has_begun(), &[]))
    }

    /// Returns the messages around each beginning of the match.
    fn frame(&self) -> Frame {
        let connection = self.connection.as_ref().map(|connection| connection.message.clone());
        Frame {
            before: self.settings_message().into_iter().chain(connection).collect(),
            after: self.warning.iter().cloned().collect(),
        }
    }

    /// Begins the feed of the lobby anew.
    fn begin(&mut self) {
        let lobby = match &self.phase {
            Phase::Lobby(lobby) => Some(lobby.message.clone()),
            Phase::Closed | Phase::Match(_) => None,
        };
        self.outbox.begin_with(self.frame().before.into_iter().chain(lobby));
    }

    fn say_in_match(&mut self, message: Option<String>) {
        let frame = self.frame();
        if let Phase::Match(followed) = &mut self.phase {
            followed.surround(frame);
            message.into_iter().for_each(|message| followed.say(message));
        }
    }
}

const BEGUN: &str = "the game has begun already";
