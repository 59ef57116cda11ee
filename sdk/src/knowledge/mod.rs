//! The local board, sans-IO: an agent's knowledge of every field, with its time and its source.
//!
//! An agent's own findings override the statements of other agents. The trust in another agent decides how much its
//! statements count ([`Knowledge::trust`]). Knowledge becomes old: agents take pieces, new pieces appear, and agents
//! move.
//!
//! - [`Knowledge::goal`], [`Knowledge::distance`], [`Knowledge::is_occupied`]: one field.
//! - [`Knowledge::open`]: the fields of the own goal area that can be a goal.
//! - [`Knowledge::nearest_piece`]: the field on which the nearest piece probably lies.
//! - [`Knowledge::piece_search`]: all fields on which it can lie, by the recent readings.
//! - [`Pieces`]: the probable places of all pieces, as sampled worlds; a strategy that uses it owns one.
//! - [`Knowledge::report`]: the answer to an agent that asks.

mod field;
mod field_set;
mod merge;
mod piece_search;
pub mod pieces;
mod room;

use std::ops::Range;

use game_env::{ByTeam, Millis, SimTime};
use game_project::{
    ActionKind, Area, Briefing, Direction, Distance, Geometry, GoalBelief, Information, Position, PutResult,
    Surroundings, Team,
};

use self::field::Table;
use self::merge::TrackRecord;
use self::room::Room;

pub use self::field::{Learnt, Source};
pub use self::field_set::FieldSet;
pub use self::piece_search::{PieceSearch, Reading};
pub use self::pieces::Pieces;
pub use crate::quirks::LONGEST_MESSAGE;

/// One agent's knowledge of the board.
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
/// let tried = situation.after(&["move W", "pick-up", "check", "move N", "put"]);
/// tried.see(|view| {
///     let here = view.position();
///     let learnt = view.knowledge.goal(here).expect("a real piece was put here");
///     assert_eq!((learnt.value, learnt.from), (GoalBelief::NoGoal, Source::Own));
///     assert!(!view.knowledge.open().contains(here), "there is no need to try it again");
///     assert_eq!(view.knowledge.points(), 0);
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Knowledge {
    geometry: Geometry,
    team: Team,
    /// The team of every agent.
    teams: Vec<Team>,
    distances: Table<Distance>,
    beliefs: Table<GoalBelief>,
    /// The fields on which the agent met another one, with the time, the last meeting last.
    meetings: Vec<(Position, SimTime)>,
    open: FieldSet,
    search: PieceSearch,
    track_records: Vec<TrackRecord>,
    /// Time for which a sighting of another agent is believed.
    sighting_lasts: Millis,
    /// Time for which an own reading stands against the statements of others.
    readings_last: Millis,
    /// Number of goals that each team has.
    goals: u32,
    /// Fields of the own goal area about which another agent made a statement, to be looked at again when a source
    /// loses its trust.
    told: FieldSet,
    /// `true` if the game master does not report the result of a put, so that a result that is taken for seen may be a
    /// guess.
    guesses: bool,
    points: u32,
    room: Room,
}

/// A sighting is believed for as long as this many moves take: an agent in the way moves on as well.
const SIGHTING_MOVES: u32 = 3;

/// The shortest time for which a sighting is believed, for boards on which moves cost nothing.
const SHORTEST_SIGHTING: Millis = Millis::new(20);

/// An own reading stands against the statements of others for as long as this many moves take: then pieces have come
/// and gone.
const READING_MOVES: u32 = 12;

impl Knowledge {
    /// Creates the knowledge of an agent at the start of a game.
    pub fn new(briefing: &Briefing) -> Self {
        let geometry = briefing.game.config.geometry();
        let move_penalty = briefing.game.config.penalties().of(ActionKind::Move).as_millis();
        let sighting = Millis::new(move_penalty.saturating_mul(SIGHTING_MOVES)).max(SHORTEST_SIGHTING);
        let told = FieldSet::new(geometry, geometry.goal_area_start(briefing.team), geometry.goal_rows());
        let mut open = told.clone();
        open.fill();
        Self {
            geometry,
            team: briefing.team,
            teams: briefing.game.teams.clone(),
            distances: Table::new(geometry),
            beliefs: Table::new(geometry),
            meetings: Vec::new(),
            open,
            search: PieceSearch::new(geometry),
            track_records: vec![TrackRecord::default(); briefing.game.teams.len()],
            sighting_lasts: sighting,
            readings_last: Millis::new(move_penalty.saturating_mul(READING_MOVES)).max(SHORTEST_SIGHTING),
            goals: briefing.game.config.goals(),
            told,
            guesses: false,
            points: 0,
            room: Room::on(geometry, LONGEST_MESSAGE),
        }
    }

    /// Returns the shape of the board.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns the belief about a field in a goal area, with its source. `None` if nothing is believed, and for fields
    /// off the board.
    ///
    /// A statement of an agent with less trust than [`Knowledge::TRUSTED`] is not believed; [`Knowledge::hearsay`] also
    /// has these statements.
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
    /// let carrying = situation.after(&["move W", "pick-up", "move N"]);
    /// let corner = Position::new(0, 3);
    /// assert_eq!(carrying.see(|view| view.knowledge.goal(corner)), None, "nothing is known yet");
    /// carrying.after(&["put"]).see(|view| {
    ///     let learnt = view.knowledge.goal(corner).expect("a real piece tells");
    ///     assert_eq!((learnt.value, learnt.from), (GoalBelief::NoGoal, Source::Own));
    /// });
    /// ```
    pub fn goal(&self, at: Position) -> Option<Learnt<GoalBelief>> {
        self.hearsay(at).filter(|belief| self.counts(belief.from))
    }

    /// Returns the agent's own finding about a field in a goal area, or the statement of another agent, whether the
    /// agent believes the source or not.
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
    /// let told = situation.after(&["ask #1", "#1 answer #0 distances= red=N,?,? blue="]);
    /// told.see(|view| {
    ///     let corner = Position::new(0, 3);
    ///     assert_eq!(view.knowledge.goal(corner), None, "an enemy is not believed");
    ///     let said = view.knowledge.hearsay(corner).expect("it was said");
    ///     assert_eq!((said.value, said.from), (GoalBelief::NoGoal, Source::Told(AgentId::new(1))));
    /// });
    /// ```
    pub fn hearsay(&self, at: Position) -> Option<Learnt<GoalBelief>> {
        if self.geometry.contains(at) { self.beliefs.get(at) } else { None }
    }

    /// Returns the last known distance from this field to the nearest piece. `None` if it was never known, and for
    /// fields off the board.
    ///
    /// An own reading counts for the time of twelve moves. After that, the statement of a trusted agent counts more,
    /// although nobody says when that agent read it. [`Learnt::from`] tells which of the two it is. Statements of
    /// agents without trust do not count.
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
    /// situation.after(&["discover"]).see(|view| {
    ///     let learnt = view.knowledge.distance(Position::new(0, 3)).expect("it was discovered");
    ///     assert_eq!((learnt.value, learnt.from), (Distance::new(1), Source::Own));
    /// });
    /// ```
    pub fn distance(&self, at: Position) -> Option<Learnt<Distance>> {
        if !self.geometry.contains(at) {
            return None;
        }
        self.distances.get(at).filter(|reading| self.counts(reading.from))
    }

    /// Returns `true` if the agent met another agent on this field a moment ago. `false` for fields off the board.
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
    /// let met = situation.after(&["#1 move N", "move E?"]);
    /// assert!(met.see(|view| view.knowledge.is_occupied(Position::new(2, 2), view.now)));
    /// let much_later = SimTime::from_millis(60_000);
    /// assert!(!met.see(|view| view.knowledge.is_occupied(Position::new(2, 2), much_later)));
    /// ```
    pub fn is_occupied(&self, at: Position, now: SimTime) -> bool {
        self.sightings(now).any(|met| met == at)
    }

    /// Returns the fields of the own goal area that can be an open goal, as far as the agent knows.
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
    ///     assert_eq!(view.knowledge.open().len(), 3, "all fields of red's goal area");
    ///     assert_eq!(view.knowledge.open().nearest(view.position()), Some(Position::new(1, 3)));
    /// });
    /// let tried = situation.after(&["move W", "pick-up", "move N", "put"]);
    /// assert_eq!(tried.see(|view| view.knowledge.open().len()), 2, "one field was tried");
    /// ```
    pub fn open(&self) -> &FieldSet {
        &self.open
    }

    /// Returns the field on which the nearest piece probably lies: the first of the
    /// [candidates](PieceSearch::candidates), all of which are equally likely. `None` if the agent has read no distance
    /// since it found the last piece, or if no piece lies on the board.
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
    /// assert_eq!(situation.see(|view| view.knowledge.nearest_piece()), None, "nothing was read yet");
    /// let told = situation.after(&["discover"]);
    /// assert_eq!(told.see(|view| view.knowledge.nearest_piece()), Some(Position::new(0, 2)));
    /// ```
    pub fn nearest_piece(&self) -> Option<Position> {
        self.search.candidates().first().copied()
    }

    /// Returns the search for the nearest piece, by the agent's own readings. Statements of other agents do not count
    /// here: they have no time, and one old distance would exclude the right field.
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
    /// let found = situation.after(&["discover"]).see(|view| view.knowledge.piece_search().candidates().to_vec());
    /// assert_eq!(found, [Position::new(0, 2)], "one discovery was enough");
    /// ```
    pub fn piece_search(&self) -> &PieceSearch {
        &self.search
    }

    /// Returns the goals that this agent covered itself.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     g  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  g");
    /// let scored = situation.after(&["move W", "pick-up", "move N", "put"]);
    /// assert_eq!(scored.see(|view| view.knowledge.points()), 1);
    /// ```
    pub fn points(&self) -> u32 {
        self.points
    }

    /// Returns the covered goals of the own team, as far as this agent knows: the goals that it covered itself, and
    /// those that a trusted agent named.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let won = Situation::new("
    ///     .  gR0+p g
    ///     p  .     .
    ///     .  .     B1
    ///     g  g     .");
    /// assert_eq!(won.after(&["put"]).see(|view| (view.knowledge.covered(), view.knowledge.points())), (1, 1));
    /// ```
    pub fn covered(&self) -> u32 {
        let first = self.geometry.goal_area_start(self.team);
        let rows = first..first + self.geometry.goal_rows();
        let fields = rows.flat_map(|y| (0..self.geometry.columns()).map(move |x| Position::new(x, y)));
        let is_covered = |at: &Position| self.goal(*at).is_some_and(|known| known.value == GoalBelief::Goal);
        u32::try_from(fields.filter(is_covered).count()).unwrap_or(u32::MAX)
    }

    /// Bounds of the distance from a field to the nearest piece, by the recent readings: the distances of two
    /// neighbouring fields differ by at most one. The second bound is `None` if there is no upper bound.
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
    /// // The piece is one field away from the neighbour, so it is at most two away from here.
    /// let bounds = situation.after(&["discover"]).see(|view| view.knowledge.bounds(Position::new(2, 1)));
    /// assert_eq!(bounds, (3, Some(3)));
    /// ```
    pub fn bounds(&self, at: Position) -> (u16, Option<u16>) {
        self.search.bounds(at)
    }

    /// Returns the agent's own findings, as an answer to another agent.
    ///
    /// If the answer would be too long ([`LONGEST_MESSAGE`], unless the agent has another limit), the distances are
    /// left out, then the beliefs about the other team's goals, and then the beliefs about the own goals.
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
    /// situation.after(&["discover"]).see(|view| {
    ///     let information = view.knowledge.report();
    ///     assert!(!information.distances.is_empty());
    ///     // What an answer says of one field, as the agent that hears it reads it.
    ///     let said = view.knowledge.distance_said(&information, Position::new(1, 2));
    ///     assert_eq!(said, Some(Distance::new(1)));
    /// });
    /// ```
    pub fn report(&self) -> Information {
        self.information(|from| from == Source::Own)
    }

    /// As [`Knowledge::report`], with the statements of trusted agents.
    ///
    /// An answer does not name its sources: its receiver takes all statements as this agent's own. If a trusted agent
    /// lies, this agent repeats the lie, and loses the trust of its own team when the lie is detected.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  R1
    ///     .  g  .");
    /// // Its teammate has tried the first of the goal fields. The agent has tried none itself.
    /// situation.after(&["ask #1", "#1 answer #0 distances= red=N,?,? blue="]).see(|view| {
    ///     let said = |information: &Information| information.goals[Team::Red][0];
    ///     assert_eq!(said(&view.knowledge.report()), GoalBelief::Unknown);
    ///     assert_eq!(said(&view.knowledge.report_all()), GoalBelief::NoGoal);
    /// });
    /// ```
    pub fn report_all(&self) -> Information {
        self.information(|from| self.counts(from))
    }

    /// Returns information that says nothing: no distances, and `Unknown` for every goal field.
    ///
    /// Some agents cannot read lists of beliefs of another length than their goal areas. The lists are empty only if
    /// they would be too long.
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
    ///     let nothing = view.knowledge.nothing();
    ///     assert!(nothing.distances.is_empty());
    ///     assert_eq!(view.knowledge.goal_said(&nothing, Position::new(0, 3)), GoalBelief::Unknown);
    /// });
    /// ```
    pub fn nothing(&self) -> Information {
        let unknown = if self.room.all_goals { self.geometry.goal_fields() as usize } else { 0 };
        let goals = ByTeam::new(Team::ALL.map(|_| vec![GoalBelief::Unknown; unknown]));
        Information { distances: Vec::new(), goals }
    }

    /// Returns the same information with goal arrays in the place of those that are left empty.
    pub(crate) fn filled(&self, mut information: Information) -> Information {
        let mut nothing = self.nothing();
        for team in Team::ALL {
            if information.goals[team].is_empty() {
                information.goals[team] = std::mem::take(&mut nothing.goals[team]);
            }
        }
        information
    }

    /// Fits answers into bodies of this many bytes.
    pub(crate) fn fit_answers_into(&mut self, bytes: u16) {
        self.room = Room::on(self.geometry, bytes);
    }

    /// Returns the statement of an answer about a field in a goal area. `Unknown` if the answer has none, and for all
    /// other fields.
    ///
    /// ```
    /// # use sdk::prelude::*;
    /// struct Listener;
    /// impl Strategy for Listener {
    ///     fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
    ///         if let Notice::Answered { by: Some(by), information } = notice {
    ///             let said = view.knowledge.goal_said(information, view.position());
    ///             view.notes.remark(|| format!("{by} says that this field is {said:?}"));
    ///         }
    ///     }
    ///     # fn act(&mut self, view: &mut View<'_>) -> Choice { view.discover() }
    /// }
    /// ```
    pub fn goal_said(&self, information: &Information, at: Position) -> GoalBelief {
        let Area::Goal(team) = self.geometry.area(at) else { return GoalBelief::Unknown };
        let beliefs = &information.goals[team];
        let is_whole = beliefs.len() == self.geometry.goal_fields() as usize;
        if !is_whole || !self.geometry.contains(at) {
            return GoalBelief::Unknown;
        }
        let start = self.geometry.index(Position::new(0, self.geometry.goal_area_start(team)));
        beliefs[self.geometry.index(at) - start]
    }

    /// Returns the statement of an answer about the distance from a field to the nearest piece. `None` if the answer
    /// has none, and for fields off the board.
    ///
    /// ```
    /// use sdk::prelude::*;
    ///
    /// /// Counts how many distances an answer holds.
    /// struct Counter(usize);
    ///
    /// impl Strategy for Counter {
    ///     fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
    ///         if let Notice::Answered { information, .. } = notice {
    ///             let said = |at: &Position| view.knowledge.distance_said(information, *at).is_some();
    ///             let columns = view.geometry().columns();
    ///             self.0 += (0..columns).map(|x| Position::new(x, 0)).filter(said).count();
    ///         }
    ///     }
    ///     # fn act(&mut self, view: &mut View<'_>) -> Choice { view.discover() }
    /// }
    /// ```
    pub fn distance_said(&self, information: &Information, at: Position) -> Option<Distance> {
        let is_whole = information.distances.len() == self.geometry.fields() as usize;
        (is_whole && self.geometry.contains(at)).then(|| information.distances[self.geometry.index(at)])?
    }

    fn information(&self, includes: impl Fn(Source) -> bool) -> Information {
        let room = self.room;
        let goals = ByTeam::new(Team::ALL.map(|team| {
            if !(if team == self.team { room.own_goals } else { room.all_goals }) {
                return Vec::new();
            }
            let start = self.geometry.index(Position::new(0, self.geometry.goal_area_start(team)));
            let start = u32::try_from(start).expect("boards have less than 2^32 fields");
            let belief = |index| {
                let learnt = self.beliefs.get(self.geometry.position(index));
                learnt
                    .filter(|learnt| includes(learnt.from))
                    .map_or(GoalBelief::Unknown, |learnt| learnt.value)
            };
            (start..start + self.geometry.goal_fields()).map(belief).collect()
        }));
        let distance = |at| {
            let learnt = self.distances.get(at)?;
            includes(learnt.from).then_some(learnt.value)
        };
        let distances =
            if room.distances { self.geometry.positions().map(distance).collect() } else { Vec::new() };
        Information { distances, goals }
    }

    /// Calls `each` for the columns of a row with what [`Knowledge::goal`] returns, if it returns something. Faster
    /// than that for whole boards.
    #[inline]
    pub(crate) fn goals_of_row(
        &self,
        y: u16,
        columns: Range<u16>,
        mut each: impl FnMut(u16, Learnt<GoalBelief>),
    ) {
        self.beliefs.row(y, columns, |x, belief| {
            if self.counts(belief.from) {
                each(x, belief);
            }
        });
    }

    /// As [`Knowledge::goals_of_row`], of [`Knowledge::distance`].
    #[inline]
    pub(crate) fn distances_of_row(
        &self,
        y: u16,
        columns: Range<u16>,
        mut each: impl FnMut(u16, Learnt<Distance>),
    ) {
        self.distances.row(y, columns, |x, reading| {
            if self.counts(reading.from) {
                each(x, reading);
            }
        });
    }

    /// Returns the fields for which [`Knowledge::is_occupied`] returns `true`.
    pub(crate) fn sightings(&self, now: SimTime) -> impl Iterator<Item = Position> {
        let is_recent = move |(_, met): &&(Position, SimTime)| now < *met + self.sighting_lasts;
        self.meetings.iter().filter(is_recent).map(|(at, _)| *at)
    }

    #[inline]
    fn counts(&self, from: Source) -> bool {
        match from {
            Source::Own => true,
            Source::Told(agent) => self.trust(agent) >= Self::TRUSTED,
        }
    }
}

/// Updates by the agent's own observations.
impl Knowledge {
    /// A move led here, and this is the distance from there.
    pub(crate) fn moved(&mut self, now: SimTime, to: Position, distance: Option<Distance>) {
        self.meetings.retain(|(at, _)| *at != to);
        let Some(distance) = distance else { return self.search.forget() };
        self.read(now, to, distance);
        self.search.moved(to, distance);
    }

    /// A move was refused on the board.
    pub(crate) fn met(&mut self, now: SimTime, from: Position, direction: Direction) {
        if let Some(at) = self.geometry.neighbour(from, direction)
            && self.geometry.area(at) != Area::Goal(self.team.opponent())
        {
            let lasts = self.sighting_lasts;
            self.meetings.retain(|(other, met)| *other != at && now < *met + lasts);
            self.meetings.push((at, now));
        }
    }

    pub(crate) fn discovered(&mut self, now: SimTime, at: Position, distances: &Surroundings) {
        let mut readings = [None; 9];
        for ((east, north), (reading, distance)) in
            Surroundings::OFFSETS.into_iter().zip(readings.iter_mut().zip(distances.0))
        {
            *reading = self.geometry.beside(at, east, north).zip(distance);
            if let Some((field, distance)) = *reading {
                self.read(now, field, distance);
            }
        }
        self.search.discovered(at, &readings);
    }

    pub(crate) fn picked_up(&mut self, at: Position) {
        self.distances.forget(at);
        self.search.picked_up();
    }

    /// A piece cannot be put here, for an unknown reason: nothing is to be won by trying again.
    pub(crate) fn put_refused(&mut self, at: Position) {
        self.open.remove(at);
        self.doubt_if_done();
    }

    /// No piece lies here, whatever the readings say.
    pub(crate) fn nothing_at(&mut self, at: Position) {
        self.distances.forget(at);
        self.search.forget();
    }

    pub(crate) fn put(&mut self, now: SimTime, at: Position, result: Option<PutResult>, was_real: bool) {
        let value = match result {
            Some(PutResult::OnTaskField) => {
                self.read(now, at, Distance::new(0));
                return self.search.moved(at, Distance::new(0));
            }
            Some(PutResult::WasSham) => return,
            Some(PutResult::OnGoal) => GoalBelief::Goal,
            Some(PutResult::OnNoGoal) => GoalBelief::NoGoal,
            // The game master does not say. If it was a goal it is covered now, if the piece was real: either
            // way there is nothing left to be done here.
            None => match self.geometry.area(at) {
                Area::Task => return self.search.forget(),
                Area::Goal(_) if was_real => {
                    self.guesses = true;
                    GoalBelief::NoGoal
                }
                Area::Goal(_) => return,
            },
        };
        // A game master may not agree with the agent on where it stands.
        if self.geometry.area(at) != Area::Goal(self.team) {
            return;
        }
        let before = self.beliefs.get(at);
        // A goal that the agent covered stays one, although another piece finds none.
        let has_covered = value == GoalBelief::NoGoal
            && before
                .as_ref()
                .is_some_and(|before| before.value == GoalBelief::Goal && before.from == Source::Own);
        if has_covered {
            return;
        }
        self.points += u32::from(value == GoalBelief::Goal);
        self.beliefs.set(at, Learnt { value, at: now, from: Source::Own });
        self.open.remove(at);
        self.told.remove(at);
        if let Some(Learnt { value: said, from: Source::Told(source), .. }) = before
            && !self.guesses
        {
            self.weigh(source, said, value);
        }
        self.doubt_if_done();
    }

    fn read(&mut self, now: SimTime, at: Position, distance: Distance) {
        self.distances.set(at, Learnt { value: distance, at: now, from: Source::Own });
    }
}
