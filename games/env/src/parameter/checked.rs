//! The values of a configuration in which nothing is wrong.

use std::fmt::Display;
use std::str::FromStr;

use super::{ConfigError, Fault, Parameter, Parameters, Reading, Value, check, read};
#[cfg(feature = "configuration")]
use crate::configuration::File;
use crate::time::Millis;

/// One value for each parameter of a table, of its kind and in its range.
///
/// The reader of a configuration takes each value by its name and in the type that it needs.
///
/// ```
/// use game_env::parameter::{Checked, Parameter};
/// use game_env::{Millis, Parameters, Value};
///
/// const TABLE: [Parameter; 2] = [
///     Parameter::whole("rows", "rows of the board", 8, 1, 100),
///     Parameter::whole("limitMs", "the time of a move", 5000, 0, 60_000).unit("ms"),
/// ];
///
/// let asked: Parameters = [("rows", Value::Whole(9))].into_iter().collect();
/// let checked = Checked::read(&TABLE, &asked)?;
/// assert_eq!(checked.whole::<u8>("rows"), 9);
/// assert_eq!(checked.millis("limitMs"), Millis::new(5000));
///
/// let asked: Parameters = [("rows", Value::Whole(0))].into_iter().collect();
/// let error = Checked::read(&TABLE, &asked).unwrap_err();
/// assert_eq!(error.to_string(), "rows = 0: it is too small; allowed: a whole number from 1 to 100");
/// # Ok::<(), game_env::ConfigError>(())
/// ```
///
/// # Panics
///
/// All functions that take a name panic if the table has no parameter of this name, or if the parameter is of another
/// kind than the function's. This is a mistake of the program, not of the user: table and reader do not fit together.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked(Parameters);

impl Checked {
    /// Reads the requested values of parameters, with defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every parameter that is unknown, with the one that may be meant, every one that is given twice, and every
    /// value that is not allowed.
    pub fn read(table: &[Parameter], asked: &Parameters) -> Result<Self, ConfigError> {
        Self::of(table, &[asked], Vec::new())
    }

    /// Reads the values of a file, with these parameters over them and defaults for the rest.
    ///
    /// # Errors
    ///
    /// As [`Checked::read`]. A parameter may be in the file and among the flags, but not twice in either.
    #[cfg(feature = "configuration")]
    pub fn layered(table: &[Parameter], file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        let (file, faults) = file.values(table);
        Self::of(table, &[&file, flags], faults)
    }

    fn of(table: &[Parameter], layers: &[&Parameters], mut faults: Vec<Fault>) -> Result<Self, ConfigError> {
        let mut said = Parameters::new();
        for layer in layers {
            // Each layer is read by itself: a name given twice in one layer is a fault, a name given in both is none.
            let Reading { values, faults: faulty } = read(table, layer);
            faults.extend(faulty);
            said.extend(values);
        }
        let (values, unfit) = check(table, &said);
        faults.extend(unfit);
        if faults.is_empty() { Ok(Self(values)) } else { Err(ConfigError::new(faults)) }
    }

    /// Returns all values, in the order of the table.
    pub fn values(&self) -> &Parameters {
        &self.0
    }

    /// Returns the value of a parameter.
    pub fn value(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or_else(|| unreachable!("the table has no parameter {name}"))
    }

    /// Returns a whole number.
    ///
    /// # Panics
    ///
    /// Also if the table allows numbers that `T` cannot hold, and this is one.
    pub fn whole<T: TryFrom<i128>>(&self, name: &str) -> T {
        let Value::Whole(number) = self.value(name) else { unreachable!("{name} is no whole number") };
        T::try_from(*number).unwrap_or_else(|_| unreachable!("{name}: the table's range is too wide"))
    }

    /// Returns a whole number of milliseconds.
    pub fn millis(&self, name: &str) -> Millis {
        Millis::new(self.whole(name))
    }

    /// Returns whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        let Value::Flag(is_set) = self.value(name) else { unreachable!("{name} is no flag") };
        *is_set
    }

    /// Returns a text, without space around it.
    pub fn text(&self, name: &str) -> String {
        self.value(name).text().trim().to_owned()
    }

    /// Returns a text, unless it is empty.
    pub fn filled(&self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// Parses a text whose form the table has checked.
    ///
    /// # Panics
    ///
    /// Also if the form allows texts that cannot be read as a `T`, and this is one.
    pub fn parsed<T: FromStr>(&self, name: &str) -> T {
        self.text(name).parse().unwrap_or_else(|_| unreachable!("{name}: the table's form is too wide"))
    }

    /// Returns the error for a value in its range that is still wrong; `error` reads `WHY: expected ALLOWED`.
    pub fn fault(&self, name: &str, error: impl Display) -> ConfigError {
        let told = error.to_string();
        let (why, allowed) = told.split_once(": expected ").unwrap_or((&told, "another value"));
        ConfigError::new(vec![Fault::new(name, self.value(name), why, allowed)])
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;
    use crate::panics::catch;

    const TABLE: [Parameter; 3] = [
        Parameter::whole("rows", "rows", 8, 1, 300),
        Parameter::flag("open", "whether it is open", true),
        Parameter::text("word", "word", " a ", Form { allowed: "letters", check: |_| Ok(()) }),
    ];

    #[cfg(feature = "configuration")]
    fn file(text: &str) -> File {
        crate::configuration::read(text.as_bytes()).unwrap()
    }

    fn flags(rows: i128) -> Parameters {
        [("rows", Value::Whole(rows))].into_iter().collect()
    }

    #[cfg(feature = "configuration")]
    #[test]
    fn flags_are_over_the_file_and_the_file_over_defaults() {
        let file = file(r#"{"rows": 3, "open": false}"#);
        let checked = Checked::layered(&TABLE, &file, &flags(4)).unwrap();
        assert_eq!(checked.values().to_string(), "rows=4 open=false word=\" a \"");
        assert_eq!((checked.whole::<u16>("rows"), checked.flag("open")), (4, false));
        assert_eq!((checked.text("word"), checked.parsed::<char>("word")), ("a".to_owned(), 'a'));
    }

    #[test]
    fn an_empty_text_is_none() {
        let asked = [("word", Value::Text("  ".to_owned()))].into_iter().collect();
        assert_eq!(Checked::read(&TABLE, &asked).unwrap().filled("word"), None);
        assert_eq!(Checked::read(&TABLE, &Parameters::new()).unwrap().filled("word"), Some("a".to_owned()));
    }

    #[cfg(feature = "configuration")]
    #[test]
    fn the_faults_of_file_and_flags_are_told_at_once() {
        let file = file(r#"{"rows": 3, "rows": 5, "opn": true, "word": {}}"#);
        let told = Checked::layered(&TABLE, &file, &flags(301)).unwrap_err().to_string();
        let told: Vec<&str> = told.lines().map(|line| line.split(';').next().unwrap()).collect();
        assert_eq!(
            told,
            [
                "word = {}: wrong type",
                "rows = 5: it is given twice",
                "opn = true: unknown parameter",
                "rows = 301: it is too large"
            ]
        );
    }

    #[test]
    fn an_error_of_the_reader_becomes_a_fault_with_the_value() {
        let checked = Checked::read(&TABLE, &flags(2)).unwrap();
        let told = |error: &str| checked.fault("rows", error).to_string();
        assert_eq!(told("an even number: expected 1 or 3"), "rows = 2: an even number; allowed: 1 or 3");
        assert_eq!(told("it is even"), "rows = 2: it is even; allowed: another value");
    }

    #[test]
    fn a_type_that_is_too_small_for_the_table_is_a_mistake_of_the_program() {
        let checked = Checked::read(&TABLE, &flags(300)).unwrap();
        let told = catch(|| checked.whole::<u8>("rows")).unwrap_err();
        assert!(told.contains("rows: the table's range is too wide"), "{told}");
    }
}
