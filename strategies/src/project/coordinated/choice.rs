//! Which step brings an agent to a piece that is worth the most to it.
//!
//! A piece costs the way to it and what its place adds: pieces in front of the agent's own goal fields and in its own
//! columns (its *lane*) are cheap. If every agent prefers pieces in its lane, teammates do not meet or walk to the
//! same piece. Of these the outer ones come first: the pieces near home stay within reach for later.
//!
//! The search looks two steps ahead over the sampled worlds of [`Pieces`]: after a step or a discovery the agent will
//! read distances, so the worlds part by what it would read, and it can step differently in each part. What is left
//! after two steps is the cheapest piece of each world.

use sdk::knowledge::Pieces;
use sdk::knowledge::pieces::WORLDS;
use sdk::prelude::*;

/// Weights of the places of pieces, beside the way to them.
#[derive(Clone, Debug)]
pub(super) struct Worth {
    /// In moves, for each column outside the own lane.
    pub(super) lanes: f32,
    /// In moves, for each row between the piece and the field that is tried next: the preference for a piece farther
    /// out.
    pub(super) outward: f32,
    /// The columns of the own lane, both included.
    pub(super) lane: (u16, u16),
    /// The row of the field to try next.
    pub(super) row: u16,
}

impl Worth {
    fn of(&self, at: Position) -> f32 {
        let (west, east) = self.lane;
        let outside = f32::from(west.saturating_sub(at.x) + at.x.saturating_sub(east));
        self.lanes * outside - self.outward * f32::from(self.row.abs_diff(at.y))
    }
}

/// Cost of a move of the rest of the way: somewhat more than one, because no agent walks it straight.
const ONE_OF_THE_REST: f32 = 1.2;

/// Additional cost of a step that another agent blocks, in moves.
const BLOCKED: f32 = 3.0;

/// Cost of a world without any piece, in moves.
const NOTHING: f32 = 12.0;

/// Next step of an agent without a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Walk(Direction),
    /// The best step, which another agent blocks.
    Blocked,
    Discover,
}

/// The fields that two steps reach, and of these also the ones around the agent.
const REACHED: usize = 13;

/// Their offsets from the agent: itself first.
const OFFSETS: [(i16, i16); REACHED] = [
    (0, 0),
    (0, 1),
    (1, 0),
    (0, -1),
    (-1, 0),
    (0, 2),
    (1, 1),
    (2, 0),
    (1, -1),
    (0, -2),
    (-1, -1),
    (-2, 0),
    (-1, 1),
];

/// Returns the place of the field next to a reached one; none if it is not reached.
fn next(place: usize, direction: Direction) -> Option<usize> {
    let (x, y) = OFFSETS[place];
    let to = match direction {
        Direction::North => (x, y + 1),
        Direction::East => (x + 1, y),
        Direction::South => (x, y - 1),
        Direction::West => (x - 1, y),
    };
    OFFSETS.iter().position(|offset| *offset == to)
}

/// Data of the search on each world: the weight, and for each field reached the distance that would be read and the
/// cost of the cheapest piece.
struct Search {
    weights: [f32; WORLDS],
    distances: [[u16; REACHED]; WORLDS],
    rest: [[f32; REACHED]; WORLDS],
    fields: [Option<Position>; REACHED],
    /// By place and direction: the place that a step leads to, if the rules allow the step.
    steps: [[Option<usize>; 4]; REACHED],
}

/// Returns the step that is cheapest on average; none if there is none.
pub(super) fn choose(view: &View<'_>, pieces: &Pieces, worth: &Worth, may_discover: bool) -> Option<Step> {
    let search = Search::new(view, pieces, worth);
    let mut order = [0u8; WORLDS];
    for (place, world) in (0u8..).zip(&mut order) {
        *world = place;
    }
    let inward = view.homeward().opposite();
    let mut best: Option<(f32, Step)> = None;
    let offer = |best: &mut Option<(f32, Step)>, cost: f32, step: Step| {
        if best.is_none_or(|(least, _)| cost < least) {
            *best = Some((cost, step));
        }
    };
    // Of equally good steps the way from home.
    let others = Direction::ALL.into_iter().filter(|direction| *direction != inward);
    for direction in std::iter::once(inward).chain(others) {
        let Some(to) = search.steps[0][direction as usize] else { continue };
        let cost = 1.0 + search.after_step(&mut order, to);
        if view.is_free(direction) {
            offer(&mut best, cost, Step::Walk(direction));
        } else {
            offer(&mut best, cost + BLOCKED, Step::Blocked);
        }
    }
    let one = f32::from(u16::try_from(view.penalty(ActionKind::Move).as_millis().max(1)).unwrap_or(u16::MAX));
    let look = view.penalty(ActionKind::Discover).as_millis() as f32 / one;
    if may_discover && view.area() == Area::Task && best.is_some_and(|(cost, _)| look < cost) {
        offer(&mut best, look + search.after_discovery(&mut order), Step::Discover);
    }
    best.map(|(_, step)| step)
}

impl Search {
    fn new(view: &View<'_>, pieces: &Pieces, worth: &Worth) -> Self {
        let here = view.position();
        let geometry = view.geometry();
        let forbidden = Area::Goal(view.own.team.opponent());
        let field = |(east, north): (i16, i16)| {
            geometry.beside(here, east, north).filter(|field| geometry.area(*field) != forbidden)
        };
        let fields = OFFSETS.map(field);
        let step = |place: usize, direction| {
            fields[place]?;
            next(place, direction).filter(|to| fields[*to].is_some())
        };
        let steps = std::array::from_fn(|place| Direction::ALL.map(|direction| step(place, direction)));
        let mut own = Self {
            weights: [0.0; WORLDS],
            distances: [[u16::MAX; REACHED]; WORLDS],
            rest: [[NOTHING; REACHED]; WORLDS],
            fields,
            steps,
        };
        // Fields off the board are never read; any number serves.
        let reached = fields.map(|field| field.unwrap_or(here));
        for (world, (weight, at)) in pieces.worlds().enumerate() {
            own.weights[world] = weight;
            let (distances, rest) = (&mut own.distances[world], &mut own.rest[world]);
            if !at.is_empty() {
                *rest = [f32::INFINITY; REACHED];
            }
            for piece in at {
                let own = worth.of(*piece);
                for place in 0..REACHED {
                    let moves = reached[place].moves_to(*piece);
                    distances[place] = distances[place].min(moves);
                    rest[place] = rest[place].min(ONE_OF_THE_REST * f32::from(moves) + own);
                }
            }
        }
        own
    }

    /// Returns the cost after a step, times the weight of these worlds: they part by the distance that is read.
    fn after_step(&self, worlds: &mut [u8], to: usize) -> f32 {
        let distance = |world: &u8| self.distances[usize::from(*world)][to];
        worlds.sort_unstable_by_key(distance);
        let parts = worlds.chunk_by(|a, b| distance(a) == distance(b));
        parts.map(|part| self.best_step(part, to)).sum()
    }

    /// Returns the cost after a discovery at the agent's field, times the weight: the worlds part by nine distances.
    fn after_discovery(&self, worlds: &mut [u8]) -> f32 {
        let key = |world: &u8| {
            let distances = &self.distances[usize::from(*world)];
            let mut key = u64::from(distances[0]);
            for place in [1, 2, 3, 4, 6, 8, 10, 12].into_iter().filter(|place| self.fields[*place].is_some())
            {
                // A distance changes by at most two over two steps; a world without a piece has the same one
                // everywhere.
                key = key << 3 | u64::from(distances[place].wrapping_add(2).wrapping_sub(distances[0]) & 7);
            }
            key
        };
        let mut keyed: Vec<(u64, u8)> = worlds.iter().map(|world| (key(world), *world)).collect();
        keyed.sort_unstable();
        let mut sum = 0.0;
        for part in keyed.chunk_by(|a, b| a.0 == b.0) {
            let part: Vec<u8> = part.iter().map(|(_, world)| *world).collect();
            if self.distances[usize::from(part[0])][0] == 0 {
                sum += self.rest_of(&part, 0);
                continue;
            }
            let ways = self.steps[0].into_iter().flatten();
            let costs = ways.map(|to| self.weight_of(&part) + self.after_step(&mut part.clone(), to));
            let least = costs.fold(f32::INFINITY, f32::min);
            sum += if least.is_finite() { least } else { self.rest_of(&part, 0) };
        }
        sum
    }

    /// Returns the cost of the best further step, times the weight.
    fn best_step(&self, worlds: &[u8], from: usize) -> f32 {
        if self.distances[usize::from(worlds[0])][from] == 0 {
            // The piece lies here and will be taken.
            return self.rest_of(worlds, from);
        }
        let weight = self.weight_of(worlds);
        let ways = self.steps[from].into_iter().flatten();
        let least = ways.map(|to| weight + self.rest_of(worlds, to)).fold(f32::INFINITY, f32::min);
        if least.is_finite() { least } else { self.rest_of(worlds, from) }
    }

    fn weight_of(&self, worlds: &[u8]) -> f32 {
        worlds.iter().map(|world| self.weights[usize::from(*world)]).sum()
    }

    fn rest_of(&self, worlds: &[u8], place: usize) -> f32 {
        worlds
            .iter()
            .map(|world| self.weights[usize::from(*world)] * self.rest[usize::from(*world)][place])
            .sum()
    }
}
