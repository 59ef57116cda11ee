"""Strategies for the tests."""

from __future__ import annotations

import time
from typing import Any

import project_game as pg

GAMES = list(pg.games())


def small(game: str) -> dict[str, Any]:
    """Settings of a game that random players end soon: the first preset, and a smaller board where that is large."""
    preset = next(iter(pg.games()[game].presets))
    if game == "project":
        board = {"boardX": 3, "boardY": 5, "goalAreaHeight": 1, "numberOfGoals": 1, "numberOfPieces": 4, "shamPieceProbability": 0.0}
        return {"preset": preset, **board}
    return {"preset": preset}


class First(pg.Strategy):
    """Takes the first possible action."""

    def act(self, view):
        return view.options[0]


class Moody(pg.Strategy):
    """Decides otherwise each time that it is asked in this process."""

    asked = 0

    def act(self, view):
        Moody.asked += 1
        return view.options[Moody.asked % len(view.options)]


class AtRandom(pg.Strategy):
    """Takes any possible action."""

    def act(self, view):
        return view.chance.choice(view.options)


class Raises(pg.Strategy):
    """Fails at its first decision."""

    def act(self, view):
        raise KeyError("the strategy has a mistake")


class Nonsense(pg.Strategy):
    """Returns something that is no choice."""

    def act(self, view):
        return 3.5


class Hangs(pg.Strategy):
    """Never decides."""

    def act(self, view):
        while True:
            pass


class Sleeps(pg.Strategy):
    """Sleeps instead of deciding."""

    def act(self, view):
        time.sleep(1000)


class Impossible(pg.Strategy):
    """Asks for an action that no game has."""

    def act(self, view):
        return "fly"


class Listener(pg.Strategy):
    """Notes what it is told."""

    told: list = []

    def begin(self, view):
        self.told.append(("begin", view.agent, view.team, view.hello["game"]))

    def hear(self, view, event):
        self.told.append(("hear", event))

    def act(self, view):
        self.told.append(("act", view.now, sorted(view.observation)))
        return view.options[0]

    def end(self, view, end):
        self.told.append(("end", end["termination"]))
