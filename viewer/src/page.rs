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

// The lists of `build.rs`: the modules of the script, each behind those that it imports; the part of each game in the
// places of the page; the style sheet of the page with those of games.
include!(concat!(env!("OUT_DIR"), "/lists.rs"));

/// The modules, joined. Their names on the uppermost level differ.
static SCRIPT: LazyLock<String> = LazyLock::new(|| MODULES.iter().map(|module| joinable(module)).collect());

/// Returns a module without its imports and exports.
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

/// Returns all files of the page.
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

/// Returns the page over this feed, a JSON array, as one file that needs nothing else.
pub fn exported(feed: &str) -> String {
    let (before, after) = around();
    before + &inert(feed) + &after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room;

    #[test]
    fn no_import_and_no_export_is_left() {
        let left = SCRIPT.lines().find(|line| line.starts_with("import ") || line.starts_with("export "));
        assert_eq!(left, None);
    }

    /// `build.rs` finds the folders; the script and the registry name the games.
    #[test]
    fn every_game_has_a_part_of_the_page() {
        let folders: Vec<&str> = ROOMS.iter().map(|(game, _)| *game).collect();
        let mut games: Vec<&str> = room::ROOMS.iter().map(room::Room::game).collect();
        games.sort_unstable();
        assert_eq!(folders, games);
        for game in games {
            let is_drawn = SCRIPT.lines().any(|line| line.starts_with(&format!("  {game}: ")));
            assert!(is_drawn, "no room of {game} in main.js");
        }
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
