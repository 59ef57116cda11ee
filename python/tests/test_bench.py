"""The script that measures the steps per second. It is not part of an installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "bench" / "steps.py"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="the script is not in an installed package")


def run(*words):
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=120)


def test_each_row_has_a_rate():
    ended = run("--seconds", "0.02")
    assert ended.returncode == 0, ended.stderr
    head, *rows = ended.stdout.splitlines()
    assert head.split() == ["environment", "agent", "steps/s"]
    names, rates = zip(*(row.rsplit(maxsplit=1) for row in rows))
    assert all(int(rate.replace(",", "")) > 1000 for rate in rates), rows
    assert len(set(names)) == len(rows) == 3 * 3 + 2 * 3 * 2 + 3 + 1
    for part in ("gym_env", "env, quick", "parallel_env", "quick, board", "32 games", "256 games", "40×40, 32 agents", "with questions"):
        assert any(part in name for name in names), part


def test_rows_are_chosen_by_their_names():
    rows = run("--seconds", "0.02", "--only", "gym_env, quick").stdout.splitlines()[1:]
    assert [row.split("  ")[0] for row in rows] == [f"gym_env, quick, {name}" for name in ("readings", "knowledge", "board")]


def test_an_unknown_suite_is_named():
    ended = run("--of", "chess")
    assert ended.returncode == 2 and "invalid choice: 'chess'" in ended.stderr
