//! Functions that several strategies share: finding a piece, carrying it home, walking around other agents.

mod idle_agents;

use std::cmp::Reverse;

use sdk::prelude::*;

pub use self::idle_agents::IdleAgents;

/// One agent's share of its team's goal fields, so that no two try the same.
#[derive(Clone, Debug)]
pub struct Share {
    fields: FieldSet,
}

impl Share {
    /// Neighbouring columns, shared out by the order of ids.
    pub fn columns(view: &View<'_>) -> Self {
        let (rank, size) = rank(view);
        let columns = usize::from(view.geometry().columns());
        Self::of(view, |at| usize::from(at.x) * size / columns == rank)
    }

    /// Neighbouring fields, as many as each teammate has, shared out by the order of ids: the fields are numbered
    /// column by column, and in a column from the task area outwards.
    pub fn run(view: &View<'_>) -> Self {
        let (rank, size) = rank(view);
        let geometry = view.geometry();
        let (rows, all) = (usize::from(geometry.goal_rows()), geometry.goal_fields() as usize);
        let number = |at: Position| usize::from(at.x) * rows + usize::from(depth(view, at));
        Self::of(view, |at| number(at) * size / all == rank)
    }

    /// Returns the fields of the own goal area for which this holds.
    pub fn of(view: &View<'_>, mut is_own: impl FnMut(Position) -> bool) -> Self {
        let geometry = view.geometry();
        let first = geometry.goal_area_start(view.own.team);
        let mut fields = FieldSet::new(geometry, first, geometry.goal_rows());
        for y in first..first + geometry.goal_rows() {
            for at in (0..geometry.columns()).map(|x| Position::new(x, y)).filter(|at| is_own(*at)) {
                fields.insert(at);
            }
        }
        Self { fields }
    }

    /// Returns the fields.
    pub fn fields(&self) -> &FieldSet {
        &self.fields
    }
}

/// Returns the agent's place among its team by the order of ids, and the team's size.
pub fn rank(view: &View<'_>) -> (usize, usize) {
    let teams = &view.briefing.game.teams;
    let own = view.own.team;
    let before = teams.iter().take(view.own.agent.index()).filter(|team| **team == own).count();
    (before, teams.iter().filter(|team| **team == own).count())
}

/// Returns the rows between a field of the own goal area and the task area.
pub fn depth(view: &View<'_>, at: Position) -> u16 {
    let geometry = view.geometry();
    match view.own.team {
        Team::Blue => (geometry.goal_rows() - 1).saturating_sub(at.y),
        Team::Red => at.y.saturating_sub(geometry.goal_area_start(Team::Red)),
    }
}

/// Returns the nearest field of the own goal area that is worth a try, among the share if any field is left there;
/// fields that another agent does not leave come last.
pub fn nearest_open(view: &View<'_>, share: Option<&FieldSet>, idle: &IdleAgents) -> Option<Position> {
    let (open, here) = (view.knowledge.open(), view.position());
    let nearest =
        |open: &FieldSet| share.and_then(|share| open.nearest_in(here, share)).or_else(|| open.nearest(here));
    if idle.is_empty() { nearest(open) } else { nearest(&idle.without(open)) }
}

/// As [`nearest_open`], but without own fields the outermost: the owners of the others begin next to the task area.
pub fn own_then_far(view: &View<'_>, share: Option<&FieldSet>, idle: &IdleAgents) -> Option<Position> {
    if !idle.is_empty() {
        return nearest_open(view, share, idle);
    }
    let (open, here) = (view.knowledge.open(), view.position());
    let own = share.and_then(|share| open.nearest_in(here, share));
    own.or_else(|| open.iter().min_by_key(|at| (Reverse(depth(view, *at)), here.moves_to(*at))))
}

/// Returns whether it pays to check a piece that is still to be carried this many moves: the time of a walk with a sham
/// and of putting it, times the probability that it is one, against the time of checking.
pub fn pays_to_check(view: &View<'_>, moves: u16) -> bool {
    let cost = |kind| f64::from(view.penalty(kind).as_millis());
    let wasted = f64::from(moves) * cost(ActionKind::Move) + cost(ActionKind::Put);
    view.sham_probability() * wasted > cost(ActionKind::Check)
}

/// Decides the next action with the piece in hand: check it, carry it to that field, put it there.
pub fn deliver(view: &mut View<'_>, goal: Option<Position>, idle: &mut IdleAgents) -> Choice {
    // Nothing is left to be tried. The piece may be real, so another agent may need it.
    let Some(goal) = goal else { return view.put() };
    let here = view.position();
    idle.knock(view, goal);
    if view.own.hand == Hand::Unchecked && pays_to_check(view, here.moves_to(goal)) {
        return view.check();
    }
    if goal == here {
        return view.put();
    }
    view.walk_to(goal)
}

/// Returns a step in this direction, or around an agent that is in the way.
pub fn walk(view: &mut View<'_>, direction: Direction) -> Choice {
    if view.is_free(direction) { view.step(direction) } else { view.give_way(None) }
}

/// Returns the field with the least distance of those around, by the discovery that the agent has just made; none if it
/// stands on that field, or has not just discovered. Of equally near fields the one with the least `cost`.
pub fn downhill(view: &View<'_>, cost: impl Fn(Position) -> u16) -> Option<Position> {
    let here = view.position();
    let read = view.knowledge.distance(here)?;
    let least = read.value.moves()?;
    let near = Surroundings::OFFSETS.into_iter().filter_map(|(east, north)| {
        let at = view.geometry().beside(here, east, north)?;
        let around = view.knowledge.distance(at)?;
        let is_new = around.from == Source::Own && around.at == read.at;
        let is_allowed = view.geometry().area(at) != Area::Goal(view.own.team.opponent());
        let moves = around.value.moves().filter(|moves| is_new && is_allowed && *moves < least)?;
        Some((moves, cost(at), here.moves_to(at), at))
    });
    near.min_by_key(|(moves, cost, way, _)| (*moves, *cost, *way)).map(|(.., at)| at)
}

/// Cost of a wrong step, in moves: itself, and the way back.
const WRONG_STEP: f64 = 2.0;

/// Decides the next action of an agent without a piece, to get one.
///
/// Every field on which the nearest piece can be is equally likely. The step or the look around is chosen that wastes
/// the least time on average, counted until the decision after next: steps that lead away, and the time of looking.
pub fn find_piece(view: &mut View<'_>, idle: &mut IdleAgents) -> Choice {
    let here = view.position();
    let search = view.knowledge.piece_search();
    let is_task = view.area() == Area::Task;
    if is_task && search.last().is_some_and(|last| last.at == here && last.moves == 0) {
        return view.pick_up();
    }
    let inward = view.homeward().opposite();
    if search.is_bare() {
        return wait_for_pieces(view);
    }
    if search.candidates().is_empty() {
        // A step is a reading as well, and out of the goal area it is one for nothing.
        let looks = is_task && view.penalty(ActionKind::Discover) <= view.penalty(ActionKind::Move);
        let direction = first_step(view);
        return if looks { view.discover() } else { walk(view, direction) };
    }
    if is_held(view, idle) {
        return go_elsewhere(view, idle);
    }
    let around = Around::of(here, search.candidates());
    let cost = |kind| f64::from(view.penalty(kind).as_millis());
    let (step, look) = (cost(ActionKind::Move) * WRONG_STEP, cost(ActionKind::Discover));
    let is_free = |direction: &Direction| view.is_free(*direction);
    let best = Direction::ALL
        .into_iter()
        .filter(is_free)
        .filter(|direction| around.share(*direction) > 0.0)
        .map(|direction| (around.waste_of_step(direction, step, look), direction))
        // Of equally good ones the way from home, if only because others come from there with what was near.
        .min_by(|(a, one), (b, other)| a.total_cmp(b).then((*one != inward).cmp(&(*other != inward))));
    let Some((waste, direction)) = best else { return view.give_way(None) };
    let knows_around = search.readings().iter().filter(|reading| reading.at.moves_to(here) == 1).count() > 1;
    if !knows_around && around.waste_of_look(step, look) < waste {
        return view.discover();
    }
    view.step(direction)
}

/// Returns a step away from a piece that lies under another agent: somewhere else another piece is the nearest.
pub fn go_elsewhere(view: &mut View<'_>, idle: &mut IdleAgents) -> Choice {
    let elsewhere = idle.elsewhere(view);
    match view.direction_to(elsewhere) {
        Some(direction) => view.step(direction),
        None => view.give_way(None),
    }
}

/// Returns whether the nearest piece lies on a field that another agent does not leave. Call it before every decision.
pub fn is_held(view: &View<'_>, idle: &mut IdleAgents) -> bool {
    let candidates = view.knowledge.piece_search().candidates();
    if let [only] = candidates {
        idle.knock(view, *only);
    }
    !candidates.is_empty() && candidates.iter().all(|candidate| idle.hold(*candidate))
}

/// Returns the direction of a first step without any knowledge: home, where a piece is worth the most, unless little of
/// the task area is left there.
fn first_step(view: &View<'_>) -> Direction {
    let geometry = view.geometry();
    let y = view.position().y;
    let rows_homeward = match view.own.team {
        Team::Blue => y.saturating_sub(geometry.goal_rows()),
        Team::Red => (geometry.rows() - geometry.goal_rows()).saturating_sub(y + 1),
    };
    let inward = view.homeward().opposite();
    if view.area() == Area::Task && rows_homeward > geometry.task_rows() / 2 {
        inward.opposite()
    } else {
        inward
    }
}

/// No piece lies on the board: one is in a hand on its way to a goal, and a new one will appear anywhere. The middle of
/// the task area is nearest to all fields. Now and then a step to any side: an agent that stands still there in a crowd
/// blocks the agents with pieces.
fn wait_for_pieces(view: &mut View<'_>) -> Choice {
    let geometry = view.geometry();
    let (y, middle) = (view.position().y, geometry.rows() / 2);
    if y.abs_diff(middle) > geometry.task_rows() / 4 {
        return walk(view, if y < middle { Direction::North } else { Direction::South });
    }
    if view.chance.below(4) > 0 {
        return view.discover();
    }
    view.give_way(None)
}

/// Places of candidates as seen from a field, counted by class: column and row, each from two or more to the west or
/// south (0) to two or more to the east or north (4). The field itself is in the class (2, 2).
struct Around {
    /// The classes that are not empty; few are.
    classes: Vec<Class>,
    total: u32,
}

#[derive(Clone, Copy)]
struct Class {
    x: u8,
    y: u8,
    count: u32,
}

/// The class of the field itself.
const MIDDLE: (u8, u8) = (2, 2);

impl Around {
    fn of(here: Position, candidates: &[Position]) -> Self {
        let class = |to: u16, from: u16| to.saturating_add(2).saturating_sub(from).min(4);
        let mut counts = [0; 25];
        for candidate in candidates {
            counts[usize::from(class(candidate.x, here.x) * 5 + class(candidate.y, here.y))] += 1;
        }
        let classes = (0..25).zip(counts).filter(|(_, count)| *count > 0);
        let classes = classes.map(|(class, count)| Class { x: class / 5, y: class % 5, count }).collect();
        Self { classes, total: u32::try_from(candidates.len()).unwrap_or(u32::MAX).max(1) }
    }

    /// Returns the share of candidates that a step in this direction comes nearer to.
    fn share(&self, direction: Direction) -> f64 {
        let nearer = self.classes.iter().filter(|class| class.lies(direction, MIDDLE));
        f64::from(nearer.map(|class| class.count).sum::<u32>()) / f64::from(self.total)
    }

    /// Returns the mean waste of a step: the step itself if it is wrong, and the waste after it, a step or a look
    /// later.
    fn waste_of_step(&self, direction: Direction, step: f64, look: f64) -> f64 {
        let next = match direction {
            Direction::North => (2, 3),
            Direction::East => (3, 2),
            Direction::South => (2, 1),
            Direction::West => (1, 2),
        };
        let after = |nearer| self.waste(next, step, look, |class| class.lies(direction, MIDDLE) == nearer);
        (1.0 - self.share(direction)) * step + after(true) + after(false)
    }

    /// Returns the mean waste of a look around, which shows the side of the field on which the piece lies.
    fn waste_of_look(&self, step: f64, look: f64) -> f64 {
        let side = |class: &Class| (class.x.cmp(&MIDDLE.0), class.y.cmp(&MIDDLE.1));
        let mut waste = look;
        let mut sides: Vec<_> = self.classes.iter().map(side).collect();
        sides.sort_unstable();
        sides.dedup();
        for one in sides {
            waste += self.waste(MIDDLE, step, look, |class| side(class) == one);
        }
        waste
    }

    /// Returns the mean waste from a field on, given by its class, if the piece is in one of these classes, times the
    /// probability that it is.
    fn waste(&self, from: (u8, u8), step: f64, look: f64, includes: impl Fn(&Class) -> bool) -> f64 {
        let mut count = 0;
        let mut nearer = [0; 4];
        for class in self.classes.iter().filter(|class| includes(class)) {
            count += class.count;
            for (direction, nearer) in Direction::ALL.into_iter().zip(&mut nearer) {
                *nearer += if class.lies(direction, from) { class.count } else { 0 };
            }
        }
        let best = nearer.into_iter().max().unwrap_or(0);
        (f64::from(count - best) * step).min(f64::from(count) * look) / f64::from(self.total)
    }
}

impl Class {
    /// Returns whether a step in this direction from a field of that class comes nearer to the fields of this one.
    fn lies(&self, direction: Direction, (x, y): (u8, u8)) -> bool {
        match direction {
            Direction::North => self.y > y,
            Direction::East => self.x > x,
            Direction::South => self.y < y,
            Direction::West => self.x < x,
        }
    }
}

#[cfg(test)]
mod tests {
    use sdk::testing::Situation;

    use super::*;

    /// Red's goal area is in the north; no piece lies on the board.
    #[test]
    fn agents_wait_for_pieces_in_the_middle() {
        for (place, expected) in [(0, Direction::South), (7, Direction::North)] {
            let rows: Vec<&str> = (0..8).map(|row| if row == place { "R0 ." } else { ". ." }).collect();
            let board = format!("g .\n---\n{}\n---\n. g", rows.join("\n"));
            let found = Situation::new(&board).after(&["discover"]).see(|view| {
                let found = find_piece(view, &mut IdleAgents::default());
                (found == view.step(expected), format!("{found:?}"))
            });
            assert!(found.0, "from row {place}: {}", found.1);
        }
    }
}
