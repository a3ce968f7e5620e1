"""A public guess of what a population is like: means, spreads, a correlation.

A guess comes from the literature or an earlier, public table, never from the rows that
will be released. Simulations and forecasts start from it.
"""

import math
from dataclasses import dataclass

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds


@dataclass(frozen=True, slots=True)
class MeanSd:
    """The guessed mean and standard deviation of one column.

    Example:
        >>> MeanSd(0.5, 0.22).mean
        0.5
    """

    mean: float
    sd: float | None = None

    def spread_within(self, bounds: Bounds, name: str) -> float:
        """Return the standard deviation, or raise where the bounds do not allow it.

        A column within bounds spreads most when all its values lie on them.
        """
        mean, sd = self.mean, self.sd
        # A column that does not vary at all has no correlation with another.
        if bounds.is_one and not 0.99 <= mean < 1:  # noqa: PLR2004
            raise InvalidInput(
                f"the guessed mean of '{name}' is that of ones, with a little doubt, "
                f"got {mean}. Write 0.999 for what is counted."
            )
        if not bounds.lower < mean < bounds.upper:
            raise InvalidInput(
                f"the guessed mean of '{name}' must lie inside its bounds, {bounds}, "
                f"got {mean}."
            )
        most = math.sqrt((mean - bounds.lower) * (bounds.upper - mean))
        if bounds.is_binary:
            if sd is not None and not math.isclose(sd, most, rel_tol=0.01):
                raise InvalidInput(
                    f"a binary column with this mean has sd {most:.4g}, got {sd}. "
                    f"Leave out the sd of '{name}'."
                )
            return most
        if sd is None or not 0 < sd < most:
            raise InvalidInput(
                f"the guessed sd of '{name}' must lie between 0 and {most:.4g}, as its "
                f"mean and its bounds demand, got {sd}."
            )
        return float(sd)


@dataclass(frozen=True, slots=True)
class Population:
    """A guessed population: numerator, denominator, weight, and how they go together.

    Args:
        numerator: Its ``mean`` and ``sd``. A binary column needs no ``sd``.
        per: Its ``mean`` and ``sd``. Where rows are counted the mean is 0.999.
        weight: Its ``mean`` and ``sd``.
        correlation: That of numerator and denominator of one person, 0 for none.
        weight_with_numerator: The weight's correlation with the numerator.
        weight_with_per: The weight's correlation with the denominator.

    Example:
        >>> Population(MeanSd(0.5, 0.22), MeanSd(0.45), correlation=0.4).ratio
        1.1111111111111112
        >>> heavy = MeanSd(1, 0.6)
        >>> survey = Population(
        ...     MeanSd(0.5, 0.22), MeanSd(0.45), heavy, weight_with_per=0.3
        ... )
        >>> round(survey.ratio, 3)
        0.927
    """

    numerator: MeanSd
    per: MeanSd
    weight: MeanSd | None = None
    correlation: float = 0.0
    weight_with_numerator: float = 0.0
    weight_with_per: float = 0.0

    def __post_init__(self) -> None:
        for name in ("correlation", "weight_with_numerator", "weight_with_per"):
            number = getattr(self, name)
            if not -1 < number < 1:
                raise InvalidInput(
                    f"{name} must lie between -1 and 1, got {number}.", field=name
                )
        if self.weights_follow and (self.weight is None or self.weight.mean <= 0):
            raise InvalidInput(
                "a correlation of the weight needs a guess of its mean, above 0. "
                "Guess the weight's mean and sd.",
                field="weight",
            )
        if 0 in (self.per.mean, self._weighted_mean("per")):
            raise InvalidInput(
                "the denominator's mean cannot be 0, with or without weights.",
                field="per",
            )

    @property
    def weights_follow(self) -> bool:
        """Whether weights go with the numerator or the denominator."""
        return bool(self.weight_with_numerator or self.weight_with_per)

    @property
    def ratio(self) -> float:
        """The true ratio of the guessed population."""
        return self._weighted_mean("numerator") / self._weighted_mean("per")

    def _weighted_mean(self, column: str) -> float:
        """Return E(w·x)/E(w) of the numerator or the denominator."""
        guessed: MeanSd = getattr(self, column)
        together: float = getattr(self, f"weight_with_{column}")
        if self.weight is None or not together:
            return guessed.mean
        spreads = _spread(self.weight) * _spread(guessed)
        return guessed.mean + together * spreads / self.weight.mean


def _spread(guessed: MeanSd) -> float:
    """Return a standard deviation; one that is left out is that of a binary column."""
    if guessed.sd is None:
        return math.sqrt(max(guessed.mean * (1 - guessed.mean), 0.0))
    return guessed.sd
