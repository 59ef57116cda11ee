//! Matches and comparisons.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use contests::compare::{self as comparison, Findings, PairMatch, Plan, Tally};
use contests::setup::{GameSetup, NamedLineUp};
use contests::statistics::Decision;
use game_env::matches::{MatchLimits, MatchRecord, MatchSpec, PlayError, check_line_up, entrants};
use game_env::{Seed, TeamId};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use strategies::room;

use crate::entrants::Entrants;
use crate::games::{configuration, game_of, wrong};
use crate::interruptible::interruptible;

/// Name and version of this program in records and replays.
const PROGRAM: &str = concat!("project-game ", env!("CARGO_PKG_VERSION"));

/// Makes the program of a class, by the class's command.
type Classes = HashMap<String, Py<PyAny>>;

/// A match of these line-ups, one for each team, as JSON.
#[pyfunction]
pub(crate) fn spec(
    game: &str,
    preset: Option<&str>,
    values: &str,
    seed: u64,
    line_ups: Vec<String>,
) -> PyResult<String> {
    let game = game_of(game)?;
    let config = configuration(game, preset, values)?;
    let teams = game.teams(&config).map_err(wrong)?;
    let count = TeamId::count(&teams);
    if line_ups.len() != count {
        let title = game.description().title;
        return Err(wrong(format!(
            "{} line-ups: {title} has {count} teams with this configuration",
            line_ups.len()
        )));
    }
    let own = room::find(game.name()).map_err(wrong)?;
    let line_ups: Vec<Vec<String>> =
        line_ups.iter().map(|text| own.line_up(text)).collect::<Result<_, _>>().map_err(wrong)?;
    line_ups.iter().try_for_each(|line_up| check_line_up(&teams, line_up)).map_err(wrong)?;
    let spec = MatchSpec {
        game: game.name().to_owned(),
        config,
        seed: Seed::new(seed),
        entrants: entrants(&teams, &line_ups),
        limits: MatchLimits::default(),
    };
    Ok(spec.to_string())
}

/// Plays a match; returns its record as JSON, and its replay if that is asked for.
#[pyfunction]
pub(crate) fn play<'py>(
    py: Python<'py>,
    spec: &str,
    classes: Classes,
    with_replay: bool,
) -> PyResult<(String, Option<Bound<'py, PyBytes>>)> {
    let spec: MatchSpec = spec.parse().map_err(wrong)?;
    let entrants = Entrants::new(py, classes)?;
    entrants.check(spec.entrants.iter().map(String::as_str))?;
    let room = entrants.room(&spec.game)?;
    let mut replay = with_replay.then(Vec::new);
    // On this thread: it may be the one that handles signals, and then Ctrl-C is raised in a class that plays.
    let record = py.detach(|| {
        room.play(&spec, PROGRAM, replay.as_mut().map(|replay| replay as &mut dyn std::io::Write))
    });
    entrants.raise()?;
    let record = record.map_err(unplayable)?;
    Ok((record.to_string(), replay.map(|replay| PyBytes::new(py, &replay))))
}

fn unplayable(error: PlayError) -> PyErr {
    match error {
        PlayError::Replay(error) => PyOSError::new_err(error.to_string()),
        error => wrong(error),
    }
}

/// Reasons why a comparison ends without a result.
enum NoResult {
    Stopped,
    Play(PlayError),
}

/// Compares two line-ups by mirrored pairs until the sequential test has decided, or there are this many games.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "only the module of Python calls it")]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    game: &str,
    preset: Option<&str>,
    values: &str,
    seed: u64,
    line_ups: [String; 2],
    names: [String; 2],
    classes: Classes,
    most_pairs: Option<u64>,
    jobs: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyDict>> {
    let entrants = Entrants::new(py, classes)?;
    let game = game_of(game)?;
    let config = configuration(game, preset, values)?;
    let room = entrants.room(game.name())?;
    let [first, second] = line_ups.map(|text| room.line_up(&text).map_err(wrong));
    let line_up = |name, strategies| NamedLineUp { name, strategies };
    let [own, other] = names;
    let plan = Plan {
        setup: GameSetup {
            game: game.name().to_owned(),
            teams: game.teams(&config).map_err(wrong)?,
            config,
            limits: MatchLimits::default(),
        },
        line_ups: [line_up(own, first?), line_up(other, second?)],
        seed: Seed::new(seed),
        margin: comparison::MARGIN,
        alpha: comparison::ERROR,
        beta: comparison::ERROR,
        most_pairs: most_pairs.unwrap_or(comparison::MOST_PAIRS),
    };
    plan.check().map_err(wrong)?;
    entrants.check(plan.line_ups.iter().flat_map(|line_up| &line_up.strategies).map(String::as_str))?;
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let play = |spec: &MatchSpec| -> Result<MatchRecord, NoResult> {
        if entrants.stop().is_asked() {
            return Err(NoResult::Stopped);
        }
        room.play(spec, PROGRAM, None).map_err(NoResult::Play)
    };
    let watch = |_: &Tally| ControlFlow::Continue(());
    let tally = interruptible(py, entrants.stop(), || comparison::run(&plan, jobs, &play, watch));
    entrants.raise()?;
    let tally = tally.map_err(|why| match why {
        NoResult::Stopped => PyRuntimeError::new_err("the comparison was stopped"),
        NoResult::Play(error) => unplayable(error),
    })?;
    result(py, &plan, &tally)
}

/// The result of a comparison as a dictionary.
fn result<'py>(py: Python<'py>, plan: &Plan, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let findings = Findings::new(plan, tally);
    let score = tally.score();
    let verdict = tally.decision().map(|decision| match decision {
        Decision::First => "first",
        Decision::Second => "second",
        Decision::Equal => "equal",
    });
    let example = |which: PairMatch| plan.spec(which).to_string();
    let examples: Vec<(&str, String)> =
        findings.examples.iter().map(|found| (found.why.as_str(), example(found.which))).collect();
    let meeting = tally.meeting();
    let result = PyDict::new(py);
    result.set_item("sentence", &findings.sentence)?;
    result.set_item("text", findings.to_string())?;
    result.set_item("verdict", verdict)?;
    result.set_item("score", score.value)?;
    result.set_item("interval", (score.low, score.high))?;
    result.set_item("games", (meeting.won, meeting.drawn, meeting.lost))?;
    result.set_item("examples", examples)?;
    Ok(result)
}
