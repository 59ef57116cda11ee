//! Draws tables of `cargo xtask bench calibration`: a point for each bin, with the interval of its share of won games.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use crate::drawing;

/// The side of the square from 0 to 100 %, in pixels.
const SIDE: usize = 360;

/// The space for numbers and words at the left and below, and for half a number at the right and above.
const AXIS: usize = 64;
const EDGE: usize = 24;

/// The step between two lines of the grid, in percent.
const GRID: usize = 20;

/// The moments of a bin; shares in percent.
#[derive(Debug, PartialEq)]
struct Bin {
    moments: f64,
    /// The mean chance.
    mean: f64,
    /// The share of won games, and the bounds of its interval.
    won: f64,
    low: f64,
    high: f64,
}

/// Returns the picture of the first table of this text.
pub(crate) fn picture(text: &str) -> Result<String> {
    Ok(draw(&read(text)?))
}

/// Reads the first block of text: after a heading, a line for each bin.
fn read(text: &str) -> Result<Vec<Bin>> {
    let (_, block) = text.split_once("```text\n").context("no block `text` follows")?;
    let (block, _) = block.split_once("```").context("the block does not end")?;
    let bins: Vec<Bin> = block.lines().skip(1).map(bin).collect::<Result<_>>()?;
    ensure!(!bins.is_empty(), "the table has no bins");
    Ok(bins)
}

/// Reads a line as `70 to 80 %  191  73.5 %  71.7 % (65.0 to 77.6)`.
fn bin(line: &str) -> Result<Bin> {
    let words = line.split_whitespace().map(|word| word.trim_matches(['(', ')']));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    let [_, _, moments, mean, won, low, high] = numbers[..] else {
        return Err(anyhow::anyhow!("the line `{line}` has {} numbers: expected 7", numbers.len()));
    };
    let is_share = |share: f64| (0.0..=100.0).contains(&share);
    ensure!([mean, won, low, high].into_iter().all(is_share), "the line `{line}` has a share above 100 %");
    Ok(Bin { moments, mean, won, low, high })
}

fn draw(bins: &[Bin]) -> String {
    let mut svg = drawing::begin(AXIS + SIDE + EDGE, EDGE + SIDE + AXIS);
    let across = |share: f64| AXIS as f64 + share / 100.0 * SIDE as f64;
    let down = |share: f64| (EDGE + SIDE) as f64 - share / 100.0 * SIDE as f64;
    let (left, right, top, bottom) = (AXIS, AXIS + SIDE, EDGE, EDGE + SIDE);
    for share in (0..=100).step_by(GRID) {
        let (x, y) = (left + share * SIDE / 100, bottom - share * SIDE / 100);
        let _ = write!(
            svg,
            "<path d=\"M{x} {top}V{bottom}M{left} {y}H{right}\" stroke=\"var(--grid)\" fill=\"none\"/>"
        );
        for at in [(x, bottom + 16), (left - 20, y)] {
            drawing::text(&mut svg, at, 13, "var(--muted)", &share.to_string());
        }
    }
    let _ = write!(
        svg,
        "<path d=\"M{left} {bottom}L{right} {top}\" stroke=\"var(--edge)\" stroke-dasharray=\"5 5\" fill=\"none\"/>"
    );
    for Bin { moments, mean, won, low, high } in bins {
        let (x, y) = (across(*mean), down(*won));
        let (from, to) = (down(*low), down(*high));
        let _ = write!(
            svg,
            "<g stroke=\"var(--blue)\" fill=\"var(--blue)\"><title>{moments} moments with a mean chance of {mean} %: \
             {won} % won ({low} to {high})</title><path d=\"M{x:.1} {from:.1}V{to:.1}\" stroke-width=\"2\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/></g>"
        );
    }
    drawing::text(&mut svg, (AXIS + SIDE / 2, bottom + 42), 14, "var(--ink)", "chance by futures, in %");
    let (x, y) = (14, EDGE + SIDE / 2);
    let _ = write!(svg, "<g transform=\"rotate(-90 {x} {y})\">");
    drawing::text(&mut svg, (x, y), 14, "var(--ink)", "games won, in %");
    svg + "</g></svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Text before.\n\n```text\n      chance  moments     mean               won (95 %)\n   \
                        0 to 10 %      218    2.5 %       5.0 % (0.0 to 7.5)\n 90 to 100 %       20   95.0 %    \
                        50.0 % (40.0 to 60.0)  off\n```\n";

    #[test]
    fn a_bin_is_a_point_with_an_interval() {
        let bins = read(PAGE).unwrap();
        assert_eq!(bins[0], Bin { moments: 218.0, mean: 2.5, won: 5.0, low: 0.0, high: 7.5 });
        assert_eq!(bins.len(), 2);
        let drawn = picture(PAGE).unwrap();
        // 95 % of 360 pixels behind the axis; 50 % is the middle of the square.
        assert!(drawn.contains("<circle cx=\"406.0\" cy=\"204.0\""), "{drawn}");
        assert!(drawn.contains("d=\"M406.0 240.0V168.0\""), "{drawn}");
        assert!(drawn.contains("20 moments with a mean chance of 95 %: 50 % won (40 to 60)"), "{drawn}");
    }

    #[test]
    fn a_table_that_cannot_be_drawn_is_refused() {
        let fault = |text: &str| picture(text).unwrap_err().to_string();
        assert_eq!(fault("| a | b |"), "no block `text` follows");
        assert_eq!(fault("```text\nchance\n```"), "the table has no bins");
        assert_eq!(
            fault("```text\nchance\n0 to 10 % 3\n```"),
            "the line `0 to 10 % 3` has 3 numbers: expected 7"
        );
        let share = "0 to 10 % 3 2 % 104 % (90 to 108)";
        let line = format!("the line `{share}` has a share above 100 %");
        assert_eq!(fault(&format!("```text\nchance\n{share}\n```")), line);
    }
}
