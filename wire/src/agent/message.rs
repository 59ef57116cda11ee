//! The messages of the agent protocol.
//!
//! The host writes [`Hello`], [`Decide`], [`Question`] and [`End`]; the program writes [`Ready`] and [`Answer`]. A
//! reader ignores fields that it does not know.

use std::collections::BTreeMap;
use std::str::FromStr;

pub use game_env::Thinking;
use game_env::{
    AgentId, Choice, Millis, Notation, NotationError, Note, Outcome, Parameters, Place, Shape, SimTime,
    TeamId,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::conversation::Fault;
use super::{LONGEST_NOTE, MOST_SHAPES, PROTOCOL};

/// A message of the host to a program.
///
/// `B` is the game's part of the beginning, `O` the observation, `V` an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "A message of the host to a program.")]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Message<B, O, V> {
    /// A game begins. The program answers with `ready`.
    Hello(Box<Hello<B>>),
    /// The agent may act. The program answers with an action or a wait.
    Decide(Box<Decide<O, V>>),
    /// Another agent has asked for information. The program answers with `tell`. Only The Project Game has this
    /// message, and only for a program that asks for it.
    Question(Box<Question<O, V>>),
    /// The game is over. The program answers nothing. It reads the next `hello`, or the end of its input.
    End(End<V>),
}

/// The beginning of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hello<B> {
    /// The highest version of the protocol that the host knows.
    pub protocol: u32,
    /// The name of the game: `project`, `dots`, …
    pub game: String,
    /// The version of the game's rules.
    pub rules: u32,
    /// The configuration by the names of the game's parameters.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub config: Parameters,
    /// The id of the program's agent.
    pub agent: u16,
    /// The number of the team of each agent, by its id.
    pub teams: Vec<u8>,
    /// The names of the teams by their numbers; left out in games whose teams have no names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub team_names: Vec<String>,
    /// A number for the random choices of this agent in this game. The same match gives the same number. The seed of
    /// the game cannot be computed from it.
    pub chance: u32,
    /// The rule for the time of a decision.
    #[schemars(schema_with = "thinking_schema")]
    pub thinking: Thinking,
    /// The game's own part of the beginning; left out in games without one.
    #[serde(flatten)]
    pub begin: B,
}

impl<B> Hello<B> {
    /// Returns the beginning of a game for this agent. `teams` has the team of each agent, by its id.
    pub fn new<E: Notation>(
        config: &E::Config,
        agent: AgentId,
        teams: impl IntoIterator<Item = TeamId>,
        chance: u32,
        thinking: Thinking,
        begin: B,
    ) -> Self {
        Self {
            protocol: PROTOCOL,
            game: E::GAME.to_owned(),
            rules: E::RULES,
            config: E::write_config(config),
            agent: u16::try_from(agent.index()).expect("ids of agents have 16 bits"),
            teams: teams.into_iter().map(number).collect(),
            team_names: E::TEAM_NAMES.iter().map(|name| (*name).to_owned()).collect(),
            chance,
            thinking,
            begin,
        }
    }
}

impl<V> End<V> {
    /// Returns the end of a game with this outcome.
    pub fn new(now: SimTime, events: Vec<V>, outcome: &Outcome) -> Self {
        Self {
            now: now.as_millis(),
            events,
            winner: outcome.winner().map(number),
            points: outcome.returns.points().to_vec(),
            termination: outcome.termination.to_string(),
        }
    }
}

/// Returns the number of a team in messages.
pub fn number(team: TeamId) -> u8 {
    u8::try_from(team.index()).expect("ids of teams have 8 bits")
}

/// The game's part of the beginning for games without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct NoBegin {}

/// Returns the schema of [`Thinking`].
fn thinking_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "oneOf": [
            { "const": "free", "description": "Thinking takes no game time and has no limit." },
            { "const": "real_time", "description": "The game is played on a server, and goes on while a program thinks." },
            {
                "type": "object",
                "description": "A decision may take this many milliseconds on the wall clock.",
                "properties": { "limit_ms": { "type": "integer", "minimum": 0 } },
                "required": ["limit_ms"]
            },
            {
                "type": "object",
                "description": "Each millisecond of a decision takes this many milliseconds of game time.",
                "properties": { "charge_ms": { "type": "integer", "minimum": 0 } },
                "required": ["charge_ms"]
            }
        ]
    })
}

/// The program is ready for the game. Every field but `type` can be left out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ready {
    /// The highest version of the protocol that the program knows.
    pub protocol: u32,
    /// The name of the program, for people.
    pub name: Option<String>,
    /// Whether messages have the list of options.
    pub options: bool,
    /// Whether messages have the decision as a text, for people and language models.
    pub text: bool,
    /// Whether observations have the board, in games with a knowledge board.
    pub board: bool,
    /// Whether the program answers the questions of other agents itself. Otherwise the host answers agents of the own
    /// team with all that the agent has found out itself, and other agents not at all.
    pub answers: bool,
    /// Whether the program plays only one game. Otherwise the next `hello` can follow `end`.
    pub once: bool,
}

/// Options and board, no text, no questions, many games.
impl Default for Ready {
    fn default() -> Self {
        Self {
            protocol: PROTOCOL,
            name: None,
            options: true,
            text: false,
            board: true,
            answers: false,
            once: false,
        }
    }
}

/// The first line of a program in a game.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum FirstLine {
    /// The answer to `hello`.
    Ready(Ready),
}

/// The agent may act.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Decide<O, V> {
    /// The number of the message in this game, from 1. An answer may repeat it.
    pub id: u64,
    /// The game time in milliseconds; 0 in games without time.
    pub now: u64,
    /// The view of the agent.
    pub observation: O,
    /// The events that the agent has heard since the last message, the oldest first.
    pub events: Vec<V>,
    /// The actions that the agent may ask for, in the notation of `do`. Left out if there are more than 256, or if the
    /// program does not want them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub options: Option<Vec<String>>,
    /// The decision as a text for people and language models, if the program wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub text: Option<String>,
}

/// Another agent has asked for information.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Question<O, V> {
    /// The id of the agent that asks.
    pub by: u16,
    /// Whether the agent must answer before it does anything else. If it tells nothing then, an empty answer is sent.
    pub must_answer: bool,
    /// The rest is as in `decide`, without options.
    #[serde(flatten)]
    pub decide: Decide<O, V>,
}

/// The game is over.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct End<V> {
    /// The game time in milliseconds; 0 in games without time.
    pub now: u64,
    /// The events that the agent has heard since the last message.
    pub events: Vec<V>,
    /// The number of the team that has won; `null` if none has.
    pub winner: Option<u8>,
    /// The points of each team; empty in a game on a server that does not announce them.
    pub points: Vec<i32>,
    /// The reason of the end: `normal`, `stall`, `crash`, …
    pub termination: String,
}

/// The answer of a program: exactly one of `do`, `wait` and `walk` to `decide`, or `tell` to `question`, and notes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The number of the message that is answered. An answer with another number is a log line, so that a second answer
    /// to one message is not taken for the answer to the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub id: Option<u64>,
    /// An action in the notation of the game, such as `move N` or `0-1`.
    #[serde(default, rename = "do", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub act: Option<String>,
    /// Lets this many milliseconds of game time pass, or less if the agent hears something. `null` waits until it hears
    /// something.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>")]
    pub wait: Option<Option<u32>>,
    /// The Project Game: one move on the shortest known way to this field, which has to be another one than that of the
    /// agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "[u16; 2]")]
    pub walk: Option<[u16; 2]>,
    /// The Project Game, after a `question`: the information for the agent that asked. `null` tells nothing.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Tell>")]
    pub tell: Option<Option<Tell>>,
    /// A remark for the viewers of the replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// A mistake of the program itself that cost it this decision, in words, e.g. that its strategy has failed. It
    /// counts as a blunder of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub blunder: Option<String>,
    /// A drawing for the viewers of the replay: fields, lines and labels in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draw: Vec<Stroke>,
}

/// A part of a drawing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a part of `draw` is invalid: expected [x,y], [[x,y],[x,y]] or [[x,y],\"text\"]"
)]
pub enum Stroke {
    /// `[x, y]`: a field that matters.
    Field([u16; 2]),
    /// `[[x, y], [x, y]]`: a line from one field to another.
    Line([u16; 2], [u16; 2]),
    /// `[[x, y], "text"]`: a short text on a field.
    Label([u16; 2], String),
}

/// The information for an agent that has asked. It may be false.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "`tell` is invalid: expected \"own\" or an object with `distances`, `red` and `blue`"
)]
pub enum Tell {
    /// The word `own`: all that the agent has found out itself.
    Own(OwnFindings),
    /// These values.
    Information(Information),
}

/// The word `own`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OwnFindings {
    /// All that the agent has found out itself.
    Own,
}

/// Information of an agent about the board: what it knows, or a lie.
///
/// Fields are listed row by row from the south, each row from the west.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Information {
    /// The distance of every field of the board from the nearest piece in moves; -1 if there is no piece, `null` if the
    /// distance is not known.
    pub distances: Vec<Option<i32>>,
    /// A character for each field of red's goal area: `?` for nothing known, `N` for no goal, `G` for a goal.
    pub red: String,
    /// The same for blue's goal area.
    pub blue: String,
}

/// Returns a text of a program, the end of a long one left out.
fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST_NOTE) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// Reads a field that is there, `null` included.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

impl Answer {
    /// Returns an answer with this action.
    pub fn act(action: impl ToString) -> Self {
        Self { act: Some(action.to_string()), ..Self::default() }
    }

    /// Returns an answer that waits until this moment, or until the agent hears something.
    pub fn wait(now: SimTime, until: SimTime) -> Self {
        let millis = (until != SimTime::NEVER).then(|| (until - now).as_millis());
        Self { wait: Some(millis), ..Self::default() }
    }

    /// Returns an answer with this choice.
    pub fn of(now: SimTime, choice: Choice<impl ToString>) -> Self {
        match choice {
            Choice::Act(action) => Self::act(action),
            Choice::Wait(until) => Self::wait(now, until),
        }
    }

    /// Returns the same answer with a note.
    pub fn with_note(mut self, note: Option<Note>) -> Self {
        let Some(Note { text, shapes }) = note else { return self };
        let field = |place: Place| [place.x, place.y];
        self.note = (!text.is_empty()).then_some(text);
        self.draw = shapes
            .into_iter()
            .map(|shape| match shape {
                Shape::Field(at) => Stroke::Field(field(at)),
                Shape::Line(from, to) => Stroke::Line(field(from), field(to)),
                Shape::Label(at, text) => Stroke::Label(field(at), text),
            })
            .collect();
        self
    }

    /// Takes the mistake out of the answer. A text that is too long is cut.
    pub fn take_blunder(&mut self) -> Option<String> {
        self.blunder.take().map(cut)
    }

    /// Takes the note out of the answer. Texts and drawings that are too long are cut.
    pub fn take_note(&mut self) -> Option<Note> {
        let place = |[x, y]: [u16; 2]| Place { x, y };
        let shapes: Vec<Shape> = std::mem::take(&mut self.draw)
            .into_iter()
            .take(MOST_SHAPES)
            .map(|stroke| match stroke {
                Stroke::Field(at) => Shape::Field(place(at)),
                Stroke::Line(from, to) => Shape::Line(place(from), place(to)),
                Stroke::Label(at, text) => Shape::Label(place(at), cut(text)),
            })
            .collect();
        let text = self.note.take().map(cut).unwrap_or_default();
        (!text.is_empty() || !shapes.is_empty()).then_some(Note { text, shapes })
    }

    /// Returns the moment until which an answer waits.
    pub fn until(wait: Option<u32>, now: SimTime) -> SimTime {
        wait.map_or(SimTime::NEVER, |millis| now + Millis::new(millis))
    }

    /// Returns the choice of `do` or `wait`; none if the answer has neither.
    ///
    /// # Errors
    ///
    /// If the text of `do` is no action of the game.
    pub fn choice<A: FromStr<Err = NotationError>>(&self, now: SimTime) -> Result<Option<Choice<A>>, Fault> {
        match self {
            Self { act: Some(text), .. } => text
                .parse()
                .map(|action| Some(Choice::Act(action)))
                .map_err(|error| Fault::Illegal(format!("has answered with an invalid action: {error}"))),
            Self { wait: Some(wait), .. } => Ok(Some(Choice::Wait(Self::until(*wait, now)))),
            _ => Ok(None),
        }
    }
}
