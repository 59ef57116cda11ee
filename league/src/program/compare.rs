//! `league compare`: which of two line-ups is the stronger.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use command_line::{Failure, ThinkingFlags, command, print, settings, shown};
use contests::compare::{self, Findings, PairMatch, Plan, Tally};
use contests::text;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{AgentId, Seed, Thinking};
use indicatif::{ProgressBar, ProgressStyle};
use strategies::notation;
use strategies::programs::has_programs;

use super::arguments::Jobs;
use super::screen::{Due, LINE_INTERVAL};
use crate::executor::{CannotPlay, Executor as _, Played};
use crate::games::{ConfigFault, Games as _, team_name};
use crate::in_process::InProcess;
use crate::invocation;
use crate::runner::{MOST_REPETITIONS, repeated};
use crate::trust::{check_programs, with_programs};

#[derive(Args)]
pub(crate) struct Comparing {
    /// The first line-up, e.g. coordinated or coordinated*3+liar.
    first: String,
    /// The second line-up.
    second: String,
    /// The game.
    #[arg(long, value_name = "NAME", default_value = "project")]
    game: String,
    /// A configuration of the game by name [default: the game's own defaults].
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// A parameter of the game, over the preset if there is one, e.g. `--set teamSize=2`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Compare with each preset of the game, one after the other.
    #[arg(long, conflicts_with = "preset")]
    all_presets: bool,
    /// The seed that decides all pairs.
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: Seed,
    /// The smallest difference to detect, in Elo: 10 is 51.4 % of the points.
    #[arg(long, value_name = "ELO", default_value_t = compare::MARGIN, value_parser = margin)]
    margin: f64,
    /// The probability of each error: to call equal line-ups different, and to miss a difference of the margin.
    #[arg(long, value_name = "RATE", default_value_t = compare::ERROR, value_parser = rate)]
    error: f64,
    /// The largest number of pairs of games; without a verdict by then, the comparison is undecided.
    #[arg(long, value_name = "NUMBER", default_value_t = compare::MOST_PAIRS, value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: u64,
    #[command(flatten)]
    thinking: ThinkingFlags,
    /// The folder for the replays of games to look at.
    #[arg(long, value_name = "DIR", default_value = "compare.replays")]
    replays: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
}

fn margin(text: &str) -> Result<f64, String> {
    let margin = text.parse().ok().filter(|margin: &f64| (0.1..=1_000.0).contains(margin));
    margin.ok_or_else(|| "expected a number of Elo from 0.1 to 1000".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (1e-6..0.5).contains(rate));
    rate.ok_or_else(|| "expected a number from 0.000001 to below 0.5".to_owned())
}

pub(crate) fn start(comparing: &Comparing, plays: &InProcess) -> Result<(), Failure> {
    // The user has typed the commands.
    let line_ups = [&comparing.first, &comparing.second];
    let parts = line_ups.into_iter().filter_map(|text| notation::line_up(text).ok()).flatten();
    let entrants: Vec<&str> = parts.map(|(part, _)| part).collect();
    let thinking = comparing.thinking.rule(has_programs(&entrants))?;
    check_programs(&entrants)?;
    let plays = &with_programs(plays)?;
    if !comparing.all_presets {
        let findings = compare(comparing, plays, comparing.preset.as_deref(), thinking)?;
        return print(&findings);
    }
    for preset in plays.presets(&comparing.game) {
        let findings = compare(comparing, plays, Some(preset), thinking)?;
        print(&format!("{preset}: {findings}\n"))?;
    }
    Ok(())
}

/// Compares with one configuration; returns the text about it.
fn compare(
    comparing: &Comparing,
    executor: &InProcess,
    preset: Option<&str>,
    thinking: Thinking,
) -> Result<String, Failure> {
    let plan = plan(comparing, executor, preset, thinking)?;
    let mut screen = Screen::new();
    let play = |spec: &_| play(executor, spec, false).map(|played| played.record);
    let tally = compare::run(&plan, comparing.jobs.count(), &play, |tally| screen.show(tally));
    screen.finish();
    let tally = tally.map_err(|error: CannotPlay| {
        Failure::misuse(format!("cannot play: {error}"), "check the line-ups and the preset")
    })?;
    let findings = Findings::new(&plan, &tally);
    let mut told = findings.to_string();
    if !findings.examples.is_empty() {
        told += "\ngames to look at:\n";
    }
    for example in &findings.examples {
        let name = preset.map_or_else(String::new, |preset| format!("{preset}-"));
        let path = comparing.replays.join(format!("{name}{}.replay", example.which));
        write_replay(executor, &plan.spec(example.which), &path)?;
        let view = command("reference-gm", &format!("view {}", shown(&path)));
        told += &format!("  {}: {view}\n    {}\n", example.why, seats(&plan, example.which));
    }
    Ok(told)
}

/// The agents of each line-up in a match, by the ids that `bots decisions` takes:
/// `agents #0 and #1 (red) are greedy, the first line-up; agents #2 and #3 (blue) are random, the second`.
fn seats(plan: &Plan, which: PairMatch) -> String {
    let first = which.side_of_first();
    let of = |agents: &[AgentId], side: usize, name: &str| {
        let are = if agents.len() == 1 { "is" } else { "are" };
        format!("{} ({}) {are} {name}", text::agents(agents), team_name(&plan.game, side))
    };
    let [own, others] = plan.agents(which);
    let [name, other] = &plan.names;
    format!("{}, the first line-up; {}, the second", of(&own, first, name), of(&others, 1 - first, other))
}

fn plan(
    comparing: &Comparing,
    executor: &InProcess,
    preset: Option<&str>,
    thinking: Thinking,
) -> Result<Plan, Failure> {
    let game = &comparing.game;
    if let (Some(asked), Ok(known)) = (preset, game_catalogue::find(game))
        && let Err(error) = game_catalogue::preset(known, asked)
    {
        let hint = "without --preset the game's own defaults are used";
        return Err(Failure::misuse(error.to_string(), hint));
    }
    let configured = executor
        .configure(
            game,
            preset,
            &settings(&comparing.set, "e.g. `--set teamSize=2`: `bots presets` shows the parameters")?,
        )
        .map_err(|faults: Vec<ConfigFault>| {
            let faults: Vec<String> = faults.into_iter().map(|fault| fault.text).collect();
            Failure::misuse(
                faults.join("\n"),
                "`bots presets` shows the parameters of each game with their values",
            )
        })?;
    let line_up = |text: &str| {
        executor
            .line_up(game, text)
            .map_err(|why| Failure::misuse(why, "a line-up is e.g. greedy or coordinated*3+liar"))
    };
    let plan = Plan {
        game: game.clone(),
        config: configured.config,
        teams: configured.teams,
        names: [comparing.first.clone(), comparing.second.clone()],
        line_ups: [line_up(&comparing.first)?, line_up(&comparing.second)?],
        limits: MatchLimits { thinking, ..MatchLimits::default() },
        seed: comparing.seed,
        margin: comparing.margin,
        alpha: comparing.error,
        beta: comparing.error,
        most_pairs: comparing.most_pairs,
    };
    plan.check().map_err(|error| {
        Failure::misuse(error.to_string(), format!("`{} run` plays leagues of any game", invocation::name()))
    })?;
    Ok(plan)
}

/// Plays a match; again, as a league does, if this machine was too slow for a limited decision.
fn play(executor: &InProcess, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
    let mut why = String::new();
    let played = repeated(
        || executor.play(spec, with_replay),
        |played| {
            why = played.logs.last().map_or_else(String::new, |log| format!(": {}", log.text));
            Ok(())
        },
    )?;
    played.ok_or_else(|| {
        let seed = spec.seed;
        CannotPlay(format!(
            "the match with seed {seed} does not count, {MOST_REPETITIONS} times in a row{why}; fewer `--jobs` or a longer \
             `--think-limit-ms` may help"
        ))
    })
}

/// Plays a match again, this time for its replay.
fn write_replay(executor: &InProcess, spec: &MatchSpec, path: &Path) -> Result<(), Failure> {
    let undone = |why: String| {
        Failure::undone(
            format!("cannot write the replay {}: {why}", shown(path)),
            "name another folder with --replays",
        )
    };
    let played = play(executor, spec, true).map_err(|error| undone(error.to_string()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| undone(error.to_string()))?;
    }
    let replay = played.replay.unwrap_or_default();
    whole_file::write(path, |out| out.write_all(&replay))
        .map_err(|error: io::Error| undone(error.to_string()))
}

/// The state of a comparison after this time: `1,204 games  68.1 % ± 2.6  +132 Elo  LLR 2.10 of 3.64  about 12 s left`.
fn line(tally: &Tally, since: Duration) -> String {
    let pairs = tally.pairs().pairs();
    let left = tally.test().pairs_left(tally.pairs()).map_or_else(String::new, |left| {
        let seconds = since.as_secs_f64() * left as f64 / pairs.max(1) as f64;
        // A longer span may not be a `Duration`.
        let left = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        format!("  about {} left", text::span(left))
    });
    format!("{}{left}", tally.line())
}

/// Time between two updates of the line on a terminal.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line with the state of the comparison; without a terminal, one each minute.
struct Screen {
    bar: ProgressBar,
    begun: Instant,
    due: Due,
}

impl Screen {
    fn new() -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        let begun = Instant::now();
        Self { bar, begun, due: Due::new(begun) }
    }

    fn show(&mut self, tally: &Tally) {
        let (now, is_hidden) = (Instant::now(), self.bar.is_hidden());
        if !self.due.is_due(now, if is_hidden { LINE_INTERVAL } else { INTERVAL }) {
            return;
        }
        let line = line(tally, now.duration_since(self.begun));
        if is_hidden {
            eprintln!("{line}");
        } else {
            self.bar.set_message(line);
            self.bar.tick();
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use game_env::Parameters;

    use super::*;

    #[test]
    fn the_state_of_a_comparison_is_one_line() {
        let plays = InProcess::new("tests 1.0");
        let configured = plays.configure("dots", Some("small"), &Parameters::new()).unwrap();
        let plan = Plan {
            game: "dots".to_owned(),
            config: configured.config,
            teams: configured.teams,
            names: ["greedy", "random"].map(str::to_owned),
            line_ups: ["greedy", "random"].map(|name| vec![name.to_owned()]),
            limits: MatchLimits::default(),
            seed: Seed::new(1),
            margin: 10.0,
            alpha: 0.05,
            beta: 0.05,
            most_pairs: 20,
        };
        let play = |spec: &_| plays.play(spec, false).map(|played| played.record);
        let mut lines = Vec::new();
        compare::run::<CannotPlay>(&plan, NonZeroUsize::MIN, &play, |tally| {
            lines.push(line(tally, Duration::from_secs(tally.pairs().pairs())));
        })
        .unwrap();
        let last = lines.last().unwrap();
        assert!(last.starts_with("40 games  ") && last.contains("  LLR "), "{last}");
        assert!(last.ends_with(" min 49 s left"), "129 pairs of a second each: {last}");
    }
}
