//! The contract of all games in this workspace, and the code that needs only this contract.
//!
//! A game is a value that implements [`Environment`]. It is created from a configuration and a [`Seed`]. It says which
//! agent acts next and from when, shows each agent only what that agent may see, and applies one action at a time. Four
//! drivers use the same value: a [`Rollout`] in process on a virtual clock, a game master on the network, a replay, and
//! tests. They differ in three things: where the time comes from, who picks the action, and where events go.
//!
//! # What this crate does not do
//!
//! It knows no game, no network and no strategy.
//! It reads no clock, and all its random numbers follow from a [`Seed`].
//! Files are opened by callers; `replay` reads and writes byte streams.
//!
//! # Features
//!
//! `replay`, on by default, adds the modules `replay` and `conformance`, and with them JSON and compression.
//! `matches`, on by default, adds the module of that name. Both turn on `configuration`, which adds the module of that
//! name. Crates of rules use this crate without these features, so
//! that rules cannot use a file format.
//!
//! # An episode in ten lines
//!
//! Two agents take one to three pebbles from a heap in turn; the agent that takes the last one wins.
//! The whole game is [`examples::pebbles`], the shortest environment there is.
//!
//! ```
//! use game_env::examples::pebbles::{Observation, Pebbles, Take};
//! use game_env::{AgentId, Environment, Rollout, Seed, SimTime, TeamId};
//!
//! let mut game = Pebbles::new(&21, Seed::new(7));
//! // A closure is a policy: observation in, action out. This one leaves a multiple of four.
//! let perfect = |_: SimTime, _: AgentId, seen: &Observation| match seen.heap % 4 {
//!     0 => Take::new(1),
//!     rest => Take::new(rest),
//! };
//! let episode = Rollout::default().play(&mut game, &mut [perfect, perfect], &mut ());
//! assert_eq!(episode.outcome.winner(), Some(TeamId::new(0))); // 21 is no multiple of four
//! ```
//!
//! # Further reading
//!
//! [`environment`] is the contract, [`rollout`] the loop over it, `conformance` the suite that a new game
//! runs to show that it keeps the contract.

pub mod description;
pub mod environment;
pub mod ids;
pub mod outcome;
pub mod seed;
pub mod sink;
pub mod time;

pub mod panics;
pub mod policy;
pub mod rollout;
pub mod seat;
pub mod timed;

pub mod arrays;
pub mod digest;
pub mod messages;
pub mod metrics;
pub mod names;
pub mod notation;
pub mod note;
pub mod parameter;
pub mod scene;
pub mod text;
pub mod thinking;

#[cfg(feature = "configuration")]
pub mod configuration;
#[cfg(feature = "replay")]
pub mod conformance;
pub mod examples;
#[cfg(feature = "matches")]
pub mod matches;
#[cfg(feature = "replay")]
pub mod replay;

pub use crate::arrays::{ArrayAgent, Arrays};
pub use crate::description::{Description, Information, TimeModel};
pub use crate::digest::Digest;
pub use crate::environment::{Disruption, Environment, Options, Ready, Turn};
pub use crate::ids::{AgentId, ByTeam, TeamId};
pub use crate::metrics::{Counted, Measured, Metric, Metrics};
pub use crate::notation::{Notation, Preset};
pub use crate::note::{Note, Place, Shape};
pub use crate::outcome::{Outcome, Ranking, Returns, Termination};
pub use crate::parameter::{ConfigError, Fault, Parameters, Value};
pub use crate::policy::{Choice, Policy, RandomPolicy};
pub use crate::rollout::{Episode, LONGEST_GAME, Latency, Limits, Rollout, Running};
pub use crate::scene::Scene;
pub use crate::seed::{Chance, Seed};
pub use crate::sink::{Addressed, Audience, Sink, Witness};
pub use crate::text::NotationError;
pub use crate::thinking::Thinking;
pub use crate::time::{Millis, SimTime};
pub use crate::timed::Timed;
