"""The spaces of environments: those of Gymnasium, or stand-ins where it is not installed.

The stand-ins have the attributes that describe a space, `contains`, and `sample` with a mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
else:
    try:
        from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
    except ModuleNotFoundError:

        class Box:
            """Arrays of one shape and type with bounds."""

            def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any) -> None:
                self.low, self.high, self.shape, self.dtype = low, high, shape, np.dtype(dtype)

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype
                return fits and bool(np.all(x >= self.low) and np.all(x <= self.high))

            def __repr__(self) -> str:
                return f"Box({self.low}, {self.high}, {self.shape}, {self.dtype})"

        class Discrete:
            """The numbers from 0 to one less than `n`."""

            def __init__(self, n: int) -> None:
                self.n = n
                self._random = np.random.default_rng()

            def seed(self, seed: int | None = None) -> None:
                self._random = np.random.default_rng(seed)

            def sample(self, mask: np.ndarray | None = None) -> int:
                possible = np.arange(self.n) if mask is None else np.flatnonzero(mask)
                return int(self._random.choice(possible)) if len(possible) else 0

            def contains(self, x: Any) -> bool:
                return isinstance(x, (int, np.integer)) and 0 <= x < self.n

            def __repr__(self) -> str:
                return f"Discrete({self.n})"

        class MultiDiscrete:
            """An array of numbers, each below its own bound."""

            def __init__(self, nvec: Any) -> None:
                self.nvec = np.asarray(nvec, dtype=np.int64)
                self.shape, self.dtype = self.nvec.shape, np.dtype(np.int64)
                self._random = np.random.default_rng()

            def seed(self, seed: int | None = None) -> None:
                self._random = np.random.default_rng(seed)

            def sample(self) -> np.ndarray:
                return self._random.integers(self.nvec)

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, np.ndarray) and x.shape == self.shape
                return fits and bool(np.all(x >= 0) and np.all(x < self.nvec))

            def __repr__(self) -> str:
                return f"MultiDiscrete({self.nvec})"

        class Dict:
            """A space for each key."""

            def __init__(self, spaces: dict[str, Any]) -> None:
                self.spaces = spaces

            def __getitem__(self, key: str) -> Any:
                return self.spaces[key]

            def keys(self) -> Any:
                return self.spaces.keys()

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, dict) and x.keys() == self.spaces.keys()
                return fits and all(space.contains(x[key]) for key, space in self.spaces.items())

            def __repr__(self) -> str:
                return f"Dict({self.spaces})"


FARTHEST = 1e9
"""The bound of the numbers of a vector: game times, counts, costs."""


def observation_space(layout: dict[str, Any], rows: tuple[int, ...] = ()) -> Dict:
    """The space of observations of this layout; ``rows`` is the shape of a batch."""
    spaces: dict[str, Any] = {}
    if layout["planes"]:
        shape = (*rows, len(layout["planes"]), layout["rows"], layout["columns"])
        spaces["planes"] = Box(low=0, high=255, shape=shape, dtype=np.uint8)
    shape = (*rows, len(layout["vector"]))
    spaces["vector"] = Box(low=-FARTHEST, high=FARTHEST, shape=shape, dtype=np.float32)
    shape = (*rows, len(layout["actions"]))
    spaces["action_mask"] = Box(low=0, high=1, shape=shape, dtype=np.int8)
    return Dict(spaces)


__all__ = ["FARTHEST", "Box", "Dict", "Discrete", "MultiDiscrete", "observation_space"]
