"""Strategies as classes, and the agent protocol that they speak.

A class with the methods of `Strategy` plays a seat of any game: in this process (`project_game.play`,
`project_game.compare`, opponents of environments), or as a program of its own, for leagues and other hosts:

    project-game agent mymodule:MyStrategy

Both ways it gets the same lines; see the book's pages about agents in any language.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import operator
import os
import random
import shlex
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any, BinaryIO, SupportsIndex

from . import _native


class View:
    """What a strategy sees: the game, its agent, and the decision."""

    hello: dict[str, Any]
    """The beginning of the game: ``game``, ``config``, ``teams``, ``team_names``, ``start``, ``leader``, …"""
    agent: int
    """The id of the agent."""
    team: int
    """The number of its team."""
    now: int
    """The game time in milliseconds; 0 in games without time."""
    observation: dict[str, Any]
    """The view of the agent, in the words of the agent protocol."""
    events: list[Any]
    """The events since the last decision, the oldest first."""
    options: list[str] | None
    """The actions that are possible; None if there are more than 256."""
    chance: random.Random
    """The random numbers of the agent: the same match gives the same numbers."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self.hello = hello
        self.agent = hello["agent"]
        self.team = hello["teams"][self.agent]
        self.chance = random.Random(hello["chance"])
        self.now = 0
        self.observation = {}
        self.events = []
        self.options = None

    def __getattr__(self, name: str) -> Any:
        # Only called for names that the view itself does not have.
        observation = self.__dict__.get("observation", {})
        if name in observation:
            return observation[name]
        known = ", ".join(sorted(observation)) or "none before the first decision"
        raise AttributeError(f"the view has no `{name}`; parts of the observation: {known}")


class Strategy:
    """Decides for an agent. Only `act` is needed. There is an instance for each agent and game.

        class Finder(pg.Strategy):
            def act(self, view):
                if view.hand != "empty":
                    return "put"
                return {"walk": view.piece} if view.piece not in (None, view.at) else "discover"

        print(pg.play(Finder, "greedy", preset="quick"))
    """

    answers_questions = False
    """Whether `answer` is called for the questions of other agents. Otherwise agents of the own team are answered with all
    that the agent has found out itself, and others not at all."""

    def begin(self, view: View) -> None:
        """A game begins."""

    def hear(self, view: View, event: Any) -> None:
        """The agent has heard an event. Called before `act`, `answer` and `end`."""

    def act(self, view: View) -> str | SupportsIndex | None | dict[str, Any]:
        """Returns the choice of the agent, which may act now.

        A text is an action in the notation of the game, e.g. one of ``view.options``. A number from 0 to 2**32 - 1 lets that
        number of milliseconds pass, or less if the agent hears something; None waits until it hears something. A dictionary is
        an answer of the agent protocol: ``{"walk": [3, 4]}``, ``{"do": "move N", "note": "a piece is near"}``. Numbers and
        arrays of NumPy stand for numbers and lists.

        Anything else is a `TypeError` or a `ValueError`. An action that the game does not know is a fault: the agent has lost
        its game, or is gone, as the rules say. An action that the game knows and refuses is no fault: the rules say what it
        costs. More than 100 refusals in a row lose a game of turns.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `act`")

    def answer(self, view: View, by: int, must_answer: bool) -> str | None | dict[str, Any]:
        """Returns the information for an agent that has asked: ``"own"`` for all that this agent has found out itself, None
        for nothing, or a dictionary with ``distances``, ``red`` and ``blue``. It may be false."""
        return "own"

    def end(self, view: View, end: dict[str, Any]) -> None:
        """The game is over: ``winner``, ``points``, ``termination``, …"""


class Program:
    """A class as a program that speaks the agent protocol: lines in, lines out."""

    def __init__(self, strategy: type[Strategy]) -> None:
        self._class = strategy
        self._strategy: Any = None
        self._view: Any = None

    def answer(self, line: bytes) -> bytes | None:
        """The answer to a line of the host; None if it needs none."""
        message = json.loads(line)
        kind = message.pop("type")
        if kind == "hello":
            self._strategy, self._view = self._class(), View(message)
            self._call("begin", self._view)
            answers = bool(getattr(self._strategy, "answers_questions", False))
            ready = {"type": "ready", "protocol": _native.PROTOCOL, "name": self._class.__name__, "answers": answers}
            return _line(ready)
        view = self._view
        view.now, view.events = message["now"], message["events"]
        view.observation = message.get("observation", view.observation)
        view.options = message.get("options")
        for event in view.events:
            self._call("hear", view, event)
        if kind == "decide":
            choice = self._strategy.act(view)
            return _checked("act", choice, _decision(choice))
        if kind == "question":
            told = self._call("answer", view, message["by"], message["must_answer"])
            return _checked("answer", told, {"tell": told})
        self._call("end", view, message)
        return None

    def _call(self, name: str, *arguments: Any) -> Any:
        """Calls a method, or that of `Strategy` if the class has none: it need not inherit from it."""
        method = getattr(self._strategy, name, None)
        return getattr(Strategy, name)(self._strategy, *arguments) if method is None else method(*arguments)


def _decision(choice: Any) -> dict[str, Any]:
    if isinstance(choice, str):
        return {"do": choice}
    if isinstance(choice, dict):
        # A class answers the message that it was called for.
        return {name: part for name, part in choice.items() if name != "id"}
    if choice is None:
        return {"wait": None}
    if not isinstance(choice, bool):
        try:
            return {"wait": operator.index(choice)}
        except TypeError:
            pass
    raise TypeError(
        f"act returned {choice!r}: expected the text of an action, a number of milliseconds, None or a dictionary"
    )


def _checked(method: str, returned: Any, answer: dict[str, Any]) -> bytes:
    """The line of an answer. Raises `TypeError` if JSON cannot hold it, and `ValueError` if the protocol has no such answer."""
    try:
        line = _line(answer)
        _native.check_answer(line)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{method} returned {returned!r}, which is no answer: {error}") from None
    return line


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    """A number or an array of NumPy as a number or a list. Raises `TypeError` for anything else."""
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"{value!r} is no value of JSON")


def interrupt(thread: int) -> None:
    """Raises `KeyboardInterrupt` in another thread as soon as it runs Python code. The native module calls this."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))


class NoStrategy(ValueError):
    """There is no class of this name."""


def serve(name: str) -> None:
    """Plays the class ``module:Class`` over standard input and output, until the input ends.

    What the class prints goes to standard error: standard output belongs to the protocol. Raises `NoStrategy` if there is no
    such class, and whatever the class raises.
    """
    with os.fdopen(os.dup(1), "wb", buffering=0) as output:
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        program = Program(find(name))
        _serve(program, sys.stdin.buffer, output)


def _serve(program: Program, lines: BinaryIO, output: Any) -> None:
    for line in iter(lines.readline, b""):
        answer = program.answer(line)
        if answer is not None:
            output.write(answer)


def find(name: str) -> type[Strategy]:
    """The class of this name, ``module:Class``; modules of the current folder can be found too.

    Raises `NoStrategy` if there is none.
    """
    module, separator, qualified = name.partition(":")
    if not separator or not module or not qualified:
        raise NoStrategy(f"`{name}` is no class: expected module:Class")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NoStrategy(f"cannot import `{module}`: {error}") from error
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise NoStrategy(f"`{module}` has no class `{qualified}`")
    return found


def command(strategy: type[Strategy]) -> str:
    """The command that runs a class as a program, in quotes as in a line-up."""
    name = f"{strategy.__module__}:{strategy.__qualname__.replace('<locals>.', '')}"
    words = ["python3", "-m", "project_game", "agent", name]
    return '"' + " ".join(shlex.quote(word) for word in words) + '"'


def entrants(line_up: Any) -> list[Any]:
    """The texts and classes of a line-up: a text, a class, or an iterable of line-ups.

    Raises `TypeError` for anything else.
    """
    if isinstance(line_up, str):
        return [line_up]
    if isinstance(line_up, type):
        if not callable(getattr(line_up, "act", None)):
            raise TypeError(f"{line_up.__name__} has no method `act`: expected the methods of project_game.Strategy")
        return [line_up]
    if isinstance(line_up, Iterable):
        found = [entrant for part in line_up for entrant in entrants(part)]
        if found:
            return found
    raise TypeError(f"{line_up!r} is no entrant: expected the name of a strategy, a command, a class, or a list of these")


def text(own: list[Any]) -> str:
    """The text of a line-up of these entrants."""
    return "+".join(command(entrant) if isinstance(entrant, type) else entrant for entrant in own)


def label(own: list[Any]) -> str:
    """The name of a line-up for people: that of a class in place of its command."""
    return "+".join(entrant.__name__ if isinstance(entrant, type) else entrant for entrant in own)


def factories(line_ups: Iterable[list[Any]]) -> dict[str, Any]:
    """Makes the programs of all classes in these line-ups, by their commands.

    Raises `ValueError` if two classes have one name.
    """
    found: dict[str, type[Strategy]] = {}
    for own in line_ups:
        for entrant in own:
            if isinstance(entrant, type) and found.setdefault(command(entrant), entrant) is not entrant:
                raise ValueError(f"two classes are called {entrant.__module__}.{entrant.__qualname__}: expected two names")
    return {text: partial(Program, strategy) for text, strategy in found.items()}


def whole(name: str, value: SupportsIndex, least: int | None = None) -> int:
    """The value of an argument that is a whole number.

    Raises `TypeError` for anything else, and `ValueError` for a number below ``least``.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r}: expected a whole number") from None
    if least is not None and number < least:
        raise ValueError(f"{name}={number}: expected {least} or more")
    return number


def seed_number(seed: SupportsIndex) -> int:
    """The number of a seed. Raises `TypeError` if it is not whole, and `ValueError` if it is out of range."""
    number = whole("seed", seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed={number}: expected a number from 0 to 2**64 - 1")
    return number
