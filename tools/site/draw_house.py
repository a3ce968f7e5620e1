"""Draw docs/pictures/house.svg: the rooms by floor, and which imports which.

Arrows are read off the source. One that a longer way implies is left out: where show
imports simulation and that the analyst, no arrow leads from show to the analyst.
Usage: python tools/site/draw_house.py
"""

import ast
import html
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["arrows", "house_svg"]

ROOT = Path(__file__).parent.parent.parent
HOUSE = ROOT / "src" / "dpratio"
TARGET = ROOT / "docs" / "pictures" / "house.svg"

Arrow = tuple[str, str]

_DOORS = {
    "__init__": "import dpratio",
    "__main__": "cli",
    "bounds": "import dpratio",
    "functions": "import dpratio",
    "ledgers": "import dpratio",
    "results": "import dpratio",
}
_NOT_A_ROOM = {"arrays", "drawing", "lazy_names", "strict"}  # Everyone uses them.
_LEFT, _WIDE, _PART, _GAP = 20, 720, 430, 20
_TALL, _STEP, _TOP = 44, 74, 20

# From the top floor down; two rooms of a floor stand side by side.
_FLOORS = (
    (
        ("cli", "commands, by who may run them"),
        ("import dpratio", "all public names"),
    ),
    (("web", "a local page: planner and viewer"),),
    (("show", "tables for terminals and programs, charts, one report"),),
    (
        (
            "simulation",
            "the same path on invented people: simulations, forecasts, audit",
        ),
    ),
    (
        ("curator", "the only room that sees rows or entropy"),
        ("analyst", "inference, free of charge"),
    ),
    (("release", "the artifact: noisy integers, their plan, strict files"),),
    (("plan", "which sums, how far one unit moves them, how much noise, what price"),),
    (("terms", "promises made before anyone sees data"),),
    (
        ("codec", "documents, read with their path and written"),
        ("tabular", "one table, every frame"),
    ),
    (("checks", "where bad arguments become messages"),),
    (("errors", "every error that is raised on purpose"), ("version", "of dpratio")),
)
_ON_THE_LEFT = {"web", "terms"}

_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.name { font-weight: 600; font-size: 15px; }
rect { fill: none; stroke: #57606a; stroke-width: 1.4; }
path { fill: none; stroke: #57606a; stroke-width: 1.4; }
marker path { fill: #57606a; stroke: none; }
.secret { stroke: #0072b2; stroke-width: 4; }
.public { stroke: #d55e00; stroke-width: 3; }
.wall { stroke: #0072b2; stroke-width: 4; stroke-dasharray: 5 4; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect, path { stroke: #9198a1; }
  marker path { fill: #9198a1; }
  .secret, .wall { stroke: #56b4e9; }
  .public { stroke: #e69f00; }
}
"""

_TIP = (
    '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
    'markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z"/></marker></defs>'
)


@dataclass(frozen=True, slots=True)
class _Box:
    x: int
    y: int
    width: int
    words: str

    @property
    def middle(self) -> int:
        return self.x + self.width // 2


def arrows(house: Path = HOUSE) -> set[Arrow]:
    """Give the imports between rooms, without those that others imply."""
    every = {
        (_room(path.relative_to(house).with_suffix("").parts[0]), used)
        for path in house.rglob("*.py")
        for used in _rooms_used(path)
        if path.stem not in _NOT_A_ROOM
    }
    direct = {(start, end) for start, end in every if start != end}
    return {
        (start, end)
        for start, end in direct
        if end not in _reached(start, direct - {(start, end)})
    }


def house_svg() -> str:
    """Give the picture as the content of its file."""
    boxes = _boxes()
    height = _TOP + len(_FLOORS) * _STEP - (_STEP - _TALL) + 20
    drawn = [_drawn(name, box) for name, box in boxes.items()]
    drawn += [_arrow(boxes[start], boxes[end]) for start, end in sorted(arrows())]
    wall = boxes["analyst"].x - _GAP // 2
    floor = boxes["analyst"].y
    words = (
        "Each room imports from lower floors alone. The curator and the analyst share "
        "a floor, and no import passes between them."
    )
    size = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 790 {height}"'
    return "\n".join(
        [
            f'<svg {size} role="img" aria-labelledby="house-title house-words">',
            '<title id="house-title">The rooms of dpratio, by floor</title>',
            f'<desc id="house-words">{words}</desc>',
            f"<style>{_STYLE}</style>",
            _TIP,
            *drawn,
            f'<path class="wall" d="M{wall} {floor - 12}v{_TALL + 24}"/>',
            "</svg>\n",
        ]
    )


def _room(name: str) -> str:
    return _DOORS.get(name, name)


@cache
def _rooms_used(path: Path) -> set[str]:
    used = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("dpratio."):
            used.add(_room(str(node.module).split(".")[1]))
    return used - _NOT_A_ROOM


def _reached(start: str, direct: set[Arrow]) -> set[str]:
    """Give every room that arrows lead to."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        at = waiting.pop()
        more = {end for begin, end in direct if begin == at} - found
        found |= more
        waiting += more
    return found


def _boxes() -> dict[str, _Box]:
    boxes = {}
    for floor, rooms in enumerate(_FLOORS):
        y = _TOP + floor * _STEP
        for at, (name, words) in enumerate(rooms):
            shares = len(rooms) > 1 or name in _ON_THE_LEFT
            x = _LEFT + at * (_PART + _GAP)
            width = (_PART, _WIDE - _PART - _GAP)[at] if shares else _WIDE
            boxes[name] = _Box(x, y, width, words)
    return boxes


def _drawn(name: str, box: _Box) -> str:
    kind = {"curator": "secret", "release": "public"}.get(name, "room")
    size = f'width="{box.width}" height="{_TALL}" rx="7"'
    at = f'x="{box.x + 14}" y="{box.y + 28}"'
    said = f'<tspan dx="8" font-weight="400" font-size="13">{html.escape(box.words)}'
    return (
        f'<rect class="{kind}" x="{box.x}" y="{box.y}" {size}/>'
        f'<text class="name" {at}>{name}{said}</tspan></text>'
    )


def _arrow(start: _Box, end: _Box) -> str:
    """Draw an arrow straight down, or around all rooms between."""
    tip = 'marker-end="url(#tip)"'
    down = end.y - start.y - _TALL - 2
    x = start.middle if start.width <= end.width else end.middle
    if down > 2 * _STEP:
        right, drop = start.x + start.width, end.y - start.y
        return f'<path d="M{right} {start.y + 22}h18v{drop}h-16" {tip}/>'
    return f'<path d="M{x} {start.y + _TALL}v{down}" {tip}/>'


if __name__ == "__main__":
    TARGET.write_text(house_svg(), encoding="utf-8")
