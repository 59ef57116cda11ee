//! An agent of The Project Game that is decided for from outside, by numbers, and sees what a strategy sees, as arrays;
//! sans-IO.
//!
//! A [`Seat`] is one agent of a rollout. It gives programs that learn what an author of a strategy has: the knowledge board
//! around the agent, with the age and the source of each item. The layout is that of [`game_project::arrays`].
//!
//! # What this module does not do
//!
//! The SDK does for such an agent what it does for every strategy: it answers the own team's questions with the agent's own
//! findings, and no others; it destroys a found sham that the game master leaves in the hand. There are no actions for that.

use game_env::arrays::ArrayAgent;
use game_env::{AgentId, Note, Outcome, Policy, Seed, SimTime, Termination};
use game_project::arrays::{
    ALLY, Ages, COVERED, ENEMY, NO_GOAL, Numbers, OWN, Plane, REACH, UNTRIED, choice, distance, mask, place,
};
use game_project::{Area, Briefing, Event, GoalBelief, Observation, Position, State};

use crate::knowledge::{Knowledge, Learnt, Source};
use crate::local;
use crate::strategy::{Choice, Strategy};
use crate::view::{Hand, View};

/// One agent of a rollout that is decided for from outside.
#[derive(Debug)]
pub struct Seat {
    seat: local::Seat<Outside>,
}

/// A strategy without an own choice.
#[derive(Debug, Default)]
struct Outside {
    /// The choice from outside, once it was asked.
    choice: Option<Choice>,
    is_asked: bool,
}

impl Strategy for Outside {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.is_asked = true;
        view.wait_for_message()
    }
}

impl Seat {
    /// Creates the seat of one agent of a game that is about to begin.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId, seed: Seed) -> Self {
        Self { seat: local::Seat::new(game, agent, seed, Outside::default()) }
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

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &Event) {
        self.seat.hear(now, agent, event);
    }

    fn note(&mut self) -> Option<Note> {
        self.seat.note()
    }

    fn gives_up(&mut self) -> Option<Termination> {
        self.seat.gives_up()
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        self.seat.end(now, outcome);
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
        self.seat.strategy_mut().choice = Some(choice);
    }

    fn write(&mut self, _: &State, now: SimTime, _: AgentId, planes: &mut [u8], vector: &mut [f32]) {
        let view = self.seat.actor_mut().view(now);
        draw(&view, planes);
        let numbers = Numbers {
            now,
            briefing: view.briefing,
            at: view.position(),
            hand: (view.own.hand.is_full(), view.own.hand == Hand::Real),
            distance: view.distance(),
            piece: view.knowledge.nearest_piece(),
            points: view.knowledge.points(),
        };
        numbers.write(|agent| view.is_silent(agent), vector);
    }
}

/// The number of a source.
fn source(briefing: &Briefing, from: Source) -> u8 {
    match from {
        Source::Own => OWN,
        Source::Told(agent) if briefing.game.teams.get(agent.index()) == Some(&briefing.team) => ALLY,
        Source::Told(_) => ENEMY,
    }
}

/// Writes the window around the agent.
fn draw(view: &View<'_>, planes: &mut [u8]) {
    planes.fill(0);
    let (geometry, at, own) = (view.geometry(), view.position(), view.own.team);
    let columns = at.x.saturating_sub(REACH)..at.x.saturating_add(REACH + 1).min(geometry.columns());
    let rows = at.y.saturating_sub(REACH)..at.y.saturating_add(REACH + 1).min(geometry.rows());
    // The column of the window at which the board begins.
    let first = usize::from(columns.start + REACH - at.x);
    let ages = Ages::new(&view.briefing.game.config);
    for y in rows {
        let row = usize::from(at.y + REACH - y);
        let range = |plane: Plane| place(plane, row, first)..place(plane, row, first) + columns.len();
        planes[range(Plane::Board)].fill(1);
        match geometry.area(Position::new(0, y)) {
            Area::Task => {}
            Area::Goal(team) if team == own => planes[range(Plane::OwnGoals)].fill(1),
            Area::Goal(_) => planes[range(Plane::OtherGoals)].fill(1),
        }
        for known in view.knowledge.row(y, columns.clone(), view.now) {
            let column = first + usize::from(known.x - columns.start);
            let mut set = |plane: Plane, number: u8| planes[place(plane, row, column)] = number;
            if let Some(Learnt { value, from, .. }) = known.goal {
                set(Plane::Goal, goal(view.knowledge, value, Position::new(known.x, y)));
                set(Plane::GoalSource, source(view.briefing, from));
            }
            if let Some(Learnt { value, from, at }) = known.distance {
                set(Plane::Distance, distance(value));
                set(Plane::DistanceSource, source(view.briefing, from));
                set(Plane::DistanceAge, ages.number(view.now - at));
            }
            if known.is_occupied && (known.x, y) != (at.x, at.y) {
                set(Plane::Seen, 1);
            }
        }
    }
}

/// The number of a belief about a goal.
fn goal(knowledge: &Knowledge, value: GoalBelief, at: Position) -> u8 {
    match value {
        GoalBelief::Unknown => 0,
        GoalBelief::NoGoal => NO_GOAL,
        GoalBelief::Goal if knowledge.open().contains(at) => UNTRIED,
        GoalBelief::Goal => COVERED,
    }
}
