//! Configurations in layers: defaults, a preset over them, a file over it, flags over the file, the page over
//! everything.
//!
//! Every value keeps its layer, so that lists and errors can name it.

use std::fmt;

use game_env::parameter::{self, Checked, Parameter, Reading};
use game_env::{ConfigError, Fault, Parameters, Value};

/// The layer of a configuration from which a value comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// The default of the parameter.
    Default,
    /// A preset.
    Preset,
    /// A file.
    File,
    /// A flag.
    Flag,
    /// The settings page.
    Page,
    /// The union dialect, whose agents expect it so.
    Dialect,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::Preset => "preset",
            Self::File => "file",
            Self::Flag => "flag",
            Self::Page => "page",
            Self::Dialect => "union dialect",
        })
    }
}

/// Returns the fault with the layer of its value. Nothing is added to a value of the page: its user has just typed it.
pub(crate) fn traced(mut fault: Fault, layer: Layer) -> Fault {
    match layer {
        Layer::Preset => fault.why += " (in the preset)",
        Layer::File => fault.why += " (in the file)",
        Layer::Flag => fault.why += " (in a flag)",
        Layer::Default | Layer::Page | Layer::Dialect => {}
    }
    fault
}

/// The values that layers name, by the names of their table; each layer lies over those before it.
pub(crate) struct LayeredValues {
    table: &'static [Parameter],
    values: Vec<(&'static str, Value, Layer)>,
}

impl LayeredValues {
    /// Reads layers, and returns their faults beside the values. Each layer is read by itself, so that a name given
    /// twice in one is a fault and in both is none.
    pub(crate) fn read(table: &'static [Parameter], layers: &[(Layer, Parameters)]) -> (Self, Vec<Fault>) {
        let (mut named, mut found) = (Self { table, values: Vec::new() }, Vec::new());
        for (origin, layer) in layers {
            let Reading { values, faults } = parameter::read(table, layer);
            found.extend(faults.into_iter().map(|fault| traced(fault, *origin)));
            for (name, value) in values.iter() {
                let known = parameter::find(table, name).expect("it was read by the table").name;
                named.values.retain(|(other, ..)| *other != known);
                named.values.push((known, value.clone(), *origin));
            }
        }
        (named, found)
    }

    fn find(&self, name: &str) -> Option<&(&'static str, Value, Layer)> {
        self.values.iter().find(|(known, ..)| *known == name)
    }

    /// Returns the value of a parameter, if a layer names it.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.find(name).map(|(_, value, _)| value)
    }

    /// Returns the layer from which the value of a parameter comes.
    pub(crate) fn origin(&self, name: &str) -> Layer {
        self.find(name).map_or(Layer::Default, |(.., origin)| *origin)
    }

    /// Returns the value of a parameter, or its default if no layer names it.
    pub(crate) fn value(&self, known: &Parameter) -> Value {
        self.get(known.name).cloned().unwrap_or_else(|| known.default.into())
    }

    /// Adds a value of the dialect, unless a layer names another one.
    pub(crate) fn add_of_dialect(&mut self, name: &'static str, value: Value) {
        if self.get(name).is_none() {
            self.values.push((name, value, Layer::Dialect));
        }
    }

    /// Returns the named values in the order of the table.
    pub(crate) fn values(&self) -> Parameters {
        let named = |known: &Parameter| Some((known.name, self.get(known.name)?.clone()));
        self.table.iter().filter_map(named).collect()
    }

    /// Returns a fault with the layer of its value.
    pub(crate) fn traced(&self, fault: Fault) -> Fault {
        let origin = self.origin(&fault.field);
        traced(fault, origin)
    }

    /// Returns an error whose faults have the layers of their values.
    pub(crate) fn traced_all(&self, error: ConfigError) -> ConfigError {
        ConfigError::new(error.into_faults().into_iter().map(|fault| self.traced(fault)).collect())
    }

    /// Returns all values of the table, checked, unless there are faults already.
    ///
    /// # Errors
    ///
    /// The faults that are there already, and those of the values.
    pub(crate) fn checked(&self, mut faults: Vec<Fault>) -> Result<Checked, ConfigError> {
        match Checked::read(self.table, &self.values()) {
            Ok(read) if faults.is_empty() => Ok(read),
            checked => {
                let of_values = checked.err().into_iter().flat_map(ConfigError::into_faults);
                faults.extend(of_values.map(|fault| self.traced(fault)));
                Err(ConfigError::new(faults))
            }
        }
    }

    /// Returns every parameter of the table with its checked value, and where that came from.
    pub(crate) fn origins(&self, read: &Checked) -> Vec<(String, Value, Layer)> {
        let origin = |(name, value): (&str, &Value)| (name.to_owned(), value.clone(), self.origin(name));
        read.values().iter().map(origin).collect()
    }
}

/// Returns the layers with what a page asks for over everything else. A value that is in force already changes nothing;
/// what the page has asked for before stays, unless it is named again.
pub(crate) fn with_page(
    table: &[Parameter],
    mut layers: Vec<(Layer, Parameters)>,
    in_force: &[(String, Value, Layer)],
    asked: &Parameters,
) -> Vec<(Layer, Parameters)> {
    let below = layers.iter().position(|(layer, _)| *layer == Layer::Page);
    let page = below.map(|place| layers.remove(place).1).unwrap_or_default();
    let is_in_force = |name: &str, value: &Value| {
        in_force.iter().any(|(own, present, _)| own == name && same(present, value))
    };
    let news: Parameters =
        asked.iter().filter(|(name, value)| !is_in_force(name, value)).map(owned).collect();
    // A parameter has several names, and only one of them may stand in a layer.
    let is_named = |name: &str| {
        news.iter().any(|(new, _)| parameter::canonical(table, new) == parameter::canonical(table, name))
    };
    let kept = page.iter().filter(|(name, _)| !is_named(name));
    let page = kept.chain(news.iter()).map(owned).collect();
    layers.push((Layer::Page, page));
    layers
}

fn owned((name, value): (&str, &Value)) -> (String, Value) {
    (name.to_owned(), value.clone())
}

/// Returns whether two values mean the same: numbers may be written as text, and whole ones with decimals.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Whole(whole), Value::Real(real)) | (Value::Real(real), Value::Whole(whole)) => {
            *whole as f64 == *real
        }
        (Value::Text(text), Value::Whole(whole)) | (Value::Whole(whole), Value::Text(text)) => {
            *text == whole.to_string()
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Parameter; 3] = [
        Parameter::whole("rows", "rows of the board", 5, 1, 9),
        Parameter::whole("cols", "columns of the board", 6, 1, 9),
        Parameter::flag("torus", "whether the edges meet", false),
    ];

    fn layer(pairs: &[(&str, i128)]) -> Parameters {
        pairs.iter().map(|(name, value)| (*name, Value::Whole(*value))).collect()
    }

    #[test]
    fn the_last_layer_that_names_a_value_is_in_force() {
        let layers =
            [(Layer::File, layer(&[("rows", 3), ("cols", 4)])), (Layer::Flag, layer(&[("rows", 7)]))];
        let (mut values, faults) = LayeredValues::read(&TABLE, &layers);
        assert_eq!(faults, []);
        values.add_of_dialect("cols", Value::Whole(9));
        values.add_of_dialect("torus", Value::Flag(true));
        let read = values.checked(faults).unwrap();
        let in_force = [
            ("rows".to_owned(), Value::Whole(7), Layer::Flag),
            ("cols".to_owned(), Value::Whole(4), Layer::File),
            ("torus".to_owned(), Value::Flag(true), Layer::Dialect),
        ];
        assert_eq!(values.origins(&read), in_force);
    }

    #[test]
    fn a_value_that_no_layer_names_is_the_default() {
        let (values, faults) = LayeredValues::read(&TABLE, &[(Layer::File, layer(&[("rows", 3)]))]);
        let read = values.checked(faults).unwrap();
        assert_eq!(values.origins(&read)[1], ("cols".to_owned(), Value::Whole(6), Layer::Default));
        assert_eq!((values.get("cols"), values.value(&TABLE[1])), (None, Value::Whole(6)));
    }

    #[test]
    fn faults_say_in_which_layer_they_are() {
        let layers =
            [(Layer::File, layer(&[("rows", 3), ("rows", 4)])), (Layer::Flag, layer(&[("cols", 12)]))];
        let (values, faults) = LayeredValues::read(&TABLE, &layers);
        let told = values.checked(faults).unwrap_err().to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 2, "{told}");
        assert!(lines[0].contains("rows") && lines[0].contains(" (in the file)"), "{told}");
        assert!(lines[1].contains("cols = 12") && lines[1].contains(" (in a flag)"), "{told}");
    }
}
