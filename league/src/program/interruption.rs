//! Message and exit code of a league that is interrupted.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use command_line::signals::{self, Interruption};
use command_line::{Failure, quoted_path, shown, tell};

use crate::invocation::command;

/// From now on an interruption (Ctrl-C, SIGTERM) ends the program at once, with a message that names this folder and
/// the command to go on. The store loses no match, and the programs of agents end with this one.
pub(super) fn announce(folder: &Path) -> Result<Announced, Failure> {
    let is_over = Arc::new(AtomicBool::new(false));
    let announced = Announced(is_over.clone());
    let resume = command(&format!("resume {}", quoted_path(folder)));
    let text =
        format!("interrupted: all matches that have ended are kept in {}; `{resume}` goes on", shown(folder));
    signals::when_stopped(move || {
        if is_over.load(Ordering::Relaxed) {
            process::exit(0);
        }
        // A terminal shows `^C` and the rest of the progress bar in this line.
        let gap = if io::stderr().is_terminal() { "\n" } else { "" };
        tell(&format!("{gap}{text}"));
        process::exit(Interruption::EXIT_CODE);
    })
    .map_err(|error| Failure::without_signals(&error))?;
    Ok(announced)
}

/// A league that an interruption ends with a message.
pub(super) struct Announced(Arc<AtomicBool>);

impl Announced {
    /// The league has been played: from now on a signal ends the program cleanly.
    pub(super) fn finish(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
