//! The configuration of the server: defaults, a JSON file over them, flags over the file.

use std::net::IpAddr;
use std::path::PathBuf;

use game_dots::Config as Grid;
use game_env::configuration::File;
use game_env::parameter::{Checked, Fault, Parameter};
use game_env::{ConfigError, Parameters, Seed};
use wire::dots::line::Framing;

use super::journal::Sync;
use super::master::Settings;
use crate::server::{ADDRESS, ANY, CONNECTIONS_OF_ADDRESS, FOLDER, LOG, SEED};

/// A configuration that the server can run with.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// `listen`: the address of the port.
    pub listen: IpAddr,
    /// `port`: the port for players; 0 for any free port.
    pub port: u16,
    /// `page`: the address of the page; none for no page.
    pub page: Option<String>,
    /// `folder`: where journal and replays are.
    pub folder: PathBuf,
    /// `sync`: when a change must be on the disk.
    pub sync: Sync,
    /// `seed`: the seed that decides who begins; `None` for a random one.
    pub seed: Option<Seed>,
    /// `bot`: the strategy of the server's own players; none if there are none.
    pub bot: Option<String>,
    /// `bots`: how many of them there are.
    pub bots: usize,
    /// `maxConnections`: connections at once.
    pub connections: usize,
    /// `maxConnectionsPerAddress`: connections of one address at once.
    pub connections_of_address: usize,
    /// `maxBytesForPlayer`: how much may wait for a client that reads slowly.
    pub buffer_bytes: usize,
    /// `log`: the lines that are logged; none for those that `RUST_LOG` names.
    pub log: Option<String>,
    /// The settings of the master; its seed and its bots are not settled here.
    pub settings: Settings,
}

const HOUR_MS: i64 = 3_600_000;

/// Every parameter of the server, in the order of files.
pub const PARAMETERS: [Parameter; 25] = {
    use Parameter as P;
    [
        P::whole("port", "the port for players; 0 for any free port", 10_000, 0, 65_535),
        P::text("listen", "the address of the port", "127.0.0.1", ADDRESS),
        game_dots::notation::PARAMETERS[0],
        game_dots::notation::PARAMETERS[1],
        P::text(
            "page",
            "the address of the page where people watch and play, ADDR:PORT; port 0 for any free one; empty for none",
            "127.0.0.1:0",
            ANY,
        ),
        P::text("folder", "the folder for journal and replays", "dots-server", FOLDER),
        P::one_of(
            "sync",
            "when a change must be on the disk: before its answer, within a second, or when the system writes it",
            &["second", "answer", "system"],
        ),
        P::text("seed", "the seed that decides who begins; empty for a random one", "", SEED),
        P::text("bot", "the strategy that plays against players that wait; empty for none", "", ANY),
        P::whole("bots", "the number of games that this strategy plays at once", 4, 1, 100),
        P::whole(
            "botWaitMs",
            "how long a player waits for a person before the strategy plays",
            3000,
            0,
            HOUR_MS,
        )
        .unit("ms"),
        P::one_of(
            "compat",
            "the server whose behaviour is copied: none, or the original of 2023",
            &["none", "2023"],
        ),
        P::flag(
            "resumeByName",
            "whether a player that has lost its connection can come back without its token",
            true,
        ),
        P::whole("pingMs", "the time from one ping to the next", 5000, 10, HOUR_MS).unit("ms"),
        P::whole(
            "maxMissedPings",
            "pings in a row without an answer after which a player is removed",
            12,
            1,
            1000,
        ),
        P::whole(
            "slowMs",
            "how long a player may have the turn before its opponent is told",
            30_000,
            0,
            HOUR_MS,
        )
        .unit("ms"),
        P::whole("loginMs", "how long a connection may take to log in", 60_000, 10, HOUR_MS).unit("ms"),
        P::whole("maxConnections", "connections at once", 4096, 1, 1_000_000),
        CONNECTIONS_OF_ADDRESS,
        P::whole("maxPlayers", "players that are logged in or may come back", 10_000, 2, 1_000_000),
        P::whole(
            "maxAbsentPlayersPerAddress",
            "players of one address that may come back; the one that has been away longest gives way",
            500,
            1,
            1_000_000,
        ),
        P::whole("maxGamesPerHour", "games that one address may begin in an hour", 10_000, 1, 1_000_000),
        P::whole(
            "maxMessagesPerSecond",
            "messages of a connection in a second, accepted moves not counted; twice as many at once",
            100,
            5,
            1_000_000,
        ),
        P::whole(
            "maxBytesForPlayer",
            "bytes that may wait for a client before its connection is closed",
            1 << 20,
            1 << 16,
            1 << 30,
        ),
        P::text(
            "log",
            "what is logged: error, warn, info, debug, trace; empty: as in RUST_LOG, or info",
            "",
            LOG,
        ),
    ]
};

impl Config {
    /// The configuration with the values of a file, these over them, and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every key that is unknown, with the one that may be meant, every key that is there twice, and every value
    /// that cannot be. With `compat`, the grid must be that of the original: its clients know no other.
    pub fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        let values = Checked::layered(&PARAMETERS, file, flags)?;
        let faults = faults_of_original(&values);
        if faults.is_empty() { Ok(Self::checked(&values)) } else { Err(ConfigError::new(faults)) }
    }

    fn checked(values: &Checked) -> Self {
        let compat = values.text("compat") == "2023";
        let grid = Grid::new(values.whole("rows"), values.whole("cols"));
        let settings = Settings {
            grid: grid.expect("the table has the limits of a grid"),
            framing: if compat { Framing::Blocks } else { Framing::Lines },
            compat,
            resume_by_name: values.flag("resumeByName"),
            ping: values.millis("pingMs"),
            missed: values.whole("maxMissedPings"),
            slow: values.millis("slowMs"),
            login: values.millis("loginMs"),
            players: values.whole("maxPlayers"),
            absent_players_of_origin: values.whole("maxAbsentPlayersPerAddress"),
            games_per_hour: values.whole("maxGamesPerHour"),
            messages_per_second: values.whole("maxMessagesPerSecond"),
            bot_wait: values.millis("botWaitMs"),
            ..Settings::default()
        };
        Self {
            listen: values.parsed("listen"),
            port: values.whole("port"),
            page: values.filled("page"),
            folder: values.text("folder").into(),
            sync: values.parsed("sync"),
            seed: values.filled("seed").map(|_| values.parsed("seed")),
            bot: values.filled("bot"),
            bots: values.whole("bots"),
            connections: values.whole("maxConnections"),
            connections_of_address: values.whole("maxConnectionsPerAddress"),
            buffer_bytes: values.whole("maxBytesForPlayer"),
            log: values.filled("log"),
            settings,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::layered(&File::default(), &Parameters::new()).expect("the defaults are allowed")
    }
}

fn faults_of_original(values: &Checked) -> Vec<Fault> {
    let known = Grid::default();
    let sides = [("rows", known.rows()), ("cols", known.columns())];
    let is_other =
        |(name, side): &(&str, u16)| values.text("compat") == "2023" && values.whole::<u16>(name) != *side;
    let fault = |(name, side)| {
        let allowed = format!("{side}, or any size with `compat` = none");
        Fault::new(name, values.value(name), "the original of 2023 has another grid", allowed)
    };
    sides.into_iter().filter(is_other).map(fault).collect()
}

#[cfg(test)]
mod tests {
    use game_env::Value;

    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_original() {
        let config = Config::default();
        assert_eq!((config.port, config.settings.clone()), (10_000, Settings::default()));
        assert_eq!(config.sync, Sync::Second);
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let read = |text: &str| {
            let file = game_env::configuration::read(text.as_bytes()).unwrap();
            Config::layered(&file, &[("rows", Value::Whole(101))].into_iter().collect())
        };
        let told = read(r#"{"prt": 1, "listen": "here", "compat": "2024", "seed": "x", "pingMs": 0}"#);
        insta::assert_snapshot!(told.unwrap_err().to_string());
    }

    #[test]
    fn the_original_is_one_setting() {
        let with = |name: &'static str, size| {
            let flags = [("compat", Value::Text("2023".to_owned())), (name, Value::Whole(size))];
            Config::layered(&File::default(), &flags.into_iter().collect())
        };
        let config = with("cols", 5).unwrap();
        assert!(config.settings.compat);
        assert_eq!(config.settings.framing, Framing::Blocks);
        for name in ["rows", "cols"] {
            assert_eq!(
                with(name, 7).unwrap_err().to_string(),
                format!(
                    "{name} = 7: the original of 2023 has another grid; allowed: 5, or any size with `compat` = none"
                )
            );
        }
    }
}
