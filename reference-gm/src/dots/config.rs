//! The configuration of the server: defaults, a JSON file over them, flags over the file.

use command_line::LogFilter;
use game_dots::Config as Grid;
use game_env::configuration::File;
use game_env::parameter::{Checked, Fault, Parameter};
use game_env::{ConfigError, Parameters, Seed};
use wire::dots::line::Framing;

use super::master::Settings;
use crate::server::ServerConfig;
use crate::server::config::{
    ANY, BOT_PATIENCE, BUFFER_BYTES, CONNECTIONS, CONNECTIONS_OF_ADDRESS, FOLDER, HOUR_MS, LISTEN, PAGE,
    SEED, SYNC, login, ping, port,
};

/// A configuration that the server can run with.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The part that all servers have.
    pub server: ServerConfig,
    /// `bot`: the strategy of the server's own players; none if there are none.
    pub bot: Option<String>,
    /// `bots`: how many of them there are.
    pub bots: usize,
    /// The settings of the master; its seed and its bots are not settled here.
    pub settings: Settings,
}

/// Every parameter of the server, in the order of files.
pub const PARAMETERS: [Parameter; 26] = {
    use Parameter as P;
    [
        port(10_000),
        LISTEN,
        game_dots::notation::PARAMETERS[0],
        game_dots::notation::PARAMETERS[1],
        PAGE,
        P::text("folder", "the folder for journal and replays", "dots-server", FOLDER),
        SYNC,
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
        BOT_PATIENCE,
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
        ping(5000),
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
        login(60_000),
        CONNECTIONS,
        CONNECTIONS_OF_ADDRESS,
        P::whole("maxPlayers", "players that are logged in or may come back", 10_000, 2, 1_000_000),
        P::whole(
            "maxAbsentPlayersPerAddress",
            "players of one address that may come back; if there are more, the one that has been away longest is removed",
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
        BUFFER_BYTES,
        LogFilter::PARAMETER,
    ]
};

impl Config {
    /// Returns the configuration with the values of a file, these over them, and defaults for the rest.
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
            bot_patience: values.millis("botPatienceMs"),
            seed: Seed::new(0),
            bots: Vec::new(),
        };
        Self {
            server: ServerConfig::of(values),
            bot: values.filled("bot"),
            bots: values.whole("bots"),
            settings,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::layered(&File::default(), &Parameters::new()).expect("the defaults are allowed")
    }
}

/// Returns the values of the original, where it has them.
impl Default for Settings {
    fn default() -> Self {
        Config::default().settings
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
    use game_env::{Millis, Value};

    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_original() {
        let Config { server, settings, .. } = Config::default();
        assert_eq!((server.port, server.sync), (10_000, crate::journal::Sync::Second));
        assert_eq!((settings.ping, settings.missed), (Millis::new(5_000), 12));
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
