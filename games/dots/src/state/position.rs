//! Positions: the state in the middle of a game, without the moves that led there.

use game_env::{AgentId, Termination};
use thiserror::Error;

use super::{BitSet, State};
use crate::grid::{Config, Dot, Edge};

/// The drawn edges, the owned boxes, and the player whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The player whose turn it is.
    pub mover: AgentId,
    /// The edges that are drawn.
    pub edges: Vec<Edge>,
    /// The boxes of each player.
    pub boxes: [Vec<Dot>; 2],
}

/// A position that cannot occur in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// An edge is not on the grid.
    #[error("{0} is no edge of the grid")]
    NoEdge(Edge),
    /// An edge is given twice.
    #[error("the edge {0} is drawn twice")]
    DrawnTwice(Edge),
    /// There is no box at a dot.
    #[error("there is no box at the dot {0}")]
    NoBox(Dot),
    /// A box is owned although an edge around it is missing.
    #[error("the box {0} is owned, and an edge around it is not drawn")]
    Incomplete(Dot),
    /// Nobody owns a complete box.
    #[error("all edges around the box {0} are drawn, and nobody owns it")]
    Unowned(Dot),
    /// A box is owned twice.
    #[error("the box {0} is owned twice")]
    OwnedTwice(Dot),
    /// There is no such player.
    #[error("the turn is that of player {0}: expected 0 or 1")]
    NoPlayer(AgentId),
}

impl State {
    /// Returns the position of this state; edges and boxes are in ascending order.
    pub fn position(&self) -> Position {
        let mut edges: Vec<Edge> = self.grid.all_edges().filter(|edge| self.is_drawn(*edge)).collect();
        edges.sort_unstable();
        let boxes = |player: usize| {
            let player = AgentId::from_index(player);
            (0..self.grid.dots()).filter(|corner| self.owner(*corner) == Some(player)).collect()
        };
        Position { mover: self.mover, edges, boxes: [boxes(0), boxes(1)] }
    }

    /// Returns the state of this position. If every box is owned, the game is over.
    ///
    /// # Errors
    ///
    /// Fails if the position cannot occur in a game.
    pub fn from_position(grid: &Config, position: &Position) -> Result<Self, PositionError> {
        let Position { mover, edges, boxes } = position;
        if mover.index() > 1 {
            return Err(PositionError::NoPlayer(*mover));
        }
        let mut state = Self::empty(grid, *mover);
        for edge in edges {
            if !grid.has(*edge) {
                return Err(PositionError::NoEdge(*edge));
            }
            let place = grid.place(*edge);
            if !state.undrawn.has(place) {
                return Err(PositionError::DrawnTwice(*edge));
            }
            state.undrawn.remove(place);
        }
        let has_box = |corner: Dot| {
            corner < grid.dots() - grid.columns() && !(corner + 1).is_multiple_of(grid.columns())
        };
        let is_complete = |undrawn: &BitSet, corner: Dot| {
            grid.around(corner).into_iter().all(|edge| !undrawn.has(grid.place(edge)))
        };
        for (player, own) in boxes.iter().enumerate() {
            for corner in own {
                if !has_box(*corner) {
                    return Err(PositionError::NoBox(*corner));
                }
                if !is_complete(&state.undrawn, *corner) {
                    return Err(PositionError::Incomplete(*corner));
                }
                if state.owner(*corner).is_some() {
                    return Err(PositionError::OwnedTwice(*corner));
                }
                state.boxes[player].insert(usize::from(*corner));
                state.points[player] += 1;
            }
        }
        let unowned = (0..grid.dots()).find(|corner| {
            has_box(*corner) && state.owner(*corner).is_none() && is_complete(&state.undrawn, *corner)
        });
        if let Some(corner) = unowned {
            return Err(PositionError::Unowned(corner));
        }
        if state.points.into_iter().sum::<u16>() == grid.boxes() {
            state.end(None, Termination::Normal, None);
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment, Options as _, Seed, SimTime, Turn};

    use super::*;
    use crate::state::Observation;

    #[test]
    fn every_position_of_a_game_is_one_from_which_it_goes_on() {
        for seed in 0..20 {
            let grid = Config::new(3, 4).unwrap();
            let mut state = State::new(&grid, Seed::new(seed));
            let (mut seen, mut options) = (Observation::default(), Vec::new());
            let mut chance = Seed::new(seed).latency();
            loop {
                assert_eq!(State::from_position(&grid, &state.position()), Ok(state.clone()));
                let Turn::Act { agent, .. } = state.turn() else { break };
                state.observe(agent, &mut seen);
                seen.options(&mut options);
                state.step(SimTime::START, agent, options[chance.index(options.len())], &mut ());
            }
        }
    }

    #[test]
    fn positions_that_no_game_has_are_refused() {
        let grid = Config::new(2, 3).unwrap();
        let read = |edges: &[&str], first: &[Dot], second: &[Dot]| {
            let edges = edges.iter().map(|edge| edge.parse().unwrap()).collect();
            let boxes = [first.to_vec(), second.to_vec()];
            State::from_position(&grid, &Position { mover: AgentId::new(1), edges, boxes }).map(|_| ())
        };
        let square = ["0-1", "0-3", "1-4", "3-4"];
        assert_eq!(read(&square, &[], &[0]), Ok(()));
        assert_eq!(read(&square, &[], &[]), Err(PositionError::Unowned(0)));
        assert_eq!(read(&square, &[0], &[0]), Err(PositionError::OwnedTwice(0)));
        assert_eq!(read(&square[1..], &[0], &[]), Err(PositionError::Incomplete(0)));
        for corner in [2, 3, 5, 6, u16::MAX] {
            assert_eq!(read(&square, &[corner], &[0]), Err(PositionError::NoBox(corner)));
        }
        let edge = |text: &str| text.parse().unwrap();
        assert_eq!(read(&["2-3"], &[], &[]), Err(PositionError::NoEdge(edge("2-3"))));
        assert_eq!(read(&["0-1", "0-1"], &[], &[]), Err(PositionError::DrawnTwice(edge("0-1"))));
        let nobody = Position { mover: AgentId::new(2), edges: Vec::new(), boxes: [Vec::new(), Vec::new()] };
        let refused = State::from_position(&grid, &nobody).unwrap_err();
        assert!(refused.to_string().ends_with("2: expected 0 or 1"), "{refused}");
    }
}
