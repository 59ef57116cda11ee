//! The parts of commands that play line-ups against each other without a league file.

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use clap::Args;
use command_line::{Failure, ThinkingFlags, settings, tell};
use contests::setup::{GameSetup, NamedLineUp, Pool};
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{Seed, Thinking};
use indicatif::{ProgressBar, ProgressStyle};
use strategies::notation;

use super::arguments::MatchesAtATime;
use super::screen::{Due, LINE_INTERVAL};
use super::workers::{WorkerCommand, Workers};
use crate::executor::{CannotPlay, Executor as _, Played};
use crate::games::{ConfigFault, Games as _};
use crate::in_process::InProcess;
use crate::runner::{MOST_REPETITIONS, repeated};

/// The flags of all commands that play line-ups against each other.
#[derive(Args)]
pub(super) struct ContestFlags {
    /// The game.
    #[arg(long, value_name = "NAME", default_value = "project")]
    pub(super) game: String,
    /// A parameter of the game, over the preset if there is one, e.g. `--set teamSize=2`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// The seed that decides all pairs.
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    pub(super) seed: Seed,
    #[command(flatten)]
    pub(super) thinking: ThinkingFlags,
    /// Start each program anew for every match: it cannot remember earlier ones, and matches take longer.
    #[arg(long)]
    pub(super) restart_programs: bool,
    #[command(flatten)]
    jobs: MatchesAtATime,
    /// A command that plays matches in place of this process, e.g. `8*ssh lab league play --spec -` for eight on the
    /// machine `lab`; again for each machine.
    #[arg(long = "worker", value_name = "COMMAND")]
    #[arg(conflicts_with_all = ["jobs", "restart_programs", "think_limit_ms", "think_charge_ms"])]
    workers: Vec<WorkerCommand>,
}

impl ContestFlags {
    /// Returns the player of the matches: the workers of the flags, or else this process.
    ///
    /// # Errors
    ///
    /// If a worker cannot be started.
    pub(super) fn player<'a>(&self, here: &'a InProcess) -> Result<Player<'a>, Failure> {
        let workers = Workers::start(&self.workers, here.program());
        let workers = workers.map_err(|error| {
            Failure::misuse(
                error.to_string(),
                "a worker is e.g. `--worker 'ssh lab league play --spec -'`; without `--worker`, this process plays",
            )
        })?;
        Ok(workers.map_or(Player::Here(here, self.jobs.count()), Player::Workers))
    }
}

/// Plays the matches of a contest.
pub(super) enum Player<'a> {
    /// This process, with this many matches at a time.
    Here(&'a InProcess, NonZeroUsize),
    /// Other processes.
    Workers(Workers),
}

impl Player<'_> {
    /// Returns the number of matches at a time.
    pub(super) fn jobs(&self) -> NonZeroUsize {
        match self {
            Self::Here(_, jobs) => *jobs,
            Self::Workers(workers) => workers.number(),
        }
    }

    /// Plays a match.
    ///
    /// # Errors
    ///
    /// If it cannot be played, or no worker is left.
    pub(super) fn play(&self, spec: &MatchSpec) -> Result<Played, CannotPlay> {
        match self {
            Self::Here(here, _) => play(here, spec, false),
            Self::Workers(workers) => {
                workers.play(spec).map(|record| Played::in_process(record, None, Vec::new()))
            }
        }
    }
}

/// The flags of the opponents, all of whom a line-up plays against on each board.
#[derive(Args)]
pub(super) struct PoolFlags {
    /// A line-up to play against; again for each.
    #[arg(long, value_name = "LINE-UP", required = true)]
    pub(super) against: Vec<String>,
    /// A configuration of the game by name; again for each in which they play [default: the game's own defaults].
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
}

impl PoolFlags {
    /// Returns the opponents.
    ///
    /// # Errors
    ///
    /// If there is no such preset or strategy, or a value is faulty.
    pub(super) fn read(
        &self,
        executor: &InProcess,
        flags: &ContestFlags,
        thinking: Thinking,
    ) -> Result<Pool, Failure> {
        let presets: Vec<Option<&str>> = match &self.preset[..] {
            [] => vec![None],
            presets => presets.iter().map(|preset| Some(preset.as_str())).collect(),
        };
        let game = |preset| setup(executor, flags, preset, thinking);
        let opponent = |text: &String| line_up(executor, &flags.game, text);
        Ok(Pool {
            games: presets.into_iter().map(game).collect::<Result<_, _>>()?,
            opponents: self.against.iter().map(opponent).collect::<Result<_, _>>()?,
        })
    }
}

/// Reads a difference in Elo.
pub(super) fn margin(text: &str) -> Result<f64, String> {
    let margin = text.parse().ok().filter(|margin: &f64| (0.1..=1_000.0).contains(margin));
    margin.ok_or_else(|| "expected a number of Elo from 0.1 to 1000".to_owned())
}

/// Reads the probability of an error.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (1e-6..0.5).contains(rate));
    rate.ok_or_else(|| "expected a number from 0.000001 to below 0.5".to_owned())
}

/// Returns the entrants of these line-ups, each as it is written.
pub(super) fn entrants<'a>(line_ups: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    let parts = line_ups.into_iter().filter_map(|text| notation::line_up(text).ok()).flatten();
    parts.map(|(part, _)| part).collect()
}

/// The game with this preset and these values over it.
///
/// # Errors
///
/// If there is no such preset, or a value is faulty.
pub(super) fn setup(
    executor: &InProcess,
    ContestFlags { game, set, .. }: &ContestFlags,
    preset: Option<&str>,
    thinking: Thinking,
) -> Result<GameSetup, Failure> {
    let table = game_catalogue::find(game).map_or(&[][..], |game| game.parameters());
    let values =
        settings("--set", set, table, "e.g. `--set teamSize=2`: `bots presets` shows the parameters")?;
    let configured = executor.configure(game, preset, &values).map_err(|faults: Vec<ConfigFault>| {
        let faults: Vec<String> = faults.into_iter().map(|fault| fault.text).collect();
        Failure::misuse(
            faults.join("\n"),
            "`bots presets` shows the parameters of each game with their values",
        )
    })?;
    Ok(GameSetup {
        game: game.clone(),
        config: configured.config,
        teams: configured.teams,
        limits: MatchLimits { thinking, ..MatchLimits::default() },
    })
}

/// Returns the line-up of this text, which is its name too.
///
/// # Errors
///
/// If there is no such strategy.
pub(super) fn line_up(executor: &InProcess, game: &str, text: &str) -> Result<NamedLineUp, Failure> {
    let strategies = executor
        .line_up(game, text)
        .map_err(|why| Failure::misuse(why, "a line-up is e.g. greedy or coordinated*3+liar"))?;
    Ok(NamedLineUp { name: text.to_owned(), strategies })
}

/// Plays a match that was played before; again, as a league does, if this machine fails it. The inner error says why it
/// has failed each time.
///
/// # Errors
///
/// If the match cannot be played.
pub(super) fn played_again(
    executor: &InProcess,
    spec: &MatchSpec,
    with_replay: bool,
) -> Result<Result<Played, String>, CannotPlay> {
    let mut why = String::new();
    let played = repeated(
        || executor.play(spec, with_replay),
        |played| {
            why = played.host_fault().unwrap_or("it was too slow").to_owned();
            Ok(())
        },
    )?;
    Ok(played.ok_or(why))
}

/// Plays a match; again, as a league does, if this machine was too slow for a limited decision.
///
/// # Errors
///
/// If the match cannot be played, or one of its programs could not begin it: the author of a program that cannot start
/// has no use for a comparison with it.
pub(super) fn play(executor: &InProcess, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
    let mut why = String::new();
    let played = repeated(
        || executor.play(spec, with_replay),
        |played| {
            why = played.logs.last().map_or_else(String::new, |log| format!(": {}", log.text));
            Ok(())
        },
    )?;
    if let Some(report) = executor.take_unready() {
        return Err(CannotPlay(report));
    }
    played.ok_or_else(|| {
        let seed = spec.seed;
        CannotPlay(format!(
            "the match with seed {seed} does not count, {MOST_REPETITIONS} times in a row{why}; fewer `--jobs` or a longer \
             `--think-limit-ms` may help"
        ))
    })
}

/// Returns the failure of a contest in which a match cannot be played.
pub(super) fn unplayable(error: &CannotPlay) -> Failure {
    Failure::misuse(format!("cannot play: {error}"), "check the line-ups, the preset and the workers")
}

/// Time between two updates of the line on a terminal.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line with the state of a contest; without a terminal, one each minute.
pub(super) struct Screen {
    bar: ProgressBar,
    begun: Instant,
    due: Due,
}

impl Screen {
    pub(super) fn new() -> Self {
        let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        let begun = Instant::now();
        Self { bar, begun, due: Due::new(begun) }
    }

    /// Shows the line, given the time since the start, if the last one is old enough.
    pub(super) fn show(&mut self, line: impl FnOnce(Duration) -> String) {
        let (now, is_hidden) = (Instant::now(), self.bar.is_hidden());
        if !self.due.is_due(now, if is_hidden { LINE_INTERVAL } else { INTERVAL }) {
            return;
        }
        let line = line(now.duration_since(self.begun));
        if is_hidden {
            tell(&line);
        } else {
            self.bar.set_message(line);
            self.bar.tick();
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
