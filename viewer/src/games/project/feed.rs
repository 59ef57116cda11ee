//! A game of The Project Game as messages, from which the page draws everything.
//!
//! [`Feed`] is a [`Witness`] of a live game or of a replay; the functions beside it write the messages before a game.
//! The content of each message is described on the book's page "The feed of the game page".
//!
//! It reads no clock and opens no socket: equal games make equal feeds.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use game_env::messages::ClaimVerdict;
use game_env::replay::Player;
use game_env::{AgentId, Disruption, Environment, Millis, Note, Outcome, Seed, SimTime, Witness};
use game_project::beliefs::Beliefs;
use game_project::statistics::Statistics;
use game_project::{
    Action, ActionKind, Distance, Event, Lock, Penalties, Piece, Position, PutResult, State, Team,
};
use serde_json::{Value, json};
use wire::project::{AgentNumber, Seats};

use super::changes::{Changes, Runs};
use super::document::document;
use super::figures::{self, LastFigures};
use super::lobby::{Contact, Server, Starts, may_start};
use crate::feed::{drawn, events_message};
use crate::room::GameFeed;

/// Turns the events of a game into messages, and counts the figures of the statistics.
///
/// The events of a step wait until the state after it is there ([`Feed::settle`]): only that state knows the kind of
/// a landed piece. As a [`Witness`] the feed settles them by itself before the next event.
#[derive(Clone, Debug)]
pub struct Feed {
    penalties: Penalties,
    statistics: Statistics,
    figures: LastFigures,
    beliefs: Beliefs,
    /// The piece in each agent's hand.
    hands: Vec<Option<Piece>>,
    seed: Seed,
    players: Vec<Player>,
    /// The numbers of the agents' connections, if they are known.
    seats: Option<Seats>,
    /// The events of the last step.
    unsettled: Vec<(SimTime, Event)>,
    /// Entries that nobody has taken, each with a comma behind it.
    entries: String,
}

impl Feed {
    fn write(&mut self, state: &State, at: SimTime, event: &Event) {
        let mut changes = Changes::default();
        let geometry = state.config().geometry();
        let field = |at: Position| geometry.index(at);
        let lesson = self.beliefs.hear(state, at, event);
        // A lock without length is left out.
        let lock = event.lock(at, self.penalties).filter(|lock| lock.until > at);
        if let Some(Lock { agent, action, until }) = lock {
            self.figures.lock(agent, action, at, until);
            changes.set("lock", until.as_millis());
        }
        let (word, agent, about) = match event {
            Event::Moved { agent, to: Position { x, y }, distance } => {
                ("moved", Some(agent), format!(",{x},{y},{}", Maybe(distance.moves())))
            }
            Event::Discovered { agent, distances } => {
                let reading = |distance: Distance| distance.moves().map_or(-1, i32::from);
                let around = distances.0.map(|field| Maybe(field.map(reading)).to_string());
                ("discovered", Some(agent), format!(",[{}]", around.join(",")))
            }
            Event::PickedUp { agent } => {
                if let Some(from) = state.position(*agent) {
                    changes.set("taken", field(from));
                }
                self.hand(*agent, state.hand(*agent), &mut changes);
                ("picked-up", Some(agent), String::new())
            }
            Event::Put { agent, result } => {
                if let Some(here) = state.position(*agent) {
                    match result {
                        PutResult::OnTaskField => {
                            let sham = sham(self.hands[agent.index()]);
                            changes.set("laid", format_args!("[{},{sham}]", field(here)));
                        }
                        PutResult::OnGoal => {
                            let [red, blue] = state.points().into_inner();
                            changes.set("covered", field(here));
                            changes.set("points", format_args!("[{red},{blue}]"));
                        }
                        PutResult::OnNoGoal | PutResult::WasSham => {}
                    }
                }
                self.hand(*agent, None, &mut changes);
                ("put", Some(agent), format!(",\"{result}\""))
            }
            Event::Checked { agent, sham } => {
                let piece = self.hands[agent.index()].filter(|_| !sham);
                self.hand(*agent, piece, &mut changes);
                ("checked", Some(agent), format!(",{sham}"))
            }
            Event::Destroyed { agent } => {
                self.hand(*agent, None, &mut changes);
                ("destroyed", Some(agent), String::new())
            }
            Event::Asked { agent, by, must_answer } => {
                ("asked", Some(agent), format!(",{},{must_answer}", by.index()))
            }
            Event::AskedAgain { agent, by } => ("asked-again", Some(agent), format!(",{}", by.index())),
            Event::Answered { agent, by, .. } => {
                let (claims, counts) = lesson.answer.as_ref().expect("an answer has a list of claims");
                let [honest, stale, mistaken, lies] = ClaimVerdict::ALL.map(|verdict| counts.of(verdict));
                changes.set("verdict", format_args!("\"{}\"", counts.worst()));
                changes.set("claims", format_args!("[{honest},{stale},{mistaken},{lies}]"));
                ("answered", Some(agent), format!(",{},\"{}\"", by.index(), Runs(claims, geometry)))
            }
            Event::Refused { agent, action, refusal } => {
                ("refused", Some(agent), format!(",\"{action}\",\"{}\"", refusal.word()))
            }
            Event::Landed { agent } => {
                let piece = state.hand(*agent);
                self.hand(*agent, piece, &mut changes);
                ("landed", Some(agent), format!(",{}", sham(piece)))
            }
            Event::Appeared { at: to, piece } => {
                let (Position { x, y }, sham) = (to, sham(Some(*piece)));
                changes.set("laid", format_args!("[{},{sham}]", field(*to)));
                ("appeared", None, format!(",{x},{y},{sham}"))
            }
            Event::Left { agent } => {
                changes.set("gone", true);
                self.figures.unlock(*agent, at);
                self.hand(*agent, None, &mut changes);
                ("left", Some(agent), String::new())
            }
            Event::Over(outcome) => return self.over(at, outcome),
        };
        changes.beliefs(&lesson, geometry);
        let asker = match event {
            Event::Asked { by, .. } | Event::AskedAgain { by, .. } | Event::Answered { by, .. } => Some(by),
            _ => None,
        };
        let (figures, statistics) = (&mut self.figures, &self.statistics);
        let touched = [agent, asker].into_iter().flatten().copied();
        changes.figures(touched.flat_map(|agent| {
            figures.update(statistics, agent).map(move |(place, value)| (agent, place, value))
        }));
        self.entry(at, word, agent.copied(), format_args!("{about},{changes}"));
    }

    fn over(&mut self, at: SimTime, outcome: &Outcome) {
        let winner = outcome.winner().map_or_else(|| "-1".to_owned(), |team| team.index().to_string());
        let points: Vec<String> = outcome.returns.points().iter().map(i32::to_string).collect();
        let (termination, points) = (outcome.termination, points.join(","));
        let changes = Changes::default();
        write!(self.entries, "[{},\"over\",{winner},\"{termination}\",{points},{changes}],", at.as_millis())
            .expect("a string takes all that is written");
    }

    /// Notes the piece in an agent's hand from now on.
    fn hand(&mut self, agent: AgentId, piece: Option<Piece>, changes: &mut Changes) {
        let before = std::mem::replace(&mut self.hands[agent.index()], piece);
        if before != piece {
            changes.set("hand", piece.map_or(0, |piece| 1 + u8::from(piece.is_sham())));
        }
    }

    fn entry(&mut self, at: SimTime, word: &str, agent: Option<AgentId>, rest: fmt::Arguments<'_>) {
        let whose = agent.map_or_else(|| "-1".to_owned(), |agent| agent.index().to_string());
        write!(self.entries, "[{},\"{word}\",{whose}{rest}],", at.as_millis())
            .expect("a string takes all that is written");
    }
}

fn hands(state: &State) -> Vec<Option<Piece>> {
    AgentId::all(state.agents()).map(|agent| state.hand(agent)).collect()
}

impl GameFeed<State> for Feed {
    fn new(state: &State, seed: Seed, players: &[Player]) -> Self {
        Self {
            penalties: state.config().penalties(),
            statistics: Statistics::new(state.agents()),
            figures: LastFigures::new(state.agents()),
            beliefs: Beliefs::new(state),
            hands: hands(state),
            seed,
            players: players.to_vec(),
            seats: known_seats(players),
            unsettled: Vec::new(),
            entries: String::new(),
        }
    }

    /// The number of an agent's connection is a member of its own if it is known. Of a game under way the message
    /// also has the events before: goals covered, agents gone, locks, figures.
    fn start(&self, state: &State) -> String {
        start(state, self.seed, &self.players, &self.figures)
    }

    fn settle(&mut self, state: &State) {
        for (at, event) in std::mem::take(&mut self.unsettled) {
            self.statistics.count(state, &event);
            self.write(state, at, &event);
        }
    }

    /// Goes on from this state: what agents learnt until then is not known any more.
    fn resume(&mut self, state: &State) {
        self.unsettled.clear();
        self.entries.clear();
        self.hands = hands(state);
        self.beliefs = Beliefs::new(state);
    }

    fn waiting(&self) -> usize {
        self.entries.len()
    }

    fn take(&mut self) -> Option<String> {
        events_message(&mut self.entries)
    }

    fn document(&self, state: &State) -> Value {
        document(state, &self.statistics, self.seats.as_ref(), self.seed)
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
        self.entry(now, "note", Some(agent), format_args!(",{},{}", drawn(note), Changes::default()));
    }

    fn end(&mut self, state: &State, _: SimTime) {
        self.settle(state);
    }
}

/// Returns the message of [`Feed::start`].
fn start(state: &State, seed: Seed, players: &[Player], figures: &LastFigures) -> String {
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
    // Hidden and covered ones together: the covered ones are a list of their own as well.
    let mut goals = setup.goals.clone();
    for team in Team::ALL {
        goals[team].extend_from_slice(&setup.covered[team]);
        goals[team].sort_unstable_by_key(|at| geometry.index(*at));
    }
    let penalties =
        ActionKind::ALL.map(|kind| (kind.to_string(), json!(config.penalties().of(kind).as_millis())));
    let agent = |agent: AgentId| {
        let briefing = state.briefing(agent);
        let player = players.get(agent.index());
        let mut entry = json!({
            "id": agent.index(),
            "team": briefing.team.to_string(),
            "leader": briefing.leader() == Some(agent),
            "name": player.map(|player| &player.name),
            "holding": state.hand(agent).map(|piece| if piece.is_sham() { "sham" } else { "real" }),
        });
        if figures.of(agent).iter().any(|figure| *figure > 0) {
            entry["figures"] = json!(figures.of(agent));
        }
        if let Some(number) = player.and_then(|player| player.number) {
            entry["number"] = number.into();
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
        "points": state.points().into_inner(),
        "figures": figures::names(),
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

/// Returns the seats of a game, if all players have connections with different numbers.
fn known_seats(players: &[Player]) -> Option<Seats> {
    let numbers: Option<Vec<_>> = players.iter().map(|player| player.number.map(AgentNumber)).collect();
    let numbers = numbers?;
    let different: BTreeSet<_> = numbers.iter().collect();
    (different.len() == numbers.len()).then(|| Seats::new(numbers.clone()))
}

/// Returns the agents that have joined, by the numbers of their connections; and the events that start the game by
/// itself.
pub fn lobby(team_size: u16, members: &game_env::ByTeam<Vec<AgentNumber>>, starts: Starts) -> String {
    let numbers = |team: Team| members[team].iter().map(|agent| json!(agent.0)).collect::<Value>();
    json!({
        "kind": "lobby",
        "teamSize": team_size,
        "red": numbers(Team::Red),
        "blue": numbers(Team::Blue),
        "mayStart": may_start(members),
        "startsWhenFull": starts.when_full,
        "startsAfterMs": starts.after.map(Millis::as_millis),
    })
    .to_string()
}

/// Returns the state of the connection to the communication server, and the port at which agents join.
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

/// The communication server's port for the game master, unless configured otherwise.
pub const USUAL_PORT: u16 = 3728;

/// The communication server's port for agents, unless configured otherwise.
pub const USUAL_AGENTS_PORT: u16 = 3727;

/// Returns a piece as a number: 1 for a sham.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_known_if_every_player_has_a_number_of_its_own() {
        let players = |numbers: &[Option<i64>]| -> Vec<Player> {
            let player =
                |number: &Option<i64>| Player { number: *number, ..Player::new(Team::Red, "greedy") };
            numbers.iter().map(player).collect()
        };
        let seats = Seats::new([3, 1].map(AgentNumber).to_vec());
        assert_eq!(known_seats(&players(&[Some(3), Some(1)])), Some(seats));
        assert_eq!(known_seats(&players(&[Some(1), Some(1)])), None);
        assert_eq!(known_seats(&players(&[Some(1), None])), None);
    }
}
