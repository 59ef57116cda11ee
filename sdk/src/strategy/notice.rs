//! The messages of the game master to an agent, on the network and in process.
//!
//! On the network, a [`Notice`] has numbers of connections, and the [`Session`](crate::driver::session::Session) turns
//! them into ids. In a rollout, [`wire::project::convert::notice`] makes the same messages from events. The rules know
//! more than the protocol says, for example whether another agent or the end of the board refused a move. A strategy
//! learns only what the protocol says, so it plays the same game in both cases.

use game_env::AgentId;

pub use wire::project::{PickUpFailure, PutFailure};

/// A message of the game master, with agents by their ids in the game.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Counts the results of its pieces.
/// #[derive(Default)]
/// struct Counter {
///     goals: u32,
///     shams: u32,
/// }
///
/// impl Strategy for Counter {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
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
