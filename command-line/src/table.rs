//! The flags of a program whose parameters stand in one table, and the configuration file that has the same parameters.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use game_env::Parameters;
use game_env::configuration::File;
use game_env::parameter::{Form, Parameter};

use crate::{ConfigurationFileError, read_configuration};

/// The flag of the configuration file.
const FILE: &str = "config";

/// The form of the address at which a server listens.
pub const ADDRESS: Form = Form {
    allowed: "an IPv4 or IPv6 address in quotes",
    check: |text| match text.parse::<IpAddr>() {
        Ok(_) => Ok(()),
        Err(_) => Err("it is no address".to_owned()),
    },
};

/// Returns the name of a parameter as a flag: `botWaitMs` is `bot-wait-ms`, `portGM` is `port-gm`.
pub fn flag(parameter: &Parameter) -> String {
    let mut flag = String::new();
    let mut last_was_small = false;
    for letter in parameter.name.chars() {
        if letter.is_uppercase() && last_was_small {
            flag.push('-');
        }
        last_was_small = letter.is_lowercase();
        flag.push(letter.to_ascii_lowercase());
    }
    flag
}

/// Returns a flag for the configuration file, and one for each parameter of the table.
pub fn flags(table: &'static [Parameter]) -> impl Iterator<Item = Arg> {
    let file =
        Arg::new(FILE).long(FILE).value_name("FILE").help("A JSON file with any of the parameters below");
    let flags = table.iter().map(|known| {
        let help = format!("{} [file: {}; default: {}]", known.description(), known.name, known.default);
        Arg::new(known.name).long(flag(known)).value_name("VALUE").allow_hyphen_values(true).help(help)
    });
    std::iter::once(file).chain(flags)
}

/// The values of a command line with [`flags`].
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The configuration file, if one is named.
    pub file: Option<PathBuf>,
    /// The parameters of the flags.
    pub flags: Parameters,
}

impl Asked {
    /// Reads a command line with the [`flags`] of this table.
    pub fn of(table: &[Parameter], matches: &ArgMatches) -> Self {
        let given = |parameter: &Parameter| {
            let text = matches.get_one::<String>(parameter.name)?;
            Some((parameter.name, parameter.parse(text)))
        };
        let file = matches.get_one::<String>(FILE).map(PathBuf::from);
        Self { file, flags: table.iter().filter_map(given).collect() }
    }

    /// Returns the content of the configuration file, empty if none is named; `notice` gets a remark for the user about
    /// it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is no JSON object.
    pub fn content(&self, notice: impl FnOnce(&str)) -> Result<File, ConfigurationFileError> {
        self.file.as_deref().map_or_else(|| Ok(File::default()), |path| read_configuration(path, notice))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Command;

    use super::*;

    const TABLE: [Parameter; 2] = [
        Parameter::whole("portGM", "the port for the game master", 3728, 0, 65_535),
        Parameter::whole("botWaitMs", "how long somebody waits", 3000, -1, 9000).unit("ms"),
    ];

    fn asked(words: &[&str]) -> Asked {
        let command = Command::new("host").args(flags(&TABLE));
        Asked::of(&TABLE, &command.get_matches_from([&["host"], words].concat()))
    }

    #[test]
    fn each_parameter_is_a_flag() {
        assert_eq!(TABLE.each_ref().map(flag), ["port-gm", "bot-wait-ms"]);
        let help = Command::new("host").args(flags(&TABLE)).render_help().to_string();
        assert!(help.contains("how long somebody waits, ms [file: botWaitMs; default: 3000]"), "{help}");
    }

    #[test]
    fn what_a_user_says_is_read_by_the_table() {
        let said = asked(&["--bot-wait-ms", "-1", "--config", "here.json"]);
        assert_eq!(said.flags.to_string(), "botWaitMs=-1");
        assert_eq!(said.file, Some(PathBuf::from("here.json")));
        assert_eq!(asked(&[]), Asked { file: None, flags: Parameters::new() });
    }

    #[test]
    fn the_named_file_is_read_if_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.json");
        fs::write(&path, r#"{"portGM": 1}"#).unwrap();
        let content = |words: &[&str]| asked(words).content(|notice| panic!("{notice}")).unwrap();
        assert_eq!(content(&[]), File::default());
        assert_eq!(content(&["--config", path.to_str().unwrap()]).members.len(), 1);
    }
}
