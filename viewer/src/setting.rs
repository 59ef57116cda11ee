//! A parameter of a host, as the page shows it.

use game_env::Value;
use game_env::parameter::Parameter;

/// A parameter as the page shows it.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its description.
    pub parameter: Parameter,
    /// Its value.
    pub value: Value,
    /// The source of the value.
    pub origin: String,
}
