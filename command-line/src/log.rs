//! The flag `--log`.

use std::env;
use std::str::FromStr;

use game_env::names::did_you_mean;
use game_env::parameter::{Form, Parameter};
use tracing_subscriber::filter::{LevelFilter, Targets};

/// The help of the flag `--log LEVEL`, without its default.
pub const LOG_HELP: &str =
    "The log level: error, warn, info, debug, trace or off, or directives as in RUST_LOG";

const LEVELS: [&str; 6] = ["error", "warn", "info", "debug", "trace", "off"];

/// The messages to log: a level, or directives as in the variable `RUST_LOG`, joined by commas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFilter(String);

/// A text that is no log filter.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LogFilterError {
    /// A word that is no level.
    #[error("unknown level `{word}`: expected error, warn, info, debug, trace or off{likely}")]
    Level {
        /// The word.
        word: String,
        /// A hint at the level that may be meant.
        likely: String,
    },
    /// A directive that cannot be read.
    #[error("invalid directive in `{0}`: expected e.g. sdk=debug")]
    Directive(String),
}

impl LogFilter {
    /// The parameter `log` of a server.
    pub const PARAMETER: Parameter = Parameter::text(
        "log",
        "the log level: error, warn, info, debug, trace or off; empty for the variable RUST_LOG, or info",
        "",
        Form {
            allowed: "\"error\", \"warn\", \"info\", \"debug\", \"trace\" or \"off\", or directives as in RUST_LOG",
            check: |text| match text.parse::<Self>() {
                _ if text.is_empty() => Ok(()),
                Ok(_) => Ok(()),
                Err(_) => Err("it names no lines of the log".to_owned()),
            },
        },
    );

    /// Returns the filter of the flag; without a flag, that of the variable `RUST_LOG`; without either, this level.
    ///
    /// Directives in the variable that cannot be read are ignored.
    pub fn or_environment(flag: Option<&Self>, default: LevelFilter) -> Targets {
        let given = flag.map_or_else(|| env::var("RUST_LOG").unwrap_or_default(), |Self(text)| text.clone());
        let readable: Vec<&str> = given.split(',').map(str::trim).filter(|part| is_directive(part)).collect();
        if readable.is_empty() {
            return Targets::new().with_default(default);
        }
        readable.join(",").parse().expect("directives that can be read one by one can be read together")
    }
}

impl FromStr for LogFilter {
    type Err = LogFilterError;

    fn from_str(text: &str) -> Result<Self, LogFilterError> {
        for part in text.split(',').map(str::trim) {
            // A single word that is no level would be read as the name of a crate, which has nothing to log.
            if part.is_empty() || !part.contains(['=', '[']) && part.parse::<LevelFilter>().is_err() {
                let likely = did_you_mean(part, LEVELS);
                return Err(LogFilterError::Level { word: part.to_owned(), likely });
            }
            if !is_directive(part) {
                return Err(LogFilterError::Directive(text.to_owned()));
            }
        }
        Ok(Self(text.to_owned()))
    }
}

/// Returns whether a text is a level, or the name of a crate or module with one. Spans and fields are not supported.
fn is_directive(part: &str) -> bool {
    !part.is_empty() && !part.contains('[') && part.parse::<Targets>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_directives_are_read() {
        for text in ["error", "off", "DEBUG", "sdk=debug", "warn,sdk=trace", "sdk::agent=info, off"] {
            assert!(text.parse::<LogFilter>().is_ok(), "{text}");
        }
        let debug = "debug".parse().unwrap();
        assert_eq!(LogFilter::or_environment(Some(&debug), LevelFilter::WARN).to_string(), "debug");
        let both = "warn, sdk=trace".parse().unwrap();
        let filter = LogFilter::or_environment(Some(&both), LevelFilter::OFF);
        for (target, level, is_logged) in [
            ("sdk::agent", LevelFilter::TRACE, true),
            ("cs", LevelFilter::WARN, true),
            ("cs", LevelFilter::INFO, false),
        ] {
            let level = level.into_level().unwrap();
            assert_eq!(filter.would_enable(target, &level), is_logged, "{target} {level}");
        }
    }

    #[test]
    fn what_is_no_level_is_refused_with_the_nearest_one() {
        let told = |text: &str| text.parse::<LogFilter>().unwrap_err().to_string();
        assert_eq!(
            told("inof"),
            "unknown level `inof`: expected error, warn, info, debug, trace or off; did you mean `info`?"
        );
        assert_eq!(told("info,sdk"), "unknown level `sdk`: expected error, warn, info, debug, trace or off");
        assert_eq!(told(""), "unknown level ``: expected error, warn, info, debug, trace or off");
        for text in ["=x=", "sdk=loud", "[span]=info"] {
            assert_eq!(told(text), format!("invalid directive in `{text}`: expected e.g. sdk=debug"));
        }
    }
}
