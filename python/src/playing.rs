//! One environment: a game for a program that learns, with rewards, limits, and a rule for impossible actions.

use std::collections::HashMap;
use std::fmt::Display;

use game_env::arrays::Layout;
use game_env::matches::{check_line_up, entrants};
use game_env::{AgentId, Chance, Episode, Parameters, Seed, TeamId, Termination};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use strategies::arrays::{ArrayGame, ArrayGameError, Sight};
use strategies::room::Room;

use crate::entrants::Entrants;
use crate::games::{configuration, game_of, wrong};

/// The arguments of environments, as the function `settings` of the module `environments` gives them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Setup {
    game: String,
    preset: Option<String>,
    /// Parameters of the game as JSON.
    values: String,
    /// The line-up of each team; none for a team that is decided for from outside.
    line_ups: Vec<Option<String>>,
    /// Makes the program of a class, by the class's command.
    classes: HashMap<String, Py<PyAny>>,
    rewards: (f32, f32),
    replaces_impossible: bool,
    observation: String,
    most_steps: Option<u64>,
}

/// The settings of environments.
#[derive(Clone, Copy)]
struct Settings {
    /// The reward for winning; losing costs as much.
    win: f32,
    /// The reward for each point by which the lead of a team grows.
    point: f32,
    /// Whether an impossible action stands for a possible one that the environment draws; otherwise it is an error.
    replaces_impossible: bool,
    /// The view of agents.
    sight: Sight,
    /// The most steps of a game; then it is truncated.
    most_steps: Option<u64>,
}

/// One game after another.
pub(crate) struct Playing {
    game: Box<dyn ArrayGame>,
    settings: Settings,
    chance: Chance,
    /// The points of each team after the last step.
    points: Vec<i32>,
    /// The result, if the game is over.
    episode: Option<Episode>,
    steps: u64,
    has_begun: bool,
    /// A buffer.
    mask: Vec<i8>,
    /// A buffer: for each agent that is due, its action, and whether its mask allows that.
    due: Vec<Option<(i64, bool)>>,
}

/// The number of games in a row that may end before an agent from outside is asked.
const MOST_GAMES_UNASKED: u64 = 10_000;

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ended {
    /// By its rules, or because an agent failed.
    pub(crate) is_terminated: bool,
    /// By a limit.
    pub(crate) is_truncated: bool,
}

impl Setup {
    /// The programs of environments, and a function that makes an environment.
    ///
    /// # Errors
    ///
    /// `ValueError` if there is no such game or preset, or the configuration has faults.
    pub(crate) fn prepare(
        self,
        py: Python<'_>,
    ) -> PyResult<(Entrants, impl Fn() -> PyResult<Playing> + Send)> {
        let entrants = Entrants::new(py, self.classes)?;
        let config = configuration(game_of(&self.game)?, self.preset.as_deref(), &self.values)?;
        let room = entrants.room(&self.game)?;
        let sight = self.observation.parse().map_err(wrong)?;
        let (win, point) = self.rewards;
        let settings = Settings {
            win,
            point,
            replaces_impossible: self.replaces_impossible,
            sight,
            most_steps: self.most_steps,
        };
        let line_ups = self.line_ups;
        Ok((entrants, move || Playing::new(&*room, &config, &line_ups, settings)))
    }
}

impl Ended {
    pub(crate) fn is_over(self) -> bool {
        self.is_terminated || self.is_truncated
    }
}

impl Playing {
    /// An environment of this room. `line_ups` has the entrants of each team; those of a team without a line-up are
    /// decided for from outside.
    ///
    /// # Errors
    ///
    /// `ValueError` if there are more or fewer line-ups than teams, all teams have one, or one has a fault.
    fn new(
        room: &dyn Room,
        config: &Parameters,
        line_ups: &[Option<String>],
        settings: Settings,
    ) -> PyResult<Self> {
        let teams = room.game().teams(config).map_err(wrong)?;
        let count = TeamId::count(&teams);
        if line_ups.len() != count {
            let found = line_ups.len();
            return Err(wrong(format!(
                "{found} line-ups: the game has {count} teams with this configuration"
            )));
        }
        if line_ups.iter().all(Option::is_some) {
            return Err(wrong("every team has a line-up: expected None for at least one team"));
        }
        let read = |text: &Option<String>| match text {
            Some(text) => Ok::<_, String>(room.line_up(text)?.into_iter().map(Some).collect()),
            None => Ok(vec![None]),
        };
        let line_ups: Vec<Vec<Option<String>>> =
            line_ups.iter().map(read).collect::<Result<_, _>>().map_err(wrong)?;
        line_ups.iter().try_for_each(|line_up| check_line_up(&teams, line_up)).map_err(wrong)?;
        let agents = entrants(&teams, &line_ups);
        let game = room.array_game(config, &agents, settings.sight).map_err(wrong)?;
        let mask = vec![0; game.layout().actions.len()];
        Ok(Self {
            game,
            settings,
            chance: Seed::new(0).game(),
            points: vec![0; count],
            episode: None,
            steps: 0,
            has_begun: false,
            mask,
            due: Vec::new(),
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.game.layout()
    }

    /// The view of agents.
    pub(crate) fn sight(&self) -> Sight {
        self.settings.sight
    }

    pub(crate) fn teams(&self) -> &[TeamId] {
        self.game.teams()
    }

    pub(crate) fn game(&self) -> &dyn ArrayGame {
        &*self.game
    }

    /// The agents that are decided for from outside.
    pub(crate) fn agents(&self) -> impl Iterator<Item = AgentId> + '_ {
        AgentId::all(self.teams().len()).filter(|agent| self.game.is_outside(*agent))
    }

    /// Begins the game of this seed. If it ends before an agent from outside is asked, begins that of another one, and
    /// so on: there is nothing to show of such a game.
    ///
    /// # Errors
    ///
    /// `ValueError` if an entrant does not exist, a game ends by a failure before an agent from outside is asked, or
    /// none is asked in any of many games.
    pub(crate) fn begin(&mut self, seed: Seed) -> PyResult<()> {
        (self.episode, self.has_begun) = (None, false);
        self.game.begin(seed).map_err(wrong)?;
        let mut tries = 0;
        while self.game.asked().is_none() {
            let outcome = self.game.episode().map(|episode| episode.outcome);
            if let Some(failed) = outcome.filter(|outcome| outcome.termination != Termination::Normal) {
                return Err(wrong(format!(
                    "a game ended before an agent that is decided for from outside was asked: {failed}"
                )));
            }
            if tries == MOST_GAMES_UNASKED {
                return Err(wrong(format!(
                    "{tries} games ended before an agent that is decided for from outside was asked: expected another \
                     configuration"
                )));
            }
            tries += 1;
            self.game.begin(seed.child(u64::MAX - tries)).map_err(wrong)?;
        }
        self.chance = seed.child(u64::MAX).game();
        (self.steps, self.has_begun) = (0, true);
        self.points = (0..self.points.len()).map(|team| self.game.points(id(team))).collect();
        Ok(())
    }

    /// Gives the game up. No agent is to decide before the next one.
    pub(crate) fn give_up(&mut self) {
        (self.episode, self.has_begun) = (None, false);
    }

    /// The agent that is to decide; none before the first game and after the end of one.
    pub(crate) fn asked(&self) -> Option<AgentId> {
        self.game.asked().filter(|_| self.has_begun && !self.has_reached_limit())
    }

    fn has_reached_limit(&self) -> bool {
        self.settings.most_steps.is_some_and(|most| self.steps >= most)
    }

    pub(crate) fn ended(&self) -> Ended {
        match &self.episode {
            Some(Episode { outcome, .. }) => {
                let is_truncated = outcome.termination == Termination::Stall;
                Ended { is_terminated: !is_truncated, is_truncated }
            }
            None => Ended { is_terminated: false, is_truncated: self.has_begun && self.has_reached_limit() },
        }
    }

    /// Reads the number of an action.
    ///
    /// # Errors
    ///
    /// `TypeError` if it is no whole number, `ValueError` if it has more than 64 bits.
    pub(crate) fn read(&self, action: &Bound<'_, PyAny>) -> PyResult<i64> {
        let is_too_large = |error: &PyErr| error.is_instance_of::<PyOverflowError>(action.py());
        action.extract().map_err(|error| if is_too_large(&error) { self.no_action(action) } else { error })
    }

    /// The exception for a number that no action has.
    fn no_action(&self, number: impl Display) -> PyErr {
        wrong(format!("action {number}: expected a number from 0 to {}", self.mask.len() - 1))
    }

    /// Checks an action of the asked agent.
    ///
    /// # Errors
    ///
    /// If no agent is asked, or the action is not possible and impossible ones are errors.
    pub(crate) fn check(&self, action: i64) -> PyResult<()> {
        let Some(agent) = self.asked() else { return Err(nobody()) };
        self.check_in(self.game.mask(), agent, action)
    }

    /// Checks an action of an agent with this mask.
    fn check_in(&self, mask: &[i8], agent: AgentId, action: i64) -> PyResult<()> {
        let possible = usize::try_from(action).ok().and_then(|number| mask.get(number).copied());
        match possible {
            Some(1) => Ok(()),
            Some(_) if self.settings.replaces_impossible => Ok(()),
            Some(_) => {
                let number = usize::try_from(action).unwrap_or_default();
                let action = self.layout().actions[number].clone();
                Err(wrong(ArrayGameError::Impossible { agent, number, action }))
            }
            None => Err(self.no_action(action)),
        }
    }

    /// Decides for the asked agent by an action that was [checked](Self::check), and counts a step of the environment
    /// unless `is_part` of one.
    pub(crate) fn act(&mut self, action: i64, is_part: bool) -> PyResult<()> {
        let mut number = usize::try_from(action).unwrap_or_default();
        if self.game.mask().get(number) == Some(&0) {
            let possible = self.game.mask().iter().filter(|possible| **possible == 1).count();
            let drawn = self.chance.index(possible.max(1));
            let mut numbers = (0..).zip(self.game.mask()).filter(|(_, possible)| **possible == 1);
            number = numbers.nth(drawn).map_or(number, |(number, _)| number);
        }
        self.game.act(number).map_err(wrong)?;
        if self.game.asked().is_none() {
            self.episode = self.game.episode();
        }
        self.steps += u64::from(!is_part);
        Ok(())
    }

    /// Decides as [`act`](Self::act) does; returns the reward of the agent that was asked. `each` is given the reward
    /// of each team.
    pub(crate) fn step(&mut self, action: i64, mut each: impl FnMut(TeamId, f32)) -> PyResult<f32> {
        let asked = self.asked().map(|agent| self.teams()[agent.index()]);
        self.act(action, false)?;
        let mut reward = 0.0;
        self.rewards(|team, own| {
            each(team, own);
            if Some(team) == asked {
                reward = own;
            }
        });
        Ok(reward)
    }

    /// The number of teams.
    pub(crate) fn team_count(&self) -> usize {
        self.points.len()
    }

    /// The result, if the game is over.
    pub(crate) fn episode(&self) -> Option<&Episode> {
        self.episode.as_ref()
    }

    /// The points of each team after the last step.
    pub(crate) fn points(&self) -> &[i32] {
        &self.points
    }

    /// The notices that an agent has got since its last decision, each as a JSON object.
    pub(crate) fn notices(&mut self, agent: AgentId) -> Vec<String> {
        self.game.notices(agent)
    }

    /// The reward of each team since the last call.
    pub(crate) fn rewards(&mut self, mut each: impl FnMut(TeamId, f32)) {
        let mut now = [0; TeamId::MAX];
        let count = self.points.len();
        for (team, points) in now[..count].iter_mut().enumerate() {
            *points = self.game.points(id(team));
        }
        let winner = self.episode.and_then(|episode| episode.outcome.winner());
        for team in 0..count {
            let grown = lead(&now[..count], team) - lead(&self.points, team);
            let won = winner.map_or(0.0, |winner| if winner.index() == team { 1.0 } else { -1.0 });
            each(id(team), self.settings.point * grown as f32 + self.settings.win * won);
        }
        self.points.copy_from_slice(&now[..count]);
    }

    /// Writes the view of an agent.
    pub(crate) fn write(&mut self, agent: AgentId, planes: &mut [u8], vector: &mut [f32], mask: &mut [i8]) {
        self.game.write(agent, planes, vector, mask);
        if self.ended().is_over() {
            mask.fill(0);
        }
    }

    /// Plays the decisions of all agents that are due at this moment, each at most once. `actions` has an action for
    /// each agent that is due, those of others do not count; `served` is set for those that were asked.
    ///
    /// # Errors
    ///
    /// `ValueError` if an action is missing or impossible. Then nothing has changed.
    pub(crate) fn act_all(&mut self, actions: &[Option<i64>], served: &mut [bool]) -> PyResult<()> {
        if self.asked().is_none() {
            return Err(nobody());
        }
        self.due.clear();
        self.due.resize(actions.len(), None);
        for agent in AgentId::all(actions.len()) {
            if !self.game.is_outside(agent) || !self.game.is_due(agent) {
                continue;
            }
            let action = actions[agent.index()].ok_or_else(|| {
                wrong(format!("no action for agent_{}: it is to decide, as its mask shows", agent.index()))
            })?;
            self.game.mask_of(agent, &mut self.mask);
            self.check_in(&self.mask, agent, action)?;
            self.due[agent.index()] = Some((action, is_possible(&self.mask, action)));
        }
        let moment = self.game.now();
        while let Some(agent) = self.asked().filter(|agent| !served[agent.index()]) {
            // An agent that was not due is woken at this moment by another one, and has not seen why.
            let due = self.due[agent.index()].filter(|_| self.game.now() == moment);
            let Some((action, was_possible)) = due else { break };
            if was_possible && !is_possible(self.game.mask(), action) {
                // Another agent has changed what this one can do: it is asked again in the next step.
                break;
            }
            self.act(action, true)?;
            served[agent.index()] = true;
        }
        self.steps += 1;
        Ok(())
    }
}

/// Returns whether this mask allows an action.
fn is_possible(mask: &[i8], action: i64) -> bool {
    usize::try_from(action).is_ok_and(|number| mask.get(number) == Some(&1))
}

/// The lead of a team before the best of the others.
fn lead(points: &[i32], team: usize) -> i32 {
    let others = points.iter().enumerate().filter(|(other, _)| *other != team);
    points[team] - others.map(|(_, points)| *points).max().unwrap_or(0)
}

fn id(team: usize) -> TeamId {
    TeamId::new(u8::try_from(team).unwrap_or(u8::MAX))
}

/// The exception for a decision that nobody is asked for.
fn nobody() -> PyErr {
    PyRuntimeError::new_err(
        "no agent is to decide: call `reset` before the first step and after the end of a game",
    )
}

/// The layout as a dictionary.
pub(crate) fn layout<'py>(py: Python<'py>, layout: &Layout) -> PyResult<Bound<'py, PyDict>> {
    let about = PyDict::new(py);
    about.set_item("planes", &layout.planes)?;
    about.set_item("rows", layout.rows)?;
    about.set_item("columns", layout.columns)?;
    about.set_item("vector", &layout.vector)?;
    about.set_item("actions", &layout.actions)?;
    Ok(about)
}
