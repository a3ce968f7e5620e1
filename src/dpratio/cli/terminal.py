"""Tables and sentences for terminals: 80 columns, the same in a pipe and in a file.

A table too wide leaves columns out and says which; digits are never cut. What is still
too wide folds its texts.
"""

import re
import textwrap
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import zip_longest

from dpratio.tabular import Tabular, printable

WIDTH = 80
_GAP = "  "
_RULE = "─"
_NARROWEST = 12
_NUMBER = re.compile(r"([-−+]?(\d[\d.,]*(e[-+]?\d+)?|∞)|–|nan)?")

Columns = dict[str, list[str]]


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Break a sentence between its words; a longer word stands alone.

    Lines that begin with spaces stay in their place.
    """
    plain = printable(text)
    indent = " " * (len(plain) - len(plain.lstrip(" ")))
    lines = textwrap.wrap(
        plain.lstrip(" "),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [""]


def table_lines(table: Tabular, width: int | None = WIDTH) -> list[str]:
    """Lay a table out below a rule: numbers to the right, texts to the left.

    Args:
        table: Anything that has columns.
        width: How wide it may be; None shows all columns, however wide.
    """
    shown = {
        printable(name): [printable(cell) for cell in cells]
        for name, cells in table.shown().items()
    }
    if width is None:
        return _laid_out(shown)
    kept, missing = _without_spares(shown, table.spare, width)
    lines = _laid_out(_folded(kept, width))
    if missing:
        told = f"Not shown: {', '.join(missing)}. --wide shows all columns."
        lines += ["", *wrapped(told, width)]
    return lines


def _without_spares(
    shown: Columns, spare: Sequence[str], width: int
) -> tuple[Columns, list[str]]:
    kept = dict(shown)
    for pattern in spare:
        if _width(kept) <= width:
            break
        goes = {name for name in kept if fnmatchcase(name, pattern)}
        kept = {name: cells for name, cells in kept.items() if name not in goes}
    return kept, [name for name in shown if name not in kept]


def _folded(shown: Columns, width: int) -> Columns:
    """Fold the widest texts until a table fits; what has numbers alone runs over."""
    folded = dict(shown)
    texts = {name for name, cells in shown.items() if not _are_numbers(cells)}
    while texts and _width(folded) > width:
        widest = max(texts, key=lambda name: _width({name: folded[name]}))
        room = _width({widest: folded[widest]}) - (_width(folded) - width)
        texts.remove(widest)
        narrow = max(room, len(widest), _NARROWEST)
        folded[widest] = [
            "\n".join(textwrap.wrap(cell, narrow)) for cell in folded[widest]
        ]
    return folded


def _laid_out(shown: Columns) -> list[str]:
    names = list(shown)
    sizes = {name: _width({name: cells}) for name, cells in shown.items()}
    to_right = {name for name, cells in shown.items() if _are_numbers(cells)}

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.rjust(sizes[name]) if name in to_right else cell.ljust(sizes[name])
            for name, cell in zip(names, cells, strict=True)
        )
        return _GAP.join(placed).rstrip()

    lines = [line(names), _RULE * _width(shown)]
    for row in zip(*shown.values(), strict=True):
        pieces = [cell.split("\n") for cell in row]
        lines += [line(each) for each in zip_longest(*pieces, fillvalue="")]
    return lines


def _width(shown: Columns) -> int:
    sizes = [
        max(len(line) for cell in (name, *cells) for line in cell.split("\n"))
        for name, cells in shown.items()
    ]
    return sum(sizes) + len(_GAP) * max(len(sizes) - 1, 0)


def _are_numbers(cells: Sequence[str]) -> bool:
    return all(_NUMBER.fullmatch(cell) for cell in cells)
