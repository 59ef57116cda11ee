//! `bots curve`: the course of the chances over a recorded game.

use clap::{ArgMatches, Args};
use command_line::Failure;
use command_line::signals::Interruption;
use contests::text::counted;
use game_env::rollout::Input;
use serde_json::json;
use study::curve::{Curve, Fall, Setup};
use study::moment::Moment;
use viewer::findings::Findings;

use super::super::screen::Screen;
use super::output::{Output, Report, blunder, remark};
use super::{Players, Record, Studied, unplayable};

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
    #[arg(long, value_name = "NUMBER", default_value_t = MOMENTS, value_parser = clap::value_parser!(u16).range(2..=10_000))]
    moments: u16,
    /// The number of futures of each moment.
    #[arg(long, value_name = "NUMBER", default_value_t = GAMES, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    #[command(flatten)]
    output: Output,
}

/// The number of moments, and that of the futures of each, unless others are named.
pub(super) const MOMENTS: u16 = 60;
pub(super) const GAMES: u64 = 100;

/// The width of a bar for a chance of 1, in characters.
const WIDTH: usize = 50;

/// The most falls of a team that the text names.
const MOST_FALLS: usize = 3;

/// The most actions of a fall that the text names.
const MOST_ACTIONS: usize = 8;

/// Plays the futures of all moments and prints the chances.
///
/// # Errors
///
/// If the replay cannot be played, or a flag is faulty.
pub(crate) fn curve(curving: &Curving, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
    let record = curving.studied.record(screen)?;
    curving.output.check(&record)?;
    let entrants = record.entrants(&curving.players, flags)?;
    record.rehearse(&entrants, screen)?;
    let moments = usize::from(curving.moments).min(Moment::all(&record.game.moments()).len());
    let setup =
        Setup { moments, games: curving.games, seed: curving.studied.seed(), jobs: curving.studied.jobs() };
    let interruption = Interruption::expect()?;
    let curve = Curve::play(&*record.game, &entrants, &setup, |curve| {
        screen.show(&format!("{} of {moments} moments", curve.points().len()));
        interruption.flow()
    });
    screen.show("");
    let curve = curve.map_err(|error| unplayable(&error))?;
    let is_interrupted = interruption.has_come();
    if is_interrupted {
        screen.say(&format!("interrupted after {} of {moments} moments", curve.points().len()));
    }
    let course = Course { record: &record, curve: &curve, setup: &setup, is_interrupted };
    curving.output.give(&record, &course, screen)?;
    interruption.finish();
    Ok(())
}

/// The course of the chances.
pub(super) struct Course<'a> {
    pub(super) record: &'a Record,
    pub(super) curve: &'a Curve,
    pub(super) setup: &'a Setup,
    /// `true` if there were to be more moments.
    pub(super) is_interrupted: bool,
}

impl Report for Course<'_> {
    /// Returns a bar for the chance of the first team, and where each team lost most.
    fn text(&self) -> String {
        let Self { record, curve, setup, .. } = *self;
        let first = record.team(0);
        let mut text = format!(
            "{}: the chance of {first} at {}, {} each\n\n",
            record.name,
            counted(curve.points().len() as u64, "moment", "moments"),
            counted(setup.games, "future", "futures")
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
        for (team, falls) in all_falls(curve) {
            text += &format!("\n{} lost most\n", record.team(team));
            for fall in &falls {
                text += &fall_text(&inputs, fall);
            }
        }
        if let Some(blunder) = blunders(curve).first() {
            text += &format!("\n{}\n", blunder.trim_end());
        }
        text
    }

    fn document(&self) -> serde_json::Value {
        let Self { record, curve, setup, .. } = *self;
        let falls = all_falls(curve).flat_map(|(team, falls)| {
            falls.into_iter().map(move |fall| {
                json!({
                    "team": record.team(team), "from": fall.from.inputs, "to": fall.to.inputs,
                    "loss": fall.loss,
                })
            })
        });
        let points = curve.points().iter().map(|point| {
            json!({
                "after": point.inputs, "moment": point.moment.to_string(), "teams": record.teams(&point.futures),
            })
        });
        json!({
            "replay": record.name,
            "seed": setup.seed.to_string(),
            "futures": setup.games,
            "interrupted": self.is_interrupted,
            "points": points.collect::<Vec<_>>(),
            "falls": falls.collect::<Vec<_>>(),
            "blunders": blunders(curve),
        })
    }

    /// Returns the chances of the first team, and a remark about each fall that is told.
    fn findings(&self) -> Findings {
        let Self { record, curve, .. } = *self;
        let marks = &record.marks;
        let falls =
            all_falls(curve).flat_map(|(team, falls)| falls.into_iter().map(move |fall| (team, fall)));
        let remarks = falls.map(|(team, fall)| {
            let (team, fallen) = (record.team(team), fallen(&fall));
            remark(format!("{team} lost {fallen}."), marks.after(fall.from.inputs))
        });
        let remarks = remarks.chain(blunder(&blunders(curve))).collect();
        Findings { team: record.team(0), chances: marks.chances(curve, 0), remarks }
    }
}

/// Returns the blunders of the players in all futures, in words.
fn blunders(curve: &Curve) -> Vec<String> {
    curve.points().iter().flat_map(|point| point.futures.blunders().iter().cloned()).collect()
}

/// Returns the largest falls of each team that had any.
fn all_falls(curve: &Curve) -> impl Iterator<Item = (usize, Vec<Fall<'_>>)> {
    let teams = curve.points().first().map_or(0, |point| point.futures.counts().len());
    let of_teams =
        (0..teams).map(|team| (team, curve.falls(team).into_iter().take(MOST_FALLS).collect::<Vec<_>>()));
    of_teams.filter(|(_, falls)| !falls.is_empty())
}

/// Returns a fall in words: `12 percentage points from 0:05.0 to 0:06.1`.
fn fallen(fall: &Fall<'_>) -> String {
    let points = (100.0 * fall.loss.value).round();
    let [from, to] = [fall.from, fall.to].map(|point| point.moment.named());
    format!("{points} percentage points from {from} to {to}")
}

/// Returns a fall, and the actions between its moments.
fn fall_text(inputs: &[Input<String>], fall: &Fall<'_>) -> String {
    let mut text = format!("  {}:\n", fallen(fall));
    let between = &inputs[fall.from.inputs..fall.to.inputs];
    for input in between.iter().take(MOST_ACTIONS) {
        text += &match input {
            Input::Action { agent, action, .. } => format!("    {agent} {action}\n"),
            Input::Disruption { disruption, .. } => match disruption.cause() {
                (Some(agent), cause) => format!("    {agent} has left the game ({cause})\n"),
                (None, cause) => format!("    the game was ended ({cause})\n"),
            },
            Input::Reseed { seed, .. } => format!("    drawn anew from seed {seed}\n"),
        };
    }
    if between.len() > MOST_ACTIONS {
        text += &format!("    and {} more\n", between.len() - MOST_ACTIONS);
    }
    text
}
