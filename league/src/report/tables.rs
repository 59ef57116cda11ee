//! The report as tables: one form for the page, Markdown, CSV and JSON.

use contests::statistics::Interval;
use contests::text;
use contests::verdict::Verdict;
use serde_json::{Value, json};

use super::Report;
use super::site::claims_table;
use crate::network::CRASHED_PROGRAMS;

/// The head of a column with commands that write the replay of a match.
pub(super) const REPLAYED_BY: &str = "write its replay with";

/// The head of a column with the game time of a match.
pub(super) const GAME_TIME: &str = "game time";

/// The tables of a report and of its further pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Standings,
    Cross,
    Metrics,
    Claims,
    Endings,
    Failures,
    Losses,
    /// The results of one entrant against each other one.
    Opponents,
    Matches,
    /// The parameters of a search.
    Parameters,
}

impl Contents {
    /// Returns the heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Standings => "Standings",
            Self::Cross => "Cross table",
            Self::Metrics => "Metrics",
            Self::Claims => "Claims",
            Self::Endings => "How matches ended",
            Self::Failures => "Programs that failed",
            Self::Losses => "Worst losses",
            Self::Opponents => "Opponents",
            Self::Matches => "Matches",
            Self::Parameters => "Parameters",
        }
    }
}

/// A table of text.
pub(super) struct Table {
    pub(super) contents: Contents,
    /// Explanation of the table, in a sentence.
    pub(super) note: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Number of columns, from the left, that are text; the others are numbers.
    pub(super) text_columns: usize,
}

/// The order of the standings of a knockout.
const KNOCKOUT_ORDER: &str = "entrants that have won more rounds come first, then those with the higher Elo.";

impl Report {
    pub(super) fn standings(&self) -> Table {
        let head =
            ["#", "entrant", "Elo", "95 % interval", "stronger than the next", "score", "matches", "points"];
        let ranked: Vec<_> = self.ranked().collect();
        let row = |(place, (rank, rating)): (usize, &(usize, &contests::statistics::Rating))| {
            let (matches, points) = self.totals[rating.entrant];
            let next = ranked.get(place + 1).map(|(_, next)| rating.superiority[next.entrant]);
            let (elo, interval) = match self.elo(rating) {
                None => ("–".to_owned(), "–".to_owned()),
                Some(elo) => (signed(elo.value), format!("{} to {}", signed(elo.low), signed(elo.high))),
            };
            vec![
                rank.to_string(),
                self.name(rating.entrant).to_owned(),
                elo,
                interval,
                next.map_or_else(|| "–".to_owned(), probability),
                percent(points, matches),
                matches.to_string(),
                format!("{:.1}", self.points(rating.entrant)),
            ]
        };
        let order = match (ranked.first(), &self.about.resume) {
            _ if self.ratings.groups() > 1 => text::groups_that_have_not_met(self.ratings.groups()),
            _ if self.about.rounds_won.is_empty() => {
                let confidence = probability(self.ratings.order_confidence());
                format!("The order of all entrants is this one with a probability of {confidence}.")
            }
            (Some((_, best)), None) => {
                format!("{} has won the knockout; {KNOCKOUT_ORDER}", self.name(best.entrant))
            }
            _ => format!("A knockout: {KNOCKOUT_ORDER}"),
        };
        Table {
            contents: Contents::Standings,
            note: format!(
                "Elo by Bradley and Terry's model from all matches at once; the mean is 0. {order}"
            ),
            head: head.map(str::to_owned).to_vec(),
            rows: ranked.iter().enumerate().map(row).collect(),
            text_columns: 2,
        }
    }

    pub(super) fn cross(&self) -> Table {
        let order: Vec<usize> = self.ranked().map(|(_, rating)| rating.entrant).collect();
        let cell = |own: usize, other: usize| {
            let meeting = self.cross_table[own][other];
            if own == other || meeting.matches() == 0 {
                return "–".to_owned();
            }
            let share = match self.interval(own, other) {
                Some(interval) => text::share(interval),
                None => percent(meeting.points(), meeting.matches()),
            };
            format!("{share}, {}", meeting.matches())
        };
        let row = |own: &usize| {
            std::iter::once(self.name(*own).to_owned())
                .chain(order.iter().map(|other| cell(*own, *other)))
                .collect()
        };
        let has_interval =
            order.iter().any(|own| order.iter().any(|other| self.interval(*own, *other).is_some()));
        let interval = if has_interval { ", its 95 % interval," } else { "" };
        Table {
            contents: Contents::Cross,
            note: format!(
                "What the entrant of the row won against that of the column: share of the points{interval} and the number of \
                 matches."
            ),
            head: std::iter::once("entrant".to_owned())
                .chain(order.iter().map(|own| self.name(*own).to_owned()))
                .collect(),
            rows: order.iter().map(row).collect(),
            text_columns: 1,
        }
    }

    /// Returns the interval of the share of the points that an entrant won against another one; none if not all of
    /// their matches are pairs with changed sides.
    pub(super) fn interval(&self, own: usize, other: usize) -> Option<Interval> {
        let (pairs, matches) = (self.pairs[own][other], self.cross_table[own][other].matches());
        (matches > 0 && pairs.pairs() * 2 == matches).then(|| pairs.wilson(0.95))
    }

    pub(super) fn measured(&self) -> Table {
        let order: Vec<usize> = self.ranked().map(|(_, rating)| rating.entrant).collect();
        self.metrics_table(&self.metrics, &order, "a match")
    }

    pub(super) fn claims(&self) -> Table {
        let order: Vec<usize> = self.ranked().map(|(_, rating)| rating.entrant).collect();
        claims_table(&self.metrics, &order, |entrant| self.name(entrant))
    }

    pub(super) fn endings(&self) -> Table {
        let seen: Vec<Verdict> =
            Verdict::ALL.into_iter().filter(|verdict| self.all_verdicts.contains_key(verdict)).collect();
        let count = |counts: &std::collections::BTreeMap<Verdict, u64>, verdict: &Verdict| {
            counts.get(verdict).copied().unwrap_or(0).to_string()
        };
        let row = |entrant: usize| {
            let counts = seen.iter().map(|verdict| count(&self.verdicts[entrant], verdict));
            let failures = [self.at_fault[entrant].to_string()].into_iter();
            let crashed = self.crashed.as_ref().map(|crashed| crashed[entrant].to_string());
            std::iter::once(self.name(entrant).to_owned())
                .chain(counts)
                .chain(failures)
                .chain(crashed)
                .collect()
        };
        let all = seen.iter().map(|verdict| count(&self.all_verdicts, verdict));
        let all_failures = [self.all_at_fault.to_string()].into_iter();
        let all_crashed = self.crashed.as_ref().map(|crashed| crashed.iter().sum::<u64>().to_string());
        let mut rows: Vec<Vec<String>> = self.ranked().map(|(_, rating)| row(rating.entrant)).collect();
        let last =
            std::iter::once("all matches".to_owned()).chain(all).chain(all_failures).chain(all_crashed);
        rows.push(last.collect());
        let mut note =
            "A verdict counts for each entrant of the match, also for one that is not at fault. The \
                        column \"at fault\" counts the matches that agents of the entrant ended."
                .to_owned();
        let mut head: Vec<String> =
            std::iter::once("entrant".to_owned()).chain(seen.iter().map(Verdict::to_string)).collect();
        head.push("at fault".to_owned());
        if self.crashed.is_some() {
            head.push(text::metric(CRASHED_PROGRAMS));
            note += " Crashed programs count in every match, also where their team played on.";
        }
        Table { contents: Contents::Endings, note, head, rows, text_columns: 1 }
    }

    pub(super) fn worst_losses(&self) -> Table {
        let row = |loss: &super::Loss| {
            let mut row = vec![
                self.name(loss.loser).to_owned(),
                self.name(loss.winner).to_owned(),
                loss.command.clone(),
                loss.number.to_string(),
                (-loss.lead).to_string(),
            ];
            row.extend(self.time(loss.time_ms));
            row
        };
        let head = ["entrant", "lost to", REPLAYED_BY, "match", "behind by"];
        Table {
            contents: Contents::Losses,
            note: "The matches that each entrant lost by the most points of the game.".to_owned(),
            head: head.into_iter().chain(self.has_time.then_some(GAME_TIME)).map(str::to_owned).collect(),
            rows: self.losses.iter().map(row).collect(),
            text_columns: 3,
        }
    }

    /// Returns the failures of these entrants.
    pub(super) fn failures(&self, entrants: impl Iterator<Item = usize>) -> Table {
        let row = |entrant: usize, number: u64, failed: &super::Failed| {
            vec![
                self.name(entrant).to_owned(),
                failed.agent.clone(),
                failed.moment(),
                failed.how.clone(),
                failed.last_line.clone(),
                number.to_string(),
            ]
        };
        let rows = entrants.flat_map(|entrant| {
            self.failed[entrant].iter().map(move |(number, failed)| row(entrant, *number, failed))
        });
        let head = ["entrant", "agent", GAME_TIME, "what happened", "last line of its output", "match"];
        Table {
            contents: Contents::Failures,
            note: format!(
                "The first {} failures of each entrant: programs that crashed, did not join, left or were disconnected. \
                 `{} log` without the number of a match shows all, and with it the whole output.",
                super::FAILURES,
                crate::invocation::name()
            ),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
            text_columns: 5,
        }
    }

    pub(super) fn tables(&self) -> [Table; 7] {
        let failures = self.failures(self.ranked().map(|(_, rating)| rating.entrant));
        [
            self.standings(),
            self.cross(),
            self.measured(),
            self.claims(),
            self.endings(),
            failures,
            self.worst_losses(),
        ]
    }

    /// Returns a line on the league: game, number of matches, seed, program.
    pub(super) fn summary(&self) -> String {
        let about = &self.about;
        format!(
            "{}, {} of {}, seed {}; played {}",
            text::counted(about.entrants.len() as u64, "entrant", "entrants"),
            text::matches(self.matches),
            about.game,
            about.seed,
            about.played_by
        )
    }

    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n{}.\n", markdown(&self.about.title), markdown(&self.summary()));
        if let Some(unfinished) = self.unfinished() {
            text += &format!("\n**{}.**\n", markdown(&sentence(&unfinished)));
        }
        for table in self.tables().iter().filter(|table| !table.rows.is_empty()) {
            text += &format!("\n## {}\n\n{}\n\n", table.contents.title(), table.note);
            let line = |cells: &[String]| {
                let cells: Vec<String> = cells.iter().map(|cell| markdown(cell)).collect();
                format!("| {} |\n", cells.join(" | "))
            };
            text += &line(&table.head);
            let rule = (0..table.head.len())
                .map(|column| if column < table.text_columns { "---|" } else { "---:|" });
            text += &format!("|{}\n", rule.collect::<String>());
            table.rows.iter().for_each(|row| text += &line(row));
        }
        text
    }

    /// Returns the standings as CSV, with a row of names first.
    pub fn csv(&self) -> String {
        let mut text = "rank,entrant,elo,elo_low,elo_high,points,matches\n".to_owned();
        for (rank, rating) in self.ranked() {
            let (matches, points) = (self.totals[rating.entrant].0, self.points(rating.entrant));
            let elo = self.elo(rating).map_or_else(
                || ",,".to_owned(),
                |elo| {
                    [elo.value, elo.low, elo.high].map(|elo| format!("{:.1}", rounded(elo, 10.0))).join(",")
                },
            );
            let name = text::csv_cell(self.name(rating.entrant));
            text += &format!("{rank},{name},{elo},{points},{matches}\n");
        }
        text
    }

    /// Returns the report as one JSON document, `"format":"league-report"`, version 1.
    pub fn json(&self) -> Value {
        let (tenth, thousandth) = (|value| rounded(value, 10.0), |value| rounded(value, 1_000.0));
        let (names, means) = &self.metrics;
        let entrants: Vec<Value> = self
            .ranked()
            .map(|(rank, rating)| {
                let (matches, points) = (self.totals[rating.entrant].0, self.points(rating.entrant));
                let metrics: serde_json::Map<String, Value> = names
                    .iter()
                    .zip(&means[rating.entrant])
                    .map(|(name, mean)| (name.clone(), json!(thousandth(*mean))))
                    .collect();
                let against: serde_json::Map<String, Value> = (0..self.about.entrants.len())
                    .filter(|other| self.cross_table[rating.entrant][*other].matches() > 0)
                    .map(|other| {
                        let meeting = self.cross_table[rating.entrant][other];
                        let value = json!({
                            "won": meeting.won, "drawn": meeting.drawn, "lost": meeting.lost,
                            "superiority": thousandth(rating.superiority[other]),
                        });
                        (self.name(other).to_owned(), value)
                    })
                    .collect();
                let elo = self.elo(rating).map(|elo| {
                    json!({ "value": tenth(elo.value), "low": tenth(elo.low), "high": tenth(elo.high) })
                });
                let verdicts: serde_json::Map<String, Value> = self.verdicts[rating.entrant]
                    .iter()
                    .map(|(verdict, count)| (verdict.to_string(), json!(count)))
                    .collect();
                json!({
                    "rank": rank,
                    "name": self.name(rating.entrant),
                    "elo": elo,
                    "matches": matches,
                    "points": points,
                    "against": against,
                    "metrics": metrics,
                    "verdicts": verdicts,
                    "at_fault": self.at_fault[rating.entrant],
                })
            })
            .collect();
        json!({
            "format": "league-report",
            "version": 1,
            "league": self.about.title,
            "game": self.about.game,
            "seed": self.about.seed,
            "played_by": self.about.played_by,
            "matches": self.matches,
            "scheduled": self.about.scheduled,
            "is_finished": self.about.resume.is_none(),
            "order_confidence": thousandth(self.ratings.order_confidence()),
            "entrants": entrants,
        })
    }
}

/// Returns the text with a capital letter at its beginning.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Rounds this number to multiples of 1 / `parts`; never returns -0.
pub(super) fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts + 0.0
}

pub(super) fn signed(elo: f64) -> String {
    let elo = rounded(elo, 1.0);
    format!("{elo:+.0}").replace('-', "−")
}

pub(super) fn percent(points: f64, matches: u64) -> String {
    if matches == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * points / matches as f64) }
}

/// Returns a probability from the bootstrap: never shown as certain.
pub(super) fn probability(share: f64) -> String {
    match share {
        share if share > 0.999 => "> 99.9 %".to_owned(),
        share if share < 0.001 => "< 0.1 %".to_owned(),
        share => format!("{:.1} %", 100.0 * share),
    }
}

fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => escaped.push(' '),
            '|' | '*' | '_' | '`' | '<' | '[' | '\\' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    escaped
}
