//! The events of a hosted game, from its lobby to its end, for the queue to the viewers.

use std::sync::Arc;

use game_env::replay::Player;
use game_env::{AgentId, ByTeam, Disruption, Note, Seed, SimTime, Witness};
use game_project::{Action, State};
use wire::project::AgentNumber;

use super::host::NotConfigured;
use crate::event_queue::{EventQueue, Step};

/// An event of a hosted game of The Project Game.
#[derive(Debug)]
pub enum HostEvent {
    /// The agents that have joined, reported at each change.
    Lobby {
        /// The most agents of a team.
        team_size: u16,
        /// The connections of each team.
        members: ByTeam<Vec<AgentNumber>>,
    },
    /// The state of the connection to the communication server.
    Server(Server),
    /// The host warns the viewers of something that a person has to set right.
    Warned(String),
    /// The result of the settings that the page asked for.
    Configured(Result<(), NotConfigured>),
    /// The game begins.
    Began {
        /// Its first state.
        state: Box<State>,
        /// The seed of its random numbers.
        seed: Seed,
        /// The players, in the order of agent ids.
        players: Vec<Player>,
    },
    /// The game goes on.
    Step(Step<State>),
    /// The game is over.
    Over(SimTime),
}

/// The connection to the communication server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// The server's name or address.
    pub host: String,
    /// Its port for the game master.
    pub port: u16,
    /// The state of the connection.
    pub contact: Contact,
}

/// The state of the connection to a communication server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contact {
    /// It is being made.
    Connecting,
    /// It is there.
    Connected,
    /// It cannot be made, or is no communication server's: the parameter that is probably wrong, and what happened.
    Failed(&'static str, String),
    /// It was there and is no more: what happened.
    Lost(String),
}

/// A [`Witness`] that puts all events into an [`EventQueue`].
#[derive(Clone, Debug)]
pub struct QueueWriter {
    event_queue: Arc<EventQueue<HostEvent>>,
    strategies: ByTeam<Vec<String>>,
}

impl QueueWriter {
    /// Writes to this queue.
    pub fn new(event_queue: Arc<EventQueue<HostEvent>>) -> Self {
        Self { event_queue, strategies: ByTeam::default() }
    }

    /// The same where the strategies are known, each team's in the order in which it joins.
    pub fn with_strategies(self, strategies: ByTeam<Vec<String>>) -> Self {
        Self { strategies, ..self }
    }

    /// The strategies as far as they are known, each team's in the order in which it joins.
    pub fn strategies(&self) -> &ByTeam<Vec<String>> {
        &self.strategies
    }

    /// Passes on the agents that have joined: the connections of each team, which has at most this many agents.
    pub fn lobby(&self, team_size: u16, members: ByTeam<Vec<AgentNumber>>) {
        self.event_queue.push(HostEvent::Lobby { team_size, members });
    }

    /// Passes on a warning.
    pub fn warned(&self, text: String) {
        self.event_queue.push(HostEvent::Warned(text));
    }

    /// Passes on the result of the first settings that were asked for and are not answered yet.
    pub fn configured(&self, result: Result<(), NotConfigured>) {
        self.event_queue.push(HostEvent::Configured(result));
    }

    /// Passes on that the game begins; `players` are in the order of agent ids.
    pub fn began(&self, state: &State, seed: Seed, players: Vec<Player>) {
        self.event_queue.push(HostEvent::Began { state: Box::new(state.clone()), seed, players });
    }

    /// Passes on the state of the connection to the communication server. A board that never receives it belongs to a
    /// game whose server is in the same process.
    pub fn server(&self, server: Server) {
        self.event_queue.push(HostEvent::Server(server));
    }

    /// Passes on a note of an agent's strategy. It does not wait; the note is lost if there is no room.
    pub fn note(&self, agent: AgentId, note: Note) {
        if !self.event_queue.is_full() {
            self.event_queue.push(HostEvent::Step(Step::Note(agent, note)));
        }
    }

    /// `state` is the one before the step.
    fn push_step(&self, state: &State, step: Step<State>) {
        let is_step = |event: &HostEvent| matches!(event, HostEvent::Step(_));
        let lost = || HostEvent::Step(Step::Lost(Box::new(state.clone())));
        self.event_queue.push_step(HostEvent::Step(step), is_step, lost);
    }
}

impl Witness<State> for QueueWriter {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.push_step(state, Step::Action(now, agent, action.clone()));
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.push_step(state, Step::Disruption(now, disruption));
    }

    fn end(&mut self, _: &State, now: SimTime) {
        self.event_queue.push(HostEvent::Over(now));
    }
}
