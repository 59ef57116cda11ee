//! The files of the page, embedded in the program, and one file made of all of them.
//!
//! The page is one HTML file, one style sheet and one script, and refers to both by these two lines, which an
//! exported file has the contents in the place of.

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

const INDEX: &str = include_str!("../../viewer/index.html");
const SCRIPT: &str = include_str!("../../viewer/board.js");
const STYLE: &str = include_str!("../../viewer/style.css");

/// All files of the page.
pub const FILES: [PageFile; 3] = [
    PageFile { name: "", kind: "text/html; charset=utf-8", content: INDEX },
    PageFile { name: "board.js", kind: "text/javascript; charset=utf-8", content: SCRIPT },
    PageFile { name: "style.css", kind: "text/css; charset=utf-8", content: STYLE },
];

const STYLE_LINK: &str = r#"<link rel="stylesheet" href="style.css">"#;
const SCRIPT_LINK: &str = r#"<script type="module" src="board.js"></script>"#;

/// What an exported file may load: nothing, from nowhere.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">";

/// The page over this feed, a JSON array, as one file that needs nothing else.
pub fn exported(feed: &str) -> String {
    // In JSON a `<` stands only within texts, where it may be written so: no text of a replay ends the element.
    let feed = feed.replace('<', "\\u003c");
    let style = STYLE.replace("</", "<\\/");
    let script = SCRIPT.replace("</script", "<\\/script").replace("<!--", "<\\!--");
    let (before_style, rest) = INDEX.split_once(STYLE_LINK).expect("the page has its style sheet");
    let (before_script, rest) = rest.split_once(SCRIPT_LINK).expect("the page has its script");
    format!(
        "{before_style}{POLICY}\n<style>{style}</style>{before_script}\
         <script type=\"application/json\" id=\"feed\">{feed}</script>\n\
         <script type=\"module\">{script}</script>{rest}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
