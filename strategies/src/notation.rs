//! Strategies with parameters as text: `coordinated:patience=2,slip=0.01`.
//!
//! A name stands alone, or before a colon and values of parameters of its table. The form needs no quotes in a shell. A
//! text that is [written](write()) names the values that differ from their defaults, in the order of the table: equal
//! strategies have equal texts.

use std::fmt;

use game_env::parameter::{self, Parameter};
use game_env::text::list_faults;
use game_env::{Fault, NotationError, Parameters, Value};

/// Faults of the parameters of a strategy.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ParametersError {
    /// A part of the text is not `PARAMETER=VALUE`.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The strategy has no parameters.
    #[error("`{0}` has no parameters")]
    None(&'static str),
    /// Parameters or values are wrong.
    #[error("{0}")]
    Faults(StrategyFaults),
}

/// The faults of a strategy's parameters; there is at least one.
#[derive(Clone, PartialEq, Debug)]
pub struct StrategyFaults {
    strategy: &'static str,
    faults: Vec<Fault>,
}

/// A fault a line, each with the strategy: `coordinated: slip = 2.0: it is too large; allowed: a number from 0 to 1`.
impl fmt::Display for StrategyFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list_faults(f, &format!("{}: ", self.strategy), &self.faults)
    }
}

/// Splits a text into the name of a strategy and its values, if there are any.
pub fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((name, values)) => (without_spaces(name), Some(values)),
        None => (without_spaces(text), None),
    }
}

/// Returns a part of a text without the spaces at its ends. Line ends and other blank characters stay, so that no name
/// matches the part: an accepted text never contains them.
pub fn without_spaces(part: &str) -> &str {
    part.trim_matches(' ')
}

/// The most agents that a line-up names: as many as a team can have.
const LONGEST_LINE_UP: usize = 3_000;

/// Splits a line-up into its strategies and their numbers: `coordinated:slip=0.01*3+liar` has
/// `coordinated:slip=0.01` three times and `liar` once. Text in `"` is not split.
///
/// # Errors
///
/// If a strategy beside a `+` is missing, the text after a `*` is not a whole number from 1 on, or the line-up has more
/// than 3,000 agents.
pub fn line_up(text: &str) -> Result<Vec<(&str, usize)>, NotationError> {
    let mut parts = Vec::new();
    let mut room = LONGEST_LINE_UP;
    for part in split_outside_quotes(text, '+') {
        let halves: Vec<&str> = split_outside_quotes(part, '*').collect();
        let (name, count) = match halves[..] {
            [name] => (name, "1"),
            // A second number is no number.
            _ => (halves[0], &part[halves[0].len() + 1..]),
        };
        if without_spaces(name).is_empty() && part.len() < text.len() {
            return Err(NotationError::new("line-up", text, "a strategy before and after each `+`"));
        }
        let count = without_spaces(count).parse().ok().filter(|count| (1..=room).contains(count));
        let count =
            count.ok_or_else(|| NotationError::new("line-up", text, "e.g. `greedy` or `greedy*3+random`"))?;
        room -= count;
        parts.push((name, count));
    }
    Ok(parts)
}

fn split_outside_quotes(text: &str, at: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == at && !is_quoted
    })
}

/// Writes the strategies of a line-up, equal ones with their number: `greedy*3+random`.
///
/// # Errors
///
/// If `f` cannot be written to.
pub fn write_line_up<S: fmt::Display + PartialEq>(
    f: &mut fmt::Formatter<'_>,
    strategies: &[S],
) -> fmt::Result {
    for (place, run) in strategies.chunk_by(|a, b| a == b).enumerate() {
        let plus = if place > 0 { "+" } else { "" };
        write!(f, "{plus}{}", run[0])?;
        if run.len() > 1 {
            write!(f, "*{}", run.len())?;
        }
    }
    Ok(())
}

/// Reads the values of a strategy's parameters. The result has a value for every parameter of the table.
///
/// # Errors
///
/// Names every parameter that does not exist, with the nearest name, and every value that is not allowed, with the
/// allowed ones.
pub fn read(
    strategy: &'static str,
    table: &[Parameter],
    values: Option<&str>,
) -> Result<Parameters, ParametersError> {
    let mut asked = Parameters::new();
    for word in values.iter().flat_map(|values| values.split(',')) {
        let Some((name, value)) =
            word.split_once('=').map(|(name, value)| (without_spaces(name), without_spaces(value)))
        else {
            return Err(NotationError::new("value of a parameter", word, EXPECTED).into());
        };
        asked.push(name, parameter::parse(table, name, value));
    }
    if table.is_empty() {
        return values.map_or(Ok(Parameters::new()), |_| Err(ParametersError::None(strategy)));
    }
    let mut reading = parameter::read(table, &asked);
    let (checked, faults) = parameter::check(table, &reading.values);
    reading.faults.extend(faults);
    if reading.faults.is_empty() {
        return Ok(checked);
    }
    Err(ParametersError::Faults(StrategyFaults { strategy, faults: reading.faults }))
}

const EXPECTED: &str = "PARAMETER=VALUE, several joined by commas, e.g. `coordinated:patience=2,slip=0.01`";

/// Writes a strategy with the values that differ from their defaults.
///
/// # Errors
///
/// If `f` cannot be written to.
pub fn write(
    f: &mut fmt::Formatter<'_>,
    strategy: &str,
    table: &[Parameter],
    values: &Parameters,
) -> fmt::Result {
    f.write_str(strategy)?;
    let mut before = ':';
    for parameter in table {
        let value = values.get(parameter.name).filter(|value| **value != Value::from(parameter.default));
        if let Some(value) = value {
            write!(f, "{before}{}={}", parameter.name, value.text())?;
            before = ',';
        }
    }
    Ok(())
}

/// Returns the number of this parameter; 0 if it has none, which [`read`] excludes for parameters of its table.
pub fn number(values: &Parameters, name: &str) -> f64 {
    match values.get(name) {
        Some(Value::Real(number)) => *number,
        Some(Value::Whole(number)) => *number as f64,
        _ => 0.0,
    }
}

/// Returns the whole number of this parameter; 0 if it has none, or a negative one.
pub fn count(values: &Parameters, name: &str) -> u64 {
    match values.get(name) {
        Some(Value::Whole(number)) => u64::try_from(*number).unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [Parameter; 2] = [
        Parameter::real("patience", "patience", 1.0, 0.0, 100.0),
        Parameter::real("slip", "slip", 0.0, 0.0, 1.0),
    ];

    struct Shown<'a>(&'a Parameters);

    impl fmt::Display for Shown<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write(f, "able", &TABLE, self.0)
        }
    }

    fn again(text: &str) -> Result<String, String> {
        let (name, values) = split(text);
        assert_eq!(name, "able");
        let values = read("able", &TABLE, values).map_err(|error| error.to_string())?;
        Ok(Shown(&values).to_string())
    }

    #[test]
    fn equal_strategies_have_equal_texts() {
        for (text, expected) in [
            ("able", "able"),
            (" able : slip = 0.5 ", "able:slip=0.5"),
            ("able:slip=1e-3,patience=2", "able:patience=2.0,slip=0.001"),
            ("able:patience=1,slip=0", "able"),
        ] {
            assert_eq!(again(text).as_deref(), Ok(expected), "{text}");
            assert_eq!(again(expected).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn every_fault_is_named_with_what_would_be_right() {
        for (text, expected) in [
            (
                "able:slip",
                "`slip` is no value of a parameter: expected PARAMETER=VALUE, several joined by commas, e.g. `coordinated:patience=2,slip=0.01`",
            ),
            ("able:slip=2", "able: slip = 2.0: it is too large; allowed: a number from 0 to 1"),
            ("able:slip=NaN", "able: slip = NaN: it is no number; allowed: a number from 0 to 1"),
            ("able:slip=much", "able: slip = \"much\": wrong type; allowed: a number from 0 to 1"),
            ("able:slop=0.1", "able: slop = 0.1: unknown parameter; allowed: perhaps `slip`"),
            ("able:slip=0.1,slip=0.2", "able: slip = 0.2: it is given twice; allowed: one value"),
            (
                "able:patience=-1,colour=red",
                "able: colour = \"red\": unknown parameter; allowed: patience, slip\n\
                 able: patience = -1.0: it is too small; allowed: a number from 0 to 100",
            ),
        ] {
            assert_eq!(again(text), Err(expected.to_owned()), "{text}");
        }
        let none = read("idle", &[], Some("slip=0.1")).unwrap_err();
        assert_eq!(none.to_string(), "`idle` has no parameters");
        assert_eq!(read("idle", &[], None), Ok(Parameters::new()));
    }
}
