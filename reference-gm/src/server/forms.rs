//! Parts of the configuration that all servers have: the forms of texts, and parameters.

use std::net::IpAddr;

use command_line::LogFilter;
use game_env::Seed;
use game_env::parameter::{Form, Parameter};

pub(crate) const LOG: Form = Form {
    allowed: "\"error\", \"warn\", \"info\", \"debug\", \"trace\" or \"off\", or directives",
    check: |text| match text.parse::<LogFilter>() {
        _ if text.is_empty() => Ok(()),
        Ok(_) => Ok(()),
        Err(_) => Err("it names no lines of the log".to_owned()),
    },
};

pub(crate) const ANY: Form = Form { allowed: "a text in quotes", check: |_| Ok(()) };

pub(crate) const FOLDER: Form = Form {
    allowed: "the path of a folder in quotes",
    check: |text| if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(()) },
};

pub(crate) const ADDRESS: Form = Form {
    allowed: "an IPv4 or IPv6 address in quotes",
    check: |text| match text.parse::<IpAddr>() {
        Ok(_) => Ok(()),
        Err(_) => Err("it is no address".to_owned()),
    },
};

pub(crate) const SEED: Form = Form {
    allowed: "a whole number from 0 to 18446744073709551615, or nothing",
    check: |text| match text.parse::<Seed>() {
        _ if text.is_empty() => Ok(()),
        Ok(_) => Ok(()),
        Err(_) => Err("it is no whole number".to_owned()),
    },
};

pub(crate) const CONNECTIONS_OF_ADDRESS: Parameter = Parameter::whole(
    "maxConnectionsPerAddress",
    "connections of one address at once (of the first 64 bits of an IPv6 address)",
    2048,
    1,
    1_000_000,
);
