//! Feeds of small games, sans-IO: with every event a whole picture of the board, which the room only draws.
//!
//! No state is kept by the page, so no rule is written twice. A picture is sent again with each event: for games of
//! some hundred events on boards of some hundred fields. Games with larger boards send less ([`Picture::update`]).

use std::fmt::Write as _;

use game_env::replay::Player;
use game_env::{AgentId, Disruption, Environment, Notation, Note, Outcome, Seed, SimTime, Turn, Witness};
use serde_json::{Value, json};

use crate::feed::{drawn, events_message};
use crate::room::GameFeed;

/// A game that is shown by pictures, each whole or with what is new in it.
pub trait Picture: Notation<Event: Clone> {
    /// Returns everything that the room draws of this state.
    fn picture(&self) -> Value;

    /// Returns the part of the state that the room needs after an event: the whole picture, unless pictures are
    /// large, and the room can draw the rest from the events before.
    fn update(&self) -> Value {
        self.picture()
    }

    /// Returns whether the page counts moves, one a second, instead of the game's own time: in games of turns, and in
    /// those whose players act faster than anybody can watch.
    fn counts_moves() -> bool {
        Self::DESCRIPTION.time.has_turns()
    }

    /// Returns whether a seed decides anything that the page knows: it shows the seed then.
    fn has_seed() -> bool {
        true
    }

    /// Returns an event as the room lists it.
    fn entry(event: &Self::Event) -> Entry;
}

/// An event as the page lists it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The kind of the event; the room has words and a sign for each kind.
    pub kind: &'static str,
    /// The agent that acted.
    pub agent: Option<AgentId>,
    /// All else that the room needs to put the event into words.
    pub about: Value,
}

impl Entry {
    /// Returns the end of a game: who has won, how it ended, and through whose fault.
    pub fn over(outcome: &Outcome) -> Self {
        let about = json!({
            "winner": outcome.winner().map(|team| team.index()),
            "termination": outcome.termination.to_string(),
            "fault": outcome.fault.map(AgentId::index),
        });
        Self { kind: "end", agent: None, about }
    }
}

/// Returns the agent that is to move, as the page names agents; null if there is none.
pub fn mover(state: &impl Environment) -> Value {
    match state.turn() {
        Turn::Act { agent, .. } => json!(agent.index()),
        Turn::Over(_) => Value::Null,
    }
}

/// The milliseconds from one move to the next on the page, where it counts moves ([`Picture::counts_moves`]).
pub const MOVE_MS: u64 = 1000;

/// The feed of a game that is shown by whole pictures.
#[derive(Clone, Debug)]
pub struct Pictures<E: Notation> {
    /// None if it is hidden.
    seed: Option<Seed>,
    players: Vec<Player>,
    /// Actions so far.
    steps: u64,
    /// The events of the last step.
    unsettled: Vec<(SimTime, E::Event)>,
    /// Entries that nobody has taken, each with a comma behind it.
    entries: String,
}

impl<E: Picture> Pictures<E> {
    fn seed(&self) -> Value {
        json!(self.seed.filter(|_| E::has_seed()).map(|seed| seed.to_string()))
    }

    fn write(&mut self, state: &E, at: SimTime, entry: Entry) {
        let Entry { kind, agent, about } = entry;
        let agent = agent.map_or(json!(-1), |agent| json!(agent.index()));
        let entry = json!([Self::moment(self.steps, at), kind, agent, about, state.update()]);
        write!(self.entries, "{entry},").expect("a string takes all that is written");
    }
}

impl<E: Picture> GameFeed<E> for Pictures<E> {
    fn new(_: &E, seed: Seed, players: &[Player]) -> Self {
        let seed = Some(seed);
        Self { seed, players: players.to_vec(), steps: 0, unsettled: Vec::new(), entries: String::new() }
    }

    fn start(&self, state: &E) -> String {
        let agent = |agent: AgentId| {
            json!({
                "id": agent.index(),
                "team": state.team(agent).index(),
                "name": self.players.get(agent.index()).map(|player| &player.name),
            })
        };
        json!({
            "kind": "start",
            "t": Self::moment(self.steps, state.clock()),
            "title": E::DESCRIPTION.title,
            "turns": E::counts_moves(),
            "seed": self.seed(),
            "agents": AgentId::all(state.agents()).map(agent).collect::<Value>(),
            "picture": state.picture(),
        })
        .to_string()
    }

    fn settle(&mut self, state: &E) {
        for (at, event) in std::mem::take(&mut self.unsettled) {
            self.write(state, at, E::entry(&event));
        }
    }

    fn resume(&mut self, _: &E) {
        self.unsettled.clear();
        self.entries.clear();
    }

    fn hide_seed(&mut self) {
        self.seed = None;
    }

    fn waiting(&self) -> usize {
        self.entries.len()
    }

    fn take(&mut self) -> Option<String> {
        events_message(&mut self.entries)
    }

    fn document(&self, state: &E) -> Value {
        let outcome = match state.turn() {
            Turn::Over(outcome) => json!({
                "winner": outcome.winner().map(|team| team.index()),
                "termination": outcome.termination.to_string(),
                "points": outcome.returns.points(),
            }),
            Turn::Act { .. } => Value::Null,
        };
        json!({ "outcome": outcome, "steps": self.steps, "seed": self.seed() })
    }

    /// Returns one second for each move in games that count moves, the game time in others.
    fn moment(steps: u64, at: SimTime) -> u64 {
        if E::counts_moves() { steps * MOVE_MS } else { at.as_millis() }
    }
}

impl<E: Picture> Witness<E> for Pictures<E> {
    fn event(&mut self, now: SimTime, event: &E::Event) {
        self.unsettled.push((now, event.clone()));
    }

    fn action(&mut self, state: &E, _: SimTime, _: AgentId, _: &E::Action) {
        self.settle(state);
        self.steps += 1;
    }

    /// A disruption is no move: its events have the moment of the last one.
    fn disruption(&mut self, state: &E, _: SimTime, _: Disruption) {
        self.settle(state);
    }

    fn note(&mut self, state: &E, now: SimTime, agent: AgentId, note: &Note) {
        self.settle(state);
        self.write(state, now, Entry { kind: "note", agent: Some(agent), about: drawn(note) });
    }

    fn end(&mut self, state: &E, _: SimTime) {
        self.settle(state);
    }
}
