"""The page of a match, in a browser or in a notebook."""

from __future__ import annotations

import html
import os
import re
import sys
import tempfile
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path

from . import _native
from .replays import Replay, converted, read


@dataclass
class Page:
    """The page of a match. A notebook shows it below the cell that returns it."""

    name: str
    """The name of the replay."""
    text: str = field(repr=False)
    """One HTML document that needs nothing else."""
    height: int = 600
    """The height in a notebook in pixels."""
    path: Path | None = None
    """The file of the page; None if it was not written."""

    def save(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the page to a file, and returns its path. Without a path, the file is in a new temporary folder."""
        if path is None:
            stem = re.sub(r"[^\w-]+", "-", Path(self.name).stem).strip("-") or "match"
            path = Path(tempfile.mkdtemp(prefix="project-game-")) / f"{stem}.html"
        self.path = Path(path)
        self.path.write_text(self.text, encoding="utf-8")
        return self.path

    def open(self) -> bool:
        """Opens the page in the browser; returns whether there is one. The page is written first if it has no file."""
        path = self.path or self.save()
        return webbrowser.open(path.absolute().as_uri())

    def __str__(self) -> str:
        return f"the page of {self.name}" + ("" if self.path is None else f": {self.path}")

    def _repr_html_(self) -> str:
        document = html.escape(self.text, quote=True)
        return (
            f'<iframe srcdoc="{document}" title="{html.escape(str(self.name))}" width="100%" height="{self.height}" '
            'style="border: 0" allow="clipboard-write; fullscreen"></iframe>'
        )


def view(
    replay: Replay, *, page: str | os.PathLike[str] | None = None, open: bool = True, height: int = 600
) -> Page:
    """Shows the page of a match: the moves on the board, what each agent knows, and what it was told.

    ``replay`` is a match that was played with ``replay=True``, the bytes of a replay file, or its path. In a notebook, the
    page stands below the cell that returns it, ``height`` pixels high. Elsewhere it is written to the file ``page``, or to
    one in a temporary folder, and opened in the browser unless ``open`` is false.

    Raises `ValueError` if it is no replay of a known game, and `OSError` if a file cannot be read or written. Warns with
    `UserWarning` if the file was cut off: the page shows the game up to there.
    """
    name, data = read(replay)
    shown = Page(name, converted(name, data, lambda data: _native.page(data, Path(name).name)), height)
    if is_notebook():
        if page is not None:
            shown.save(page)
        return shown
    path = shown.save(page)
    if open and not shown.open():
        print(f"no browser was found: open {path} yourself", file=sys.stderr)
    return shown


def replay_page(replay: Replay, name: str | None = None) -> str:
    """The page of a replay as text: one HTML document that needs nothing else. ``name`` is the name on it.

    Raises what `view` raises, and warns as it does.
    """
    own, data = read(replay)
    return converted(own, data, lambda data: _native.page(data, name or Path(own).name))


def is_notebook() -> bool:
    """Returns true if this interpreter runs the cells of a notebook."""
    # A notebook has imported IPython before any cell runs. The shell of a terminal has no kernel.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
