//! An agent for The Project Game, and a test of one of its decisions.
//!
//! Change [`Mine`], then run `cargo test` and `cargo run`.

use sdk::prelude::*;

/// Walks to the nearest piece, and with it to the nearest goal field that it has not tried.
///
/// A field of this struct keeps its value from one decision to the next. Each agent of a team has its own `Mine`.
///
/// `view.now` is the game time. The method `hear` of the trait gets the events: each message since the last decision.
#[derive(Debug, Default)]
pub struct Mine {}

impl Strategy for Mine {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target = if has_piece {
            view.knowledge.open().nearest(here)
        } else {
            view.knowledge.nearest_piece() // where the nearest piece may be
        };
        match target {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
}

#[cfg(test)]
mod tests {
    use sdk::testing::Situation;

    use super::*;

    /// `R0` decides, `p` is a piece, `g` is a hidden goal. Red's goal area is at the top.
    fn beside_a_piece() -> Situation {
        Situation::new(
            "
            .  g  .
            p  R0 .
            .  .  B1
            .  g  .",
        )
    }

    #[test]
    fn it_carries_a_piece_to_the_nearest_goal_field() {
        let with_a_piece = beside_a_piece().after(&["move W", "pick-up"]);
        assert_eq!(
            with_a_piece.choose(&mut Mine::default()),
            Choice::Act(Action::Move(Direction::North))
        );
    }
}
