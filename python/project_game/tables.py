"""Matches as tables: what happened, who told what to whom, and which claims were true.

A table is a dictionary of NumPy arrays, one for each column, all of the same length:

====================  ==========================================================================================
type of a column      content
====================  ==========================================================================================
``int64``             times in milliseconds of game time, numbers of agents and messages, counts
``bool``              whether something is so
``object``            texts: a `str` in each row
====================  ==========================================================================================

So ``table["verdict"] == "lie"`` selects rows, and ``numpy.unique`` counts them.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native
from .replays import Replays, converted, is_one, read_all

Table = dict[str, np.ndarray]
"""An array for each column."""

EVENTS = {"time_ms": "int64", "is_refusal": "bool", "event": "object"}
"""The columns of `events` with their types."""

MESSAGES = {
    "message": "int64",
    "time_ms": "int64",
    "kind": "object",
    "from": "int64",
    "from_team": "object",
    "from_entrant": "object",
    "to": "int64",
    "to_team": "object",
    "to_entrant": "object",
    "claims": "int64",
    "honest": "int64",
    "stale": "int64",
    "mistaken": "int64",
    "lies": "int64",
    "believed": "int64",
    "believed_false": "int64",
    "verdict": "object",
}
"""The columns of `messages` with their types."""

CLAIMS = {
    "message": "int64",
    "time_ms": "int64",
    "from": "int64",
    "to": "int64",
    "x": "int64",
    "y": "int64",
    "about": "object",
    "said": "object",
    "truth": "object",
    "verdict": "object",
    "believed": "bool",
}
"""The columns of `claims` with their types."""


def events(
    replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None
) -> Any:
    """All events of matches of any game, a row for each.

    ===============  ========  ===========================================================================
    column           type      content
    ===============  ========  ===========================================================================
    ``time_ms``      int64     the game time in milliseconds; 0 in games without time
    ``is_refusal``   bool      whether the game has refused a request
    ``event``        text      the event in the notation of the game
    ===============  ========  ===========================================================================

    ``replays`` is a match that was played with ``replay=True``, the bytes of a replay file, its path, a pattern such as
    ``games/*.replay``, or an iterable of these. For patterns and iterables, a first column ``replay`` names the replay: the
    path of the file, or the game and the seed of a match.

    ``as_frame`` is ``"pandas"``, ``"polars"`` or ``"pyarrow"``, and returns a table of this library instead of a dictionary of
    arrays. ``parquet`` is a file to which the table is written as well; this needs pyarrow.

    Raises `ValueError` for a faulty replay, `OSError` for a file that cannot be read or written, and `ImportError` if a
    library is not installed. Warns with `UserWarning` if a file was cut off: the table has the rows before the break.
    """
    return _table(replays, EVENTS, _native.events, as_frame, parquet)


def messages(
    replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None
) -> Any:
    """All questions, orders to answer and answers of matches of The Project Game, a row for each.

    ===================  ========  =======================================================================
    column               type      content
    ===================  ========  =======================================================================
    ``message``          int64     the number of the message in its match, from 1
    ``time_ms``          int64     the game time in milliseconds
    ``kind``             text      ``question``, ``repeated question``, ``order to answer`` or ``answer``
    ``from``             int64     the agent that has sent it
    ``from_team``        text      its team, ``red`` or ``blue``
    ``from_entrant``     text      the strategy or program that plays it, as the replay names it
    ``to``               int64     the agent that has got it
    ``to_team``          text      its team, ``red`` or ``blue``
    ``to_entrant``       text      the strategy or program that plays it, as the replay names it
    ``claims``           int64     the claims of an answer, and how many of them are
    ``honest``           int64     … true,
    ``stale``            int64     … a distance that was true when the agent measured it,
    ``mistaken``         int64     … false, but in good faith,
    ``lies``             int64     … false against the knowledge of the agent
    ``believed``         int64     the claims that the receiver has taken over
    ``believed_false``   int64     … and those of them that are false
    ``verdict``          text      the worst verdict on a claim: ``honest``, ``stale``, ``mistaken`` or ``lie``;
                                   empty if the message is no answer
    ===================  ========  =======================================================================

    A message that is no answer has no claims: its counts are 0, where the table of ``league export`` has empty cells. For means
    and shares of answers, select the rows whose ``kind`` is ``answer``. Matches with one seed have one text in ``replay``.

    The arguments and errors are those of `events`. Games without messages are a `ValueError`.
    """
    return _table(replays, MESSAGES, _native.messages, as_frame, parquet)


def claims(
    replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None
) -> Any:
    """All claims of the answers in matches of The Project Game, a row for each, beside the truth at that moment.

    ==============  ========  ============================================================================
    column          type      content
    ==============  ========  ============================================================================
    ``message``     int64     the number of the answer in its match, as in `messages`
    ``time_ms``     int64     the game time in milliseconds
    ``from``        int64     the agent that makes the claim
    ``to``          int64     the agent that hears it
    ``x``, ``y``    int64     the field that it is about
    ``about``       text      ``distance``: from the field to the nearest piece; ``goal``: whether it is a goal
    ``said``        text      the claim: a distance, ``goal`` or ``no goal``
    ``truth``       text      the truth: a distance, ``goal``, ``covered goal`` or ``no goal``
    ``verdict``     text      ``honest``, ``stale``, ``mistaken`` or ``lie``
    ``believed``    bool      whether the receiver has taken it over
    ==============  ========  ============================================================================

    The arguments and errors are those of `messages`.
    """
    return _table(replays, CLAIMS, _native.claims, as_frame, parquet)


def _table(
    replays: Replays,
    columns: dict[str, str],
    read: Callable[[bytes], dict[str, list[Any]]],
    as_frame: str | None,
    parquet: str | os.PathLike[str] | None,
) -> Any:
    frame = None if as_frame is None else _library(as_frame)
    writer = None if parquet is None else _imported("pyarrow.parquet", f"parquet={os.fspath(parquet)!r}")
    parts: list[Table] = []
    for name, data in read_all(replays):
        found = converted(name, data, read)
        part = {column: np.array(found[column], dtype) for column, dtype in columns.items()}
        if not is_one(replays):
            names = np.full(len(part["time_ms"]), name, "object")
            part = {"replay": names, **part}
        parts.append(part)
    types = columns if is_one(replays) else {"replay": "object", **columns}
    empty = {column: np.empty(0, dtype) for column, dtype in types.items()}
    table = {column: np.concatenate([part[column] for part in [empty, *parts]]) for column in types}
    if parquet is not None and writer is not None:
        writer.write_table(_to_pyarrow(_imported("pyarrow", "parquet"), table), os.fspath(parquet))
    return table if frame is None else frame(table)


def _library(as_frame: str) -> Callable[[Table], Any]:
    """The conversion to a table of this library."""
    conversions = {"pandas": _to_pandas, "polars": _to_polars, "pyarrow": _to_pyarrow}
    if as_frame not in conversions:
        raise ValueError(f"as_frame={as_frame!r}: expected {', '.join(map(repr, conversions))} or None")
    library = _imported(as_frame, f"as_frame={as_frame!r}")
    return lambda table: conversions[as_frame](library, table)


def _imported(name: str, argument: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{argument} needs {package}, which is not installed: `pip install {package}`") from error


def _to_pandas(pandas: Any, table: Table) -> Any:
    return pandas.DataFrame(table)


def _to_polars(polars: Any, table: Table) -> Any:
    columns = [
        polars.Series(name, column.tolist(), dtype=polars.String) if column.dtype == object else polars.Series(name, column)
        for name, column in table.items()
    ]
    return polars.DataFrame(columns)


def _to_pyarrow(pyarrow: Any, table: Table) -> Any:
    types = {"object": pyarrow.string(), "int64": pyarrow.int64(), "bool": pyarrow.bool_()}
    return pyarrow.table({name: pyarrow.array(column, types[column.dtype.name]) for name, column in table.items()})
