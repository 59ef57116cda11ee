//! Messages of a server to a client, except for the table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message::messages;
use super::nickname::Nickname;
use super::request::as_text;
use super::table::TableUpdate;
use super::words::{CharacterName, EndReason, PieceColor, Place, RuleSet, TowerColor, WizardFamily};
use crate::token::Token;

messages! {
    /// A message of a server.
    #[expect(clippy::large_enum_variant, reason = "most messages are tables, and none is kept for long")]
    Notice from "server" {
        GenericMessage,
        ErrorMessage,
        LoginMatchOptions,
        RequestNickname,
        LoginPlayersOptions,
        LoginTowerColorOptions,
        LoginWizardFamilyOptions,
        LoginReply,
        LobbyUpdate,
        TableUpdate,
        PlayerAction,
        PlayableHelperCard,
        RequestStudent,
        RequestMotherNatureStep,
        RequestCloud,
        RequestColor,
        RequestIsland,
        RequestPieceColorList,
        MatchPaused,
        MatchResumed,
        EndMatchMessage,
        Ping,
        ConnectionClosed,
    }
}

/// A text for people. It can arrive at any time, and programs can ignore it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GenericMessage {
    /// The text.
    pub text: String,
}

/// The last message of the client was refused, and has changed nothing. If the server still waits for an answer of this
/// client, it asks the same question again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorMessage {
    /// The fault, and the expected value.
    pub error: String,
}

/// The matches that the client can choose: the first question after the client has connected. Answer: `LoginAnyMatch`,
/// `LoginNewMatch`, `LoginJoinMatch` or `LoginResumeMatch`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginMatchOptions {
    /// Matches that wait for players, the oldest first, at most 50.
    pub open: Vec<MatchOption>,
    /// Matches that were interrupted or have lost a player, the oldest first, at most 50.
    pub saved: Vec<MatchOption>,
}

/// A match that a client may choose.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchOption {
    /// The number of the match.
    #[serde(rename = "match")]
    pub number: u64,
    /// The number of players that it needs to begin.
    #[schemars(range(min = 2, max = 4))]
    pub players: u8,
    /// Its rules.
    pub rules: RuleSet,
    /// For an open match, the players who have joined; for a saved match, the players who are missing.
    pub nicknames: Vec<Nickname>,
}

/// The server asks for the nickname of a new player. Answer: `LoginNickname`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestNickname {}

/// The server asks which player of a saved match the client is. Answer: `LoginNickname`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginPlayersOptions {
    /// The players who are missing.
    pub nicknames: Vec<Nickname>,
}

/// The server asks for the colour of the player's towers. Answer: `LoginTowerColor`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginTowerColorOptions {
    /// The colours that are free.
    pub colors: Vec<TowerColor>,
}

/// The server asks for the family of the player's assistant cards. Answer: `LoginWizardFamily`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginWizardFamilyOptions {
    /// The families that are free.
    pub families: Vec<WizardFamily>,
}

/// The login is complete: the client is this player of this match. `LobbyUpdate` follows, or `TableUpdate` if the match
/// has begun.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginReply {
    /// The number of the match.
    #[serde(rename = "match")]
    pub number: u64,
    /// The player.
    pub nickname: Nickname,
    /// Proves later that a client is this player: 32 hexadecimal digits. It is left out if the client has come back
    /// with the nickname alone.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9a-f]{32}$"))]
    pub token: Option<Token>,
}

/// The players of a match that has not begun. Sent after each change to the players whose login is complete.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LobbyUpdate {
    /// The number of the match.
    #[serde(rename = "match")]
    pub number: u64,
    /// The number of players that the match needs to begin.
    #[schemars(range(min = 2, max = 4))]
    pub players: u8,
    /// Its rules.
    pub rules: RuleSet,
    /// The players who have joined, in this order.
    pub present: Vec<LobbyPlayer>,
}

/// A player of a match that has not begun.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LobbyPlayer {
    /// The nickname.
    pub nickname: Nickname,
    /// The colour of its towers, if it has chosen one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tower: Option<TowerColor>,
    /// The family of its assistant cards, if it has chosen one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wizard: Option<WizardFamily>,
}

/// A player did something. Sent to all players of the match; `TableUpdate` follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayerAction {
    /// The player.
    pub nickname: Nickname,
    /// Its action.
    pub action: Action,
}

/// The action of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Action {
    /// It played an assistant card.
    PlayHelperCard {
        /// The value of the card.
        card: u8,
    },
    /// It moved a student to its dining room.
    EntranceToDining {
        /// The colour of the student.
        color: PieceColor,
    },
    /// It moved a student to an island.
    EntranceToIsland {
        /// The colour of the student.
        color: PieceColor,
        /// The number of the island, from 1.
        island: u8,
    },
    /// It moved Mother Nature.
    MotherNatureStep {
        /// The number of islands that she moved on.
        steps: u8,
    },
    /// It took a cloud.
    ChooseCloud {
        /// The number of the cloud, from 1.
        cloud: u8,
    },
    /// It played a character.
    PlayCharacterCard {
        /// The character.
        character: CharacterName,
        /// The colour that it chose, if the character needs one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<PieceColor>,
        /// The number of the island that it chose, if the character needs one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        island: Option<u8>,
        /// The students that came into its entrance, if the character exchanges students.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        taken: Vec<PieceColor>,
        /// The students that it gave for them, from its entrance.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        given: Vec<PieceColor>,
    },
}

/// The server asks which assistant card the player plays. Answer: `PlayHelperCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayableHelperCard {
    /// The values of the cards that may be played now, in rising order.
    pub cards: Vec<u8>,
}

/// The server asks for a student to be moved from the entrance. Answer: `EntranceToDining`, `EntranceToIsland` or, if
/// there is a character to play, `PlayCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestStudent {
    /// The number of students that the player still moves in this turn, this one included.
    pub left: u8,
    /// The colours in the entrance.
    pub colors: Vec<PieceColor>,
    /// The colours among them for which the dining room has a free seat.
    pub dining: Vec<PieceColor>,
    /// The number of islands: islands are numbered from 1 to this number.
    pub islands: u8,
    /// The characters that may be played instead.
    pub characters: Vec<CharacterName>,
}

/// The server asks how far Mother Nature moves. Answer: `MotherNatureStep` or, if there is a character to play,
/// `PlayCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestMotherNatureStep {
    /// The greatest number of steps; the least is 1.
    pub most: u8,
    /// The characters that may be played instead.
    pub characters: Vec<CharacterName>,
}

/// The server asks which cloud the player takes. Answer: `ChooseCloud` or, if there is a character to play,
/// `PlayCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestCloud {
    /// The numbers of the clouds that may be taken.
    pub clouds: Vec<u8>,
    /// The characters that may be played instead.
    pub characters: Vec<CharacterName>,
}

/// The character that the player plays needs a colour. Answer: `CharacterCardParameters` with `color`, or
/// `DeclineCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestColor {
    /// The character.
    pub character: CharacterName,
    /// The colours that may be chosen.
    pub colors: Vec<PieceColor>,
    /// The question for people.
    pub question: String,
}

/// The character that the player plays needs an island. Answer: `CharacterCardParameters` with `island`, or
/// `DeclineCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestIsland {
    /// The character.
    pub character: CharacterName,
    /// The numbers of the islands that may be chosen.
    pub islands: Vec<u8>,
    /// The question for people.
    pub question: String,
}

/// The character that the player plays needs students. Answer: `CharacterCardParameters` with `colors`, or
/// `DeclineCharacterCard`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RequestPieceColorList {
    /// The character.
    pub character: CharacterName,
    /// The place of the students.
    pub from: Place,
    /// The colour of each student there.
    pub colors: Vec<PieceColor>,
    /// The least number of students to choose.
    pub least: u8,
    /// The greatest number of students to choose.
    pub most: u8,
    /// The question for people.
    pub question: String,
}

/// Players are missing: the match waits for them, and ends if they do not come back in time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchPaused {
    /// The players who are missing.
    pub missing: Vec<Nickname>,
    /// Time that the match waits for them from now on, in milliseconds.
    pub wait_ms: u64,
}

/// All players are there again. The question to the player whose turn it is follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchResumed {}

/// The match is over. The server then closes the connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndMatchMessage {
    /// The players who have won; several if they are a team, or if the match is a tie.
    pub winners: Vec<Nickname>,
    /// The reason for the end of the match.
    pub reason: EndReason,
    /// The result for people, e.g. `Ada wins this match`.
    pub text: String,
}

/// The server asks whether the client is there. Answer: `Pong`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Ping {}

/// The server closes the connection: this is its last message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionClosed {
    /// The reason.
    pub reason: String,
}
