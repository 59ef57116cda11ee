//! The names that a strategy needs: `use sdk::prelude::*;`.

pub use async_trait::async_trait;
pub use game_env::{AgentId, Chance, Choice, Millis, Seed, SimTime};
pub use game_project::{
    Action, ActionKind, Area, Direction, Distance, Geometry, GoalBelief, Information, Position, PutResult,
    Question, Team,
};

pub use crate::heard::Heard;
pub use crate::knowledge::{Knowledge, Learnt, Source};
pub use crate::nav;
pub use crate::notes::Notes;
pub use crate::strategy::{AsyncStrategy, Strategy};
pub use crate::view::{Hand, Own, View};
