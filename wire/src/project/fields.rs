//! A payload as fields, found by name in any case.
//!
//! This module implements the liberal reading of keys, numbers and words. Every error names the message, the
//! field, the value and what was expected.

use std::borrow::Cow;
use std::fmt;

use game_env::text::fit_for_a_log;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::catalogue;
use super::from_wire::DecodeError;

/// The fields of an object that belongs to a message.
pub(super) struct Fields<'a> {
    message: i64,
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Returns the fields of a payload; an absent one has none.
    pub(super) fn of(message: i64, payload: Option<&'a RawValue>) -> Result<Self, DecodeError> {
        let fields = match payload.map(RawValue::get) {
            None | Some("null") => Vec::new(),
            Some(text) => object(text).ok_or_else(|| wrong(message, "payload", text, "an object"))?,
        };
        Ok(Self { message, fields })
    }

    /// Returns the value under one of these names; `null` counts as absent. The last of several is meant.
    pub(super) fn find(&self, names: &[&'static str]) -> Option<(&'static str, &'a str)> {
        names.iter().find_map(|name| self.raw(name).map(|value| (*name, value.get())))
    }

    /// Returns the value under this name, as it is written.
    pub(super) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.fields.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value).filter(|value| value.get() != "null")
    }

    /// Returns every key with its value, as they are written.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.fields.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// Returns the value under one of these names, as `read` reads it.
    pub(super) fn get<T>(
        &self,
        names: &[&'static str],
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, DecodeError> {
        match self.find(names) {
            None => Ok(None),
            Some((name, text)) => {
                read(text).map(Some).ok_or_else(|| wrong(self.message, name, text, expected))
            }
        }
    }

    /// Returns the same of a value that must be there.
    pub(super) fn need<T>(
        &self,
        names: &[&'static str],
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, DecodeError> {
        self.get(names, expected, read)?.ok_or_else(|| self.missing(names[0], expected))
    }

    /// Returns the fields of an object within.
    pub(super) fn within(&self, names: &[&'static str]) -> Result<Option<Fields<'a>>, DecodeError> {
        let Some((name, text)) = self.find(names) else { return Ok(None) };
        let fields = object(text).ok_or_else(|| wrong(self.message, name, text, "an object"))?;
        Ok(Some(Fields { message: self.message, fields }))
    }

    pub(super) fn missing(&self, field: &'static str, expected: &'static str) -> DecodeError {
        DecodeError::Missing { message: self.message, name: catalogue::name(self.message), field, expected }
    }

    pub(super) fn wrong(&self, field: &'static str, value: &str, expected: &'static str) -> DecodeError {
        wrong(self.message, field, value, expected)
    }
}

fn wrong(message: i64, field: &'static str, value: &str, expected: &'static str) -> DecodeError {
    DecodeError::Wrong {
        message,
        name: catalogue::name(message),
        field,
        value: fit_for_a_log(value),
        expected,
    }
}

/// Returns the fields of an object in their order; none if the text is anything else.
pub(super) fn object(text: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

    impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Pairs;

            impl<'de> Visitor<'de> for Pairs {
                type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                    let mut pairs = Vec::new();
                    while let Some((Key(key), value)) = map.next_entry()? {
                        pairs.push((key, value));
                    }
                    Ok(pairs)
                }
            }

            deserializer.deserialize_map(Pairs).map(Object)
        }
    }

    // Nothing but an object is one; serde_json would take an array for a map of no entries otherwise.
    serde_json::from_str(text).ok().map(|Object(fields)| fields)
}

/// A key, borrowed unless it is written with escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// Returns a whole number: `5`, `5.0`, `"5"`.
pub(super) fn whole(text: &str) -> Option<i64> {
    let text = unquoted(text);
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "the range is asked for first")]
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    })
}

/// Returns a number: `0.5`, `"0.5"`.
pub(super) fn real(text: &str) -> Option<f64> {
    unquoted(text).parse().ok().filter(|number: &f64| number.is_finite())
}

/// `true` or `false`, quoted or not, in any case: one implementation writes `True`.
pub(super) fn flag(text: &str) -> Option<bool> {
    let text = unquoted(text);
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Returns one of these words, in any case.
pub(super) fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    let text: Cow<'_, str> = serde_json::from_str(text).ok()?;
    words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, meaning)| *meaning)
}

/// Returns the text of a string that needs no escapes, and anything else as it is.
pub(super) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_have_decimals_within_what_a_float_holds() {
        for (text, number) in [
            ("5", Some(5)),
            ("\"5\"", Some(5)),
            ("5.0", Some(5)),
            ("5.5", None),
            ("9223372036854775807", Some(i64::MAX)),
            ("8999999999999999.0", Some(8_999_999_999_999_999)),
            ("9e15", None),
            ("-9e15", None),
        ] {
            assert_eq!(whole(text), number, "{text}");
        }
    }
}
