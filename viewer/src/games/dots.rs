//! Dots & Boxes as pictures: the whole board once, and then line after line, as a board may have twenty thousand.

use game_dots::{Edge, Event, State};
use game_env::AgentId;
use serde_json::{Value, json};

use crate::picture::{Entry, Picture, Pictures, mover};
use crate::room::Shown;

impl Shown for State {
    type Feed = Pictures<Self>;
}

impl Picture for State {
    /// Dots are counted row by row from the top left, as in the game's own notation. `across` has a digit for each
    /// edge to the right, `down` one for each edge downwards, row by row: 1 if it is drawn. `boxes` has a sign for
    /// each box: the player that owns it, or a dot.
    fn picture(&self) -> Value {
        let grid = self.grid();
        let (mut across, mut down) = (String::new(), String::new());
        for edge in grid.all_edges() {
            let (from, to) = edge.dots();
            let is_drawn = if self.is_drawn(edge) { '1' } else { '0' };
            if to == from + 1 { across.push(is_drawn) } else { down.push(is_drawn) }
        }
        let is_corner =
            |dot: &u16| !(dot + 1).is_multiple_of(grid.columns()) && dot + grid.columns() < grid.dots();
        let owner =
            |dot: u16| self.owner(dot).map_or_else(|| ".".to_owned(), |owner| owner.index().to_string());
        let boxes: String = (0..grid.dots()).filter(is_corner).map(owner).collect();
        let mut picture = self.update();
        picture["rows"] = json!(grid.rows());
        picture["columns"] = json!(grid.columns());
        picture["across"] = json!(across);
        picture["down"] = json!(down);
        picture["boxes"] = json!(boxes);
        picture
    }

    /// Returns the boxes of each player, and the player who has the turn.
    fn update(&self) -> Value {
        json!({ "points": self.points(), "mover": mover(self) })
    }

    fn entry(event: &Event) -> Entry {
        let edge = |edge: &Edge| {
            let (from, to) = edge.dots();
            json!([from, to])
        };
        let entry = |kind, agent: Option<&AgentId>, about| Entry { kind, agent: agent.copied(), about };
        match event {
            Event::Drew { player, edge: drawn, boxes } => {
                let boxes: Vec<u16> = boxes.iter().flatten().copied().collect();
                let kind = if boxes.is_empty() { "line" } else { "box" };
                entry(kind, Some(player), json!({ "edge": edge(drawn), "boxes": boxes }))
            }
            Event::Refused { player, edge: asked, refusal } => {
                let about = json!({ "edge": edge(asked), "why": refusal.to_string() });
                entry("refusal", Some(player), about)
            }
            Event::Over(outcome) => Entry::over(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use game_dots::Config;
    use game_env::{Environment as _, Seed, SimTime};

    use super::*;

    #[test]
    fn a_picture_has_the_whole_board() {
        let mut state = State::new(&Config::new(3, 3).unwrap(), Seed::new(7));
        for edge in ["0-1", "0-3", "1-4", "7-8", "3-4"] {
            state.step(SimTime::START, state.mover(), edge.parse().unwrap(), &mut ());
        }
        let owner = state.mover().index();
        let expected = json!({
            "rows": 3, "columns": 3, "across": "101001", "down": "110000", "boxes": format!("{owner}..."),
            "points": state.points(), "mover": owner,
        });
        assert_eq!(state.picture(), expected);
    }
}
