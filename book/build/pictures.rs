//! The pictures of boards and of tables: `cargo xtask pictures --boards`.
//!
//! A picture stands before the block that it shows: an image in the folder `images/boards`, then a block of the
//! language `text,board` (one board) or `text,case` (a board, requests with their events, and the board after them).
//! Tests of the rules play every case, so the pictures show real states. Tables of times are drawn as bars: an image in
//! the folder `images/times`, then the table. Tables of chances and of games won are drawn as points: an image in the
//! folder `images/calibration`, then the table.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use game_project::Setup;

use crate::drawing::{self, Label, Step};
use crate::{bars, calibration};

/// A page with pictures that are drawn from its text.
struct Source {
    page: &'static str,
    /// The folder of its pictures.
    folder: &'static str,
    /// The beginning of links from the page to that folder.
    link: &'static str,
    /// Draws the text behind a link.
    draw: fn(&str) -> Result<String>,
}

const SOURCES: [Source; 3] = [
    Source {
        page: "src/concepts/game.md",
        folder: "src/images/boards",
        link: "](../images/boards/",
        draw: picture,
    },
    Source {
        page: "src/strategies.md",
        folder: "src/images/times",
        link: "](images/times/",
        draw: bars::picture,
    },
    Source {
        page: "src/study.md",
        folder: "src/images/calibration",
        link: "](images/calibration/",
        draw: calibration::picture,
    },
];

/// Writes all pictures, and removes those that no page shows any more.
///
/// # Errors
///
/// Fails if a picture has nothing to draw, or a file cannot be written.
pub(crate) fn write(root: &Path) -> Result<()> {
    for source in &SOURCES {
        let pictures = source.pictures(root)?;
        let folder = root.join(source.folder);
        if folder.is_dir() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        for (name, picture) in &pictures {
            let path = folder.join(name);
            fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))?;
        }
        println!("{} pictures of {} are in {}", pictures.len(), source.page, folder.display());
    }
    Ok(())
}

impl Source {
    /// Returns the pictures of the page by their file names.
    fn pictures(&self, root: &Path) -> Result<BTreeMap<String, String>> {
        let path = root.join(self.page);
        let page = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut pictures = BTreeMap::new();
        for after in page.split(self.link).skip(1) {
            let (name, after) = after.split_once(')').context("a link to a picture does not end")?;
            let picture = (self.draw)(after).with_context(|| format!("{}: the picture {name}", self.page))?;
            ensure!(pictures.insert(name.to_owned(), picture).is_none(), "{} shows {name} twice", self.page);
        }
        Ok(pictures)
    }
}

/// Returns the picture of the first block of this text.
fn picture(text: &str) -> Result<String> {
    let (_, block) = text.split_once("```").context("no block follows")?;
    let (language, block) = block.split_once('\n').context("no block follows")?;
    let (block, _) = block.split_once("```").context("the block does not end")?;
    let setup = |text: &str| text.parse::<Setup>().with_context(|| format!("this is no board:\n{text}"));
    match language {
        "text,board" => Ok(drawing::board(&setup(block)?.scene())),
        "text,case" => {
            let (before, rest) = block.split_once("\n> ").context("the case has no request")?;
            let (happens, after) = rest.split_once("\n=>\n").context("the case has no board after `=>`")?;
            let after = setup(after)?;
            let happens = format!("> {happens}");
            let labels = distances(&happens, &after)?;
            Ok(drawing::before_and_after(&setup(before)?.scene(), &steps(&happens)?, &after.scene(), &labels))
        }
        other => bail!("the next block is `{other}`: expected `text,board` or `text,case`"),
    }
}

/// Returns the requests of a case, and whether each was refused.
fn steps(happens: &str) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for line in happens.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            // The moment, the agent, the action; the content of an answer would be too long for a picture.
            let words: Vec<&str> = request.split(' ').skip(1).filter(|word| !word.contains('=')).collect();
            steps.push(Step { request: words.join(" "), is_refused: false });
        } else if line.contains(" refused ") {
            steps.last_mut().context("a refusal comes before the first request")?.is_refused = true;
        }
    }
    Ok(steps)
}

/// Returns the distances in the answer to the last request, on the fields that they are about.
fn distances(happens: &str, after: &Setup) -> Result<Vec<Label>> {
    let Some(told) = happens.lines().rfind(|line| line.starts_with("< #")) else { return Ok(Vec::new()) };
    let words: Vec<&str> = told.trim_start_matches("< ").split(' ').collect();
    let (offsets, numbers): (Vec<(i32, i32)>, &[&str]) = match words[..] {
        [_, "discovered", ..] => ((0..9).map(|place| (place % 3 - 1, place / 3 - 1)).collect(), &words[2..]),
        [_, "moved", _, "distance", _] => (vec![(0, 0)], &words[4..]),
        _ => return Ok(Vec::new()),
    };
    let agent = after.agents.iter().find(|placement| placement.agent.to_string() == words[0]);
    let position = agent.with_context(|| format!("{} is not on the board", words[0]))?.position;
    ensure!(numbers.len() == offsets.len(), "`{told}` has {} distances", numbers.len());
    let labels =
        offsets.iter().zip(numbers).filter(|(_, number)| **number != "-").map(|((dx, dy), number)| {
            let at = |place: u16, offset: i32| usize::try_from(i32::from(place) + offset);
            let number = if *number == "inf" { "∞" } else { number };
            Ok((at(position.x, *dx)?, at(position.y, *dy)?, number.to_owned()))
        });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_in_the_book_are_those_of_the_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut count = 0;
        for source in &SOURCES {
            let expected = source.pictures(root).unwrap();
            assert!(!expected.is_empty(), "{} has no pictures", source.page);
            count += expected.len();
            let mut found = BTreeMap::new();
            for entry in fs::read_dir(root.join(source.folder)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
            let names = |pictures: &BTreeMap<String, String>| pictures.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&found), names(&expected), "stale: cargo xtask pictures --boards");
            for (name, picture) in expected {
                assert_eq!(found[&name], picture, "{name} is stale: cargo xtask pictures --boards");
            }
        }
        assert!(count > 10, "only {count} pictures");
    }

    #[test]
    fn a_case_is_drawn_with_its_requests_and_distances() {
        let case = "\n```text,case\n.  .  .\nR0 .  p\n.  .  B1\n> 0 #0 move E\n< #0 moved 1,1 distance 1\n=>\n\
                    .  .   .\n---\n.  R0! p\n---\n. .   B1!\n```\n";
        let drawn = picture(case).unwrap();
        assert!(drawn.contains(">#0 move E</text>") && !drawn.contains("refused</text>"), "{drawn}");
        assert!(drawn.contains(">1</text>"), "{drawn}");
        let refused = case.replace("moved 1,1 distance 1", "refused move occupied");
        assert!(picture(&refused).unwrap().contains(">refused</text>"));
        let fault = |text: &str| picture(text).unwrap_err().to_string();
        assert!(fault("nothing").contains("no block follows"));
        assert!(fault("```rust\nfn\n```").contains("expected `text,board` or `text,case`"));
        assert!(fault("```text,board\n. ?\n```").contains("this is no board"));
    }
}
