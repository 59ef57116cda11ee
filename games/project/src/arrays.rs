//! The game as arrays of numbers: the layout, and agents that see their own readings alone.
//!
//! The planes show a [`Frame`] of the board: a window of [`WINDOW`]×[`WINDOW`] fields with the agent in its centre, or
//! the whole board. The first row is in the north, the first column in the west. Fields off the board hold zeros. The
//! actions are a wait, the requests that need no other agent, and a question to each agent.
//!
//! A [`Reader`] is an agent that is decided for from outside and keeps what it has read itself, and no more: the
//! fastest view of the game. The SDK has agents with the whole knowledge board, in the same layout.
//!
//! # What this module does not do
//!
//! It believes no other agent. It does not search for pieces.

use std::ops::Range;
use std::sync::Arc;

use game_env::arrays::{ArrayAgent, Layout};
use game_env::{AgentId, Choice, Millis, Policy, SimTime};

use crate::action::{Action, ActionKind};
use crate::config::Config;
use crate::event::{Event, PutResult, Refusal};
use crate::geometry::{Area, Direction, Distance, Geometry, Position, Surroundings};
use crate::observation::{Briefing, Observation};
use crate::state::State;
use crate::team::Team;

/// The number of rows and of columns of the window.
pub const WINDOW: usize = 11;

/// The number of fields of the window on each side of the agent.
pub const REACH: u16 = 5;

/// The planes, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// The field is on the board.
    Board,
    /// The field is in the own goal area.
    OwnGoals,
    /// The field is in the other team's goal area.
    OtherGoals,
    /// The belief about a goal; see [`UNTRIED`] and the constants behind it.
    Goal,
    /// The source of this belief; see [`OWN`] and the constants behind it.
    GoalSource,
    /// The distance to the nearest piece; see [`distance`].
    Distance,
    /// The source of this distance.
    DistanceSource,
    /// The age of this distance; see [`Ages`].
    DistanceAge,
    /// Another agent was seen there a moment ago.
    Seen,
    /// The agent itself stands there. Only planes of the whole board have it: in a window, the agent is in the centre.
    Agent,
}

const PLANES: [&str; 10] = [
    "1: the field is on the board",
    "1: the field is in the own goal area",
    "1: the field is in the goal area of the other team",
    "belief about a goal: 0 unknown, 1 no goal, 2 a goal to cover, 3 a covered goal",
    "source of this belief: 0 none, 1 the agent itself, 2 an ally, 3 an enemy",
    "distance to the nearest piece in moves plus 1: 0 unknown, 255 no piece on the board",
    "source of this distance: 0 none, 1 the agent itself, 2 an ally, 3 an enemy",
    "age of this distance in moves plus 1: 0 unknown, at most 255",
    "1: another agent was seen there a moment ago",
    "1: the agent itself stands there",
];

/// The fields that the planes of an agent show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// A window around the agent.
    Window,
    /// The whole board, with a plane for the agent itself.
    Board,
    /// None: there are no planes.
    Nothing,
}

impl Scope {
    /// Returns the number of planes, which are the first of [`Plane`].
    const fn planes(self) -> usize {
        match self {
            Self::Window => PLANES.len() - 1,
            Self::Board => PLANES.len(),
            Self::Nothing => 0,
        }
    }

    fn extent(self, geometry: Geometry) -> Extent {
        match self {
            Self::Window => Extent::WINDOW,
            Self::Board => Frame::whole(geometry).extent,
            Self::Nothing => Extent { rows: 0, columns: 0 },
        }
    }
}

/// The shape of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
}

impl Extent {
    /// The shape of a window.
    pub const WINDOW: Self = Self { rows: WINDOW, columns: WINDOW };

    /// Returns the place of a number in the planes.
    #[inline]
    pub const fn place(self, plane: Plane, row: usize, column: usize) -> usize {
        (plane as usize * self.rows + row) * self.columns + column
    }
}

/// The rectangle of fields that planes show. It can reach past the board.
///
/// ```
/// use game_project::Position;
/// use game_project::arrays::{Frame, WINDOW};
///
/// let frame = Frame::around(Position::new(3, 7));
/// assert_eq!(frame.find(Position::new(3, 7)), Some((WINDOW / 2, WINDOW / 2)));
/// assert_eq!(frame.find(Position::new(4, 9)), Some((WINDOW / 2 - 2, WINDOW / 2 + 1)));
/// assert_eq!(frame.find(Position::new(3, 13)), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The shape.
    pub extent: Extent,
    /// The column of the board that is the first one, from the west.
    west: i32,
    /// The row of the board that is the first one, from the south.
    north: i32,
}

impl Frame {
    /// Returns the window around an agent.
    #[inline]
    pub fn around(agent: Position) -> Self {
        let reach = i32::from(REACH);
        Self { extent: Extent::WINDOW, west: i32::from(agent.x) - reach, north: i32::from(agent.y) + reach }
    }

    /// Returns the whole board.
    pub fn whole(geometry: Geometry) -> Self {
        let (rows, columns) = (geometry.rows(), geometry.columns());
        Self {
            extent: Extent { rows: rows.into(), columns: columns.into() },
            west: 0,
            north: i32::from(rows) - 1,
        }
    }

    /// Returns the place of a number of a field in the planes, if the frame has the field.
    #[inline]
    pub fn place(self, plane: Plane, at: Position) -> Option<usize> {
        self.find(at).map(|(row, column)| self.extent.place(plane, row, column))
    }

    /// Returns the row and the column of a field in the planes; none if the frame does not have it.
    #[inline]
    pub fn find(self, at: Position) -> Option<(usize, usize)> {
        let row = usize::try_from(self.north - i32::from(at.y)).ok();
        let column = usize::try_from(i32::from(at.x) - self.west).ok();
        let Extent { rows, columns } = self.extent;
        Some((row.filter(|row| *row < rows)?, column.filter(|column| *column < columns)?))
    }

    /// Returns the columns and the rows of the board that the frame has.
    #[inline]
    pub fn on_board(self, geometry: Geometry) -> (Range<u16>, Range<u16>) {
        let count = |lines: usize| i32::try_from(lines).unwrap_or(i32::MAX);
        // The number of a line, or the next one on the board.
        let within =
            |line: i32, length: u16| u16::try_from(line.max(0)).map_or(length, |line| line.min(length));
        let east = self.west.saturating_add(count(self.extent.columns));
        let south = self.north.saturating_sub(count(self.extent.rows));
        let (width, height) = (geometry.columns(), geometry.rows());
        (
            within(self.west, width)..within(east, width),
            within(south + 1, height)..within(self.north + 1, height),
        )
    }
}

/// The belief that a field is no goal.
pub const NO_GOAL: u8 = 1;

/// The belief that a field is a goal that is not covered.
pub const UNTRIED: u8 = 2;

/// The belief that a field is a covered goal.
pub const COVERED: u8 = 3;

/// The source of the agent's own findings.
pub const OWN: u8 = 1;

/// The source of an ally's statement.
pub const ALLY: u8 = 2;

/// The source of an enemy's statement.
pub const ENEMY: u8 = 3;

/// The actions that need no other agent, behind the wait. A question to each agent follows.
static ACTIONS: [Action; 9] = [
    Action::Move(Direction::North),
    Action::Move(Direction::East),
    Action::Move(Direction::South),
    Action::Move(Direction::West),
    Action::Discover,
    Action::PickUp,
    Action::Put,
    Action::Check,
    Action::Destroy,
];

/// The number of a wait.
pub const WAIT: usize = 0;

/// The number of the question to agent 0; the others follow.
const FIRST_ASK: usize = 1 + ACTIONS.len();

/// The unit of ages and the length of a wait, on boards on which moves cost nothing.
const SHORTEST_MOVE: Millis = Millis::new(1);

/// A sighting counts for as long as this many moves take: an agent in the way moves on as well.
const SIGHTING_MOVES: u64 = 3;

/// Returns the arrays of agents of a game with this configuration, whose planes show this part of the board.
///
/// ```
/// use game_project::Preset;
/// use game_project::arrays::{Scope, layout};
///
/// let config = Preset::Quick.config();
/// let window = layout(&config, Scope::Window);
/// assert_eq!(window.actions[..3], ["wait", "move N", "move E"]);
/// assert_eq!(window.actions.last().unwrap(), "ask #3");
/// assert_eq!((window.planes.len(), window.rows, window.columns), (9, 11, 11));
/// let board = layout(&config, Scope::Board);
/// assert_eq!((board.planes.len(), board.rows, board.columns), (10, 14, 8));
/// assert_eq!(board.planes[..9], window.planes);
/// ```
pub fn layout(config: &Config, scope: Scope) -> Layout {
    let Extent { rows, columns } = scope.extent(config.geometry());
    let count = config.agents().iter().map(|count| usize::from(*count)).sum();
    let asks = AgentId::all(count).map(Action::Ask);
    let actions = ACTIONS.iter().cloned().chain(asks).map(|action| action.to_string());
    let agents = AgentId::all(count).map(|agent| {
        format!("agent {agent}: 0 itself, 1 an ally, -1 an enemy; 2 and -2 while it has not answered")
    });
    Layout {
        planes: PLANES[..scope.planes()].iter().map(|plane| (*plane).to_owned()).collect(),
        rows,
        columns,
        vector: meanings().map(str::to_owned).chain(agents).collect(),
        actions: std::iter::once("wait".to_owned()).chain(actions).collect(),
    }
}

/// Returns the time of a move, which is the length of a wait and the unit of ages.
pub fn move_time(config: &Config) -> Millis {
    config.penalties().of(ActionKind::Move).max(SHORTEST_MOVE)
}

/// Returns the choice with this number.
///
/// # Panics
///
/// If the number is past that of the last agent that a game can have.
pub fn choice(config: &Config, now: SimTime, number: usize) -> Choice<Action> {
    match number {
        WAIT => Choice::Wait(now + move_time(config)),
        number if number < FIRST_ASK => ACTIONS[number - 1].clone().into(),
        number => Action::Ask(AgentId::from_index(number - FIRST_ASK)).into(),
    }
}

/// Writes which actions an agent on this field can choose.
pub fn mask(briefing: &Briefing, at: Position, holding: bool, mask: &mut [i8]) {
    let geometry = briefing.game.config.geometry();
    let rows = match briefing.team {
        Team::Red => geometry.goal_rows()..geometry.rows(),
        Team::Blue => 0..geometry.rows() - geometry.goal_rows(),
    };
    mask[WAIT] = 1;
    for (possible, action) in mask[1..].iter_mut().zip(&ACTIONS) {
        let is_possible = match action {
            Action::Move(Direction::North) => at.y + 1 < rows.end,
            Action::Move(Direction::East) => at.x + 1 < geometry.columns(),
            Action::Move(Direction::South) => at.y > rows.start,
            Action::Move(Direction::West) => at.x > 0,
            Action::PickUp => !holding && geometry.area(at) == Area::Task,
            Action::Put | Action::Check | Action::Destroy => holding,
            _ => true,
        };
        *possible = is_possible.into();
    }
    mask[FIRST_ASK..].fill(1);
    mask[FIRST_ASK + briefing.agent.index()] = 0;
}

/// Returns the number of a distance.
pub fn distance(distance: Distance) -> u8 {
    let longest = u16::from(u8::MAX) - 2;
    let number = distance.moves().map(|moves| u8::try_from(moves.min(longest) + 1));
    number.and_then(Result::ok).unwrap_or(u8::MAX)
}

/// The age in moves from which on ages are alike.
const OLDEST: u8 = 254;

/// Ages in moves.
#[derive(Clone, Copy, Debug)]
pub struct Ages {
    /// The longest age that is told apart, in milliseconds.
    longest: u32,
    /// The inverse of the time of a move with `shift` binary places: a multiplication is faster than a division.
    inverse: u32,
    shift: u32,
}

impl Ages {
    /// Ages of a game with this configuration.
    pub fn new(config: &Config) -> Self {
        let move_time = move_time(config).as_millis();
        let longest = move_time * u32::from(OLDEST);
        // With this number of places, the error of the inverse is too small to change the whole moves of any age.
        let shift = (u64::from(longest) * u64::from(move_time)).ilog2() + 1;
        let inverse = (1_u64 << shift) / u64::from(move_time) + 1;
        Self { longest, inverse: u32::try_from(inverse).expect("a move takes at most an hour"), shift }
    }

    /// Returns the number of the age of an item.
    #[inline]
    pub fn number(self, age: Millis) -> u8 {
        let age = age.as_millis().min(self.longest);
        let moves = (u64::from(age) * u64::from(self.inverse)) >> self.shift;
        // There are at most 254 moves.
        let [number, ..] = (moves + 1).to_le_bytes();
        number
    }
}

/// The vector of an agent: the numbers that stay the same in a game, and the places of the others.
#[derive(Clone, Debug)]
pub struct Vector {
    constant: Vec<f32>,
}

/// The numbers of the vector that change in a game.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// The game time.
    pub now: SimTime,
    /// The field on which the agent stands.
    pub at: Position,
    /// Whether it holds a piece, and whether it knows that the piece is real.
    pub hand: (bool, bool),
    /// The distance that it has read here.
    pub distance: Option<Distance>,
    /// The field on which the nearest piece probably lies.
    pub piece: Option<Position>,
    /// The goals that it has covered.
    pub points: u32,
}

/// The meanings of the first numbers of the vector, in groups. A number for each agent follows.
///
/// These change in a game.
const MOMENT: [&str; 3] = ["game time in seconds", "column, from the west", "row, from the south"];

/// These do not.
const BOARD: [&str; 4] = [
    "columns of the board",
    "rows of the board",
    "rows of a goal area",
    "1: the own goal area is in the north; -1: in the south",
];

/// These change.
const AGENT: [&str; 8] = [
    "1: the hand holds a piece that can be a sham",
    "1: the hand holds a real piece",
    "1: the distance below is known",
    "distance from here to the nearest piece in moves",
    "1: the place below is known",
    "columns to the east at which the nearest piece probably lies",
    "rows to the north at which it lies",
    "goals that the agent has covered",
];

/// These do not.
const RULES: [&str; 3] = ["goals of a team", "probability of a sham", "1: the agent leads its team"];

/// These do not either. They are in the order of [`ActionKind::ALL`].
const COSTS: [&str; ActionKind::ALL.len()] = [
    "cost of a move in seconds",
    "cost of a discovery in seconds",
    "cost of picking up in seconds",
    "cost of putting in seconds",
    "cost of a check in seconds",
    "cost of destroying in seconds",
    "cost of a question in seconds",
    "cost of an answer in seconds",
];

/// The place of the first number of the group [`AGENT`].
const FIRST_OF_AGENT: usize = MOMENT.len() + BOARD.len();

/// The place of the first number of another agent.
const FIRST_OF_OTHERS: usize = FIRST_OF_AGENT + AGENT.len() + RULES.len() + COSTS.len();

fn meanings() -> impl Iterator<Item = &'static str> {
    MOMENT.into_iter().chain(BOARD).chain(AGENT).chain(RULES).chain(COSTS)
}

impl Vector {
    /// Returns the vector of an agent of a game that is about to begin.
    pub fn new(briefing: &Briefing) -> Self {
        let config = &briefing.game.config;
        let geometry = config.geometry();
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
        let sham_probability = config.sham_probability() as f32;
        let board: [f32; BOARD.len()] = [
            geometry.columns().into(),
            geometry.rows().into(),
            geometry.goal_rows().into(),
            if briefing.team == Team::Red { 1.0 } else { -1.0 },
        ];
        let rules: [f32; RULES.len()] =
            [config.goals() as f32, sham_probability, flag(briefing.leader() == Some(briefing.agent))];
        let costs: [f32; COSTS.len()] =
            ActionKind::ALL.map(|kind| seconds(config.penalties().of(kind).as_millis().into()));
        let agents =
            AgentId::all(briefing.game.teams.len()).zip(&briefing.game.teams).map(|(agent, team)| {
                match (agent == briefing.agent, *team == briefing.team) {
                    (true, _) => 0.0,
                    (false, true) => 1.0,
                    (false, false) => -1.0,
                }
            });
        let (moment, agent) = ([0.0; MOMENT.len()], [0.0; AGENT.len()]);
        let numbers = moment.into_iter().chain(board).chain(agent).chain(rules).chain(costs);
        Self { constant: numbers.chain(agents).collect() }
    }

    /// Writes the vector at a moment. `silent` has the agents that have not answered, each once.
    ///
    /// # Panics
    ///
    /// If the vector has another length.
    pub fn write(&self, numbers: &Numbers, silent: impl IntoIterator<Item = AgentId>, vector: &mut [f32]) {
        let Numbers { now, at, hand: (is_full, is_real), distance, piece, points } = *numbers;
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        let towards = |to: u16, from: u16| f32::from(to) - f32::from(from);
        let moves = distance.and_then(Distance::moves);
        vector.copy_from_slice(&self.constant);
        let moment: [f32; MOMENT.len()] = [seconds(now.as_millis()), at.x.into(), at.y.into()];
        vector[..MOMENT.len()].copy_from_slice(&moment);
        let agent: [f32; AGENT.len()] = [
            flag(is_full && !is_real),
            flag(is_real),
            flag(moves.is_some()),
            moves.map_or(0.0, f32::from),
            flag(piece.is_some()),
            piece.map_or(0.0, |piece| towards(piece.x, at.x)),
            piece.map_or(0.0, |piece| towards(piece.y, at.y)),
            points as f32,
        ];
        vector[FIRST_OF_AGENT..][..AGENT.len()].copy_from_slice(&agent);
        for agent in silent {
            if let Some(number) = vector.get_mut(FIRST_OF_OTHERS + agent.index()) {
                *number *= 2.0;
            }
        }
    }
}

fn seconds(millis: u64) -> f32 {
    millis as f32 / 1000.0
}

/// An agent that is decided for from outside and keeps its own readings. It gives its leader empty answers, and others
/// none.
#[derive(Clone, Debug)]
pub struct Reader {
    briefing: Arc<Briefing>,
    vector: Vector,
    board: Board,
    at: Position,
    hand: (bool, bool),
    /// The distance that was read on the own field.
    distance: Option<Distance>,
    points: u32,
    /// The agents that it has asked and that have not answered.
    asked: Vec<AgentId>,
    /// Fields on which agents were met, and the end of the time for which that counts.
    sightings: Vec<(Position, SimTime)>,
    heading: Option<Direction>,
    choice: Option<Choice<Action>>,
    is_asked: bool,
}

/// The readings of each field, packed, row by row from the north. Between two rows lie as many empty fields as the
/// window reaches past the board.
#[derive(Clone, Debug)]
struct Board {
    geometry: Geometry,
    /// The distance of a field from the one south of it.
    across: usize,
    fields: Vec<u32>,
    move_time: Millis,
    /// The time from which the times of distances count, in moves since the start of the game.
    epoch: u64,
}

/// The bits of a packed field: the number of the distance, the belief about a goal, the planes of the board, and the
/// time of the distance in moves since the board's epoch.
const GOAL_BIT: u32 = 8;
const BOARD_BIT: u32 = 10;
const OWN_BIT: u32 = 11;
const OTHER_BIT: u32 = 12;
const TIME_BIT: u32 = 16;

/// The latest time of a distance: a moment beyond the range of the times is later than all of them by more moves than
/// are told apart.
const LATEST_TIME: u64 = (u16::MAX - OLDEST as u16) as u64;

impl Board {
    fn new(config: &Config, team: Team) -> Self {
        let geometry = config.geometry();
        let across = usize::from(geometry.columns() + REACH);
        let fields = vec![0; usize::from(REACH) + across * usize::from(geometry.rows()) + LANES - WINDOW];
        let mut board = Self { geometry, across, fields, move_time: move_time(config), epoch: 0 };
        for y in 0..geometry.rows() {
            let west = Position::new(0, y);
            let area = match geometry.area(west) {
                Area::Task => 0,
                Area::Goal(own) if own == team => 1 << OWN_BIT,
                Area::Goal(_) => 1 << OTHER_BIT,
            };
            let first = board.place(west);
            board.fields[first..][..usize::from(geometry.columns())].fill(1 << BOARD_BIT | area);
        }
        board
    }

    fn place(&self, at: Position) -> usize {
        usize::from(self.geometry.rows() - 1 - at.y) * self.across + usize::from(at.x + REACH)
    }

    fn read(&mut self, now: SimTime, at: Position, read: Option<Distance>) {
        let moves = self.moves(now);
        if moves - self.epoch > LATEST_TIME {
            self.begin_epoch(moves - u64::from(OLDEST));
        }
        let (place, time) = (self.place(at), self.time(moves));
        let kept = self.fields[place] & 0xff00;
        let number = read.map_or(0, distance);
        self.fields[place] = kept | u32::from(number) | u32::from(time) << TIME_BIT;
    }

    /// Returns the moves since the start of the game.
    fn moves(&self, now: SimTime) -> u64 {
        now.as_millis() / u64::from(self.move_time.as_millis())
    }

    /// Returns a time in moves since the epoch, or the largest number.
    fn time(&self, moves: u64) -> u16 {
        u16::try_from(moves - self.epoch).unwrap_or(u16::MAX)
    }

    /// Lets the times count from another moment, in moves; those before it become 0.
    fn begin_epoch(&mut self, epoch: u64) {
        let passed = u16::try_from(epoch - self.epoch).unwrap_or(u16::MAX);
        for field in &mut self.fields {
            let [number, bits, low, high] = field.to_le_bytes();
            let [low, high] = u16::from_le_bytes([low, high]).saturating_sub(passed).to_le_bytes();
            *field = u32::from_le_bytes([number, bits, low, high]);
        }
        self.epoch = epoch;
    }

    fn goal(&self, at: Position) -> u8 {
        (self.fields[self.place(at)] >> GOAL_BIT & 3) as u8
    }

    fn believe(&mut self, at: Position, goal: u8) {
        let place = self.place(at);
        self.fields[place] = self.fields[place] & !(3 << GOAL_BIT) | u32::from(goal) << GOAL_BIT;
    }

    /// Writes all planes but that of sightings, which it fills with zeros.
    fn write(&self, now: SimTime, at: Position, planes: &mut [u8]) {
        let now = self.time(self.moves(now));
        let fields = |row: usize| {
            let y = usize::from(at.y + REACH).checked_sub(row).and_then(|y| u16::try_from(y).ok());
            let Some(y) = y.filter(|y| *y < self.geometry.rows()) else { return &[0; LANES] };
            let first = self.place(Position::new(at.x, y)) - usize::from(REACH);
            self.fields[first..].first_chunk().expect("there are as many fields behind the last row")
        };
        for row in 0..WINDOW - 1 {
            write_row::<LANES>(planes, row, now, fields(row));
        }
        write_row::<WINDOW>(planes, WINDOW - 1, now, fields(WINDOW - 1));
        planes[Extent::WINDOW.place(Plane::Seen, 0, 0)..].fill(0);
    }
}

/// The number of fields that are written at once: a row of the window, and the beginning of the next one, which is
/// written after it. Whole registers are faster than eleven bytes.
const LANES: usize = 16;

/// Writes the first `N` fields to a row of each plane.
#[inline]
fn write_row<const N: usize>(planes: &mut [u8], row: usize, now: u16, fields: &[u32; LANES]) {
    let numbers = fields.map(low_byte);
    let bits = fields.map(|field| low_byte(field >> GOAL_BIT));
    let mut age = [0; LANES];
    for (age, field) in age.iter_mut().zip(fields) {
        let [.., low, high] = field.to_le_bytes();
        *age = now.saturating_sub(u16::from_le_bytes([low, high])).min(OLDEST.into()) + 1;
    }
    let mut ages = age.map(|age| low_byte(age.into()));
    for (age, number) in ages.iter_mut().zip(numbers) {
        *age &= mask_of(number);
    }
    let mut write = |plane: Plane, bytes: &[u8; LANES]| {
        planes[Extent::WINDOW.place(plane, row, 0)..][..N].copy_from_slice(&bytes[..N]);
    };
    write(Plane::Board, &bits.map(|bits| bits >> (BOARD_BIT - GOAL_BIT) & 1));
    write(Plane::OwnGoals, &bits.map(|bits| bits >> (OWN_BIT - GOAL_BIT) & 1));
    write(Plane::OtherGoals, &bits.map(|bits| bits >> (OTHER_BIT - GOAL_BIT) & 1));
    write(Plane::Goal, &bits.map(|bits| bits & 3));
    write(Plane::GoalSource, &bits.map(|bits| mask_of(bits & 3) & OWN));
    write(Plane::Distance, &numbers);
    write(Plane::DistanceSource, &numbers.map(|number| mask_of(number) & OWN));
    write(Plane::DistanceAge, &ages);
}

#[inline]
fn low_byte(number: u32) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

/// Returns all bits for a number, and none for zero.
#[inline]
fn mask_of(number: u8) -> u8 {
    if number == 0 { 0 } else { u8::MAX }
}

impl Reader {
    /// Creates an agent of a game that is about to begin.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId) -> Self {
        let briefing = Arc::clone(game.briefing(agent));
        Self {
            vector: Vector::new(&briefing),
            board: Board::new(&briefing.game.config, briefing.team),
            at: briefing.start,
            briefing,
            hand: (false, false),
            distance: None,
            points: 0,
            asked: Vec::new(),
            sightings: Vec::new(),
            heading: None,
            choice: None,
            is_asked: false,
        }
    }

    fn moved(&mut self, now: SimTime, to: Position, distance: Distance) {
        self.at = to;
        self.distance = Some(distance);
        self.board.read(now, to, Some(distance));
        self.sightings.retain(|(at, _)| *at != to);
    }

    fn discovered(&mut self, now: SimTime, distances: &Surroundings) {
        for (field, distance) in distances.readings(self.board.geometry, self.at) {
            self.board.read(now, field, Some(distance));
            if field == self.at {
                self.distance = Some(distance);
            }
        }
    }

    /// Whatever was read here, it is wrong now.
    fn forget(&mut self, now: SimTime) {
        self.distance = None;
        self.board.read(now, self.at, None);
    }

    fn put(&mut self, now: SimTime, result: PutResult) {
        self.hand = (false, false);
        match result {
            PutResult::OnTaskField => self.moved(now, self.at, Distance::new(0)),
            PutResult::OnGoal => {
                self.points += 1;
                self.board.believe(self.at, COVERED);
            }
            // A covered goal stays one, although another piece finds none.
            PutResult::OnNoGoal if self.board.goal(self.at) == COVERED => {}
            PutResult::OnNoGoal => self.board.believe(self.at, NO_GOAL),
            PutResult::WasSham => {}
        }
    }

    /// Another agent stands in the way.
    fn met(&mut self, now: SimTime) {
        let next = self.heading.and_then(|heading| self.board.geometry.neighbour(self.at, heading));
        if let Some(at) = next {
            self.sightings.retain(|(other, until)| *other != at && *until > now);
            let lasts = u64::from(self.board.move_time.as_millis()) * SIGHTING_MOVES;
            self.sightings.push((at, SimTime::from_millis(now.as_millis() + lasts)));
        }
    }
}

impl Policy<State> for Reader {
    #[inline]
    fn choose(&mut self, _: SimTime, _: AgentId, observation: &Observation) -> Choice<Action> {
        if let Some(question) = observation.questions.iter().find(|question| question.must_answer) {
            self.is_asked = false;
            return Choice::Act(Action::Answer { to: question.by, information: Arc::default() });
        }
        self.is_asked = self.choice.is_none();
        self.choice.take().unwrap_or(Choice::Wait(SimTime::NEVER))
    }

    #[inline]
    fn hear(&mut self, now: SimTime, _: AgentId, event: &Event) {
        match event {
            Event::Moved { to, distance, .. } => self.moved(now, *to, *distance),
            Event::Discovered { distances, .. } => self.discovered(now, distances),
            Event::PickedUp { .. } | Event::Landed { .. } => {
                self.hand = (true, false);
                self.forget(now);
            }
            Event::Put { result, .. } => self.put(now, *result),
            Event::Checked { sham, .. } => self.hand = (!sham, !sham),
            Event::Destroyed { .. } => self.hand = (false, false),
            Event::Answered { by, .. } => self.asked.retain(|agent| agent != by),
            Event::Refused { refusal: Refusal::Occupied, .. } => self.met(now),
            Event::Refused { refusal: Refusal::NothingThere, .. } => self.forget(now),
            Event::Refused { .. }
            | Event::Asked { .. }
            | Event::AskedAgain { .. }
            | Event::Appeared { .. }
            | Event::Left { .. }
            | Event::Over(_) => {}
        }
    }
}

impl ArrayAgent<State> for Reader {
    fn is_asked(&self) -> bool {
        self.is_asked
    }

    fn mask(&mut self, _: &State, _: AgentId, out: &mut [i8]) {
        mask(&self.briefing, self.at, self.hand.0, out);
    }

    fn give(&mut self, now: SimTime, number: usize) {
        let choice = choice(&self.briefing.game.config, now, number);
        self.heading = match &choice {
            Choice::Act(Action::Move(heading)) => Some(*heading),
            _ => None,
        };
        if let Choice::Act(Action::Ask(asked)) = choice
            && !self.asked.contains(&asked)
        {
            self.asked.push(asked);
        }
        self.choice = Some(choice);
    }

    fn write(&mut self, _: &State, now: SimTime, _: AgentId, planes: &mut [u8], vector: &mut [f32]) {
        self.board.write(now, self.at, planes);
        let frame = Frame::around(self.at);
        for (at, _) in self.sightings.iter().filter(|(_, until)| now < *until) {
            if let Some(place) = frame.place(Plane::Seen, *at) {
                planes[place] = 1;
            }
        }
        let numbers = Numbers {
            now,
            at: self.at,
            hand: self.hand,
            distance: self.distance,
            piece: None,
            points: self.points,
        };
        self.vector.write(&numbers, self.asked.iter().copied(), vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;

    fn config(move_penalty: u32) -> Config {
        RawConfig { move_penalty: move_penalty.into(), ..RawConfig::default() }.check().unwrap()
    }

    #[test]
    fn ages_are_whole_moves_whatever_a_move_takes() {
        for move_penalty in [0, 10, 1500, 10_000, 3_599_990, 3_600_000] {
            let config = config(move_penalty);
            let (ages, move_time) = (Ages::new(&config), move_time(&config).as_millis());
            for moves in (1..=300).chain([1000]) {
                let age = moves * move_time;
                for age in [age - 1, age, age + 1] {
                    let expected = u8::try_from(age / move_time + 1).unwrap_or(u8::MAX);
                    assert_eq!(
                        ages.number(Millis::new(age)),
                        expected,
                        "{age} ms, a move takes {move_time} ms"
                    );
                }
            }
        }
    }

    #[test]
    fn distances_have_their_age_late_in_a_game_too() {
        let (at, beside) = (Position::new(3, 7), Position::new(4, 7));
        let frame = Frame::around(at);
        let mut board = Board::new(&config(0), Team::Red);
        let mut planes = vec![0; Scope::Window.planes() * WINDOW * WINDOW];
        // A move counts as a millisecond here. The third moment is the first one that begins an epoch.
        for now in [100, 65_281, 65_300, 70_000, 4_000_000_000, 1 << 40] {
            board.read(SimTime::from_millis(now - 100), beside, Some(Distance::new(3)));
            board.read(SimTime::from_millis(now), at, Some(Distance::new(2)));
            for (later, expected) in [(0, [1, 101]), (100, [101, 201]), (254, [255; 2]), (100_000, [255; 2])]
            {
                board.write(SimTime::from_millis(now + later), at, &mut planes);
                let ages = [at, beside].map(|at| planes[frame.place(Plane::DistanceAge, at).unwrap()]);
                assert_eq!(ages, expected, "{now} + {later} ms");
            }
        }
    }
}
