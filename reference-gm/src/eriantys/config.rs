//! The configuration of the server: defaults, a JSON file over them, flags over the file.

use std::path::PathBuf;

use command_line::LogFilter;
use game_env::configuration::File;
use game_env::parameter::{Checked, Parameter};
use game_env::{ConfigError, Millis, Parameters, Seed};

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
    /// `replays`: where replays are written.
    pub replays: PathBuf,
    /// `bot`: the strategy of the server's own players.
    pub bot: String,
    /// `bots`: the most of them in a match; 0 for none.
    pub bots: usize,
    /// `botWaitMs`: how long a match waits for people before they come.
    pub bot_wait: Millis,
    /// `maxBots`: the most of them at once.
    pub bot_processes: usize,
    /// `botPatienceMs`: the time for which a player may keep them waiting while another match wants one.
    pub bot_patience: Millis,
    /// The settings of the master; its seed and its bots are not settled here.
    pub settings: Settings,
}

/// Every parameter of the server, in the order of files.
pub const PARAMETERS: [Parameter; 25] = {
    use Parameter as P;
    [
        port(4000),
        LISTEN,
        PAGE,
        P::text("folder", "the folder for the journal", "eriantys-server", FOLDER),
        P::text(
            "replays",
            "the folder for replays; empty for `matches` in the folder for the journal",
            "",
            ANY,
        ),
        SYNC,
        P::text("seed", "the seed of all random draws in matches; empty for a random one", "", SEED),
        P::whole("bots", "the most bots that take free seats of a match; 0 for none", 0, 0, 3),
        P::text("bot", "the strategy of the bots", "greedy", ANY),
        P::whole(
            "botWaitMs",
            "how long a match waits for people, from its first player on, before bots take its free seats",
            3000,
            0,
            HOUR_MS,
        )
        .unit("ms"),
        P::whole("maxBots", "bots at once; each is a process", 16, 1, 1000),
        BOT_PATIENCE,
        P::flag(
            "resumeByNickname",
            "whether a player that has lost its connection can come back without its token",
            true,
        ),
        ping(1000),
        P::whole(
            "maxMissedPings",
            "pings in a row without an answer after which a connection is lost",
            3,
            1,
            1000,
        ),
        P::whole(
            "waitMs",
            "how long players wait for a lost player; the match then ends",
            60_000,
            0,
            24 * HOUR_MS,
        )
        .unit("ms"),
        P::whole(
            "keepMs",
            "how long a match without connected players is kept, also after a restart; it then ends",
            168 * HOUR_MS,
            0,
            1_190 * HOUR_MS,
        )
        .unit("ms"),
        login(300_000),
        CONNECTIONS,
        P::whole("maxMatches", "matches at once, those that wait for players included", 10_000, 1, 1_000_000),
        CONNECTIONS_OF_ADDRESS,
        P::whole(
            "maxIdleMatchesPerAddress",
            "matches that one address has opened and nobody is connected to; if there are more, the oldest ends",
            200,
            1,
            1_000_000,
        ),
        P::whole("maxMatchesPerHour", "matches that one address may begin in an hour", 10_000, 1, 1_000_000),
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
    /// that cannot be.
    pub fn layered(file: &File, flags: &Parameters) -> Result<Self, ConfigError> {
        let values = Checked::layered(&PARAMETERS, file, flags)?;
        let settings = Settings {
            resume_by_nickname: values.flag("resumeByNickname"),
            ping: values.millis("pingMs"),
            missed: values.whole("maxMissedPings"),
            wait: values.millis("waitMs"),
            keep: values.millis("keepMs"),
            login: values.millis("loginMs"),
            matches: values.whole("maxMatches"),
            idle_matches_of_origin: values.whole("maxIdleMatchesPerAddress"),
            matches_per_hour: values.whole("maxMatchesPerHour"),
            messages_per_second: 100,
            seed: Seed::new(0),
            bots: None,
        };
        let server = ServerConfig::of(&values);
        Ok(Self {
            replays: values.filled("replays").map_or_else(|| server.folder.join("matches"), PathBuf::from),
            server,
            bot: values.text("bot"),
            bots: values.whole("bots"),
            bot_wait: values.millis("botWaitMs"),
            bot_processes: values.whole("maxBots"),
            bot_patience: values.millis("botPatienceMs"),
            settings,
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::layered(&File::default(), &Parameters::new()).expect("the defaults are allowed")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Config::default().settings
    }
}

#[cfg(test)]
mod tests {
    use game_env::parameter::Range;
    use game_env::{Millis, Value};

    use super::*;

    #[test]
    fn each_number_of_the_table_can_be_read_at_both_ends() {
        for parameter in PARAMETERS.iter() {
            let Range::Whole(least, most) = parameter.range else { continue };
            for value in [least, most] {
                // Others may not fit to it; that no number is too large for its field is what counts.
                let said: Parameters = [(parameter.name, Value::Whole(value.into()))].into_iter().collect();
                drop(Config::layered(&File::default(), &said));
            }
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_original() {
        let config = Config::default();
        assert_eq!((config.server.port, config.settings.ping), (4000, Millis::new(1_000)));
        assert_eq!(config.replays, config.server.folder.join("matches"));
    }
}
