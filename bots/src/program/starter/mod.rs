//! `bots new`: writes a folder with an agent, a test of one decision and a league file.
//!
//! [`languages`] is the table of the languages. An agent in Rust is a crate on this workspace ([`package`]); an agent
//! in another language is a program that speaks the agent protocol ([`program`]).

mod languages;
mod package;
mod program;

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

use clap::Args;
use clap::builder::PossibleValuesParser;
use command_line::{Failure, shown};

use self::languages::{File, Form, Game, LANGUAGES, Language};
use super::print;

/// Flags of `bots new`.
#[derive(Args)]
#[command(after_help = "Example: bots new ../my-agent --lang python\n\
                        The folder has an agent, a test of one decision and a league file. The next steps are printed.")]
pub(crate) struct New {
    /// The folder of the agent. It must not exist. Its last part is the name of a crate in Rust.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The language of the agent.
    #[arg(long, value_name = "LANGUAGE", default_value = LANGUAGES[0].name)]
    #[arg(value_parser = PossibleValuesParser::new(LANGUAGES.iter().map(|language| language.name)))]
    lang: String,
    /// The game [default: project].
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// The folder of the workspace with the crate `sdk` [default: the one that cargo runs this program
    /// from].
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

/// Writes the folder of an agent for this game, and prints the next steps.
///
/// # Errors
///
/// If there is no template for the language and the game, the name or the workspace is unsuitable, or the folder exists
/// or cannot be written. A folder that this function has created is removed again.
pub(crate) fn write(new: &New, game: &str) -> Result<(), Failure> {
    let language = LANGUAGES.iter().find(|language| language.name == new.lang);
    let language = language.expect("the parser allows only names of the table");
    let (game, own_files) = find(language, game)?;
    let workspace = workspace(new.workspace.as_deref())?;
    let folder = &new.folder;
    let files = || language.files.iter().chain(own_files);
    match &language.form {
        Form::Crate => {
            let name = package::package_name(folder)?;
            let workspace = workspace
                .ok_or_else(|| Failure::misuse("the folder of the workspace is not known", WORKSPACE_HINT))?;
            let typed = from_workspace(folder, &workspace);
            create(folder, |real| {
                let words = package::words(&typed, &name, way(real, &canonical(&workspace)?));
                fill(folder, files(), &words)?;
                let lock = workspace.join("Cargo.lock");
                if lock.is_file() {
                    fs::copy(&lock, folder.join("Cargo.lock")).map_err(|error| (lock, error))?;
                }
                Ok(())
            })?;
            print(&package::steps(folder, &typed, &name))
        }
        Form::Program(program) => {
            let mut steps = String::new();
            create(folder, |real| {
                let functions = match &workspace {
                    Some(workspace) => program::functions_of_cargo(&way(real, &canonical(workspace)?)),
                    None => {
                        program::functions_beside(&own_program().map_err(|error| (folder.clone(), error))?)
                    }
                };
                steps = program.steps(game, &functions);
                fill(folder, files(), &program.words(game, &steps))
            })?;
            print(&format!(
                "{} has an agent in {}: change `decide` in {}\n\ncd {}\n{steps}\n",
                shown(folder),
                program.language,
                program.source,
                command_line::quoted(&folder.display().to_string())
            ))
        }
    }
}

/// Returns the path of a folder as it is typed in the folder of the workspace.
fn from_workspace(folder: &Path, workspace: &Path) -> PathBuf {
    let is_here = canonical(Path::new(".")).ok() == canonical(workspace).ok();
    if is_here { folder.to_owned() } else { absolute(folder).unwrap_or_else(|_| folder.to_owned()) }
}

/// Returns the game of a language, and the files that it adds to those of the language.
fn find(language: &Language, game: &str) -> Result<(&'static Game, &'static [File]), Failure> {
    let found = language.games.iter().find(|(known, _)| known.name == game);
    found.copied().ok_or_else(|| {
        let others = LANGUAGES.iter().filter(|other| other.games.iter().any(|(known, _)| known.name == game));
        let others: Vec<&str> = others.map(|other| other.name).collect();
        let hint = match others[..] {
            [] => format!(
                "`bots agent-protocol --game {game}` describes the lines that a program reads and writes"
            ),
            _ => format!("choose a language with a template for it: --lang {}", others.join(" or --lang ")),
        };
        Failure::misuse(format!("there is no template in {} for the game `{game}`", language.name), hint)
    })
}

const WORKSPACE_HINT: &str = "name the folder of the workspace: --workspace DIR";

/// A file or folder that cannot be read or written.
type Fault = (PathBuf, io::Error);

/// Creates a folder and fills it. If that fails, no folder is left.
fn create(folder: &Path, fill: impl FnOnce(&Path) -> Result<(), Fault>) -> Result<(), Failure> {
    fs::create_dir(folder).map_err(|error| uncreated(folder, &error))?;
    canonical(folder).and_then(|real| fill(&real)).map_err(|(file, error)| {
        // The failure below matters more than one of the removal.
        let _ = fs::remove_dir_all(folder);
        Failure::unwritable(&file, &error, "choose a folder on a disk with room that can be written to")
    })
}

/// Writes these files; each word of a pair is replaced by the second text of the pair.
fn fill<'a>(
    folder: &Path,
    files: impl Iterator<Item = &'a File>,
    words: &[(&str, String)],
) -> Result<(), Fault> {
    for (file, parts) in files {
        let path = folder.join(file);
        let text = replaced(&parts.concat(), words);
        let above = path.parent().unwrap_or(folder);
        fs::create_dir_all(above).map_err(|error| (above.to_owned(), error))?;
        fs::write(&path, text).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Returns a text in which each word of a pair is replaced by the second text of the pair, which is not looked into
/// again.
fn replaced(text: &str, words: &[(&str, String)]) -> String {
    let (mut written, mut rest) = (String::with_capacity(text.len()), text);
    let first = |rest: &str| {
        let found = words.iter().filter_map(|(word, meaning)| Some((rest.find(word)?, *word, meaning)));
        // Of two words that begin there, the longer one is meant.
        found.min_by_key(|(at, word, _)| (*at, Reverse(word.len())))
    };
    while let Some((at, word, meaning)) = first(rest) {
        written.push_str(&rest[..at]);
        written.push_str(meaning);
        rest = &rest[at + word.len()..];
    }
    written + rest
}

fn canonical(path: &Path) -> Result<PathBuf, Fault> {
    path.canonicalize().map_err(|error| (path.to_owned(), error))
}

/// Returns the folder of this program.
fn own_program() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    Ok(program.parent().map(Path::to_owned).unwrap_or_default())
}

/// Returns the folder of the workspace: the one that is named, else the one from which cargo runs this program. None if
/// there is neither.
fn workspace(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    // Cargo sets this variable for every program that it runs: the folder of this package.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let Some(folder) = named.or(package.as_deref().and_then(Path::parent)) else { return Ok(None) };
    for package in ["sdk", "strategies", "contests"] {
        if !folder.join(package).join("Cargo.toml").is_file() {
            let why =
                format!("{} is not the folder of the workspace: it has no crate `{package}`", shown(folder));
            return Err(Failure::misuse(why, WORKSPACE_HINT));
        }
    }
    Ok(Some(folder.to_owned()))
}

fn uncreated(folder: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::misuse(
            format!("{} is there already", shown(folder)),
            "choose another name; nothing was changed",
        ),
        io::ErrorKind::NotFound => Failure::misuse(
            format!("cannot create {}: the folder above it does not exist", shown(folder)),
            "create that one first",
        ),
        _ => Failure::undone(format!("cannot create {}: {error}", shown(folder)), "choose another folder"),
    }
}

/// Returns the relative path from one folder to another, both absolute, as manifests have it on every system; the
/// absolute path where they have nothing in common.
fn way(from: &Path, to: &Path) -> String {
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let is_shared = from.components().take(common).any(|part| matches!(part, Component::Normal(_)));
    let way = if is_shared {
        let up = std::iter::repeat_n(Component::ParentDir, from.components().count() - common);
        up.chain(to.components().skip(common)).collect()
    } else {
        to.to_owned()
    };
    way.display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_are_not_looked_into() {
        let words =
            [("GAME", "dots".to_owned()), ("STEPS", "cd PROJECT_GAME".to_owned()), ("STEP", "x".to_owned())];
        assert_eq!(replaced("STEPS of GAME: STEP", &words), "cd PROJECT_GAME of dots: x");
        assert_eq!(replaced("no word", &words), "no word");
    }

    #[test]
    fn the_workspace_is_found_from_the_crate() {
        let way = |from: &str, to: &str| way(Path::new(from), Path::new(to));
        assert_eq!(way("/home/me/my-agent", "/home/me/game"), "../game");
        assert_eq!(way("/home/me/game/my-agent", "/home/me/game"), "..");
        assert_eq!(way("/home/me/class/my-agent", "/home/me/game"), "../../game");
        assert_eq!(way("/tmp/my-agent", "/home/me/game"), "/home/me/game");
    }

    /// The head of each program names the function to change, and the tested line is a decision.
    #[test]
    fn each_program_says_what_to_change_and_tests_a_decision() {
        for language in LANGUAGES {
            assert!(!language.games.is_empty(), "{}", language.name);
            let Form::Program(program) = &language.form else { continue };
            for (game, own_files) in language.games {
                let files: Vec<_> = language.files.iter().chain(*own_files).collect();
                let text = |name: &str| {
                    let (_, parts) = files.iter().find(|(file, _)| *file == name).expect(name);
                    parts.concat()
                };
                let source = text(program.source);
                let head: Vec<&str> = source.lines().take(20).collect();
                assert!(
                    head.iter().any(|line| line.contains("Change ") && line.contains("decide")),
                    "{source}"
                );
                for field in ["`events`", "`now`"] {
                    assert!(source.contains(field), "{field} is missing in:\n{source}");
                }
                let line =
                    text("lines.jsonl").lines().nth(game.lines - 1).map(str::to_owned).unwrap_or_default();
                assert!(line.contains("\"type\":\"decide\""), "{}: {line}", game.name);
            }
        }
    }
}
