//! One environment for the modules of Python.

use std::sync::{Mutex, MutexGuard, TryLockError};

use game_env::{AgentId, Seed};
use numpy::ndarray::{Array1, Array3};
use numpy::{IntoPyArray as _, PyArray1, PyArray3};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::entrants::Entrants;
use crate::games::wrong;
use crate::playing::{Playing, Setup, layout};

/// The view of an agent: planes, vector and mask.
type View<'py> = (Bound<'py, PyArray3<u8>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<i8>>);

/// One game after another, whose decisions come from Python as numbers.
#[pyclass(module = "project_game._native", frozen)]
pub(crate) struct Environment {
    playing: Mutex<Playing>,
    entrants: Entrants,
}

impl Environment {
    fn lock(&self) -> PyResult<MutexGuard<'_, Playing>> {
        lock(&self.playing)
    }
}

/// Locks an environment. Several threads cannot play one game.
///
/// # Errors
///
/// `RuntimeError` if another thread uses it at this moment, or its game has failed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    mutex.try_lock().map_err(|error| {
        PyRuntimeError::new_err(match error {
            TryLockError::WouldBlock => "another thread uses this environment at this moment",
            TryLockError::Poisoned(_) => "this environment has failed before: make another one",
        })
    })
}

#[pymethods]
impl Environment {
    #[new]
    fn new(py: Python<'_>, setup: Setup) -> PyResult<Self> {
        let (entrants, make) = setup.prepare(py)?;
        Ok(Self { playing: Mutex::new(make()?), entrants })
    }

    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        layout(py, self.lock()?.layout())
    }

    /// The team of each agent.
    fn teams(&self) -> PyResult<Vec<usize>> {
        Ok(self.lock()?.teams().iter().map(|team| team.index()).collect())
    }

    /// The agents that are decided for from outside.
    fn agents(&self) -> PyResult<Vec<usize>> {
        Ok(self.lock()?.agents().map(AgentId::index).collect())
    }

    fn begin(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        let mut playing = self.lock()?;
        self.entrants.begin();
        let own = &mut *playing;
        let begun = py.detach(|| own.begin(Seed::new(seed)));
        self.entrants.raise()?;
        begun.map_err(wrong)
    }

    /// The agent that is to decide.
    fn asked(&self) -> PyResult<Option<usize>> {
        Ok(self.lock()?.asked().map(AgentId::index))
    }

    /// The game time in milliseconds.
    fn now(&self) -> PyResult<u64> {
        Ok(self.lock()?.game().now().as_millis())
    }

    /// Whether the game is over by its rules, and whether a limit has ended it.
    fn ended(&self) -> PyResult<(bool, bool)> {
        let ended = self.lock()?.ended();
        Ok((ended.is_terminated, ended.is_truncated))
    }

    /// Decides for the asked agent; returns the reward of each team.
    fn act(&self, py: Python<'_>, action: i64) -> PyResult<Vec<f32>> {
        let mut playing = self.lock()?;
        playing.check(action)?;
        let own = &mut *playing;
        let acted = py.detach(|| own.act(action, false));
        self.entrants.raise()?;
        acted?;
        Ok(rewards(&mut playing))
    }

    /// Decides for all agents that are due; returns the reward of each team, and which agents were asked.
    fn act_all(&self, py: Python<'_>, actions: Vec<Option<i64>>) -> PyResult<(Vec<f32>, Vec<bool>)> {
        let mut playing = self.lock()?;
        let count = playing.teams().len();
        if actions.len() != count {
            return Err(wrong(format!("{} actions: expected one for each of {count} agents", actions.len())));
        }
        let mut served = vec![false; count];
        let own = &mut *playing;
        let acted = py.detach(|| own.act_all(&actions, &mut served));
        self.entrants.raise()?;
        acted?;
        Ok((rewards(&mut playing), served))
    }

    /// The view of an agent, in new arrays.
    fn observe<'py>(&self, py: Python<'py>, agent: u16) -> PyResult<View<'py>> {
        let mut playing = self.lock()?;
        let agent = AgentId::new(agent);
        if !playing.agents().any(|outside| outside == agent) {
            return Err(wrong(format!("agent_{} is not decided for from outside", agent.index())));
        }
        Ok(view(py, &mut playing, agent))
    }

    /// The views of all agents that are decided for from outside, in new arrays.
    fn observe_all<'py>(&self, py: Python<'py>) -> PyResult<Vec<View<'py>>> {
        let mut playing = self.lock()?;
        let agents: Vec<AgentId> = playing.agents().collect();
        Ok(agents.into_iter().map(|agent| view(py, &mut playing, agent)).collect())
    }

    /// The hash of the state.
    fn hash(&self) -> PyResult<u64> {
        Ok(self.lock()?.game().hash())
    }

    /// The points of each team.
    fn points(&self) -> PyResult<Vec<i32>> {
        let playing = self.lock()?;
        let mut teams = playing.teams().to_vec();
        teams.sort_unstable();
        teams.dedup();
        Ok(teams.into_iter().map(|team| playing.game().points(team)).collect())
    }

    /// The winner's team and the reason of the end, once the game is over: `(None, "stall")` if nobody has won.
    fn outcome(&self) -> PyResult<Option<(Option<usize>, String)>> {
        let episode = self.lock()?.game().episode();
        Ok(episode.map(|episode| {
            let outcome = episode.outcome;
            (outcome.winner().map(|team| team.index()), outcome.termination.to_string())
        }))
    }
}

fn rewards(playing: &mut Playing) -> Vec<f32> {
    let mut rewards = Vec::new();
    playing.rewards(|_, reward| rewards.push(reward));
    rewards
}

fn view<'py>(py: Python<'py>, playing: &mut Playing, agent: AgentId) -> View<'py> {
    let layout = playing.layout();
    let mut planes = Array3::zeros((layout.planes.len(), layout.rows, layout.columns));
    let mut vector = Array1::zeros(layout.vector.len());
    let mut mask = Array1::zeros(layout.actions.len());
    if let (Some(planes), Some(vector), Some(mask)) =
        (planes.as_slice_mut(), vector.as_slice_mut(), mask.as_slice_mut())
    {
        playing.write(agent, planes, vector, mask);
    }
    (planes.into_pyarray(py), vector.into_pyarray(py), mask.into_pyarray(py))
}
