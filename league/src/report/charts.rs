//! The charts as Vega-Lite specifications. Colours and fonts are the page's.

use contests::text;
use serde_json::{Value, json};

use super::Report;
use super::tables::{Contents, rounded};

/// A chart with its heading.
pub(super) struct Chart {
    pub(super) id: &'static str,
    /// The table that it draws, which stands below it.
    pub(super) table: Contents,
    pub(super) title: &'static str,
    pub(super) spec: Value,
}

/// Room for a row of a chart, in pixels.
const ROW: usize = 26;

/// The backgrounds of cells of the cross table at 0, 50 and 100 % of the points.
const CELL_COLORS: [&str; 3] = ["#c2410c", "#a8a29e", "#0f766e"];

/// The shares of the points, in percent, between which a cell is so light that its text is black.
const LIGHT_CELLS: (f64, f64) = (12.0, 88.0);

impl Report {
    pub(super) fn charts(&self) -> Vec<Chart> {
        let mut charts = vec![
            Chart {
                id: "elo",
                table: Contents::Standings,
                title: "Elo with 95 % intervals",
                spec: self.elo_chart(),
            },
            Chart {
                id: "course",
                table: Contents::Standings,
                title: "Points above half, match by match",
                spec: self.course_chart(),
            },
            Chart {
                id: "cross",
                table: Contents::Cross,
                title: "Share of the points, row against column",
                spec: self.cross_chart(),
            },
        ];
        if self.metrics.0.iter().any(|name| name.ends_with("_ms")) {
            charts.push(Chart {
                id: "time",
                table: Contents::Metrics,
                title: "Where the time went",
                spec: self.time_chart(),
            });
        }
        charts
    }

    /// Names of entrants, best first: the order of every axis.
    fn order(&self) -> Vec<&str> {
        self.ranked().map(|(_, rating)| self.name(rating.entrant)).collect()
    }

    fn elo_chart(&self) -> Value {
        let values: Vec<Value> = self
            .ranked()
            .filter_map(|(_, rating)| {
                let elo = self.elo(rating)?;
                let whole = |elo: f64| rounded(elo, 1.0);
                Some(json!({
                    "entrant": self.name(rating.entrant),
                    "elo": whole(elo.value), "low": whole(elo.low), "high": whole(elo.high),
                }))
            })
            .collect();
        let y = json!({ "field": "entrant", "type": "nominal", "sort": self.order(), "title": null });
        let tooltip = json!([
            { "field": "entrant" },
            { "field": "elo", "format": "+.0f", "title": "Elo" },
            { "field": "low", "format": "+.0f", "title": "from" },
            { "field": "high", "format": "+.0f", "title": "to" }
        ]);
        json!({
            "data": { "values": values },
            "width": "container",
            "height": ROW * self.about.entrants.len(),
            "encoding": { "y": y, "tooltip": tooltip },
            "layer": [
                { "mark": { "type": "rule", "strokeWidth": 2 },
                  "encoding": { "x": { "field": "low", "type": "quantitative", "title": "Elo", "scale": { "zero": false } }, "x2": { "field": "high" } } },
                { "mark": { "type": "point", "filled": true, "size": 70, "opacity": 1 },
                  "encoding": { "x": { "field": "elo", "type": "quantitative" } } }
            ]
        })
    }

    fn course_chart(&self) -> Value {
        let values: Vec<Value> = self
            .course
            .iter()
            .enumerate()
            .flat_map(|(entrant, curve)| {
                curve.iter().map(move |(played, points)| {
                    json!({ "entrant": self.name(entrant), "match": played, "points": points })
                })
            })
            .collect();
        json!({
            "data": { "values": values },
            "width": "container",
            "height": 260,
            "mark": { "type": "line", "strokeWidth": 2, "interpolate": "linear" },
            "encoding": {
                "x": { "field": "match", "type": "quantitative", "title": "matches of the league",
                       "scale": { "nice": false }, "axis": { "tickMinStep": 1, "format": ",d" } },
                "y": { "field": "points", "type": "quantitative", "title": "points above half" },
                "color": { "field": "entrant", "type": "nominal", "sort": self.order(), "title": null },
                "tooltip": [{ "field": "entrant" }, { "field": "match" }, { "field": "points", "format": "+.1f" }]
            }
        })
    }

    fn cross_chart(&self) -> Value {
        let mut values = Vec::new();
        for (own, row) in self.cross_table.iter().enumerate() {
            for (other, meeting) in row.iter().enumerate().filter(|(other, _)| *other != own) {
                if let Some(score) = meeting.score() {
                    values.push(json!({
                        "row": self.name(own), "column": self.name(other),
                        "score": 100.0 * score, "matches": meeting.matches(),
                    }));
                }
            }
        }
        let axis =
            |field: &str| json!({ "field": field, "type": "nominal", "sort": self.order(), "title": null });
        let mut x = axis("column");
        x["axis"] = json!({ "orient": "top", "labelAngle": -35 });
        let (low, high) = LIGHT_CELLS;
        let is_light = format!("{low} <= datum.score && datum.score <= {high}");
        json!({
            "data": { "values": values },
            "width": "container",
            "height": (ROW + 8) * self.about.entrants.len(),
            "encoding": { "y": axis("row"), "x": x },
            "layer": [
                { "mark": { "type": "rect" },
                  "encoding": {
                    "color": { "field": "score", "type": "quantitative", "legend": null,
                               "scale": { "domain": [0, 50, 100], "range": CELL_COLORS } },
                    "tooltip": [{ "field": "row" }, { "field": "column" },
                                { "field": "score", "format": ".1f", "title": "% of the points" }, { "field": "matches" }] } },
                { "mark": { "type": "text", "fontWeight": "bold" },
                  "encoding": {
                    "text": { "field": "score", "type": "quantitative", "format": ".0f" },
                    "color": { "condition": { "test": is_light, "value": "black" }, "value": "white" } } }
            ]
        })
    }

    /// Bars beside each other and not on top of each other: a game may measure the same time in two ways.
    fn time_chart(&self) -> Value {
        let (names, means) = &self.metrics;
        let times: Vec<usize> = (0..names.len()).filter(|place| names[*place].ends_with("_ms")).collect();
        let mut values = Vec::new();
        for place in &times {
            for (entrant, means) in means.iter().enumerate() {
                values.push(json!({
                    "entrant": self.name(entrant),
                    "what": text::metric(&names[*place]),
                    "seconds": means[*place] / 1_000.0,
                }));
            }
        }
        let kinds: Vec<String> = times.iter().map(|place| text::metric(&names[*place])).collect();
        json!({
            "data": { "values": values },
            "width": "container",
            "height": times.len() * (10 + 8 * self.about.entrants.len()),
            "mark": { "type": "bar" },
            "encoding": {
                "y": { "field": "what", "type": "nominal", "sort": kinds, "title": null },
                "yOffset": { "field": "entrant", "type": "nominal", "sort": self.order() },
                "x": { "field": "seconds", "type": "quantitative", "title": "seconds, mean of a match" },
                "color": { "field": "entrant", "type": "nominal", "sort": self.order(), "title": null },
                "tooltip": [{ "field": "entrant" }, { "field": "what" }, { "field": "seconds", "format": ".2f" }]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least contrast of text by the Web Content Accessibility Guidelines, level AA.
    const LEAST: f64 = 4.5;

    fn channels(color: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()))
    }

    /// The relative luminance of a cell, whose colour the chart mixes linearly.
    fn luminance(score: f64) -> f64 {
        let (from, to, share) =
            if score < 50.0 { (0, 1, score / 50.0) } else { (1, 2, (score - 50.0) / 50.0) };
        let (from, to) = (channels(CELL_COLORS[from]), channels(CELL_COLORS[to]));
        let linear = |place: usize| {
            let value = (from[place] + (to[place] - from[place]) * share) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2)
    }

    #[test]
    fn the_text_of_every_cell_can_be_read() {
        for step in 0..=1000 {
            let score = f64::from(step) / 10.0;
            let is_black = (LIGHT_CELLS.0..=LIGHT_CELLS.1).contains(&score);
            let background = luminance(score) + 0.05;
            let contrast = if is_black { background / 0.05 } else { 1.05 / background };
            assert!(contrast >= LEAST, "{contrast} at {score} %");
        }
    }
}
