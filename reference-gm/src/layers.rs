//! Configurations in layers: defaults, a preset over them, a file over it, flags over the file, the page over
//! everything.
//!
//! Every value keeps its layer, so that lists and errors can name it.

use std::fmt;

use game_env::parameter::{self, Parameter};
use game_env::{Fault, Parameters, Value};

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
    let is_named = |name: &str| news.iter().any(|(new, _)| canonical(table, new) == canonical(table, name));
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

/// Returns the name of a parameter that may be called by another one.
pub(crate) fn canonical<'n>(table: &[Parameter], name: &'n str) -> &'n str {
    parameter::find(table, name).map_or(name, |known| known.name)
}
