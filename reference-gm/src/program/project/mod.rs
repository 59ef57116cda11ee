//! The game master of The Project Game: hosts one game, and prints its configuration.

pub(crate) mod arguments;
pub(crate) mod configuration;
pub(crate) mod hosting;
