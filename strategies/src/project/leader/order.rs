//! Orders inside of answers.
//!
//! An answer has an entry for each goal field of the other team, of which an agent never knows anything by itself. An
//! order is written there, mirrored: `NoGoal` for the mirror image of each field that the receiver leaves to others,
//! and `Unknown` for the rest, which is the receiver's share. Goals are placed symmetrically, so even an agent that
//! reads these entries as knowledge about its own goals learns from them only to leave other agents' fields alone.
//! All other entries are the sender's own findings, as in every answer.

use sdk::prelude::*;

/// Returns an empty set of goal fields of the own team.
pub(super) fn no_fields(view: &View<'_>) -> FieldSet {
    let geometry = view.geometry();
    FieldSet::new(geometry, geometry.goal_area_start(view.own.team), geometry.goal_rows())
}

/// Returns the place of a field of the own goal area in the order.
fn place(view: &View<'_>, at: Position) -> usize {
    let geometry = view.geometry();
    let other = view.own.team.opponent();
    geometry.index(geometry.mirror(at)) - geometry.index(Position::new(0, geometry.goal_area_start(other)))
}

/// Returns the agent's own findings with an order for this share. On boards whose answers have no room for goals of
/// both teams it is a plain answer.
pub(super) fn write(view: &View<'_>, share: &FieldSet) -> Information {
    let mut information = view.knowledge.report();
    let mut all = no_fields(view);
    all.fill();
    let entries = &mut information.goals[view.own.team.opponent()];
    for at in all.iter().filter(|at| !share.contains(*at)) {
        if let Some(entry) = entries.get_mut(place(view, at)) {
            *entry = GoalBelief::NoGoal;
        }
    }
    information
}

/// Returns the share that an answer orders; none if it is a plain answer.
pub(super) fn read(view: &View<'_>, information: &Information) -> Option<FieldSet> {
    let entries = &information.goals[view.own.team.opponent()];
    let is_order = entries.contains(&GoalBelief::NoGoal) && !entries.contains(&GoalBelief::Goal);
    if !is_order || entries.len() != view.geometry().goal_fields() as usize {
        return None;
    }
    let mut share = no_fields(view);
    share.fill();
    for at in share.clone().iter().filter(|at| entries[place(view, *at)] == GoalBelief::NoGoal) {
        share.remove(at);
    }
    Some(share)
}
