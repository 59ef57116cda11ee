//! The players' folder: each sub-folder holds a program and `info.txt`, whose first line is the command and whose
//! second line is the player's name. The referee of 2019 has other lines: an alias, which is the player's name here, a
//! full name, which is not read, and the command.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use game_env::text::{escape_hidden, fit_for_a_log, is_hidden};
use wire::bricks::Compat;

/// The file of a player.
pub const FILE: &str = "info.txt";

/// The longest such file, in bytes.
const LONGEST_FILE: u64 = 64 * 1024;

/// The longest name, in characters.
const LONGEST_NICK: usize = 40;

/// A player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Its name, which no other player has.
    pub nick: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
}

/// The players of a contest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Players {
    /// The players that take part, in the order of their folders' names.
    pub entrants: Vec<Entrant>,
    /// The faults of those that are left out, a line each.
    pub left_out: Vec<String>,
}

/// A folder that holds no players.
#[derive(Debug, thiserror::Error)]
pub enum EntrantsError {
    /// A folder cannot be read.
    #[error("cannot read the folder {folder}: {source}", folder = shown(.folder))]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Players have faults, each on a line.
    #[error("{}", .0.join("\n"))]
    Faulty(Vec<String>),
    /// There are too few.
    #[error(
        "{faults}{folder} has {count} sub-folders with players: expected at least 2, each with a program and `{FILE}`",
        faults = .left_out.iter().map(|fault| format!("{fault}\n")).collect::<String>(),
        folder = shown(.folder)
    )]
    TooFew {
        /// The players' folder.
        folder: PathBuf,
        /// Number of its sub-folders with players.
        count: usize,
        /// The faults of those that are left out.
        left_out: Vec<String>,
    },
}

impl Entrant {
    /// Returns the player of this folder, whose `info.txt` has the lines of this referee.
    ///
    /// # Errors
    ///
    /// The fault of its `info.txt`, and the content that is expected.
    pub fn read(folder: &Path, compat: Compat) -> Result<Self, String> {
        let path = folder.join(FILE);
        let wrong = |what: String| format!("{}: {what}", shown(&path));
        let mut bytes = Vec::new();
        let read = open(&path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes));
        read.map_err(|error| {
            let Lines { command, nick } = Lines::of(compat);
            wrong(format!(
                "{error}: expected a file with the command in line {command} and the player's name in line {nick}"
            ))
        })?;
        if bytes.len() as u64 > LONGEST_FILE {
            return Err(wrong(format!(
                "it is longer than {LONGEST_FILE} bytes: expected the command and the name"
            )));
        }
        let text = str::from_utf8(&bytes)
            .map_err(|error| wrong(format!("byte {} is not UTF-8: save it as UTF-8", error.valid_up_to())))?;
        let (words, nick) = parse(text, compat).map_err(wrong)?;
        let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", shown(folder)))?;
        Ok(Self { nick, words: own_program(&folder, words), folder })
    }
}

impl Players {
    /// Returns the players of all sub-folders. Files, and folders whose names begin with a dot, are no players.
    ///
    /// A faulty sub-folder is an error, or is left out if `leaves_out` is set. Of players with the same name, all are
    /// left out: nobody knows whose name it is.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, a player has a fault, two players have the same name, or there are fewer than two.
    pub fn read(folder: &Path, compat: Compat, leaves_out: bool) -> Result<Self, EntrantsError> {
        let unreadable = |source| EntrantsError::Folder { folder: folder.to_owned(), source };
        let mut folders = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if path.is_dir() && !is_hidden {
                folders.push(path);
            }
        }
        folders.sort();
        let (mut entrants, mut left_out) = (Vec::<Entrant>::new(), Vec::new());
        for folder in &folders {
            match Entrant::read(folder, compat) {
                Ok(entrant) => entrants.push(entrant),
                Err(fault) => left_out.push(fault),
            }
        }
        let mut shared = Vec::new();
        for (place, entrant) in entrants.iter().enumerate() {
            let same = entrants[..place].iter().find(|other| other.nick == entrant.nick);
            left_out.extend(same.map(|other| same_nick(other, entrant)));
            shared.extend(same.map(|other| other.nick.clone()));
        }
        entrants.retain(|entrant| !shared.contains(&entrant.nick));
        if !left_out.is_empty() && !leaves_out {
            return Err(EntrantsError::Faulty(left_out));
        }
        if entrants.len() < 2 {
            let (folder, count) = (folder.to_owned(), entrants.len());
            return Err(EntrantsError::TooFew { folder, count, left_out });
        }
        Ok(Self { entrants, left_out })
    }
}

/// The numbers of the lines of a player's file.
struct Lines {
    command: usize,
    nick: usize,
}

impl Lines {
    /// Returns the lines as the referee of this year reads them.
    const fn of(compat: Compat) -> Self {
        match compat {
            Compat::Strict | Compat::Year2018 => Self { command: 1, nick: 2 },
            Compat::Year2019 => Self { command: 3, nick: 1 },
        }
    }
}

/// Opens a player's file, which the player has made: never waits for a pipe, and follows no link, since a message about
/// the file would show the first lines of whatever the referee may read.
fn open(path: &Path) -> io::Result<File> {
    // For a link and for a pipe the system's own errors say less.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is a link, a pipe or a device, or a folder"));
    }
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;

        // The player may put another file into its place meanwhile.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// Returns a path for messages. Hidden characters are escaped: the reader of the message may be another person than
/// the one who names the folder.
fn shown(path: &Path) -> String {
    escape_hidden(&path.display().to_string())
}

/// Returns the message for two players with one name.
pub fn same_nick(one: &Entrant, other: &Entrant) -> String {
    let (nick, one, other) = (&one.nick, shown(&one.folder), shown(&other.folder));
    format!(
        "two players are called `{nick}`, those in {one} and {other}: expected a name of its own for each"
    )
}

/// Returns the words of the command, and the name.
fn parse(text: &str, compat: Compat) -> Result<(Vec<String>, String), String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line = |number: usize| text.lines().nth(number - 1).unwrap_or_default().trim();
    let Lines { command: command_at, nick: nick_at } = Lines::of(compat);
    let (command, nick) = (line(command_at), line(nick_at));
    if command.is_empty() {
        return Err(format!(
            "line {command_at} is empty: expected the command that starts the program, e.g. `python3 player.py`"
        ));
    }
    if command.contains('\0') {
        return Err(format!(
            "line {command_at} is `{}`: expected a command without the character U+0000",
            fit_for_a_log(command)
        ));
    }
    let words = shlex::split(command).filter(|words| words.iter().any(|word| !word.is_empty()));
    let words = words.ok_or_else(|| {
        format!(
            "line {command_at} is `{}`: expected a command whose quotes are closed",
            fit_for_a_log(command)
        )
    })?;
    if nick.is_empty() {
        return Err(format!("line {nick_at} is empty: expected the player's name"));
    }
    check_nick(nick).map_err(|why| format!("line {nick_at} is {why}"))?;
    Ok((words, nick.to_owned()))
}

/// Checks a name that stands in the files of the original referee, where `:`, `#` and `|` separate fields.
///
/// # Errors
///
/// If it is too long, or has one of these or a hidden character: the name, and what a name would be.
pub fn check_nick(nick: &str) -> Result<(), String> {
    let is_fit = |letter: char| !is_hidden(letter) && ![':', '#', '|'].contains(&letter);
    if nick.chars().count() <= LONGEST_NICK && nick.chars().all(is_fit) {
        return Ok(());
    }
    Err(format!(
        "`{}`: expected a name of at most {LONGEST_NICK} visible characters without `:`, `#` and `|`",
        fit_for_a_log(nick)
    ))
}

/// Lets a command start a program of the player's folder: `run` becomes `./run` if the folder has a file `run`.
/// Otherwise the system would look for `run` in `PATH`.
fn own_program(folder: &Path, mut words: Vec<String>) -> Vec<String> {
    if let Some(program) = words.first_mut()
        && !program.contains('/')
        && folder.join(&*program).is_file()
    {
        *program = format!("./{program}");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_command_and_a_name() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for (text, command, nick) in [
            ("./player\nAda\n", &["./player"][..], "Ada"),
            (
                "python3 player.py --depth 3\r\nŻółw 7\r\n",
                &["python3", "player.py", "--depth", "3"],
                "Żółw 7",
            ),
            (
                "\u{feff}  java -jar \"my player.jar\"  \n  Bob  \nmore\n",
                &["java", "-jar", "my player.jar"],
                "Bob",
            ),
            ("'./my player' ''\nC", &["./my player", ""], "C"),
        ] {
            assert_eq!(parse(text, Compat::Strict), Ok((words(command), nick.to_owned())), "{text:?}");
        }
        for (text, told) in [
            ("", "line 1 is empty: expected the command that starts the program, e.g. `python3 player.py`"),
            (
                "\nAda",
                "line 1 is empty: expected the command that starts the program, e.g. `python3 player.py`",
            ),
            ("./a 'b\nAda", "line 1 is `./a 'b`: expected a command whose quotes are closed"),
            ("''\nAda", "line 1 is `''`: expected a command whose quotes are closed"),
            ("./a \0\nAda", "line 1 is `./a \\u{0}`: expected a command without the character U+0000"),
            ("./a", "line 2 is empty: expected the player's name"),
            ("./a\n  \nAda", "line 2 is empty: expected the player's name"),
            (
                "./a\nA:b",
                "line 2 is `A:b`: expected a name of at most 40 visible characters without `:`, `#` and `|`",
            ),
            (
                "./a\nA\u{1b}[2J",
                "line 2 is `A\\u{1b}[2J`: expected a name of at most 40 visible characters without `:`, `#` and `|`",
            ),
        ] {
            assert_eq!(parse(text, Compat::Strict).unwrap_err(), told, "{text:?}");
        }
        assert!(parse(&format!("./a\n{}", "ą".repeat(40)), Compat::Strict).is_ok());
        assert!(parse(&format!("./a\n{}", "ą".repeat(41)), Compat::Strict).is_err());
    }

    /// An alias, a name, and the command.
    #[test]
    fn a_file_of_2019_has_the_alias_first() {
        let read = |text: &str| parse(text, Compat::Year2019);
        let words = vec!["java".to_owned(), "-jar".to_owned(), "p.jar".to_owned()];
        assert_eq!(read("ada\nAda Byron\njava -jar p.jar\n"), Ok((words, "ada".to_owned())));
        for (text, told) in [
            ("ada\nAda\n", "line 3 is empty: expected the command that starts the program"),
            ("\nAda\n./a", "line 1 is empty: expected the player's name"),
            ("a:b\nAda\n./a", "line 1 is `a:b`: expected a name"),
            ("ada\nAda\n./a 'b", "line 3 is `./a 'b`: expected a command whose quotes are closed"),
        ] {
            assert!(read(text).unwrap_err().starts_with(told), "{text:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let told = Entrant::read(folder.path(), Compat::Year2019).unwrap_err();
        assert!(told.ends_with("the command in line 3 and the player's name in line 1"), "{told}");
    }

    fn folder(players: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, info) in players {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join(FILE), info).unwrap();
        }
        folder
    }

    fn read(folder: &Path) -> Result<Players, EntrantsError> {
        Players::read(folder, Compat::Strict, false)
    }

    #[test]
    fn players_are_read_in_the_order_of_their_folders() {
        let folder = folder(&[("b", "run\nBob\n"), ("a", "python3 x.py\nAda\n"), (".git", "")]);
        fs::write(folder.path().join("readme.txt"), "no player").unwrap();
        fs::write(folder.path().join("b/run"), "a program").unwrap();
        let entrants = read(folder.path()).unwrap().entrants;
        let told: Vec<_> = entrants.iter().map(|one| (one.nick.as_str(), one.words.join(" "))).collect();
        // A program in the folder goes before one of the system.
        assert_eq!(told, [("Ada", "python3 x.py".to_owned()), ("Bob", "./run".to_owned())]);
    }

    #[test]
    fn faulty_folders_are_all_named() {
        let folder = folder(&[("a", "x\nAda\n"), ("b", "y\nAda\n"), ("c", "y\n")]);
        fs::create_dir(folder.path().join("d")).unwrap();
        let told = read(folder.path()).unwrap_err().to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 3, "{told}");
        assert!(lines[0].ends_with("c/info.txt: line 2 is empty: expected the player's name"), "{told}");
        assert!(lines[1].contains("d/info.txt: No such file"), "{told}");
        assert!(lines[2].contains("two players are called `Ada`, those in "), "{told}");
        assert!(
            lines[2].contains("/a and ") && lines[2].contains("/b: expected a name of its own"),
            "{told}"
        );
    }

    #[test]
    fn faulty_folders_are_left_out_if_the_host_says_so() {
        let all = [("a", "x\nAda\n"), ("b", "y\n"), ("c", "y\nCy\n"), ("d", "y\nAda\n"), ("e", "y\nEve\n")];
        let some = folder(&all);
        let Players { entrants, left_out } = Players::read(some.path(), Compat::Strict, true).unwrap();
        let nicks: Vec<&str> = entrants.iter().map(|one| one.nick.as_str()).collect();
        // Both of those with one name: nobody plays under the name of another player.
        assert_eq!(nicks, ["Cy", "Eve"]);
        assert_eq!(left_out.len(), 2, "{left_out:?}");
        assert!(
            left_out[0].ends_with("b/info.txt: line 2 is empty: expected the player's name"),
            "{left_out:?}"
        );
        assert!(left_out[1].contains("two players are called `Ada`"), "{left_out:?}");
        let few = folder(&all[..3]);
        let told = Players::read(few.path(), Compat::Strict, true).map(|players| players.entrants.len());
        assert_eq!(told.unwrap(), 2);
        let few = folder(&all[..2]);
        let told = Players::read(few.path(), Compat::Strict, true).unwrap_err().to_string();
        let lines: Vec<&str> = told.lines().collect();
        assert!(lines[0].contains("b/info.txt: line 2 is empty"), "{told}");
        assert!(lines[1].contains("has 1 sub-folders with players: expected at least 2"), "{told}");
    }

    /// A link to a file of the referee's user is not followed: the message shows nothing of that file.
    #[cfg(unix)]
    #[test]
    fn a_players_file_is_a_file_of_its_own() {
        let folder = folder(&[("a", "x\nAda\n"), ("b", "y\nBob\n")]);
        let secret = folder.path().join("secret");
        fs::write(&secret, "'a secret").unwrap();
        let file = folder.path().join("b").join(FILE);
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&secret, &file).unwrap();
        let told = read(folder.path()).unwrap_err().to_string();
        let expected = "b/info.txt: it is a link, a pipe or a device, or a folder: expected a file with the command in \
                        line 1 and the player's name in line 2";
        assert!(told.ends_with(expected) && !told.contains("a secret"), "{told}");
    }

    #[test]
    fn one_player_is_too_few() {
        let one = folder(&[("a", "x\nAda\n")]);
        let told = read(one.path()).unwrap_err().to_string();
        assert!(told.contains("has 1 sub-folders with players: expected at least 2"), "{told}");
        let told = read(&one.path().join("none")).unwrap_err().to_string();
        assert!(told.starts_with("cannot read the folder ") && told.contains("No such file"), "{told}");
    }
}
