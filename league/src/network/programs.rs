//! The ends of programs that play, as logs and records describe them.

use child_process::{Ended, How, Stop, Tail};
use game_env::matches::Blunders;

/// The longest last line of a program that is kept of a failure, in characters.
const LONGEST_LINE: usize = 200;

/// Returns whether a program failed: ended by itself but not with exit code 0, or killed for exceeding a limit.
pub(super) fn has_crashed(ended: &Ended) -> bool {
    match (&ended.stop, &ended.how) {
        (Some(Stop::Processes | Stop::Memory), _) => true,
        (Some(Stop::Asked | Stop::Killed), _) => false,
        (None, how) => !matches!(how, How::Exited(0)),
    }
}

/// Returns the last line with text that a program has written; empty if there is none.
pub(super) fn last_line(ended: &Ended) -> String {
    let last = |tail: &Tail| {
        let text = tail.to_string();
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().chars().take(LONGEST_LINE).collect())
    };
    [&ended.errors, &ended.output].into_iter().find_map(last).unwrap_or_default()
}

/// Returns the ends of the output of a program, each below its name; empty if there is none.
pub(super) fn output(ended: &Ended) -> String {
    let tails = [("standard error", &ended.errors), ("standard output", &ended.output)];
    let shown = tails.into_iter().filter(|(_, tail)| !tail.is_empty());
    shown.map(|(name, tail)| format!("{name}:\n{tail}\n")).collect()
}

/// Counts a crash as a blunder of the agent of this name.
pub(super) fn add_crash(blunders: &mut Blunders, name: &str, ended: &Ended) {
    blunders.add(&format!("the program of {name} {ended}"));
}
