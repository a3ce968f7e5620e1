"""A public guess of what a population is like: means, spreads, a correlation.

A guess comes from the literature or an earlier, public table, never from the rows that
will be released. Simulations and forecasts start from it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from dpratio.checks import require
from dpratio.terms.bounds import Bounds

__all__ = ["ColumnGuess", "Guess", "middle_guess", "middle_of"]


class HasEnds(Protocol):
    """Bounds, in the units of the data or in others."""

    @property
    def lower(self) -> float:
        """The smallest value."""

    @property
    def upper(self) -> float:
        """The largest value."""

    @property
    def reach(self) -> float:
        """The largest size."""


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """The guessed mean and standard deviation of one column.

    Example:
        >>> ColumnGuess(0.5, 0.22).mean
        0.5
    """

    mean: float
    sd: float | None = None

    def spread_within(self, bounds: Bounds, name: str) -> float:
        """Give the standard deviation, or refuse one that the bounds do not allow.

        A column within bounds spreads most when all its values lie on them.
        """
        hint = f"The bounds are {bounds.lower:g} and {bounds.upper:g}."
        inside = bounds.lower < self.mean < bounds.upper
        rule = f"the guessed mean of '{name}' must lie inside its bounds"
        require(inside, rule, self.mean, hint)
        most = math.sqrt((self.mean - bounds.lower) * (bounds.upper - self.mean))
        if bounds.is_binary:
            given = most if self.sd is None else self.sd
            same = math.isclose(given, most, rel_tol=0.01)
            rule = f"a binary column with this mean has sd {most:.4g}"
            require(same, rule, self.sd, f"Leave out the sd of '{name}'.")
            return most
        rule = f"the guessed sd of '{name}' is missing"
        require(self.sd is not None, rule, self.sd, "Give mean and sd.")
        sd = float(self.sd or 0.0)
        rule = f"the guessed sd of '{name}' must lie between 0 and {most:.4g}"
        require(0 < sd < most, rule, sd, hint)
        return sd


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed population: numerator, denominator, their correlation, and weight.

    Weights are taken as independent of both.

    Example:
        >>> Guess(ColumnGuess(0.5, 0.22), ColumnGuess(0.45), correlation=0.4).ratio
        1.1111111111111112
    """

    numerator: ColumnGuess
    per: ColumnGuess
    weight: ColumnGuess | None = None
    correlation: float = 0.0

    def __post_init__(self) -> None:
        known = math.isfinite(self.correlation) and -1 < self.correlation < 1
        require(known, "correlation must lie between -1 and 1", self.correlation)
        require(self.per.mean != 0, "the denominator's mean cannot be 0", self.per.mean)

    @property
    def ratio(self) -> float:
        """The true ratio of the guessed population."""
        return self.numerator.mean / self.per.mean


def middle_guess(bounds: Mapping[str, Bounds]) -> Guess:
    """Guess the middle of every range, for want of anything better.

    Args:
        bounds: Bounds of ``s``, ``y`` and, for weighted ratios, ``w``.

    Example:
        >>> middle_guess({"s": Bounds(0, 1), "y": Bounds.binary()}).ratio
        1.0
    """
    columns = {letter: _middle_column(each) for letter, each in bounds.items()}
    return Guess(columns["s"], columns["y"], columns.get("w"))


def _middle_column(bounds: Bounds) -> ColumnGuess:
    """Guess the middle and a quarter of the width around it."""
    sd = None if bounds.is_binary else (bounds.upper - bounds.lower) / 4
    return ColumnGuess(middle_of(bounds), sd)


def middle_of(bounds: HasEnds) -> float:
    """Give the middle of a range, away from zero."""
    middle = (bounds.lower + bounds.upper) / 2
    return middle if abs(middle) >= bounds.reach / 4 else bounds.reach / 4
