//! The result of a game, for people and for programs.

use std::fmt::Write as _;

use game_env::{AgentId, Environment, Seed};
use game_project::statistics::{ByKind, Counts, Figures, Statistics};
use game_project::{ActionKind, State, Team};
use serde_json::{Value, json};
use wire::project::Seats;

/// Returns the statistics of a game as tables for people: what was granted and what came of it, then what was refused;
/// every agent, then the teams. Agents have the number of their connection, where there are connections, and the
/// one that replays and the board give them.
pub fn table(state: &State, statistics: &Statistics, seats: Option<&Seats>, seed: Seed) -> String {
    let agents = AgentId::all(state.agents()).map(|agent| {
        let briefing = state.briefing(agent);
        let mark = if briefing.leader() == Some(agent) { "*" } else { "" };
        let number = seats.map(|seats| seats.number(agent).to_string());
        let names = number.into_iter().chain([format!("{agent}{mark}"), briefing.team.to_string()]);
        (names.collect(), statistics.agent(state, agent))
    });
    let teams = Team::ALL.map(|team| {
        let number = seats.map(|_| "all".to_owned());
        let id = if seats.is_some() { "" } else { "all" };
        let names = number.into_iter().chain([id.to_owned(), team.to_string()]);
        (names.collect(), statistics.team(state, team))
    });
    let rows: Vec<(Vec<String>, Figures)> = agents.chain(teams).collect();
    let numbers = if seats.is_some() { "agentID id team" } else { "id team" };
    let kinds = "move disc pick put check destr ask answ";
    let granted = rows.iter().map(|(names, figures)| {
        let Figures { counts, locked_ms, locked_by: _, idle_ms } = figures;
        let Counts { asked, pieces, shams, goals, .. } = counts;
        let came_of_it = [asked, pieces, shams, goals].map(u32::to_string);
        let times = [*locked_ms, *idle_ms].map(clock);
        names.iter().cloned().chain(by_kind(&counts.granted)).chain(came_of_it).chain(times).collect()
    });
    let granted = aligned(&format!("{numbers} {kinds} asked pieces shams goals locked idle"), granted);
    let refused = rows.iter().map(|(names, Figures { counts, .. })| {
        let reasons: Vec<String> =
            counts.reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let early = [counts.premature.to_string(), reasons.join(", ")];
        names.iter().cloned().chain(by_kind(&counts.refused)).chain(early).collect()
    });
    let refused = aligned(&format!("{numbers} {kinds} early because"), refused);
    format!(
        "{} played, {} requests, seed {seed}\n\ngranted (* leads its team)\n{granted}\nrefused\n{refused}",
        clock(state.clock().as_millis()),
        statistics.requests
    )
}

/// Returns the rows below their titles, each column as wide as it has to be: names and reasons to the left, numbers to
/// the right.
fn aligned(titles: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let titles: Vec<String> = titles.split(' ').map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = std::iter::once(titles.clone()).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for ((cell, title), width) in row.iter().zip(&titles).zip(&widths) {
            let _ = match title.as_str() {
                "id" | "team" | "because" => write!(line, "{cell:<width$} "),
                _ => write!(line, "{cell:>width$} "),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn by_kind(counts: &ByKind) -> impl Iterator<Item = String> {
    ActionKind::ALL.map(|kind| counts.of(kind).to_string()).into_iter()
}

/// Returns a span of time as clocks show it: `m:ss.s`, from an hour on `h:mm:ss`.
fn clock(milliseconds: u64) -> String {
    let (seconds, tenths) = (milliseconds / 1000, milliseconds / 100 % 10);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    match minutes / 60 {
        0 => format!("{minutes}:{seconds:02}.{tenths}"),
        hours => format!("{hours}:{:02}:{seconds:02}", minutes % 60),
    }
}

/// Returns the document of a game that never began.
pub fn called_off(seed: Seed) -> Value {
    json!({ "calledOff": true, "outcome": null, "seed": seed.to_string() })
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn times_are_those_of_a_clock() {
        let told = [0, 99_950, 600_000, 3_599_999, 3_600_000, 90_061_000].map(clock);
        assert_eq!(told, ["0:00.0", "1:39.9", "10:00.0", "59:59.9", "1:00:00", "25:01:01"]);
    }
}
