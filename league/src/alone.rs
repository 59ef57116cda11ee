//! A match in a process of its own: whether it ends the process that plays it.
//!
//! A match whose stack overflows, or that takes all memory, ends its process without a result. The workers of a league
//! on many machines give such a match up. A worker's report is no proof, so this module tries the match.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use game_env::matches::{LONGEST_FILE, MatchSpec};
use strategies::programs::has_programs;

use crate::executor::Executor as _;
use crate::in_process::InProcess;
use crate::trust::with_programs;

/// The first argument of such a process.
const ASKED: &str = "play-alone";

/// Plays the match of standard input if this process was started by [`survives`], and returns its exit code; otherwise
/// returns at once.
///
/// A program that calls [`survives`] calls this before it reads its arguments.
pub fn run_if_asked(plays: &InProcess) -> Option<ExitCode> {
    let is_asked = env::args_os().nth(1).is_some_and(|first| first == ASKED);
    is_asked.then(|| if play(plays).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays the match of standard input. None if there is none.
fn play(plays: &InProcess) -> Option<()> {
    let mut text = String::new();
    io::stdin().take(LONGEST_FILE as u64).read_to_string(&mut text).ok()?;
    let spec: MatchSpec = text.parse().ok()?;
    let plays = if has_programs(&spec.entrants) { with_programs(false, plays).ok()? } else { plays.clone() };
    // A match that cannot be played does not end its process. The caller plays it next, and gets the reason.
    let _ = plays.play(&spec, false);
    Some(())
}

/// Plays a match in a process of its own, and returns whether that ended as it should. It starts the programs among the
/// entrants without asking.
///
/// # Errors
///
/// If the process cannot be started.
pub fn survives(spec: &MatchSpec) -> io::Result<bool> {
    let mut process =
        Command::new(env::current_exe()?).arg(ASKED).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    // If it has ended before it has read the match, its exit code says so.
    let written = process.stdin.take().map_or(Ok(()), |mut input| write!(input, "{spec}"));
    let ended = process.wait()?;
    Ok(ended.success() && written.is_ok())
}
