//! Agents that obey a script, and misbehave on request.
//!
//! [`obey`] plays a [`Script`] over any stream. It knows only the protocol: it has no view of the board, and sends
//! everything that the script says, also messages that a [session](sdk::driver::session) of the SDK never sends.
//! [`Scripted`] is a strategy for rollouts that plays a list of actions.
//!
//! # Scripts
//!
//! One step per line. Empty lines, and lines that begin with `#`, are ignored.
//!
//! | step | action of the agent |
//! |---|---|
//! | `join red` | asks to join a team, and waits for the answer; ends if it is rejected |
//! | `await start` | waits for the beginning of the game (message 105) |
//! | `await 108` | waits for a message with this id that no earlier step has waited for |
//! | `move N`, `discover`, `pick-up`, `put`, `check`, `destroy` | sends this request when its lock has ended, waits for the answer, and sends it again if it was too early |
//! | `ask 3` | asks agent 3 for information, and does not wait: `await 111` does |
//! | `answer 3` | answers agent 3 that it knows nothing |
//! | `flood 1000 move N` | sends this request a thousand times, and waits neither for answers nor for its lock |
//! | `raw {"messageID":7}` | sends a frame with this body, valid or not |
//! | `bytes 00 ff 10` | sends these bytes without a frame |
//! | `silent` | reads, and sends nothing until the connection ends |
//! | `deaf` | reads nothing from now on, and sends requests without waiting for answers |
//! | `pause 100` | waits for 100 ms |
//! | `repeat 3`, then steps, then `end` | does these steps three times; at most 100 repetitions may be nested |
//! | `die` | drops the connection at once |
//!
//! The number of an agent is that of the communication server. After the last step the agent leaves. If the
//! connection ends earlier, the script ends.
//!
//! ```
//! use bots::project::scripted::Script;
//!
//! let script: Script = "join red\nawait start\nflood 1000 discover\nsilent".parse()?;
//! let error = "join red\nfloood 10 move N".parse::<Script>().unwrap_err();
//! assert_eq!(error.to_string(), "line 2: `floood 10 move N`: there is no such step; `flood 1000 move N` would be one");
//! # Ok::<(), bots::project::scripted::ScriptError>(())
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
/// use bots::project::scripted::Scripted;
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
    /// Reads actions, written as the rules write them, separated by semicolons or line ends.
    ///
    /// # Errors
    ///
    /// If a part is no action.
    pub fn new(actions: &str) -> Result<Self, NotationError> {
        let parts = actions.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
        Ok(Self { actions: parts.map(str::parse).collect::<Result<_, _>>()? })
    }
}

impl Strategy for Scripted {
    fn act(&mut self, _: &mut View<'_>) -> Choice {
        self.actions.pop_front().map_or(Choice::Wait(SimTime::NEVER), Choice::Act)
    }
}
