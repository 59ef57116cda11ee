//! The report as one page.

use serde_json::Value;
use viewer::page::inert;

use super::Report;
use super::tables::{REPLAYED_BY, Table, sentence};

/// The scripts of the charts, with their licences; see `vendor/README.md`.
const SCRIPTS: [(&str, &str); 3] = [
    (include_str!("vendor/vega.min.js"), include_str!("vendor/vega.LICENSE")),
    (include_str!("vendor/vega-lite.min.js"), include_str!("vendor/vega-lite.LICENSE")),
    (include_str!("vendor/vega-embed.min.js"), include_str!("vendor/vega-embed.LICENSE")),
];

const STYLE: &str = include_str!("page.css");
const DRAW: &str = include_str!("draw.js");

impl Report {
    /// Returns the report as a page that needs neither a network nor other files.
    pub fn html(&self) -> String {
        self.page(&|_, _, _| None)
    }

    /// Returns a note below the heading of a page of an unfinished league; empty at its end.
    pub(super) fn unfinished_note(&self) -> String {
        let note = self
            .unfinished()
            .map(|text| format!("<p class=\"unfinished\">{}.</p>\n", escape(&sentence(&text))));
        note.unwrap_or_default()
    }

    /// Returns the page of the whole league; `link` returns the target of a table's cell, by row and column.
    pub(super) fn page(&self, link: &dyn Fn(&Table, usize, usize) -> Option<String>) -> String {
        let mut page = head(&self.about.title);
        page += &format!(
            "<h1>{}</h1>\n<p class=\"summary\">{}.</p>\n",
            escape(&self.about.title),
            escape(&self.summary())
        );
        page += &self.unfinished_note();
        let charts = self.charts();
        for table in self.tables().iter().filter(|table| !table.rows.is_empty()) {
            page += &format!("<section>\n<h2>{}</h2>\n", escape(table.contents.title()));
            for chart in charts.iter().filter(|chart| chart.table == table.contents) {
                page += &figure(chart.id, chart.title);
            }
            page += &self::table(table, link);
            page += "</section>\n";
        }
        page + &end(charts.iter().map(|chart| (chart.id, &chart.spec)))
    }
}

/// Returns the end of a page after its contents, with the scripts that draw these charts, given by the id of their
/// place.
pub(super) fn end<'a>(charts: impl IntoIterator<Item = (&'a str, &'a Value)>) -> String {
    let mut end = "</main>\n".to_owned();
    for (script, licence) in SCRIPTS {
        end += &format!("<script>\n/*\n{}\n*/\n{}\n</script>\n", licence.replace("*/", "* /"), script);
    }
    for (id, spec) in charts {
        let spec = inert(&spec.to_string());
        end += &format!(
            "<script type=\"application/json\" class=\"spec\" data-chart=\"{id}\">{spec}</script>\n"
        );
    }
    end + &format!("<script>\n{DRAW}</script>\n</body>\n</html>\n")
}

/// Returns the place of a chart, with its title.
pub(super) fn figure(id: &str, title: &str) -> String {
    format!(
        "<figure><figcaption>{}</figcaption><div class=\"chart\" id=\"{id}\"></div></figure>\n",
        escape(title)
    )
}

/// Returns the beginning of a page, up to its contents.
pub(super) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n",
        escape(title)
    )
}

/// Returns a table, which scrolls if it is too wide; `link` returns the target of a cell, by row and column.
pub(super) fn table(table: &Table, link: &dyn Fn(&Table, usize, usize) -> Option<String>) -> String {
    let kind = |column: usize| if column < table.text_columns { "" } else { " class=\"number\"" };
    let heads = table.head.iter().enumerate();
    let heads: String =
        heads.map(|(column, cell)| format!("<th{}>{}</th>", kind(column), escape(cell))).collect();
    let cell = |row: usize, column: usize, cell: &str| {
        let mut shown = escape(cell);
        if table.head[column] == REPLAYED_BY && !cell.is_empty() {
            shown = format!("<code>{shown}</code>");
        }
        if let Some(target) = link(table, row, column) {
            shown = format!("<a href=\"{}\">{shown}</a>", escape(&target));
        }
        format!("<td{}>{shown}</td>", kind(column))
    };
    let rows: String = table
        .rows
        .iter()
        .enumerate()
        .map(|(row, cells)| {
            let cells: String =
                cells.iter().enumerate().map(|(column, text)| cell(row, column, text)).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<p class=\"note\">{}</p>\n<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>\n\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escape(&table.note),
        escape(table.contents.title())
    )
}

pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ => escaped.push(letter),
        }
    }
    escaped
}
