//! The configuration of a game, chosen by its host.

use thiserror::Error;

use crate::character::Character;

/// The number of players, the mode, and the characters of the expert game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    players: u8,
    is_expert: bool,
    characters: Option<[Character; Config::CHARACTERS]>,
}

/// A game that cannot be set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ConfigError {
    /// There are too few or too many players.
    #[error("{0} players: expected {least} to {most}", least = Config::FEWEST_PLAYERS, most = Config::MOST_PLAYERS)]
    Players(u8),
    /// The simple game has no characters.
    #[error("characters in a simple game: expected none, or an expert game")]
    Simple,
    /// A character is given twice.
    #[error("the {0} is there twice: expected three different characters")]
    Twice(Character),
}

impl Config {
    /// The fewest players.
    pub const FEWEST_PLAYERS: u8 = 2;

    /// The most players.
    pub const MOST_PLAYERS: u8 = 4;

    /// The number of characters of an expert game.
    pub const CHARACTERS: usize = 3;

    /// The number of coins of an expert game.
    pub const COINS: u8 = 20;

    /// Creates a game of this many players, in which the seed draws the characters.
    ///
    /// # Errors
    ///
    /// If there are fewer than 2 or more than 4 players.
    pub const fn new(players: u8, is_expert: bool) -> Result<Self, ConfigError> {
        if players < Self::FEWEST_PLAYERS || players > Self::MOST_PLAYERS {
            return Err(ConfigError::Players(players));
        }
        Ok(Self { players, is_expert, characters: None })
    }

    /// Returns the same game with these characters.
    ///
    /// # Errors
    ///
    /// If the game is simple, or a character is given twice.
    pub fn with_characters(self, characters: [Character; Self::CHARACTERS]) -> Result<Self, ConfigError> {
        if !self.is_expert {
            return Err(ConfigError::Simple);
        }
        let [first, second, third] = characters;
        if first == second || first == third {
            return Err(ConfigError::Twice(first));
        }
        if second == third {
            return Err(ConfigError::Twice(second));
        }
        Ok(Self { characters: Some(characters), ..self })
    }

    /// Returns the number of players.
    #[inline]
    pub const fn players(self) -> usize {
        self.players as usize
    }

    /// Returns whether there are coins and characters.
    #[inline]
    pub const fn is_expert(self) -> bool {
        self.is_expert
    }

    /// Returns the characters, unless the seed draws them.
    pub const fn characters(self) -> Option<[Character; Self::CHARACTERS]> {
        self.characters
    }

    /// Returns the number of teams. Four players are two teams; players that sit opposite each other are a team.
    #[inline]
    pub const fn teams(self) -> usize {
        if self.players == 4 { 2 } else { self.players as usize }
    }

    /// Returns the team of a player by its place in tables.
    #[inline]
    pub const fn team(self, player: usize) -> usize {
        if self.players == 4 { player % 2 } else { player }
    }

    /// Returns the number of towers of a team.
    #[inline]
    pub const fn towers(self) -> u8 {
        if self.players == 3 { 6 } else { 8 }
    }

    /// Returns the number of students in an entrance between two turns.
    #[inline]
    pub const fn entrance(self) -> u8 {
        if self.players == 3 { 9 } else { 7 }
    }

    /// Returns the number of students that a player moves in a turn, and that a cloud has.
    #[inline]
    pub const fn moves(self) -> u8 {
        if self.players == 3 { 4 } else { 3 }
    }
}

/// Two players, simple.
impl Default for Config {
    fn default() -> Self {
        Self { players: 2, is_expert: false, characters: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let told = |error: ConfigError| error.to_string();
        assert_eq!(told(Config::new(1, true).unwrap_err()), "1 players: expected 2 to 4");
        assert!(Config::new(5, false).is_err());
        let three = [Character::Monk, Character::Thief, Character::Monk];
        assert_eq!(Config::new(2, false).unwrap().with_characters(three), Err(ConfigError::Simple));
        let expert = Config::new(2, true).unwrap();
        let twice = told(expert.with_characters(three).unwrap_err());
        assert_eq!(twice, "the monk is there twice: expected three different characters");
        let twice = [Character::Monk, Character::Thief, Character::Thief];
        assert_eq!(expert.with_characters(twice), Err(ConfigError::Twice(Character::Thief)));
    }

    #[test]
    fn each_number_of_players_has_its_own_counts() {
        for (players, teams, towers, entrance, moves) in [(2, 2, 8, 7, 3), (3, 3, 6, 9, 4), (4, 2, 8, 7, 3)] {
            let config = Config::new(players, false).unwrap();
            assert_eq!(
                (config.teams(), config.towers(), config.entrance(), config.moves()),
                (teams, towers, entrance, moves)
            );
        }
        let four = Config::new(4, false).unwrap();
        assert_eq!([0, 1, 2, 3].map(|player| four.team(player)), [0, 1, 0, 1]);
    }
}
