//! The parameters of an agent's file in The Project Game.

use game_env::parameter::{Form, Parameter};
use game_project::Team;

use crate::address::is_host;
use crate::project::line_up::EntrantLineUp;

/// All parameters of an agent that joins a game on a server, in the order of files.
pub const PARAMETERS: [Parameter; 4] = [
    Parameter::text("CsIP", "the communication server's name or address", "127.0.0.1", HOST).source(
        &["CsIP"],
        FILE,
        "192.168.0.0",
    ),
    Parameter::whole("CsPort", "its port for agents", 3727, 1, 65_535).source(&["CsPort"], FILE, "3729"),
    Parameter::text("teamID", "the team that the agent asks for", "red", TEAM).source(
        &["teamID"],
        FILE,
        "blue",
    ),
    Parameter::text(
        "strategy",
        "the strategy, by its name or its number; several make a line-up, e.g. `greedy*2+liar`",
        "greedy",
        LINE_UP,
    )
    .source(&["strategy"], FILE, "3"),
];

/// The section of the source that has the agent's file.
const FILE: &str = "7.2";

const HOST: Form = Form {
    allowed: "a name or an address",
    check: |text| {
        if is_host(text) { Ok(()) } else { Err("it is no name of a host".to_owned()) }
    },
};

const TEAM: Form = Form {
    allowed: "red or blue",
    check: |text| match text.parse::<Team>() {
        Ok(_) => Ok(()),
        Err(_) => Err("there is no such team".to_owned()),
    },
};

const LINE_UP: Form = Form {
    allowed: "the name or the number of a strategy",
    check: |text| text.parse::<EntrantLineUp>().map(|_| ()),
};
