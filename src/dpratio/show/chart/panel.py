"""One panel: its frame, ticks and titles, with the marks inside."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.show.chart.marks import Frame, Mark, draw_mark
from dpratio.show.chart.scale import Scale, Tick
from dpratio.show.chart.words import cut, element, escaped, text_at, width_of, wrapped

_LINE = 16.0
_BOLD = 1.15  # Letters of titles are wider.
_MOST_NAMES = 0.42  # Of a panel's width; longer names are cut.


@dataclass(frozen=True, slots=True)
class Panel:
    """Marks on two axes.

    Args:
        marks: What to draw, in this order.
        x: The axis below.
        y: The axis at the side.
        height: Of the frame, in pixels.
        title: What stands above it.
        x_title: What the axis below measures.
        y_title: What the axis at the side measures.
        has_rows: Whether the axis at the side names rows; it then has no lines.
    """

    marks: Sequence[Mark]
    x: Scale
    y: Scale
    height: float
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    has_rows: bool = False


@dataclass(frozen=True, slots=True)
class Margins:
    """The room that titles and ticks take around the frame of a panel."""

    left: float
    top: float
    right: float
    bottom: float


def margins_of(panel: Panel, width: float) -> Margins:
    """Measure the room that a panel of some width needs around its frame."""
    names = max((width_of(each.text) for each in _side(panel)), default=0.0)
    turned = _LINE + 4 if panel.y_title else 0.0
    left = min(names, _MOST_NAMES * width) + turned + 12
    below = _LINE + 6 + (_LINE + 2 if panel.x_title else 0.0)
    lines = wrapped(panel.title, (width - left) / _BOLD)
    return Margins(left, _LINE * len(lines) + 8.0, 14.0, below)


def draw_panel(
    panel: Panel, left: float, top: float, width: float, room: Margins
) -> str:
    """Draw a panel into a place of some width; its height is that of its frame."""
    frame = Frame(
        left + room.left,
        top + room.top,
        width - room.left - room.right,
        panel.height,
        panel.x,
        panel.y,
    )
    parts = [
        *_below(panel, frame),
        *_beside(panel, frame, left),
        *_titles(panel, frame, left, width),
    ]
    parts += [draw_mark(mark, frame) for mark in panel.marks]
    return element("g", *parts, class_="panel")


def _side(panel: Panel) -> list[Tick]:
    return panel.y.ticks(panel.height, upright=True)


def _below(panel: Panel, frame: Frame) -> list[str]:
    """Draw the axis below: a line and a text per tick."""
    floor = frame.top + frame.height
    parts = []
    for tick in panel.x.ticks(frame.width):
        x = frame.across(tick.value)
        css = "grid" if panel.x.given is None or not panel.has_rows else "tick"
        parts.append(
            element("path", class_=css, d=f"M{x:.1f} {frame.top:.1f}V{floor + 4:.1f}")
        )
        parts.append(text_at(x, floor + _LINE + 2, tick.text, "middle"))
    line = f"M{frame.left:.1f} {floor:.1f}h{frame.width:.1f}"
    return [*parts, element("path", class_="axis", d=line)]


def _beside(panel: Panel, frame: Frame, left: float) -> list[str]:
    """Draw the axis at the side: names of rows, or a line and a text per tick."""
    most = frame.left - left - 10 - (_LINE + 4 if panel.y_title else 0)
    parts = []
    for tick in _side(panel):
        y = frame.down(tick.value)
        if not panel.has_rows:
            parts.append(
                element(
                    "path",
                    class_="grid",
                    d=f"M{frame.left:.1f} {y:.1f}h{frame.width:.1f}",
                )
            )
        shown = cut(tick.text, most)
        whole = element("title", escaped(tick.text)) if shown != tick.text else ""
        parts.append(
            element(
                "text", whole, escaped(shown), x=frame.left - 8, y=y + 4, class_="end"
            )
        )
    return parts


def _titles(panel: Panel, frame: Frame, left: float, width: float) -> list[str]:
    parts = []
    lines = wrapped(panel.title, (width - (frame.left - left)) / _BOLD)
    for at, line in enumerate(reversed(lines)):
        parts.append(text_at(frame.left, frame.top - 9 - _LINE * at, line, "head"))
    if panel.x_title:
        middle = frame.left + frame.width / 2
        below = frame.top + frame.height + 2 * _LINE + 5
        parts.append(text_at(middle, below, cut(panel.x_title, width), "middle"))
    if panel.y_title:
        x, y = left + _LINE - 4, frame.top + frame.height / 2
        turned = f"translate({x:.1f} {y:.1f}) rotate(-90)"
        said = escaped(cut(panel.y_title, 1.4 * panel.height))
        parts.append(element("text", said, class_="middle", transform=turned))
    return parts
