//! Leagues that several machines can play: their results do not depend on the machine.

use std::path::Path;

use crate::file::{ExecutorKind, League};
use crate::invocation::command;
use command_line::{Failure, shown};
use game_env::{Thinking, TimeModel};
use strategies::programs::has_programs;

/// Refuses the league of a file or a store at this path if several machines cannot play it.
///
/// # Errors
///
/// Says on what its results depend, and how the league is played.
pub fn admit(league: &League, path: &Path) -> Result<(), Failure> {
    check(league).map_err(|why| {
        let hint = format!("`{}` plays it on one machine", command("run FILE"));
        Failure::misuse(format!("{} {why}", shown(path)), hint)
    })
}

/// Checks that the results of a league depend on its file and its programs alone, so that results of several machines
/// belong together.
///
/// # Errors
///
/// Says on what else they depend, as a sentence without its subject: `is played in real time, …`.
pub fn check(league: &League) -> Result<(), String> {
    let depends = |why: &str| {
        Err(format!("{why}, so its results depend on the machine: results of several machines do not mix"))
    };
    if league.executor != ExecutorKind::InProcess {
        return depends("is played in real time");
    }
    // Strategies in the same process have no time limit.
    if !has_programs(league.strategies()) {
        return Ok(());
    }
    if league.restarts_programs {
        return Err(
            "starts its programs anew for every match (`restart_programs`), which workers do not".to_owned()
        );
    }
    match league.limits.thinking {
        Thinking::LimitMs(_) => depends("limits the time of decisions of programs by `think_limit_ms`"),
        Thinking::ChargeMs(_) if has_time(&league.game) => {
            depends("charges decisions of programs by `think_charge_ms`")
        }
        // In a game without time a charge has no effect.
        Thinking::Free | Thinking::ChargeMs(_) | Thinking::RealTime => Ok(()),
    }
}

fn has_time(game: &str) -> bool {
    game_catalogue::find(game).is_ok_and(|game| !matches!(game.description().time, TimeModel::Turns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_process::InProcess;

    fn checked(game: &str, entrant: &str, limits: &str) -> Result<(), String> {
        let file = format!(
            "game = \"{game}\"\n[limits]\n{limits}\n[[entrant]]\nname = \"a\"\n{entrant}\n[[entrant]]\nstrategy = \"greedy\"\n"
        );
        check(&League::read("tests", &file, &InProcess::new("tests 1.0")).expect("the league is sound"))
    }

    #[test]
    fn only_leagues_whose_results_depend_on_the_machine_are_refused() {
        let (strategy, program) = ("strategy = \"random\"", "strategy = \"python3 agent.py\"");
        let command = "command = [\"python3\", \"agent.py\"]";
        let (limit, charge) = ("think_limit_ms = 100", "think_charge_ms = 1");
        for (game, entrant, limits, expected) in [
            ("project", strategy, "", None),
            ("project", strategy, limit, None),
            ("project", strategy, charge, None),
            ("project", program, "", None),
            (
                "project",
                program,
                limit,
                Some("limits the time of decisions of programs by `think_limit_ms`, so"),
            ),
            ("project", program, charge, Some("charges decisions of programs by `think_charge_ms`, so its")),
            ("dots", program, limit, Some("limits the time")),
            ("dots", program, charge, None),
            ("project", command, "", Some("is played in real time, so its results depend on the machine")),
        ] {
            let found = checked(game, entrant, limits);
            match expected {
                None => assert_eq!(found, Ok(()), "{game} {entrant} {limits}"),
                Some(why) => assert!(
                    found.as_ref().is_err_and(|found| found.starts_with(why)),
                    "{game} {entrant} {limits}: {found:?}"
                ),
            }
        }
    }
}
