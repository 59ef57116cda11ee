//! The games, their presets and their strategies, as lists and dictionaries.

use game_catalogue::{Game, find, preset};
use game_env::parameter::Parameter;
use game_env::{Parameters, TeamId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use strategies::room::rooms;

/// Returns all games, in the order of the catalogue.
#[pyfunction]
pub(crate) fn games(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for room in rooms() {
        let game = room.game();
        let description = game.description();
        let entry = PyDict::new(py);
        entry.set_item("name", game.name())?;
        entry.set_item("title", description.title)?;
        entry.set_item("agents", (*description.agents.start(), *description.agents.end()))?;
        entry.set_item("teams", (*description.teams.start(), *description.teams.end()))?;
        entry.set_item("team_names", game.team_names())?;
        entry.set_item("information", description.information.to_string())?;
        entry.set_item("has_chance", description.has_chance)?;
        entry.set_item("time", description.time.to_string())?;
        let presets = PyDict::new(py);
        for preset in game.presets() {
            presets.set_item(preset.name, preset.summary)?;
        }
        entry.set_item("presets", presets)?;
        let strategies = PyDict::new(py);
        for strategy in room.strategies() {
            let about = PyDict::new(py);
            about.set_item("summary", strategy.summary)?;
            about.set_item("parameters", parameters(py, strategy.parameters)?)?;
            strategies.set_item(strategy.name, about)?;
        }
        entry.set_item("strategies", strategies)?;
        list.append(entry)?;
    }
    Ok(list)
}

fn parameters<'py>(py: Python<'py>, parameters: &[Parameter]) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    for parameter in parameters {
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(" [{}]", parameter.unit) };
        about.set_item(parameter.name, format!("{}{unit}", parameter.meaning))?;
    }
    Ok(about)
}

/// The whole configuration of a game as JSON: the values given here, those of the preset, and defaults for all others.
#[pyfunction]
pub(crate) fn complete(game: &str, preset: Option<&str>, values: &str) -> PyResult<String> {
    let game = game_of(game)?;
    let config = configuration(game, preset, values)?;
    serde_json::to_string(&config).map_err(wrong)
}

/// The number of teams of a game with this configuration.
#[pyfunction]
pub(crate) fn team_count(game: &str, preset: Option<&str>, values: &str) -> PyResult<usize> {
    let game = game_of(game)?;
    let teams = game.teams(&configuration(game, preset, values)?).map_err(wrong)?;
    Ok(TeamId::count(&teams))
}

/// The game of this name.
///
/// # Errors
///
/// `ValueError` if there is none.
pub(crate) fn game_of(name: &str) -> PyResult<&'static dyn Game> {
    find(name).map_err(wrong)
}

/// The whole configuration of a game.
///
/// # Errors
///
/// `ValueError` that names every fault.
pub(crate) fn configuration(game: &dyn Game, name: Option<&str>, values: &str) -> PyResult<Parameters> {
    let own: Parameters = serde_json::from_str(values).map_err(wrong)?;
    let preset = name.map(|name| preset(game, name)).transpose().map_err(wrong)?;
    let asked = preset.map_or_else(|| own.clone(), |preset| own.over(&preset.parameters));
    game.complete(&asked).map_err(wrong)
}

/// The exception for a wrong argument.
pub(crate) fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
