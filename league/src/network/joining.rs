//! Agents that join from outside: the league does not start them, and they connect at any time.
//!
//! An entrant of this kind has a port for each team, which is open for the whole league. An agent that connects between
//! two matches, or while others play, waits in the queue of the system; the next match that needs an agent of this
//! entrant and team takes the one that has waited for the longest. So agents need to know nothing but the two
//! addresses.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use game_env::TeamId;
use game_env::text::parser_message;
use serde::{Deserialize, Serialize};

/// Prefix of such an entrant in matches, before its JSON.
const PREFIX: &str = "join ";

/// An entrant whose agents join from outside, as matches name it: `join {"name":"mine","ports":[4001,4002]}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoiningEntrant {
    /// Name of the entrant in standings; distinguishes its ports from those of other entrants.
    pub name: String,
    /// The port of each team, in the order of their ids; the system chooses them unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ports: Option<[u16; 2]>,
}

impl JoiningEntrant {
    /// Returns the entrant with this name in matches; none if the name is of another kind.
    ///
    /// # Errors
    ///
    /// If the name is that of such an entrant, and has a fault; the error names the fault.
    pub fn find(name: &str) -> Option<Result<Self, String>> {
        name.starts_with(PREFIX).then(|| name.parse())
    }

    fn port(&self, team: TeamId) -> u16 {
        self.ports.and_then(|ports| ports.get(team.index()).copied()).unwrap_or_default()
    }
}

/// As matches name it.
impl fmt::Display for JoiningEntrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for JoiningEntrant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let json = text.strip_prefix(PREFIX).unwrap_or(text);
        serde_json::from_str(json)
            .map_err(|error| format!("no entrant that joins: {}", parser_message(error)))
    }
}

/// The ports of all entrants that join, open from the first time they are asked for.
#[derive(Clone, Debug)]
pub(super) struct Ports {
    listen: IpAddr,
    open: Arc<Mutex<Open>>,
}

/// The open ports, by entrant and team.
type Open = BTreeMap<(JoiningEntrant, TeamId), Arc<TcpListener>>;

impl Ports {
    /// Ports at this address.
    pub(super) fn at(listen: IpAddr) -> Self {
        Self { listen, open: Arc::default() }
    }

    /// Returns the port at which the agents of this entrant join this team.
    pub(super) fn of(&self, entrant: &JoiningEntrant, team: TeamId) -> io::Result<Arc<TcpListener>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = open.get(&(entrant.clone(), team)) {
            return Ok(listener.clone());
        }
        let address = SocketAddr::new(self.listen, entrant.port(team));
        let listener = TcpListener::bind(address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| Arc::new(listener)))
            .map_err(|error| io::Error::new(error.kind(), format!("{address}: {error}")))?;
        open.insert((entrant.clone(), team), listener.clone());
        Ok(listener)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entrants_read_as_they_are_written() {
        let plain = JoiningEntrant { name: "a \"b\"".to_owned(), ports: None };
        let fixed = JoiningEntrant { ports: Some([4001, 4002]), ..plain.clone() };
        for entrant in [plain, fixed] {
            assert_eq!(JoiningEntrant::find(&entrant.to_string()), Some(Ok(entrant)));
        }
        assert_eq!(JoiningEntrant::find("greedy"), None);
        for text in ["join", "join {}", r#"join {"name":"a","ports":[1]}"#, r#"join {"name":"a","port":1}"#] {
            assert!(!matches!(JoiningEntrant::find(text), Some(Ok(_))), "{text}");
        }
    }

    #[test]
    fn a_port_stays_open_and_is_that_of_one_entrant_and_team() {
        let ports = Ports::at(IpAddr::from([127, 0, 0, 1]));
        let [one, other] = ["one", "other"].map(|name| JoiningEntrant { name: name.to_owned(), ports: None });
        let address = |entrant: &JoiningEntrant, team| ports.of(entrant, team).unwrap().local_addr().unwrap();
        let first = address(&one, TeamId::new(0));
        assert_eq!(address(&one, TeamId::new(0)), first);
        assert!(address(&one, TeamId::new(1)) != first && address(&other, TeamId::new(0)) != first);
        // A port that is taken is named.
        let taken = JoiningEntrant { ports: Some([first.port(), 0]), ..other };
        let error = ports.of(&taken, TeamId::new(0)).unwrap_err().to_string();
        assert!(error.starts_with(&first.to_string()), "{error}");
    }
}
