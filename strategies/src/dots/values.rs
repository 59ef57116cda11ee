//! Exact values of positions: the boxes that the player to move still wins, minus those of the opponent.
//!
//! The search sees only quiet positions: no box lacks a single edge. From there a player draws an edge after which the
//! position is still quiet, or opens a chain or loop. The opponent takes all opened boxes and moves, or all but the
//! last two of a chain or four of a loop, which it leaves so that the other player has to move (a double-cross).
//! Nothing else is worth a try (Barker and Korf, "Solving Dots-and-Boxes", 2012), so a chain counts as one move of
//! which only the length matters.
//!
//! The search asks whether a value is at least a given number, and keeps bounds of each position in one of two ways. A
//! [`Values::new`] has two tables. A small one names positions by their edges and is quick to ask: before a position is
//! searched, all its moves are looked up there. The large one has an entry for all isomorphic positions together. It
//! searches a third of the positions, each of which costs several times more. That suits a strategy with a budget of
//! nodes. [`Values::by_edges`] has one large table, of which an entry stands for a position and its images on the
//! board. It searches more positions for the same value, each at a fraction of the cost.

use super::forms::Forms;
use super::graph::{Graph, Images, OUTSIDE};
use super::table::Table;
use crate::budget::{Budget, Exhausted, Meter};

/// The number of moves that are looked up in the quick table together. Of 3×4 boxes, this decides more than half of all
/// positions.
const MOVES_AT_ONCE: usize = 8;

/// The exponent of two of the size of the quick table: 4 MiB, which a processor's cache holds.
const RECENT: u32 = 16;

/// Tables of positions of one graph, and the search that fills them.
#[derive(Clone, Debug)]
pub struct Values {
    by_edges: Table,
    /// If isomorphic positions have one entry, they have it here, and the other table is the small one.
    forms: Option<Forms>,
    meter: Meter,
    nodes: u64,
    /// The moves of all positions on the way to the one that is searched.
    moves: Vec<Line>,
}

/// A move in a quiet position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The edges that are left once the opponent has taken the boxes that it is given.
    pub(super) rest: u64,
    /// The same in canonical form, once it is known.
    key: u64,
    /// The edge to draw.
    pub(super) edge: u64,
    /// The number of boxes that the opponent can take.
    pub(super) given: i16,
    /// The number of these that the opponent may leave in order not to move; 0 if it cannot.
    pub(super) returned: i16,
}

impl Values {
    /// Empty tables, the large one for at most `4 << size` positions of 16 bytes; a search also ends when the time of
    /// this budget is over.
    ///
    /// # Panics
    ///
    /// If the size is more than 40.
    pub fn new(size: u32, clock: Budget) -> Self {
        assert!(size <= 40, "a table of 4 << {size} positions");
        let by_edges = Table::new(size.clamp(Table::SMALLEST, RECENT));
        Self {
            by_edges,
            forms: Some(Forms::new(size)),
            meter: Meter::new(clock),
            nodes: 0,
            moves: Vec::new(),
        }
    }

    /// Returns an empty table for at most `8 << size` positions of eight bytes, in which isomorphic positions have
    /// entries of their own; a search also ends when the time of this budget is over.
    ///
    /// # Panics
    ///
    /// If the size is less than 14 or more than 40.
    pub fn by_edges(size: u32, clock: Budget) -> Self {
        let by_edges = Table::new(size);
        Self { by_edges, forms: None, meter: Meter::new(clock), nodes: 0, moves: Vec::new() }
    }

    /// Forgets all positions, as a change of the graph needs.
    pub fn clear(&mut self) {
        self.by_edges.clear();
        if let Some(forms) = &mut self.forms {
            forms.clear();
        }
    }

    /// Lets the search expand this many positions from now on.
    pub fn allow(&mut self, nodes: u64) {
        self.meter.allow(nodes);
    }

    /// Returns the number of positions that the search may still expand.
    pub fn budget(&self) -> u64 {
        self.meter.left()
    }

    /// Returns the number of positions that were expanded so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the value of a position in which no box lacks a single edge.
    ///
    /// # Errors
    ///
    /// If nodes or time do not suffice.
    pub fn value(&mut self, graph: &Graph, left: u64) -> Result<i16, Exhausted> {
        let boxes = graph.boxes(left);
        let (mut least, mut most) = (-boxes, boxes);
        // The value has the parity of the number of boxes; most values are near 0.
        let mut asked = boxes % 2;
        while least < most {
            if self.is_at_least(graph, left, asked)? {
                least = asked;
                asked += 2;
            } else {
                most = asked - 2;
                asked -= 2;
            }
        }
        Ok(least)
    }

    /// Returns whether a position in which no box lacks a single edge is worth this number at least.
    ///
    /// # Errors
    ///
    /// If nodes or time do not suffice.
    pub fn is_at_least(&mut self, graph: &Graph, left: u64, number: i16) -> Result<bool, Exhausted> {
        self.moves.clear();
        let boxes = graph.boxes(left);
        // Values have the parity of the number of boxes.
        let number = number + (number - boxes).rem_euclid(2);
        self.reaches(graph, &graph.images(left), boxes, number)
    }

    /// Returns whether this move of a position with this many boxes is worth at least this number, which has the boxes'
    /// parity.
    ///
    /// # Errors
    ///
    /// If nodes or time do not suffice.
    pub(super) fn is_line_worth(
        &mut self,
        graph: &Graph,
        boxes: i16,
        line: Line,
        number: i16,
    ) -> Result<bool, Exhausted> {
        Ok(!line.is_too_dear(number)
            && self.is_rest_worth(graph, &graph.images(line.rest), boxes, line, number)?)
    }

    /// As [`Values::is_line_worth`], with the rest after the move.
    fn is_rest_worth(
        &mut self,
        graph: &Graph,
        rest: &Images,
        boxes: i16,
        line: Line,
        number: i16,
    ) -> Result<bool, Exhausted> {
        let boxes = boxes - line.given;
        Ok(!self.reaches(graph, rest, boxes, line.above(number))?
            && (line.returned == 0 || self.reaches(graph, rest, boxes, line.from(number))?))
    }

    fn reaches(
        &mut self,
        graph: &Graph,
        images: &Images,
        boxes: i16,
        number: i16,
    ) -> Result<bool, Exhausted> {
        let left = images.least();
        let mut known = self.by_edges.bounds(left, boxes);
        if let Some(answer) = answer(known, number) {
            return Ok(answer);
        }
        let form = self.forms.as_mut().map(|forms| forms.form(graph, left));
        if let (Some(forms), Some(form)) = (&self.forms, form) {
            known = forms.bounds(form, boxes);
            if let Some(answer) = answer(known, number) {
                self.by_edges.keep(left, boxes, known);
                return Ok(answer);
            }
        }
        self.meter.spend()?;
        self.nodes += 1;
        let first = self.moves.len();
        // A budget of nodes reaches equally far however the board is turned.
        let images = if self.forms.is_some() { graph.images(left) } else { *images };
        list(graph, images.set(), &mut self.moves);
        let result = self.any_reaches(graph, &images, first, boxes, number);
        self.moves.truncate(first);
        let is_reached = result?;
        let (least, most) = known;
        let known = if is_reached { (number, most) } else { (least, number - 2) };
        if let (Some(forms), Some(form)) = (&mut self.forms, form) {
            forms.keep(form, left.count_ones(), boxes, known);
        }
        self.by_edges.keep(left, boxes, known);
        Ok(is_reached)
    }

    /// Returns whether one of the moves from this place on is worth the number.
    fn any_reaches(
        &mut self,
        graph: &Graph,
        images: &Images,
        first: usize,
        boxes: i16,
        number: i16,
    ) -> Result<bool, Exhausted> {
        let after = |line: &Line| graph.without(*images, images.set() & !line.rest);
        // A look into the table costs nothing; moves that it refutes are left out. The memory answers several requests
        // at once.
        let mut kept = first;
        let mut next = first;
        while next < self.moves.len() {
            let mut touched = 0;
            let begin = kept;
            let mut end = begin;
            while next < self.moves.len() && end < begin + MOVES_AT_ONCE {
                let mut line = self.moves[next];
                next += 1;
                if !line.is_too_dear(number) {
                    line.key = after(&line).least();
                    touched ^= self.by_edges.touch(line.key);
                    self.moves[end] = line;
                    end += 1;
                }
            }
            std::hint::black_box(touched);
            for place in begin..end {
                let line = self.moves[place];
                let (least, most) = self.by_edges.bounds(line.key, boxes - line.given);
                if least >= line.above(number) || (line.returned > 0 && most < line.from(number)) {
                    continue;
                }
                if most < line.above(number) && (line.returned == 0 || least >= line.from(number)) {
                    return Ok(true);
                }
                self.moves[kept] = line;
                kept += 1;
            }
        }
        for place in first..kept {
            let line = self.moves[place];
            if self.is_rest_worth(graph, &after(&line), boxes, line, number)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether a value between these bounds is at least the number, if they show it.
#[inline]
fn answer((least, most): (i16, i16), number: i16) -> Option<bool> {
    (least >= number || most < number).then_some(least >= number)
}

impl Line {
    /// Returns whether the opponent wins too much with it for every value of the rest: it may take all boxes except
    /// those that it returns.
    #[inline]
    fn is_too_dear(&self, number: i16) -> bool {
        self.returned > 0 && number > self.returned - self.given
    }

    /// The move is worth the number only if the rest is worth less than this.
    #[inline]
    fn above(&self, number: i16) -> i16 {
        2 - number - self.given
    }

    /// And, if boxes can be returned, only if the rest is worth this at least.
    #[inline]
    fn from(&self, number: i16) -> i16 {
        self.given - 2 * self.returned + number
    }
}

/// Adds the moves of a quiet position, in the order in which a search tries them.
pub(super) fn list(graph: &Graph, left: u64, out: &mut Vec<Line>) {
    let (mut loony, twins) = graph.loony_and_twins(left);
    let mut quiet = left & !loony & !twins;
    let first = out.len();
    while loony != 0 {
        let edge = loony & loony.wrapping_neg();
        let chain = Chain::through(graph, left, edge);
        loony &= !chain.through;
        let given = i16::try_from(chain.boxes).expect("at most 64");
        let rest = left & !chain.edges;
        out.push(Line { rest, key: 0, edge: chain.opening, given, returned: chain.returned });
    }
    out[first..].sort_unstable_by_key(|line| (line.given, line.edge));
    while quiet != 0 {
        let edge = quiet & quiet.wrapping_neg();
        quiet ^= edge;
        out.push(Line { rest: left ^ edge, key: 0, edge, given: 0, returned: 0 });
    }
}

/// Boxes that a player can take in a row once an edge of them is drawn.
struct Chain {
    /// The edges with which they can be opened.
    through: u64,
    /// All edges that are gone then.
    edges: u64,
    boxes: u32,
    returned: i16,
    /// The edge to draw: of two boxes the one between them, because the opponent cannot return them then.
    opening: u64,
}

impl Chain {
    /// Returns the chain or loop of an edge beside a box that lacks two.
    #[inline]
    fn through(graph: &Graph, left: u64, edge: u64) -> Self {
        let mut chain = Self { through: edge, edges: edge, boxes: 0, returned: 0, opening: edge };
        let [one, other] = graph.sides(edge);
        let Some(one) = chain.follow(graph, left, one) else {
            return Self { through: chain.edges, returned: 4, ..chain };
        };
        let other = chain.follow(graph, left, other).expect("it would have closed from the first side");
        chain.through = chain.edges;
        if one == other {
            chain.follow_tail(graph, left, one);
        }
        match chain.boxes {
            1 => {}
            2 => chain.opening = chain.inside(graph, left),
            _ => chain.returned = 2,
        }
        chain
    }

    /// Goes on through boxes that lack two edges. Returns the box or the outside behind the last one; none if that is
    /// the first one.
    #[inline]
    fn follow(&mut self, graph: &Graph, left: u64, mut own: u8) -> Option<u8> {
        while own != OUTSIDE {
            let around = graph.around(own) & left;
            if around.count_ones() != 2 {
                return Some(own);
            }
            self.boxes += 1;
            let next = around & !self.edges;
            if next == 0 {
                return None;
            }
            self.edges |= next;
            own = graph.beyond(next, own);
        }
        Some(OUTSIDE)
    }

    /// A loop that begins and ends at a box with one more edge: once the loop is taken, so are the box and those behind
    /// it.
    #[inline]
    fn follow_tail(&mut self, graph: &Graph, left: u64, mut own: u8) {
        loop {
            let next = graph.around(own) & left & !self.edges;
            if next.count_ones() != 1 {
                return;
            }
            self.boxes += 1;
            self.edges |= next;
            own = graph.beyond(next, own);
        }
    }

    /// Returns the edge of which both boxes lack two.
    fn inside(&self, graph: &Graph, left: u64) -> u64 {
        let lacks_two = |own: u8| (graph.around(own) & left).count_ones() == 2;
        let mut open = self.edges;
        while open != 0 {
            let edge = open & open.wrapping_neg();
            if graph.sides(edge).into_iter().all(lacks_two) {
                return edge;
            }
            open ^= edge;
        }
        self.opening
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use game_dots::Config;
    use game_env::Seed;

    use super::*;

    fn board(rows: u16, columns: u16) -> Graph {
        Graph::board(Config::new(rows + 1, columns + 1).unwrap()).unwrap()
    }

    fn values(nodes: u64) -> Values {
        let mut values = Values::new(14, Budget::nodes(0));
        values.allow(nodes);
        values
    }

    #[test]
    fn whole_boards_have_the_values_that_are_known() {
        let one_row = (1..=10).map(|columns| (1, columns, if columns % 2 == 1 { -1 } else { 0 }));
        let others =
            [(2, 2, 2), (2, 3, -2), (3, 2, -2), (2, 4, 2), (2, 5, -2), (3, 3, -3), (3, 4, 0), (5, 1, -1)];
        for (rows, columns, value) in one_row.chain(others) {
            let graph = board(rows, columns);
            assert_eq!(values(u64::MAX).value(&graph, graph.all()), Ok(value), "{rows}×{columns}");
            if graph.all().count_ones() > 27 {
                continue; // `cargo xtask bench solve` has more and larger boards
            }
            let mut by_edges = Values::by_edges(14, Budget::nodes(0));
            by_edges.allow(u64::MAX);
            assert_eq!(by_edges.value(&graph, graph.all()), Ok(value), "{rows}×{columns}, by edges");
        }
    }

    /// On three by three boxes the first player loses by three after every first edge.
    #[test]
    fn every_first_edge_of_nine_boxes_is_worth_the_same() {
        let graph = board(3, 3);
        let mut solver = values(u64::MAX);
        for place in 0..24 {
            let rest = graph.all() & !(1 << place);
            assert_eq!(solver.value(&graph, rest), Ok(3), "{}", graph.edge(1 << place));
        }
    }

    /// Returns the value of any position by the rules alone.
    fn plain(graph: &Graph, left: u64, known: &mut BTreeMap<u64, i16>) -> i16 {
        if let Some(value) = known.get(&left) {
            return *value;
        }
        let mut best = if left == 0 { 0 } else { i16::MIN };
        for place in (0..64).filter(|place| left >> place & 1 == 1) {
            let next = left & !(1 << place);
            let won = graph.boxes(left) - graph.boxes(next);
            let value = plain(graph, next, known);
            best = best.max(if won > 0 { won + value } else { -value });
        }
        known.insert(left, best);
        best
    }

    /// Returns a position of a board without boxes that lack a single edge: edges are drawn at random while there are
    /// some, and opened boxes are taken.
    fn quiet(graph: &Graph, drawn: usize, seed: u64) -> u64 {
        let mut chance = Seed::new(seed).game();
        let mut left = graph.all();
        for _ in 0..drawn {
            let bits: Vec<u64> = (0..64).map(|place| 1 << place).filter(|bit| left & bit != 0).collect();
            if bits.is_empty() {
                break;
            }
            left ^= bits[chance.index(bits.len())];
            while let Some(last) = lone(graph, left) {
                left ^= last;
            }
        }
        left
    }

    /// Returns the last edge of a box.
    fn lone(graph: &Graph, left: u64) -> Option<u64> {
        (0..=u8::MAX).map(|own| graph.around(own) & left).find(|around| around.count_ones() == 1)
    }

    #[test]
    fn random_positions_have_the_values_of_a_plain_search() {
        let mut met = BTreeMap::new();
        for (rows, columns, drawn) in [(3, 3, 6), (2, 5, 8), (3, 4, 12), (4, 4, 20)] {
            let graph = board(rows, columns);
            let mut solver = values(u64::MAX);
            for seed in 0..60 {
                let left = quiet(&graph, drawn + usize::try_from(seed % 6).unwrap(), seed);
                if left.count_ones() > 15 {
                    continue;
                }
                let expected = plain(&graph, left, &mut BTreeMap::new());
                assert_eq!(
                    solver.value(&graph, left),
                    Ok(expected),
                    "{rows}×{columns}, seed {seed}: {left:b}"
                );
                *met.entry(expected).or_insert(0) += 1;
            }
        }
        assert!(met.len() > 8 && met.values().sum::<i32>() > 80, "{met:?}");
    }

    /// All positions of two by three boxes in which no box lacks a single edge.
    #[test]
    fn positions_of_the_same_form_are_worth_the_same() {
        let graph = board(2, 3);
        let (mut forms, mut known) = (Forms::new(0), BTreeMap::new());
        let (mut values, mut images) = (BTreeMap::new(), BTreeSet::new());
        for left in (1..=graph.all()).filter(|left| lone(&graph, *left).is_none()) {
            let value = plain(&graph, left, &mut known);
            let first = *values.entry(forms.form(&graph, left)).or_insert(value);
            assert_eq!(first, value, "{left:b}");
            images.insert(graph.canonical(left));
        }
        assert!(values.len() * 4 < images.len() * 3, "{} forms of {} images", values.len(), images.len());
    }

    #[test]
    fn parts_of_a_board_have_the_values_that_they_have_on_it() {
        let whole = board(4, 4);
        for seed in 0..20 {
            let left = quiet(&whole, 14, seed);
            let edges: Vec<_> =
                (0..64).filter(|place| left >> place & 1 == 1).map(|place| whole.edge(1 << place)).collect();
            let part = Graph::of(Config::default(), &edges).unwrap();
            assert_eq!(
                values(u64::MAX).value(&part, part.all()),
                values(u64::MAX).value(&whole, left),
                "{left:b}"
            );
        }
    }

    #[test]
    fn a_search_stops_when_its_nodes_are_used_up() {
        let graph = board(3, 3);
        let mut solver = values(100);
        assert_eq!(solver.value(&graph, graph.all()), Err(Exhausted));
        assert_eq!((solver.budget(), solver.nodes()), (0, 100));
        solver.allow(u64::MAX);
        assert_eq!(solver.value(&graph, graph.all()), Ok(-3));
        // The table has the answer.
        solver.allow(10);
        assert_eq!(solver.value(&graph, graph.all()), Ok(-3));
    }
}
