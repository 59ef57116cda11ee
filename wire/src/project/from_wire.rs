//! Converts messages to values: stops hostile input, and reads all dialects.
//!
//! It reads keys in any case, numbers as numbers or as decimal strings, and turns the different forms of the four
//! known implementations into the same values (specification, section 6, "Reading").

use std::borrow::Cow;
use std::sync::Arc;

use game_env::{ByTeam, Millis};
use game_project::{
    Action, ActionKind, Direction, Distance, Geometry, GoalBelief, Information, Penalties, Position,
    PutResult, Surroundings, Team,
};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::fields::{Fields, flag, real, unquoted, whole, word};
use super::notice::{GameStart, Notice, PickUpFailure, Players, PutFailure};
use super::request::Request;
use super::{AgentNumber, catalogue};

/// Reasons why a message cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// There is no such message in this direction.
    #[error("message {id}: there is no such message from {from}")]
    Unknown {
        /// Its id.
        id: i64,
        /// Its sender.
        from: &'static str,
    },
    /// A field is not there.
    #[error("message {message} ({name}): {field} is missing; expected {expected}")]
    Missing {
        /// The message's id.
        message: i64,
        /// Its name.
        name: &'static str,
        /// The field.
        field: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// A field has a value that makes no sense.
    #[error("message {message} ({name}): {field} is {value}; expected {expected}")]
    Wrong {
        /// The message's id.
        message: i64,
        /// Its name.
        name: &'static str,
        /// The field.
        field: &'static str,
        /// Its value as JSON, cut where it is long.
        value: String,
        /// The expected value.
        expected: &'static str,
    },
}

/// The number that stands for "no distance" in messages.
pub(super) const NO_DISTANCE: i64 = 2_147_483_647;

/// Farther than any field is from another: a distance like this means none.
const FARTHEST: i64 = 2 * Geometry::LONGEST_SIDE as i64;

/// Reads a message of an agent.
///
/// # Errors
///
/// If there is no such message, or its payload makes no sense.
pub fn read_request(id: i64, payload: Option<&RawValue>) -> Result<Request, DecodeError> {
    let fields = || Fields::of(id, payload);
    Ok(Request::Play(match id {
        // These have no content: their payload is not looked at.
        1 => Action::Check,
        2 => Action::Destroy,
        3 => Action::Discover,
        8 => Action::PickUp,
        9 => Action::Put,
        4 => {
            let fields = fields()?;
            Action::Answer { to: agent(&fields, "respondToID")?, information: information(&fields)? }
        }
        5 => Action::Ask(agent(&fields()?, "askedAgentID")?),
        6 => return Ok(Request::Join { team: team(&fields()?, "teamID")? }),
        7 => Action::Move(fields()?.need(&["direction"], "N, E, S or W", direction)?),
        _ => return Err(DecodeError::Unknown { id, from: "an agent" }),
    }))
}

/// Reads a message of the game master to an agent.
///
/// # Errors
///
/// If there is no such message, or its payload makes no sense.
pub fn read_notice(id: i64, payload: Option<&RawValue>) -> Result<Notice, DecodeError> {
    let fields = || Fields::of(id, payload);
    Ok(match id {
        102 => Notice::Destroyed,
        109 => Notice::PickedUp,
        101 => Notice::Checked { sham: needed_flag(&fields()?, "sham")? },
        103 => Notice::Discovered { distances: surroundings(&fields()?)? },
        104 => Notice::GameOver { winner: team(&fields()?, "winner")? },
        105 => Notice::GameStart(Box::new(game_start(&fields()?)?)),
        106 => {
            let fields = fields()?;
            Notice::Asked {
                by: agent(&fields, "askingID")?,
                leader: needed_flag(&fields, "leader")?,
                team: team(&fields, "teamID")?,
            }
        }
        107 => {
            let fields = fields()?;
            let number = fields.get(&["agentID"], WHOLE, whole)?.map(AgentNumber);
            let accepted = needed_flag(&fields, "accepted")?;
            Notice::Joined { accepted, agent: number, reason: reason(&fields) }
        }
        108 => moved(&fields()?)?,
        110 => Notice::Put { result: put_result(&fields()?) },
        // Some game masters pass an answer on as it came.
        111 | 4 => {
            let fields = fields()?;
            let by = fields.get(&["respondingID"], WHOLE, whole)?.map(AgentNumber);
            Notice::Answered { by, information: information(&fields)? }
        }
        112 => Notice::AnswerPassedOn { succeeded: needed_flag(&fields()?, "succeeded")? },
        113 => Notice::QuestionPassedOn { succeeded: needed_flag(&fields()?, "succeeded")? },
        901 => {
            let fields = fields()?;
            Notice::MoveRefused { position: told_position(&fields, "position"), reason: reason(&fields) }
        }
        902 => {
            const REASONS: [(&str, PickUpFailure); 1] = [("NothingThere", PickUpFailure::NothingThere)];
            Notice::PickUpRefused { reason: subtype(&fields()?, &REASONS).unwrap_or(PickUpFailure::Other) }
        }
        903 => {
            const REASONS: [(&str, PutFailure); 2] = [
                ("AgentNotHolding", PutFailure::AgentNotHolding),
                ("CannotPutThere", PutFailure::CannotPutThere),
            ];
            Notice::PutRefused { reason: subtype(&fields()?, &REASONS).unwrap_or(PutFailure::Other) }
        }
        904 => too_early(&fields()?),
        905 => {
            let fields = fields()?;
            let holding = fields.get(&["holdingPiece"], FLAG, flag).ok().flatten();
            Notice::Refused { position: told_position(&fields, "position"), holding, reason: reason(&fields) }
        }
        _ => return Err(DecodeError::Unknown { id, from: "a game master" }),
    })
}

/// Reads the communication server's message that an agent went away (906).
///
/// # Errors
///
/// If it is another message, or names no agent.
pub fn lost_agent(id: i64, payload: Option<&RawValue>) -> Result<AgentNumber, DecodeError> {
    if id != catalogue::LOST_AGENT {
        return Err(DecodeError::Unknown { id, from: "a communication server" });
    }
    agent(&Fields::of(id, payload)?, "agentID")
}

const WHOLE: &str = "a whole number";
const FLAG: &str = "true or false";

fn needed_flag(fields: &Fields<'_>, name: &'static str) -> Result<bool, DecodeError> {
    fields.need(&[name], FLAG, flag)
}

fn agent(fields: &Fields<'_>, name: &'static str) -> Result<AgentNumber, DecodeError> {
    fields.need(&[name], WHOLE, whole).map(AgentNumber)
}

fn team(fields: &Fields<'_>, name: &'static str) -> Result<Team, DecodeError> {
    fields.need(&[name], "red or blue", |text| word(text, &[("red", Team::Red), ("blue", Team::Blue)]))
}

fn direction(text: &str) -> Option<Direction> {
    let is_named = |direction: &Direction| {
        let mut letters = unquoted(text).chars();
        letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&direction.letter()))
            && letters.next().is_none()
    };
    Direction::ALL.into_iter().find(is_named)
}

/// Returns a field's coordinates; absent or `null` is none.
fn position(fields: &Fields<'_>, name: &'static str) -> Result<Option<Position>, DecodeError> {
    fields.within(&[name])?.map(|inner| coordinates(&inner)).transpose()
}

/// Returns the place of an agent whose request was refused. The refusal counts even if the place makes no sense.
fn told_position(fields: &Fields<'_>, name: &'static str) -> Option<Position> {
    position(fields, name).ok().flatten()
}

fn coordinates(fields: &Fields<'_>) -> Result<Position, DecodeError> {
    let side = |text: &str| u16::try_from(whole(text)?).ok();
    const EXPECTED: &str = "a column or row from 0";
    Ok(Position::new(fields.need(&["x"], EXPECTED, side)?, fields.need(&["y"], EXPECTED, side)?))
}

/// Returns a distance in a message: none if the message gives none, infinite if there is no piece.
fn distance(fields: &Fields<'_>, name: &'static str) -> Result<Option<Distance>, DecodeError> {
    let far = |text: &str| real(text).filter(|number| number.abs() > FARTHEST as f64);
    let read = |text: &str| match whole(text) {
        Some(number) => Some(told_distance(number)),
        // Numbers for "no piece" may be larger than any whole number here.
        None => far(text).map(|number| (number > 0.0).then_some(Distance::INFINITE)),
    };
    Ok(fields.get(&[name], "a number of moves", read)?.flatten())
}

fn told_distance(number: i64) -> Option<Distance> {
    match u16::try_from(number) {
        Ok(moves) if number <= FARTHEST => Some(Distance::new(moves)),
        _ if number < 0 => None,
        _ => Some(Distance::INFINITE),
    }
}

/// The names of a discovery's fields, in the order of [`Surroundings::OFFSETS`].
pub(super) const AROUND: [&str; 9] = [
    "distanceSW",
    "distanceS",
    "distanceSE",
    "distanceW",
    "distanceFromCurrent",
    "distanceE",
    "distanceNW",
    "distanceN",
    "distanceNE",
];

fn surroundings(fields: &Fields<'_>) -> Result<Surroundings, DecodeError> {
    let mut distances = [None; 9];
    for (reading, name) in distances.iter_mut().zip(AROUND) {
        *reading = distance(fields, name)?;
    }
    Ok(Surroundings(distances))
}

/// Returns the notice of a move that succeeded, or did not: some game masters say so in the same message.
fn moved(fields: &Fields<'_>) -> Result<Notice, DecodeError> {
    if fields.get(&["madeMove"], FLAG, flag)? == Some(false) {
        let position = told_position(fields, "currentPosition");
        return Ok(Notice::MoveRefused { position, reason: reason(fields) });
    }
    let to = position(fields, "currentPosition")?;
    let to = to.ok_or_else(|| fields.missing("currentPosition", "an object of x and y"))?;
    Ok(Notice::Moved { to, distance: distance(fields, "closestPiece")? })
}

/// The names under which implementations write the result of a put.
pub(super) const PUT_RESULT_NAMES: [&str; 4] = ["putResult", "putEvent", "PlacePieceInfo", "putInformation"];

/// The words for the results of a put.
pub(super) const PUT_RESULTS: [(&str, PutResult); 4] = [
    ("NormalOnGoalField", PutResult::OnGoal),
    ("NormalOnNonGoalField", PutResult::OnNoGoal),
    ("TaskField", PutResult::OnTaskField),
    ("ShamOnGoalArea", PutResult::WasSham),
];

/// Returns the result; none if the word is unknown (one communication server writes `Unknown`) or absent.
fn put_result(fields: &Fields<'_>) -> Option<PutResult> {
    PUT_RESULT_NAMES.iter().find_map(|name| word(fields.find(&[*name])?.1, &PUT_RESULTS))
}

/// Returns the reason for a refusal if one of these words gives it. The refusal counts even if nothing else is
/// understood: one communication server writes `{"putEvent":"Unknown"}` in the place of every reason.
fn subtype<T: Copy>(fields: &Fields<'_>, reasons: &[(&str, T)]) -> Option<T> {
    word(fields.find(&["errorSubtype"])?.1, reasons)
}

/// Returns the reason for a refusal, in words: nothing depends on it, so anything but a text counts as absent.
fn reason(fields: &Fields<'_>) -> Option<Cow<'static, str>> {
    let (_, text) = fields.find(&["reason"])?;
    serde_json::from_str::<String>(text).ok().map(Cow::Owned)
}

/// Returns that a request came too early. The refusal counts even if the end of the wait makes no sense.
fn too_early(fields: &Fields<'_>) -> Notice {
    // Some clocks count parts of a millisecond.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float narrows by saturating, and the number is not negative"
    )]
    let span = |(_, text)| {
        let millis = real(text).filter(|millis| *millis <= f64::from(u32::MAX))?;
        Some(Millis::new(millis.max(0.0).ceil() as u32))
    };
    // A moment without a zone says nothing that could be compared with another clock: it is left out.
    let moment = |(_, text)| unquoted(text).parse::<Timestamp>().ok();
    Notice::TooEarly {
        wait_until: fields.find(&["waitUntil"]).and_then(moment),
        wait_for: fields.find(&["waitFor", "delay"]).and_then(span),
    }
}

fn information(fields: &Fields<'_>) -> Result<Arc<Information>, DecodeError> {
    // The content is not checked: an item that is no distance or no belief is one of which nothing is known.
    let distances = list(fields, LISTS[0], "a list of numbers", |text| {
        whole(text).and_then(told_distance).filter(|far| far.moves().is_some())
    })?;
    let beliefs =
        |name| list(fields, name, "a list of IDK, N and G", |text| word(text, &BELIEFS).unwrap_or_default());
    let goals = ByTeam::new([beliefs(LISTS[1])?, beliefs(LISTS[2])?]);
    Ok(Arc::new(Information { distances, goals }))
}

/// The words for the beliefs about a field in a goal area.
pub(super) const BELIEFS: [(&str, GoalBelief); 3] =
    [("IDK", GoalBelief::Unknown), ("N", GoalBelief::NoGoal), ("G", GoalBelief::Goal)];

/// The content of an answer as its author wrote it. The game master passes it on unchanged: implementations put things
/// into these lists that no other one understands.
pub struct AsWritten<'a> {
    fields: Fields<'a>,
}

/// The lists of an answer.
pub(super) const LISTS: [&str; 3] =
    ["distances", "redTeamGoalAreaInformations", "blueTeamGoalAreaInformations"];

/// The keys of an answer, apart from the lists, that say whom it is for.
const ADDRESSEES: [&str; 2] = ["respondToID", "respondingID"];

impl<'a> AsWritten<'a> {
    /// Returns the content of message 4 with this payload; none if it is no object.
    pub fn of(payload: Option<&'a RawValue>) -> Option<Self> {
        Fields::of(4, payload).ok().map(|fields| Self { fields })
    }

    /// Returns the lists, each by its name and as it stands there, an absent one empty; a list that `extent` leaves out
    /// is empty, one that it cuts has the items of the goal area only.
    pub(super) fn lists(&self, extent: Extent, geometry: Geometry) -> [(&'static str, Cow<'a, str>); 3] {
        let whole = |name: &str| self.fields.raw(name).map_or("[]", RawValue::get);
        let beliefs = |name: &'static str, team| match extent {
            Extent::Whole | Extent::WithoutDistances => Cow::Borrowed(whole(name)),
            Extent::GoalAreas => in_goal_area(whole(name), team, geometry),
            Extent::Nothing => Cow::Borrowed("[]"),
        };
        let distances = if extent == Extent::Whole { whole(LISTS[0]) } else { "[]" };
        [
            (LISTS[0], Cow::Borrowed(distances)),
            (LISTS[1], beliefs(LISTS[1], Team::Red)),
            (LISTS[2], beliefs(LISTS[2], Team::Blue)),
        ]
    }

    /// Returns every other key with its value, apart from those that name the addressee.
    pub(super) fn rest(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        let is_known =
            |key: &str| LISTS.iter().chain(&ADDRESSEES).any(|known| known.eq_ignore_ascii_case(key));
        self.fields.all().filter(move |(key, _)| !is_known(key))
    }
}

/// The part of an answer that is passed on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// No distances: they age, goals do not.
    WithoutDistances,
    /// Neither distances nor beliefs about fields that no goal can be on.
    GoalAreas,
    /// No distances and no beliefs.
    Nothing,
}

impl Extent {
    pub(super) const ALL: [Self; 4] = [Self::Whole, Self::WithoutDistances, Self::GoalAreas, Self::Nothing];
}

/// Returns the items of a team's goal area in a list that has one for each field of the board; any other list
/// unchanged.
fn in_goal_area(list: &str, team: Team, geometry: Geometry) -> Cow<'_, str> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(list) else { return Cow::Borrowed(list) };
    if items.len() != geometry.fields() as usize {
        return Cow::Borrowed(list);
    }
    let start = geometry.index(Position::new(0, geometry.goal_area_start(team)));
    let items: Vec<&str> =
        items[start..][..geometry.goal_fields() as usize].iter().map(|item| item.get()).collect();
    Cow::Owned(format!("[{}]", items.join(",")))
}

/// Returns a list of items as `read` reads them; an absent list is empty.
fn list<T>(
    fields: &Fields<'_>,
    name: &'static str,
    expected: &'static str,
    read: impl Fn(&str) -> T,
) -> Result<Vec<T>, DecodeError> {
    let Some((name, text)) = fields.find(&[name]) else { return Ok(Vec::new()) };
    let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| fields.wrong(name, text, expected))?;
    Ok(items.into_iter().map(|item| read(item.get())).collect())
}

fn agents(fields: &Fields<'_>, name: &'static str) -> Result<Vec<AgentNumber>, DecodeError> {
    const EXPECTED: &str = "a list of whole numbers";
    let read = |text: &str| whole(text).map(AgentNumber).ok_or_else(|| fields.wrong(name, text, EXPECTED));
    list(fields, name, EXPECTED, read)?.into_iter().collect()
}

fn game_start(fields: &Fields<'_>) -> Result<GameStart, DecodeError> {
    const SIZE: &str = "a number of fields";
    let side = |text: &str| u16::try_from(whole(text)?).ok();
    let count = |text: &str| u32::try_from(whole(text)?).ok();
    let own = agent(fields, "agentID")?;
    // The own id stands among the allies with some game masters.
    let mut allies = agents(fields, "alliesIDs")?;
    allies.retain(|ally| *ally != own);
    let enemies = agents(fields, "enemiesIDs")?;
    let size =
        fields.within(&["boardSize"])?.ok_or_else(|| fields.missing("boardSize", "an object of x and y"))?;
    let (columns, rows) = (size.need(&["x"], SIZE, side)?, size.need(&["y"], SIZE, side)?);
    let goal_rows = fields.need(&["goalAreaSize"], "a number of rows", side)?;
    let geometry = Geometry::new(columns, rows, goal_rows).ok_or_else(|| {
        fields.wrong(
            "boardSize",
            &format!("{columns}×{rows} with goal areas of {goal_rows}"),
            "a board of three areas",
        )
    })?;
    let players = match fields.within(&["numberOfPlayers"])? {
        Some(players) => Players {
            allies: players.need(&["allies"], WHOLE, count)?,
            enemies: players.need(&["enemies"], WHOLE, count)?,
        },
        None => {
            let counted = |agents: &[AgentNumber]| u32::try_from(agents.len()).unwrap_or(u32::MAX);
            Players { allies: counted(&allies).saturating_add(1), enemies: counted(&enemies) }
        }
    };
    let penalties = fields.within(&["penalties"])?.ok_or_else(|| fields.missing("penalties", "an object"))?;
    let position =
        position(fields, "position")?.ok_or_else(|| fields.missing("position", "an object of x and y"))?;
    if !geometry.contains(position) {
        return Err(fields.wrong("position", &position.to_string(), "a field of the board"));
    }
    Ok(GameStart {
        agent: own,
        allies,
        leader: agent(fields, "leaderID")?,
        enemies,
        team: team(fields, "teamID")?,
        geometry,
        players,
        pieces: fields.need(&["numberOfPieces"], WHOLE, count)?,
        goals: fields.need(&["numberOfGoals"], WHOLE, count)?,
        penalties: read_penalties(&penalties)?,
        // The game can be played without it, so a value that makes no sense counts as none.
        premature: penalties
            .get(&["prematureRequest"], "a number of milliseconds", span)
            .ok()
            .flatten()
            .unwrap_or(Millis::ZERO),
        sham_probability: fields.need(&["shamPieceProbability"], "a number from 0 to 1", |text| {
            real(text).filter(|number| (0.0..=1.0).contains(number))
        })?,
        position,
    })
}

/// Returns the names of penalties, the more telling first.
fn penalty_names(kind: ActionKind) -> &'static [&'static str] {
    match kind {
        ActionKind::Move => &["move"],
        ActionKind::Discover => &["discovery"],
        ActionKind::PickUp => &["pickup"],
        ActionKind::Put => &["putPiece"],
        ActionKind::Check => &["checkForSham"],
        ActionKind::Destroy => &["destroyPiece"],
        ActionKind::Ask => &["ask", "informationExchange"],
        ActionKind::Answer => &["response", "informationExchange"],
    }
}

fn span(text: &str) -> Option<Millis> {
    u32::try_from(whole(text)?).ok().map(Millis::new)
}

fn read_penalties(fields: &Fields<'_>) -> Result<Penalties, DecodeError> {
    let mut found = [Millis::ZERO; ActionKind::ALL.len()];
    for kind in ActionKind::ALL {
        let names = penalty_names(kind);
        let told = fields.get(names, "a number of milliseconds", span)?;
        found[kind as usize] = match (told, kind) {
            (Some(penalty), _) => penalty,
            (None, ActionKind::PickUp) => Millis::ZERO,
            (None, _) => return Err(fields.missing(names[names.len() - 1], "a number of milliseconds")),
        };
    }
    Ok(Penalties::new(|kind| found[kind as usize]))
}
