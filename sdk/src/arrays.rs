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
    ALLY, Ages, COVERED, ENEMY, NO_GOAL, Numbers, OWN, Plane, REACH, UNTRIED, Vector, WINDOW, choice,
    distance, in_window, mask, place,
};
use game_project::{Action, Area, Briefing, Event, GoalBelief, Observation, Position, State};

use crate::knowledge::{Knowledge, Learnt, Source};
use crate::local;
use crate::strategy::{Choice, Strategy};
use crate::view::{Hand, View};

/// One agent of a rollout that is decided for from outside.
#[derive(Debug)]
pub struct Seat {
    seat: local::Seat<Outside>,
    vector: Vector,
    ages: Ages,
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
        let seat = local::Seat::new(game, agent, seed, Outside::default());
        let briefing = seat.actor().briefing();
        let (vector, ages) = (Vector::new(briefing), Ages::new(&briefing.game.config));
        Self { seat, vector, ages }
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

    fn sent(&mut self, now: SimTime, agent: AgentId, action: &Action) {
        self.seat.sent(now, agent, action);
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &Event) {
        self.seat.hear(now, agent, event);
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.seat.reseed(agent, seed);
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
        draw(&view, self.ages, planes);
        let numbers = Numbers {
            now,
            at: view.position(),
            hand: (view.own.hand.is_full(), view.own.hand == Hand::Real),
            distance: view.distance(),
            piece: view.knowledge.nearest_piece(),
            points: view.knowledge.points(),
        };
        let agents = AgentId::all(view.briefing.game.teams.len());
        self.vector.write(&numbers, agents.filter(|agent| view.is_silent(*agent)), vector);
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
fn draw(view: &View<'_>, ages: Ages, planes: &mut [u8]) {
    planes.fill(0);
    let (geometry, at, own) = (view.geometry(), view.position(), view.own.team);
    let columns = at.x.saturating_sub(REACH)..at.x.saturating_add(REACH + 1).min(geometry.columns());
    let rows = at.y.saturating_sub(REACH)..at.y.saturating_add(REACH + 1).min(geometry.rows());
    // The column of the window at which the board begins.
    let first = usize::from(columns.start + REACH - at.x);
    let mut on_board = [0; WINDOW];
    on_board[first..][..columns.len()].fill(1);
    for y in rows {
        let row = usize::from(at.y + REACH - y);
        let mut mark = |plane| planes[place(plane, row, 0)..][..WINDOW].copy_from_slice(&on_board);
        mark(Plane::Board);
        match geometry.area(Position::new(0, y)) {
            Area::Task => {}
            Area::Goal(team) if team == own => mark(Plane::OwnGoals),
            Area::Goal(_) => mark(Plane::OtherGoals),
        }
        let column = |x: u16| first + usize::from(x - columns.start);
        view.knowledge.goals_of_row(y, columns.clone(), |x, Learnt { value, from, .. }| {
            let goal = goal(view.knowledge, value, Position::new(x, y));
            planes[place(Plane::Goal, row, column(x))] = goal;
            planes[place(Plane::GoalSource, row, column(x))] = source(view.briefing, from);
        });
        let [mut distances, mut sources, mut when] = [[0; WINDOW]; 3];
        view.knowledge.distances_of_row(y, columns.clone(), |x, Learnt { value, from, at }| {
            let column = column(x);
            distances[column] = distance(value);
            sources[column] = source(view.briefing, from);
            when[column] = ages.number(view.now - at);
        });
        let mut set = |plane, numbers| planes[place(plane, row, 0)..][..WINDOW].copy_from_slice(numbers);
        set(Plane::Distance, &distances);
        set(Plane::DistanceSource, &sources);
        set(Plane::DistanceAge, &when);
    }
    for seen in view.knowledge.sightings(view.now).filter(|seen| *seen != at) {
        if let Some((row, column)) = in_window(at, seen) {
            planes[place(Plane::Seen, row, column)] = 1;
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
