//! Exact values: boxes of the player who begins minus those of the other one, both playing perfectly.
//!
//! The search is a plain alpha-beta that drives the rules
//! themselves, so that a wrong rule gives a wrong value.

use game_dots::{Config, Edge, State};
use game_env::{Environment, Seed, SimTime, Turn};

/// A search over one grid, with bounds on the value of every set of drawn edges: the owners of the boxes so far do not
/// change the value of the rest.
struct Search {
    edges: Vec<Edge>,
    bounds: Vec<(i8, i8)>,
}

impl Search {
    fn new(grid: Config) -> Self {
        let boxes = i8::try_from(grid.boxes()).unwrap();
        Self { edges: grid.all_edges().collect(), bounds: vec![(-boxes, boxes); 1 << grid.edges()] }
    }

    /// Returns the boxes that the mover still wins, minus those that the other player still wins: exact between `least`
    /// and `most`, otherwise a bound on that side.
    fn value(&mut self, state: &State, drawn: usize, mut least: i8, most: i8) -> i8 {
        if matches!(state.turn(), Turn::Over(_)) {
            return 0;
        }
        let (lower, upper) = self.bounds[drawn];
        if lower >= most || lower == upper {
            return lower;
        }
        if upper <= least {
            return upper;
        }
        let (mover, given) = (state.mover(), least);
        let mut next: Vec<(u16, usize, State)> = (0..self.edges.len())
            .filter(|place| drawn >> place & 1 == 0)
            .map(|place| {
                let mut next = state.clone();
                next.step(SimTime::START, mover, self.edges[place], &mut ());
                let won = next.points()[mover.index()] - state.points()[mover.index()];
                (won, drawn | 1 << place, next)
            })
            .collect();
        next.sort_by_key(|(won, ..)| std::cmp::Reverse(*won));
        let mut best = i8::MIN;
        for (won, drawn, next) in next {
            let won = i8::try_from(won).unwrap();
            let value = if next.mover() == mover {
                won + self.value(&next, drawn, least - won, most - won)
            } else {
                -self.value(&next, drawn, -most, -least)
            };
            best = best.max(value);
            least = least.max(best);
            if best >= most {
                break;
            }
        }
        let (lower, upper) = &mut self.bounds[drawn];
        if best > given {
            *lower = best.max(*lower);
        }
        if best < most {
            *upper = best.min(*upper);
        }
        best
    }
}

/// Returns whether this is the value of a board of this many rows and columns of boxes. A search for one value takes
/// much less work than a search for any.
fn is_value(rows: u16, columns: u16, value: i8) -> bool {
    let grid = Config::new(rows + 1, columns + 1).unwrap();
    Search::new(grid).value(&State::new(&grid, Seed::new(0)), 0, value - 1, value + 1) == value
}

#[test]
fn one_row_of_boxes() {
    for (columns, value) in [(1, -1), (2, 0), (3, -1), (4, 0), (5, -1), (6, 0)] {
        assert!(is_value(1, columns, value), "1×{columns}");
    }
    assert!(is_value(5, 1, -1), "a column is a row");
}

#[test]
fn small_boards() {
    for (rows, columns, value) in [(2, 2, 2), (2, 3, -2), (3, 2, -2), (3, 3, -3)] {
        assert!(is_value(rows, columns, value), "{rows}×{columns}");
    }
}
