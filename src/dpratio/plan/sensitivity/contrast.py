"""The two columns that the focused strategy measures in place of s and y.

z = w·(s − r₀·y) is what the ratio is about: its sum is zero at r = r₀. h completes it.
The planner chooses which: the sum w·(s + r₀·y), which is cheap where both columns reach
equally far, or the denominator w·y, which is where s reaches further than r₀·y.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from dpratio.terms.bounds import Bounds
from dpratio.terms.population import middle_of
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS, Ratio

BASES = ("sum", "denominator")
_TWELFTH = 12
_ROUNDED = 2.0**-20

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Contrast:
    """The guess r₀, the public bound on |z|, if one was promised, and what h is.

    Example:
        >>> Contrast(centre=2.0).of(Fraction(1), Fraction(3))
        (Fraction(-5, 1), Fraction(7, 1))
    """

    centre: float
    limit: float | None = None
    basis: str = "sum"

    @property
    def uncut(self) -> float:
        """Up to which |z| the limit is not counted as cutting: rounding is no cut."""
        return math.inf if self.limit is None else self.limit * (1 + _ROUNDED)

    @property
    def has_numerator(self) -> bool:
        """Whether h holds s as well; around zero it is the denominator anyway."""
        return self.basis == "sum" and self.centre != 0

    @property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The weights of s and y in z, then in h."""
        completes = (1.0, self.centre) if self.has_numerator else (0.0, 1.0)
        return (1.0, -self.centre), completes

    def of(self, numerator: Fraction, denominator: Fraction) -> Pair:
        """Return z and h, exactly and without the limit."""
        z, h = (
            Fraction(first) * numerator + Fraction(second) * denominator
            for first, second in self.rows
        )
        return z, h

    def inverse(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the weights of z and h in s, then in y."""
        (a, b), (c, d) = self.rows
        scale = a * d - b * c
        return (d / scale, -b / scale), (-c / scale, a / scale)


def contrast_of(ratio: Ratio, basis: str = "sum") -> Contrast:
    """Return the contrast of a ratio whose guess is settled."""
    centre = 1.0 if ratio.guess is None else ratio.guess
    return Contrast(centre, ratio.residual_bound, basis)


def guess_from(box: Mapping[str, Bounds]) -> float:
    """Guess a ratio from bounds alone, where nobody did.

    People sit near the end of a range that is closer to zero: a twelfth of the range of
    s above it, over the middle of y. Where the sign of the ratio is open, that of the
    middle of s decides; where that of y is open, nothing does.
    """
    s, y = box["s"], box["y"]
    if y.lower < 0 < y.upper:
        return 0.0
    near = min(max(s.lower, 0.0), s.upper)
    top = near + (s.lower + s.upper - 2 * near) / _TWELFTH
    return rounded_guess(top / middle_of(y))


def rounded_guess(ratio: float) -> float:
    """Round a ratio to the two digits of a guess; 0 where it is too small or large."""
    guess = float(f"{ratio:.2g}")
    return guess if SMALLEST_GUESS <= abs(guess) <= LARGEST_GUESS else 0.0


Point = Mapping[str, Fraction]

_UNIT = (Fraction(1),)


def corners_of(
    bounds: Mapping[str, Bounds], contrast: Contrast | None
) -> tuple[Point, ...]:
    """List the extreme values of the factors, exactly.

    Args:
        bounds: Bounds of ``s``, ``y`` and, where there is one, ``w``.
        contrast: Makes the points hold ``w``, ``z`` and ``h`` instead.

    Example:
        >>> [dict(each) for each in corners_of({"s": Bounds(0, 1), "y": Bounds(0, 1)},
        ...     Contrast(1.0))][1:3] == [{"w": 1, "z": -1, "h": 1},
        ...     {"w": 1, "z": 1, "h": 1}]
        True
    """
    ends = {name: _ends(each) for name, each in bounds.items()}
    box = product(ends.get("w", _UNIT), ends["s"], ends["y"])
    if contrast is None:
        return tuple({"w": w, "s": s, "y": y} for w, s, y in box)
    points = [_point(contrast, *each) for each in box]
    between = [_point(contrast, *each) for each in _turns(bounds, contrast)]
    if contrast.limit is None:
        return (*points, *between)
    limit = Fraction(contrast.limit)
    images = (_image(each, limit) for each in between)
    return (*_clipped(points, limit), *images)


def _point(contrast: Contrast, w: Fraction, s: Fraction, y: Fraction) -> Point:
    z, h = contrast.of(s, y)
    return {"w": w, "z": w * z, "h": w * h}


def _turns(
    bounds: Mapping[str, Bounds], contrast: Contrast
) -> Iterator[tuple[Fraction, ...]]:
    """List rows on an edge where z·h, a parabola along it, may peak.

    w²(s² − r₀²y²) turns at y = 0 and at s = 0, w²(s − r₀y)y at y = s/2r₀.
    """
    zero = Fraction(0)
    weight = Fraction(bounds["w"].reach) if "w" in bounds else Fraction(1)
    twice = 0 if contrast.has_numerator else 2 * Fraction(contrast.centre)
    for end in _ends(bounds["s"]):
        turn = end / twice if twice else zero
        if bounds["y"].lower < turn < bounds["y"].upper:
            yield weight, end, turn
    if contrast.has_numerator and bounds["s"].lower < 0 < bounds["s"].upper:
        yield from ((weight, zero, end) for end in _ends(bounds["y"]))


def _ends(bounds: Bounds) -> tuple[Fraction, ...]:
    return Fraction(bounds.lower), Fraction(bounds.upper)


def _image(point: Point, limit: Fraction) -> Point:
    return {**point, "z": max(-limit, min(limit, point["z"]))}


def _clipped(points: Sequence[Point], limit: Fraction) -> Iterator[Point]:
    """Return the images of the points, and of where z crosses the limit between two."""
    for point in points:
        yield _image(point, limit)
    for first, second in combinations(points, 2):
        for level in (-limit, limit):
            below, above = sorted((first["z"], second["z"]))
            if below < level < above:
                part = (level - first["z"]) / (second["z"] - first["z"])
                yield {
                    name: first[name] + part * (second[name] - first[name])
                    for name in first
                }
