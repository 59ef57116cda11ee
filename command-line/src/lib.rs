//! What the command lines of all programs have in common.
//!
//! [`LogFilter`] is the flag `--log`, [`Generate`] the subcommands that write completions for shells and manual pages,
//! [`command`] spells a command in messages.
//!
//! # What this crate does not do
//!
//! It defines no program's own flags, and it installs no log: programs differ in where their lines go.

mod generate;
mod invocation;
mod log;

pub use crate::generate::{Generate, GenerateError};
pub use crate::invocation::command;
pub use crate::log::{LOG_HELP, LogFilter, LogFilterError};

/// Part of the public interface: the level without a flag.
pub use tracing_subscriber::filter::{EnvFilter, LevelFilter};
