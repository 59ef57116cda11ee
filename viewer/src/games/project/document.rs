//! The statistics of a game of The Project Game as one JSON document.

use game_env::{AgentId, Environment, Seed, TeamId, Turn};
use game_project::statistics::{ByKind, Figures, Statistics};
use game_project::{ActionKind, State, Team};
use serde_json::{Map, Value, json};
use wire::project::Seats;

/// Returns the same as one JSON document. `agent` is the rules' id, as in replays; `agentID` the connection's number,
/// by which board, lobby and logs call it, where there are connections.
pub fn document(state: &State, statistics: &Statistics, seats: Option<&Seats>, seed: Seed) -> Value {
    let agents: Vec<Value> = AgentId::all(state.agents())
        .map(|agent| {
            let mut entry = json!({
                "agent": agent.index(),
                "team": state.briefing(agent).team.to_string(),
                "leader": state.briefing(agent).leader() == Some(agent),
                "present": state.position(agent).is_some(),
            });
            if let Some(seats) = seats {
                entry["agentID"] = json!(seats.number(agent).0);
            }
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
            "winner": outcome.winner().and_then(|team: TeamId| Team::try_from(team).ok()).map(|team| team.to_string()),
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
    let Figures { counts, locked_ms, locked_by, idle_ms } = figures;
    fn kinds<T: Copy + Into<Value>>(of: &ByKind<T>) -> Value {
        ActionKind::ALL.iter().map(|kind| (kind.to_string(), of.of(*kind).into())).collect()
    }
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
        "lockedMsBy": kinds(locked_by),
        "idleMs": idle_ms,
    })
}

/// Adds the members of one object to another.
fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
