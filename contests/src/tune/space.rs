//! Parameters that are tuned: their ranges, and the values in them.

use std::fmt;
use std::str::FromStr;

use libm::{exp, log};

/// A parameter with its range. As text: `patience=0.2..5`, or `patience=0.2..5:log` if factors count instead of
/// differences. It takes whole numbers if neither bound has a point.
///
/// A place in the range is a number from 0 to 1, its *unit*.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// The name in the line-up, where it stands in braces.
    pub name: String,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// Whether it takes whole numbers only.
    pub is_whole: bool,
    /// Whether equal factors are equally far apart, instead of equal differences.
    pub is_log: bool,
}

/// Reason why a text is no parameter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no parameter: {why}")]
pub struct ParameterError {
    text: String,
    why: &'static str,
}

/// A range has at least this many different values if the parameter takes fractions.
const STEPS: f64 = 1e4;

/// The most decimal places of a value.
const MOST_PLACES: usize = 12;

impl FromStr for Parameter {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let fault = |why| ParameterError { text: game_env::text::fit_for_a_log(text), why };
        let (name, range) =
            text.split_once('=').ok_or_else(|| fault("expected NAME=LOW..HIGH, e.g. patience=0.2..5"))?;
        let (range, is_log) = range.strip_suffix(":log").map_or((range, false), |range| (range, true));
        let (low, high) = range.split_once("..").ok_or_else(|| fault("expected a range, e.g. 0.2..5"))?;
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(fault("a name has letters, digits, `_` and `-`"));
        }
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.abs() <= 1e9);
        let (Some(least), Some(most)) = (number(low), number(high)) else {
            return Err(fault("the bounds are numbers from -1e9 to 1e9"));
        };
        if least >= most {
            return Err(fault("the lower bound is not below the upper one"));
        }
        if is_log && least <= 0.0 {
            return Err(fault("a range by factors begins above 0"));
        }
        let is_whole = [low, high].iter().all(|bound| bound.parse::<i64>().is_ok());
        let own = Self { name: name.to_owned(), low: least, high: most, is_whole, is_log };
        if !own.writes_bounds(MOST_PLACES) {
            return Err(fault("the bounds have at most 12 decimal places"));
        }
        Ok(own)
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = if self.is_log { ":log" } else { "" };
        write!(f, "{}={}..{}{log}", self.name, self.text(self.low), self.text(self.high))
    }
}

impl Parameter {
    /// Returns the value at this unit, on the lattice of the values that have a text. A whole number is the next one
    /// below the place, or the next above it if `rest`, from 0 to 1, lies in what is cut off; on the average it is the
    /// place itself.
    pub fn value(&self, unit: f64, rest: f64) -> f64 {
        let unit = unit.clamp(0.0, 1.0);
        let place = if self.is_log {
            self.low * exp(unit * log(self.high / self.low))
        } else {
            self.low + unit * (self.high - self.low)
        };
        let value =
            if self.is_whole { (place + rest).floor() } else { self.text(place).parse().unwrap_or(place) };
        value.clamp(self.low, self.high)
    }

    /// Returns the unit of a value.
    pub fn unit(&self, value: f64) -> f64 {
        if self.is_log {
            log(value / self.low) / log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Returns the least distance of two values, in units; for one with fractions as good as none.
    pub fn step(&self) -> f64 {
        if self.is_whole { 1.0 / (self.high - self.low) } else { 1.0 / STEPS }
    }

    /// Returns a value as it is written: with as many decimal places as the range needs.
    pub fn text(&self, value: f64) -> String {
        if self.is_whole {
            return format!("{value:.0}");
        }
        let least = if self.is_log { self.low } else { self.high - self.low };
        let is_fine = |places| least * 10_f64.powi(places) >= STEPS;
        let places =
            (0..).zip(0..=MOST_PLACES).find(|(power, places)| is_fine(*power) && self.writes_bounds(*places));
        let places = places.map_or(MOST_PLACES, |(_, places)| places);
        let text = format!("{value:.places$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }

    /// Returns whether both bounds are the same when they are written with this many decimal places.
    fn writes_bounds(&self, places: usize) -> bool {
        [self.low, self.high].iter().all(|bound| format!("{bound:.places$}").parse() == Ok(*bound))
    }
}

/// Returns a text with the values of parameters in the places of their names: `{patience}` becomes `1.7`.
pub fn filled(template: &str, parameters: &[Parameter], values: &[f64]) -> String {
    parameters.iter().zip(values).fold(template.to_owned(), |text, (parameter, value)| {
        text.replace(&format!("{{{}}}", parameter.name), &parameter.text(*value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(text: &str) -> Parameter {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn parameters_are_read_and_written() {
        for text in [
            "patience=0.2..5",
            "patience=0.2..5:log",
            "pushes=0..8",
            "offset=-3..3.5",
            "patience=0.00001..50",
        ] {
            assert_eq!(parameter(text).to_string(), text);
        }
        assert!(parameter("pushes=0..8").is_whole && !parameter("pushes=0..8.0").is_whole);
        for (text, why) in [
            ("patience", "expected NAME=LOW..HIGH, e.g. patience=0.2..5"),
            ("a=1", "expected a range, e.g. 0.2..5"),
            ("a=1e-13..1", "the bounds have at most 12 decimal places"),
            ("a b=0..1", "a name has letters, digits, `_` and `-`"),
            ("=0..1", "a name has letters, digits, `_` and `-`"),
            ("a=0..nan", "the bounds are numbers from -1e9 to 1e9"),
            ("a=1..1", "the lower bound is not below the upper one"),
            ("a=0..1:log", "a range by factors begins above 0"),
        ] {
            let error = text.parse::<Parameter>().unwrap_err();
            assert_eq!(error.to_string(), format!("`{text}` is no parameter: {why}"));
        }
    }

    #[test]
    fn units_and_values_are_inverse() {
        for text in [
            "patience=0.2..5",
            "patience=0.2..5:log",
            "pushes=0..8",
            "tiny=0.00001..0.00002",
            "low=0.0001..50",
        ] {
            let parameter = parameter(text);
            for unit in [0.0, 0.25, 0.5, 1.0] {
                let value = parameter.value(unit, 0.0);
                assert!((parameter.unit(value) - unit).abs() < 1e-3, "{text}: {unit} {value}");
                assert_eq!(parameter.text(value).parse::<f64>(), Ok(value), "a value has a text");
            }
            assert_eq!([-1.0, 2.0].map(|unit| parameter.value(unit, 0.0)), [parameter.low, parameter.high]);
        }
    }

    #[test]
    fn whole_numbers_are_the_place_on_the_average() {
        let pushes = parameter("pushes=0..8");
        let values = |unit| [0.0, 0.25, 0.5, 0.75].map(|rest| pushes.value(unit, rest));
        assert_eq!(values(0.5), [4.0; 4]);
        assert_eq!(values(0.53125), [4.0, 4.0, 4.0, 5.0], "4.25");
        assert_eq!(values(1.0), [8.0; 4]);
    }

    #[test]
    fn names_are_replaced_by_values() {
        let parameters = ["patience=0.2..5", "pushes=0..8"].map(parameter);
        let text =
            filled("coordinated:patience={patience},pushes={pushes}*2+greedy", &parameters, &[1.7, 3.0]);
        assert_eq!(text, "coordinated:patience=1.7,pushes=3*2+greedy");
    }
}
