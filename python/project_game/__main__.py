"""The program `project-game`: a demo, pages of replays, a look at this machine, agents in Python as programs, and the
programs of the workspace."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from . import __version__
from .agents import NoStrategy, serve
from .matches import games, play
from .pages import view
from .programs import PROGRAMS, run
from .replays import Replay


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="project-game", description="The Project Game and four other games.")
    parser.add_argument("--version", action="version", version=f"project-game {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser("demo", help="play a game, write its page, and open it")
    demo.add_argument("--game", default="project", choices=list(games()), help="the game (default: project)")
    demo.add_argument("--preset", help="a configuration by name (default: the first of the game)")
    demo.add_argument("--seed", type=int, default=7, help="the number that decides the game (default: 7)")
    shown = commands.add_parser("view", help="write the page of a replay, and open it")
    shown.add_argument("replay", type=Path, help="the replay file")
    for command in (demo, shown):
        command.add_argument("--page", type=Path, help="the file for the page (default: one in a temporary folder)")
        command.add_argument("--no-open", action="store_true", help="write the page without opening it")
    doctor = commands.add_parser("doctor", help="show what works on this machine, and what is missing")
    doctor.add_argument("--json", action="store_true", help="as JSON")
    agent = commands.add_parser("agent", help="play a class as a program that speaks the agent protocol")
    agent.add_argument("name", metavar="module:Class", help="the class, with the methods of project_game.Strategy")
    for name, line in PROGRAMS.items():
        commands.add_parser(name, help=line, add_help=False)
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        # Every word behind the name of a program belongs to the program.
        if arguments and arguments[0] in PROGRAMS:
            return run(arguments[0], arguments[1:])
        asked = parser.parse_args(arguments)
        if asked.command == "demo":
            return play_demo(asked)
        if asked.command == "view":
            return show(asked.replay, asked)
        if asked.command == "agent":
            return play_class(asked.name)
        from .doctor import examine

        return examine(as_json=asked.json)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def play_class(name: str) -> int:
    """Plays a class over standard input and output. The traceback of its exception is for its author."""
    try:
        serve(name)
    except NoStrategy:
        raise
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def play_demo(asked: argparse.Namespace) -> int:
    """Plays a game of a shipped strategy against itself, and shows its page."""
    game = games()[asked.game]
    preset = asked.preset or next(iter(game.presets))
    strategy = "coordinated" if "coordinated" in game.strategies else list(game.strategies)[-1]
    teams = game.team_count(preset)
    match = play(*[strategy] * teams, game=asked.game, preset=preset, seed=asked.seed, replay=True)
    print(f"{game.title}, seed {match.seed}: {match}")
    return show(match, asked)


def show(replay: Replay, asked: argparse.Namespace) -> int:
    """Writes the page of a replay, names its file, and opens it."""
    print(view(replay, page=asked.page, open=not asked.no_open))
    return 0


if __name__ == "__main__":
    sys.exit(main())
