//! Agents that obey a script, and misbehave on request.
//!
//! [`obey`] plays a [`Script`] over any stream. It knows the protocol and no more: it has no view of the board, and
//! sends whatever it is told to, which a [session](sdk::session) of the SDK never would. [`Scripted`] is the
//! harmless relative: a strategy for rollouts that plays a list of actions.
//!
//! # Scripts
//!
//! One step a line; empty lines, and what follows a `#` at the beginning of a line, are left out.
//!
//! | step | what the agent does |
//! |---|---|
//! | `join red` | asks to play for a team, and waits for the answer; ends if it is turned away |
//! | `await start` | waits for the beginning of the game (message 105) |
//! | `await 108` | waits for a message with this id that no step has waited for yet |
//! | `move N`, `discover`, `pick-up`, `put`, `check`, `destroy` | asks for this when its lock has ended, waits for the answer, and asks again if it came too early |
//! | `ask 3` | asks agent 3 for information, and does not wait: `await 111` does |
//! | `answer 3` | tells agent 3 that it knows nothing |
//! | `flood 1000 move N` | asks for this a thousand times, waiting neither for answers nor for its lock |
//! | `raw {"messageID":7}` | sends a frame with this body, whatever it is |
//! | `bytes 00 ff 10` | sends these bytes without a frame |
//! | `silent` | reads, and says nothing until the connection ends |
//! | `deaf` | reads nothing from here on; requests are sent without waiting for answers |
//! | `pause 100` | lets 100 ms pass |
//! | `repeat 3`, then steps, then `end` | takes these steps three times; at most 100 repetitions are inside one another |
//! | `die` | drops the connection without a farewell |
//!
//! Agents are named by the communication server's numbers. After the last step the agent leaves. When the
//! connection ends earlier, so does the script.
//!
//! ```
//! use bots::scripted::Script;
//!
//! let script: Script = "join red\nawait start\nflood 1000 discover\nsilent".parse()?;
//! let error = "join red\nfloood 10 move N".parse::<Script>().unwrap_err();
//! assert_eq!(error.to_string(), "line 2: `floood 10 move N`: there is no such step; `flood 1000 move N` would be one");
//! # Ok::<(), bots::scripted::ScriptError>(())
//! ```

mod player;
mod script;

use std::collections::VecDeque;

use game_env::NotationError;
use sdk::prelude::*;

pub use self::player::{End, obey};
pub use self::script::{Fault, Script, ScriptError, ScriptFileError};

/// Plays a list of actions, then does nothing.
///
/// ```
/// use bots::scripted::Scripted;
///
/// let scripted = Scripted::new("move N; discover; pick-up")?;
/// assert!(Scripted::new("move up").is_err());
/// # Ok::<(), game_env::NotationError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    actions: VecDeque<Action>,
}

impl Scripted {
    /// These actions, written as the rules write them, separated by semicolons or line ends.
    ///
    /// # Errors
    ///
    /// If something among them is no action.
    pub fn new(actions: &str) -> Result<Self, NotationError> {
        let parts = actions.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
        Ok(Self { actions: parts.map(str::parse).collect::<Result<_, _>>()? })
    }
}

impl Strategy for Scripted {
    fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
        self.actions.pop_front().map_or(Choice::Wait(SimTime::NEVER), Choice::Act)
    }
}
