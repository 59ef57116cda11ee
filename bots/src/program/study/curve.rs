//! `bots curve`: the course of the chances over a recorded game.

use clap::{ArgMatches, Args};
use command_line::{Failure, print};
use contests::text::counted;
use game_env::rollout::Input;
use serde_json::json;
use study::curve::{Curve, Fall, Setup};

use super::super::screen::Screen;
use super::{Players, Record, Studied, interruption, unplayable};

/// Flags of `bots curve`.
#[derive(Args)]
#[command(after_help = "Example: bots curve lost.replay --moments 60 --games 100\n\
                        Ctrl-C ends it early; the moments that are done are printed.")]
pub(crate) struct Curving {
    #[command(flatten)]
    studied: Studied,
    #[command(flatten)]
    players: Players,
    /// The number of moments: spread evenly at first, then where the chances change most.
    #[arg(long, value_name = "NUMBER", default_value_t = 60, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    moments: u16,
    /// The number of futures of each moment.
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
}

/// The width of a bar for a chance of 1, in characters.
const WIDTH: usize = 50;

/// The most falls that are told.
const MOST_FALLS: usize = 3;

/// The most actions of a fall that are told.
const MOST_ACTIONS: usize = 8;

/// Plays the futures of all moments and prints the chances.
///
/// # Errors
///
/// If the replay cannot be played, or a flag is faulty.
pub(crate) fn curve(curving: &Curving, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
    let record = curving.studied.record(screen)?;
    let entrants = record.entrants(&curving.players, flags)?;
    let moments = usize::from(curving.moments);
    let setup =
        Setup { moments, games: curving.games, seed: curving.studied.seed(), jobs: curving.studied.jobs() };
    let interruption = interruption()?;
    let curve = Curve::play(&*record.game, &entrants, &setup, |curve| {
        screen.show(&format!("{} of {moments} moments", curve.points().len()));
        interruption.flow()
    });
    screen.show("");
    let curve = curve.map_err(|error| unplayable(&error))?;
    if interruption.has_come() {
        screen.say(&format!("interrupted after {} of {moments} moments", curve.points().len()));
    }
    if curving.studied.json {
        return print(&format!("{:#}\n", document(&record, &curve)));
    }
    print(&text(&record, &curve, setup.games))
}

/// The curve for people: a bar for the chance of the first team, and where each team lost most.
fn text(record: &Record, curve: &Curve, games: u64) -> String {
    let first = record.team(0);
    let mut text = format!(
        "{}: the chance of {first} at {}, {} each\n\n",
        record.name,
        counted(curve.points().len() as u64, "moment", "moments"),
        counted(games, "future", "futures")
    );
    for point in curve.points() {
        let Some(chance) = point.futures.chances().into_iter().next() else { continue };
        let bar: String = (0..WIDTH)
            .map(|place| match (place as f64 + 0.5) / WIDTH as f64 {
                share if share < chance.0.low => '█',
                share if share < chance.0.value => '▓',
                share if share < chance.0.high => '░',
                _ => ' ',
            })
            .collect();
        text += &format!("{:>9}  {bar}  {chance}\n", point.moment);
    }
    let inputs = record.game.inputs();
    let teams = curve.points().first().map_or(0, |point| point.futures.counts().len());
    for team in 0..teams {
        let falls = curve.falls(team);
        if falls.is_empty() {
            continue;
        }
        text += &format!("\n{} lost most\n", record.team(team));
        for fall in falls.iter().take(MOST_FALLS) {
            text += &fall_text(&inputs, fall);
        }
    }
    text
}

/// A fall, and the actions between its moments.
fn fall_text(inputs: &[Input<String>], fall: &Fall<'_>) -> String {
    let points = (100.0 * fall.loss).round();
    let mut text = format!("  {points} points from {} to {}:\n", fall.from.moment, fall.to.moment);
    let between = &inputs[fall.from.inputs..fall.to.inputs];
    for input in between.iter().take(MOST_ACTIONS) {
        text += &match input {
            Input::Action { agent, action, .. } => format!("    {agent} {action}\n"),
            Input::Disruption { disruption, .. } => format!("    {disruption:?}\n"),
            Input::Reseed { seed, .. } => format!("    drawn anew from seed {seed}\n"),
        };
    }
    if between.len() > MOST_ACTIONS {
        text += &format!("    and {} more\n", between.len() - MOST_ACTIONS);
    }
    text
}

/// The curve for programs.
fn document(record: &Record, curve: &Curve) -> serde_json::Value {
    let points = curve.points().iter().map(|point| {
        json!({
            "after": point.inputs, "moment": point.moment.to_string(), "teams": record.teams(&point.futures),
        })
    });
    json!({ "replay": record.name, "points": points.collect::<Vec<_>>() })
}
