//! What an agent is told, whichever way it plays.
//!
//! On the network a [`Notice`] comes with numbers of connections, which the [`Session`](crate::session::Session) turns into
//! ids. In a rollout it comes from [`wire::project::convert::notice`], which a game master sends on the network. The rules
//! know more than the protocol says (whether a wall or another agent was in the way, say); a strategy learns what the
//! protocol says, so that it plays the same game either way.

use game_env::AgentId;

pub use wire::project::{PickUpFailure, PutFailure};

/// A message of the game master, with agents by the ids of the game.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Counts what became of its pieces.
/// #[derive(Default)]
/// struct Counter {
///     goals: u32,
///     shams: u32,
/// }
///
/// impl Strategy for Counter {
///     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
///         Action::Discover.into()
///     }
///
///     fn hear(&mut self, _: &mut View<'_>, notice: &Notice) {
///         match notice {
///             Notice::Put { result: Some(PutResult::OnGoal) } => self.goals += 1,
///             Notice::Put { result: Some(PutResult::WasSham) } | Notice::Checked { sham: true } => self.shams += 1,
///             _ => {}
///         }
///     }
/// }
/// # let mut counter = Counter::default();
/// # sdk::testing::Situation::new(".  gR0+p .\n. . p\n. B1 .\n. g .").after(&["put"]).choose(&mut counter);
/// # assert_eq!((counter.goals, counter.shams), (1, 0));
/// ```
pub type Notice = wire::project::Notice<AgentId>;
