"""A look at this machine: what works, and what is missing."""

from __future__ import annotations

import importlib
import json
import platform
import shlex
import subprocess
import sys
import time
import webbrowser
from dataclasses import asdict, dataclass
from typing import Any

from . import __version__
from .agents import Strategy
from .matches import games, play
from .programs import PROGRAMS, find


OPTIONAL = {
    "gymnasium": "environments have stand-ins for its base classes and spaces",
    "pettingzoo": "environments have stand-ins for its base classes",
    "pandas": 'tables need it for as_frame="pandas"',
    "polars": 'tables need it for as_frame="polars"',
    "pyarrow": 'tables need it for as_frame="pyarrow" and for Parquet',
    "matplotlib": "the examples draw with it",
}
"""The packages that are not needed, and what they are used for."""


class First(Strategy):
    """Takes the first possible action: a program for a test."""

    def act(self, view: Any) -> Any:
        return view.options[0]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    works: bool
    is_needed: bool
    told: str


def findings() -> list[Finding]:
    """Looks at everything."""
    version = platform.python_version()
    found = [Finding("Python", sys.version_info >= (3, 9), True, f"{version} on {platform.platform()}")]
    begun = time.perf_counter()
    try:
        known = games()
        for name, game in known.items():
            strategies = [next(iter(game.strategies))] * game.team_count(next(iter(game.presets)))
            play(*strategies, game=name, preset=next(iter(game.presets)), seed=1)
        told = f"{', '.join(known)}: a game of each in {time.perf_counter() - begun:.1f} s"
        found.append(Finding("games", True, True, told))
    except Exception as error:  # whatever is wrong with the native module
        found.append(Finding("games", False, True, str(error)))
    found.append(_protocol())
    found.append(_programs())
    found.append(_package("numpy", "environments and tables need it", is_needed=True))
    for name, use in OPTIONAL.items():
        found.append(_package(name, use))
    try:
        found.append(Finding("browser", True, False, webbrowser.get().__class__.__name__))
    except webbrowser.Error:
        found.append(Finding("browser", False, False, "none was found: open pages yourself"))
    return found


def _protocol() -> Finding:
    """Whether programs behind the agent protocol can be started."""
    words = [sys.executable, "-m", "project_game", "agent", "project_game.doctor:First"]
    command = '"' + " ".join(map(shlex.quote, words)) + '"'
    try:
        match = play(command, "random", game="dots", rows=2, cols=2, seed=1)
    except Exception as error:
        return Finding("agent protocol", False, False, str(error))
    works = match.termination == "normal"
    told = "an agent in Python has played over its standard streams" if works else "; ".join(match.blunders)
    return Finding("agent protocol", works, False, told)


def _programs() -> Finding:
    """Looks for the programs of the wheel, and asks each one for its version."""
    versions = []
    for name in PROGRAMS:
        try:
            told = subprocess.run([find(name), "--version"], capture_output=True, text=True, timeout=30, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            return Finding("programs", False, False, str(error).replace("\n", "; "))
        versions.append(told.stdout.strip())
    return Finding("programs", True, False, ", ".join(versions))


def _package(name: str, use: str, is_needed: bool = False) -> Finding:
    try:
        version = getattr(importlib.import_module(name), "__version__", "of unknown version")
    except Exception as error:
        # A package that does not fit another one raises anything when it is imported.
        return Finding(name, False, is_needed, f"{error}; {use}: `pip install {name}`")
    return Finding(name, True, is_needed, version)


def examine(as_json: bool = False) -> int:
    """Prints the findings; returns 1 if something that is needed does not work."""
    found = findings()
    if as_json:
        print(json.dumps({"version": __version__, "findings": [asdict(finding) for finding in found]}, indent=2))
    else:
        print(f"project-game {__version__}")
        for finding in found:
            sign = "works " if finding.works else ("BROKEN" if finding.is_needed else "absent")
            print(f"  {sign}  {finding.what}: {finding.told}")
    return int(any(finding.is_needed and not finding.works for finding in found))
