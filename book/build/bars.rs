//! Draws tables of times as bars: a bar for each row, with a part for each column.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use crate::drawing;

/// The space around the picture.
const MARGIN: usize = 10;

/// The width of the names, of the longest bar, and of the sums behind the bars, in pixels.
const NAMES: usize = 130;
const BARS: usize = 520;
const SUMS: usize = 60;

/// The height of a bar, and from one bar to the next.
const BAR: usize = 20;
const ROW: usize = 30;

/// The height of a line of the legend, and the number of its entries in a line.
const LEGEND: usize = 22;
const ENTRIES: usize = 5;

/// The colours of the columns, for light systems and for dark ones.
const COLOURS: [(&str, &str); 9] = [
    ("#4577b4", "#6fa3e0"),
    ("#3d9a8b", "#58c2b1"),
    ("#8a6bb0", "#b096d6"),
    ("#c4472f", "#f08064"),
    ("#dba024", "#e9bb4b"),
    ("#8d6a3f", "#b58e5d"),
    ("#6b9c3a", "#94c763"),
    ("#cc6f9c", "#e79abf"),
    ("#9aa1a9", "#7b848f"),
];

/// Numbers with names.
#[derive(Debug, PartialEq)]
struct Table {
    columns: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

/// Returns the picture of the first table of this text.
pub(crate) fn picture(text: &str) -> Result<String> {
    Ok(draw(&read(text)?))
}

/// Reads a table in Markdown: the first column has names, the others numbers.
fn read(text: &str) -> Result<Table> {
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    let mut lines = lines.take_while(|line| line.starts_with('|')).map(cells);
    let columns = lines.next().context("no table follows")?.split_off(1);
    ensure!(
        (1..=COLOURS.len()).contains(&columns.len()),
        "the table has {} columns of numbers",
        columns.len()
    );
    let mut rows = Vec::new();
    // The line below the heading has only dashes.
    for mut line in lines.skip(1) {
        let numbers = line.split_off(1);
        ensure!(numbers.len() == columns.len(), "the row `{}` has {} numbers", line[0], numbers.len());
        let numbers: Result<Vec<f64>> = numbers
            .iter()
            .map(|cell| cell.parse().with_context(|| format!("the row `{}`: `{cell}` is no number", line[0])))
            .collect();
        rows.push((line.remove(0), numbers?));
    }
    ensure!(!rows.is_empty(), "the table has no rows");
    Ok(Table { columns, rows })
}

fn draw(table: &Table) -> String {
    let sum = |row: &(String, Vec<f64>)| row.1.iter().sum::<f64>();
    let longest = table.rows.iter().map(sum).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let legend = table.columns.len().div_ceil(ENTRIES) * LEGEND;
    let (width, height) = (2 * MARGIN + NAMES + BARS + SUMS, 3 * MARGIN + legend + table.rows.len() * ROW);
    let mut svg = drawing::begin(width, height);
    let variables = |pick: fn(&(&'static str, &'static str)) -> &'static str| {
        let each = COLOURS.iter().enumerate().map(|(place, pair)| format!("--part{place}:{}", pick(pair)));
        each.collect::<Vec<_>>().join(";")
    };
    let _ = write!(
        svg,
        "<style>:root{{{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}.start{{text-anchor:start}}</style>",
        variables(|pair| pair.0),
        variables(|pair| pair.1)
    );
    for (place, name) in table.columns.iter().enumerate() {
        let step = (NAMES + BARS + SUMS) / ENTRIES;
        let (x, y) = (MARGIN + place % ENTRIES * step, MARGIN + place / ENTRIES * LEGEND);
        part(&mut svg, place, (x as f64, y + 3), (12.0, 12), name);
        label(&mut svg, (x + 18, y + 10), name);
    }
    for (line, row) in table.rows.iter().enumerate() {
        let y = 2 * MARGIN + legend + line * ROW;
        label(&mut svg, (MARGIN, y + BAR / 2), &row.0);
        let mut x = (MARGIN + NAMES) as f64;
        for (place, number) in row.1.iter().enumerate() {
            let width = number / longest * BARS as f64;
            let told = format!("{}, {}: {number}", row.0, table.columns[place]);
            part(&mut svg, place, (x, y), (width, BAR), &told);
            x += width;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place on the picture")]
        let end = x.ceil() as usize + 6;
        label(&mut svg, (end, y + BAR / 2), &format!("{:.2}", sum(row)));
    }
    svg + "</svg>\n"
}

/// A coloured rectangle; `told` is shown to a reader who points at it.
fn part(svg: &mut String, colour: usize, (x, y): (f64, usize), (width, height): (f64, usize), told: &str) {
    if width > 0.0 {
        let told = drawing::escaped(told);
        let _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" fill=\"var(--part{colour})\">\
             <title>{told}</title></rect>"
        );
    }
}

/// Text that begins at this place.
fn label(svg: &mut String, (x, y): (usize, usize), text: &str) {
    let text = drawing::escaped(text);
    let _ = write!(
        svg,
        "<text class=\"start\" x=\"{x}\" y=\"{y}\" font-size=\"14\" fill=\"var(--ink)\">{text}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Text before.\n\n| seconds | moving | waiting |\n|---|---|---|\n| `one` | 1.5 | 0.5 |\n\
                        | `two` | 3 | 1.0 |\n\nText after, with | a bar.\n| x | y |\n";

    #[test]
    fn a_table_ends_with_its_last_line() {
        let table = read(PAGE).unwrap();
        assert_eq!(table.columns, ["moving", "waiting"]);
        assert_eq!(table.rows, [("one".to_owned(), vec![1.5, 0.5]), ("two".to_owned(), vec![3.0, 1.0])]);
    }

    #[test]
    fn the_longest_bar_is_as_long_as_there_is_room_and_the_others_in_proportion() {
        let drawn = picture(PAGE).unwrap();
        let width = |told: &str| -> f64 {
            let before = drawn.split(&format!("<title>{told}</title>")).next().unwrap();
            let (_, width) = before.rsplit_once(" width=\"").unwrap();
            width.split('"').next().unwrap().parse().unwrap()
        };
        assert_eq!(width("two, moving: 3") + width("two, waiting: 1"), BARS as f64);
        assert_eq!(width("one, moving: 1.5") * 2.0, width("two, moving: 3"));
        assert!(drawn.contains(">2.00</text>") && drawn.contains(">4.00</text>"), "the sums: {drawn}");
    }

    #[test]
    fn a_table_that_cannot_be_drawn_is_refused() {
        let fault = |text: &str| picture(text).unwrap_err().to_string();
        assert_eq!(fault("nothing"), "no table follows");
        assert_eq!(fault("| a | b |\n|---|---|\n"), "the table has no rows");
        assert_eq!(fault("| a | b |\n|---|---|\n| x | 1 | 2 |"), "the row `x` has 2 numbers");
        assert_eq!(fault("| a | b |\n|---|---|\n| x | 1 % |"), "the row `x`: `1 %` is no number");
        assert_eq!(fault("| a |\n|---|\n| x |"), "the table has 0 columns of numbers");
    }
}
