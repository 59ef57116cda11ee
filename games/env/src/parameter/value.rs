//! A configuration as a list of names and values: what files, replays and settings pages exchange.

use std::fmt;

/// One value of a configuration.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A whole number; wide enough for every number of 64 bits, with a sign or without.
    Whole(i128),
    /// A number with decimals.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// Words.
    Text(String),
}

impl Value {
    /// Returns the value that a flag's text seems to be: a number, true or false, else a text.
    pub fn guess(text: &str) -> Self {
        let whole = || text.parse().ok().map(Self::Whole);
        let real = || text.parse().ok().map(Self::Real);
        let flag = || text.parse().ok().map(Self::Flag);
        whole().or_else(real).or_else(flag).unwrap_or_else(|| Self::Text(text.to_owned()))
    }

    /// Returns the value as a text, without quotes.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }
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
    /// Creates a list without parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value at the end. A name may be given twice; the reader of the list decides what that means.
    pub fn push(&mut self, name: impl Into<String>, value: Value) {
        self.0.push((name.into(), value));
    }

    /// Returns every name with its value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns these values, after those of `below` whose names are not among them: a layer of a configuration over
    /// another one.
    pub fn over(&self, below: &Self) -> Self {
        let below = below.iter().filter(|(name, _)| self.get(name).is_none());
        below.chain(self.iter()).map(|(name, value)| (name, value.clone())).collect()
    }

    /// Returns the value last given under this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl IntoIterator for Parameters {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<(String, Value)> for Parameters {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, pairs: I) {
        self.0.extend(pairs);
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

/// As a JSON object of numbers, flags and texts, in its order; a name may be there twice.
#[cfg(feature = "configuration")]
mod json {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde::ser::{Serialize, SerializeMap, Serializer};

    use super::{Parameters, Value};

    impl Serialize for Value {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Self::Whole(number) => serializer.serialize_i128(*number),
                Self::Real(number) => serializer.serialize_f64(*number),
                Self::Flag(flag) => serializer.serialize_bool(*flag),
                Self::Text(text) => serializer.serialize_str(text),
            }
        }
    }

    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Scalar;

            impl Visitor<'_> for Scalar {
                type Value = Value;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a number, true, false or a text")
                }

                fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
                    Ok(Value::Flag(flag))
                }

                fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                    Ok(Value::Whole(number.into()))
                }

                fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                    Ok(Value::Whole(number.into()))
                }

                fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
                    Ok(Value::Real(number))
                }

                fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                    Ok(Value::Text(text.to_owned()))
                }
            }

            deserializer.deserialize_any(Scalar)
        }
    }

    impl Serialize for Parameters {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for (name, value) in self.iter() {
                map.serialize_entry(name, value)?;
            }
            map.end()
        }
    }

    impl<'de> Deserialize<'de> for Parameters {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Pairs;

            impl<'de> Visitor<'de> for Pairs {
                type Value = Parameters;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object of numbers, flags and texts")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                    let mut parameters = Parameters::new();
                    while let Some((name, value)) = map.next_entry::<String, Value>()? {
                        parameters.push(name, value);
                    }
                    Ok(parameters)
                }
            }

            deserializer.deserialize_map(Pairs)
        }
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

    #[test]
    fn a_layer_replaces_the_values_of_its_names() {
        let below: Parameters = [("a", Value::Whole(1)), ("b", Value::Whole(2))].into_iter().collect();
        let above: Parameters = [("c", Value::Whole(3)), ("a", Value::Flag(true))].into_iter().collect();
        assert_eq!(above.over(&below).to_string(), "b=2 c=3 a=true");
        assert_eq!(Parameters::new().over(&below), below);
    }

    #[cfg(feature = "configuration")]
    #[test]
    fn json_keeps_order_kinds_and_repetitions() {
        let text = r#"{"b":1,"a":1.0,"b":true,"c":"x","d":-9223372036854775808}"#;
        let parameters: Parameters = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&parameters).unwrap(), text);
        let large: Parameters = serde_json::from_str(r#"{"seed":18446744073709551615}"#).unwrap();
        assert_eq!(large.get("seed"), Some(&Value::Whole(u64::MAX.into())));
        assert!(serde_json::from_str::<Parameters>(r#"{"a":[1]}"#).is_err());
    }
}
