//! Builds the book: `cargo xtask book`. The argument is the folder to build into; by default `target/book`.
//! With `--pictures` it writes the pictures of boards and of tables instead: `cargo xtask pictures`.
//!
//! In the repository, pages link to files outside the book. Where the book is read alone, as in an archive of the
//! programs, these links lead nowhere: the build writes the paths of such files as text.

mod bars;
mod calibration;
mod drawing;
mod pictures;

use std::env;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;

/// From the folder of the pages to that of the workspace.
const UP_TO_WORKSPACE: usize = 2;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if env::args_os().nth(1).is_some_and(|argument| argument == "--pictures") {
        return pictures::write(root);
    }
    let mut book = load(root)?;
    let workspace = root.parent().expect("the book is a folder of the workspace");
    let into = env::args_os().nth(1).map_or_else(|| workspace.join("target/book"), PathBuf::from);
    book.config.build.build_dir = into.clone();
    book.build().context("failed to build the book")?;
    println!("the book is at {}", into.join("index.html").display());
    Ok(())
}

/// Returns the book without links to files outside of it.
fn load(root: &Path) -> Result<MDBook> {
    let mut book = MDBook::load(root).context("failed to read the book")?;
    book.book.for_each_chapter_mut(|chapter| {
        if let Some(path) = &chapter.path {
            let depth = path.components().count() - 1;
            let content = without_links_outside(&chapter.content, depth);
            chapter.content = with_dark_pictures(&content);
        }
    });
    Ok(book)
}

/// Returns a page in which links to files outside the book are text with the path from the workspace's folder. `depth`
/// is the number of folders between the page and the folder of all pages.
fn without_links_outside(page: &str, depth: usize) -> String {
    let mut written = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(middle) = rest.find("](") {
        let (before, after) = (&rest[..middle], &rest[middle + 2..]);
        let (Some(start), Some(end)) = (before.rfind('['), after.find(')')) else { break };
        match outside(&after[..end], depth) {
            Some(path) => {
                let text = &before[start + 1..];
                written.push_str(&before[..start]);
                // A text that is the file's name says nothing beside the path.
                let is_name = path.rsplit('/').next() == Some(text.trim_matches('`'));
                written.push_str(&if is_name { format!("`{path}`") } else { format!("{text} (`{path}`)") });
            }
            None => written.push_str(&rest[..middle + 2 + end + 1]),
        }
        rest = &after[end + 1..];
    }
    written.push_str(rest);
    written
}

/// Returns a page whose pictures of the game page, `NAME-light.png`, are dark on systems that are: `NAME-dark.png`.
fn with_dark_pictures(page: &str) -> String {
    let picture = |line: &str| {
        let (alt, light) = line.strip_prefix("![")?.strip_suffix(')')?.split_once("](")?;
        let name = light.strip_suffix("-light.png")?;
        Some(format!(
            "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{name}-dark.png\">\
             <img src=\"{light}\" alt=\"{}\"></picture>",
            alt.replace('"', "&quot;")
        ))
    };
    let lines = page.split('\n').map(|line| picture(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the path from the workspace's folder, if a link leads out of the book.
fn outside(target: &str, depth: usize) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default();
    let path = Path::new(target);
    let up = path.components().take_while(|part| *part == Component::ParentDir).count();
    let down: Vec<_> = path.iter().skip(up).map(|part| part.to_string_lossy()).collect();
    match up.checked_sub(depth)? {
        0 => None,
        UP_TO_WORKSPACE => Some(down.join("/")),
        _ => Some(format!("book/{}", down.join("/"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_outside_the_book_become_paths() {
        let page = "See [rows](rows.md#one), [the router](../../cs/src/router/mod.rs#L3) and \
                    [main.rs](../../cs/src/main.rs), [a page](https://example.org/../../x).";
        assert_eq!(
            without_links_outside(page, 0),
            "See [rows](rows.md#one), the router (`cs/src/router/mod.rs`) and `cs/src/main.rs`, \
             [a page](https://example.org/../../x)."
        );
        assert_eq!(
            without_links_outside("[x](../rules.md) [y](../../../a/b)", 1),
            "[x](../rules.md) y (`a/b`)"
        );
    }

    #[test]
    fn pictures_of_the_page_follow_the_system() {
        assert_eq!(
            with_dark_pictures("Text\n![A \"board\"](images/game-light.png)\n![x](images/y.svg)"),
            "Text\n<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"images/game-dark.png\">\
             <img src=\"images/game-light.png\" alt=\"A &quot;board&quot;\"></picture>\n![x](images/y.svg)"
        );
        let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/images");
        for entry in std::fs::read_dir(images).unwrap() {
            let path = entry.unwrap().path().display().to_string();
            if let Some(name) = path.strip_suffix("-light.png") {
                assert!(Path::new(&format!("{name}-dark.png")).exists(), "{name} has no dark picture");
            }
        }
    }

    #[test]
    fn no_page_links_to_a_file_outside_the_book() {
        let book = load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut pages = 0;
        for chapter in book.book.chapters() {
            pages += 1;
            let depth = chapter.path.as_ref().map_or(0, |path| path.components().count() - 1);
            for (_, after) in
                chapter.content.match_indices("](").map(|(at, _)| chapter.content.split_at(at + 2))
            {
                let target = after.split(')').next().unwrap_or_default();
                assert_eq!(outside(target, depth), None, "{}: {target}", chapter.name);
            }
        }
        assert!(pages > 30, "{pages} pages");
    }
}
