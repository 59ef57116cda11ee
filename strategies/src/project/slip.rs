//! A strategy that slips: now and then it takes a random action instead.
//!
//! With a small probability it makes a strategy weaker by a little. So it shows how small a difference a comparison
//! finds.

use game_env::parameter::Parameter;
use sdk::prelude::*;

use super::around::around;
use super::random::Random;
use super::registry::BoxedStrategy;

/// The parameter of strategies that can slip.
pub const SLIP: Parameter =
    Parameter::real("slip", "the probability that a decision is random", 0.0, 0.0, 1.0);

/// Returns the same strategy, which slips with this probability at each decision; itself if that is 0.
pub fn slipping(strategy: impl Strategy + Send + 'static, probability: f64) -> BoxedStrategy {
    if probability <= 0.0 {
        return Box::new(strategy);
    }
    Box::new(around(strategy, move |strategy, view| {
        if view.chance.happens(probability) {
            view.notes.remark(|| "slips: a random action".to_owned());
            return Random.act(view);
        }
        strategy.act(view)
    }))
}
