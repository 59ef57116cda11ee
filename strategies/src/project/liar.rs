//! `liar`: plays like `coordinated`, but answers questions with plausible lies.
//!
//! It claims to have tried fields that it has not tried: as many as it could have tried by now, and always the same
//! ones first, so no answer contradicts an earlier one. It claims that most of them are no goals, and that it
//! covered some: half as many in all as there are goals. It answers with distances from memory, but gives near ones
//! as far and far ones as near. It never reveals the goals that it covered.

use sdk::prelude::*;

use crate::project::coordinated::Coordinated;

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Liar {
    truth: Coordinated,
    /// The fields of the own goal area in the order in which it claims to have tried them.
    claims: Vec<usize>,
}

/// Number of moves that it claims to need for a try: fewer than any agent needs would be suspicious.
const MOVES_FOR_A_TRY: u64 = 12;

impl Liar {
    fn lie(&self, view: &View<'_>) -> Information {
        let geometry = view.geometry();
        let mut information = view.knowledge.report();
        let longest = geometry.columns() + geometry.rows();
        for distance in information.distances.iter_mut().flatten() {
            if let Some(moves) = distance.moves() {
                *distance = Distance::new((longest / 3).saturating_sub(moves).max(1));
            }
        }
        let one = u64::from(view.penalty(ActionKind::Move).as_millis()).max(1) * MOVES_FOR_A_TRY;
        let tried = usize::try_from(view.now.as_millis() / one).unwrap_or(usize::MAX);
        let beliefs = &mut information.goals[view.own.team];
        for belief in beliefs.iter_mut().filter(|belief| **belief == GoalBelief::Goal) {
            *belief = GoalBelief::NoGoal;
        }
        let goals = view.briefing.game.config.goals() as usize;
        // As rare as goals are, every second one.
        let rarity = 2 * self.claims.len() / goals.max(1);
        for (count, place) in (1..).zip(self.claims.iter().take(tried)) {
            if let Some(belief) = beliefs.get_mut(*place) {
                *belief =
                    if rarity > 0 && count % rarity == 0 { GoalBelief::Goal } else { GoalBelief::NoGoal };
            }
        }
        information
    }
}

impl Strategy for Liar {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.truth.act(view)
    }

    fn begin(&mut self, view: &mut View<'_>) {
        self.claims = (0..view.geometry().goal_fields() as usize).collect();
        view.chance.shuffle(&mut self.claims);
        self.truth.begin(view);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.truth.hear(view, notice);
    }

    fn answer(&mut self, view: &mut View<'_>, _: Question) -> Option<Information> {
        Some(self.lie(view))
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.truth.end(view, winner);
    }
}
