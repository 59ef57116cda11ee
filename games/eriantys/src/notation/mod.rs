//! The game as text, for replays, tests and people.
//!
//! | action | meaning |
//! |---|---|
//! | `assistant 7` | play the assistant of value 7 |
//! | `dining red` | a red student to the dining room |
//! | `island red 3` | a red student to island 3 |
//! | `steps 2` | Mother Nature goes two islands on |
//! | `cloud 1` | take the students of cloud 1 |
//! | `monk red 3`, `herald 3`, `granny 3` | characters with an island |
//! | `mushroom-hunter red`, `princess red`, `thief red` | characters with a colour |
//! | `jester yb for rr`, `minstrel y for r` | students of the entrance for others: `y`, `b`, `g`, `r`, `p` |
//! | `farmer`, `mailman`, `centaur`, `knight` | characters without parameters |
//!
//! Islands and clouds count from 1. Students are written as one letter each, or `-` for none.

mod action;
mod event;
mod scene;
mod words;

use game_env::parameter::{Checked, Form, Parameter};
use game_env::{ConfigError, Notation, Parameters, Preset, Scene, Value};

use crate::character::Character;
use crate::config::Config;
use crate::state::State;

/// Every parameter of the game, in the order of files.
pub const PARAMETERS: [Parameter; 3] = [
    Parameter::whole(
        "players",
        "players; four are two teams of two",
        2,
        Config::FEWEST_PLAYERS as i64,
        Config::MOST_PLAYERS as i64,
    ),
    Parameter::flag("expert", "whether there are coins and characters", false),
    Parameter::list(
        "characters",
        "the three characters of an expert game; without them the seed draws",
        CHARACTERS,
    ),
];

const CHARACTERS: Form = Form {
    allowed: "three different characters, e.g. `monk,herald,thief`, in an expert game",
    check: |text| characters(text).map(|_| ()),
};

/// Returns the characters that a text names; `None` if it is empty.
fn characters(text: &str) -> Result<Option<[Character; Config::CHARACTERS]>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let words = text.split(',').map(|word| word.trim().parse::<Character>());
    let named = words.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let count = named.len();
    named.try_into().map(Some).map_err(|_| format!("there are {count}"))
}

impl Notation for State {
    const GAME: &'static str = "eriantys";
    const RULES: u32 = 1;

    fn parameters() -> &'static [Parameter] {
        &PARAMETERS
    }

    fn presets() -> Vec<Preset> {
        let preset = |name, summary, players: u8, is_expert| {
            let parameters = [("players", Value::Whole(players.into())), ("expert", Value::Flag(is_expert))];
            Preset { name, summary, parameters: parameters.into_iter().collect() }
        };
        vec![
            preset("two", "two players, simple", 2, false),
            preset("two-expert", "two players, with coins and characters", 2, true),
            preset("three", "three players, simple", 3, false),
            preset("three-expert", "three players, with coins and characters", 3, true),
            preset("four", "two teams of two players, simple", 4, false),
            preset("four-expert", "two teams of two players, with coins and characters", 4, true),
        ]
    }

    fn write_config(config: &Config) -> Parameters {
        let players = i128::try_from(config.players()).expect("there are at most four");
        let characters = config.characters().map_or_else(String::new, |characters| {
            characters.map(|character| character.to_string()).join(",")
        });
        [
            ("players", Value::Whole(players)),
            ("expert", Value::Flag(config.is_expert())),
            ("characters", Value::Text(characters)),
        ]
        .into_iter()
        .collect()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        let read = Checked::read(&PARAMETERS, parameters)?;
        let config = Config::new(read.whole("players"), read.flag("expert"))
            .map_err(|error| read.fault("players", error))?;
        let fault = |error: &dyn std::fmt::Display| read.fault("characters", error);
        match characters(&read.text("characters")).map_err(|error| fault(&error))? {
            None => Ok(config),
            Some(characters) => config.with_characters(characters).map_err(|error| fault(&error)),
        }
    }

    fn scene(&self) -> Scene {
        scene::draw(self.table())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(asked: &[(&str, Value)]) -> Result<Config, String> {
        State::read_config(&asked.iter().cloned().collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_configuration_reads_as_it_is_written() {
        let expert = Config::new(4, true).unwrap();
        let chosen = [Character::MushroomHunter, Character::Monk, Character::Thief];
        for config in [Config::default(), expert, expert.with_characters(chosen).unwrap()] {
            assert_eq!(State::read_config(&State::write_config(&config)).unwrap(), config);
        }
        assert_eq!(read(&[]), Ok(Config::default()));
    }

    #[test]
    fn faulty_configurations_name_their_fault() {
        let expert = ("expert", Value::Flag(true));
        let named = |text: &str| ("characters", Value::Text(text.to_owned()));
        for (asked, fault) in [
            (
                vec![("players", Value::Whole(5))],
                "players = 5: it is too large; allowed: a whole number from 2 to 4",
            ),
            (
                vec![named("monk,thief,herald")],
                "characters = \"monk,thief,herald\": characters in a simple game; allowed: none, or an expert game",
            ),
            (
                vec![expert.clone(), named("monk,thief,monk")],
                "characters = \"monk,thief,monk\": the monk is there twice; allowed: three different characters",
            ),
            (
                vec![expert.clone(), named("monk,thief")],
                "characters = \"monk,thief\": there are 2; allowed: three different characters, e.g. `monk,herald,thief`, in \
                 an expert game",
            ),
        ] {
            assert_eq!(read(&asked).unwrap_err(), fault);
        }
        let unknown = read(&[expert, named("monk,thief,wizard")]).unwrap_err();
        assert!(unknown.contains("`wizard` is no character"), "{unknown}");
    }
}
