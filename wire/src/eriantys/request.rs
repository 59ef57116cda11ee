//! Messages of a client to a server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message::messages;
use super::nickname::Nickname;
use super::read::whole;
use super::words::{CharacterName, PieceColor, RuleSet, TowerColor, WizardFamily};
use crate::token::Token;

messages! {
    /// A message of a client.
    Request from "client" {
        LoginAnyMatch,
        LoginNewMatch,
        LoginJoinMatch,
        LoginResumeMatch,
        LoginNickname,
        LoginTowerColor,
        LoginWizardFamily,
        PlayHelperCard,
        EntranceToDining,
        EntranceToIsland,
        MotherNatureStep,
        ChooseCloud,
        PlayCharacterCard,
        CharacterCardParameters,
        DeclineCharacterCard,
        Pong,
    }
}

/// The client joins the oldest open match with this number of players and these rules. If there is none, it opens one.
/// An answer to `LoginMatchOptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginAnyMatch {
    /// The number of players of the match.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 2, max = 4))]
    pub players: i64,
    /// The rules of the match.
    pub rules: RuleSet,
}

/// The client opens a new match, which waits for other players. An answer to `LoginMatchOptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginNewMatch {
    /// The number of players of the match.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 2, max = 4))]
    pub players: i64,
    /// The rules of the match.
    pub rules: RuleSet,
}

/// The client joins an open match. An answer to `LoginMatchOptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginJoinMatch {
    /// The number of the match, from the list `open`.
    #[serde(rename = "match", deserialize_with = "whole")]
    #[schemars(range(min = 1))]
    pub number: i64,
}

/// The client comes back to a match that was interrupted, or that has lost this player. An answer to
/// `LoginMatchOptions`; `LoginPlayersOptions` follows, or `EndMatchMessage` if the match has ended meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginResumeMatch {
    /// The number of the match, from the list `saved` or from `LoginReply`.
    #[serde(rename = "match", deserialize_with = "whole")]
    #[schemars(range(min = 1))]
    pub number: i64,
}

/// The nickname of the player. A new player needs a nickname that no other player of the match has. A player that comes
/// back sends its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginNickname {
    /// The nickname.
    pub nickname: Nickname,
    /// The token that `LoginReply` gave to this player. With the token, a client can take the player's place even while
    /// another connection has it. The server then closes the other connection.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9A-Fa-f]{32}$"))]
    pub token: Option<Token>,
}

/// The colour of the player's towers. An answer to `LoginTowerColorOptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginTowerColor {
    /// One of the colours that were offered.
    pub color: TowerColor,
}

/// The family of the player's assistant cards. An answer to `LoginWizardFamilyOptions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoginWizardFamily {
    /// One of the families that were offered.
    pub family: WizardFamily,
}

/// The player plays an assistant card. An answer to `PlayableHelperCard`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayHelperCard {
    /// The value of the card, which decides the order of the round.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 10))]
    pub card: i64,
}

/// A student moves from the entrance to the player's dining room. An answer to `RequestStudent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntranceToDining {
    /// The colour of the student.
    pub color: PieceColor,
}

/// A student moves from the entrance to an island. An answer to `RequestStudent`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntranceToIsland {
    /// The colour of the student.
    pub color: PieceColor,
    /// The number of the island, from 1.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 12))]
    pub island: i64,
}

/// Mother Nature moves. An answer to `RequestMotherNatureStep`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MotherNatureStep {
    /// The number of islands that she moves on, at least 1.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 7))]
    pub steps: i64,
}

/// The player takes the students of a cloud. An answer to `RequestCloud`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChooseCloud {
    /// The number of the cloud, from 1.
    #[serde(deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 4))]
    pub cloud: i64,
}

/// The player plays a character instead of answering the question, at most once in a turn. If the character needs a
/// colour, an island or students, the server asks for them with `RequestColor`, `RequestIsland` or
/// `RequestPieceColorList`. The player pays when the server has all answers. The server then repeats its first
/// question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayCharacterCard {
    /// The character.
    pub character: CharacterName,
}

/// A choice for the character. The answer to `RequestColor` has `color`, the answer to `RequestIsland` has `island`,
/// and the answer to `RequestPieceColorList` has `colors`. The message has one of these fields.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct CharacterCardParameters {
    /// A colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<PieceColor>,
    /// The number of an island, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "whole_if_there")]
    #[schemars(with = "Option<i64>", range(min = 1, max = 12))]
    pub island: Option<i64>,
    /// The colours of students, one for each student.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colors: Option<Vec<PieceColor>>,
}

/// The player takes back the character for which the server asks. This costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeclineCharacterCard {}

/// The answer to `Ping`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Pong {}

/// A token that may be there, as text.
pub(super) mod as_text {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::token::Token;

    pub(crate) fn serialize<S: Serializer>(token: &Option<Token>, serializer: S) -> Result<S::Ok, S::Error> {
        match token {
            Some(token) => serializer.collect_str(token),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Token>, D::Error> {
        let text = Option::<Cow<'de, str>>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
    }
}

/// A whole number that may be there.
mod whole_if_there {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::whole;

    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] i64);

    pub(super) fn serialize<S: Serializer>(number: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        number.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
    }
}
