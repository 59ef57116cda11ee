"""Replays as arguments: a match, the bytes of a replay file, the path of one, or many of these."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, Union

from . import _native
from .matches import Match

Replay = Union[Match, bytes, bytearray, "str | os.PathLike[str]"]
"""A replay: a match that was played with ``replay=True``, the bytes of a replay file, or its path."""

Replays = Union[Replay, Iterable[Replay]]
"""One replay, a pattern such as ``games/*.replay``, or an iterable of replays and patterns."""

Result = TypeVar("Result")


def read(replay: Replay, unnamed: str = "a match") -> tuple[str, bytes]:
    """The name of a replay and its bytes. The name is that of the file as given, or the game and the seed of a match;
    bytes have the name ``unnamed``.

    Raises `TypeError` for anything else, `ValueError` for a match without its replay, and `OSError` if the file cannot be
    read.
    """
    if isinstance(replay, Match):
        return replay.name, replay.data()
    if isinstance(replay, (bytes, bytearray)):
        return unnamed, bytes(replay)
    if isinstance(replay, (str, os.PathLike)):
        path = os.fspath(replay)
        with open(path, "rb") as file:
            return path, file.read()
    raise TypeError(f"{_shown(replay)} is no replay: expected a Match, bytes, or the path of a replay file")


def read_all(replays: Replays) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of replays, one after the other. Files of a pattern are sorted by their names.

    Raises what `read` raises, and `FileNotFoundError` for a pattern without a file.
    """
    several: Any = [replays] if is_one(replays) or _is_pattern(replays) else replays
    if not isinstance(several, Iterable):
        raise TypeError(
            f"{_shown(replays)} is no replay: expected a Match, bytes, a path, a pattern such as games/*.replay, "
            "or an iterable of these"
        )
    number = 0
    for replay in several:
        for each in _files(str(replay)) if _is_pattern(replay) else [replay]:
            number += 1
            yield read(each, f"replay {number}")


def is_one(replays: Replays) -> bool:
    """Returns true for a single replay, and false for a pattern or an iterable."""
    return isinstance(replays, (Match, bytes, bytearray, str, os.PathLike)) and not _is_pattern(replays)


def converted(name: str, data: bytes, convert: Callable[[bytes], Result]) -> Result:
    """The result of the conversion of a replay. Its `ValueError` gets the name of the replay. Warns if the file was cut off:
    the result has the part before the break."""
    try:
        result = convert(data)
        fault = _native.truncation(data)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if fault is not None:
        warnings.warn(f"{name}: {fault}; only the part before is read", stacklevel=2)
    return result


def _is_pattern(replay: Any) -> bool:
    # A file can have a name that looks like a pattern.
    return isinstance(replay, (str, os.PathLike)) and glob.has_magic(os.fspath(replay)) and not os.path.exists(replay)


def _files(pattern: str) -> list[str]:
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise FileNotFoundError(f"no file matches {pattern!r}: expected replay files, e.g. of games/*.replay")
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a value of type {type(value).__name__}"
