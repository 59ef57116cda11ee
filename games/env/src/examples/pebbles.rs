//! Pebbles: two agents take one to three pebbles from a heap in turn; the agent that takes the last one wins.
//!
//! A whole game on one page: strict turns, no secrets, no chance, nothing that takes time.

use std::fmt;
use std::str::FromStr;

use crate::arrays::{Arrays, Layout};
use crate::description::{Description, Information, TimeModel};
use crate::digest::Digest;
use crate::environment::{Disruption, Environment, Options, Turn};
use crate::ids::AgentId;
use crate::notation::Notation;
use crate::outcome::{Outcome, Ranking, Returns, Termination};
use crate::parameter::{ConfigError, Fault, Parameters, Value};
use crate::scene::{Cell, Scene};
use crate::seed::Seed;
use crate::sink::{Addressed, Audience, Sink};
use crate::text::{NotationError, number};
use crate::time::SimTime;

/// A heap, and whose turn it is. Its configuration is the number of pebbles, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pebbles {
    heap: u32,
    mover: AgentId,
    outcome: Option<Outcome>,
}

/// Takes pebbles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Take(u32);

impl Take {
    /// Takes this number of pebbles.
    pub const fn new(pebbles: u32) -> Self {
        Self(pebbles)
    }
}

/// The observation of both agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Observation {
    /// The pebbles left.
    pub heap: u32,
}

/// An event of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// An agent took pebbles.
    Took(AgentId, u32),
    /// An agent asked for a number of pebbles that it may not take, or out of turn.
    Refused(AgentId, u32),
}

impl Pebbles {
    fn refuses(&self, agent: AgentId, pebbles: u32) -> bool {
        self.outcome.is_some() || agent != self.mover || !(1..=3).contains(&pebbles) || pebbles > self.heap
    }

    fn end(&mut self, winner: Option<AgentId>, termination: Termination) {
        let points = [0, 1].map(|index| i32::from(winner == Some(AgentId::new(index))));
        let returns = Returns::new(&points);
        let fault = winner.map(AgentId::opponent).filter(|_| termination != Termination::Normal);
        let outcome = Outcome { ranking: Ranking::by_points(&returns), termination, fault, returns };
        self.outcome.get_or_insert(outcome);
    }
}

impl Environment for Pebbles {
    type Config = u32;
    type Action = Take;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Pebbles",
        agents: 2..=2,
        teams: 2..=2,
        information: Information::Perfect,
        has_chance: false,
        time: TimeModel::Turns,
    };

    fn new(heap: &u32, _: Seed) -> Self {
        Self { heap: *heap, mover: AgentId::new(0), outcome: None }
    }

    fn clock(&self) -> SimTime {
        SimTime::START
    }

    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::Act { agent: self.mover, from: SimTime::START, until: None },
        }
    }

    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Take>) {
        out.clear();
        out.extend((1..=3).filter(|pebbles| !self.refuses(agent, *pebbles)).map(Take));
    }

    fn observe(&self, _: AgentId, out: &mut Observation) {
        out.heap = self.heap;
    }

    fn step(&mut self, now: SimTime, agent: AgentId, Take(pebbles): Take, sink: &mut impl Sink<Event>) {
        if self.refuses(agent, pebbles) {
            return sink.event(now, Event::Refused(agent, pebbles));
        }
        self.heap -= pebbles;
        self.mover = agent.opponent();
        sink.event(now, Event::Took(agent, pebbles));
        if self.heap == 0 {
            self.end(Some(agent), Termination::Normal);
        }
    }

    fn disrupt(&mut self, _: SimTime, disruption: Disruption, _: &mut impl Sink<Event>) {
        let (loser, termination) = disruption.cause();
        self.end(loser.map(AgentId::opponent), termination);
    }

    fn reseed(&mut self, _: Seed) {}

    fn digest(&self, digest: &mut Digest) {
        digest.u32(self.heap);
        digest.length(self.mover.index());
        digest.flag(self.outcome.is_some());
    }
}

impl Options<Take> for Observation {
    fn options(&self, out: &mut Vec<Take>) {
        out.clear();
        out.extend((1..=self.heap.min(3)).map(Take));
    }
}

impl Arrays for Pebbles {
    fn layout(heap: &u32) -> Layout {
        Layout {
            vector: vec!["pebbles left".to_owned()],
            actions: Self::actions(heap).iter().map(Take::to_string).collect(),
            ..Layout::default()
        }
    }

    fn actions(_: &u32) -> Vec<Take> {
        (1..=3).map(Take).collect()
    }

    fn number(_: &u32, Take(pebbles): &Take) -> Option<usize> {
        (1..=3).position(|possible| possible == *pebbles)
    }

    fn write(observation: &Observation, _: &mut [u8], vector: &mut [f32]) {
        vector[0] = f32::from(u16::try_from(observation.heap).unwrap_or(u16::MAX));
    }
}

impl Addressed for Event {
    fn audience(&self) -> Audience {
        match self {
            Self::Took(..) => Audience::All,
            Self::Refused(agent, _) => Audience::Agent(*agent),
        }
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(..))
    }
}

impl Notation for Pebbles {
    const GAME: &'static str = "pebbles";
    const RULES: u32 = 1;

    fn write_config(heap: &u32) -> Parameters {
        [("heap", Value::Whole(i128::from(*heap)))].into_iter().collect()
    }

    fn read_config(parameters: &Parameters) -> Result<u32, ConfigError> {
        let given = parameters.get("heap").cloned().unwrap_or(Value::Text(String::new()));
        let heap = if let Value::Whole(heap @ 1..) = given { u32::try_from(heap).ok() } else { None };
        heap.ok_or_else(|| {
            ConfigError::new(vec![Fault::new("heap", &given, "wrong value", "a number of pebbles above 0")])
        })
    }

    fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.heap as usize, 1, Cell::ground("pebble", "o"));
        scene.caption.push(format!("{} to take", self.mover));
        scene
    }
}

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {}", self.0)
    }
}

impl FromStr for Take {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let error = || NotationError::new("move", text, "`take` and a number");
        text.strip_prefix("take ").and_then(number).map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Took(agent, pebbles) => write!(f, "{agent} took {pebbles}"),
            Self::Refused(agent, pebbles) => write!(f, "{agent} may-not-take {pebbles}"),
        }
    }
}

#[cfg(feature = "replay")]
impl crate::conformance::Conforming for Pebbles {
    /// Nothing is hidden in this game.
    fn scramble(&mut self, _: AgentId, _: &mut crate::Chance) -> bool {
        false
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Take>) {
        out.extend([0, 1, 2, 3, 4, u32::MAX].map(Take));
    }
}
