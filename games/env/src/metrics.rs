//! Metrics: figures of an episode beyond its outcome, as names and numbers.
//!
//! A game that has metrics implements [`Measured`]. Drivers, records and leagues handle all metrics alike and know none
//! of them.

use std::fmt;

use crate::environment::Environment;
use crate::ids::TeamId;
use crate::messages::MakeJudge;
use crate::sink::Witness;
use crate::text::fit_for_a_log;

/// A game with metrics.
pub trait Measured: Environment {
    /// Collects the events of an episode.
    type Meter: Witness<Self>;

    /// The judge of the messages of an episode that begins with a state; none in games whose agents do not talk.
    const JUDGE: Option<MakeJudge<Self>> = None;

    /// Returns the meaning of the metric of this name, as reports explain it. The `claims_` metrics have none.
    fn meaning(metric: &str) -> Option<&'static str>;

    /// Returns a meter for an episode that begins with this state.
    fn meter(&self) -> Self::Meter;

    /// Returns the metrics of an episode that this meter has witnessed and that ended with this state.
    ///
    /// Names and their order are the same for all episodes of the game.
    fn metrics(&self, meter: &Self::Meter) -> Metrics;
}

/// A metric that is one of the counts `C` of a team.
#[derive(Clone, Copy, Debug)]
pub struct Counted<C> {
    name: &'static str,
    meaning: &'static str,
    count: fn(&C) -> u32,
}

impl<C> Counted<C> {
    /// Returns a metric with this name; its meaning, as reports explain it; and the function that returns its number
    /// from the counts of a team.
    pub const fn new(name: &'static str, meaning: &'static str, count: fn(&C) -> u32) -> Self {
        Self { name, meaning, count }
    }

    /// Returns the meaning of the metric of this name, if it is one of these.
    pub fn meaning(metrics: &[Self], name: &str) -> Option<&'static str> {
        metrics.iter().find(|counted| counted.name == name).map(|counted| counted.meaning)
    }
}

/// One number for each team and name, in the order in which they were given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Metrics(Vec<Metric>);

/// A number for each team.
#[derive(Clone, PartialEq, Debug)]
pub struct Metric {
    /// The measured quantity, in lower case with underscores; a unit ends the name, e.g. `waiting_ms`. The names of
    /// metrics of agents' messages to each other begin with `claims_`.
    pub name: String,
    /// The number of each team, the first team's first.
    pub values: Vec<f64>,
}

impl Metrics {
    /// Creates a list without metrics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns these metrics of teams with these counts.
    ///
    /// # Panics
    ///
    /// As [`Metrics::push`].
    pub fn counted<C>(teams: &[C], counted: &[Counted<C>]) -> Self {
        let mut metrics = Self::new();
        for Counted { name, count, .. } in counted {
            metrics.push(*name, teams.iter().map(|team| f64::from(count(team))).collect::<Vec<_>>());
        }
        metrics
    }

    /// Adds a metric at the end.
    ///
    /// # Panics
    ///
    /// If there is a metric of this name, if there are more than [`TeamId::MAX`] values, or if one is not finite.
    pub fn push(&mut self, name: impl Into<String>, values: impl Into<Vec<f64>>) {
        self.try_push(name.into(), values.into()).unwrap_or_else(|reason| panic!("{reason}"));
    }

    /// As [`Metrics::push`], for a metric from outside; the error is the reason why it cannot be added.
    pub(crate) fn try_push(&mut self, name: String, values: Vec<f64>) -> Result<(), String> {
        let shown = || fit_for_a_log(&name);
        if self.get(&name).is_some() {
            return Err(format!("metric `{}` is there twice", shown()));
        }
        if values.len() > TeamId::MAX {
            return Err(format!(
                "metric `{}` has {} values: expected at most {}",
                shown(),
                values.len(),
                TeamId::MAX
            ));
        }
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(format!("metric `{}` is {value}: expected a finite number", shown()));
        }
        self.0.push(Metric { name, values });
        Ok(())
    }

    /// Returns every metric, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Metric> {
        self.0.iter()
    }

    /// Returns the values of this name, the first team's first.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.0.iter().find(|metric| metric.name == name).map(|metric| &*metric.values)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One metric a line: its name, and the number of each team.
impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|metric| metric.name.chars().count()).max().unwrap_or(0);
        for (place, Metric { name, values }) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { "\n" };
            write!(f, "{gap}{name:<width$}")?;
            for value in values {
                // At most three decimals, and no zeros at the end.
                write!(f, "  {:>10}", (value * 1000.0).round() / 1000.0)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_keep_their_order_and_are_found_by_name() {
        let mut metrics = Metrics::new();
        metrics.push("moves", [12.0, 10.0]);
        metrics.push("waiting_ms", [0.125, 1.0 / 3.0]);
        assert_eq!(metrics.get("moves"), Some(&[12.0, 10.0][..]));
        assert_eq!(metrics.get("puts"), None);
        assert_eq!(
            metrics.to_string(),
            "moves               12          10\nwaiting_ms       0.125       0.333"
        );
    }

    #[test]
    fn a_metric_that_cannot_be_is_refused() {
        let mut metrics = Metrics::new();
        assert!(metrics.is_empty());
        metrics.push("moves", [1.0; TeamId::MAX]);
        for (name, values, fault) in [
            ("moves", vec![2.0], "metric `moves` is there twice"),
            ("puts", vec![0.0; 5], "metric `puts` has 5 values: expected at most 4"),
            ("puts", vec![0.0, f64::NAN], "metric `puts` is NaN: expected a finite number"),
            ("puts", vec![f64::INFINITY], "metric `puts` is inf: expected a finite number"),
        ] {
            assert_eq!(metrics.try_push(name.to_owned(), values), Err(fault.to_owned()));
        }
        assert!(!metrics.is_empty());
        assert_eq!(metrics.iter().len(), 1);
    }
}
