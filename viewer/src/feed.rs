//! A game as messages, from which the page draws everything: each message is one JSON object.
//!
//! [`Feed`] is a [`Witness`] of a live game or of a replay; the functions beside it write the messages before and
//! after a game. The content of each message is described on the book's page "The feed of the game page".
//!
//! It reads no clock and opens no socket: equal games make equal feeds.

use std::fmt::{self, Write as _};

use game_env::parameter::Range;
use game_env::{AgentId, Disruption, Environment, Millis, Note, Outcome, Seed, Shape, SimTime, Witness};
use game_project::statistics::Statistics;
use game_project::{
    Action, ActionKind, Distance, Event, Fault, Information, Penalties, Piece, Position, Refusal, State, Team,
};
use serde_json::{Value, json};
use wire::project::{AgentNumber, Seats};

use crate::document::document;
use crate::event_queue::{Contact, Server};
use crate::host::{Setting, Starts};
use crate::names::{known_number, known_seats};
use crate::room::GameFeed;

/// Turns the events of a game into messages, and counts what the statistics tell.
///
/// The events of a step wait until the state after it is there ([`Feed::settle`]): what a landed piece is, only
/// that state knows. As a [`Witness`] the feed sees to it by itself before whatever comes next.
#[derive(Clone, Debug)]
pub struct Feed {
    penalties: Penalties,
    statistics: Statistics,
    seed: Seed,
    /// The numbers of the agents' connections, if they are known.
    seats: Option<Seats>,
    /// The events of the last step.
    unsettled: Vec<(SimTime, Event)>,
    /// Entries that nobody has taken, each with a comma behind it.
    entries: String,
}

impl Feed {
    /// Nothing has happened yet in this game; `names` are those of its `start`.
    pub fn new(state: &State, seed: Seed, names: &[String]) -> Self {
        Self {
            penalties: state.config().penalties(),
            statistics: Statistics::new(state.agents()),
            seed,
            seats: known_seats(names),
            unsettled: Vec::new(),
            entries: String::new(),
        }
    }

    /// Takes in the events of the last step; `state` is the one after it.
    pub fn settle(&mut self, state: &State) {
        for (at, event) in std::mem::take(&mut self.unsettled) {
            self.statistics.count(state, &event);
            self.write(state, at, &event);
        }
    }

    /// How many bytes of entries wait to be taken.
    pub fn waiting(&self) -> usize {
        self.entries.len()
    }

    /// All entries since this was last asked, as one message.
    pub fn take(&mut self) -> Option<String> {
        events_message(&mut self.entries)
    }

    /// The statistics as the game stands, as a message.
    pub fn statistics(&self, state: &State) -> String {
        statistics(&self.document(state))
    }

    /// The statistics as the game stands.
    pub fn document(&self, state: &State) -> Value {
        document(state, &self.statistics, self.seats.as_ref(), self.seed)
    }

    fn write(&mut self, state: &State, at: SimTime, event: &Event) {
        match event {
            Event::Moved { agent, to: Position { x, y }, distance } => {
                let distance = Maybe(distance.moves());
                self.entry(at, "moved", Some(*agent), format_args!(",{x},{y},{distance}"));
                self.lock(at, *agent, ActionKind::Move);
            }
            Event::Discovered { agent, distances } => {
                let reading = |distance: Distance| distance.moves().map_or(-1, i32::from);
                let around = distances.0.map(|field| Maybe(field.map(reading)).to_string());
                self.entry(at, "discovered", Some(*agent), format_args!(",[{}]", around.join(",")));
                self.lock(at, *agent, ActionKind::Discover);
            }
            Event::PickedUp { agent } => {
                self.entry(at, "picked-up", Some(*agent), format_args!(""));
                self.lock(at, *agent, ActionKind::PickUp);
            }
            Event::Put { agent, result } => {
                self.entry(at, "put", Some(*agent), format_args!(",\"{result}\""));
                self.lock(at, *agent, ActionKind::Put);
            }
            Event::Checked { agent, sham } => {
                self.entry(at, "checked", Some(*agent), format_args!(",{sham}"));
                self.lock(at, *agent, ActionKind::Check);
            }
            Event::Destroyed { agent } => {
                self.entry(at, "destroyed", Some(*agent), format_args!(""));
                self.lock(at, *agent, ActionKind::Destroy);
            }
            Event::Asked { agent, by, must_answer } => {
                self.entry(at, "asked", Some(*agent), format_args!(",{},{must_answer}", by.index()));
                self.lock(at, *by, ActionKind::Ask);
            }
            Event::AskedAgain { by, .. } => self.lock(at, *by, ActionKind::Ask),
            Event::Answered { agent, by, information } => {
                self.entry(
                    at,
                    "answered",
                    Some(*agent),
                    format_args!(",{},{}", by.index(), told(information)),
                );
                self.lock(at, *by, ActionKind::Answer);
            }
            Event::Refused { agent, action, refusal } => {
                self.entry(at, "refused", Some(*agent), format_args!(",\"{action}\",\"{}\"", refusal.word()));
                let is_free =
                    matches!(refusal, Refusal::TooEarly(_) | Refusal::LeaderWaits(_) | Refusal::NotPlaying);
                if !is_free {
                    self.lock(at, *agent, *action);
                }
            }
            Event::Landed { agent } => {
                let sham = sham(state.hand(*agent));
                self.entry(at, "landed", Some(*agent), format_args!(",{sham}"));
            }
            Event::Appeared { at: Position { x, y }, piece } => {
                let sham = sham(Some(*piece));
                self.entry(at, "appeared", None, format_args!(",{x},{y},{sham}"));
            }
            Event::Left { agent } => self.entry(at, "left", Some(*agent), format_args!("")),
            Event::Over(outcome) => self.over(at, outcome),
        }
    }

    fn over(&mut self, at: SimTime, outcome: &Outcome) {
        let winner = outcome.winner().map_or_else(|| "-1".to_owned(), |team| team.index().to_string());
        let points: Vec<String> = outcome.returns.points().iter().map(i32::to_string).collect();
        let (termination, points) = (outcome.termination, points.join(","));
        write!(self.entries, "[{},\"over\",{winner},\"{termination}\",{points}],", at.as_millis())
            .expect("a string takes all that is written");
    }

    /// How long a request locks that was charged. No lock is none to tell of.
    fn lock(&mut self, at: SimTime, agent: AgentId, kind: ActionKind) {
        let until = at + self.penalties.of(kind);
        if until > at {
            self.entry(at, "lock", Some(agent), format_args!(",{}", until.as_millis()));
        }
    }

    fn entry(&mut self, at: SimTime, word: &str, agent: Option<AgentId>, rest: fmt::Arguments<'_>) {
        let whose = agent.map_or_else(|| "-1".to_owned(), |agent| agent.index().to_string());
        write!(self.entries, "[{},\"{word}\",{whose}{rest}],", at.as_millis())
            .expect("a string takes all that is written");
    }
}

impl GameFeed<State> for Feed {
    fn new(state: &State, seed: Seed, names: &[String]) -> Self {
        Self::new(state, seed, names)
    }

    fn start(state: &State, seed: Seed, names: &[String]) -> String {
        start(state, seed, names)
    }

    fn settle(&mut self, state: &State) {
        self.settle(state);
    }

    fn waiting(&self) -> usize {
        self.waiting()
    }

    fn take(&mut self) -> Option<String> {
        self.take()
    }

    fn document(&self, state: &State) -> Value {
        self.document(state)
    }
}

impl Witness<State> for Feed {
    fn event(&mut self, now: SimTime, event: &Event) {
        self.unsettled.push((now, event.clone()));
    }

    fn action(&mut self, state: &State, _: SimTime, _: AgentId, _: &Action) {
        self.settle(state);
    }

    fn disruption(&mut self, state: &State, _: SimTime, _: Disruption) {
        self.settle(state);
    }

    fn note(&mut self, state: &State, now: SimTime, agent: AgentId, note: &Note) {
        self.settle(state);
        self.entry(now, "note", Some(agent), format_args!(",{}", drawn(note)));
    }

    fn end(&mut self, state: &State, _: SimTime) {
        self.settle(state);
    }
}

/// The game as it stands, from which the page goes on by the events that follow.
///
/// `names` tells who each agent is, in the order of their ids; a number that is in them ([`known_number`]) is told
/// by itself. Of a game under way it also holds what happened
/// before: goals covered, agents gone, locks.
pub fn start(state: &State, seed: Seed, names: &[String]) -> String {
    let config = state.config();
    let geometry = config.geometry();
    let setup = state.setup();
    let fields = |fields: &[Position]| {
        let fields: Vec<String> = fields.iter().map(|at| format!("[{},{}]", at.x, at.y)).collect();
        fields.join(",")
    };
    let by_team = |areas: &game_env::ByTeam<Vec<Position>>| {
        format!(r#"{{"red":[{}],"blue":[{}]}}"#, fields(&areas[Team::Red]), fields(&areas[Team::Blue]))
    };
    // Hidden and covered ones: that a goal is covered is told apart.
    let mut goals = setup.goals.clone();
    for team in Team::ALL {
        goals[team].extend_from_slice(&setup.covered[team]);
        goals[team].sort_unstable_by_key(|at| geometry.index(*at));
    }
    let penalties =
        ActionKind::ALL.map(|kind| (kind.to_string(), json!(config.penalties().of(kind).as_millis())));
    let agent = |agent: AgentId| {
        let briefing = state.briefing(agent);
        let (name, number) = match names.get(agent.index()).map(|name| known_number(name)) {
            Some((name, number)) => (Some(name), number),
            None => (None, None),
        };
        let mut entry = json!({
            "id": agent.index(),
            "team": briefing.team.to_string(),
            "leader": briefing.leader() == Some(agent),
            "name": name,
            "holding": state.hand(agent).map(|piece| if piece.is_sham() { "sham" } else { "real" }),
        });
        if let Some(number) = number {
            entry["number"] = number.0.into();
        }
        match state.position(agent) {
            Some(Position { x, y }) => {
                entry["x"] = x.into();
                entry["y"] = y.into();
            }
            None => entry["gone"] = true.into(),
        }
        if let Some(ready) = state.ready(agent).filter(|ready| ready.at > state.clock()) {
            entry["lockedUntil"] = ready.at.as_millis().into();
        }
        entry
    };
    let mut message = json!({
        "kind": "start",
        "t": state.clock().as_millis(),
        "seed": seed.to_string(),
        "board": {
            "columns": geometry.columns(),
            "rows": geometry.rows(),
            "goalRows": geometry.goal_rows(),
        },
        "penalties": Value::Object(penalties.into_iter().collect()),
        "sham": config.sham_probability(),
        "landing": config.landing_pick_up(),
        "pieces": config.pieces(),
        "agents": AgentId::all(state.agents()).map(agent).collect::<Value>(),
    })
    .to_string();
    // There may be a million pieces: as values of JSON they would take ten times the memory of their text.
    message.pop();
    let (goals, covered) = (by_team(&goals), by_team(&setup.covered));
    let mut gap = "";
    let written: fmt::Result = (|| {
        write!(message, r#","goals":{goals},"covered":{covered},"lying":["#)?;
        for (Position { x, y }, piece) in &setup.pieces {
            write!(message, "{gap}[{x},{y},{}]", sham(Some(*piece)))?;
            gap = ",";
        }
        message.write_str("]}")
    })();
    written.expect("a string takes all that is written");
    message
}

/// Takes all entries, each with a comma behind it, as one message; none if there are none.
pub(crate) fn events_message(entries: &mut String) -> Option<String> {
    entries.pop()?; // the last comma
    let message = format!(r#"{{"kind":"events","events":[{entries}]}}"#);
    entries.clear();
    Some(message)
}

/// Statistics as a message.
pub fn statistics(document: &Value) -> String {
    json!({ "kind": "statistics", "document": document }).to_string()
}

/// The first message of every feed; `game` is the game's name in replays.
pub fn hello(game: &str, mode: Mode<'_>, is_operator: bool) -> String {
    let (mode, file) = match mode {
        Mode::Live => ("live", None),
        Mode::Replay { file } => ("replay", Some(file)),
    };
    json!({ "kind": "hello", "game": game, "mode": mode, "program": PROGRAM, "operator": is_operator, "file": file })
        .to_string()
}

/// What the page is shown over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode<'a> {
    /// A game that is hosted.
    Live,
    /// A replay.
    Replay {
        /// The name of its file.
        file: &'a str,
    },
}

/// This program, as replays and feeds name it.
pub const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// Every parameter with its value, and what is wrong with what was asked for; after the start they are locked.
pub fn settings(settings: &[Setting], is_locked: bool, faults: &[Fault]) -> String {
    let setting = |Setting { parameter, value, origin }: &Setting| {
        let shown = match parameter.range {
            Range::Whole(least, most) => json!({ "type": "whole", "least": least, "most": most }),
            Range::Real(least, most) => json!({ "type": "real", "least": least, "most": most }),
            Range::Flag => json!({ "type": "flag" }),
            Range::OneOf(values) => json!({ "type": "text", "values": values }),
            Range::Text(_) | Range::List(_) => json!({ "type": "text", "values": null }),
        };
        // A text may have been written as a number; not every number of 64 bits is one to a page.
        let value = match parameter.range {
            Range::OneOf(_) | Range::Text(_) | Range::List(_) => json!(value.text()),
            Range::Whole(..) | Range::Real(..) | Range::Flag => json!(value),
        };
        json!({
            "name": parameter.name,
            "meaning": parameter.description(),
            "value": value,
            "default": game_env::Value::from(parameter.default),
            "origin": origin,
            "range": shown,
        })
    };
    let fault = |Fault { field, value, why, allowed }: &Fault| json!({ "field": field, "value": value, "why": why, "allowed": allowed });
    json!({
        "kind": "settings",
        "locked": is_locked,
        "parameters": settings.iter().map(setting).collect::<Value>(),
        "faults": faults.iter().map(fault).collect::<Value>(),
    })
    .to_string()
}

/// Who has joined: the numbers of their connections; and what starts the game by itself.
pub fn lobby(team_size: u16, members: &game_env::ByTeam<Vec<AgentNumber>>, starts: Starts) -> String {
    let numbers = |team: Team| members[team].iter().map(|agent| json!(agent.0)).collect::<Value>();
    let may_start = members.iter().all(|members| !members.is_empty());
    json!({
        "kind": "lobby",
        "teamSize": team_size,
        "red": numbers(Team::Red),
        "blue": numbers(Team::Blue),
        "mayStart": may_start,
        "startsWhenFull": starts.when_full,
        "startsAfterMs": starts.after.map(Millis::as_millis),
    })
    .to_string()
}

/// What became of the connection to the communication server, and where agents join.
pub fn server(server: &Server) -> String {
    let Server { host, port, contact } = server;
    let (state, field, why) = match contact {
        Contact::Connecting => ("connecting", None, None),
        Contact::Connected => ("connected", None, None),
        Contact::Failed(field, why) => ("failed", Some(field), Some(why)),
        Contact::Lost(why) => ("lost", None, Some(why)),
    };
    // A server tells its game master nothing about its other port: only the usual one is known.
    let agents = (*port == USUAL_PORT).then_some(USUAL_AGENTS_PORT);
    json!({
        "kind": "server", "state": state, "host": host, "port": port, "agentsPort": agents, "field": field, "why": why,
    })
    .to_string()
}

/// The communication server's port for the game master, and its port for agents, unless configured otherwise.
const USUAL_PORT: u16 = 3728;
const USUAL_AGENTS_PORT: u16 = 3727;

/// How far the clock of a game is in which nothing happens.
pub fn clock(now: SimTime) -> String {
    json!({ "kind": "clock", "t": now.as_millis() }).to_string()
}

/// A recording that breaks off, and why; the feed has all before the break.
pub fn truncated(why: &str) -> String {
    json!({ "kind": "truncated", "why": why }).to_string()
}

/// The last message of a game master that ends.
pub fn gone(why: &str) -> String {
    json!({ "kind": "gone", "why": why }).to_string()
}

/// The content of an answer in the notation of [`Information`], a text for each of its lists.
fn told(information: &Information) -> Value {
    let text = information.to_string();
    let list = |name: &str| {
        let mut lists = text.split(' ').filter_map(|list| list.split_once('='));
        lists.find_map(|(own, items)| (own == name).then_some(items)).unwrap_or_default()
    };
    let distances = Some(list("distances")).filter(|items| !items.is_empty());
    json!({ "distances": distances, "red": list("red"), "blue": list("blue") })
}

pub(crate) fn drawn(note: &Note) -> Value {
    let shape = |shape: &Shape| match shape {
        Shape::Field(at) => json!({ "field": [at.x, at.y] }),
        Shape::Line(from, to) => json!({ "line": [from.x, from.y, to.x, to.y] }),
        Shape::Label(at, text) => json!({ "label": [at.x, at.y, text] }),
    };
    json!({ "text": note.text, "shapes": note.shapes.iter().map(shape).collect::<Value>() })
}

/// A piece as a number: 1 for a sham.
fn sham(piece: Option<Piece>) -> u8 {
    piece.is_some_and(Piece::is_sham).into()
}

/// A number, or `null`.
struct Maybe<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(number) => number.fmt(f),
            None => f.write_str("null"),
        }
    }
}
