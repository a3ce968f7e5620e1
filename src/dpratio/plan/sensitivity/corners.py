"""The extreme rows: finitely many points whose hull holds every row's factors.

A cost that is convex is largest at one of them. z·h alone is not convex: the rows on
edges of the box where it turns are listed too.
Proof: docs/proofs/joint_cost.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.terms.bounds import Bounds

__all__ = ["Point", "corners_of"]

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
    """Give the images of the points, and of where z crosses the limit between two."""
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
