"""The program `project-game`: a demo, a look at this machine, and agents in Python as programs."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from pathlib import Path

from . import __version__
from .matches import games, play


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="project-game", description="The Project Game and its siblings.")
    parser.add_argument("--version", action="version", version=f"project-game {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="play a game, write its page, and open it")
    demo.add_argument("--game", default="project", choices=list(games()), help="the game (default: project)")
    demo.add_argument("--preset", help="a configuration by name (default: the first of the game)")
    demo.add_argument("--seed", type=int, default=7, help="the number that decides the game (default: 7)")
    demo.add_argument("--page", type=Path, help="the file for the page (default: one in a folder for temporary files)")
    demo.add_argument("--no-open", action="store_true", help="write the page without opening it")
    doctor = commands.add_parser("doctor", help="show what works on this machine, and what is missing")
    doctor.add_argument("--json", action="store_true", help="as JSON")
    agent = commands.add_parser("agent", help="play a class as a program that speaks the agent protocol")
    agent.add_argument("name", metavar="module:Class", help="the class, with the methods of project_game.Strategy")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "demo":
            return show(asked)
        if asked.command == "doctor":
            from .doctor import examine

            return examine(as_json=asked.json)
        from .agents import serve

        serve(asked.name)
        return 0
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def show(asked: argparse.Namespace) -> int:
    """Plays a game of a shipped strategy against itself, and shows its page."""
    game = games()[asked.game]
    preset = asked.preset or next(iter(game.presets))
    strategy = "coordinated" if "coordinated" in game.strategies else list(game.strategies)[-1]
    teams = game.team_count(preset)
    match = play(*[strategy] * teams, game=asked.game, preset=preset, seed=asked.seed, replay=True)
    path = asked.page or Path(tempfile.mkdtemp(prefix="project-game-")) / f"{asked.game}-{asked.seed}.html"
    path.write_text(match.page(), encoding="utf-8")
    print(f"{game.title}, seed {match.seed}: {match}")
    print(f"the page: {path}")
    if not asked.no_open and not webbrowser.open(path.absolute().as_uri()):
        print("no browser was found: open the file yourself")
    return 0


if __name__ == "__main__":
    sys.exit(main())
