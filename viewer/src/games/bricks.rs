//! Bricks as pictures: the whole board once, and then brick after brick, as a board may have a million cells.

use game_bricks::{Brick, Cell, Event, State};
use game_env::{AgentId, Environment as _, Millis};
use serde_json::{Value, json};

use crate::picture::{Entry, Picture, Pictures, mover};
use crate::room::Shown;

impl Shown for State {
    type Feed = Pictures<Self>;
}

impl Picture for State {
    /// A cell is its column and row. `filled` are the cells that were filled from the beginning, `bricks` all bricks in
    /// the order in which they were put.
    fn picture(&self) -> Value {
        let (board, size) = (self.board(), usize::from(self.board().size()));
        let place = |cell: Cell| usize::from(cell.row) * size + usize::from(cell.column);
        let mut is_brick = vec![false; size * size];
        self.bricks().iter().flat_map(|brick| brick.cells()).for_each(|cell| is_brick[place(cell)] = true);
        let is_filled = |cell: &Cell| !board.is_free(*cell) && !is_brick[place(*cell)];
        let mut picture = self.update();
        picture["size"] = json!(size);
        picture["torus"] = json!(board.is_torus());
        picture["limit"] = json!(self.limit().map(Millis::as_millis));
        picture["filled"] = board.cells().filter(is_filled).map(pair).collect();
        picture["bricks"] = self.bricks().iter().copied().map(cells).collect();
        picture
    }

    /// Returns the number of bricks that fit, the player who has the turn, and the game's own clock: the page's time
    /// counts moves.
    fn update(&self) -> Value {
        json!({ "fits": self.board().brick_count(), "mover": mover(self), "ms": self.clock().as_millis() })
    }

    fn entry(event: &Event) -> Entry {
        let entry = |kind, agent: Option<&AgentId>, about| Entry { kind, agent: agent.copied(), about };
        match event {
            Event::Put { player, brick } => entry("brick", Some(player), json!({ "cells": cells(*brick) })),
            Event::Refused { player, brick, refusal } => {
                let about = json!({ "cells": cells(*brick), "why": refusal.to_string() });
                entry("refusal", Some(player), about)
            }
            Event::Over(outcome) => Entry::over(outcome),
        }
    }
}

fn pair(cell: Cell) -> Value {
    json!([cell.column, cell.row])
}

fn cells(brick: Brick) -> Value {
    brick.cells().map(pair).into_iter().collect()
}
