//! A board of any size as lists: the boxes that can be taken, the chains that can be opened, and random continuations.
//!
//! Values are estimates here. [`values`](super::values) computes exact ones, but of small positions alone.

use game_dots::{Edge, Observation};
use game_env::Chance;

use super::graph::beside;

/// The number that stands for all that is outside the board.
const OUTSIDE: u32 = u32::MAX;

/// The undrawn edges, with the boxes beside them.
#[derive(Clone, Debug)]
pub(super) struct Field {
    edges: Vec<Edge>,
    /// The boxes on both sides of each edge, by the numbers of their top left dots.
    sides: Vec<[u32; 2]>,
    /// Of each dot, the undrawn edges around the box below and to the right of it.
    around: Vec<Around>,
}

/// At most four edges.
#[derive(Clone, Copy, Default, Debug)]
struct Around {
    edges: [u32; 4],
    count: u8,
}

/// A move where boxes lack a single edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Capture {
    /// It takes a box with this edge; nothing is better.
    Take(u32),
    /// It takes the last two boxes of a chain or four of a loop, or returns them.
    Choose(Last),
}

/// The last two boxes of a chain, or the last four of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Last {
    /// The edge that takes the first box.
    pub(super) take: u32,
    /// The edge after which the opponent takes all of them, and has to move.
    pub(super) decline: u32,
    /// All edges of them.
    pub(super) edges: Vec<u32>,
    /// Number of the boxes.
    pub(super) boxes: i16,
}

/// A move where no box lacks a single edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Opening {
    /// The edge to draw.
    pub(super) edge: u32,
    /// The edges that are gone once the opponent has taken what it is given.
    pub(super) edges: Vec<u32>,
    /// The number of boxes that the opponent can take, and of those that it can return.
    pub(super) given: i16,
    pub(super) returned: i16,
}

impl Opening {
    /// Returns the value of the move if the rest has this value for the player that moves then.
    pub(super) fn worth(&self, rest: f64) -> f64 {
        let [given, returned] = [self.given, self.returned].map(f64::from);
        let taken = given + rest;
        -if self.returned > 0 { taken.max(given - 2.0 * returned - rest) } else { taken }
    }
}

impl Field {
    pub(super) fn of(seen: &Observation) -> Self {
        let edges: Vec<Edge> = seen.grid.all_edges().filter(|edge| !seen.is_drawn(*edge)).collect();
        let mut around = vec![Around::default(); usize::from(seen.grid.dots())];
        let mut sides = Vec::with_capacity(edges.len());
        for (place, edge) in (0..).zip(&edges) {
            sides.push(beside(seen.grid, *edge).map(|corner| {
                let Some(corner) = corner else { return OUTSIDE };
                around[usize::from(corner)].push(place);
                u32::from(corner)
            }));
        }
        Self { edges, sides, around }
    }

    /// Returns the edge of the board.
    pub(super) fn edge(&self, place: u32) -> Edge {
        self.edges[place as usize]
    }

    /// Returns the undrawn edges of the board, but for some.
    pub(super) fn without(&self, some: &[u32]) -> Vec<Edge> {
        let left = (0..).zip(&self.edges).filter(|(place, _)| !some.contains(place));
        left.map(|(_, edge)| *edge).collect()
    }

    /// Returns the number of edges that were undrawn at first.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Draws edges.
    pub(super) fn draw(&mut self, edges: &[u32]) {
        for edge in edges {
            for own in self.sides[*edge as usize] {
                if own != OUTSIDE {
                    self.around[own as usize].remove(*edge);
                }
            }
        }
    }

    /// Returns the number of edges that a box lacks; outside, more than any box.
    fn lacks(&self, own: u32) -> u8 {
        self.around.get(own as usize).map_or(u8::MAX, |around| around.count)
    }

    fn beyond(&self, edge: u32, own: u32) -> u32 {
        let [one, other] = self.sides[edge as usize];
        if one == own { other } else { one }
    }

    /// Returns the move that takes boxes; none if no box lacks a single edge.
    ///
    /// Every box is taken at once, except the last two of a chain or the last four of a loop, of one of them: after all
    /// others are taken, it may be better to return these.
    pub(super) fn capture(&self) -> Option<Capture> {
        let mut lasts: Vec<Last> = Vec::new();
        for first in (0..).zip(&self.around).filter(|(_, around)| around.count == 1).map(|(own, _)| own) {
            let mut edges = vec![self.around[first as usize].edges[0]];
            let mut boxes = 1_i16;
            let mut own = self.beyond(edges[0], first);
            while self.lacks(own) == 2 {
                let next = self.around[own as usize].other(edges[edges.len() - 1]);
                edges.push(next);
                own = self.beyond(next, own);
                boxes += 1;
            }
            let is_closed = self.lacks(own) == 1;
            boxes += i16::from(is_closed);
            if boxes != if is_closed { 4 } else { 2 } {
                return Some(Capture::Take(edges[0]));
            }
            // A loop is met from both ends.
            if !lasts.iter().any(|last| last.edges.contains(&edges[0])) {
                lasts.push(Last { take: edges[0], decline: edges[1], edges, boxes });
            }
        }
        lasts.sort_by_key(|last| last.boxes);
        match lasts.len() {
            0 => None,
            1 => lasts.pop().map(Capture::Choose),
            // To return two is cheaper than to return four.
            _ => lasts.pop().map(|last| Capture::Take(last.take)),
        }
    }

    /// Returns whether the opponent cannot take a box after this edge.
    fn is_quiet(&self, edge: u32) -> bool {
        self.sides[edge as usize].into_iter().all(|own| self.lacks(own) > 2)
    }

    /// Returns every edge that gives no box away, then for each length one chain and one loop that can be opened, the
    /// shortest first.
    pub(super) fn openings(&self) -> Vec<Opening> {
        let quiet = |edge| Opening { edge, edges: vec![edge], given: 0, returned: 0 };
        let all = 0..u32::try_from(self.edges.len()).expect("a board has fewer edges");
        let mut openings: Vec<Opening> = all.filter(|edge| self.is_quiet(*edge)).map(quiet).collect();
        let mut chains = self.chains();
        chains.sort_by_key(|chain| (chain.given, chain.returned));
        chains.dedup_by_key(|chain| (chain.given, chain.returned));
        openings.append(&mut chains);
        openings
    }

    /// Returns every chain and loop of boxes that lack two edges.
    fn chains(&self) -> Vec<Opening> {
        let mut is_seen = vec![false; self.around.len()];
        let mut chains = Vec::new();
        for (first, around) in (0..).zip(&self.around) {
            if around.count != 2 || is_seen[first as usize] {
                continue;
            }
            is_seen[first as usize] = true;
            let (mut edges, mut given, mut is_closed) = (around.edges[..2].to_vec(), 1, false);
            for start in [0, 1] {
                let mut last = edges[start];
                let mut own = self.beyond(last, first);
                while self.lacks(own) == 2 && !is_closed {
                    is_closed = std::mem::replace(&mut is_seen[own as usize], true);
                    if !is_closed {
                        given += 1;
                        last = self.around[own as usize].other(last);
                        edges.push(last);
                        own = self.beyond(last, own);
                    }
                }
            }
            edges.sort_unstable();
            edges.dedup();
            // Of two boxes the edge between them: then the opponent cannot return them.
            let lacks_two = |edge: &&u32| self.sides[**edge as usize].iter().all(|own| self.lacks(*own) == 2);
            let edge = *edges.iter().find(lacks_two).unwrap_or(&edges[0]);
            let returned = match given {
                _ if is_closed => 4,
                1 | 2 => 0,
                _ => 2,
            };
            chains.push(Opening { edge, edges, given, returned });
        }
        chains
    }

    /// Returns the result of one course of the game for the player to move, where no box lacks a single edge: both draw
    /// edges at random while they give no box away, and then open the shortest chain or loop; a player that can take
    /// boxes returns the last ones where that is better.
    pub(super) fn play_out(&mut self, chance: &mut Chance) -> i32 {
        let count = u32::try_from(self.edges.len()).expect("a board has fewer edges");
        let mut order: Vec<u32> = (0..count).collect();
        chance.shuffle(&mut order);
        let mut sign = 1;
        for edge in order {
            if self.is_undrawn(edge) && self.is_quiet(edge) {
                self.draw(&[edge]);
                sign = -sign;
            }
        }
        sign * self.endgame()
    }

    fn is_undrawn(&self, edge: u32) -> bool {
        let own = self.sides[edge as usize].into_iter().find(|own| *own != OUTSIDE).expect("beside a box");
        self.around[own as usize].has(edge)
    }

    /// Returns the approximate value of the position for the player that has to open a chain: chains are opened from
    /// the shortest to the longest, and boxes in which chains meet count as part of the longest.
    fn endgame(&self) -> i32 {
        let mut chains: Vec<(i32, i32)> =
            self.chains().iter().map(|chain| (chain.given.into(), chain.returned.into())).collect();
        chains.sort_unstable();
        let meetings = self.around.iter().filter(|around| around.count > 2).count();
        if let Some((given, _)) = chains.last_mut() {
            *given += i32::try_from(meetings).expect("a board has fewer boxes");
        }
        chains.into_iter().rev().fold(0, |rest, (given, returned)| {
            let taken = given + rest;
            -if returned > 0 { taken.max(given - 2 * returned - rest) } else { taken }
        })
    }
}

impl Around {
    fn push(&mut self, edge: u32) {
        self.edges[usize::from(self.count)] = edge;
        self.count += 1;
    }

    fn has(&self, edge: u32) -> bool {
        self.edges[..usize::from(self.count)].contains(&edge)
    }

    fn remove(&mut self, edge: u32) {
        if let Some(place) = self.edges[..usize::from(self.count)].iter().position(|own| *own == edge) {
            self.count -= 1;
            self.edges.swap(place, usize::from(self.count));
        }
    }

    /// Of two edges, the other one.
    fn other(&self, edge: u32) -> u32 {
        if self.edges[0] == edge { self.edges[1] } else { self.edges[0] }
    }
}
