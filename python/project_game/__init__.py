"""The Project Game and four other games: matches, comparisons, and environments for programs that learn.

    import project_game as pg

    print(pg.games()["project"].presets)
    match = pg.play("coordinated", "greedy", preset="quick", seed=7)
    print(match)
    print(pg.compare("coordinated", "greedy", preset="quick", games=400))
    env = pg.parallel_env("project", preset="quick", seed=7)
    vec = pg.vector_env("project", preset="quick", num_envs=256, opponent="coordinated")
    pg.view(pg.play("coordinated", "liar", preset="quick", seed=7, replay=True))
    lies = pg.claims("games/*.replay")["verdict"] == "lie"

The games, strategies and rules are those of the programs `bots` and `league`: the same seed gives the same game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import VERSION as __version__
from .agents import Strategy, View
from .matches import Comparison, Example, Game, Match, compare, games, play
from .pages import Page, replay_page, view
from .replays import Replay, Replays

if TYPE_CHECKING:
    import os

    from .environments import AecEnvironment, GymEnvironment, ParallelEnvironment
    from .vector import VectorEnvironment

__all__ = [
    "Comparison",
    "Example",
    "Game",
    "Match",
    "Page",
    "Replay",
    "Replays",
    "Strategy",
    "View",
    "__version__",
    "claims",
    "compare",
    "env",
    "events",
    "games",
    "gym_env",
    "messages",
    "parallel_env",
    "play",
    "replay_page",
    "vector_env",
    "view",
]

# Environments and tables import NumPy and, where they are installed, Gymnasium and PettingZoo. Matches and pages need none of them.


def parallel_env(game: str = "project", **settings: Any) -> ParallelEnvironment:
    """A PettingZoo parallel environment; see `project_game.environments.ParallelEnvironment`."""
    from .environments import ParallelEnvironment

    return ParallelEnvironment(game, **settings)


def env(game: str = "project", **settings: Any) -> AecEnvironment:
    """A PettingZoo AEC environment; see `project_game.environments.AecEnvironment`."""
    from .environments import AecEnvironment

    return AecEnvironment(game, **settings)


def gym_env(game: str = "project", **settings: Any) -> GymEnvironment:
    """A Gymnasium environment; see `project_game.environments.GymEnvironment`."""
    from .environments import GymEnvironment

    return GymEnvironment(game, **settings)


def vector_env(game: str = "project", **settings: Any) -> VectorEnvironment:
    """A Gymnasium vector environment; see `project_game.vector.VectorEnvironment`."""
    from .vector import VectorEnvironment

    return VectorEnvironment(game, **settings)


def events(replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None) -> Any:
    """All events of matches as a dictionary of arrays; see `project_game.tables.events`."""
    from .tables import events

    return events(replays, as_frame=as_frame, parquet=parquet)


def messages(replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None) -> Any:
    """All messages of matches as a dictionary of arrays; see `project_game.tables.messages`."""
    from .tables import messages

    return messages(replays, as_frame=as_frame, parquet=parquet)


def claims(replays: Replays, *, as_frame: str | None = None, parquet: str | os.PathLike[str] | None = None) -> Any:
    """All claims of matches, with the truth, as a dictionary of arrays; see `project_game.tables.claims`."""
    from .tables import claims

    return claims(replays, as_frame=as_frame, parquet=parquet)
