//! `bots diff`: the decisions that another version would have made in the place of an agent.

use clap::Args;
use command_line::{Failure, print};
use contests::text::counted;
use game_env::AgentId;
use game_env::rollout::Departure;
use serde_json::json;
use study::differences::{Differences, Worth, worth};
use study::moment::Moment;

use super::super::screen::Screen;
use super::{Record, Studied, chance_document, instead, interruption, unplayable};

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
}

/// A difference, and its worth if it was measured.
type Difference<'a> = (&'a Departure<String>, Option<Worth>);

/// Prints the differences.
///
/// # Errors
///
/// If the replay cannot be played, or a flag is faulty.
pub(crate) fn diff(diffing: &Diffing, screen: &Screen) -> Result<(), Failure> {
    let record = diffing.studied.record(screen)?;
    let agent = AgentId::new(diffing.agent);
    record.team_of(agent)?;
    let version = record.entrant(&diffing.version)?;
    let game = &*record.game;
    let differences = Differences::of(game, agent, &version).map_err(|error| unplayable(&error))?;
    let mut listed: Vec<Difference<'_>> = Vec::new();
    // Each group gives its first difference before any gives its second one.
    let groups = differences.groups();
    let longest = groups.iter().map(|group| group.departures.len()).max().unwrap_or(0);
    let in_turn =
        (0..longest).flat_map(|place| groups.iter().filter_map(move |group| group.departures.get(place)));
    let chosen = in_turn.take(diffing.most);
    match diffing.games {
        None => listed.extend(chosen.map(|departure| (*departure, None))),
        Some(games) => {
            let interruption = interruption()?;
            let (seed, jobs) = (diffing.studied.seed(), diffing.studied.jobs());
            for departure in chosen {
                screen.show(&format!("{} of {} differences", listed.len(), differences.departures.len()));
                let measured = worth(game, departure, &version, games, seed, jobs, || interruption.flow());
                if interruption.has_come() {
                    break;
                }
                listed.push((departure, Some(measured.map_err(|error| unplayable(&error))?)));
            }
            screen.show("");
            let cost = |(_, worth): &Difference<'_>| worth.map_or(0.0, |worth| worth.cost());
            listed.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        }
    }
    if diffing.studied.json {
        return print(&format!("{:#}\n", document(&record, &differences, &version, &listed)));
    }
    print(&text(&record, &differences, &version, &listed))
}

/// The differences for people.
fn text(record: &Record, differences: &Differences, version: &str, listed: &[Difference<'_>]) -> String {
    let Differences { agent, actions, departures, .. } = differences;
    let actions = counted(*actions as u64, "action", "actions");
    if departures.is_empty() {
        return format!("{}: {version} repeats the {actions} of agent {agent}\n", record.name);
    }
    let mut text = format!(
        "{}: {version} would not have asked for {} of the {actions} of agent {agent}\n\n",
        record.name,
        departures.len()
    );
    for group in differences.groups() {
        let count = group.departures.len();
        text += &match group.chosen {
            Some("action") => format!("{count:>6}  another action\n"),
            Some(chosen) if chosen == group.recorded => format!("{count:>6}  another `{chosen}`\n"),
            chosen => format!("{count:>6}  {} instead of {}\n", chosen.unwrap_or("waiting"), group.recorded),
        };
    }
    text += "\n";
    let moments = record.game.moments();
    for (departure, worth) in listed {
        let at = Moment::after(&moments, departure.input + 1);
        text += &format!("{at:>9}  {}", instead(departure));
        if let Some(worth) = worth {
            text += &format!(": {} instead of {}", worth.chosen, worth.recorded);
        }
        text += "\n";
    }
    if listed.len() < departures.len() {
        text += &format!("and {} more; `--most NUMBER` shows them\n", departures.len() - listed.len());
    }
    for blunder in &differences.blunders {
        text += &format!("\n{}\n", blunder.trim_end());
    }
    text
}

/// The differences for programs.
fn document(
    record: &Record,
    differences: &Differences,
    version: &str,
    listed: &[Difference<'_>],
) -> serde_json::Value {
    let listed = listed.iter().map(|(departure, worth)| {
        let worth = worth.map(|worth| {
            json!({
                "recorded": chance_document(worth.recorded), "chosen": chance_document(worth.chosen), "cost": worth.cost(),
            })
        });
        json!({
            "after": departure.input, "time_ms": departure.at.as_millis(), "recorded": departure.recorded,
            "chosen": departure.chosen, "worth": worth,
        })
    });
    json!({
        "replay": record.name,
        "agent": differences.agent.index(),
        "version": version,
        "actions": differences.actions,
        "differences": differences.departures.len(),
        "listed": listed.collect::<Vec<_>>(),
        "blunders": differences.blunders,
    })
}
