//! Steps of a view's agent: towards a field, around other agents, and along a path.

use game_env::Millis;
use game_project::{ActionKind, Area, Direction, Position};

use super::View;
use crate::strategy::Choice;

/// The shortest time to stand still, for boards on which moves cost nothing.
const SHORTEST_PAUSE: Millis = Millis::new(10);

/// Number of columns and rows that a search for a path around others looks ahead: on a large board the search for the
/// whole path would take long.
const AHEAD: u16 = 6;

/// Number of columns and rows by which a path around others may go beyond that.
const ASIDE: u16 = 3;

impl View<'_> {
    /// Chooses a step to a field, around other agents. If there is no such step, the result of
    /// [`give_way`](Self::give_way).
    ///
    /// A strategy that uses only [`direction_to`](Self::direction_to) can stay in front of another agent without end:
    /// both agents wait for each other, or both step aside and back at the same time.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let choice = situation.see(|view| view.walk_to(Position::new(0, 3)));
    /// assert!([Direction::North, Direction::West].map(|way| Choice::Act(Action::Move(way))).contains(&choice));
    /// ```
    pub fn walk_to(&mut self, to: Position) -> Choice {
        if let Some(direction) = self.position().towards(to).find(|direction| self.is_free(*direction)) {
            return self.step(direction);
        }
        let detour = self.direction_to(to);
        self.give_way(detour)
    }

    /// Chooses at random what to do if another agent is in the way: a step aside (on the detour, if there is one) or a
    /// short wait. Without this random choice, two agents that meet would repeat the same moves without end.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let choice = situation.see(|view| view.give_way(Some(Direction::South)));
    /// assert!(matches!(choice, Choice::Act(Action::Move(Direction::South)) | Choice::Wait(_)));
    /// ```
    pub fn give_way(&mut self, detour: Option<Direction>) -> Choice {
        let free: Vec<Direction> =
            Direction::ALL.into_iter().filter(|direction| self.is_free(*direction)).collect();
        if free.is_empty() || self.chance.below(2) == 0 {
            let pause = Millis::new(self.penalty(ActionKind::Move).as_millis() / 2).max(SHORTEST_PAUSE);
            return Choice::Wait(self.now + pause);
        }
        let direction = detour.unwrap_or_else(|| free[self.chance.index(free.len())]);
        self.step(direction)
    }

    /// Returns the first step of a shortest path to a field, around agents that were met a moment ago. `None` if there
    /// is no path, if the agent stands on the field, or if it stands next to the field and another agent was met there.
    /// [`walk_to`](Self::walk_to) handles these cases.
    ///
    /// Only the neighbourhood of the agent is searched. Fields further away count as free, because agents that are
    /// there now will have moved.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let step = situation.see(|view| view.direction_to(Position::new(1, 3)));
    /// assert_eq!(step, Some(Direction::North));
    /// assert_eq!(situation.see(|view| view.direction_to(view.position())), None);
    /// ```
    pub fn direction_to(&self, to: Position) -> Option<Direction> {
        let from = self.position();
        // With nobody in the way every step towards the field is on a shortest path.
        if let Some(direction) = from.towards(to).find(|direction| self.is_free(*direction)) {
            return Some(direction);
        }
        let near = near_point(from, to);
        let is_near = |at: Position| at.x.abs_diff(from.x).max(at.y.abs_diff(from.y)) <= AHEAD + ASIDE;
        let path = self.search(from, near, is_near)?;
        let next = path.get(1).filter(|next| !self.knowledge.is_occupied(**next, self.now))?;
        Direction::ALL
            .into_iter()
            .find(|direction| self.geometry().neighbour(from, *direction) == Some(*next))
    }

    /// Returns `true` if the rules allow a step in this direction, and no agent was met there a moment ago.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert!(situation.see(|view| view.is_free(Direction::East)));
    /// // A refused move shows that another agent is there.
    /// let met = situation.after(&["#1 move N", "move E?"]);
    /// assert!(!met.see(|view| view.is_free(Direction::East)));
    /// ```
    pub fn is_free(&self, direction: Direction) -> bool {
        let next = self.geometry().neighbour(self.position(), direction);
        self.is_passable(direction) && next.is_some_and(|next| !self.knowledge.is_occupied(next, self.now))
    }

    /// Returns a shortest path from one field to another, both included, around the other team's goal area and agents
    /// that were met a moment ago. `None` if there is no path. The last field may be occupied.
    ///
    /// The search takes longer for distant fields and for many agents in the way. If there is no path, it searches the
    /// whole board. A strategy that needs one step should use [`direction_to`](Self::direction_to).
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// let path = situation.see(|view| view.path(view.position(), Position::new(0, 3)));
    /// assert_eq!(path.map(|path| path.len()), Some(3), "both ends are part of it");
    /// ```
    pub fn path(&self, from: Position, to: Position) -> Option<Vec<Position>> {
        self.search(from, to, |_| true)
    }

    /// As [`path`](Self::path), by way of fields for which this holds.
    fn search(
        &self,
        from: Position,
        to: Position,
        is_near: impl Fn(Position) -> bool,
    ) -> Option<Vec<Position>> {
        let (geometry, knowledge, now) = (self.geometry(), self.knowledge, self.now);
        let forbidden = Area::Goal(self.own.team.opponent());
        let is_near = &is_near;
        let is_free = move |at: Position| at == to || !knowledge.is_occupied(at, now);
        let neighbours = |at: &Position| {
            let at = *at;
            Direction::ALL
                .into_iter()
                .filter_map(move |direction| geometry.neighbour(at, direction))
                .filter(move |next| geometry.area(*next) != forbidden && is_near(*next) && is_free(*next))
                .map(|next| (next, 1))
                .collect::<Vec<_>>()
        };
        let found =
            pathfinding::directed::astar::astar(&from, neighbours, |at| at.moves_to(to), |at| *at == to);
        found.map(|(path, _)| path)
    }
}

/// Returns the field at most [`AHEAD`] columns and rows away from which the path goes on to `to`.
fn near_point(from: Position, to: Position) -> Position {
    let towards = |from: u16, to: u16| to.clamp(from.saturating_sub(AHEAD), from + AHEAD);
    Position::new(towards(from.x, to.x), towards(from.y, to.y))
}
