//! The code on the book's pages, written from the files that are built.
//!
//! A line `<!-- code: FILE -->` or `<!-- code: FILE:PART -->` before a block says where the block is from. A part of a
//! file lies between the comments `ANCHOR: PART` and `ANCHOR_END: PART`. The pages hold the code itself, so that they
//! can be read as files.
//!
//! `UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it listings` writes the blocks anew.

use std::fs;

use workspace_tests::{files, workspace};

/// The beginning of the line before a block.
const MARK: &str = "<!-- code: ";

#[test]
fn code_in_the_book_is_that_of_the_files() {
    let may_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut blocks = 0;
    for page in files("book/src", ".md") {
        let found = fs::read_to_string(&page).unwrap();
        assert!(
            !found.contains("{{#include"),
            "{}: a reader of the file would miss this code",
            page.display()
        );
        let read = |path: &str| fs::read_to_string(workspace().join(path)).map_err(|error| error.to_string());
        let (written, number) =
            refreshed(&found, read).unwrap_or_else(|why| panic!("{}: {why}", page.display()));
        blocks += number;
        if may_update && written != found {
            fs::write(&page, &written).unwrap();
        } else {
            let hint = "UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it listings";
            assert_eq!(found, written, "{} is stale: {hint}", page.display());
        }
    }
    assert!(blocks > 30, "only {blocks} blocks were found");
}

/// The page with the code of the files, and the number of its blocks.
fn refreshed(page: &str, read: impl Fn(&str) -> Result<String, String>) -> Result<(String, usize), String> {
    let (mut written, mut blocks) = (String::new(), 0);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        written += &format!("{line}\n");
        let Some(source) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let open = lines.next().filter(|line| line.starts_with("```"));
        let open = open.ok_or_else(|| format!("{source}: expected a block in the next line"))?;
        lines
            .by_ref()
            .find(|line| *line == "```")
            .ok_or_else(|| format!("{source}: the block does not end"))?;
        let (path, part) = source.split_once(':').map_or((source, None), |(path, part)| (path, Some(part)));
        let text = read(path).map_err(|error| format!("{path}: {error}"))?;
        let code = listing(&text, part).ok_or_else(|| format!("{source}: the file has no such part"))?;
        written += &format!("{open}\n{code}```\n");
        blocks += 1;
    }
    Ok((written, blocks))
}

/// A file or a part of it, without the comments that mark parts, moved to the left as far as all of its lines can be.
fn listing(text: &str, part: Option<&str>) -> Option<String> {
    let is_mark = |line: &str, mark: &str| line.split_whitespace().rev().take(2).eq(mark.split(' ').rev());
    let lines: Vec<&str> = match part {
        None => text.lines().collect(),
        Some(part) => {
            let (begin, end) = (format!("ANCHOR: {part}"), format!("ANCHOR_END: {part}"));
            let start = text.lines().position(|line| is_mark(line, &begin))?;
            let length = text.lines().skip(start).position(|line| is_mark(line, &end))?;
            text.lines().skip(start + 1).take(length - 1).collect()
        }
    };
    let code = lines.iter().filter(|line| !line.contains("ANCHOR: ") && !line.contains("ANCHOR_END: "));
    let is_blank = |line: &str| line.trim().is_empty();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = code.clone().filter(|line| !is_blank(line)).map(|line| indent(line)).min().unwrap_or(0);
    Some(code.map(|line| format!("{}\n", line.get(common..).unwrap_or_default())).collect())
}

#[test]
fn a_block_is_written_from_its_file() {
    let file = "a\n    // ANCHOR: x\n    b\n\n        c\n    // ANCHOR: y\n    d\n    // ANCHOR_END: y\n    // ANCHOR_END: x\n";
    let read = |path: &str| if path == "f.rs" { Ok(file.to_owned()) } else { Err("not found".to_owned()) };
    let page = |source: &str, code: &str| {
        format!("# Page\n\n<!-- code: {source} -->\n```rust\n{code}```\n\nText.\n")
    };
    let whole = refreshed(&page("f.rs:x", "old\n"), read);
    assert_eq!(whole, Ok((page("f.rs:x", "b\n\n    c\nd\n"), 1)));
    assert_eq!(refreshed(&page("f.rs:y", ""), read), Ok((page("f.rs:y", "d\n"), 1)));
    let fault = |text: &str| refreshed(text, read).unwrap_err();
    assert_eq!(fault(&page("f.rs:z", "")), "f.rs:z: the file has no such part");
    assert_eq!(fault(&page("g.rs", "")), "g.rs: not found");
    assert_eq!(fault("<!-- code: f.rs -->\n\n```\n```\n"), "f.rs: expected a block in the next line");
    assert_eq!(fault("<!-- code: f.rs -->\n```\nb\n"), "f.rs: the block does not end");
}
