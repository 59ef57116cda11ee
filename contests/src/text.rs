//! Numbers in sentences for people.

pub use game_env::text::{counted, with_commas};
use game_env::{AgentId, SimTime};

use crate::statistics::Interval;

/// [`counted`] for matches.
pub fn matches(number: u64) -> String {
    counted(number, "match", "matches")
}

/// Returns the sentence about ratings of groups of entrants that have not met, see
/// [`Ratings::groups`](crate::statistics::Ratings::groups).
pub fn groups_that_have_not_met(groups: usize) -> String {
    format!(
        "{groups} groups of entrants have not met, not even through others: the Elo of one cannot be compared with that of \
         another."
    )
}

/// Returns a share of the points with the bounds of its interval: `71.3 % (69.4 to 73.2)`.
pub fn share(share: Interval) -> String {
    // 0.6375 times 100 is a little less than 63.75.
    let Interval { value, low, high } = share.map(|share| (1e6 * share).round() / 1e4);
    format!("{value:.1} % ({low:.1} to {high:.1})")
}

/// Agents by their ids, which are in order: `agent #0`, `agents #0 and #2`, `agents #0 to #3`.
pub fn agents(ids: &[AgentId]) -> String {
    let are_in_a_row = ids.windows(2).all(|pair| pair[0].index() + 1 == pair[1].index());
    match ids {
        [] => "no agent".to_owned(),
        [one] => format!("agent {one}"),
        [first, .., last] if ids.len() > 2 && are_in_a_row => format!("agents {first} to {last}"),
        [before @ .., last] => {
            let before: Vec<String> = before.iter().map(ToString::to_string).collect();
            format!("agents {} and {last}", before.join(", "))
        }
    }
}

/// Returns a text as a cell of a CSV file. A spreadsheet would take a cell that begins with one of these characters for
/// a formula and compute it: unless it is a number, an apostrophe goes before it, with which spreadsheets mark text.
pub fn csv_cell(text: &str) -> String {
    const BEGIN_FORMULAS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];
    let is_number = text.parse().is_ok_and(f64::is_finite);
    let mark = if text.starts_with(BEGIN_FORMULAS) && !is_number { "'" } else { "" };
    if !mark.is_empty() || text.contains([',', ';', '"', '\n', '\r', '\t']) {
        format!("\"{mark}{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns a metric as people call it: `carrying_ms` is "carrying time", `repeated_tries` "repeated tries".
pub fn metric(name: &str) -> String {
    let name = name.strip_suffix("_ms").map_or_else(|| name.to_owned(), |name| format!("{name}_time"));
    name.replace('_', " ")
}

/// Returns the last part of a text, of at most this number of bytes.
pub fn end_of(text: &str, longest: usize) -> &str {
    let surplus = text.len().saturating_sub(longest);
    let start = (surplus..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    &text[start..]
}

/// Game time: `1.8 s`.
pub fn game_time(time: SimTime) -> String {
    format!("{:.1} s", time.as_millis() as f64 / 1_000.0)
}

/// Returns the value of a metric: that of a time in seconds, with two decimal places.
pub fn value(metric: &str, value: f64) -> String {
    if metric.ends_with("_ms") { format!("{:.2} s", value / 1_000.0) } else { format!("{value:.2}") }
}

/// Rows as lines of aligned columns, two blanks apart: the first column begins at the left, the others end at the
/// right.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("  {cell:width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Returns a span in the two largest units that it has: `1 h 40 min`, `2 min 5 s`, `12 s`; below a second `less than 1
/// s`.
pub fn span(span: std::time::Duration) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut seconds = span.as_secs();
    let mut parts = Vec::new();
    for (length, name) in UNITS {
        if seconds >= length {
            parts.push(format!("{} {name}", with_commas(seconds / length)));
            seconds %= length;
        } else if !parts.is_empty() {
            break;
        }
        if parts.len() == 2 {
            break;
        }
    }
    if parts.is_empty() { "less than 1 s".to_owned() } else { parts.join(" ") }
}

/// Returns how long something takes from now on, as far as it is known: `about 3 min left`, `less than 1 s left`.
pub fn left(time: std::time::Duration) -> String {
    let about = if time.as_secs() > 0 { "about " } else { "" };
    format!("{about}{} left", span(time))
}

/// Returns a wall time in one unit, with a decimal place below ten: `0.4 µs`, `85 µs`, `1.2 ms`, `340 ms`, `2.5 s`.
pub fn wall_time(time: std::time::Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    let (number, unit) = match micros {
        ..999.5 => (micros, "µs"),
        ..999.5e3 => (micros / 1e3, "ms"),
        _ => (micros / 1e6, "s"),
    };
    let digits = usize::from(number < 9.95);
    format!("{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(matches), ["0 matches", "1 match", "2 matches"]);
        assert_eq!([0, 999, 1_000, 1_234_567].map(with_commas), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn agents_are_listed_by_their_ids() {
        let told = |ids: &[u16]| agents(&ids.iter().map(|id| AgentId::new(*id)).collect::<Vec<_>>());
        let found = [&[2][..], &[0, 1], &[0, 1, 2, 3], &[0, 2, 4]].map(told);
        assert_eq!(found, ["agent #2", "agents #0 and #1", "agents #0 to #3", "agents #0, #2 and #4"]);
    }

    #[test]
    fn the_end_of_a_text_has_whole_letters() {
        assert_eq!([0, 1, 2, 3, 9].map(|longest| end_of("ab√", longest)), ["", "", "", "√", "ab√"]);
    }

    #[test]
    fn a_wall_time_has_two_or_three_digits() {
        for (nanos, told) in [
            (0, "0.0 µs"),
            (449, "0.4 µs"),
            (9_949, "9.9 µs"),
            (9_951, "10 µs"),
            (999_499, "999 µs"),
            (999_501, "1.0 ms"),
            (340_000_000, "340 ms"),
            (2_500_000_000, "2.5 s"),
            (75_000_000_000, "75 s"),
        ] {
            assert_eq!(wall_time(Duration::from_nanos(nanos)), told, "{nanos}");
        }
    }

    #[test]
    fn a_cell_of_text_is_no_formula() {
        for (text, cell) in [
            ("greedy", "greedy"),
            ("a,b", "\"a,b\""),
            ("a;b", "\"a;b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""),
            ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("+1+1", "\"'+1+1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("-inf", "\"'-inf\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("＝1", "\"'＝1\""),
            ("-3.5", "-3.5"),
            ("+7", "+7"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(csv_cell(text), cell, "{text:?}");
        }
    }

    #[test]
    fn a_count_and_a_time_of_one_thing_have_different_names() {
        assert_eq!(["shams", "shams_ms"].map(metric), ["shams", "shams time"]);
        assert_eq!(metric("repeated_tries"), "repeated tries");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["", "a", "long name"], ["tries", "12", "3"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(&rows), "          a  long name\n  tries  12          3\n");
        assert_eq!(["tries", "carrying_ms"].map(|name| value(name, 1_234.0)), ["1234.00", "1.23 s"]);
    }

    #[test]
    fn spans_are_easy_to_read() {
        let spans = [0, 999, 1_000, 60_000, 125_000, 3_600_000, 6_000_000, 3_601_000, 90_000_000];
        let expected = [
            "less than 1 s",
            "less than 1 s",
            "1 s",
            "1 min",
            "2 min 5 s",
            "1 h",
            "1 h 40 min",
            "1 h",
            "1 d 1 h",
        ];
        assert_eq!(spans.map(|ms| span(Duration::from_millis(ms))), expected);
        let times = [999, 125_000].map(|ms| left(Duration::from_millis(ms)));
        assert_eq!(times, ["less than 1 s left", "about 2 min 5 s left"]);
    }
}
