//! An agent of The Project Game whose actions come from outside as numbers. It sees the input of a strategy as arrays;
//! sans-IO.
//!
//! A [`Seat`] is one agent of a rollout. It gives programs that learn what an author of a strategy has: the knowledge
//! board, with the age and the source of each item, in a window around the agent or whole. Or it gives them the notices
//! alone from which the SDK makes this knowledge. The layout is that of [`game_project::arrays`].
//!
//! # What this module does not do
//!
//! The SDK does for such an agent what it does for every strategy: it answers the own team's questions with the agent's
//! own findings, and no others; it destroys a found sham that the game master leaves in the hand. There are no actions
//! for that.

use game_env::arrays::ArrayAgent;
use game_env::{AgentId, Policy, Seed, SimTime};
use game_project::arrays::{
    ALLY, Ages, COVERED, ENEMY, Extent, Frame, NO_GOAL, Numbers, OWN, Plane, Scope, UNTRIED, Vector, choice,
    distance, mask,
};
use game_project::{Area, Briefing, GoalBelief, Observation, Position, State};
use wire::project::agent::Event as Told;

use crate::knowledge::{Knowledge, Learnt, Source};
use crate::local;
use crate::strategy::{Choice, Notice, Strategy};
use crate::view::{Hand, View};

/// One agent of a rollout that is decided for from outside.
#[derive(Debug)]
pub struct Seat {
    seat: local::Seat<Outside>,
    scope: Scope,
    vector: Vector,
    ages: Ages,
}

/// A strategy without an own choice.
#[derive(Debug, Default)]
struct Outside {
    /// The choice from outside, once it was asked.
    choice: Option<Choice>,
    is_asked: bool,
    /// The notices since the last choice; none if they are not kept.
    told: Option<Vec<Told>>,
}

impl Strategy for Outside {
    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        if let Some(told) = &mut self.told {
            told.extend(Told::of(view.came_at, notice));
        }
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.is_asked = true;
        view.wait_for_message()
    }
}

impl Seat {
    /// Creates the seat of one agent of a game that is about to begin. Its planes show this part of the board. An agent
    /// without planes keeps its [notices](ArrayAgent::notices), and its vector does not say where the nearest piece
    /// probably lies.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId, seed: Seed, scope: Scope) -> Self {
        let told = (scope == Scope::Nothing).then(Vec::new);
        let seat = local::Seat::new(game, agent, seed, Outside { told, ..Outside::default() });
        let briefing = seat.actor().briefing();
        let (vector, ages) = (Vector::new(briefing), Ages::new(&briefing.game.config));
        Self { seat, scope, vector, ages }
    }
}

impl Policy<State> for Seat {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &Observation) -> Choice {
        let outside = self.seat.strategy_mut();
        let was_asked = std::mem::take(&mut outside.is_asked);
        match outside.choice.take() {
            // The actor has asked at this moment.
            Some(choice) if was_asked => self.seat.choose_as(now, choice),
            // The actor can answer a question instead of asking.
            _ => self.seat.choose(now, agent, observation),
        }
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.seat)
    }
}

impl ArrayAgent<State> for Seat {
    fn is_asked(&self) -> bool {
        self.seat.strategy().is_asked
    }

    fn mask(&mut self, _: &State, _: AgentId, out: &mut [i8]) {
        let actor = self.seat.actor();
        mask(actor.briefing(), actor.position(), actor.own().hand.is_full(), out);
    }

    fn give(&mut self, now: SimTime, number: usize) {
        let choice = choice(&self.seat.actor().briefing().game.config, now, number);
        let outside = self.seat.strategy_mut();
        outside.choice = Some(choice);
        if let Some(told) = &mut outside.told {
            told.clear();
        }
    }

    fn write(&mut self, _: &State, now: SimTime, _: AgentId, planes: &mut [u8], vector: &mut [f32]) {
        let view = self.seat.actor_mut().view(now);
        match self.scope {
            Scope::Window => draw::<false>(&view, self.ages, planes),
            Scope::Board => draw::<true>(&view, self.ages, planes),
            Scope::Nothing => {}
        }
        let numbers = Numbers {
            now,
            at: view.position(),
            hand: (view.own.hand.is_full(), view.own.hand == Hand::Real),
            distance: view.distance(),
            piece: if self.scope == Scope::Nothing { None } else { view.knowledge.nearest_piece() },
            points: view.knowledge.points(),
        };
        let agents = AgentId::all(view.briefing.game.teams.len());
        self.vector.write(&numbers, agents.filter(|agent| view.is_silent(*agent)), vector);
    }

    fn notices(&self) -> Vec<String> {
        let Some(told) = &self.seat.strategy().told else { return Vec::new() };
        // The strategy hears the others before its next choice.
        let unread = self.seat.actor().unread().filter_map(|(at, notice)| Told::of(at, notice));
        told.iter().map(Told::to_json).chain(unread.map(|told| told.to_json())).collect()
    }
}

/// Returns the number of a source.
fn source(briefing: &Briefing, from: Source) -> u8 {
    match from {
        Source::Own => OWN,
        Source::Told(agent) if briefing.game.teams.get(agent.index()) == Some(&briefing.team) => ALLY,
        Source::Told(_) => ENEMY,
    }
}

/// Writes the window around the agent, or the whole board. Each is a function of its own, so that the shape of the
/// window is a constant in all that it calls.
fn draw<const IS_WHOLE: bool>(view: &View<'_>, ages: Ages, planes: &mut [u8]) {
    planes.fill(0);
    let (geometry, at, own) = (view.geometry(), view.position(), view.own.team);
    let frame = if IS_WHOLE { Frame::whole(geometry) } else { Frame::around(at) };
    let (columns, rows) = frame.on_board(geometry);
    let Some((_, west)) = frame.find(Position::new(columns.start, rows.start)) else { return };
    let on_board = west..west + columns.len();
    let Extent { columns: width, .. } = frame.extent;
    for y in rows {
        let Some((row, _)) = frame.find(Position::new(columns.start, y)) else { continue };
        // A loop over all columns is faster than a call that fills some: in a window their number is a constant.
        let mut mark = |plane| {
            let line = &mut planes[frame.extent.place(plane, row, 0)..][..width];
            for (column, mark) in line.iter_mut().enumerate() {
                *mark = on_board.contains(&column).into();
            }
        };
        mark(Plane::Board);
        match geometry.area(Position::new(0, y)) {
            Area::Task => {}
            Area::Goal(team) if team == own => mark(Plane::OwnGoals),
            Area::Goal(_) => mark(Plane::OtherGoals),
        }
        let place =
            |plane: Plane, x: u16| frame.extent.place(plane, row, west) + usize::from(x - columns.start);
        view.knowledge.goals_of_row(y, columns.clone(), |x, Learnt { value, from, .. }| {
            planes[place(Plane::Goal, x)] = goal(view.knowledge, value, Position::new(x, y));
            planes[place(Plane::GoalSource, x)] = source(view.briefing, from);
        });
        view.knowledge.distances_of_row(y, columns.clone(), |x, Learnt { value, from, at }| {
            planes[place(Plane::Distance, x)] = distance(value);
            planes[place(Plane::DistanceSource, x)] = source(view.briefing, from);
            planes[place(Plane::DistanceAge, x)] = ages.number(view.now - at);
        });
    }
    for seen in view.knowledge.sightings(view.now).filter(|seen| *seen != at) {
        if let Some(place) = frame.place(Plane::Seen, seen) {
            planes[place] = 1;
        }
    }
    if let Some(place) = frame.place(Plane::Agent, at).filter(|_| IS_WHOLE) {
        planes[place] = 1;
    }
}

/// Returns the number of a belief about a goal.
fn goal(knowledge: &Knowledge, value: GoalBelief, at: Position) -> u8 {
    match value {
        GoalBelief::Unknown => 0,
        GoalBelief::NoGoal => NO_GOAL,
        GoalBelief::Goal if knowledge.open().contains(at) => UNTRIED,
        GoalBelief::Goal => COVERED,
    }
}
