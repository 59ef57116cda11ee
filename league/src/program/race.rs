//! `league race`: which of several line-ups is the strongest.

use clap::Args;
use command_line::signals::Interruption;
use command_line::{Failure, print};
use contests::compare;
use contests::race::{self, Findings, Plan};
use strategies::programs::has_programs;

use super::contest::{self, ContestFlags, PoolFlags, Screen, entrants, margin, rate};
use crate::in_process::InProcess;
use crate::trust::{check_programs, with_programs};

#[derive(Args)]
#[command(after_help = "Ctrl-C ends it early; what was measured is printed.")]
pub(crate) struct Racing {
    /// The variants, e.g. coordinated coordinated:patience=2 coordinated:outward=0.5.
    #[arg(required = true, num_args = 2.., value_name = "LINE-UP")]
    variants: Vec<String>,
    #[command(flatten)]
    pool: PoolFlags,
    /// The smallest difference that counts, in Elo: 10 is 51.4 % of the points.
    #[arg(long, value_name = "ELO", default_value_t = compare::MARGIN, value_parser = margin)]
    margin: f64,
    /// The probability of each error: to drop the strongest, and to end with one outside the margin of the strongest
    /// left.
    #[arg(long, value_name = "RATE", default_value_t = compare::ERROR, value_parser = rate)]
    error: f64,
    /// The largest number of pairs of games of a variant, rounded up so that it plays as many against each opponent in
    /// each game.
    #[arg(long, value_name = "NUMBER", default_value_t = compare::MOST_PAIRS, value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: u64,
    #[command(flatten)]
    flags: ContestFlags,
}

pub(crate) fn start(racing: &Racing, plays: &InProcess) -> Result<(), Failure> {
    // The user has typed the commands.
    let entrants = entrants(racing.variants.iter().chain(&racing.pool.against));
    let thinking = racing.flags.thinking.rule(has_programs(&entrants))?;
    check_programs(&entrants)?;
    let plays = &with_programs(racing.flags.restart_programs, plays)?;
    let line_up = |text: &String| contest::line_up(plays, &racing.flags.game, text);
    let plan = Plan {
        variants: racing.variants.iter().map(line_up).collect::<Result<_, _>>()?,
        pool: racing.pool.read(plays, &racing.flags, thinking)?,
        seed: racing.flags.seed,
        margin: racing.margin,
        error: racing.error,
        most_pairs: racing.most_pairs,
    };
    plan.check().map_err(|error| {
        Failure::misuse(error.to_string(), "a race is e.g. `race greedy coordinated --against climber`")
    })?;
    let player = racing.flags.player(plays)?;
    let interruption = Interruption::expect()?;
    let mut screen = Screen::new();
    let play = |spec: &_| player.play(spec).map(|played| played.record);
    let standings = race::run(&plan, player.jobs(), &play, |standings| {
        screen.show(|_| standings.line(&plan));
        interruption.flow()
    });
    screen.finish();
    let standings = standings.map_err(|error| contest::unplayable(&error))?;
    print(&Findings::new(&plan, &standings).to_string())?;
    interruption.finish();
    Ok(())
}
