//! Conveyor as pictures: the whole board once, and then the places of the players.
//!
//! Viewers see the whole truth, or all that the controller knows. The answers to one player are the entries `done`,
//! `hint` and `refusal`: the page can show these alone.

use game_conveyor::known::{Known, KnownEvent};
use game_conveyor::{Action, Direction, Event, Field, Place, Refusal, State};
use game_env::{AgentId, Environment, Notation, Turn};
use serde_json::{Value, json};

use crate::picture::{Entry, Picture, Pictures};
use crate::room::Shown;

impl Shown for State {
    type Feed = Pictures<Self>;
}

/// A game as its controller knows it: live, and drawn like the game itself.
impl Shown for Known {
    type Feed = Pictures<Self>;
    const ROOM: &'static str = <State as Notation>::GAME;
    const HAS_REPLAY: bool = false;
}

impl Picture for State {
    /// A place is its column and row, both from 1, the first row at the bottom. `homes` are those of the players,
    /// `hints` have a place and the direction of each player's home, `conveyors` a start and an end.
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

    /// Returns the places of the players, and the direction of player 1.
    fn update(&self) -> Value {
        update(self, [0, 1].map(|player| self.place(player)), Some(self.heading()))
    }

    fn counts_moves() -> bool {
        true
    }

    fn entry(event: &Event) -> Entry {
        match *event {
            Event::Answered { player, action, hint } => answered(player, action, hint),
            Event::Landed { player, place, carried_from, heading: _ } => landed(player, place, carried_from),
            Event::Refused { player, action, refusal } => refused(player, action, refusal),
            Event::Left(player) => left(player),
            Event::Over(outcome) => Entry::over(&outcome),
        }
    }
}

/// Unknown things are null: homes, the directions of a hint, the end of a conveyor, the direction of player 1.
impl Picture for Known {
    fn picture(&self) -> Value {
        let mut picture = self.update();
        picture["columns"] = json!(self.config().columns());
        picture["rows"] = json!(self.config().rows());
        picture["homes"] = (0..2).map(|player| json!(self.home(player).map(pair))).collect();
        let ways = |ways: [Option<Direction>; 2]| ways.map(|way| way.map(|way| way.to_string()));
        picture["hints"] = self.hints().map(|(place, known)| json!([pair(place), ways(known)])).collect();
        picture["conveyors"] =
            self.conveyors().map(|(start, end)| json!([pair(start), end.map(pair)])).collect();
        picture
    }

    fn update(&self) -> Value {
        update(self, [0, 1].map(|player| self.place(player)), self.heading())
    }

    fn counts_moves() -> bool {
        State::counts_moves()
    }

    /// The board has drawn everything.
    fn has_seed() -> bool {
        false
    }

    fn entry(event: &KnownEvent) -> Entry {
        match *event {
            KnownEvent::Answered { player, action, hint } => answered(player, action, hint),
            KnownEvent::Landed { player, place, carried_from } => landed(player, place, carried_from),
            KnownEvent::Refused { player, action } => refused(player, action, Refusal::OffBoard),
            KnownEvent::Left(player) => left(player),
            KnownEvent::Over(outcome) => Entry::over(&outcome),
        }
    }
}

fn update(state: &impl Environment, places: [Place; 2], heading: Option<Direction>) -> Value {
    json!({
        "places": places.map(pair),
        "heading": heading.map(|heading| heading.to_string()),
        "over": matches!(state.turn(), Turn::Over(_)),
    })
}

fn answered(player: AgentId, action: Action, hint: Option<Direction>) -> Entry {
    let kind = if hint.is_some() { "hint" } else { "done" };
    let hint = hint.map(|hint| hint.to_string());
    Entry { kind, agent: Some(player), about: json!({ "asked": asked(action), "hint": hint }) }
}

fn landed(player: AgentId, place: Place, carried_from: Option<Place>) -> Entry {
    let kind = if carried_from.is_some() { "carried" } else { "place" };
    let about = json!({ "at": pair(place), "from": carried_from.map(pair) });
    Entry { kind, agent: Some(player), about }
}

fn refused(player: AgentId, action: Action, refusal: Refusal) -> Entry {
    let about = json!({ "asked": asked(action), "why": refusal.to_string() });
    Entry { kind: "refusal", agent: Some(player), about }
}

fn left(player: AgentId) -> Entry {
    Entry { kind: "left", agent: Some(player), about: json!({}) }
}

fn pair(place: Place) -> Value {
    json!([place.column, place.row])
}

/// Returns the kind of an action, and its direction or its number of fields.
fn asked(action: Action) -> Value {
    match action {
        Action::Step(direction) => json!(["step", direction.to_string()]),
        Action::Turn(direction) => json!(["turn", direction.to_string()]),
        Action::Ahead(steps) => json!(["ahead", steps.fields()]),
    }
}
