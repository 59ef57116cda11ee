//! The parameters beside those of the rules.

use game_env::parameter::{Form, Parameter};

use crate::project::agent_set::AgentSet;
use crate::project::master::Settings;
use crate::server::config::SEED;

/// The table; an empty text is no value.
pub(super) const PARAMETERS: [Parameter; 9] = [
    Parameter::text("CsIP", "the communication server's name or address", "127.0.0.1", NAME).source(
        &["CsIP"],
        "7.3",
        "192.168.0.0",
    ),
    Parameter::whole("CsPort", "its port for the game master", 3728, 1, 65_535).source(
        &["CsPort"],
        "7.3",
        "12313",
    ),
    Parameter::one_of(
        "dialect",
        "message dialect; auto: the keys of both, and for agents that write like other implementations what these can read",
        &["auto", "spec", "union"],
    ),
    Parameter::list(
        "ackAgents",
        "agents that wait for messages 112 and 113, beside those that `dialect = auto` recognises: teams, habits and numbers of agents, joined by commas",
        AGENTS,
    )
    .aliases(&["acknowledge"]),
    Parameter::list(
        "longAnswerAgents",
        "agents of other implementations that can read answers up to maxMessageBytes; all others of them get at most 8190 bytes, or 32767 if they wait for messages 112 and 113: teams, habits and numbers of agents, joined by commas",
        AGENTS,
    ),
    Parameter::list(
        "neverAskedAgents",
        "agents that are never asked; the game master sends an empty answer in their place: teams, habits and numbers of agents, joined by commas",
        AGENTS,
    )
    .aliases(&["neverAsked"]),
    Parameter::whole(
        "maxMessageBytes",
        "the longest message",
        Settings::LONGEST_MESSAGE as i64,
        1024,
        65_535,
    )
    .unit("bytes"),
    Parameter::whole("maxGameSeconds", "the longest game by its own clock; 0 for no limit", 0, 0, 1_000_000).unit("s"),
    Parameter::text("seed", "seed of all random numbers of the game; drawn at random if absent", "", SEED),
];

const NAME: Form = Form {
    allowed: "a name or an address",
    check: |text| if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(()) },
};

const AGENTS: Form = Form {
    allowed: "teams, habits and numbers of agents joined by commas, or nothing",
    check: |text| {
        let read: Result<AgentSet, _> = text.parse();
        read.map(|_| ()).map_err(|error| error.to_string())
    },
};
