//! Many environments at once: actions in, arrays out.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use game_env::{AgentId, Seed};
use numpy::{PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::exceptions::PyOSError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};
use strategies::arrays::Sight;

use crate::entrants::Entrants;
use crate::environment::lock;
use crate::games::wrong;
use crate::interruptible::Stop;
use crate::playing::{Playing, Setup, layout};

/// Environments that are stepped together. The decisions of an environment are those of all its agents from outside, in
/// the order of the game.
#[pyclass(module = "project_game._native", frozen)]
pub(crate) struct VectorEnvironment {
    all: Mutex<All>,
    entrants: Entrants,
}

struct All {
    slots: Vec<Slot>,
    threads: usize,
    /// The threads, and the process that they belong to: a fork has none of them.
    pool: Option<(u32, ThreadPool)>,
}

/// One environment.
struct Slot {
    playing: Playing,
    /// The seed of its games.
    seed: Seed,
    /// The number of games that have begun.
    games: u64,
    /// Whether the next step begins a game.
    is_over: bool,
    /// The agent whose view was written last.
    shown: AgentId,
}

/// The arrays of some environments, one row for each.
struct Out<'a> {
    planes: &'a mut [u8],
    vector: &'a mut [f32],
    mask: &'a mut [i8],
    rewards: &'a mut [f32],
    /// The rewards of all teams.
    by_team: &'a mut [f32],
    terminated: &'a mut [bool],
    truncated: &'a mut [bool],
    agents: &'a mut [i64],
}

impl Out<'_> {
    /// The rows of the first environments, and the others. There is a row for each of `count`.
    fn split(self, first: usize, count: usize) -> (Self, Self) {
        fn at<T>(slice: &mut [T], first: usize, count: usize) -> (&mut [T], &mut [T]) {
            slice.split_at_mut(slice.len() / count.max(1) * first)
        }
        let (planes, vector, mask) =
            (at(self.planes, first, count), at(self.vector, first, count), at(self.mask, first, count));
        let (rewards, by_team) = (at(self.rewards, first, count), at(self.by_team, first, count));
        let agents = at(self.agents, first, count);
        let (terminated, truncated) = (at(self.terminated, first, count), at(self.truncated, first, count));
        let part = |planes, vector, mask, rewards, by_team, terminated, truncated, agents| Out {
            planes,
            vector,
            mask,
            rewards,
            by_team,
            terminated,
            truncated,
            agents,
        };
        (
            part(planes.0, vector.0, mask.0, rewards.0, by_team.0, terminated.0, truncated.0, agents.0),
            part(planes.1, vector.1, mask.1, rewards.1, by_team.1, terminated.1, truncated.1, agents.1),
        )
    }
}

impl Slot {
    /// Begins the next game.
    fn begin(&mut self) -> PyResult<()> {
        let seed = self.seed.child(self.games);
        self.games += 1;
        self.playing.begin(seed)?;
        self.is_over = false;
        Ok(())
    }

    /// Steps, or begins a game if there is no action, or the last game is over.
    fn step(&mut self, action: Option<i64>, out: Out<'_>) -> PyResult<()> {
        out.rewards[0] = 0.0;
        out.by_team.fill(0.0);
        match action.filter(|_| !self.is_over) {
            None => {
                self.begin()?;
                (out.terminated[0], out.truncated[0]) = (false, false);
            }
            Some(action) => {
                let by_team = out.by_team;
                out.rewards[0] = self.playing.step(action, |team, own| by_team[team.index()] = own)?;
                let ended = self.playing.ended();
                (out.terminated[0], out.truncated[0]) = (ended.is_terminated, ended.is_truncated);
                self.is_over = ended.is_over();
            }
        }
        self.shown = self.playing.asked().unwrap_or(self.shown);
        self.playing.write(self.shown, out.planes, out.vector, out.mask);
        out.agents[0] = i64::try_from(self.shown.index()).unwrap_or(i64::MAX);
        Ok(())
    }
}

/// Steps some environments one after the other.
fn step(slots: &mut [Slot], actions: Option<&[i64]>, mut out: Out<'_>) -> PyResult<()> {
    let count = slots.len();
    for (place, slot) in slots.iter_mut().enumerate() {
        let (own, rest) = out.split(1, count - place);
        slot.step(actions.map(|actions| actions[place]), own)?;
        out = rest;
    }
    Ok(())
}

/// Steps environments in this number of parts, each on a thread.
fn step_in_parts(parts: usize, slots: &mut [Slot], actions: Option<&[i64]>, out: Out<'_>) -> PyResult<()> {
    if parts < 2 || slots.len() < 2 {
        return step(slots, actions, out);
    }
    let (count, first_parts) = (slots.len(), parts / 2);
    let first = (count * first_parts / parts).max(1);
    let (own, others) = out.split(first, count);
    let (slots, other_slots) = slots.split_at_mut(first);
    let (actions, other_actions) = actions.map(|actions| actions.split_at(first)).unzip();
    let (done, other_done) = rayon::join(
        || step_in_parts(first_parts, slots, actions, own),
        || step_in_parts(parts - first_parts, other_slots, other_actions, others),
    );
    done.and(other_done)
}

impl All {
    fn step(&mut self, actions: Option<&[i64]>, out: Out<'_>, stop: &Stop) -> PyResult<()> {
        if self.threads < 2 {
            return step(&mut self.slots, actions, out);
        }
        let process = std::process::id();
        let pool = match self.pool.take().filter(|(owner, _)| *owner == process) {
            Some((_, pool)) => pool,
            None => ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .build()
                .map_err(|error| PyOSError::new_err(error.to_string()))?,
        };
        let (slots, threads) = (&mut self.slots, self.threads);
        let mut done = Ok(());
        pool.in_place_scope(|scope| {
            let (at_work, games) = channel();
            let done = &mut done;
            scope.spawn(move |_| {
                *done = step_in_parts(threads, slots, actions, out);
                drop(at_work);
            });
            stop.wait(&games);
        });
        self.pool = Some((process, pool));
        done
    }

    /// Gives all games up. The next step is an error.
    fn give_up(&mut self) {
        for slot in &mut self.slots {
            slot.playing.give_up();
            slot.is_over = false;
        }
    }
}

/// The arrays of a call, one row for each environment: planes, vector, mask, rewards, terminated, truncated, agents,
/// rewards of all teams.
type Arrays<'py> = (
    PyReadwriteArray2<'py, u8>,
    PyReadwriteArray2<'py, f32>,
    PyReadwriteArray2<'py, i8>,
    PyReadwriteArray1<'py, f32>,
    PyReadwriteArray1<'py, bool>,
    PyReadwriteArray1<'py, bool>,
    PyReadwriteArray1<'py, i64>,
    PyReadwriteArray2<'py, f32>,
);

#[pymethods]
impl VectorEnvironment {
    #[new]
    fn new(py: Python<'_>, setup: Setup, count: NonZeroUsize, threads: NonZeroUsize) -> PyResult<Self> {
        let (entrants, make) = setup.prepare(py)?;
        let slot = |_| {
            let playing = make()?;
            if playing.sight() == Sight::Notices {
                let hint = "expected `knowledge`, `readings` or `board`, or an environment of one game";
                return Err(wrong(format!("a vector environment has arrays alone, and no notices: {hint}")));
            }
            let shown = playing.agents().next().unwrap_or_default();
            Ok(Slot { playing, seed: Seed::new(0), games: 0, is_over: true, shown })
        };
        let slots = py.detach(|| (0..count.get()).map(slot).collect::<PyResult<_>>())?;
        let all = All { slots, threads: threads.min(count).get(), pool: None };
        Ok(Self { all: Mutex::new(all), entrants })
    }

    fn layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        layout(py, lock(&self.all)?.slots[0].playing.layout())
    }

    /// The team of each agent, in the order of agent ids.
    fn teams(&self) -> PyResult<Vec<usize>> {
        Ok(lock(&self.all)?.slots[0].playing.teams().iter().map(|team| team.index()).collect())
    }

    /// Begins a game in every environment. The environments have seeds of their own, which follow from this one.
    fn reset(&self, py: Python<'_>, seed: u64, arrays: Arrays<'_>) -> PyResult<()> {
        for (place, slot) in (0..).zip(&mut lock(&self.all)?.slots) {
            (slot.seed, slot.games, slot.is_over) = (Seed::new(seed).child(place), 0, true);
        }
        self.run(py, None, arrays)
    }

    /// Steps every environment. Where the last game is over, the action does not count, and a game begins.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>, arrays: Arrays<'_>) -> PyResult<()> {
        // Another thread may change the array while the interpreter is released.
        let actions = actions.as_slice().map_err(wrong)?.to_vec();
        {
            let all = lock(&self.all)?;
            if actions.len() != all.slots.len() {
                let (found, expected) = (actions.len(), all.slots.len());
                return Err(wrong(format!(
                    "{found} actions: expected one for each of {expected} environments"
                )));
            }
            for (place, (slot, action)) in all.slots.iter().zip(&actions).enumerate() {
                if !slot.is_over {
                    let checked = slot.playing.check(*action);
                    checked.map_err(|error| named(py, place, error))?;
                }
            }
        }
        self.run(py, Some(&actions), arrays)
    }
}

impl VectorEnvironment {
    fn run(&self, py: Python<'_>, actions: Option<&[i64]>, arrays: Arrays<'_>) -> PyResult<()> {
        let (
            mut planes,
            mut vector,
            mut mask,
            mut rewards,
            mut terminated,
            mut truncated,
            mut agents,
            mut by_team,
        ) = arrays;
        let out = Out {
            planes: planes.as_slice_mut().map_err(wrong)?,
            vector: vector.as_slice_mut().map_err(wrong)?,
            mask: mask.as_slice_mut().map_err(wrong)?,
            rewards: rewards.as_slice_mut().map_err(wrong)?,
            terminated: terminated.as_slice_mut().map_err(wrong)?,
            truncated: truncated.as_slice_mut().map_err(wrong)?,
            agents: agents.as_slice_mut().map_err(wrong)?,
            by_team: by_team.as_slice_mut().map_err(wrong)?,
        };
        let mut all = lock(&self.all)?;
        let playing = &all.slots[0].playing;
        let (layout, teams) = (playing.layout(), playing.team_count());
        let count = all.slots.len();
        let expected = [layout.plane_bytes(), layout.vector.len(), layout.actions.len(), 1, 1, 1, 1, teams];
        let found = [
            out.planes.len(),
            out.vector.len(),
            out.mask.len(),
            out.rewards.len(),
            out.terminated.len(),
            out.truncated.len(),
            out.agents.len(),
            out.by_team.len(),
        ];
        if found != expected.map(|row| row * count) {
            return Err(wrong(format!("arrays of {found:?} numbers: expected {count} times {expected:?}")));
        }
        self.entrants.begin();
        let own = &mut *all;
        let done = py.detach(|| own.step(actions, out, self.entrants.stop()));
        self.entrants.raise_failure().inspect_err(|_| own.give_up())?;
        done
    }
}

/// The same exception with the number of the environment.
fn named(py: Python<'_>, place: usize, error: PyErr) -> PyErr {
    let value = error.value(py);
    let text = format!("environment {place}: {value}");
    value.setattr(intern!(py, "args"), (text,)).err().unwrap_or(error)
}
