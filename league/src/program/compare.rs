//! `league compare`: which of two line-ups is the stronger.

use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use command_line::signals::Interruption;
use command_line::{Failure, command, print, quoted_path, write_file_in_folder};
use contests::compare::{self, Findings, PairMatch, Plan, Tally};
use contests::setup::SetupError;
use contests::text;
use game_env::matches::MatchSpec;
use game_env::{AgentId, Thinking};
use strategies::programs::has_programs;

use super::contest::{self, ContestFlags, Player, Screen, entrants, margin, rate};
use super::replay::is_other;
use super::times::{self, DecisionTimes, HEADING};
use crate::executor::CannotPlay;
use crate::games::{Games as _, team_name};
use crate::in_process::InProcess;
use crate::invocation;
use crate::trust::{check_programs, with_programs};

#[derive(Args)]
#[command(after_help = "Ctrl-C ends it early; what was measured is printed.")]
pub(crate) struct Comparing {
    /// The first line-up, e.g. coordinated or coordinated*3+liar.
    first: String,
    /// The second line-up.
    second: String,
    /// A configuration of the game by name [default: the game's own defaults].
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Compare with each preset of the game, one after the other.
    #[arg(long, conflicts_with = "preset")]
    all_presets: bool,
    /// The smallest difference that counts, in Elo: 10 is 51.4 % of the points.
    #[arg(long, value_name = "ELO", default_value_t = compare::MARGIN, value_parser = margin)]
    margin: f64,
    /// The probability of each error: to call equal line-ups different, and to miss a difference of the margin.
    #[arg(long, value_name = "RATE", default_value_t = compare::ERROR, value_parser = rate)]
    error: f64,
    /// The largest number of pairs of games; without a verdict by then, the comparison is undecided.
    #[arg(long, value_name = "NUMBER", default_value_t = compare::MOST_PAIRS, value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: u64,
    /// The folder for the replays of games to look at; files that are there are kept.
    #[arg(long, value_name = "DIR", default_value = "compare.replays")]
    replays: PathBuf,
    /// Also time the decisions of both line-ups, in two of the games on this machine.
    #[arg(long)]
    times: bool,
    #[command(flatten)]
    flags: ContestFlags,
}

pub(crate) fn start(comparing: &Comparing, plays: &InProcess) -> Result<(), Failure> {
    // The user has typed the commands.
    let entrants = entrants([&comparing.first, &comparing.second]);
    let thinking = comparing.flags.thinking.rule(has_programs(&entrants))?;
    check_programs(&entrants)?;
    let plays = &with_programs(comparing.flags.restart_programs, plays)?;
    let player = comparing.flags.player(plays)?;
    let interruption = Interruption::expect()?;
    let compare = |preset| compare(comparing, (plays, &player), preset, thinking, &interruption);
    let presets = plays.presets(&comparing.flags.game);
    // A game that nobody knows has none; the comparison without a preset names it.
    if comparing.all_presets && !presets.is_empty() {
        for preset in presets {
            print(&format!("{preset}: {}\n", compare(Some(preset))?))?;
            interruption.finish();
        }
    } else {
        print(&compare(comparing.preset.as_deref())?)?;
    }
    interruption.finish();
    Ok(())
}

/// Compares with one configuration; returns the text about it.
fn compare(
    comparing: &Comparing,
    (executor, player): (&InProcess, &Player<'_>),
    preset: Option<&str>,
    thinking: Thinking,
    interruption: &Interruption,
) -> Result<String, Failure> {
    let plan = plan(comparing, executor, preset, thinking)?;
    let mut screen = Screen::new();
    let play = |spec: &_| player.play(spec).map(|played| played.record);
    let tally = compare::run(&plan, player.jobs(), &play, |tally| {
        screen.show(|since| line(tally, since));
        interruption.flow()
    });
    screen.finish();
    let tally = tally.map_err(|error| contest::unplayable(&error))?;
    let findings = Findings::new(&plan, &tally);
    let mut told = findings.to_string();
    if !findings.examples.is_empty() {
        told += "\ngames to look at:\n";
    }
    for example in &findings.examples {
        let name = preset.map_or_else(String::new, |preset| format!("{preset}-"));
        let name = format!("{name}{}", example.which);
        let path = match write_replay(executor, &plan.spec(example.which), &comparing.replays, &name) {
            Ok(path) => path,
            Err(failure) => {
                // The games were long, and their result is known.
                print(&findings.to_string())?;
                return Err(failure);
            }
        };
        let view = command("reference-gm", &format!("view {}", quoted_path(&path)));
        told += &format!(
            "  {}: {view}\n    {}\n",
            example.why,
            seats(&plan, example.which, comparing.first == comparing.second)
        );
    }
    if comparing.times {
        told += &told_times(&plan, executor).map_err(|error| contest::unplayable(&error))?;
    }
    Ok(told)
}

/// Returns the times of the decisions of both line-ups in the games of the first pair.
fn told_times(plan: &Plan, executor: &InProcess) -> Result<String, CannotPlay> {
    let mut of_line_ups = [Vec::new(), Vec::new()];
    for which in PairMatch::both(0) {
        let of_agents = times::of_agents(executor, &plan.spec(which))?;
        for (times, agents) in of_line_ups.iter_mut().zip(plan.agents(which)) {
            times.extend(agents.iter().flat_map(|agent| &of_agents[agent.index()]));
        }
    }
    let told = plan.line_ups.iter().zip(of_line_ups).map(|(line_up, times)| {
        format!("  {}: {}\n", line_up.name, times.into_iter().collect::<DecisionTimes>())
    });
    Ok(format!("\n{HEADING}\n{}", told.collect::<String>()))
}

/// Returns the agents of each line-up in a match, by the ids that `bots decisions` takes:
/// `agents #0 and #1 (red) are greedy, the first line-up; agents #2 and #3 (blue) are random, the second`.
///
/// Equal line-ups have their places in their names.
fn seats(plan: &Plan, which: PairMatch, are_equal: bool) -> String {
    let first = which.side_of_first();
    let of = |agents: &[AgentId], side: usize, name: &str| {
        let are = if agents.len() == 1 { "is" } else { "are" };
        format!("{} ({}) {are} {name}", text::agents(agents), team_name(&plan.setup.game, side))
    };
    let [own, others] = plan.agents(which);
    let [name, other] = &plan.line_ups;
    let [own, others] = [of(&own, first, &name.name), of(&others, 1 - first, &other.name)];
    if are_equal {
        return format!("{own}; {others}");
    }
    format!("{own}, the first line-up; {others}, the second")
}

fn plan(
    comparing: &Comparing,
    executor: &InProcess,
    preset: Option<&str>,
    thinking: Thinking,
) -> Result<Plan, Failure> {
    let line_up = |text: &str| contest::line_up(executor, &comparing.flags.game, text);
    let mut line_ups = [line_up(&comparing.first)?, line_up(&comparing.second)?];
    if line_ups[0].name == line_ups[1].name {
        for (line_up, place) in line_ups.iter_mut().zip(["first", "second"]) {
            line_up.name = format!("the {place} {}", line_up.name);
        }
    }
    let plan = Plan {
        setup: contest::setup(executor, &comparing.flags, preset, thinking)?,
        line_ups,
        seed: comparing.flags.seed,
        margin: comparing.margin,
        alpha: comparing.error,
        beta: comparing.error,
        most_pairs: comparing.most_pairs,
    };
    plan.check().map_err(|error| {
        let hint = match error {
            SetupError::Teams(_) => format!("`{} run` plays leagues of any game", invocation::name()),
            SetupError::TooLong(..) => "a shorter line-up is repeated for the agents of a team".to_owned(),
            SetupError::NoStrategy(_) | SetupError::NoOpponent => {
                "a comparison is e.g. `compare greedy coordinated`".to_owned()
            }
        };
        Failure::misuse(error.to_string(), hint)
    })?;
    Ok(plan)
}

/// Plays a match again, this time for its replay; returns the path of the file. A file of this name with another
/// replay, of an earlier comparison for instance, is kept: a number is added to the name.
fn write_replay(
    executor: &InProcess,
    spec: &MatchSpec,
    folder: &Path,
    name: &str,
) -> Result<PathBuf, Failure> {
    let plain = folder.join(format!("{name}.replay"));
    let played = contest::play(executor, spec, true).map_err(|error| contest::unplayable(&error))?;
    let replay = played.replay.unwrap_or_default();
    let numbered = (2_u64..).map(|number| folder.join(format!("{name}-{number}.replay")));
    let path = iter::once(plain.clone()).chain(numbered).find(|path| !is_other(path, &replay));
    let path = path.expect("a folder has not a file for every number");
    write_file_in_folder(&path, replay, "name another folder with --replays")?;
    Ok(path)
}

/// Returns the state of a comparison after this time:
/// `1,204 games  68.1 % (65.5 to 70.6)  +132 Elo  LLR 2.10 of 3.64  about 12 s left`.
fn line(tally: &Tally, since: Duration) -> String {
    let pairs = tally.pairs().pairs();
    let left = tally.test().pairs_left(tally.pairs()).map_or_else(String::new, |left| {
        let seconds = since.as_secs_f64() * left as f64 / pairs.max(1) as f64;
        // A longer span may not be a `Duration`.
        let left = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        format!("  {}", text::left(left))
    });
    format!("{}{left}", tally.line())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::ops::ControlFlow;

    use clap::Parser;
    use game_env::Seed;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        flags: ContestFlags,
    }

    #[test]
    fn the_state_of_a_comparison_is_one_line() {
        let plays = InProcess::new("tests 1.0");
        let Words { flags } = Words::parse_from(["league", "--game", "dots"]);
        let plan = Plan {
            setup: contest::setup(&plays, &flags, Some("small"), Thinking::Free).unwrap(),
            line_ups: ["greedy", "random"].map(|name| contest::line_up(&plays, "dots", name).unwrap()),
            seed: Seed::new(1),
            margin: 10.0,
            alpha: 0.05,
            beta: 0.05,
            most_pairs: 20,
        };
        let play = |spec: &_| contest::play(&plays, spec, false).map(|played| played.record);
        let mut lines = Vec::new();
        compare::run(&plan, NonZeroUsize::MIN, &play, |tally| {
            lines.push(line(tally, Duration::from_secs(tally.pairs().pairs())));
            ControlFlow::Continue(())
        })
        .unwrap();
        let last = lines.last().unwrap();
        assert!(last.starts_with("40 games  ") && last.contains("  LLR "), "{last}");
        assert!(last.ends_with(" min 49 s left"), "129 pairs of a second each: {last}");
    }
}
