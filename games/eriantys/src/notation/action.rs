//! Actions as text.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;

use crate::action::Action;
use crate::character::{Character, Play};

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assistant(assistant) => write!(f, "assistant {assistant}"),
            Self::ToDining(color) => write!(f, "dining {color}"),
            Self::ToIsland(color, island) => write!(f, "island {color} {island}"),
            Self::Steps(steps) => write!(f, "steps {steps}"),
            Self::Cloud(cloud) => write!(f, "cloud {cloud}"),
            Self::Character(play) => play.fmt(f),
        }
    }
}

impl FromStr for Action {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        match kind {
            "assistant" => Ok(Self::Assistant(rest.parse()?)),
            "dining" => Ok(Self::ToDining(rest.parse()?)),
            "island" => Ok(Self::ToIsland(first.parse()?, second.parse()?)),
            "steps" => {
                let steps = rest.parse().ok().filter(|steps: &u8| steps.to_string() == rest);
                let fault = || NotationError::new("number of steps", rest, "a whole number from 1 on");
                steps.map(Self::Steps).ok_or_else(fault)
            }
            "cloud" => Ok(Self::Cloud(rest.parse()?)),
            _ => match text.parse() {
                Ok(play) => Ok(Self::Character(play)),
                // Only an unknown first word may be meant as something other than a character.
                Err(_) if kind.parse::<Character>().is_err() => {
                    let expected =
                        "`assistant`, `dining`, `island`, `steps`, `cloud` or a character, with its choices";
                    Err(NotationError::new("action", text, expected))
                }
                Err(error) => Err(error),
            },
        }
    }
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let character = self.character();
        match self {
            Self::Monk(color, island) => write!(f, "{character} {color} {island}"),
            Self::Herald(island) | Self::Granny(island) => write!(f, "{character} {island}"),
            Self::Jester(exchange) | Self::Minstrel(exchange) => write!(f, "{character} {exchange}"),
            Self::MushroomHunter(color) | Self::Princess(color) | Self::Thief(color) => {
                write!(f, "{character} {color}")
            }
            Self::Farmer | Self::Mailman | Self::Centaur | Self::Knight => character.fmt(f),
        }
    }
}

impl FromStr for Play {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (name, rest) = text.split_once(' ').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let character: Character = name.parse()?;
        let choices = rest.unwrap_or_default();
        let alone = |play: Self| match rest {
            None => Ok(play),
            Some(_) => Err(NotationError::new("way to play a character", text, "no choices")),
        };
        match character {
            Character::Monk => {
                let (color, island) = choices.split_once(' ').unwrap_or((choices, ""));
                Ok(Self::Monk(color.parse()?, island.parse()?))
            }
            Character::Herald => Ok(Self::Herald(choices.parse()?)),
            Character::Granny => Ok(Self::Granny(choices.parse()?)),
            Character::Jester => Ok(Self::Jester(choices.parse()?)),
            Character::Minstrel => Ok(Self::Minstrel(choices.parse()?)),
            Character::MushroomHunter => Ok(Self::MushroomHunter(choices.parse()?)),
            Character::Princess => Ok(Self::Princess(choices.parse()?)),
            Character::Thief => Ok(Self::Thief(choices.parse()?)),
            Character::Farmer => alone(Self::Farmer),
            Character::Mailman => alone(Self::Mailman),
            Character::Centaur => alone(Self::Centaur),
            Character::Knight => alone(Self::Knight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_reads_as_it_is_written() {
        for text in [
            "assistant 10",
            "dining red",
            "island pink 12",
            "steps 7",
            "cloud 4",
            "monk yellow 1",
            "farmer",
            "herald 3",
            "mailman",
            "granny 9",
            "centaur",
            "jester ybb for rrp",
            "knight",
            "mushroom-hunter green",
            "minstrel gg for pp",
            "princess blue",
            "thief red",
        ] {
            assert_eq!(text.parse::<Action>().map(|action| action.to_string()).as_deref(), Ok(text));
        }
        let cancelled: Action = "jester yb for yr".parse().unwrap();
        assert_eq!(cancelled.to_string(), "jester b for r");
    }

    #[test]
    fn what_is_no_action_is_refused_with_what_would_be_one() {
        for (text, fault) in [
            ("", "`` is no action: expected `assistant`,"),
            ("jump", "`jump` is no action: expected `assistant`,"),
            ("assistant", "`` is no assistant"),
            ("assistant 7 8", "`7 8` is no assistant"),
            ("island red", "`` is no island"),
            ("island 3 red", "`3` is no colour"),
            ("island red 3 4", "`3 4` is no island"),
            ("steps", "`` is no number of steps"),
            ("steps -1", "`-1` is no number of steps"),
            ("steps 256", "`256` is no number of steps"),
            ("monk red", "`` is no island"),
            ("farmer red", "`farmer red` is no way to play a character: expected no choices"),
            ("jester", "`` is no exchange"),
            ("jester y for y", "`y for y` is no exchange"),
            ("jester yyyy for bbbb", "`yyyy for bbbb` is no exchange"),
            ("Knight", "`Knight` is no action"),
        ] {
            let error = text.parse::<Action>().unwrap_err().to_string();
            assert!(error.starts_with(fault), "{text}: {error}");
        }
    }
}
