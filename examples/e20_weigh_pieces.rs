//! Shows: an agent that weighs all pieces that may lie around it, and beats `greedy`.
//! Run it: `cargo run --release -p examples --bin e20_weigh_pieces -- 1000`; the number of pairs of games is the
//! argument.

use contests::project::contest::{constructor, contest};
use sdk::knowledge::Pieces;
use sdk::local::Preset;
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

// ANCHOR: agent
/// Takes the step that leaves the cheapest way to a piece, on the average of all worlds, and carries the piece to its
/// own half of the goal area.
#[derive(Default)]
struct Weigher {
    pieces: Option<Pieces>,
}

impl Strategy for Weigher {
    fn begin(&mut self, view: &mut View<'_>) {
        self.pieces = Some(Pieces::new(view));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        if let Some(pieces) = &mut self.pieces {
            pieces.hear(view, notice);
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let here = view.position();
        // The leader of the team tries the western half first, its teammate the eastern half.
        let is_other = |field: Position| (field.x < view.geometry().columns() / 2) != view.is_leader();
        let goal = view.knowledge.open().iter().min_by_key(|at| (is_other(*at), here.moves_to(*at)));
        let Some(goal) = goal else { return view.discover() };
        if !view.own.hand.is_full() {
            return self.search(view, goal);
        }
        if here == goal { view.put() } else { view.walk_to(goal) }
    }
}
// ANCHOR_END: agent

// ANCHOR: search
/// Cost of a column between a piece and the goal, in moves.
const ASIDE: f32 = 0.3;

/// By how much a piece is preferred for each row that it lies farther from the goal, in moves.
const OUTWARD: f32 = 0.25;

/// Cost of a world without pieces: more than the way to any piece.
const NOTHING: f32 = 30.0;

impl Weigher {
    /// Picks up the piece under the agent, or takes the step that leaves the cheapest way to a piece.
    fn search(&self, view: &mut View<'_>, goal: Position) -> Choice {
        let here = view.position();
        if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) {
            return view.pick_up();
        }
        let free = Direction::ALL.into_iter().filter(|direction| view.is_free(*direction));
        let fields = free.filter_map(|step| Some((step, view.geometry().neighbour(here, step)?)));
        let costs = fields.map(|(step, field)| (step, self.cost(field, goal)));
        match costs.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            Some((step, _)) => view.step(step),
            None => view.give_way(None),
        }
    }

    /// Returns the cost of a piece from this field: that of the cheapest piece, on the average of all worlds.
    fn cost(&self, from: Position, goal: Position) -> f32 {
        let of_piece = |at: &Position| {
            let (columns, rows) = (goal.x.abs_diff(at.x), goal.y.abs_diff(at.y));
            f32::from(from.moves_to(*at)) + ASIDE * f32::from(columns) - OUTWARD * f32::from(rows)
        };
        let worlds = self.pieces.iter().flat_map(Pieces::worlds);
        worlds.map(|(weight, pieces)| weight * pieces.iter().map(of_piece).fold(NOTHING, f32::min)).sum()
    }
}
// ANCHOR_END: search

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    let other: LineUp = "greedy".parse()?;
    let config = Preset::Quick.config();
    let hour = SimTime::from_millis(3_600_000);
    let weigher = |_place: usize| -> BoxedStrategy { Box::<Weigher>::default() };
    let tally = contest(&config, (&weigher, &constructor(&other)), Seed::new(2), pairs, hour);
    let ([won, drawn, lost], (score, low, high)) = (tally.games, tally.score());
    println!("{pairs} pairs: {won} games won, {drawn} drawn, {lost} lost");
    println!("{:.1} % of the points (95 %: {:.1} to {:.1})", 100.0 * score, 100.0 * low, 100.0 * high);
    Ok(())
}
// ANCHOR_END: main
