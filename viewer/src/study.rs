//! The studies of a replay that the operator asks for on the page, sans-IO: what can be asked for, and the check of
//! requests.

use game_env::text::{fit_for_a_log, parser_message};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::findings::Findings;
use crate::room::Room;

/// The choices of the operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The names of the teams.
    pub teams: Vec<String>,
    /// The number of agents.
    pub agents: usize,
    /// The strategies and programs that may take the place of a recorded player. No request names others: a program is
    /// a command, and the page chooses no commands.
    pub entrants: Vec<String>,
    /// The number of the team that has lost, if it is the only one: the page proposes it.
    pub loser: Option<usize>,
}

/// A request of the operator, checked by [`Offer::read`]. A moment `t` is one of the page, in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "study", rename_all = "lowercase", deny_unknown_fields)]
pub enum StudyRequest {
    /// The course of the chances.
    Curve {},
    /// The futures from a moment.
    Fork {
        /// The moment.
        t: u64,
        /// For each team the entrant that plays on in the place of its agents; none for the recorded players.
        teams: Vec<Option<String>>,
    },
    /// The decisions from a moment on that an entrant would have made in the place of an agent.
    Diff {
        /// The moment.
        t: u64,
        /// The agent.
        agent: usize,
        /// The entrant.
        entrant: String,
    },
    /// The decision that cost a team most.
    Why {
        /// The number of the team, from 0.
        team: usize,
    },
    /// The end of the study that is under way.
    Stop {},
}

/// The shape of a request, for messages about faulty ones.
const EXPECTED: &str = r#"expected {"study": "curve"}, {"study": "fork", "t": NUMBER, "teams": [TEXT or null]}, {"study": "diff", "t": NUMBER, "agent": NUMBER, "entrant": TEXT}, {"study": "why", "team": NUMBER} or {"study": "stop"}"#;

impl Offer {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// If the bytes are no request, or the request names a value that is not offered.
    pub fn read(&self, request: &[u8]) -> Result<StudyRequest, String> {
        if !request.trim_ascii_start().starts_with(b"{") {
            return Err(format!("the request is no JSON object: {EXPECTED}"));
        }
        let request = serde_json::from_slice(request)
            .map_err(|error| format!("{}: {EXPECTED}", parser_message(error)))?;
        let (teams, agents) = (self.teams.len(), self.agents);
        match &request {
            StudyRequest::Fork { teams: named, .. } if named.len() != teams => {
                Err(format!("the length of teams: {}: expected {teams}, one for each team", named.len()))
            }
            StudyRequest::Fork { teams, .. } => teams.iter().flatten().try_for_each(|name| self.admit(name)),
            StudyRequest::Diff { agent, .. } if *agent >= agents => {
                Err(format!("agent: {agent}: expected a number below {agents}"))
            }
            StudyRequest::Diff { entrant, .. } => self.admit(entrant),
            StudyRequest::Why { team } if *team >= teams => {
                Err(format!("team: {team}: expected a number below {teams}"))
            }
            StudyRequest::Why { .. } | StudyRequest::Curve {} | StudyRequest::Stop {} => Ok(()),
        }?;
        Ok(request)
    }

    fn admit(&self, name: &str) -> Result<(), String> {
        if self.entrants.iter().any(|own| own == name) {
            return Ok(());
        }
        Err(format!("`{}` is not offered: expected {}", fit_for_a_log(name), self.entrants.join(", ")))
    }

    /// Returns the message of the page about the studies so far.
    pub(crate) fn message(&self, findings: &Findings, state: &StudyState, room: &Room) -> String {
        let mut message = findings.document(room);
        message["offer"] = json!({ "teams": self.teams, "entrants": self.entrants, "loser": self.loser });
        let (progress, fault) = match state {
            StudyState::Idle => (Value::Null, Value::Null),
            StudyState::Working(progress) => (json!(progress), Value::Null),
            StudyState::Failed(fault) => (Value::Null, json!(fault)),
        };
        message["progress"] = progress;
        message["fault"] = fault;
        message.to_string()
    }
}

/// The state of the program that studies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StudyState {
    /// It waits for a request.
    Idle,
    /// It works, and has come this far.
    Working(String),
    /// The last request could not be served, for this reason.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer() -> Offer {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (teams, entrants) = (texts(&["red", "blue"]), texts(&["greedy", "python3 mine.py"]));
        Offer { teams, agents: 4, entrants, loser: None }
    }

    #[test]
    fn what_is_offered_can_be_asked_for() {
        let fork = StudyRequest::Fork { t: 50, teams: vec![None, Some("python3 mine.py".to_owned())] };
        let diff = StudyRequest::Diff { t: 0, agent: 3, entrant: "greedy".to_owned() };
        for (text, request) in [
            (r#"{"study": "curve"}"#, StudyRequest::Curve {}),
            (r#"{"study": "fork", "t": 50, "teams": [null, "python3 mine.py"]}"#, fork),
            (r#"{"study": "diff", "t": 0, "agent": 3, "entrant": "greedy"}"#, diff),
            (r#"{"study": "why", "team": 1}"#, StudyRequest::Why { team: 1 }),
            (r#"{"study": "stop"}"#, StudyRequest::Stop {}),
        ] {
            assert_eq!(offer().read(text.as_bytes()), Ok(request), "{text}");
        }
    }

    #[test]
    fn nothing_else_can_and_the_reason_is_named() {
        for (text, why) in [
            ("", "expected {\"study\": \"curve\"}"),
            (r#"["why", 0]"#, "the request is no JSON object"),
            (r#"{"study": "stop", "x": 1}"#, "unknown field `x`"),
            (r#"{"study": "all"}"#, "unknown variant `all`"),
            (r#"{"study": "why"}"#, "missing field `team`"),
            (r#"{"study": "why", "team": 2}"#, "team: 2: expected a number below 2"),
            (r#"{"study": "why", "team": -1}"#, "expected usize"),
            (
                r#"{"study": "diff", "t": 0, "agent": 4, "entrant": "greedy"}"#,
                "agent: 4: expected a number below 4",
            ),
            (
                r#"{"study": "diff", "t": 0, "agent": 0, "entrant": "rm -r x"}"#,
                "`rm -r x` is not offered: expected greedy,",
            ),
            (r#"{"study": "fork", "t": 0, "teams": [null]}"#, "the length of teams: 1: expected 2"),
            (r#"{"study": "fork", "t": 0, "teams": [null, "sh"]}"#, "`sh` is not offered"),
            (r#"{"study": "fork", "t": -1, "teams": [null, null]}"#, "expected u64"),
        ] {
            let told = offer().read(text.as_bytes()).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
