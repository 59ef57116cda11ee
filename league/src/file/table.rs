//! A table of a league file, read key by key.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use contests::text::counted;
use game_env::Value;
use game_env::text::{fit_for_a_log, is_hidden, or_list};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::fault::{Faults, unknown};

/// The longest name of a league or an entrant, in characters.
const LONGEST_NAME: usize = 60;

/// A value and its place in the file, in bytes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) at: Range<usize>,
}

/// A table whose keys are taken one after another; keys that are never taken are unknown.
pub(super) struct Table<'a> {
    /// Name of the table in messages, e.g. `[schedule]`; empty for the file itself.
    name: &'static str,
    at: Range<usize>,
    entries: &'a DeTable<'a>,
    taken: BTreeSet<&'static str>,
}

impl<'a> Table<'a> {
    pub(super) fn new(name: &'static str, at: Range<usize>, entries: &'a DeTable<'a>) -> Self {
        Self { name, at, entries, taken: BTreeSet::new() }
    }

    /// Takes a key, and ignores its value.
    pub(super) fn skip(&mut self, key: &'static str) {
        self.taken.insert(key);
    }

    /// Returns the name of the table in messages.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the place of the table in the file, in bytes.
    pub(super) fn at(&self) -> &Range<usize> {
        &self.at
    }

    /// Returns whether the file gives this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.keys().any(|own| own.get_ref() == key)
    }

    /// Returns the place of the value of this key.
    pub(super) fn place_of(&self, key: &str) -> Option<Range<usize>> {
        self.entries.iter().find(|(own, _)| own.get_ref() == key).map(|(_, value)| value.span())
    }

    /// Returns a text of this key.
    pub(super) fn text(&mut self, key: &'static str, faults: &mut Faults<'_>) -> Option<Placed<&'a str>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Placed { value: text, at: value.span() }),
            other => wrong(key, value, other, "a text in quotes", faults),
        }
    }

    /// Returns the text of the key `name` if it can be shown in one line; none if there is none, or it is faulty.
    pub(super) fn text_of_name(&mut self, faults: &mut Faults<'_>) -> Option<String> {
        let name = self.text("name", faults)?;
        let length = name.value.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) {
            let length = counted(length as u64, "character", "characters");
            faults.add(&name.at, format!("a name of {length}: expected 1 to {LONGEST_NAME}"));
            return None;
        }
        if name.value.chars().any(is_hidden) || name.value.trim() != name.value {
            let shown = fit_for_a_log(name.value);
            let expected = "expected visible characters, without spaces at its ends";
            faults.add(&name.at, format!("invalid name `{shown}`: {expected}"));
            return None;
        }
        Some(name.value.to_owned())
    }

    /// Returns a whole number of this key. Also as a text, for the numbers of 64 bits that other readers of TOML lack.
    pub(super) fn whole(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        faults: &mut Faults<'_>,
    ) -> Option<Placed<u64>> {
        let value = self.take(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => whole(number).and_then(|number| u64::try_from(number).ok()),
            DeValue::String(text) => text.parse().ok(),
            _ => None,
        };
        match number.filter(|number| range.contains(number)) {
            Some(number) => Some(Placed { value: number, at: value.span() }),
            None => {
                let expected = format!("a whole number from {} to {}", range.start(), range.end());
                wrong(key, value, value.get_ref(), &expected, faults)
            }
        }
    }

    /// Returns a number of this key that is more than `above` and less than `below`.
    pub(super) fn between(
        &mut self,
        key: &'static str,
        (above, below): (f64, f64),
        faults: &mut Faults<'_>,
    ) -> Option<Placed<f64>> {
        let value = self.take(key)?;
        match scalar(value.get_ref()) {
            Some(Value::Real(number)) if above < number && number < below => {
                Some(Placed { value: number, at: value.span() })
            }
            _ => {
                let expected = format!("a number above {above} and below {below}");
                wrong(key, value, value.get_ref(), &expected, faults)
            }
        }
    }

    /// True or false.
    pub(super) fn flag(&mut self, key: &'static str, faults: &mut Faults<'_>) -> Option<bool> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            other => wrong(key, value, other, "true or false", faults),
        }
    }

    /// True, false, or this word in the place of both: `None` inside.
    pub(super) fn flag_or(
        &mut self,
        key: &'static str,
        word: &str,
        faults: &mut Faults<'_>,
    ) -> Option<Option<bool>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(Some(*flag)),
            DeValue::String(text) if text == word => Some(None),
            other => wrong(key, value, other, &format!("true, false or \"{word}\""), faults),
        }
    }

    /// Texts of this key in an array.
    pub(super) fn texts(
        &mut self,
        key: &'static str,
        faults: &mut Faults<'_>,
    ) -> Option<Placed<Vec<Placed<&'a str>>>> {
        const EXPECTED: &str = "texts in quotes, separated by commas, in brackets";
        let value = self.take(key)?;
        let DeValue::Array(values) = value.get_ref() else {
            return wrong(key, value, value.get_ref(), EXPECTED, faults);
        };
        let mut texts = Vec::new();
        for value in values {
            match value.get_ref() {
                DeValue::String(text) => texts.push(Placed { value: text.as_ref(), at: value.span() }),
                other => return wrong(key, value, other, EXPECTED, faults),
            }
        }
        Some(Placed { value: texts, at: value.span() })
    }

    /// Returns two different ports of this key in an array.
    pub(super) fn ports(&mut self, key: &'static str, faults: &mut Faults<'_>) -> Option<Placed<[u16; 2]>> {
        let value = self.take(key)?;
        let port = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::Integer(number) => whole(number).and_then(|number| u16::try_from(number).ok()),
            _ => None,
        };
        let ports = match value.get_ref() {
            DeValue::Array(values) => values.iter().map(port).collect::<Option<Vec<u16>>>(),
            _ => None,
        };
        match ports.as_deref() {
            Some(&[red, blue]) if red > 0 && blue > 0 && red != blue => {
                Some(Placed { value: [red, blue], at: value.span() })
            }
            _ => {
                let expected = "two different ports from 1 to 65535, that of red first, e.g. [4001, 4002]";
                faults.add(&value.span(), format!("invalid `{key}`: expected {expected}"));
                None
            }
        }
    }

    /// Returns one of some words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        faults: &mut Faults<'_>,
    ) -> Option<Placed<T>> {
        let value = self.take(key)?;
        let names = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        let DeValue::String(text) = value.get_ref() else {
            let expected = format!("{}, in quotes", or_list(names()));
            return wrong(key, value, value.get_ref(), &expected, faults);
        };
        let Some((_, found)) = words.iter().find(|(word, _)| word == text) else {
            faults.add(&value.span(), unknown(key, text, names()));
            return None;
        };
        Some(Placed { value: *found, at: value.span() })
    }

    /// Returns a table of this key.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        name: &'static str,
        faults: &mut Faults<'_>,
    ) -> Option<Table<'a>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Table(entries) => Some(Table::new(name, value.span(), entries)),
            other => wrong(key, value, other, &format!("a table {name}"), faults),
        }
    }

    /// Returns the tables of this key, each written below its own `[[key]]`; none if the key is not there.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        name: &'static str,
        faults: &mut Faults<'_>,
    ) -> Vec<Table<'a>> {
        let Some(value) = self.take(key) else { return Vec::new() };
        let DeValue::Array(values) = value.get_ref() else {
            return wrong(key, value, value.get_ref(), &format!("tables {name}"), faults).unwrap_or_default();
        };
        let mut tables = Vec::new();
        for value in values {
            match value.get_ref() {
                DeValue::Table(entries) => tables.push(Table::new(name, value.span(), entries)),
                other => tables.extend(wrong(key, value, other, &format!("a table {name}"), faults)),
            }
        }
        tables
    }

    /// Returns all keys with their values, for a table whose keys are checked elsewhere. A value that is no number,
    /// flag or text is a fault.
    pub(super) fn scalars(self, faults: &mut Faults<'_>) -> Vec<(Placed<&'a str>, Placed<Value>)> {
        let mut scalars = Vec::new();
        for (key, value) in self.entries {
            let name = Placed { value: key.get_ref().as_ref(), at: key.span() };
            match scalar(value.get_ref()) {
                Some(scalar) => scalars.push((name, Placed { value: scalar, at: value.span() })),
                None => faults.add(
                    &value.span(),
                    format!(
                        "`{}` is {}: expected a number, true, false or a text",
                        fit_for_a_log(name.value),
                        kind(value.get_ref())
                    ),
                ),
            }
        }
        scalars
    }

    /// Reports the keys that were never taken.
    pub(super) fn finish(self, faults: &mut Faults<'_>) {
        for key in self.entries.keys() {
            if !self.taken.contains(key.get_ref().as_ref()) {
                let gap = if self.name.is_empty() { "" } else { " of " };
                let what = format!("key{gap}{}", self.name);
                faults.add(&key.span(), unknown(&what, key.get_ref(), self.taken.iter().copied()));
            }
        }
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.taken.insert(key);
        self.entries.iter().find(|(own, _)| own.get_ref() == key).map(|(_, value)| value)
    }
}

/// Reports a value of the wrong kind, or out of range.
fn wrong<T>(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    found: &DeValue<'_>,
    expected: &str,
    faults: &mut Faults<'_>,
) -> Option<T> {
    let found =
        scalar(found).map_or_else(|| kind(found).to_owned(), |value| fit_for_a_log(&value.to_string()));
    faults.add(&value.span(), format!("`{key}` is {found}: expected {expected}"));
    None
}

fn scalar(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.as_ref().to_owned())),
        DeValue::Integer(number) => whole(number).map(Value::Whole),
        DeValue::Float(number) => number.as_str().parse().ok().map(Value::Real),
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn whole(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number of more than 127 bits",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a flag",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
