//! Converts values to messages.

use std::borrow::Cow;

use game_env::Millis;
use game_project::{
    Action, ActionKind, Direction, Distance, Geometry, GoalBelief, Information, Penalties, Position,
    PutResult, Surroundings, Team,
};
use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::from_wire::{AROUND, AsWritten, BELIEFS, Extent, NO_DISTANCE, PUT_RESULTS};
use super::notice::{GameStart, Notice, PickUpFailure, PutFailure};
use super::request::Request;
use super::{AgentNumber, Dialect, catalogue};

/// Writes messages in one dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writer {
    /// The dialect of the game master's messages. Agents' requests are alike in both.
    pub dialect: Dialect,
    /// The most bytes of a body that carries information: a longer one is written without distances, which age, and if
    /// that is not enough without goals. (Of all messages only these and the start of a game with hundreds of agents
    /// can be long.)
    pub limit: usize,
}

impl Writer {
    /// Appends the body of a message to an agent.
    ///
    /// `correlation` is the `correlationID` of the request that this answers, if it had one.
    pub fn notice(
        &self,
        out: &mut Vec<u8>,
        to: AgentNumber,
        correlation: Option<&RawValue>,
        notice: &Notice,
    ) {
        let dialect = self.dialect;
        let union = dialect.has_keys_of_others();
        let envelope = Envelope { id: notice.id(), agent: to, correlation };
        match notice {
            Notice::Destroyed | Notice::PickedUp => envelope.write(out, Empty {}),
            Notice::Checked { sham } => envelope.write(out, Checked { sham: *sham }),
            Notice::Discovered { distances } => envelope.write(out, Around(distances)),
            Notice::GameOver { winner } => envelope.write(out, GameOver { winner: name(*winner) }),
            Notice::GameStart(start) => envelope.write(out, Start::new(start, dialect)),
            Notice::Asked { by, leader, team } => {
                envelope.write(out, Asked { asking: by.0, leader: *leader, team: name(*team) });
            }
            Notice::Joined { accepted, agent, reason } => {
                let agent = agent.map(|agent| agent.0);
                envelope.write(out, Joined { accepted: *accepted, agent, reason: reason.as_deref() });
            }
            Notice::Moved { to, distance } => {
                let moved = Moved { made: true, position: (*to).into(), closest: distance.map(number) };
                envelope.write(out, moved);
            }
            Notice::Put { result } => envelope.write(out, PutTold::new(*result, union)),
            Notice::Answered { by, information } => {
                let responding = by.map(|by| by.0);
                // The asker, as the answering agent wrote it.
                let respond_to = union.then_some(to.0);
                self.informed(out, &envelope, information, |told| Answered { responding, respond_to, told });
            }
            Notice::AnswerPassedOn { succeeded } | Notice::QuestionPassedOn { succeeded } => {
                envelope.write(out, PassedOn { succeeded: *succeeded });
            }
            Notice::MoveRefused { position, reason } => {
                let position = position.map(Into::into);
                envelope.write(
                    out,
                    MoveRefused { position, reason: reason.as_deref().filter(|_| dialect.gives_reasons()) },
                );
            }
            Notice::PickUpRefused { reason } => {
                let subtype = match reason {
                    PickUpFailure::NothingThere => "NothingThere",
                    PickUpFailure::Other => "Other",
                };
                envelope.write(out, Failure { subtype });
            }
            Notice::PutRefused { reason } => {
                let subtype = match reason {
                    PutFailure::AgentNotHolding => "AgentNotHolding",
                    PutFailure::CannotPutThere => "CannotPutThere",
                    PutFailure::Other => "Other",
                };
                envelope.write(out, Failure { subtype });
            }
            Notice::TooEarly { wait_until, wait_for } => {
                let span = wait_for.map(Millis::as_millis);
                let until = wait_until.as_ref().map(Timestamp::to_string);
                envelope.write(out, TooEarly { until, span, delay: span.filter(|_| union) });
            }
            Notice::Refused { position, holding, reason } => {
                let (position, reason) =
                    (position.map(Into::into), reason.as_deref().filter(|_| dialect.gives_reasons()));
                envelope.write(out, Refused { position, holding: *holding, reason });
            }
        }
    }

    /// Appends the body of message 111: an answer as it was `written`, to the agent that asked.
    ///
    /// If it is over the limit, the distances are left out, then beliefs about fields outside the goal areas, then
    /// all beliefs. Returns whether it is within the limit in the end: an answer with other long keys may not be, and
    /// can be written as it was understood instead.
    pub fn answer(
        &self,
        out: &mut Vec<u8>,
        to: AgentNumber,
        by: AgentNumber,
        written: &AsWritten<'_>,
        geometry: Geometry,
    ) -> bool {
        let start = out.len();
        let envelope = Envelope { id: 111, agent: to, correlation: None };
        let respond_to = self.dialect.has_keys_of_others().then_some(to.0);
        Extent::ALL.into_iter().any(|extent| {
            out.truncate(start);
            let lists = written.lists(extent, geometry);
            envelope.write(out, PassedOnAnswer { responding: by.0, respond_to, lists: &lists, written });
            out.len() - start <= self.limit
        })
    }

    /// Appends the body of a message of an agent. An agent that does not know its number yet writes 0; the
    /// communication server puts the right one there in any case.
    pub fn request(&self, out: &mut Vec<u8>, from: AgentNumber, request: &Request) {
        let envelope = Envelope { id: request.id(), agent: from, correlation: None };
        match request {
            Request::Join { team } => envelope.write(out, Join { team: name(*team) }),
            Request::Play(Action::Answer { to, information }) => {
                self.informed(out, &envelope, information, |told| Answer { respond_to: to.0, told });
            }
            Request::Play(Action::Ask(asked)) => envelope.write(out, Ask { asked: asked.0 }),
            Request::Play(Action::Move(direction)) => {
                envelope.write(out, Move { direction: letter(*direction) });
            }
            Request::Play(
                Action::Check | Action::Destroy | Action::Discover | Action::PickUp | Action::Put,
            ) => envelope.write(out, Empty {}),
        }
    }

    /// Writes a message that carries information, and of that as much as fits.
    fn informed<'a, P: Serialize>(
        &self,
        out: &mut Vec<u8>,
        envelope: &Envelope<'_>,
        information: &'a Information,
        payload: impl Fn(WrittenInformation<'a>) -> P,
    ) {
        let start = out.len();
        let told = WrittenInformation {
            distances: Distances(&information.distances),
            red: Beliefs(&information.goals[Team::Red]),
            blue: Beliefs(&information.goals[Team::Blue]),
        };
        let without_distances = WrittenInformation { distances: Distances(&[]), ..told };
        let nothing = WrittenInformation { red: Beliefs(&[]), blue: Beliefs(&[]), ..without_distances };
        for told in [told, without_distances, nothing] {
            out.truncate(start);
            envelope.write(out, payload(told));
            if out.len() - start <= self.limit {
                return;
            }
        }
    }
}

/// Appends the body of the communication server's message that an agent went away (906).
pub fn write_lost_agent(out: &mut Vec<u8>, agent: AgentNumber) {
    Envelope { id: catalogue::LOST_AGENT, agent, correlation: None }.write(out, LostAgent { agent: agent.0 });
}

/// The parts of a message around its payload.
struct Envelope<'a> {
    id: i64,
    agent: AgentNumber,
    correlation: Option<&'a RawValue>,
}

impl Envelope<'_> {
    fn write(&self, out: &mut Vec<u8>, payload: impl Serialize) {
        #[derive(Serialize)]
        struct Message<'a, P> {
            #[serde(rename = "messageID")]
            id: i64,
            #[serde(rename = "agentID")]
            agent: i64,
            #[serde(rename = "correlationID", skip_serializing_if = "Option::is_none")]
            correlation: Option<&'a RawValue>,
            payload: P,
        }

        let message = Message { id: self.id, agent: self.agent.0, correlation: self.correlation, payload };
        serde_json::to_writer(out, &message).expect("memory takes what is written, and keys are text");
    }
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct Checked {
    sham: bool,
}

#[derive(Serialize)]
struct GameOver {
    winner: &'static str,
}

#[derive(Serialize)]
struct Asked {
    #[serde(rename = "askingID")]
    asking: i64,
    leader: bool,
    #[serde(rename = "teamID")]
    team: &'static str,
}

#[derive(Serialize)]
struct Joined<'a> {
    accepted: bool,
    #[serde(rename = "agentID", skip_serializing_if = "Option::is_none")]
    agent: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Moved {
    #[serde(rename = "madeMove")]
    made: bool,
    #[serde(rename = "currentPosition")]
    position: Coordinates,
    #[serde(rename = "closestPiece", skip_serializing_if = "Option::is_none")]
    closest: Option<i64>,
}

#[derive(Serialize, Default)]
struct PutTold {
    #[serde(rename = "putResult", skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(rename = "putEvent", skip_serializing_if = "Option::is_none")]
    event: Option<&'static str>,
    #[serde(rename = "PlacePieceInfo", skip_serializing_if = "Option::is_none")]
    info: Option<&'static str>,
    #[serde(rename = "putInformation", skip_serializing_if = "Option::is_none")]
    information: Option<String>,
}

impl PutTold {
    fn new(result: Option<PutResult>, union: bool) -> Self {
        let found = PUT_RESULTS.iter().find(|(_, meaning)| Some(*meaning) == result);
        let result = found.map(|(word, _)| *word);
        if !union {
            return Self { result, ..Self::default() };
        }
        let uncapitalised = |word: &str| word[..1].to_ascii_lowercase() + &word[1..];
        Self { result, event: result, info: result, information: result.map(uncapitalised) }
    }
}

#[derive(Serialize)]
struct Answered<'a> {
    #[serde(rename = "respondingID", skip_serializing_if = "Option::is_none")]
    responding: Option<i64>,
    #[serde(rename = "respondToID", skip_serializing_if = "Option::is_none")]
    respond_to: Option<i64>,
    #[serde(flatten)]
    told: WrittenInformation<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(rename = "respondToID")]
    respond_to: i64,
    #[serde(flatten)]
    told: WrittenInformation<'a>,
}

/// An answer as it was written.
struct PassedOnAnswer<'a> {
    responding: i64,
    respond_to: Option<i64>,
    lists: &'a [(&'static str, Cow<'a, str>); 3],
    written: &'a AsWritten<'a>,
}

impl Serialize for PassedOnAnswer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("respondingID", &self.responding)?;
        if let Some(respond_to) = self.respond_to {
            map.serialize_entry("respondToID", &respond_to)?;
        }
        for (key, list) in self.lists {
            let list: &RawValue = serde_json::from_str(list).map_err(serde::ser::Error::custom)?;
            map.serialize_entry(key, list)?;
        }
        for (key, value) in self.written.rest() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[derive(Serialize, Clone, Copy)]
struct WrittenInformation<'a> {
    distances: Distances<'a>,
    #[serde(rename = "redTeamGoalAreaInformations")]
    red: Beliefs<'a>,
    #[serde(rename = "blueTeamGoalAreaInformations")]
    blue: Beliefs<'a>,
}

#[derive(Serialize)]
struct PassedOn {
    succeeded: bool,
}

#[derive(Serialize)]
struct MoveRefused<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Coordinates>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Failure {
    #[serde(rename = "errorSubtype")]
    subtype: &'static str,
}

#[derive(Serialize)]
struct TooEarly {
    #[serde(rename = "waitUntil", skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(rename = "waitFor", skip_serializing_if = "Option::is_none")]
    span: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<u32>,
}

#[derive(Serialize)]
struct Refused<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Coordinates>,
    #[serde(rename = "holdingPiece", skip_serializing_if = "Option::is_none")]
    holding: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Ask {
    #[serde(rename = "askedAgentID")]
    asked: i64,
}

#[derive(Serialize)]
struct Join {
    #[serde(rename = "teamID")]
    team: &'static str,
}

#[derive(Serialize)]
struct Move {
    direction: &'static str,
}

#[derive(Serialize)]
struct LostAgent {
    #[serde(rename = "agentID")]
    agent: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Start<'a> {
    #[serde(rename = "agentID")]
    agent: i64,
    #[serde(rename = "alliesIDs")]
    allies: Numbers<'a>,
    #[serde(rename = "leaderID")]
    leader: i64,
    #[serde(rename = "enemiesIDs")]
    enemies: Numbers<'a>,
    #[serde(rename = "teamID")]
    team: &'static str,
    board_size: Coordinates,
    goal_area_size: u16,
    number_of_players: Players,
    number_of_pieces: u32,
    number_of_goals: u32,
    penalties: Costs,
    sham_piece_probability: f64,
    position: Coordinates,
}

#[derive(Serialize)]
struct Players {
    allies: u32,
    enemies: u32,
}

impl<'a> Start<'a> {
    fn new(start: &'a GameStart, dialect: Dialect) -> Self {
        Self {
            agent: start.agent.0,
            allies: Numbers(&start.allies),
            leader: start.leader.0,
            enemies: Numbers(&start.enemies),
            team: name(start.team),
            board_size: Coordinates { x: start.geometry.columns(), y: start.geometry.rows() },
            goal_area_size: start.geometry.goal_rows(),
            number_of_players: Players { allies: start.players.allies, enemies: start.players.enemies },
            number_of_pieces: start.pieces,
            number_of_goals: start.goals,
            penalties: Costs { penalties: start.penalties, premature: start.premature, dialect },
            sham_piece_probability: start.sham_probability,
            position: start.position.into(),
        }
    }
}

/// The penalties, as numbers or as decimal strings.
struct Costs {
    penalties: Penalties,
    premature: Millis,
    dialect: Dialect,
}

impl Serialize for Costs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const BOTH: [(&str, ActionKind); 6] = [
            ("move", ActionKind::Move),
            ("checkForSham", ActionKind::Check),
            ("discovery", ActionKind::Discover),
            ("destroyPiece", ActionKind::Destroy),
            ("putPiece", ActionKind::Put),
            ("informationExchange", ActionKind::Ask),
        ];
        const UNION: [(&str, ActionKind); 3] =
            [("ask", ActionKind::Ask), ("response", ActionKind::Answer), ("pickup", ActionKind::PickUp)];
        let known = BOTH.map(|(key, kind)| (key, self.penalties.of(kind)));
        let others = UNION.map(|(key, kind)| (key, self.penalties.of(kind)));
        let others = others.into_iter().chain([("prematureRequest", self.premature)]);
        let mut map = serializer.serialize_map(None)?;
        for (key, span) in known.into_iter().chain(others.filter(|_| self.dialect.has_keys_of_others())) {
            match self.dialect {
                Dialect::Spec | Dialect::Both => map.serialize_entry(key, &span.as_millis())?,
                Dialect::Union => map.serialize_entry(key, &span.as_millis().to_string())?,
            }
        }
        map.end()
    }
}

struct Around<'a>(&'a Surroundings);

impl Serialize for Around<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The middle first, then clockwise from the north, as the specification lists them.
        const ORDER: [usize; 9] = [4, 7, 8, 5, 2, 1, 0, 3, 6];
        let mut map = serializer.serialize_map(None)?;
        for place in ORDER {
            if let Some(distance) = self.0.0[place] {
                map.serialize_entry(AROUND[place], &number(distance))?;
            }
        }
        map.end()
    }
}

#[derive(Clone, Copy)]
struct Distances<'a>(&'a [Option<Distance>]);

impl Serialize for Distances<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // "No piece at all" ages with the next one that appears; it is written as not known.
        let known = |distance: Option<Distance>| distance.and_then(Distance::moves).map_or(-1, i64::from);
        serializer.collect_seq(self.0.iter().copied().map(known))
    }
}

#[derive(Clone, Copy)]
struct Beliefs<'a>(&'a [GoalBelief]);

impl Serialize for Beliefs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |belief: &GoalBelief| {
            let found = BELIEFS.iter().find(|(_, meaning)| meaning == belief);
            found.map(|(word, _)| *word).expect("every belief has a word")
        };
        serializer.collect_seq(self.0.iter().map(word))
    }
}

struct Numbers<'a>(&'a [AgentNumber]);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|agent| agent.0))
    }
}

#[derive(Serialize)]
struct Coordinates {
    x: u16,
    y: u16,
}

impl From<Position> for Coordinates {
    fn from(Position { x, y }: Position) -> Self {
        Self { x, y }
    }
}

fn number(distance: Distance) -> i64 {
    distance.moves().map_or(NO_DISTANCE, i64::from)
}

const fn name(team: Team) -> &'static str {
    match team {
        Team::Red => "red",
        Team::Blue => "blue",
    }
}

const fn letter(direction: Direction) -> &'static str {
    match direction {
        Direction::North => "N",
        Direction::East => "E",
        Direction::South => "S",
        Direction::West => "W",
    }
}
