"""The program `project-game`, the import, and agents as programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

import project_game as pg
from project_game import _native
from project_game.__main__ import main
from project_game.agents import find

HERE = os.path.dirname(__file__)


@pytest.mark.parametrize("game", list(pg.games()))
def test_the_demo_writes_a_page(game, tmp_path, capsys):
    page = tmp_path / "demo.html"
    assert main(["demo", "--game", game, "--no-open", "--page", str(page)]) == 0
    told = capsys.readouterr().out
    assert str(page) in told and pg.games()[game].title in told
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_demo_names_faults(capsys):
    assert main(["demo", "--preset", "qick", "--no-open"]) == 2
    assert "did you mean `quick`?" in capsys.readouterr().err


def test_the_doctor_looks_at_everything(capsys):
    assert main(["doctor", "--json"]) == 0
    found = {finding["what"]: finding for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert found["games"]["works"] and found["numpy"]["works"] and found["agent protocol"]["works"]
    for name in ("programs", "gymnasium", "pettingzoo", "pandas", "polars", "pyarrow", "matplotlib", "browser"):
        assert not found[name]["is_needed"] and found[name]["told"]
    assert set(pg.games()) <= set(found["games"]["told"].replace(":", "").replace(",", "").split())
    assert main(["doctor"]) == 0
    assert "works   games" in capsys.readouterr().out


def test_the_import_needs_no_numpy():
    """A program is started for each game, and NumPy takes longer to import than all else."""
    code = "import sys, project_game; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_agent_is_a_program():
    lines = [
        {"type": "hello", "protocol": 1, "game": "dots", "config": {}, "agent": 0, "teams": [0, 1], "chance": 1},
        {"type": "decide", "id": 1, "now": 0, "observation": {}, "events": [], "options": ["0-1", "1-2"]},
        {"type": "end", "now": 0, "events": [], "winner": 0, "points": [1, 0], "termination": "normal"},
    ]
    told = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, "-m", "project_game", "agent", "players:First"]
    begun = time.monotonic()
    ended = subprocess.run(command, input=told, capture_output=True, text=True, cwd=HERE, timeout=60, check=True)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [answer.get("type", answer.get("do")) for answer in answers] == ["ready", "0-1"]
    assert answers[0]["protocol"] == _native.PROTOCOL
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("name", "told"),
    [("players", "expected module:Class"), ("nowhere:First", "cannot import"), ("players:Second", "has no class")],
)
def test_a_class_that_is_missing_is_named(name, told):
    with pytest.raises(ValueError, match=told):
        find(name)


@pytest.mark.parametrize("method", ["begin", "act"])
def test_an_exception_of_a_class_has_its_traceback(tmp_path, method):
    (tmp_path / "faulty.py").write_text(
        "import project_game as pg\n\nclass Faulty(pg.Strategy):\n"
        f"    def {method}(self, view):\n        return min([])\n"
    )
    lines = [
        {"type": "hello", "protocol": 1, "game": "dots", "config": {}, "agent": 0, "teams": [0, 1], "chance": 1},
        {"type": "decide", "id": 1, "now": 0, "observation": {}, "events": [], "options": ["0-1", "1-2"]},
    ]
    told = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, "-m", "project_game", "agent", "faulty:Faulty"]
    ended = subprocess.run(command, input=told, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert ended.returncode == 1
    assert f'faulty.py", line 5, in {method}' in ended.stderr and "ValueError: min()" in ended.stderr


def test_a_class_that_is_missing_is_a_wrong_command_line():
    command = [sys.executable, "-m", "project_game", "agent", "nowhere:First"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and ended.stderr.startswith("error: cannot import `nowhere`")


def test_the_doctor_names_a_broken_package(capsys, tmp_path, monkeypatch):
    (tmp_path / "polars.py").write_text("raise ValueError('numpy.dtype size changed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "polars", raising=False)
    assert main(["doctor"]) == 0
    assert "absent  polars: numpy.dtype size changed" in capsys.readouterr().out
