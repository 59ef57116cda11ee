//! Parameters: their ranges, the requested values, and every fault of these values.
//!
//! A program or a game has one table of [`Parameter`]s. Its command line, its help, its files, its settings page and
//! the book read that table, and [`Checked`] holds the requested values once they were compared with it. The owner of
//! the table checks whether values fit together.
//!
//! A game turns its configuration into [`Parameters`] and back; it never sees the file format around them.

mod checked;
mod fault;
mod value;

use std::fmt;

pub use self::checked::Checked;
pub use self::fault::{ConfigError, Fault};
pub use self::value::{Parameters, Value};

use crate::names::nearest;
use crate::text::or_list;

/// The description of one parameter, whatever its value.
///
/// ```
/// use game_env::parameter::{self, Parameter};
/// use game_env::{Parameters, Value};
///
/// const TABLE: [Parameter; 2] = [
///     Parameter::whole("rows", "rows of the board", 8, 1, 100),
///     Parameter::whole("limitMs", "the time of a move", 5000, 0, 60_000).unit("ms").aliases(&["limit"]),
/// ];
///
/// let asked: Parameters = [("rows", Value::Whole(9)), ("limt", Value::Whole(1))].into_iter().collect();
/// let reading = parameter::read(&TABLE, &asked);
/// assert_eq!(reading.get("rows"), Some(&Value::Whole(9)));
/// assert_eq!(reading.faults[0].to_string(), "limt = 1: unknown parameter; allowed: perhaps `limit`");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in files.
    pub name: &'static str,
    /// Other names under which it is read.
    pub aliases: &'static [&'static str],
    /// Its meaning.
    pub meaning: &'static str,
    /// The unit of its number; empty if it has none.
    pub unit: &'static str,
    /// Its value if none is given.
    pub default: Default,
    /// The values that it may have, other parameters aside.
    pub range: Range,
    /// Its place in the specification of the game, if it has one.
    pub source: Option<Source>,
}

/// A default value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Default {
    /// A whole number.
    Whole(i64),
    /// A number with decimals.
    Real(f64),
    /// Yes or no.
    Flag(bool),
    /// A text; empty for nothing.
    Text(&'static str),
}

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// A whole number between these, both included.
    Whole(i64, i64),
    /// A number between these, both included.
    Real(f64, f64),
    /// Yes or no.
    Flag,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A text of this form.
    Text(Form),
    /// Texts joined by commas, or a list of texts, which together have this form.
    List(Form),
}

/// The form that a text must have.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The allowed texts, for people: "a name or an address".
    pub allowed: &'static str,
    /// Checks a text; the error is the reason why it is wrong.
    pub check: fn(&str) -> Result<(), String>,
}

/// A parameter in the document that specifies the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its names there.
    pub names: &'static [&'static str],
    /// The section that has it.
    pub section: &'static str,
    /// Its value in the samples there; empty if there is none.
    pub sample: &'static str,
}

impl Parameter {
    const fn new(name: &'static str, meaning: &'static str, default: Default, range: Range) -> Self {
        Self { name, aliases: &[], meaning, unit: "", default, range, source: None }
    }

    /// Returns a whole number from `least` to `most`.
    pub const fn whole(
        name: &'static str,
        meaning: &'static str,
        default: i64,
        least: i64,
        most: i64,
    ) -> Self {
        Self::new(name, meaning, Default::Whole(default), Range::Whole(least, most))
    }

    /// Returns a number from `least` to `most`.
    pub const fn real(
        name: &'static str,
        meaning: &'static str,
        default: f64,
        least: f64,
        most: f64,
    ) -> Self {
        Self::new(name, meaning, Default::Real(default), Range::Real(least, most))
    }

    /// Yes or no.
    pub const fn flag(name: &'static str, meaning: &'static str, default: bool) -> Self {
        Self::new(name, meaning, Default::Flag(default), Range::Flag)
    }

    /// Creates a parameter whose value is one of these texts; the first is the default.
    pub const fn one_of(name: &'static str, meaning: &'static str, texts: &'static [&'static str]) -> Self {
        Self::new(name, meaning, Default::Text(texts[0]), Range::OneOf(texts))
    }

    /// Returns a text of this form.
    pub const fn text(name: &'static str, meaning: &'static str, default: &'static str, form: Form) -> Self {
        Self::new(name, meaning, Default::Text(default), Range::Text(form))
    }

    /// Texts joined by commas, or a list of texts; none is the default.
    pub const fn list(name: &'static str, meaning: &'static str, form: Form) -> Self {
        Self::new(name, meaning, Default::Text(""), Range::List(form))
    }

    /// Returns the same with a unit.
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Returns the same with other names under which it is read.
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Returns the same with the place where the specification has it.
    pub const fn source(
        self,
        names: &'static [&'static str],
        section: &'static str,
        sample: &'static str,
    ) -> Self {
        Self { source: Some(Source { names, section, sample }), ..self }
    }

    /// Returns its name and its other names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Returns the reason of a fault with the name under which the value was given, if this is not the parameter's own.
    fn under(&self, name: &str, why: &str) -> String {
        if name == self.name { why.to_owned() } else { format!("{why}, under the name `{name}`") }
    }

    /// Returns its meaning, with its unit.
    pub fn description(&self) -> String {
        if self.unit.is_empty() {
            self.meaning.to_owned()
        } else {
            format!("{}, {}", self.meaning, self.unit)
        }
    }

    /// Reads the text of a flag: as a text if the parameter needs one, otherwise as the kind of value that it looks
    /// like. [`read`] or [`Parameter::check`] may find a fault in the value.
    pub fn parse(&self, text: &str) -> Value {
        match self.range {
            Range::OneOf(_) | Range::Text(_) | Range::List(_) => Value::Text(text.to_owned()),
            Range::Whole(..) | Range::Real(..) | Range::Flag => Value::guess(text),
        }
    }

    /// Returns the value in the kind of this parameter; `None` if it is of another kind. Numbers may be written as
    /// text, and texts as whole numbers.
    fn take(&self, value: &Value) -> Option<Value> {
        let decimals = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        Some(match (self.range, value) {
            (Range::Whole(..), Value::Text(text)) => Value::Whole(text.trim().parse().ok()?),
            (Range::Real(..), Value::Text(text)) => Value::Real(decimals(text)?),
            (Range::Real(..), Value::Whole(number)) => Value::Real(*number as f64),
            (Range::Whole(..), Value::Whole(_))
            | (Range::Real(..), Value::Real(_))
            | (Range::Flag, Value::Flag(_))
            | (Range::OneOf(_) | Range::Text(_) | Range::List(_), Value::Text(_) | Value::Whole(_)) => {
                value.clone()
            }
            _ => return None,
        })
    }

    /// Compares a value with the range.
    ///
    /// # Errors
    ///
    /// If it is of another kind, or outside the range.
    pub fn check(&self, value: &Value) -> Result<Value, Fault> {
        let fault = |why: String| Fault::new(self.name, value, why, self.range.to_string());
        let taken = self.take(value).ok_or_else(|| fault(OTHER_KIND.to_owned()))?;
        let why = match (self.range, &taken) {
            (Range::Whole(least, _), Value::Whole(number)) if *number < least.into() => "it is too small",
            (Range::Whole(_, most), Value::Whole(number)) if *number > most.into() => "it is too large",
            (Range::Real(least, _), Value::Real(number)) if *number < least => "it is too small",
            (Range::Real(_, most), Value::Real(number)) if *number > most => "it is too large",
            (Range::Real(..), Value::Real(number)) if number.is_nan() => "it is no number",
            (Range::OneOf(texts), value) if !texts.contains(&value.text().trim()) => "unknown value",
            (Range::Text(form) | Range::List(form), value) => {
                return (form.check)(value.text().trim()).map(|()| taken).map_err(fault);
            }
            _ => return Ok(taken),
        };
        Err(fault(why.to_owned()))
    }
}

/// Returns the parameter that has this name among its names.
pub fn find<'t>(table: &'t [Parameter], name: &str) -> Option<&'t Parameter> {
    table.iter().find(|parameter| parameter.names().any(|known| known == name))
}

/// Returns the name that the table gives to the parameter of this name, which may be another one of its names; an
/// unknown name as it is.
pub fn canonical<'n>(table: &[Parameter], name: &'n str) -> &'n str {
    find(table, name).map_or(name, |known| known.name)
}

/// Returns the value that a text gives to the parameter of this name. If there is none, the value is what the text
/// seems to be: the reader of the values reports the name.
pub fn parse(table: &[Parameter], name: &str, text: &str) -> Value {
    find(table, name).map_or_else(|| Value::guess(text), |known| known.parse(text))
}

/// The result of reading a list of names and values.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The values of the kinds that their parameters need, by the parameters' names, in the order of the list. They are
    /// not compared with ranges yet.
    pub values: Parameters,
    /// The faults of the others, in the order of the list.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// Returns the value of this parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }
}

/// Looks up all names of a list in a table.
///
/// Faults are a name that no parameter has, with the one that may be meant; a parameter that is given twice, under the
/// same name or with different values; a value of another kind than the parameter needs. A fault has the name of its
/// parameter; if the list has another of its names, the reason says which.
///
/// # Panics
///
/// If the table is empty.
pub fn read(table: &[Parameter], parameters: &Parameters) -> Reading {
    let mut reading = Reading { values: Parameters::new(), faults: Vec::new() };
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (name, value) in parameters.iter() {
        let Some(parameter) = find(table, name) else {
            reading.faults.push(unknown(table, name, value));
            continue;
        };
        if let Some((_, before)) = seen.iter().find(|(own, _)| *own == parameter.name) {
            if *before != name && parameter.take(value).as_ref() == reading.get(parameter.name) {
                continue;
            }
            let why = if *before == name {
                parameter.under(name, "it is given twice")
            } else {
                format!("it is given as `{before}` and as `{name}`, with different values")
            };
            reading.faults.push(Fault::new(parameter.name, value, why, "one value"));
            continue;
        }
        seen.push((parameter.name, name));
        match parameter.take(value) {
            Some(value) => reading.values.push(parameter.name, value),
            None => {
                let allowed = parameter.range.to_string();
                let why = parameter.under(name, OTHER_KIND);
                reading.faults.push(Fault::new(parameter.name, value, why, allowed));
            }
        }
    }
    reading
}

/// Returns the values of a reading, or defaults, for every parameter of the table and in its order; those that are
/// outside their ranges are faults, which name the parameter as the table does.
pub fn check(table: &[Parameter], values: &Parameters) -> (Parameters, Vec<Fault>) {
    let (mut checked, mut faults) = (Parameters::new(), Vec::new());
    for parameter in table {
        let value = values.get(parameter.name).cloned().unwrap_or_else(|| parameter.default.into());
        match parameter.check(&value) {
            Ok(value) => checked.push(parameter.name, value),
            Err(fault) => faults.push(fault),
        }
    }
    (checked, faults)
}

/// The reason of a fault: the value is of another kind.
pub(crate) const OTHER_KIND: &str = "wrong type";

fn unknown(table: &[Parameter], name: &str, value: &Value) -> Fault {
    let allowed = match nearest(name, table.iter().flat_map(Parameter::names)) {
        Some(meant) => format!("perhaps `{meant}`"),
        None => table.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", "),
    };
    Fault::new(name, value, "unknown parameter", allowed)
}

impl From<Default> for Value {
    fn from(default: Default) -> Self {
        match default {
            Default::Whole(number) => Self::Whole(number.into()),
            Default::Real(number) => Self::Real(number),
            Default::Flag(flag) => Self::Flag(flag),
            Default::Text(text) => Self::Text(text.to_owned()),
        }
    }
}

/// The form in which a flag has it: a text without quotes.
impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Value::from(*self).text())
    }
}

/// The values that are allowed, for people.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Real(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Flag => f.write_str("true or false"),
            Self::OneOf(texts) => f.write_str(&or_list(*texts)),
            Self::Text(form) | Self::List(form) => f.write_str(form.allowed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [Parameter; 5] = [
        Parameter::whole("rows", "rows", 8, 1, 100),
        Parameter::real("share", "share", 0.5, 0.0, 1.0),
        Parameter::flag("open", "whether it is open", true),
        Parameter::one_of("colour", "colour", &["red", "blue"]).aliases(&["color"]),
        Parameter::text("word", "word", "a", Form { allowed: "letters", check: letters }),
    ];

    fn letters(text: &str) -> Result<(), String> {
        let is_word = text.chars().all(char::is_alphabetic);
        if is_word { Ok(()) } else { Err("it has other signs".to_owned()) }
    }

    fn text(word: &str) -> Value {
        Value::Text(word.to_owned())
    }

    #[test]
    fn names_doubled_ones_and_kinds_are_judged_in_the_order_of_the_list() {
        let asked: Parameters = [
            ("colr", text("red")),
            ("rows", Value::Real(1.5)),
            ("color", text("red")),
            ("colour", text("red")),
            ("colour", text("blue")),
            ("open", text("true")),
            ("zzz", Value::Flag(true)),
            ("share", Value::Whole(7)),
        ]
        .into_iter()
        .collect();
        let Reading { values, faults } = read(&TABLE, &asked);
        assert_eq!(values.to_string(), "colour=\"red\" share=7.0");
        let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "colr = \"red\": unknown parameter; allowed: perhaps `color`",
                "rows = 1.5: wrong type; allowed: a whole number from 1 to 100",
                "colour = \"blue\": it is given as `color` and as `colour`, with different values; allowed: one value",
                "open = \"true\": wrong type; allowed: true or false",
                "zzz = true: unknown parameter; allowed: rows, share, open, colour, word",
            ]
        );
    }

    #[test]
    fn a_fault_has_the_name_that_was_given() {
        let told = |asked: &[(&str, Value)]| {
            let Reading { faults, .. } = read(&TABLE, &asked.iter().cloned().collect());
            faults.iter().map(|fault| format!("{}: {}", fault.field, fault.why)).collect::<Vec<_>>()
        };
        let red = || text("red");
        assert_eq!(told(&[("color", Value::Flag(true))]), ["colour: wrong type, under the name `color`"]);
        assert_eq!(
            told(&[("color", red()), ("color", red())]),
            ["colour: it is given twice, under the name `color`"]
        );
        assert_eq!(told(&[("colour", red()), ("colour", red())]), ["colour: it is given twice"]);
        assert_eq!(
            told(&[("colour", red()), ("color", text("blue"))]),
            ["colour: it is given as `colour` and as `color`, with different values"]
        );
        assert_eq!(told(&[("colour", red()), ("color", red())]), [""; 0]);
    }

    #[test]
    fn ranges_include_their_ends() {
        let why = |parameter: &Parameter, value: Value| parameter.check(&value).err().map(|fault| fault.why);
        let (small, large) = (Some("it is too small".to_owned()), Some("it is too large".to_owned()));
        let [rows, share, ..] = &TABLE;
        for (number, expected) in
            [(-1, &small), (0, &small), (1, &None), (100, &None), (101, &large), (102, &large)]
        {
            assert_eq!(&why(rows, Value::Whole(number)), expected, "{number}");
        }
        for (number, expected) in
            [(-1.0, &small), (-0.01, &small), (0.0, &None), (1.0, &None), (1.01, &large)]
        {
            assert_eq!(&why(share, Value::Real(number)), expected, "{number}");
        }
    }

    #[test]
    fn every_value_outside_its_range_is_a_fault_and_others_have_defaults() {
        let asked: Parameters = [
            ("word", text("a b")),
            ("rows", Value::Whole(i128::MAX)),
            ("share", Value::Real(f64::NAN)),
            ("colour", text("green")),
        ]
        .into_iter()
        .collect();
        let (checked, faults) = check(&TABLE, &asked);
        assert_eq!(checked.to_string(), "open=true");
        let told: Vec<String> = faults.iter().map(|fault| format!("{} {}", fault.field, fault.why)).collect();
        assert_eq!(
            told,
            [
                "rows it is too large",
                "share it is no number",
                "colour unknown value",
                "word it has other signs"
            ]
        );
        let (defaults, faults) = check(&TABLE, &Parameters::new());
        assert_eq!(defaults.to_string(), "rows=8 share=0.5 open=true colour=\"red\" word=\"a\"");
        assert!(faults.is_empty(), "a default is in its range: {faults:?}");
    }

    #[test]
    fn the_text_of_a_flag_is_what_the_parameter_needs() {
        let parsed = |name: &str, text: &str| find(&TABLE, name).unwrap().parse(text);
        assert_eq!(parsed("rows", "12"), Value::Whole(12));
        assert_eq!(parsed("rows", "twelve"), text("twelve"));
        assert_eq!(parsed("share", "0.5"), Value::Real(0.5));
        assert_eq!(parsed("open", "false"), Value::Flag(false));
        assert_eq!(parsed("color", "12"), text("12"));
    }
}
