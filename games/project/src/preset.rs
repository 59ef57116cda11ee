//! Configurations by name, so that a game can be played without a file.
//!
//! A preset sets some parameters of [`RawConfig`]; all others keep their defaults. Programs put a configuration file
//! and flags over it.

use std::fmt;

use game_env::Parameters;

use crate::config::{Config, RawConfig};

/// A configuration with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preset {
    /// A small board with short penalties.
    #[default]
    Quick,
    /// The sample configuration of the specification (section 7).
    Spec,
    /// Forty agents on a large board.
    Large,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Spec, Self::Large];

    /// Returns the name in files and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Spec => "spec",
            Self::Large => "large",
        }
    }

    /// Returns the purpose of the preset, in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Quick => "a small board and short penalties: a game of half a minute",
            Self::Spec => "the specification's sample, and the default of every parameter",
            Self::Large => "forty agents on a large board",
        }
    }

    /// Returns the configuration.
    ///
    /// ```
    /// use game_project::Preset;
    ///
    /// assert_eq!(Preset::Quick.config().geometry().columns(), 8);
    /// ```
    pub fn config(self) -> Config {
        self.raw().check().expect("a preset is a valid configuration")
    }

    /// Returns the parameters of the configuration, for a program that changes some of them.
    ///
    /// ```
    /// use game_project::{Preset, RawConfig};
    ///
    /// let config = RawConfig { team_size: 4, ..Preset::Quick.raw() }.check()?;
    /// assert_eq!(config.team_size(), 4);
    /// # Ok::<(), game_project::ConfigError>(())
    /// ```
    pub fn raw(self) -> RawConfig {
        match self {
            Self::Quick => RawConfig {
                board_x: 8,
                board_y: 14,
                goal_area_height: 3,
                number_of_goals: 3,
                number_of_pieces: 6,
                sham_piece_probability: 0.2,
                move_penalty: 100,
                information_exchange_penalty: 200,
                discovery_penalty: 400,
                put_penalty: 100,
                check_for_sham_penalty: 300,
                destroy_piece_penalty: 100,
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

    /// Returns the parameters that the preset sets.
    pub fn parameters(self) -> Parameters {
        self.raw().changes()
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_played() {
        for preset in Preset::ALL {
            assert_eq!(preset.config(), preset.raw().check().unwrap());
        }
    }

    #[test]
    fn a_preset_sets_what_differs_from_the_defaults() {
        assert_eq!(Preset::Spec.parameters().iter().len(), 0);
        assert_eq!(
            Preset::Quick.parameters().to_string(),
            "boardX=8 boardY=14 goalAreaHeight=3 numberOfGoals=3 numberOfPieces=6 shamPieceProbability=0.2 \
             movePenalty=100 informationExchangePenalty=200 discoveryPenalty=400 putPenalty=100 \
             checkForShamPenalty=300 destroyPiecePenalty=100"
        );
        assert_eq!(
            Preset::Large.parameters().to_string(),
            "boardX=80 boardY=80 goalAreaHeight=8 numberOfGoals=20 numberOfPieces=60 teamSize=20 \
             shamPieceProbability=0.3"
        );
        for preset in Preset::ALL {
            assert_eq!(RawConfig::read(&preset.parameters()), Ok(preset.raw()));
        }
    }
}
