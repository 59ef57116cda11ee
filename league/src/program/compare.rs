//! `league compare`: which of two line-ups is the stronger.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use command_line::{Failure, command, print, shown};
use contests::compare::{self, Findings, Plan, Tally};
use game_env::matches::MatchLimits;
use game_env::names::did_you_mean;
use game_env::text::fit_for_a_log;
use game_env::{Parameters, Seed};
use indicatif::{ProgressBar, ProgressStyle};
use strategies::notation;

use super::arguments::Jobs;
use crate::executor::{CannotPlay, Executor as _};
use crate::games::{ConfigFault, Games as _};
use crate::in_process::InProcess;
use crate::invocation;
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
    /// Compare with each preset of the game, one after the other.
    #[arg(long, conflicts_with = "preset")]
    all_presets: bool,
    /// The seed that decides all pairs.
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: Seed,
    /// The smallest difference to detect, in Elo: 10 is 51.4 % of the points.
    #[arg(long, value_name = "ELO", default_value = "10", value_parser = margin)]
    margin: f64,
    /// The probability of each error: to call equal line-ups different, and to miss a difference of the margin.
    #[arg(long, value_name = "RATE", default_value = "0.05", value_parser = rate)]
    error: f64,
    /// The largest number of pairs of games; without a verdict by then, the comparison is undecided.
    #[arg(long, value_name = "NUMBER", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    most_pairs: u64,
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
    check_programs(&entrants)?;
    let plays = &with_programs(plays)?;
    if !comparing.all_presets {
        let findings = compare(comparing, plays, comparing.preset.as_deref())?;
        return print(&findings);
    }
    for preset in plays.presets(&comparing.game) {
        let findings = compare(comparing, plays, Some(preset))?;
        print(&format!("{preset}: {findings}\n"))?;
    }
    Ok(())
}

/// Compares with one configuration; returns the text about it.
fn compare(comparing: &Comparing, executor: &InProcess, preset: Option<&str>) -> Result<String, Failure> {
    let plan = plan(comparing, executor, preset)?;
    let screen = Screen::new();
    let play = |spec: &_| executor.play(spec, false).map(|played| played.record);
    let tally = compare::run(&plan, comparing.jobs.count(), &play, |tally| screen.show(tally));
    screen.finish();
    let tally = tally.map_err(|error: CannotPlay| {
        Failure::misuse(format!("cannot play: {error}"), "check the line-ups and the preset")
    })?;
    let findings = Findings::new(&plan, &tally);
    let mut text = findings.to_string();
    if !findings.examples.is_empty() {
        text += "\ngames to look at:\n";
    }
    for example in &findings.examples {
        let name = preset.map_or_else(String::new, |preset| format!("{preset}-"));
        let path = comparing.replays.join(format!("{name}{}.replay", example.which));
        write_replay(executor, &plan.spec(example.which), &path)?;
        let view = command("reference-gm", &format!("view {}", shown(&path)));
        text += &format!("  {}: {view}\n", example.why);
    }
    Ok(text)
}

fn plan(comparing: &Comparing, executor: &InProcess, preset: Option<&str>) -> Result<Plan, Failure> {
    let game = &comparing.game;
    if let Some(asked) = preset
        && executor.games().contains(&game.as_str())
        && !executor.presets(game).contains(&asked)
    {
        let presets = executor.presets(game);
        let near = did_you_mean(asked, presets.iter().copied());
        return Err(Failure::misuse(
            format!(
                "unknown preset `{}`: expected one of {}{near}",
                fit_for_a_log(asked),
                presets.join(", ")
            ),
            "without --preset the game's own defaults are used",
        ));
    }
    let configured =
        executor.configure(game, preset, &Parameters::new()).map_err(|faults: Vec<ConfigFault>| {
            let faults: Vec<String> = faults.into_iter().map(|fault| fault.text).collect();
            Failure::misuse(faults.join("\n"), "`--game` names the game")
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
        limits: MatchLimits::default(),
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

/// Plays a match again, this time for its replay.
fn write_replay(
    executor: &InProcess,
    spec: &game_env::matches::MatchSpec,
    path: &Path,
) -> Result<(), Failure> {
    let undone = |why: String| {
        Failure::undone(
            format!("cannot write the replay {}: {why}", shown(path)),
            "name another folder with --replays",
        )
    };
    let played = executor.play(spec, true).map_err(|error| undone(error.to_string()))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| undone(error.to_string()))?;
    }
    let replay = played.replay.unwrap_or_default();
    whole_file::write(path, |out| out.write_all(&replay))
        .map_err(|error: io::Error| undone(error.to_string()))
}

/// Time between two updates of the line.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line with the state of the comparison; nothing without a terminal.
struct Screen {
    bar: ProgressBar,
    begun: Instant,
    shown: std::cell::Cell<Option<Instant>>,
}

impl Screen {
    fn new() -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), shown: std::cell::Cell::new(None) }
    }

    fn show(&self, tally: &Tally) {
        if self.bar.is_hidden() || self.shown.get().is_some_and(|shown| shown.elapsed() < INTERVAL) {
            return;
        }
        self.shown.set(Some(Instant::now()));
        let pairs = tally.pairs().pairs();
        let left = tally.test().pairs_left(tally.pairs()).map_or_else(String::new, |left| {
            let seconds = self.begun.elapsed().as_secs_f64() * left as f64 / pairs.max(1) as f64;
            format!("  about {seconds:.0} s left")
        });
        self.bar.set_message(format!("{}{left}", tally.line()));
        self.bar.tick();
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
