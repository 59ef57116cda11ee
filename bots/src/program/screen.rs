//! Standard error, shared by all that print: lines, and on a terminal one last line that is redrawn.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Standard error. Clones write to the same.
#[derive(Clone)]
pub(crate) struct Screen(Arc<Mutex<Inner>>);

struct Inner {
    out: Box<dyn Write + Send>,
    is_terminal: bool,
    /// The line that is redrawn; empty if there is none.
    status: String,
}

impl Default for Screen {
    fn default() -> Self {
        Self::on(Box::new(io::stderr()), io::stderr().is_terminal())
    }
}

impl Screen {
    fn on(out: Box<dyn Write + Send>, is_terminal: bool) -> Self {
        Self(Arc::new(Mutex::new(Inner { out, is_terminal, status: String::new() })))
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.with(|inner| inner.is_terminal)
    }

    /// Writes lines, above the one that is redrawn.
    pub(crate) fn say(&self, text: &str) {
        self.with(|inner| inner.write(&format!("{}\n", text.trim_end_matches('\n'))));
    }

    /// Redraws the last line; an empty one is taken away. Nothing happens where there is no terminal.
    pub(crate) fn show(&self, status: &str) {
        self.with(|inner| {
            if inner.is_terminal {
                status.clone_into(&mut inner.status);
                inner.write("");
            }
        });
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Inner) -> T) -> T {
        // A thread that panicked while it wrote left nothing that matters.
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    fn write(&mut self, lines: &str) {
        /// Back to the beginning of the line, and nothing behind it.
        const CLEAR: &str = "\r\x1b[K";
        let clear = if self.is_terminal { CLEAR } else { "" };
        let whole = format!("{clear}{lines}{}", self.status);
        // A standard error that is closed is no reason to end a game.
        let _ = self.out.write_all(whole.as_bytes()).and_then(|()| self.out.flush());
    }
}

/// For the log, which writes whole lines.
impl Write for Screen {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.say(&String::from_utf8_lossy(text));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A screen that tests can look at.
#[cfg(test)]
pub(crate) mod paper {
    use super::*;

    #[derive(Clone, Default)]
    pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Paper {
        pub(crate) fn screen(&self, is_terminal: bool) -> Screen {
            Screen::on(Box::new(self.clone()), is_terminal)
        }

        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Paper {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(text)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::paper::Paper;

    #[test]
    fn on_a_terminal_lines_go_above_the_one_that_is_redrawn() {
        let paper = Paper::default();
        let screen = paper.screen(true);
        screen.show("1 s");
        screen.say("news\n");
        screen.show("2 s");
        screen.show("");
        assert_eq!(paper.text(), "\r\x1b[K1 s\r\x1b[Knews\n1 s\r\x1b[K2 s\r\x1b[K");
    }

    #[test]
    fn elsewhere_only_lines_are_written() {
        let paper = Paper::default();
        let screen = paper.screen(false);
        screen.show("1 s");
        screen.say("news");
        assert_eq!(paper.text(), "news\n");
    }
}
