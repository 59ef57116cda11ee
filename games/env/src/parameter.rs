//! A configuration as a list of names and values: what files, replays and settings pages exchange.
//!
//! A game turns its configuration into [`Parameters`] and back; it never sees the file format around them.

use std::fmt;

/// One value of a configuration.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A whole number.
    Whole(i64),
    /// A number with decimals.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// Words.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Real(number) => write!(f, "{number:?}"), // 1.0 stays a number with decimals
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

/// Names and values, in the order in which they were given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parameters(Vec<(String, Value)>);

impl Parameters {
    /// No parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one at the end. A name may be given twice; whoever reads the list decides what that means.
    pub fn push(&mut self, name: impl Into<String>, value: Value) {
        self.0.push((name.into(), value));
    }

    /// Every name with its value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value last given under this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// `name=value`, separated by spaces.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(f, "{gap}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_name_counts_and_all_are_shown() {
        let parameters: Parameters =
            [("a", Value::Whole(-1)), ("b", Value::Real(1.0)), ("a", Value::Flag(true))]
                .into_iter()
                .collect();
        assert_eq!(parameters.get("a"), Some(&Value::Flag(true)));
        assert_eq!(parameters.get("c"), None);
        assert_eq!(parameters.to_string(), "a=-1 b=1.0 a=true");
    }
}
