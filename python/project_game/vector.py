"""Many environments at once: actions in, arrays out, written by Rust into NumPy arrays."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from . import _native
from .agents import whole
from .bases import NEXT_STEP, VectorBase
from .environments import Observation, Opponents, seeds, settings
from .spaces import Discrete, MultiDiscrete, observation_space


class VectorEnvironment(VectorBase):
    """Environments with the methods of Gymnasium's ``VectorEnv``.

    The actions are the decisions of all agents without an ``opponent`` strategy, one decision a step, in the order of
    the game. Without ``opponent``, these are all agents. The arrays have a row for each environment. The observation of
    a row belongs to the agent that decides next; ``infos["agent"]`` has its id, and ``teams`` the team of each id. The
    reward belongs to the agent that has just decided, and covers this step only; ``infos["team_rewards"]`` has a column
    for each team, so that the other agents get theirs too. When a game is over, the next step ignores its action and begins
    another game (``AutoresetMode.NEXT_STEP``).

    The global interpreter lock is released during a step. With ``threads``, parts of the environments are stepped at
    the same time, on at most one thread for each environment; the arrays are the same with any number of threads. With
    ``copy=False``, each step overwrites and returns the same arrays, which saves the time of their allocation.

    The other arguments, the exceptions of entrants that fail, and Ctrl-C are those of `project_game.environments`.
    """

    def __init__(
        self,
        game: str = "project",
        *,
        num_envs: SupportsIndex,
        preset: str | None = None,
        seed: SupportsIndex | None = None,
        opponent: Opponents = None,
        opponents: Opponents = None,
        rewards: tuple[float, float] = (1.0, 0.0),
        illegal: str = "error",
        observation: str = "knowledge",
        max_steps: SupportsIndex | None = None,
        threads: SupportsIndex = 1,
        copy: bool = True,
        **values: Any,
    ) -> None:
        self.num_envs = count = whole("num_envs", num_envs, 1)
        setup = settings(
            game, preset, values, opponent, opponents, rewards, illegal, observation, max_steps
        )
        self._native: _native.VectorEnvironment | None = _native.VectorEnvironment(setup, count, whole("threads", threads, 1))
        self.layout: dict[str, Any] = self._native.layout()
        """The meaning of each plane, of each number of the vector, and of each action."""
        self.teams: list[int] = self._native.teams()
        """The team of each agent, in the order of agent ids."""
        self.metadata: dict[str, Any] = {"name": f"project_game_{game}", "autoreset_mode": NEXT_STEP}
        actions = len(self.layout["actions"])
        self.single_observation_space = observation_space(self.layout)
        self.single_action_space = Discrete(actions)
        self.observation_space = observation_space(self.layout, (count,))
        self.action_space = MultiDiscrete([actions] * count)
        self._seeds = seeds(seed)
        self._copy = copy
        self._has_begun = False
        self._arrays = self._allocate()

    def reset(
        self, *, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game in every environment. ``seed`` decides all later games; ``options`` are ignored.

        Game k of environment i is that of the k-th child of the i-th child of the seed, both counted from 0. Without a
        seed, the n-th ``reset`` after the last seed has the n-th child of that seed.
        """
        native = self._open()
        if seed is not None:
            self._seeds = seeds(seed)
        arrays = self._next_arrays()
        native.reset(next(self._seeds), arrays)
        self._has_begun = True
        return self._observation(arrays), self._infos(arrays)

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Steps every environment; returns observations, rewards, terminations, truncations and infos.

        Raises `ValueError` if the actions have another shape, or one is not possible; then nothing has changed.
        """
        native = self._open()
        if not self._has_begun:
            raise RuntimeError("no game is played: call `reset` before the first step")
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise ValueError(f"actions of type {actions.dtype}: expected whole numbers")
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        if actions.shape != (self.num_envs,):
            raise ValueError(f"actions of shape {actions.shape}: expected ({self.num_envs},)")
        arrays = self._next_arrays()
        native.step(actions, arrays)
        return self._observation(arrays), arrays[3], arrays[4], arrays[5], self._infos(arrays)

    def close(self, **_: Any) -> None:
        """Ends the programs of opponents. A closed environment cannot be used any more."""
        self._native = None
        self.closed = True

    def _open(self) -> _native.VectorEnvironment:
        if self._native is None:
            raise RuntimeError("the environment is closed: make another one")
        return self._native

    def _next_arrays(self) -> tuple[np.ndarray, ...]:
        if self._copy:
            self._arrays = self._allocate()
        return self._arrays

    def _allocate(self) -> tuple[np.ndarray, ...]:
        count, layout = self.num_envs, self.layout
        planes = len(layout["planes"]) * layout["rows"] * layout["columns"]
        return (
            np.empty((count, planes), np.uint8),
            np.empty((count, len(layout["vector"])), np.float32),
            np.empty((count, len(layout["actions"])), np.int8),
            np.empty(count, np.float32),
            np.empty(count, np.bool_),
            np.empty(count, np.bool_),
            np.empty(count, np.int64),
            np.empty((count, max(self.teams) + 1), np.float32),
        )

    def _infos(self, arrays: tuple[np.ndarray, ...]) -> dict[str, Any]:
        return {"agent": arrays[6], "team_rewards": arrays[7]}

    def _observation(self, arrays: tuple[np.ndarray, ...]) -> Observation:
        planes, vector, mask = arrays[:3]
        layout = self.layout
        if planes.size == 0:
            return {"vector": vector, "action_mask": mask}
        shape = (self.num_envs, len(layout["planes"]), layout["rows"], layout["columns"])
        return {"planes": planes.reshape(shape), "vector": vector, "action_mask": mask}

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("a vector environment cannot be copied or pickled: make one in each process")
