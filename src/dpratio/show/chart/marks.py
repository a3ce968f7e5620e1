"""What stands in a panel: intervals, lines, bands, rules, and combs of many.

A mark is drawn where its numbers are. What goes on beyond an axis ends in an arrow at
its end; a point beyond it is not drawn; what is unknown leaves a gap.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dpratio.show.chart.scale import Scale
from dpratio.show.chart.words import element, escaped

# Around (0, 0), about ten pixels wide, so that they are told apart without colours.
SHAPES = {
    "circle": "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0z",
    "up": "M0 -5L5 4H-5z",
    "down": "M0 5L5 -4H-5z",
    "square": "M-4 -4H4V4H-4z",
    "diamond": "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
    "cross": "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
}
# By the end that goes on beyond the axis, and whether the interval is upright.
_ARROWS = {
    ("low", False): "l7 -4.5v9z",
    ("high", False): "l-7 -4.5v9z",
    ("low", True): "l-4.5 -7h9z",
    ("high", True): "l-4.5 7h9z",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """The place of a panel in its picture, and its axes."""

    left: float
    top: float
    width: float
    height: float
    x: Scale
    y: Scale

    def across(self, value: float) -> float:
        """Give the place of a value on the axis below."""
        return self.left + self.width * self.x.share(value)

    def down(self, value: float) -> float:
        """Give the place of a value on the axis at the side."""
        return self.top + self.height * (1 - self.y.share(value))


@dataclass(frozen=True, slots=True)
class Interval:
    """A value between two ends; either end may lie beyond the axis, or nowhere.

    ``at`` is its place on the other axis, ``told`` what is said about it. One that is
    ``upright`` runs along the axis at the side.
    """

    at: float
    low: float
    high: float
    value: float
    told: str
    css: str = "even"
    shape: str = "circle"
    upright: bool = False
    size: float = 1.0


def point(
    place: tuple[float, float],
    told: str,
    css: str,
    *,
    shape: str = "circle",
    size: float = 1.0,
) -> Interval:
    """Mark a value alone, which has no ends; the place is (at, value)."""
    at, value = place
    ends = (math.nan, math.nan)
    return Interval(at, *ends, value, told, css, shape, upright=True, size=size)


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together; it breaks where one is not known."""

    points: Sequence[tuple[float, float]]
    css: str
    is_stepped: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """The stretch between two lines: (x, low, high)."""

    points: Sequence[tuple[float, float, float]]
    css: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line at a value, through the whole panel."""

    value: float
    upright: bool = True


@dataclass(frozen=True, slots=True)
class Diagonal:
    """The line on which both axes say the same."""


@dataclass(frozen=True, slots=True)
class Comb:
    """Very many upright intervals, one beside the other, drawn at once."""

    teeth: Sequence[tuple[float, float, float, float]]
    """Each as (at, low, high, value)."""
    css: str


Mark = Interval | Line | Band | Rule | Diagonal | Comb


def draw_mark(mark: Mark, frame: Frame) -> str:
    """Draw a mark inside a panel."""
    return _DRAWERS[type(mark)](mark, frame)


def symbol(shape: str, x: float, y: float, css: str, size: float = 1.0) -> str:
    """Draw a shape at a place."""
    larger = "" if size == 1 else f" scale({size:.2f})"
    return element(
        "path",
        class_=f"point {css}",
        transform=f"translate({x:.1f} {y:.1f}){larger}",
        d=SHAPES[shape],
    )


def _interval(mark: Interval, frame: Frame) -> str:
    scale = frame.y if mark.upright else frame.x
    inside = []
    if not (math.isnan(mark.low) or math.isnan(mark.high)):
        inside.append(_reach(mark, frame, scale))
    if scale.holds(mark.value):
        place = _place(mark, frame, mark.value)
        inside.append(symbol(mark.shape, *place, mark.css, mark.size))
    if not inside:
        return ""
    title = element("title", escaped(mark.told))
    return element("g", title, *inside, role="img", aria_label=mark.told)


def _reach(mark: Interval, frame: Frame, scale: Scale) -> str:
    """Draw the line of an interval, and an arrow at each end beyond the axis."""
    known = math.isfinite(mark.low) or math.isfinite(mark.high)
    css = f"reach {mark.css}" if known else f"reach {mark.css} unknown"
    arrows = [
        _arrow(mark, frame, side)
        for side, is_beyond in (
            ("low", mark.low < scale.low),
            ("high", mark.high > scale.high),
        )
        if is_beyond
    ]
    # One that lies wholly beyond the axis leaves an arrow, and no line.
    if mark.high < scale.low or mark.low > scale.high:
        return "".join(arrows)
    (x, y), (end, last) = (_place(mark, frame, each) for each in (mark.low, mark.high))
    line = (
        f"M{x:.1f} {y:.1f}V{last:.1f}"
        if mark.upright
        else f"M{x:.1f} {y:.1f}H{end:.1f}"
    )
    return element("path", class_=css, d=line) + "".join(arrows)


def _arrow(mark: Interval, frame: Frame, side: str) -> str:
    end = -math.inf if side == "low" else math.inf
    x, y = _place(mark, frame, end)
    arrow = f"M{x:.1f} {y:.1f}{_ARROWS[side, mark.upright]}"
    return element("path", class_=f"point {mark.css}", d=arrow)


def _place(mark: Interval, frame: Frame, value: float) -> tuple[float, float]:
    if mark.upright:
        return frame.across(mark.at), frame.down(value)
    return frame.across(value), frame.down(mark.at)


def _line(mark: Line, frame: Frame) -> str:
    """Draw a line in pieces: it is broken where a point is not finite."""
    places = []
    for known, run in groupby(mark.points, key=_is_known):
        if known:
            spots = [(frame.across(x), frame.down(y)) for x, y in run]
            places.append(_stepped(spots) if mark.is_stepped else _joined(spots))
    return (
        element("path", class_=f"line {mark.css}", d="".join(places)) if places else ""
    )


def _joined(spots: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)


def _stepped(spots: Sequence[tuple[float, float]]) -> str:
    (x, y), *rest = spots
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)


def _band(mark: Band, frame: Frame) -> str:
    upper = [(frame.across(x), frame.down(high)) for x, _, high in mark.points]
    lower = [(frame.across(x), frame.down(low)) for x, low, _ in mark.points]
    return element(
        "path", class_=f"band {mark.css}", d=f"{_joined([*upper, *reversed(lower)])}z"
    )


def _comb(mark: Comb, frame: Frame) -> str:
    lines, points, beyond = [], [], []
    for at, low, high, value in mark.teeth:
        x = frame.across(at)
        if not (math.isnan(low) or math.isnan(high)):
            lines.append(f"M{x:.1f} {frame.down(low):.1f}V{frame.down(high):.1f}")
            ends = (
                (low < frame.y.low, frame.y.low, -4),
                (high > frame.y.high, frame.y.high, 4),
            )
            beyond += [
                f"M{x:.1f} {frame.down(end):.1f}l-2 {way}h4z"
                for is_so, end, way in ends
                if is_so
            ]
        if frame.y.holds(value):
            points.append(f"M{x:.1f} {frame.down(value):.1f}h0")
    drawn = [
        element("path", class_=f"{css} {mark.css}", d="".join(paths))
        for css, paths in (("hair", lines), ("dot", points), ("point", beyond))
        if paths
    ]
    return "".join(drawn)


def _rule(mark: Rule, frame: Frame) -> str:
    scale = frame.x if mark.upright else frame.y
    if not scale.holds(mark.value):
        return ""
    if mark.upright:
        path = f"M{frame.across(mark.value):.1f} {frame.top:.1f}v{frame.height:.1f}"
    else:
        path = f"M{frame.left:.1f} {frame.down(mark.value):.1f}h{frame.width:.1f}"
    return element("path", class_="rule reference", d=path)


def _diagonal(_: Diagonal, frame: Frame) -> str:
    low, high = max(frame.x.low, frame.y.low), min(frame.x.high, frame.y.high)
    if low >= high:
        return ""
    ends = [(frame.across(end), frame.down(end)) for end in (low, high)]
    return element("path", class_="rule reference", d=_joined(ends))


def _is_known(point: tuple[float, float]) -> bool:
    return all(math.isfinite(each) for each in point)


_DRAWERS: dict[type, Callable[[Any, Frame], str]] = {
    Interval: _interval,
    Line: _line,
    Band: _band,
    Comb: _comb,
    Rule: _rule,
    Diagonal: _diagonal,
}
