"""A public guess of what a population is like: means, spreads, a correlation.

A guess comes from the literature or an earlier, public table, never from the rows that
will be released. Simulations and forecasts start from it.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from dpratio.checks import require
from dpratio.terms.bounds import Bounds

__all__ = ["ColumnGuess", "Guess", "middle_of"]


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

    @property
    def usual_spread(self) -> float:
        """The standard deviation; one that is left out is that of a binary column."""
        if self.sd is None:
            return math.sqrt(max(self.mean * (1 - self.mean), 0.0))
        return self.sd

    def spread_within(self, bounds: Bounds, name: str) -> float:
        """Give the standard deviation, or refuse one that the bounds do not allow.

        A column within bounds spreads most when all its values lie on them.
        """
        if bounds.is_one:
            # A column that does not vary at all has no correlation with another.
            near = 0.99 <= self.mean < 1  # noqa: PLR2004
            rule = f"the guessed mean of '{name}' is that of ones, with a little doubt"
            require(near, rule, self.mean, "Write 0.999 for what is counted.")
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
    """A guessed population: numerator, denominator, weight, and how they go together.

    ``correlation`` is that of numerator and denominator; ``weight_with_numerator`` and
    ``weight_with_per`` are those of the weight with either. They are of one person's
    columns; 0 is no correlation.

    Example:
        >>> Guess(ColumnGuess(0.5, 0.22), ColumnGuess(0.45), correlation=0.4).ratio
        1.1111111111111112
        >>> heavy = ColumnGuess(1, 0.6)
        >>> survey = Guess(
        ...     ColumnGuess(0.5, 0.22), ColumnGuess(0.45), heavy, weight_with_per=0.3
        ... )
        >>> round(survey.ratio, 3)
        0.927
    """

    numerator: ColumnGuess
    per: ColumnGuess
    weight: ColumnGuess | None = None
    correlation: float = 0.0
    weight_with_numerator: float = 0.0
    weight_with_per: float = 0.0

    def __post_init__(self) -> None:
        for name in ("correlation", "weight_with_numerator", "weight_with_per"):
            given = getattr(self, name)
            known = math.isfinite(given) and -1 < given < 1
            require(known, f"{name} must lie between -1 and 1", given)
        require(self.per.mean != 0, "the denominator's mean cannot be 0", self.per.mean)
        if self.weights_follow:
            mean = None if self.weight is None else self.weight.mean
            rule = "a correlation of the weight needs a guess of its mean, above 0"
            hint = "Guess the weight's mean and sd."
            require(mean is not None and mean > 0, rule, mean, hint)
        require(self.weighted_mean("per") != 0, "the weighted mean of 'per' is 0", 0)

    @property
    def weights_follow(self) -> bool:
        """Whether weights go with the numerator or the denominator."""
        return bool(self.weight_with_numerator or self.weight_with_per)

    @property
    def ratio(self) -> float:
        """The true ratio of the guessed population."""
        return self.weighted_mean("numerator") / self.weighted_mean("per")

    def weighted_mean(self, column: str) -> float:
        """Give E(w·x)/E(w) of the numerator or the denominator."""
        guessed: ColumnGuess = getattr(self, column)
        together: float = getattr(self, f"weight_with_{column}")
        if self.weight is None or not together:
            return guessed.mean
        spreads = self.weight.usual_spread * guessed.usual_spread
        return guessed.mean + together * spreads / self.weight.mean


def middle_of(bounds: HasEnds) -> float:
    """Give the middle of a range, away from zero."""
    middle = (bounds.lower + bounds.upper) / 2
    return middle if abs(middle) >= bounds.reach / 4 else bounds.reach / 4
