//! A strategy whose actions are chosen by a function around it. It does everything else by itself.

use sdk::prelude::*;
use sdk::strategy::Resignation;

/// Returns the strategy with this function in place of [`Strategy::act`].
pub(super) fn around<S, F>(strategy: S, act: F) -> impl Strategy + Send + 'static
where
    S: Strategy + Send + 'static,
    F: FnMut(&mut S, &mut View<'_>) -> Choice + Send + 'static,
{
    Around { strategy, act }
}

struct Around<S, F> {
    strategy: S,
    act: F,
}

impl<S, F> Strategy for Around<S, F>
where
    S: Strategy,
    F: FnMut(&mut S, &mut View<'_>) -> Choice,
{
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        (self.act)(&mut self.strategy, view)
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

    fn gives_up(&mut self) -> Option<Resignation> {
        self.strategy.gives_up()
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.strategy.end(view, winner);
    }
}
