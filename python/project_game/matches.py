"""Matches and comparisons of strategies, programs and classes."""

from __future__ import annotations

import json
import math
import numbers
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, SupportsIndex, Union

from . import _native
from .agents import View, entrants, factories, label, seed_number, text, whole


class Acts(Protocol):
    """The method that an entrant which is a class must have; see `project_game.Strategy`."""

    def act(self, view: View) -> str | SupportsIndex | None | dict[str, Any]:
        """Returns the choice of the agent, which may act now."""


Entrant = Union[str, "type[Acts]"]
"""An entrant: the name of a shipped strategy, a line-up such as ``coordinated*3+liar``, the command of a program such as
``python3 mine.py``, or a class with the methods of `Strategy`."""

LineUp = Union[Entrant, "Iterable[LineUp]"]
"""The entrants of a team. If there are fewer than agents, they repeat."""


def parameters(values: dict[str, Any]) -> str:
    """The parameters of a game as JSON. Numbers of NumPy are numbers too.

    Raises `ValueError` for a value that no parameter can have.
    """
    return json.dumps({name: _parameter(name, value) for name, value in values.items()})


def _parameter(name: str, value: Any) -> bool | int | float | str:
    if getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    raise ValueError(f"{name}={value!r}: expected a finite number, True, False or a text")


@dataclass(frozen=True)
class Game:
    """A game of the package."""

    name: str
    title: str
    agents: tuple[int, int]
    """The least and the largest number of agents."""
    teams: tuple[int, int]
    """The least and the largest number of teams."""
    team_names: tuple[str, ...]
    """The names of the teams; empty if they have none."""
    information: str
    """``perfect`` or ``imperfect``."""
    has_chance: bool
    """Whether anything is drawn after the first state."""
    time: str
    """``turns``, ``turns with a clock`` or ``real time``."""
    presets: dict[str, str] = field(hash=False)
    """The presets with a line about each."""
    strategies: dict[str, str] = field(hash=False)
    """The shipped strategies with a line about each."""
    parameters: dict[str, dict[str, str]] = field(repr=False, hash=False)
    """The parameters of each strategy with a line about each."""

    def configuration(self, preset: str | None = None, **values: Any) -> dict[str, Any]:
        """The whole configuration with this preset and these values: every parameter of the game.

        Raises `ValueError` that names every fault.
        """
        return json.loads(_native.complete(self.name, preset, parameters(values)))

    def team_count(self, preset: str | None = None, **values: Any) -> int:
        """The number of teams with this configuration. Raises `ValueError` as `configuration`."""
        return _native.team_count(self.name, preset, parameters(values))


def games() -> dict[str, Game]:
    """All games by their names. The first one is The Project Game."""
    known = {}
    for about in _native.games():
        strategies = about.pop("strategies")
        known[about["name"]] = Game(
            **{**about, "team_names": tuple(about["team_names"])},
            strategies={name: strategy["summary"] for name, strategy in strategies.items()},
            parameters={name: strategy["parameters"] for name, strategy in strategies.items()},
        )
    return known


@dataclass(frozen=True, repr=False)
class Match:
    """A match that was played."""

    record: dict[str, Any]
    """The whole record, as ``bots --json`` and leagues write it."""
    replay: bytes | None
    """The replay: a file for ``reference-gm view``, `page` and ``league replay``. None if it was not asked for."""

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.record["match"]["game"]

    @property
    def seed(self) -> int:
        """The seed, which decides the match."""
        return int(self.record["match"]["seed"])

    @property
    def entrants(self) -> list[str]:
        """The entrant of each agent."""
        return self.record["match"]["entrants"]

    @property
    def winner(self) -> int | None:
        """The number of the team that has won; None for a tie, and if nobody has won."""
        places = self.record["outcome"]["places"]
        return places.index(1) if places.count(1) == 1 else None

    @property
    def points(self) -> list[int]:
        """The points of each team."""
        return self.record["outcome"]["returns"]

    @property
    def termination(self) -> str:
        """The reason of the end: ``normal``, ``stall``, ``crash``, …"""
        return self.record["outcome"]["termination"]

    @property
    def time_ms(self) -> int:
        """The game time at the end in milliseconds; 0 in games without time."""
        return self.record["time_ms"]

    @property
    def metrics(self) -> dict[str, list[float]]:
        """The metrics of the game, with a value for each team."""
        return self.record["metrics"]

    @property
    def blunders(self) -> list[str]:
        """The first blunders of the entrants in words."""
        return self.record["first_blunders"]

    @property
    def name(self) -> str:
        """The game and the seed: a name for people."""
        return f"{self.game} {self.seed}"

    def data(self) -> bytes:
        """The replay. Raises `ValueError` if there is none: call `play` with ``replay=True``."""
        if self.replay is None:
            raise ValueError("the match has no replay: expected one that was played with replay=True")
        return self.replay

    def save(self, path: str | Path) -> Path:
        """Writes the replay to a file, and returns its path. Raises `ValueError` as `data`."""
        path = Path(path)
        path.write_bytes(self.data())
        return path

    def page(self) -> str:
        """The page of the match: one HTML document that needs nothing else. Raises `ValueError` as `data`."""
        return _native.page(self.data(), self.name)

    def __str__(self) -> str:
        names = games()[self.game].team_names or [f"team {team + 1}" for team in range(len(self.points))]
        winner = "nobody wins" if self.winner is None else f"{names[self.winner]} wins"
        points = " : ".join(map(str, self.points))
        count = self.record["blunders"]
        blunders = f", {count} {'blunder' if count == 1 else 'blunders'}" if count else ""
        return f"{winner}, {names[0]} {points} {names[len(self.points) - 1]} ({self.termination}{blunders})"

    def __hash__(self) -> int:
        return hash((self.game, self.seed, self.record["hash"]))

    def __repr__(self) -> str:
        return f"<Match {self.name}: {self}>"


def play(
    *line_ups: LineUp,
    game: str = "project",
    preset: str | None = None,
    seed: SupportsIndex | None = None,
    replay: bool = False,
    **values: Any,
) -> Match:
    """Plays a match in this process, on the virtual clock.

    There is a line-up for each team, the first team's first. ``values`` are parameters of the game, over those of the
    preset. Without a seed one is drawn. With ``replay``, the match has its replay.

    Raises `ValueError` for a fault of an argument, and with the fault of a program that cannot begin. An exception of a
    class that plays is raised again. Ctrl-C raises `KeyboardInterrupt` as soon as a program or a class decides, without waiting
    for its answer; if only shipped strategies play, at the end of the game.
    """
    number = secrets.randbits(32) if seed is None else seed_number(seed)
    own = [entrants(line_up) for line_up in line_ups]
    classes = factories(own)
    spec = _native.spec(game, preset, parameters(values), number, [text(each) for each in own])
    return _play(spec, classes, replay)


def _play(spec: str, classes: dict[str, Any], replay: bool) -> Match:
    record, data = _native.play(spec, classes, replay)
    return Match(json.loads(record), data)


@dataclass(frozen=True)
class Example:
    """A match of a comparison that is worth a look."""

    why: str
    """The reason to look at it."""
    spec: str = field(repr=False)
    """The match, as JSON."""
    classes: dict[str, Any] = field(repr=False, hash=False)

    def play(self) -> Match:
        """Plays it again, with its replay."""
        return _play(self.spec, self.classes, True)


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison. Its text is that of ``league compare``."""

    sentence: str
    """The result in one sentence."""
    verdict: str | None
    """``first`` or ``second`` if that side is stronger, ``equal`` if there is no difference of 10 Elo or more; None if the
    games were too few."""
    score: float
    """The share of the points of the first side, from 0 to 1."""
    interval: tuple[float, float]
    """The interval of 95 % of this share."""
    games: tuple[int, int, int]
    """The games that the first side has won, drawn and lost."""
    examples: list[Example] = field(hash=False)
    """Games to look at."""
    text: str = field(repr=False)
    """The whole result for people."""

    def __str__(self) -> str:
        return self.text.rstrip("\n")


def compare(
    first: LineUp,
    second: LineUp,
    *,
    game: str = "project",
    preset: str | None = None,
    games: SupportsIndex | None = None,
    seed: SupportsIndex = 1,
    jobs: SupportsIndex | None = None,
    **values: Any,
) -> Comparison:
    """Finds out which of two line-ups is the stronger, by the test of ``league compare``.

    Mirrored pairs of games are played on all cores, or on as many as ``jobs`` says, until the test has decided or there are
    ``games`` games (100,000 if it is None). The result does not depend on the number of cores. Ctrl-C ends it as soon as the
    games in progress have ended. It does not wait for programs and classes that decide, unless a class waits outside of
    Python, e.g. in ``time.sleep``.

    Raises `ValueError` for a fault of an argument, and with the fault of a program that cannot begin. An exception of a
    class that plays is raised again.
    """
    # Games are played in pairs.
    pairs = None if games is None else whole("games", games, 2) // 2
    threads = None if jobs is None else whole("jobs", jobs, 1)
    number = seed_number(seed)
    own = (entrants(first), entrants(second))
    classes = factories(own)
    texts = (text(own[0]), text(own[1]))
    if texts[0] == texts[1]:
        raise ValueError(f"both sides are {texts[0]}: expected two that differ")
    labels = (label(own[0]), label(own[1]))
    names = texts if labels[0] == labels[1] else labels
    found = _native.compare(game, preset, parameters(values), number, texts, names, classes, pairs, threads)
    examples = [Example(why, spec, classes) for why, spec in found.pop("examples")]
    return Comparison(examples=examples, **found)
