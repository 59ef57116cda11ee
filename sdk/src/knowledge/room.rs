//! The parts of an agent's knowledge that one message can hold.

use game_project::Geometry;

/// Parts of the knowledge that are sure to fit an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) distances: bool,
    pub(super) all_goals: bool,
    pub(super) own_goals: bool,
}

impl Room {
    /// Up to five bytes for a distance (`-1,`, `1234,`), six for a belief (`"IDK",`), the rest around them.
    pub(super) fn on(geometry: Geometry, longest: u16) -> Self {
        const AROUND: u64 = 256;
        let digits = if geometry.columns() + geometry.rows() < 100 { 3 } else { 5 };
        let distances = u64::from(geometry.fields()) * digits;
        let goals = u64::from(geometry.goal_fields()) * 6;
        let fits = |bytes| bytes + AROUND <= u64::from(longest);
        Self { distances: fits(distances + 2 * goals), all_goals: fits(2 * goals), own_goals: fits(goals) }
    }
}
