//! The choices of an operator on the page before a duel is played: the players, and every parameter of the referee.
//!
//! It starts nothing.

use std::path::{Path, PathBuf};

use game_env::parameter::{self, Form, Parameter};
use game_env::{ConfigError, Fault, Parameters, Value};
use viewer::matches::Settings;
use viewer::setting::Setting;

use super::config::{BricksConfig, parameters};
use super::entrants::{Entrant, same_nick};
use crate::layers::{Layer, LayeredValues, with_page};

/// A duel with its players, and the referee's configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The players' folder; empty if none is named.
    pub players: PathBuf,
    /// The folder of the player who begins, inside the players' folder unless it is absolute; empty if none is named.
    pub first: PathBuf,
    /// The folder of the other player.
    pub second: PathBuf,
    /// The configuration of the referee: how duels are conducted.
    pub referee: BricksConfig,
    /// Every parameter of [`PARAMETERS`] with its value, and where that came from.
    pub origins: Vec<(String, Value, Layer)>,
    layers: Vec<(Layer, Parameters)>,
}

const FOLDER: Form = Form { allowed: "the path of a folder", check: |_| Ok(()) };

/// The parameters that are chosen beside the referee's own [`parameters`].
pub const PARAMETERS: [Parameter; 3] = [
    Parameter::text("players", "the players' folder, with a sub-folder for each player", "", FOLDER),
    Parameter::text("first", "the sub-folder of the player who begins", "", FOLDER),
    Parameter::text("second", "the sub-folder of the other player", "", FOLDER),
];

impl Choice {
    /// Returns the choice with these values of a file and of flags.
    ///
    /// # Errors
    ///
    /// Every fault. Whether there are players is checked by [`Choice::entrants`].
    pub fn layered(file: Parameters, flags: Parameters) -> Result<Self, ConfigError> {
        let [(own_file, file), (own_flags, flags)] = [file, flags].map(|layer| split(&layer));
        let layers = vec![(Layer::File, own_file), (Layer::Flag, own_flags)];
        Self::of(layers, BricksConfig::layered(file, flags))
    }

    /// Returns the choice with what a page asks for over everything else. What the page has asked for before stays,
    /// unless it is named again.
    ///
    /// # Errors
    ///
    /// Every fault.
    pub fn changed(&self, asked: &Parameters) -> Result<Self, ConfigError> {
        let (own, of_referee) = split(asked);
        let layers = with_page(&PARAMETERS, self.layers.clone(), &self.origins, &own);
        Self::of(layers, self.referee.changed(&of_referee))
    }

    fn of(
        layers: Vec<(Layer, Parameters)>,
        referee: Result<BricksConfig, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let (named, faults) = LayeredValues::read(&PARAMETERS, &layers);
        let (read, referee) = match (named.checked(faults), referee) {
            (Ok(read), Ok(referee)) => (read, referee),
            (read, referee) => {
                let errors = [read.err(), referee.err()].into_iter().flatten();
                return Err(ConfigError::new(errors.flat_map(ConfigError::into_faults).collect()));
            }
        };
        let folder = |name: &str| PathBuf::from(read.value(name).text().trim());
        let [players, first, second] = ["players", "first", "second"].map(folder);
        let origins = named.origins(&read);
        Ok(Self { players, first, second, referee, origins, layers })
    }

    /// Returns whether both players are named, so that their faults can be told before the start.
    pub fn names_players(&self) -> bool {
        [&self.first, &self.second].iter().all(|path| !path.as_os_str().is_empty())
    }

    /// Returns the two players, the one who begins first.
    ///
    /// # Errors
    ///
    /// If a folder is not named, is missing or holds no player, or both players have the same name.
    pub fn entrants(&self) -> Result<[Entrant; 2], ConfigError> {
        let compat = self.referee.settings.compat;
        let fault = |name: &str, path: &Path, why: String, allowed: &str| {
            Fault::new(name, &Value::Text(path.display().to_string()), why, allowed)
        };
        let read = |name: &str, path: &PathBuf| {
            if path.as_os_str().is_empty() {
                let allowed = "a sub-folder of the players' folder, or the path of another folder";
                return Err(fault(name, path, "no folder is named".to_owned(), allowed));
            }
            let read = Entrant::read(&self.players.join(path), compat);
            read.map_err(|why| fault(name, path, why, "a folder with a program and `info.txt`"))
        };
        match (read("first", &self.first), read("second", &self.second)) {
            (Ok(first), Ok(second)) if first.nick == second.nick => {
                let why = same_nick(&first, &second);
                Err(ConfigError::new(vec![fault("second", &self.second, why, "another player")]))
            }
            (Ok(first), Ok(second)) => Ok([first, second]),
            (first, second) => {
                Err(ConfigError::new([first.err(), second.err()].into_iter().flatten().collect()))
            }
        }
    }
}

impl Settings for Choice {
    fn settings(&self) -> Vec<Setting> {
        let tables = PARAMETERS.iter().chain(parameters());
        let shown = |(parameter, (_, value, origin)): (&Parameter, &(String, Value, Layer))| Setting {
            parameter: *parameter,
            value: value.clone(),
            origin: origin.to_string(),
        };
        tables.zip(self.origins.iter().chain(&self.referee.origins)).map(shown).collect()
    }

    fn check(&self, asked: &Parameters) -> Result<Vec<Setting>, ConfigError> {
        let changed = self.changed(asked)?;
        changed.entrants()?;
        Ok(changed.settings())
    }
}

/// Returns the values of [`PARAMETERS`], and all others.
fn split(layer: &Parameters) -> (Parameters, Parameters) {
    let (own, others): (Vec<_>, Vec<_>) =
        layer.iter().partition(|(name, _)| parameter::find(&PARAMETERS, name).is_some());
    let owned = |values: Vec<(&str, &Value)>| {
        values.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    };
    (owned(own), owned(others))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn texts(pairs: &[(&str, &str)]) -> Parameters {
        pairs.iter().map(|(name, text)| (*name, Value::guess(text))).collect()
    }

    fn players(nicks: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for nick in nicks {
            fs::create_dir(folder.path().join(nick)).unwrap();
            fs::write(folder.path().join(nick).join("info.txt"), format!("./run\n{nick}\n")).unwrap();
        }
        folder
    }

    #[test]
    fn a_choice_has_players_and_rules_from_every_layer() {
        let file = texts(&[("players", "there"), ("size", "9")]);
        let choice = Choice::layered(file, texts(&[("first", "ada"), ("filled", "3")])).unwrap();
        assert_eq!(
            (choice.first.as_path(), choice.players.as_path()),
            (Path::new("ada"), Path::new("there"))
        );
        assert_eq!((choice.referee.game.size(), choice.referee.game.count_at_random()), (9, 3));
        let shown: Vec<String> = choice
            .settings()
            .iter()
            .filter(|setting| setting.origin != "default")
            .map(|setting| format!("{} {} {}", setting.parameter.name, setting.value, setting.origin))
            .collect();
        assert_eq!(shown, [r#"players "there" file"#, r#"first "ada" flag"#, "size 9 file", "filled 3 flag"]);
        assert!(!choice.names_players());
    }

    #[test]
    fn a_page_keeps_what_it_has_asked_for() {
        let first = Choice::layered(Parameters::new(), texts(&[("size", "9")])).unwrap();
        let second = first.changed(&texts(&[("players", "a"), ("size", "7")])).unwrap();
        let third = second.changed(&texts(&[("first", "b"), ("filled", "2")])).unwrap();
        assert_eq!((third.first.as_path(), third.players.as_path()), (Path::new("b"), Path::new("a")));
        assert_eq!((third.referee.game.size(), third.referee.game.count_at_random()), (7, 2));
        // Values that the page shows already are no change.
        assert_eq!(third.changed(&texts(&[("size", "7"), ("players", "a")])).unwrap(), third);
    }

    #[test]
    fn every_fault_is_told_whichever_table_has_the_parameter() {
        let faults = |asked: &[(&str, &str)]| {
            let choice = Choice::layered(Parameters::new(), Parameters::new()).unwrap();
            choice.check(&texts(asked)).unwrap_err().to_string()
        };
        let told = faults(&[("players", "true"), ("size", "4")]);
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].starts_with("players = true: "), "{told}");
        assert_eq!(lines[1..], ["size = 4: a board of 4×4 cells; allowed: an odd number from 3 to 999"]);
        let allowed = "a sub-folder of the players' folder, or the path of another folder";
        assert_eq!(
            faults(&[]),
            format!(
                "first = \"\": no folder is named; allowed: {allowed}\n\
                 second = \"\": no folder is named; allowed: {allowed}"
            )
        );
        let told = faults(&[("first", "/no/such/folder"), ("second", "/no/such/folder")]);
        assert!(told.contains("/no/such/folder/info.txt: No such file or directory"), "{told}");
    }

    #[test]
    fn a_duel_is_between_two_sub_folders() {
        let folder = players(&["ada", "bob"]);
        let path = folder.path().to_str().unwrap();
        let choose = |asked: &[(&str, &str)]| {
            let mut flags = texts(&[("players", path)]);
            asked.iter().for_each(|(name, text)| flags.push(*name, Value::Text((*text).to_owned())));
            Choice::layered(Parameters::new(), flags).unwrap().entrants()
        };
        let nicks = |players: [Entrant; 2]| players.map(|one| one.nick);
        assert_eq!(nicks(choose(&[("first", "bob"), ("second", "ada")]).unwrap()), ["bob", "ada"]);
        let elsewhere = players(&["cy"]);
        let cy = elsewhere.path().join("cy");
        let both = choose(&[("first", "bob"), ("second", cy.to_str().unwrap())]).unwrap();
        assert_eq!(nicks(both), ["bob", "cy"]);
        let told = choose(&[("first", "eve")]).unwrap_err();
        let fields: Vec<&str> = told.faults().iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["first", "second"], "{told}");
        let same = choose(&[("first", "ada"), ("second", "ada")]).unwrap_err().to_string();
        assert!(same.starts_with(r#"second = "ada": two players are called `ada`"#), "{same}");
    }
}
