"""Exact sums: secret integers that leave only with noise on them."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpratio.plan.sensitivity.joint import Mixture

# Sums are clamped here. Clamping moves no sum further than its unit did, and
# leaves room for the noise, so 64-bit integers cannot overflow.
LARGEST_SUM = 2**62


class ExactSums:
    """Sums in whole cells, groups × sums. They refuse to print, pickle or compare.

    Sums that are to be mixed are whole numbers of any size: what was clamped before it
    was mixed could move further than its unit did.
    """

    __slots__ = ("_cells",)

    def __init__(self, cells: NDArray[Any]) -> None:
        try:
            self._cells = cells.astype(np.int64)
        except OverflowError:  # They are longer, and stay what they are.
            self._cells = cells.copy()

    def plus(self, noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add noise, one integer per sum: the only way out."""
        clamped = np.clip(self._cells, -LARGEST_SUM, LARGEST_SUM).astype(np.int64)
        return clamped + noise

    def first_totals(self, count: int) -> "ExactSums":
        """Add the first sums up over all groups."""
        return ExactSums(
            self._cells[:, :count].astype(object).sum(axis=0, keepdims=True)
        )

    def mixed(self, mixtures: Sequence[Mixture]) -> "ExactSums":
        """Mix the sums of every group into others, each rounded once.

        Guarantee:
            The result is ⌊Σ weight · sum / divisor + ½⌋, exactly.
            Proof: docs/proofs/staged.md.
        """
        whole = self._cells.astype(object)
        columns = []
        for each in mixtures:
            total = sum(weight * whole[:, at] for at, weight in each.weights.items())
            columns.append((2 * total + each.divisor) // (2 * each.divisor))
        return ExactSums(np.stack(columns, axis=1))

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
