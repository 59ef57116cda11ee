//! The flags for the time that programs of entrants think.

use clap::Args;
use game_env::Thinking;

use crate::failure::Failure;

/// The flags `--think-limit-ms` and `--think-charge-ms`: the keys `think_limit_ms` and `think_charge_ms` of a league
/// file.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThinkingFlags {
    /// The time limit of a program's decision; `--think-charge-ms` charges it
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    think_limit_ms: Option<u32>,
    /// The game time for each millisecond of a program's decision
    #[arg(long, value_name = "MS", conflicts_with = "think_limit_ms")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(Thinking::MOST_CHARGE_MS)))]
    think_charge_ms: Option<u32>,
}

impl ThinkingFlags {
    /// Returns the rule of the flags; free thinking without a flag.
    ///
    /// # Errors
    ///
    /// If there is a flag and no entrant is a program: strategies in the same process have no time limit.
    pub fn rule(self, has_programs: bool) -> Result<Thinking, Failure> {
        match self.named() {
            Some((flag, _)) if !has_programs => Err(Failure::misuse(
                format!("`{flag}` limits programs, and no entrant is a program"),
                "leave it out, or name a program in a line-up, e.g. \"python3 agent.py\"",
            )),
            _ => Ok(match self {
                Self { think_limit_ms: Some(limit), .. } => Thinking::LimitMs(limit),
                Self { think_charge_ms: Some(charge), .. } => Thinking::ChargeMs(charge),
                Self { .. } => Thinking::Free,
            }),
        }
    }

    /// Returns the flag that was given with its value, for a command that plays the same.
    pub fn named(self) -> Option<(&'static str, u32)> {
        let limit = self.think_limit_ms.map(|limit| ("--think-limit-ms", limit));
        limit.or_else(|| self.think_charge_ms.map(|charge| ("--think-charge-ms", charge)))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        thinking: ThinkingFlags,
    }

    fn read(words: &str) -> Result<ThinkingFlags, String> {
        let words = words.split_whitespace().map(str::to_owned);
        let read = Flags::try_parse_from(std::iter::once("program".to_owned()).chain(words));
        read.map(|flags| flags.thinking).map_err(|error| error.to_string())
    }

    #[test]
    fn a_flag_is_the_rule_of_the_match_and_is_written_as_it_is_read() {
        for (words, rule, flag) in [
            ("", Thinking::Free, None),
            ("--think-limit-ms 100", Thinking::LimitMs(100), Some(("--think-limit-ms", 100))),
            ("--think-charge-ms 2", Thinking::ChargeMs(2), Some(("--think-charge-ms", 2))),
        ] {
            let flags = read(words).unwrap();
            assert_eq!((flags.rule(true).unwrap(), flags.named()), (rule, flag), "{words}");
        }
    }

    #[test]
    fn a_rule_that_limits_nothing_is_refused() {
        assert_eq!(read("").unwrap().rule(false).unwrap(), Thinking::Free);
        let refused = read("--think-limit-ms 100").unwrap().rule(false).unwrap_err().to_string();
        assert!(
            refused.contains("`--think-limit-ms` limits programs, and no entrant is a program"),
            "{refused}"
        );
    }

    #[test]
    fn values_are_those_of_a_league_file() {
        for words in [
            "--think-limit-ms 0",
            "--think-limit-ms fast",
            "--think-charge-ms 0",
            "--think-charge-ms 1000001",
            "--think-limit-ms 5 --think-charge-ms 5",
        ] {
            assert!(read(words).is_err(), "{words}");
        }
        assert!(read("--think-charge-ms 1000000").is_ok());
    }
}
