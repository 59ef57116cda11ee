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
