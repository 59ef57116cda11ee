"""The page of a match: in files, in the browser, in notebooks, and by the command."""

from __future__ import annotations

import html
import re
import sys
import types
import webbrowser
from pathlib import Path

import pytest

import project_game as pg
from project_game.__main__ import main


@pytest.fixture(scope="module")
def match():
    return pg.play("greedy", "random", game="dots", seed=3, replay=True)


@pytest.fixture
def opened(monkeypatch):
    """The addresses that were opened in the browser."""
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_every_kind_of_replay_has_a_page(match, tmp_path, opened):
    path = match.save(tmp_path / "my game.replay")
    for replay in (match, match.replay, bytearray(match.replay), path, str(path)):
        shown = pg.view(replay, open=False)
        assert shown.path.read_text(encoding="utf-8") == shown.text
        assert shown.text.startswith("<!doctype html>") and str(shown.path) in str(shown)
    assert shown.path.name == "my-game.html" and "my game.replay" in shown.text
    assert pg.view(match, open=False).path.name == "dots-3.html"
    assert opened == []


def test_the_page_is_opened_once(match, tmp_path, opened):
    page = tmp_path / "page.html"
    assert pg.view(match, page=page).path == page
    assert opened == [page.as_uri()]


def test_without_a_browser_the_file_is_named(match, monkeypatch, capsys):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    shown = pg.view(match)
    assert capsys.readouterr().err == f"no browser was found: open {shown.path} yourself\n"


def test_a_notebook_shows_the_page_in_a_frame(match, monkeypatch, opened, tmp_path):
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    shown = pg.view(match, height=450)
    frame = shown._repr_html_()
    assert shown.path is None and opened == []
    assert re.findall('<iframe srcdoc="([^"]*)"', frame) == [html.escape(shown.text)]
    assert 'height="450"' in frame
    assert pg.view(match, page=tmp_path / "page.html").path.exists() and opened == []
    # IPython in a terminal shows no HTML.
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: object()))
    assert pg.view(match).path is not None and len(opened) == 1


@pytest.mark.parametrize(
    ("replay", "error", "told"),
    [
        (b"abc", ValueError, "a match: this is no replay: it begins with `abc`"),
        (b"", ValueError, "this is no replay"),
        (3, TypeError, "3 is no replay: expected a Match, bytes, or the path of a replay file"),
        (None, TypeError, "None is no replay"),
        ("nowhere.replay", FileNotFoundError, "nowhere.replay"),
        (Path(__file__), ValueError, r"test_pages\.py: this is no replay"),
    ],
)
def test_what_is_no_replay_is_named(replay, error, told):
    with pytest.raises(error, match=told):
        pg.view(replay, open=False)


def test_a_match_without_its_replay_is_named():
    with pytest.raises(ValueError, match="expected one that was played with replay=True"):
        pg.view(pg.play("greedy", "random", game="dots", seed=1))


def test_the_command_shows_a_replay(match, tmp_path, capsys, opened):
    path, page = match.save(tmp_path / "game.replay"), tmp_path / "game.html"
    assert main(["view", str(path), "--page", str(page), "--no-open"]) == 0
    assert str(page) in capsys.readouterr().out and opened == []
    assert main(["view", str(path), "--page", str(page)]) == 0
    assert opened == [page.as_uri()]
    assert page.read_text(encoding="utf-8") == pg.replay_page(path)
    assert main(["view", str(page)]) == 2
    assert "game.html: this is no replay" in capsys.readouterr().err
    assert main(["view", str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err
