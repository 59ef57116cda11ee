//! The game as arrays of numbers.
//!
//! A plane has a number for each dot. A box and its edges stand at the dot at its top left; an edge at its upper or
//! left dot. An action is an edge: its number is its place in the order of [`Config::all_edges`].

use game_env::TeamId;
use game_env::arrays::{Arrays, Layout};

use crate::grid::{Config, Dot, Edge};
use crate::state::{Observation, State};

const PLANES: [&str; 4] = [
    "1: the edge to the right is drawn",
    "1: the edge downwards is drawn",
    "1: the box is the player's",
    "1: the box is the opponent's",
];

const VECTOR: [&str; 3] = ["1: it is the player's turn", "boxes of the player", "boxes of the opponent"];

impl Arrays for State {
    fn layout(grid: &Config) -> Layout {
        Layout {
            planes: PLANES.map(str::to_owned).to_vec(),
            rows: grid.rows().into(),
            columns: grid.columns().into(),
            vector: VECTOR.map(str::to_owned).to_vec(),
            actions: grid.all_edges().map(|edge| edge.to_string()).collect(),
        }
    }

    fn actions(grid: &Config) -> Vec<Edge> {
        grid.all_edges().collect()
    }

    fn number(grid: &Config, edge: &Edge) -> Option<usize> {
        let (from, to) = edge.dots();
        if !grid.has(*edge) {
            return None;
        }
        // Those that lead to the right come first: one fewer in each row than there are columns.
        let across = grid.rows() * (grid.columns() - 1);
        let is_across = to == from + 1;
        Some(usize::from(if is_across { from - from / grid.columns() } else { across + from }))
    }

    fn write(seen: &Observation, planes: &mut [u8], vector: &mut [f32]) {
        let grid = seen.grid;
        let dots = usize::from(grid.dots());
        let (own, other) = (seen.player, seen.player.opponent());
        for dot in 0..grid.dots() {
            let place = usize::from(dot);
            let is_drawn = |to: Dot| Edge::between(dot, to).is_some_and(|edge| seen.is_drawn(edge));
            planes[place] = is_drawn(dot + 1).into();
            planes[dots + place] = is_drawn(dot + grid.columns()).into();
            let owner = seen.owner(dot);
            planes[2 * dots + place] = (owner == Some(own)).into();
            planes[3 * dots + place] = (owner == Some(other)).into();
        }
        vector[0] = u8::from(seen.mover == own).into();
        vector[1] = seen.points[own.index()].into();
        vector[2] = seen.points[other.index()].into();
    }

    fn points(&self, team: TeamId) -> i32 {
        State::points(self)[team.index()].into()
    }
}

#[cfg(test)]
mod tests {
    use game_env::conformance::{Case, check_arrays};
    use game_env::{AgentId, Environment as _, Seed, SimTime};

    use super::*;

    #[test]
    fn numbers_and_actions_agree() {
        for (rows, columns) in [(2, 2), (2, 7), (5, 3)] {
            let config = Config::new(rows, columns).unwrap();
            let bound = config.edges().into();
            let decisions = check_arrays::<State>(&Case { name: "arrays", config, seeds: 0..10, bound });
            assert_eq!(decisions, 10 * u64::from(config.edges()));
        }
    }

    /// A box of each player on a grid of 2×3 dots, with an edge that is missing.
    #[test]
    fn planes_show_edges_and_owners() {
        let grid = Config::new(2, 3).unwrap();
        let mut state = State::new(&grid, Seed::new(1));
        for (one, other) in [(0, 1), (0, 3), (3, 4), (1, 4)] {
            let mover = state.mover();
            state.step(SimTime::START, mover, Edge::between(one, other).unwrap(), &mut ());
        }
        let owner = state.owner(0).unwrap();
        let (mut seen, mut planes, mut vector) = (Observation::default(), [0; 24], [0.0; 3]);
        state.observe(owner, &mut seen);
        State::write(&seen, &mut planes, &mut vector);
        assert_eq!(planes[..6], [1, 0, 0, 1, 0, 0]);
        assert_eq!(planes[6..12], [1, 1, 0, 0, 0, 0]);
        assert_eq!((&planes[12..18], &planes[18..]), (&[1, 0, 0, 0, 0, 0][..], &[0; 6][..]));
        assert_eq!(vector, [1.0, 1.0, 0.0]);
        let loser: AgentId = owner.opponent();
        let mut planes = [0; 24];
        state.observe(loser, &mut seen);
        State::write(&seen, &mut planes, &mut vector);
        assert_eq!((planes[12], planes[18], vector), (0, 1, [0.0, 0.0, 1.0]));
    }
}
