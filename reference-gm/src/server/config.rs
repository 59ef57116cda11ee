//! The part of the configuration that all servers have: forms of texts, parameters and their values.

use std::net::IpAddr;
use std::path::PathBuf;

use command_line::ADDRESS;
use game_env::Seed;
use game_env::parameter::{Checked, Form, Parameter};

use crate::journal::Sync;

pub(crate) const ANY: Form = Form { allowed: "a text in quotes", check: |_| Ok(()) };

pub(crate) const FOLDER: Form = Form {
    allowed: "the path of a folder in quotes",
    check: |text| if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(()) },
};

pub(crate) const SEED: Form = Form {
    allowed: "a whole number from 0 to 18446744073709551615, or nothing",
    check: |text| match text.parse::<Seed>() {
        _ if text.is_empty() => Ok(()),
        Ok(_) => Ok(()),
        Err(_) => Err("it is no whole number".to_owned()),
    },
};

pub(crate) const HOUR_MS: i64 = 3_600_000;

pub(crate) const LISTEN: Parameter =
    Parameter::text("listen", "the address of the port", "127.0.0.1", ADDRESS);

pub(crate) const PAGE: Parameter = Parameter::text(
    "page",
    "the address of the page where people watch and play, ADDR:PORT; port 0 for any free one; empty for none",
    "127.0.0.1:0",
    ANY,
);

pub(crate) const SYNC: Parameter = Parameter::one_of(
    "sync",
    "when a change must be on the disk: before its answer, within a second, or when the system writes it",
    &["second", "answer", "system"],
);

pub(crate) const BOT_PATIENCE: Parameter = Parameter::whole(
    "botPatienceMs",
    "how long a player may have the turn against a bot while somebody else waits and all bots play; its game then ends",
    300_000,
    0,
    24 * HOUR_MS,
)
.unit("ms");

pub(crate) const CONNECTIONS: Parameter =
    Parameter::whole("maxConnections", "connections at once", 4096, 1, 1_000_000);

pub(crate) const CONNECTIONS_OF_ADDRESS: Parameter = Parameter::whole(
    "maxConnectionsPerAddress",
    "connections of one address at once (of the first 64 bits of an IPv6 address)",
    2048,
    1,
    1_000_000,
);

pub(crate) const BUFFER_BYTES: Parameter = Parameter::whole(
    "maxBytesForPlayer",
    "bytes that may wait for a client before its connection is closed",
    1 << 20,
    1 << 16,
    1 << 30,
);

pub(crate) const fn port(usual: i64) -> Parameter {
    Parameter::whole("port", "the port for players; 0 for any free port", usual, 0, 65_535)
}

pub(crate) const fn ping(usual: i64) -> Parameter {
    Parameter::whole("pingMs", "the time from one ping to the next", usual, 10, HOUR_MS).unit("ms")
}

pub(crate) const fn login(usual: i64) -> Parameter {
    Parameter::whole("loginMs", "how long a connection may take to log in", usual, 10, HOUR_MS).unit("ms")
}

/// The part of a server's configuration that all servers have.
#[derive(Clone, PartialEq, Debug)]
pub struct ServerConfig {
    /// `listen`: the address of the port.
    pub listen: IpAddr,
    /// `port`: the port for players; 0 for any free port.
    pub port: u16,
    /// `page`: the address of the page; none for no page.
    pub page: Option<String>,
    /// `folder`: where the journal is.
    pub folder: PathBuf,
    /// `sync`: when a change must be on the disk.
    pub sync: Sync,
    /// `seed`: the seed of all random draws of games; `None` for a random one.
    pub seed: Option<Seed>,
    /// `maxConnections`: connections at once.
    pub connections: usize,
    /// `maxConnectionsPerAddress`: connections of one address at once.
    pub connections_of_address: usize,
    /// `maxBytesForPlayer`: how much may wait for a client that reads slowly.
    pub buffer_bytes: usize,
    /// `log`: the lines that are logged; none for those that `RUST_LOG` names.
    pub log: Option<String>,
}

impl ServerConfig {
    /// Takes these values from those of all parameters of a server.
    pub(crate) fn of(values: &Checked) -> Self {
        Self {
            listen: values.parsed("listen"),
            port: values.whole("port"),
            page: values.filled("page"),
            folder: values.text("folder").into(),
            sync: values.parsed("sync"),
            seed: values.filled("seed").map(|_| values.parsed("seed")),
            connections: values.whole("maxConnections"),
            connections_of_address: values.whole("maxConnectionsPerAddress"),
            buffer_bytes: values.whole("maxBytesForPlayer"),
            log: values.filled("log"),
        }
    }
}
