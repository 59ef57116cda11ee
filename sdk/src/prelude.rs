//! The names that a strategy needs: `use sdk::prelude::*;`.
//!
//! [`AsyncStrategy`](crate::strategy::AsyncStrategy) is not among them: every strategy is one, and with both in
//! scope a strategy that hands on to another would have to say which of the two it means.

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

/// What an agent asks for, with agents by the ids of the game.
pub type Action = game_project::Action<AgentId>;
