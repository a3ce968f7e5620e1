"""Exact sums: secret integers that leave only with noise on them."""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST_SUM", "ExactSums"]

# Sums are clamped here. Clamping moves no sum further than its unit did, and
# leaves room for the noise, so 64-bit integers cannot overflow.
LARGEST_SUM = 2**62


class ExactSums:
    """Sums in whole cells, groups × sums. They refuse to print, pickle or compare."""

    __slots__ = ("_cells",)

    def __init__(self, cells: NDArray[np.int64]) -> None:
        self._cells = np.clip(cells, -LARGEST_SUM, LARGEST_SUM)

    def plus(self, noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add noise, one integer per sum: the only way out."""
        return self._cells + noise

    def __repr__(self) -> str:
        return "ExactSums(secret)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse("pickled or copied")

    def __eq__(self, other: object) -> NoReturn:
        self._refuse("compared")

    def __hash__(self) -> NoReturn:  # noqa: PLE0309
        self._refuse("hashed")

    def __iter__(self) -> NoReturn:
        self._refuse("iterated")

    def __bool__(self) -> NoReturn:  # noqa: PLE0304
        self._refuse("tested")

    def _refuse(self, verb: str) -> NoReturn:
        raise TypeError(f"exact sums cannot be {verb}: they are secret")
