"""The examples in the folder `examples/python` that use this package."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.fixture(scope="module")
def train():
    about = importlib.util.spec_from_file_location("train", EXAMPLES / "train.py")
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


def test_the_training_beats_random_within_seconds(tmp_path):
    """The whole training beats `greedy` too; it takes longer than a test should."""
    command = [sys.executable, str(EXAMPLES / "train.py"), "--seconds", "10", "--curve", str(tmp_path / "curve")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "random: Learned is stronger" in ended.stdout and "\ngreedy: " in ended.stdout, ended.stdout
    assert "of the points against random" in ended.stderr
    assert [path.suffix for path in tmp_path.iterdir()] in ([".svg"], [".csv"])


def test_the_seed_decides_the_training(train):
    def layers(seed):
        board, rng = train.Board(3, 3), np.random.default_rng(seed)
        network = train.Network(len(board.inputs(np.zeros((1, 12), np.float32))[0]), rng)
        for _ in train.train(network, board, seed, rng):
            if network.updates == 20:
                return network.layers

    first, again, other = layers(1), layers(1), layers(2)
    assert all(np.array_equal(one, two) for one, two in zip(first, again))
    assert not np.array_equal(first[0], other[0])


def test_the_boxes_of_a_move_are_those_of_the_game(train):
    """A game of random moves: the boxes that the example counts are the rewards of the environment."""
    import project_game as pg

    board, rng = train.Board(3, 4), np.random.default_rng(3)
    env = pg.gym_env("dots", **board.size, rewards=(0, 1), seed=3)
    observation, _ = env.reset()
    over, completed = False, 0
    while not over:
        drawn = 1 - observation["action_mask"].astype(np.float32)
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        boxes = board.moves(drawn[None])[1][0, action]
        observation, reward, over, _, _ = env.step(action)
        assert boxes == reward
        completed += boxes
    assert completed == 6


@pytest.mark.parametrize("rows, cols", [(3, 4), (12, 12)])
def test_a_network_plays_on_boards_of_any_size(train, rows, cols):
    """With more than 256 edges, a view has no options."""
    import project_game as pg

    board = train.Board(rows, cols)
    network = train.Network(len(board.inputs(np.zeros((1, len(board.edges)), np.float32))[0]), np.random.default_rng(1))

    class Watched(train.strategy(network, board)):
        def act(self, view):
            drawn = board.drawn(view)
            assert (view.options is None) == (drawn.sum() < len(board.edges) - 256)
            if view.options is not None:
                assert {edge for edge, is_drawn in zip(board.edges, drawn) if not is_drawn} == set(view.options)
            return super().act(view)

    match = pg.play(Watched, "random", game="dots", **board.size, seed=1)
    assert match.termination == "normal" and match.blunders == []


def test_the_curve_is_drawn_or_written(train, tmp_path, monkeypatch, capsys):
    curve = [(500, 0.75, 0.25), (1000, 0.875, 0.5)]
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    path = Path(train.save_curve(tmp_path / "curve", curve))
    assert path.read_text() == "updates,random,greedy\n500,0.75,0.25\n1000,0.875,0.5\n"
    assert "matplotlib is not installed" in capsys.readouterr().err
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    assert Path(train.save_curve(tmp_path / "curve", curve)).read_text().startswith("<?xml")


def test_the_notebook_has_no_outputs():
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


def test_the_notebook_runs(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output["data"] for output in outputs if "data" in output]
    printed = "".join(output["text"] for output in outputs if output["output_type"] == "stream")
    assert any('<iframe srcdoc="&lt;!doctype html&gt;' in data.get("text/html", "") for data in shown)
    assert any("image/png" in data for data in shown)
    assert "coordinated is stronger" in printed and "Finder is stronger" in printed
    for verdict in ("honest", "stale", "mistaken", "lie"):
        assert f"\n{verdict}" in printed or printed.startswith(verdict), printed
    assert list(tmp_path.iterdir()) == []
