//! One environment for the modules of Python: a call for each step, which returns all that a method of PettingZoo or
//! Gymnasium returns.

use std::sync::{Mutex, MutexGuard, TryLockError};

use game_env::{AgentId, Seed};
use numpy::ToPyArray as _;
use numpy::ndarray::{Array1, Array3};
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
    /// Buffers for a view.
    planes: Array3<u8>,
    vector: Array1<f32>,
    mask: Array1<i8>,
    /// Buffers for a step of all agents: an action and a mark for each.
    actions: Vec<Option<i64>>,
    served: Vec<bool>,
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
        let layout = playing.layout();
        let count = playing.teams().len();
        let shown = playing.agents().next().unwrap_or_default();
        Self {
            shown,
            planes: Array3::zeros((layout.planes.len(), layout.rows, layout.columns)),
            vector: Array1::zeros(layout.vector.len()),
            mask: Array1::zeros(layout.actions.len()),
            actions: vec![None; count],
            served: vec![false; count],
            playing,
        }
    }

    /// The observation of an agent, in new arrays.
    fn observation<'py>(&mut self, py: Python<'py>, agent: AgentId) -> PyResult<Bound<'py, PyDict>> {
        let Self { playing, planes, vector, mask, .. } = self;
        let parts = (planes.as_slice_mut(), vector.as_slice_mut(), mask.as_slice_mut());
        let (Some(own_planes), Some(own_vector), Some(own_mask)) = parts else {
            unreachable!("the buffers are contiguous")
        };
        playing.write(agent, own_planes, own_vector, own_mask);
        let observation = PyDict::new(py);
        if !planes.is_empty() {
            observation.set_item(intern!(py, "planes"), planes.to_pyarray(py))?;
        }
        observation.set_item(intern!(py, "vector"), vector.to_pyarray(py))?;
        observation.set_item(intern!(py, "action_mask"), mask.to_pyarray(py))?;
        Ok(observation)
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

    /// The observation of the agent that is to decide, and its info.
    fn look<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        self.shown = self.playing.asked().unwrap_or(self.shown);
        let info = PyDict::new(py);
        info.set_item(intern!(py, "agent"), self.shown.index())?;
        self.complete(&info, self.shown)?;
        Ok((self.observation(py, self.shown)?, info))
    }

    /// The observations and the infos of these agents.
    fn look_all<'py>(
        &mut self,
        py: Python<'py>,
        agents: &[(AgentId, Py<PyString>)],
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let (observations, infos) = (PyDict::new(py), PyDict::new(py));
        for (agent, name) in agents {
            observations.set_item(name, self.observation(py, *agent)?)?;
            let info = PyDict::new(py);
            info.set_item(intern!(py, "served"), self.served[agent.index()])?;
            self.complete(&info, *agent)?;
            infos.set_item(name, info)?;
        }
        Ok((observations, infos))
    }
}

#[pymethods]
impl Environment {
    #[new]
    fn new(py: Python<'_>, setup: Setup) -> PyResult<Self> {
        let (entrants, make) = setup.prepare(py)?;
        let playing = make()?;
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
        self.run(py, &mut table.playing, |playing| playing.begin(Seed::new(seed)))
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
    fn step<'py>(&self, py: Python<'py>, action: i64) -> PyResult<Step<'py>> {
        let table = &mut *self.lock()?;
        table.playing.check(action)?;
        let reward = self.run(py, &mut table.playing, |playing| playing.step(action, |_, _| {}))?;
        let ended = table.playing.ended();
        let (observation, info) = table.look(py)?;
        Ok((observation, reward, ended.is_terminated, ended.is_truncated, info))
    }

    /// The observation of the agent that is to decide, and its info.
    fn look<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        self.lock()?.look(py)
    }

    /// Decides for all agents that are due; says whether the game is over.
    fn step_all<'py>(&self, actions: &Bound<'py, PyDict>) -> PyResult<(bool, CommonStep<'py>)> {
        let (py, table) = (actions.py(), &mut *self.lock()?);
        let mut found = 0;
        for (agent, name) in &self.agents {
            let action = actions.get_item(name)?;
            found += usize::from(action.is_some());
            let action = action.map(|action| action.extract::<Option<i64>>()).transpose()?;
            table.actions[agent.index()] = action.flatten();
        }
        if found < actions.len() {
            return Err(self.unknown(actions)?);
        }
        let Table { playing, actions, served, .. } = table;
        served.fill(false);
        self.run(py, playing, |playing| playing.act_all(actions, served))?;
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
        let (observations, infos) = table.look_all(py, &self.agents)?;
        Ok((ended.is_over(), (observations, rewards, terminations, truncations, infos)))
    }

    /// The observations and the infos of all agents.
    fn look_all<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        self.lock()?.look_all(py, &self.agents)
    }

    /// Decides for the asked agent; returns the reward of each team, whether the game is terminated or truncated, and
    /// the agent that is to decide next.
    fn act(&self, py: Python<'_>, action: i64) -> PyResult<(Vec<f32>, bool, bool, Option<usize>)> {
        let table = &mut *self.lock()?;
        table.playing.check(action)?;
        self.run(py, &mut table.playing, |playing| playing.act(action, false))?;
        let mut rewards = Vec::with_capacity(2);
        table.playing.rewards(|_, reward| rewards.push(reward));
        let ended = table.playing.ended();
        let asked = table.playing.asked().map(AgentId::index);
        Ok((rewards, ended.is_terminated, ended.is_truncated, asked))
    }

    /// The observation of an agent.
    fn observe<'py>(&self, py: Python<'py>, agent: u16) -> PyResult<Bound<'py, PyDict>> {
        self.lock()?.observation(py, self.own(agent)?)
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
        playing: &mut Playing,
        call: impl FnOnce(&mut Playing) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        self.entrants.begin();
        let done = py.detach(|| call(playing));
        self.entrants.raise_failure().inspect_err(|_| playing.give_up())?;
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
