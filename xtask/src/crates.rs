//! `cargo xtask crates`: the crates that authors of agents need, as files for a registry.
//!
//! These are the crates that the crate of `bots new` names, and those on which they depend. The command copies them
//! into `target/crates`, a workspace of its own, and packs and builds each of them there. `cargo publish --workspace`
//! in that folder would publish them.
//!
//! In the copy, every package has the prefix `project-game`, because registries already have packages with names like
//! `sdk`. The library keeps its name, so that code reads `use sdk::…` in either case. The copy has no tests and
//! benchmarks: some of these need crates that are not published.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use toml::{Table, Value, toml};

use crate::files::{clear, copy, copy_folder, write};
use crate::{cargo, manifest, target_folder, workspace};

/// The manifest of the crate that `bots new` makes.
const AUTHOR: &str = "bots/src/program/starter/files/rust/manifest.toml";

/// Tables of a manifest that a published crate does without.
const UNPUBLISHED: [&str; 4] = ["dev-dependencies", "test", "bench", "example"];

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Copies the crates, packs them, and builds each from its package.
pub(crate) fn crates() -> Result<()> {
    let folder = target_folder().join("crates");
    clear(&folder)?;
    let published = Published::read()?;
    published.write(&folder)?;
    let manifest = folder.join("Cargo.toml");
    let built = folder.join("target");
    // The folder of the copy is no part of the repository: cargo would ask whether its files are committed.
    cargo(&["package", "--workspace", "--all-features", "--allow-dirty", "--manifest-path"])
        .args([manifest.display().to_string()])
        .env("CARGO_TARGET_DIR", &built)
        .run()?;
    println!("{}", built.join("package").display());
    Ok(())
}

/// The crates to publish.
struct Published {
    /// The manifest of the workspace.
    root: Table,
    /// The manifests of the crates, by their names, with their folders.
    crates: BTreeMap<String, (String, Table)>,
}

impl Published {
    fn read() -> Result<Self> {
        let root = manifest("Cargo.toml")?;
        let author = manifest(AUTHOR)?;
        let mut open: Vec<String> = dependencies(&author).collect();
        let mut crates = BTreeMap::new();
        while let Some(name) = open.pop() {
            // A library from outside has no folder.
            let Some(folder) = folder_of(&root, &name) else { continue };
            if crates.contains_key(&name) {
                continue;
            }
            let own = manifest(&format!("{folder}/Cargo.toml"))?;
            open.extend(dependencies(&own));
            crates.insert(name, (folder.to_owned(), own));
        }
        Ok(Self { root, crates })
    }

    /// Writes the workspace into an empty folder.
    fn write(&self, folder: &Path) -> Result<()> {
        write(&folder.join("Cargo.toml"), self.workspace_manifest()?.to_string())?;
        copy(&workspace().join("Cargo.lock"), &folder.join("Cargo.lock"))?;
        for (name, (from, manifest)) in &self.crates {
            let (from, to) = (workspace().join(from), folder.join(name));
            copy_folder(&from.join("src"), &to.join("src"))?;
            for licence in LICENCES {
                copy(&workspace().join(licence), &to.join(licence))?;
            }
            write(&to.join("README.md"), readme(name, manifest)?)?;
            write(&to.join("Cargo.toml"), published_manifest(name, manifest)?.to_string())?;
        }
        Ok(())
    }

    /// Returns the manifest of the copied workspace: its crates by their published names, with versions.
    fn workspace_manifest(&self) -> Result<Table> {
        let mut own = table(&self.root, "workspace")?.clone();
        own.retain(|key, _| ["resolver", "package", "dependencies", "lints"].contains(&key));
        let members = self.crates.keys().cloned().map(Value::String).collect();
        own.insert("members".to_owned(), Value::Array(members));
        let package = table_mut(&mut own, "package")?;
        package.remove("publish");
        let version = package.get("version").cloned().context("the workspace has no version")?;
        let dependencies = table_mut(&mut own, "dependencies")?;
        dependencies.retain(|name, told| told.get("path").is_none() || self.crates.contains_key(name));
        for name in self.crates.keys() {
            let told = table_mut(dependencies, name)?;
            told.insert("path".to_owned(), Value::String(name.clone()));
            told.insert("version".to_owned(), version.clone());
            told.insert("package".to_owned(), Value::String(published_name(name)));
        }
        Ok(Table::from_iter([("workspace".to_owned(), Value::Table(own))]))
    }
}

/// Returns the manifest of a crate as it is published.
fn published_manifest(name: &str, manifest: &Table) -> Result<Table> {
    let mut own = manifest.clone();
    own.retain(|key, _| !UNPUBLISHED.contains(&key));
    let package = table_mut(&mut own, "package")?;
    package.remove("publish");
    package.insert("name".to_owned(), Value::String(published_name(name)));
    package.insert("metadata".to_owned(), Value::Table(toml! { docs.rs.all-features = true }));
    let library = own.entry("lib").or_insert_with(|| Value::Table(Table::new()));
    let library = library.as_table_mut().context("`lib` is no table")?;
    library.insert("name".to_owned(), Value::String(name.replace('-', "_")));
    Ok(own)
}

/// Returns the page of a crate on a registry.
fn readme(name: &str, manifest: &Table) -> Result<String> {
    let description = table(manifest, "package")?.get("description").and_then(Value::as_str);
    let description = description.with_context(|| format!("{name} has no description"))?;
    let (package, version) = (published_name(name), env!("CARGO_PKG_VERSION"));
    Ok(format!(
        "# {package}\n\n\
         {description}.\n\n\
         ```toml\n\
         {name} = {{ package = \"{package}\", version = \"{version}\" }}\n\
         ```\n\n\
         MIT or Apache-2.0, as you choose.\n"
    ))
}

/// Returns the name of a crate on a registry.
fn published_name(name: &str) -> String {
    format!("project-game-{}", name.strip_prefix("game-").unwrap_or(name))
}

/// Returns the folder of a crate of the workspace.
fn folder_of<'a>(root: &'a Table, name: &str) -> Option<&'a str> {
    root.get("workspace")?.get("dependencies")?.get(name)?.get("path")?.as_str()
}

/// Returns the names on which a crate depends, on any system.
fn dependencies(manifest: &Table) -> impl Iterator<Item = String> {
    let systems = manifest.get("target").and_then(Value::as_table);
    let tables = systems.into_iter().flatten().filter_map(|(_, of_system)| of_system.get("dependencies"));
    let tables = tables.chain(manifest.get("dependencies")).filter_map(Value::as_table);
    tables.flat_map(Table::keys).cloned()
}

fn table<'a>(within: &'a Table, key: &str) -> Result<&'a Table> {
    within.get(key).and_then(Value::as_table).with_context(|| format!("the manifest has no table `{key}`"))
}

fn table_mut<'a>(within: &'a mut Table, key: &str) -> Result<&'a mut Table> {
    within
        .get_mut(key)
        .and_then(Value::as_table_mut)
        .with_context(|| format!("the manifest has no table `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_published_with_all_that_they_depend_on() {
        let published = Published::read().unwrap();
        let names: Vec<&str> = published.crates.keys().map(String::as_str).collect();
        // Those that the crate of `bots new` names, and the farthest of their dependencies.
        for name in ["contests", "sdk", "strategies", "wire", "tcp", "game-env", "game-dots", "child-process"]
        {
            assert!(names.contains(&name), "{names:?}");
        }
        for other in ["xtask", "cs", "league"] {
            assert!(!names.contains(&other), "{names:?}");
        }
        let workspace = published.workspace_manifest().unwrap();
        let told = &workspace["workspace"];
        for name in &names {
            let (_, manifest) = &published.crates[*name];
            for needed in dependencies(manifest) {
                let needed = &told["dependencies"][&needed];
                assert_eq!(needed.get("path").is_some(), needed.get("package").is_some(), "{name}: {needed}");
            }
        }
        assert_eq!(told["members"].as_array().unwrap().len(), names.len());
        assert!(told["package"].get("publish").is_none());
        let (version, sdk) = (&told["package"]["version"], &told["dependencies"]["sdk"]);
        assert_eq!((&sdk["version"], sdk["package"].as_str()), (version, Some("project-game-sdk")));
    }

    #[test]
    fn a_published_crate_keeps_the_name_of_its_library() {
        let manifest: Table = r#"
            package = { name = "game-dots", description = "The rules", publish.workspace = true }
            dependencies = { game-env.workspace = true }
            dev-dependencies = { proptest.workspace = true }
            test = [{ name = "it" }]
        "#
        .parse()
        .unwrap();
        let own = published_manifest("game-dots", &manifest).unwrap();
        let expected: Table = r#"
            dependencies = { game-env.workspace = true }
            lib = { name = "game_dots" }
            [package]
            name = "project-game-dots"
            description = "The rules"
            metadata.docs.rs.all-features = true
        "#
        .parse()
        .unwrap();
        assert_eq!(own, expected);
        let readme = readme("game-dots", &manifest).unwrap();
        assert!(readme.starts_with("# project-game-dots\n\nThe rules.\n"), "{readme}");
        assert!(readme.contains("game-dots = { package = \"project-game-dots\", version = \""), "{readme}");
    }
}
