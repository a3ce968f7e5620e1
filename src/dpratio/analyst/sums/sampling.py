"""How sums vary together from sample to sample: by the sums of their products.

Units are independent and their number varies, so Cov(Σf, Σg) is estimated by Σfg. For
functions that do not change when all sums grow alike (means, ratios, variances,
correlation) that is also the covariance for a fixed number of units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.terms.bounds import Bounds

Powers = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Sampling:
    """The second moments that a release holds, found by the powers of their factors.

    Without weights w = 1; with a binary denominator y² = y. With weights, sums of w²
    that were not measured are those of w, times Σw²/Σw: Miao & Li (2022), eq. 3, for
    weights that say nothing about the values.
    """

    moments: Moments
    is_weighted: bool
    is_binary: bool

    @classmethod
    def of(cls, moments: Moments, box: Mapping[str, Bounds]) -> "Sampling":
        """Tell from the bounds of one unit what is weighted and binary."""
        return cls(moments, "w" in box, box["y"].is_binary)

    def variance(
        self, names: Sequence[str], slopes: Sequence[Floats]
    ) -> tuple[Floats, Floats]:
        """Estimate the variance of a function with these derivatives.

        Returns:
            The variance by cell, and the weight of every released sum in it, cells ×
            sums, through which noise enters the estimate.
        """
        cells, sums = len(self.moments.values), self.moments.matrix.shape[1]
        plain, by_kish = np.zeros(cells), np.zeros(cells)
        weights, kish_weights = np.zeros((cells, sums)), np.zeros((cells, sums))
        for at, first in enumerate(names):
            for place, second in enumerate(names):
                both = slopes[at] * slopes[place]
                name, is_kish = self.product_of(first, second)
                total, loads = (by_kish, kish_weights) if is_kish else (plain, weights)
                total += both * self.moments[name]
                loads += both[:, None] * self.moments.loading(name)
        if not by_kish.any():
            return plain, weights
        weight, square = self.moments["w"], self.moments["ww"]
        share = square / weight
        by_share = self.moments.loading("ww") / weight[:, None] - (share / weight)[
            :, None
        ] * self.moments.loading("w")
        weights += share[:, None] * kish_weights + by_kish[:, None] * by_share
        return plain + share * by_kish, weights

    def directions(self, names: Sequence[str]) -> Floats:
        """Give independent moves of the sums, of one standard deviation each.

        Returns:
            Moves × names × cells: the axes of the estimated covariance; what noise
            made negative is taken as none.
        """
        cells, size = len(self.moments.values), len(names)
        one, none = np.ones(cells), np.zeros(cells)

        def variance_of_sum(*places: int) -> Floats:
            slopes = [one if at in places else none for at in range(size)]
            return self.variance(names, slopes)[0]

        covariance = np.empty((cells, size, size))
        for at in range(size):
            covariance[:, at, at] = variance_of_sum(at)
            for place in range(at):
                alone = covariance[:, at, at] + covariance[:, place, place]
                both = (variance_of_sum(at, place) - alone) / 2
                covariance[:, at, place] = covariance[:, place, at] = both
        squares, axes = np.linalg.eigh(np.nan_to_num(covariance))
        moves = axes * np.sqrt(np.maximum(squares, 0.0))[:, None, :]
        by_move: Floats = np.moveaxis(moves, 0, 2).swapaxes(0, 1)
        return by_move

    def _powers(self, name: str) -> Powers:
        """Count the factors of a name; a holds w and s, b holds w and y."""
        s, y = (name.count(letter) + name.count(both) for letter, both in ("sa", "yb"))
        w = name.count("w") + name.count("a") + name.count("b")
        return w if self.is_weighted else 0, s, min(y, 1) if self.is_binary else y

    def product_of(
        self, first: str, second: str, *, is_kish: bool = False
    ) -> tuple[str, bool]:
        """Name the sum of products of two summands, and say if Σw²/Σw goes before it.

        Args:
            first: A sum, and
            second: another.
            is_kish: Whether a sum of w is wanted even where one of w² is held.

        Raises:
            InvalidInput: When the release holds none; the message names a plan.
        """
        held = {self._powers(name): name for name in reversed(self.moments.names)}
        powers = self._powers(first + second)
        if powers in held and not is_kish:
            return held[powers], False
        w, s, y = powers
        name = held.get((1, s, y)) if w == 2 and "ww" in self.moments.names else None  # noqa: PLR2004
        plan = "answers=('ratio', 'means')"
        if s + y > 2:  # noqa: PLR2004
            plan = "strategy='joint' and answers=('ratio', 'spread')"
        rule = (
            f"this release cannot tell how the sums {first} and {second} vary from "
            "sample to sample"
        )
        require(name, rule, list(self.moments.names[:2]), f"Make the plan with {plan}.")
        return str(name), True
