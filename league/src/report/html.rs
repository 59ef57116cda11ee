//! The report as one page.

use super::Report;
use super::tables::Table;

/// The scripts of the charts, with their licences; see `vendor/README.md`.
const SCRIPTS: [(&str, &str); 3] = [
    (include_str!("vendor/vega.min.js"), include_str!("vendor/vega.LICENSE")),
    (include_str!("vendor/vega-lite.min.js"), include_str!("vendor/vega-lite.LICENSE")),
    (include_str!("vendor/vega-embed.min.js"), include_str!("vendor/vega-embed.LICENSE")),
];

const STYLE: &str = include_str!("page.css");
const DRAW: &str = include_str!("draw.js");

impl Report {
    /// The report as a page that needs neither a network nor other files.
    pub fn html(&self) -> String {
        let title = escape(&self.about.title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"summary\">{}.</p>\n",
            escape(&self.summary())
        );
        let charts = self.charts();
        let chart = |id: &str| charts.iter().find(|chart| chart.id == id);
        // Each table stands below the charts that draw it.
        let drawn = [&["elo", "course"][..], &["cross"], &["time"], &[], &[]];
        for (table, ids) in self.tables().iter().zip(drawn) {
            if table.rows.is_empty() {
                continue;
            }
            page += &format!("<section>\n<h2>{}</h2>\n", escape(table.title));
            for chart in ids.iter().filter_map(|id| chart(id)) {
                page += &format!(
                    "<figure><figcaption>{}</figcaption><div class=\"chart\" id=\"{}\"></div></figure>\n",
                    escape(chart.title),
                    chart.id
                );
            }
            page += &html_table(table);
            page += "</section>\n";
        }
        page += "</main>\n";
        for (script, licence) in SCRIPTS {
            page += &format!("<script>\n/*\n{}\n*/\n{}\n</script>\n", licence.replace("*/", "* /"), script);
        }
        for chart in &charts {
            // A name that ends the script would end it in the middle of a text.
            let spec = chart.spec.to_string().replace('<', "\\u003c");
            page += &format!(
                "<script type=\"application/json\" class=\"spec\" data-chart=\"{}\">{spec}</script>\n",
                chart.id
            );
        }
        page += &format!("<script>\n{DRAW}</script>\n</body>\n</html>\n");
        page
    }
}

fn html_table(table: &Table) -> String {
    let kind = |column: usize| if column < table.text_columns { "" } else { " class=\"number\"" };
    let cells = |tag: &str, cells: &[String]| -> String {
        cells
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let cell = escape(cell);
                let is_command = tag == "td" && table.head[column] == "open it with";
                let cell = if is_command { format!("<code>{cell}</code>") } else { cell };
                format!("<{tag}{}>{cell}</{tag}>", kind(column))
            })
            .collect()
    };
    let rows: String = table.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    format!(
        "<p class=\"note\">{}</p>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escape(&table.note),
        cells("th", &table.head)
    )
}

fn escape(text: &str) -> String {
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
