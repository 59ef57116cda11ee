//! The table: all that a client needs to draw a match.

use std::ops::{Index, IndexMut};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::nickname::Nickname;
use super::words::{CharacterName, EffectKind, Phase, PieceColor, RuleSet, TowerColor, WizardFamily};

/// The whole table as all players see it. Sent at the beginning, after every change, and to a player who comes back: a
/// client draws the table from the last one alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableUpdate {
    /// The number of the match.
    #[serde(rename = "match")]
    pub number: u64,
    /// The rules of the match.
    pub rules: RuleSet,
    /// The number of the round, from 1.
    pub round: u32,
    /// Whether the match ends with this round at the latest.
    pub is_last_round: bool,
    /// Whether the bag had too few students for the clouds of this round; nobody then takes students from a cloud.
    pub are_clouds_short: bool,
    /// The task of the player whose turn it is.
    pub phase: Phase,
    /// The number of students that the player whose turn it is still moves; 0 in every phase but `students`.
    pub left: u8,
    /// The player whose turn it is; none when the match is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Nickname>,
    /// The players in the order of the present part of the round: planning, or the actions.
    pub order: Vec<Nickname>,
    /// The groups of islands in their ring, in the direction in which Mother Nature moves. The first one has the number
    /// 1.
    pub islands: Vec<Island>,
    /// The clouds. The first one has the number 1.
    pub clouds: Vec<Students>,
    /// The players in the order of their seats, clockwise.
    pub players: Vec<TablePlayer>,
    /// The owner of each professor.
    pub professors: Professors,
    /// The students in the bag. Their numbers follow from the students on the table; only their order is hidden.
    pub bag: Students,
    /// The coins that no player has; 0 with simple rules.
    pub coins: u8,
    /// The three characters of the match; none with simple rules.
    pub characters: Vec<Character>,
    /// The character that was played in this turn, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// The effect of a character that was played in this turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Its effect.
    pub kind: EffectKind,
    /// The colour that does not count, if the kind is `noColor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<PieceColor>,
}

/// Students, counted by colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Students {
    /// Yellow students.
    pub yellow: u8,
    /// Blue students.
    pub blue: u8,
    /// Green students.
    pub green: u8,
    /// Red students.
    pub red: u8,
    /// Pink students.
    pub pink: u8,
}

impl Students {
    /// Returns the number of students.
    pub fn total(self) -> u32 {
        PieceColor::ALL.into_iter().map(|color| u32::from(self[color])).sum()
    }

    /// Returns the colour of each student.
    pub fn list(self) -> impl Iterator<Item = PieceColor> {
        PieceColor::ALL.into_iter().flat_map(move |color| (0..self[color]).map(move |_| color))
    }
}

impl Index<PieceColor> for Students {
    type Output = u8;

    fn index(&self, color: PieceColor) -> &u8 {
        match color {
            PieceColor::Yellow => &self.yellow,
            PieceColor::Blue => &self.blue,
            PieceColor::Green => &self.green,
            PieceColor::Red => &self.red,
            PieceColor::Pink => &self.pink,
        }
    }
}

impl IndexMut<PieceColor> for Students {
    fn index_mut(&mut self, color: PieceColor) -> &mut u8 {
        match color {
            PieceColor::Yellow => &mut self.yellow,
            PieceColor::Blue => &mut self.blue,
            PieceColor::Green => &mut self.green,
            PieceColor::Red => &mut self.red,
            PieceColor::Pink => &mut self.pink,
        }
    }
}

/// The professors: the player who has each of them, or none.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Professors {
    /// The player with the yellow professor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yellow: Option<Nickname>,
    /// The player with the blue professor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blue: Option<Nickname>,
    /// The player with the green professor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub green: Option<Nickname>,
    /// The player with the red professor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red: Option<Nickname>,
    /// The player with the pink professor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pink: Option<Nickname>,
}

impl Professors {
    /// Returns the player who has the professor of this colour.
    pub fn of(&self, color: PieceColor) -> Option<&Nickname> {
        match color {
            PieceColor::Yellow => self.yellow.as_ref(),
            PieceColor::Blue => self.blue.as_ref(),
            PieceColor::Green => self.green.as_ref(),
            PieceColor::Red => self.red.as_ref(),
            PieceColor::Pink => self.pink.as_ref(),
        }
    }

    /// Returns a mutable reference to the owner of the professor of this colour.
    pub fn of_mut(&mut self, color: PieceColor) -> &mut Option<Nickname> {
        match color {
            PieceColor::Yellow => &mut self.yellow,
            PieceColor::Blue => &mut self.blue,
            PieceColor::Green => &mut self.green,
            PieceColor::Red => &mut self.red,
            PieceColor::Pink => &mut self.pink,
        }
    }
}

/// A group of islands: one, or several that have merged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Island {
    /// The place, from 1 to 12, that the first island of the group had at the beginning of the match.
    #[schemars(range(min = 1, max = 12))]
    pub first: u8,
    /// Number of islands of the group.
    #[schemars(range(min = 1, max = 12))]
    pub size: u8,
    /// The students on it.
    pub students: Students,
    /// The colour of its towers; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tower: Option<TowerColor>,
    /// Number of towers on it: as many as it has islands, or fewer if its owner has no more.
    pub towers: u8,
    /// Whether Mother Nature is there.
    pub mother_nature: bool,
    /// Number of bans on it.
    pub bans: u8,
}

/// A player and its school board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TablePlayer {
    /// The nickname.
    pub nickname: Nickname,
    /// The colour of its towers. In a match of four, two players have the same one: they are a team.
    pub tower: TowerColor,
    /// The family of its assistant cards.
    pub wizard: WizardFamily,
    /// Number of towers on its board. In a match of four, those of a team stand on the board of one of the two.
    pub towers: u8,
    /// The students in its entrance.
    pub entrance: Students,
    /// The students in its dining room.
    pub dining: Students,
    /// Number of its coins; 0 with simple rules.
    pub coins: u8,
    /// The values of the assistant cards that it has not played, in rising order.
    pub cards: Vec<u8>,
    /// The value of the assistant card that it has played in this round; none if it has not played one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u8>,
}

/// A character of the match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Character {
    /// Its name.
    pub character: CharacterName,
    /// Its present price, in coins.
    pub price: u8,
    /// The students on the card, of a character that holds some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub students: Option<Students>,
    /// The bans on the card, of a character that holds some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bans: Option<u8>,
    /// Whether it was played before in this match: the price has risen by one coin.
    pub is_used: bool,
}
