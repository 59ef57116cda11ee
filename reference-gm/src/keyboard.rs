//! The operator's keys: reads each key of a terminal at once, if the system supports it.
//!
//! It does not change output. It turns off only line editing, echo, and keys that stop the program: Ctrl-Z would
//! leave every agent without an answer, Ctrl-S would do so as soon as there is something to print, and Ctrl-\ would
//! end the program and leave the terminal without echo.
//!
//! It does not carry out a command: the receiver does.

use std::io::{self, IsTerminal, Read};
use std::thread;

use tokio::sync::mpsc;

/// A key of the operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// Enter, the space bar or `s`: start.
    Start,
    /// `q` or Ctrl-C: stop.
    Stop,
}

/// A terminal whose keys are commands, until this value ends; then it is as it was before.
#[derive(Debug)]
pub struct Keyboard {
    /// Nothing where the terminal hands over whole lines.
    _mode: Option<Mode>,
    /// The keys that start and stop the game, for people.
    hint: &'static str,
}

impl Keyboard {
    /// Takes keys from standard input and sends their commands. There are none if it is no terminal, and none for a
    /// program in the background: the system stops whatever touches the terminal from there.
    ///
    /// If the terminal cannot be made to hand over single keys, they work with Enter behind them.
    ///
    /// # Errors
    ///
    /// If the system has no room for another thread.
    pub fn open(pressed: mpsc::Sender<Key>) -> io::Result<Option<Self>> {
        if !Self::is_at_hand() {
            return Ok(None);
        }
        // A thread of its own, which nobody waits for at the end: reading from a terminal cannot be called off.
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || read(&pressed))?;
        let mode = Mode::key_by_key().ok();
        let hint = match mode {
            Some(_) => "press Enter to start, q to stop",
            None => "press Enter to start, q and Enter to stop",
        };
        Ok(Some(Self { _mode: mode, hint }))
    }

    /// Returns whether standard input is a terminal that is this program's to read from.
    pub fn is_at_hand() -> bool {
        io::stdin().is_terminal() && !is_in_background()
    }

    /// Returns the keys that start and stop the game, for people.
    pub fn hint(&self) -> &'static str {
        self.hint
    }
}

fn read(pressed: &mpsc::Sender<Key>) {
    let mut keys = [0; 64];
    loop {
        match io::stdin().lock().read(&mut keys) {
            Ok(0) => return,
            Ok(length) => {
                for key in meaning(&keys[..length]) {
                    if pressed.blocking_send(key).is_err() {
                        return;
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The terminal is gone. Signals still stop the game.
            Err(_) => return,
        }
    }
}

/// Returns the keys that these bytes of a terminal stand for. A key that is no character comes as several bytes after
/// an escape, some of which look like other keys.
fn meaning(keys: &[u8]) -> impl Iterator<Item = Key> {
    const ESCAPE: u8 = 0x1b;
    const CTRL_C: u8 = 0x03;
    let characters = if keys.first() == Some(&ESCAPE) { &[] } else { keys };
    characters.iter().filter_map(|key| match key {
        b'\r' | b'\n' | b' ' | b's' | b'S' => Some(Key::Start),
        b'q' | b'Q' | &CTRL_C => Some(Key::Stop),
        _ => None,
    })
}

#[cfg(unix)]
use self::unix::{Mode, is_in_background};

#[cfg(unix)]
mod unix {
    use std::io;

    use rustix::process::getpgrp;
    use rustix::termios::{
        InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
    };

    /// Returns whether the terminal of standard input has another program in its foreground. One that is not the
    /// terminal this program belongs to has none, and stops nobody.
    pub(super) fn is_in_background() -> bool {
        tcgetpgrp(io::stdin()).is_ok_and(|foreground| foreground != getpgrp())
    }

    /// The settings of the terminal before it was changed.
    #[derive(Debug)]
    pub(super) struct Mode(Termios);

    impl Mode {
        /// Makes the terminal of standard input hand over every key as it is pressed.
        pub(super) fn key_by_key() -> io::Result<Self> {
            let before = tcgetattr(io::stdin())?;
            let mut mode = before.clone();
            mode.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
            mode.input_modes.remove(InputModes::IXON);
            // A reading returns with the first key, and waits for it as long as it takes.
            mode.special_codes[SpecialCodeIndex::VMIN] = 1;
            mode.special_codes[SpecialCodeIndex::VTIME] = 0;
            tcsetattr(io::stdin(), OptionalActions::Now, &mode)?;
            Ok(Self(before))
        }
    }

    impl Drop for Mode {
        fn drop(&mut self) {
            // Another program has the terminal now, and its modes are that program's.
            if is_in_background() {
                return;
            }
            // Ignores errors: the terminal may be closed. Drops unread keys, so that the shell does not get them.
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
        }
    }
}

#[cfg(not(unix))]
fn is_in_background() -> bool {
    false
}

/// Terminals hand over whole lines here.
#[cfg(not(unix))]
#[derive(Debug)]
enum Mode {}

#[cfg(not(unix))]
impl Mode {
    fn key_by_key() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_start_and_stop() {
        let asked = |keys: &[u8]| meaning(keys).collect::<Vec<_>>();
        for key in [b"\r", b"\n", b" ", b"s", b"S"] {
            assert_eq!(asked(key), [Key::Start]);
        }
        for key in [b"q", b"Q", b"\x03"] {
            assert_eq!(asked(key), [Key::Stop]);
        }
        assert_eq!(asked(b"x?\x04\x13\x1a\x1c\xff"), []);
        assert_eq!(asked(b"sq"), [Key::Start, Key::Stop]);
        // A terminal that hands over lines sends the key before its Enter.
        assert_eq!(asked(b"q\r\n")[0], Key::Stop);
    }

    #[test]
    fn keys_that_are_no_characters_mean_nothing() {
        // An arrow, a function key, and 1 and 3 of a keypad.
        for key in [&b"\x1b[A"[..], b"\x1b[21~", b"\x1bOq", b"\x1bOs"] {
            assert_eq!(meaning(key).count(), 0, "{}", key.escape_ascii());
        }
    }
}
