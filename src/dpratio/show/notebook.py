"""What a notebook shows of a result: its sentences, and twenty rows with pictures."""

from collections.abc import Iterable, Iterator

from dpratio.show.blocks import Block, Row, blocks_of
from dpratio.show.chart.picture import style_element
from dpratio.show.chart.strip import axis_strip, strip
from dpratio.show.chart.words import element, escaped
from dpratio.show.verdicts import VERDICT_STYLES
from dpratio.tabular import Tabular

__all__ = ["MOST_SHOWN", "display_of"]

MOST_SHOWN = 20


def display_of(result: Tabular) -> str:
    """Write a result as HTML: an interval is drawn in each row that has one."""
    said = "".join(element("p", escaped(line)) for line in result.said())
    shown = result.shown()
    rows = list(zip(*shown.values(), strict=True))
    blocks = blocks_of(result)
    # A result may be about rows that are not its own, as homogeneity is.
    drawn = sum(len(block.rows) for block in blocks) == len(rows)
    lines = _drawn_rows(blocks, rows, list(shown)) if drawn else _plain_rows(rows)
    body = element("tbody", *lines)
    head = "".join(element("th", escaped(name) or " ") for name in shown)
    if drawn:
        only = _axis(blocks[0]) if len(blocks) == 1 else element("th", " ")
        head = only + head
    more = len(rows) - MOST_SHOWN
    words = "row" if more == 1 else "rows"
    left = element("p", f"and {more:,} more {words}") if more > 0 else ""
    table = element("table", element("thead", element("tr", head)), body)
    return f"{said}{style_element() if drawn else ''}{table}{left}"


def _plain_rows(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in list(rows)[:MOST_SHOWN]:
        yield element("tr", *(element("td", escaped(cell) or " ") for cell in row))


def _drawn_rows(
    blocks: list[Block], rows: list[tuple[str, ...]], names: list[str]
) -> Iterator[str]:
    start = 0
    for block in blocks:
        if len(blocks) > 1 and start < MOST_SHOWN:
            rest = element("td", escaped(block.title), colspan=len(names))
            yield element("tr", _axis(block), rest)
        kept = rows[start : min(start + len(block.rows), MOST_SHOWN)]
        for row, texts in zip(block.rows, kept, strict=False):
            cells = [element("td", escaped(cell) or " ") for cell in texts]
            yield element("tr", element("td", _strip(block, row)), *cells)
        start += len(block.rows)


def _axis(block: Block) -> str:
    return element("th", escaped(block.measure), axis_strip(block.scale()))


def _strip(block: Block, row: Row) -> str:
    css, shape = VERDICT_STYLES[row.verdict]
    ends = (row.low, row.value, row.high)
    return strip(block.scale(), ends, told=row.told, css=css, shape=shape)
