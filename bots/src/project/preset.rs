//! Configurations by name: the presets of the rules.

pub use game_project::preset::{Preset, UnknownPreset};
