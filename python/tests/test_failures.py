"""Whatever goes wrong is a clear exception of Python, and the interpreter never crashes."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import players
import pytest

import project_game as pg


def test_an_exception_of_a_strategy_is_raised_again():
    with pytest.raises(KeyError, match="the strategy has a mistake"):
        pg.play(players.Raises, "greedy", game="dots", seed=1)
    with pytest.raises(KeyError, match="the strategy has a mistake"):
        pg.compare(players.Raises, "greedy", game="dots", games=50)
    with pytest.raises(TypeError, match="act returned 3.5"):
        pg.play(players.Nonsense, "greedy", preset="quick", seed=1)
    env = pg.parallel_env("dots", opponents=players.Raises, seed=1)
    with pytest.raises(KeyError):
        for _ in range(20):
            env.reset()
            env.step({"agent_0": 0})
    env = pg.parallel_env("dots", opponents="random", seed=1)
    env.reset()


def test_a_program_that_cannot_begin_is_an_exception(tmp_path):
    agent = tmp_path / "agent.py"
    agent.write_text("print('no bracket'\n")
    command = f"{sys.executable} {agent}"
    with pytest.raises(ValueError, match="(?s)ended with exit code 1.*SyntaxError"):
        pg.play(command, "greedy", game="dots", seed=1)
    with pytest.raises(ValueError, match="SyntaxError"):
        pg.compare(command, "greedy", game="dots", games=50)
    env = pg.parallel_env("dots", opponents=command, seed=1)
    with pytest.raises(ValueError, match="SyntaxError"):
        for _ in range(20):
            env.reset()
            env.step({"agent_0": 0})


def test_an_impossible_action_of_a_class_loses_the_game():
    match = pg.play(players.Impossible, "random", game="dots", seed=1)
    assert match.termination == "illegal" and match.winner == 1
    assert "fly" in match.blunders[0]


def test_a_class_with_a_faulty_constructor_raises():
    class Faulty(pg.Strategy):
        def __init__(self):
            raise OSError("no model here")

    with pytest.raises(OSError, match="no model here"):
        pg.play(Faulty, "random", game="dots", seed=1)


def test_two_classes_of_one_name_are_told_apart():
    def make(choice):
        class Same(pg.Strategy):
            def act(self, view):
                return view.options[choice]

        return Same

    with pytest.raises(ValueError, match="expected two names"):
        pg.play(make(0), make(-1), game="dots")


def test_a_view_names_its_parts():
    class Wrong(pg.Strategy):
        def act(self, view):
            return view.bord

    with pytest.raises(AttributeError, match="no `bord`; parts of the observation: .*boxes"):
        pg.play(Wrong, "random", game="dots", seed=1)


@pytest.mark.parametrize("action", [-1, 40, 10**6])
def test_no_action_has_the_number(action):
    env = pg.parallel_env("dots", seed=1)
    observations, _ = env.reset()
    mover = next(name for name, seen in observations.items() if seen["action_mask"].any())
    before = env.state_hash()
    with pytest.raises(ValueError, match="expected a number from 0 to 39"):
        env.step({mover: action})
    assert env.state_hash() == before


def test_masked_actions_change_nothing():
    env = pg.env("dots", seed=1)
    env.reset()
    env.step(3)
    before = env.state_hash()
    with pytest.raises(ValueError, match="cannot choose action 3, `3-4`"):
        env.step(3)
    assert env.state_hash() == before
    vec = pg.vector_env("dots", num_envs=3, seed=1)
    observation, _ = vec.reset()
    vec.step(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="environment 1: .*cannot choose action 1"):
        vec.step(np.array([1, 1, 1]))
    vec.step(np.array([1, 2, 3]))


def test_actions_have_one_shape_and_type():
    vec = pg.vector_env("dots", num_envs=3, seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        vec.step(np.zeros(3, np.int64))
    vec.reset()
    for actions, told in [
        (np.zeros(2, np.int64), r"expected \(3,\)"),
        (np.zeros((3, 1), np.int64), r"expected \(3,\)"),
        (np.zeros(3), "expected whole numbers"),
        ("abc", "expected whole numbers"),
    ]:
        with pytest.raises(ValueError, match=told):
            vec.step(actions)
    vec.step(np.array([0, 1, 2], np.int8))
    vec.step([3, 4, 5])
    with pytest.raises((TypeError, OverflowError, ValueError)):
        vec._native.step(np.zeros(3), vec._arrays)
    with pytest.raises(ValueError, match="expected 3 times"):
        arrays = list(vec._arrays)
        arrays[0] = np.zeros((3, 1), np.uint8)
        vec._native.step(np.array([6, 7, 8]), tuple(arrays))


def test_actions_of_agents_are_checked():
    env = pg.parallel_env("project", preset="quick", seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        env.step({})
    env.reset()
    with pytest.raises(ValueError, match="no action for agent_"):
        env.step({})
    with pytest.raises(ValueError, match="no agent 'agent_9'"):
        env.step({"agent_9": 0})
    aec = pg.env("dots", seed=1)
    aec.reset()
    with pytest.raises(ValueError, match="it is to decide"):
        aec.step(None)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"game": "chess"}, "no game `chess`"),
        ({"preset": "huge"}, "unknown preset"),
        ({"opponents": "gredy"}, "did you mean"),
        ({"opponents": ["greedy", "greedy"]}, "expected a team without"),
        ({"opponents": [None]}, "1 line-ups"),
        ({"illegal": "ignore"}, 'expected "error" or "random"'),
        ({"observation": "all"}, "expected `knowledge`, `readings`, `board` or `notices`"),
        ({"observation": "notices"}, "the game dots has no notices"),
        ({"max_steps": 0}, "expected 1 or more"),
        ({"render_mode": "human"}, "expected None"),
        ({"rows": 1}, "rows"),
    ],
)
def test_a_fault_of_an_environment_is_named(settings, told):
    arguments = {"game": "dots", **settings}
    with pytest.raises(ValueError, match=told):
        pg.parallel_env(**arguments)


def test_a_closed_environment_says_so():
    env = pg.parallel_env("dots", seed=1)
    env.reset()
    env.close()
    with pytest.raises(RuntimeError):
        env.step({"agent_0": 0})
    with pytest.raises(RuntimeError, match="closed"):
        env.reset()
    vec = pg.vector_env("dots", num_envs=2)
    vec.reset()
    vec.close()
    with pytest.raises(RuntimeError, match="closed"):
        vec.step(np.zeros(2, np.int64))


def test_environments_cannot_be_pickled():
    for env in (pg.parallel_env("dots"), pg.vector_env("dots", num_envs=1)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(env)


def test_results_can_be_pickled():
    match = pg.play("greedy", "random", game="dots", seed=1, replay=True)
    assert pickle.loads(pickle.dumps(match)) == match


def test_threads_play_environments_of_their_own():
    found = {}

    def run(number):
        env = pg.gym_env("project", preset="quick", opponent="greedy", illegal="random", seed=3)
        env.reset()
        for _ in range(200):
            _, _, terminated, truncated, _ = env.step(1)
            if terminated or truncated:
                break
        found[number] = env.state_hash()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found.values())) == 1 and len(found) == 4


def test_a_vector_environment_has_no_notices():
    with pytest.raises(ValueError, match="arrays alone, and no notices: expected `knowledge`, `readings` or `board`"):
        pg.vector_env("project", preset="quick", num_envs=2, observation="notices")


@pytest.mark.parametrize("make", [pg.parallel_env, pg.env, pg.gym_env])
def test_an_action_is_a_whole_number(make):
    env = make("dots", seed=1)
    env.reset()
    before = env.state_hash()
    with pytest.raises(TypeError):
        env.step(dict.fromkeys(env.agents, 1.5) if make is pg.parallel_env else 1.5)
    assert env.state_hash() == before
    env.step(dict.fromkeys(env.agents, np.int16(3)) if make is pg.parallel_env else np.array(3))
    assert env.state_hash() != before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_plays_on():
    code = """
        import os, numpy as np, project_game as pg
        vec = pg.vector_env("dots", num_envs=4, threads=2, seed=1)
        observation, _ = vec.reset()
        child = os.fork()
        observation, *_ = vec.step(np.array([0, 0, 0, 0]))
        if child == 0:
            os._exit(0 if observation["action_mask"].any() else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60)


@pytest.mark.parametrize("second", ['"greedy+greedy"', "players.AtRandom"])
def test_ctrl_c_ends_a_long_comparison(second):
    code = f"""
        import signal, sys
        # A program that was started in the background ignores Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import players, project_game as pg
        print("begins", flush=True)
        pg.compare("greedy", {second}, preset="large", games=100_000)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "begins\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode != 0 and "KeyboardInterrupt" in errors
