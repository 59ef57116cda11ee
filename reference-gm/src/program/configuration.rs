//! Shows how a game would be hosted.

use std::process::ExitCode;

use anyhow::Result;

use super::arguments::Hosting;
use super::print;

pub(crate) fn show(hosting: &Hosting) -> Result<ExitCode> {
    let config = hosting.load()?;
    let lines: Vec<_> =
        config.origins.iter().map(|(name, value, origin)| (name, value.to_string(), origin)).collect();
    let name_width = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let value_width = lines.iter().map(|(_, value, _)| value.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, value, origin) in &lines {
        text += &format!("{name:<name_width$}  {value:<value_width$}  {origin}\n");
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
