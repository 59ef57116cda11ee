"""The spaces of environments: those of Gymnasium, or stand-ins where it is not installed.

All stand-ins have `shape`, `dtype`, `seed`, `sample`, `contains` and ``in``; shape and type of a `Dict` are None. `Box` also has
`low` and `high`, `Discrete` has `n`, `MultiDiscrete` has `nvec`, and `Dict` has `spaces`, `keys` and ``[key]``. `sample` of
`Discrete` takes a mask, that of `MultiDiscrete` a tuple with a mask for each number. They have nothing else of Gymnasium's spaces.
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

        class _Space:
            """The common part."""

            shape: tuple[int, ...] | None = None
            dtype: Any = None

            def __init__(self) -> None:
                self._random = np.random.default_rng()

            def seed(self, seed: int | None = None) -> None:
                self._random = np.random.default_rng(seed)

            def __contains__(self, x: Any) -> bool:
                return self.contains(x)

        class Box(_Space):
            """Arrays of one shape and type with bounds."""

            def __init__(self, low: float, high: float, shape: tuple[int, ...], dtype: Any) -> None:
                super().__init__()
                self.low, self.high, self.shape, self.dtype = low, high, shape, np.dtype(dtype)

            def sample(self) -> np.ndarray:
                if self.dtype.kind == "f":
                    return self._random.uniform(self.low, self.high, self.shape).astype(self.dtype)
                return self._random.integers(self.low, self.high, self.shape, self.dtype, endpoint=True)

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype
                return fits and bool(np.all(x >= self.low) and np.all(x <= self.high))

            def __repr__(self) -> str:
                return f"Box({self.low}, {self.high}, {self.shape}, {self.dtype})"

        class Discrete(_Space):
            """The numbers from 0 to one less than `n`."""

            def __init__(self, n: int) -> None:
                super().__init__()
                self.n, self.shape, self.dtype = n, (), np.dtype(np.int64)

            def sample(self, mask: np.ndarray | None = None) -> np.int64:
                return np.int64(_drawn(self._random, self.n, mask))

            def contains(self, x: Any) -> bool:
                return isinstance(x, (int, np.integer)) and bool(0 <= x < self.n)

            def __repr__(self) -> str:
                return f"Discrete({self.n})"

        class MultiDiscrete(_Space):
            """An array of numbers, each below its own bound."""

            def __init__(self, nvec: Any) -> None:
                super().__init__()
                self.nvec = np.asarray(nvec, dtype=np.int64)
                self.shape, self.dtype = self.nvec.shape, np.dtype(np.int64)

            def sample(self, mask: tuple[np.ndarray | None, ...] | None = None) -> np.ndarray:
                masks = [None] * len(self.nvec) if mask is None else mask
                drawn = [_drawn(self._random, n, own) for n, own in zip(self.nvec, masks)]
                return np.array(drawn, self.dtype)

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype.kind in "iu"
                return fits and bool(np.all(x >= 0) and np.all(x < self.nvec))

            def __repr__(self) -> str:
                return f"MultiDiscrete({self.nvec})"

        class Dict(_Space):
            """A space for each key."""

            def __init__(self, spaces: dict[str, Any]) -> None:
                super().__init__()
                self.spaces = spaces

            def seed(self, seed: int | None = None) -> None:
                for space, own in zip(self.spaces.values(), np.random.SeedSequence(seed).spawn(len(self.spaces))):
                    space.seed(own)

            def sample(self) -> dict[str, Any]:
                return {key: space.sample() for key, space in self.spaces.items()}

            def __getitem__(self, key: str) -> Any:
                return self.spaces[key]

            def keys(self) -> Any:
                return self.spaces.keys()

            def contains(self, x: Any) -> bool:
                fits = isinstance(x, dict) and x.keys() == self.spaces.keys()
                return fits and all(space.contains(x[key]) for key, space in self.spaces.items())

            def __repr__(self) -> str:
                return f"Dict({self.spaces})"

        def _drawn(random: np.random.Generator, n: int, mask: np.ndarray | None) -> int:
            """A number from 0 to `n` - 1 that the mask allows; 0 if it allows none."""
            possible = np.arange(n) if mask is None else np.flatnonzero(mask)
            return random.choice(possible) if len(possible) else 0


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
