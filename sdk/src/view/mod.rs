//! The input of a strategy: the agent, the game, its knowledge, its random numbers and a note buffer.

mod actions;
pub(crate) mod drawing;
mod notes;
mod paths;

use game_env::{AgentId, Chance, Millis, SimTime};
use game_project::{ActionKind, Area, Briefing, Direction, Distance, Geometry, Position, Question, Team};

use crate::knowledge::{Knowledge, Source};

pub use self::notes::Notes;

/// The whole input of a strategy. Nothing else of the game reaches it.
///
/// Methods such as [`put`](Self::put), [`ask`](Self::ask) and [`walk_to`](Self::walk_to) return the choices of
/// [`Strategy::act`](crate::strategy::Strategy::act).
///
/// The fields are separate borrows: a strategy can draw random numbers and write notes while it reads the knowledge.
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
/// situation.see(|view| {
///     // Red's own goal area is in the north, and the agent stands in the task area.
///     assert_eq!((view.area(), view.homeward()), (Area::Task, Direction::North));
///     // Nothing is known of the distance to a piece before the first move or discovery.
///     assert_eq!(view.distance(), None);
///     println!("{view}"); // a sketch of what is known
/// });
/// ```
pub struct View<'a> {
    /// The game time at this moment.
    pub now: SimTime,
    /// The game time at which the message came that the strategy hears.
    pub(crate) came_at: SimTime,
    /// The agent itself.
    pub own: &'a Own,
    /// The message at the start of the game: teams, board, rules, leader.
    pub briefing: &'a Briefing,
    /// The agent's knowledge of the board.
    pub knowledge: &'a Knowledge,
    /// The agent's own random numbers. They depend only on the seed, the agent and the moment of the call: draws of
    /// other agents and earlier draws of this agent do not change them.
    ///
    /// [`Chance`] is a generator for the crate `rand` 0.10, so all methods of that crate work:
    ///
    /// ```
    /// use rand::RngExt as _;
    /// use sdk::prelude::*;
    ///
    /// /// Walks anywhere, and discovers one time in four.
    /// struct Wanderer;
    ///
    /// impl Strategy for Wanderer {
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice {
    ///         if view.chance.random_bool(0.25) {
    ///             return view.discover();
    ///         }
    ///         let direction = Direction::ALL[view.chance.random_range(0..4)];
    ///         view.step(direction)
    ///     }
    /// }
    /// ```
    ///
    /// The methods of `Chance` give the same results in every version. The methods of `rand` can change with its
    /// version.
    pub chance: &'a mut Chance,
    /// Remarks and drawings for the viewers of the replay.
    pub notes: &'a mut Notes,
}

/// An agent's knowledge of itself.
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
/// situation.after(&["ask #1", "#1 ask #0"]).see(|view| {
///     assert_eq!((view.own.agent, view.own.team), (AgentId::new(0), Team::Red));
///     assert_eq!(view.own.asked, [AgentId::new(1)]);
///     assert_eq!(view.own.questions[0].by, AgentId::new(1));
///     assert!(!view.own.questions[0].must_answer, "only the own leader must be answered");
/// });
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Own {
    /// The agent's id.
    pub agent: AgentId,
    /// Its team.
    pub team: Team,
    /// The field on which it stands; see [`View::position`].
    pub(crate) position: Position,
    /// The content of its hand.
    pub hand: Hand,
    /// The questions that it has not answered, the oldest first. An agent must answer only its own leader.
    pub questions: Vec<Question>,
    /// The agents that it has asked and that have not answered yet, in the order of the questions.
    pub asked: Vec<AgentId>,
    /// The agents of [`asked`](Self::asked) that have themselves asked something since then.
    pub talked: Vec<AgentId>,
    /// The agents to which the game master has refused to pass on the last question: they have left, or do not exist.
    pub unreachable: Vec<AgentId>,
}

/// The content of an agent's hand, as far as the agent knows.
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
/// let hand = |situation: &Situation| situation.see(|view| view.own.hand);
/// let with_a_piece = situation.after(&["move W", "pick-up"]);
/// assert_eq!(hand(&with_a_piece), Hand::Unchecked);
/// assert_eq!(hand(&with_a_piece.after(&["check"])), Hand::Real);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hand {
    /// Nothing.
    Empty,
    /// A piece that can be a sham.
    Unchecked,
    /// A real piece.
    Real,
}

impl Hand {
    /// Returns `true` if the hand holds a piece.
    ///
    /// ```
    /// use sdk::prelude::*;
    ///
    /// assert!(Hand::Unchecked.is_full() && !Hand::Empty.is_full());
    /// ```
    pub const fn is_full(self) -> bool {
        !matches!(self, Self::Empty)
    }
}

impl View<'_> {
    /// Returns the shape of the board.
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
    /// let (columns, rows) = situation.see(|view| (view.geometry().columns(), view.geometry().rows()));
    /// assert_eq!((columns, rows), (3, 4));
    /// ```
    pub fn geometry(&self) -> Geometry {
        self.briefing.game.config.geometry()
    }

    /// Returns the penalty of this kind of action.
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
    /// assert_eq!(situation.see(|view| view.penalty(ActionKind::Move)), Millis::new(1_500));
    /// ```
    pub fn penalty(&self, kind: ActionKind) -> Millis {
        self.briefing.game.config.penalties().of(kind)
    }

    /// Returns the probability that a piece is a sham.
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
    /// // A piece that may be a sham is worth a check if the way to the goal is long.
    /// let is_worth_it = situation.see(|view| {
    ///     let wasted = view.sham_probability() * 10.0 * f64::from(view.penalty(ActionKind::Move).as_millis());
    ///     wasted > f64::from(view.penalty(ActionKind::Check).as_millis())
    /// });
    /// assert!(is_worth_it);
    /// ```
    pub fn sham_probability(&self) -> f64 {
        self.briefing.game.config.sham_probability()
    }

    /// Returns the field on which the agent stands.
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
    /// assert_eq!(situation.see(|view| view.position()), Position::new(1, 2));
    /// ```
    pub fn position(&self) -> Position {
        self.own.position
    }

    /// Returns the area in which the agent stands.
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
    /// assert_eq!(situation.see(|view| view.area()), Area::Task);
    /// let at_home = situation.after(&["move N"]);
    /// assert_eq!(at_home.see(|view| view.area()), Area::Goal(Team::Red));
    /// ```
    pub fn area(&self) -> Area {
        self.geometry().area(self.own.position)
    }

    /// Returns the distance from the agent's own field to the nearest piece, if the agent read it there itself.
    /// [`Knowledge::distance`] also has the statements of other agents.
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
    /// let distance = situation.after(&["move W"]).see(|view| view.distance());
    /// assert_eq!(distance, Some(Distance::new(0)), "a piece lies here");
    /// ```
    pub fn distance(&self) -> Option<Distance> {
        let learnt = self.knowledge.distance(self.own.position)?;
        (learnt.from == Source::Own).then_some(learnt.value)
    }

    /// Returns the direction to the agent's own goal area. The [opposite](Direction::opposite) direction leads away
    /// from it.
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
    /// assert_eq!(situation.see(|view| view.homeward()), Direction::North, "red's goal area is in the north");
    /// ```
    pub fn homeward(&self) -> Direction {
        match self.own.team {
            Team::Red => Direction::North,
            Team::Blue => Direction::South,
        }
    }

    /// Returns `true` if an agent plays for the agent's own team.
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
    /// situation.see(|view| {
    ///     assert!(view.is_leader() && view.is_ally(AgentId::new(0)));
    ///     assert!(!view.is_ally(AgentId::new(1)));
    /// });
    /// ```
    pub fn is_ally(&self, agent: AgentId) -> bool {
        self.briefing.game.teams.get(agent.index()) == Some(&self.own.team)
    }

    /// Returns `true` if the agent leads its team.
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
    /// assert!(situation.see(|view| view.is_leader()), "the only agent of a team leads it");
    /// ```
    pub fn is_leader(&self) -> bool {
        self.briefing.leader() == Some(self.own.agent)
    }

    /// Returns `true` if an agent has not answered a question, or the game master has refused to pass the question on,
    /// and the agent has sent nothing to this agent since then.
    ///
    /// A strategy should not ask a silent agent again. The agent has left, or may have left. Some agents of other
    /// implementations read a question as the answer to their own request, and from then on read each answer too late:
    /// the fewer questions, the better.
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
    /// let one = AgentId::new(1);
    /// let asked = situation.after(&["ask #1"]);
    /// assert!(asked.see(|view| view.is_silent(one)));
    /// assert!(!asked.after(&["#1 ask #0"]).see(|view| view.is_silent(one)));
    /// ```
    pub fn is_silent(&self, agent: AgentId) -> bool {
        let is_awaited = self.own.asked.contains(&agent) && !self.own.talked.contains(&agent);
        is_awaited || self.own.unreachable.contains(&agent)
    }

    /// Returns `true` if the rules allow the agent to enter the next field in this direction. Other agents are not
    /// considered.
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
    /// situation.after(&["move W"]).see(|view| {
    ///     assert!(!view.is_passable(Direction::West), "the board ends there");
    ///     assert!(view.is_passable(Direction::North), "the own goal area");
    /// });
    /// ```
    pub fn is_passable(&self, direction: Direction) -> bool {
        let geometry = self.geometry();
        geometry
            .neighbour(self.own.position, direction)
            .is_some_and(|next| geometry.area(next) != Area::Goal(self.own.team.opponent()))
    }
}
