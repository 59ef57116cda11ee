//! The choices of an operator on the page before duels are played: the players, one duel or a tournament, and every
//! parameter of the referee.
//!
//! It starts nothing.

use std::path::{Path, PathBuf};

use game_env::parameter::{self, Form, Parameter, Reading};
use game_env::{ConfigError, Fault, Parameters, Value};
use viewer::matches::Settings;
use viewer::setting::Setting;

use super::config::{BricksConfig, parameters};
use super::entrants::{Entrant, EntrantsError, Players, same_nick};
use crate::layers::{Layer, traced, with_page};

/// The kinds of contests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contest {
    /// Each player plays each other twice, once as the first.
    Tournament,
    /// Two players play once.
    Duel,
}

/// A contest with its players, and the referee's configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The kind of contest.
    pub contest: Contest,
    /// The players' folder; empty if none is named.
    pub players: PathBuf,
    /// The folder of the player who begins a duel, inside the players' folder unless it is absolute; empty if none is
    /// named.
    pub first: PathBuf,
    /// The folder of the other player.
    pub second: PathBuf,
    /// Whether a tournament is played without the sub-folders that have faults.
    pub leaves_out: bool,
    /// The configuration of the referee: how duels are conducted.
    pub referee: BricksConfig,
    /// Every parameter of [`PARAMETERS`] with its value, and where that came from.
    pub origins: Vec<(String, Value, Layer)>,
    layers: Vec<(Layer, Parameters)>,
}

const FOLDER: Form = Form { allowed: "the path of a folder", check: |_| Ok(()) };

/// The parameters that are chosen beside the referee's own [`parameters`].
pub const PARAMETERS: [Parameter; 5] = [
    Parameter::one_of(
        "contest",
        "what is played: all against all, twice, or one duel",
        &["tournament", "duel"],
    ),
    Parameter::text("players", "the players' folder, with a sub-folder for each player", "", FOLDER),
    Parameter::text("first", "duel: the sub-folder of the player who begins", "", FOLDER),
    Parameter::text("second", "duel: the sub-folder of the other player", "", FOLDER),
    Parameter::flag("leaveOutFaulty", "tournament: whether sub-folders with faults are left out", false),
];

impl Choice {
    /// The choice with these values of a file and of flags.
    ///
    /// # Errors
    ///
    /// Every fault. Whether there are players is checked by [`Choice::entrants`].
    pub fn layered(file: Parameters, flags: Parameters) -> Result<Self, ConfigError> {
        let [(own_file, file), (own_flags, flags)] = [file, flags].map(|layer| split(&layer));
        let layers = vec![(Layer::File, own_file), (Layer::Flag, own_flags)];
        Self::of(layers, BricksConfig::layered(file, flags))
    }

    /// The choice with what a page asks for over everything else. What the page has asked for before stays, unless it is
    /// named again.
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
        let mut faults = Vec::new();
        let mut origins = Vec::new();
        for known in &PARAMETERS {
            origins.push((known.name.to_owned(), Value::from(known.default), Layer::Default));
        }
        for (origin, layer) in &layers {
            let Reading { values, faults: faulty } = parameter::read(&PARAMETERS, layer);
            faults.extend(faulty.into_iter().map(|fault| traced(fault, *origin)));
            for (name, value) in values.iter() {
                let known = parameter::find(&PARAMETERS, name).expect("it was read by the table");
                match known.check(value) {
                    Ok(value) => {
                        let (_, present, from) = origins
                            .iter_mut()
                            .find(|(own, ..)| own == known.name)
                            .expect("every parameter of the table is there");
                        (*present, *from) = (value, *origin);
                    }
                    Err(fault) => faults.push(traced(fault, *origin)),
                }
            }
        }
        let referee = referee.map_err(|error| faults.extend(error.into_faults())).ok();
        let Some(referee) = referee.filter(|_| faults.is_empty()) else {
            return Err(ConfigError::new(faults));
        };
        let text = |name: &str| {
            let value = origins.iter().find(|(own, ..)| own == name);
            value.map(|(_, value, _)| value.text().trim().to_owned()).unwrap_or_default()
        };
        let contest = match text("contest").as_str() {
            "duel" => Contest::Duel,
            _ => Contest::Tournament,
        };
        let [players, first, second] = ["players", "first", "second"].map(|name| PathBuf::from(text(name)));
        let leaves_out =
            origins.iter().any(|(own, value, _)| own == "leaveOutFaulty" && *value == Value::Flag(true));
        Ok(Self { contest, players, first, second, leaves_out, referee, origins, layers })
    }

    /// Returns whether folders of players are named, so that their faults can be told before the start.
    pub fn names_players(&self) -> bool {
        let is_named = |path: &PathBuf| !path.as_os_str().is_empty();
        match self.contest {
            Contest::Tournament => is_named(&self.players),
            Contest::Duel => is_named(&self.first) && is_named(&self.second),
        }
    }

    /// The players: all of a tournament, or the two of a duel, the one who begins first.
    ///
    /// # Errors
    ///
    /// If folders are missing, or hold no players.
    pub fn entrants(&self) -> Result<Players, ConfigError> {
        let compat = self.referee.settings.compat;
        let fault = |name: &str, path: &Path, why: String, allowed: &str| {
            Fault::new(name, &Value::Text(path.display().to_string()), why, allowed)
        };
        let missing = |name: &str, path: &Path, allowed: &str| {
            fault(name, path, "no folder is named".to_owned(), allowed)
        };
        match self.contest {
            Contest::Tournament if self.players.as_os_str().is_empty() => {
                let allowed = "a folder with a sub-folder for each player";
                Err(ConfigError::new(vec![missing("players", &self.players, allowed)]))
            }
            Contest::Tournament => Players::read(&self.players, compat, self.leaves_out).map_err(|error| {
                let allowed = match error {
                    EntrantsError::Faulty(_) => {
                        "a folder whose sub-folders have a program and `info.txt`; `leaveOutFaulty` plays without the \
                         others"
                    }
                    EntrantsError::Folder { .. } | EntrantsError::TooFew { .. } => {
                        "a folder with at least 2 sub-folders, each with a program and `info.txt`"
                    }
                };
                // A page shows a fault as one line.
                let why: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
                ConfigError::new(vec![fault("players", &self.players, why.join("; "), allowed)])
            }),
            Contest::Duel => {
                let (mut entrants, mut faults) = (Vec::new(), Vec::new());
                for (name, path) in [("first", &self.first), ("second", &self.second)] {
                    if path.as_os_str().is_empty() {
                        let allowed = "a sub-folder of the players' folder, or the path of another folder";
                        faults.push(missing(name, path, allowed));
                        continue;
                    }
                    match Entrant::read(&self.players.join(path), compat) {
                        Ok(entrant) => entrants.push(entrant),
                        Err(why) => {
                            faults.push(fault(name, path, why, "a folder with a program and `info.txt`"));
                        }
                    }
                }
                if let [first, second] = &entrants[..]
                    && first.nick == second.nick
                {
                    faults.push(fault("second", &self.second, same_nick(first, second), "another player"));
                }
                if !faults.is_empty() {
                    return Err(ConfigError::new(faults));
                }
                Ok(Players { entrants, left_out: Vec::new() })
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

/// The values of [`PARAMETERS`], and all others.
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
        let choice = Choice::layered(file, texts(&[("contest", "duel"), ("filled", "3")])).unwrap();
        assert_eq!((choice.contest, choice.players.as_path()), (Contest::Duel, Path::new("there")));
        assert_eq!((choice.referee.game.size(), choice.referee.game.count_at_random()), (9, 3));
        let shown: Vec<String> = choice
            .settings()
            .iter()
            .filter(|setting| setting.origin != "default")
            .map(|setting| format!("{} {} {}", setting.parameter.name, setting.value, setting.origin))
            .collect();
        assert_eq!(
            shown,
            [r#"contest "duel" flag"#, r#"players "there" file"#, "size 9 file", "filled 3 flag"]
        );
    }

    #[test]
    fn a_page_keeps_what_it_has_asked_for() {
        let first = Choice::layered(Parameters::new(), texts(&[("size", "9")])).unwrap();
        let second = first.changed(&texts(&[("players", "a"), ("size", "7")])).unwrap();
        let third = second.changed(&texts(&[("contest", "duel"), ("filled", "2")])).unwrap();
        assert_eq!((third.contest, third.players.as_path()), (Contest::Duel, Path::new("a")));
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
        assert_eq!(
            faults(&[("contest", "league"), ("size", "4")]).lines().collect::<Vec<_>>(),
            [
                r#"contest = "league": unknown value; allowed: tournament or duel"#,
                "size = 4: a board of 4×4 cells; allowed: an odd number from 3 to 999",
            ]
        );
        assert_eq!(
            faults(&[]),
            r#"players = "": no folder is named; allowed: a folder with a sub-folder for each player"#
        );
        let told = faults(&[("players", "/no/such/folder")]);
        assert!(told.contains(": cannot read the folder /no/such/folder: "), "{told}");
    }

    #[test]
    fn a_duel_is_between_two_sub_folders() {
        let folder = players(&["ada", "bob"]);
        let path = folder.path().to_str().unwrap();
        let choose = |asked: &[(&str, &str)]| {
            let mut flags = texts(&[("contest", "duel"), ("players", path)]);
            asked.iter().for_each(|(name, text)| flags.push(*name, Value::Text((*text).to_owned())));
            Choice::layered(Parameters::new(), flags).unwrap().entrants()
        };
        let nicks = |players: Players| players.entrants.into_iter().map(|one| one.nick).collect::<Vec<_>>();
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
        // A tournament takes all of them.
        let mut flags = texts(&[("players", path)]);
        flags.push("first", Value::Text("ignored".to_owned()));
        let all = Choice::layered(Parameters::new(), flags).unwrap().entrants().unwrap();
        assert_eq!(nicks(all), ["ada", "bob"]);
    }

    #[test]
    fn a_tournament_is_played_without_faulty_folders_if_that_is_chosen() {
        let folder = players(&["ada", "bob"]);
        fs::create_dir(folder.path().join("cy")).unwrap();
        let choose = |leaves_out: &str| {
            let flags =
                texts(&[("players", folder.path().to_str().unwrap()), ("leaveOutFaulty", leaves_out)]);
            Choice::layered(Parameters::new(), flags).unwrap().entrants()
        };
        fs::create_dir(folder.path().join("dot")).unwrap();
        let told = choose("false").unwrap_err().to_string();
        assert!(told.contains("cy/info.txt: No such file") && told.contains("; /"), "{told}");
        assert!(
            told.contains("dot/info.txt") && told.ends_with("`leaveOutFaulty` plays without the others"),
            "{told}"
        );
        assert_eq!(told.lines().count(), 1, "{told}");
        let Players { entrants, left_out } = choose("true").unwrap();
        assert_eq!((entrants.len(), left_out.len()), (2, 2), "{left_out:?}");
    }
}
