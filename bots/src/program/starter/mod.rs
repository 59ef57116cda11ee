//! `bots new`: writes a crate with an agent, a test of one decision and a league file.
//!
//! The crate depends on this workspace by path. It has an empty `[workspace]` table, so it may be inside the workspace or
//! outside. It begins with the workspace's lock file, so it has the same versions. It builds in a target folder of its own:
//! in a shared one, cargo would take the program of another crate with the same name for this one.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use command_line::{Failure, shown};

use super::print;

/// Name in the templates; it and each name below is replaced.
const NAME: &str = "my-agent";
const IDENTIFIER: &str = "my_agent";
const WORKSPACE: &str = "../project-game";
const LEAGUE_FILE: &str = "LEAGUE-FILE";

/// The files, with their contents.
const FILES: [(&str, &str); 5] = [
    ("Cargo.toml", include_str!("files/rust/manifest.toml")),
    ("src/lib.rs", include_str!("files/rust/lib.rs")),
    ("src/main.rs", include_str!("files/rust/main.rs")),
    ("league.toml", include_str!("files/rust/league.toml")),
    (".gitignore", "/target\n*.replay\n"),
];

/// Names that cannot be those of the crate: its dependencies, its opponent, the programs of the workspace, and names that
/// cargo and the compiler reserve.
const TAKEN: [&str; 20] = [
    "alloc",
    "book",
    "bots",
    "build",
    "contests",
    "core",
    "cs",
    "deps",
    "examples",
    "greedy",
    "league",
    "league-dist",
    "proc-macro",
    "reference-gm",
    "sdk",
    "simulation",
    "std",
    "strategies",
    "test",
    "xtask",
];

/// The keywords of Rust that could be a package's name.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

#[derive(Args)]
#[command(after_help = "Example: bots new ../my-agent\n\
                        The crate has an agent (src/lib.rs) with a test of one decision, a program that plays it \
                        (src/main.rs), and a league file (league.toml).")]
pub(crate) struct New {
    /// The folder of the crate; its last part is the name of the crate. It must not exist.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The folder of the workspace with the crate `sdk` [default: the one that cargo runs this program
    /// from].
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

/// Writes the crate, and prints the next steps.
pub(crate) fn write(new: &New) -> Result<(), Failure> {
    let name = package_name(&new.folder)?;
    let workspace = workspace(new.workspace.as_deref())?;
    let folder = &new.folder;
    fs::create_dir(folder).map_err(|error| uncreated(folder, &error))?;
    let written = fill(folder, &name, &workspace).map_err(|(file, error)| {
        Failure::undone(
            format!("cannot write {}: {error}", shown(&file)),
            "choose a folder on a disk with room that can be written to",
        )
    });
    if let Err(failure) = written {
        // Nothing of a crate that is not whole stays; if it cannot be removed, only the failure above matters.
        let _ = fs::remove_dir_all(folder);
        return Err(failure);
    }
    let folder = shown(folder);
    print(&format!(
        "{folder} is a crate with an agent: src/lib.rs decides, src/main.rs plays\n\
         \n\
         cd {folder}\n\
         cargo test                         # a test of one decision\n\
         cargo run                          # a game in this process against `greedy`\n\
         cargo run -- compare 400           # is it stronger than `greedy`, and where do they differ?\n\
         cargo run -- lost SEED TEAM        # one of these games again, decision by decision\n\
         cargo run -- 127.0.0.1:3727 red    # a game on a server\n\
         \n\
         a league, in the folder of the workspace after `cargo build` in the crate (Linux):\n\
         cargo run --release -p league -- run {folder}/league.toml\n\
         it asks before it starts an agent from outside that folder; `--trust` answers yes, also without a terminal\n"
    ))
}

/// The name of the crate, which is that of its folder.
fn package_name(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hint = format!("name a folder like ../{NAME}");
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let has_form = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| is_letter(letter) || ['-', '_'].contains(&letter));
    if !has_form {
        let expected = "expected small letters, digits, `-` and `_`, a letter first";
        return Err(Failure::misuse(
            format!("invalid name of a crate `{}`: {expected}", shown(Path::new(&name))),
            hint,
        ));
    }
    let spelt = name.replace('_', "-");
    if TAKEN.contains(&&spelt[..]) || KEYWORDS.contains(&&name[..]) {
        return Err(Failure::misuse(format!("a crate cannot be called `{name}`: the name is taken"), hint));
    }
    Ok(name)
}

/// The folder of the workspace: the one that is named, else the one from which cargo runs this program.
fn workspace(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let hint = "name the folder of the workspace: --workspace DIR";
    // Cargo sets this variable for every program that it runs: the folder of this package.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let folder = match (named, package.as_deref().and_then(Path::parent)) {
        (Some(named), _) => named,
        (None, Some(above)) => above,
        (None, None) => return Err(Failure::misuse("the folder of the workspace is not known", hint)),
    };
    for package in ["sdk", "strategies", "contests"] {
        if !folder.join(package).join("Cargo.toml").is_file() {
            let why =
                format!("{} is not the folder of the workspace: it has no crate `{package}`", shown(folder));
            return Err(Failure::misuse(why, hint));
        }
    }
    Ok(folder.to_owned())
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

/// Writes all files; an error comes with the file that it is about.
fn fill(folder: &Path, name: &str, workspace: &Path) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path, error| (path.to_owned(), error);
    let real = |path: &Path| path.canonicalize().map_err(|error| at(path, error));
    let to_workspace = way(&real(folder)?, &real(workspace)?);
    let league_file = folder.join("league.toml").display().to_string();
    let source = folder.join("src");
    fs::create_dir(&source).map_err(|error| at(&source, error))?;
    for (file, text) in FILES {
        let path = folder.join(file);
        let text = text
            .replace(NAME, name)
            .replace(IDENTIFIER, &name.replace('-', "_"))
            .replace(WORKSPACE, &to_workspace)
            .replace(LEAGUE_FILE, &league_file);
        fs::write(&path, text).map_err(|error| at(&path, error))?;
    }
    let lock = workspace.join("Cargo.lock");
    if lock.is_file() {
        fs::copy(&lock, folder.join("Cargo.lock")).map_err(|error| at(&lock, error))?;
    }
    Ok(())
}

/// The relative path from one folder to another, both absolute, as manifests have it on every system; the absolute path
/// where they have nothing in common.
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
    fn the_workspace_is_found_from_the_crate() {
        let way = |from: &str, to: &str| way(Path::new(from), Path::new(to));
        assert_eq!(way("/home/me/my-agent", "/home/me/game"), "../game");
        assert_eq!(way("/home/me/game/my-agent", "/home/me/game"), "..");
        assert_eq!(way("/home/me/class/my-agent", "/home/me/game"), "../../game");
        assert_eq!(way("/tmp/my-agent", "/home/me/game"), "/home/me/game");
    }

    #[test]
    fn names_are_those_of_crates() {
        let name = |path: &str| package_name(Path::new(path)).map_err(|failure| failure.to_string());
        assert_eq!(name("../my-agent").as_deref(), Ok("my-agent"));
        assert_eq!(name("a_2").as_deref(), Ok("a_2"));
        for path in ["..", "/", "My", "2fast", "a b", "é", "-x"] {
            assert!(name(path).unwrap_err().contains("expected small letters"), "{path}");
        }
        for path in ["sdk", "proc_macro", "match"] {
            assert!(name(path).unwrap_err().contains("the name is taken"), "{path}");
        }
    }
}
