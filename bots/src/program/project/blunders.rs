//! Mistakes of strategies that cost them turns: the first few of each agent in full, the rest counted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use game_env::AgentId;
use game_env::text::counted;
use sdk::driver::actor::Blunder;

use crate::program::screen::Screen;

/// Number of blunders of an agent that are reported in full.
const TOLD: u64 = 3;

/// Reports and counts blunders. Clones count together.
#[derive(Clone)]
pub(crate) struct Blunders {
    screen: Screen,
    /// Commands that may repeat them.
    command: Arc<str>,
    /// By agent: its strategy, and the number of its blunders.
    counts: Arc<Mutex<BTreeMap<AgentId, (String, u64)>>>,
}

impl Blunders {
    pub(crate) fn new(screen: &Screen, command: &str) -> Self {
        Self { screen: screen.clone(), command: command.into(), counts: Arc::default() }
    }

    pub(crate) fn report(&self, strategy: &str, blunder: &Blunder) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, count) = counts.entry(blunder.agent).or_insert_with(|| (strategy.to_owned(), 0));
        *count += 1;
        if *count <= TOLD {
            self.screen.say(&format!("blunder of {strategy}: {blunder}repeat: {}", self.command));
        }
    }

    /// Reports the number of blunders beyond those reported in full; returns the number of all.
    pub(crate) fn sum_up(&self) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (agent, (strategy, count)) in counts.iter().filter(|(_, (_, count))| *count > TOLD) {
            let more = counted(count - TOLD, "further blunder", "further blunders");
            self.screen.say(&format!("agent {agent} ({strategy}): {more}"));
        }
        counts.values().map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment, Limits, Rollout};
    use game_project::{RawConfig, State};
    use insta::assert_snapshot;
    use sdk::local::Seat;
    use sdk::prelude::*;

    use super::*;
    use crate::program::screen::paper::Paper;

    /// Panics in every call, each time with another kind of message.
    struct Clumsy;

    impl Strategy for Clumsy {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            if view.now == SimTime::START { panic!("no idea") } else { panic!("none at {} either", view.now) }
        }

        fn end(&mut self, _: &mut View<'_>, _: Option<Team>) {
            std::panic::panic_any(7);
        }
    }

    #[test]
    fn blunders_are_told_with_their_places_and_counted_when_there_are_many() {
        sdk::quiet_hook();
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
        let mut seats = Seat::all(&game, seed, |_, _| Clumsy);
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
        blunder of clumsy: the strategy of agent #0 panicked at 0.000 s: no idea (bots/src/program/project/blunders
        it loses this turn; what it saw:
        clock 0.000 s: #0 red at 0,4 holding nothing
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        blunder of clumsy: the strategy of agent #0 panicked at 1.500 s: none at 1.500 s either (bots/src/program/project/blunders
        it loses this turn; what it saw:
        clock 1.500 s: #0 red at 0,4 holding nothing
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        blunder of clumsy: the strategy of agent #0 panicked at 3.000 s: none at 3.000 s either (bots/src/program/project/blunders
        it loses this turn; what it saw:
        clock 3.000 s: #0 red at 0,4 holding nothing
        @.. -
           
           
            -
        ...
        repeat: cargo run -p bots -- --seed 1 --virtual
        agent #0 (clumsy): 4 further blunders
        ");
    }
}
