//! `cargo xtask dist`: an archive with the programs, for people without Rust.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::files::{clear, copy, copy_folder, make, write};
use crate::{book, cargo, finish, target_folder, workspace};

/// The programs in an archive.
const PROGRAMS: [&str; 5] = ["cs", "reference-gm", "bots", "league", "league-dist"];

/// The name of the file that a shell expects for a program.
type FileName = fn(&str) -> String;

/// The shells for which there are completions, with the names that they expect of files.
const SHELLS: [(&str, FileName); 5] = [
    ("bash", |program| program.to_owned()),
    ("zsh", |program| format!("_{program}")),
    ("fish", |program| format!("{program}.fish")),
    ("powershell", |program| format!("_{program}.ps1")),
    ("elvish", |program| format!("{program}.elv")),
];

/// Files that are copied from the workspace, and their places in the archive.
const FILES: [(&str, &str); 5] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("xtask/dist/README.md", "README.md"),
    ("examples/league.toml", "league.toml"),
];
const FOLDERS: [(&str, &str); 2] = [("bots/scripts", "scripts"), ("examples/python", "python")];

/// Builds the programs for release and the book, and packs them; prints where the archive is.
pub(crate) fn dist() -> Result<()> {
    cargo(&["build", "--release", "--locked"]).packages(&PROGRAMS).run()?;
    book()?;
    let target = target_folder();
    let name = format!("project-game-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let dist = target.join("dist");
    let folder = dist.join(&name);
    clear(&folder)?;
    fill(&folder, &target)?;
    let archive = pack(&dist, &name)?;
    println!("{}", archive.display());
    Ok(())
}

/// Puts everything into the folder, which is empty.
fn fill(folder: &Path, target: &Path) -> Result<()> {
    for program in PROGRAMS {
        let file = format!("{program}{}", env::consts::EXE_SUFFIX);
        copy(&target.join("release").join(&file), &folder.join(&file))?;
        complete(folder, program)?;
    }
    let root = workspace();
    for (from, to) in FILES {
        copy(&root.join(from), &folder.join(to))?;
    }
    for (from, to) in FOLDERS {
        copy_folder(&root.join(from), &folder.join(to))?;
    }
    copy_folder(&target.join("book"), &folder.join("book"))
}

/// Lets a program write its completions and manual pages.
fn complete(folder: &Path, program: &str) -> Result<()> {
    let own = folder.join(format!("{program}{}", env::consts::EXE_SUFFIX));
    for (shell, name) in SHELLS {
        let completions = folder.join("completions").join(shell);
        make(&completions)?;
        let output = Command::new(&own)
            .args(["completions", shell])
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("{} cannot be started", own.display()))?;
        if !output.status.success() || output.stdout.is_empty() {
            bail!("`{program} completions {shell}` failed ({})", output.status);
        }
        let file = completions.join(name(program));
        write(&file, output.stdout)?;
    }
    let manual = folder.join("man/man1");
    make(&manual)?;
    let mut command = Command::new(&own);
    command.arg("man").arg(&manual);
    finish(command, &format!("{program} man"))
}

/// Packs the folder beside it: a zip on Windows, a tar.gz elsewhere.
fn pack(dist: &Path, name: &str) -> Result<PathBuf> {
    let (archive, flags) =
        if cfg!(windows) { (format!("{name}.zip"), "-acf") } else { (format!("{name}.tar.gz"), "-czf") };
    // Every system has a `tar`; that of Windows writes zip files by the name's end.
    let mut command = Command::new("tar");
    command.args([flags, &archive, name]).current_dir(dist);
    finish(command, &format!("tar {flags} {archive} {name}"))?;
    Ok(dist.join(archive))
}

/// Returns the compiler's name of this system.
fn host() -> Result<String> {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output =
        Command::new(&rustc).arg("-vV").output().with_context(|| format!("`{rustc}` does not run"))?;
    let told = String::from_utf8_lossy(&output.stdout);
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).with_context(|| format!("`{rustc} -vV` names no host"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_packed_is_there_and_named_in_the_readme() {
        let readme = fs::read_to_string(workspace().join("xtask/dist/README.md")).unwrap();
        for (from, to) in FILES.into_iter().chain(FOLDERS) {
            assert!(workspace().join(from).exists(), "{from} is missing");
            assert!(
                to == "README.md" || readme.contains(&format!("`{to}`")),
                "the README does not name {to}"
            );
        }
        for name in PROGRAMS.into_iter().chain(["book/index.html", "completions", "man"]) {
            assert!(readme.contains(&format!("`{name}`")), "the README does not name {name}");
        }
    }

    #[test]
    fn every_system_builds_and_is_checked() {
        let workflow =
            |name: &str| fs::read_to_string(workspace().join(".github/workflows").join(name)).unwrap();
        let (ci, release) = (workflow("ci.yml"), workflow("release.yml"));
        for system in ["ubuntu", "macos", "windows"] {
            assert!(ci.contains(&format!("runs-on: {system}-latest")), "nothing is checked on {system}");
            assert!(release.contains(&format!("{system}-")), "nothing is built on {system}");
        }
        assert!(release.contains("cargo xtask dist"));
    }
}
