//! `random`: a random action that may succeed, all equally likely.
//!
//! It moves to any neighbouring field, discovers, picks up if a piece lies on its field, and with a piece in hand
//! puts, checks or destroys it. It answers its team honestly. It is the baseline that every other strategy must
//! beat.

use sdk::prelude::*;

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Strategy for Random {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let mut options: Vec<Action> = Direction::ALL
            .into_iter()
            .filter(|direction| view.is_passable(*direction))
            .map(Action::Move)
            .collect();
        options.push(Action::Discover);
        if view.own.hand.is_full() {
            options.extend([Action::Put, Action::Check, Action::Destroy]);
        } else if view.area() == Area::Task {
            options.push(Action::PickUp);
        }
        let chosen = view.chance.index(options.len());
        options.swap_remove(chosen).into()
    }
}
