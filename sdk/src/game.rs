//! The game itself, for programs that play it in process: configurations, states, rollouts.
//!
//! These are the names of the crates `game_env` and `game_project` that a host needs: an author of agents depends on
//! this crate alone. The names that a strategy needs are in the [`prelude`](crate::prelude).

pub use game_env::{
    ByTeam, Disruption, Environment, Episode, Latency, Limits, Outcome, Parameters, Rollout, Sink,
    Termination, Value, Witness,
};
pub use game_project::observation::Announcement;
pub use game_project::{
    Briefing, Config, ConfigError, Event, Observation, Penalties, Preset, RawConfig, Refusal, Setup,
    SetupError, State, Surroundings,
};

#[cfg(feature = "replay")]
pub use game_env::replay;
