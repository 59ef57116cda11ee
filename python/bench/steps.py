"""Steps per second of environments on one core, with observations and masks.

    python3 bench/steps.py [--seconds 1]           # this package: a row for each way to step, observation and board
    python3 bench/steps.py --of lbforaging         # another suite, which must be installed in this environment

`cargo xtask bench python` runs this for the package, and for each suite that pip can install.

A step is a decision of one agent. Actions are random and, where the suite has masks, possible. Their choice is not measured:
only `step` and `reset` are, which return the next
observations. The time is that of the processor, so that other programs on
the machine disturb little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

WIDTHS = (66, 14)

BOARDS = {
    "quick": {"preset": "quick"},
    "40×40, 4 agents": {"preset": "spec", "teamSize": 2},
    "40×40, 32 agents": {"preset": "spec", "teamSize": 16},
}

Steps = Callable[[Callable[[Callable[[], object]], object]], Iterator[int]]
"""Plays on and on. Calls what is to be measured through its argument; yields the number of decisions of each call."""


def rate(steps: Steps, seconds: float) -> float:
    """The decisions per second of processor time, after a time of warming up."""
    spent = 0

    def measured(call: Callable[[], object]) -> object:
        nonlocal spent
        begun = time.process_time_ns()
        result = call()
        spent += time.process_time_ns() - begun
        return result

    playing, decisions = steps(measured), 0
    ready = time.monotonic() + seconds / 5
    while time.monotonic() < ready:
        next(playing)
    spent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        decisions += next(playing)
    return decisions / spent * 1e9


def possible(rng: np.random.Generator, mask: np.ndarray) -> np.ndarray:
    """A possible action for each row, all equally likely."""
    return (rng.random(mask.shape, dtype=np.float32) * mask).argmax(-1)


def gym_steps(asks: bool, **settings: object) -> Steps:
    """The package's environment of Gymnasium."""
    import project_game as pg

    def steps(measured):
        env = pg.gym_env("project", seed=1, **settings)
        actions = actions_of(env.layout, asks)
        rng, over = np.random.default_rng(0), True
        while True:
            if over:
                (observation, _), decisions = measured(env.reset), 0
            else:
                action = int(possible(rng, observation["action_mask"][:actions]))
                (observation, _, terminated, truncated, _), decisions = measured(lambda: env.step(action)), 1
            over = decisions == 1 and (terminated or truncated)
            yield decisions

    return steps


def aec_steps(asks: bool, **settings: object) -> Steps:
    """The package's environment of PettingZoo with one decision after the other. A step and the view of the next agent are
    measured."""
    import project_game as pg

    def steps(measured):
        env = pg.env("project", seed=1, **settings)
        actions, rng = actions_of(env.layout, asks), np.random.default_rng(0)

        def step(action):
            env.step(action)
            return env.last()

        while True:
            measured(env.reset)
            observation, _, terminated, truncated, _ = measured(env.last)
            yield 0
            while not (terminated or truncated):
                action = int(possible(rng, observation["action_mask"][:actions]))
                observation, _, terminated, truncated, _ = measured(lambda: step(action))
                yield 1

    return steps


def parallel_steps(asks: bool, **settings: object) -> Steps:
    """The package's environment of PettingZoo: a decision is an action that counted."""
    import project_game as pg

    def steps(measured):
        env = pg.parallel_env("project", seed=1, **settings)
        actions, rng = actions_of(env.layout, asks), np.random.default_rng(0)
        while True:
            observations, _ = measured(env.reset)
            yield 0
            while env.agents:
                masks = np.stack([observations[name]["action_mask"][:actions] for name in env.agents])
                chosen = zip(env.agents, possible(rng, masks), masks.any(1))
                moves = {name: int(action) for name, action, can_act in chosen if can_act}
                observations, _, _, _, infos = measured(lambda: env.step(moves))
                yield sum(info["served"] for info in infos.values())

    return steps


def vector_steps(count: int, asks: bool, **settings: object) -> Steps:
    """The package's vector environment."""
    import project_game as pg

    def steps(measured):
        env = pg.vector_env("project", num_envs=count, copy=False, seed=1, **settings)
        actions, rng = actions_of(env.layout, asks), np.random.default_rng(0)
        observation, _ = env.reset()
        while True:
            chosen = possible(rng, observation["action_mask"][:, :actions])
            observation, *_ = measured(lambda: env.step(chosen))
            yield count

    return steps


def actions_of(layout: dict, asks: bool) -> int:
    """The number of actions, or of those that ask nobody: these are the first ones."""
    return len(layout["actions"]) if asks else sum(not action.startswith("ask") for action in layout["actions"])


def own_rows() -> Iterator[tuple[str, Steps]]:
    """The measurements of the package."""
    quick = BOARDS["quick"]
    for name, steps in (("gym_env", gym_steps), ("env", aec_steps), ("parallel_env", parallel_steps)):
        for observation in ("readings", "knowledge", "board"):
            yield f"{name}, quick, {observation}", steps(False, observation=observation, **quick)
    for count in (32, 256):
        for board, settings in BOARDS.items():
            for observation in ("readings", "knowledge", *(["board"] if count == 256 else [])):
                name = f"vector_env, {count} games, {board}, {observation}"
                yield name, vector_steps(count, False, observation=observation, **settings)
    yield "vector_env, 256 games, quick, knowledge, with questions", vector_steps(256, True, **quick)


def lbforaging() -> Iterator[tuple[str, Steps]]:
    """Level-based foraging."""
    import gymnasium
    import lbforaging  # noqa: F401 (registers its environments)

    def steps(measured):
        env = gymnasium.make("Foraging-8x8-2p-2f-v3").unwrapped
        agents, rng, over = len(env.action_space), np.random.default_rng(0), True
        while True:
            if over:
                measured(env.reset)
            actions = tuple(int(action) for action in rng.integers(6, size=agents))
            _, _, terminated, truncated, _ = measured(lambda: env.step(actions))
            over = bool(np.all(terminated) or np.all(truncated))
            yield agents

    yield "lbforaging: Foraging-8x8-2p-2f-v3", steps


def pogema() -> Iterator[tuple[str, Steps]]:
    """Path finding of many agents, with windows of 11×11 fields."""
    from pogema import GridConfig, pogema_v0

    def steps(measured):
        agents = 20
        env = pogema_v0(GridConfig(num_agents=agents, size=40, density=0.2, obs_radius=5, max_episode_steps=256, seed=1))
        rng, over = np.random.default_rng(0), True
        while True:
            if over:
                measured(env.reset)
            actions = rng.integers(5, size=agents).tolist()
            _, _, terminated, truncated, _ = measured(lambda: env.step(actions))
            over = all(terminated) or all(truncated)
            yield agents

    yield "POGEMA: 40×40, 20 agents, windows of 11×11", steps


def mettagrid() -> Iterator[tuple[str, Steps]]:
    """MettaGrid with windows of 11×11 fields: its core in C++ without the environments around it."""
    from mettagrid.builder import building
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.map_builder.random_map import RandomMapBuilder
    from mettagrid.simulator import Simulator

    def steps(measured):
        agents, config = 20, MettaGridConfig()
        game = config.game
        game.num_agents, game.max_steps, game.obs.width, game.obs.height = agents, 1000, 11, 11
        game.actions.change_vibe.enabled = False
        game.objects = {"wall": building.wall}
        game.map_builder = RandomMapBuilder.Config(
            agents=agents, width=40, height=40, objects={"wall": 80}, border_width=1, border_object="wall", seed=1
        )
        rng = np.random.default_rng(0)
        while True:
            playing = Simulator().new_simulation(config, seed=1)
            core, possible_actions = playing._c_sim, len(playing.action_ids)
            while not playing.is_done():
                core.actions()[:] = rng.integers(possible_actions, size=agents)
                measured(lambda: (playing.step(), core.observations()))
                yield agents

    yield "MettaGrid: 40×40, 20 agents, windows of 11×11", steps


OTHERS = {"lbforaging": lbforaging, "pogema": pogema, "mettagrid": mettagrid}
"""The other suites by the names of their packages."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the steps per second of environments on one core.")
    parser.add_argument("--of", choices=list(OTHERS), help="another suite (default: this package)")
    parser.add_argument("--seconds", type=float, default=1.0, help="the time for each row (default: 1)")
    parser.add_argument("--only", default="", help="only the rows whose name contains this text")
    asked = parser.parse_args()
    rows = own_rows() if asked.of is None else OTHERS[asked.of]()
    if asked.of is None:
        print(f"{'environment':{WIDTHS[0]}}{'agent steps/s':>{WIDTHS[1]}}")
    for name, steps in rows:
        if asked.only in name:
            print(f"{name:{WIDTHS[0]}}{rate(steps, asked.seconds):{WIDTHS[1]},.0f}", flush=True)


if __name__ == "__main__":
    main()
