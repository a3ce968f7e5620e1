"""One interval in one line, as wide as the place it is put in: for rows of tables.

Places are shares of the width, so that nothing is stretched; the same rules hold as in
a panel: an arrow where an interval goes on, no point where a value is beyond the axis.
"""

import math
from collections.abc import Sequence

from dpratio.show.chart.marks import SHAPES
from dpratio.show.chart.scale import Scale
from dpratio.show.chart.words import element, escaped

_TALL, _MIDDLE = 24, 12
_USUAL = 300.0  # Pixels that a strip has on most screens; its ticks are chosen for it.
STRIP_SHAPES = {**SHAPES, "low": "M0 0l7 -4.5v9z", "high": "M0 0l-7 -4.5v9z"}

# A line from one place to another, or a shape at one: shares of the width, in per cent.
Place = tuple[str, float] | tuple[str, float, float]


def places_of(
    scale: Scale, ends: tuple[float, float, float], shape: str
) -> list[Place]:
    """Say what is drawn in a strip, and where."""
    low, value, high = ends
    places: list[Place] = []
    if scale.reference is not None and scale.holds(scale.reference):
        places.append(("rule", _percent(scale, scale.reference)))
    if low <= scale.high and high >= scale.low:
        is_known = math.isfinite(low) or math.isfinite(high)
        name = "reach" if is_known else "unknown"
        places.append((name, _percent(scale, low), _percent(scale, high)))
    if low < scale.low:
        places.append(("low", 0.0))
    if high > scale.high:
        places.append(("high", 100.0))
    if scale.holds(value):
        places.append((shape, _percent(scale, value)))
    return places


def draw_places(places: Sequence[Place]) -> str:
    """Draw what is inside a strip; report.js does the same for rows it lists anew."""
    parts = []
    for name, at, *ends in places:
        if name in STRIP_SHAPES:
            path = f'<path d="{STRIP_SHAPES[name]}"/>'
            parts.append(f'<svg x="{at:g}%" y="{_MIDDLE}">{path}</svg>')
        elif name == "rule":
            parts.append(f'<line class="rule" x1="{at:g}%" x2="{at:g}%" y2="{_TALL}"/>')
        else:
            parts.append(
                f'<line class="reach {name}" x1="{at:g}%" x2="{ends[0]:g}%" '
                f'y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
            )
    return "".join(parts)


def axis_strip(scale: Scale) -> str:
    """Draw the axis above a column of strips; readers of screens hear the numbers."""
    parts = [
        element("line", class_="axis", x1="0%", x2="100%", y1=_TALL - 1, y2=_TALL - 1),
    ]
    for tick in scale.ticks(_USUAL):
        place = f"{_percent(scale, tick.value):g}%"
        parts.append(
            element("line", class_="axis", x1=place, x2=place, y1=_TALL - 5, y2=_TALL)
        )
        parts.append(
            element("text", escaped(tick.text), x=place, y=_MIDDLE + 2, class_="middle")
        )
    return element("svg", *parts, class_="dpr strip", aria_hidden="true")


def _percent(scale: Scale, value: float) -> float:
    return round(100 * scale.share(value), 1)
