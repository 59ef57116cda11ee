//! Words of the protocol: colours, wizards, characters, phases.

use std::fmt;

use game_env::text::fit_for_a_log;
use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Declares a closed set of words: an enum, all its values, and the word of each.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value),+
        }

        impl $name {
            /// All of them, in the order of the protocol.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Returns the word in messages.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Word { all: &Self::ALL, word: Self::word })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words! {
    /// The colour of a student, and of the professor of that colour.
    PieceColor {
        /// Yellow.
        Yellow = "yellow",
        /// Blue.
        Blue = "blue",
        /// Green.
        Green = "green",
        /// Red.
        Red = "red",
        /// Pink.
        Pink = "pink",
    }
}

words! {
    /// The colour of towers. In a match of four, two players share a colour: they are a team.
    TowerColor {
        /// White.
        White = "white",
        /// Black.
        Black = "black",
        /// Grey, in matches of three players only.
        Grey = "grey",
    }
}

words! {
    /// The family of a player's assistant cards. It has no effect on the game.
    WizardFamily {
        /// The druid.
        Druid = "druid",
        /// The king.
        King = "king",
        /// The sage.
        Sage = "sage",
        /// The witch.
        Witch = "witch",
    }
}

words! {
    /// The rules of a match.
    RuleSet {
        /// Without coins and characters.
        Simple = "simple",
        /// With coins and three characters.
        Expert = "expert",
    }
}

words! {
    /// The task of the player whose turn it is.
    Phase {
        /// To play an assistant card.
        Planning = "planning",
        /// To move students from the entrance.
        Students = "students",
        /// To move Mother Nature.
        MotherNature = "motherNature",
        /// To take a cloud.
        Cloud = "cloud",
        /// Nothing: the match is over.
        Over = "over",
    }
}

words! {
    /// A character card.
    CharacterName {
        /// One student of the card goes to an island; the card is refilled from the bag.
        Monk = "monk",
        /// This turn, equal counts in the dining rooms are enough to take a professor.
        Farmer = "farmer",
        /// An island is resolved as if Mother Nature stood there.
        Herald = "herald",
        /// This turn, Mother Nature may go up to two steps further.
        Mailman = "mailman",
        /// An island gets a ban: the next time it is to be resolved, the ban is lifted instead.
        Granny = "granny",
        /// This turn, towers do not count for influence.
        Centaur = "centaur",
        /// Up to three students of the card are exchanged with students of the entrance.
        Jester = "jester",
        /// This turn, the player has two more influence.
        Knight = "knight",
        /// This turn, students of one colour do not count for influence.
        MushroomHunter = "mushroom-hunter",
        /// Up to two students of the dining room are exchanged with students of the entrance.
        Minstrel = "minstrel",
        /// One student of the card goes to the player's dining room; the card is refilled from the bag.
        Princess = "princess",
        /// Every player returns up to three students of one colour from the dining room to the bag.
        Thief = "thief",
    }
}

words! {
    /// The effect of a character that was played in this turn.
    EffectKind {
        /// Nothing more: its effect is over. The player cannot play another character in this turn.
        Done = "done",
        /// The farmer: equal counts are enough to take a professor.
        EqualCounts = "equalCounts",
        /// The mailman: Mother Nature may go up to two steps further.
        MoreSteps = "moreSteps",
        /// The centaur: towers do not count for influence.
        NoTowers = "noTowers",
        /// The knight: two more influence.
        MoreInfluence = "moreInfluence",
        /// The mushroom hunter: students of one colour do not count for influence.
        NoColor = "noColor",
    }
}

words! {
    /// The place from which students are taken.
    Place {
        /// From the character card that is played.
        Card = "card",
        /// From the player's entrance.
        Entrance = "entrance",
        /// From the player's dining room.
        Dining = "dining",
    }
}

words! {
    /// The reason for the end of a match.
    EndReason {
        /// A team has no towers left.
        Towers = "towers",
        /// At most three groups of islands are left.
        Islands = "islands",
        /// The bag is empty, and the round is over.
        Bag = "bag",
        /// A player has no assistants left, and the round is over.
        Assistants = "assistants",
        /// A player was away for too long; the table at that moment decides.
        PlayerLost = "playerLost",
    }
}

/// Reads one of a set of words.
struct Word<T: 'static> {
    all: &'static [T],
    word: fn(T) -> &'static str,
}

impl<T: Copy> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, value) in self.all.iter().enumerate() {
            let before = match place {
                0 => "",
                last if last + 1 == self.all.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}`{}`", (self.word)(*value))?;
        }
        Ok(())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        let found = self.all.iter().find(|value| (self.word)(**value) == text);
        found.copied().ok_or_else(|| {
            E::custom(format_args!(
                "unknown word `{}`, expected {}",
                fit_for_a_log(text),
                &self as &dyn de::Expected
            ))
        })
    }
}
