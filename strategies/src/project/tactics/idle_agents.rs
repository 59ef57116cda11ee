//! Fields on which an agent stands and stays.

use sdk::prelude::*;

/// Remembers fields that another agent does not leave, so that an agent stops waiting before them: the nearest piece
/// may lie under an agent that never moves, and so may the last field to try.
#[derive(Clone, Debug, Default)]
pub struct IdleAgents {
    held: Vec<(Position, SimTime)>,
    /// The field that was found occupied last, and the number of times in a row.
    door: Option<(Position, u32)>,
    /// The field to walk to meanwhile.
    elsewhere: Option<Position>,
}

/// Number of times in a row that a field is found occupied before it is given up.
const KNOCKS: u32 = 6;

/// Time for which it is given up, in moves.
const PATIENCE: u32 = 60;

/// The shortest time for which a field is given up, for boards on which moves cost nothing.
const SHORTEST: Millis = Millis::new(500);

impl IdleAgents {
    /// Notes whether the agent stands before its target and the target is occupied. Call it before every decision with
    /// the field that the agent wants to go to.
    pub fn knock(&mut self, view: &View<'_>, target: Position) {
        self.held.retain(|(_, until)| view.now < *until);
        if view.position().moves_to(target) != 1 {
            return;
        }
        if !view.knowledge.is_occupied(target, view.now) {
            return;
        }
        let knocks = match self.door {
            Some((door, knocks)) if door == target => knocks + 1,
            _ => 1,
        };
        self.door = Some((target, knocks));
        if knocks >= KNOCKS {
            self.door = None;
            let moves = view.penalty(ActionKind::Move).as_millis().saturating_mul(PATIENCE);
            self.held.push((target, view.now + Millis::new(moves).max(SHORTEST)));
        }
    }

    /// Returns whether no field is given up.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Returns whether a field is given up.
    pub fn hold(&self, at: Position) -> bool {
        self.held.iter().any(|(held, _)| *held == at)
    }

    /// Returns the fields of a set that are not given up; all of them if there would be none.
    pub fn without(&self, fields: &FieldSet) -> FieldSet {
        let mut left = fields.clone();
        for (held, _) in &self.held {
            left.remove(*held);
        }
        if left.is_empty() { fields.clone() } else { left }
    }

    /// Returns a field of the task area to walk to meanwhile, drawn by lot; another one when it is reached.
    pub fn elsewhere(&mut self, view: &mut View<'_>) -> Position {
        let here = view.position();
        if let Some(target) = self.elsewhere
            && here.moves_to(target) > 1
        {
            return target;
        }
        let geometry = view.geometry();
        let (columns, rows) = (u32::from(geometry.columns()), u32::from(geometry.task_rows()));
        let narrow = |number: u32| u16::try_from(number).expect("below the size of the board");
        let (x, y) = (narrow(view.chance.below(columns)), narrow(view.chance.below(rows)));
        let target = Position::new(x, geometry.goal_rows() + y);
        self.elsewhere = Some(target);
        target
    }
}
