//! The files of the page, embedded in the program, and one file made of all of them.
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
    /// What it is.
    pub kind: &'static str,
    /// What is in it.
    pub content: &'static str,
}

const INDEX: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");
static SCRIPT: LazyLock<String> =
    LazyLock::new(|| MODULES.iter().map(|(_, module)| joinable(module)).collect());

macro_rules! modules {
    ($($path:literal),+ $(,)?) => { [$(($path, include_str!(concat!("../page/", $path)))),+] };
}

/// The modules of the script, each behind those that it imports. Their names on the uppermost level differ.
const MODULES: [(&str, &str); 35] = modules![
    "model/terms.js",
    "model/search.js",
    "model/world.js",
    "model/distances.js",
    "model/knowledge.js",
    "model/game.js",
    "model/sight.js",
    "drawing/paint.js",
    "drawing/shapes.js",
    "drawing/ground.js",
    "drawing/agents.js",
    "drawing/signs.js",
    "drawing/minimap.js",
    "drawing/board.js",
    "drawing/charts.js",
    "page/dom.js",
    "page/notices.js",
    "page/words.js",
    "page/signs.js",
    "page/settings.js",
    "page/events.js",
    "page/statistics.js",
    "page/agents.js",
    "page/charts.js",
    "page/pointer.js",
    "page/theme.js",
    "page/keys.js",
    "page/link.js",
    "page/token.js",
    "page/feed.js",
    "page/connection.js",
    "page/lobby.js",
    "page/controls.js",
    "page/page.js",
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
        PageFile { name: "", kind: "text/html; charset=utf-8", content: INDEX },
        PageFile { name: "board.js", kind: "text/javascript; charset=utf-8", content: &SCRIPT },
        PageFile { name: "style.css", kind: "text/css; charset=utf-8", content: STYLE },
    ]
}

const STYLE_LINK: &str = r#"<link rel="stylesheet" href="style.css">"#;
const SCRIPT_LINK: &str = r#"<script type="module" src="board.js"></script>"#;

/// What an exported file may load: nothing, from nowhere.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">";

/// A file that needs nothing else is the page around a feed: what stands before the feed, a JSON array, and behind it.
/// The feed itself is made [`inert`].
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
        let viewer = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut written = BTreeSet::from(["main.js".to_owned()]);
        for folder in ["model", "drawing", "page"] {
            for file in viewer.join(folder).read_dir().unwrap() {
                written.insert(format!("{folder}/{}", file.unwrap().file_name().into_string().unwrap()));
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
                let named = match from.strip_prefix("../") {
                    Some(elsewhere) => Path::new(elsewhere).to_owned(),
                    None => folder.join(from.trim_start_matches("./")),
                };
                assert!(
                    before.contains(named.to_str().unwrap()),
                    "{path} imports {from}, which is not before it"
                );
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
