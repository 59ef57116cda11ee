//! One environment for the modules of Python: a call for each step, which returns all that a method of PettingZoo or
//! Gymnasium returns.

use std::sync::{Mutex, MutexGuard, TryLockError};

use game_env::{AgentId, Seed};
use numpy::ndarray::{Array1, Array3};
use numpy::{IntoPyArray as _, ToPyArray as _};
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use strategies::arrays::Sight;

use crate::entrants::Entrants;
use crate::games::wrong;
use crate::playing::{Playing, Setup, layout};

/// A step of one side: observation, reward, termination, truncation and info.
type Step<'py> = (Bound<'py, PyDict>, f32, bool, bool, Bound<'py, PyDict>);

/// A step of all agents, each a dictionary by their names: observations, rewards, terminations, truncations and infos.
type CommonStep<'py> =
    (Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// One game after another, whose decisions come from Python as numbers.
#[pyclass(module = "project_game._native", frozen)]
pub(crate) struct Environment {
    table: Mutex<Table>,
    entrants: Entrants,
    /// The agents that are decided for from outside, and their names.
    agents: Vec<(AgentId, Py<PyString>)>,
}

/// A game, and what its agents see.
struct Table {
    playing: Playing,
    /// The agent whose view a step of one side has shown last.
    shown: AgentId,
    /// The rewards of all teams for the last step of one side.
    rewards: Array1<f32>,
    /// Buffers for a step of all agents: an action and a mark for each.
    actions: Vec<Option<i64>>,
    served: Vec<bool>,
}

/// The view of an agent. It is written without the lock of the interpreter.
struct View {
    planes: Array3<u8>,
    vector: Array1<f32>,
    mask: Array1<i8>,
}

/// The seed of the game of this number after the first one of a seed.
#[pyfunction]
pub(crate) fn child(seed: u64, number: u64) -> u64 {
    Seed::new(seed).child(number).get()
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

impl Table {
    fn new(playing: Playing) -> Self {
        let count = playing.teams().len();
        let shown = playing.agents().next().unwrap_or_default();
        Self {
            shown,
            rewards: Array1::zeros(playing.team_count()),
            actions: vec![None; count],
            served: vec![false; count],
            playing,
        }
    }

    /// The view of an agent, in new arrays.
    fn view(&mut self, agent: AgentId) -> View {
        let layout = self.playing.layout();
        let mut view = View {
            planes: Array3::zeros((layout.planes.len(), layout.rows, layout.columns)),
            vector: Array1::zeros(layout.vector.len()),
            mask: Array1::zeros(layout.actions.len()),
        };
        let parts = (view.planes.as_slice_mut(), view.vector.as_slice_mut(), view.mask.as_slice_mut());
        let (Some(planes), Some(vector), Some(mask)) = parts else {
            unreachable!("the arrays are contiguous")
        };
        self.playing.write(agent, planes, vector, mask);
        view
    }

    /// The view of the agent that is to decide.
    fn asked_view(&mut self) -> View {
        self.shown = self.playing.asked().unwrap_or(self.shown);
        self.view(self.shown)
    }

    /// The views of these agents.
    fn views(&mut self, agents: &[(AgentId, Py<PyString>)]) -> Vec<View> {
        agents.iter().map(|(agent, _)| self.view(*agent)).collect()
    }

    /// Adds to an info what the agent was told since its last decision, if agents get notices, and the result if the
    /// game is over.
    fn complete<'py>(&mut self, info: &Bound<'py, PyDict>, agent: AgentId) -> PyResult<()> {
        let py = info.py();
        if self.playing.sight() == Sight::Notices {
            let notices = self.playing.notices(agent).join(",");
            let read = py.import(intern!(py, "json"))?.getattr(intern!(py, "loads"))?;
            info.set_item(intern!(py, "notices"), read.call1((format!("[{notices}]"),))?)?;
        }
        if let Some(episode) = self.playing.episode() {
            let outcome = episode.outcome;
            // Gymnasium collects the numbers of many environments in one array, which cannot hold a None.
            if let Some(winner) = outcome.winner() {
                info.set_item(intern!(py, "winner"), winner.index())?;
            }
            info.set_item(intern!(py, "termination"), outcome.termination.to_string())?;
            info.set_item(intern!(py, "points"), self.playing.points())?;
        }
        Ok(())
    }

    /// The info of the agent of the last [`asked_view`](Self::asked_view).
    fn asked_info<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "agent"), self.shown.index())?;
        info.set_item(intern!(py, "team_rewards"), self.rewards.to_pyarray(py))?;
        self.complete(&info, self.shown)?;
        Ok(info)
    }

    /// The observations and the infos of these agents, which have these views.
    fn all<'py>(
        &mut self,
        py: Python<'py>,
        agents: &[(AgentId, Py<PyString>)],
        views: Vec<View>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let (observations, infos) = (PyDict::new(py), PyDict::new(py));
        for ((agent, name), view) in agents.iter().zip(views) {
            observations.set_item(name, view.observation(py)?)?;
            let info = PyDict::new(py);
            info.set_item(intern!(py, "served"), self.served[agent.index()])?;
            self.complete(&info, *agent)?;
            infos.set_item(name, info)?;
        }
        Ok((observations, infos))
    }
}

impl View {
    /// The view as NumPy arrays. That of the planes, which can be long, takes over their memory; it is faster to copy
    /// the others.
    fn observation(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let observation = PyDict::new(py);
        if !self.planes.is_empty() {
            observation.set_item(intern!(py, "planes"), self.planes.into_pyarray(py))?;
        }
        observation.set_item(intern!(py, "vector"), self.vector.to_pyarray(py))?;
        observation.set_item(intern!(py, "action_mask"), self.mask.to_pyarray(py))?;
        Ok(observation)
    }
}

#[pymethods]
impl Environment {
    #[new]
    fn new(py: Python<'_>, setup: Setup) -> PyResult<Self> {
        let (entrants, make) = setup.prepare(py)?;
        let playing = py.detach(make)?;
        let named = |agent: AgentId| (agent, PyString::new(py, &name(agent)).unbind());
        let agents = playing.agents().map(named).collect();
        Ok(Self { table: Mutex::new(Table::new(playing)), entrants, agents })
    }

    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        layout(py, self.lock()?.playing.layout())
    }

    /// The number of the team of each agent.
    fn teams(&self) -> PyResult<Vec<usize>> {
        Ok(self.lock()?.playing.teams().iter().map(|team| team.index()).collect())
    }

    /// The ids of the agents that are decided for from outside, by their names.
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ids = PyDict::new(py);
        for (agent, name) in &self.agents {
            ids.set_item(name, agent.index())?;
        }
        Ok(ids)
    }

    fn begin(&self, py: Python<'_>, seed: u64) -> PyResult<()> {
        let table = &mut *self.lock()?;
        table.served.fill(false);
        table.rewards.fill(0.0);
        self.run(py, table, |table| table.playing.begin(Seed::new(seed)))
    }

    /// The agent that is to decide.
    fn asked(&self) -> PyResult<Option<usize>> {
        Ok(self.lock()?.playing.asked().map(AgentId::index))
    }

    /// The game time in milliseconds.
    fn now(&self) -> PyResult<u64> {
        Ok(self.lock()?.playing.game().now().as_millis())
    }

    /// The hash of the state.
    fn hash(&self) -> PyResult<u64> {
        Ok(self.lock()?.playing.game().hash())
    }

    /// Decides for the asked agent, whose view is shown: a step of one side.
    fn step<'py>(&self, action: &Bound<'py, PyAny>) -> PyResult<Step<'py>> {
        let (py, table) = (action.py(), &mut *self.lock()?);
        let action = table.playing.read(action)?;
        table.playing.check(action)?;
        let (reward, view) = self.run(py, table, |table| {
            let Table { playing, rewards, .. } = table;
            let reward = playing.step(action, |team, own| rewards[team.index()] = own)?;
            Ok((reward, table.asked_view()))
        })?;
        let ended = table.playing.ended();
        let info = table.asked_info(py)?;
        Ok((view.observation(py)?, reward, ended.is_terminated, ended.is_truncated, info))
    }

    /// The observation of the agent that is to decide, and its info.
    fn look<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let table = &mut *self.lock()?;
        let view = py.detach(|| table.asked_view());
        Ok((view.observation(py)?, table.asked_info(py)?))
    }

    /// Decides for all agents that are due; says whether the game is over.
    fn step_all<'py>(&self, actions: &Bound<'py, PyDict>) -> PyResult<(bool, CommonStep<'py>)> {
        let (py, table) = (actions.py(), &mut *self.lock()?);
        let mut found = 0;
        for (agent, name) in &self.agents {
            let action = actions.get_item(name)?;
            found += usize::from(action.is_some());
            let action = action.filter(|action| !action.is_none());
            let action = action.map(|action| table.playing.read(&action)).transpose()?;
            table.actions[agent.index()] = action;
        }
        if found < actions.len() {
            return Err(self.unknown(actions)?);
        }
        table.served.fill(false);
        let views = self.run(py, table, |table| {
            table.playing.act_all(&table.actions, &mut table.served)?;
            Ok(table.views(&self.agents))
        })?;
        let mut by_team = Vec::with_capacity(2);
        table.playing.rewards(|_, reward| by_team.push(reward));
        let ended = table.playing.ended();
        let [rewards, terminations, truncations] = [(); 3].map(|()| PyDict::new(py));
        for (agent, name) in &self.agents {
            let team = table.playing.teams()[agent.index()];
            rewards.set_item(name, by_team[team.index()])?;
            terminations.set_item(name, ended.is_terminated)?;
            truncations.set_item(name, ended.is_truncated)?;
        }
        let (observations, infos) = table.all(py, &self.agents, views)?;
        Ok((ended.is_over(), (observations, rewards, terminations, truncations, infos)))
    }

    /// The observations and the infos of all agents.
    fn look_all<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let table = &mut *self.lock()?;
        let views = py.detach(|| table.views(&self.agents));
        table.all(py, &self.agents, views)
    }

    /// Decides for the asked agent; returns the reward of each team, whether the game is terminated or truncated, and
    /// the agent that is to decide next.
    fn act(&self, action: &Bound<'_, PyAny>) -> PyResult<(Vec<f32>, bool, bool, Option<usize>)> {
        let (py, table) = (action.py(), &mut *self.lock()?);
        let action = table.playing.read(action)?;
        table.playing.check(action)?;
        self.run(py, table, |table| table.playing.act(action, false))?;
        let mut rewards = Vec::with_capacity(2);
        table.playing.rewards(|_, reward| rewards.push(reward));
        let ended = table.playing.ended();
        let asked = table.playing.asked().map(AgentId::index);
        Ok((rewards, ended.is_terminated, ended.is_truncated, asked))
    }

    /// The observation of an agent.
    fn observe<'py>(&self, py: Python<'py>, agent: u16) -> PyResult<Bound<'py, PyDict>> {
        let (table, agent) = (&mut *self.lock()?, self.own(agent)?);
        py.detach(|| table.view(agent)).observation(py)
    }

    /// The info of an agent.
    fn info<'py>(&self, py: Python<'py>, agent: u16) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        self.lock()?.complete(&info, self.own(agent)?)?;
        Ok(info)
    }
}

impl Environment {
    fn lock(&self) -> PyResult<MutexGuard<'_, Table>> {
        lock(&self.table)
    }

    /// Plays without the lock of the interpreter. If an entrant has failed, or Ctrl-C was pressed, raises an exception
    /// and gives the game up.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        table: &mut Table,
        call: impl FnOnce(&mut Table) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        self.entrants.begin();
        let done = py.detach(|| call(table));
        self.entrants.raise_failure().inspect_err(|_| table.playing.give_up())?;
        done
    }

    /// An agent that is decided for from outside.
    fn own(&self, agent: u16) -> PyResult<AgentId> {
        let agent = AgentId::new(agent);
        let is_own = self.agents.iter().any(|(own, _)| *own == agent);
        let fault = || wrong(format!("{} is not decided for from outside", name(agent)));
        is_own.then_some(agent).ok_or_else(fault)
    }

    /// The exception for an action of an agent that is not there.
    fn unknown(&self, actions: &Bound<'_, PyDict>) -> PyResult<PyErr> {
        let names: Vec<String> = self.agents.iter().map(|(agent, _)| name(*agent)).collect();
        for key in actions.keys() {
            if !key.extract::<String>().is_ok_and(|key| names.contains(&key)) {
                return Ok(wrong(format!("no agent {}: expected {}", key.repr()?, names.join(", "))));
            }
        }
        Ok(wrong("an action for an agent that is not there"))
    }
}

/// The name of an agent.
fn name(agent: AgentId) -> String {
    format!("agent_{}", agent.index())
}
