//! Shows: a program with an own strategy of Dots & Boxes. Line-ups, comparisons and leagues have it beside the shipped
//! ones.
//! Run it: `cargo run --release -p examples --bin e21_own_strategy -- compare keeper greedy --game dots`, and
//! `cargo run --release -p examples --bin e21_own_strategy -- run examples/league-own.toml`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use game_dots::{Edge, Observation, State};
use game_env::parameter::Parameter;
use game_env::{AgentId, Choice, Options as _, Policy, SimTime};
use strategies::dots::greedy::Greedy;
use strategies::notation::count;
use strategies::room::{Entry, PolicyRoom, Rooms};

// ANCHOR: strategy
/// Plays as `greedy`, but returns the last two boxes of a chain if the rest of the board is worth more: then the
/// opponent has to open the next chain.
struct Keeper {
    greedy: Greedy,
    /// The least number of boxes in each other chain.
    least: usize,
}

impl Policy<State> for Keeper {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Edge> {
        match self.returning(seen) {
            Some(edge) => Choice::Act(edge),
            None => self.greedy.choose(now, agent, seen),
        }
    }
}

impl Keeper {
    /// Returns the edge that gives back the last two boxes of a chain, if they are the only ones to take and it pays.
    fn returning(&self, seen: &Observation) -> Option<Edge> {
        let mut edges = Vec::new();
        seen.options(&mut edges);
        let sides = |edge: Edge| seen.boxes_beside(edge).map(|corner| seen.drawn_around(corner));
        let completing: Vec<Edge> =
            edges.iter().copied().filter(|edge| sides(*edge).any(|n| n == 3)).collect();
        let [taking] = completing[..] else { return None };
        let first = seen.boxes_beside(taking).find(|corner| seen.drawn_around(*corner) == 3)?;
        let last = seen.boxes_beside(taking).find(|corner| seen.drawn_around(*corner) == 2)?;
        let is_far = |edge: &Edge| *edge != taking && !seen.is_drawn(*edge);
        let far = seen.grid.around(last).into_iter().find(is_far)?;
        let is_end = seen.boxes_beside(far).all(|corner| corner == last || seen.drawn_around(corner) < 2);
        let mut boxes: BTreeSet<_> = edges.iter().flat_map(|edge| seen.boxes_beside(*edge)).collect();
        boxes.retain(|corner| ![first, last].contains(corner));
        let mut smallest = None;
        // Each turn of the loop takes the boxes of one chain.
        while let Some(start) = boxes.pop_first() {
            let (mut size, mut open) = (0, vec![start]);
            while let Some(corner) = open.pop() {
                size += 1;
                let passages = seen.grid.around(corner).into_iter().filter(|edge| !seen.is_drawn(*edge));
                open.extend(
                    passages.flat_map(|edge| seen.boxes_beside(edge)).filter(|next| boxes.remove(next)),
                );
            }
            smallest = Some(smallest.map_or(size, |smallest: usize| smallest.min(size)));
        }
        (is_end && smallest? >= self.least).then_some(far)
    }
}
// ANCHOR_END: strategy

// ANCHOR: main
const LEAST: Parameter =
    Parameter::whole("least", "the least number of boxes in each other chain", 3, 1, 1000);

fn main() -> ExitCode {
    let keeper = Entry::new("keeper", "greedy, but keeps the last move", &[LEAST], |values, chance, _| {
        let least = usize::try_from(count(values, LEAST.name)).unwrap_or(usize::MAX);
        Box::new(Keeper { greedy: Greedy::new(chance), least })
    });
    let room = PolicyRoom::<State>::shipped().with(keeper).expect("no shipped strategy has this name");
    league::program::main("e21_own_strategy 1.0.0", Rooms::shipped().with(room))
}
// ANCHOR_END: main
