//! The state of one game and the rules that change it.

mod position;

use game_env::{
    Addressed, AgentId, Audience, Description, Digest, Disruption, Environment, Information, Options,
    Outcome, Ranking, Returns, Seed, SimTime, Sink, Termination, TimeModel, Turn,
};
use smallvec::SmallVec;

use crate::grid::{Config, Dot, Edge};

pub use self::position::{Position, PositionError};

// ANCHOR: state
/// The momentary state of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    grid: Config,
    /// The edges that can still be drawn, by their places.
    undrawn: BitSet,
    /// The boxes of each player, by their numbers.
    boxes: [BitSet; 2],
    points: [u16; 2],
    mover: AgentId,
    outcome: Option<Outcome>,
}
// ANCHOR_END: state

/// The observation of a player: the whole state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observation {
    /// The size of the grid.
    pub grid: Config,
    /// The player itself.
    pub player: AgentId,
    /// The player whose turn it is.
    pub mover: AgentId,
    /// The number of boxes of each player.
    pub points: [u16; 2],
    undrawn: BitSet,
    boxes: [BitSet; 2],
}

/// An event of a game. Both players hear all events but refusals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A player drew an edge, and completed these boxes.
    Drew {
        /// The player.
        player: AgentId,
        /// The edge.
        edge: Edge,
        /// The completed boxes.
        boxes: [Option<Dot>; 2],
    },
    /// A request was refused.
    Refused {
        /// The player.
        player: AgentId,
        /// The edge of the request.
        edge: Edge,
        /// The reason.
        refusal: Refusal,
    },
    /// The game is over.
    Over(Outcome),
}

/// The reason of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// It is the other player's turn.
    NotYourTurn,
    /// The dots are no neighbours, or not on the grid.
    NoEdge,
    /// The edge is drawn already.
    Drawn,
}

impl State {
    /// Returns the state in which nothing is drawn.
    fn empty(grid: &Config, mover: AgentId) -> Self {
        let dots = usize::from(grid.dots());
        let mut undrawn = BitSet::new(2 * dots);
        grid.all_edges().for_each(|edge| undrawn.insert(grid.place(edge)));
        let boxes = [BitSet::new(dots), BitSet::new(dots)];
        Self { grid: *grid, undrawn, boxes, points: [0; 2], mover, outcome: None }
    }

    /// Returns the size of the grid.
    pub fn grid(&self) -> Config {
        self.grid
    }

    /// Returns whether this edge of the grid is drawn.
    pub fn is_drawn(&self, edge: Edge) -> bool {
        self.grid.has(edge) && !self.undrawn.has(self.grid.place(edge))
    }

    /// Returns the owner of a box; the box has the number of its top left dot.
    pub fn owner(&self, corner: Dot) -> Option<AgentId> {
        owner(&self.boxes, corner)
    }

    /// Returns the number of boxes of each player.
    pub fn points(&self) -> [u16; 2] {
        self.points
    }

    /// Returns the player whose turn it is, or was when the game ended.
    pub fn mover(&self) -> AgentId {
        self.mover
    }

    // ANCHOR: refusal
    #[inline]
    fn refusal(&self, player: AgentId, edge: Edge) -> Option<Refusal> {
        if self.outcome.is_some() {
            Some(Refusal::Over)
        } else if player != self.mover {
            Some(Refusal::NotYourTurn)
        } else if !self.grid.has(edge) {
            Some(Refusal::NoEdge)
        } else if !self.undrawn.has(self.grid.place(edge)) {
            Some(Refusal::Drawn)
        } else {
            None
        }
    }
    // ANCHOR_END: refusal

    /// Takes the box for the mover if it is complete.
    #[inline]
    fn complete(&mut self, corner: Dot) -> bool {
        let is_complete =
            self.grid.around(corner).into_iter().all(|edge| !self.undrawn.has(self.grid.place(edge)));
        if is_complete {
            self.boxes[self.mover.index()].insert(usize::from(corner));
            self.points[self.mover.index()] += 1;
        }
        is_complete
    }

    fn end(&mut self, ranking: Option<Ranking>, termination: Termination, fault: Option<AgentId>) {
        let returns = Returns::new(&self.points.map(i32::from));
        let ranking = ranking.unwrap_or_else(|| Ranking::by_points(&returns));
        self.outcome.get_or_insert(Outcome { ranking, termination, fault, returns });
    }
}

/// Returns the player that owns a box.
fn owner(boxes: &[BitSet; 2], corner: Dot) -> Option<AgentId> {
    boxes.iter().position(|own| own.has(usize::from(corner))).map(AgentId::from_index)
}

impl Environment for State {
    type Config = Config;
    type Action = Edge;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Dots & Boxes",
        agents: 2..=2,
        teams: 2..=2,
        information: Information::Perfect,
        has_chance: false,
        time: TimeModel::Turns,
    };

    /// The seed decides which player begins.
    fn new(grid: &Config, seed: Seed) -> Self {
        Self::empty(grid, AgentId::from_index(seed.game().index(2)))
    }

    fn clock(&self) -> SimTime {
        SimTime::START
    }

    // ANCHOR: turn
    #[inline]
    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::Act { agent: self.mover, from: SimTime::START, until: None },
        }
    }
    // ANCHOR_END: turn

    fn legal_actions(&self, player: AgentId, out: &mut Vec<Edge>) {
        out.clear();
        if self.ready(player).is_some() {
            self.undrawn.for_each(|place| out.push(self.grid.edge(place)));
        }
    }

    #[inline]
    fn observe(&self, player: AgentId, out: &mut Observation) {
        (out.grid, out.player, out.mover, out.points) = (self.grid, player, self.mover, self.points);
        out.undrawn.copy_from(&self.undrawn);
        out.boxes.iter_mut().zip(&self.boxes).for_each(|(out, own)| out.copy_from(own));
    }

    // ANCHOR: step
    fn step(&mut self, now: SimTime, player: AgentId, edge: Edge, sink: &mut impl Sink<Event>) {
        if let Some(refusal) = self.refusal(player, edge) {
            return sink.event(now, Event::Refused { player, edge, refusal });
        }
        self.undrawn.remove(self.grid.place(edge));
        let boxes = self.grid.boxes_beside(edge).map(|corner| corner.filter(|corner| self.complete(*corner)));
        sink.event(now, Event::Drew { player, edge, boxes });
        if boxes == [None, None] {
            self.mover = player.opponent();
        } else if self.points.into_iter().sum::<u16>() == self.grid.boxes() {
            self.end(None, Termination::Normal, None);
        }
        if let Some(outcome) = self.outcome {
            sink.event(now, Event::Over(outcome));
        }
    }
    // ANCHOR_END: step

    /// A player that leaves or forfeits loses, whatever its points. A game that is ended from outside has no winner.
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        if self.outcome.is_some() {
            return;
        }
        let (loser, termination) = disruption.cause();
        let ranking = loser.map_or(Ranking::tied(2), |player| Ranking::lost_by(self.team(player), 2));
        self.end(Some(ranking), termination, loser);
        if let Some(outcome) = self.outcome {
            sink.event(now, Event::Over(outcome));
        }
    }

    fn reseed(&mut self, _: Seed) {}

    // ANCHOR: digest
    fn digest(&self, digest: &mut Digest) {
        digest.u16(self.grid.rows());
        digest.u16(self.grid.columns());
        self.undrawn.0.iter().for_each(|word| digest.u64(*word));
        // The owners of boxes decide nothing any more; the points do.
        self.points.iter().for_each(|points| digest.u16(*points));
        digest.length(self.mover.index());
        digest.flag(self.outcome.is_some());
    }
    // ANCHOR_END: digest
}

impl Observation {
    /// Returns whether this edge of the grid is drawn.
    pub fn is_drawn(&self, edge: Edge) -> bool {
        self.grid.has(edge) && !self.undrawn.has(self.grid.place(edge))
    }

    /// Returns the owner of a box; the box has the number of its top left dot.
    pub fn owner(&self, corner: Dot) -> Option<AgentId> {
        owner(&self.boxes, corner)
    }

    /// Returns the number of drawn edges among the four around a box.
    pub fn drawn_around(&self, corner: Dot) -> usize {
        self.grid.around(corner).into_iter().filter(|edge| self.is_drawn(*edge)).count()
    }

    /// Returns the boxes on both sides of an edge of the grid.
    pub fn boxes_beside(&self, edge: Edge) -> impl Iterator<Item = Dot> {
        self.grid.boxes_beside(edge).into_iter().flatten()
    }
}

impl Options<Edge> for Observation {
    #[inline]
    fn options(&self, out: &mut Vec<Edge>) {
        out.clear();
        if self.player == self.mover {
            self.undrawn.for_each(|place| out.push(self.grid.edge(place)));
        }
    }
}

impl Addressed for Event {
    fn audience(&self) -> Audience {
        match self {
            Self::Drew { .. } | Self::Over(_) => Audience::All,
            Self::Refused { player, .. } => Audience::Agent(*player),
        }
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// A set of small numbers, one bit each. Sets of numbers below 256 need no heap memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct BitSet(SmallVec<[u64; 4]>);

impl BitSet {
    /// Creates an empty set of numbers below `end`.
    fn new(end: usize) -> Self {
        Self(SmallVec::from_elem(0, end.div_ceil(64)))
    }

    #[inline]
    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    #[inline]
    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Returns whether a number is in the set; a number past its end is not.
    #[inline]
    fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Calls a function with each number, in rising order.
    #[inline]
    fn for_each(&self, mut call: impl FnMut(usize)) {
        for (index, word) in self.0.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                call(64 * index + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Copies another set; allocates nothing if both are of one grid.
    #[inline]
    fn copy_from(&mut self, other: &Self) {
        if self.0.len() == other.0.len() {
            self.0.copy_from_slice(&other.0);
        } else {
            self.0.clone_from(&other.0);
        }
    }
}
