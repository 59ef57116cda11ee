//! Draws boards as SVG, from the scenes that are printed as text elsewhere. The signs are those of the game page.

use std::fmt::Write as _;

use game_env::scene::{Cell, Mark, Scene};

/// The side of a field, in pixels.
pub(crate) const FIELD: usize = 46;

/// The space around a picture, and around the text between two boards.
const MARGIN: usize = 8;

/// The width of a letter of a caption, in pixels, for the room that it needs.
const LETTER: usize = 8;

/// Colours for light and dark systems. Fields are opaque, so that a picture can be read on any page.
const STYLE: &str = "\
:root{--task:#fcfbf7;--grid:#d9d4c7;--edge:#a89f8b;--ink:#23282f;--muted:#59616c;--red:#b93d26;--blue:#2463a8;\
--red-soft:#f8e3dc;--blue-soft:#dfe9f5;--on-team:#fff;--piece:#d9a21f;--rim:#5f4405;--sham:#5d5568;--leader:#e0a80f;\
--back:#fffefb;--refused:#b34a1a}\
@media(prefers-color-scheme:dark){:root{--task:#1d232b;--grid:#3a424e;--edge:#6b7684;--ink:#e6e8ea;--muted:#98a2ae;\
--red:#f08064;--blue:#63a4ea;--red-soft:#38241f;--blue-soft:#1c2d41;--on-team:#10141a;--piece:#e9bb4b;--rim:#12161b;\
--sham:#aaa1b8;--leader:#f2c64f;--back:#161b21;--refused:#e58a5f}}\
text{font-family:system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}";

/// The step between two boards of a picture.
pub(crate) struct Step {
    /// The request.
    pub(crate) request: String,
    /// Whether it was refused.
    pub(crate) is_refused: bool,
}

/// A number on a field: column, row from the south, text.
pub(crate) type Label = (usize, usize, String);

/// Returns a picture of one board.
pub(crate) fn board(scene: &Scene) -> String {
    let (width, height) = size(scene);
    let mut svg = begin(width + 2 * MARGIN, height + 2 * MARGIN);
    draw(&mut svg, scene, MARGIN, &[]);
    svg + "</svg>\n"
}

/// Returns a picture of a board before and after some steps, with labels on the second one.
pub(crate) fn before_and_after(before: &Scene, steps: &[Step], after: &Scene, labels: &[Label]) -> String {
    let longest = steps.iter().map(|step| step.request.chars().count()).max().unwrap_or(0);
    let between = longest.max(4) * LETTER + 2 * MARGIN;
    let (width, height) = size(before);
    let full = 2 * (width + MARGIN) + between;
    let mut svg = begin(full, height + 2 * MARGIN);
    draw(&mut svg, before, MARGIN, &[]);
    draw(&mut svg, after, MARGIN + width + between, labels);
    let middle = MARGIN + width + between / 2;
    let lines = steps.iter().map(|step| 1 + usize::from(step.is_refused)).sum::<usize>();
    let mut y = (MARGIN + height / 2).saturating_sub(lines * 18 / 2 + 4);
    for Step { request, is_refused } in steps {
        text(&mut svg, (middle, y), 14, "var(--ink)", request);
        y += 18;
        if *is_refused {
            text(&mut svg, (middle, y), 13, "var(--refused)", "refused");
            y += 18;
        }
    }
    let (start, end) = (middle - 18, middle + 18);
    let _ = write!(
        svg,
        "<path d=\"M{start} {y}H{end}m-7 -5l7 5l-7 5\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"2\"/>"
    );
    svg + "</svg>\n"
}

fn size(scene: &Scene) -> (usize, usize) {
    (scene.columns() * FIELD, scene.rows() * FIELD)
}

/// Returns the beginning of a picture of this size.
pub(crate) fn begin(width: usize, height: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\"><style>{STYLE}</style>\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"var(--back)\"/>"
    )
}

/// Draws a board whose western edge is there.
fn draw(svg: &mut String, scene: &Scene, left: usize, labels: &[Label]) {
    let top_of = |y: usize| MARGIN + (scene.rows() - 1 - y) * FIELD;
    for y in 0..scene.rows() {
        for x in 0..scene.columns() {
            let at = (left + x * FIELD, top_of(y));
            ground(svg, scene.cell(x, y), at);
        }
    }
    for y in &scene.rules {
        let (y, width) = (top_of(*y) + FIELD, scene.columns() * FIELD);
        let _ = write!(svg, "<path d=\"M{left} {y}h{width}\" stroke=\"var(--edge)\" stroke-width=\"3\"/>");
    }
    for y in 0..scene.rows() {
        for x in 0..scene.columns() {
            let middle = (left + x * FIELD + FIELD / 2, top_of(y) + FIELD / 2);
            marks(svg, scene.cell(x, y), middle);
        }
    }
    for (x, y, label) in labels {
        let corner = (left + x * FIELD + FIELD - 7, top_of(*y) + 10);
        text(svg, corner, 13, "var(--ink)", label);
    }
}

/// Returns the colour of a team, in these shades.
fn team_colour(team: Option<game_env::TeamId>, shade: &str, other: &str) -> String {
    match team.map(game_env::TeamId::index) {
        Some(0) => format!("var(--red{shade})"),
        Some(1) => format!("var(--blue{shade})"),
        _ => other.to_owned(),
    }
}

fn ground(svg: &mut String, cell: &Cell, (x, y): (usize, usize)) {
    let colour = team_colour(cell.team, "-soft", "var(--task)");
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{FIELD}\" height=\"{FIELD}\" fill=\"{colour}\" stroke=\"var(--grid)\"/>"
    );
}

/// Draws the marks of a field; the piece in a hand is drawn beside its agent.
fn marks(svg: &mut String, cell: &Cell, (x, y): (usize, usize)) {
    let has_agent = cell.marks.iter().any(|mark| mark.kind == "agent");
    let mut lying = 0;
    for mark in &cell.marks {
        match mark.kind {
            "goal" => goal(svg, cell, (x, y), false),
            "covered-goal" => goal(svg, cell, (x, y), true),
            "piece" | "sham" => {
                // Beside an agent, and in a pile, pieces are small and lie in the south.
                let is_small = has_agent || cell.marks.iter().filter(|other| is_lying(other)).count() > 1;
                let at = if is_small { (x - 15 + 9 * lying, y + 15) } else { (x, y) };
                piece(svg, mark.kind == "piece", at, if is_small { 6 } else { 9 });
                lying += 1;
            }
            "agent" => agent(svg, mark, (x, y)),
            "leader" => crown(svg, (x, y - 15)),
            "held-piece" | "held-sham" => piece(svg, mark.kind == "held-piece", (x + 13, y + 11), 7),
            _ => text(svg, (x, y), 14, &team_colour(mark.team, "", "var(--ink)"), &mark.text),
        }
    }
}

fn is_lying(mark: &Mark) -> bool {
    ["piece", "sham"].contains(&mark.kind)
}

fn agent(svg: &mut String, mark: &Mark, (x, y): (usize, usize)) {
    let colour = team_colour(mark.team, "", "var(--muted)");
    let _ = if mark.team.is_some_and(|team| team.index() == 0) {
        write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"22\" rx=\"4\" fill=\"{colour}\"/>",
            x - 11,
            y - 11
        )
    } else {
        write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"12\" fill=\"{colour}\"/>")
    };
    let number = mark.agent.map_or_else(|| mark.text.clone(), |agent| agent.index().to_string());
    text(svg, (x, y), 14, "var(--on-team)", &number);
}

fn goal(svg: &mut String, cell: &Cell, (x, y): (usize, usize), is_covered: bool) {
    let colour = team_colour(cell.team, "", "var(--ink)");
    let (fill, dashes) = if is_covered { (&colour[..], "") } else { ("none", " stroke-dasharray=\"4 3\"") };
    let _ = write!(
        svg,
        "<path d=\"M{x} {}l20 20l-20 20l-20 -20z\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
        y - 20
    );
}

/// A hexagon: filled for a real piece; hollow and struck through for a sham.
fn piece(svg: &mut String, is_real: bool, (x, y): (usize, usize), size: usize) {
    let (wide, half) = (size * 87 / 100, size / 2);
    let (fill, stroke) =
        if is_real { ("var(--piece)", "var(--rim)") } else { ("var(--back)", "var(--sham)") };
    let _ = write!(
        svg,
        "<path d=\"M{x} {}l{wide} {half}v{size}l-{wide} {half}l-{wide} -{half}v-{size}z\" fill=\"{fill}\" \
         stroke=\"{stroke}\" stroke-width=\"1.5\"/>",
        y - size
    );
    if !is_real {
        let _ = write!(
            svg,
            "<path d=\"M{} {}l{size} -{size}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>",
            x - half,
            y + half
        );
    }
}

fn crown(svg: &mut String, (x, y): (usize, usize)) {
    let _ = write!(
        svg,
        "<path d=\"M{} {}v-7l4 3l4 -5l4 5l4 -3v7z\" fill=\"var(--leader)\" stroke=\"var(--rim)\"/>",
        x - 8,
        y + 4
    );
}

/// Text without the signs that have a meaning in SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Text around this place.
pub(crate) fn text(svg: &mut String, (x, y): (usize, usize), size: usize, colour: &str, text: &str) {
    let text = escaped(text);
    let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\">{text}</text>");
}
