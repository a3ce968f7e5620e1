"""Which sums a plan measures, and the public integer grids that they are counted on.

A summand is a product of clipped values of one row, multiplied from left to right
in double precision: ``w`` weight, ``y`` denominator, ``s`` numerator; ``z`` and ``h``
are the two columns of `Contrast`, which hold the weight already. ``c`` says whether a
bound cut anything of the unit. Sums of integers do not depend on row order, threads or
engine, and how far one row moves them is an integer fact.
Proof: docs/proofs/lattice.md.

The focused strategy measures z and h in place of s and y: z = w·(s − r₀·y) is what the
ratio is about: its sum is zero at r = r₀. h completes it. The planner chooses which:
the sum w·(s + r₀·y), which is cheap where both columns reach equally far, or the
denominator w·y, which is where s reaches further than r₀·y.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS, Ratio
from dpratio.terms.unit import PrivacyUnit


def step_for(reach: float) -> float:
    """Choose the widest power-of-two step with at least 2^24 cells up to a reach.

    Args:
        reach: Largest size of the summand, positive.

    Example:
        >>> step_for(1.0) == 2.0**-24, step_for(3.0) == 2.0**-23
        (True, True)
    """
    _, exponent = math.frexp(reach)
    return math.ldexp(1.0, exponent - 25)


def to_cell(value: float, step: float) -> int:
    """Count a finite value in whole cells.

    Guarantee:
        The result is monotone in the value: a value between two others lies between
        their cells. Proof: docs/proofs/lattice.md.

    Example:
        >>> to_cell(0.75, 0.5), to_cell(-0.75, 0.5)
        (2, -1)
    """
    return math.floor(value / step + 0.5)


@dataclass(frozen=True, slots=True)
class Summand:
    """A named product of factors.

    Example:
        >>> Summand("wys", ("w", "y", "s")).label
        'Σ w·y·s'
    """

    name: str
    factors: tuple[str, ...]

    @property
    def label(self) -> str:
        """The sum as it is written for a reader."""
        return f"Σ {'·'.join(self.factors)}" if self.factors else "Σ 1"


@dataclass(frozen=True, slots=True)
class MeasuredSum:
    """One sum that will be released, and its noise.

    ``sensitivity`` and ``scale`` count lattice cells of width ``step``.
    """

    summand: Summand
    step: float
    sensitivity: int
    scale: float


# c is 1 for a unit that a bound cut, and 0 for any other.
CUT = Summand("c", ("c",))

# The moments of Miao & Li (2022), section 2.3.1, in the order of the paper.
MOMENTS = ("w", "wy", "ws", "ww", "wyy", "wss", "wys")

# Third and fourth orders: how sums of squares vary from sample to sample.
_THIRD = ("wsss", "wyss", "wyys", "wyyy")
_FOURTH = ("wssss", "wysss", "wyyss", "wyyys", "wyyyy")

_RATIO = ("z", "h", "zz", "zh", "hh")
_MEANS = ("w",)
_WEIGHTED_MEANS = ("w", "ww", "wz", "wh")


def summands_for(
    *, weighted: bool, binary: bool, spread: bool = False
) -> tuple[Summand, ...]:
    """List the paper's sums: 7, 6 or 5; with their spread 9 or 4 more.

    Args:
        weighted: Whether a weight column is used; without it w = 1 and w² = w.
        binary: Whether the denominator is 0 or 1, so that y² = y.
        spread: Whether products of three and four values are summed as well.

    Example:
        >>> [sum_.name for sum_ in summands_for(weighted=False, binary=True)]
        ['w', 'wy', 'ws', 'wss', 'wys']
    """
    return tuple(
        Summand(name, tuple(name if weighted else name[1:]))
        for name in (*MOMENTS, *((*_THIRD, *_FOURTH) if spread else ()))
        if not (binary and "yy" in name) and (weighted or name != "ww")
    )


def focused_summands(*, weighted: bool, means: bool) -> tuple[Summand, ...]:
    """List the sums of the focused strategy.

    Five do for the ratio. Means need Σw as well; with weights their variances also
    need Σw², Σwz and Σwh.

    Example:
        >>> [each.name for each in focused_summands(weighted=False, means=True)]
        ['z', 'h', 'zz', 'zh', 'hh', 'w']
    """
    extra = (_WEIGHTED_MEANS if weighted else _MEANS) if means else ()
    return tuple(
        Summand(name, tuple(name) if weighted or name != "w" else ())
        for name in (*_RATIO, *extra)
    )


# Rows that add up to a bound may come out some cells beyond it, and nothing was cut:
# 16 are a millionth of the reach, and the rounding of 30 rows.
_ROUNDED = 16


@dataclass(frozen=True, slots=True)
class Total:
    """How a person's rows are added up: in cells of a step, clipped to whole cells.

    ``can_cut`` says whether a total that is clipped is counted as cut.
    """

    step: float
    lowest: int
    highest: int
    can_cut: bool = True

    @property
    def uncut(self) -> tuple[int, int]:
        """The cells from which to which a total is not counted as cut."""
        return self.lowest - _ROUNDED, self.highest + _ROUNDED

    @property
    def bounds(self) -> Bounds:
        """The exact range of a clipped total."""
        low, high = self.lowest * self.step, self.highest * self.step
        return Bounds(low, high, natural=not self.can_cut)


def row_box(ratio: Ratio, bounds: Mapping[str, Bounds]) -> dict[str, Bounds]:
    """Return the bounds of a row's s, y and, where there is one, w."""
    numerator = bounds[ratio.numerator]
    if ratio.minus is not None:
        other = bounds[ratio.minus]
        low, high = numerator.lower - other.upper, numerator.upper - other.lower
        natural = numerator.natural and other.natural
        numerator = Bounds(low, high, natural=natural)
    box = {"s": numerator, "y": bounds[ratio.per]}
    if ratio.weight is not None:
        box["w"] = bounds[ratio.weight]
    return box


def totals_of(ratio: Ratio, unit: PrivacyUnit) -> dict[str, Total]:
    """Return how the numerator and the denominator of a person are added up."""
    names = zip("sy", ratio.totals, strict=True)
    return {letter: _total(unit.totals[name], name) for letter, name in names}


def box_of(
    ratio: Ratio, bounds: Mapping[str, Bounds], unit: PrivacyUnit
) -> dict[str, Bounds]:
    """Return the box of one unit: its row's, or that of its clipped totals."""
    if unit.column is None:
        return row_box(ratio, bounds)
    return {letter: total.bounds for letter, total in totals_of(ratio, unit).items()}


def _total(bounds: Bounds, name: str) -> Total:
    step = step_for(bounds.reach)
    lowest, highest = math.ceil(bounds.lower / step), math.floor(bounds.upper / step)
    if lowest >= highest:
        raise InvalidInput(
            f"the totals of '{name}' have too narrow a range, got {bounds.lower!r} to "
            f"{bounds.upper!r}.",
            field="totals",
        )
    # Rows of 0 and 1 may add up to more than 1: a binary total is not natural.
    return Total(step, lowest, highest, bounds.can_cut or bounds.is_binary)


BASES = ("sum", "denominator")
_TWELFTH = 12
_SLACK = 2.0**-20


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
        return math.inf if self.limit is None else self.limit * (1 + _SLACK)

    @property
    def has_numerator(self) -> bool:
        """Whether h holds s as well; around zero it is the denominator anyway."""
        return self.basis == "sum" and self.centre != 0

    @property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The weights of s and y in z, then in h."""
        completes = (1.0, self.centre) if self.has_numerator else (0.0, 1.0)
        return (1.0, -self.centre), completes

    def of(self, s: Fraction, y: Fraction) -> tuple[Fraction, Fraction]:
        """Return z and h, exactly and without the limit."""
        z, h = (Fraction(on_s) * s + Fraction(on_y) * y for on_s, on_y in self.rows)
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
    return rounded_guess(top / y.middle)


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
    ends = {name: _ends(pair) for name, pair in bounds.items()}
    box = product(ends.get("w", _UNIT), ends["s"], ends["y"])
    if contrast is None:
        return tuple({"w": w, "s": s, "y": y} for w, s, y in box)
    points = [_point(contrast, *row) for row in box]
    between = [_point(contrast, *row) for row in _turns(bounds, contrast)]
    if contrast.limit is None:
        return (*points, *between)
    limit = Fraction(contrast.limit)
    images = (_image(point, limit) for point in between)
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
