//! The game as arrays of numbers.
//!
//! A player sees no board, so there are no planes. The vector holds the last answer alone: memory is the learner's.

use game_env::arrays::{Arrays, Layout};

use crate::board::{Config, Direction};
use crate::state::{Action, Answer, Observation, State, Steps};

const VECTOR: [&str; 12] = [
    "0: the player steps; 1: it turns and goes ahead",
    "columns",
    "rows",
    "hint fields",
    "conveyors",
    "requests so far",
    "1: the last request was done",
    "1: the last request was refused",
    "1: the last request led to a hint that says up",
    "1: the last request led to a hint that says down",
    "1: the last request led to a hint that says left",
    "1: the last request led to a hint that says right",
];

/// The place of the first hint in the vector; the others follow in the order of [`Direction::ALL`].
const HINTS: usize = 8;

impl Arrays for State {
    fn layout(config: &Config) -> Layout {
        Layout {
            vector: VECTOR.map(str::to_owned).to_vec(),
            actions: Self::actions(config).iter().map(Action::to_string).collect(),
            ..Layout::default()
        }
    }

    fn actions(_: &Config) -> Vec<Action> {
        let [steps, turns] = [Action::Step, Action::Turn].map(|kind| Direction::ALL.map(kind));
        steps.into_iter().chain(turns).chain(Steps::ALL.map(Action::Ahead)).collect()
    }

    fn number(_: &Config, action: &Action) -> Option<usize> {
        let directions = Direction::ALL.len();
        Some(match action {
            Action::Step(direction) => *direction as usize,
            Action::Turn(direction) => directions + *direction as usize,
            Action::Ahead(steps) => 2 * directions + *steps as usize,
        })
    }

    fn write(seen: &Observation, _: &mut [u8], vector: &mut [f32]) {
        let config = seen.config;
        vector[0] = if seen.player.index() == 0 { 0.0 } else { 1.0 };
        vector[1] = config.columns().into();
        vector[2] = config.rows().into();
        vector[3] = config.hints().into();
        vector[4] = config.conveyors().into();
        vector[5] = seen.requests as f32;
        match seen.last {
            None => {}
            Some(Answer::Refused) => vector[7] = 1.0,
            Some(Answer::Done) => vector[6] = 1.0,
            Some(Answer::Hint(direction)) => {
                vector[6] = 1.0;
                vector[HINTS + direction as usize] = 1.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::AgentId;
    use game_env::conformance::{Case, check_arrays};

    use super::*;

    #[test]
    fn numbers_and_actions_agree() {
        let config = Config::new(5, 4).and_then(|config| config.with_conveyors(1)).unwrap();
        let decisions = check_arrays::<State>(&Case { name: "arrays", config, seeds: 0..5, bound: 10_000 });
        assert!(decisions > 50, "{decisions}");
    }

    #[test]
    fn the_vector_has_the_last_answer() {
        let write = |last| {
            let mut vector = [0.0; VECTOR.len()];
            let seen = Observation { player: AgentId::new(1), requests: 3, last, ..Observation::default() };
            State::write(&seen, &mut [], &mut vector);
            assert_eq!((vector[0], vector[5]), (1.0, 3.0));
            vector[6..].to_vec()
        };
        assert_eq!(write(None), [0.0; 6]);
        assert_eq!(write(Some(Answer::Done)), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(write(Some(Answer::Refused)), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(write(Some(Answer::Hint(Direction::Left))), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}
