//! What an operator reads: the lobby, the start, points as they come, and the statistics at the end.

use std::fmt::Write as _;
use std::io::Write;

use game_env::{AgentId, Disruption, Environment, Outcome, Seed, SimTime, Sink, TeamId, Turn, Witness};
use game_project::{Action, ActionKind, Event, State, Team};
use serde_json::{Map, Value, json};

use crate::link::Journal;
use crate::master::{Master, News};
use crate::recorder::Recorder;
use crate::statistics::{ByKind, Counts, Figures, Statistics};

/// A [`Journal`] that writes lines for people, and a replay beside.
///
/// Of messages that make no sense it shows so many a second and counts the rest.
pub struct Console<W> {
    out: W,
    recorder: Recorder,
    complaints: u32,
    withheld: u64,
}

/// How many messages without sense are shown in a second.
const COMPLAINTS_PER_SECOND: u32 = 10;

impl<W: Write> Console<W> {
    /// Writes to `out`.
    pub fn new(out: W, recorder: Recorder) -> Self {
        Self { out, recorder, complaints: 0, withheld: 0 }
    }

    /// The recorder, once the game is over.
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }

    fn say(&mut self, line: &str) {
        // A console that is gone is no reason to stop a game.
        let _ = writeln!(self.out, "{line}");
    }

    fn complain(&mut self, line: &str) {
        if self.complaints < COMPLAINTS_PER_SECOND {
            self.complaints += 1;
            self.say(line);
        } else {
            self.withheld += 1;
        }
    }
}

impl<W: Write> Journal for Console<W> {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { agent, team } => self.say(&format!("agent {agent} joins {team}")),
            News::TurnedAway { agent, team } => {
                self.complain(&format!("agent {agent} is turned away from {team}"));
            }
            News::Lost { agent } => self.say(&format!("agent {agent} is gone")),
            News::CannotStart { without } => {
                self.say(&format!("the game cannot start: {without} has no agents"));
            }
            News::StartTooLong { length } => {
                let most = master.settings().longest_message;
                self.say(&format!(
                    "the game cannot start: with so many agents message 105 has {length} bytes, and maxMessageBytes is {most}"
                ));
            }
            News::Configured => self.say("the settings are changed"),
            News::NotConfigured(reason) => self.say(&format!("the settings stay as they are: {reason}")),
            News::CalledOff => self.say("the game is called off"),
            News::Started => {
                let (Some(state), Some(seats)) = (master.game(), master.seats()) else { return };
                let [red, blue] = state.config().agents().into_inner();
                // Not known before: the operator may choose another one until the start.
                let seed = master.settings().seed;
                self.say(&format!("the game starts: {red} red, {blue} blue, seed {seed}"));
                if let Err(error) = self.recorder.begin(state, seed, seats) {
                    self.say(&format!("warning: {error}: {}; the game goes on without it", source(&error)));
                }
            }
            News::Scored { team } => {
                let Some(state) = master.game() else { return };
                let [red, blue] = state.points().into_inner();
                self.say(&format!("{}  {team} scores: red {red}, blue {blue}", state.clock()));
            }
            News::Over(outcome) => self.say(&told_outcome(outcome)),
            News::Unsent { to, message, length } => {
                let most = master.settings().longest_message;
                self.complain(&format!(
                    "message {message} for agent {to} has {length} bytes, more than {most}, and is not sent"
                ));
            }
            News::Senseless { agent, reason } => {
                let from = agent.map_or_else(|| "somebody".to_owned(), |agent| format!("agent {agent}"));
                self.complain(&format!("from {from}: {reason}"));
            }
        }
    }

    fn nonsense(&mut self, reason: &str) {
        self.complain(&format!("from the communication server: {reason}"));
    }

    fn second(&mut self, _: &Master) {
        self.complaints = 0;
        if self.withheld > 0 {
            let line = format!("{} further messages made no sense", std::mem::take(&mut self.withheld));
            self.say(&line);
        }
        if let Err(error) = self.recorder.flush() {
            self.say(&format!("warning: {error}: {}; the game goes on without it", source(&error)));
        }
    }
}

fn source(error: &dyn std::error::Error) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

impl<W: Write> Sink<Event> for Console<W> {
    fn event(&mut self, _: SimTime, _: Event) {}
}

impl<W: Write> Witness<State> for Console<W> {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.recorder.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.recorder.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.recorder.end(state, now);
    }
}

/// One line: who won, and why it ended.
pub fn told_outcome(outcome: &Outcome) -> String {
    let winner = outcome.winner.and_then(|team| Team::try_from(team).ok());
    let winner = winner.map_or_else(|| "nobody wins".to_owned(), |team| format!("{team} wins"));
    let points: Vec<String> = outcome.returns.points().iter().map(i32::to_string).collect();
    format!("{winner}, {} ({})", points.join(" : "), outcome.termination)
}

/// The statistics of a game as tables for people: what was granted and what came of it, then what was refused;
/// every agent, then the teams.
pub fn table(state: &State, statistics: &Statistics, seed: Seed) -> String {
    let mut text = String::new();
    if let Turn::Over(outcome) = state.turn() {
        let _ = writeln!(
            text,
            "{} after {}, {} requests, seed {seed}",
            told_outcome(&outcome),
            state.clock(),
            statistics.requests
        );
    }
    let agents = AgentId::all(state.agents()).map(|agent| {
        let figures = statistics.agent(state, agent);
        (agent.to_string(), state.briefing(agent).team, figures)
    });
    let teams = Team::ALL.map(|team| ("all".to_owned(), team, statistics.team(state, team)));
    let rows: Vec<_> = agents.chain(teams).collect();
    let kinds = "  move discov pickup    put  check  destr    ask answer";
    let _ = writeln!(
        text,
        "\n{:<7} {:<4} {kinds}  asked pieces  shams  goals   locked     idle",
        "agent", "team"
    );
    for (name, team, Figures { counts, locked_ms, idle_ms }) in &rows {
        let Counts { asked, pieces, shams, goals, .. } = counts;
        let _ = write!(text, "{name:<7} {team:<4} {}", by_kind(&counts.granted));
        let _ = write!(text, " {asked:>6} {pieces:>6} {shams:>6} {goals:>6}");
        let _ = writeln!(text, " {:>8} {:>8}", seconds(*locked_ms), seconds(*idle_ms));
    }
    let _ = writeln!(text, "\n{:<7} {:<4} {kinds}  early  because", "refused", "team");
    for (name, team, Figures { counts, .. }) in &rows {
        let reasons: Vec<String> =
            counts.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let line = format!(
            "{name:<7} {team:<4} {} {:>6}  {}",
            by_kind(&counts.refused),
            counts.premature,
            reasons.join(", ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn by_kind(counts: &ByKind) -> String {
    ActionKind::ALL.map(|kind| format!("{:>6}", counts.of(kind))).join(" ")
}

fn seconds(milliseconds: u64) -> String {
    SimTime::from_millis(milliseconds).to_string()
}

/// The same as one JSON document.
pub fn document(state: &State, statistics: &Statistics, seed: Seed) -> Value {
    let agents: Vec<Value> = AgentId::all(state.agents())
        .map(|agent| {
            let mut entry = json!({
                "agent": agent.index(),
                "team": state.briefing(agent).team.to_string(),
                "leader": state.briefing(agent).leader() == Some(agent),
                "present": state.position(agent).is_some(),
            });
            merge(&mut entry, figures(&statistics.agent(state, agent)));
            entry
        })
        .collect();
    let points = state.points();
    let teams: Map<String, Value> = Team::ALL
        .into_iter()
        .map(|team| {
            let mut entry = json!({ "points": points[team] });
            merge(&mut entry, figures(&statistics.team(state, team)));
            (team.to_string(), entry)
        })
        .collect();
    let outcome = match state.turn() {
        Turn::Over(outcome) => json!({
            "winner": outcome.winner.and_then(|team: TeamId| Team::try_from(team).ok()).map(|team| team.to_string()),
            "termination": outcome.termination.to_string(),
        }),
        Turn::Act { .. } => Value::Null,
    };
    let [red, blue] = points.into_inner();
    json!({
        "outcome": outcome,
        "points": { "red": red, "blue": blue },
        "timeMs": state.clock().as_millis(),
        "seed": seed.to_string(),
        "requests": statistics.requests,
        "teams": teams,
        "agents": agents,
    })
}

fn figures(figures: &Figures) -> Value {
    let Figures { counts, locked_ms, idle_ms } = figures;
    let kinds = |of: &ByKind| -> Value {
        ActionKind::ALL.iter().map(|kind| (kind.to_string(), json!(of.of(*kind)))).collect()
    };
    json!({
        "granted": kinds(&counts.granted),
        "refused": kinds(&counts.refused),
        "refusedBecause": counts.reasons,
        "premature": counts.premature,
        "pieces": counts.pieces,
        "shams": counts.shams,
        "goals": counts.goals,
        "questionsAsked": counts.granted.of(ActionKind::Ask),
        "questionsReceived": counts.asked,
        "questionsAnswered": counts.granted.of(ActionKind::Answer),
        "lockedMs": locked_ms,
        "idleMs": idle_ms,
    })
}

/// Adds the members of one object to another.
fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
