//! Strategies for simulations: together they do everything that an agent may do.

use std::ops::RangeInclusive;

use sdk::prelude::*;

/// Plays to win, by the habits it is given.
#[derive(Clone, Debug)]
pub struct Forager {
    habits: Habits,
}

/// Acts of a [`Forager`] beside foraging; each a probability per decision or question.
#[derive(Clone, PartialEq, Debug)]
pub struct Habits {
    /// Asks another agent, of either team.
    pub talk: f64,
    /// Checks a piece before it carries it.
    pub check: f64,
    /// Destroys a piece instead of carrying it.
    pub waste: f64,
    /// Lays a piece down on the way.
    pub drop: f64,
    /// Steps anywhere.
    pub stray: f64,
    /// Walks to an occupied field, if that is the way.
    pub push: f64,
    /// Picks up where nothing may lie.
    pub grope: f64,
    /// Lets an ally wait for its answer.
    pub silence: f64,
    /// Answers an enemy.
    pub candour: f64,
    /// Gives a wrong answer.
    pub lie: f64,
    /// Lets time pass, until its own moment or until it hears something.
    pub dawdle: f64,
    /// Acts only at moments that end on these milliseconds of a hundredth of a second; see [`Habits::MOMENTS`].
    pub moment: Option<u64>,
    /// Makes an impossible request.
    pub nonsense: f64,
}

impl Habits {
    /// Habits of an agent that plays as well as it can, and talks.
    pub const SENSIBLE: Self = Self {
        talk: 0.05,
        check: 0.5,
        waste: 0.0,
        drop: 0.0,
        stray: 0.05,
        push: 0.0,
        grope: 0.0,
        silence: 0.0,
        candour: 0.0,
        lie: 0.0,
        dawdle: 0.0,
        moment: None,
        nonsense: 0.0,
    };

    /// Habits of an agent that does a little of everything.
    pub const ODD: Self = Self {
        talk: 0.15,
        check: 0.4,
        waste: 0.1,
        drop: 0.1,
        stray: 0.15,
        push: 0.5,
        grope: 0.1,
        silence: 0.3,
        candour: 0.5,
        lie: 0.3,
        dawdle: 0.0,
        moment: None,
        nonsense: 0.0,
    };

    /// The milliseconds at which an agent may act that has a moment of its own. Penalties are whole hundredths of a
    /// second, so no agent's lock ends at the moment of another agent.
    pub const MOMENTS: RangeInclusive<u64> = 0..=9;
}

impl Forager {
    /// Creates an agent of these habits.
    pub const fn new(habits: Habits) -> Self {
        Self { habits }
    }

    /// Lets time pass if this is not the agent's moment, or if it likes to.
    fn pause(&self, view: &mut View<'_>) -> Option<Choice> {
        let now = view.now.as_millis();
        if let Some(moment) = self.habits.moment
            && now % 10 != moment
        {
            let next = now - now % 10 + moment + if now % 10 > moment { 10 } else { 0 };
            return Some(Choice::Wait(SimTime::from_millis(next)));
        }
        if !view.chance.happens(self.habits.dawdle) {
            return None;
        }
        // Rarely without end: if all agents wait for a message, none comes.
        let until = match view.chance.below(10) {
            0 => SimTime::NEVER,
            tenths => view.now + Millis::new(10 * tenths),
        };
        Some(Choice::Wait(until))
    }

    fn chatter(&self, view: &mut View<'_>) -> Option<Action> {
        if !view.chance.happens(self.habits.talk) {
            return None;
        }
        let agents = view.briefing.game.teams.len();
        let whom = AgentId::from_index(view.chance.index(agents));
        (whom != view.own.agent).then_some(Action::Ask(whom))
    }

    fn carry(&self, view: &mut View<'_>) -> Action {
        let (habits, here) = (&self.habits, view.position());
        if view.own.hand == Hand::Unchecked && view.chance.happens(habits.check) {
            return Action::Check;
        }
        if view.chance.happens(habits.waste) {
            return Action::Destroy;
        }
        if view.chance.happens(habits.drop) {
            return Action::Put;
        }
        match view.knowledge.open().nearest(here) {
            Some(field) if field == here => Action::Put,
            Some(field) => self.step(view, field),
            None => Action::Destroy,
        }
    }

    fn seek(&self, view: &mut View<'_>) -> Action {
        let is_here = view.distance() == Some(Distance::new(0));
        if view.area() == Area::Task && (is_here || view.chance.happens(self.habits.grope)) {
            return Action::PickUp;
        }
        match view.knowledge.piece_search().candidates() {
            [] => Action::Discover,
            candidates => {
                let place = candidates[view.chance.index(candidates.len())];
                self.step(view, place)
            }
        }
    }

    fn step(&self, view: &mut View<'_>, to: Position) -> Action {
        let straight = view.position().towards(to).find(|way| view.is_passable(*way));
        if let Some(way) = straight
            && view.chance.happens(self.habits.push)
        {
            return Action::Move(way);
        }
        match view.direction_to(to) {
            Some(way) => Action::Move(way),
            None => anywhere(view).unwrap_or(Action::Discover),
        }
    }
}

/// Returns a step that the rules allow, wherever it leads.
fn anywhere(view: &mut View<'_>) -> Option<Action> {
    let first = view.chance.index(4);
    let mut ways = (0..4).map(|turn| Direction::ALL[(first + turn) % 4]);
    ways.find(|way| view.is_passable(*way)).map(Action::Move)
}

impl Strategy for Forager {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if let Some(pause) = self.pause(view) {
            return pause;
        }
        if view.chance.happens(self.habits.nonsense) {
            return Choice::Act(Action::Ask(view.own.agent));
        }
        if let Some(question) = self.chatter(view) {
            return question.into();
        }
        if view.chance.happens(self.habits.stray)
            && let Some(step) = anywhere(view)
        {
            return step.into();
        }
        if view.own.hand.is_full() { self.carry(view).into() } else { self.seek(view).into() }
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        let speaks = match view.is_ally(question.by) {
            true => !view.chance.happens(self.habits.silence),
            false => view.chance.happens(self.habits.candour),
        };
        if !speaks {
            return None;
        }
        let mut information = view.knowledge.report_all();
        if view.chance.happens(self.habits.lie) {
            for team in Team::ALL {
                for belief in &mut information.goals[team] {
                    let lies = [GoalBelief::Unknown, GoalBelief::NoGoal, GoalBelief::Goal];
                    *belief = lies[view.chance.index(lies.len())];
                }
            }
            for distance in &mut information.distances {
                *distance = view.chance.happens(0.5).then(|| Distance::new(1));
            }
        }
        Some(information)
    }
}
