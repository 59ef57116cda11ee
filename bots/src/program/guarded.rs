//! Strategies whose panics are told by the program instead of Rust's panic hook.
//!
//! The SDK catches a strategy's panic, and all that it costs is a turn. By then the hook has printed its own
//! report, with a backtrace if the environment says so, in the middle of whatever else is on the screen. Here the
//! hook is silent while a strategy is at work, and keeps the place, which is told with the blunder.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};

use game_project::Team;
use sdk::prelude::*;

thread_local! {
    /// Whether a strategy is at work on this thread.
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
    /// Where it panicked.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Sees to it that the panics of [`Guarded`] strategies print nothing; all others are told as ever.
pub(crate) fn silence_panics_of_strategies() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if IS_AT_WORK.get() {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.set(place);
        } else {
            usual(info);
        }
    }));
}

/// A strategy whose panics say where they happened, and nothing on the screen.
pub(crate) struct Guarded<S>(pub(crate) S);

fn guard<T>(call: impl FnOnce() -> T) -> T {
    IS_AT_WORK.set(true);
    // What the call leaves behind is looked at by nobody but the strategy itself, as without this guard.
    let done = catch_unwind(AssertUnwindSafe(call));
    IS_AT_WORK.set(false);
    done.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message =
            message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        // Goes on without calling the hook again.
        resume_unwind(Box::new(format!("{message} ({})", PLACE.take())))
    })
}

impl<S: Strategy> Strategy for Guarded<S> {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        guard(|| self.0.act(view))
    }

    fn begin(&mut self, view: &mut View<'_>) {
        guard(|| self.0.begin(view));
    }

    fn hear(&mut self, view: &mut View<'_>, heard: &Heard) {
        guard(|| self.0.hear(view, heard));
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        guard(|| self.0.answer(view, question))
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        guard(|| self.0.end(view, winner));
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment, Limits, Rollout};
    use game_project::{RawConfig, State};
    use insta::assert_snapshot;
    use sdk::local::Seat;

    use super::*;
    use crate::program::blunders::Blunders;
    use crate::program::screen::paper::Paper;

    /// Panics in whatever it is asked, each time with another kind of message.
    struct Clumsy;

    impl Strategy for Clumsy {
        fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
            if view.now == SimTime::START { panic!("no idea") } else { panic!("none at {} either", view.now) }
        }

        fn end(&mut self, _: &mut View<'_>, _: Option<Team>) {
            panic::panic_any(7);
        }
    }

    #[test]
    fn blunders_are_told_with_their_places_and_counted_when_there_are_many() {
        silence_panics_of_strategies();
        let small = RawConfig {
            board_x: 3,
            board_y: 5,
            goal_area_height: 1,
            number_of_goals: 1,
            team_size: 1,
            ..RawConfig::default()
        };
        let seed = Seed::new(1);
        let mut game = State::new(&small.check().unwrap(), seed);
        let mut seats = Seat::all(&game, seed, |_, _| Guarded(Clumsy));
        let limits = Limits { time: SimTime::from_millis(8_000), ..Limits::default() };
        Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut ());
        let paper = Paper::default();
        let blunders = Blunders::new(&paper.screen(false), "cargo run -p bots -- --seed 1 --virtual");
        for blunder in seats[0].take_blunders() {
            blunders.report("clumsy", &blunder);
        }
        // One every 1.5 s, and one at the end.
        assert_eq!(blunders.sum_up(), 7);
        // Lines move when this file is edited.
        let line = |text: &str| text.split(".rs:").next().unwrap().to_owned();
        let told: Vec<String> = paper.text().lines().map(line).collect();
        assert_snapshot!(told.join("\n"), @"
        blunder of clumsy: the strategy of agent #0 panicked at 0.000 s: no idea (bots/src/program/guarded
        it loses this turn; what it saw:
        #0 red at 0,4 holding nothing, 0.000 s
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        blunder of clumsy: the strategy of agent #0 panicked at 1.500 s: none at 1.500 s either (bots/src/program/guarded
        it loses this turn; what it saw:
        #0 red at 0,4 holding nothing, 1.500 s
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        blunder of clumsy: the strategy of agent #0 panicked at 3.000 s: none at 3.000 s either (bots/src/program/guarded
        it loses this turn; what it saw:
        #0 red at 0,4 holding nothing, 3.000 s
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        agent #0 (clumsy): 4 further blunders
        ");
        let last = seats[0].take_blunders();
        assert!(last.is_empty());
        assert_eq!(game.agents(), 2);
    }

    #[test]
    fn a_strategy_that_does_not_panic_is_left_alone() {
        struct Lookout;
        impl Strategy for Lookout {
            fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
                Action::Discover.into()
            }
        }
        let mut situation = sdk::testing::Situation::new("g . .\n. R0 .\n. . B1");
        let choice = situation.choose(&mut Guarded(Lookout));
        assert_eq!(choice, Choice::Act(Action::Discover));
    }
}
