//! A strategy that takes time to decide, as agents of other implementations do: they poll, or wait for their own
//! threads.
//!
//! With short penalties, this time is a good part of what an action costs.

use game_env::parameter::Parameter;
use sdk::prelude::*;

use super::around::around;
use super::registry::BoxedStrategy;

/// Returns the parameter for the time that a strategy takes to decide, with its default in milliseconds.
pub const fn think_ms(default: i64) -> Parameter {
    Parameter::whole(
        "thinkMs",
        "how long it takes to decide on each action, in milliseconds",
        default,
        0,
        60_000,
    )
}

/// Returns the strategy, delayed by this many milliseconds before each action; unchanged if they are 0.
pub fn thinking(strategy: impl Strategy + Send + 'static, millis: f64) -> BoxedStrategy {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the table has bounds")]
    let millis = Millis::new(millis as u32);
    if millis == Millis::new(0) {
        return Box::new(strategy);
    }
    // When it decides on the next action.
    let mut until = None;
    Box::new(around(strategy, move |strategy, view| {
        let moment = *until.get_or_insert(view.now + millis);
        if view.now < moment {
            return Choice::Wait(moment);
        }
        let choice = strategy.act(view);
        if matches!(choice, Choice::Act(_)) {
            until = None;
        }
        choice
    }))
}
