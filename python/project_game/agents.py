"""Strategies as classes, and the agent protocol that they speak.

A class with the methods of `Strategy` plays a seat of any game: in this process (`project_game.play`,
`project_game.compare`, opponents of environments), or as a program of its own, for leagues and other hosts:

    project-game agent mymodule:MyStrategy

Both ways it gets the same lines; see the book's pages about agents in any language.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import shlex
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO

PROTOCOL = 1
"""The version of the agent protocol."""


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

    def act(self, view: View) -> str | int | None | dict[str, Any]:
        """Returns the choice of the agent, which may act now.

        A text is an action in the notation of the game, e.g. one of ``view.options``. A number lets that number of
        milliseconds pass, or less if the agent hears something; None waits until it hears something. A dictionary is an answer of the agent
        protocol: ``{"walk": [3, 4]}``, ``{"do": "move N", "note": "a piece is near"}``.
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
            ready = {"type": "ready", "protocol": PROTOCOL, "name": self._class.__name__, "answers": answers}
            return _line(ready)
        view = self._view
        view.now, view.events = message["now"], message["events"]
        view.observation = message.get("observation", view.observation)
        view.options = message.get("options")
        for event in view.events:
            self._call("hear", view, event)
        if kind == "decide":
            return _line(_decision(self._strategy.act(view)))
        if kind == "question":
            told = self._call("answer", view, message["by"], message["must_answer"])
            return _line({"tell": told})
        self._call("end", view, message)
        return None

    def _call(self, name: str, *arguments: Any) -> Any:
        """Calls a method that a class may lack."""
        method = getattr(self._strategy, name, None)
        return None if method is None else method(*arguments)


def _decision(choice: Any) -> dict[str, Any]:
    if isinstance(choice, str):
        return {"do": choice}
    if choice is None or (isinstance(choice, int) and not isinstance(choice, bool)):
        return {"wait": choice}
    if isinstance(choice, dict):
        return choice
    raise TypeError(
        f"act returned {choice!r}: expected the text of an action, a number of milliseconds, None or a dictionary"
    )


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def serve(name: str) -> None:
    """Plays the class ``module:Class`` over standard input and output, until the input ends.

    What the class prints goes to standard error: standard output belongs to the protocol.
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

    Raises `ValueError` if there is none.
    """
    module, separator, qualified = name.partition(":")
    if not separator or not module or not qualified:
        raise ValueError(f"`{name}` is no class: expected module:Class")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ValueError(f"cannot import `{module}`: {error}") from error
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise ValueError(f"`{module}` has no class `{qualified}`")
    return found


def command(strategy: type[Strategy]) -> str:
    """The command that runs a class as a program, in quotes as in a line-up."""
    name = f"{strategy.__module__}:{strategy.__qualname__.replace('<locals>.', '')}"
    words = ["python3", "-m", "project_game", "agent", name]
    return '"' + " ".join(shlex.quote(word) for word in words) + '"'


def line_up(entrants: Any) -> str:
    """The text of a line-up: a text, a class, or a list of both.

    Raises `TypeError` for anything else.
    """
    if isinstance(entrants, str):
        return entrants
    if isinstance(entrants, type):
        if not callable(getattr(entrants, "act", None)):
            raise TypeError(f"{entrants.__name__} has no method `act`: expected the methods of project_game.Strategy")
        return command(entrants)
    if isinstance(entrants, Iterable):
        parts = [line_up(entrant) for entrant in entrants]
        if parts:
            return "+".join(parts)
    raise TypeError(f"{entrants!r} is no entrant: expected the name of a strategy, a command, a class, or a list of these")


def check_seed(seed: int) -> None:
    """Raises `ValueError` if this is no seed."""
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed={seed}: expected a number from 0 to 2**64 - 1")


def label(entrants: Any) -> str:
    """The name of a line-up for people: that of a class in place of its command."""
    if isinstance(entrants, type):
        return entrants.__name__
    if isinstance(entrants, str):
        return entrants
    return "+".join(label(entrant) for entrant in entrants)


def factories(line_ups: Iterable[Any]) -> dict[str, Any]:
    """Makes the programs of all classes in these line-ups, by their commands.

    Raises `ValueError` if two classes have one name.
    """
    found: dict[str, type[Strategy]] = {}
    for entrants in line_ups:
        for entrant in [entrants] if isinstance(entrants, (str, type)) or entrants is None else entrants:
            if isinstance(entrant, type) and found.setdefault(command(entrant), entrant) is not entrant:
                raise ValueError(f"two classes are called {entrant.__module__}.{entrant.__qualname__}: expected two names")
    return {text: _factory(strategy) for text, strategy in found.items()}


def _factory(strategy: type[Strategy]) -> Any:
    return lambda: Program(strategy)
