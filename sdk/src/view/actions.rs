//! The choices of a view's agent: one method for each action, and for a wait.

use std::sync::Arc;

use game_env::{AgentId, Options as _, SimTime};
use game_project::{Action, Direction, Observation};

use super::View;
use crate::strategy::Choice;

impl View<'_> {
    /// Returns all actions that the agent may ask for, as far as it can know. An answer to a question is in the list
    /// with information that says nothing.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let options = situation.see(|view| view.options());
    /// assert!(options.contains(&Action::Discover) && !options.contains(&Action::Put));
    /// ```
    pub fn options(&self) -> Vec<Action> {
        let observation = Observation {
            briefing: Arc::new(self.briefing.clone()),
            position: self.position(),
            holding: self.own.hand.is_full(),
            ready: self.now,
            questions: self.own.questions.clone(),
        };
        let mut options = Vec::new();
        observation.options(&mut options);
        options
    }

    /// Chooses a move to the next field in this direction.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let choice = situation.see(|view| view.step(Direction::West));
    /// assert_eq!(choice, Choice::Act(Action::Move(Direction::West)));
    /// ```
    pub fn step(&self, direction: Direction) -> Choice {
        Choice::Act(Action::Move(direction))
    }

    /// Chooses a discovery: the distances from this field and the eight around it to the nearest piece.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.discover()), Choice::Act(Action::Discover));
    /// ```
    pub fn discover(&self) -> Choice {
        Choice::Act(Action::Discover)
    }

    /// Chooses to pick up the piece on this field.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.pick_up()), Choice::Act(Action::PickUp));
    /// ```
    pub fn pick_up(&self) -> Choice {
        Choice::Act(Action::PickUp)
    }

    /// Chooses to put the piece in hand on this field.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.put()), Choice::Act(Action::Put));
    /// ```
    pub fn put(&self) -> Choice {
        Choice::Act(Action::Put)
    }

    /// Chooses to check the piece in hand: a check finds out if the piece is a sham, and destroys a sham.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.check()), Choice::Act(Action::Check));
    /// ```
    pub fn check(&self) -> Choice {
        Choice::Act(Action::Check)
    }

    /// Chooses to destroy the piece in hand.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.destroy()), Choice::Act(Action::Destroy));
    /// ```
    pub fn destroy(&self) -> Choice {
        Choice::Act(Action::Destroy)
    }

    /// Chooses to ask another agent for its knowledge. The answer arrives later, or never.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let one = AgentId::new(1);
    /// assert_eq!(situation.see(|view| view.ask(one)), Choice::Act(Action::Ask(one)));
    /// ```
    pub fn ask(&self, agent: AgentId) -> Choice {
        Choice::Act(Action::Ask(agent))
    }

    /// Chooses to wait until the agent hears something. [`Choice::Wait`] also has a time limit.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert_eq!(situation.see(|view| view.wait_for_message()), Choice::Wait(SimTime::NEVER));
    /// ```
    pub fn wait_for_message(&self) -> Choice {
        Choice::Wait(SimTime::NEVER)
    }
}
