"""The types of the package: they are right, and the stubs describe the native module."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

FOLDER = Path(__file__).parent.parent


def check(*words: str) -> None:
    """Runs a module of mypy on the package."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_types_of_the_package_are_right():
    check("mypy", "project_game")


def test_the_stubs_describe_the_native_module():
    check("mypy.stubtest", "project_game._native")


USE = """
import gymnasium as gym
import numpy as np
import project_game as pg

class Duck:
    def act(self, view: pg.View) -> str:
        return "0-1"

pg.play(Duck, ["random", [Duck]], seed=np.int64(3))
env = pg.gym_env("dots", seed=np.int64(3))
observation, info = env.reset(seed=1)
env.step(env.action_space.sample(observation["action_mask"]))
gym.wrappers.TimeLimit(env, 10)
gym.wrappers.vector.RecordEpisodeStatistics(pg.vector_env("dots", num_envs=2))
with pg.gym_env("dots") as other:
    other.reset()
parallel = pg.parallel_env("dots", opponents=Duck)
parallel.reset()
parallel.step({"agent_0": np.int64(3)})
"""


def test_the_usual_programs_have_the_right_types(tmp_path):
    pytest.importorskip("gymnasium")
    (tmp_path / "use.py").write_text(USE)
    # Without this, mypy takes the package for one whose files are to be checked too.
    (tmp_path / "mypy.ini").write_text("[mypy]\nfollow_imports = silent\n")
    check("mypy", "--strict", "--config-file", str(tmp_path / "mypy.ini"), str(tmp_path / "use.py"))
