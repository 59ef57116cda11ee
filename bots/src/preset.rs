//! Configurations by name, so that a game can be played without writing one down.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use game_project::RawConfig;

/// A configuration that has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// A small board and short penalties, to be watched.
    #[default]
    Quick,
    /// The sample of the game's specification.
    Spec,
    /// Forty agents on a large board.
    Large,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Spec, Self::Large];

    /// The configuration.
    pub fn config(self) -> RawConfig {
        match self {
            // Of 300 games of greedy against greedy on the virtual clock, half end within 24 to 39 s, all but
            // one in ten within 12 to 47 s, and the longest takes 59 s.
            Self::Quick => RawConfig {
                board_x: 8,
                board_y: 12,
                goal_area_height: 2,
                number_of_goals: 3,
                number_of_pieces: 5,
                team_size: 2,
                sham_piece_probability: 0.2,
                move_penalty: 200,
                information_exchange_penalty: 200,
                discovery_penalty: 400,
                put_penalty: 200,
                check_for_sham_penalty: 400,
                destroy_piece_penalty: 200,
                ..RawConfig::default()
            },
            Self::Spec => RawConfig::default(),
            // As many agents as a game master has to serve on an average laptop (specification, section 9).
            Self::Large => RawConfig {
                board_x: 80,
                board_y: 80,
                goal_area_height: 8,
                number_of_goals: 20,
                number_of_pieces: 60,
                team_size: 20,
                sham_piece_probability: 0.3,
                ..RawConfig::default()
            },
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Quick => "quick",
            Self::Spec => "spec",
            Self::Large => "large",
        })
    }
}

impl FromStr for Preset {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let found = Self::ALL.into_iter().find(|preset| preset.to_string() == text);
        found.ok_or_else(|| NotationError::new("preset", text, "`quick`, `spec` or `large`"))
    }
}

#[cfg(test)]
mod tests {
    use game_env::{ByTeam, Seed, SimTime};

    use super::*;
    use crate::contest::{lineup, play};

    #[test]
    fn every_preset_can_be_played_and_has_a_name() {
        for preset in Preset::ALL {
            assert_eq!(preset.to_string().parse(), Ok(preset));
            preset.config().check().unwrap();
        }
        let error = "qiuck".parse::<Preset>().unwrap_err().to_string();
        assert!(error.contains("`quick`, `spec` or `large`"), "{error}");
    }

    /// What somebody who tries the program out for the first time waits for.
    #[test]
    fn a_quick_game_takes_less_than_a_minute_or_so() {
        let (config, greedy) = (Preset::Quick.config().check().unwrap(), "greedy".parse().unwrap());
        let (make, limit) = (lineup(&greedy), SimTime::from_millis(600_000));
        let mut times: Vec<u64> = (0..60)
            .map(|seed| play(&config, Seed::new(seed), ByTeam::new([&make, &make]), limit).time.as_millis())
            .collect();
        times.sort_unstable();
        let (median, late) = (times[30], times[56]);
        assert!((15_000..50_000).contains(&median), "half of the games take {median} ms");
        assert!(late < 75_000, "one game in twenty takes {late} ms");
    }
}
