//! Conveyor as pictures: the whole board once, and then where the players are.
//!
//! Everybody who looks sees the whole truth. What one player hears are the entries `done`, `hint` and `refusal`: the page
//! can show these alone.

use game_conveyor::{Action, Event, Field, Place, State};
use game_env::{AgentId, Environment, Turn};
use serde_json::{Value, json};

use crate::picture::{Entry, Picture};

impl Picture for State {
    /// A place is its column and row, both from 1, the first row at the bottom. `homes` are those of the players, `hints`
    /// have a place and the direction of each player's home, `conveyors` a start and an end.
    fn picture(&self) -> Value {
        let (board, config) = (self.board(), self.board().config());
        let (mut hints, mut conveyors) = (Vec::new(), Vec::new());
        for place in config.places() {
            match board.field(place) {
                Field::Hint(ways) => hints.push(json!([pair(place), ways.map(|way| way.to_string())])),
                Field::Start(end) => conveyors.push(json!([pair(place), pair(end)])),
                Field::Normal | Field::Home(_) => {}
            }
        }
        let mut picture = self.update();
        picture["columns"] = json!(config.columns());
        picture["rows"] = json!(config.rows());
        picture["homes"] = (0..2).map(|player| pair(board.home(player))).collect();
        picture["hints"] = json!(hints);
        picture["conveyors"] = json!(conveyors);
        picture
    }

    /// Where the players are, and where player 1 looks.
    fn update(&self) -> Value {
        let is_over = matches!(self.turn(), Turn::Over(_));
        let places: Value = (0..2).map(|player| pair(self.place(player))).collect();
        json!({
            "places": places,
            "heading": self.heading().to_string(),
            "over": is_over,
        })
    }

    fn counts_moves() -> bool {
        true
    }

    fn entry(event: &Event) -> Entry {
        let entry = |kind, agent: Option<&AgentId>, about| Entry { kind, agent: agent.copied(), about };
        match event {
            Event::Answered { player, action, hint } => {
                let kind = if hint.is_some() { "hint" } else { "done" };
                let hint = hint.map(|hint| hint.to_string());
                entry(kind, Some(player), json!({ "asked": asked(*action), "hint": hint }))
            }
            Event::Landed { player, place, carried_from, heading: _ } => {
                let kind = if carried_from.is_some() { "carried" } else { "place" };
                entry(kind, Some(player), json!({ "at": pair(*place), "from": carried_from.map(pair) }))
            }
            Event::Refused { player, action, refusal } => {
                entry("refusal", Some(player), json!({ "asked": asked(*action), "why": refusal.to_string() }))
            }
            Event::Left(player) => entry("left", Some(player), json!({})),
            Event::Over(outcome) => Entry::over(outcome),
        }
    }
}

fn pair(place: Place) -> Value {
    json!([place.column, place.row])
}

/// What was asked for, and in which direction or how far.
fn asked(action: Action) -> Value {
    match action {
        Action::Step(direction) => json!(["step", direction.to_string()]),
        Action::Turn(direction) => json!(["turn", direction.to_string()]),
        Action::Ahead(steps) => json!(["ahead", steps.fields()]),
    }
}
