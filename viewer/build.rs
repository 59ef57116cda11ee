//! Finds the files of the page: writes the lists that `src/page.rs` includes.
//!
//! Modules are in the order in which they can be joined, each behind those that it imports, `main.js` last. The rooms
//! of games are the folders of `page/games`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let page = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("page");
    println!("cargo::rerun-if-changed=page");
    let mut modules = Modules { page: &page, joined: Vec::new(), begun: BTreeSet::new() };
    modules.join("main.js")?;
    let unused: Vec<String> =
        files(&page, "js")?.into_iter().filter(|module| !modules.begun.contains(module)).collect();
    if !unused.is_empty() {
        return Err(
            format!("no module imports {}: expected an import, or no such file", unused.join(", ")).into()
        );
    }
    let (styles, rooms) = (files(&page, "css")?, files(&page, "html")?);
    let include = |path: &String| format!("include_str!({:?})", page.join(path));
    let mut lists = String::new();
    writeln!(lists, "const MODULES: &[&str] = &[")?;
    modules.joined.iter().try_for_each(|path| writeln!(lists, "    {},", include(path)))?;
    writeln!(lists, "];\nconst ROOMS: &[(&str, &str)] = &[")?;
    for path in &rooms {
        // The document itself is in no folder of a game.
        if let Some((game, _)) = path.strip_prefix("games/").and_then(|path| path.split_once('/')) {
            writeln!(lists, "    ({game:?}, {}),", include(path))?;
        }
    }
    // The style of the page goes before those of games.
    let own = styles.iter().filter(|path| !path.contains('/'));
    let of_games = styles.iter().filter(|path| path.contains('/'));
    let styles: Vec<String> = own.chain(of_games).map(include).collect();
    writeln!(lists, "];\nconst STYLE: &str = concat!({});", styles.join(", "))?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("lists.rs"), lists)?;
    Ok(())
}

/// The modules that are joined so far.
struct Modules<'a> {
    page: &'a Path,
    /// Their paths below the page, each behind those that it imports.
    joined: Vec<String>,
    /// Those whose imports are read.
    begun: BTreeSet<String>,
}

impl Modules<'_> {
    /// Joins the modules that this one imports, and then itself.
    fn join(&mut self, path: &str) -> Result<(), Box<dyn Error>> {
        if !self.begun.insert(path.to_owned()) {
            if self.joined.iter().any(|joined| joined == path) {
                return Ok(());
            }
            return Err(format!("{path} imports itself by others: expected no circle of modules").into());
        }
        let text = fs::read_to_string(self.page.join(path)).map_err(|error| format!("{path}: {error}"))?;
        for import in imports(&text) {
            self.join(&below(path, import)).map_err(|error| format!("{error}\n  imported by {path}"))?;
        }
        self.joined.push(path.to_owned());
        Ok(())
    }
}

/// Returns the modules that a module imports, as it writes them: the ends of its statements `import … from "…";`.
fn imports(module: &str) -> impl Iterator<Item = &str> {
    let froms = module.lines().filter_map(|line| line.strip_suffix("\";")?.split_once(" from \""));
    froms.filter(|(before, _)| before.starts_with("import ") || before.starts_with('}')).map(|(_, path)| path)
}

/// Returns the path below the page that a module at `path` means by `import`.
fn below(path: &str, import: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the files of the page with this ending, in the order of their paths.
fn files(page: &Path, ending: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let (mut found, mut folders) = (Vec::new(), vec![page.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let parts = path.strip_prefix(page)?.iter().map(|part| part.to_string_lossy());
                found.push(parts.collect::<Vec<_>>().join("/"));
            }
        }
    }
    found.sort();
    Ok(found)
}
