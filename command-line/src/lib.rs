//! The common parts of the command lines of all programs.
//!
//! [`LogFilter`] is the flag `--log`, [`ThinkingFlags`] are the flags for the time that programs of entrants think.
//! [`Generate`] holds the subcommands that write completions for shells, manual pages and the reference in the book.
//! [`Failure`] is an error for the user, with a hint and an exit code. [`print()`] and [`exit_code`] are how a program
//! ends; [`tell`] says what happens before, and [`LineBudget`] limits the lines that others cause. [`read_file`] reads
//! a file within a limit, and waits for nothing; [`write_file`] and [`write_file_in_folder`] write one. [`drawn_seed`]
//! draws a seed. [`command`] returns the text of a command for messages. [`Trust`] asks before the commands of a file
//! are started. [`signals`] has the signals that end a program. [`flags`] and [`Asked`] are the command line of a
//! server whose parameters stand in one table. [`settings`] reads the flags `--set`, [`read_configuration`] the file of
//! `--config`.
//!
//! # What this crate does not do
//!
//! It has no table of parameters and no flags of a single program. It installs no log, because each program writes its
//! log elsewhere.

mod configuration_file;
mod ending;
mod failure;
mod generate;
mod input;
mod invocation;
mod jobs;
mod line_budget;
mod log;
mod output;
mod reference;
mod seed;
mod setting;
pub mod signals;
mod table;
mod thinking;
mod trust;

pub use crate::configuration_file::{ConfigurationFileError, read_configuration, read_parameters};
pub use crate::ending::{exit_code, print, tell};
pub use crate::failure::{Failure, Hinted, chain, shown};
pub use crate::generate::{Generate, GenerateError};
pub use crate::input::{open_file, read_file, read_text};
pub use crate::invocation::{as_inside, command, quoted, quoted_path, quoted_words};
pub use crate::jobs::Jobs;
pub use crate::line_budget::LineBudget;
pub use crate::log::{LOG_HELP, LogFilter, LogFilterError};
pub use crate::output::{check_apart, write_file, write_file_in_folder};
pub use crate::reference::reference;
pub use crate::seed::{NoRandomBits, drawn_seed};
pub use crate::setting::settings;
pub use crate::table::{ADDRESS, Asked, flag, flags};
pub use crate::thinking::ThinkingFlags;
pub use crate::trust::{Trust, command_in, tell_commands};

/// Part of the public interface: the level without a flag.
pub use tracing_subscriber::filter::{LevelFilter, Targets};
