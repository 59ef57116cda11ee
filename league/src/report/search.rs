//! The report of a search for the best values of parameters: one page, and the path of the values as CSV.

use contests::text::csv_cell;
use contests::tune::{Findings, Found, Parameter, Plan, Tuner};
use serde_json::{Value, json};

use super::html::{end, escape, figure, head, table};
use super::tables::{Contents, Table};

/// The report of a search that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The search.
    pub tuner: &'a Tuner,
    /// Its result.
    pub found: &'a Found,
}

impl SearchReport<'_> {
    /// Returns the page, which needs neither a network nor other files: the sentence, a table of the parameters, and a
    /// chart for each with the path of its value, the best one and its interval.
    pub fn html(&self) -> String {
        let Self { plan, found, .. } = self;
        let findings = Findings::new(plan, found);
        let parameters = Table {
            contents: Contents::Parameters,
            note: findings.note(),
            head: Findings::HEAD.map(str::to_owned).to_vec(),
            rows: findings.rows.iter().map(|row| row.to_vec()).collect(),
            text_columns: 1,
        };
        let charts: Vec<(String, Value)> = plan
            .parameters
            .iter()
            .enumerate()
            .map(|(place, parameter)| (format!("path-{place}"), self.chart(place, parameter)))
            .collect();
        let figures: String = charts
            .iter()
            .zip(&plan.parameters)
            .map(|((id, _), parameter)| {
                figure(id, &format!("{} over the samples of the walk", parameter.name))
            })
            .collect();
        let title = format!("Search of {}", plan.template);
        format!(
            "{}<h1>{}</h1>\n<p class=\"summary\">{}.</p>\n<section>\n{}{figures}</section>\n{}",
            head(&title),
            escape(&title),
            escape(&findings.sentence),
            table(&parameters, &|_, _, _| None),
            end(charts.iter().map(|(id, spec)| (id.as_str(), spec)))
        )
    }

    /// Returns the values after each batch of the walk, a row for each, with the number of samples until then.
    pub fn path(&self) -> String {
        let names = self.plan.parameters.iter().map(|parameter| csv_cell(&parameter.name));
        let mut csv = std::iter::once("samples".to_owned()).chain(names).collect::<Vec<_>>().join(",") + "\n";
        for (samples, values) in self.tuner.path() {
            let values = self.plan.parameters.iter().zip(&values).map(|(own, value)| own.text(*value));
            csv += &(std::iter::once(samples.to_string()).chain(values).collect::<Vec<_>>().join(",") + "\n");
        }
        csv
    }

    fn chart(&self, place: usize, parameter: &Parameter) -> Value {
        let start = [(0, self.plan.start[place])];
        let path =
            start.into_iter().chain(self.tuner.path().map(|(samples, values)| (samples, values[place])));
        let values: Vec<Value> =
            path.map(|(samples, value)| json!({ "samples": samples, "value": value })).collect();
        let best = self.found.parameters[place].value;
        let scale = if parameter.is_log { "log" } else { "linear" };
        let y = |field: &str| {
            json!({
                "field": field, "type": "quantitative", "title": parameter.name,
                "scale": { "type": scale, "domain": [parameter.low, parameter.high], "nice": false }
            })
        };
        let x = json!({ "field": "samples", "type": "quantitative", "title": "samples" });
        let found = json!({ "values": [{ "best": best.value, "low": best.low, "high": best.high }] });
        json!({
            "width": "container",
            "height": 180,
            "layer": [
                {
                    "data": found,
                    "mark": { "type": "rect", "opacity": 0.15 },
                    "encoding": { "y": y("low"), "y2": { "field": "high" } }
                },
                { "data": found, "mark": { "type": "rule", "strokeDash": [4, 4] }, "encoding": { "y": y("best") } },
                {
                    "data": { "values": values },
                    "mark": { "type": "line", "tooltip": true },
                    "encoding": { "x": x, "y": y("value") }
                }
            ]
        })
    }
}
