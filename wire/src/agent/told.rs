//! Games whose observations are messages of the agent protocol without help of an SDK.

use game_env::Notation;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::message::NoBegin;
use super::schema::Described;

/// A game whose agents see an observation and hear events, and that is all: its policies in Rust have no more.
///
/// An event is its notation: `#0 drew 0-1`.
pub trait Told: Notation {
    /// The observation as a message has it.
    type Observation: Serialize + DeserializeOwned + JsonSchema + Send;

    /// Returns the message's observation for one of the game.
    fn tell(observation: &<Self as game_env::Environment>::Observation) -> <Self as Told>::Observation;

    /// Returns the game's observation for one of a message, for programs in Rust.
    ///
    /// # Errors
    ///
    /// If no game has this observation; in words.
    fn read(
        told: <Self as Told>::Observation,
    ) -> Result<<Self as game_env::Environment>::Observation, String>;
}

impl<E: Told> Described for E {
    type Game = E;
    type Begin = NoBegin;
    type Observation = <E as Told>::Observation;
    type Event = String;
}
