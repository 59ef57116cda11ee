"""The base classes of environments: those of PettingZoo and Gymnasium, or stand-ins where they are not installed.

The stand-ins have these attributes beside those of the environments themselves:

==================  ========================================================
stand-in            attributes
==================  ========================================================
``GymBase``         ``spec``, ``unwrapped``, and the methods of ``with``
``VectorBase``      ``closed``, ``spec`` and ``unwrapped``
``AecBase``,        ``num_agents``, ``max_num_agents`` and ``unwrapped``
``ParallelBase``
==================  ========================================================

They have neither ``np_random``, which no game draws from, nor anything else of the two packages; wrappers need the packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # For a type checker that does not find them, these are classes of any type.
    from gymnasium import Env as GymBase
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as VectorBase
    from pettingzoo import AECEnv as AecBase  # type: ignore[import-untyped, unused-ignore]
    from pettingzoo import ParallelEnv as ParallelBase

    NEXT_STEP = AutoresetMode.NEXT_STEP
else:

    class _Base:
        """An environment that no wrapper is around."""

        @property
        def unwrapped(self) -> Any:
            return self

    try:
        from pettingzoo import AECEnv as AecBase
        from pettingzoo import ParallelEnv as ParallelBase
    except ModuleNotFoundError:

        class ParallelBase(_Base):
            """An environment with many agents."""

            @property
            def num_agents(self) -> int:
                return len(self.agents)

            @property
            def max_num_agents(self) -> int:
                return len(self.possible_agents)

        AecBase = ParallelBase

    try:
        from gymnasium import Env as GymBase
        from gymnasium.vector import VectorEnv as VectorBase
    except ModuleNotFoundError:

        class GymBase(_Base):
            """An environment with one agent."""

            spec = None

            def reset(self, *, seed: int | None = None, options: Any = None) -> None:
                """Does nothing: there is no ``np_random`` to seed."""

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: Any) -> None:
                self.close()

        class VectorBase(_Base):
            """Many environments at once."""

            closed = False
            spec = None

    try:
        from gymnasium.vector import AutoresetMode

        NEXT_STEP = AutoresetMode.NEXT_STEP
    except ImportError:
        # Gymnasium 1.0 has no modes either.
        NEXT_STEP = "NextStep"


__all__ = ["NEXT_STEP", "AecBase", "GymBase", "ParallelBase", "VectorBase"]
