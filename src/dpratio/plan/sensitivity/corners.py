"""The extreme rows: finitely many points whose hull holds every row's factors.

A cost that is convex is largest at one of them. z·h alone is not convex: the rows in
which it may be larger, those on an axis, are listed too.
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
    between = [_point(contrast, *each) for each in _on_axes(bounds)]
    if contrast.limit is None:
        return (*points, *between)
    limit = Fraction(contrast.limit)
    images = (_image(each, limit) for each in between)
    return (*_clipped(points, limit), *images)


def _point(contrast: Contrast, w: Fraction, s: Fraction, y: Fraction) -> Point:
    z, h = contrast.of(s, y)
    return {"w": w, "z": w * z, "h": w * h}


def _on_axes(bounds: Mapping[str, Bounds]) -> Iterator[tuple[Fraction, ...]]:
    """List rows with y = 0 or s = 0, where z·h = w²(s² − r₀²y²) may peak."""
    zero = Fraction(0)
    weight = Fraction(bounds["w"].reach) if "w" in bounds else Fraction(1)
    if bounds["y"].lower < 0 < bounds["y"].upper:
        yield from ((weight, end, zero) for end in _ends(bounds["s"]))
    if bounds["s"].lower < 0 < bounds["s"].upper:
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
