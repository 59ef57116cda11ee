//! The reports as text: `step up done 3,4`, `ahead two hint left 7,1`, `turn down done`, `step up refused`, `wins`.
//!
//! An unknown part of a board is a question mark.

use std::fmt;
use std::str::FromStr;

use game_env::parameter::Fault;
use game_env::scene::Mark;
use game_env::text::number;
use game_env::{AgentId, ConfigError, Notation, NotationError, Parameters, Scene, Value};

use super::{Heard, InitialKnowledge, Known, KnownEvent};
use crate::board::{Direction, Place};
use crate::notation::{arrow, draw, home_mark};
use crate::state::{Action, Answer, State};

impl Notation for Known {
    /// Replays of such games cannot be read: [`Known::read_config`] refuses all.
    const GAME: &'static str = "conveyor-known";
    const RULES: u32 = State::RULES;

    /// Returns the size alone.
    fn write_config(initial: &InitialKnowledge) -> Parameters {
        let whole = |number: u8| Value::Whole(number.into());
        [("columns", whole(initial.config.columns())), ("rows", whole(initial.config.rows()))]
            .into_iter()
            .collect()
    }

    /// Refuses all parameters: only a board can report the beginning of such a game.
    fn read_config(parameters: &Parameters) -> Result<InitialKnowledge, ConfigError> {
        let columns = parameters.get("columns").cloned().unwrap_or(Value::Whole(0));
        let why = "the rest of the board is not written down";
        Err(ConfigError::new(vec![Fault::new(
            "columns",
            &columns,
            why,
            "a replay that the board has written",
        )]))
    }

    fn scene(&self) -> Scene {
        let homes =
            AgentId::all(2).zip(self.homes).filter_map(|(player, home)| Some((home?, home_mark(player))));
        let hints = self.hints().map(|(place, directions)| {
            (place, Mark::new("hint", directions.map(|way| way.map_or("?", arrow)).concat()))
        });
        let conveyors = self.conveyors().map(|(start, end)| {
            let end = end.map_or_else(|| "?".to_owned(), |end| end.to_string());
            (start, Mark::new("conveyor", format!("c{end}")))
        });
        let heading = self.heading().map_or_else(|| "?".to_owned(), |heading| heading.to_string());
        draw(self.config, homes.chain(hints).chain(conveyors), self.places, format!("#1 looks {heading}"))
    }
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { action, answer, place } => {
                write!(f, "{action} ")?;
                match answer {
                    Answer::Done => f.write_str("done")?,
                    Answer::Refused => f.write_str("refused")?,
                    Answer::Hint(direction) => write!(f, "hint {direction}")?,
                }
                place.map_or(Ok(()), |place| write!(f, " {place}"))
            }
            Self::Win => f.write_str("wins"),
        }
    }
}

impl FromStr for Heard {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            if text == "wins" {
                return Some(Self::Win);
            }
            let words: Vec<&str> = text.split(' ').collect();
            let [verb, how, answer, rest @ ..] = &words[..] else { return None };
            let action: Action = format!("{verb} {how}").parse().ok()?;
            let (answer, rest) = match (*answer, rest) {
                ("done", rest) => (Answer::Done, rest),
                ("refused", rest) => (Answer::Refused, rest),
                ("hint", [word, rest @ ..]) => {
                    let direction = Direction::ALL.into_iter().find(|known| known.to_string() == *word)?;
                    (Answer::Hint(direction), rest)
                }
                _ => return None,
            };
            let place = match rest {
                [] => None,
                [place] => {
                    let (column, row) = place.split_once(',')?;
                    Some(Place::new(number(column)?, number(row)?))
                }
                _ => return None,
            };
            Some(Self::Answer { action, answer, place })
        };
        read().ok_or_else(|| {
            NotationError::new(
                "answer",
                text,
                "an action, `done`, `refused` or `hint` and a direction, and a place",
            )
        })
    }
}

impl fmt::Display for KnownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { player, action, hint: None } => write!(f, "{player} {action}"),
            Self::Answered { player, action, hint: Some(hint) } => write!(f, "{player} {action} hint {hint}"),
            Self::Landed { player, place, carried_from } => {
                write!(f, "{player} at {place}")?;
                carried_from.map_or(Ok(()), |start| write!(f, " from {start}"))
            }
            Self::Refused { player, action } => write!(f, "{player} refused {action}"),
            Self::Left(player) => write!(f, "{player} left"),
            Self::Over(outcome) => outcome.write_over(f, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment as _, Seed};

    use super::*;
    use crate::board::Config;

    #[test]
    fn only_the_size_of_a_board_is_written() {
        let initial = InitialKnowledge {
            config: Config::new(12, 9).unwrap(),
            homes: [None; 2],
            hints: Vec::new(),
            conveyors: Default::default(),
            places: [Place::new(1, 1); 2],
        };
        assert_eq!(Known::write_config(&initial).to_string(), "columns=12 rows=9");
        assert_eq!(Known::new(&initial, Seed::new(0)).config(), initial.config);
    }

    #[test]
    fn what_is_heard_reads_as_it_is_written() {
        for text in
            ["step up done 3,4", "ahead two hint left 7,1", "turn down done", "ahead three refused", "wins"]
        {
            assert_eq!(text.parse::<Heard>().map(|heard| heard.to_string()).as_deref(), Ok(text));
        }
        for text in [
            "",
            "wins ",
            "step up",
            "step up hint",
            "step up done 3",
            "step up done 3,4 5,6",
            "step up done +3,4",
            "jump up done",
        ] {
            let error = text.parse::<Heard>().unwrap_err().to_string();
            assert!(error.ends_with("`hint` and a direction, and a place"), "{error}");
        }
    }
}
