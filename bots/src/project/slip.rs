//! A strategy that slips: now and then it does something random instead.
//!
//! With a small probability it makes a strategy weaker by a little. So it shows how small a difference a comparison
//! finds.

use game_env::parameter::Parameter;
use sdk::prelude::*;

use super::random::Random;
use super::registry::BoxedStrategy;

/// The parameter of strategies that can slip.
pub const SLIP: Parameter =
    Parameter::real("slip", "the probability that a decision is random", 0.0, 0.0, 1.0);

/// The same strategy, which slips with this probability at each decision; itself if that is 0.
pub fn slipping(strategy: impl Strategy + Send + 'static, probability: f64) -> BoxedStrategy {
    if probability > 0.0 { Box::new(Slipping { strategy, probability }) } else { Box::new(strategy) }
}

struct Slipping<S> {
    strategy: S,
    probability: f64,
}

impl<S: Strategy> Strategy for Slipping<S> {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        if view.chance.happens(self.probability) {
            view.notes.remark(|| "slips: a random action".to_owned());
            return Random.act(view);
        }
        self.strategy.act(view)
    }

    fn begin(&mut self, view: &mut View<'_>) {
        self.strategy.begin(view);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.strategy.hear(view, notice);
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        self.strategy.answer(view, question)
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.strategy.end(view, winner);
    }
}
