//! Turns the requests of a hosted game into messages for the page, sans-IO.
//!
//! It plays the game again, so it has the same state as the game master at any time: for the feed, the statistics,
//! a replay to save, and a start from the middle of the game.

use std::sync::Arc;

use game_env::replay::Header;
use game_env::{ByTeam, Environment as _, SimTime};
use game_project::{Fault, State};
use serde_json::Value;
use wire::project::AgentNumber;

use super::feed::{self as project_feed, Feed};
use super::host::Host;
use super::host_events::{Contact, HostEvent, Server};
use crate::course::Course;
use crate::feed::{self, PROGRAM};
use crate::outbox::{FeedMessage, Limits, Outbox};

/// The messages of one hosted game for its viewers, from the lobby to the end.
pub struct Spectator {
    host: Arc<dyn Host>,
    server: Option<Server>,
    /// The last warning about the game that is played.
    warning: Option<String>,
    phase: Phase,
    limits: Limits,
    outbox: Outbox,
}

enum Phase {
    Lobby { team_size: u16, members: ByTeam<Vec<AgentNumber>> },
    Play(Box<Course<State, Feed>>),
    Over { statistics: Value, replay: Option<Vec<u8>> },
}

impl Spectator {
    /// Starts with an empty lobby.
    pub fn new(host: Arc<dyn Host>, limits: Limits) -> Self {
        let lobby = Phase::Lobby { team_size: host.team_size(), members: ByTeam::default() };
        let mut spectator =
            Self { host, server: None, warning: None, phase: lobby, limits, outbox: Outbox::default() };
        spectator.tell_anew();
        spectator
    }

    /// Returns the host of the game, with its configuration.
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.host
    }

    /// The game is hosted in another way from now on.
    pub fn reconfigured(&mut self, host: Arc<dyn Host>) {
        self.host = host;
        self.tell_anew();
    }

    /// Takes in what happened.
    pub fn take(&mut self, event: HostEvent) {
        match event {
            HostEvent::Lobby { team_size, members } => {
                self.phase = Phase::Lobby { team_size, members };
                self.tell_anew();
            }
            HostEvent::Server(server) => {
                let is_lost = !matches!(server.contact, Contact::Connecting | Contact::Connected);
                let message = project_feed::server(&server);
                self.server = Some(server);
                match &mut self.phase {
                    Phase::Lobby { members, .. } => {
                        if is_lost {
                            *members = ByTeam::default();
                        }
                        self.tell_anew();
                    }
                    Phase::Play(_) | Phase::Over { .. } => self.outbox.say(message),
                }
            }
            HostEvent::Warned(text) => {
                self.outbox.say(feed::warning(&text));
                self.warning = Some(text);
            }
            // The caller knows its reason.
            HostEvent::Configured(_) => {}
            HostEvent::Began { state, seed, players } => {
                self.warning = None;
                let feed = Feed::new(&state, seed, &players);
                let header = Header::new::<State>(state.config(), seed, players, PROGRAM);
                self.phase = Phase::Play(Box::new(Course::new(*state, feed, &header, self.limits.replay)));
                self.tell_anew();
            }
            HostEvent::Step(step) => {
                let Phase::Play(course) = &mut self.phase else { return };
                if course.take(step) { self.outbox.say_many_events(course) } else { self.tell_anew() }
            }
            HostEvent::Over(at) => self.over(at),
        }
    }

    /// Takes the messages since the last call.
    pub fn new_messages(&mut self) -> impl Iterator<Item = FeedMessage> + '_ {
        if let Phase::Play(course) = &mut self.phase {
            self.outbox.say_events(course);
            if self.outbox.bytes() > self.limits.feed {
                self.tell_anew();
            }
        }
        self.outbox.drain()
    }

    /// The settings as a message.
    pub fn settings(&self, host: &dyn Host, faults: &[Fault]) -> String {
        feed::settings(&host.settings(), !matches!(self.phase, Phase::Lobby { .. }), faults)
    }

    /// Whether the game has not begun, and may.
    pub fn may_start(&self) -> bool {
        matches!(&self.phase, Phase::Lobby { members, .. } if members.iter().all(|members| !members.is_empty()))
    }

    /// Whether there is a connection to a communication server, which another one could not take the place of.
    pub fn is_connected(&self) -> bool {
        self.server.as_ref().is_none_or(|server| server.contact == Contact::Connected)
    }

    /// Whether the game is being played.
    pub fn is_playing(&self) -> bool {
        matches!(self.phase, Phase::Play(_))
    }

    /// Whether the lobby is open.
    pub fn is_lobby(&self) -> bool {
        matches!(self.phase, Phase::Lobby { .. })
    }

    /// The moment of what happened last in the game that is being played.
    pub fn clock(&self) -> Option<SimTime> {
        match &self.phase {
            Phase::Play(course) => Some(course.state().clock()),
            Phase::Lobby { .. } | Phase::Over { .. } => None,
        }
    }

    /// The statistics, once the game is over.
    pub fn statistics(&self) -> Option<&Value> {
        match &self.phase {
            Phase::Over { statistics, .. } => Some(statistics),
            Phase::Lobby { .. } | Phase::Play(_) => None,
        }
    }

    /// The replay, once the game is over, if it was not too long.
    pub fn replay(&self) -> Option<&[u8]> {
        match &self.phase {
            Phase::Over { replay, .. } => replay.as_deref(),
            Phase::Lobby { .. } | Phase::Play(_) => None,
        }
    }

    fn over(&mut self, at: SimTime) {
        let Phase::Play(course) = &mut self.phase else { return };
        self.outbox.say_events(course);
        let replay = course.finish_replay(at);
        let statistics = course.document();
        self.outbox.say(feed::statistics(&statistics, replay.is_some()));
        self.phase = Phase::Over { statistics, replay };
    }

    /// Restarts the feed with everything that is needed to draw the game as it stands.
    fn tell_anew(&mut self) {
        let settings = self.settings(&*self.host, &[]);
        let other = match &mut self.phase {
            Phase::Lobby { team_size, members } => {
                project_feed::lobby(*team_size, members, self.host.starts())
            }
            Phase::Play(course) => course.start_anew(),
            Phase::Over { .. } => return,
        };
        self.outbox.begin(settings);
        if let Some(server) = &self.server {
            self.outbox.say(project_feed::server(server));
        }
        self.outbox.say(other);
        if let (Phase::Play(_), Some(text)) = (&self.phase, &self.warning) {
            self.outbox.say(feed::warning(text));
        }
    }
}
