//! Reads configuration files, in the same way for every program: one JSON object, of a bounded size, with or without a
//! byte-order mark before it.
//!
//! Names, ranges and defaults are the programs' own. It opens no file.

use std::fmt;
use std::io::{self, Read};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

use crate::parameter::{self, Fault, OTHER_KIND, Parameter, Parameters, Range, Value};
use crate::text::{escape_hidden, fit_for_a_log, parser_message};

/// The longest file, in bytes.
pub const LONGEST_FILE: usize = 1 << 20;

/// The most keys of a file. No program has a tenth of that number.
pub const MOST_KEYS: usize = 1000;

/// The content of a configuration file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct File {
    /// Every key with its value, in the order of the file; a key may be there twice.
    pub members: Vec<(String, Json)>,
    /// Whether the file begins with a byte-order mark, as some editors write it.
    pub has_mark: bool,
}

/// The reason why a file is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It is too long.
    #[error("it is longer than {LONGEST_FILE} bytes, the limit of a configuration")]
    TooLong,
    /// It is no text.
    #[error("byte {at} is not UTF-8: save it as UTF-8")]
    NotUtf8 {
        /// The first byte that is wrong, counted from 0.
        at: usize,
    },
    /// It is no JSON object.
    #[error("{0}")]
    NotJson(String),
    /// It has too many keys.
    #[error("it has {0} keys: expected at most {MOST_KEYS}")]
    TooManyKeys(usize),
    /// A value is neither a number nor a flag nor a text.
    #[error("`{key}` is {value}: expected a number, true, false or a text")]
    NoScalar {
        /// Its key, fit for a log.
        key: String,
        /// The value, fit for a log.
        value: String,
    },
}

/// Reads a configuration file.
///
/// # Errors
///
/// If it cannot be read, is too long or is no JSON object. No more than the longest file is read.
pub fn read(file: impl Read) -> Result<File, FileError> {
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LONGEST_FILE {
        return Err(FileError::TooLong);
    }
    let text = str::from_utf8(&bytes).map_err(|error| FileError::NotUtf8 { at: error.valid_up_to() })?;
    let (text, has_mark) = match text.strip_prefix('\u{feff}') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let Object { members, count } =
        serde_json::from_str(text).map_err(|error| FileError::NotJson(parser_message(error)))?;
    if count > MOST_KEYS {
        return Err(FileError::TooManyKeys(count));
    }
    Ok(File { members, has_mark })
}

impl File {
    /// Returns a notice for the user of a file that begins with a byte-order mark.
    pub fn notice(&self, name: &str) -> Option<String> {
        let name = escape_hidden(name);
        self.has_mark.then(|| format!("notice: {name} begins with a byte-order mark, which is left out"))
    }

    /// Returns the members as names and values, for programs whose parameters are numbers, flags and texts.
    ///
    /// # Errors
    ///
    /// If a value is something else.
    pub fn parameters(&self) -> Result<Parameters, FileError> {
        let value = |(key, json): &(String, Json)| match scalar(json) {
            Some(value) => Ok((key.clone(), value)),
            None => {
                Err(FileError::NoScalar { key: fit_for_a_log(key), value: fit_for_a_log(&json.to_string()) })
            }
        };
        self.members.iter().map(value).collect()
    }

    /// Returns the members as names and values for the parameters of this table, and a fault for each of these
    /// parameters whose value is neither a number, a flag nor a text. For a list parameter, a list of words and numbers
    /// is one value.
    pub fn values(&self, table: &[Parameter]) -> (Parameters, Vec<Fault>) {
        let mut parameters = Parameters::new();
        let mut faults = Vec::new();
        for (name, json) in &self.members {
            let known = parameter::find(table, name);
            let is_list = known.is_some_and(|known| matches!(known.range, Range::List(_)));
            let value = if is_list { joined(json) } else { None };
            match (value.or_else(|| scalar(json)), known) {
                (Some(value), _) => parameters.push(name, value),
                (None, Some(known)) => faults.push(Fault {
                    field: name.clone(),
                    value: shown(json),
                    why: OTHER_KIND.to_owned(),
                    allowed: known.range.to_string(),
                }),
                // The only fault is the unknown name, which is reported with the others.
                (None, None) => parameters.push(name, Value::Text(shown(json))),
            }
        }
        (parameters, faults)
    }
}

/// Returns the value of this JSON, if it is a number, a flag or a text.
pub fn scalar(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(flag) => Some(Value::Flag(*flag)),
        Json::String(text) => Some(Value::Text(text.clone())),
        Json::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            whole.map(Value::Whole).or_else(|| number.as_f64().map(Value::Real))
        }
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

/// Returns a list of words and numbers as one text.
fn joined(json: &Json) -> Option<Value> {
    let word = |word: &Json| match word {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let words: Option<Vec<String>> = json.as_array()?.iter().map(word).collect();
    words.map(|words| Value::Text(words.join(",")))
}

/// Returns the beginning of a value that no parameter can have.
fn shown(json: &Json) -> String {
    /// Number of characters that are shown.
    const SHOWN: usize = 40;
    let text = fit_for_a_log(&json.to_string());
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The members of an object in their order, and their number. Members past `MOST_KEYS` are counted, but not kept.
struct Object {
    members: Vec<(String, Json)>,
    count: usize,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of numbers, flags and texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut object = Object { members: Vec::new(), count: 0 };
                while object.count < MOST_KEYS
                    && let Some(member) = map.next_entry()?
                {
                    object.members.push(member);
                    object.count += 1;
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    object.count += 1;
                }
                Ok(object)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(bytes: impl AsRef<[u8]>) -> String {
        read(bytes.as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_read_in_its_order_with_or_without_a_mark() {
        let text = r#"{"b": 1, "a": [true], "b": "x"}"#;
        let file = read(text.as_bytes()).unwrap();
        let keys: Vec<&str> = file.members.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!((keys, file.notice("x.json")), (vec!["b", "a", "b"], None));
        assert_eq!(
            file.parameters().unwrap_err().to_string(),
            "`a` is [true]: expected a number, true, false or a text"
        );
        let marked = read(format!("\u{feff}{text}").as_bytes()).unwrap();
        assert_eq!(marked.members, file.members);
        let notice = "notice: x.json begins with a byte-order mark, which is left out";
        assert_eq!(marked.notice("x.json").as_deref(), Some(notice));
    }

    #[test]
    fn what_is_no_configuration_is_refused_within_bounded_memory() {
        assert_eq!(
            read(io::repeat(0)).unwrap_err().to_string(),
            "it is longer than 1048576 bytes, the limit of a configuration"
        );
        assert_eq!(error([b'{', 0xff]), "byte 1 is not UTF-8: save it as UTF-8");
        assert_eq!(error("{\"a\": }"), "expected value at line 1 column 7");
        assert_eq!(
            error("\"\u{1b}[2J\\u001b[2J\u{202e}\""),
            "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"
        );
        assert_eq!(
            error("\"\\u001b[2J\u{202e}\""),
            "invalid type: string \"\\u{1b}[2J\\u{202e}\", expected an object of numbers, flags and texts at line 1 column 14"
        );
        assert!(error(format!("\"{}\"", "x".repeat(100_000))).len() < 500);
        let keys = |count: usize| {
            let keys: Vec<String> = (0..count).map(|number| format!("\"k{number}\":0")).collect();
            format!("{{{}}}", keys.join(","))
        };
        assert_eq!(read(keys(1000).as_bytes()).unwrap().members.len(), 1000);
        assert_eq!(error(keys(50_000)), "it has 50000 keys: expected at most 1000");
        // The value of a member after the limit is not read: this number is out of range.
        let one_more = keys(1000).replace('}', ",\"more\":1e999}");
        assert_eq!(error(one_more), "it has 1001 keys: expected at most 1000");
    }
}
