"""A line chart on two logarithmic axes, as SVG without styles of its own.

Colours come from the page's style sheet by class, so that one drawing serves light and
dark; what the lines say is also written as a description for those who cannot see it.
"""

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Line", "draw_lines", "log_ticks"]

Point = tuple[float, float]

_WIDTH, _HEIGHT = 460, 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 14, 34, 46
_FEWEST_TICKS, _MOST_TICKS = 3, 7
_DECADE = 10.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name in the legend, its class in the style sheet, its points."""

    name: str
    style: str
    points: Sequence[Point]


def draw_lines(
    lines: Sequence[Line], *, words: tuple[str, str], title: str, here: Point
) -> str:
    """Draw lines on logarithmic axes, with a mark at one point.

    Args:
        lines: What to draw; points that are not positive and finite are left out.
        words: What stands along the axis below, and along the axis at the left.
        title: The name of the picture for readers who cannot see it.
        here: The point to mark.

    Returns:
        An ``svg`` element with a title and a description.
    """
    drawn = [
        Line(each.name, each.style, [at for at in each.points if _is_drawable(at)])
        for each in lines
    ]
    marked = [here] if _is_drawable(here) else []
    every = [at for each in drawn for at in each.points] + marked
    along = _axis([at[0] for at in every], _LEFT, _WIDTH - _RIGHT)
    up = _axis([at[1] for at in every], _HEIGHT - _BOTTOM, _TOP)
    body = [
        *_grid(along, up, words),
        *_legend(drawn),
        *(_line(each, along, up) for each in drawn if each.points),
        *(
            f'<circle class="here" cx="{along.at(x):.1f}" cy="{up.at(y):.1f}" r="5"/>'
            for x, y in marked
        ),
    ]
    name = title.lower().replace(" ", "-")
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" class="chart" '
        f'aria-labelledby="{name}-title {name}-words">'
        f'<title id="{name}-title">{html.escape(title)}</title>'
        f'<desc id="{name}-words">{html.escape(_describe(drawn, words))}</desc>'
        + "".join(body)
        + "</svg>"
    )


def log_ticks(low: float, high: float) -> list[float]:
    """Choose three to seven round numbers between two positive ones.

    Example:
        >>> log_ticks(0.1, 10)
        [0.1, 1.0, 10.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tries = [
        [float(f"{step}e{power}") for power in powers for step in steps]
        for steps in ((1,), (1, 3), (1, 2, 5))
    ]
    if high / low < _DECADE:
        tries = _even_steps(low, high)
    for numbers in tries:
        found = [each for each in numbers if low <= each <= high]
        if len(found) >= _FEWEST_TICKS:
            break
    return found[:: math.ceil(len(found) / _MOST_TICKS) or 1]


def _even_steps(low: float, high: float) -> list[list[float]]:
    """Give multiples of round steps, for less than a decade; the coarsest first."""
    size = math.floor(math.log10(high - low))
    steps = [(power, step) for power in (size, size - 1) for step in (5, 2, 1)]
    return [
        [
            float(f"{count * step}e{power}")
            for count in range(
                math.floor(low / (step * 10.0**power)),
                math.ceil(high / (step * 10.0**power)) + 1,
            )
        ]
        for power, step in steps
    ]


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    at: Callable[[float], float]


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    """Spread values over a length, with a little room at both ends."""
    low, high = min(values, default=1.0), max(values, default=1.0)
    room = max((high / low) ** 0.04, 1.02)
    low, high = low / room, high * room

    def place(value: float) -> float:
        share = math.log(value / low) / math.log(high / low)
        return start + share * (end - start)

    return _Axis(low, high, place)


def _grid(along: _Axis, up: _Axis, words: tuple[str, str]) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = []
    for tick in log_ticks(along.low, along.high):
        x = f"{along.at(tick):.1f}"
        parts.append(f'<path class="grid" d="M{x} {_TOP}V{bottom}"/>')
        text = _short(tick)
        parts.append(f'<text class="below" x="{x}" y="{bottom + 18}">{text}</text>')
    for tick in log_ticks(up.low, up.high):
        y = up.at(tick)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>')
        text = _short(tick)
        at = f'x="{_LEFT - 8}" y="{y + 4:.1f}"'
        parts.append(f'<text class="beside" {at}>{text}</text>')
    parts.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>')
    middle = (_LEFT + right) / 2
    below = html.escape(words[0])
    parts.append(f'<text class="below" x="{middle}" y="{_HEIGHT - 8}">{below}</text>')
    y = (_TOP + bottom) / 2
    turned = f'x="13" y="{y}" transform="rotate(-90 13 {y})"'
    parts.append(f'<text class="below" {turned}>{html.escape(words[1])}</text>')
    return parts


def _legend(lines: Sequence[Line]) -> list[str]:
    parts, x = [], _LEFT
    for each in lines:
        parts.append(f'<path class="line {each.style}" d="M{x} 16h26"/>')
        name = html.escape(each.name)
        parts.append(f'<text x="{x + 32}" y="20">{name}</text>')
        x += 48 + 7 * len(each.name)
    parts.append(f'<circle class="here" cx="{x + 5}" cy="16" r="5"/>')
    parts.append(f'<text x="{x + 16}" y="20">this study</text>')
    return parts


def _line(line: Line, along: _Axis, up: _Axis) -> str:
    points = [f"{along.at(x):.1f} {up.at(y):.1f}" for x, y in line.points]
    return f'<path class="line {line.style}" d="M{"L".join(points)}"/>'


def _describe(lines: Sequence[Line], words: tuple[str, str]) -> str:
    parts = []
    for each in lines:
        if each.points:
            (x, y), (end, last) = each.points[0], each.points[-1]
            parts.append(
                f"{each.name}: {words[1]} {y:.3g} at {words[0]} {_short(x)}, "
                f"{last:.3g} at {_short(end)}."
            )
    return f"{words[1]} against {words[0]}. " + " ".join(parts)


def _short(number: float) -> str:
    """Write a tick in few letters: 10k, 3M, 0.05."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number / 1e3:g}k" if number >= 1e4 else f"{number:g}"  # noqa: PLR2004


def _is_drawable(point: Point) -> bool:
    return all(0 < each < math.inf for each in point)
