//! The interface between the game page and the program that hosts the game.
//!
//! A [`Host`] knows how the game is hosted, and passes on the operator's orders. The viewer's server knows neither
//! configurations nor connections.

use std::sync::Arc;

use game_env::{ConfigError, Millis, Parameters};

use crate::setting::Setting;

/// A game master with one configuration. Another configuration is another value, which has no effect until
/// [`Order::Configure`] is passed on by it.
pub trait Host: Send + Sync {
    /// Every parameter with its value, in the order in which the page shows them.
    fn settings(&self) -> Vec<Setting>;

    /// The most agents of a team.
    fn team_size(&self) -> u16;

    /// Returns the communication server: a name or an address, and a port.
    fn server(&self) -> (String, u16);

    /// Returns the events that start the game without an operator.
    fn starts(&self) -> Starts;

    /// The same host with these values over its own.
    ///
    /// # Errors
    ///
    /// Every fault of the values.
    fn changed(&self, asked: &Parameters) -> Result<Arc<dyn Host>, ConfigError>;

    /// Passes an order on. Its result is an event of the queue.
    ///
    /// # Errors
    ///
    /// If the game master takes no orders any more, or no more of them at present.
    fn order(&self, order: Order) -> Result<(), NotListening>;
}

/// An order of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Start the game.
    Start,
    /// Stop it.
    Stop,
    /// Host the game by the configuration of the [`Host`] that gets the order.
    Configure,
    /// Connect to the communication server of the [`Host`] that gets the order.
    Connect,
}

/// An order that was not passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the game master does not listen any more")]
pub struct NotListening;

/// The reason for which the game master does not take a configuration.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NotConfigured {
    /// The game has begun.
    #[error("the game has begun: nothing can be changed any more")]
    TooLate,
    /// It does not fit the agents that have joined.
    #[error(transparent)]
    Faulty(ConfigError),
}

/// The events that start a game by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Starts {
    /// Whether it starts when both teams are full.
    pub when_full: bool,
    /// The time from the connection to the communication server to the start of the game, which also waits until both
    /// teams have agents; none if time does not start it.
    pub after: Option<Millis>,
}
