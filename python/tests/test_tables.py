"""Matches as tables."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from players import GAMES, small

import project_game as pg
from project_game import tables


def played(seed):
    """A match with many questions, and a liar who leads the second team."""
    return pg.play("asker", "liar+asker", preset="quick", seed=seed, replay=True)


@pytest.fixture(scope="module")
def match():
    return played(7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three replays in files."""
    folder = tmp_path_factory.mktemp("games")
    for seed in (3, 1, 2):
        played(seed).save(folder / f"{seed}.replay")
    return folder


def equal(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(
    ("read", "types"), [(pg.events, tables.EVENTS), (pg.messages, tables.MESSAGES), (pg.claims, tables.CLAIMS)]
)
def test_the_columns_have_their_types(match, read, types):
    table = read(match)
    assert {name: column.dtype.name for name, column in table.items()} == types
    assert len({len(column) for column in table.values()}) == 1 and len(table["time_ms"]) > 0
    assert np.all(np.diff(table["time_ms"]) >= 0) and table["time_ms"][-1] <= match.time_ms
    for column in table.values():
        assert column.dtype != object or all(isinstance(text, str) for text in column)
    # Without a row, the types are the same.
    empty = read([])
    assert {name: column.dtype.name for name, column in empty.items()} == {"replay": "object", **types}
    assert all(len(column) == 0 for column in empty.values())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_events(game):
    about = pg.games()[game]
    strategy = next(iter(about.strategies))
    settings = small(game)
    match = pg.play(*[strategy] * about.team_count(**settings), game=game, **settings, seed=7, replay=True)
    table = pg.events(match)
    assert len(table["event"]) > 3 and all(table["event"])
    assert not table["is_refusal"].all()


def test_the_claims_are_those_of_the_messages(match):
    messages, claims = pg.messages(match), pg.claims(match)
    assert np.array_equal(messages["message"], np.arange(1, len(messages["message"]) + 1))
    assert set(messages["kind"]) <= {"question", "repeated question", "order to answer", "answer"}
    for row, number in enumerate(messages["message"]):
        own = {name: column[claims["message"] == number] for name, column in claims.items()}
        assert messages["claims"][row] == len(own["x"])
        for count, verdict in (("honest", "honest"), ("stale", "stale"), ("mistaken", "mistaken"), ("lies", "lie")):
            assert messages[count][row] == np.count_nonzero(own["verdict"] == verdict)
        assert messages["believed"][row] == np.count_nonzero(own["believed"])
        assert messages["believed_false"][row] == np.count_nonzero(own["believed"] & (own["verdict"] != "honest"))
        assert (messages["verdict"][row] == "") or messages["kind"][row] == "answer"
        assert set(own["from"]) <= {messages["from"][row]} and set(own["to"]) <= {messages["to"][row]}
    assert np.array_equal(claims["verdict"] == "honest", claims["said"] == np.where(
        claims["truth"] == "covered goal", "goal", claims["truth"]))
    # Only the liar of the second team lies, and the metrics of the match count the same claims.
    lies = claims["verdict"] == "lie"
    assert lies.any() and len(set(claims["from"][lies])) == 1
    assert set(messages["from_team"][messages["lies"] > 0]) == {"blue"}
    assert match.metrics["claims_lies"] == [0, np.count_nonzero(lies)]
    for name, count in (("claims_stale", claims["verdict"] == "stale"), ("claims_believed", claims["believed"])):
        assert sum(match.metrics[name]) == np.count_nonzero(count)


def test_many_replays_have_a_column_with_their_names(match, folder):
    pattern = str(folder / "*.replay")
    table = pg.claims(pattern)
    assert list(table) == ["replay", *tables.CLAIMS]
    files = [str(folder / f"{seed}.replay") for seed in (1, 2, 3)]
    assert list(dict.fromkeys(table["replay"])) == files
    first = pg.claims(files[0])
    assert "replay" not in first
    assert np.array_equal(table["said"][table["replay"] == files[0]], first["said"])
    assert equal(pg.claims(files), table) and equal(pg.claims(iter([pattern])), table)
    mixed = pg.events([match, match.replay, folder / "1.replay"])
    assert list(dict.fromkeys(mixed["replay"])) == ["project 7", "replay 2", files[0]]
    assert list(pg.claims([files[0]])) == list(table)


def test_a_file_can_have_the_name_of_a_pattern(match, tmp_path):
    path = match.save(tmp_path / "[1].replay")
    assert equal(pg.claims(path), pg.claims(match))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_other_libraries_have_the_same_content(match, library):
    pytest.importorskip(library)
    table, frame = pg.claims(match), pg.claims(match, as_frame=library)
    assert type(frame).__module__.partition(".")[0] == library
    rows = frame.to_pylist() if library == "pyarrow" else frame.to_dict("records") if library == "pandas" else frame.to_dicts()
    assert rows == [dict(zip(table, row)) for row in zip(*(column.tolist() for column in table.values()))]
    assert len(pg.claims([], as_frame=library)) == 0


def test_parquet_has_the_same_content(folder, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "claims.parquet"
    table = pg.claims(str(folder / "*.replay"), parquet=path)
    read = parquet.read_table(path)
    assert read.column_names == list(table)
    assert {str(kind) for kind in read.schema.types} == {"int64", "string", "bool"}
    assert all(read.column(name).to_pylist() == table[name].tolist() for name in table)


def test_a_missing_library_is_named(match, monkeypatch):
    monkeypatch.setattr(importlib, "import_module", _missing)
    for settings, told in [
        ({"as_frame": "polars"}, "as_frame='polars' needs polars, .*`pip install polars`"),
        ({"parquet": "x.parquet"}, "parquet='x.parquet' needs pyarrow, .*`pip install pyarrow`"),
    ]:
        with pytest.raises(ImportError, match=told):
            pg.events(match, **settings)


def _missing(name):
    raise ModuleNotFoundError(f"No module named {name!r}")


@pytest.mark.parametrize(
    ("replays", "settings", "error", "told"),
    [
        (3, {}, TypeError, "3 is no replay: expected a Match, bytes, a path, a pattern"),
        ([3], {}, TypeError, "3 is no replay"),
        ("nowhere/*.replay", {}, FileNotFoundError, r"no file matches 'nowhere/\*\.replay'"),
        ([b"abc"], {}, ValueError, "replay 1: this is no replay"),
        (__file__, {}, ValueError, r"test_tables\.py: this is no replay"),
        ([], {"as_frame": "numpy"}, ValueError, "as_frame='numpy': expected 'pandas', 'polars', 'pyarrow' or None"),
    ],
)
def test_faults_are_named(replays, settings, error, told):
    with pytest.raises(error, match=told):
        pg.events(replays, **settings)


@pytest.mark.parametrize("read", [pg.events, pg.messages, pg.claims, lambda path: pg.view(path, open=False), pg.replay_page])
def test_a_replay_that_was_cut_off_is_named(match, tmp_path, read):
    path = tmp_path / "cut.replay"
    path.write_bytes(match.replay[: len(match.replay) // 2])
    with pytest.warns(UserWarning, match=r"cut\.replay: the file breaks off after line \d+: .*; only the part before is read"):
        read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(match)


def test_messages_name_the_entrants_of_their_agents(match, folder):
    table = pg.messages(match)
    for end in ("from", "to"):
        assert [match.entrants[agent] for agent in table[end]] == table[f"{end}_entrant"].tolist()
    liars = table["from_entrant"][table["lies"] > 0]
    assert set(liars) == {"liar"}


def test_games_without_messages_are_named():
    match = pg.play("greedy", "random", game="dots", seed=3, replay=True)
    for read in (pg.messages, pg.claims):
        with pytest.raises(ValueError, match="dots 3: .*dots"):
            read(match)


def test_tables_need_numpy_only(folder):
    code = """
        import sys, project_game as pg
        pg.claims(sys.argv[1])
        assert not {"pandas", "polars", "pyarrow"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(folder / "1.replay")], check=True)
