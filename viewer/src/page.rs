//! The files of the page, embedded in the program, and one file made of all of them; sans-IO.
//!
//! The page is one HTML file, one style sheet and one script. The HTML file refers to the other two by the two lines
//! below; an exported file has their contents instead. The script is written as modules and joined here: a browser
//! requests one file, and modules cannot import one another in a file that is opened from disk.

use std::sync::LazyLock;

/// A file of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageFile {
    /// Its path behind the slash; empty for the page itself.
    pub name: &'static str,
    /// Its content type.
    pub kind: &'static str,
    /// Its text.
    pub content: &'static str,
}

/// The document, with the part of each game's room as a template.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let rooms =
        ROOMS.iter().map(|(game, part)| format!("<template id=\"room-{game}\">\n{part}</template>\n"));
    let (before, after) = DOCUMENT.split_once(ROOMS_PLACE).expect("the page has a place for rooms");
    format!("{before}{}{after}", rooms.collect::<String>())
});
const DOCUMENT: &str = include_str!("../page/index.html");
const ROOMS_PLACE: &str = "<!-- rooms -->\n";

/// The part of each game in the places of the page. A new game adds its line here, and its modules below.
const ROOMS: [(&str, &str); 5] = [
    ("bricks", include_str!("../page/games/bricks/room.html")),
    ("conveyor", include_str!("../page/games/conveyor/room.html")),
    ("dots", include_str!("../page/games/dots/room.html")),
    ("eriantys", include_str!("../page/games/eriantys/room.html")),
    ("project", include_str!("../page/games/project/room.html")),
];

/// The style sheet of the page, and those of games that have one.
const STYLE: &str = concat!(
    include_str!("../page/style.css"),
    include_str!("../page/games/bricks/room.css"),
    include_str!("../page/games/conveyor/room.css"),
    include_str!("../page/games/dots/room.css"),
    include_str!("../page/games/eriantys/room.css")
);
static SCRIPT: LazyLock<String> =
    LazyLock::new(|| MODULES.iter().map(|(_, module)| joinable(module)).collect());

macro_rules! modules {
    ($($path:literal),+ $(,)?) => { [$(($path, include_str!(concat!("../page/", $path)))),+] };
}

/// The modules of the script, each behind those that it imports. Their names on the uppermost level differ.
const MODULES: [(&str, &str); 75] = modules![
    "shell/dom.js",
    "shell/clock.js",
    "shell/search.js",
    "shell/timeline.js",
    "shell/turns.js",
    "shell/room.js",
    "shell/notices.js",
    "shell/saving.js",
    "shell/players.js",
    "shell/paint.js",
    "shell/course.js",
    "shell/duel.js",
    "games/bricks/words.js",
    "games/bricks/board.js",
    "games/bricks/charts.js",
    "games/bricks/model.js",
    "games/bricks/picker.js",
    "games/bricks/room.js",
    "games/conveyor/words.js",
    "games/conveyor/model.js",
    "games/conveyor/board.js",
    "games/conveyor/charts.js",
    "games/conveyor/room.js",
    "games/dots/words.js",
    "games/dots/board.js",
    "games/dots/charts.js",
    "games/dots/model.js",
    "games/dots/playing.js",
    "games/dots/room.js",
    "games/eriantys/words.js",
    "games/eriantys/model.js",
    "games/eriantys/ring.js",
    "games/eriantys/charts.js",
    "games/eriantys/schools.js",
    "games/eriantys/choices.js",
    "games/eriantys/playing.js",
    "games/eriantys/room.js",
    "shell/link.js",
    "games/project/model/terms.js",
    "games/project/drawing/shapes.js",
    "games/project/drawing/agents.js",
    "games/project/drawing/distances.js",
    "games/project/drawing/ground.js",
    "games/project/drawing/verdicts.js",
    "games/project/drawing/signs.js",
    "games/project/drawing/minimap.js",
    "games/project/drawing/board.js",
    "games/project/drawing/charts.js",
    "games/project/model/world.js",
    "games/project/model/knowledge.js",
    "games/project/model/game.js",
    "games/project/model/sight.js",
    "games/project/words.js",
    "games/project/agents.js",
    "games/project/charts.js",
    "games/project/keys.js",
    "games/project/pointer.js",
    "games/project/signs.js",
    "games/project/statistics.js",
    "games/project/room.js",
    "shell/theme.js",
    "shell/keys.js",
    "shell/token.js",
    "shell/connection.js",
    "shell/feed.js",
    "shell/time.js",
    "shell/controls.js",
    "shell/events.js",
    "shell/lobby.js",
    "shell/loop.js",
    "shell/matches.js",
    "shell/messages.js",
    "shell/settings.js",
    "shell/page.js",
    "main.js",
];

/// A module without its imports and exports.
fn joinable(module: &str) -> String {
    let mut joined = String::with_capacity(module.len());
    let mut imports = false;
    for line in module.lines() {
        imports |= line.starts_with("import ");
        if imports {
            imports = !line.ends_with(';');
        } else {
            joined.push_str(line.strip_prefix("export ").unwrap_or(line));
            joined.push('\n');
        }
    }
    joined
}

/// All files of the page.
pub fn files() -> [PageFile; 3] {
    [
        PageFile { name: "", kind: "text/html; charset=utf-8", content: &INDEX },
        PageFile { name: "board.js", kind: "text/javascript; charset=utf-8", content: &SCRIPT },
        PageFile { name: "style.css", kind: "text/css; charset=utf-8", content: STYLE },
    ]
}

const STYLE_LINK: &str = r#"<link rel="stylesheet" href="style.css">"#;
const SCRIPT_LINK: &str = r#"<script type="module" src="board.js"></script>"#;

/// The policy of an exported file: it may load nothing, from nowhere.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">";

/// A file that needs nothing else is the page around a feed: returns the parts before and behind the feed, which is a
/// JSON array. The feed itself is made [`inert`].
pub fn around() -> (String, String) {
    let style = STYLE.replace("</", "<\\/");
    let script = SCRIPT.replace("</script", "<\\/script").replace("<!--", "<\\!--");
    let (before_style, rest) = INDEX.split_once(STYLE_LINK).expect("the page has its style sheet");
    let (before_script, rest) = rest.split_once(SCRIPT_LINK).expect("the page has its script");
    let before = format!(
        "{before_style}{POLICY}\n<style>{style}</style>{before_script}\
         <script type=\"module\">{script}</script>\n\
         <script type=\"application/json\" id=\"feed\">"
    );
    (before, format!("</script>{rest}"))
}

/// JSON without any `<`. One stands only within texts, where it may be written as an escape: no text of a replay ends
/// the element of the page that holds it.
pub fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The page over this feed, a JSON array, as one file that needs nothing else.
pub fn exported(feed: &str) -> String {
    let (before, after) = around();
    before + &inert(feed) + &after
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_module_is_joined_behind_those_that_it_imports() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut written = BTreeSet::new();
        let mut folders = vec![page.clone()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "js") {
                    let named = path.strip_prefix(&page).unwrap().iter();
                    written.insert(named.map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/"));
                }
            }
        }
        let mut before = BTreeSet::new();
        for (path, module) in MODULES {
            let folder = Path::new(path).parent().unwrap();
            for line in module.lines() {
                let Some((_, from)) = line.split_once(" from \"").filter(|_| !line.starts_with(' ')) else {
                    continue;
                };
                let from = from.trim_end_matches("\";");
                let mut named: Vec<&str> = folder.iter().map(|part| part.to_str().unwrap()).collect();
                for part in from.split('/') {
                    match part {
                        "." => {}
                        ".." => drop(named.pop().unwrap()),
                        part => named.push(part),
                    }
                }
                let named = named.join("/");
                assert!(before.contains(&named), "{path} imports {from}, which is not before it");
            }
            assert!(before.insert(path.to_owned()), "{path} is joined twice");
        }
        assert_eq!(before, written);
        let left = SCRIPT.lines().find(|line| line.starts_with("import ") || line.starts_with("export "));
        assert_eq!(left, None);
    }

    #[test]
    fn nothing_in_a_feed_ends_its_element() {
        let feed = r#"[{"kind":"note","text":"</script><script>alert(1)</script><!--"}]"#;
        let page = exported(feed);
        assert!(
            page.contains(r#""text":"\u003c/script>\u003cscript>alert(1)\u003c/script>\u003c!--""#),
            "{page}"
        );
        let (_, element) = page.split_once(r#"id="feed">"#).unwrap();
        let (inside, _) = element.split_once("</script>").unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(inside).unwrap(),
            serde_json::from_str::<serde_json::Value>(feed).unwrap()
        );
    }
}
