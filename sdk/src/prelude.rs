//! The names that a strategy needs: `use sdk::prelude::*;`.
//!
//! [`AsyncStrategy`](crate::strategy::AsyncStrategy) is not among them. Every strategy implements both traits: with both
//! in scope, a strategy that calls another one would have to name the trait.

pub use game_env::{AgentId, ByTeam, Chance, Choice, Millis, Seed, SimTime};
pub use game_project::{
    ActionKind, Area, Briefing, Direction, Distance, Geometry, GoalBelief, Information, Position, PutResult,
    Question, Surroundings, Team,
};

pub use crate::knowledge::{Knowledge, Learnt, Source};
pub use crate::nav;
pub use crate::notes::Notes;
pub use crate::notice::Notice;
pub use crate::strategy::Strategy;
pub use crate::view::{Hand, Own, View};

/// The action that an agent requests, with agents by their ids in the game.
pub type Action = game_project::Action<AgentId>;
