"""A calibration curve as plain SVG, for reports: it needs no library."""

import html
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["curve_svg"]

_SIDE, _MASS, _LEFT, _TOP, _GAP = 300, 46, 44, 10, 30
_FLOOR = _TOP + _SIDE + _GAP + _MASS
_WIDTH, _HEIGHT = _LEFT + _SIDE + 20, _FLOOR + 22

Points = Sequence[dict[str, Any]]
Place = Callable[[float], float]


def curve_svg(points: Points, name: str, ends: tuple[float, float]) -> str:
    """Draw the points of one curve: band, line, diagonal, and the mass of bins below.

    Args:
        points: Bins in the order of their scores, as `curves_of` gives them.
        name: What the picture is of, for those who hear it.
        ends: Of both axes, the same for all curves that are looked at together.
    """
    low, high = ends
    reach = (high - low) or 1.0

    def across(value: float) -> float:
        return round(_LEFT + _SIDE * (value - low) / reach, 1)

    def down(value: float) -> float:
        return round(_TOP + _SIDE - _SIDE * (value - low) / reach, 1)

    said = html.escape(name, quote=True)
    start = f'<svg class="curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
    return "".join(
        [
            f'{start}aria-label="{said}"><title>{said}</title>',
            *_lines(points, across, down, (low, high)),
            *_marks(points, across, down),
            *_words(across, down, (low, high)),
            "</svg>",
        ]
    )


def _lines(
    points: Points, across: Place, down: Place, ends: tuple[float, float]
) -> list[str]:
    """Draw the diagonal, the band of the intervals and the curve."""
    sides = [
        [f"{across(point['score'])},{down(point[name])}" for point in points]
        for name in ("label_upper", "label_lower", "label")
    ]
    around = " ".join([*sides[0], *reversed(sides[1])])
    even = " ".join(f"{across(end)},{down(end)}" for end in ends)
    return [
        f'<polyline class="even" points="{even}"/>',
        f'<polygon class="band" points="{around}"/>',
        f'<polyline class="line" points="{" ".join(sides[2])}"/>',
    ]


def _marks(points: Points, across: Place, down: Place) -> list[str]:
    """Draw a point and a bar for each bin, with their figures."""
    largest = max(point["share"] for point in points) or 1.0
    drawn = []
    for point in points:
        x, y = across(point["score"]), down(point["label"])
        tall = round(_MASS * point["share"] / largest, 1)
        place = f'x="{x - 6}" y="{_FLOOR - tall}" width="12" height="{tall}"'
        told = html.escape(f"{point['bin']}: {point['told']}")
        share = html.escape(f"{point['bin']}: {point['share']:.3g} of the weight")
        spot = f'<circle class="point" cx="{x}" cy="{y}" r="4">'
        drawn.append(f"{spot}<title>{told}</title></circle>")
        drawn.append(f'<rect class="mass" {place}><title>{share}</title></rect>')
    return drawn


def _words(across: Place, down: Place, ends: tuple[float, float]) -> list[str]:
    """Write the axes."""
    middle, below = _LEFT + _SIDE / 2, _TOP + _SIDE + 18
    turned = f"translate({_LEFT - 28} {_TOP + _SIDE / 2}) rotate(-90)"
    return [
        *(_text("middle", f"{end:.2g}", across(end), below) for end in ends),
        *(_text("end", f"{end:.2g}", _LEFT - 6, down(end) + 4) for end in ends),
        _text("middle", "mean score", middle, below),
        _text("middle", "share of the weight", middle, _FLOOR + 16),
        f'<text transform="{turned}" text-anchor="middle">mean label</text>',
    ]


def _text(anchor: str, said: str, x: float, y: float) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{said}</text>'
