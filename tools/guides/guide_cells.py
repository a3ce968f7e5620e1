"""A guide in pieces: text, code, and what the code prints.

A guide is a page of Markdown whose Python blocks run in order. A block of text that
follows code at once is what the code printed.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Cell", "cells_of", "page_of"]

_BLOCK = re.compile(
    r"^(```(?:python|text)[^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece: ``text``, ``code`` or ``output``; ``fence`` opens its block."""

    kind: str
    source: str
    fence: str = ""


def cells_of(page: str) -> list[Cell]:
    """Split a page; joined again by `page_of` the pieces are the page."""
    cells, end = [], 0
    for found in _BLOCK.finditer(page):
        cells.append(Cell("text", page[end : found.start()]))
        kind = "code" if found[1].startswith("```python") else "output"
        cells.append(Cell(kind, found[2], found[1]))
        end = found.end()
    cells.append(Cell("text", page[end:]))
    for before, cell in pairwise(each for each in cells if each.source.strip()):
        if cell.kind == "output" and before.kind != "code":
            raise ValueError(f"output without code before it: {cell.source[:40]!r}")
    return cells


def page_of(cells: list[Cell]) -> str:
    """Join the pieces of a page."""
    return "".join(
        f"{cell.fence}\n{cell.source}```\n" if cell.fence else cell.source
        for cell in cells
    )
