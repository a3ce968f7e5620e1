"""What a plan expects of a population, before data: a few moments of one person.

They choose how the budget is shared. A wrong expectation widens intervals; it never
makes them cover less.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import Guess, middle_guess

__all__ = ["Expected", "Units", "expected_of"]


@dataclass(frozen=True, slots=True)
class Units:
    """Powers of two near the size of each factor, and the contrast in them."""

    factors: Mapping[str, float]
    contrast: Contrast

    def product(self, factors: Sequence[str]) -> float:
        """Give the unit of a product of factors."""
        return math.prod(self.factors[each] for each in factors)


@dataclass(frozen=True, slots=True)
class Expected:
    """Means over people: weight, its square, both columns, and squares of residuals.

    ``residual`` is E(s − r₀y)²; ``numerator_square`` and ``denominator_square`` are
    the variances of s and y around their means.
    """

    people: int
    weight: float
    weight_square: float
    numerator: float
    denominator: float
    residual: float
    numerator_square: float
    denominator_square: float

    def in_own_units(self, contrast: Contrast) -> tuple["Expected", Units]:
        """Give the same expectation with every size near one."""
        s = _near(
            self.numerator,
            math.sqrt(self.residual),
            contrast.centre * self.denominator,
        )
        y = _near(self.denominator, math.sqrt(self.denominator_square))
        w = _near(self.weight)
        scaled = Expected(
            people=self.people,
            weight=self.weight / w,
            weight_square=self.weight_square / w / w,
            numerator=self.numerator / s,
            denominator=self.denominator / y,
            residual=self.residual / s / s,
            numerator_square=self.numerator_square / s / s,
            denominator_square=self.denominator_square / y / y,
        )
        limit = None if contrast.limit is None else contrast.limit / s / w
        z = s * w
        factors = {"w": w, "z": z, "h": z if contrast.centre else y * w}
        return scaled, Units(factors, Contrast(contrast.centre * y / s, limit))


def _near(*sizes: float) -> float:
    """Give a power of two near the largest of some sizes."""
    return 2.0 ** math.frexp(max(abs(each) for each in sizes))[1]


def expected_of(
    bounds: Mapping[str, Bounds],
    contrast: Contrast,
    people: int,
    guess: Guess | None,
) -> Expected:
    """Expect what a guess says, or the middle of the box without one."""
    if guess is None:
        return _mid_box(bounds, contrast, people)
    s, y = guess.numerator, guess.per
    s_sd = s.spread_within(bounds["s"], "numerator")
    y_sd = y.spread_within(bounds["y"], "per")
    centre = contrast.centre
    both = guess.correlation * s_sd * y_sd
    weight, weight_sd = _middle_weight(bounds), 0.0
    if guess.weight is not None and "w" in bounds:
        weight = guess.weight.mean
        weight_sd = guess.weight.spread_within(bounds["w"], "weight")
    return Expected(
        people=people,
        weight=weight,
        weight_square=weight**2 + weight_sd**2,
        numerator=s.mean,
        denominator=y.mean,
        residual=(s.mean - centre * y.mean) ** 2
        + s_sd**2
        + (centre * y_sd) ** 2
        - 2 * centre * both,
        numerator_square=s_sd**2,
        denominator_square=y_sd**2,
    )


def _mid_box(bounds: Mapping[str, Bounds], contrast: Contrast, people: int) -> Expected:
    """Expect middles, and a quarter of the largest square for squares."""
    s, y = bounds["s"], bounds["y"]
    middle = middle_guess(bounds)
    weight = _middle_weight(bounds)
    corners = [
        abs(a - contrast.centre * b)
        for a in (s.lower, s.upper)
        for b in (y.lower, y.upper)
    ]
    return Expected(
        people=people,
        weight=weight,
        weight_square=weight**2,
        numerator=middle.numerator.mean,
        denominator=middle.per.mean,
        residual=max(corners) ** 2 / 4,
        numerator_square=((s.upper - s.lower) / 4) ** 2,
        denominator_square=((y.upper - y.lower) / 4) ** 2,
    )


def _middle_weight(bounds: Mapping[str, Bounds]) -> float:
    return (bounds["w"].lower + bounds["w"].upper) / 2 if "w" in bounds else 1.0
