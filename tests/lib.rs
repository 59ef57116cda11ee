//! Tests of the workspace as a whole; their common parts.

#[cfg(target_os = "linux")]
pub mod hostile;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

pub mod loopback;

/// The workspace's folder.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests are a folder of the workspace")
}

/// The packages whose programs tests start.
pub const PACKAGES: [&str; 5] = ["bots", "cs", "examples", "league", "reference-gm"];

/// The folder with the programs of [`PACKAGES`]: that of the variable `PROGRAMS`, else they are built now as
/// for the tests.
///
/// All tests ask for the same packages: with other ones, cargo might choose other features and build them again.
///
/// # Errors
///
/// If they cannot be built.
pub fn programs() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("PROGRAMS") {
        return Ok(folder.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--profile", "test", "--locked"])
        .args(PACKAGES.iter().flat_map(|package| ["--package", package]))
        .current_dir(workspace())
        .status()
        .context("cannot run cargo")?;
    ensure!(built.success(), "the programs cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Ok(workspace().join(target).join("debug"))
}

/// Every file below a folder of the workspace whose name ends so, in order of their paths; files that are built,
/// installed or hidden are left out.
///
/// # Panics
///
/// If a folder cannot be read.
pub fn files(below: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![workspace().join(below)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let made = ["target", "node_modules"].contains(&name.as_str());
            if path.is_dir() && !made && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
