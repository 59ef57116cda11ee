//! The faults of a configuration.

use std::fmt;

use super::Value;
use crate::text::{fit_for_a_log, list_faults};

/// Every reason why a configuration cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub struct ConfigError {
    faults: Vec<Fault>,
}

impl ConfigError {
    /// Creates an error with these faults.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(faults: Vec<Fault>) -> Self {
        assert!(!faults.is_empty(), "a configuration without faults can be used");
        Self { faults }
    }

    /// Returns the faults, in the order in which they were found; never empty.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the faults themselves.
    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }
}

/// One fault a line; of many faults only the first ones, and the number of the rest.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list_faults(f, "", &self.faults)
    }
}

/// One reason why a configuration cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The parameter's name.
    pub field: String,
    /// Its value.
    pub value: String,
    /// The reason why the value is wrong.
    pub why: String,
    /// The values that are allowed.
    pub allowed: String,
}

impl Fault {
    /// Creates a fault of a parameter: its name, its wrong value, the reason, and the values that are allowed.
    pub fn new(field: &str, value: &Value, why: impl Into<String>, allowed: impl Into<String>) -> Self {
        // Names and values come from files, and are read on terminals.
        let [field, value] = [field, &value.to_string()].map(fit_for_a_log);
        Self { field, value, why: why.into(), allowed: allowed.into() }
    }
}

/// `field = value: why; allowed: the allowed values`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, why, allowed } = self;
        write!(f, "{field} = {value}: {why}; allowed: {allowed}")
    }
}
