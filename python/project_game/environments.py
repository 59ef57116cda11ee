"""Environments with the methods of PettingZoo and Gymnasium. Both are optional: only NumPy is needed. `project_game.bases` and
`project_game.spaces` have stand-ins for their base classes and spaces.

An observation is a dictionary of arrays:

=================  ==============================  =======  =========================================================
key                shape                           type     content
=================  ==============================  =======  =========================================================
``planes``         (planes, rows, columns)         uint8    the board; not in games whose players see none
``vector``         (numbers,)                      float32  the agent itself, the game, the other agents
``action_mask``    (actions,)                      int8     1 for each action that is possible now; only zeros for an
                                                            agent that is not to decide
=================  ==============================  =======  =========================================================

``layout`` of an environment says what each plane, number and action means. In planes of The Project Game the first row is
in the north, the first column in the west, and fields off the board hold zeros.

Rewards are ``rewards=(win, point)``: the first is the reward for winning, which losing costs; the second the reward for each
point by which the lead of the own team grows. ``opponents`` has a line-up for each team: None for those that are decided for
from outside; a single line-up is that of all teams but the first. ``opponent`` is another name of this argument.
``illegal="error"`` raises `ValueError` for an action that the mask forbids; ``illegal="random"`` takes a possible one, drawn
from the seed, for programs that know no masks. ``max_steps`` truncates a game after this number of steps of the environment.

``reset(seed=s)`` begins the game of the seed ``s``, as `project_game.play` plays it. The n-th ``reset`` without a seed after it
begins the game of the n-th child of ``s``, a number that is drawn from ``s``. So environments with the seeds 0, 1, 2, … play
different games.

The call that plays on to the decision of an entrant raises its failure: the exception of a class, or a `ValueError` with the
fault of a program or of an answer. Ctrl-C raises `KeyboardInterrupt`, also while a program or a class decides. Then the game
is given up, and ``reset`` begins the next one.

`copy.deepcopy` makes an independent environment at the same moment of the same game, and `pickle` takes one to another
process. A copy plays all steps of its game anew, so it takes as long as these. Opponents that decide otherwise when they are
asked again are noticed: `RuntimeError`.

``observation`` chooses what agents of The Project Game see:

================  =====================  ===========================================================================
``observation``   shape of ``planes``    content
================  =====================  ===========================================================================
``"knowledge"``   (9, 11, 11)            what the agent knows, in a window with the agent in its centre
``"readings"``    (9, 11, 11)            in this window, what it has read itself: less, and faster
``"board"``       (10, rows, columns)    what it knows of the whole board; the last plane has the agent's own field
``"notices"``     no ``planes``          ``info["notices"]``: what it was told since its last decision
================  =====================  ===========================================================================

Rows and columns of a board are the numbers of its configuration: 14 and 8 with ``preset="quick"``. Of ``vector``, only
``"knowledge"`` and ``"board"`` have the place of the nearest piece, which takes a search.

A notice is a dictionary, as in ``events`` of the agent protocol: ``{"t": 100, "type": "moved", "to": [4, 5], "distance": 1}``,
with times in milliseconds of game time, fields as [column, row] from the south-west, and distances in moves. The info of an
agent has its notices, the oldest first, until it decides; then the list begins again. Infos have no space, so that of the
observations has ``vector`` and ``action_mask`` alone. The own team's questions are answered also then: the SDK keeps the
knowledge for that, and does not show it. With ``"readings"`` there is no SDK: a leader gets an answer without findings, and
nobody else gets one.

In the other games there is one observation, and these words change nothing; ``"notices"`` is a `ValueError` there. It is
one for vector environments as well, which have arrays alone.
"""

from __future__ import annotations

import numbers
import operator
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, Union

import numpy as np

from . import _native
from .agents import entrants, factories, seed_number, text, whole
from .bases import AecBase, GymBase, ParallelBase
from .matches import LineUp, games, parameters
from .spaces import Discrete, observation_space

Observation = dict[str, np.ndarray]

Opponents = Union[LineUp, Sequence[Union[LineUp, None]], None]
"""A line-up for each team, None for those that are decided for from outside; or the line-up of all teams but the first."""

LARGEST_REWARD = float(np.finfo(np.float32).max)
"""The largest reward: rewards are numbers of 32 bits."""


class Seeds:
    """The seeds of one game after another: the first one, and its children. ``given`` is the number of those given out."""

    def __init__(self, first: int, given: int = 0) -> None:
        self.first = first
        self.given = given

    def __next__(self) -> int:
        number = self.given
        self.given += 1
        return self.first if number == 0 else _native.child(self.first, number)


def seeds(first: SupportsIndex | None) -> Seeds:
    """The seeds of one game after another: the first one, which is drawn if it is None, and its children.

    Raises `TypeError` or `ValueError` if it is no seed.
    """
    return Seeds(secrets.randbits(32) if first is None else seed_number(first))


def settings(
    game: str,
    preset: str | None,
    values: dict[str, Any],
    opponent: Opponents,
    opponents: Opponents,
    rewards: tuple[float, float],
    illegal: str,
    observation: str,
    max_steps: SupportsIndex | None,
) -> dict[str, Any]:
    """The arguments of the native environments. Raises `TypeError` or `ValueError` for a fault of an argument."""
    known = games()
    if game not in known:
        raise ValueError(f"no game `{game}`: expected one of {', '.join(known)}")
    if illegal not in ("error", "random"):
        raise ValueError(f'illegal="{illegal}": expected "error" or "random"')
    if not isinstance(observation, str):
        raise TypeError(f"observation={observation!r}: expected a text")
    if opponent is not None and opponents is not None:
        raise ValueError("opponent and opponents are two names of one argument: expected one of them")
    opponents = opponents if opponent is None else opponent
    teams = known[game].team_count(preset, **values)
    if isinstance(opponents, Iterable) and not isinstance(opponents, (str, type)):
        line_ups: list[Any] = list(opponents)
    else:
        line_ups = [None] + [opponents] * (teams - 1)
    own = [None if line_up is None else entrants(line_up) for line_up in line_ups]
    return {
        "game": game,
        "preset": preset,
        "values": parameters(values),
        "line_ups": [None if team is None else text(team) for team in own],
        "classes": factories(team for team in own if team is not None),
        "rewards": _rewards(rewards),
        "replaces_impossible": illegal == "random",
        "observation": observation,
        "most_steps": None if max_steps is None else whole("max_steps", max_steps, 1),
    }


def _rewards(rewards: Any) -> tuple[float, float]:
    parts = list(rewards) if isinstance(rewards, Iterable) else []
    are_numbers = len(parts) == 2 and all(isinstance(part, numbers.Real) for part in parts)
    # The comparison is false for NaN too.
    if not are_numbers or not all(abs(part) <= LARGEST_REWARD for part in parts):
        raise ValueError(f"rewards={rewards!r}: expected two finite numbers of 32 bits, (win, point)")
    return float(parts[0]), float(parts[1])


class _Environment:
    """The common part: the native environment, names, spaces and seeds."""

    metadata: dict[str, Any]
    render_mode: str | None

    def __init__(
        self,
        game: str = "project",
        *,
        preset: str | None = None,
        seed: SupportsIndex | None = None,
        opponent: Opponents = None,
        opponents: Opponents = None,
        rewards: tuple[float, float] = (1.0, 0.0),
        illegal: str = "error",
        observation: str = "knowledge",
        max_steps: SupportsIndex | None = None,
        render_mode: str | None = None,
        **values: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r}: expected None; the page of a match of `play` shows games")
        self.metadata = {"name": f"project_game_{game}", "is_parallelizable": True, "render_modes": []}
        self.render_mode = None
        opponents = _kept(opponents)
        self._arguments = {
            "game": game,
            "preset": preset,
            "opponent": opponent,
            "opponents": opponents,
            "rewards": rewards,
            "illegal": illegal,
            "observation": observation,
            "max_steps": max_steps,
            **values,
        }
        self._played: list[Any] | None = None
        """The arguments of `step` since the game began; None before the first game."""
        setup = settings(
            game, preset, values, opponent, opponents, rewards, illegal, observation, max_steps
        )
        self._native: _native.Environment | None = _native.Environment(setup)
        self.layout: dict[str, Any] = self._native.layout()
        """The meaning of each plane, of each number of the vector, and of each action."""
        self._teams: list[int] = self._native.teams()
        self._ids: dict[str, int] = self._native.agents()
        self.possible_agents: list[str] = list(self._ids)
        self.agents: list[str] = []
        self.teams: dict[str, int] = {name: self._teams[agent] for name, agent in self._ids.items()}
        """The number of the team of each agent that is decided for from outside, by its name: ``agent_0`` is the agent 0."""
        self._observation_spaces = {name: observation_space(self.layout) for name in self.possible_agents}
        self._action_spaces = {name: Discrete(len(self.layout["actions"])) for name in self.possible_agents}
        self._has_notices = observation == "notices"
        self._seeds = seeds(seed)

    @property
    def now_ms(self) -> int:
        """The game time in milliseconds; 0 in games without time."""
        return self._open().now()

    def state_hash(self) -> int:
        """The hash of the state, as replays have it."""
        return self._open().hash()

    def close(self) -> None:
        """Ends the programs of opponents. A closed environment cannot be used any more: `RuntimeError`."""
        self.agents = []
        self._native = None

    def render(self) -> None:
        """Draws nothing: an environment keeps no replay. A match of `project_game.play` has one, and a page."""

    def _open(self) -> _native.Environment:
        if self._native is None:
            raise RuntimeError("the environment is closed: make another one")
        return self._native

    def _playing(self) -> _native.Environment:
        native = self._open()
        if not self.agents:
            raise RuntimeError("no game is played: call `reset` before the first step and after the end of a game")
        return native

    def _begin(self, seed: SupportsIndex | None) -> _native.Environment:
        """Begins a game, and returns the native environment. Without a seed, the games follow from the first one."""
        native = self._open()
        if seed is not None:
            self._seeds = seeds(seed)
        self._played = []
        native.begin(next(self._seeds))
        return native

    def _note(self, step: Any) -> None:
        """Notes a step that was played."""
        if self._played is not None:
            self._played.append(step)

    def _moment(self) -> tuple[int | None, int, int]:
        """The agent that is to decide, the time, and the state."""
        native = self._open()
        return native.asked(), native.now(), native.hash()

    def __reduce__(self) -> tuple[Any, ...]:
        given = self._seeds.given - (self._played is not None)
        parts = (type(self), self._arguments, Seeds(self._seeds.first, given), self._played, self._moment())
        return _again, parts


def _number(action: Any) -> Any:
    """The number of an action: its caller may change an array in place later. Anything else as it is."""
    try:
        return operator.index(action)
    except TypeError:
        return action


def _kept(opponents: Opponents) -> Opponents:
    """The same opponents, to be read any number of times: an iterator has its line-ups only once."""
    return opponents if isinstance(opponents, (str, type)) or not isinstance(opponents, Iterable) else list(opponents)


def _again(
    kind: type[Any],
    arguments: dict[str, Any],
    seeds: Seeds,
    played: list[Any] | None,
    moment: tuple[int | None, int, int],
) -> Any:
    """An environment of this kind that has played these steps.

    Raises `RuntimeError` if it comes to another moment.
    """
    env = kind(**arguments)
    env._seeds = Seeds(seeds.first, seeds.given)
    error = RuntimeError(
        "this game cannot be repeated: it was given up, or its opponents decide otherwise when they are asked again"
    )
    if played is not None:
        env.reset()
        for step in played:
            try:
                env.step(step)
            except (ValueError, RuntimeError) as fault:
                raise error from fault
    if env._moment() != moment:
        raise error
    return env


class _SpacesOfAgents(_Environment):
    """An environment whose agents have spaces of their own, as PettingZoo asks."""

    def observation_space(self, agent: str) -> Any:
        """The space of the observations of an agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of the actions of an agent."""
        return self._action_spaces[agent]


class ParallelEnvironment(_SpacesOfAgents, ParallelBase):
    """A game with the methods of PettingZoo's ``ParallelEnv``.

    A step is a moment of the game's clock. All agents that can act at this moment do, in the order of the game; the others
    wait behind the cost of their last action. Their masks hold only zeros, and their actions do not count and can be left out.
    In games of turns, one agent decides in each step. ``infos[agent]["served"]`` says whether the action counted: another
    agent's action at the same moment can come first and change what is possible. Then the agent is asked again.
    """

    def reset(
        self, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins a game; returns the observations and infos of all agents.

        ``seed`` decides the game and those after it. Without one, games follow from the last seed. ``options`` are ignored.
        """
        native = self._begin(seed)
        self.agents = list(self.possible_agents)
        return native.look_all()

    def step(
        self, actions: dict[str, SupportsIndex]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Plays the actions of this moment; returns observations, rewards, terminations, truncations and infos.

        Raises `ValueError` if an agent that is to decide has no action, or one that its mask forbids; then nothing has
        changed. Raises `RuntimeError` without a game that is not over.
        """
        is_over, step = self._playing().step_all(actions)
        self._note({agent: _number(action) for agent, action in actions.items()})
        if is_over:
            self.agents = []
        return step


class AecEnvironment(_SpacesOfAgents, AecBase):
    """A game with the methods of PettingZoo's ``AECEnv``: one decision a step, in the order of the game's clock.

    The game asks the agents: the same agent can be asked again before others, when its action was cheap.
    """

    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    agent_selection: str

    def __init__(self, game: str = "project", **arguments: Any) -> None:
        super().__init__(game, **arguments)
        # PettingZoo would ask the agents in turn, each of them once.
        self.metadata["is_parallelizable"] = False
        self._names = {agent: name for name, agent in self._ids.items()}

    def reset(self, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game. ``seed`` decides it and those after it; ``options`` are ignored."""
        native = self._begin(seed)
        self.agents = list(self.possible_agents)
        self._were_rewarded = False
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {name: {} for name in self.agents}
        self._select(native.asked())

    def observe(self, agent: str) -> Observation:
        """The observation of an agent at this moment."""
        return self._open().observe(self._ids[agent])

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last decision, termination, truncation and info of the selected agent.

        Raises `RuntimeError` without a game.
        """
        self._playing()
        agent = self.agent_selection
        observation = self.observe(agent) if observe else None
        reward = self._cumulative_rewards[agent]
        return observation, reward, self.terminations[agent], self.truncations[agent], self.infos[agent]

    def step(self, action: SupportsIndex | None) -> None:
        """Decides for the selected agent; None for one whose game is over.

        Raises `ValueError` for an action that the mask forbids; then nothing has changed.
        """
        native = self._playing()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._leave(action)
            self._note(_number(action))
            return
        if action is None:
            raise ValueError(f"no action for {agent}: it is to decide, as its mask shows")
        rewards, terminated, truncated, asked = native.act(action)
        self._note(_number(action))
        self._cumulative_rewards[agent] = 0.0
        is_rewarded = any(rewards)
        if is_rewarded or self._were_rewarded:
            for name in self.agents:
                self.rewards[name] = rewards[self.teams[name]]
                self._cumulative_rewards[name] += self.rewards[name]
        self._were_rewarded = is_rewarded
        if terminated or truncated:
            self.terminations = dict.fromkeys(self.agents, terminated)
            self.truncations = dict.fromkeys(self.agents, truncated)
            self.infos = {name: native.info(self._ids[name]) for name in self.agents}
            self.agent_selection = self.agents[0]
        else:
            self._select(asked)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The selected agents, one for each step."""
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def _select(self, asked: int | None) -> None:
        agent = self.agents[0] if asked is None else self._names[asked]
        self.agent_selection = agent
        if self._has_notices:
            self.infos[agent] = self._open().info(self._ids[agent])

    def _leave(self, action: SupportsIndex | None) -> None:
        """Removes the selected agent, whose game is over."""
        if action is not None:
            raise ValueError(f"the game of {self.agent_selection} is over: expected None")
        agent = self.agent_selection
        for table in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del table[agent]
        self.agents.remove(agent)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]


class GymEnvironment(_Environment, GymBase):
    """The decisions of one side with the methods of Gymnasium's ``Env``.

    The decisions are those of all agents that are decided for from outside, in the order of the game: ``info["agent"]`` is
    the id of the agent whose view the observation is, and ``teams[f"agent_{info['agent']}"]`` its team. The reward is that
    of the agent that has just decided; ``info["team_rewards"]`` has that of each team for this step, so that the other agents
    get theirs too. At the end of a game, ``info`` has ``termination`` and ``points``, and ``winner`` with the number of a team
    if one has won.
    """

    def __init__(self, game: str = "project", **arguments: Any) -> None:
        super().__init__(game, **arguments)
        name = self.possible_agents[0]
        self.observation_space = self._observation_spaces[name]
        self.action_space = self._action_spaces[name]

    def reset(
        self, *, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game. ``seed`` decides it and those after it; ``options`` are ignored."""
        GymBase.reset(self, seed=None if seed is None else seed_number(seed))
        return self._begin(seed).look()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Decides for the agent of the last observation.

        Raises `ValueError` for an action that the mask forbids; then nothing has changed.
        """
        step = self._open().step(action)
        self._note(_number(action))
        return step
