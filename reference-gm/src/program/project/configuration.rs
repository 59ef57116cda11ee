//! Prints the configuration with which a game would be hosted.

use std::process::ExitCode;

use reference_gm::layers::Layer;
use reference_gm::project::config::HostConfig;
use serde_json::{Map, Value, json};

use super::arguments::Sources;
use crate::program::{Result, print};

pub(crate) fn show(sources: &Sources, as_json: bool) -> Result<ExitCode> {
    let config = sources.load()?;
    print(&if as_json { document(&config) } else { table(&config) })?;
    Ok(ExitCode::SUCCESS)
}

fn table(config: &HostConfig) -> String {
    let lines: Vec<_> =
        config.origins.iter().map(|(name, value, origin)| (name, value.to_string(), origin)).collect();
    let name_width = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let value_width = lines.iter().map(|(_, value, _)| value.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, value, origin) in &lines {
        text += &format!("{name:<name_width$}  {value:<value_width$}  {origin}\n");
    }
    text
}

/// Returns every parameter with its value and where that comes from.
fn document(config: &HostConfig) -> String {
    let entry = |(name, value, origin): &(String, game_env::Value, Layer)| {
        (name.clone(), json!({ "value": value, "from": origin.to_string() }))
    };
    let entries: Map<String, Value> = config.origins.iter().map(entry).collect();
    format!("{:#}\n", Value::Object(entries))
}
