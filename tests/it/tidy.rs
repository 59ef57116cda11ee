//! Housekeeping: layers, links, the book's table of contents, the changelog.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use workspace_tests::{files, workspace};

/// Crates that rules may be built on (ARCHITECTURE.md, "Layers").
const RULES_MAY_USE: [&str; 5] = ["game-env", "smallvec", "strsim", "thiserror", "wide"];

/// Names that rules must not use: clocks, files, threads, sockets, and maps whose order is drawn anew each run.
const RULES_MUST_NOT_NAME: [&str; 9] = [
    "Instant",
    "SystemTime",
    "std::fs",
    "std::net",
    "std::thread",
    "std::env",
    "std::process",
    "HashMap",
    "HashSet",
];

#[test]
fn rules_are_built_on_values_alone() {
    let manifests = files("games", "Cargo.toml");
    assert!(manifests.len() >= 2);
    // The contract has features with JSON, and the catalogue is built on all games.
    let is_rules = |path: &&PathBuf| {
        !["games/env", "games/catalogue"].iter().any(|folder| path.starts_with(workspace().join(folder)))
    };
    for manifest in manifests.iter().filter(is_rules) {
        let text = fs::read_to_string(manifest).unwrap();
        let section = text.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
        for line in section.lines().filter(|line| !line.trim().is_empty()) {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            assert!(RULES_MAY_USE.contains(&name), "{}: rules may not use {name}", manifest.display());
        }
    }
}

#[test]
fn rules_reach_no_clock_file_thread_or_unordered_map() {
    let sources: Vec<_> = files("games", ".rs")
        .into_iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "src"))
        .collect();
    assert!(sources.len() > 30);
    for source in sources {
        for (line, number) in fs::read_to_string(&source).unwrap().lines().zip(1..) {
            let code = line.split("//").next().unwrap();
            let named = RULES_MUST_NOT_NAME.iter().find(|name| code.contains(*name));
            assert_eq!(named, None, "{}:{number}", source.display());
        }
    }
}

/// The sources of a crate name everything that its manifest does. Tests may borrow a file of another crate.
#[test]
fn every_dependency_is_used() {
    for folder in folders() {
        let manifest = fs::read_to_string(workspace().join(&folder).join("Cargo.toml")).unwrap();
        let sources: String =
            files(&folder, ".rs").iter().map(|source| fs::read_to_string(source).unwrap()).collect();
        let borrows = sources.contains("#[path = \"../../../");
        let is_named =
            |name: &str| sources.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        for section in
            manifest.split("\n[").filter(|section| !borrows || section.starts_with("dependencies]"))
        {
            let Some((head, lines)) = section.split_once("]\n") else { continue };
            if !head.ends_with("dependencies") {
                continue;
            }
            for name in lines.lines().filter_map(|line| line.split(['.', ' ']).next()) {
                let is_used = name.is_empty() || name == "#" || is_named(&name.replace('-', "_"));
                assert!(is_used, "{folder}: [{head}] has {name}, which no source names");
            }
        }
    }
}

/// A target without tests is not built for tests; a test in it would never run.
#[test]
fn targets_that_are_not_tested_hold_no_tests() {
    let mut targets = 0;
    for manifest in files("", "Cargo.toml") {
        let text = fs::read_to_string(&manifest).unwrap();
        for section in text.split("\n[").filter(|section| section.contains("\ntest = false")) {
            let path = section.split("\npath = \"").nth(1).and_then(|rest| rest.split('"').next());
            let folder = manifest.parent().unwrap();
            // The modules of a library are the files of its folder; other targets may have none.
            let is_library = section.starts_with("lib]");
            let sources = match path {
                Some(path) => vec![folder.join(path)],
                None if is_library => files(folder.join("src").to_str().unwrap(), ".rs"),
                None => panic!("{}: a target without a path", manifest.display()),
            };
            for source in sources {
                let code = fs::read_to_string(&source).unwrap();
                let is_module = |line: &str| !is_library && line.trim_start().starts_with("mod ");
                let hidden = code.lines().find(|line| line.contains("test]") || is_module(line));
                assert_eq!(hidden, None, "{}: the target has `test = false`", source.display());
            }
            targets += 1;
        }
    }
    assert!(targets > 10);
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    let book = workspace().join("book/src").canonicalize().unwrap();
    for page in files("", ".md") {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // Pictures with a light and a dark file are HTML.
        let html = text.lines().filter(|line| line.starts_with("<source ") || line.starts_with("<img "));
        let pictures = html.flat_map(|line| ["src=\"", "srcset=\""].map(|key| line.split_once(key)));
        let pictures = pictures.flatten().filter_map(|(_, rest)| rest.split('"').next());
        for target in targets.chain(pictures) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") {
                continue;
            }
            links += 1;
            let named = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(named.exists(), "{}: {target} leads nowhere", page.display());
            // In the built book, only its own pages have become pages of it.
            let leaves_book = page.canonicalize().unwrap().starts_with(&book)
                && !named.canonicalize().unwrap().starts_with(&book);
            assert!(
                !(leaves_book && file.ends_with(".md")),
                "{}: {target} is not in the book",
                page.display()
            );
            if !anchor.is_empty() && named.extension().is_some_and(|ending| ending == "md") {
                let anchors = anchors(&fs::read_to_string(&named).unwrap());
                assert!(anchors.contains(anchor), "{}: {target} leads to no such heading", page.display());
            }
        }
    }
    assert!(links > 10, "only {links} links were found");
}

/// The anchors of a page: its explicit ones, and those of its headings as mdBook and code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let explicit =
        text.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept =
            heading.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    });
    explicit.chain(headings).collect()
}

/// A section that is cited can be looked up: every "specification, section N" has an anchor on its page.
#[test]
fn cited_sections_of_the_specification_are_in_the_book() {
    let page = fs::read_to_string(workspace().join("book/src/specification.md")).unwrap();
    let mut citations = 0;
    for source in [".rs", ".md", ".txt", ".toml", ".py", ".js"].map(|ending| files("", ending)).concat() {
        let Ok(text) = fs::read_to_string(&source) else { continue };
        // A citation may be broken over two lines of a comment.
        let lines: Vec<&str> =
            text.lines().map(|line| line.trim().trim_start_matches(['/', '!', '#', '*']).trim()).collect();
        for section in cited_sections(&lines.join(" ")) {
            citations += 1;
            assert!(
                page.contains(&format!("<a id=\"section-{section}\"></a>")),
                "{}: the specification has no section {section} in the book",
                source.display()
            );
        }
    }
    assert!(citations > 20, "only {citations} citations were found");
}

/// The numbers in "specification, section 5.4", "specification's section 4" and "specification, sections 2 and 3".
fn cited_sections(text: &str) -> Vec<String> {
    let mut sections = Vec::new();
    for after in text.split("pecification").skip(1) {
        let after = after.strip_prefix("'s").unwrap_or(after).trim_start_matches([' ', ',', '(']);
        let Some(numbers) = after.strip_prefix("section") else { continue };
        let numbers = numbers.trim_start_matches('s').trim_start();
        for word in
            numbers.split([' ', ',']).take_while(|word| *word == "and" || word.starts_with(char::is_numeric))
        {
            let number: String =
                word.chars().take_while(|letter| letter.is_numeric() || *letter == '.').collect();
            let number = number.trim_end_matches('.');
            if !number.is_empty() {
                sections.push(number.to_owned());
            }
        }
    }
    sections
}

#[test]
fn the_book_lists_every_page() {
    let root = workspace().join("book/src");
    let summary = fs::read_to_string(root.join("SUMMARY.md")).unwrap();
    for page in files("book/src", ".md") {
        let path = page.strip_prefix(&root).unwrap();
        let listed = path == Path::new("SUMMARY.md") || summary.contains(&format!("({})", path.display()));
        assert!(listed, "{} is not in SUMMARY.md", path.display());
    }
}

/// Code names a page by its title, `the book's page "Piles"`, or by its path from the workspace's folder.
#[test]
fn pages_named_in_the_code_exist() {
    let first_line = |page: &PathBuf| fs::read_to_string(page).unwrap().lines().next().unwrap().to_owned();
    let titles: BTreeSet<String> = files("book/src", ".md").iter().map(first_line).collect();
    let (mut titles_named, mut paths_named) = (0, 0);
    for source in files("", ".rs").iter().filter(|source| !source.ends_with("tests/it/tidy.rs")) {
        // A title may be broken over two lines of a comment, and its quotes are escaped in the text of a program.
        let text = fs::read_to_string(source).unwrap().replace("\\\"", "\"");
        let lines: Vec<&str> =
            text.lines().map(|line| line.trim().trim_start_matches(['/', '!']).trim()).collect();
        let text = lines.join(" ");
        for title in text.split("book's page \"").skip(1).filter_map(|rest| rest.split('"').next()) {
            titles_named += 1;
            let is_page = titles.contains(&format!("# {title}"));
            assert!(is_page, "{}: the book has no page \"{title}\"", source.display());
        }
        for rest in text.split("book/src/").skip(1) {
            let is_of_path = |letter: char| letter.is_alphanumeric() || ['/', '-', '_'].contains(&letter);
            let path: String = rest.chars().take_while(|letter| is_of_path(*letter)).collect();
            if rest[path.len()..].starts_with(".md") {
                paths_named += 1;
                let page = workspace().join("book/src").join(path).with_extension("md");
                assert!(page.exists(), "{}: there is no {}", source.display(), page.display());
            }
        }
    }
    assert!(
        titles_named > 15 && paths_named > 5,
        "only {titles_named} titles and {paths_named} paths are named"
    );
}

/// The first word of a comment is the noun or the verb that is meant.
#[test]
fn comments_do_not_begin_with_a_question_word() {
    const WORDS: [&str; 6] = ["What", "How", "Who", "Whom", "Where", "Why"];
    let mut comments = 0;
    for source in files("", ".rs") {
        for (line, number) in fs::read_to_string(&source).unwrap().lines().zip(1..) {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            comments += 1;
            let first = comment.trim_start_matches(['/', '!']).trim_start().split(' ').next().unwrap();
            assert!(!WORDS.contains(&first), "{}:{number}: {comment}", source.display());
            // Authors of agents read the pages of the SDK: "Returns `true` if" and "`true` if" say it.
            let is_of_sdk = source.starts_with(workspace().join("sdk/src"));
            assert!(!(is_of_sdk && first == "Whether"), "{}:{number}: {comment}", source.display());
        }
    }
    assert!(comments > 10_000, "only {comments} lines of comments");
}

/// Tables and examples are as wide as they are.
#[test]
fn comments_are_at_most_120_characters_wide() {
    for source in files("", ".rs") {
        let mut is_example = false;
        for (line, number) in fs::read_to_string(&source).unwrap().lines().zip(1..) {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let text = comment.trim_start_matches(['/', '!']).trim_start();
            is_example ^= text.starts_with("```");
            let is_free = is_example || text.starts_with('|');
            assert!(is_free || line.chars().count() <= 120, "{}:{number}: {comment}", source.display());
        }
        assert!(!is_example, "{}: an example does not end", source.display());
    }
}

#[test]
fn the_changelog_has_the_present_version() {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let version = manifest.split("\nversion = \"").nth(1).unwrap().split('"').next().unwrap();
    let changelog = fs::read_to_string(workspace().join("CHANGELOG.md")).unwrap();
    assert!(changelog.contains(&format!("## {version}")), "CHANGELOG.md does not mention {version}");
}

/// Protocol machines take bytes and moments; the code that opens sockets and reads clocks passes them in.
#[test]
fn protocol_machines_reach_no_socket_and_no_clock() {
    const MUST_NOT_NAME: [&str; 9] = [
        "tokio",
        "TcpStream",
        "TcpListener",
        "std::thread",
        "Instant",
        "SystemTime",
        "async fn",
        ".await",
        "std::fs",
    ];
    let sources = sans_io_files();
    for source in &sources {
        check_lines(source, &MUST_NOT_NAME);
    }
    for machine in rust_files() {
        let text = fs::read_to_string(&machine).unwrap();
        if text.lines().any(|line| line.contains("fn poll_output(") && line.ends_with('{')) {
            assert!(
                sources.contains(&machine),
                "{}: the first line of a protocol machine, or of its folder's `mod.rs`, says \"sans-IO\"",
                machine.display()
            );
        }
    }
    // An agent's strategy may take its time, and wait; it may not wait for anything else.
    let may_wait: Vec<&str> =
        MUST_NOT_NAME.into_iter().filter(|name| !["async fn", ".await"].contains(name)).collect();
    let actor = files("sdk/src/driver/actor", ".rs");
    assert!(actor.len() > 3, "only {} files", actor.len());
    for source in &actor {
        check_lines(source, &may_wait);
    }
}

/// The folders of all crates of the workspace.
fn folders() -> Vec<String> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let members = manifest.split("\nmembers = [").nth(1).unwrap().split(']').next().unwrap();
    members.split(',').map(|member| member.trim().trim_matches('"').to_owned()).collect()
}

/// The Rust sources of all crates of the workspace.
fn rust_files() -> Vec<PathBuf> {
    let sources = folders().into_iter().map(|folder| format!("{folder}/src"));
    let sources = sources.filter(|sources| workspace().join(sources).is_dir());
    sources.flat_map(|sources| files(&sources, ".rs")).collect()
}

/// The files whose first line says "sans-IO", and all files in the folder of a `mod.rs` or `lib.rs` that says so.
fn sans_io_files() -> BTreeSet<PathBuf> {
    let sources = rust_files();
    let is_marked = |source: &&PathBuf| {
        let text = fs::read_to_string(source).unwrap();
        text.lines().next().is_some_and(|line| line.starts_with("//!") && line.contains("sans-IO"))
    };
    let marked: Vec<&PathBuf> = sources.iter().filter(is_marked).collect();
    let covers = |mark: &PathBuf, source: &PathBuf| {
        let is_of_folder = mark.ends_with("mod.rs") || mark.ends_with("lib.rs");
        mark == source || (is_of_folder && source.starts_with(mark.parent().unwrap()))
    };
    sources.iter().filter(|source| marked.iter().any(|mark| covers(mark, source))).cloned().collect()
}

fn check_lines(source: &Path, must_not_name: &[&str]) {
    for (line, number) in fs::read_to_string(source).unwrap().lines().zip(1..) {
        let code = line.split("//").next().unwrap();
        let named = must_not_name.iter().find(|name| code.contains(*name));
        assert_eq!(named, None, "{}:{number}", source.display());
    }
}
