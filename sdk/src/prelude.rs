//! The names that a strategy needs: `use sdk::prelude::*;`.
//!
//! [`AsyncStrategy`](crate::strategy::AsyncStrategy) is not among them. Every strategy implements both traits: with
//! both in scope, a strategy that calls another one would have to name the trait.

pub use game_env::{AgentId, ByTeam, Chance, Millis, Seed, SimTime};
pub use game_project::{
    ActionKind, Area, Briefing, Direction, Distance, Geometry, GoalBelief, Information, Position, PutResult,
    Question, Surroundings, Team,
};

pub use crate::knowledge::{FieldSet, Knowledge, Learnt, Source};
pub use crate::strategy::{Action, Choice, Notice, Strategy};
pub use crate::view::{Hand, Notes, Own, View};
