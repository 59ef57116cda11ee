"""The programs of the workspace that travel in the wheel: ``project-game bots …`` runs ``bots …``.

They are installed beside the command `project-game`, with names such as ``project-game-bots`` that collide with no other
program. A package that was installed from source has none of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

PROGRAMS = {
    "bots": "matches, statistics and agents for servers",
    "league": "leagues, comparisons and their reports",
    "reference-gm": "the game master, and servers of the other games",
    "cs": "the communication server",
}
"""The programs with a line about each."""


def find(name: str) -> Path:
    """The installed program of this name.

    Raises `FileNotFoundError` if the package was installed without it.
    """
    file = f"project-game-{name}" + (".exe" if os.name == "nt" else "")
    for folder in _folders():
        if (folder / file).is_file():
            return folder / file
    folders = " or ".join(map(str, _folders()))
    raise FileNotFoundError(
        f"the program `{name}` is not installed: there is no {file} in {folders}\n"
        "hint: a package that was built from source has no programs; install a wheel that has them "
        f"(`cargo xtask wheel` builds one), or run `cargo run --release -p {name} -- …` in the workspace"
    )


def run(name: str, arguments: list[str]) -> int:
    """Runs an installed program in the place of this one, or waits for its end on Windows; returns its exit code.

    Raises what `find` raises, and `OSError` if the program cannot be started.
    """
    program = str(find(name))
    if os.name == "nt":
        return subprocess.call([program, *arguments])
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, [program, *arguments])


def _folders() -> list[Path]:
    """The folders into which pip puts programs: that of this environment, and that of ``pip install --user``."""
    user = "osx_framework_user" if getattr(sys, "_framework", "") else f"{os.name}_user"
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user)]
    return [Path(place) for place in dict.fromkeys(places)]
