"""Vector environments: the same games as single ones, whatever the number of threads."""

from __future__ import annotations

import os

import numpy as np
import pytest
from players import GAMES, small

import project_game as pg

def choose_all(mask: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A possible action of each row, or 0 where a game is over."""
    draws = random.random(mask.shape) * mask
    return draws.argmax(axis=1)


def course(game: str, steps: int = 60, **settings):
    """All arrays of some steps."""
    vec = pg.vector_env(game, **small(game), num_envs=9, seed=4, max_steps=8, **settings)
    random = np.random.default_rng(1)
    observation, infos = vec.reset()
    arrays = []
    for _ in range(steps):
        actions = choose_all(observation["action_mask"], random)
        observation, rewards, terminated, truncated, infos = vec.step(actions)
        parts = [*observation.values(), rewards, terminated, truncated, infos["agent"]]
        arrays.append([part.copy() for part in parts])
    return arrays


@pytest.mark.parametrize("game", GAMES)
def test_threads_change_nothing(game):
    one, eight = course(game, threads=1), course(game, threads=8)
    same = course(game, threads=1, copy=False)
    for first, second, third in zip(one, eight, same):
        for a, b, c in zip(first, second, third):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(a, c)
    truncated = np.concatenate([arrays[-2] for arrays in one])
    assert truncated.any(), "some games were truncated"


@pytest.mark.parametrize("game", GAMES)
def test_arrays_have_the_declared_shapes(game):
    vec = pg.vector_env(game, **small(game), num_envs=3, seed=1)
    observation, infos = vec.reset()
    assert vec.observation_space.contains(observation)
    assert infos["agent"].shape == (3,)
    observation, rewards, terminated, truncated, _ = vec.step(choose_all(observation["action_mask"], np.random.default_rng(1)))
    assert vec.observation_space.contains(observation)
    assert rewards.dtype == np.float32 and terminated.dtype == truncated.dtype == np.bool_


def test_the_next_step_begins_the_next_game():
    """The step after the end of a game gives no reward, whatever the action, and shows the beginning of another one."""
    vec = pg.vector_env("dots", num_envs=2, opponent="greedy", seed=2)
    observation, _ = vec.reset()
    random = np.random.default_rng(5)
    is_over = [False, False]
    games = 0
    for _ in range(200):
        actions = choose_all(observation["action_mask"], random)
        observation, rewards, terminated, truncated, _ = vec.step(actions)
        for row in range(2):
            points = observation["vector"][row][1:].sum()
            if is_over[row]:
                assert rewards[row] == 0 and not terminated[row] and points < 16
            is_over[row] = terminated[row]
            if terminated[row]:
                games += 1
                assert rewards[row] in (-1.0, 0.0, 1.0) and points == 16
                assert not observation["action_mask"][row].any()
    assert games > 4


def test_strategies_are_as_strong_as_in_matches():
    """Random play loses against `greedy` in almost all games."""
    vec = pg.vector_env("dots", rows=4, cols=4, num_envs=32, opponent="greedy", seed=1)
    observation, _ = vec.reset()
    random = np.random.default_rng(2)
    won = lost = 0
    for _ in range(60):
        observation, rewards, *_ = vec.step(choose_all(observation["action_mask"], random))
        won, lost = won + int((rewards > 0).sum()), lost + int((rewards < 0).sum())
    assert lost > 30 and won < lost / 5


@pytest.mark.parametrize("game", GAMES)
def test_every_team_gets_its_reward(game):
    """Without an opponent, the last decision of a game rewards the teams of all others too."""
    vec = pg.vector_env(game, **small(game), num_envs=4, rewards=(1.0, 0.5), seed=3)
    random = np.random.default_rng(4)
    observation, infos = vec.reset()
    assert not infos["team_rewards"].any()
    finals = []
    for _ in range(3000):
        agents = infos["agent"]
        actions = choose_all(observation["action_mask"], random)
        observation, rewards, terminated, truncated, infos = vec.step(actions)
        teams = infos["team_rewards"]
        assert teams.shape == (4, max(vec.teams) + 1)
        begun = rewards != 0
        own = teams[np.arange(4), [vec.teams[agent] for agent in agents]]
        np.testing.assert_array_equal(own[begun], rewards[begun])
        finals += [tuple(row) for row in teams[terminated]]
        if len(finals) >= 4:
            break
    assert finals and all(max(row) > 0 > min(row) or not any(row) for row in finals), finals


def test_seeds_have_64_bits():
    env = pg.parallel_env("dots", rows=2, cols=2)
    vec = pg.vector_env("dots", rows=2, cols=2, num_envs=1)
    for seed in (-1, 2**64):
        for reset in (env.reset, vec.reset):
            with pytest.raises(ValueError, match=r"expected a number from 0 to 2\*\*64 - 1"):
                reset(seed=seed)
    env.reset(seed=2**64 - 1)
    vec.reset(seed=2**64 - 1)


def test_resets_with_seeds_side_by_side_play_different_games():
    def starts(seed, resets):
        vec = pg.vector_env("project", preset="quick", num_envs=4)
        for reset in range(resets):
            observation, _ = vec.reset(seed=seed if reset == 0 else None)
            yield observation["vector"].tobytes()

    found = [start for seed in range(4) for start in starts(seed, 4)]
    assert len(set(found)) == 16
    assert list(starts(1, 4)) == found[4:8]


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="this system does not list threads")
def test_there_are_no_more_threads_than_environments():
    before = len(os.listdir("/proc/self/task"))
    vec = pg.vector_env("dots", num_envs=2, threads=5000, seed=1)
    vec.reset()
    assert len(os.listdir("/proc/self/task")) - before <= 2


def test_gymnasium_knows_it():
    gymnasium = pytest.importorskip("gymnasium")
    vec = pg.vector_env("project", preset="quick", num_envs=4, opponent="greedy", illegal="random", seed=1)
    assert isinstance(vec, gymnasium.vector.VectorEnv)
    assert vec.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(vec)
    wrapped.reset(seed=1)
    vec.action_space.seed(1)
    for _ in range(50):
        wrapped.step(vec.action_space.sample())
    wrapped.close()
