//! The report as pages for a web server: standings, a page for each entrant and each pairing.

use std::collections::{BTreeMap, BTreeSet};

use contests::statistics::Interval;
use contests::text;
use contests::verdict::Treatment;

use super::html::{self, escape};
use super::tables::{Contents, GAME_TIME, REPLAYED_BY, Table, percent, probability, signed};
use super::{Means, Played, Report};
use crate::network::CRASHED_PROGRAMS;

/// A page of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its path in the folder of the site, e.g. `entrants/1.html`.
    pub path: String,
    /// Content of the page.
    pub html: String,
}

/// The most matches that a pairing's page lists.
const MOST_LISTED: usize = 200;

/// Number of the clearest wins of each side of a pairing that have a replay.
const CLEAREST: usize = 2;

/// Returns the path of a match's replay in the folder of a site.
pub fn replay_path(number: u64) -> String {
    format!("replays/{number}.html")
}

impl Report {
    /// Returns the matches whose replays belong to a site: the worst losses of each entrant, and the clearest wins of
    /// each side of each pairing.
    pub fn matches_to_show(&self, matches: &[Played]) -> BTreeSet<u64> {
        let mut shown: BTreeSet<u64> = self.losses.iter().map(|loss| loss.number).collect();
        let mut clearest: BTreeMap<(usize, usize), Vec<(i64, u64)>> = BTreeMap::new();
        let has_course =
            |played: &&Played| played.verdict.treatment() == Treatment::Scored && played.command.is_some();
        for played in matches.iter().filter(has_course) {
            for (winner, loser) in sides(played) {
                if played.places[winner] < played.places[loser] {
                    let lead = i64::from(played.returns[winner]) - i64::from(played.returns[loser]);
                    let won = clearest.entry((played.sides[winner], played.sides[loser])).or_default();
                    won.push((-lead, played.number));
                    won.sort_unstable();
                    won.truncate(CLEAREST);
                }
            }
        }
        shown.extend(clearest.into_values().flatten().map(|(_, number)| number));
        shown
    }

    /// Returns all pages of the site except the replays; links lead to the replays of the matches in `replays`.
    ///
    /// Equal reports give equal pages. Every link is relative: the site works below any path, and from disk.
    pub fn site(&self, matches: &[Played], replays: &BTreeSet<u64>) -> Vec<Page> {
        let mut pages = vec![Page {
            path: "index.html".to_owned(),
            html: self.page(&|table, row, column| self.link("", table, row, column, replays)),
        }];
        for entrant in 0..self.about.entrants.len() {
            pages.push(Page {
                path: entrant_path(entrant),
                html: self.entrant_page(entrant, matches, replays),
            });
        }
        for first in 0..self.about.entrants.len() {
            for second in first + 1..self.about.entrants.len() {
                if self.cross_table[first][second].matches() > 0 {
                    let path = pairing_path(first, second);
                    pages.push(Page { path, html: self.pairing_page([first, second], matches, replays) });
                }
            }
        }
        pages
    }

    /// Returns the target of a cell of one of the report's tables, seen from a page at `up`.
    fn link(
        &self,
        up: &str,
        table: &Table,
        row: usize,
        column: usize,
        replays: &BTreeSet<u64>,
    ) -> Option<String> {
        let cell = table.rows.get(row)?.get(column)?;
        let named = |name: &str| self.about.entrants.iter().position(|own| own == name);
        let head = table.head[column].as_str();
        match (table.contents, head) {
            // The names of entrants are the heads of the further columns.
            (Contents::Cross, _) if column > 0 => {
                let (own, other) = (named(&table.rows[row][0])?, named(head)?);
                (self.cross_table[own][other].matches() > 0)
                    .then(|| format!("{up}{}", pairing_path(own.min(other), own.max(other))))
            }
            (_, "entrant" | "against" | "lost to") => {
                named(cell).map(|entrant| format!("{up}{}", entrant_path(entrant)))
            }
            (_, "match") => {
                let number = cell.parse().ok().filter(|number| replays.contains(number))?;
                Some(format!("{up}{}", replay_path(number)))
            }
            _ => None,
        }
    }

    fn entrant_page(&self, entrant: usize, matches: &[Played], replays: &BTreeSet<u64>) -> String {
        let link = |table: &Table, row: usize, column: usize| -> Option<String> {
            if table.contents == Contents::Opponents && table.head[column] == "score" {
                let other = self.about.entrants.iter().position(|own| *own == table.rows[row][0])?;
                return Some(format!("../{}", pairing_path(entrant.min(other), entrant.max(other))));
            }
            self.link("../", table, row, column, replays)
        };
        let mut losses = self.worst_losses();
        losses.rows.retain(|row| row[0] == self.name(entrant));
        let mut endings = self.endings();
        endings.rows.retain(|row| row[0] == self.name(entrant));
        let claims = claims_table(&self.metrics, &[entrant], |entrant| self.name(entrant));
        let failures = self.failures(std::iter::once(entrant));
        let own: Vec<&Played> = matches.iter().filter(|played| played.sides.contains(&entrant)).collect();
        let mut listed = self.listed(&own, entrant);
        let against = |played: &Played| {
            let others = played.sides.iter().filter(|other| **other != entrant);
            others.map(|other| self.name(*other)).collect::<Vec<_>>().join(", ")
        };
        listed.head.insert(1, "against".to_owned());
        listed.rows.iter_mut().zip(&own).for_each(|(row, played)| row.insert(1, against(played)));
        listed.text_columns += 1;
        let measured = self.metrics_table(&self.metrics, &[entrant], "a match");
        let tables = [self.opponents(entrant), measured, claims, endings, failures, losses, listed];
        let ranked = self.ranked().find(|(_, rating)| rating.entrant == entrant);
        let summary = ranked.map_or_else(String::new, |(rank, rating)| {
            let (matches, points) = self.totals[entrant];
            let elo = self.elo(rating).map_or_else(
                || "–".to_owned(),
                |Interval { value, low, high }| {
                    format!("{} ({} to {})", signed(value), signed(low), signed(high))
                },
            );
            format!(
                "Rank {rank} of {}: Elo {elo}, {} of the points in {}",
                self.about.entrants.len(),
                percent(points, matches),
                text::matches(matches)
            )
        });
        self.further_page(self.name(entrant), &summary, &tables, &self.output(entrant), &link)
    }

    /// Returns the output of the programs of an entrant that failed, as sections that open.
    fn output(&self, entrant: usize) -> String {
        let section = |(number, failed): &(u64, super::Failed)| {
            format!(
                "<details><summary>match {number}, {}, {}: {}</summary>\n<pre>{}</pre></details>\n",
                escape(&failed.agent),
                escape(&failed.moment()),
                escape(&failed.how),
                escape(&failed.log)
            )
        };
        let failed = self.failed[entrant].iter().filter(|(_, failed)| !failed.log.is_empty());
        let sections: String = failed.map(section).collect();
        if sections.is_empty() {
            return sections;
        }
        format!("<section>\n<h2>Output of programs that failed</h2>\n{sections}</section>\n")
    }

    /// Returns the results of an entrant against each other one.
    fn opponents(&self, entrant: usize) -> Table {
        let rating = |own: usize| self.ratings.ratings().iter().find(|rating| rating.entrant == own);
        let others = self.ranked().map(|(_, rating)| rating.entrant);
        let others = others.filter(|other| self.cross_table[entrant][*other].matches() > 0);
        let row = |other: usize| {
            let meeting = self.cross_table[entrant][other];
            let superiority = rating(entrant).map(|rating| rating.superiority[other]);
            vec![
                self.name(other).to_owned(),
                percent(meeting.points(), meeting.matches()),
                superiority.map_or_else(String::new, probability),
                meeting.matches().to_string(),
                meeting.won.to_string(),
                meeting.drawn.to_string(),
                meeting.lost.to_string(),
            ]
        };
        let head = ["entrant", "score", "stronger with a probability of", "matches", "won", "drawn", "lost"];
        Table {
            contents: Contents::Opponents,
            note: "The share of the points that it won against each; the link leads to the matches of both."
                .to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: others.map(row).collect(),
            text_columns: 1,
        }
    }

    fn pairing_page(
        &self,
        [first, second]: [usize; 2],
        matches: &[Played],
        replays: &BTreeSet<u64>,
    ) -> String {
        let of_both: Vec<&Played> = matches
            .iter()
            .filter(|played| played.sides.contains(&first) && played.sides.contains(&second))
            .collect();
        let meeting = self.cross_table[first][second];
        let mut summary = format!(
            "{} won {} of the points in {}",
            self.name(first),
            percent(meeting.points(), meeting.matches()),
            text::matches(meeting.matches())
        );
        if let Some(Interval { low, high, .. }) = self.interval(first, second) {
            summary += &format!(" (95 % interval: {:.1} to {:.1} %)", 100.0 * low, 100.0 * high);
        }
        let mut means = Means::new(self.about.entrants.len());
        of_both.iter().for_each(|played| means.add(played));
        let means = means.finish();
        let measured = self.metrics_table(&means, &[first, second], "a match of these two");
        let link = |table: &Table, row: usize, column: usize| self.link("../", table, row, column, replays);
        let title = format!("{} against {}", self.name(first), self.name(second));
        let claims = claims_table(&means, &[first, second], |entrant| self.name(entrant));
        self.further_page(&title, &summary, &[self.listed(&of_both, first), measured, claims], "", &link)
    }

    /// Returns the matches of a pairing, seen from `first`.
    fn listed(&self, matches: &[&Played], first: usize) -> Table {
        let row = |played: &&Played| {
            let own = played.sides.iter().position(|entrant| *entrant == first).unwrap_or_default();
            let best = played.places.iter().min().copied().unwrap_or(1);
            let winners: Vec<&str> = played
                .sides
                .iter()
                .zip(&played.places)
                .filter(|(_, place)| **place == best)
                .map(|(entrant, _)| self.name(*entrant))
                .collect();
            let at_fault: Vec<&str> =
                played.at_fault.iter().map(|side| self.name(played.sides[*side])).collect();
            let by = if at_fault.is_empty() { String::new() } else { format!(" ({})", at_fault.join(", ")) };
            let winner = if winners.len() == 1 { winners[0] } else { "nobody" };
            let returns: Vec<String> = played.returns.iter().map(i32::to_string).collect();
            let mut row = vec![
                played.number.to_string(),
                winner.to_owned(),
                format!("{}{by}", played.verdict),
                played.command.clone().unwrap_or_default(),
                self.about.sides.get(own).cloned().unwrap_or_default(),
                returns.join(" : "),
            ];
            row.extend(self.time(played.time_ms));
            row
        };
        let name = self.name(first);
        let side = format!("side of {name}");
        let head = ["match", "won by", "verdict", REPLAYED_BY, &side, "points by side"];
        let more = matches.len().saturating_sub(MOST_LISTED);
        let rest = match more {
            0 => String::new(),
            _ => format!(" These are the first {MOST_LISTED}; matches.jsonl has {more} more."),
        };
        Table {
            contents: Contents::Matches,
            note: format!(
                "The number links to the replay, if it is part of these pages. A name after the verdict is that of the entrant at fault. A match in which no game \
                 began has no replay.{rest}"
            ),
            head: head.into_iter().chain(self.has_time.then_some(GAME_TIME)).map(str::to_owned).collect(),
            rows: matches.iter().take(MOST_LISTED).map(row).collect(),
            text_columns: 5,
        }
    }

    /// Returns the meaning of a metric of the game, or of the matches over the network.
    fn meaning(&self, metric: &str) -> Option<&'static str> {
        if metric == CRASHED_PROGRAMS {
            return Some("programs that ended with a fault");
        }
        game_catalogue::find(&self.about.game).ok()?.meaning(metric)
    }

    /// Returns the means of these entrants, a row for each metric with its meaning; `of` names the matches.
    pub(super) fn metrics_table(
        &self,
        (names, means): &(Vec<String>, Vec<Vec<f64>>),
        entrants: &[usize],
        of: &str,
    ) -> Table {
        let row = |(place, name): (usize, &String)| {
            let shown = entrants.iter().map(|entrant| text::value(name, means[*entrant][place]));
            let meaning = self.meaning(name).unwrap_or_default();
            [text::metric(name), meaning.to_owned()].into_iter().chain(shown).collect()
        };
        let head = entrants.iter().map(|entrant| self.name(*entrant).to_owned());
        let has_times = names.iter().any(|name| name.ends_with("_ms"));
        let times = if has_times { " Times are game time of all agents of a team together." } else { "" };
        Table {
            contents: Contents::Metrics,
            note: format!("The mean of {of}.{times}"),
            head: ["metric", "meaning"].map(str::to_owned).into_iter().chain(head).collect(),
            rows: names.iter().enumerate().filter(|(_, name)| !name.starts_with(CLAIMS)).map(row).collect(),
            text_columns: 2,
        }
    }

    /// Returns a page without charts that leads back to the standings. `more` is HTML after the tables.
    fn further_page(
        &self,
        title: &str,
        summary: &str,
        tables: &[Table],
        more: &str,
        link: &dyn Fn(&Table, usize, usize) -> Option<String>,
    ) -> String {
        let mut page = html::head(&format!("{title} – {}", self.about.title));
        page += &format!(
            "<p class=\"summary\"><a href=\"../index.html\">{}</a></p>\n<h1>{}</h1>\n<p class=\"summary\">{}.</p>\n",
            escape(&self.about.title),
            escape(title),
            escape(summary)
        );
        page += &self.unfinished_note();
        for table in tables.iter().filter(|table| !table.rows.is_empty()) {
            page += &format!("<section>\n<h2>{}</h2>\n", escape(table.contents.title()));
            page += &html::table(table, link);
            page += "</section>\n";
        }
        page + more + "</main>\n</body>\n</html>\n"
    }
}

/// Returns all ordered pairs of different sides of a match.
fn sides(played: &Played) -> impl Iterator<Item = (usize, usize)> {
    let count = played.sides.len();
    (0..count)
        .flat_map(move |own| (0..count).filter(move |other| *other != own).map(move |other| (own, other)))
}

fn entrant_path(entrant: usize) -> String {
    format!("entrants/{}.html", entrant + 1)
}

fn pairing_path(first: usize, second: usize) -> String {
    format!("pairings/{}-{}.html", first + 1, second + 1)
}

/// Prefix of the metrics that count claims in messages between agents.
const CLAIMS: &str = "claims_";

/// Returns the table of claims in messages between agents, a row for each of these entrants; without rows if the game
/// counts no claims.
pub(super) fn claims_table<'n>(
    (names, means): &(Vec<String>, Vec<Vec<f64>>),
    entrants: &[usize],
    entrant_name: impl Fn(usize) -> &'n str,
) -> Table {
    let counted: Vec<(usize, &str)> =
        (0..).zip(names).filter_map(|(place, name)| Some((place, name.strip_prefix(CLAIMS)?))).collect();
    let row = |entrant: &usize| {
        let shown = counted.iter().map(|(place, _)| format!("{:.2}", means[*entrant][*place]));
        std::iter::once(entrant_name(*entrant).to_owned()).chain(shown).collect()
    };
    let head = counted.iter().map(|(_, name)| name.replace('_', " "));
    Table {
        contents: Contents::Claims,
        note: "What the agents of a team told each other, on average per match: questions asked and answered, the claims in \
               their answers, and the claims that they took over from answers. Claims that are false are stale, mistaken or \
               lies."
            .to_owned(),
        head: std::iter::once("entrant".to_owned()).chain(head).collect(),
        rows: if counted.is_empty() { Vec::new() } else { entrants.iter().map(row).collect() },
        text_columns: 1,
    }
}
