//! `league race`: which of several line-ups is the strongest.

use clap::Args;
use command_line::{Failure, print};
use contests::compare;
use contests::race::{self, Findings, Plan};
use contests::setup::{LineUp, Pool};
use strategies::programs::has_programs;

use super::contest::{self, ContestFlags, Screen, entrants, rate};
use crate::in_process::InProcess;
use crate::trust::{check_programs, with_programs};

#[derive(Args)]
pub(crate) struct Racing {
    /// The variants, e.g. coordinated coordinated:patience=2 coordinated:outward=0.5.
    #[arg(required = true, num_args = 2.., value_name = "LINE-UP")]
    variants: Vec<String>,
    /// A line-up that all of them play against; again for each.
    #[arg(long, value_name = "LINE-UP", required = true)]
    against: Vec<String>,
    /// A configuration of the game by name; again for each in which they play [default: the game's own defaults].
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
    /// The probability of each error: to drop the strongest, and to end with one outside the margin of the strongest
    /// left.
    #[arg(long, value_name = "RATE", default_value_t = compare::ERROR, value_parser = rate)]
    error: f64,
    /// The largest number of pairs of games of a variant.
    #[arg(long, value_name = "NUMBER", default_value_t = compare::MOST_PAIRS, value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: u64,
    #[command(flatten)]
    flags: ContestFlags,
}

pub(crate) fn start(racing: &Racing, plays: &InProcess) -> Result<(), Failure> {
    // The user has typed the commands.
    let entrants = entrants(racing.variants.iter().chain(&racing.against));
    let thinking = racing.flags.thinking.rule(has_programs(&entrants))?;
    check_programs(&entrants)?;
    let plays = &with_programs(plays)?;
    let presets: Vec<Option<&str>> = match &racing.preset[..] {
        [] => vec![None],
        presets => presets.iter().map(|preset| Some(preset.as_str())).collect(),
    };
    let game = |preset| contest::setup(plays, &racing.flags, preset, thinking);
    let line_ups = |texts: &[String]| -> Result<Vec<LineUp>, Failure> {
        texts.iter().map(|text| contest::line_up(plays, &racing.flags.game, text)).collect()
    };
    let plan = Plan {
        variants: line_ups(&racing.variants)?,
        pool: Pool {
            games: presets.into_iter().map(game).collect::<Result<_, _>>()?,
            opponents: line_ups(&racing.against)?,
        },
        seed: racing.flags.seed,
        margin: racing.flags.margin,
        error: racing.error,
        most_pairs: racing.most_pairs,
    };
    plan.check().map_err(|error| {
        Failure::misuse(error.to_string(), "a race is e.g. `race greedy coordinated --against climber`")
    })?;
    let mut screen = Screen::new();
    let play = |spec: &_| contest::play(plays, spec, false).map(|played| played.record);
    let standings = race::run(&plan, racing.flags.jobs.count(), &play, |standings| {
        screen.show(|_| standings.line(&plan));
    });
    screen.finish();
    let standings = standings.map_err(|error| contest::unplayable(&error))?;
    print(&Findings::new(&plan, &standings).to_string())
}
