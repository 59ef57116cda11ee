//! `bots diff`: the decisions that another version would have made in the place of an agent.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use clap::Args;
use command_line::Failure;
use command_line::signals::Interruption;
use contests::text::counted;
use game_env::matches::PlayError;
use game_env::rollout::Departure;
use game_env::{AgentId, Seed};
use serde_json::json;
use strategies::recorded_game::RecordedGame;
use study::differences::{Differences, WORDLESS, Worth, worth};
use study::futures::{each_once, keep_first};
use study::moment::Moment;
use viewer::findings::{Findings, Remark};

use super::super::screen::Screen;
use super::output::{Output, Report, blunder, remark};
use super::{Record, Studied, instead, unplayable};

/// Flags of `bots diff`.
#[derive(Args)]
#[command(after_help = "Example: bots diff lost.replay \"python3 mine.py\" --agent 3 --games 100\n\
                        The version learns what the agent was told, and decides beside it.")]
pub(crate) struct Diffing {
    #[command(flatten)]
    studied: Studied,
    /// The version: a strategy, or the command of a program.
    #[arg(value_name = "STRATEGY")]
    version: String,
    /// The id of the agent, from 0.
    #[arg(long, value_name = "NUMBER")]
    agent: u16,
    /// Measure the worth of each difference by this number of futures on each side, the costliest first
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: Option<u64>,
    /// The most differences that are printed and measured.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    most: usize,
    #[command(flatten)]
    output: Output,
}

/// A difference, and its worth if it was measured.
pub(super) type Difference<'a> = (&'a Departure<String>, Option<Worth>);

/// Prints the differences.
///
/// # Errors
///
/// If the replay cannot be played, or a flag is faulty.
pub(crate) fn diff(diffing: &Diffing, screen: &Screen) -> Result<(), Failure> {
    let record = diffing.studied.record(screen)?;
    diffing.output.check(&record)?;
    let agent = AgentId::new(diffing.agent);
    record.team_of(agent)?;
    let version = record.entrant(&diffing.version)?;
    record.rehearse(&record.own_players()?, screen)?;
    let game = &*record.game;
    let differences = Differences::of(game, agent, &version).map_err(|error| unplayable(&error))?;
    let chosen = in_turn(&differences, diffing.most);
    let mut interruption = None;
    let plan = |games| Plan { games, seed: diffing.studied.seed(), jobs: diffing.studied.jobs() };
    let plan = diffing.games.map(plan);
    let listed = match plan {
        None => {
            let mut chosen = chosen;
            chosen.sort_by_key(|departure| departure.input);
            chosen.into_iter().map(|departure| (departure, None)).collect()
        }
        Some(plan) => {
            let interruption = interruption.insert(Interruption::expect()?);
            let count = chosen.len();
            let measured = measured(game, chosen, &version, plan, |done| {
                screen.show(&format!("{done} of {count} differences"));
                interruption.flow()
            });
            screen.show("");
            let measured = measured.map_err(|error| unplayable(&error))?;
            if interruption.has_come() {
                screen.say(&format!("interrupted after {} of {count} differences", measured.len()));
            }
            measured
        }
    };
    let is_interrupted = interruption.as_ref().is_some_and(Interruption::has_come);
    let listing = Listing {
        record: &record,
        differences: &differences,
        version: &version,
        plan,
        listed,
        is_interrupted,
    };
    diffing.output.give(&record, &listing, screen)?;
    interruption.iter().for_each(Interruption::finish);
    Ok(())
}

/// At most this number of differences: each group gives its first one before any gives its second one.
fn in_turn(differences: &Differences, most: usize) -> Vec<&Departure<String>> {
    let groups = differences.groups();
    let longest = groups.iter().map(|group| group.departures.len()).max().unwrap_or(0);
    let in_turn =
        (0..longest).flat_map(|place| groups.iter().filter_map(move |group| group.departures.get(place)));
    in_turn.copied().take(most).collect()
}

/// The futures by which differences are measured.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// The number of futures on each side of a difference.
    pub(super) games: u64,
    pub(super) seed: Seed,
    pub(super) jobs: NonZeroUsize,
}

/// Measures these differences; returns them with their worth, the costliest first. `watch` is called after each future
/// with the number of differences measured so far. If `watch` returns `Break`, the other differences are missing.
///
/// # Errors
///
/// As [`worth`].
pub(super) fn measured<'a>(
    game: &dyn RecordedGame,
    chosen: Vec<&'a Departure<String>>,
    version: &str,
    plan: Plan,
    mut watch: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<Difference<'a>>, PlayError> {
    let Plan { games, seed, jobs } = plan;
    let mut listed = Vec::new();
    for departure in chosen {
        let (done, mut is_over) = (listed.len(), false);
        let worth = worth(game, departure, version, games, seed, jobs, || {
            let flow = watch(done);
            is_over |= flow.is_break();
            flow
        })?;
        if is_over {
            break;
        }
        listed.push((departure, Some(worth)));
    }
    let cost = |(_, worth): &Difference<'_>| worth.as_ref().map_or(0.0, Worth::cost);
    listed.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
    Ok(listed)
}

/// The differences, some of them one by one.
pub(super) struct Listing<'a> {
    pub(super) record: &'a Record,
    pub(super) differences: &'a Differences,
    pub(super) version: &'a str,
    /// None if the differences are not measured.
    pub(super) plan: Option<Plan>,
    pub(super) listed: Vec<Difference<'a>>,
    /// `true` if the user has interrupted the measurement.
    pub(super) is_interrupted: bool,
}

impl Listing<'_> {
    /// Returns the blunders of the version in the place of the agent, then the first ones of all players in the
    /// futures, in words, each once.
    fn blunders(&self) -> Vec<String> {
        let mut in_futures = Vec::new();
        for worth in self.listed.iter().filter_map(|(_, worth)| worth.as_ref()) {
            keep_first(&mut in_futures, worth.blunders.iter().cloned());
        }
        each_once(&self.differences.blunders, &in_futures).into_iter().cloned().collect()
    }
}

impl Report for Listing<'_> {
    fn text(&self) -> String {
        let Self { record, differences, version, listed, is_interrupted, .. } = self;
        let departures = &differences.departures;
        let mut text = format!("{}: {}\n", record.name, title(differences, version));
        if departures.is_empty() {
            return text;
        }
        text += "\n";
        for group in differences.groups() {
            let count = group.departures.len();
            text += &match group.chosen {
                Some(WORDLESS) => format!("{count:>6}  another action\n"),
                Some(chosen) if chosen == group.recorded => format!("{count:>6}  another `{chosen}`\n"),
                chosen => {
                    format!("{count:>6}  {} instead of {}\n", chosen.unwrap_or("waiting"), group.recorded)
                }
            };
        }
        text += "\n";
        let moments = record.game.moments();
        for difference in listed {
            let at = Moment::after(&moments, difference.0.input + 1);
            text += &format!("{at:>9}  {}\n", described(difference));
        }
        if listed.len() < departures.len() {
            let rest = if *is_interrupted { ", not measured" } else { "; `--most NUMBER` shows them" };
            text += &format!("and {} more{rest}\n", departures.len() - listed.len());
        }
        for blunder in self.blunders() {
            text += &format!("\n{}\n", blunder.trim_end());
        }
        text
    }

    fn document(&self) -> serde_json::Value {
        let Self { record, differences, version, plan, listed, is_interrupted } = self;
        let listed = listed.iter().map(|(departure, worth)| {
            let worth = worth.as_ref().map(|worth| {
                json!({
                    "recorded": worth.recorded.0, "chosen": worth.chosen.0, "cost": worth.cost(),
                })
            });
            json!({
                "after": departure.input, "time_ms": departure.at.as_millis(), "recorded": departure.recorded,
                "chosen": departure.chosen, "worth": worth,
            })
        });
        json!({
            "replay": record.name,
            "seed": plan.map(|plan| plan.seed.to_string()),
            "futures": plan.map(|plan| plan.games),
            "interrupted": is_interrupted,
            "agent": differences.agent.index(),
            "version": version,
            "actions": differences.actions,
            "differences": differences.departures.len(),
            "listed": listed.collect::<Vec<_>>(),
            "blunders": self.blunders(),
        })
    }

    /// Returns a remark with the number of differences, then a remark about each listed difference, and one about the
    /// first blunder.
    fn findings(&self) -> Findings {
        let Self { record, differences, version, listed, .. } = self;
        let marks = &record.marks;
        let team = record.team(record.game.header().players[differences.agent.index()].team.index());
        let title = Remark { text: format!("{}.", title(differences, version)), mark: None };
        let remarks = listed.iter().map(|difference| {
            let (departure, _) = difference;
            let at = Moment::after(&record.game.moments(), departure.input + 1).named();
            let text = format!("At {at} agent {}: {}.", departure.agent, described(difference));
            remark(text, marks.after(departure.input))
        });
        let remarks = [title].into_iter().chain(remarks).chain(blunder(&self.blunders())).collect();
        Findings { team, chances: Vec::new(), remarks }
    }
}

/// Returns the number of differences, in words.
fn title(differences: &Differences, version: &str) -> String {
    let Differences { agent, actions, departures, .. } = differences;
    let actions = counted(*actions as u64, "action", "actions");
    match departures.len() {
        0 => format!("{version} repeats the {actions} of agent {agent}"),
        others => format!("{version} would not have asked for {others} of the {actions} of agent {agent}"),
    }
}

/// Returns a difference and its worth, in words.
fn described((departure, worth): &Difference<'_>) -> String {
    let worth = worth.as_ref().map(|worth| format!(": {} instead of {}", worth.chosen, worth.recorded));
    instead(departure) + &worth.unwrap_or_default()
}
